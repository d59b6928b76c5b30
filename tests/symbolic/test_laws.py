import numpy as np
import pytest
from scipy import integrate, stats

from dpspectra.symbolic import laws

LAWS = [laws.NORMAL, laws.LAPLACE, laws.EXPONENTIAL, laws.UNIFORM, laws.GUMBEL, laws.LOGISTIC]
NAMES = ["norm", "laplace", "expon", "uniform", "gumbel_r", "logistic"]


@pytest.mark.parametrize(("law", "name"), list(zip(LAWS, NAMES, strict=True)), ids=NAMES)
def test_laws_are_those_of_scipy(law, name):
    other, z = getattr(stats, name), np.array([-3.2, -0.4, 0.3, 0.9, 4.1])
    inside = (z > law.support[0]) & (z < law.support[1])
    assert np.allclose(law.log_density(z)[inside], other.logpdf(z[inside]), atol=1e-12)
    assert np.allclose(law.lower(z), other.logcdf(z), atol=1e-12)
    assert np.allclose(law.upper(z), other.logsf(z), atol=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_samples_come_from_the_law(law):
    """Kolmogorov-Smirnov at 4,000 draws: fails with probability 1e-3 although all is well; the seed is fixed."""
    z = law.sample(np.random.default_rng(5), 4000)
    assert stats.kstest(z, lambda x: np.exp(law.lower(x))).pvalue > 1e-3


def test_tails_keep_their_digits_far_out():
    assert laws.LAPLACE.upper(800.0) == pytest.approx(-800 - np.log(2), abs=1e-12)
    assert laws.NORMAL.upper(40.0) == pytest.approx(stats.norm.logsf(40), rel=1e-12)


def test_losses_bound_shifts():
    z = np.linspace(-30, 30, 6001)
    for law, shift in ((laws.LAPLACE, 0.7), (laws.LOGISTIC, 0.7), (laws.of_scipy("cauchy", stats.cauchy()), 0.7)):
        met = np.max(law.log_density(z) - law.log_density(z - shift))
        assert met <= law.loss(shift) + 1e-12
        assert met >= 0.99 * law.loss(shift)


def test_masses_of_discrete_laws_sum_to_one():
    law = laws.of_scipy("geom 0.3", stats.geom(0.3))
    assert law.discrete
    assert np.sum(np.exp(law.log_density(np.arange(1, 200)))) == pytest.approx(1, abs=1e-12)


def test_a_density_integrates_to_its_tail():
    assert integrate.quad(lambda z: np.exp(laws.GUMBEL.log_density(z)), 1, 60)[0] == pytest.approx(
        float(np.exp(laws.GUMBEL.upper(1.0))), rel=1e-8
    )


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_kinks_are_where_the_slope_jumps(law):
    """Or where the support ends; nowhere else is a slope on the left unlike that on the right."""
    grid, h = np.arange(-2, 2.25, 0.25), 1e-5
    with np.errstate(invalid="ignore"):
        left = (law.log_density(grid) - law.log_density(grid - h)) / h
        right = (law.log_density(grid + h) - law.log_density(grid)) / h
    jumps = grid[~(np.isnan(left) & np.isnan(right)) & ~(np.abs(left - right) < 1e-3)]
    assert set(law.kinks) == set(jumps)


SHIFTED = {
    "t": (0.3,),
    "t 2": (2.0,),
    "t 30": (30.0,),
    "gennorm": (0.4,),
    "gennorm 1": (1.0,),
    "laplace_asymmetric": (2.0,),
    "laplace_asymmetric 2": (0.5,),
    "hypsecant": (),
}


@pytest.mark.parametrize("name", SHIFTED)
@pytest.mark.parametrize("shift", [-3.0, -0.2, 0.7, 5.0])
def test_losses_of_laws_of_scipy_bound_shifts(name, shift):
    """In both orders, on a fine grid with the kinks at 0 and at the shift, on which the bound is met or nearly so."""
    kind, shapes = name.split()[0], SHIFTED[name]
    law = laws.of_scipy(" ".join([kind, *map(repr, shapes)]), getattr(stats, kind)(*shapes))
    z = np.concatenate([np.linspace(-60, 60, 120_001), [0.0, shift]])
    met = np.max(np.abs(law.log_density(z) - law.log_density(z - shift)))
    assert met <= law.loss(shift) + 1e-9
    assert met >= 0.99 * law.loss(shift)


@pytest.mark.parametrize(
    ("name", "shapes"), [("gennorm", (1.5,)), ("t", (np.inf,)), ("gamma", (2.0,)), ("pareto", (2.0,))]
)
def test_other_shifts_have_no_bound(name, shapes):
    assert laws.loss_of(name, *map(repr, map(float, shapes)))(0.5) == np.inf
