"""Outputs of any type: a secret bit in each of them is found, nothing that they do stops an audit or raises an alarm.

Audits of sound mechanisms have fixed seeds; with others each would raise a false alarm with probability at most 0.001.
"""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from dpspectra.audit import audit
from dpspectra.audit.calling.caller import Caller, copies
from dpspectra.audit.reading import stacked_outputs
from dpspectra.audit.reading.labels import NOTHING, VALUE
from dpspectra.audit.reading.outcomes import outcome
from dpspectra.audit.reading.reader import NODES
from dpspectra.audit.reading.stacked_outputs import Stacks
from dpspectra.audit.reading.table import KIND, STRUCTURE, WHOLE, Layout

gathered: Any = stacked_outputs.gathered  # stacks or a list, as the runs have it
together: Any = stacked_outputs.together


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Plain:
    def __init__(self, secret):
        self.secret = secret


class Evil:
    """Raises whenever it is looked at."""

    def __init__(self, bit):
        self.__class__ = (Evil, Worse)[bit]

    def __len__(self):
        raise MemoryError

    def __repr__(self):
        raise RuntimeError("no")

    def __array__(self, *_, **__):
        raise OSError


class Worse(Evil):
    def __array__(self, *_, **__):
        raise LookupError


def nested(bit, depth):
    return functools.reduce(lambda inside, _: [inside], range(depth), bit)


def cycle(bit):
    ring = [bit]
    ring.append(ring)
    return ring


def raised(problem):
    raise problem


NOISE = np.random.default_rng(0)
ZOO = {
    "float": lambda b: NOISE.normal() + 9 * b,
    "int": lambda b: b,
    "huge int": lambda b: 2**62 + b,
    "integer of 400 digits": lambda b: 10**400 + b,
    "integers in an array": lambda b: np.array([2**60 + b, 0]),
    "numpy float32": lambda b: np.float32(b),
    "complex": lambda b: complex(1, b),
    "bool": lambda b: bool(b),
    "True or None": lambda b: True if b else None,
    "text": lambda b: "yes" if b else "no",
    "bytes": lambda b: b"\xff" if b else b"\x00",
    "Decimal digits": lambda b: decimal.Decimal("1.1" if b else "1.10"),
    "signalling NaN": lambda b: decimal.Decimal("sNaN" if b else "1"),
    "Fraction": lambda b: fractions.Fraction(1, 3 + b),
    "NaN against infinity": lambda b: math.nan if b else math.inf,
    "sign of infinity": lambda b: math.inf if b else -math.inf,
    "secret beside NaN": lambda b: np.array([math.nan, NOISE.normal() + 9 * b]),
    "place of NaN": lambda b: np.array([math.nan, 0.0] if b else [0.0, math.nan]),
    "secret beside large noise": lambda b: np.array([1e12 * NOISE.laplace(), b]),
    "shape": lambda b: NOISE.normal(size=2 + b),
    "ragged list": lambda b: [[1.0], [2.0, float(b)]],
    "nested list": lambda b: [[1, 2], [3, b]],
    "tuple of types": lambda b: ("a", b, None),
    "dict": lambda b: {"count": b, "noise": NOISE.normal()},
    "order of keys": lambda b: {"a": 1, "b": 2} if b else {"b": 2, "a": 1},
    "a key more": lambda b: {"a": 1.0} | ({"flag": 1.0} if b else {}),
    "set": lambda b: {1, 2 + b},
    "dataclass": lambda b: Pair(NOISE.normal(), ["x", b]),
    "object": lambda b: Plain(b),
    "enum": lambda b: Colour.RED if b else Colour.GREEN,
    "record": lambda b: np.array([(1.0, b)], dtype=[("x", float), ("y", int)]),
    "date": lambda b: datetime.date(2000, 1, 1 + b),
    "time in an array": lambda b: np.array(["2000-01-01"], dtype="datetime64[D]") + b,
    "mask": lambda b: np.ma.masked_array([1.0, 2.0], mask=[b, 0]),
    "sparse": lambda b: sparse.csr_array(np.diag([1.0, b])),
    "array of objects": lambda b: np.array([None, "x" if b else "y"], dtype=object),
    "ordered mapping": lambda b: collections.OrderedDict(a=b),
    "exception returned": lambda b: ValueError("a") if b else KeyError("a"),
    "exception raised": lambda b: raised(ValueError("a") if b else TypeError("a")),
    "message of what is raised": lambda b: raised(ValueError("a" if b else "b")),
    "sixty levels": lambda b: nested(b, 60),
    "cycle": cycle,
    "evil object": Evil,
    "function": lambda b: (len, max)[b],
}


@pytest.mark.parametrize("kind", ZOO)
def test_a_secret_bit_is_found_in_every_kind_of_output(kind):
    """The bit is 1 with probability 0.9 on one data set and 0.1 on the other: a loss of 2.2 under a claim of 1."""

    def mechanism(x, *, rng):
        return ZOO[kind](int(rng.random() < (0.9 if x else 0.1)))

    found = [audit(mechanism, (0, 1), 1.0, draws=1024, rng=seed) for seed in range(3)]
    assert all(result.violated for result in found)
    assert np.median([result.draws for result in found]) <= 320
    same = audit(lambda x, *, rng: mechanism(1, rng=rng), (0, 1), 0.1, draws=512)
    assert not same.violated


def test_frames_of_pandas_are_read_by_column():
    pandas = pytest.importorskip("pandas")

    def frame(x, *, rng):
        return pandas.DataFrame({"a": rng.normal(size=3), "b": [0, int(rng.random() < (0.9 if x else 0.1)), 0]})

    assert audit(frame, (0, 1), 1.0, draws=1024).violated


def test_a_mechanism_that_stops_after_some_calls_is_not_to_blame():
    """It raises from the same number of calls on, whatever the data: that is no leak, as calls alternate."""
    made = []

    def accountant(x):
        made.append(x)
        if len(made) > 300:
            raise RuntimeError("budget exhausted")
        return NOISE.normal()

    result = audit(accountant, (0, 1), 0.1, draws=2000)
    assert not result.violated
    assert result.failures == 2 * 2000 - 300


def test_what_changes_from_call_to_call_is_no_leak():
    """Whether the number of the call is odd, and how many there were: a coin decides which side is called first."""
    counter = itertools.count()

    def parity(x):
        return next(counter) % 2

    def many(x, *, size):
        return np.arange(size) + 1000.0 * next(counter)

    for mechanism in (parity, many):
        assert not any(audit(mechanism, (0, 1), 0.1, draws=2000, rng=seed).violated for seed in range(5))


def test_a_mechanism_may_change_what_it_is_given():
    """In place: by adding to its data (1-DP on fresh data), and by halving them (epsilon 20 on fresh data)."""

    def adds(x, *, rng):
        x += 1.0
        return float(x.sum()) + rng.laplace()

    def halves(x, *, rng):
        x *= 0.5
        return float(x.sum()) + 0.025 * rng.laplace()

    pair = np.array([0.0, 0.0]), np.array([0.0, 1.0])
    assert not any(audit(adds, pair, 1.0, draws=2000, rng=seed).violated for seed in range(3))
    assert audit(halves, pair, 1.0, draws=2000).violated
    assert pair[1].tolist() == [0.0, 1.0]


class Unpicklable:
    """Can be copied, though not through a pickle."""

    def __init__(self):
        self.numbers = [1]

    def __reduce__(self):
        raise TypeError

    def __deepcopy__(self, memory):
        return Unpicklable()


@pytest.mark.parametrize(
    "data", [np.ones(2), [1, [2]], {"a": [1]}, Unpicklable()], ids=["array", "list", "dict", "own"]
)
def test_data_are_handed_out_as_fresh_copies(data):
    make = copies(data)
    first, second = make(), make()
    assert first is not data
    assert first is not second
    inside = [getattr(one, "numbers", one) for one in (first, second)]
    if isinstance(data, np.ndarray):
        first[0] = 5.0
        assert second.tolist() == data.tolist() == [1.0, 1.0]
    else:
        assert inside[0] is not inside[1]


def test_what_cannot_be_copied_is_handed_out_as_it_is():
    generator = (i for i in range(3))
    assert copies(generator)() is generator
    for plain in (1, 1.5, "a", None, b"x", 1j):
        assert copies(plain)() is plain


# ---------------------------------------------------------------- rows by value


def read(pair, stack, raw):
    """The layout that a stack fixes, and its table."""
    layout = Layout.fitted(pair, [stack], None if raw else 30, {})
    return layout, layout.table(stack)


NUMBERS = st.floats(width=64) | st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, -math.inf, 1e200, 1e-310])


@given(
    numbers=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=6),
    wide=st.lists(st.booleans(), min_size=6, max_size=6),
    raw=st.booleans(),
    scalar=st.booleans(),
)
def test_a_row_of_a_stack_is_read_as_it_would_be_alone(numbers, wide, raw, scalar):
    """Whatever the others force on the stack: numpy makes all of it complex for one row, in which rows have no part."""
    rows = [np.array([complex(a, 0.0 if not w else 1.0) for a in both]) for both, w in zip(numbers, wide, strict=False)]
    rows = [row[0] for row in rows] if scalar else rows
    stack = Stacks({"output": np.array(rows)})
    layout, table = read((0.0, 1.0), stack, raw)
    for i, row in enumerate(rows):
        narrow = row if np.any(np.imag(row)) else np.real(row).copy()
        narrow = narrow.item() if scalar else narrow
        for alone in ([outcome(narrow)], Stacks({"output": np.array([narrow])}), Stacks({"output": np.array([row])})):
            for name, column in layout.table(alone).items():
                np.testing.assert_array_equal(column[0], table[name][i], err_msg=name)


@given(x=hnp.arrays(hnp.floating_dtypes() | hnp.integer_dtypes() | hnp.boolean_dtypes(), (3, 2)))
def test_types_of_numbers_do_not_matter(x):
    """An array of integers, of truth values or of short floats is the array of the numbers in float64."""
    if x.dtype.kind in "iu" and np.max(np.abs(x.astype(float))) > 2**53:
        return
    as_they_are, as_float = outcome(x), outcome(x.astype(float))
    assert as_they_are.structure == as_float.structure
    np.testing.assert_array_equal(as_they_are.numbers["output"], as_float.numbers["output"])


def test_runs_one_by_one_are_read_alike_stacked_or_not():
    """Floats are stacked where all runs return floats, else read one by one."""
    layout = Layout.fitted((0, 1), [gathered([1.0, 2.0, 2.5])], 30, {})
    stacked, mixed = layout.table(gathered([1.0, 2.5])), layout.table(gathered([1.0, outcome("x"), 2.5]))
    for name in stacked:
        np.testing.assert_array_equal(stacked[name], mixed[name][[0, 2]], err_msg=name)
    assert mixed[STRUCTURE][1] != mixed[STRUCTURE][0]
    assert np.isnan(mixed["output"][1])


def test_numpys_text_is_text():
    assert outcome(np.str_("red")).labels.items() - outcome("red").labels.items() == {
        ("types", outcome(np.str_("red")).labels["types"])
    }
    assert outcome(np.str_("red")).structure == outcome("red").structure


def test_large_integers_are_exact_where_runs_are_one_by_one():
    small, large = (outcome(2**62 + b).numbers for b in (0, 1))
    assert small["output"] == large["output"]
    assert small["output.low"] != large["output.low"]
    arrays = gathered([np.array([2**60 + 1]), np.array([2**60])])
    assert [one.numbers["output.low"].tolist() for one in arrays] == [[1.0], [0.0]]


def test_every_column_is_in_every_table():
    layout = Layout.fitted((0, 1), [[outcome({"a": 1.0, "b": "x"}), outcome({"a": 2.0, "b": "y"})]], 30, {})
    tables = [layout.table([outcome(value)]) for value in ({"a": 3.0, "b": "x"}, 7, None, "text", [1, 2], {"a": "z"})]
    assert len({frozenset(table) for table in tables}) == 1
    names = {KIND, STRUCTURE, "output['a']", "output['b'] (label)", "output['a'] (what is not finite)"}
    assert names <= set(tables[0])
    assert tables[1]["output['b'] (label)"] == [NOTHING]
    assert all(table[KIND] == [VALUE] for table in tables)
    assert len({int(table[STRUCTURE][0]) for table in tables}) == len(tables)


def test_each_coordinate_has_a_grid_of_its_own():
    rng = np.random.default_rng(0)
    stack = np.column_stack([1e12 * rng.normal(size=50), rng.normal(size=50)])
    _, table = read((0, 1), Stacks({"output": stack}), False)
    assert np.max(np.abs(table["entry 1"] - stack[:, 1])) < 2**-29
    assert np.max(np.abs(table["entry 0"] - stack[:, 0])) > 2**-29
    asymmetric = rng.normal(size=(50, 2, 2)) * np.array([[1.0, 1e6], [1.0, 1.0]])
    layout, _ = read((0, 1), Stacks({"output": asymmetric + np.swapaxes(asymmetric, 1, 2)}), False)
    grid = layout.parts[0].grid
    assert grid[0, 1] == grid[1, 0] > grid[0, 0]


def test_whole_outputs_are_labels_where_they_repeat_up_to_rounding():
    """Three values, two of which differ by rounding only."""
    near = [0.1 + 0.2, 0.3, 0.5] * 20
    _, table = read((0, 1), gathered(near), False)
    assert len(set(table[WHOLE].tolist())) == 2
    _, table = read((0, 1), gathered(near), True)
    assert len(set(table[WHOLE].tolist())) == 3
    layout, table = read((0, 1), gathered(list(map(float, range(60)))), False)
    assert WHOLE not in table
    assert not layout.repeats


def test_too_much_is_not_looked_at_one_by_one():
    assert len(outcome({str(i): i for i in range(NODES + 5)}).labels) == 7
    ragged = outcome([[float(i)] * (i + 1) for i in range(90)])
    assert len(Layout.fitted((0, 1), [[ragged, ragged]], 30, {}).parts) <= 64


# ---------------------------------------------------------------- calls for many rows


def rows_of(value, count=3):
    sampler = Caller(lambda x, *, size: value)
    return together([sampler.many(lambda: None, np.random.default_rng(0), count)()])


def test_rows_are_read_from_arrays_lists_and_tuples_of_arrays():
    assert rows_of(np.ones((3, 2))).arrays["output"].shape == (3, 2)
    both = rows_of((np.ones(3), np.zeros((3, 2))))
    assert both.bundled
    assert both.output(1)[1].tolist() == [0.0, 0.0]
    assert [one.value for one in rows_of(["a", None, 3])] == ["a", None, 3]
    assert [one.value for one in rows_of(np.array(["a", "b", "c"]))] == ["a", "b", "c"]
    assert len(rows_of(sparse.csr_array(np.eye(3)))) == 3


@pytest.mark.parametrize(
    "value", [1.0, np.ones(2), ["a"], "abc", None, {"a": np.ones(3)}, (np.ones(3), "abc"), (np.ones(2),), ()]
)
def test_what_is_not_that_many_rows_is_a_lost_call(value):
    sampler = Caller(lambda x, *, size: value)
    assert sampler.many(lambda: None, np.random.default_rng(0), 3)() is None


def test_calls_must_agree_on_the_shape_of_rows():
    shapes = iter([(4,), (4,), (4, 2)])
    sampler = Caller(lambda x, *, size: np.zeros(next(shapes)))
    many = sampler.many(lambda: None, np.random.default_rng(0), 4)
    assert len(together([many(), many()])) == 8
    assert many() is None
    assert "another shape" in sampler.problem


def test_what_a_mechanism_returns_may_be_used_again_by_it():
    """A buffer that is handed out and then written to."""
    buffer = np.zeros(4)

    def many(x, *, size):
        buffer[:] += 1
        return buffer[:size]

    def one(x):
        buffer[:] += 1
        return buffer

    call = Caller(many).many(lambda: None, np.random.default_rng(0), 4)
    assert together([call(), call(), call()]).arrays["output"].tolist() == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    caller = Caller(one)
    run = caller.one_by_one(lambda: None, np.random.default_rng(0))
    assert gathered([run(), run()], caller.shape).arrays["output"][:, 0].tolist() == [4.0, 5.0]


def test_arrays_are_kept_as_bytes_where_they_have_the_usual_shape():
    """Whatever shapes the two data sets begin with: bytes of one are never read in the shape of the other."""
    caller = Caller(lambda x: next(x))
    first = caller.one_by_one(lambda: iter([np.ones(2)]), np.random.default_rng(0))
    second = caller.one_by_one(lambda: iter([np.ones((2, 3))]), np.random.default_rng(0))
    runs = [second(), first(), first(), second()]
    assert list(map(type, runs)) == [bytes, np.ndarray, np.ndarray, bytes]
    shapes = [each.numbers["output"].shape for each in gathered(runs, caller.shape)]
    assert shapes == [(2, 3), (2,), (2,), (2, 3)]
    stack = gathered([second(), second()], caller.shape).arrays["output"]
    assert stack.shape == (2, 2, 3)
    stack[0] = 0  # statistics of the user's own may write to it
