"""The reader looks inside: a bit anywhere in an output changes what is read, and nothing else does."""

import array
import collections
import datetime
import enum
import functools
import io
import itertools
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from dpspectra.audit.calling.caller import Caller
from dpspectra.audit.reading.labels import NOTHING
from dpspectra.audit.reading.outcomes import TYPES, AsyncGeneratorError, Outcome, failure, inner, outcome
from dpspectra.audit.reading.parts import ITEMS
from dpspectra.audit.reading.stacked_outputs import gathered
from dpspectra.audit.reading.table import Layout


class Slots:
    __slots__ = ("secret",)

    def __init__(self, bit):
        self.secret = bit


class Fitted:
    def __init__(self, bit):
        self.coefficients = [bit]

    def __call__(self, x):
        return x


class Valued:
    def __init__(self, bit):
        self.value = 1.0
        self.extra = bit


class Problem(Exception):
    def __init__(self, bit):
        super().__init__("message")
        self.extra = bit


class Ratio(float):
    secret = 0


class Colour(enum.Enum):
    RED = 0
    BLUE = 1


def ratio(bit):
    made = Ratio(1.0)
    made.secret = bit
    return made


async def later(bit):
    return bit


def made(bit):
    return lambda: bit


def stored(bit):
    places = np.array([0, 1][: 1 + bit])
    return sparse.csr_array((np.zeros(1 + bit), (places, places)), shape=(2, 2))


class Silent(list):
    """Says that it is empty."""

    def __len__(self):
        return 0

    def __iter__(self):
        return iter(())


class Later(datetime.date):
    year = 2000


class Settings:
    level = 0

    def __init__(self):
        self.name = "a"


def set_anew(bit):
    Settings.level = bit
    return [Settings()]


def masked(bit):
    held: Any = np.ma.masked_array([1.0], mask=[True])
    held.unit = bit
    return held


SECRETS = {
    "list that says that it is empty": lambda b: Silent([b]),
    "date that says another year": lambda b: Later(2001 + b, 1, 1),
    "attribute of a class": set_anew,
    "attribute of a masked array": masked,
    "below a mask": lambda b: np.ma.masked_array([b], mask=[True]),
    "mapping proxy": lambda b: types.MappingProxyType({"a": b}),
    "slots": Slots,
    "callable object": Fitted,
    "generator": lambda b: (i for i in [1, b]),
    "map": lambda b: map(int, [b]),
    "zip": lambda b: zip([1], [b], strict=True),
    "reversed": lambda b: reversed([b, 2]),
    "coroutine": later,
    "view": lambda b: {"a": b}.values(),
    "closure": made,
    "default": lambda b: eval(f"lambda k={b}: k"),
    "default by name": lambda b: eval(f"lambda *, k={b}: k"),
    "constant": lambda b: eval(f"lambda: {b}"),
    "partial": lambda b: functools.partial(max, b),
    "bound method": lambda b: Fitted(b).__call__,
    "StringIO": lambda b: io.StringIO(str(b)),
    "attribute beside value": Valued,
    "hexadecimal digits in a set": lambda b: {f"at 0x{b + 17:x}>"},
    "hexadecimal digits in a key": lambda b: {f"0x{b + 17:x}": 1},
    "slots in a dictionary": lambda b: {"a": Slots(b)},
    "namespace": lambda b: types.SimpleNamespace(a=b),
    "enum": lambda b: Colour(b),
    "deque": lambda b: collections.deque([b]),
    "datetime": lambda b: datetime.datetime(2000, 1, 1, b),
    "time": lambda b: datetime.time(b),
    "time zone": lambda b: datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=b))),
    "timedelta": lambda b: datetime.timedelta(b),
    "array.array": lambda b: array.array("d", [b]),
    "float64 in bytes": lambda b: np.array([float(b)]).tobytes(),
    "memoryview": lambda b: memoryview(bytes([b])),
    "frozenset": lambda b: frozenset([b]),
    "polynomial": lambda b: np.polynomial.Polynomial([1, b]),
    "range": lambda b: range(b, 5),
    "int or float": lambda b: (1, 1.0)[b],
    "float32 or float64": lambda b: np.ones(2, dtype=("f4", "f8")[b]),
    "list or tuple": lambda b: ([1, 2], (1, 2))[b],
    "dict or OrderedDict": lambda b: ({"a": 1}, collections.OrderedDict(a=1))[b],
    "stored zeros": stored,
    "state of a float": ratio,
    "iterator that raises": lambda b: (1 // (1 - b) for _ in [1]),
    "random generator": np.random.default_rng,
    "defaultdict": lambda b: collections.defaultdict(list, {"a": [b]}),
    "item 3,000 of a list": lambda b: ["a"] * 3000 + [str(b)],
    "word of a text": lambda b: f"the {('cat', 'dog')[b]} ran",
}
OF_OTHERS = {
    "pandas": lambda pandas, b: pandas.DataFrame({"a": [b]}),
    "pandas.types": lambda pandas, b: pandas.DataFrame({"a": np.ones(2, dtype=("i4", "i8")[b])}),
    "pandas.attrs": lambda pandas, b: (frame := pandas.DataFrame({"a": [1]}), frame.attrs.update(a=b))[0],
    "pandas.series": lambda pandas, b: pandas.Series([b]),
    "pyarrow": lambda arrow, b: arrow.table({"a": [b]}),
    "pyarrow.array": lambda arrow, b: arrow.array([b]),
    "polars": lambda polars, b: polars.DataFrame({"a": [b]}),
    "polars.series": lambda polars, b: polars.Series([b]),
    "torch": lambda torch, b: torch.tensor([float(b)], requires_grad=True),
    "jax.numpy": lambda jax, b: jax.array([b]),
    "sklearn.linear_model": lambda sklearn, b: sklearn.LinearRegression().fit([[0.0], [1.0]], [0.0, float(b)]),
}


def seen(one):
    """What events can be made of."""
    numbers = {path: np.asarray(x).tolist() for path, x in one.numbers.items()}
    return repr((one.kind, one.structure, sorted(numbers.items()), sorted(one.labels.items()), sorted(one.members)))


@pytest.mark.parametrize("kind", SECRETS)
def test_a_bit_changes_what_is_read_and_nothing_else_does(kind):
    first, second, again = (outcome(inner(SECRETS[kind](bit))) for bit in (0, 1, 1))
    assert seen(first) != seen(second)
    assert seen(second) == seen(again), "another object of the same value"
    assert second.unread == ()


@pytest.mark.parametrize("kind", OF_OTHERS)
def test_values_of_other_libraries_are_read(kind):
    library = pytest.importorskip(kind.split(".")[0] if kind[0] == "p" and kind != "pyarrow.x" else kind)
    first, second, again = (outcome(OF_OTHERS[kind](library, bit)) for bit in (0, 1, 1))
    assert seen(first) != seen(second)
    assert seen(second) == seen(again)
    assert second.unread == ()


def nested(levels: int) -> Any:
    inside: Any = "a"
    for _ in range(levels):
        inside = [inside]
    return inside


def raised(call: Callable[[], Any]) -> Outcome:
    try:
        call()
    except Exception as problem:
        return failure(problem)
    raise AssertionError


def caused(bit):
    try:
        raise ValueError(bit)
    except ValueError as problem:
        raise KeyError("x") from problem


def test_what_is_raised_is_read_too():
    def attribute(bit):
        raise Problem(bit)

    def number(bit):
        raise ValueError(f"found {bit} rows in <object at 0x{id(bit):x}>")

    for call in (attribute, number, caused):
        first, second, again = (raised(functools.partial(call, bit)) for bit in (0, 1, 1))
        assert first.failed
        assert seen(first) != seen(second)
        assert seen(second) == seen(again)
    assert raised(functools.partial(number, 7)).numbers["failure['args'][0].numbers"][0] == 7.0


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (object(), "object"),
        (threading.Lock(), "lock"),
        ([1, object()], "object"),
        (itertools.count(), f"count beyond {ITEMS} items"),
        (["a"] * (ITEMS + 1), f"more than {ITEMS} items"),
        (nested(40), "more than 24 levels"),
    ],
    ids=["object", "lock", "in a list", "endless", "long", "deep"],
)
def test_what_cannot_be_read_is_said(value, what):
    assert outcome(value).unread == (what,)


def test_what_raises_when_it_is_read_is_said():
    class Evil:
        def __repr__(self):
            raise RuntimeError

    assert outcome(Evil()).unread == ("unreadable Evil: RuntimeError",)
    assert outcome(Evil()).failed


def test_what_is_read_by_its_text_alone_is_said():
    class Plain:
        def __repr__(self):
            return "plain"

    assert outcome([Plain()]).by_text == (Plain.__qualname__,)
    assert outcome(len).by_text == outcome(len).unread == ()


def test_items_of_an_iterator_are_what_statistics_are_told_of():
    assert outcome(iter([1, 2])).value == [1, 2]
    assert outcome([iter([1, 2]), 3]).value[1] == 3


def test_async_generators_are_no_outputs():
    async def items():
        yield 1

    with pytest.raises(AsyncGeneratorError, match="async generator"):
        Caller(lambda x: items()).one_by_one(lambda: None, np.random.default_rng(0))()


def test_what_is_awaited_is_waited_for_beside_a_running_loop():
    import asyncio

    async def outer():
        return inner(later(3))

    assert asyncio.run(outer()) == 3


def test_types_of_a_stack_are_those_of_its_rows():
    """Arrays of one type are stacked; the label of the type is that of each row alone."""
    for kind, there in (("f4", True), ("i8", True), ("f8", False)):
        stack: Any = gathered([np.ones(2, kind), np.zeros(2, kind)])
        rows = [outcome(np.ones(2, kind)), outcome(np.zeros(2, kind))]
        layout = Layout.fitted((0, 1), [stack], 30, {})
        tables = layout.table(stack), layout.table(rows), layout.table(stack.outcomes())
        for name in tables[0]:
            np.testing.assert_array_equal(tables[0][name], tables[1][name], err_msg=name)
            np.testing.assert_array_equal(tables[0][name], tables[2][name], err_msg=name)
        assert bool(tables[0][f"{TYPES} (label)"][0] != NOTHING) is there


def test_numbers_in_text_and_bytes_are_taken_out():
    text = outcome("3 of 4.5 rows")
    assert text.numbers["output.numbers"].tolist() == [3.0, 4.5]
    assert outcome(np.array([2.5]).tobytes()).numbers["output.float64"].tolist() == [2.5]
    assert outcome({3, 1, "a"}).numbers["output.numbers"].tolist() == [1.0, 3.0]
