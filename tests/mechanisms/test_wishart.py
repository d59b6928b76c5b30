"""Wishart mechanisms: claims, calibration, audits. Fixed seeds; false alarm 1e-6 a test."""

import functools
import math
import warnings

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.audit import BrokenMechanismWarning, audit
from dpspectra.fast import chi_square_profile, wishart, wishart_row_exchange
from dpspectra.formulas import wishart_renyi
from dpspectra.formulas.symmetric_wishart import scale
from dpspectra.ground import memory
from dpspectra.lemmas.wishart.degrees_of_freedom import enough_to_replace
from dpspectra.mechanisms.wishart import calibrated
from dpspectra.oracle import chi_square_profile as exact
from tests.support.helpers import ALARM

X = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))
CALLS = {
    "symmetric": lambda x, **options: dps.symmetric_wishart_covariance(x, 1.0, **options),
    "one": lambda x, **options: dps.wishart_covariance(x, 1.0, 1e-6, **options),
    "many": lambda x, **options: dps.wishart_covariance(x, 1.0, 1e-6, degrees_of_freedom=500, **options),
}


def noise(name, size=4000, **options):
    rng = np.random.default_rng(3)
    drawn = np.array([CALLS[name](X, rng=rng, **options).value - X.T @ X / len(X) for _ in range(size)])
    assert np.array_equal(drawn, np.swapaxes(drawn, 1, 2))
    return drawn


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize("relation", ["replace", "zero_out"])
@pytest.mark.parametrize("name", CALLS)
def test_release_carries_a_claim_with_labels_that_are_built(name, relation):
    claim = CALLS[name](X, rng=1, relation=relation).claim.asdict()
    assert (claim["relation"], claim["epsilon"], claim["delta"]) == (
        relation,
        1.0,
        0.0 if name == "symmetric" else 1e-6,
    )
    for label in claim["labels"]:
        assert dps.ledger.get(label).verdict is dps.ledger.Verdict.NEW


def test_noise_that_does_not_fit_in_memory_is_refused_before_it_costs(monkeypatch):
    """On both sides of the threshold; ideal noise is drawn by its triangular factor, and fits."""
    needed = 16 * 3 * 6_000_000
    many = {"degrees_of_freedom": 6_000_000}
    budget = dps.Budget(epsilon=3.0, delta=1e-3)
    monkeypatch.setattr(memory, "available", lambda: needed - 1)
    with pytest.raises(ValueError, match=r"degrees_of_freedom must be so small .*, got 6000000: gaussian_covariance"):
        budget.release(dps.wishart_covariance, X, 1.0, 1e-6, rng=Refusing(), **many)
    assert budget.spent.epsilon == 0
    assert dps.wishart_covariance(X, 1.0, 1e-6, rng=1, **many).details["degrees_of_freedom"] == 6_000_000
    monkeypatch.setattr(memory, "available", lambda: needed)
    with pytest.raises(ZeroDivisionError):
        dps.wishart_covariance(X, 1.0, 1e-6, rng=Refusing(), **many)


class Refusing(dps.Entropy):
    """A source from which nothing may be drawn."""

    def __init__(self):
        super().__init__(bytes(32))

    def words(self, count):
        raise ZeroDivisionError


# ---------------------------------------------------------------- pure privacy


def test_in_one_dimension_the_noise_is_laplace():
    x = np.full((4, 1), 0.5)
    b = dps.symmetric_wishart_covariance(x, 0.7).details["scale"]
    c = dps.symmetric_wishart_covariance(x, 0.7, relation="zero_out").details["scale"]
    assert 2 * c == pytest.approx(b) == pytest.approx(1 / (4 * 0.7))
    for m in (-3.0, 0.0, 0.25, 40.0):
        assert wishart.log_difference_density(np.array([[m]]), c) == pytest.approx(stats.laplace(scale=2 * c).logpdf(m))
    rng = np.random.default_rng(4)
    for relation in ("replace", "zero_out"):
        release = functools.partial(dps.symmetric_wishart_covariance, x, 0.7, relation=relation, rng=rng)
        drawn = np.array([release().value[0, 0] for _ in range(4000)]) - 0.25
        assert stats.kstest(drawn, stats.laplace(scale=2 * c).cdf).pvalue > ALARM


@pytest.mark.parametrize("relation", ["replace", "zero_out"])
@pytest.mark.parametrize("d", [1, 2])
def test_the_density_ratio_stays_within_epsilon_and_comes_close(d, relation):
    rng, epsilon, n = np.random.default_rng(6), 0.7, 3
    c = scale(n, d, epsilon, relation)
    worst = 0.0
    for trial in range(400):
        v, w = (x / max(1, np.linalg.norm(x)) for x in rng.standard_normal((2, d)))
        if trial % 4 == 0 and d == 2:
            v, w = np.eye(2)
        w = 0 * w if relation == "zero_out" else w
        change = (np.outer(v, v) - np.outer(w, w)) / n
        if not np.any(change):
            continue
        m = (
            c
            * rng.choice([0.0, 0.1, 1.0, 30.0])
            * (change / np.linalg.norm(change) + rng.standard_normal() * np.eye(d) / 4)
        )
        ratio = wishart.log_difference_density(m + change, c) - wishart.log_difference_density(m, c)
        assert abs(ratio) <= epsilon * (1 + 1e-9)
        worst = max(worst, abs(ratio))
    assert worst > 0.95 * epsilon


# ---------------------------------------------------------------- noise laws


@pytest.mark.parametrize("name", CALLS)
def test_noise_is_centred_with_the_exact_second_moments(name):
    options = {"relation": "zero_out"} if name == "symmetric" else {}
    drawn, details = noise(name, **options), CALLS[name](X, **options).details
    degrees = 2 * 4 if name == "symmetric" else details["degrees_of_freedom"]
    for i in range(3):
        for j in range(i + 1):
            entry, variance = drawn[:, i, j], details["scale"] ** 2 * degrees * (1 + (i == j))
            deviation = math.sqrt(variance / len(entry))
            assert abs(entry.mean()) < 5 * deviation
            spread = (entry**2).std() / math.sqrt(len(entry))
            assert abs((entry**2).mean() - variance) < 6 * spread


@pytest.mark.parametrize("name", CALLS)
def test_the_quoted_guarantee_holds(name):
    bound = CALLS[name](X).details["guarantee"].bound
    failures = int(np.sum(np.linalg.norm(noise(name, 2000), axis=(1, 2)) > bound))
    assert stats.binomtest(failures, 2000, 0.05, alternative="greater").pvalue > ALARM


class Counting(np.random.Generator):
    """A generator that counts the numbers drawn from it."""

    drawn = 0

    def standard_normal(self, *arguments, **options):
        return self._counted(super().standard_normal(*arguments, **options))

    def chisquare(self, *arguments, **options):
        return self._counted(super().chisquare(*arguments, **options))

    def _counted(self, numbers):
        self.drawn += np.size(numbers)
        return numbers


def test_noise_in_a_thousand_dimensions_takes_as_many_numbers_as_matrices_of_that_size_have():
    """Two matrices for the difference; one for Bartlett's factor, whatever the degrees of freedom."""
    x, d = np.zeros((2, 1000)), 1000
    for name, factors, options in (("symmetric", 2, {}), ("one", 1, {}), ("one", 1, {"degrees_of_freedom": 10**6})):
        rng = Counting(np.random.PCG64(0))
        release = CALLS[name](x, rng=rng, **options)
        assert release.value.shape == (d, d)
        assert 0 < rng.drawn <= factors * d * (d + 1)


def test_adding_the_mean_back_gives_a_positive_semidefinite_matrix():
    release = dps.wishart_covariance(X, 1.0, 1e-6, rng=1)
    assert np.linalg.eigvalsh(release.value + release.details["mean"] * np.eye(3))[0] > 0


# ---------------------------------------------------------------- calibration


@pytest.mark.parametrize(
    ("epsilon", "delta", "degrees"),
    [
        (1, 1e-3, 17),
        (1, 1e-6, 43),
        (1, 1e-9, 72),
        (0.5, 1e-6, 86),
        (0.1, 1e-6, 844),
        (0.1, 1e-3, 196),
        (0.01, 1e-6, 48184),
    ],
)
def test_least_degrees_when_a_row_vanishes(epsilon, delta, degrees):
    assert calibrated(5, epsilon, delta, None, "zero_out") == (degrees + 4, 1.0)
    assert exact.profile(mp.mpf(epsilon), degrees, 1) <= delta < exact.profile(mp.mpf(epsilon), degrees - 1, 1)
    assert dps.profile.wishart(epsilon, degrees + 4, 5, 1.0, 1.0) == pytest.approx(
        float(exact.profile(mp.mpf(epsilon), degrees, 1)), rel=1e-11
    )


@pytest.mark.parametrize(
    ("epsilon", "delta", "degrees", "necessary"),
    [
        (2, 1e-6, 28, 27),
        (1, 1e-3, 20, 18),
        (1, 1e-6, 47, 45),
        (1, 1e-9, 77, 75),
        (0.5, 1e-6, 100, 97),
        (0.1, 1e-3, 336, 311),
        (0.1, 1e-6, 1353, 1351),
        (0.01, 1e-6, 93991, 93875),
    ],
)
def test_least_degrees_when_a_row_is_replaced(epsilon, delta, degrees, necessary):
    """Between what three pairs of rows need and the sum of their profiles; never above the closed form."""
    assert calibrated(5, epsilon, delta, None, "replace") == (degrees + 4, 1.0)
    assert (
        wishart_row_exchange.corners(epsilon, degrees, 1.0)
        <= delta
        < wishart_row_exchange.corners(epsilon, degrees - 1, 1.0)
    )
    assert wishart_row_exchange.profile(epsilon, necessary, 1.0, 1.0) <= delta * 1.001
    assert (
        max(
            chi_square_profile.profile(epsilon, necessary - 1, 1.0),
            wishart_row_exchange.profile(epsilon, necessary - 1, 1, 1),
        )
        > delta
    )
    assert degrees <= min(chi_square_profile.least_degrees(epsilon, delta, chi_square_profile.exchange_profile), 10**6)
    assert degrees <= enough_to_replace(epsilon, delta)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.05, 1e-9), (4.0, 0.3), (30.0, 1e-4)])
def test_replacing_is_calibrated_by_the_better_of_two_bounds(epsilon, delta):
    m, shift = calibrated(3, epsilon, delta, None, "replace")
    assert shift == 1.0
    best = chi_square_profile.SHARES[
        np.argmin(chi_square_profile.exchange(epsilon, m - 2, 1.0, 1.0, chi_square_profile.SHARES))
    ]
    proved = exact.exchange(mp.mpf(epsilon), m - 2, 1, 1, mp.mpf(best))
    assert chi_square_profile.exchange_profile(epsilon, m - 2, 1.0) == pytest.approx(float(proved), rel=1e-9)
    assert min(proved, wishart_row_exchange.corners(epsilon, m - 2, 1.0)) <= delta
    assert m == 4 or wishart_row_exchange.replaced(epsilon, m - 3, 1.0) > delta * (1 - 2e-6)
    assert calibrated(1, epsilon, delta, None, "replace") == calibrated(1, epsilon, delta, None, "zero_out")


@pytest.mark.parametrize("relation", ["replace", "zero_out"])
@pytest.mark.parametrize("degrees", [4, 10, 10_000])
def test_given_degrees_get_the_least_scale(degrees, relation):
    m, shift = calibrated(3, 0.5, 1e-5, degrees, relation)
    reached = chi_square_profile.profile if relation == "zero_out" else wishart_row_exchange.replaced
    assert m == degrees
    assert reached(0.5, m - 2, shift) <= 1e-5 < reached(0.5, m - 2, shift * 1.001)


def test_one_sided_profiles_agree_where_they_meet():
    for c in (0.25, 1.0, 7.0):
        for d in (1, 4):
            for epsilon in (0.0, 0.1, 3.0):
                one = dps.profile.wishart_one_sided(epsilon, 1.0, c)
                assert dps.profile.wishart(epsilon, d + 1, d, 1.0, c) == pytest.approx(one, rel=1e-12)
    assert dps.profile.wishart_one_sided([0.0, 5.0], 0.0, 1.0).tolist() == [0.0, 0.0]
    assert np.all(np.diff(dps.profile.wishart([0.0, 0.5, 1.0, 40.0], 30, 4, 1.0, 0.5)) < 0)


# ---------------------------------------------------------------- profiles by the definition


def sobol_wishart(d, scale, seed):
    """``W_d(d + 1, scale I)`` by Bartlett's factor at 2^13 Sobol points, shifted at random on the torus."""
    size = d * (d + 1) // 2
    points = stats.qmc.Sobol(size, scramble=False).random_base2(13) + np.random.default_rng(seed).random(size)
    points = np.clip(points % 1, 1e-12, 1 - 1e-12)
    t = np.zeros((len(points), d, d))
    below = np.tril_indices(d, -1)
    t[:, below[0], below[1]] = stats.norm.ppf(points[:, d:])
    t[:, range(d), range(d)] = np.sqrt(stats.chi2.ppf(points[:, :d], d + 1 - np.arange(d)))
    return scale * t @ np.swapaxes(t, 1, 2)


@pytest.mark.parametrize("pair", range(15))
def test_the_exact_profile_is_the_hockey_stick_of_the_densities(pair):
    """Mean of ``(1 - e^level q/p)_+`` over W, from both densities; 8 shifts, within 6 of their standard errors."""
    rng = np.random.default_rng(pair)
    d, scale, level = 1 + pair % 5, rng.uniform(0.3, 2.0), rng.choice([0.0, 0.2, 1.0])
    v, w = rng.standard_normal((2, d))
    v, w = v / max(1, np.linalg.norm(v)), w / max(1, np.linalg.norm(w)) * rng.uniform(0.2, 1)
    change, means = np.outer(v, v) - np.outer(w, w), []
    for seed in range(8):
        noise = sobol_wishart(d, scale, seed)
        inside = np.linalg.eigvalsh(noise + change)[:, 0] > 0
        here, there = (wishart.log_density(m[inside], d + 1, scale * np.eye(d)) for m in (noise, noise + change))
        means.append(1 - np.mean(inside) + np.sum(np.maximum(1 - np.exp(level + there - here), 0)) / len(noise))
    error = np.std(means, ddof=1) / math.sqrt(8)
    assert error < 2e-3
    assert abs(np.mean(means) - wishart.pair_profile(v, w, scale, level)) <= 6 * error + 1e-6


# ---------------------------------------------------------------- audits


PAIR = (np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 0.0]]))
EXCHANGED = (np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("pair", [PAIR, EXCHANGED], ids=["appears", "exchanged"])
def test_an_audit_does_not_refute_the_claims(pair, seed):
    def symmetric(x, rng):
        return dps.symmetric_wishart_covariance(x, 1.0, rng=rng).value

    def one(x, rng):
        return dps.wishart_covariance(x, 1.0, 1e-3, rng=rng).value

    assert not audit(symmetric, pair, 1.0, draws=3000, seconds=600, rng=seed).violated
    assert not audit(one, pair, 1.0, 1e-3, draws=3000, seconds=600, rng=seed).violated


def test_an_audit_refutes_a_smaller_claim_for_tilted_noise():
    """Noise 1.5 times too small for the claim; the search among linear scores finds it from few draws."""

    def symmetric(x, rng):
        return dps.symmetric_wishart_covariance(x, 1.5, rng=rng).value

    assert audit(symmetric, EXCHANGED, 1.0, draws=60_000, seconds=600, rng=0).violated


def test_an_audit_refutes_half_of_either_noise_and_one_sided_noise_at_pure_privacy():
    def halved(x, size, rng):
        c = scale(len(x), 2, 1.0) / 4
        g, h = rng.standard_normal((2, size, 2, 3))
        return x.T @ x / len(x) + c * (g @ np.swapaxes(g, 1, 2) - h @ np.swapaxes(h, 1, 2))

    def pure(x, rng):
        return dps.wishart_covariance(x, 1.0, 0.3, rng=rng).value

    assert audit(halved, EXCHANGED, 1.0, seconds=600, rng=0).violated
    assert audit(pure, EXCHANGED, 1.0, 1e-3, draws=20_000, seconds=600, rng=0).violated


def test_the_shipped_library_noise_has_the_stated_profile():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BrokenMechanismWarning)
        from dpspectra.audit.specimens import wishart_deviation_for_variance as shipped
    for epsilon in (0.1, 0.5, 1.0):
        drawn = shipped(np.zeros((1, 3)), epsilon, size=20_000, rng=11)
        seen = int(np.sum(np.linalg.eigvalsh(drawn - np.diag([1.0, 0, 0]))[:, 0] < 0))
        assert stats.binomtest(seen, 20_000, 1 - math.exp(-2 * epsilon**2)).pvalue > ALARM
        expected = dps.profile.wishart_one_sided(epsilon, 1.0, 1 / (4 * epsilon**2))
        assert expected == pytest.approx(1 - math.exp(-2 * epsilon**2))


# ---------------------------------------------------------------- the definition


def test_symmetric_wishart_noise_is_the_difference_of_two_products():
    release = dps.symmetric_wishart_covariance(np.zeros((4, 3)), 0.5, relation="zero_out", rng=2)
    rng = np.random.default_rng(2)
    g, h = rng.standard_normal((3, 4)), rng.standard_normal((3, 4))
    assert np.allclose(release.value, release.details["scale"] * (g @ g.T - h @ h.T))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("relation", ["replace", "zero_out"])
def test_a_replacement_costs_more_from_two_columns_on(d, relation):
    """One profile for one row or one column; three pairs of rows, or two steps, for a replacement."""
    alone = d == 1 or relation == "zero_out"
    least = (
        chi_square_profile.least_degrees(0.5, 0.01, chi_square_profile.profile)
        if alone
        else wishart_row_exchange.least_degrees(0.5, 0.01)
    )
    assert calibrated(d, 0.5, 0.01, None, relation) == (least + d - 1, 1.0)
    degrees = 30 - d + 1
    shift = (
        chi_square_profile.largest_shift(0.5, 0.01, chi_square_profile.profile, degrees)
        if alone
        else wishart_row_exchange.largest_shift(0.5, 0.01, degrees)
    )
    assert calibrated(d, 0.5, 0.01, 30, relation) == (30, shift)


@pytest.mark.parametrize(("nu", "a", "releases"), [(3, 1.0, 4), (10, 1.0, 16), (30, 1.0, 64)])
def test_several_releases_lose_what_is_promised_or_a_third_of_it(nu, a, releases):
    """Losses of 40,000 draws: a mean is off by the fortieth that it is away from both with a chance below 1e-15."""
    levels, x = np.array([0.25, 0.5]), np.random.default_rng(4).chisquare(nu, size=(releases, 40_000))
    power = nu / 2 - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        gained = np.sum(a / 2 - power * np.log1p(a / x), axis=0)
        lost = np.sum(np.where(x > a, -a / 2 - power * np.log1p(-a / x), np.inf), axis=0)
    for losses, formula in ((gained, wishart_renyi.gained), (lost, wishart_renyi.lost)):
        bound = formula(levels, float(nu), a, releases)
        reached = np.array([np.mean(np.maximum(-np.expm1(e - losses), 0)) for e in levels])
        assert np.all((bound / 3 < reached) & (reached < 0.95 * bound))


def test_several_releases_lose_far_less_than_their_claims_say():
    claims, one = [dps.Claim("zero_out", 1.0, 1e-8)] * 16, (71, 10, 1.0, 1.0)
    assert dps.profile.wishart(1.0, *one) < 1e-8
    assert dps.profile.wishart_releases(dps.compose(claims, delta=1e-6).epsilon / 7, *one, 16) < 1e-6
    assert np.all(dps.profile.wishart([0.5, 2.0], *one) < dps.profile.wishart_releases([0.5, 2.0], *one, 1))
    assert dps.profile.wishart_releases(1.0, 71, 10, 0.0, 1.0, 16) == 0
