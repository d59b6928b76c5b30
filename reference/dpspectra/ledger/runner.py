"""Check entries: draw cases, evaluate every face, compare the two arithmetics, re-check certificates."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any

from mpmath import mp

from dpspectra.ledger import certificate as certificates
from dpspectra.ledger.entry import Statement, Verdict
from dpspectra.ledger.outcomes import Frequency, Outcome, disagreement
from dpspectra.ledger.papers import Label
from dpspectra.ledger.registry import built, get

CHALLENGE = 0.99
"""Factor that the challenge puts on every right side at the tight instances."""


@dataclass(slots=True)
class Judgement:
    """What one case showed."""

    vacuous: bool = False
    undecided: bool = False
    closest: float | None = None
    faults: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What a run of one entry showed, under one of its labels."""

    label: str
    verdict: str
    ok: bool | None
    """``None`` for a label whose entry is missing."""
    cases: int = 0
    vacuous: int = 0
    undecided: int = 0
    closest: float | None = None
    """Largest ratio of left to right side seen; 1 is equality."""
    seconds: float = 0.0
    module: str = ""
    note: str = ""
    certificate: str = ""
    """``accepted``, ``rejected``, or empty where none is demanded."""
    faults: list[str] = field(default_factory=list)

    def asdict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        return asdict(self)


def outcomes(statement: Statement, face: str, case: tuple[Any, ...]) -> tuple[Outcome, ...]:
    """Evaluate a face on a case as a tuple of outcomes; the empty tuple means that the premise fails."""
    result = statement.faces[face](*case)
    return result if isinstance(result, tuple) else (result,)


def judge(statement: Statement, case: tuple[Any, ...], factor: float = 1.0) -> Judgement:
    """Evaluate both standing faces on one case, right sides multiplied by ``factor``, and say what is wrong."""
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        fast, exact = outcomes(statement, "fast", case), outcomes(statement, "oracle", case)
        found = Judgement(vacuous=not exact)
        if len(fast) != len(exact):
            found.faults.append(f"fast states {len(fast)} parts, oracle {len(exact)}")
            return found
        for part, (a, b) in enumerate(zip(fast, exact, strict=True)):
            for face, outcome, allowed in (("fast", a, statement.rounding), ("oracle", b, slack)):
                decision = outcome.scaled(factor).decide(allowed)
                found.undecided |= decision is None
                if decision is False:
                    found.faults.append(f"{face} contradicts part {part + 1}: {outcome}")
            if difference := disagreement(a, b, statement.rounding):
                found.faults.append(f"the arithmetics differ in part {part + 1}, {difference}")
            if b.closeness is not None:
                found.closest = max(b.closeness, found.closest or 0.0)
    return found


def challenge(statement: Statement) -> list[str]:
    """Tighten every right side by `CHALLENGE` at the tight instances; name the faces that fail to notice."""
    faults = []
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        for number, case in enumerate(statement.faces["tight"]()):
            for face, allowed in (("fast", statement.rounding), ("oracle", slack)):
                stated = [o for o in outcomes(statement, face, case) if not isinstance(o, Frequency)]
                if stated and all(o.scaled(CHALLENGE).decide(allowed) is not False for o in stated):
                    faults.append(f"challenge: {face} does not notice right sides times {CHALLENGE} at tight {number}")
    return faults


def refute(statement: Statement) -> list[str]:
    """Show that the printed form fails at the counterexample; say what is wrong with that evidence."""
    faces = statement.faces
    with mp.workdps(statement.digits):
        printed = faces["as_printed"](*faces["counterexample"]())
        slack = mp.mpf(10) ** (10 - statement.digits)
        if printed.decide(slack) is not False:
            return [f"the printed form holds at the counterexample: {printed}"]
        if "certificate" not in faces:
            return []
        checked = certificates.check(faces["certificate"]())
        faults = [] if checked.accepted else ["the certificate proves nothing: its enclosures overlap"]
        for side, enclosure, value in (
            ("greater", checked.greater, printed.left),
            ("lesser", checked.lesser, printed.right),
        ):
            low, high = (mp.mpf(x.numerator) / x.denominator for x in (enclosure.low, enclosure.high))
            allowance = slack * max(1, abs(value))
            if not low - allowance <= value <= high + allowance:
                faults.append(f"the certificate's {side} side is not the counterexample's: {mp.nstr(value, 15)}")
        return faults


def examine(statement: Statement, examples: int | None = None, challenged: bool = False) -> Report:
    """Check one entry on up to ``examples`` cases (its own default if ``None``)."""
    report = Report(statement.id, statement.verdict.value, True, module=statement.module, note=statement.note)
    start = time.perf_counter()
    report.faults += [f"no face {name}" for name in sorted(statement.verdict.demands - statement.faces.keys())]
    if not report.faults:
        if "oracle" in statement.verdict.demands:
            _run_cases(statement, examples or statement.examples, report)
        if "counterexample" in statement.faces:
            with _noted(report):
                report.faults += refute(statement)
        if "certificate" in statement.faces:
            report.certificate = "rejected" if any("certificate" in f for f in report.faults) else "accepted"
        if challenged and "tight" in statement.faces:
            with _noted(report):
                report.faults += challenge(statement)
    report.ok = not report.faults
    report.seconds = time.perf_counter() - start
    return report


class BrokenCase(Exception):
    """A case at which something is wrong."""


@contextmanager
def _noted(report: Report) -> Iterator[None]:
    """Turn whatever a face raises into a fault of the report: a broken entry must not hide the others."""
    try:
        yield
    except BrokenCase as broken:
        report.faults.append(str(broken))
    except Exception as error:
        report.faults.append(f"raised {type(error).__name__}: {error}")


def _run_cases(statement: Statement, examples: int, report: Report) -> None:
    """Draw cases with Hypothesis and tally; stop at the first fault."""
    from hypothesis import HealthCheck, Phase, given, settings

    if statement.cases is None:
        report.faults.append("no cases to try")
        return

    def run(case: tuple[Any, ...]) -> None:
        judgement = judge(statement, case)
        report.cases += 1
        report.vacuous += judgement.vacuous
        report.undecided += judgement.undecided
        if judgement.closest is not None:
            report.closest = max(judgement.closest, report.closest or 0.0)
        if judgement.faults:
            raise BrokenCase(" ".join(f"{'; '.join(judgement.faults)} at {case!r}".split()))

    quiet = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        print_blob=False,
        phases=[Phase.generate],  # shrinking a fault can take minutes; the test suite does it
        suppress_health_check=list(HealthCheck),
    )
    for case in statement.faces["tight"]() if "tight" in statement.faces else ():
        with _noted(report):
            run(case)
    with _noted(report):
        quiet(given(statement.cases())(run))()
    if report.cases and report.vacuous == report.cases:
        report.faults.append("every case was vacuous")


def verify(
    wanted: Iterable[Label],
    examples: int | None = None,
    challenged: bool = False,
    announce: Callable[[Report], None] = lambda report: None,
    jobs: int = 1,
) -> list[Report]:
    """Report on each label in the given order; an entry with several labels is run once.

    ``announce`` is called with each report as it is finished, in order. A label without an entry gets the verdict
    ``missing``. With ``jobs > 1`` entries run in that many processes; what they find is the same.
    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    wanted, entries = list(wanted), built()
    asked = dict.fromkeys(entries[label.label].id for label in wanted if label.label in entries)
    one = functools.partial(_examined, examples=examples, challenged=challenged)
    reports, runs = [], dict[str, Report]()
    with ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else nullcontext() as pool:
        found = pool.map(one, asked) if pool else map(one, asked)
        for label in wanted:
            entry = entries.get(label.label)
            if entry is None:
                report = Report(label.label, "missing", None)
            else:
                while entry.id not in runs:
                    run = next(found)
                    runs[run.label] = run
                report = _under(runs[entry.id], label)
            reports.append(report)
            announce(report)
    return reports


def _examined(label: str, examples: int | None, challenged: bool) -> Report:
    return examine(get(label), examples, challenged)


def _under(report: Report, label: Label) -> Report:
    """Return the same findings under one label, judged by the verdict expected of it; seconds are counted once."""
    data = report.asdict() | {"label": label.label, "seconds": report.seconds if label.label == report.label else 0.0}
    if report.verdict != label.verdict:
        fault = f"verdict {report.verdict}, but the list expects {label.verdict}"
        data |= {"ok": False, "faults": [*report.faults, fault]}
    return Report(**data)


def weakest(label: str) -> tuple[str, Verdict]:
    """Return the weakest statement among ``label`` and all it rests on, with its verdict."""
    seen: dict[str, Verdict] = {}
    stack = [label]
    while stack:
        entry = get(stack.pop())
        if entry.id not in seen:
            seen[entry.id] = entry.verdict
            stack.extend(entry.uses)
    return min(seen.items(), key=lambda item: item[1].strength)
