"""Numbers drawn on one of several paths have their largest loss at an end, and none is told where a law is unlike."""

import itertools
import math

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, UNIFORM
from dpspectra.symbolic.mixture_loss import loss_of_mixtures
from dpspectra.symbolic.single_numbers import Number

SCALE = 0.75


def number(rng, law):
    """A number somewhere, half of them cut off."""
    sign = 1.0 if rng.random() < 0.5 else -1.0
    low = float(rng.integers(-8, 4)) / 4 if rng.random() < 0.5 else -math.inf
    return Number(law, float(rng.integers(-8, 8)) / 4, sign * SCALE, low, math.inf)


def mixture(rng, laws):
    return [(math.log(w), tuple(number(rng, law) for law in laws)) for w in rng.dirichlet(np.ones(3))]


def density(paths, y):
    """The density of a mixture, by the laws of the numbers themselves."""

    def of_one(n, value):
        low, high = n.ends
        return math.exp(n.log_density(value)) if low < value < high else 0.0

    return sum(math.exp(log) * math.prod(map(of_one, numbers, y)) for log, numbers in paths)


@pytest.mark.parametrize("laws", [(LAPLACE,), (EXPONENTIAL,), (UNIFORM,), (LAPLACE, EXPONENTIAL)], ids=len)
@pytest.mark.parametrize("seed", range(5))
def test_no_value_of_a_grid_loses_more_and_one_loses_as_much(laws, seed):
    rng = np.random.default_rng([seed, len(laws)])
    first, second = mixture(rng, laws), mixture(rng, laws)
    # all ends lie at multiples of 1/16, each number is tried close to both sides of them
    axis = np.concatenate([np.arange(-80, 81) / 16 + side * 2.0**-30 for side in (-1, 1)])[:: len(laws) ** 2]
    ratios = [(density(first, y), density(second, y)) for y in itertools.product(axis, repeat=len(laws))]
    most = max(math.log(p / q) if q > 0 else math.inf for p, q in ratios if p > 0)
    found = loss_of_mixtures(first, second)
    assert found >= most - 1e-6
    assert found == pytest.approx(most, abs=1e-6) or len(laws) > 1


def test_other_kinds_and_scales_have_no_known_loss():
    one, other = Number(LAPLACE, 0.0, 1.0, -math.inf, math.inf), Number(LAPLACE, 1.0, 1.0, -math.inf, math.inf)
    for unlike in (
        Number(LAPLACE, 1.0, 1.0 + 2.0**-40, -math.inf, math.inf),
        Number(UNIFORM, 1.0, 1.0, -math.inf, math.inf),
    ):
        assert loss_of_mixtures([(0.0, (one,))], [(0.0, (unlike,))]) == math.inf
        assert loss_of_mixtures([(0.0, (one,))], [(-1.0, (other,)), (-1.0, (unlike,))]) == math.inf
    assert loss_of_mixtures([(0.0, (one,))], [(0.0, (other,))]) == pytest.approx(1.0)
    assert loss_of_mixtures([(0.0, (one,))], []) == math.inf
    assert loss_of_mixtures([(0.0, (one, one))], [(0.0, (one,))]) == math.inf


def halves(x, rng):
    size = -np.log(1.0 - rng.random())
    return x + size if rng.random() < 0.5 else x - size


def sampled(x, rng):
    return x[rng.random(len(x)) < 0.5].sum() + rng.laplace()


def two_sampled(x, rng):
    part = x[rng.random(len(x)) < 0.5]
    return part.sum() + rng.laplace(scale=2), len(part) + rng.laplace(scale=2)


def shown_above_a_bar(x, rng):
    noisy = x + rng.laplace()
    return noisy if noisy > 2 else None


ONES = (np.ones(2), np.ones(3))
EXACT = {
    "both halves of a Laplace law": (halves, (0.0, 1.0), 1.0),
    "a row more, half of all rows": (sampled, ONES, math.log((1 + math.e) / 2)),
    "two numbers of half of the rows": (two_sampled, ONES, math.log((1 + math.e) / 2)),
    "only what is large": (shown_above_a_bar, (1.0, 2.0), 1.0),
}


@pytest.mark.parametrize("name", EXACT)
def test_the_loss_is_exact(name):
    mechanism, pair, loss = EXACT[name]
    found = inside(mechanism, pair, loss)
    assert (found.verdict, found.bound) == ("explained", pytest.approx(loss, abs=1e-9))
    assert inside(mechanism, pair, 0.99 * loss).verdict != "explained"


def biased(x, rng):
    """The law of the side depends on the data."""
    size = -np.log(1.0 - rng.random())
    return x + size if rng.random() < 0.5 + x / 4 else x - size


def one_sided(x, rng):
    return x - np.log(1.0 - rng.random()) if rng.random() < 0.5 else x + 1.0 - np.log(1.0 - rng.random())


def scaled_by_the_side(x, rng):
    size = -np.log(1.0 - rng.random())
    return x + size if rng.random() < 0.5 else x - 2 * size


def scaled_by_data(x, rng):
    return x[rng.random(len(x)) < 0.5].sum() + rng.laplace(scale=len(x))


def shares_its_size(x, rng):
    """One number shows twice."""
    size = -np.log(1.0 - rng.random())
    return (x + size, size) if rng.random() < 0.5 else (x - size, size)


def shows_its_side(x, rng):
    size = -np.log(1.0 - rng.random())
    side = bool(rng.random() < 0.5)
    return (x + size if side else x - size), side


def normal_beside(x, rng):
    return x + (rng.laplace() if rng.random() < 0.5 else rng.normal())


WRONG = [biased, one_sided, scaled_by_the_side, shares_its_size, shows_its_side, normal_beside]


@pytest.mark.parametrize("mechanism", WRONG)
def test_adversaries_are_not_explained(mechanism):
    """Each loses more than 1."""
    assert inside(mechanism, (0.0, 1.0), 1.0).verdict != "explained"


def test_noise_scaled_by_the_number_of_rows_is_not_explained():
    assert inside(scaled_by_data, ONES, 1.0).verdict != "explained"


def test_normal_noise_what_is_far_and_what_is_impossible_have_no_known_loss():
    one, other = (Number(NORMAL, x, 1.0, -math.inf, math.inf) for x in (0.0, 1.0))
    assert loss_of_mixtures([(0.0, (one,))], [(0.0, (other,))]) == math.inf
    far, further = (Number(LAPLACE, 1e9 + x, 1.0, -math.inf, math.inf) for x in (0.0, 1.0))
    assert loss_of_mixtures([(0.0, (far,))], [(0.0, (further,))]) == math.inf
    nowhere = Number(LAPLACE, 0.0, 1.0, 1.0, 1.0)
    assert loss_of_mixtures([(0.0, (nowhere,))], [(0.0, (nowhere,))]) == math.inf
