"""Statements such as ``x += noise``: whether an operator asks, and whether the array has another name."""

import dis
import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np

IN_PLACE = 13
"""Arguments of the instruction BINARY_OP from here on stand for ``+=`` and its kin."""


def by_operator() -> bool:
    """Whether an operator such as ``+=`` asks, and not the program itself."""
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in _OWN:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename == _OPERATORS


_OPERATORS = np.lib.mixins.NDArrayOperatorsMixin.__iadd__.__code__.co_filename


def only_name(target: Any) -> bool:
    """Whether a plain array is written to by ``x += noise``, and by nobody else ever read: then ``x`` may be renamed.

    Every other name of the array would keep numbers without noise, so the array must own its numbers and have no
    other reference than that of the statement itself.
    """
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename in _OWN:
        frame = frame.f_back
    if frame is None:
        return False
    code = frame.f_code.co_code
    instruction, argument = dis.opname[code[frame.f_lasti]], code[frame.f_lasti + 1]
    return (
        instruction == "BINARY_OP"
        and argument >= IN_PLACE
        and target.base is None
        and sys.getrefcount(target) <= _references()
    )


_BETWEEN = ("ufuncs", "noisy_numbers", "in_place", "python_operators")
_OWN = {str(Path(__file__).with_name(f"{name}.py")) for name in _BETWEEN}


@functools.cache
def _references() -> int:
    """Count the references to an array with one name, as `only_name` does while it is added to in place."""
    probe, alone = _Probe(), np.zeros(1)
    alone += probe  # type: ignore[call-overload]
    return probe.count


class _Probe:
    """Counts references to the array that it is added to, at the depth of `only_name`."""

    count = 0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        return self._through(ufunc, method, inputs, out, options)

    def _through(self, ufunc: Any, method: str, inputs: Any, out: Any, options: Any) -> Any:
        (target,) = out
        return self._count(target)

    def _count(self, target: Any) -> Any:
        self.count = sys.getrefcount(target)
        return target
