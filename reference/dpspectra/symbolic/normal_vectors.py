"""Normal vectors with a covariance of plain numbers: a mean, and a factor of the covariance times independent draws."""

from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.given_draws import symbols
from dpspectra.symbolic.laws import NORMAL
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import current


def normal_vectors(mean: Any, cov: Any, shape: tuple[int, ...]) -> Any:
    """Return normal vectors; their law depends on the covariance alone, whatever factor of it a library takes."""
    factor = factor_of(np.asarray(seen(cov), dtype=float))
    mean = mean if type(mean) is Noisy else np.asarray(mean, dtype=float)
    if not factor.shape[1]:
        return np.zeros((*shape, len(factor))) + mean
    return symbols(NORMAL, (*shape, factor.shape[1])) @ factor.T + mean


def factor_of(cov: Floats) -> Floats:
    """Return ``F`` with ``F F' = cov`` and as many columns as the rank. Ends the run where rounding decides that."""
    if np.all(np.isfinite(cov)) and np.array_equal(cov, np.diag(np.diag(cov))):
        if np.all(np.diag(cov) >= 0):
            return np.diag(np.sqrt(np.diag(cov)))[:, np.diag(cov) > 0]
    elif np.all(np.isfinite(cov)) and np.array_equal(cov, cov.T):
        values, vectors = np.linalg.eigh(cov)
        if np.min(values) > 64 * len(cov) * np.finfo(float).eps * np.max(np.abs(values)):
            return np.asarray(vectors * np.sqrt(values))
    raise current().stop(f"a covariance at {place()} is not symmetric and positive, or it is nearly singular")
