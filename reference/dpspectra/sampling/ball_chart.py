"""Complex orbits of two values, concentrated: a Gaussian matrix conditioned on spectral norm at most 1.

Write the span of a frame as that of ``[(I - Y*Y)^(1/2); Y]`` with ``Y`` of shape ``(d-k, k)``. A block of that shape
of a Haar unitary matrix has density ``|I - Y*Y|^0``, so Haar measure on subspaces is Lebesgue measure on the ball
``|Y| <= 1``. With exponents ``a``, ascending,
``Tr X* diag(a) X = sum_j a_j + sum_ij (a_(k+i) - a_j) |Y_ij|^2``: for this the root must be the Hermitian one, as
``Tr diag(a) C C*`` and ``Tr diag(a) C* C`` differ for a triangular ``C``. So the entries of ``Y`` are independent
complex Gaussians, of variance ``1 / (a_(k+i) - a_j)``, given that ``|Y| <= 1``. With ``k = 1`` these are exponential
squared moduli on the simplex.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from dpspectra.fast.linalg import adjoint, eigenvalues
from dpspectra.sampling.frame_law import TWO_VALUES, frame_law
from dpspectra.sampling.haar import gaussian
from dpspectra.sampling.rejection import Proposals, Rejection

HOPELESS = 1e-6
"""Acceptance below which the method refuses."""


def refusal(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    law = frame_law(values, spectrum, kappa)
    if law is None:
        return TWO_VALUES
    gap = law.exponents[law.k] - law.exponents[law.k - 1]
    if not gap > 0:
        return f"the eigenvalue gap of M at {law.k}, times kappa, must be positive"
    hopeless = log_acceptance_bound(law.exponents, law.k) < np.log(HOPELESS)
    return f"it would accept a share below {HOPELESS:g} of its proposals" if hopeless else None


def frames(exponents: NDArray[Any], k: int) -> Rejection:
    """Sampler of complex frames ``(d, k)``, density proportional to ``exp(-Tr X* diag(a) X)``, ``a`` ascending."""
    scales = rates(exponents, k) ** -0.5

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        y = gaussian((count, *scales.shape), "complex", rng) * scales
        return y, eigenvalues(adjoint(y) @ y)[..., 0] <= 1

    return Rejection(propose, scales.size, completed)


def rates(exponents: NDArray[Any], k: int) -> NDArray[Any]:
    """``a_(k+i) - a_j``, shape ``(d-k, k)``."""
    return exponents[k:, None] - exponents[None, :k]


def completed(y: NDArray[Any]) -> NDArray[Any]:
    """The frame ``[(I - Y*Y)^(1/2); Y]`` of ``Y`` in the ball, shape ``(..., d, k)``."""
    squares, vectors = np.linalg.eigh(adjoint(y) @ y)
    root = (vectors * np.sqrt(np.maximum(1 - squares, 0))[..., None, :]) @ adjoint(vectors)
    return np.concatenate([root, y], axis=-2)


def log_acceptance_bound(exponents: NDArray[Any], k: int) -> float:
    """A number that the log-probability of ``|Y| <= 1`` does not exceed.

    Each column of ``Y`` must have norm at most 1. By Markov's inequality a sum of independent exponentials of rates
    ``r`` is at most 1 with probability at most ``e^t prod r / (r + t)``, smallest at the root of
    ``sum 1 / (r + t) = 1``.
    """
    return sum(_column_bound(column) for column in rates(exponents, k).T)


def _column_bound(r: NDArray[Any]) -> float:
    def excess(t: float) -> float:
        return float(np.sum(1 / (r + t))) - 1

    if excess(0.0) <= 0:
        return 0.0
    t = float(brentq(excess, 0.0, len(r)))
    return t - float(np.sum(np.log1p(t / r)))
