"""Functions of numbers that hold noise, which nobody has looked at: they lose no more than what they are computed from.

Such a function has no law of its own here. Its numbers are draws like others, and may be moved, added and multiplied.

A function is in this list only if the shapes and types of what it gives do not depend on the numbers, and if it raises
nothing that depends on them.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.noisy_numbers import Noisy, made, raw_rows
from dpspectra.symbolic.noisy_rows import evaluated, joined, noisy_rows, of_each_draw, picked
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import within
from dpspectra.symbolic.roots_of_functions import mixed, settled, shown, used_in
from dpspectra.symbolic.tape import PLAIN, REPLAY, NotFollowed, OtherQuestions, Rows, Tape, current

_ELEMENTWISE = """
exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal power true_divide multiply matmul hypot absolute fabs
sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh logaddexp maximum minimum floor ceil trunc rint
"""
ELEMENTWISE = frozenset(getattr(np, name) for name in _ELEMENTWISE.split())
_FUNCTIONS = """
sort median quantile percentile var std prod cumprod cumsum round around clip dot inner outer tensordot kron trace cov
corrcoef mean sum max min amax amin diff ptp
"""
_OF_MATRICES = "eigh eigvalsh svd qr pinv det slogdet norm"
NAMES = frozenset(
    [("numpy", name) for name in _FUNCTIONS.split()] + [("numpy.linalg", name) for name in _OF_MATRICES.split()]
)
OF_FINITE = frozenset(("eigh", "eigvalsh", "svd", "qr", "pinv"))
"""Functions that raise where a number is not finite, as a function of noise may be."""
OF_THE_FIRST = frozenset(("quantile", "percentile", "round", "around"))
"""Functions that raise for some values of their other arguments."""
RISING = frozenset(("eigh", "eigvalsh", "sort"))
"""Functions that give one row of numbers in rising order, first."""
MOST = 1_000_000
"""Numbers of one function."""
FORBIDDEN = frozenset(("out", "where", "dtype", "casting", "subok", "overwrite_input", "weights"))
"""Options that make it another function, or write."""


def _no_law(z: Any) -> Any:
    raise NotFollowed("the law of a function of noise is not known")


FUNCTION = Law("a function of noise", _no_law, _no_law, _no_law, lambda rng, n: _no_law(n))


@dataclass
class Function:
    """One call of a function: what it was given, and its numbers among the draws. It is the origin of these draws."""

    key: bytes
    """Digest of the function and of everything plain that it was given."""
    rows: Rows
    """All numbers that hold noise among its arguments, in order."""
    start: int
    count: int
    where: str
    call: Callable[[Floats], Any]
    """The result, from the values of those numbers."""
    result: Any
    uses: tuple[int, ...]
    """Other functions that its arguments are computed from."""
    in_order: int
    """Numbers that rise, from the first one on."""
    known: bool = False
    """Whether its roots were looked at."""
    rising: None = None

    @property
    def roots(self) -> tuple[int, ...]:
        """Draws that it is computed from."""
        return tuple(np.unique(self.rows.draw[self.rows.coefficient != 0]).tolist())

    def forward(self, *values: float) -> Floats:
        """Return its numbers, from the values of those draws."""
        omega = np.zeros(max(self.roots) + 1)
        omega[list(self.roots)] = values
        return _flat(self.call(evaluated(self.rows, omega)))


def function_of_noise(function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return a function of numbers that hold noise, as numbers nobody has looked at; ``None`` if it is not known."""
    tape = current()
    if tape.mode == PLAIN or not _is_known(function) or FORBIDDEN & options.keys():
        return None
    if not isinstance(function, np.ufunc) and function.__name__ in OF_THE_FIRST and within([*args[1:], options]):
        return None
    if set(np.geterr().values()) != {"ignore"}:  # the program asked for exceptions
        return None
    named = [options[name] for name in sorted(options)]
    arguments = [*args, *named]
    if not all(map(_is_plain, arguments)) or not any(type(a) is Noisy for a in args):
        return None
    noisy = [a for a in arguments if type(a) is Noisy]
    if function is not np.true_divide and any(a.whole for a in noisy):  # whole numbers, which it may keep as such
        return None
    if sum(a.size for a in noisy) > MOST:
        return None
    if getattr(function, "__name__", "") in OF_FINITE and any(used_in(raw_rows(a), tape) for a in noisy):
        return None
    for value in noisy:
        if mixed(raw_rows(value), tape):
            settled(value)
    rows = joined([raw_rows(value) for value in noisy])
    some = noisy_rows(rows, tape.size)
    if not np.any(some):
        return None
    call = _caller(function, args, options, rows, some)
    key = _key(function, len(args), sorted(options), arguments, rows, tape)
    return _put(tape, key, picked(rows, some), call, function.__name__ in RISING)


def order_of(x: Noisy) -> Any:
    """Return the order of numbers, or of their negatives, that a function gives in an order; ``None`` of others."""
    rows = raw_rows(x)
    used = rows.coefficient != 0
    if not x.size or np.any(np.sum(used, axis=0) != 1) or np.any(rows.mu != rows.mu[0]):
        return None
    draws, factors = rows.draw.T[used.T], rows.coefficient.T[used.T]
    steps = set(np.diff(draws).tolist()) or {1}
    one = next((f for f in current().functions if f.start <= min(draws) <= max(draws) < f.start + f.in_order), None)
    if one is None or steps not in ({1}, {-1}) or np.any(factors != factors[0]):
        return None
    return np.arange(x.size) if steps.pop() * factors[0] > 0 else np.arange(x.size)[::-1].copy()


def _is_known(function: Any) -> bool:
    if isinstance(function, np.ufunc):
        return function in ELEMENTWISE
    return (getattr(function, "__module__", None), getattr(function, "__name__", None)) in NAMES


def is_continuous(x: Noisy) -> bool:
    """Whether all numbers hold noise, and that of continuous draws only: then none of them is 0."""
    tape, rows = current(), raw_rows(x)
    used = rows.coefficient != 0
    discrete = of_each_draw(tape.blocks, lambda b: b.law.discrete or b.law is FUNCTION)
    return bool(np.all(np.any(used, axis=0))) and not np.any(discrete[rows.draw[used]])


def _is_plain(x: Any) -> bool:
    if type(x) is Noisy or x is None or type(x) in (bool, int, float, str, np.float64, np.int64):
        return True
    if type(x) is tuple:
        return all(type(v) is int for v in x)
    return type(x) is np.ndarray and x.dtype.kind in "biuf"


def _caller(function: Any, args: Sequence[Any], options: dict[str, Any], rows: Rows, some: Any) -> Callable[..., Any]:
    """Return the call as a function of the numbers that hold noise."""
    constants, shapes = rows.mu.copy(), dict[Any, tuple[int, ...]]()
    plain: dict[Any, Any] = {}
    for name, x in [*enumerate(args), *options.items()]:
        if type(x) is Noisy:
            shapes[name] = x.shape
        else:
            plain[name] = x.copy() if type(x) is np.ndarray else x

    def call(numbers: Floats) -> Any:
        filled = constants.copy()
        filled[some] = numbers
        start, given = 0, {}
        for name in [*range(len(args)), *sorted(options)]:
            if name not in shapes:
                given[name] = plain[name].copy() if type(plain[name]) is np.ndarray else plain[name]
                continue
            size = math.prod(shapes[name])
            part = filled[start : start + size].reshape(shapes[name])
            given[name], start = part if shapes[name] else np.float64(part), start + size
        with np.errstate(all="ignore"):
            return function(*(given[k] for k in range(len(args))), **{name: given[name] for name in options})

    return call


def _put(tape: Tape, key: bytes, rows: Rows, call: Callable[[Floats], Any], rising: bool) -> Any:
    """Write a function down, and return its result with numbers that stand for those in it."""
    k = len(tape.functions)
    if tape.mode == REPLAY:
        assert tape.past is not None
        old = tape.past.functions[k] if k < len(tape.past.functions) else None
        if old is None or old.key != key:
            raise tape.stop(f"the two data sets compute other things from noise, at {place()}", OtherQuestions)
        result = old.result
    else:
        result = call(evaluated(rows, tape.omega()))
    values = _flat(result)
    first = result[0] if isinstance(result, tuple) else result
    in_order = len(first) if rising and first.ndim == 1 else 0
    one = Function(key, rows, tape.size, len(values), place(), call, result, used_in(rows, tape), in_order)
    tape.functions.append(one)
    tape.block(FUNCTION, values, one)
    return _numbered(result, iter(range(one.start, one.start + one.count)), tape)


def _parts(result: Any) -> list[Any]:
    """Return the arrays and numbers of a result. Ends the run if it is something else."""
    parts = list(result) if isinstance(result, tuple) else [result]
    if not all(type(p) in (float, np.float64) or (type(p) is np.ndarray and p.dtype == float) for p in parts):
        raise current().stop(f"a function of noise gives no floating-point numbers, at {place()}")
    return parts


def _flat(result: Any) -> Floats:
    return np.concatenate([np.asarray(p, dtype=float).reshape(-1) for p in _parts(result)])


def _numbered(result: Any, numbers: Iterator[int], tape: Tape) -> Any:
    found = []
    for p in _parts(result):
        shape = np.shape(p)
        draw = np.array([next(numbers) for _ in range(math.prod(shape))], dtype=np.int64).reshape(1, *shape)
        found.append(made(tape, np.zeros(shape), draw, np.ones((1, *shape))))
    if not isinstance(result, tuple):
        return found[0]
    return type(result)(*found) if hasattr(result, "_fields") else tuple(found)


def _key(function: Any, count: int, names: list[str], arguments: list[Any], rows: Rows, tape: Tape) -> bytes:
    told = [getattr(function, "__module__", "ufunc"), function.__name__, count, names]
    told += [("noise", x.shape) if type(x) is Noisy else _digest(x) for x in arguments]
    return hashlib.sha256(repr((told, shown(rows, tape))).encode()).digest()


def _digest(x: Any) -> Any:
    return (x.dtype.str, x.shape, x.tobytes()) if type(x) is np.ndarray else (type(x).__name__, repr(x))
