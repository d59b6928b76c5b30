"""Laws of whole numbers, against lists of cells and sums of products."""

import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, LOGISTIC, NORMAL
from dpspectra.symbolic.rounded_laws import ROUNDING, half_integer, of_one_kind, rounded_law, two_sided_geometric
from tests.support.noise_runs import real

FROZEN = {"laplace": stats.laplace, "normal": stats.norm, "exponential": stats.expon, "logistic": stats.logistic}


@pytest.mark.parametrize("root", [LAPLACE, NORMAL, EXPONENTIAL, LOGISTIC], ids=lambda law: law.name)
@pytest.mark.parametrize("way", ROUNDING)
@pytest.mark.parametrize("scale", [1.5, -0.75])
def test_a_rounded_number_has_the_mass_of_its_cell(root, way, scale):
    law = rounded_law(root, way, 0.3, scale)
    total = 0.0
    for k in range(-25, 26):
        below, above = sorted((e - 0.3) / scale for e in ROUNDING[way][1](k))
        wanted = float(FROZEN[root.name].cdf(above) - FROZEN[root.name].cdf(below))
        assert math.exp(float(law.log_density(k))) == pytest.approx(wanted, abs=1e-13)
        total += wanted
        assert math.exp(float(law.lower(k + 0.5))) == pytest.approx(
            total + math.exp(float(law.lower(-25.5))), abs=1e-12
        )
        assert math.exp(float(law.lower(k + 0.5))) + math.exp(float(law.upper(k + 0.5))) == pytest.approx(1.0)
    assert total > 0.999


def test_far_cells_do_not_cancel():
    """Their masses are those of the closed form of the tail, to all digits."""
    law = rounded_law(LAPLACE, "rint", 0.0, 1.0)
    for k in (50, -300, 700):
        assert float(law.log_density(k)) == pytest.approx(math.log(math.sinh(0.5)) - abs(k), rel=1e-12)


def test_a_shift_by_whole_numbers_loses_what_the_noise_does():
    law = rounded_law(LAPLACE, "floor", 0.3, 0.5)
    assert (law.loss(0), law.loss(2)) == (0.0, 4.0)
    ratios = [float(law.log_density(k) - law.log_density(k - 2)) for k in range(-30, 30)]
    assert max(ratios) == pytest.approx(4.0)
    assert law.loss(0.5) == rounded_law(LAPLACE, "trunc", 0.3, 0.5).loss(2) == math.inf
    assert rounded_law(NORMAL, "floor", 0.3, 0.5).loss(1) == math.inf


def test_rounding_towards_0_does_not_go_along_with_a_shift():
    """The cell at 0 is twice as wide: half of the mass of its neighbour after a shift is more than the noise loses."""
    law = rounded_law(LAPLACE, "trunc", 0.0, 1.0)
    ratios = [float(law.log_density(k) - law.log_density(k - 1)) for k in range(-30, 30)]
    assert max(map(abs, ratios)) > 1.1


def test_two_geometric_draws():
    law, p = two_sided_geometric(0.7), -math.expm1(-0.7)
    j = np.arange(1, 400)
    for k in range(-6, 7):
        wanted = float(np.sum(stats.geom.pmf(j + max(k, 0), p) * stats.geom.pmf(j + max(-k, 0), p)))
        assert math.exp(float(law.log_density(k))) == pytest.approx(wanted)
        tail = sum(math.exp(float(law.log_density(i))) for i in range(-300, k + 1))
        assert math.exp(float(law.lower(k + 0.5))) == pytest.approx(tail)
        assert math.exp(float(law.upper(k + 0.5))) == pytest.approx(1 - tail)
        assert float(law.log_density(k)) == pytest.approx(float(stats.dlaplace(0.7).logpmf(k)))
    assert law.loss(-3) == pytest.approx(2.1)
    assert law.loss(0.5) == math.inf
    drawn = law.sample(real(0), 4000)
    assert np.mean(drawn == 0) == pytest.approx(math.tanh(0.35), abs=0.04)  # five standard deviations


def test_edges_and_kinds():
    assert half_integer(2.5)
    assert half_integer(-0.5)
    assert half_integer(math.inf)
    assert not half_integer(2.0)
    assert not half_integer(2.4)
    law = rounded_law(LAPLACE, "rint", 0.0, 1.0)
    assert of_one_kind(law, rounded_law(LAPLACE, "rint", 7.5, 1.0))
    for other in (
        rounded_law(LAPLACE, "floor", 0.0, 1.0),
        rounded_law(LAPLACE, "rint", 0.0, 1.001),
        rounded_law(NORMAL, "rint", 0.0, 1.0),
        LAPLACE,
    ):
        assert not of_one_kind(law, other)
