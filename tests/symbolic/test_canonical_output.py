import array
import datetime
import decimal
import io
import math
import types
from typing import NamedTuple

import numpy as np
import pytest

from dpspectra.symbolic.canonical_output import DEEPEST, NoForm, opened, read


class Plain:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Digits(decimal.Decimal):
    pass


class Buffer(bytearray):
    pass


class Lying(np.ndarray):
    """Arrays that may say of themselves what they like."""

    def reshape(self, *_):  # type: ignore[override]
        return np.zeros(0)


class Pair(NamedTuple):
    read: int
    write: int


class Twice(Slotted):
    __slots__ = ("x",)

    def __init__(self, x):
        vars(Slotted)["x"].__set__(self, 0)
        self.x = x


UNLIKE = [
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    (None, math.nan),
    ("0.5", "0.50"),
    (b"a", "a"),
    ([1], (1,)),
    ([], [[]]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (10**18 + 1, 10**18 + 2),
    (1j, 2j),
    (np.zeros(2), np.zeros((2, 1))),
    (np.zeros(2), np.zeros(2, dtype=np.float32)),
    (np.array([1.7e12, 3]), np.array([1.7e12, 7])),
    ({1, 2}, {1, 3}),
    (Plain(1), Plain(2)),
    (Slotted(1), Slotted(2)),
    (Plain(1), Slotted(1)),
    (np.array([1], np.uint8).view(bool), np.array([2], np.uint8).view(bool)),
    (np.array([None, 1], dtype=object), np.array([None, 2], dtype=object)),
    (Digits("1.1"), Digits("1.10")),
    (Buffer(b"a"), Buffer(b"b")),
    (Pair(1, 2), Pair(1, 3)),
    (array.array("d", [1]), array.array("d", [2])),
    (types.MappingProxyType({"a": 1}), types.MappingProxyType({"a": 2})),
    (np.ma.masked_array([1], mask=[True]), np.ma.masked_array([2], mask=[True])),
    (np.zeros(2).view(Lying), np.ones(2).view(Lying)),
    (Twice(1), Twice(2)),
    ({"a" * 50: 1, "a" * 60: 2}, {"a" * 50: 3, "a" * 60: 2}),
    (datetime.UTC, datetime.timezone(datetime.timedelta(1 / 24))),
]


@pytest.mark.parametrize(("a", "b"), UNLIKE, ids=lambda x: type(x).__name__)
def test_unlike_outputs_have_unlike_forms(a, b):
    first, second = opened(a)[0], opened(b)[0]
    assert list(first.items()) != list(second.items())
    assert list(first.items()) == list(opened(a)[0].items())


def test_floats_of_both_kinds_have_one_form_and_two_kinds():
    assert opened(np.float64(0.25)) == opened(0.25)
    assert read(np.float64(0.25))[2] != read(0.25)[2]
    assert opened(math.nan) != opened(-math.nan)


def test_values_of_pandas_are_read():
    pd = pytest.importorskip("pandas")
    for make in (pd.Timestamp, pd.Timedelta, lambda b: pd.Series([b]), lambda b: pd.DataFrame({"a": [b]})):
        assert opened(make(0))[0] != opened(make(1))[0] == opened(make(1))[0]
    table = pd.DataFrame({"a": [0]})
    table.read = 1
    assert "output.(added)['read']" in opened(table)[0]


def test_what_of_other_libraries_is_not_read_whole_is_refused():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = pytest.importorskip("pyarrow").table({"a": [1, None]})
    for hidden in (table, pl.Series([1, None]), pd.Series(pd.arrays.SparseArray([0, 1])), pd.offsets.Day(1)):
        with pytest.raises(NoForm, match="cannot be read"):
            opened(hidden)


class Concealed:
    __dict__ = property(lambda self: {})


@pytest.mark.parametrize(
    "x",
    [
        lambda: 0,
        iter([1]),
        (v for v in "ab"),
        object(),
        Concealed(),
        io.StringIO("a"),
        np.longdouble(1),
        np.zeros(1, dtype=np.dtype("i1, f8", align=True)),
        np.zeros(1, dtype={"names": "ab", "formats": ["i4", "i4"], "offsets": [0, 0], "itemsize": 8}),
        type("A", (), {}),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_has_no_form_is_refused(x):
    with pytest.raises(NoForm, match="output"):
        opened(x)


def test_what_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(NoForm, match="within itself"):
        opened(loop)


def nested(depth, wrap):
    x = 0
    for _ in range(depth):
        x = wrap(x)
    return x


def boxed(x):
    found = np.empty(1, dtype=object)
    found[0] = x
    return found


def test_sets_in_sets_differ_by_what_is_innermost():
    """Their texts would double with each set around them."""
    first, second = ({"a": nested(DEEPEST - 2, lambda x: frozenset([x])), "b": frozenset([k])} for k in (1, 2))
    assert opened(first) != opened(second)
    deep = [opened(frozenset([frozenset([frozenset([k] * 3 + [5 * "long text"])])]))[0] for k in (1, 1, 2)]
    assert deep[0] == deep[1] != deep[2]


def test_sets_of_one_content_differ_in_their_kind_by_their_order():
    first, again, second = (read([frozenset(v)]) for v in ([0, 8], [0, 8], [8, 0]))
    assert first == again
    assert first[0] == second[0]
    assert first[2] != second[2]


class Holder:
    def __init__(self, x):
        self.x = x


WRAPS = {
    "list": lambda x: [x],
    "dict": lambda x: {"a": x},
    "set": lambda x: frozenset([x]),
    "array": boxed,
    "object": Holder,
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_containers_are_opened_to_a_depth(wrap):
    leaves = opened(nested(DEEPEST, wrap))[0]
    assert leaves != opened(nested(DEEPEST - 1, wrap))[0]
    assert len(leaves) > DEEPEST or wrap is WRAPS["set"]  # which is one leaf
    with pytest.raises(NoForm, match="nested too deeply"):
        opened(nested(DEEPEST + 1, wrap))
