"""binomialdpy 0.1.5: noise by the global generator of numpy."""

import math

import numpy as np
from binomialdpy import tulap

from bench.foreign import Mechanism

MECHANISMS = [
    Mechanism(
        "tulap",
        lambda x: float(np.ravel(tulap.random(1, x, math.exp(-1.0), 0.0))[0]),
        (0, 1),
        loss=1.0,
        proof="the difference of two geometric numbers of ratio exp(-1), and a uniform one of width 1",
    ),
]
