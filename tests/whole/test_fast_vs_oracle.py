"""The two arithmetics compute the same invariants from the same dyadic input."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.fast import gaussian_profile as fast_gaussian
from dpspectra.fast import hciz as fast_hciz
from dpspectra.fast import linalg as fast
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import fields, hermitian, rectangular, spectra, unitaries, with_spectrum
from dpspectra.strategies.orbits import levels

SHAPES = st.tuples(st.integers(1, 4), fields())
settings.register_profile("oracle", deadline=None, max_examples=40, derandomize=True)
ORACLE = settings.get_profile("oracle")


def numbers(values):
    return np.array([complex(v) for v in values])


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


@ORACLE
@given(SHAPES.flatmap(lambda p: hermitian(*p)))
def test_spectra_and_norms_agree(a):
    exact = oracle.exact(a)
    size = float(oracle.frobenius_norm(exact)) + 1e-300
    assert np.abs(fast.eigenvalues(a) - numbers(oracle.eigenvalues(exact))).max() <= 1e-13 * size
    for name in ("spectral_norm", "frobenius_norm", "nuclear_norm"):
        assert abs(getattr(fast, name)(a) - float(getattr(oracle, name)(exact))) <= 1e-13 * size
    upper = numbers(oracle.upper_triangle(exact))
    assert np.array_equal(fast.upper_triangle(a), upper)


@ORACLE
@given(st.tuples(st.integers(2, 4), fields()).flatmap(lambda p: st.tuples(hermitian(*p), st.integers(1, p[0] - 1))))
def test_top_projectors_agree_where_they_are_unique(case):
    a, k = case
    values = fast.eigenvalues(a)
    if values[k - 1] - values[k] > 1e-6 * (1 + abs(values[0])):
        exact = oracle.top_projector(oracle.exact(a), k)
        ours = fast.top_projector(a, k)
        assert max(abs(ours[i, j] - complex(exact[i, j])) for i in range(len(a)) for j in range(len(a))) < 1e-8


@ORACLE
@given(SHAPES.flatmap(lambda p: st.tuples(unitaries(*p), unitaries(*p), st.integers(1, p[0]), st.integers(1, p[0]))))
def test_principal_angles_agree(case):
    u, v, k, m = case
    ours = fast.principal_angles(u[:, :k], v[:, :m])
    exact = oracle.principal_angles(oracle.exact(u[:, :k]), oracle.exact(v[:, :m]))
    assert np.abs(ours - np.array([float(x) for x in exact])).max() < 1e-14


@pytest.mark.parametrize("angle", [0.0, 1e-160, 1e-12, 1e-8, 0.3, np.pi / 2 - 1e-12, np.pi / 2])
def test_tiny_and_near_right_angles_keep_relative_accuracy(angle):
    u, v = np.array([[1.0], [0.0]]), np.array([[np.cos(angle)], [np.sin(angle)]])
    assert fast.principal_angles(u, v)[0] == pytest.approx(angle, rel=1e-15, abs=0)
    complement = np.pi / 2 - fast.principal_angles(u, v)[0]
    assert complement == pytest.approx(np.pi / 2 - angle, rel=1e-3, abs=2e-16)


@ORACLE
@given(SHAPES.flatmap(lambda p: st.tuples(hermitian(*p), spectra(p[0], signed=True))))
def test_orbit_projection_agrees_in_distance_and_spectrum(case):
    h, spectrum = case
    ours = fast.orbit_projection(h, spectrum)
    exact = oracle.orbit_projection(oracle.exact(h), spectrum.tolist())
    size = 1 + np.abs(h).max() + np.abs(spectrum).max()
    assert np.abs(fast.eigenvalues(ours) - spectrum).max() < 1e-12 * size
    distance = float(oracle.frobenius_norm(oracle.exact(h) - exact))
    assert abs(fast.frobenius_norm(h - ours) - distance) < 1e-11 * size


@ORACLE
@given(SHAPES.flatmap(lambda p: rectangular(p[0] + 1, p[0], p[1])))
def test_polar_factors_agree(a):
    if fast.singular_values(a)[-1] > 1e-3:
        ours, exact = fast.polar_factor(a), oracle.polar_factor(oracle.exact(a))
        assert np.abs(fast.adjoint(ours) @ ours - np.eye(a.shape[1])).max() < 1e-13
        assert max(abs(ours[i, j] - complex(exact[i, j])) for i in range(len(a)) for j in range(a.shape[1])) < 1e-9


@ORACLE
@given(
    SHAPES.flatmap(lambda p: st.tuples(rectangular(3, p[0], p[1]), spectra(p[0]).flatmap(lambda s: with_spectrum(s))))
)
def test_gram_and_inner_product_agree(case):
    rows, h = case
    exact_rows, exact_h = oracle.exact(rows), oracle.exact(h)
    assert fast.inner(fast.gram(rows), h) == pytest.approx(
        float(oracle.inner(oracle.gram(exact_rows), exact_h)), rel=1e-12
    )
    column = oracle.exact(rows[0])
    assert fast.quadratic(h, rows[0]) == pytest.approx(float(oracle.quadratic(exact_h, column)), rel=1e-12, abs=1e-9)


def test_kernels_are_batched():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((3, 2, 4, 4))
    a = a + np.swapaxes(a, -1, -2)
    assert fast.eigenvalues(a).shape == (3, 2, 4)
    assert np.allclose(fast.top_projector(a, 2)[1, 1], fast.top_projector(a[1, 1], 2))
    u = np.linalg.qr(rng.standard_normal((5, 4, 2)))[0]
    assert fast.principal_angles(u, u[::-1]).shape == (5, 2)
    assert np.array_equal(fast.mirror(fast.upper_triangle(a), 4), a)


@pytest.mark.parametrize("d", [1, fast.INDEXED, fast.INDEXED + 1])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_triangle_is_mirrored_on_both_sides_of_the_dimension_up_to_which_places_are_kept(d, batch):
    a = np.random.default_rng(d).standard_normal((*batch, d, d))
    a += np.swapaxes(a, -1, -2)
    assert np.array_equal(fast.mirror(fast.upper_triangle(a), d), a)


@ORACLE
@given(st.sampled_from([0.0, 1e-3, 0.1, 1.0, 5.0, 20.0, 800.0]), st.sampled_from([0.0, 0.01, 0.5, 1.0, 4.0, 30.0]))
def test_gaussian_profiles_agree(epsilon, mu):
    ours, exact = fast_gaussian.profile(epsilon, mu), float(exact_gaussian.profile(epsilon, mu))
    assert ours == pytest.approx(exact, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.3])
def test_gaussian_calibration_inverts_the_profile(epsilon, delta):
    mu = fast_gaussian.mu_for(epsilon, delta)
    assert float(exact_gaussian.profile(epsilon, mu)) == pytest.approx(delta, rel=1e-6)


@ORACLE
@given(
    st.integers(2, 8).flatmap(lambda d: st.tuples(levels(d, distinct=True), levels(d, distinct=True))),
    st.sampled_from([8.0, 128.0, 2.0**14, 2.0**30]),
)
def test_normalisers_agree_from_flat_to_steep(spectra, kappa):
    gamma, spectrum = spectra
    exact = exact_hciz.log_normaliser(gamma, spectrum, kappa)
    if kappa >= 128 or kappa * np.ptp(gamma) * np.ptp(spectrum) <= fast_hciz.LARGEST_TILT:
        size = 1 + kappa * np.sum(np.abs(gamma)) * np.max(np.abs(spectrum))
        assert abs(fast_hciz.log_normaliser(gamma, spectrum, kappa) - exact) <= 1e-14 * size


def test_the_exact_normaliser_depends_on_the_product_with_kappa_alone():
    gamma, spectrum = [1, mp.mpf(2) ** -168, mp.mpf(2) ** -170, 0], [2, 0, 0, 0]
    tiny = mp.mpf(2) ** -170  # its powers and those of kappa would hide how many digits cancel
    one, other = (exact_hciz.log_normaliser(gamma, [x * y for x in spectrum], 1 / y) for y in (mp.mpf(1), tiny))
    assert one == pytest.approx(other, rel=1e-14)


def test_flat_and_steep_normalisers_share_a_batch_and_steep_ties_are_refused():
    x, y = np.array([[2.0, 1.0, 0.0], [2000.0, 1000.0, 0.0]]), np.array([2.5, 1.0, 0.0])
    both = fast_hciz.log_normaliser(x, y, 40.0)
    assert np.array_equal(both, [fast_hciz.log_normaliser(row, y, 40.0) for row in x])
    with pytest.raises(ValueError, match="neighbouring gaps at least 8"):
        fast_hciz.log_normaliser([3.0, 3.0, 0.0], y, 1000.0)


@ORACLE
@given(st.integers(1, 5).flatmap(lambda d: st.tuples(spectra(d, signed=True), spectra(d, signed=True))))
def test_extreme_pairings_are_those_over_all_permutations(case):
    a, b = ([mp.mpf(x) for x in values] for values in case)
    for score in (lambda x, y: x * y, lambda x, y: (x - y) ** 2):
        totals = [mp.fsum(map(score, a, order)) for order in itertools.permutations(b)]
        assert oracle.pairings(a, b, score) == (min(totals), max(totals))
