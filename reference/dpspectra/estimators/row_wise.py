"""Which transformers of scikit-learn map each row by itself, by public numbers: a closed list.

All that is not known is not on it: subclasses, objects whose methods were replaced, functions of somebody else, and
whatever learns from rows. Parameters are looked at as ``transform`` goes by them, after the fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
)

from dpspectra.matrices.prepared_rows import unit_rows

NAMES = (
    *("absolute", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "conjugate"),
    *("cos", "cosh", "deg2rad", "degrees", "exp", "exp2", "expm1", "fabs", "floor", "invert", "isfinite", "isinf"),
    *("isnan", "log", "log10", "log1p", "log2", "logical_not", "nan_to_num", "negative", "positive", "rad2deg"),
    *("radians", "reciprocal", "rint", "sign", "signbit", "sin", "sinh", "spacing", "sqrt", "square", "tan", "tanh"),
    "trunc",
)
"""Functions of numpy that map each number by itself."""
FUNCTIONS = (unit_rows, *(getattr(np, name) for name in NAMES))
LISTED = (
    "Normalizer, Binarizer, PolynomialFeatures, OneHotEncoder and OrdinalEncoder with given categories, "
    "FunctionTransformer of a function of numpy that maps each number by itself or of dpspectra.unit_rows, "
    "ColumnTransformer and Pipeline of these"
)
"""The list in words."""
DENSE = "rows that come to a ColumnTransformer are dense"
PLAIN = (str, int, float, bool, type(None))


def maps_rows(step: Any) -> bool:
    """Whether a fitted step maps each row by itself, by public numbers."""
    if step is None or (type(step) is str and step == "passthrough"):
        return True
    known = KNOWN.get(type(step))
    return known is not None and _as_its_class(step) and known(step)


def conditions(step: Any) -> tuple[str, ...]:
    """Return what must be assumed of the data besides for a step that `maps_rows`."""
    found = any(type(each) is ColumnTransformer and not _surely_dense(each) for each in _within(step))
    return (DENSE,) if found else ()


def _as_its_class(step: Any) -> bool:
    """Whether no method was replaced in the object itself."""
    return not any(hasattr(type(step), name) for name in vars(step))


def _plain(*values: Any) -> bool:
    return all(type(value) in PLAIN for value in values)


def _of_numbers(step: Any) -> bool:
    """Whether all that a transformer goes by are plain values, as those of a degree may be in a tuple."""
    for name, value in vars(step).items():
        if name in OTHERWISE:
            continue
        if not _plain(*value) if type(value) is tuple else not _plain(value):
            return False
    return True


OTHERWISE = ("feature_names_in_", "_sklearn_output_config")
"""Attributes that change no number of an output."""


def _of_function(step: FunctionTransformer) -> bool:
    """Whether the function is listed, and the inverse, too, as a fit may call it on the rows."""
    listed = all(
        function is None or any(function is known for known in FUNCTIONS) for function in (step.func, step.inverse_func)
    )
    alone = not step.kw_args and not step.inv_kw_args
    return listed and alone and _plain(step.feature_names_out, step.validate, step.accept_sparse)


def _of_categories(step: Any) -> bool:
    """Whether the categories were given, and are those that the encoder goes by."""
    given, fitted = step.categories, getattr(step, "categories_", None)
    if type(given) not in (list, tuple) or type(fitted) is not list or len(given) != len(fitted):
        return False
    if not all(map(_same, given, fitted)):
        return False
    return step.min_frequency is None and step.max_categories is None and not step._infrequent_enabled


def _one_hot(step: OneHotEncoder) -> bool:
    if not _of_categories(step) or step.handle_unknown not in ("error", "ignore"):
        return False
    drop = step.drop
    if not (drop is None or (type(drop) is str and drop in ("first", "if_binary"))):
        if not (_values(drop) and len(drop) == len(step.categories_)):
            return False
        drop = list(drop)
    return _same_or_none(_dropped(drop, step.categories_), step._drop_idx_after_grouping)


def _dropped(drop: Any, categories: list[Any]) -> list[Any] | None:
    """Return the places of the categories that are dropped, as public values tell them."""
    if drop is None:
        return None
    if isinstance(drop, str):
        return [0 if drop == "first" or len(each) == 2 else None for each in categories]
    return [
        next((i for i, value in enumerate(each) if _equal(value, one)), None)
        for one, each in zip(drop, categories, strict=True)
    ]


def _ordinal(step: OrdinalEncoder) -> bool:
    if not _of_categories(step) or step.handle_unknown not in ("error", "use_encoded_value"):
        return False
    missing = {place: i for place, each in enumerate(step.categories_) for i, x in enumerate(each) if _is_missing(x)}
    public = all(_public(value) for value in (step.unknown_value, step.encoded_missing_value))
    return public and step._missing_indices == missing


def _columns(step: ColumnTransformer) -> bool:
    """Whether all parts map rows, and columns are names or places."""
    given = [columns for *_, columns in step.transformers]
    fitted = [part for _, part, _ in getattr(step, "transformers_", [(None, step, None)])]
    return (
        step.transformer_weights is None
        and all(map(_names_or_places, given))
        and all(part == "drop" if type(part) is str and part != "passthrough" else maps_rows(part) for part in fitted)
        and (step.sparse_threshold == 0 or not any(_sparse(each) for each in _within(step)))
    )


def _names_or_places(columns: Any) -> bool:
    if type(columns) is slice:
        return _plain(columns.start, columns.stop, columns.step)
    return _plain(columns) or _values(columns)


def _steps(step: Pipeline) -> bool:
    return step.memory is None and all(maps_rows(each) for _, each in step.steps)


def _within(step: Any) -> Iterator[Any]:
    """Yield a step and all parts in it."""
    yield step
    if type(step) is Pipeline:
        parts = [each for _, each in step.steps]
    else:
        parts = [part for _, part, _ in step.transformers_] if type(step) is ColumnTransformer else []
    for part in parts:
        yield from _within(part)


def _sparse(step: Any) -> bool:
    """Whether a step makes sparse rows of dense ones: how dense all rows are would then be told by their form."""
    return type(step) is OneHotEncoder and bool(step.sparse_output)


def _surely_dense(step: ColumnTransformer) -> bool:
    """Whether the form of the output does not depend on rows: dense by order, or as encoders take dense rows only."""
    encoders = [type(part) in (OneHotEncoder, OrdinalEncoder) for _, part, _ in step.transformers_]
    return step.sparse_threshold == 0 or any(encoders)


def _values(values: Any) -> bool:
    """Whether this is a list of plain values."""
    return type(values) in (list, tuple, np.ndarray) and np.ndim(values) == 1 and all(map(_public, values))


def _public(value: Any) -> bool:
    return _plain(value) or isinstance(value, np.generic)


def _same(given: Any, fitted: Any) -> bool:
    return _values(given) and _values(fitted) and len(given) == len(fitted) and all(map(_equal, given, fitted))


def _same_or_none(due: list[Any] | None, found: Any) -> bool:
    return found is None if due is None else found is not None and _same(due, found)


def _equal(one: Any, two: Any) -> bool:
    return bool(one == two) or (_is_missing(one) and _is_missing(two) and (one is None) == (two is None))


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (float, np.floating)) and math.isnan(value))


KNOWN: dict[type, Callable[[Any], bool]] = {
    Normalizer: _of_numbers,
    Binarizer: _of_numbers,
    PolynomialFeatures: _of_numbers,
    FunctionTransformer: _of_function,
    OneHotEncoder: _one_hot,
    OrdinalEncoder: _ordinal,
    ColumnTransformer: _columns,
    Pipeline: _steps,
}
"""Transformers on the list, with what must hold of one after its fit."""
