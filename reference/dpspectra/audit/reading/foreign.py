"""Tables, columns and dates of pandas, polars and Arrow, taken apart; whatever else they have is unread."""

from typing import Any

import numpy as np

from dpspectra.audit.reading.memory import Parts, Unread

LIBRARIES = ("pandas", "polars", "pyarrow")
SPARE = 4
"""Bytes that Arrow counts one time more where texts begin."""


def of_foreign(x: Any) -> Parts | None:
    """Take a value of one of these libraries apart; return ``None`` for anything else."""
    kind = next((each for each in type(x).__mro__ if each.__module__.partition(".")[0] in LIBRARIES), None)
    if kind is None:
        return None
    library = kind.__module__.partition(".")[0]
    of_type = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_arrow}[library](x)
    if of_type is None:
        return [("(unread)", Unread(f"{kind.__module__}.{kind.__qualname__}"))]
    of_type.append(("(type)", type(x).__qualname__))
    if kind is not type(x):
        of_type.append(("(subclass)", Unread(f"subclass {type(x).__qualname__} of {kind.__qualname__}")))
    return of_type


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
        zone = [("zone", str(x.tzinfo)), ("fold", x.fold)] if isinstance(x, pd.Timestamp) else []
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
    names = {"names": list(x.names), "kind": type(x).__name__}
    if hasattr(x, "levels"):
        return {"levels": [_index(level) for level in x.levels], "codes": [np.array(c) for c in x.codes], **names}
    if all(hasattr(x, end) for end in ("start", "stop", "step")):
        return {"range": [x.start, x.stop, x.step], **names}
    return {"labels": _column(x.array), "freq": str(getattr(x, "freq", None)), **names}


def _column(x: Any) -> Any:
    """Values of a column, as it is stored: those that are masked and categories that are not used among them."""
    import pandas as pd

    kind = {"type": str(x.dtype)}
    if isinstance(x, pd.arrays.NumpyExtensionArray):
        return x.to_numpy(copy=True)
    if isinstance(x, pd.Categorical):
        return {"codes": np.array(x.codes), "categories": _index(x.categories), "ordered": x.ordered, **kind}
    if isinstance(x, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray, pd.arrays.PeriodArray)):
        return {"values": np.array(x.asi8), **kind}
    if hasattr(x, "_data") and hasattr(x, "_mask"):
        return {"values": np.array(x._data), "missing": np.array(x._mask), **kind}
    found = {"values": [None if value is pd.NA else value for value in x], **kind}
    whole = isinstance(x.dtype, pd.StringDtype)
    return found if whole else {**found, "(unread)": Unread(f"column of type {x.dtype}")}


def _of_polars(x: Any) -> Parts | None:
    if hasattr(x, "get_columns"):
        return [*((column.name, column.to_list()) for column in x.get_columns()), ("(schema)", str(x.schema))]
    if hasattr(x, "to_list") and hasattr(x, "dtype"):
        return [("values", x.to_list()), ("name", x.name), ("type", str(x.dtype))]
    return None


def _of_arrow(x: Any) -> Parts | None:
    if hasattr(x, "column_names") and hasattr(x, "schema"):
        full = x.schema.to_string(truncate_metadata=False, show_field_metadata=True, show_schema_metadata=True)
        columns = [(name, _arrow(x.column(i))) for i, name in enumerate(x.column_names)]
        return [*columns, ("(schema)", full)]
    if hasattr(x, "to_pylist") and hasattr(x, "null_count"):
        return [("values", _arrow(x)), ("type", str(x.type))]
    if hasattr(x, "as_py") and hasattr(x, "type"):
        return [("value", x.as_py()), ("type", str(x.type))]
    return None


def _arrow(x: Any) -> Any:
    """Values of an array, and how it is cut; one that is part of another, or lacks values, may hide some."""
    chunks = list(x.chunks) if hasattr(x, "chunks") else [x]
    spare = (each.get_total_buffer_size() - each.nbytes > SPARE for each in chunks)
    hidden = any(spare) or any(each.offset or each.null_count for each in chunks)
    parts = {"values": x.to_pylist(), "lengths": [len(chunk) for chunk in chunks]}
    return {**parts, "(unread)": Unread("memory of an Arrow array")} if hidden else parts
