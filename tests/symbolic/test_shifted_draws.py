"""Losses of shifts beside log-ratios of likelihoods, and programs whose draws are shared by several numbers."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import LAPLACE, NORMAL
from dpspectra.symbolic.likelihood import likelihood, pivots_of
from dpspectra.symbolic.shifted_draws import loss_of_shift
from tests.support.noise_runs import runner


def part(mu, B, c=(), C=(), laws=None):
    B = np.array(B, dtype=float)
    m = B.shape[1]
    rows = np.array(C, dtype=float).reshape(-1, m)
    return Part(np.arange(m), laws or [LAPLACE] * m, np.array(mu), B, np.zeros(len(mu)), np.array(c, float), rows, {})


SHARED = [[1, 1, 0], [1, 0, 2]]


@pytest.mark.parametrize(("move", "loss"), [([1.0, 0.0], 1.0), ([0.0, 1.0], 0.5), ([1.0, 1.0], 1.0), ([3.0, 1.0], 3.0)])
def test_no_value_loses_more_than_the_cheapest_shift(move, loss):
    a, b = part(move, SHARED), part([0.0, 0.0], SHARED)
    assert loss_of_shift(a, b) == pytest.approx(loss)
    rng = np.random.default_rng(1)
    for y in rng.normal(size=(60, 2), scale=8):
        mine, theirs = (likelihood(replace(it, y=y), pivots_of(it)).value for it in (a, b))
        assert mine - theirs <= loss + 1e-6


def test_comparisons_move_along():
    asked = {"B": SHARED, "C": [[0, 1, -1]]}
    assert loss_of_shift(part([1.0, 0.0], c=[0.5], **asked), part([0.0, 0.0], c=[-0.5], **asked)) == pytest.approx(1.0)
    assert loss_of_shift(part([1.0, 0.0], c=[0.5], **asked), part([0.0, 0.0], c=[0.5], **asked)) == pytest.approx(4.0)


def test_what_no_laplace_draws_move_has_no_known_loss():
    still = part([0.0, 0.0], SHARED)
    assert loss_of_shift(part([1.0, 0.0], [[1, 1, 0], [1, 0, 1]]), still) == math.inf
    assert loss_of_shift(part([1.0, 0.0], SHARED, laws=[NORMAL, LAPLACE, LAPLACE]), still) == math.inf
    normal = [part([x, 0.0], SHARED, laws=[LAPLACE, NORMAL, LAPLACE]) for x in (1.0, 0.0)]
    assert loss_of_shift(*normal) == pytest.approx(1.5)
    assert loss_of_shift(*(part([x, 0.0], [[1, 0], [2, 0]]) for x in (1.0, 0.0))) == math.inf
    assert loss_of_shift(*(part([x], [[1, 1]], laws=[NORMAL] * 2) for x in (1.0, 0.0))) == math.inf
    assert loss_of_shift(part([math.inf, 0.0], SHARED), still) == math.inf
    assert loss_of_shift(*(part([x, 0.0], [[1, 1, 0], [1, 0, math.inf]]) for x in (1.0, 0.0))) == math.inf


def with_a_common_draw(counts, rng):
    common = rng.laplace()
    noisy = [n + common + rng.laplace() for n in counts]
    return [y for y in noisy if y > 3]


def outside(data, rng):
    """No number is shown, and two comparisons share each draw."""
    bar = rng.laplace(scale=2.0)
    noisy = [n + rng.laplace(scale=4.0) for n in data]
    return [(y > 3 + bar, y < -3 - bar) for y in noisy]


def bar_of_the_data(data, rng):
    common = rng.laplace()
    noisy = [n + common + rng.laplace() for n in data]
    return [y for y in noisy if y > data[0]]


def scale_of_the_data(data, rng):
    common = rng.laplace(scale=data[0])
    return [n + common + rng.laplace() for n in data]


PROGRAMS = [
    (with_a_common_draw, ([4.0, 5.0], [5.0, 5.0]), 1.0, "explained"),
    (with_a_common_draw, ([4.0, 5.0], [5.0, 5.0]), 0.8, "refuted"),
    (outside, ([0.0, 0.0], [1.0, 0.0]), 0.25, "explained"),
    (outside, ([0.0, 0.0], [1.0, 0.0]), 0.2, "undecided"),
    (bar_of_the_data, ([4.0, 5.0], [5.0, 5.0]), 1.0, "refuted"),
    (scale_of_the_data, ([4.0, 5.0], [5.0, 5.0]), 1.0, "refuted"),
]


@pytest.mark.parametrize(("mechanism", "pair", "epsilon", "verdict"), PROGRAMS)
def test_programs(mechanism, pair, epsilon, verdict):
    assert decide(runner(mechanism, pair, epsilon)).verdict == verdict
