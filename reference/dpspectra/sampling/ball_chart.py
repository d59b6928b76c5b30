"""Complex orbits of two values, concentrated: a Gaussian matrix conditioned on spectral norm at most 1.

Write the span of a frame as that of ``[(I - Y*Y)^(1/2); Y]`` with ``Y`` of shape ``(d-k, k)``. A block of that shape
of a Haar unitary matrix has density ``|I - Y*Y|^0``, so Haar measure on subspaces is Lebesgue measure on the ball
``|Y| <= 1``. With exponents ``a``, ascending,
``Tr X* diag(a) X = sum_j a_j + sum_ij (a_(k+i) - a_j) |Y_ij|^2``: for this the root must be the Hermitian one, as
``Tr diag(a) C C*`` and ``Tr diag(a) C* C`` differ for a triangular ``C``. So the entries of ``Y`` are independent
complex Gaussians, of variance ``1 / r_ij``, ``r_ij = a_(k+i) - a_j``, given that ``|Y| <= 1``. With ``k = 1`` these
are exponential squared moduli on the simplex.

In the ball the numbers ``c_j = 1 - |y_j|^2`` of the columns are not negative. So the law is the same if the rates are
raised to ``r_ij + t_j``, by any *tilts* ``t_j >= 0``, and a point is accepted with probability ``exp(-sum_j t_j c_j)``
(DPS-TILTEDCHART). With the best tilts many more points are accepted, and rates of 0 are served too.
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


def refusal(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    return TWO_VALUES if frame_law(values, spectrum, kappa) is None else None


def frames(exponents: NDArray[Any], k: int) -> Rejection:
    """Sampler of complex frames ``(d, k)``, density proportional to ``exp(-Tr X* diag(a) X)``, ``a`` ascending."""
    untilted = rates(exponents, k)
    tilt = np.array([best_tilt(column) for column in untilted.T])
    scales = (untilted + tilt) ** -0.5

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        y = gaussian((count, *scales.shape), "complex", rng) * scales
        inside = eigenvalues(adjoint(y) @ y)[..., 0] <= 1
        lost = (1 - np.sum(np.abs(y) ** 2, axis=1)) @ tilt
        return y, inside & (rng.exponential(size=count) > lost) if tilt.any() else inside

    return Rejection(propose, scales.size, completed)


def rates(exponents: NDArray[Any], k: int) -> NDArray[Any]:
    """``a_(k+i) - a_j``, shape ``(d-k, k)``."""
    return exponents[k:, None] - exponents[None, :k]


def best_tilt(r: NDArray[Any]) -> float:
    """Return the tilt ``t >= 0`` of a column of rates at which most points are accepted.

    It is the root of ``sum 1 / (r + t) = 1``.

    It is 0 where that sum is at most 1 at 0. The logarithm of the acceptance has the slope ``sum 1 / (r + t) - 1``.
    """

    def excess(t: float) -> float:
        return float(np.sum(1 / (r + t))) - 1

    low = float(max(0.0, 1 - np.min(r)))  # one term alone is 1 there, unless it is below 1 at 0
    return float(brentq(excess, low, len(r) + 1)) if excess(low) > 0 else low


def completed(y: NDArray[Any]) -> NDArray[Any]:
    """Return the frame ``[(I - Y*Y)^(1/2); Y]`` of ``Y`` in the ball, shape ``(..., d, k)``."""
    squares, vectors = np.linalg.eigh(adjoint(y) @ y)
    root = (vectors * np.sqrt(np.maximum(1 - squares, 0))[..., None, :]) @ adjoint(vectors)
    return np.concatenate([root, y], axis=-2)
