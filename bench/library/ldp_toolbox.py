"""ldp-toolbox 0.1.3: noise drawn in code compiled by numba, that of local hashing in Python."""

from ldp_toolbox.protocols.frequency.grr import GeneralizedRandomizedResponse
from ldp_toolbox.protocols.frequency.he import HistogramEncoding
from ldp_toolbox.protocols.frequency.lh import LocalHashing
from ldp_toolbox.protocols.frequency.ss import SubsetSelection
from ldp_toolbox.protocols.frequency.ue import UnaryEncoding

from bench.foreign import COMPILED, PYTHON, Mechanism


def protocol(kind, noise=COMPILED, **known):
    made = kind(4, 1.0)
    made.obfuscate(0)  # compiled before an audit looks at the clock
    return Mechanism(kind.__name__, lambda x: made.obfuscate(x), (0, 1), noise=noise, **known)


MECHANISMS = [
    protocol(GeneralizedRandomizedResponse, loss=1.0, proof="odds e for each other answer"),
    protocol(SubsetSelection, within=True),
    protocol(UnaryEncoding, loss=1.0),
    protocol(HistogramEncoding, within=True),
    protocol(LocalHashing, PYTHON, within=True, proof="a random seed, and odds e"),
]
