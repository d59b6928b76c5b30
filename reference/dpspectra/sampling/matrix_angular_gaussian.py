"""Orbits of two values at low concentration, both fields: rejection from a matrix angular central Gaussian law.

The span of ``G`` with independent Gaussian rows of variances ``1/omega_i`` has density
``|Omega|^(k nu/d) |X* Omega X|^-nu`` under the Haar law, ``nu = d/2`` (real) or ``d`` (complex). With
``Omega = A' + beta I`` and ``s_i`` the ascending eigenvalues of ``X* A' X``, the ratio of ``exp(-Tr X* A' X)`` to the
power is ``exp sum_i h(s_i)``, ``h(s) = -s + nu log(s + beta)``. As ``h`` is concave with its peak at ``nu - beta``, and
``a'_i <= s_i <= a'_(d-k+i)``, the largest ratio is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from dpspectra.fast.bingham_laws import log_gram, trace_form
from dpspectra.sampling.frame_law import TWO_VALUES, frame_law
from dpspectra.sampling.haar import gaussian
from dpspectra.sampling.rejection import Proposals, Rejection


@dataclass(frozen=True, slots=True)
class Envelope:
    """A matrix angular central Gaussian law above ``exp(-Tr X* diag(a) X)``, a multiple of it.

    ``a_i = a'_i + min(a_i, floor)``, and the second part contributes at least the sum of its ``k`` smallest entries, so
    that ``a'`` takes the place of ``a`` in the power.
    """

    nu: float
    beta: float
    minorant: NDArray[Any]
    """The ``a'``."""
    log_height: float
    """Largest log-ratio of the target to ``|X* Omega X|^-nu``."""
    log_mass: float
    """Logarithm of the mass of the envelope under the Haar law; the acceptance is the mass of the target over it."""


def refusal(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    return TWO_VALUES if frame_law(values, spectrum, kappa) is None else None


def frames(exponents: NDArray[Any], k: int, field: str = "complex") -> Rejection:
    """Sampler of frames ``(d, k)``, density proportional to ``exp(-Tr X* diag(a) X)``, ``a`` ascending from 0."""
    cover = envelope(exponents, k, field)

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        g = spans(cover, (count, len(exponents), k), field, rng)
        log_ratio = -trace_form(g, exponents) - cover.log_height + log_power(cover, g)
        return g, np.log(rng.random(count)) < log_ratio

    return Rejection(propose, len(exponents) * k, orthonormal)


def envelope(exponents: NDArray[Any], k: int, field: str) -> Envelope:
    """Return the best envelope with a floor among the ``k`` smallest exponents and the best ``beta`` for it."""
    floors = np.unique(exponents[:k])
    candidates = (_best(exponents, np.minimum(exponents, floor), k, field) for floor in floors)
    return min(candidates, key=lambda cover: cover.log_mass)


def _best(exponents: NDArray[Any], rest: NDArray[Any], k: int, field: str) -> Envelope:
    d = len(exponents)
    nu = d / 2 if field == "real" else float(d)
    minorant, offset = exponents - rest, float(np.sum(rest[:k]))

    def log_mass(log_beta: float) -> float:
        return float(log_envelope_mass(minorant, np.exp(log_beta), nu, k))

    bounds = (np.log(nu / d) - 2, np.log(nu) + 1)
    beta = float(np.exp(minimize_scalar(log_mass, bounds=bounds, method="bounded").x))
    height = float(log_supremum(minorant, beta, nu, k)) - offset
    return Envelope(nu, beta, minorant, height, log_mass(np.log(beta)) - offset)


def log_supremum(minorant: NDArray[Any], beta: Any, nu: float, k: int) -> Any:
    """Bound on ``-Tr X* A' X + nu log |X* Omega X|``, attained for diagonal ``X``; ``beta`` of any shape."""
    b, low, high = np.asarray(beta)[..., None], minorant[:k], minorant[len(minorant) - k :]
    s = np.clip(nu - b, low, high)
    return np.sum(nu * np.log(s + b) - s, axis=-1)


def log_envelope_mass(minorant: NDArray[Any], beta: Any, nu: float, k: int) -> Any:
    """`log_supremum` less the logarithm of the constant ``|Omega|^(k nu/d)`` of the density."""
    logs = np.sum(np.log(minorant + np.asarray(beta)[..., None]), axis=-1)
    return log_supremum(minorant, beta, nu, k) - k * nu / len(minorant) * logs


def spans(cover: Envelope, shape: tuple[int, ...], field: str, rng: np.random.Generator) -> NDArray[Any]:
    """Matrices ``G`` of shape ``(size, d, k)`` whose span has the law of the envelope."""
    return gaussian(shape, field, rng) * ((cover.minorant + cover.beta) ** -0.5)[:, None]


def log_power(cover: Envelope, g: NDArray[Any]) -> NDArray[Any]:
    """``nu log |X* Omega X|`` for frames ``X`` of the spans of ``g``."""
    return cover.nu * log_gram(g, cover.minorant + cover.beta)


def orthonormal(g: NDArray[Any]) -> NDArray[Any]:
    """Frames of the spans of ``g``, shape ``(..., d, k)``."""
    return np.linalg.qr(g)[0]
