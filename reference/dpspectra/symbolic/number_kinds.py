"""Kinds of single numbers that hold noise: of Python or of numpy, whole or not; to code they are what they would be.

A number that came of Python's own arithmetic is a `float` or an `int`; one that numpy gave, or that was taken from an
array, is a scalar of numpy. A number shows to the program no more than its kind has.
"""

import abc
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.symbolic.program_lines import is_of_python, is_program, place
from dpspectra.symbolic.tape import current

KINDS: dict[tuple[bool, bool], type] = {
    (False, False): np.float64,
    (False, True): float,
    (True, False): np.int64,
    (True, True): int,
}
"""Types by whether a number is whole, and whether it is Python's own."""
EXAMPLES: dict[type, Any] = {kind: kind(0) for kind in KINDS.values()} | {np.ndarray: np.zeros(1)}
"""A number of each kind, and an array."""
_METHODS = (
    "dot argmax argmin clip round sum mean cumsum min max trace diagonal swapaxes squeeze repeat take std var prod"
)
METHODS = frozenset([*_METHODS.split(), "any", "all", "argsort", "nonzero"])
"""Methods of arrays that are functions of numpy, too."""
IN_PLACE = frozenset(("sort", "partition", "put"))
"""Methods that change the numbers."""
_PURE = "argpartition choose compress cumprod searchsorted tobytes ptp hex as_integer_ratio is_integer numerator"
PURE = frozenset(_PURE.split())
"""Methods that are called on numbers looked at, as they change nothing and give no view."""
LARGEST = 2.0**52
"""Size of whole numbers up to which all are followed exactly."""
_ASKED = abc.ABCMeta.__instancecheck__.__code__
_SIGNS = "add sub mul matmul truediv floordiv mod pow lshift rshift and xor or"
_IN_PLACE = tuple(f"__i{name}__" for name in _SIGNS.split())
_PASSED_ON = ("__array", "__copy__", "__deepcopy__", *_IN_PLACE)
"""Beginnings of names that numpy and Python look up by themselves."""
ASKING: list[Any] = []
"""The frame that asks for an attribute by a name that it computed, if one does; `choke_points` puts it here."""
_OWN = str(Path(__file__).parent) + os.sep


def of_kind(x: Any, whole: bool, python: bool) -> Any:
    """Give a value that was just made its kind; whole numbers that are too large end the run."""
    x.whole, x.python = whole, python
    if whole:
        store, at = x.store, x.at.ravel()
        if np.any(np.abs(store.mu[at]) > LARGEST) or np.any(np.abs(store.coefficient[:, at]) > LARGEST):
            raise current().stop(f"whole numbers that hold noise are too large at {place()}")
    return x


def is_whole(x: Any) -> bool:
    """Whether numbers, with noise or without, are whole ones by their type."""
    if type(x).__name__ == "Noisy":
        return bool(x.whole)
    kind = type(x)
    if kind in (int, bool):
        return True
    dtype = x.dtype if isinstance(x, (np.ndarray, np.generic)) else np.asarray(x).dtype
    return dtype.kind in "ib" or (dtype.kind == "u" and dtype.itemsize < 8)


def type_of(x: Any) -> type:
    """Return the type that a number would have; ends the run where an abstract class asks what cannot be answered."""
    kind = KINDS[x.whole, x.python]
    frame = sys._getframe(2)
    if frame.f_code is _ASKED and (asked := frame.f_locals.get("cls")) is not None:
        real = type(x)
        if issubclass(real, asked) and not issubclass(kind, asked):
            raise current().stop(f"whether noise is of the kind {asked.__name__} is asked for at {place()}")
    return kind


def absent(x: Any, name: str, kind: type) -> AttributeError:
    """Return the exception of a number or an array that has no attribute of this name."""
    return AttributeError(f"'{_shown(kind)}' object has no attribute '{name}'", name=name, obj=x)


def _shown(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


UNABLE = {
    "__len__": "object of type '{}' has no len()",
    "__getitem__": "'{}' object is not subscriptable",
    "__setitem__": "'{}' object does not support item assignment",
    "__index__": "'{}' object cannot be interpreted as an integer",
}
"""Words of Python where it needs a member that a number has not; where it has other words the run ends."""


class Member:
    """A member of numbers that those of some kinds have not, as the program sees it."""

    def __init__(self, name: str, inner: Any, missing: frozenset[type]) -> None:
        self.name, self.inner, self.missing = name, inner, missing

    def __get__(self, x: Any, owner: Any = None) -> Any:
        if x is not None:
            kind = np.ndarray if x.at.ndim else KINDS[x.whole, x.python]
            if kind in self.missing:
                self._refuse(x, kind, sys._getframe(1))
        return self.inner.__get__(x, owner)

    def __set__(self, x: Any, value: Any) -> None:
        self.inner.__set__(x, value)

    def _refuse(self, x: Any, kind: type, frame: Any) -> None:
        """Raise what the program would see; do nothing if it is not the program that asks."""
        code = frame.f_code
        if code.co_filename.startswith(_OWN) or not is_program(frame):
            return
        named = self.name in code.co_names or frame in ASKING
        if self.name.startswith(_PASSED_ON):
            if named and not is_of_python(code.co_filename):
                raise absent(x, self.name, kind)
        elif named or not self.name.startswith("__"):
            raise absent(x, self.name, kind)
        elif self.name in UNABLE:
            raise TypeError(UNABLE[self.name].format(_shown(kind)))
        else:
            raise current().stop(f"{self.name} of a number that holds noise is not followed, at {place()}")


def hide(kind: Any, kept: frozenset[str]) -> None:
    """Hide members of a class from the program where the kinds of numbers have them not."""
    named = {name: thing for base in reversed(kind.__mro__[:-1]) for name, thing in vars(base).items()}
    for name, inner in named.items():
        missing = frozenset(k for k, example in EXAMPLES.items() if not hasattr(example, name))
        if missing and name not in kept and hasattr(inner, "__get__"):
            setattr(kind, name, Member(name, inner, missing))


__all__ = ["EXAMPLES", "KINDS", "absent", "hide", "is_whole", "of_kind", "type_of"]
