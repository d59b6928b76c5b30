"""References for the noise of mechanisms, by the definitions of the laws.

Scales come from lemmas and mechanisms: these references check the law of the noise, not its calibration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from dpspectra.audit.conformance import Marginal, Reference
from dpspectra.fast import linalg
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.formulas.covariance_l1 import upper_triangle_l1, upper_triangle_l2
from dpspectra.formulas.symmetric_wishart import scale as wishart_scale
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.mechanisms import wishart


def triangle_noise(kind: str, epsilon: float, delta: float = 0.0) -> Reference:
    """Return the law of ``X'X / n`` plus independent Laplace or normal noise on the upper triangle, ``X = x``.

    The scale is calibrated to the replacement of one row, for rows in the unit ball.

    Parameters
    ----------
    kind
        ``"laplace"`` or ``"normal"``.
    epsilon
        Privacy parameter of the claim, in nats.
    delta
        Probability that approximate privacy allows.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.choice(kind, "kind", ("laplace", "normal"))
    checks.epsilon(epsilon)
    checks.probability(delta, "delta", zero=kind == "laplace")

    def law(n: int, d: int) -> Any:
        if kind == "laplace":
            return stats.laplace(scale=upper_triangle_l1(d) / (n * epsilon))
        return stats.norm(scale=upper_triangle_l2(d) / (n * mu_for(epsilon, delta)))

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        full = law(n, d).rvs(size=(size, d, d), random_state=rng)
        return np.triu(full) + np.swapaxes(np.triu(full, 1), 1, 2)

    return _covariance(f"{kind} noise", noise, lambda n, d: {(0, 0): law(n, d).cdf, (0, d - 1): law(n, d).cdf})


def shaped_normal_noise(epsilon: float, delta: float) -> Reference:
    """Return the law of ``X'X / n`` plus normal noise of the smallest mean square (DPS-SHAPE), ``X = x``.

    From ``d^2`` independent normal numbers and one more for the trace.

    Parameters
    ----------
    epsilon
        Privacy parameter of the claim, in nats.
    delta
        Probability that approximate privacy allows.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.epsilon(epsilon)
    checks.probability(delta, "delta")

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        x, g = rng.normal(size=(size, d, d)), rng.normal(size=(size, 1, 1))
        z = (x + np.swapaxes(x, 1, 2)) / math.sqrt(2)
        traceless = z - np.trace(z, axis1=1, axis2=2)[:, None, None] / d * np.eye(d)
        return np.asarray((traceless + math.sqrt(2 / (d * (d + 1))) * g * np.eye(d)) / (n * mu_for(epsilon, delta)))

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        c = 1 / (n * mu_for(epsilon, delta))
        diagonal = stats.norm(scale=c * math.sqrt(2 * d / (d + 1))).cdf
        return {(0, 0): diagonal, (0, d - 1): stats.norm(scale=c).cdf if d > 1 else diagonal}

    return _covariance("normal noise of the best shape", noise, laws)


def tilted_difference(epsilon: float) -> Reference:
    """Return the law of ``X'X / n`` plus a difference of Wishart matrices tilted by its trace (DPS-TILT), ``X = x``.

    Draws are by rejection.

    Parameters
    ----------
    epsilon
        Privacy parameter of the claim, in nats.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.epsilon(epsilon)

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        found = np.empty((0, d, d))
        while len(found) < size:
            g = rng.normal(size=(2, size, d, d + 1))
            first, second = g @ np.swapaxes(g, -1, -2)
            apart = np.abs(np.trace(first - second, axis1=1, axis2=2))
            found = np.concatenate([found, (first - second)[rng.random(size) < np.exp(-apart / 2)]])
        return found[:size] / (n * epsilon)

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        """Return the laws of two entries and of the trace.

        The trace is a Gamma variable of shape ``2 D`` times a Beta variable ``(1, D)``, with either sign.
        """
        half = d * (d + 1) // 2
        nodes, weights = gauss_legendre(200)
        share, weights = (nodes + 1) / 2, weights * half * ((1 - nodes) / 2) ** (half - 1) / 4

        def cdf(x: Array) -> Array:
            size = stats.gamma(2 * half).cdf(np.abs(x)[..., None] * n * epsilon / share) @ weights
            return np.asarray(0.5 + np.sign(x) * size)

        return {(): cdf}

    return _covariance("tilted difference of Wishart matrices", noise, laws)


def knorm_noise(epsilon: float) -> Reference:
    """``X'X / n`` plus K-norm noise (DPS-KNORM), ``X = x``: a Gamma variable times a uniform point of the unit ball.

    The norm is ``max(tr Z_+, tr Z_-)``; its ball lies in a Euclidean one of radius ``sqrt 2``, whose points are tried.
    """
    checks.epsilon(epsilon)

    def norms(z: Array) -> Array:
        values = np.linalg.eigvalsh(z)
        return np.asarray(np.maximum(np.sum(values.clip(min=0), axis=-1), np.sum((-values).clip(min=0), axis=-1)))

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        free, found = d * (d + 1) // 2, np.empty((0, d, d))
        while len(found) < size:
            g = rng.normal(size=(size, d, d))
            z = g + np.swapaxes(g, 1, 2)
            z /= np.linalg.norm(z, axis=(1, 2))[:, None, None]
            z *= math.sqrt(2) * rng.random((size, 1, 1)) ** (1 / free)
            found = np.concatenate([found, z[norms(z) <= 1]])
        return np.asarray(found[:size] * rng.gamma(free + 1, size=(size, 1, 1)) / (n * epsilon))

    def marginals(x: ArrayLike) -> tuple[Marginal, ...]:
        """Return the law of the norm: a Gamma variable of shape ``d (d + 1) / 2``."""
        rows = np.asarray(x)
        n, d = rows.shape
        law = stats.gamma(d * (d + 1) // 2, scale=1 / (n * epsilon))
        return (Marginal("norm of the noise", lambda h: norms(h - rows.T @ rows / n), law.cdf),)

    return replace(_covariance("K-norm noise", noise, lambda n, d: {}), marginals=marginals)


def wishart_difference(epsilon: float) -> Reference:
    """Return the law of ``X'X / n`` plus the difference of Wishart matrices of ``d + 1`` degrees of freedom, ``X = x``.

    Parameters
    ----------
    epsilon
        Privacy parameter of the claim, in nats.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.epsilon(epsilon)

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        g = rng.normal(scale=math.sqrt(wishart_scale(n, d, epsilon)), size=(2, size, d, d + 1))
        first, second = g @ np.swapaxes(g, -1, -2)
        return np.asarray(first - second)

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        chi, c = stats.chi2(d + 1), wishart_scale(n, d, epsilon)
        nodes, weights = gauss_legendre(100)
        other = chi.isf(1e-13) * (nodes + 1) / 2
        weights = weights * chi.isf(1e-13) / 2 * chi.pdf(other)
        return {(0, 0): lambda x: chi.cdf(np.asarray(x)[..., None] / c + other) @ weights}

    return _covariance("difference of Wishart matrices", noise, laws)


def centred_wishart(epsilon: float, delta: float) -> Reference:
    """Return the law of ``X'X / n`` plus a Wishart matrix less its mean.

    It has the smallest sufficient degrees of freedom.

    Parameters
    ----------
    epsilon
        Privacy parameter of the claim, in nats.
    delta
        Probability that approximate privacy allows.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.epsilon(epsilon)
    checks.probability(delta, "delta")

    def shape(n: int, d: int) -> tuple[int, float]:
        degrees, shift = wishart.calibrated(d, epsilon, delta, None, "replace")
        return degrees, 1 / (n * shift)

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        degrees, c = shape(n, d)
        g = rng.normal(scale=math.sqrt(c), size=(size, d, degrees))
        return np.asarray(g @ np.swapaxes(g, -1, -2) - degrees * c * np.eye(d))

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        degrees, c = shape(n, d)
        return {(0, 0): stats.chi2(degrees, loc=-degrees * c, scale=c).cdf}

    return _covariance("Wishart matrix less its mean", noise, laws)


def noisy_spectrum(k: int, epsilon: float) -> Reference:
    """Return the law of the ``k`` largest eigenvalues of ``M = x`` with Laplace noise of scale ``2 / epsilon``.

    Noisy values are clipped at 0 and sorted.

    The marginals leave out the atom at 0: use them only with eigenvalues so large that nothing is clipped.

    Parameters
    ----------
    k
        Number of eigenvalues.
    epsilon
        Privacy parameter of the claim, in nats.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.integer(k, "k", 1)
    checks.epsilon(epsilon)

    def draw(m: ArrayLike, size: int, rng: np.random.Generator) -> Array:
        signs = rng.choice([-1.0, 1.0], size=(size, k))
        noisy = linalg.eigenvalues(np.asarray(m))[:k] + signs * rng.exponential(2 / epsilon, size=(size, k))
        return np.asarray(-np.sort(-np.maximum(noisy, 0.0), axis=1))

    def marginals(m: ArrayLike) -> tuple[Marginal, ...]:
        laws = [stats.laplace(value, 2 / epsilon) for value in linalg.eigenvalues(np.asarray(m))[:k]]
        return (
            Marginal("largest", lambda v: v[:, 0], lambda x: np.prod([law.cdf(x) for law in laws], axis=0)),
            Marginal("smallest", lambda v: v[:, -1], lambda x: 1 - np.prod([law.sf(x) for law in laws], axis=0)),
        )

    return Reference("noisy spectrum", draw, marginals)


def _covariance(
    name: str,
    noise: Callable[[int, int, int, np.random.Generator], Array],
    laws: Callable[[int, int], Mapping[tuple[int, ...], Callable[[Array], Array]]],
) -> Reference:
    """``X'X / n`` plus noise; ``laws`` are distribution functions of some of its entries, or of its trace, ``()``."""

    def draw(x: ArrayLike, size: int, rng: np.random.Generator) -> Array:
        rows = np.asarray(x)
        n, d = rows.shape
        return np.asarray(rows.T @ rows / n + noise(n, d, size, rng))

    def marginals(x: ArrayLike) -> tuple[Marginal, ...]:
        rows = np.asarray(x)
        n, d = rows.shape
        centre = rows.T @ rows / n

        def noise_at(place: tuple[int, ...]) -> Callable[[Array], Array]:
            if not place:
                return lambda h: np.trace(h - centre, axis1=1, axis2=2)
            i, j = place
            return lambda h: h[:, i, j] - centre[i, j]

        return tuple(
            Marginal(f"noise of entry {place}" if place else "noise of the trace", noise_at(place), cdf)
            for place, cdf in laws(n, d).items()
        )

    return Reference(name, draw, marginals)
