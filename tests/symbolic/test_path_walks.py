"""Paths that are to be walked: the likeliest first, and a running sum that never decides what is close."""

import math

import numpy as np

from dpspectra.symbolic import path_walks
from dpspectra.symbolic.decision_odds import Odds
from dpspectra.symbolic.path_walks import Unwalked


def test_the_likeliest_path_comes_first_and_a_sum_decides_on_both_sides(monkeypatch):
    left, rng = Unwalked(), np.random.default_rng(0)
    assert left.likeliest()[0] == ()
    for k, cost in enumerate(rng.uniform(1, 40, size=500)):
        left.add((float(cost), (k,), Odds()))
        if k % 3 == 2:
            least = min(left.paths)[1]
            assert left.likeliest()[0] == least
        exact = math.fsum(math.exp(-cost) for cost, _, _ in left.paths)
        assert left.together() == exact
        assert left.at_most(exact)
        assert not left.at_most(math.nextafter(exact, 0))
    monkeypatch.setattr(path_walks, "fsum", None)
    assert not left.at_most(exact - 1e-6)
