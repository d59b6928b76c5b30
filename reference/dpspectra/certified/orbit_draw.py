"""Draws of samplers on an orbit: one ideal Hermitian matrix ``H``, as floats with a bound and as balls.

Samplers work in eigen-coordinates. Their weights are numbers ``omega``, descending, which stand for themselves:
float64, or fractions in an object array where floats are too coarse. The law has a density proportional to
``exp(sum_i omega_i H_ii)`` on the orbit. ``H`` is a function of the bits of the source alone, and both forms below are
of the same ``H``.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Float64 numbers, or fractions in an object array."""


def differences(x: Numbers, y: Numbers) -> NDArray[np.float64]:
    """``x - y``, each correctly rounded to a float."""
    return np.asarray(x - y).astype(np.float64)


class Draw(ABC):
    """An ideal matrix ``H``, ``(d, d)``, known as well as anyone wishes."""

    estimate: NDArray[Any]
    """``H`` in floats, Hermitian; real float64 for a real orbit, else complex128."""
    error: float
    """Proved bound on the Frobenius norm of ``estimate - H``, hence on each entry; infinite if floats say nothing."""

    @abstractmethod
    def times(self, columns: Any, bits: int) -> Any:
        """``H`` times an `flint.acb_mat` of shape ``(d, m)`` in balls, which shrink as ``bits`` grow.

        So many bits beyond each word are read, always the same ones, and the precision is the caller's. Balls may be
        infinite while the bits are too few, never wrong.
        """
