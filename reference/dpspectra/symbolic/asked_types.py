"""Types that a program asks for by ``type(x)``, where ``x`` may hold noise.

``isinstance`` is answered by the number itself; ``type`` cannot be, and what a program does with numbers of other types
was never looked at. So a followed run lends the modules of the program, where they use that name, another ``type``,
which knows about noise, and takes it back afterwards: of an array it is known, of a number it ends the run. So are
stand-ins for `int` and `float` lent (`converted_numbers`).
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from dpspectra.symbolic import converted_numbers, untraced_extensions
from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.program_lines import is_program, place
from dpspectra.symbolic.tape import current


class _Asked(type):
    """Answers of the stand-in where it is called, or asked about classes."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        if cls is not Types:
            return super().__call__(*args, **options)
        if len(args) != 1 or options:
            return type(*args, **options)
        found = type(args[0])
        if found is Noisy:
            if not args[0].ndim:
                raise current().stop(f"the type of a number that holds noise is asked for by type(), at {place()}")
            return np.ndarray
        if found is FunctionType and args[0].__globals__["__name__"].startswith("dpspectra.symbolic."):
            raise current().stop(f"the type of a function that is replaced is asked for by type(), at {place()}")
        return Types if found is type else found

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, type) if cls is Types else super().__instancecheck__(x)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is Types else super().__subclasscheck__(kind)


class Types(type, metaclass=_Asked):
    """Stand-in for ``type``."""


STAND_INS = {"type": Types, **converted_numbers.STAND_INS}
_LENT: list[tuple[dict[str, Any], str]] = []


def lend(frame: FrameType) -> None:
    """Give the module of a function that uses one of the names a stand-in, unless it has one of its own.

    Modules of Python and numeric libraries get none, and no installed package gets ``type``: others hold what it
    defines.
    """
    names, code = frame.f_globals, frame.f_code
    wanted = [n for n in STAND_INS if n in code.co_names and n not in names]
    if not wanted or code.co_name == "<module>" or not is_program(frame):
        return
    if str(names.get("__name__")).partition(".")[0] in sys.stdlib_module_names:
        return
    installed = code.co_filename.startswith(untraced_extensions.INSTALLED)
    for name in wanted:
        if not installed if name == "type" else converted_numbers.is_lent(name, names, code):
            names[name] = STAND_INS[name]
            _LENT.append((names, name))


@contextlib.contextmanager
def lent() -> Iterator[None]:
    """Take back afterwards what is lent meanwhile."""
    try:
        yield
    finally:
        while _LENT:
            names, name = _LENT.pop()
            if names.get(name) is STAND_INS[name]:
                del names[name]
