"""Exact privacy loss of the density proportional to ``exp(kappa <M, H>)`` on an orbit, for one pair of matrices."""

from typing import Any

from dpspectra.fast.hciz import log_normaliser, log_normaliser_circle
from dpspectra.fast.linalg import Array, Real, eigenvalues

NORMALISERS = {"complex": log_normaliser, "real": log_normaliser_circle}
"""By the field of the orbit; the real one is for ``d = 2``."""


def privacy_loss(first: Array, second: Array, spectrum: Real, kappa: float, field: str = "complex") -> Any:
    """Largest absolute log-ratio of the two densities, for Hermitian ``(d, d)`` matrices and a descending spectrum.

    ``kappa <second - first, H> - log Z'/Z`` is largest with eigenvectors in equal order, smallest in reverse order.
    """
    moved = spectrum - spectrum[-1]  # a shift of the spectrum changes no density; this one cancels least
    normaliser, moves = NORMALISERS[field], eigenvalues(second - first)
    log_ratio = normaliser(eigenvalues(second), moved, kappa) - normaliser(eigenvalues(first), moved, kappa)
    return max(kappa * (moves @ moved) - log_ratio, log_ratio - kappa * (moves @ moved[::-1]))
