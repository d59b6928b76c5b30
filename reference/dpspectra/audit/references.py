"""Second implementations of the laws that the samplers and mechanisms of this package should follow.

A `Reference` draws from its law by another method than the sampler under test, and knows exact distribution functions
of some one-dimensional statistics; its input is called ``x``. `own_samplers` pairs each with its sampler; `conforms`
compares them. Do not draw from `dpspectra.sampling` here, except where a docstring says so: a shared fault would go
unseen. Noise scales do come from lemmas and mechanisms: these tests check the noise's law, not its calibration.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator

from dpspectra import checks, sampling
from dpspectra.audit.conformance import Marginal
from dpspectra.fast import linalg
from dpspectra.fast.frames import log_sphere_normaliser
from dpspectra.fast.gaussian import mu_for
from dpspectra.lemmas.sensitivity.covariance_l1 import upper_triangle_l1, upper_triangle_l2
from dpspectra.lemmas.wishart.symmetric import scale as wishart_scale
from dpspectra.mechanisms import wishart
from dpspectra.oracle import patterns
from dpspectra.sampling.methods import METHODS

Array = NDArray[Any]
PANELS = 80
"""Number of intervals on which a density is integrated; the tabulated distribution function is off by under 1e-6."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A law for every input: call it like a sampler, ``reference(x, size=..., rng=...)``."""

    name: str
    draw: Callable[[Any, int, np.random.Generator], Array]
    marginals: Callable[[Any], tuple[Marginal, ...]]
    """One-dimensional statistics whose exact distribution functions are known, for a given input."""

    def __call__(self, x: Any, *, size: int, rng: np.random.Generator) -> Array:
        """``size`` draws along the first axis."""
        return self.draw(x, size, rng)


def haar(field: str) -> Reference:
    """Uniform unitary or orthogonal matrices of dimension ``x``: polar factors of Gaussian matrices."""
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
    """Unit vectors with density proportional to ``exp(-v* A v)``, ``A = x``: see `unit_vectors`."""

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
    """Matrices ``H`` with these eigenvalues and density proportional to ``exp(kappa <M, H>)``, ``M = x``.

    The draws come from `dpspectra.sampling.orbit`: choose a ``method`` other than the one that is tested. Only the
    exact law of ``<M, H>``, on the complex orbit of at most five dimensions, is independent of every method.
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
    """Unit vectors of density ``exp(-sum_i a_i |v_i|^2)`` up to a constant, smallest ``a_i`` 0; shape ``(size, d)``.

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

    nodes, weights = np.polynomial.legendre.leggauss(3)
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


def triangle_noise(kind: str, epsilon: float, delta: float = 0.0) -> Reference:
    """``X'X / n`` plus independent ``"laplace"`` or ``"normal"`` noise on and above the diagonal, ``X = x``.

    The scale is calibrated to the replacement of one row, for rows in the unit ball.
    """
    checks.choice(kind, "kind", ("laplace", "normal"))
    checks.positive(epsilon, "epsilon")
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
    """``X'X / n`` plus normal noise of the shape that has the least mean square for this claim (DPS-SHAPE), ``X = x``.

    From ``d^2`` independent normal numbers and one more for the trace.
    """
    checks.positive(epsilon, "epsilon")
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
    """``X'X / n`` plus a difference of two Wishart matrices tilted by its trace (DPS-TILT), ``X = x``, by rejection."""
    checks.positive(epsilon, "epsilon")

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        found = np.empty((0, d, d))
        while len(found) < size:
            g = rng.normal(size=(2, size, d, d + 1))
            first, second = g @ np.swapaxes(g, -1, -2)
            apart = np.abs(np.trace(first - second, axis1=1, axis2=2))
            found = np.concatenate([found, (first - second)[rng.random(size) < np.exp(-apart / 2)]])
        return found[:size] / (n * epsilon)

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        """The trace is a Gamma variable of shape ``2 D`` times a Beta variable ``(1, D)``, with either sign."""
        half = d * (d + 1) // 2
        nodes, weights = np.polynomial.legendre.leggauss(200)
        share, weights = (nodes + 1) / 2, weights * half * ((1 - nodes) / 2) ** (half - 1) / 4

        def cdf(x: Array) -> Array:
            size = stats.gamma(2 * half).cdf(np.abs(x)[..., None] * n * epsilon / share) @ weights
            return np.asarray(0.5 + np.sign(x) * size)

        return {(): cdf}

    return _covariance("tilted difference of Wishart matrices", noise, laws)


def wishart_difference(epsilon: float) -> Reference:
    """``X'X / n`` plus the difference of two Wishart matrices of ``d + 1`` degrees of freedom, ``X = x``."""
    checks.positive(epsilon, "epsilon")

    def noise(n: int, d: int, size: int, rng: np.random.Generator) -> Array:
        g = rng.normal(scale=math.sqrt(wishart_scale(n, d, epsilon)), size=(2, size, d, d + 1))
        first, second = g @ np.swapaxes(g, -1, -2)
        return np.asarray(first - second)

    def laws(n: int, d: int) -> dict[tuple[int, ...], Callable[[Array], Array]]:
        chi, c = stats.chi2(d + 1), wishart_scale(n, d, epsilon)
        nodes, weights = np.polynomial.legendre.leggauss(100)
        other = chi.isf(1e-13) * (nodes + 1) / 2
        weights = weights * chi.isf(1e-13) / 2 * chi.pdf(other)
        return {(0, 0): lambda x: chi.cdf(np.asarray(x)[..., None] / c + other) @ weights}

    return _covariance("difference of Wishart matrices", noise, laws)


def centred_wishart(epsilon: float, delta: float) -> Reference:
    """``X'X / n`` plus a Wishart matrix less its mean, with the smallest sufficient degrees of freedom."""
    checks.positive(epsilon, "epsilon")
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
    """The ``k`` largest eigenvalues of ``M = x`` with Laplace noise of scale ``2 / epsilon``, clipped and sorted.

    The marginals leave out the atom at 0: use them only with eigenvalues so large that nothing is clipped.
    """
    checks.integer(k, "k", 1)
    checks.positive(epsilon, "epsilon")

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
