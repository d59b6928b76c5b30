"""Real orbits of two values: one envelope near the most likely subspace, another one away from it.

In the chart of `dpspectra.sampling.ball_chart` the real law has the density
``exp(-sum_ij G_ij Y_ij^2) |I - Y'Y|^(-1/2)``, ``G_ij = a_(k+i) - a_j``. Where ``|Y|^2 <= rho``, convexity gives
``-log(1-t)/2 <= chord t`` for every eigenvalue ``t`` of ``Y'Y``, ``chord = -log(1-rho)/(2 rho)``: a Gaussian envelope
of precisions ``G_ij - chord``. Where ``|Y|^2 > rho``, ``sum G_ij Y_ij^2 >= h rho + sum (G_ik - h) Y_ij^2`` for any
``h <= G_1k``, as the squared Frobenius norm is above ``rho``: an angular central Gaussian envelope. A part is chosen in
proportion to the mass of its envelope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.bingham_laws import log_chart_mass, trace_form
from dpspectra.fast.linalg import eigenvalues
from dpspectra.sampling import ball_chart
from dpspectra.sampling import matrix_angular_gaussian as angular
from dpspectra.sampling.matrix_angular_gaussian import Envelope
from dpspectra.sampling.rejection import Proposals, Rejection

RADII = np.linspace(0.05, 0.95, 19)
"""Values tried for ``rho``."""
SHARES = np.linspace(0.0, 1.0, 11)
"""Values tried for ``h``, in units of the gap ``G_1k``."""
BETAS = np.geomspace(1 / 64, 4.0, 49)
"""Values tried for ``beta``, in units of ``nu = d/2``."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Both envelopes, above ``exp(sum_j<=k a_j - Tr X' diag(a) X)`` in their regions."""

    rho: float
    chord: float
    log_inner: float
    """Mass of the inner envelope, in units of the Lebesgue measure of the chart."""
    outer: Envelope
    log_outer: float
    """Mass of the outer one, in the same units."""


def refusal(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    return angular.refusal(values, spectrum, kappa)


def frames(exponents: NDArray[Any], k: int) -> Rejection:
    """Sampler of real frames ``(d, k)``, density proportional to ``exp(-Tr X' diag(a) X)``, ``a`` ascending from 0.

    Without a better pair of parts this is `dpspectra.sampling.matrix_angular_gaussian`.
    """
    parts, cover = best_parts(exponents, k), angular.envelope(exponents, k, "real")
    alone = cover.log_mass + float(np.sum(exponents[:k])) + log_chart_mass(len(exponents), k)
    if parts is None or alone <= np.logaddexp(parts.log_inner, parts.log_outer):
        return angular.frames(exponents, k, "real")
    share = np.exp(parts.log_inner - np.logaddexp(parts.log_inner, parts.log_outer))

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        inside = rng.random(count) < share
        proposals, log_ratio = np.empty((count, len(exponents), k)), np.empty(count)
        proposals[inside], log_ratio[inside] = inner(parts, exponents, k, int(inside.sum()), rng)
        proposals[~inside], log_ratio[~inside] = outer(parts, exponents, k, int((~inside).sum()), rng)
        return proposals, np.log(rng.random(count)) < log_ratio

    return Rejection(propose, len(exponents) * k, angular.orthonormal)


def inner(
    parts: Parts, exponents: NDArray[Any], k: int, count: int, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Proposals of the inner envelope, as frames, and the log-ratio of the target to it (``-inf`` outside)."""
    precisions = ball_chart.rates(exponents, k) - parts.chord
    y = rng.standard_normal((count, *precisions.shape)) / np.sqrt(2 * precisions)
    squares = eigenvalues(np.swapaxes(y, -1, -2) @ y)
    here = squares[..., 0] <= parts.rho
    squares = np.where(here[:, None], squares, 0.0)
    log_ratio = np.sum(-0.5 * np.log1p(-squares) - parts.chord * squares, axis=-1)
    return ball_chart.completed(np.where(here[:, None, None], y, 0.0)), np.where(here, log_ratio, -np.inf)


def outer(
    parts: Parts, exponents: NDArray[Any], k: int, count: int, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Proposals of the outer envelope, as frames, and the log-ratio of the target to it (``-inf`` outside)."""
    x = angular.orthonormal(angular.spans(parts.outer, (count, len(exponents), k), "real", rng))
    below = x[:, k:]
    here = eigenvalues(np.swapaxes(below, -1, -2) @ below)[..., 0] > parts.rho
    target = np.sum(exponents[:k]) - trace_form(x, exponents)
    return x, np.where(here, target - parts.outer.log_height + angular.log_power(parts.outer, x), -np.inf)


def best_parts(exponents: NDArray[Any], k: int) -> Parts | None:
    """Return the pair of smallest total mass on the grids; None where no Gaussian covers the inner part."""
    gaps = ball_chart.rates(exponents, k)
    covers = [(h, _cover(exponents, k, h)) for h in SHARES * gaps[0, k - 1]]
    tried = [parts for rho in RADII if (parts := _parts(gaps, float(rho), covers)) is not None]
    return min(tried, key=lambda parts: np.logaddexp(parts.log_inner, parts.log_outer), default=None)


def _cover(exponents: NDArray[Any], k: int, h: float) -> Envelope:
    """Return the best envelope above ``exp(-sum (G_ik - h) Y_ij^2)``."""
    nu = len(exponents) / 2
    minorant = np.concatenate([np.zeros(k), exponents[k:] - exponents[k - 1] - h])
    masses = angular.log_envelope_mass(minorant, nu * BETAS, nu, k)
    beta = float(nu * BETAS[np.argmin(masses)])
    return Envelope(nu, beta, minorant, float(angular.log_supremum(minorant, beta, nu, k)), float(np.min(masses)))


def _parts(gaps: NDArray[Any], rho: float, covers: list[tuple[float, Envelope]]) -> Parts | None:
    chord = -np.log1p(-rho) / (2 * rho)
    if not gaps[0, -1] > chord:
        return None
    log_inner = float(np.sum(np.log(np.pi / (gaps - chord)))) / 2
    h, cover = min(covers, key=lambda pair: pair[1].log_mass - pair[0] * rho)
    outer = replace(cover, log_height=cover.log_height - h * rho, log_mass=cover.log_mass - h * rho)
    return Parts(rho, chord, log_inner, outer, outer.log_mass + log_chart_mass(sum(gaps.shape), gaps.shape[1]))
