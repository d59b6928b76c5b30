"""No private value is in an exception, its causes, a warning or a log: one is planted in every form of bad data.

Every private mechanism and estimator, and what makes rows ready, gets each form, and must not tell the value.
"""

import functools
import logging
import traceback
import warnings

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.cli import run
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.mechanism_record import BATCHES
from tests.support.files import LAPLACE

SECRET, NAN = 0.7315246, float("nan")
TEXT, SIGN = f"hiv+ {SECRET}", "73152"
"""A planted text, and what of a planted value must be seen nowhere."""


def objects(*rows):
    return np.array(rows, dtype=object)


def raising(block):
    raise ValueError(f"cannot read {SECRET}")


def failing(*chunks):
    yield from chunks
    raise KeyError(SECRET)


def frame(kind, **columns):
    return pytest.importorskip(kind).DataFrame(columns)


def arrow(**columns):
    return pytest.importorskip("pyarrow").table(columns)


def blocks(array, work=None):
    lazy = pytest.importorskip("dask.array").from_array(np.asarray(array), chunks=(1, 2), asarray=False)
    return lazy if work is None else lazy.map_blocks(work, dtype=float, meta=np.empty((0, 0)))


GOOD = np.array([[0.1, 0.2], [0.3, 0.1], [0.0, 0.2]])
LONG = np.array([[0.1, 0.2], [3 * SECRET, 3 * SECRET], [0.0, 0.2]])
HOLE = np.array([[0.1, 0.2], [SECRET, NAN], [0.0, 0.2]])
FORMS = {
    "numpy: a long row": lambda: LONG,
    "numpy: no number": lambda: HOLE,
    "numpy: a vector": lambda: np.full(3, SECRET),
    "numpy: a scalar": lambda: np.float64(SECRET),
    "numpy: three axes": lambda: np.full((2, 2, 2), SECRET),
    "numpy: complex": lambda: LONG * 1j,
    "numpy: texts": lambda: np.array([[TEXT, "1"], ["0", "1"]]),
    "numpy: a text among objects": lambda: objects([SECRET, TEXT], [0.1, 0.2]),
    "numpy: a dictionary": lambda: objects([SECRET, {SECRET: TEXT}], [0.1, 0.2]),
    "numpy: bytes": lambda: np.array([[TEXT.encode(), b"1"]]),
    "numpy: records": lambda: np.array([(SECRET, 1.0)], dtype=[("a", float), ("b", float)]),
    "numpy: dates": lambda: np.array([["2073-01-15", "2073-01-15"]], "datetime64[D]"),
    "numpy: masked": lambda: np.ma.array([[SECRET, 0.1]], mask=[[False, True]]),
    "numpy: huge integers": lambda: objects([73152 * 10**400, 0], [0, 1]),
    "list: a text": lambda: [[0.1, TEXT], [0.2, 0.3]],
    "list: ragged": lambda: [[0.1, SECRET], [SECRET]],
    "list: missing": lambda: [[SECRET, None], [0.2, 0.3]],
    "list: a vector": lambda: [SECRET, SECRET],
    "list: a text alone": lambda: TEXT,
    "sparse: no number": lambda: sparse.csr_array(HOLE),
    "sparse: a long row": lambda: sparse.coo_array(LONG),
    "sparse: complex": lambda: sparse.csc_array(LONG * 1j),
    "pandas: a text": lambda: frame("pandas", a=[0.1, SECRET], b=[0.2, TEXT]),
    "pandas: missing": lambda: frame("pandas", a=[0.1, SECRET], b=[0.2, None]).convert_dtypes(),
    "pandas: categories": lambda: frame("pandas", a=[0.1, SECRET], b=[TEXT, TEXT]).astype({"b": "category"}),
    "pandas: a column": lambda: frame("pandas", a=[SECRET, SECRET])["a"],
    "polars: a text": lambda: frame("polars", a=[0.1, SECRET], b=["0.2", TEXT]),
    "polars: missing": lambda: frame("polars", a=[0.1, SECRET], b=[0.2, None]),
    "arrow: a text": lambda: arrow(a=[0.1, SECRET], b=["0.2", TEXT]),
    "arrow: missing": lambda: arrow(a=[0.1, SECRET], b=[0.2, None]),
    "arrow: a long row": lambda: arrow(a=[0.1, 3 * SECRET], b=[0.2, SECRET]),
    "dask: no number": lambda: blocks(HOLE),
    "dask: a long row": lambda: blocks(LONG),
    "dask: texts": lambda: blocks(objects([SECRET, TEXT], [0.1, 0.2])),
    "dask: a block that fails": lambda: blocks(LONG, raising),
    "iterator: a text": lambda: iter([GOOD, objects([SECRET, TEXT])]),
    "iterator: a long row": lambda: iter([GOOD, LONG]),
    "iterator: a vector": lambda: iter([GOOD, np.full(2, SECRET)]),
    "iterator: another width": lambda: iter([GOOD, np.full((2, 3), SECRET)]),
    "iterator: one that fails": lambda: failing(GOOD),
}


class Panic(BaseException):
    """What a compiled library raises, and no Exception."""


RAISED = {"key": KeyError, "value": ValueError, "type": TypeError, "panic": Panic, "memory": MemoryError}


def foreign(*names, raised=KeyError, of=(), **members):
    """An object of somebody's class, whose methods and properties of these names raise what holds a private value."""

    def raising(self, *given, **more):
        raise raised(f"cannot read {SECRET}", SECRET)

    own = {name: property(raising) if name in ("shape", "dtype", "columns", "dtypes") else raising for name in names}
    return type("Foreign", of or (object,), {**members, **own})


def entry(name, raised=KeyError, of=(float,)):
    """A table whose second row has an entry of somebody's class."""
    return objects([0.1, 0.2], [foreign(name, raised=raised, of=of)(SECRET), 0.1])


FORMS |= {
    f"foreign: __array__, {name}": foreign("__array__", raised=raised, shape=(3, 2)) for name, raised in RAISED.items()
}
FORMS |= {
    f"foreign: an entry, {name}": lambda raised=raised: entry("__float__", raised)  # type: ignore[misc]
    for name, raised in RAISED.items()
}
FORMS |= {
    f"foreign: chunks, {name}": lambda raised=raised: iter([GOOD, foreign("__array__", raised=raised)()])  # type: ignore[misc]
    for name, raised in RAISED.items()
}
FORMS |= {
    "foreign: a shape": lambda: foreign("shape", "__array__")(),
    "foreign: a type": lambda: foreign("dtype", "__array__", shape=(3, 2))(),
    "foreign: a length": lambda: foreign("__len__", "__getitem__", "__iter__")(),
    "foreign: rows": lambda: [foreign("__len__", "__getitem__", "__iter__", "__array__")(), [0.1, 0.2]],
    "foreign: items of a table": lambda: foreign(
        "items", "__array__", columns=["a"], dtypes=[np.dtype(float)], shape=(3, 1)
    )(),
    "foreign: columns of a table": lambda: foreign("columns", "dtypes", shape=(3, 1))(),
    "foreign: names of a table": lambda: foreign("column_names", "columns", "schema", shape=(3, 1))(),
    "foreign: a lazy table": lambda: foreign("collect", "collect_schema")(),
    "foreign: a sparse matrix": lambda: foreign("tocsr", "astype", shape=(3, 2))(),
    "foreign: sparse, subclass": lambda: foreign("tocsr", "astype", "toarray", of=(sparse.csr_array,))(GOOD),
    "foreign: an array that counts": lambda: GOOD.view(
        foreign("__array_ufunc__", "__array_function__", of=(np.ndarray,))
    ),
    "foreign: an array that is cut": lambda: GOOD.view(foreign("__getitem__", "astype", "sum", of=(np.ndarray,))),
    "foreign: masked": lambda: foreign("__getitem__", "filled", of=(np.ma.MaskedArray,))(GOOD),
    "foreign: a frame": lambda: foreign(
        "items", "to_numpy", "__array__", of=(pytest.importorskip("pandas").DataFrame,)
    )(GOOD),
    "foreign: an operator": lambda: foreign("matmat", "rmatmat", shape=(3, 3))(),
    "foreign: next": lambda: foreign("__next__", __iter__=lambda self: self)(),
    "foreign: chunks": lambda: iter([GOOD, foreign("__array__", shape=(3, 2))()]),
    "foreign: an entry as float": lambda: entry("__float__"),
    "foreign: an entry that panics": lambda: entry("__float__", Panic),
    "foreign: an entry as complex": lambda: entry("__bool__", of=(complex,)),
    "foreign: an entry of a class": lambda: objects([0.1, foreign("__class__", of=())()], [0.1, 0.2]),
    "foreign: a list of entries": lambda: [[0.1, 0.2], [foreign("__float__", "__index__", of=(int,))(73152), 0.1]],
    "foreign: dask": lambda: blocks(entry("__float__")),
}
"""Bad data by form; what must be refused need not be so everywhere."""


def mechanism(record):
    given = {"epsilon": 1.0, "k": 1, "delta": 1e-3, "iterations": 1, "aligned": 1, "eigenvalues": [1.0, 0.0]}
    given |= {"basis": np.eye(3)[:, :1], "lower": 0.25, "upper": 2.0}
    given |= {"directions": np.eye(2), "frame": (-1.0, 1.0, -1.0, 1.0)}
    needed = {name: given[name] for name in (*record.needs, "epsilon")}
    return functools.partial(record.function(), **needed)


DOORS = {name: mechanism(record) for name, record in MECHANISMS.items() if record.private and record.data != BATCHES}
TOTAL = {"rows": "clip", "bad_rows": "zero"}
IDS = {
    "texts": [TEXT, TEXT, "b"],
    "as text": [foreign("__str__", "__repr__", "__hash__", of=(str,))(TEXT), "a", "b"],
    "as a number": [foreign("__index__", "__eq__", "__hash__", "__str__", of=(int,))(73152), 1, 2],
    "an array": foreign("__array__", "__len__", "__iter__")(),
    "an array that panics": foreign("__array__", raised=Panic)(),
    "arrow": foreign("to_pylist", "cast", "type")(),
    "polars": foreign("to_physical", "to_list", "dtype")(),
    "pandas": foreign("tolist", "dtype", iloc=None)(),
    "objects": [object(), {SECRET: TEXT}, [SECRET]],
}
"""Ids of people of which nothing may be told."""
DOORS |= {f"ids: {name}": lambda x, ids=ids: dps.Moments.of(x, person=ids, per_person=1) for name, ids in IDS.items()}
DOORS |= {
    f"ids, total: {name}": lambda x, ids=ids: dps.Moments.of(x, person=ids, per_person=1, **TOTAL)
    for name, ids in IDS.items()
}
DOORS |= {
    "Moments": dps.Moments.of,
    "Moments, total": lambda x: dps.Moments.of(x, **TOTAL),
    "Moments, bounds": lambda x: dps.Moments.of(x, bounds=dps.ColumnBounds([0, 0], [1, 1])),
    "Moments of chunks, total": lambda x: dps.Moments.of(iter([x]), **TOTAL),
    "about a mean, total": lambda x: dps.private_pca(x, 1, 1.0, center="mean", **TOTAL),
    "pairs, total": lambda x: dps.private_pca(x, 1, 1.0, center="pairs", bad_rows="zero"),
    "covariance by pairs": lambda x: dps.private_covariance(x, 1.0, center="pairs"),
    "covariance by pairs, total": lambda x: dps.private_covariance(x, 1.0, center="pairs", bad_rows="zero"),
    "ideal, total": lambda x: dps.private_mean(x, 1.0, rng=0, **TOTAL),
    "check": lambda x: dps.check(x, owner=True),
    "ColumnBounds.rows": lambda x: dps.ColumnBounds([0, 0], [1, 1]).rows(x),
    "through a budget, total": lambda x: dps.Budget(1.0).release(dps.private_mean, x, 1.0, **TOTAL),
    "through a budget": lambda x: dps.Budget(1.0).release(dps.laplace_covariance, x, 1.0),
    "clipped": lambda x: dps.laplace_covariance(x, 1.0, rows="clip"),
    "clipped, seeded": lambda x: dps.private_pca(x, 1, 1.0, rows="clip", rng=np.random.default_rng(0)),
    "bad rows are zero": lambda x: dps.laplace_covariance(x, 1.0, rows="clip", bad_rows="zero"),
    "about a mean": lambda x: dps.private_pca(x, 1, 1.0, center="mean"),
    "pairs": lambda x: dps.private_pca(x, 1, 1.0, center="pairs"),
    "clipped_rows": lambda x: dps.clipped_rows(x, 1.0),
    "unit_rows": dps.unit_rows,
    "Matrix": lambda x: dps.private_spectrum(dps.Matrix(x), 1, 1.0),
    "streaming": lambda x: dps.streaming_power_method([x], 1, rows_per_round=1, rng=0),
    "sampling.orbit": lambda x: dps.sampling.orbit(x, [1.0, 0.0], 1.0),
}


def estimators():
    pytest.importorskip("sklearn")
    from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateTruncatedSVD

    rows = np.random.default_rng(0).normal(size=(50, 2)) / 5
    fitted = PrivatePCA(1, epsilon=1.0).fit(rows)
    return {
        "PrivatePCA": PrivatePCA(1, epsilon=1.0, rows="refuse").fit,
        "PrivatePCA, clipped": PrivatePCA(1, epsilon=1.0).fit,
        "PrivatePCA, orbit": PrivatePCA(1, epsilon=1.0, mechanism="orbit").fit,
        "partial_fit": PrivatePCA(1, epsilon=1.0, center="none").partial_fit,
        "PrivateCovariance": PrivateCovariance(epsilon=1.0).fit,
        "PrivateTruncatedSVD": PrivateTruncatedSVD(1, epsilon=1.0).fit,
        "transform": fitted.transform,
        "inverse_transform": fitted.inverse_transform,
    }


def told(work, caplog):
    """All that somebody is told while something is done, failing or not: no source lines, all causes."""
    with warnings.catch_warnings(record=True) as caught, caplog.at_level(logging.DEBUG):
        warnings.simplefilter("always")
        caplog.clear()
        try:
            work()
            problems = []
        except (Exception, SystemExit, Panic) as problem:
            attached = [vars(each) for each in (problem, problem.__cause__, problem.__context__) if each is not None]
            problems = [*traceback.format_exception(problem), repr(attached)]
    return "\n".join([*problems, *(str(each.message) for each in caught), caplog.text])


@pytest.mark.parametrize("form", FORMS)
def test_no_door_tells_a_planted_value(form, caplog):
    for name, door in {**DOORS, **estimators()}.items():
        found = told(lambda door=door: door(FORMS[form]()), caplog)
        assert SIGN not in found, (name, found)


FILES = {
    "text.csv": f"a,b\n0.1,0.2\n{SECRET},{TEXT}\n",
    "ragged.csv": f"a,b\n0.1,0.2\n{SECRET}\n",
    "long.csv": f"a,b\n0.1,0.2\n3{SECRET},{SECRET}\n",
    "first.csv": f"{SECRET},0.1\n0.1,0.2\n",
    "quote.csv": f'a,b\n0.1,"{SECRET}\n',
    "hole.tsv": f"a\tb\n0.1\t\n{SECRET}\t0.1\n",
}


@pytest.mark.parametrize("name", FILES)
def test_no_file_tells_a_planted_value(name, tmp_path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(FILES[name], encoding="utf-8")
    found = told(lambda: run(["release", name, *LAPLACE, "--out", "r.npy", "--verbose"]), caplog)
    printed = capsys.readouterr()
    assert SIGN not in found + printed.out + printed.err
    assert "dpspectra: " in printed.err


def test_a_planted_value_would_be_seen(caplog):
    """The check itself: by a message, by a cause, by a warning and by a log."""

    def caused():
        try:
            raising(None)
        except ValueError as problem:
            raise TypeError("no value") from problem

    for work in (
        lambda: raising(None),
        caused,
        lambda: warnings.warn(str(SECRET), stacklevel=1),
        lambda: logging.getLogger("dpspectra").warning("%s", SECRET),
    ):
        assert SIGN in told(work, caplog)
