"""Normal noise beside decisions: one shift of the draws that fits all paths explains claims of normal noise."""

import numpy as np
import pytest

from dpspectra.audit import GDP, ZCDP, ApproxDP, Renyi, inside
from dpspectra.fast.gaussian_profile import profile

PAIR = (np.zeros(2), np.array([0.6, 0.8]))
"""Two numbers that are moved by 1 together."""


def positive_parts(x, rng):
    return np.maximum(x + rng.normal(size=2), 0)


def second_if_the_first(x, rng):
    y = x + rng.normal(size=2)
    return y[1] if y[0] > 0 else 0.0


def mean_by_count(x, rng):
    return (x[0] + rng.normal()) / max(x[1] + rng.normal(), 1)


def one_of_both(x, rng):
    y = x + rng.normal(size=2)
    return y[int(rng.random() < 0.5)]


def larger_with_its_place(x, rng):
    y = x + rng.normal(size=2)
    return int(np.argmax(y)), y.max()


RIGHT = [positive_parts, second_if_the_first, mean_by_count, one_of_both, larger_with_its_place]


@pytest.mark.parametrize("mechanism", RIGHT)
@pytest.mark.parametrize(
    "claim", [GDP(1.0), ZCDP(0.5), Renyi(2.0, 1.0), ApproxDP(1.0, float(profile(1.0, 1.0)))], ids=str
)
def test_decisions_lose_no_more_than_the_numbers(mechanism, claim):
    assert inside(mechanism, PAIR, claim).verdict == "explained"


@pytest.mark.parametrize("mechanism", RIGHT)
def test_a_smaller_claim_is_not_explained(mechanism):
    assert inside(mechanism, PAIR, GDP(0.999)).verdict != "explained"


def test_the_distance_is_told():
    assert inside(positive_parts, PAIR, GDP(1.0)).mu == pytest.approx(1.0, rel=1e-12)


def leaks_below_a_bar(x, rng):
    y = x + rng.normal(size=2)
    return y[1] if y[0] > 0 else x[1]


def moved_against_the_decision(x, rng):
    y = rng.normal(size=2)
    return y[0] + 3 * x[0] if y[1] + x[1] > 0 else y[0] - 3 * x[0]


def bar_of_the_data(x, rng):
    y = rng.normal(size=2)
    return y[0] if y[1] + 3 * x[1] > 0 else 0.0


def odds_of_the_data(x, rng):
    return np.maximum(x + rng.normal(size=2), 0) if rng.random() < 0.1 + x[1] else 0.0


def choice_of_the_data(x, rng):
    return int(rng.choice(2, p=[0.1 + x[1], 0.9 - x[1]])), x + rng.normal(size=2)


def scale_of_the_data(x, rng):
    return np.maximum(x + rng.normal(size=2) * (1 + 5 * x[0]), 0)


def one_draw_for_two_moves(x, rng):
    y = rng.normal()
    return max(y + x[0], 0.0), max(y + x[1], 0.0)


def half_the_noise(x, rng):
    return np.maximum(2 * x + rng.normal(size=2), 0)


def tails_only(x, rng):
    place = 1.25 * x[1]
    while True:
        y = place + rng.normal()
        if y > 2.5 or y < -1.5:
            return y


def laplace_noise(x, rng):
    return np.maximum(x + rng.laplace(size=2) * 0.5, 0)


WRONG = [
    leaks_below_a_bar,
    moved_against_the_decision,
    bar_of_the_data,
    odds_of_the_data,
    choice_of_the_data,
    scale_of_the_data,
    one_draw_for_two_moves,
    half_the_noise,
    tails_only,
    laplace_noise,
]


@pytest.mark.parametrize("mechanism", WRONG)
def test_what_no_shift_fits_is_not_explained(mechanism):
    """Each of them loses more than normal noise at a distance of 1."""
    assert inside(mechanism, PAIR, GDP(1.0), seconds=20).verdict != "explained"
