"""Functions of numpy on arrays that hold noise: what moves or sums entries stays symbolic, everything else looks."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.arithmetic import cumulated, extreme, scaled, summed
from dpspectra.symbolic.functions_of_noise import function_of_noise, order_of
from dpspectra.symbolic.laws import GUMBEL
from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, rows_of, seen
from dpspectra.symbolic.noisy_rows import is_discrete
from dpspectra.symbolic.number_kinds import is_whole, of_kind
from dpspectra.symbolic.origins import single
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import called_on_numbers, constant, largest, within
from dpspectra.symbolic.roots_of_functions import holds_functions
from dpspectra.symbolic.rounded_noise import to_digits
from dpspectra.symbolic.selections import SELECTIONS, selected
from dpspectra.symbolic.tape import current

MOST_SORTED = 5
"""Numbers whose order is asked for: five have 120 orders."""
MOST_LINES = 4
"""Rows or columns of which each one's largest number is asked for."""
MOST_SOUGHT = 100
"""Numbers whose places in a sorted list are sought one by one."""

WHOLE = frozenset(
    ["sum", "dot", "inner", "vdot", "outer", "cumsum", "clip", "max", "amax", "min", "amin", "trace", "diff", "real"]
)
"""Functions with a rule of their own that give whole numbers of whole ones."""
QUESTIONS = frozenset(("clip", "argmax", "argmin", "max", "amax", "min", "amin", "round", "around"))
"""Functions with a rule that asks something of the numbers."""


def of_arrays(function: Any, args: Any, options: Any) -> Any:
    """Return a function of arrays: symbolic if it moves or sums entries, else of numbers that are looked at."""
    for value in within([args, list(options.values())]):
        value.owned()
    name = function.__name__
    rule = _FUNCTIONS.get(name)
    result = None
    if name in SELECTIONS:
        result = selected(function, args, options)
    elif rule is not None and not (name in QUESTIONS and holds_functions([args, list(options.values())])):
        result = rule(*args, **options)
        if type(result) is Noisy and name in WHOLE and all(v.whole for v in within([args, list(options.values())])):
            numbers = [a for a in (*args[:1], *_bounds(name, args, options)) if a is not None]
            of_kind(result, all(map(is_whole, numbers)), False)
    if result is None:
        result = function_of_noise(function, args, options)
    if result is None:
        return called_on_numbers(function, args, options)
    return result


def _bounds(name: str, args: Any, options: Any) -> list[Any]:
    """Return the arguments beside the first that hold numbers, too."""
    named = [options[n] for n in ("a_min", "a_max", "min", "max", "b") if n in options]
    return [*args[1:3], *named] if name in ("clip", "dot", "inner", "vdot", "outer") else []


def _sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any) -> Any:
    if type(a) is not Noisy or dtype is not None or out is not None or rest:
        return None
    return summed(a, axis, bool(keepdims) if keepdims is not np._NoValue else False)


def _mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, **rest: Any) -> Any:
    total = _sum(a, axis, dtype, out, keepdims, **rest)
    return None if total is None else scaled(total, total.size / a.size)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    if out is not None:
        return None
    return np.multiply(a, b) if not np.ndim(a) or not np.ndim(b) else np.matmul(a, b)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **rest: Any) -> Any:
    low, high = rest.pop("min", a_min), rest.pop("max", a_max)
    if out is not None or rest:
        return None
    raised = a if low is None else np.maximum(a, low)
    return raised if high is None else np.minimum(raised, high)


def _argmax(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    if type(a) is not Noisy or out is not None or rest:
        return None
    if a.ndim == 2 and axis in (0, 1, -1) and (lines := a.T if axis == 0 else a).shape[0] <= MOST_LINES:
        return np.array([largest(line) for line in lines], dtype=np.int64)
    return np.int64(largest(a)) if a.ndim == 1 and axis in (None, 0) else None


def _argmin(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return _argmax(scaled(a, -1.0) if type(a) is Noisy else a, axis, out, **rest)


def _argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **rest: Any) -> Any:
    """Return the order of a few numbers with Gumbel noise of one scale: who is above all others, then who of these.

    So is that of eigenvalues, and of numbers that were sorted before, without a look.
    """
    if type(a) is not Noisy or a.ndim != 1 or a.size < 2 or axis not in (-1, 0, None):
        return None
    if order is None and not rest and (known := order_of(a)) is not None:
        return known
    if a.size > MOST_SORTED:
        current().hints.add(f"the whole order of {a.size} numbers is asked for at {place()}")
        return None
    ones = single(current(), a)
    if order is not None or rest or ones is None:
        return None
    factors = {factor for _, _, _, factor in ones}
    several = len({draw for _, draw, _, _ in ones}) == a.size
    if len(factors) > 1 or not several or any(block.law is not GUMBEL for block, _, _, _ in ones):
        return None
    rising = factors.pop() > 0
    numbers, left, found = a if rising else scaled(a, -1.0), list(range(a.size)), []
    while left:
        found.append(left.pop(largest(numbers[left]) if len(left) > 1 else 0))
    return np.array(found[::-1] if rising else found)


def _max(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return extreme(np.maximum, a, axis) if type(a) is Noisy and out is None and not rest else None


def _min(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return extreme(np.minimum, a, axis) if type(a) is Noisy and out is None and not rest else None


def _like(number: float) -> Callable[..., Any]:
    return lambda a, dtype=None, **rest: (
        constant(np.full(np.shape(a) if not isinstance(a, Noisy) else a.shape, number))
        if (dtype in (float,) or (dtype is None and not (type(a) is Noisy and a.whole)))
        and all(v is None for v in rest.values())
        else None
    )


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return where a number belongs in a sorted list, by halving it, so that each place is one path of decisions."""
    edges = None if type(a) is Noisy else np.asarray(a)
    if edges is None or type(v) is not Noisy or v.size > MOST_SOUGHT or sorter is not None or edges.ndim != 1:
        return None
    if side not in ("left", "right") or edges.dtype.kind not in "iuf" or not len(edges):
        return None
    if not np.all(np.isfinite(edges)) or np.any(np.diff(edges) < 0) or is_discrete(current(), rows_of(v)):
        return None
    half = bisect.bisect_left if side == "left" else bisect.bisect_right
    places = [half(edges.tolist(), number) for number in v.ravel()]
    return np.array(places, dtype=np.int64).reshape(v.shape)[()]


def _kind_of(a: Any) -> type:
    return np.int64 if type(a) is Noisy and a.whole else np.float64 if type(a) is Noisy else np.asarray(a).dtype.type


def _full_like(a: Any, fill_value: Any, dtype: Any = None, **rest: Any) -> Any:
    if dtype not in (None, float) or any(v is not None for v in rest.values()):
        return None
    if dtype is None and _kind_of(a) is not np.float64:
        return None
    filled = constant(np.zeros(np.shape(a)))
    filled[...] = fill_value
    return filled


def _round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    if type(a) is not Noisy or out is not None or a.whole:
        return None
    return np.rint(a) if decimals == 0 else to_digits(a, decimals)


def _trace(a: Any, *args: Any, **options: Any) -> Any:
    return None if args or options else _sum(np.diagonal(a))


def _difference(a: Any, n: int = 1, axis: int = -1, **rest: Any) -> Any:
    return a[1:] - a[:-1] if type(a) is Noisy and a.ndim == 1 and n == 1 and not rest else None


def _fill_diagonal(a: Any, val: Any, wrap: bool = False) -> Any:
    if type(a) is not Noisy or a.ndim != 2 or not np.size(val):
        return None
    flat = np.arange(a.size)[: None if wrap else a.shape[1] ** 2 : a.shape[1] + 1]
    a[np.unravel_index(flat, a.shape)] = np.ravel(val)[np.arange(len(flat)) % np.size(val)]
    return Ellipsis


def _copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> Any:
    if type(dst) is not Noisy:
        return None
    mask = np.broadcast_to(seen(where), dst.shape)
    dst[...] = np.where(mask, src, dst)
    return Ellipsis


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a, axis=None: a.size if axis is None else a.shape[axis],
    "sum": _sum,
    "mean": _mean,
    "average": lambda a, axis=None, weights=None, **rest: None if weights is not None or rest else _mean(a, axis),
    "dot": _dot,
    "inner": lambda a, b: np.matmul(a, b) if np.ndim(a) == np.ndim(b) == 1 else None,
    "vdot": lambda a, b: np.matmul(np.ravel(a), np.ravel(b)),
    "outer": lambda a, b, out=None: np.multiply(np.ravel(a)[:, None], np.ravel(b)[None, :]) if out is None else None,
    "cumsum": lambda a, axis=None, **rest: cumulated(a) if type(a) is Noisy and not rest else None,
    "clip": _clip,
    "argmax": _argmax,
    "argsort": _argsort,
    "argmin": _argmin,
    "max": _max,
    "amax": _max,
    "min": _min,
    "amin": _min,
    "zeros_like": _like(0.0),
    "ones_like": _like(1.0),
    "empty_like": _like(0.0),
    "full_like": _full_like,
    "round": _round,
    "around": _round,
    "trace": _trace,
    "diff": _difference,
    "fill_diagonal": _fill_diagonal,
    "copyto": _copyto,
    "searchsorted": _searchsorted,
    "digitize": lambda x, bins, right=False: _searchsorted(bins, x, "left" if right else "right"),
    "real": lambda val: val,
    "may_share_memory": lambda *args, **rest: True,
    "shares_memory": lambda *args, **rest: True,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
}
PROTOCOLS["arrays"] = of_arrays
