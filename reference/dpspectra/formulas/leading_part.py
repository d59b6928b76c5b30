"""How far noise moves the leading part of a Hermitian matrix, and what its leading directions lose."""

import math
from typing import Any


def lost(size: Any, gap: Any, angles: int) -> Any:
    """Largest variance that ``k`` leading directions of a noisy matrix lose; it falls with its ``gap`` at place ``k``.

    ``size`` bounds the root of the sum of the ``2 angles`` largest squared singular values of the noise, where
    ``angles = min(k, d - k)``. It is the largest ``sqrt(2) size y - gap y^2`` for ``y^2 <= angles``.
    """
    widest = math.sqrt(2 * angles)
    if size >= widest * gap:
        return widest * size - angles * gap
    return size**2 / (2 * gap)


def moved(twice: Any, once: Any, norm: Any, gap: Any, rest: Any) -> Any:
    """Largest Frobenius distance of leading parts of rank ``k``, for a ``gap`` of one matrix above ``norm``.

    ``twice``, ``once`` and ``norm`` bound the roots of the sums of the ``2 k``, of the ``k`` and of the single largest
    squared singular values of the difference; ``rest`` is the norm of the other part of that matrix.
    """
    return twice + math.sqrt(2) * once * (rest + norm) / (gap - norm)


def moved_in_norm(norm: Any, gap: Any, rest: Any) -> Any:
    """Largest spectral distance of leading parts, as for `moved`."""
    return math.sqrt(2) * norm * (1 + (rest + norm) / (gap - norm))
