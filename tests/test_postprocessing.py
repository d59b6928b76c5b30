"""Post-processing of noisy matrices: projections, shrinkage, denoised covariances. Fixed seeds."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

import dpspectra as dps
from dpspectra import postprocessing
from dpspectra.fast import spectral_noise
from dpspectra.fast.linalg import to_trace
from dpspectra.mechanisms.noises import gaussian, laplace, symmetric_wishart
from dpspectra.postprocessing import isotonic, nearest_psd, shrink

ONE, EPSILON = Fraction(1), Fraction(1)
X = np.random.default_rng(0).standard_normal((200, 12)) * np.linspace(2, 0.2, 12)
X /= np.linalg.norm(X, axis=1).max()


# ---------------------------------------------------------------- projections


def test_monotone_vectors_are_the_nearest():
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = rng.normal(size=6)
        found = isotonic(x)
        assert (np.diff(found) <= 0).all()
        steps = {"type": "ineq", "fun": lambda y: -np.diff(y)}
        best = minimize(lambda y, x=x: np.sum((y - x) ** 2), np.zeros(6), constraints=steps, tol=1e-12)
        assert np.sum((found - x) ** 2) <= best.fun + 1e-7


@pytest.mark.parametrize("total", [0.0, 0.3, 5.0])
def test_vectors_of_a_given_sum_are_the_nearest(total):
    rng = np.random.default_rng(4)
    for _ in range(20):
        x = np.sort(rng.normal(size=6))[::-1]
        found = to_trace(x, total)
        assert found.min() >= 0
        assert found.sum() == pytest.approx(total, abs=1e-12)
        if total:
            kept = found > 0
            taken = (x - found)[kept]
            assert np.ptp(taken) < 1e-12
            assert (x[~kept] <= taken[0] + 1e-12).all()


def test_a_sum_that_is_lost_in_rounding_is_no_error():
    assert to_trace(np.array([1e30, 0.0, -1e30]), 1.0).max() == 0


def test_the_nearest_positive_semidefinite_matrix():
    assert np.allclose(nearest_psd(np.array([[0.0, 2.0], [2.0, 0.0]])), [[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(ValueError, match="value must be Hermitian"):
        nearest_psd([[0.0, 1.0], [0.0, 0.0]])


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_the_nearest_matrix_of_bounded_trace_is_the_nearest(kind):
    """``<M - P, Q - P>`` is not positive for any ``Q`` of the set, which is convex: extreme ones are enough."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        m = rng.normal(size=(5, 5)) + (1j * rng.normal(size=(5, 5)) if kind == "complex" else 0)
        m = m + m.conj().T
        for trace in (0.1, 2.0, math.inf):
            p = nearest_psd(m, trace)
            assert np.linalg.eigvalsh(p)[0] > -1e-12
            assert np.trace(p).real <= trace + 1e-12
            lines = rng.normal(size=(50, 5))
            for v in lines / np.linalg.norm(lines, axis=1)[:, None]:
                for q in (0 * p, min(trace, 30.0) * np.outer(v, v)):
                    assert np.sum((m - p) * (q - p).conj()).real < 1e-9


@pytest.mark.parametrize("part", [1 - 1e-6, 1.0, 1 + 1e-6])
def test_a_matrix_within_the_bound_on_the_trace_keeps_its_trace(part):
    """The set is entered at ``largest_trace``: negative eigenvalues go, and then the sum of the others counts."""
    found = nearest_psd(np.diag([3.0, 2.0, -4.0]), 5.0 * part)
    less = max(0.0, 5 - 5 * part) / 2
    assert np.allclose(found, np.diag([3 - less, 2 - less, 0]), rtol=0, atol=1e-12)


# ---------------------------------------------------------------- shrinkage


CELLS = [
    (d, epsilon, kind) for d in (3, 10, 40) for epsilon in (0.1, 1.0, 10.0) for kind in ("spiked", "decay", "flat")
]


def spectrum_of(kind, d):
    weights = {
        "spiked": np.r_[1.0, np.full(d - 1, 0.5 / d)],
        "decay": 1 / np.arange(1, d + 1),
        "flat": np.linspace(1.5, 1, d),
    }
    return 800 * weights[kind] / np.sum(weights[kind])


@pytest.mark.parametrize("name", ["tilted", "gaussian", "laplace"])
def test_shrinkage_is_nearer_nearly_everywhere_and_never_much_farther(name):
    """Errors over those of the noise: geometric mean below 0.55, the largest ratio at most 1.07, in 27 cells."""
    rng, ratios = np.random.default_rng(5), []
    for d, epsilon, kind in CELLS:
        law = {"tilted": symmetric_wishart, "laplace": laplace}.get(name)
        noise = law.sized(d, (epsilon, 0.0), ONE) if law else gaussian.of_mu(d, epsilon / 4, ONE)
        m, spectrum = np.diag(spectrum_of(kind, d)), noise.spectral(d, noise.scale)
        raw, better = [], []
        for _ in range(10):
            noisy = m + noise.law.ideal(d, noise.scale, rng)
            raw.append(np.linalg.norm(noisy - m))
            better.append(np.linalg.norm(shrink(noisy, spectrum, 1000.0) - m))
        ratios.append(np.mean(better) / np.mean(raw))
    assert np.exp(np.mean(np.log(ratios))) < 0.55
    assert max(ratios) < 1.07


def test_shrinkage_keeps_eigenvectors_and_the_trace():
    rng = np.random.default_rng(6)
    noisy = np.diag([50.0, 20.0, 5.0, 0.0]) + symmetric_wishart.sized(4, (1.0, 0.0), ONE).law.ideal(4, 0.5, rng)
    spectrum = spectral_noise.wishart_difference(4, 0.5, 0.25 * 184.0)
    found = shrink(noisy, spectrum)
    assert np.allclose(found @ noisy, noisy @ found)
    assert np.trace(found) == pytest.approx(np.trace(noisy))
    assert np.linalg.eigvalsh(found)[0] > -1e-12
    assert np.trace(shrink(noisy, spectrum, 10.0)) == pytest.approx(10.0)
    assert not shrink(-noisy, spectrum).any()
    assert np.array_equal(shrink([[3.0]], spectrum, 2.0), [[2.0]])


def test_noise_alone_becomes_a_multiple_of_the_identity():
    """Energy no larger than that of the noise is none of the matrix."""
    noisy = np.diag([2.0, 1.0, 0.0])
    spectrum = spectral_noise.semicircle(3, 1.0, 100.0)
    assert np.allclose(shrink(noisy, spectrum), np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 2.0]], spectral_noise.semicircle(2, 1.0, 1.0)), "value must be square"),
        (([[math.nan]], spectral_noise.semicircle(1, 1.0, 1.0)), "value must be finite"),
        (([[1.0]], spectral_noise.semicircle(1, 1.0, 1.0), 0.0), "largest_trace must be positive"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        shrink(*arguments)


# ---------------------------------------------------------------- covariances


COVARIANCES = {
    "laplace": lambda **o: dps.laplace_covariance(X, 1.0, **o),
    "gaussian": lambda **o: dps.gaussian_covariance(X, 1.0, 1e-6, **o),
    "triangle": lambda **o: dps.gaussian_covariance(X, 1.0, 1e-6, shape="triangle", **o),
    "symmetric Wishart": lambda **o: dps.symmetric_wishart_covariance(X, 1.0, **o),
    "Wishart": lambda **o: dps.wishart_covariance(X, 1.0, 1e-6, **o),
}


@pytest.mark.parametrize("name", COVARIANCES)
@pytest.mark.parametrize(
    "rng", [lambda: dps.Entropy(bytes(32)), lambda: np.random.default_rng(1)], ids=["certified", "ideal"]
)
def test_covariances_are_denoised_after_their_release(name, rng):
    """The claim stays; the guarantee of the projection is no worse, that of the shrunk matrix goes."""
    raw, psd, shrunk = (COVARIANCES[name](denoise=denoise, rng=rng()) for denoise in (None, "psd", "shrink"))
    assert raw.claim == psd.claim == shrunk.claim
    assert np.allclose(psd.value, nearest_psd(raw.value, 1.0))
    assert psd.details["guarantee"].bound <= raw.details["guarantee"].bound
    assert "guarantee" not in shrunk.details
    assert len({release.details["postprocessing"] for release in (raw, psd, shrunk)}) == 3
    truth = X.T @ X / len(X)
    errors = [np.linalg.norm(release.value - truth) for release in (raw, psd, shrunk)]
    assert errors[2] < errors[1] < errors[0]
    assert np.trace(shrunk.value) == pytest.approx(np.clip(np.trace(raw.value), 0, 1))


def test_the_bound_of_the_trace_is_the_squared_norm_bound():
    rows = np.full((3, 4), 0.5)
    traces = [
        np.trace(dps.gaussian_covariance(3 * rows, 1.0, 1e-6, norm_bound=3.0, denoise="shrink", rng=seed).value)
        for seed in range(40)
    ]
    assert max(traces) == pytest.approx(9.0)
    assert min(traces) >= 0.0


def test_the_module_says_what_it_offers():
    assert postprocessing.__all__ == ["best_rank", "nearest_psd", "shrink"]
