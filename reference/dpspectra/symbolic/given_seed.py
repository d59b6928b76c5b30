"""The seed that a mechanism is handed if it asks for one: whoever makes a generator from it is followed.

Its number differs from run to run. Code that wants to know the number ends the run: from there on nobody could tell
noise from a constant. Functions written in C that read a whole number without its methods (``hex``, ``operator.index``,
``struct.pack``) do get it; then what the run gives varies although its noise is the same.
"""

import operator
from collections.abc import Callable
from typing import Any

from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import CURRENT, current, following

ABOVE = 2**31
"""Every given seed is from 1 to this, without this."""


class GivenSeed(int):
    """A seed whose number none of its methods tells; that it is positive and fits into 31 bits is public."""

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> "GivenSeed":
        return self

    def __deepcopy__(self, memo: Any) -> "GivenSeed":
        return self


def _hidden(name: str) -> Callable[..., Any]:
    """Return a method of whole numbers that ends a followed run."""
    real = getattr(int, name)

    def method(self: Any, *args: Any) -> Any:
        if not CURRENT:
            return real(self, *args)
        raise current().stop(f"the number of the seed that was handed over is looked at, at {place()}")

    return method


def _compared(name: str) -> Callable[..., Any]:
    """Return a comparison that answers what is public: what is so for every seed, and that none is a text or None."""
    compare, hidden = getattr(operator, name), _hidden(f"__{name}__")

    def method(self: Any, other: Any) -> Any:
        if other is None or type(other) in (str, bytes):
            return NotImplemented
        if type(other) in (int, float):
            least, most = compare(1, other), compare(ABOVE - 1, other)
            if least == most and (name not in ("eq", "ne") or not 1 <= other < ABOVE):
                return least
        return hidden(self, other)

    return method


_UNARY = "int index float hash str repr format neg pos abs invert trunc floor ceil round reduce_ex getnewargs sizeof"
_BINARY = "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor"
for _name in (*_UNARY.split(), *_BINARY.split(), *(f"r{n}" for n in _BINARY.split())):
    setattr(GivenSeed, f"__{_name}__", _hidden(f"__{_name}__"))
for _name in ("bit_length", "bit_count", "to_bytes", "conjugate", "as_integer_ratio"):
    setattr(GivenSeed, _name, _hidden(_name))
for _name in ("numerator", "denominator", "real", "imag"):
    setattr(GivenSeed, _name, property(_hidden("__pos__")))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(GivenSeed, f"__{_name}__", _compared(_name))


def is_fresh(seed: Any) -> bool:
    """Whether a maker of generators is given no seed, or the one that was handed over.

    Two generators of one seed draw the same numbers, so that a second one ends the run.
    """
    if type(seed) is GivenSeed and following():
        if "given" in current().seeded:
            raise current().stop(f"the seed that was handed over makes a second generator, at {place()}")
        current().seeded["given"] = True
    return seed is None or type(seed) is GivenSeed
