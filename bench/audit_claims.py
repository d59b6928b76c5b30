"""The auditor on every mechanism and relation, with pairs of data that the sentence of its claim allows, and no others.

    python -m bench.audit_claims [--draws 2000] [--seconds 20] [--epsilon 1] [--certified] [--seed 1] [--cases WORD ...]
                                 [--results FILE] [--minutes M]

A call is planned first: its claim says who are neighbours, and the pairs below are made from that alone, by relation,
bound, change and domain. An output holds the value and every number among the public details. Prints the verdict, the
largest loss that was shown, and the power: the smallest loss of a whole output that so many draws refute. Exits with 1
if a claim is refuted.

Full size is ``--draws 100000 --seconds 120``, which takes up to 21 hours. Every mechanism with every relation has one
pair judged before any has its second, so that a run that is stopped has seen them all alike. With ``--results FILE``
each pair adds a line of JSON as soon as it is judged, and pairs that the file holds, for the same request, are read
instead: so the run may be stopped at any time, by ``--minutes`` too, and goes on where it was. The last line says how
many pairs are left.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.claims import INTEGERS
from dpspectra.mechanisms.mechanism_record import MATRIX, Mechanism
from dpspectra.mechanisms.privacy_unit import FINITE, SYMMETRIC, Unit
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation

D, N, FAR = 2, 3, 1e6
"""Columns, rows, and the part that is large."""
ARGUMENTS = {"k": 1, "delta": 1e-3, "iterations": 2, "eigenvalues": [1.0, 0.0], "aligned": 1}
ARGUMENTS |= {"basis": np.eye(N, 1), "lower": 0.125, "upper": 2.0}
ARGUMENTS |= {"directions": np.eye(D), "frame": (-1.0, 1.0, -1.0, 1.0)}
TOTAL = {"rows": "clip", "bad_rows": "zero"}
REQUEST = "draws", "seconds", "epsilon", "seed", "certified"
"""Options on which a verdict depends."""

Pair = tuple[Any, Any]


class Case(NamedTuple):
    """A mechanism, a relation, and options of a call."""

    record: Mechanism
    relation: Relation
    options: Mapping[str, Any]
    form: str
    """``"rows"``, ``"sum"`` or ``"matrix"``, real, of integers or complex."""

    @property
    def title(self) -> str:
        said = ", ".join(f"{name}={value}" for name, value in self.options.items() if isinstance(value, (str, float)))
        return f"{self.record.name}, {self.relation}, {self.form}{', ' if said else ''}{said}"

    def given(self, epsilon: float) -> dict[str, Any]:
        needed = {name: ARGUMENTS[name] for name in self.record.needs}
        relation = {"relation": str(self.relation)} if len(self.record.relations) > 1 else {}
        return {"epsilon": epsilon, **needed, **relation, **self.options}


def cases() -> Iterator[Case]:
    """Every mechanism with every relation, its bounds or none, and the forms of data that it takes."""
    for record in MECHANISMS.values():
        if not record.private:
            continue
        for relation in record.relations:
            if record.data == MATRIX:
                yield Case(record, relation, {}, "matrix")
                yield Case(record, relation, {}, "matrix of integers")
                if "row" in record.relations:
                    yield Case(record, relation, {"row_change": 0.25}, "matrix")
                continue
            for options in ({"norm_bound": 1.0}, {"norm_bound": 0.25}) if record.bounded else ({},):
                yield Case(record, relation, options, "rows")
            if "bad_rows" in inspect.signature(record.function()).parameters:
                yield Case(record, relation, TOTAL if record.bounded else {"bad_rows": "zero"}, "rows")
            if record.sums:
                yield Case(record, relation, {}, "sum")
                yield Case(record, relation, {}, "complex sum")
            if record.chooses and record.name == "private_pca":
                for center in ("none", "mean") if relation == Relation.REPLACE else ():
                    yield Case(record, relation, {"center": center}, "rows")
                yield Case(record, relation, {"mechanism": "orbit"}, "rows")


# ---------------------------------------------------------------- pairs, by the unit of a claim


def pairs(unit: Unit, shape: tuple[int, int], square: bool, is_complex: bool) -> Iterator[tuple[str, Pair]]:
    """Named pairs of data sets that are neighbours by the unit; an audit compares both with each other."""
    if unit.relation.of_rows:
        return _of_rows(unit)
    return _of_sums(unit, is_complex) if unit.relation.of_sums else _of_matrices(unit, shape, square)


def _of_rows(unit: Unit) -> Iterator[tuple[str, Pair]]:
    bound = unit.norm_bound
    size = FAR if bound is None else bound
    axes = np.eye(D) * size
    dense = np.full(D, 1 / math.sqrt(D)) * size * (1 - 2.0**-40)
    changed = {
        "an axis for another": (axes[0], axes[1]),
        "an axis for its opposite": (axes[0], -axes[0]),
        "a dense row for zero": (dense, 0 * dense),
    }
    if bound is None:
        changed["a long row for a short one"] = (axes[0], axes[0] / FAR**2)
    if FINITE not in unit.domain and bound is None:
        changed["a row of NaN for an axis"] = (np.array([math.nan, size]), axes[0])
    single = {name.split(" for ")[0]: np.atleast_2d(one) for name, (one, _) in changed.items()}
    for beside in ("zeros", "copies"):
        others = np.tile(axes[0] if beside == "copies" else 0 * axes[0], (N - 1, 1))
        if unit.relation == Relation.ADD_REMOVE:
            for name, row in single.items():
                yield f"{name} added to {beside}", (others, np.vstack([others, row]))
        elif unit.relation == Relation.ZERO_OUT:
            for name, row in single.items():
                yield (
                    f"{name} becomes zero, {beside}",
                    (np.vstack([others, row]), np.vstack([others, np.zeros((1, D))])),
                )
        else:
            for name, (one, other) in changed.items():
                yield f"{name}, {beside}", (np.vstack([others, one]), np.vstack([others, other]))
    if unit.relation == Relation.ADD_REMOVE:
        yield "a row for none at all", (np.zeros((0, D)), axes[:1])


def _of_sums(unit: Unit, is_complex: bool) -> Iterator[tuple[str, Pair]]:
    bound = unit.norm_bound or 1.0
    one, other = np.eye(D)
    turned = np.array([1, 1j]) / math.sqrt(2) if is_complex else np.array([1, 1]) / math.sqrt(2)
    for name, base in (("nothing else", 0.0), ("many people", 2.0**10)):
        start = base * np.diag([1.0, 0.0]).astype(complex if is_complex else float)
        grown = [start + bound**2 * np.outer(x, x.conj()) for x in (one, other, turned)]
        if unit.relation == Relation.MATRIX_REPLACE:
            yield f"an axis for another, {name}", (dps.Matrix(grown[0], bound), dps.Matrix(grown[1], bound))
            yield f"an axis for a dense vector, {name}", (dps.Matrix(grown[0], bound), dps.Matrix(grown[2], bound))
        else:
            yield f"an axis more, {name}", (dps.Matrix(start, bound), dps.Matrix(grown[1], bound))


def _of_matrices(unit: Unit, shape: tuple[int, int], square: bool) -> Iterator[tuple[str, Pair]]:
    change = unit.change or 1.0
    whole = any(word.startswith(INTEGERS) for word in unit.domain)
    n, d = shape
    first = np.zeros(shape)
    first[0, 0] = 1.0
    moved: dict[str, Any] = {"one entry": first}
    if unit.relation == Relation.PAIR:
        moved["an entry and its image"] = np.eye(n)[::-1] * (1 - np.eye(n) * (n % 2)) if n == 2 else first
    if unit.relation == Relation.ROW:
        moved["a whole row"] = np.outer(np.eye(n)[0], np.full(d, 1 / math.sqrt(d)))
    if unit.relation == Relation.SPECTRAL:
        moved["the identity"] = np.eye(n, d)
        if SYMMETRIC not in unit.domain and not square:
            moved["a permutation"] = np.eye(n, d)[::-1]
    if unit.relation == Relation.RANK_ONE:
        v = np.full(n, 1 / math.sqrt(n))
        moved["a dense vector"] = np.outer(v, v)
    for base in ("zero", "large", "halves"):
        start = {"zero": np.zeros(shape), "large": 2.0**10 * np.eye(n, d), "halves": np.full(shape, 0.5)}[base]
        for name, by in moved.items():
            step = change * by
            if whole:
                start, step = np.floor(start), np.trunc(step)
                if not step.any():
                    continue
            pair = start, start + step
            kind = np.int64 if whole else np.float64
            yield f"{name}, from {base}", (pair[0].astype(kind), pair[1].astype(kind))


# ---------------------------------------------------------------- audits


def numbers(release: Release[Any]) -> np.ndarray:
    """The value and every number of the public details, in one vector of a fixed order."""
    value = release.value if isinstance(release.value, tuple) else (release.value,)
    found = [*value, *(release.details[name] for name in sorted(release.details))]
    flat = []
    for each in found:
        bare = each.toarray() if hasattr(each, "toarray") else getattr(each, "bound", each)
        if bare is None or isinstance(bare, (str, bool)) or (isinstance(bare, tuple) and isinstance(bare[0], str)):
            continue
        entries = np.atleast_1d(np.asarray(bare)).ravel()
        flat += [entries.real, entries.imag] if np.iscomplexobj(entries) else [entries]
    return np.concatenate([np.asarray(each, float) for each in flat])


def starting(case: Case) -> Any:
    """Data by which a call is planned: of them only the form counts."""
    square = case.relation in (Relation.PAIR, Relation.RANK_ONE, Relation.SPECTRAL)
    shape = (D, D) if square else (N, D)
    if case.form == "rows":
        return np.zeros((N, D))
    if case.form.endswith("sum"):
        return dps.Matrix(np.eye(D, dtype=complex if case.form.startswith("complex") else float))
    return np.zeros(shape, np.int64 if case.form.endswith("integers") else np.float64)


class Trial(NamedTuple):
    """A pair of data of a case, and how to audit the case's mechanism by it."""

    case: str
    pair: str
    neighbours: str
    """The sentence of the claim."""
    audit: Callable[[], dict[str, Any]]


def trials(case: Case, request: argparse.Namespace) -> Iterator[Trial]:
    """All pairs of a case; the claim is that of a call, which must be the planned one."""
    data, given = starting(case), case.given(request.epsilon)
    name = "A" if case.record.data == MATRIX else "X"
    claim = case.record.planned(**{name: data}, **given)
    function = case.record.function()
    loss: Any = ApproxDP(claim.epsilon, claim.delta) if claim.delta else PureDP(claim.epsilon)
    square = case.form.startswith("matrix") and data.shape[0] == data.shape[1]

    def released(x: Any, rng: np.random.Generator) -> np.ndarray:
        """Ideal noise of the generator, or certified noise of a key that it gives."""
        source = dps.Entropy(rng.bytes(32)) if request.certified else rng
        return numbers(function(x, **given, rng=source))

    def found(pair: Pair) -> dict[str, Any]:
        result = audit(released, pair, loss, draws=request.draws, seconds=request.seconds, rng=request.seed)
        return {
            "verdict": str(result.verdict),
            "shown": float(result.epsilon_lower),
            "draws": int(result.draws),
            "power": float(result.power),
        }

    for title, pair in pairs(claim.unit, data.shape, square, case.form.startswith("complex")):
        yield Trial(case.title, title, claim.neighbours, partial(found, pair))


def in_rounds(request: argparse.Namespace) -> Iterator[Trial]:
    """Trials of the cases whose titles hold every word: one of each mechanism and relation, then the second of each."""
    wanted = (case for case in cases() if all(word in case.title for word in request.cases))
    groups: dict[tuple[str, Relation], list[Iterator[Trial]]] = {}
    for case in wanted:
        groups.setdefault((case.record.name, case.relation), []).append(trials(case, request))
    for some in itertools.zip_longest(*map(itertools.chain.from_iterable, groups.values())):
        yield from filter(None, some)


class Results:
    """Verdicts of pairs by request, case and pair, kept in a file of one line of JSON each, if there is one."""

    def __init__(self, path: Path | None, request: argparse.Namespace) -> None:
        self._path, self._found = path, dict[tuple[str, str], dict[str, Any]]()
        self._request = {name: getattr(request, name) for name in REQUEST}
        if path is not None and path.exists():
            rows = map(_parsed, (text := path.read_text(encoding="utf-8")).splitlines())
            mine = [row for row in rows if row is not None and row["request"] == self._request]
            self._found = {(row["case"], row["pair"]): row for row in mine}
            if text and not text.endswith("\n"):
                path.write_text(f"{text}\n", encoding="utf-8")

    def of(self, trial: Trial) -> dict[str, Any] | None:
        """Findings on a pair."""
        return self._found.get((trial.case, trial.pair))

    def judged(self, trial: Trial) -> dict[str, Any]:
        """Audit a pair, and keep what was found."""
        row = {"request": self._request, "case": trial.case, "pair": trial.pair, **trial.audit()}
        row["version"] = dps.__version__
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                print(json.dumps(row), file=file, flush=True)
        self._found[trial.case, trial.pair] = row
        return row


def _parsed(line: str) -> dict[str, Any] | None:
    """Return the words of a line; nothing if writing it was interrupted."""
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return found


def main(arguments: list[str] | None = None) -> int:
    """Audit all cases, or those whose titles hold every word."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--certified", action="store_true")
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--results", type=Path)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no pair after so long")
    request = parser.parse_args(arguments)
    results, start, counts = Results(request.results, request), time.monotonic(), Counter[str]()
    for trial in in_rounds(request):
        known = results.of(trial)
        if known is None and time.monotonic() - start > 60 * request.minutes:
            counts["left"] += 1
            continue
        row = known or results.judged(trial)
        counts[row["verdict"]] += 1
        said = f"shows {row['shown']:<8.3g} power {row['power']:<8.3g} {row['draws']:>7} draws"
        print(f"{row['verdict']:<12} {said}  {trial.case}: {trial.pair}\n    {trial.neighbours}", flush=True)
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())))
    return int("refuted" in counts)


if __name__ == "__main__":
    sys.exit(main())
