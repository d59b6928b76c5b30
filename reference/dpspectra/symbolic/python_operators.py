"""Operators of Python on numbers that hold noise: sums, multiples and comparisons stay symbolic, and of Python's kind.

Between Python's own numbers an operator gives what Python gives, an `int` of two of them and a `float` otherwise, and
raises what Python raises. All other operators, and all that numpy's numbers take part in, are numpy's.
"""

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.computed_noise import range_of
from dpspectra.symbolic.functions_of_noise import function_of_noise, is_continuous
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.number_kinds import hide, is_whole, of_kind
from dpspectra.symbolic.origins import single
from dpspectra.symbolic.tape import current
from dpspectra.symbolic.ufuncs import symbolic

FOLLOWED = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
"""Operators that have a symbolic rule."""
OTHERS = ("floordiv", "mod", "pow", "lshift", "rshift", "and", "xor", "or", "divmod")
WHOLE = ("add", "sub", "mul")
"""Operators that give a whole number of two whole ones."""
IN_PLACE = ("add", "sub", "mul", "matmul", "truediv", *OTHERS[:-1])
_MIXIN = np.lib.mixins.NDArrayOperatorsMixin


def _is_python(x: Any) -> bool:
    return type(x) in (int, float, bool, complex) or (type(x) is Noisy and x.python and not x.at.ndim)


def _is_of_numpy(x: Any) -> bool:
    """Whether numpy is asked first, which scalars, arrays, and tables let it be."""
    return not _is_python(x) and (hasattr(type(x), "__array_ufunc__") or hasattr(type(x), "__array_priority__"))


def _is_never_0(y: Any) -> bool:
    return bool(y) if type(y) is not Noisy else is_continuous(y) or _is_away_from_0(y)


def _is_away_from_0(y: Noisy) -> bool:
    """Whether comparisons so far leave no 0 to a number that holds one draw."""
    tape = current()
    for _, draw, mu, factor in single(tape, y) or ():
        ends = sorted(mu + factor * end for end in range_of(tape, draw))
        return ends[0] > 0 or ends[1] < 0
    return False


def _operated(name: str, x: Any, y: Any) -> Any:
    """Return what an operator gives of a number of Python and another one, or something else."""
    for value in (x, y):
        if type(value) is Noisy:
            value.owned()
    if name in FOLLOWED and _is_python(x) and _is_python(y):
        found = symbolic(FOLLOWED[name], "__call__", (x, y), {})
        if found is None and (name == "mul" or (name == "truediv" and _is_never_0(y))):
            found = function_of_noise(FOLLOWED[name], (x, y), {})
        if type(found) is Noisy:
            return of_kind(found, name in WHOLE and is_whole(x) and is_whole(y), True)
        if found is not None and name not in (*WHOLE, "truediv"):
            return bool(found)
    plain: Callable[..., Any] = divmod if name == "divmod" else getattr(operator, f"__{name}__")
    return plain(seen(x), seen(y))


def _binary(name: str, special: str, swapped: bool) -> Callable[..., Any]:
    of_numpy = getattr(_MIXIN, special)

    @functools.wraps(of_numpy)
    def method(self: Noisy, other: Any, *modulus: Any) -> Any:
        if modulus:
            return pow(seen(self), seen(other), *modulus)
        if self.at.ndim or not self.python or _is_of_numpy(other):
            return of_numpy(self, other)
        return _operated(name, other, self) if swapped else _operated(name, self, other)

    return method


def _unary(name: str, special: str) -> Callable[..., Any]:
    of_numpy = getattr(_MIXIN, special)

    @functools.wraps(of_numpy)
    def method(self: Noisy) -> Any:
        if self.at.ndim or not self.python:
            return of_numpy(self)
        found = of_numpy(self) if name != "invert" else None
        return of_kind(found, self.whole, True) if type(found) is Noisy else getattr(operator, name)(seen(self))

    return method


def _in_place(special: str) -> Callable[..., Any]:
    of_numpy = getattr(_MIXIN, special)

    @functools.wraps(of_numpy)
    def method(self: Noisy, other: Any) -> Any:
        return of_numpy(self, other) if self.at.ndim else NotImplemented  # then `x += 1` is `x = x + 1`

    return method


for _name in (*FOLLOWED, *OTHERS):
    setattr(Noisy, f"__{_name}__", _binary(_name, f"__{_name}__", False))
    if hasattr(_MIXIN, f"__r{_name}__"):
        setattr(Noisy, f"__r{_name}__", _binary(_name, f"__r{_name}__", True))
for _name in ("neg", "pos", "abs", "invert"):
    setattr(Noisy, f"__{_name}__", _unary(_name, f"__{_name}__"))
for _name in IN_PLACE:
    setattr(Noisy, f"__i{_name}__", _in_place(f"__i{_name}__"))
_OURS = "at python store whole owned taken __bool__ __hash__ __class__ __getattr__ __array_priority__"
hide(Noisy, frozenset(f"{_OURS} __slots__ __weakref__ __dict__ __module__ __doc__".split()))
