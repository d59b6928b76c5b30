"""Data sets on both sides of all thresholds, in all forms that rows come in, and what they are by the reference.

A night runs `compared(seed, number)` with another seed than the suite.
"""

import csv
import gzip
import hashlib
import math
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from scipy import sparse

import dpspectra as dps
from dpspectra.certified.exact_moments import sums_of
from dpspectra.oracle import rows as oracle
from tests.support.helpers import optional

NAN = math.nan
NUDGES = [0.0, 2**-52, -(2**-52), 2**-50, -(2**-50), 1e-13, 9e-13, 1.1e-12, 3e-12, 2**-30, 2**-21, -(2**-21), 2**-20]
"""Relative distances from a threshold: roundings, the refusal of rows, the margin of clipping, and the grid."""
BOUNDS = [1.0, 2.5, 0.75, 2.0**-30, 3e5]
MISSING = [NAN, math.inf, -math.inf]
WORDS = [("refuse", "refuse"), ("clip", "refuse"), ("unit", "refuse"), ("refuse", "zero"), ("clip", "zero"),
         ("clip", "zero"), ("unit", "zero")]  # fmt: skip


class Case(NamedTuple):
    """Rows as floats, and how they are read."""

    rows: np.ndarray
    given: dict[str, Any]
    """Arguments of `Moments.of`; names of columns are those of tables."""
    ids: list[Any] | None


def drawn(rng: np.random.Generator) -> Case:
    """Draw a case."""
    d, n = int(rng.integers(1, 5)), int(rng.integers(0, 6))
    words = dict(zip(("rows", "bad_rows"), WORDS[rng.integers(len(WORDS))], strict=True))
    bounded = rng.random() < 0.35
    norm = 1.0 if words["rows"] == "unit" else float(BOUNDS[rng.integers(3 if bounded else len(BOUNDS))])
    given: dict[str, Any] = {**words, "norm_bound": min(norm, 1.0) if bounded else norm}
    middle: Any = np.zeros(d)
    half: Any = np.full(d, norm)
    if bounded:
        middle, half = rng.integers(-3, 4, d) * 10.0, 10.0 ** rng.integers(-1, 3, d)
        weights = rng.integers(1, 4, d) * 1.0
        given["bounds"] = dps.ColumnBounds(middle - half, middle + half, weights)
    rows = np.array([_row(rng, middle, half, norm, bounded) for _ in range(n)]).reshape(n, d)
    if n and rng.random() < 0.25:
        rows[rng.integers(n), rng.integers(d)] = MISSING[rng.integers(3)]
    ids = None
    if rng.random() < 0.3:
        known: list[Any] = [1, 2, "1", "b", "", None, 7.0, 7.5, NAN, "01", "1.0", " 1", "nan", "None", "1e0"]
        ids = [known[k] for k in rng.integers(0, len(known), n)]
        given |= {"per_person": int(rng.integers(1, 4)), "salt": "s" * int(rng.integers(2))}
    return Case(rows, given, ids)


def _row(rng: np.random.Generator, middle: Any, half: Any, norm: float, bounded: bool) -> Any:
    """Draw a row near a threshold, or anywhere."""
    d, nudge = len(middle), 1 + NUDGES[rng.integers(len(NUDGES))]
    kind = rng.integers(6)
    if kind == 0:
        return np.zeros(d)
    if kind == 1:  # on the grid, or half way
        return (
            middle * bounded + np.round(rng.normal(size=d) * 2**18) * 2.0**-20 * norm + rng.integers(3) * norm * 2**-21
        )
    if kind == 2 and bounded:  # at a bound
        return middle + half * rng.choice([-1, 1], d) * nudge
    if kind == 3:
        return rng.normal(size=d) * 10.0 ** rng.integers(-9, 9)
    direction = rng.normal(size=d)
    direction /= np.linalg.norm(direction)
    return middle * bounded + direction * norm * (nudge if kind == 4 else rng.random())


def reference(case: Case) -> tuple[list[list[int]], list[int], int] | None:
    """Second moments, sums and the number of rows or people; ``None`` if a row is refused."""
    given, d = case.given, case.rows.shape[1]
    counts = [True] * len(case.rows) if case.ids is None else _counting(case.ids, given["per_person"], given["salt"])
    bounds = given.get("bounds")
    table = None if bounds is None else tuple(bounds.table.tolist())
    found = [
        oracle.integers(
            row, given["norm_bound"], rows=given["rows"], bad_rows=given["bad_rows"], bounds=table, counts=count
        )
        for row, count in zip(case.rows.tolist(), counts, strict=True)
    ]
    if None in found:
        return None
    kept = [q for q in found if q is not None]
    second = [[sum(q[i] * q[j] for q in kept) for j in range(d)] for i in range(d)]
    people = len(kept) if case.ids is None else len({name for name in map(_name, case.ids) if name is not None})
    return second, [sum(q[i] for q in kept) for i in range(d)], people


def _name(entry: Any) -> str | None:
    if isinstance(entry, float):
        return str(int(entry)) if entry == 7.0 else None
    return None if entry in (None, "") else str(entry)


def _counting(ids: list[Any], most: int, salt: str) -> list[bool]:
    """Which rows count: of each person those whose digests are smallest."""
    counts = [False] * len(ids)
    for name in {name for name in map(_name, ids) if name is not None}:
        places = [place for place, entry in enumerate(ids) if _name(entry) == name]
        turns = list(range(len(places)))
        if len(turns) > most:
            turns.sort(
                key=lambda t: hashlib.blake2b(f"{len(salt)} {salt} {t} {name}".encode(), digest_size=16).digest()
            )
        for turn in turns[:most]:
            counts[places[turn]] = True
    return counts


# ---------------------------------------------------------------- forms


def _frame(x: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(x, columns=[f"c{j}" for j in range(x.shape[1])])


def _polars(x: np.ndarray) -> Any:
    return optional("polars").DataFrame({f"c{j}": x[:, j] for j in range(x.shape[1])})


def _mixed(x: np.ndarray) -> pd.DataFrame:
    """A table of pandas with a column of each kind that holds floats."""
    frame, kinds = _frame(x), ["float64", "Float64", "double[pyarrow]", object]
    return frame.astype({name: kinds[j % 4] for j, name in enumerate(frame.columns)})


def _sparse(x: np.ndarray) -> Any:
    """Compressed rows with explicit zeros and a number in two parts."""
    if not len(x):
        return sparse.coo_array(x.shape)
    rows, columns = np.nonzero(np.ones_like(x))
    return sparse.coo_array(
        (np.concatenate([x.ravel(), np.zeros(1)]), (np.append(rows, 0), np.append(columns, 0))), x.shape
    )


FORMS: dict[str, Any] = {
    "array": lambda x: x,
    "Fortran order": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=0)[::2],
    "matrix": lambda x: np.asmatrix(x),
    "objects": lambda x: x.astype(object),
    "lists": lambda x: x.tolist(),
    "tuples of arrays": tuple,
    "csr": sparse.csr_array,
    "csc": sparse.csc_matrix,
    "coo": _sparse,
    "frame": _frame,
    "mixed frame": _mixed,
    "nullable frame": lambda x: _frame(x).astype("Float64"),
    "arrow": lambda x: pa.table(_frame(x)),
    "batch": lambda x: pa.RecordBatch.from_pandas(_frame(x)),
    "polars": _polars,
    "lazy": lambda x: _polars(x).lazy(),
    "dask array": lambda x: optional("dask.array").from_array(x, chunks=(2, 1)),
    "dask frame": lambda x: optional("dask.dataframe").from_pandas(_frame(x), npartitions=2),
}
TYPES = {"float32": np.float32, "float16": np.float16, "long double": np.longdouble, "int64": np.int64, "int8": np.int8,
         "bool": np.bool_, "Int64 frame": np.int64, "int frame": np.int16}  # fmt: skip
"""Forms of numbers of other types, which rows are rounded to."""


def _typed(rows: np.ndarray, form: str) -> tuple[Any, np.ndarray]:
    """Return rows of another type, and what they are as floats."""
    kind = TYPES[form]
    with np.errstate(all="ignore"):
        made = (rows if np.issubdtype(kind, np.floating) else np.clip(np.nan_to_num(rows), -90, 90)).astype(kind)
        floats = made.astype(float)
    if form.endswith("frame"):
        made = _frame(made)
    return made.astype("Int64") if form == "Int64 frame" else made, floats


CHUNKS: dict[str, Any] = {
    "iterator": lambda x: iter([x[:1], x[1:]]),
    "iterator of frames": lambda x: iter([_frame(x[:2]), _frame(x[2:])]),
    "iterator of many": lambda x: iter([x[:1].tolist() or x[:1], sparse.csr_array(x[1:2]), _frame(x[2:])]),
}
WITHOUT = {"lists", "tuples of arrays"}
"""Forms in which no rows have no width."""


def integers(moments: Any) -> tuple[list[list[int]], list[int], int]:
    """Second moments, sums and number."""
    sums = sums_of(moments, empty=True)
    return sums.total.tolist(), sums.first.integers().tolist(), sums.count


def answer(call: Any) -> Any:
    """Return the integers of `Moments`, ``None`` for a refusal, or the type of what was raised beside it."""
    try:
        return integers(call())
    except ValueError:
        return None
    except Exception as problem:
        return type(problem).__name__


NOTES = ["", "plain", "two\nlines", 'said ""', ",", "\n0.1,0.2\n", '"', " \n", "1,2\n" * 30_000]
"""Texts beside the numbers, which change no row however they are written."""


def _text(case: Case, names: tuple[str, ...], ids: list[str] | None, path: Path, rng: np.random.Generator) -> Case:
    """Write a text file with ids and notes; in total reading a line may leave a quote open. Return what it holds."""
    quoting = csv.QUOTE_ALL if rng.integers(2) else csv.QUOTE_MINIMAL
    total, n = case.given["bad_rows"] == "zero", len(case.rows)
    broken = int(rng.integers(n)) if total and n and rng.random() < 0.3 else None
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8", newline="") as file:
        out = csv.writer(file, quoting=quoting, lineterminator=("\n", "\r\n")[rng.integers(2)])
        out.writerow([*names, "who", "note"])
        for i, row in enumerate(case.rows.tolist()):
            if i == broken:
                file.write(",".join([*map(repr, row), "1", '"open\n']))
                continue
            note = NOTES[rng.integers(len(NOTES) - (rng.random() < 0.9))]
            out.writerow([*map(repr, row), "" if ids is None else ids[i], note])
    if broken is None:
        return case
    rows, lost = case.rows.copy(), case.ids and list(case.ids)
    rows[broken] = NAN
    if lost:
        lost[broken] = None
    return case._replace(rows=rows, ids=lost)


def _of_file(case: Case, form: str, folder: Path, rng: np.random.Generator) -> tuple[Any, Any]:
    """Read the rows, with ids if there are some, from a file of this kind; return what is found and what is wanted."""
    d = case.rows.shape[1]
    names = tuple(f"c{j}" for j in range(d))
    given, path = {**case.given, "columns": names}, folder / f"rows{form}"
    ids = None if case.ids is None else ["" if (name := _name(entry)) is None else name for entry in case.ids]
    given |= {} if ids is None else {"person": "who"}
    if form in (".csv", ".csv.gz"):
        held = _text(case, names, ids, path, rng)
        return answer(lambda: dps.Moments.read(path, header=True, **given)), reference(held)
    columns: dict[str, Any] = dict(zip(names, case.rows.T, strict=True))
    table = pa.table(columns if ids is None else columns | {"who": pa.array(ids, pa.string())})
    (pa.parquet.write_table if form == ".parquet" else pa.feather.write_feather)(table, path)
    return answer(lambda: dps.Moments.read(path, **given)), reference(case)


def differences(case: Case, form: str, folder: Path, rng: np.random.Generator) -> list[str]:
    """Differences from the reference, of the data set and of one-row data sets."""
    wanted = reference(case)
    x, given = case.rows, {**case.given, "width": case.rows.shape[1]}
    if form.startswith("."):
        found, wanted = _of_file(case, form, folder, rng)
        return [] if found == wanted else ["file"]
    if form in WITHOUT and not len(x):
        return []
    if form in CHUNKS:
        if case.ids is not None:
            return []
        return [] if answer(lambda: dps.Moments.of(CHUNKS[form](x), **given)) == wanted else ["chunks"]
    person: dict[str, Any] = {} if case.ids is None else {"person": case.ids}
    make = FORMS.get(form)
    if make is None:
        case = case._replace(rows=_typed(x, form)[1])
        wanted, make = reference(case), lambda some: _typed(some, form)[0]
    if form.startswith("dask") and (person or not len(x)):
        return []
    made = make(x)
    if person and form == "frame" and rng.integers(2):
        made, person = made.assign(who=pd.Series(case.ids, dtype=object)), {"person": "who"}
    found = answer(lambda: dps.Moments.of(made, **given, **person))
    if found != wanted:
        return ["whole"]
    if person or wanted is None or not len(x):
        return []
    parts = [dps.Moments.of(make(x[i : i + 1]), **given) for i in range(len(x))]
    return [] if integers(dps.Moments.together(parts)) == wanted else ["rows"]


RARE = {".csv": 1.0, ".csv.gz": 0.2, ".parquet": 0.3, ".feather": 0.3, "dask array": 0.1, "dask frame": 0.1}
"""Forms that take longer, and how often they are drawn where another one is drawn twice."""


def compared(seed: int, number: int, first: int = 0) -> Iterator[str]:
    """Compare so many cases from the first; yield the differences with their case numbers."""
    known = [*FORMS, *TYPES, *CHUNKS, *(form for form in RARE if form not in FORMS)]
    weights = np.array([RARE.get(form, 2.0) for form in known])
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other libraries
        for place in range(first, first + number):
            rng = np.random.default_rng([seed, place])
            case, form = drawn(rng), str(rng.choice(known, p=weights / weights.sum()))
            yield from (f"case {place}, {form}: {each}" for each in differences(case, form, Path(folder), rng))


if __name__ == "__main__":
    seed, number = map(int, sys.argv[1:])
    told = list(compared(seed, number))
    print(*told, f"{len(told)} differences in {number} cases of seed {seed}", sep="\n")
    sys.exit(bool(told))
