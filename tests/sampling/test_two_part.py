"""Real planes in two parts, and their envelopes, against exact moments and against sabotage."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from dpspectra import sampling
from dpspectra.fast.bingham_laws import trace_form
from dpspectra.sampling import matrix_angular_gaussian, two_part
from tests.support.helpers import ALARM
from tests.support.moments import LIMIT, MANY, deviations, utility


# --- planes in real four-space -------------------------------------------------------------------------------------
@cache
def plane_cumulants(values, kappa):
    """Cumulants of ``<M, H>`` for real projectors of rank 2 at d = 4.

    Plane and orientation are a pair of unit vectors ``u, v`` in three-space (self-dual and anti-self-dual part of the
    bivector), uniform and independent, with ``2 <M, H> = Tr M + sum_i c_i u_i v_i``, and the mean over ``v`` of the
    exponential of ``r . v`` is ``sinh |r| / |r|``.
    """
    a, b, c, d = values
    weights = np.array([a + b - c - d, a - b + c - d, a - b - c + d])
    z, w = np.polynomial.legendre.leggauss(200)
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    s = np.sqrt(1 - z**2)[:, None]
    length = np.sqrt(
        (weights[0] * s * np.cos(angle)) ** 2 + (weights[1] * s * np.sin(angle)) ** 2 + (weights[2] * z[:, None]) ** 2
    )

    def log_mean(t):
        r = t * length / 2
        top = r.max()
        return (
            t * sum(values) / 2
            + top
            + np.log(np.mean(np.sum(w[:, None] * np.exp(r - top) * -np.expm1(-2 * r) / r, axis=0)) / 4)
        )

    h = 0.02 * kappa
    f = [log_mean(kappa + j * h) for j in range(-2, 3)]
    mean = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    variance = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h**2)
    return mean, variance, (f[0] - 4 * f[1] + 6 * f[2] - 4 * f[3] + f[4]) / h**4


PLANES = [((3, 2, 1, 0), 1.0), ((3, 2, 1, 0), 8.0), ((5, 5, 0, 0), 3.0), ((4, 1, 1, 0), 2.0), ((9, 8, 1, 0), 4.0)]


@pytest.mark.parametrize(("values", "kappa"), PLANES)
@pytest.mark.parametrize("method", ["macg", "two_part"])
def test_real_planes_have_their_exact_moments(values, kappa, method):
    m = np.diag(np.array(values, float))
    h = sampling.orbit(m, [1, 1, 0, 0], kappa, size=MANY, method=method, rng=2)
    assert h.dtype == float
    assert max(deviations(utility(h, values), *plane_cumulants(values, kappa))) < LIMIT
    assert np.abs(np.linalg.eigvalsh(h[:500])[:, ::-1] - [1, 1, 0, 0]).max() < 1e-12


@pytest.mark.parametrize(
    ("exponents", "k"), [([0, 0, 0, 12, 12, 12], 3), ([0, 1, 2, 12, 14, 15, 18], 3), ([0, 2, 9, 9, 10, 30], 2)]
)
def test_real_methods_agree(exponents, k):
    a = np.array(exponents, float)
    assert two_part.best_parts(a, k) is not None
    rng = np.random.default_rng(3)
    x, y = two_part.frames(a, k).sample(6000, rng), matrix_angular_gaussian.frames(a, k, "real").sample(6000, rng)
    for f in (
        lambda z: np.einsum("i,nij->n", a, z**2),
        *(lambda z, i=i: np.sum(z[:, i] ** 2, axis=1) for i in range(len(a))),
    ):
        assert stats.ks_2samp(f(x), f(y)).pvalue > ALARM


@pytest.mark.parametrize("d", [4, 7])
def test_real_targets_stay_below_both_envelopes(d):
    rng = np.random.default_rng(4)
    for k in (2, 3):
        for scale in (2.0, 8.0, 40.0):
            a = np.concatenate([np.zeros(1), np.sort(rng.exponential(scale, d - 1))])
            a[k:] += scale
            cover = matrix_angular_gaussian.envelope(a, k, "real")
            g = np.concatenate(
                [
                    rng.standard_normal((500, d, k)),
                    np.eye(d)[rng.permuted(np.tile(np.arange(d), (50, 1)), axis=1)[:, :k]].swapaxes(1, 2),
                ]
            )
            assert np.all(matrix_angular_gaussian.log_power(cover, g) - trace_form(g, a) <= cover.log_height + 1e-9)
            parts = two_part.best_parts(a, k)
            if parts is not None:
                for part in (two_part.inner, two_part.outer):
                    assert np.all(part(parts, a, k, 500, rng)[1] <= 1e-9)


@pytest.mark.parametrize("mutant", ["jacobian", "inside", "mass"])
def test_a_forgotten_factor_of_the_real_envelopes_is_noticed(monkeypatch, mutant):
    values, kappa = (3, 2, 1, 0), 4.0
    exact = plane_cumulants(values, kappa)
    inner, parts = two_part.inner, two_part._parts

    def without_jacobian(found, exponents, k, count, rng):
        x, log_ratio = inner(found, exponents, k, count, rng)
        below = np.sum(x[:, k:] ** 2, axis=(1, 2))
        return x, np.where(np.isfinite(log_ratio), -found.chord * below, -np.inf)

    def everywhere(found, exponents, k, count, rng):
        return inner(found, exponents, k, count, rng)[0], np.zeros(count)

    def twice_the_mass(*arguments):
        found = parts(*arguments)
        return found and replace(found, log_inner=found.log_inner + 1)

    target, replacement = {
        "jacobian": ("inner", without_jacobian),
        "inside": ("inner", everywhere),
        "mass": ("_parts", twice_the_mass),
    }[mutant]
    monkeypatch.setattr(two_part, target, replacement)
    h = sampling.orbit(np.diag(np.array(values, float)), [1, 1, 0, 0], kappa, size=100_000, method="two_part", rng=6)
    assert max(deviations(utility(h, values), *exact)) > 2 * LIMIT
