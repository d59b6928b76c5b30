"""Rough costs: memory against what is held at a time, thresholds on both sides, and the other way that is named."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.advice import _weighed, advise, costs
from dpspectra.advice.costs import LARGE, LONG, Cost
from dpspectra.mechanisms.catalogue import NOISES, get
from dpspectra.mechanisms.planning import LEAST

D, ROWS = 600, 20


def peak(call, x, **given):
    """Most bytes that numpy holds at a time in a call."""
    tracemalloc.start()
    call(x, **given)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held


@pytest.mark.parametrize("goal", ["pca", "covariance", "low_rank", "spectrum"])
def test_memory_is_what_a_release_holds(goal):
    """Within a factor of two of the most that numpy holds at a time, of a certified release in 600 columns."""
    x = np.random.default_rng(0).normal(size=(ROWS, D)) / (4 * np.sqrt(D))
    for way in advise(goal, d=D, k=2, n=ROWS, epsilon=1.0, delta=1e-6):
        call = getattr(dps, way.mechanism)
        call(x[:, :30], **way.arguments)
        held = peak(call, x, **way.arguments)
        assert held / 2 <= way.memory <= 2 * held, (way.arguments, held / 8 / D**2)
        noise = NOISES.get(way.arguments.get("mechanism", way.mechanism))  # what must be free, or all is refused
        ideal = peak(call, x, **way.arguments, arithmetic="ideal")
        assert LEAST * (noise or get(way.mechanism)).arrays * D**2 <= ideal


def test_memory_of_many_rows_is_that_of_a_block_of_differences():
    x = np.random.default_rng(0).normal(size=(400_000, 20))
    for center in ("pairs", "none"):
        way = advise("pca", d=20, k=2, n=400_000, epsilon=1.0, norm_bound=12.0, center=center)[0]
        dps.private_pca(x[:99], **way.arguments)
        held = peak(dps.private_pca, x, **way.arguments)
        assert (held / 2 <= way.memory <= 2 * held) if center == "pairs" else max(held, way.memory) < x.nbytes / 4


@pytest.mark.parametrize(
    ("cost", "high"),
    [
        (Cost(LARGE, 0.0), True),
        (Cost(LARGE - 1, 0.0), False),
        (Cost(0.0, LONG), True),
        (Cost(0.0, LONG - 1), False),
    ],
)
def test_a_cost_is_high_from_a_minute_or_four_gigabytes_on(cost, high):
    assert cost.is_high == high


def test_costs_are_said_to_one_digit():
    assert str(Cost(2e10, 3000.0)) == "3,000 s and 20 GB"
    assert str(Cost(9e8, 0.9)) == "< 1 s and 900 MB"
    assert Cost(9e5, 1.0).space == "< 1 MB"
    found = costs.of_matrix(1234, 10**6, 7, 3)
    assert found.memory == 9e7  # 7 * 8 * 1234**2 = 8.53e7
    assert found.seconds == 80  # (1e6 * 1234**2 + 3 * 1234**3) / 2e10 + 1234e6 / 2e8 = 82.6


def test_all_eigenvectors_take_longer_than_few():
    few, many = (advise("pca", d=1000, k=k, n=10, epsilon=1.0, delta=1e-6)[0].seconds for k in (49, 50))
    assert many >= 1.5 * few


def test_a_first_way_that_takes_long_says_so_and_names_another():
    given = {"k": 1, "n": 50, "epsilon": 1.0}
    assert "roughly" not in advise("pca", d=3000, **given)[0].reason
    first, *others = advise("subspace", d=8000, **given)
    (power,) = (way for way in others if way.mechanism == "private_power_method")
    told = f"it takes 100 s and 5 GB, roughly, and private_power_method {power.cost}"
    assert first.reason.endswith(f"{told}, with an expected error of {power.expected_error:.2g}")
    elsewhere = f"{told}, by goal subspace, about zero"  # with pairs the error is that of other differences
    assert advise("pca", d=8000, **given)[0].reason.endswith(elsewhere)
    told = f"{elsewhere}, with an expected error of {power.expected_error:.2g}"
    assert advise("pca", d=8000, center="none", **given)[0].reason.endswith(told)
    assert power.cost.seconds < 1
    assert advise("covariance", d=20_000, n=50, epsilon=1.0)[0].reason.endswith(", roughly")


@pytest.mark.parametrize(("seconds", "named"), [(60.0, True), (61.0, False)])
def test_another_way_is_named_if_it_takes_half_the_time(seconds, named):
    first, other = (replace(advise("covariance", d=9, n=9, epsilon=1.0)[0], seconds=s) for s in (120.0, seconds))
    assert ("with an expected error" in _weighed([first, other], [], False)) == named
