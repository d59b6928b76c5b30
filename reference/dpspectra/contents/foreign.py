"""Tables, columns and dates of pandas, polars and Arrow, taken apart; whatever else they have is unread."""

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from dpspectra.contents.built_in_types import Parts, Unread
from dpspectra.contents.object_state import attributes

LIBRARIES = ("pandas", "polars", "pyarrow")
SPARE = 4
"""Bytes that Arrow counts one time more where texts begin."""
OWN = {
    *("_mgr", "_attrs", "_flags", "_name", "_item_cache", "_is_copy", "_data", "_cache", "_id", "_references"),
    *("_range", "_freq", "_levels", "_codes", "_names", "sortorder", "_mask", "_ndarray", "_dtype", "_pa_array"),
    *("_left", "_right", "_s", "_df", "_readonly"),
}
"""Attributes that values of these libraries have anyway; others were put there by somebody."""


def is_foreign(x: Any) -> bool:
    """Whether a value is of a type of one of these libraries, or of one that is built on it."""
    return _of_library(type(x)) is not None


def _found_library(kind: type) -> type | None:
    return next((each for each in kind.__mro__ if each.__module__.partition(".")[0] in LIBRARIES), None)


_of_library = cast("Callable[[type], type | None]", functools.lru_cache(maxsize=1024)(_found_library))


def of_foreign(x: Any) -> Parts | None:
    """Take a value of one of these libraries apart; return ``None`` for anything else."""
    if (kind := _of_library(type(x))) is None:
        return None
    library = kind.__module__.partition(".")[0]
    of_type = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}[library](x)
    if of_type is None:
        return [("(unread)", Unread(f"{kind.__module__}.{kind.__qualname__}"))]
    of_type += [*_added(x), ("(type)", type(x).__qualname__)]
    if kind is not type(x):
        of_type.append(("(subclass)", Unread(f"subclass {type(x).__qualname__} of {kind.__qualname__}")))
    return of_type


def _added(x: Any) -> Parts:
    """Attributes that somebody gave to a value."""
    return [("(added)", added)] if (added := {k: v for k, v in attributes(x).items() if k not in OWN}) else []


def _of_pandas(x: Any) -> Parts | None:
    import pandas as pd

    if x is pd.NaT or x is pd.NA:
        return [("value", None), ("name", repr(x))]
    if isinstance(x, pd.DataFrame):
        columns = [(name, _column(x.iloc[:, i].array)) for i, name in enumerate(x.columns)]
        return [*columns, ("(columns)", _index(x.columns)), *_beside(x)]
    if isinstance(x, pd.Series):
        return [("values", _column(x.array)), ("name", x.name), *_beside(x)]
    if isinstance(x, pd.Index):
        return list(_index(x).items())
    if isinstance(x, (pd.Timestamp, pd.Timedelta)):
        zone = [("zone", x.tzinfo), ("fold", x.fold)] if isinstance(x, pd.Timestamp) else []
        return [("value", int(x.asm8.astype(np.int64))), ("unit", x.unit), *zone]
    if isinstance(x, pd.Period):
        return [("ordinal", x.ordinal), ("freq", x.freqstr)]
    if isinstance(x, pd.Interval):
        return [("left", x.left), ("right", x.right), ("closed", x.closed)]
    if isinstance(x, pd.api.extensions.ExtensionArray):
        return [("values", _column(x))]
    return None


def _beside(x: Any) -> Parts:
    """Index, attributes and flags of a table or a column."""
    return [("(index)", _index(x.index)), ("(attributes)", dict(x.attrs)), ("(flags)", str(x.flags))]


def _index(x: Any) -> dict[str, Any]:
    """Labels of rows or columns, with their names; of several levels, those that are not used, too."""
    names = {"names": list(x.names), "kind": type(x).__name__, **dict(_added(x))}
    if hasattr(x, "levels"):
        return {"levels": [_index(level) for level in x.levels], "codes": [np.array(c) for c in x.codes], **names}
    if all(hasattr(x, end) for end in ("start", "stop", "step")):
        return {"range": [x.start, x.stop, x.step], **names}
    return {"labels": _column(x.array), "freq": str(getattr(x, "freq", None)), **names}


def _column(x: Any) -> Any:
    """Values of a column, as it is stored: those that are masked and categories that are not used among them."""
    import pandas as pd

    strange = {} if type(x).__module__.startswith("pandas") else {"(unread)": Unread(f"column of type {x.dtype}")}
    kind: dict[str, Any] = {"type": str(x.dtype), **dict(_added(x)), **strange}
    if isinstance(x, pd.arrays.NumpyExtensionArray):
        values = x.to_numpy(copy=True)
        return values if len(kind) == 1 else {"values": values, **kind}
    if isinstance(x, pd.Categorical):
        return {"codes": np.array(x.codes), "categories": _index(x.categories), "ordered": x.ordered, **kind}
    if isinstance(x, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray, pd.arrays.PeriodArray)):
        return {"values": np.array(x.asi8), "zone": getattr(x.dtype, "tz", None), **kind}
    if isinstance(x, pd.arrays.IntervalArray):
        return {"left": _index(x.left), "right": _index(x.right), **kind}
    if isinstance(x, (pd.arrays.BooleanArray, pd.arrays.IntegerArray, pd.arrays.FloatingArray)):
        return {"values": np.array(x._data), "missing": np.array(x._mask), **kind}
    found = {"values": [None if value is pd.NA else value for value in x], **kind}
    whole = isinstance(x.dtype, pd.StringDtype)
    return found if whole else {**found, "(unread)": Unread(f"column of type {x.dtype}")}


def _of_polars(x: Any) -> Parts | None:
    if hasattr(x, "get_columns"):
        columns = [(column.name, column.to_list()) for column in x.get_columns()]
        return [*columns, ("(schema)", str(x.schema)), *_missing([values for _, values in columns], "polars")]
    if hasattr(x, "to_list") and hasattr(x, "dtype"):
        values = x.to_list()
        return [("values", values), ("name", x.name), ("type", str(x.dtype)), *_missing(values, "polars")]
    return None


def _missing(values: Any, library: str) -> Parts:
    """Memory below missing values, at any depth, which is hidden."""
    return [("(unread)", Unread(f"memory of missing values of {library}"))] if _lacks(values) else []


def _lacks(x: Any) -> bool:
    several = x.values() if isinstance(x, dict) else x if isinstance(x, list) else ()
    return x is None or any(map(_lacks, several))


def _of_arrow(x: Any) -> Parts | None:
    if hasattr(x, "column_names") and hasattr(x, "schema"):
        full = x.schema.to_string(truncate_metadata=False, show_field_metadata=True, show_schema_metadata=True)
        columns = [(name, _arrow(x.column(i))) for i, name in enumerate(x.column_names)]
        return [*columns, ("(schema)", full)]
    if hasattr(x, "to_pylist") and hasattr(x, "null_count"):
        return [("values", _arrow(x)), ("type", str(x.type))]
    if hasattr(x, "as_py") and hasattr(x, "type"):
        return [("value", x.as_py()), ("type", str(x.type)), *_words([x])]
    return None


def _words(several: list[Any]) -> Parts:
    """Words that values are numbers of, used or not."""
    found = [each.dictionary.to_pylist() for each in several if hasattr(each, "dictionary")]
    return [("words", found)] if found else []


def _arrow(x: Any) -> Any:
    """Values of an array, and how it is cut; one that is part of another may hide some."""
    chunks, values = list(x.chunks) if hasattr(x, "chunks") else [x], x.to_pylist()
    parts = {"values": values, "lengths": [len(chunk) for chunk in chunks], **dict(_words(chunks))}
    hidden = any(each.offset or each.get_total_buffer_size() - each.nbytes > SPARE for each in chunks)
    unread = [("(unread)", Unread("memory of an Arrow array"))] if hidden else _missing(values, "Arrow")
    return {**parts, **dict(unread)}
