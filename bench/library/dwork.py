"""dwork 0.0.13: noise by `secrets.SystemRandom`."""

from dwork.mechanisms.geometric import geometric_noise
from dwork.mechanisms.laplace import laplace_noise

from bench.foreign import Mechanism

MECHANISMS = [
    Mechanism("laplace_noise", lambda x: x + laplace_noise(1.0), (0.0, 1.0), loss=1.0, proof="signed exponential"),
    Mechanism(
        "geometric_noise",
        lambda x: x + geometric_noise(1.0),
        (0, 1),
        loss=1.0,
        proof="ratio e a step beyond 1, and 2 / (1 + exp(-1)) between 0 and 1",
    ),
]
