"""python-dp 1.1.5: noise drawn in C++."""

import pydp.algorithms.laplacian as laplacian
from pydp.algorithms import numerical_mechanisms as n
from pydp.algorithms import partition_selection as p

from bench.foreign import COMPILED, ONE, Mechanism
from dpspectra.audit import ApproxDP

ROWS = ([0.25, 0.5, 0.0], [0.25, 0.5, 1.0])
COUNTED = ([1.0, 1.0], [1.0, 1.0, 1.0])
UNIT = {"epsilon": 1.0, "lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}
SMALL = ApproxDP(1.0, 0.01)


def compiled(name, run, pair, claim=ONE, **known):
    return Mechanism(name, run, pair, claim, noise=COMPILED, **known)


def quick(kind, **options):
    return lambda x: getattr(laplacian, kind)(**options).quick_result(x)


def kept(make):
    strategy = make(1.0, 0.01, 1)
    return lambda users: strategy.should_keep(users)


MECHANISMS = [
    compiled("LaplaceMechanism", lambda x: n.LaplaceMechanism(1.0, 1.0).add_noise(x), (0.0, 1.0), loss=1.0),
    compiled("LaplaceMechanism of integers", lambda x: n.LaplaceMechanism(1.0, 1.0).add_noise(x), (0, 1), within=True),
    compiled(
        "GaussianMechanism", lambda x: n.GaussianMechanism(1.0, 0.01, 1.0).add_noise(x), (0.0, 1.0), SMALL, within=True
    ),
    compiled("Count", quick("Count", epsilon=1.0, dtype="float"), COUNTED, within=True),
    compiled("BoundedSum", quick("BoundedSum", **UNIT), ROWS, within=True),
    compiled("BoundedMean", quick("BoundedMean", **UNIT), ROWS, within=True),
    compiled("BoundedVariance", quick("BoundedVariance", **UNIT), ROWS, within=True),
    compiled("BoundedStandardDeviation", quick("BoundedStandardDeviation", **UNIT), ROWS, within=True),
    compiled("Median", quick("Median", **UNIT), ROWS, within=True),
    compiled("Max", quick("Max", **UNIT), ROWS, within=True),
    compiled("Percentile", quick("Percentile", percentile=0.25, **UNIT), ROWS, within=True),
    compiled(
        "truncated geometric partitions",
        kept(p.create_truncated_geometric_partition_strategy),
        (2, 3),
        SMALL,
        within=True,
    ),
    compiled("Laplace partitions", kept(p.create_laplace_partition_strategy), (2, 3), SMALL, within=True),
    compiled("Gaussian partitions", kept(p.create_gaussian_partition_strategy), (2, 3), SMALL, within=True),
]
