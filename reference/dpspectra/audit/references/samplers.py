"""Laws of samplers: Haar measure, unit vectors, matrices on an orbit."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import ArrayLike
from scipy import stats
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from dpspectra import sampling
from dpspectra.audit.conformance import Marginal, Reference
from dpspectra.fast import linalg
from dpspectra.fast.bingham_laws import log_sphere_normaliser
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.oracle import patterns
from dpspectra.sampling.methods import METHODS

PANELS = 80
"""Number of intervals on which a density is integrated; the tabulated distribution function is off by under 1e-6."""


def haar(field: str) -> Reference:
    """Return the law of uniform unitary or orthogonal matrices of dimension ``x``: polar factors of Gaussian matrices.

    Parameters
    ----------
    field
        ``"real"`` or ``"complex"`` matrices.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    half = {"complex": 1.0, "real": 0.5}[checks.choice(field, "field", ("complex", "real"))]

    def draw(d: int, size: int, rng: np.random.Generator) -> Array:
        return linalg.polar_factor(_gaussian((size, d, d), field, rng))

    def marginals(d: int) -> tuple[Marginal, ...]:
        law = stats.beta(half, half * (d - 1))
        marginals = [Marginal("squared first entry", lambda u: np.abs(u[:, 0, 0]) ** 2, law.cdf)]
        marginals += [Marginal("squared last entry", lambda u: np.abs(u[:, -1, -1]) ** 2, law.cdf)]
        if field == "complex":
            turn = stats.uniform(-math.pi, 2 * math.pi)
            marginals += [Marginal("phase of the first entry", lambda u: np.angle(u[:, 0, 0]), turn.cdf)]
            marginals += [Marginal("phase of the determinant", lambda u: np.angle(np.linalg.det(u)), turn.cdf)]
        return tuple(marginals)

    return Reference(f"{field} Haar law", draw, marginals)


def bingham() -> Reference:
    """Return the law of unit vectors with density proportional to ``exp(-v* A v)``, ``A = x``: see `unit_vectors`.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """

    def draw(a: ArrayLike, size: int, rng: np.random.Generator) -> Array:
        values, vectors = linalg.eigenvectors(np.asarray(a))
        return unit_vectors(values - values[-1], np.iscomplexobj(a), size, rng) @ vectors.T

    def marginals(a: ArrayLike) -> tuple[Marginal, ...]:
        values, vectors = linalg.eigenvectors(np.asarray(a))
        half = 1.0 if np.iscomplexobj(a) else 0.5

        def overlap(j: int) -> Callable[[Array], Array]:
            return lambda v: np.abs(v @ vectors[:, j].conj()) ** 2

        return tuple(
            Marginal(f"squared inner product with eigenvector {j + 1}", overlap(j), coordinate_cdf(values, j, half))
            for j in range(len(values))
        )

    return Reference("Bingham law", draw, marginals)


def orbit(eigenvalues: Sequence[float], kappa: float, field: str, method: str = "auto") -> Reference:
    """Return the law of matrices ``H`` of these eigenvalues with density ``~ exp(kappa <M, H>)``, ``M = x``.

    The draws come from `dpspectra.sampling.orbit`: choose a ``method`` other than the one that is tested. Only the
    exact law of ``<M, H>``, on the complex orbit of at most five dimensions, is independent of every method.

    Parameters
    ----------
    eigenvalues
        The public spectrum, descending.
    kappa
        Inverse temperature.
    field
        ``"real"`` or ``"complex"`` matrices.
    method
        The way of `dpspectra.sampling.orbit` to draw.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    spectrum = tuple(checks.spectrum(eigenvalues, np.size(eigenvalues)).tolist())
    checks.non_negative(kappa, "kappa")
    checks.choice(field, "field", ("complex", "real"))
    checks.choice(method, "method", ("auto", *METHODS))

    def draw(m: ArrayLike, size: int, rng: np.random.Generator) -> Array:
        return sampling.orbit(m, spectrum, kappa, size=size, field=field, method=method, rng=rng)

    def marginals(m: ArrayLike) -> tuple[Marginal, ...]:
        gamma = tuple(linalg.eigenvalues(np.asarray(m)).tolist())
        if field == "real" or len(spectrum) > 5:
            return ()
        cdf = utility_cdf(gamma, spectrum, kappa)
        return (Marginal("inner product with M", lambda h: linalg.inner(np.asarray(m), h), cdf),)

    return Reference(f"{field} orbit by {method}", draw, marginals)


def unit_vectors(exponents: Array, is_complex: bool, size: int, rng: np.random.Generator) -> Array:
    """Draw unit vectors of density ``exp(-sum_i a_i |v_i|^2)`` up to a constant; shape ``(size, d)``.

    The smallest ``a_i`` is 0.

    Normalised Gaussian vectors of precisions ``1 + a_i / b`` have density ``(1 + s / b)^(-q)`` up to a constant,
    ``s = sum_i a_i |v_i|^2``, ``q`` half the real dimension. A proposal is kept with probability proportional to the
    quotient of the two densities, which is largest at ``s = q - b``. Any ``b`` up to ``q`` will do.
    """
    coordinate = 1.0 if is_complex else 0.5
    q = coordinate * len(exponents)
    b = max(coordinate, q - float(np.max(exponents)) / 2)

    def log_quotient(s: Any) -> Any:
        return q * np.log1p(s / b) - s

    top = float(log_quotient(q - b))
    kept = np.empty((0, len(exponents)), dtype=complex if is_complex else float)
    while len(kept) < size:
        v = _gaussian((2 * size + 64, len(exponents)), "complex" if is_complex else "real", rng)
        v /= np.sqrt(1 + exponents / b)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        s = np.sum(exponents * np.abs(v) ** 2, axis=1)
        kept = np.concatenate([kept, v[rng.exponential(size=len(v)) > top - log_quotient(s)]])
    return kept[:size]


def coordinate_cdf(exponents: Array, j: int, half: float) -> Callable[[Array], Array]:
    """Distribution function of ``|v_j|^2`` under ``exp(-sum_i a_i |v_i|^2)``; ``half`` is 1/2 over the reals, else 1.

    With ``|v_j|^2 = sin(t)^2`` the other coordinates form a vector of length ``cos(t)`` on a smaller sphere, over which
    the mean of the exponential is known. For exponents that differ by at most 32, and ``d >= 2``.
    """
    rest = sorted(np.delete(exponents, j).tolist())
    return _coordinate_cdf(float(exponents[j]), tuple(rest), half)


@functools.lru_cache(maxsize=64)
def _coordinate_cdf(own: float, others: tuple[float, ...], half: float) -> Callable[[Array], Array]:
    rest, lowest = np.array(others), min(own, *others)

    def density(t: Array) -> Array:
        sine, cosine = np.sin(t), np.maximum(np.cos(t), 0.0)
        means = np.array([log_sphere_normaliser(c**2 * rest, half) for c in cosine.ravel()]).reshape(t.shape)
        jacobian = sine ** (2 * half - 1) * cosine ** (2 * half * len(rest) - 1)
        return jacobian * np.exp(means - own * sine**2 + lowest)

    nodes, weights = gauss_legendre(3)
    ends = np.linspace(0.0, math.pi / 2, PANELS + 1)
    masses = density(ends[:-1, None] + ends[1] * (nodes + 1) / 2) @ weights * ends[1] / 2
    total = masses.sum()
    spline = CubicHermiteSpline(ends, np.concatenate([[0.0], np.cumsum(masses)]) / total, density(ends) / total)
    return lambda s: spline(np.arcsin(np.sqrt(np.clip(s, 0, 1))))


@functools.lru_cache(maxsize=64)
def utility_cdf(gamma: tuple[float, ...], spectrum: tuple[float, ...], kappa: float) -> Callable[[Array], Array]:
    """Distribution function of ``<M, H>`` on the complex orbit, ``M`` of spectrum ``gamma``; exact, tabulated.

    The nodes are denser near the maximum, where the law is concentrated.
    """
    best = float(np.dot(gamma, spectrum))
    widest = best - float(np.dot(gamma, spectrum[::-1]))
    gaps = widest * np.linspace(0.0, 1.0, 3 * PANELS + 1) ** 3
    with mp.workdps(20):
        tails = [float(patterns.gap_tail(gamma, spectrum, mp.mpf(kappa), mp.mpf(float(g)))) for g in gaps]
    spline = PchipInterpolator(gaps, tails)
    return lambda u: spline(np.clip(best - np.asarray(u), 0.0, widest))


def _gaussian(shape: tuple[int, ...], field: str, rng: np.random.Generator) -> Array:
    real = rng.normal(size=shape)
    return real if field == "real" else real + 1j * rng.normal(size=shape)
