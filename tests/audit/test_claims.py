"""Wealth at the points of a claimed curve: calls as units, the curves themselves, how both move with the parameter."""

import json
import math

import numpy as np
import pytest

from dpspectra.audit import GDP, ZCDP, ApproxDP, Profile, PureDP, Renyi, audit
from dpspectra.audit.claim_arguments import claim_from
from dpspectra.fast import betting, gaussian_profile, neyman_pearson, renyi
from dpspectra.fast.gaussian_profile import mu_for
from tests.support.audits import NUMBERS, SEEDS, refuted
from tests.support.helpers import normal

SHARES = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
"""Shares of the draws in the event, of calls of one draw, in the order of the four counts."""


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (3, 1, 4, 1), (2, 700, 5, 0), (0, 9, 0, 10**9)])
def test_calls_of_one_draw_are_pairs_of_draws(counts):
    """At every point, infinite epsilon included, where pairs with the second draw in the event lose their stake."""
    epsilon = np.array([0.0, 0.0, 0.3, 2.0, 40.0, 800.0, math.inf])
    delta = np.array([0.0, 0.2, 1e-9, 0.5, 1.0, 0.1, 0.0])
    expected = betting.log_wealth(counts, epsilon, delta)
    found = betting.log_wealth_of_calls(SHARES, counts, epsilon, delta)
    assert found.shape == (len(epsilon), len(betting.FRACTIONS))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_wealth_of_calls_is_a_product_over_calls():
    """Two kinds of call of eight draws, and a lost one: the factor is computed as it is defined."""
    shares, calls, (e, d, g) = [(5 / 8, 1 / 8), (3 / 8, 4 / 8), (0, 1)], [2, 1, 3], (0.7, 0.05, 0.3)
    factors = [1 + g * (k - math.exp(e) * m - d) / (math.exp(e) + d) for k, m in shares]
    log_wealth = betting.log_wealth_of_calls(shares, calls, [e], [d], [g])
    assert math.exp(log_wealth[0, 0]) == pytest.approx(factors[0] ** 2 * factors[1] * (1 - g) ** 3, rel=1e-13)
    assert np.array_equal(betting.log_wealth_of_calls(np.empty((0, 2)), [], [e], [d]), np.zeros((1, 13)))


# ---------------------------------------------------------------- curves

CURVES = [
    GDP(0.05),
    GDP(1.0),
    GDP(6.0),
    Renyi(1.01, 0.1),
    Renyi(2.0, 0.01),
    Renyi(3.0, 0.7),
    Renyi(2.0, 12.0),
    Renyi(64.0, 2.0),
    Renyi(2.0, 0.0),
    Profile(((0.0, 0.2), (1.0, 0.1))),
    PureDP(2.0),
]


@pytest.mark.parametrize("claim", CURVES, ids=str)
def test_wealth_does_not_increase_with_the_parameter(claim):
    """DPS-LOWER, case 1: the epsilons stay as they are for every value, every delta grows, and so wealth falls."""
    values = [0.0, *np.geomspace(1e-9, 2.0**20, 80), claim.value]
    curves = np.array([claim.points(float(value)) for value in sorted(values)])
    assert curves.shape == (82, len(claim.points(claim.value)), 2)
    epsilon, delta = np.moveaxis(curves, -1, 0)
    if isinstance(claim, PureDP):
        assert np.all(delta == 0)
    else:
        assert np.all(epsilon == epsilon[0])
        assert np.all(np.diff(delta, axis=0) >= -1e-12 * delta[1:])
    rng = np.random.default_rng(0)
    shares, calls = rng.integers(0, 5, (6, 2)) / 4, rng.integers(0, 1000, 6)
    for point in range(curves.shape[1]):
        wealth = betting.log_wealth_of_calls(shares, calls, epsilon[:, point], delta[:, point])
        assert np.all(np.diff(wealth, axis=0) <= 1e-9)


@pytest.mark.parametrize("claim", CURVES, ids=str)
def test_points_are_privacy_parameters(claim):
    points = np.array(claim.points(claim.value))
    assert np.all(points >= 0)
    assert np.all(points[:, 1] <= 1)
    assert len(set(points[:, 0].tolist())) == len(points)
    if not isinstance(claim, PureDP):
        assert points[:, 0].min() == 0
    if isinstance(claim, Renyi):
        assert points[:, 1] == pytest.approx(renyi.curve(points[:, 0], claim.alpha, claim.epsilon), rel=1e-12)
    if isinstance(claim, GDP):
        assert points[:, 1] == pytest.approx(gaussian_profile.profile(points[:, 0], claim.mu), rel=1e-12)


def coins(seed, n=4_000):
    """Pairs of biases, many of them extreme or close to each other."""
    rng = np.random.default_rng(seed)
    p = rng.normal(0, 4, n)
    return 1 / (1 + np.exp(-p)), 1 / (1 + np.exp(-p - rng.normal(0, 1, n)))


def divergence(p, q, alpha):
    laws = np.stack([p, 1 - p], axis=-1), np.stack([q, 1 - q], axis=-1)
    return np.maximum(renyi.divergence(*laws, alpha), renyi.divergence(*laws[::-1], alpha))


@pytest.mark.parametrize("claim", [c for c in CURVES if isinstance(c, Renyi)], ids=str)
def test_no_coins_within_a_divergence_exceed_its_curve(claim):
    """Coins in both orders, each at its own divergence: rounding takes the curve up and never below."""
    p, q = coins(1)
    radius = divergence(p, q, claim.alpha)
    seen = radius > 1e-6  # where the divergence itself is known to nine digits
    for e in (0.0, 1e-6, 0.01, 0.3, 1.0, 3.0, 40.0):
        excess = p - np.exp(e) * q
        curve = renyi.curve(e, claim.alpha, radius)
        assert np.all(excess[seen] <= curve[seen] * (1 + 1e-8))


@pytest.mark.parametrize("alpha", [1.01, 2.0, 3.0, 64.0])
@pytest.mark.parametrize("radius", [0.05, 0.7, 4.0])
def test_the_curve_is_attained_by_coins(alpha, radius):
    """On a grid of coins, the best of those within the divergence comes within 10 per cent of the curve."""
    grid = 1 / (1 + np.exp(-np.linspace(-8, 8, 400)))
    p, q = np.meshgrid(grid, grid)
    allowed = divergence(p, q, alpha) <= radius
    for e in (0.0, 0.2, 1.0):
        curve = renyi.curve(e, alpha, radius)
        best = np.max(np.where(allowed, p - math.exp(e) * q, 0))
        assert best <= curve
        if curve > 0.01:
            assert best >= 0.9 * curve


def test_the_curve_is_below_the_one_that_one_order_implies():
    e, radius = np.meshgrid(np.linspace(0, 20, 41), np.geomspace(1e-3, 30, 30))
    for alpha in (1.1, 2.0, 16.0):
        assert np.all(renyi.curve(e, alpha, radius) <= renyi.profile(e, alpha, radius) * (1 + 1e-9))
    assert renyi.curve(0.5, 2.0, 0.1) == pytest.approx(0.0382721696795, rel=1e-10)
    assert renyi.profile(0.5, 2.0, 0.1) == pytest.approx(0.168, abs=1e-3)


def test_moments_are_those_of_the_divergence():
    """Each grows with the parameter, and a Gaussian pair attains them all; other claims bound none."""
    assert Renyi(3.0, 0.7).moments(0.5) == ((3.0, 1.0),)
    for order, log_moment in ZCDP(0.5).moments(0.5):
        assert order > 1
        assert log_moment == pytest.approx((order - 1) * order / 2)
    assert PureDP(1.0).moments(1.0) == GDP(1.0).moments(1.0) == ()


def test_extreme_arguments_neither_overflow_nor_vanish():
    """Orders near 1 and large ones, epsilons beyond the range of the exponential, divergences as small as rounding."""
    radius = np.concatenate([[0.0], np.geomspace(1e-16, 2.0**20, 60)])
    for alpha in (1 + 2.0**-20, 1.001, 2.0, 1e4):
        for e in (0.0, 1e-300, 1e-9, 1.0, 700.0, 1e4):
            curve = renyi.curve(e, alpha, radius)
            assert curve[0] == 0
            assert np.all((curve >= 0) & (curve <= 1))
            assert np.all(np.diff(curve) >= -1e-12 * curve[1:])
        assert renyi.curve(0.0, alpha, 1e-16) >= np.sqrt(2e-16 / alpha) / 2 * (1 - 1e-6)


def test_levels_are_where_the_curve_is():
    deltas = np.array([0.3, 0.1, 0.01, 1e-3])
    for alpha, radius in ((1.1, 3.0), (2.0, 0.5), (2.0, 12.0)):
        levels = renyi.level(deltas, alpha, radius)
        reached = levels > 0
        assert renyi.curve(levels[reached], alpha, radius) == pytest.approx(deltas[reached], rel=1e-6)
        assert np.all(renyi.curve(0.0, alpha, radius) <= deltas[~reached])


# ---------------------------------------------------------------- data published as they are


@pytest.mark.parametrize(("claim", "most"), [(GDP(4.0), 600), (GDP(5.0), 2_000), (Renyi(2.0, 5.0), 2_000)], ids=str)
def test_publishing_the_data_is_refuted_with_a_few_times_the_draws_that_any_test_needs(claim, most):
    """Only a point of small epsilon shows it: both laws are point masses, and every draw is in the event."""
    if isinstance(claim, GDP):
        error = (1 - gaussian_profile.profile(0.0, claim.mu)) / 2
    else:
        error = 1 / (1 + math.exp(renyi.coin(claim.alpha, claim.epsilon)))
    result = audit(lambda x, *, rng: float(x), (0.0, 1.0), claim, draws=20_000, rng=0)
    assert result.violated
    assert neyman_pearson.fewest_draws(error, 1e-3, 0.9) <= result.draws <= most


SHARP = 1 / mu_for(1.0, 1e-5)
"""Standard deviation that makes Gaussian noise (1, 1e-5)-private."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_of_claims_shows_in_thousands_what_one_point_shows_in_a_million(seed):
    claim = GDP(1 / SHARP)
    result = audit(normal(SHARP / math.sqrt(2)), NUMBERS, claim, rng=seed)
    assert refuted(result)
    assert result.draws <= 17_000
    assert claim.mu < result.bound < claim.mu * math.sqrt(2)
    assert math.isnan(result.epsilon_lower)
    assert not audit(normal(SHARP), NUMBERS, claim, draws=20_000, rng=seed).violated


def test_renyi_and_profile_claims():
    """For N(0, s^2) and N(1, s^2) the divergence of order alpha is alpha / (2 s^2); the profile is Gaussian."""
    for sigma, false in ((2.0, False), (1.0, True)):
        renyi = audit(normal(sigma), NUMBERS, Renyi(4.0, 4.0 / 8), draws=30_000)
        assert renyi.violated is false
        assert renyi.bound <= 4.0 / (2 * sigma**2)
        table = Profile.of(lambda e: gaussian_profile.profile(e, 0.5), np.linspace(0, 2, 9))
        profile = audit(normal(sigma), NUMBERS, table, draws=30_000)
        assert profile.violated is false
        if false:
            excess = max(
                gaussian_profile.profile(e, 1.0) - gaussian_profile.profile(e, 0.5) for e in np.linspace(0, 2, 9)
            )
            assert 0 < profile.bound < excess


def test_claims_survive_json_and_refuse_nonsense():
    for claim in (PureDP(1.0), ApproxDP(1.0, 0.1), GDP(0.5), Renyi(2.0, 1.0), Profile(((0.0, 0.2), (1.0, 0.1)))):
        assert claim_from(json.loads(json.dumps(claim.to_dict()))) == claim
        assert str(claim)
    for make in (
        lambda: PureDP(-1.0),
        lambda: ApproxDP(1.0, 0.0),
        lambda: GDP(0.0),
        lambda: Renyi(1.0, 1.0),
        lambda: Profile(()),
        lambda: Profile(((0.0, 1.5),)),
        lambda: claim_from({"kind": "PureDP", "delta": 1}),
    ):
        with pytest.raises(ValueError, match="must"):
            make()
