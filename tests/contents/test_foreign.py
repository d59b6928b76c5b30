"""Values of pandas, polars and Arrow are read whole, or a part of them is unread."""

import datetime

import pytest

from dpspectra.contents.built_in_types import Unread
from dpspectra.contents.foreign import is_foreign, of_foreign


def text(x):
    """Return all that is read of a value."""
    if is_foreign(x):
        return text(of_foreign(x))
    if isinstance(x, dict):
        return text(list(x.items()))
    return f"[{', '.join(map(text, x))}]" if isinstance(x, (list, tuple)) else f"{type(x).__name__} {x!r}"


def unread(x):
    """Return what is unread in a value."""
    if isinstance(x, Unread):
        return [x.what]
    if is_foreign(x):
        return unread(of_foreign(x))
    several = x.items() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else ()
    return [what for each in several for what in unread(each)]


def added(x, bit):
    x.added = bit
    return x


def zoned(pd, bit):
    zone = datetime.timezone(datetime.timedelta(hours=bit), "zone")
    return pd.Series([pd.Timestamp(0, tz=zone)])


PANDAS = {
    "cell": lambda pd, b: pd.DataFrame({"a": [b]}),
    "name of a column": lambda pd, b: pd.DataFrame({"ab"[b]: [1]}),
    "attribute of a table": lambda pd, b: added(pd.DataFrame({"a": [1]}), b),
    "attribute of an index": lambda pd, b: pd.Series([1], index=added(pd.Index(["a"]), b)),
    "time": lambda pd, b: pd.Timestamp(b),
    "attribute of a time": lambda pd, b: added(pd.Timestamp(1), b),
    "zone": lambda pd, b: pd.Timestamp(0, tz=datetime.timezone(datetime.timedelta(hours=b), "zone")),
    "zone of a column": zoned,
    "duration": lambda pd, b: pd.Timedelta(b),
    "period": lambda pd, b: pd.Period(f"{2000 + b}-01", freq="M"),
    "interval": lambda pd, b: pd.Interval(0, 1 + b),
    "intervals": lambda pd, b: pd.cut(pd.Series([1, 2, 3]), [0, 2, 3 + b]),
    "closed ends": lambda pd, b: pd.arrays.IntervalArray.from_breaks([0, 1], closed=("left", "right")[b]),
    "unused category": lambda pd, b: pd.Categorical(["a"], categories=["a", "bc"[b]]),
    "label": lambda pd, b: pd.Index([b]),
    "below a mask": lambda pd, b: pd.arrays.IntegerArray(pd.array([b])._data, pd.isna(pd.array([None]))),
    "text": lambda pd, b: pd.Series(["ab"[b]]),
    "missing": lambda pd, b: (pd.NaT, pd.NA)[b],
}


@pytest.mark.parametrize("kind", PANDAS)
def test_a_bit_of_pandas_shows(kind):
    pd = pytest.importorskip("pandas")
    first, second, again = (PANDAS[kind](pd, bit) for bit in (0, 1, 1))
    assert text(first) != text(second) == text(again)
    assert unread(second) == []


def test_hidden_memory_is_unread():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    for hidden in (pa.array([1, None]), pa.array([1, 2])[1:], pa.array([[1, None]]), pl.Series([1, None])):
        assert len(unread(hidden)) == 1
    for hidden in (pl.DataFrame({"a": [[None, 1]]}), pl.DataFrame({"a": [1, None], "b": [None, 1]})):
        assert len(unread(hidden)) == 1
    for plain in (pa.array([1, 2]), pl.Series([[1], [2]]), pa.table({"a": [1.5]}), pl.DataFrame({"a": ["x"]})):
        assert unread(plain) == []


def test_words_that_are_not_used_are_read():
    pa = pytest.importorskip("pyarrow")
    first, second = (pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["a", word])) for word in "bc")
    assert text(first) != text(second)
    assert text(first[0]) != text(second[0])


def test_types_that_others_build_on_these_are_unread():
    pd = pytest.importorskip("pandas")

    table = type("Table", (pd.DataFrame,), {})
    assert "subclass" in unread(table({"a": [1]}))[0]
    assert unread(pd.offsets.Day(1)) != []
    assert unread(pd.Series(pd.arrays.SparseArray([0, 1]))) != []
    assert of_foreign(1) is None
