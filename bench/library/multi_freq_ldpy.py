"""multi-freq-ldpy 0.2.5: noise drawn in code compiled by numba."""

from multi_freq_ldpy.pure_frequency_oracles.ADP import ADP_Client
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.HE import HE_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client

from bench.foreign import COMPILED, Mechanism


def compiled(name, run, **known):
    run(0)  # compiled before an audit looks at the clock
    return Mechanism(name, run, (0, 1), noise=COMPILED, **known)


MECHANISMS = [
    compiled("GRR_Client", lambda x: int(GRR_Client(x, 4, 1.0)), loss=1.0, proof="odds e for each other answer"),
    compiled("UE_Client, optimal", lambda x: UE_Client(x, 4, 1.0, True), loss=1.0),
    compiled("UE_Client, symmetric", lambda x: UE_Client(x, 4, 1.0, False), loss=1.0),
    compiled("SS_Client", lambda x: SS_Client(x, 4, 1.0), loss=1.0, proof="of four answers one is told, with odds e"),
    compiled("HE_Client", lambda x: HE_Client(x, 4, 1.0), loss=1.0, proof="two places move by 1 at scale 2"),
    compiled("ADP_Client", lambda x: ADP_Client(x, 4, 1.0), loss=1.0),
    compiled(
        "LH_Client", lambda x: tuple(map(int, LH_Client(x, 4, 1.0))), within=True, proof="a random seed, and odds e"
    ),
]
