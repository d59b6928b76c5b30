"""Numbers that a mechanism turns into a float and returns at once: nobody but its caller sees them.

``float(y)`` must give a real float. If the instructions that follow in the mechanism's own frame do nothing with it but
put it into tuples or lists and return these, it is shown by the output alone, and no look before.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from dpspectra.symbolic.noisy_numbers import Noisy, rows_of, seen
from dpspectra.symbolic.noisy_rows import evaluated
from dpspectra.symbolic.tape import current

BUILDERS = ("BUILD_TUPLE", "BUILD_LIST")
TAKEN: dict[str, Callable[[int], int]] = {
    **dict.fromkeys(
        ("LOAD_FAST", "LOAD_CONST", "LOAD_DEREF", "LOAD_GLOBAL", "PUSH_NULL", "KW_NAMES", "LOAD_SMALL_INT"), lambda n: 0
    ),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE"), lambda n: 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"), lambda n: 2),
    "CALL": lambda n: n + 2,
    **dict.fromkeys((*BUILDERS, "BUILD_SLICE"), lambda n: n),
}
"""Instructions that may stand around the call, with how many numbers of the stack each of them takes."""
NO_WORK = ("CACHE", "PRECALL", "NOP", "EXTENDED_ARG")
Frame = Any
Instructions = list[dis.Instruction]


def as_float(y: Noisy) -> float:
    """Return the float that a number is turned into: a look, unless it goes nowhere but to the caller."""
    if y.ndim or not _is_returned(sys._getframe(1)):
        return float(seen(y))
    tape = current()
    number = float(evaluated(rows_of(y), tape.omega())[0])
    tape.returned.append((number, y.copy()))
    return number


def with_noise(x: Any) -> Any:
    """Return an output with noise in place of the very floats that were turned into them."""
    for number, y in current().returned:
        if x is number:
            return y
    return type(x)(map(with_noise, x)) if type(x) in (list, tuple) and current().returned else x


def _is_returned(frame: Frame) -> bool:
    """Whether the mechanism's own frame calls ``float``, and then only returns what that gives."""
    outer = frame.f_back
    if outer is None or outer.f_code not in OUTER or frame.f_trace is not None or sys.getprofile() not in WATCHERS:
        return False
    if frame.f_globals.get("float", builtins.float) is not float or frame.f_builtins.get("float") is not float:
        return False
    return _only_returned(frame.f_code, frame.f_lasti)


WATCHERS: list[Any] = []
"""Functions that are told of calls and returns, and keep nothing of them."""
OUTER: set[CodeType] = set()
"""Code that calls mechanisms; `one_run` puts its own here."""


@functools.lru_cache(maxsize=100)
def _only_returned(code: CodeType, at: int) -> bool:
    found = [i for i in dis.get_instructions(code) if i.opname not in NO_WORK or i.offset == at]
    k = next(n for n, i in enumerate(found) if i.offset == at)
    return found[k].opname == "CALL" and found[k].arg == 1 and _is_of_float(found[:k]) and _goes_out(found[k + 1 :])


def _is_of_float(before: Instructions) -> bool:
    """Whether the last instructions put the global ``float`` and one argument on the stack."""
    total = 0
    for i in reversed(before):
        if total == 1:  # all suffixes of the code of an expression leave less than it does
            return i.opname == "LOAD_GLOBAL" and i.argval == "float" and bool((i.arg or 0) & 1)
        if not _is_plain(i):
            return False
        total += _left_by(i)
    return False


def _goes_out(after: Instructions) -> bool:
    """Whether a number on the stack is put into containers that are returned, and nothing else."""
    above = 0
    for i in after:
        if i.opname == "RETURN_VALUE":
            return above == 0
        if not _is_plain(i):
            return False
        if TAKEN[i.opname](i.arg or 0) > above:
            if i.opname not in BUILDERS:
                return False
            above = 0
        else:
            above += _left_by(i)
    return False


def _left_by(i: dis.Instruction) -> int:
    """How many numbers an instruction leaves on the stack beyond those that it takes."""
    if i.opname == "CALL":  # some versions of Python share this between two instructions
        return -1 - (i.arg or 0)
    return dis.stack_effect(i.opcode, i.arg if i.opcode >= dis.HAVE_ARGUMENT else None)


def _is_plain(i: dis.Instruction) -> bool:
    return i.opname in TAKEN and not i.is_jump_target


Noisy.__float__ = as_float  # type: ignore[attr-defined]
