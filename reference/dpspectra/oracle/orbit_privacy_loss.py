"""Exact privacy loss of the density proportional to ``exp(kappa <M, H>)`` on an orbit, for one pair of matrices."""

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from dpspectra.oracle.hciz import log_normaliser, log_normaliser_circle
from dpspectra.oracle.linalg import Matrix, eigenvalues, pairings

NORMALISERS = {"complex": log_normaliser, "real": log_normaliser_circle}
"""By the field of the orbit; the real one is for ``d = 2``."""


def privacy_loss(first: Matrix, second: Matrix, spectrum: Sequence[Any], kappa: Any, field: str = "complex") -> Any:
    """Largest absolute log-ratio of the two densities, over all ``H`` that commute with ``second - first``.

    The log-ratio is linear in ``H``, and on an orbit a linear function is extreme only at such points. The smallest
    eigenvalue is taken off the spectrum first, which changes no density and makes a constant spectrum exact.
    """
    normaliser, kappa = NORMALISERS[field], mp.mpf(kappa)
    values = [mp.mpf(value) - mp.mpf(spectrum[-1]) for value in spectrum]
    moves = eigenvalues(second - first)
    log_ratio = normaliser(eigenvalues(second), values, kappa) - normaliser(eigenvalues(first), values, kappa)
    return max(abs(kappa * end - log_ratio) for end in pairings(moves, values))
