"""Functions of numpy on arrays that hold noise: what moves or sums entries stays symbolic, everything else looks."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.arithmetic import cumulated, extreme, scaled, summed
from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, made, rows_of, seen
from dpspectra.symbolic.noisy_rows import is_discrete, joined
from dpspectra.symbolic.questions import called_on_numbers, constant, largest, within
from dpspectra.symbolic.tape import current

MOST_SOUGHT = 100
"""Numbers whose places in a sorted list are sought one by one."""
_SELECTIONS = """
transpose reshape ravel swapaxes moveaxis rollaxis concatenate stack vstack hstack dstack column_stack row_stack append
insert triu tril diag diagflat diagonal flip fliplr flipud rot90 roll tile repeat broadcast_to expand_dims squeeze
atleast_1d atleast_2d atleast_3d take take_along_axis split array_split hsplit vsplit delete copy where resize pad
unstack
"""
SELECTIONS = frozenset(_SELECTIONS.split())
"""Functions that move entries about, or put 0 in their place."""


_VIEWS = """
transpose reshape ravel swapaxes moveaxis rollaxis diagonal diag flip fliplr flipud rot90 roll tile repeat broadcast_to
expand_dims squeeze atleast_1d atleast_2d atleast_3d take take_along_axis split array_split hsplit vsplit delete copy
unstack
"""
VIEWS = frozenset(_VIEWS.split())
"""Those of them that can give views, and put nothing in the place of entries, except for `diag` of a vector."""


def of_arrays(function: Any, args: Any, options: Any) -> Any:
    """Return a function of arrays: symbolic if it moves or sums entries, else of numbers that are looked at."""
    for value in within([args, list(options.values())]):
        value.owned()
    name = function.__name__
    rule = _FUNCTIONS.get(name)
    result = None
    if name in SELECTIONS:
        result = _selected(function, args, options)
    elif rule is not None:
        result = rule(*args, **options)
    if result is None:
        return called_on_numbers(function, args, options)
    return result


def _selected(function: Any, args: Any, options: Any) -> Any:
    """Apply a function that moves entries to an array of positions, once."""
    if not _moves_only(function, args, options):
        return None
    if _gives_views(function, args) and not within([*args[1:], *options.values()]):
        return _each(args[0].taken, function(args[0].at, *args[1:], **options))
    values: list[Any] = []

    def collect(x: Any) -> None:
        if type(x) is Noisy:
            values.append(x)
        elif type(x) in (list, tuple):
            for item in x:
                collect(item)

    first = args if function in (np.where, np.append, np.insert, np.choose) else args[:1]
    if function is np.where:
        if len(args) != 3:
            return None
        first = args[1:]
    collect(list(first))
    if not values or within([options]) or within(list(args[len(first) :] if function is not np.where else args[:1])):
        return None
    tables, start = [rows_of(constant(0.0))], 1

    def placed(x: Any) -> Any:
        nonlocal start
        if type(x) in (list, tuple) and within(x):
            return type(x)(placed(item) for item in x)
        if function is np.insert and x is not args[0] and type(x) is not Noisy:
            return x
        value = x if type(x) is Noisy else constant(x)
        tables.append(rows_of(value))
        at = np.arange(start, start + value.size).reshape(value.shape)
        start += value.size
        return at

    if function is np.where:
        found = function(seen(args[0]), placed(args[1]), placed(args[2]))
    elif function is np.insert:
        found = function(
            placed(args[0]),
            args[1],
            placed(args[2]) if type(args[2]) is Noisy else placed(constant(args[2])),
            *args[3:],
            **options,
        )
    elif function is np.append:
        found = function(placed(args[0]), placed(args[1]), *args[2:], **options)
    else:
        listed = type(args[0]) in (list, tuple)
        chosen = type(args[0])(placed(v) for v in args[0]) if listed else placed(args[0])
        found = function(chosen, *args[1:], **options)
    rows = joined(tables)
    whole = made(current(), rows.mu, rows.draw, rows.coefficient)

    return _each(lambda at: whole[np.asarray(at)], found)


def _gives_views(function: Any, args: Any) -> bool:
    return function.__name__ in VIEWS and type(args[0]) is Noisy and (function is not np.diag or args[0].ndim == 2)


def _each(function: Callable[[Any], Any], found: Any) -> Any:
    """Apply a function to an array, or to each of several."""
    if isinstance(found, (list, tuple)):
        return type(found)(_each(function, a) for a in found)
    return function(found)


def _moves_only(function: Any, args: Any, options: Any) -> bool:
    """Whether a function with these options does nothing but move entries, and puts 0 at most in their place."""
    if any(options.get(name) is not None for name in ("out", "dtype")) or len(args) < 1:
        return False
    if function is np.take and (len(args) > 3 or type(args[0]) is not Noisy):
        return False
    if function is np.pad:
        mode = args[2] if len(args) > 2 else options.get("mode", "constant")
        fill = not options.keys() - {"mode", "pad_width", "array"}
        return fill and mode in ("constant", "edge", "wrap", "reflect", "symmetric")
    return True


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
    if type(a) is not Noisy or a.ndim != 1 or out is not None or axis not in (None, 0) or rest:
        return None
    return np.int64(largest(a))


def _argmin(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return _argmax(scaled(a, -1.0) if type(a) is Noisy else a, axis, out, **rest)


def _max(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return extreme(np.maximum, a, axis) if type(a) is Noisy and out is None and not rest else None


def _min(a: Any, axis: Any = None, out: Any = None, **rest: Any) -> Any:
    return extreme(np.minimum, a, axis) if type(a) is Noisy and out is None and not rest else None


def _like(number: float) -> Callable[..., Any]:
    return lambda a, dtype=None, **rest: (
        constant(np.full(np.shape(a) if not isinstance(a, Noisy) else a.shape, number))
        if dtype in (None, float) and all(v is None for v in rest.values())
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
    return np.float64 if type(a) is Noisy else np.asarray(a).dtype.type


def _full_like(a: Any, fill_value: Any, dtype: Any = None, **rest: Any) -> Any:
    if dtype not in (None, float) or any(v is not None for v in rest.values()):
        return None
    if dtype is None and _kind_of(a) is not np.float64:
        return None
    filled = constant(np.zeros(np.shape(a)))
    filled[...] = fill_value
    return filled


def _round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    return np.rint(a) if type(a) is Noisy and out is None and decimals == 0 else None


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
    "real": lambda val: val,
    "may_share_memory": lambda *args, **rest: True,
    "shares_memory": lambda *args, **rest: True,
    "iscomplexobj": lambda x: False,
    "isrealobj": lambda x: True,
}
PROTOCOLS["arrays"] = of_arrays
