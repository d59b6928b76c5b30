"""The private mean, rows about it and differences of rows: what neighbours change, laws of the noise, arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, stats

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.certified import balls, noise
from dpspectra.certified import l2_gamma as certified
from dpspectra.certified.grid import Steps
from dpspectra.fast import vector_noise
from dpspectra.matrices.centring import about, differences, in_memory
from dpspectra.mechanisms.centred_pca import FOR_THE_MEAN
from dpspectra.mechanisms.mean import mean_noise

RARE = 1e-6
"""False alarms of each test of a law."""


def entropy(i=0):
    return dps.Entropy(bytes([i]) * 32)


def spiked(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) * np.array([3.0, 2.0] + [0.1] * (d - 2)) + 5
    return rows / 40


# ---------------------------------------------------------------- noise


def in_balls(steps, ratio, source):
    """The same with all numbers left to balls."""

    def rounded(parts, bound, value):
        return noise.rounded([(numbers, np.ones(len(numbers), dtype=bool)) for numbers, _ in parts], bound, value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certified, "rounded", rounded)
        return certified.l2_gamma(steps, ratio, source)


def by_definition(d, source):
    """A length times a direction, from the words that the source gives."""
    words = source.words(d + d % 2)
    with balls.precision(160):
        g = np.array([float(balls.normal(words, i, 64)) for i in range(d)])
        words = source.words(d)
        length = math.fsum(float(balls.exponential(words, i, 64)) for i in range(d))
    return length * g / np.linalg.norm(g)


@pytest.mark.parametrize("d", [1, 2, 3, 40])
def test_floats_decide_as_balls_do_and_both_follow_the_definition(d):
    steps = Steps(np.arange(d, dtype=np.int64), np.arange(d, dtype=np.int64) % 8, 3)
    for i in range(6):
        for ratio in (0.3, 2.0**23.5, 2.0**38, 2.0**44, 2.0**49):
            fast = certified.l2_gamma(steps, ratio, entropy(i))
            assert (fast == in_balls(steps, ratio, entropy(i))).all()
        exact = np.arange(d) + np.arange(d) % 8 / 8 + 2.0**36 * by_definition(d, entropy(i))
        assert np.max(np.abs(certified.l2_gamma(steps, 2.0**36, entropy(i)) - exact)) < 2.0**36 * 1e-9


@pytest.mark.parametrize("arithmetic", ["ideal", "certified"])
@pytest.mark.parametrize("d", [1, 3])
def test_law_of_the_noise(d, arithmetic):
    """Length and first coordinate of the direction, against their exact laws, at `RARE`."""
    size, rng = 3000, np.random.default_rng(d)
    if arithmetic == "ideal":
        z = np.array([vector_noise.l2_gamma(d, 2.0, rng) for _ in range(size)]) / 2
    else:
        steps, source = Steps.of(np.zeros(d, dtype=np.int64), 0), entropy(d)
        z = np.array([certified.l2_gamma(steps, 2.0**30, source) for _ in range(size)]) / 2.0**30
    lengths = np.linalg.norm(z, axis=1)
    assert stats.kstest(lengths, stats.gamma(d).cdf).pvalue > RARE
    if d == 3:  # a coordinate of a direction in space is uniform
        assert stats.kstest(z[:, 0] / lengths, stats.uniform(-1, 2).cdf).pvalue > RARE
    else:
        assert stats.binomtest(int(np.sum(z > 0)), size).pvalue > RARE


@pytest.mark.parametrize("share", [Fraction(1), FOR_THE_MEAN])
def test_scales_are_for_a_sum_that_moves_by_twice_the_bound(share):
    law, _ = mean_noise((0.7, 0.0), 3.0, share)
    assert Fraction(law.scale) >= 6 / (share * Fraction(0.7)) > Fraction(law.scale) * (1 - Fraction(1, 2**50))
    law, promise = mean_noise((0.7, 1e-5), 3.0, share)
    square = (6 / Fraction(law.scale)) ** 2
    assert square <= share * Fraction(promise["gdp_mu"]) ** 2 <= square * (1 + Fraction(1, 2**40))
    assert 0.99999e-5 <= dps.profile.gaussian(0.7, promise["gdp_mu"], 1.0) <= 1e-5


def test_audits_are_silent_at_the_claim_and_loud_at_a_smaller_one():
    """Opposite rows in the plane; a false alarm has probability at most 1e-3."""
    pair, options = (np.array([[0.0, 1.0]]), np.array([[0.0, -1.0]])), {"seconds": 600, "independent": True, "rng": 0}

    def noisy(x, size, rng):
        return np.stack([x[0] + vector_noise.l2_gamma(2, 2.0, rng) for _ in range(size)])

    assert not audit(noisy, pair, 1.0, draws=8_000, **options).violated
    assert audit(noisy, pair, 1 / 1.3, draws=100_000, **options).violated


# ---------------------------------------------------------------- the mean


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("rng", [None, 5])
def test_mean_is_near_within_its_guarantee_and_on_its_grid(delta, rng):
    rows = spiked()
    release = dps.private_mean(rows, 1.0, delta, rng=rng)
    error = np.linalg.norm(release.value - rows.mean(axis=0))
    assert error < 3 * release.details["guarantee"].bound < 0.5
    assert release.claim.delta == delta
    assert release.claim.arithmetic == ("ideal" if rng else "certified")
    if rng is None:
        steps = release.value * len(rows) / release.details["step"]
        assert np.max(np.abs(steps - np.rint(steps))) < 1e-6


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_mean_guarantee_is_a_quantile(delta):
    """Errors of 400 releases beyond it: 20 in the mean, at `RARE`."""
    rows, rng, beyond = np.zeros((50, 4)), np.random.default_rng(1), 0
    for _ in range(400):
        release = dps.private_mean(rows, 1.0, delta, rng=rng)
        beyond += np.linalg.norm(release.value) > release.details["guarantee"].bound
    assert stats.binomtest(beyond, 400, 0.05).pvalue > RARE


def test_mean_of_other_forms_is_the_same():
    rows = spiked(40)
    whole = dps.private_mean(rows, 1.0, rng=entropy(1)).value
    with pytest.warns(dps.ReusedSeedWarning):
        assert (dps.private_mean(sparse.csr_array(rows), 1.0, rng=entropy(1)).value == whole).all()
    with pytest.warns(dps.ReusedSeedWarning):
        assert (
            dps.private_mean(iter([rows[:7], sparse.coo_array(rows[7:])]), 1.0, rng=entropy(1)).value == whole
        ).all()
    ideal = dps.private_mean(rows, 1.0, rng=1).value
    with pytest.warns(dps.ReusedSeedWarning):
        assert np.allclose(dps.private_mean(iter([rows[:7], sparse.coo_array(rows[7:])]), 1.0, rng=1).value, ideal)


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_row_is_in_two_differences_and_in_one_row_about_the_mean(form, monkeypatch):
    monkeypatch.setattr("dpspectra.matrices.centring.BLOCK", 40)
    rng = np.random.default_rng(2)
    before = rng.integers(-4, 5, (23, 6)) * 1.5
    after, order = before.copy(), rng.permutation(23)
    after[9] = [1e308, -1e308, 0, 0, 2.0**-1074, 0]
    for changed, units in (
        (2, lambda x: differences(in_memory(form(x)), order)),
        (1, lambda x: about(in_memory(form(x)), np.full(6, 0.3))),
    ):
        one, other = (sparse.vstack([sparse.csr_array(u) for u in units(x)]).toarray() for x in (before, after))
        assert one.shape == (23, 6)
        assert np.sum(np.any(one != other, axis=1)) == changed
        assert max(sum(Fraction(float(v)) ** 2 for v in u) for u in other) <= 1


def test_differences_go_round_the_ring():
    rows, order = np.array([[0.0, 0], [3, 4], [0, 9]]), np.array([2, 0, 1])
    expected = [[0, 1], [-0.6, -0.8], [3 / 34**0.5, -5 / 34**0.5]]
    assert np.allclose(np.vstack(list(differences(rows, order))), expected)


# ---------------------------------------------------------------- principal components


def kept(rows, frame):
    covariance = np.cov(rows.T)
    return np.trace(frame.T @ covariance @ frame) / np.sum(np.linalg.eigvalsh(covariance)[-frame.shape[1] :])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("center", "labels"), [("mean", "DPS-UNITROWS"), ("pairs", "DPS-PAIRS")])
@pytest.mark.parametrize(("mechanism", "delta"), [("auto", 0.0), ("gaussian_covariance", 1e-6)])
@pytest.mark.parametrize("rng", [None, 7])
def test_components_about_a_centre_keep_what_others_lose(center, labels, mechanism, delta, rng, form):
    rows = spiked(4000)
    release = dps.private_pca(form(rows), 2, 6.0, delta, mechanism=mechanism, center=center, rng=rng)
    assert kept(rows, release.value) > 0.98
    assert labels in release.claim.labels
    assert release.claim.delta == delta
    assert release.claim.arithmetic == ("ideal" if rng else "certified")
    assert kept(rows, dps.private_pca(rows, 2, 1e6).value) < 0.95
    assert ("mean" in release.details) == (center == "mean")


@pytest.mark.parametrize("mechanism", ["symmetric_wishart_covariance", "laplace_covariance", "gaussian_covariance"])
def test_budgets_of_the_two_stages_add_up(mechanism):
    """The noise of either stage against what the same mechanism takes with the whole budget."""
    rows, delta = spiked(), 1e-6 if mechanism == "gaussian_covariance" else 0.0
    release = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="mean")
    whole = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism)
    mean = dps.private_mean(rows, 2.0, delta)
    shares = [mean.details["scale"] / release.details["mean_scale"], whole.details["scale"] / release.details["scale"]]
    power = 2 if delta else 1
    assert math.isclose(sum(share**power for share in shares), 1, rel_tol=1e-9)
    assert math.isclose(shares[0] ** power, 0.25, rel_tol=1e-9)
    assert release.claim.gdp_mu == whole.claim.gdp_mu
    pairs = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="pairs")
    assert math.isclose(pairs.details["scale"], 2 * whole.details["scale"], rel_tol=1e-9)


def test_seeds_give_the_same_components():
    rows = spiked(50)
    for center in ("mean", "pairs"):
        for make in (lambda: np.random.default_rng(3), lambda: entropy(7)):
            one, other = (dps.private_pca(rows, 2, 1.0, center=center, rng=make()).value for _ in range(2))
            assert (one == other).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"center": "median"}, "center must be one of none, mean, pairs, got 'median'"),
        ({"center": "pairs", "norm_bound": 2.0}, "norm_bound must be 1.0 for center='pairs', got 2.0"),
        (
            {"center": "mean", "relation": "add_remove"},
            "relation must be 'replace' for center='mean', got 'add_remove'",
        ),
        ({"center": "mean", "field": "real"}, "field must be None for center='mean', got 'real'"),
        ({"center": "pairs", "spectrum": [1, 1]}, "spectrum must be None for center='pairs', got 'a guess'"),
        ({"center": "pairs", "mechanism": "orbit"}, "mechanism must be a noisy covariance or 'auto'"),
        ({"center": "pairs", "X": iter([np.eye(2)])}, "X must be an array or a scipy sparse matrix"),
        ({"center": "mean", "X": 2 * np.eye(2)}, "X must have rows of norm at most 1, which row 0 has not"),
        (
            {"center": "pairs", "X": sparse.csr_array([[1.0, 0], [0, math.nan]])},
            r"X must be finite, which entry \(1, 1\) is not",
        ),
        ({"center": "pairs", "k": 3}, "k must be"),
    ],
)
def test_bad_calls(given, message):
    call = {"X": np.eye(2), "k": 1, "epsilon": 1.0, "rng": np.random.default_rng(0)} | given
    with pytest.raises(ValueError, match=message):
        dps.private_pca(**call)
    assert call["rng"].random() == np.random.default_rng(0).random()
