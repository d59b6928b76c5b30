"""opendp 0.16.0: noise drawn in Rust."""

import math

import opendp.prelude as dp

from bench.foreign import COMPILED, ONE, Mechanism
from dpspectra.audit import GDP, ZCDP, ApproxDP

dp.enable_features("contrib")
FLOAT = dp.atom_domain(T=float, nan=False)
INTEGER = dp.atom_domain(T=int)
REAL = (FLOAT, dp.absolute_distance(T=float))
WHOLE = (INTEGER, dp.absolute_distance(T=int))
UNITS = (dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0))), dp.symmetric_distance())
SIZED = (dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0)), size=3), dp.symmetric_distance())
SCORES = (dp.vector_domain(FLOAT), dp.linf_distance(T=float))
ROWS = ([0.25, 0.5, 0.0], [0.25, 0.5, 1.0])
COUNTED = dp.t.make_count_by_categories(
    dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance(), ["a", "b"], null_category=False
)
WORDS = (["a", "a", "b"], ["a", "a", "b", "b"])
THRESHOLD = dp.m.make_laplace_threshold(
    dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int)), 1.0, 5
)
SMALL = ApproxDP(1.0, 0.01)
TABLES = ({"a": 9}, {"a": 9, "b": 1})


def compiled(name, run, pair, claim=ONE, **known):
    return Mechanism(name, lambda x: run(x), pair, claim, noise=COMPILED, **known)


def _max(noise, scale):
    return dp.m.make_noisy_max(*SCORES, noise, scale)


MECHANISMS = [
    compiled("make_laplace of floats", dp.m.make_laplace(*REAL, 1.0), (0.0, 1.0), loss=1.0),
    compiled("make_laplace of integers", dp.m.make_laplace(*WHOLE, 1.0), (0, 1), loss=1.0),
    compiled("make_gaussian of floats", dp.m.make_gaussian(*REAL, 1.0), (0.0, 1.0), GDP(1.0), mu=1.0),
    compiled("make_gaussian of integers", dp.m.make_gaussian(*WHOLE, 4.0), (0, 1), ZCDP(1 / 32), within=True),
    compiled("make_noisy_max", _max(dp.max_divergence(), 2.0), ([0.0, 1.0], [1.0, 0.0]), within=True),
    compiled(
        "make_randomized_response_bool",
        dp.m.make_randomized_response_bool(math.e / (1 + math.e)),
        (False, True),
        loss=1.0,
    ),
    compiled(
        "make_randomized_response",
        dp.m.make_randomized_response(["a", "b", "c"], math.e / (2 + math.e)),
        ("a", "b"),
        loss=1.0,
    ),
    compiled("counts by category", COUNTED >> dp.m.then_laplace(1.0), WORDS, loss=1.0),
    compiled("sum", dp.t.make_sum(*UNITS) >> dp.m.then_laplace(1.0), ROWS, loss=1.0),
    compiled("mean", dp.t.make_mean(*SIZED) >> dp.m.then_laplace(0.5), ROWS, within=True),
    compiled("variance", dp.t.make_variance(*SIZED) >> dp.m.then_laplace(0.5), ROWS, within=True),
    compiled(
        "make_canonical_noise", dp.m.make_canonical_noise(*REAL, 1.0, (1.0, 0.01)), (0.0, 1.0), SMALL, within=True
    ),
    compiled(
        "make_laplace_threshold, as pure",
        THRESHOLD,
        TABLES,
        loss=math.inf,
        proof="a new key is impossible without its row: the delta of the threshold",
    ),
]
