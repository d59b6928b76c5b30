"""Functions of numpy that move the entries of arrays about: applied to their positions, the noise goes with them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, made, raw_rows, seen
from dpspectra.symbolic.noisy_rows import joined
from dpspectra.symbolic.number_kinds import is_whole, of_kind
from dpspectra.symbolic.questions import constant, within
from dpspectra.symbolic.tape import current

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


def selected(function: Any, args: Any, options: Any) -> Any:
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
    if function is np.insert and is_whole(args[0]) and not is_whole(args[2]):
        return None
    if not values or within([options]) or within(list(args[len(first) :] if function is not np.where else args[:1])):
        return None
    tables, start, whole = [raw_rows(constant(0.0))], 1, []

    def placed(x: Any) -> Any:
        nonlocal start
        if type(x) in (list, tuple) and within(x):
            return type(x)(placed(item) for item in x)
        if function is np.insert and x is not args[0] and type(x) is not Noisy:
            return x
        if function is not np.insert or x is args[0]:  # what is inserted is cast
            whole.append(is_whole(x))
        value = x if type(x) is Noisy else constant(x)
        tables.append(raw_rows(value))
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
    numbers = of_kind(made(current(), rows.mu, rows.draw, rows.coefficient), all(whole), False)
    return _each(lambda at: numbers[np.asarray(at)], found)


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
