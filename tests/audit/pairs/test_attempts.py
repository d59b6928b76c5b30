"""Ranks of the pairs of a search."""

from dpspectra.audit import PureDP
from dpspectra.audit.pairs.attempts import Attempt


def attempt(draws, log_e_value, violated, bound=0.0):
    return Attempt("first", "a pair", PureDP(1.0), draws, log_e_value, violated, bound)


def test_who_refutes_soonest_comes_first():
    soon, late = attempt(100, 8.0, True), attempt(10_000, 9.0, True, bound=3.0)
    near, far = attempt(100, 1.0, False, bound=0.5), attempt(100, 5.0, False, bound=0.1)
    assert sorted([far, near, late, soon], key=lambda each: each.merit) == [far, near, late, soon]
    assert (soon.growth, late.growth) == (0.08, 0.0009)
