"""Low-rank approximations of noisy matrices, and the choice among mechanisms. Fixed seeds; false alarm 1e-6 a test."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpspectra import Matrix, private_low_rank
from dpspectra.bounds import best_split
from dpspectra.certified.gram import exact_matrix
from dpspectra.mechanisms.choice import named_noise
from dpspectra.mechanisms.low_rank import _excess
from dpspectra.postprocessing import best_rank
from tests.support.helpers import entropy
from tests.support.spectra import COMPLEX_M, GRAM, TOP_OF_GRAM, M, broken

ROWS = np.random.default_rng(0).standard_normal((300, 5)) * np.array([4.0, 3.0, 1.0, 0.5, 0.25])
X5 = ROWS / np.linalg.norm(ROWS, axis=1).max()
M5 = X5.T @ X5
NAMES = "laplace_covariance", "symmetric_wishart_covariance", "gaussian_covariance"


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("name", NAMES)
def test_the_value_is_the_best_approximation_of_the_noisy_matrix(name, relation, k):
    """With the noise of the same generator, at the scale that the relation needs."""
    release = private_low_rank(Matrix(M5), k, 2.0, 1e-5, mechanism=name, relation=relation, denoise=None, rng=3)
    noise, promise = named_noise(name, 5, (2.0, 1e-5), Fraction(1), relation)
    noisy = M5 + noise.law.ideal(5, noise.scale, np.random.default_rng(3))
    values, vectors = np.linalg.eigh(noisy)
    kept = np.where(np.arange(5) >= 5 - k, np.maximum(values, 0.0), 0.0)
    assert np.allclose(release.value, vectors * kept @ vectors.T)
    assert release.claim.relation == f"matrix_{relation}"
    assert release.claim.delta == promise["delta"]
    assert release.details["scale"] == noise.scale
    assert release.details["guarantee"].bound == pytest.approx(2 * noise.frobenius(noise.scale).bound)
    assert set(noise.labels) <= set(release.claim.labels)


def test_a_person_who_comes_or_goes_needs_half_the_noise_of_one_who_is_replaced():
    scales = [
        private_low_rank(Matrix(M5), 1, 2.0, relation=relation, rng=1).details["scale"]
        for relation in ("replace", "add_remove")
    ]
    assert scales == [0.5, 0.25]


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("name", NAMES)
def test_guarantees_hold(name, k):
    """At least 95 of 100 of 200 errors; fewer than 170 happen with probability below 1e-6."""
    rng, best = np.random.default_rng(4), np.linalg.norm(np.linalg.eigvalsh(M5)[: 5 - k])
    releases = [private_low_rank(Matrix(M5), k, 2.0, 1e-5, mechanism=name, denoise=None, rng=rng) for _ in range(200)]
    bound = releases[0].details["guarantee"].bound
    assert sum(np.linalg.norm(M5 - release.value) - best <= bound for release in releases) >= 170
    values, vectors = np.linalg.eigh(M5)
    leading = (vectors[:, 5 - k :] * values[5 - k :]) @ vectors[:, 5 - k :].T
    distances = [np.linalg.norm(leading - release.value, 2) for release in releases]
    bounds = [release.details["spectral_guarantee"].bound for release in releases]
    assert sum(one <= other for one, other in zip(distances, bounds, strict=True)) >= 170


def test_a_gap_bounds_the_spectral_distance_whatever_the_largest_eigenvalue():
    large, gapped = np.diag([1e6, 1e3, 1.0]), np.diag([1e6, 1e3, 1e3])
    near, far = (
        private_low_rank(Matrix(m), 2, 1.0, mechanism="symmetric_wishart_covariance", denoise=None, rng=seed)
        for seed, m in enumerate((large, gapped))
    )
    noise, _ = named_noise("symmetric_wishart_covariance", 3, (1.0, 0.0), Fraction(1), "replace")
    _, norm = noise.leading(1, near.details["scale"])
    assert norm < near.details["spectral_guarantee"].bound < 1.6 * norm
    assert far.details["spectral_guarantee"].bound > 1e6


class Bounded:
    """Noise whose two largest singular values together are at most 3, and whose largest one is at most 1."""

    def leading(self, rank, scale):
        assert rank == 2
        return 3.0 * scale, 1.0 * scale


@pytest.mark.parametrize(
    ("values", "known"),
    [
        ((10.0, 4.0, -5.0), True),
        ((10.0, 9.0 + 1e-9, 0.0), False),  # a gap just below the norm of the noise
        ((10.0, 9.0 - 1e-9, 0.0), False),  # just above, where it says no more
        ((0.0, -20.0, -30.0), True),
        ((-1e-9, -20.0, -30.0), False),  # nothing is kept
    ],
)
def test_the_guarantee_of_rank_one_knows_a_gap_above_the_noise(values, known):
    """``rest`` is the modulus of the largest other eigenvalue; at worst the bound is twice that of the noise."""
    first, second, last = values
    by_gap = 3.0 + np.sqrt(2) * (max(abs(second), abs(last)) + 1) / (first - second - 1)
    assert _excess(np.sort(values)[::-1], 1, Bounded(), 1.0) == pytest.approx(min(6.0, by_gap) if known else 6.0)
    assert not known or by_gap < 6


def test_the_guarantee_of_the_whole_rank_knows_no_gap():
    noise, _ = named_noise("laplace_covariance", 2, (1.0, 0.0), Fraction(1), "replace")
    assert _excess(np.array([1e6, 0.0]), 2, noise, 1.0) == 2 * noise.leading(4, 1.0)[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_guarantee_by_a_gap_holds(name):
    """Rank 2 far above the noise, which the gap shows; it fails with probability below 1e-6."""
    large, rng, beyond = 1e5 * np.diag([9.0, 8.0, 1.0, 0.5, 0.0]), np.random.default_rng(5), 0
    for _ in range(200):
        release = private_low_rank(Matrix(large), 2, 2.0, 1e-5, mechanism=name, denoise=None, rng=rng)
        bound = release.details["guarantee"].bound
        beyond += np.linalg.norm(large - release.value) - 1e5 * np.hypot(1, 0.5) > bound
    noise, _ = named_noise(name, 5, (2.0, 1e-5), Fraction(1), "replace")
    assert bound < 2 * noise.leading(4, noise.scale)[0]
    assert beyond <= 30


@pytest.mark.parametrize("name", NAMES)
def test_certified_noise_is_added_to_the_matrix_exactly_as_it_is(name):
    """The full rank of a large matrix is the noisy matrix itself: on the grid, and as far from ``M5`` as noise is."""
    large = M5 + 1e4 * np.eye(5)
    release = private_low_rank(Matrix(large), 5, 2.0, 1e-5, mechanism=name, denoise=None, rng=entropy())
    assert release.claim.arithmetic == "certified"
    assert release.claim.relation == "matrix_replace"
    assert "DPS-ROUNDED" in release.claim.labels
    assert np.abs(release.value - large).max() < 100 * release.details["scale"]
    steps = release.value / release.details["step"]
    assert np.abs(steps - np.rint(steps)).max() < 1e-3
    again = private_low_rank(Matrix(large), 5, 2.0, 1e-5, mechanism=name, denoise=None, rng=entropy())
    assert np.array_equal(release.value, again.value)


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 1e200])
def test_floats_become_exact_integers(size):
    m = size * np.array([[1.0, 0.1], [0.1, 1 / 3]])
    exact = exact_matrix(m)
    found = [[Fraction(int(x)) / 4**exact.exponent for x in row] for row in exact.total]
    assert found == [[Fraction(x) for x in row] for row in m.tolist()]
    assert (exact.count, exact.width) == (1, 2)


def test_a_noisy_matrix_is_nearer_than_one_from_the_orbit():
    rng, m = np.random.default_rng(5), 200 * np.diag([3.0, 2.0, 1.0, 0.1, 0.0])
    errors = {
        name: np.mean(
            [np.linalg.norm(private_low_rank(Matrix(m), 2, 1.0, mechanism=name, rng=rng).value - m) for _ in range(30)]
        )
        for name in ("auto", "orbit")
    }
    floor = np.linalg.norm([200.0, 20.0])
    assert errors["auto"] ** 2 - floor**2 < 0.5 * (errors["orbit"] ** 2 - floor**2)


def test_a_shrunk_matrix_is_nearer_still_where_there_is_little_signal():
    """And has no guarantee; it is of the rank and positive semidefinite all the same."""
    rng, m = np.random.default_rng(6), 40 * np.diag([3.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    errors = []
    for denoise in ("shrink", None):
        releases = [private_low_rank(Matrix(m), 2, 0.5, denoise=denoise, rng=rng) for _ in range(40)]
        assert all(("guarantee" in release.details) == (denoise is None) for release in releases)
        assert all(np.linalg.matrix_rank(release.value) <= 2 for release in releases)
        assert all(np.linalg.eigvalsh(release.value)[0] > -1e-9 for release in releases)
        errors.append(np.mean([np.linalg.norm(release.value - m) for release in releases]))
    assert errors[0] < 0.9 * errors[1]


@pytest.mark.parametrize(
    ("m", "options", "chosen"),
    [
        (M5, {}, "symmetric_wishart_covariance"),
        (M5, {"delta": 1e-6}, "symmetric_wishart_covariance"),
        (np.eye(60), {"delta": 1e-6}, "gaussian_covariance"),
        (M5.astype(complex), {}, "orbit"),
        (M5, {"split": 0.5}, "orbit"),
        (M5, {"lambda1": 100.0}, "orbit"),
        (M5, {"field": "complex"}, "orbit"),
        (0 * M5, {}, "symmetric_wishart_covariance"),
    ],
)
def test_what_is_chosen(m, options, chosen):
    assert private_low_rank(Matrix(m), 1, 1.0, rng=1, **options).details["mechanism"] == chosen


@pytest.mark.parametrize("field", ["real", "complex"])
def test_the_best_rank_is_the_nearest(field):
    """No matrix of that rank nearby is nearer."""
    rng = np.random.default_rng(6)
    g = rng.standard_normal((5, 5)) + (1j * rng.standard_normal((5, 5)) if field == "complex" else 0)
    h = g + g.conj().T
    for k in (1, 2, 4):
        best = best_rank(h, k)
        assert np.linalg.matrix_rank(best, hermitian=True) <= k
        assert np.linalg.eigvalsh(best)[0] > -1e-12
        root = np.linalg.eigh(best)[1][:, -k:] * np.sqrt(np.maximum(np.linalg.eigvalsh(best)[-k:], 0))
        for _ in range(50):
            move = root + 0.01 * rng.standard_normal((5, k))
            assert np.linalg.norm(h - move @ move.conj().T) >= np.linalg.norm(h - best) - 1e-12


def test_a_line_may_be_real():
    assert private_low_rank(Matrix(M5), 1, 1.0, field="real", rng=8).details["field"] == "real"


def test_low_rank_spends_the_whole_budget_once():
    release = private_low_rank(Matrix(np.diag([9.0, 4.0, 1.0])), 1, 2.0, split=0.4, rng=8)
    assert release.details["epsilon_spectrum"] == pytest.approx(0.8)
    assert release.details["epsilon_vectors"] == pytest.approx(1.2)
    *rest, top = np.linalg.eigvalsh(release.value)
    assert np.max(np.abs(rest)) < 1e-12 * top
    assert top == pytest.approx(max(release.details["eigenvalues"][0], 0))
    zero = [private_low_rank(Matrix(np.zeros((2, 2))), 1, 1.0, mechanism="orbit", rng=seed).value for seed in range(20)]
    assert any(np.all(value == 0) for value in zero)


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("m", [M, COMPLEX_M], ids=["real", "complex"])
def test_low_rank_of_every_rank(k, m):
    release = private_low_rank(Matrix(m), k, 4.0, split=0.5, mechanism="orbit", rng=10)
    details = release.details
    assert details["epsilon_spectrum"] == details["epsilon_vectors"] == 2.0
    assert details["kappa"] == pytest.approx(
        2.0 / (2 * (details["eigenvalues"][0] - (details["eigenvalues"][-1] if k == 6 else 0)))
    )
    assert release.value.dtype == m.dtype
    assert np.array_equal(release.value, release.value.conj().T)
    spectrum = np.concatenate([details["eigenvalues"], np.zeros(6 - k)])
    assert np.abs(np.linalg.eigvalsh(release.value)[::-1] - spectrum).max() < 1e-12 * spectrum[0]
    positive = np.count_nonzero(details["eigenvalues"])
    assert details["field"] == ("complex" if positive > 1 or np.iscomplexobj(m) else "real")


def test_low_rank_of_nothing_is_nothing_or_noise():
    for seed in range(10):
        release = private_low_rank(Matrix(np.zeros((3, 3))), 2, 1.0, mechanism="orbit", rng=seed)
        assert np.all(np.linalg.eigvalsh(release.value) > -1e-12)
        assert np.count_nonzero(release.details["eigenvalues"]) >= np.linalg.matrix_rank(release.value, tol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_low_rank_error_falls_with_the_budget(k):
    rng, m = np.random.default_rng(11), 50 * M
    top = np.linalg.eigvalsh(m)[::-1]
    floor = np.sqrt(np.sum(top[k:] ** 2))
    errors = [
        np.mean(
            [
                np.linalg.norm(private_low_rank(Matrix(m), k, epsilon, mechanism="orbit", rng=rng).value - m)
                for _ in range(20)
            ]
        )
        for epsilon in (0.5, 50.0)
    ]
    assert errors[0] > errors[1]
    assert errors[1] < 1.1 * floor + 5


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("kind", [float, complex])
def test_what_low_rank_promises_of_the_error_holds(k, relation, kind):
    rng, failures, least = np.random.default_rng(17), 0, np.sum(TOP_OF_GRAM[k:] ** 2)
    for _ in range(300):
        release = private_low_rank(Matrix(GRAM.astype(kind)), k, 8.0, relation=relation, mechanism="orbit", rng=rng)
        error = np.linalg.norm(GRAM - release.value) ** 2
        failures += error - least > release.details["guarantee"].bound
    assert not broken(failures, 300)


def test_what_low_rank_promises_is_the_bound_of_the_ledger():
    """Radius of the values at half the risk, and twice the gap, itself twice as large after the real part."""
    for relation, change in (("replace", 2), ("add_remove", 1)):
        for kind, cost in ((float, 2), (complex, 1)):
            release = private_low_rank(
                Matrix(GRAM.astype(kind)), 2, 8.0, split=0.5, relation=relation, mechanism="orbit", rng=18
            )
            values = release.details["eigenvalues"]
            assert values[0] > values[1] > 0
            t = change / 4 * np.log(1 / (1 - np.sqrt(1 - 0.025)))
            gap = stats.gamma.isf(0.025, 5) * change * values[0] / 4
            assert release.details["guarantee"].bound == pytest.approx(2 * t**2 + 2 * cost * gap)


def test_the_best_split_for_a_guess():
    guessed = private_low_rank(Matrix(GRAM), 2, 2.0, lambda1=20.0, mechanism="orbit", rng=19).details
    assert guessed["epsilon_spectrum"] == 2.0 * best_split(4, 2, 20.0, 2.0)
    assert guessed["epsilon_spectrum"] + guessed["epsilon_vectors"] == pytest.approx(2.0)
    assert private_low_rank(Matrix(GRAM), 2, 2.0, mechanism="orbit", rng=19).details["epsilon_spectrum"] == 0.5
