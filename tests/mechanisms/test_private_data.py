"""One way in: every public check stands before it, and only what was opened is charged."""

import inspect
import re

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import dpspectra as dps
from dpspectra.ground import checks
from dpspectra.mechanisms.private_data import Sealed, foreseen, opened, outside, shown
from tests.support.bad_calls import GOOD, calls
from tests.support.helpers import optional
from tests.support.releases import PRIVATE


class Opened(Exception):
    """Somebody opened the box."""


class Shut(Sealed):
    """A box that fails when it is opened."""

    __slots__ = ()

    def open(self):
        raise Opened


DATA = ("X", "A")


@pytest.mark.parametrize("name", PRIVATE)
def test_every_public_refusal_stands_before_the_door(name):
    """All values of the table of bad calls but those of data; `pytest.raises` would let `Opened` through."""
    function, refused = PRIVATE[name].function(), 0
    data = next(iter(inspect.signature(function).parameters))
    for parameter, value in calls(name):
        if parameter in DATA:
            continue
        box = Shut(GOOD[name][data])
        given = GOOD[name] | {data: box, "rng": np.random.default_rng(0)} | {parameter: value}
        with pytest.raises(ValueError, match="must") as caught:
            print(name, parameter, checks.shown(value), function(**given))
        assert re.search(r"\b(got|but|which)\b", str(caught.value))
        assert not box.touched
        refused += 1
    assert refused >= 40
    with pytest.raises(Opened):
        function(**GOOD[name] | {data: Shut(GOOD[name][data]), "rng": 0})


@pytest.mark.parametrize("name", PRIVATE)
def test_a_mechanism_opens_its_box_once(name):
    function = PRIVATE[name].function()
    data = next(iter(inspect.signature(function).parameters))
    box = Sealed(GOOD[name][data])
    function(**GOOD[name] | {data: box, "rng": np.random.default_rng(0)})
    assert box.touched


@pytest.mark.parametrize("name", PRIVATE)
def test_what_was_refused_before_costs_nothing_and_what_was_opened_does(name):
    """A budget of exactly one release, which a hundred bad calls leave as it was."""
    function, record = PRIVATE[name].function(), PRIVATE[name]
    data = next(iter(inspect.signature(function).parameters))
    given = GOOD[name] | {"rng": np.random.default_rng(0)}
    matrix = record.sums and isinstance(given[data], dps.Matrix)
    relation = "matrix_replace" if matrix else record.relations[0]
    budget = dps.Budget(given["epsilon"], given.get("delta", 0.0), relation=relation)
    tried = [(parameter, value) for parameter, value in calls(name) if parameter not in DATA][::7]
    for parameter, value in tried:
        with pytest.raises((ValueError, dps.BudgetError)):
            budget.release(function, **given | {parameter: value})
    assert budget.claims == ()
    assert budget.release(function, **given)
    assert len(budget.claims) == 1


OUTSIDES = {
    "array": (np.zeros((3, 2), np.float32), "array", (3, 2), np.float32),
    "objects": (np.zeros((3, 2), object), "array", (3, 2), None),
    "list": ([[1, 2], [3, 4], [5, 6]], "list", (3, 2), None),
    "ragged list": ([[1, 2], [3]], "list", None, None),
    "sparse": (sparse.eye_array(3, dtype=np.int8), "sparse", (3, 3), np.int8),
    "operator": (aslinearoperator(np.eye(2)), "operator", (2, 2), None),
    "iterator": (iter([np.eye(2)]), "iterator", None, None),
    "matrix": (dps.Matrix(np.eye(2)), "sum", (2, 2), np.float64),
    "complex matrix": (dps.Matrix(np.eye(2, dtype=np.complex64)), "sum", (2, 2), np.complex128),
    "vector": (np.zeros(3), "array", None, np.float64),
    "nothing": (None, "other", None, None),
}


@pytest.mark.parametrize("name", OUTSIDES)
def test_what_shows(name):
    data, kind, shape, dtype = OUTSIDES[name]
    for looked in (outside(data), outside(Sealed(data))):
        assert (looked.kind, looked.shape, looked.dtype) == (kind, shape, None if dtype is None else np.dtype(dtype))
        assert looked.readable == (kind != "operator")
    assert outside(Sealed(data, counted=False)).shape is None
    assert opened(Sealed(data)) is opened(data) is data
    assert repr(Sealed(data)) == "Sealed(private)"


def test_a_table_declares_no_type():
    pandas = optional("pandas")
    looked = outside(pandas.DataFrame({"a": [5, 1], "b": [1, 3]}))
    assert (looked.kind, looked.shape, looked.dtype) == ("other", (2, 2), None)


def test_a_cluster_shows_what_it_knows():
    array = optional("dask.array")
    looked = outside(array.zeros((5, 2), chunks=2))
    assert (looked.kind, looked.shape, looked.dtype) == ("dask", (5, 2), np.dtype(float))
    unknown = array.zeros((5, 2), chunks=2)
    unknown = unknown[unknown[:, 0] == 0]
    assert (outside(unknown).count, outside(unknown).width) == (None, 2)


def test_what_is_foreseen_is_made_before_and_once():
    made = []

    def make(d):
        made.append(d)
        return d

    later = foreseen(np.zeros((3, 2)), make)
    assert made == [2]
    assert (later(2), later(5)) == (2, 5)
    assert made == [2, 5]
    assert foreseen(iter([]), make) is make
    shown(iter([]), make)
    assert made == [2, 5]
