"""Unit vectors with density proportional to ``exp(-x* A x)``, by rejection from an angular central Gaussian law."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from dpspectra.ground import checks, memory
from dpspectra.sampling.frame_law import frame_law
from dpspectra.sampling.haar import gaussian
from dpspectra.sampling.rejection import Proposals, Rejection


def bingham(A: ArrayLike, *, size: int | None = None, rng: checks.Rng = None) -> NDArray[Any]:
    """Draw unit vectors with density proportional to ``exp(-x* A x)`` on the sphere.

    Parameters
    ----------
    A
        Real symmetric ``(d, d)`` (vectors on the real sphere) or complex Hermitian (on the complex one). Adding a
        multiple of the identity changes nothing.
    size
        Number of draws; None for one without a leading axis.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        ``(d,)``, or ``(size, d)``.

    Raises
    ------
    ValueError
        If ``A`` is not a finite Hermitian matrix, or ``size`` is negative.

    Examples
    --------
    >>> x = bingham(np.diag([0.0, 3.0]), size=4)
    >>> x.shape, np.allclose(np.linalg.norm(x, axis=1), 1)
    ((4, 2), True)

    """
    a = checks.hermitian(A, "A")
    count = 1 if size is None else checks.integer(size, "size", 0)
    memory.require(a.itemsize * len(a) * count, "size", size)
    values, vectors = np.linalg.eigh(a)
    field = "complex" if np.iscomplexobj(a) else "real"
    out = unit_vectors(values, field).sample(count, checks.generator(rng)) @ vectors.T
    return out[0] if size is None else out


def refusal(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> str | None:
    """Why the method cannot serve an orbit, if so; nothing is drawn."""
    law = frame_law(values, spectrum, kappa)
    return "the spectrum must agree in all places but one" if law is None or law.k > 1 else None


def frames(exponents: NDArray[Any], k: int, field: str = "complex") -> Rejection:
    """`unit_vectors` as frames ``(d, 1)``; ``k`` is 1."""
    return replace(unit_vectors(exponents, field), finish=lambda x: x[..., None])


def unit_vectors(exponents: NDArray[Any], field: str) -> Rejection:
    """Sampler of unit vectors with density proportional to ``exp(-sum_i a_i |x_i|^2)``.

    With smallest exponent 0, ``s`` the exponent of a proposal and ``nu = d/2`` (real) or ``d`` (complex), the envelope
    ``(1 + s/b)^-nu`` is the density of a normalised Gaussian with precisions ``1 + a_i/b``. As ``s - nu log(1+s/b)`` is
    smallest at ``s = nu - b``, a proposal is accepted with probability ``exp(-s) (1+s/b)^nu / exp(b-nu) (nu/b)^nu``.
    The sign of the power matters: the envelope is divided out. The best ``b`` solves
    ``sum_i (nu/d) / (b + a_i) = 1``.
    """
    a = np.asarray(exponents, dtype=float) - np.min(exponents)
    half = 0.5 if field == "real" else 1.0
    nu = half * len(a)
    b = _tuning(a, half)
    scales = 1 / np.sqrt(1 + a / b)
    most = b - nu + nu * np.log(nu / b)

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        x = gaussian((count, len(a)), field, rng) * scales
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        s = np.abs(x) ** 2 @ a
        return x, np.log(rng.random(count)) < -s + nu * np.log1p(s / b) - most

    return Rejection(propose, len(a), lambda x: x)


def _tuning(a: NDArray[Any], half: float) -> float:
    """Root ``b`` of ``sum half / (b + a_i) = 1``; it lies in ``[half, half d]`` because the smallest exponent is 0."""

    def excess(b: float) -> float:
        return float(np.sum(half / (b + a))) - 1

    low, high = half, half * len(a)
    return high if excess(high) >= 0 else low if excess(low) <= 0 else float(brentq(excess, low, high))
