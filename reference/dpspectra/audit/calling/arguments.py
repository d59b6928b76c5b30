"""Check what callers hand to an audit before anything is drawn: functions, and the two data sets of a pair.

Every function returns its argument or raises ``ValueError``. Messages name types and shapes, and hold no data.
"""

import functools
import inspect
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.ground import checks
from dpspectra.ground.checks import NUMERIC

Statistic = Callable[[Any], float]
"""A function of one output, on whose values events are bet."""


def checked_function(function: Any, name: str) -> Callable[..., Any]:
    """Return a callable that is no class: a call of a class only makes an object, however many are drawn."""
    if not callable(function):
        raise ValueError(f"{name} must be callable, got {checks.shown(function)}")
    made = function.func if isinstance(function, functools.partial) else function
    if inspect.isclass(made):
        instead = "an instance of it" if "__call__" in _defined(made) else "a function, or a method of an instance"
        raise ValueError(f"{name} must be a function of the data set, got the class {made.__name__}: pass {instead}")
    return function


def _defined(kind: type) -> set[str]:
    """Names that a class and its bases define, ``object`` and ``type`` left out."""
    return {name for base in kind.__mro__ if base is not object for name in vars(base)}


def checked_callback(function: Any, name: str, *arguments: str) -> Callable[..., Any]:
    """Return a callable that takes these arguments by position."""
    if not callable(function):
        raise ValueError(f"{name} must be callable, got {checks.shown(function)}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some callables written in C have none
        return function
    try:
        signature.bind(*arguments)
    except TypeError as problem:
        raise ValueError(
            f"{name} must take {' and '.join(arguments)} and nothing else, got one that cannot: {problem}"
        ) from None
    return function


def checked_classifier(classifier: Any) -> Any:
    """Return an object that learns and predicts as scikit-learn's classifiers do, and no class."""
    if inspect.isclass(classifier):
        raise ValueError(f"classifier must be an object, got the class {classifier.__name__}: pass an instance of it")
    if not all(callable(getattr(classifier, method, None)) for method in ("fit", "predict_proba")):
        raise ValueError(f"classifier must have the methods fit and predict_proba, got {checks.shown(classifier)}")
    return classifier


def checked_pair(pair: Any) -> tuple[Any, Any]:
    """Two different data sets of one kind and width, in a tuple or a list.

    Arrays and the like may differ in their first axis only. One without rows is a neighbour of one with a single row,
    and of no other.
    """
    if not isinstance(pair, (tuple, list)):
        raise ValueError(f"pair must hold two data sets, got no tuple or list, but a {type(pair).__name__}")
    if len(pair) != 2:
        raise ValueError(f"pair must hold two data sets, got {len(pair)} of them")
    first, second = pair
    for data, where in ((first, "first"), (second, "second")):
        if data is None or 0 in _shape(data)[1:]:
            raise ValueError(f"pair must hold two data sets, got {_form(data)} as the {where}")
    lists = isinstance(first, list) and isinstance(second, list)
    without_width = lists and not (_shape(first) and _shape(second) and first and second)
    if not without_width and _form(first) != _form(second):
        raise ValueError(f"pair must hold data sets of one kind and width, got {_form(first)} and {_form(second)}")
    if identical(first, second):
        raise ValueError("pair must hold two different data sets, got the same one twice")
    rows = sorted(shape[0] for shape in map(_shape, pair) if shape)
    if rows and rows[0] == 0 and rows[1] > 1:
        raise ValueError(f"pair must hold neighbours, got one empty data set and one of {rows[1]} rows")
    return first, second


def identical(first: Any, second: Any) -> bool:
    """Whether two data sets are certainly the same: of one type and equal, if that can be told."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(identical, first, second))
    try:
        return first is second or (type(first) is type(second) and bool(first == second))
    except Exception:  # what comparing them does is up to their type
        return False


def _form(data: Any) -> str:
    """Kind and width of a data set, in words that hold none of its values."""
    if data is None:
        return "None"
    if isinstance(data, (numbers.Number, np.number, np.bool_)) or (isinstance(data, np.ndarray) and data.shape == ()):
        return "a number"
    if isinstance(data, tuple):
        return f"a tuple of {', '.join(map(_form, data)) or 'nothing'}"
    kind, shape = type(data).__name__, _shape(data)
    width = f" of shape ({', '.join(['n', *map(str, shape[1:])])})" if shape else ""
    content = getattr(getattr(data, "dtype", None), "kind", "f")
    return f"{kind}{width}" + ("" if content in NUMERIC else f" of {data.dtype}")


def _shape(data: Any) -> tuple[int, ...]:
    """Shape of an array, of what has a shape as arrays do, or of nested lists of numbers; else ``()``."""
    if isinstance(data, list):
        try:
            array = np.asarray(data)
        except ValueError:  # ragged
            return ()
        return array.shape if array.dtype.kind in NUMERIC else ()
    shape = getattr(data, "shape", ())
    return shape if isinstance(shape, tuple) else ()
