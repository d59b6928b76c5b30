"""Exact laws of noise against each other, and the bounds where no exact law is at hand.

Counts are judged by the exact binomial tail at 1e-9, with fixed seeds.
"""

import functools

import numpy as np
import pytest
from mpmath import mp

from dpspectra.fast import linalg, top_eigenvalue
from dpspectra.formulas import laplace_norm
from dpspectra.ledger import Frequency
from dpspectra.lemmas.concentration import input_noise, laplace_entries, projected_laplace, wishart_tail
from dpspectra.lemmas.packing.projectors_in_spectral_norm import log_ball
from dpspectra.oracle import symmetric_noise
from dpspectra.oracle import top_eigenvalue as exact
from dpspectra.sampling.haar import haar

TRIALS = 2000


@pytest.mark.parametrize(("degrees", "d"), [(2, 1), (2, 2), (3.5, 2), (9, 3), (5, 4), (5, 5), (7, 6)])
@pytest.mark.parametrize("share", [0.25, 0.75, 1.0, 1.5])
def test_two_ways_to_the_law_of_the_largest_wishart_eigenvalue(degrees, d, share):
    x = share * (np.sqrt(degrees) + np.sqrt(d)) ** 2
    with mp.workdps(20):
        assert top_eigenvalue.wishart_cdf(x, degrees, d) == pytest.approx(
            float(exact.wishart_cdf(x, degrees, d)), abs=1e-10
        )


def closed_form(x, degrees, d):
    """The Pfaffian for even ``d`` in a basis of powers, whose integrals are Gamma laws; it loses ``4 d`` digits."""

    def determinant(x):
        order = [(mp.mpf(degrees) - d - 1) / 2 + i for i in range(1, d + 1)]
        law = functools.cache(lambda a, y: mp.gammainc(a, 0, y, regularized=True) if y < mp.inf else mp.mpf(1))
        skew = mp.zeros(d)
        for j, b in enumerate(order):
            lost = mp.mpf(0)
            for i in range(j + 1, d):
                a = order[i - 1]
                lost += mp.gamma(a + b) / mp.gamma(a + 1) / mp.gamma(b) / mp.mpf(2) ** (a + b) * law(a + b, x)
                skew[i, j] = law(b, x / 2) ** 2 - 2 * lost - law(order[i], x / 2) * law(b, x / 2)
                skew[j, i] = -skew[i, j]
        return mp.det(skew)

    return mp.sqrt(determinant(mp.mpf(x)) / determinant(mp.inf))


@pytest.mark.parametrize(("degrees", "d"), [(4, 4), (20.5, 20), (21, 20), (60, 12)])
def test_the_law_of_the_largest_wishart_eigenvalue_keeps_its_digits(degrees, d):
    for share in (0.8, 1.0):
        x = share * (np.sqrt(degrees) + np.sqrt(d)) ** 2
        with mp.workdps(20 + 4 * d):
            assert top_eigenvalue.wishart_cdf(x, degrees, d) == pytest.approx(
                float(closed_form(x, degrees, d)), abs=1e-11
            )


def test_larger_wishart_matrices_are_refused():
    with pytest.raises(ValueError, match="d must be from 1 to 100, got 101"):
        top_eigenvalue.wishart_cdf(300.0, 102, 101)


def test_laws_of_the_largest_wishart_eigenvalue_where_they_are_known():
    with mp.workdps(25):
        for x in (0.5, 3.0, 20.0):
            chi_square = mp.gammainc(mp.mpf(3) / 2, 0, mp.mpf(x) / 2, regularized=True)
            assert abs(exact.wishart_cdf(x, 3, 1) - chi_square) < 1e-20
            assert abs(exact.planar_cdf(x, 1, 1) - exact.wishart_cdf(x, 3, 2)) < 1e-18
            # a direction of almost no variance does not count
            assert abs(exact.planar_cdf(x, 1, mp.mpf(10) ** -8) - chi_square) < 1e-6
    assert top_eigenvalue.wishart_cdf(0.0, 3, 2) == exact.wishart_cdf(0, 3, 2) == 0


def ordered_mass(end, k, d):
    """Integral over ``end > t_1 > t_2``; one angle if ``k = 1``."""

    def weight(u):
        return mp.sin(u) ** (d - 2 * k)

    def given(t):
        if k == 1:
            return weight(t)
        rest = mp.quad(lambda u: weight(u) * (mp.sin(t) ** 2 - mp.sin(u) ** 2), [0, t], method="gauss-legendre")
        return weight(t) * rest

    return mp.quad(given, [0, end], method="gauss-legendre")


@pytest.mark.parametrize(("k", "d"), [(1, 2), (1, 5), (2, 4), (2, 7)])
def test_the_law_of_the_largest_sine_by_direct_integration(k, d):
    """Density ``prod w(v_i) |v_1 - v_2|`` with ``v = sin(t)^2``, so ``w dv = 2 sin(t)^(d - 2k) dt``."""
    with mp.workdps(15):
        for s in (0.25, 0.7):
            share = ordered_mass(mp.asin(s), k, d) / ordered_mass(mp.pi / 2, k, d)
            assert abs(exact.sine_cdf(s**2, k, d) - share) < 1e-11


@pytest.mark.parametrize("s", [0.5, 2.0, 5.0])
def test_norms_in_the_plane(s):
    rng = np.random.default_rng(5)
    with mp.workdps(20):
        for name, upper in (("laplace", rng.laplace(size=(10**5, 3))), ("gaussian", rng.standard_normal((10**5, 3)))):
            above = int(np.sum(linalg.spectral_norm(linalg.mirror(upper, 2)) > s))
            tail = getattr(symmetric_noise, f"{name}_norm_tail")(s, 2)
            assert Frequency(above, 10**5, 1.0).compatible(tail)


@pytest.mark.parametrize("d", [5, 20])
@pytest.mark.parametrize("eta", [0.5, 0.05])
def test_bounds_hold_in_higher_dimension(d, eta):
    rng, upper = np.random.default_rng(11), (TRIALS, d * (d + 1) // 2)

    def holds(norms, radius):
        assert Frequency(int(np.sum(norms > radius)), len(norms), eta).decide(0)

    holds(linalg.spectral_norm(linalg.mirror(rng.laplace(size=upper), d)), laplace_norm.radius(eta, d))
    holds(linalg.spectral_norm(linalg.mirror(rng.standard_normal(upper), d)), input_noise.gaussian_radius(eta, d))
    spectrum = 2.0 ** -np.arange(d)
    g = np.sqrt(spectrum)[:, None] * rng.standard_normal((TRIALS, d, 7))
    holds(linalg.spectral_norm(g) ** 2, wishart_tail.radius(np.log(d / eta), 7, np.sum(spectrum)))
    frame = haar(d, field="real", rng=rng)[:, :4]
    holds(linalg.spectral_norm(frame.T @ rng.laplace(size=(TRIALS, d, 6))), projected_laplace.radius(eta, 4, 6, 1))


def test_a_greedy_packing_is_at_least_as_large_as_promised():
    """More candidates than a maximal packing needs; the promise is about the best packing."""
    for k, d, s in ((1, 3, 0.5), (1, 4, 0.5), (2, 4, 0.6)):
        frames = haar(d, field="real", size=3000, rng=np.random.default_rng(3))[..., :k]
        kept = np.empty((0, d, d))
        for p in frames @ linalg.adjoint(frames):
            if np.all(linalg.spectral_norm(kept - p) > s):
                kept = np.concatenate([kept, p[None]])
        assert len(kept) >= np.exp(-log_ball(s, k, d))


def test_the_constant_of_the_laplace_tail_between_its_two_closed_ranges():
    """The bound falls in ``t``: from each level to the next it stays below the explicit form, until ``t = 4``."""
    level, steps = 1.6837, 0
    while level < 4:
        bound = laplace_entries.entry_tail(level)
        following = np.log(laplace_entries.EXCESS / bound)
        assert following > level + 1e-3
        level, steps = following, steps + 1
    assert steps == 17
