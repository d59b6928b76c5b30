"""Rough costs: memory against what is held at a time, thresholds on both sides, and the other way that is named."""

import tracemalloc

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.advice import advise, costs
from dpspectra.advice.costs import LARGE, LONG, Cost

D, ROWS = 600, 20


@pytest.mark.parametrize("goal", ["pca", "covariance", "low_rank", "spectrum"])
def test_memory_is_what_a_release_holds(goal):
    """Within a factor of two of the most that numpy holds at a time, of a certified release in 600 columns."""
    x = np.random.default_rng(0).normal(size=(ROWS, D)) / (4 * np.sqrt(D))
    for way in advise(goal, d=D, k=2, n=ROWS, epsilon=1.0, delta=1e-6):
        call = getattr(dps, way.mechanism)
        call(x[:, :30], **way.arguments)
        tracemalloc.start()
        call(x, **way.arguments)
        held = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert held / 2 <= way.memory <= 2 * held, (way.arguments, held / 8 / D**2)


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
    assert found.seconds == 200  # (2e6 * 1234**2 + 3 * 1234**3) / 2e10 = 152.6


def test_all_eigenvectors_take_longer_than_few():
    few, many = (advise("pca", d=1000, k=k, n=10, epsilon=1.0, delta=1e-6)[0].seconds for k in (49, 50))
    assert many >= 1.5 * few


def test_a_first_way_that_takes_long_says_so_and_names_another():
    given = {"k": 1, "n": 50, "epsilon": 1.0}
    assert "roughly" not in advise("pca", d=3000, **given)[0].reason
    assert advise("pca", d=8000, **given)[0].reason.endswith(
        "it takes 100 s and 5 GB, roughly, and the power method, of goal subspace, far less"
    )
    first, *others = advise("subspace", d=8000, **given)
    (power,) = (way for way in others if way.mechanism == "private_power_method")
    assert first.reason.endswith(f"it takes 100 s and 5 GB, roughly, and private_power_method {power.cost}")
    assert power.cost.seconds < 1
    assert advise("covariance", d=20_000, n=50, epsilon=1.0)[0].reason.endswith(", roughly")
