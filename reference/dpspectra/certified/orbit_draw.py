"""What a sampler on an orbit hands on: one ideal Hermitian matrix ``H``, as floats with a bound and as balls.

Samplers work in eigen-coordinates. Their weights are float64 numbers ``omega``, descending, which stand for themselves;
the law has a density proportional to ``exp(sum_i omega_i H_ii)`` on the orbit. ``H`` is a function of the bits of the
source alone, and both forms below are of the same ``H``.
"""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import NDArray


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
