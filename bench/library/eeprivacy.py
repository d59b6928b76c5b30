"""eeprivacy 0.0.5: noise by the global generator of numpy."""

import math

import numpy as np
from eeprivacy import mechanisms as m
from eeprivacy import operations

from bench.foreign import Mechanism
from dpspectra.audit import ApproxDP

ROWS = ([0.0, 0.25, 0.5], [1.0, 0.25, 0.5])
UNIT = {"lower_bound": 0.0, "upper_bound": 1.0}
COUNTS = {"epsilon": 1.0, "sensitivity": 1.0}
MECHANISMS = [
    Mechanism("Laplace", lambda x: m.LaplaceMechanism.execute(value=x, **COUNTS), (0.0, 1.0), loss=1.0),
    Mechanism(
        "Laplace, batch",
        lambda x: m.LaplaceMechanism.execute_batch(values=x, **COUNTS),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        loss=1.0,
    ),
    Mechanism(
        "Gaussian",
        lambda x: m.GaussianMechanism.execute(value=x, delta=0.01, **COUNTS),
        (0.0, 1.0),
        ApproxDP(1.0, 0.01),
        mu=1 / math.sqrt(2 * math.log(125)),
    ),
    Mechanism(
        "PrivateClampedSum",
        lambda x: operations.PrivateClampedSum(**UNIT).execute(values=x, epsilon=1.0),
        ROWS,
        loss=1.0,
        proof="a sum moves by 1 at scale 1",
    ),
    Mechanism(
        "PrivateClampedMean",
        lambda x: operations.PrivateClampedMean(**UNIT).execute(values=x, epsilon=1.0),
        ROWS,
        loss=1.0,
        proof="a mean moves by 1/3 at scale 1/3, and is clipped",
    ),
    Mechanism(
        "PrivateHistogram",
        lambda x: operations.PrivateHistogram(bins=[0.0, 0.5, 1.0]).execute(values=x, epsilon=1.0),
        ([0.1, 0.7], [0.1, 0.7, 0.8]),
        loss=1.0,
        proof="a count moves by 1 at scale 1",
    ),
]
