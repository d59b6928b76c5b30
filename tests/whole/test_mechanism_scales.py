"""Every mechanism in every mode: units, and stated against drawn noise."""

import functools
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from tests.support.helpers import ALARM
from tests.support.scales import (
    GRAM,
    NOISES,
    PRIVACY,
    PURE,
    UNITS,
    D,
    covariance,
    dense,
    in_epsilon,
    modes,
    rounds,
    spectrum,
    table,
)

# ---------------------------------------------------------------- units


@pytest.mark.parametrize(("call", "scaled", "exponent"), UNITS)
def test_data_and_bounds_in_other_units_give_the_value_in_other_units(call, scaled, exponent):
    """To the last digit, as the units are powers of two; in units of ``1/epsilon`` where people have norm 1."""
    one, other = scaled(call, 1.0), scaled(call, 4.0)
    assert np.array_equal(4.0**exponent * dense(one.value), dense(other.value))
    if scaled is not in_epsilon:
        claim = replace(one.claim, norm_bound=other.claim.norm_bound, change=other.claim.change)
        assert replace(claim, public=()) == replace(other.claim, public=())
        assert 4.0 * one.claim.unit.size == other.claim.unit.size


@pytest.mark.parametrize("scale", ["row", "max", "doubling"])
@pytest.mark.parametrize("low_rank", [False, True])
def test_a_matrix_times_four_at_a_quarter_of_epsilon_has_the_same_top(scale, low_rank):
    """Laplace noise is in proportion to ``1/epsilon``, and the power method forgets the size of a product."""
    options = {"k": 2, "iterations": 3, "scale": scale, "low_rank": low_rank, "rng": 3}
    one = dps.private_power_method(GRAM, epsilon=4.0, **options)
    other = dps.private_power_method(4 * GRAM, epsilon=1.0, **options)
    (y, x), (z, w) = [r.value if low_rank else (np.zeros(1), r.value) for r in (one, other)]
    assert np.array_equal(x, w)
    assert np.array_equal(4 * y, z)
    assert tuple(4 * noise for noise in one.details["noise"]) == other.details["noise"]


# ---------------------------------------------------------------- drawn noise


def tails(z, law):
    """Probabilities of a sum of moduli or squares below and above that of ``z``, whose law is a Gamma law."""
    total = stats.gamma(z.size) if law == "laplace" else stats.gamma(z.size / 2)
    size = np.sum(np.abs(z)) if law == "laplace" else np.sum(z**2) / 2
    return total.cdf(size), total.sf(size)


@pytest.mark.parametrize(("call", "blocks", "law"), NOISES)
def test_the_noise_that_is_drawn_has_the_scale_that_is_stated_and_is_drawn_once(call, blocks, law, seen):
    """On data without signal the output is noise. Two releases from one generator, and all their blocks, differ.

    Correlations of independent blocks pass 6 standard deviations with probability 2e-9.
    """
    rng, drawn = np.random.default_rng(7), []
    for _ in range(2):
        seen.clear()
        drawn += [np.ravel(noise) / scale for noise, scale in blocks(call, rng, seen)]
    exact = stats.laplace() if law == "laplace" else stats.norm()
    for z in drawn:
        assert len(np.unique(np.abs(z))) == z.size, "a number was used twice"
        assert min(tails(z, law)) > ALARM / 2
        assert stats.kstest(z, exact.cdf).pvalue > ALARM
    for one, other in itertools.combinations(drawn, 2):
        length = min(one.size, other.size)
        assert abs(np.corrcoef(one[:length], other[:length])[0, 1]) < 6 / math.sqrt(length)
        assert len(np.intersect1d(np.abs(one), np.abs(other))) == 0


@pytest.mark.parametrize(
    ("call", "degrees"),
    table(
        (modes("symmetric_wishart_covariance", **PURE), None),
        (modes("wishart_covariance", **PRIVACY), None),
        (modes("wishart_covariance", degrees_of_freedom=4 * D, **PRIVACY), 4 * D),
    ),
)
def test_wishart_noise_has_the_scale_that_is_stated(call, degrees):
    """Mean square of the entries above the diagonal, pairwise uncorrelated: 12 percent are 5 standard deviations."""
    rng, squares, first = np.random.default_rng(8), [], []
    for _ in range(2):
        release = call(np.zeros((3, D)), norm_bound=2.0, rng=rng)
        m = release.details.get("degrees_of_freedom")
        assert degrees in (None, m)
        variance = 2 * (D + 1) if m is None else m
        z = release.value[np.triu_indices(D, 1)] / release.details["scale"] / math.sqrt(variance)
        squares.append(np.mean(z**2))
        first.append(z)
    assert squares == pytest.approx([1, 1], rel=0.12)
    assert abs(np.corrcoef(*first)[0, 1]) < 6 / math.sqrt(z.size)


@pytest.mark.parametrize(
    ("call", "blocks"),
    table(
        (modes("laplace_covariance"), covariance),
        (modes("symmetric_wishart_covariance"), covariance),
        (modes("private_spectrum"), spectrum),
        (modes("private_power_method", k=2, iterations=1, low_rank=False), rounds),
    ),
)
def test_half_of_epsilon_doubles_the_noise(call, blocks, seen):
    ((one, _),) = blocks(functools.partial(call, epsilon=2.0), 9, seen)
    seen.clear()
    ((other, _),) = blocks(functools.partial(call, epsilon=1.0), 9, seen)
    assert np.allclose(other, 2 * one, rtol=1e-6)  # the eigenvalues that noise is added to are large
