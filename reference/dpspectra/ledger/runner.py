"""Check entries: draw cases, have each judged, tally the findings part by part; many entries in parallel."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from typing import Any

from dpspectra.ground import checks
from dpspectra.ledger import baseline, coq_stamps, measure, report_cache
from dpspectra.ledger.entry import FOUND, Statement, Verdict
from dpspectra.ledger.judgement import Judgement, challenge, judge, largest, named, outside, refute, told_apart
from dpspectra.ledger.papers import Label, labels
from dpspectra.ledger.registry import get, identities
from dpspectra.ledger.report import Part, Report
from dpspectra.ledger.unwritten import unclear, unwritten

TAUTOLOGY = 20
"""Cases, at least, in which a part whose sides are always the very same number compares it with itself."""
OTHER_DIGITS = (-4, 3, 8)
"""Changes of the oracle's digits at which two routes to one number differ by rounding sooner or later."""


def examine(
    statement: Statement, examples: int | None = None, challenged: bool = False, seed: int | None = None
) -> Report:
    """Check one entry on random cases.

    Parameters
    ----------
    statement
        An entry.
    examples
        Largest number of cases; its own default if ``None``.
    challenged
        Whether the run also challenges the statement: right sides are multiplied by 0.99, which both faces must notice.
    seed
        Another one draws other cases.

    Returns
    -------
    Report
        The findings.

    Raises
    ------
    ValueError
        For a number out of its range.

    """
    _check(examples, challenged, seed)
    checks.instance(statement, "statement", Statement, FOUND)
    report = Report(statement.id, statement.verdict.value, True, module=statement.module, note=statement.note)
    report.coq = coq_stamps.in_words(statement)
    start, tight = time.perf_counter(), list[Judgement]()
    report.faults += [f"no face {name}" for name in sorted(statement.verdict.demands - statement.faces.keys())]
    report.faults += [f"not written yet: {task}" for task in unwritten(statement)]
    if not report.faults and _is_listed(statement):
        report.faults += unclear(statement)
    if not report.faults:
        if "oracle" in statement.faces:
            tight = _run_cases(statement, examples or statement.examples, seed, report)
            report.faults = report.faults or measure.changed(statement.id, tight)
        if "counterexample" in statement.faces:
            with _noted(report):
                report.faults += refute(statement)
        if "certificate" in statement.faces:
            report.certificate = "rejected" if any("certificate" in f for f in report.faults) else "accepted"
        if "beyond" in statement.faces:
            with _noted(report):
                report.faults += outside(statement)
        if challenged and "tight" in statement.faces:
            with _noted(report):
                report.faults += challenge(statement, tight, [part.name for part in report.parts])

                def missed() -> list[str]:
                    return measure.unexplained(statement, tight)

                report.faults += report_cache.faults(statement, missed)
        if not report.faults:  # a run that stops at a fault need not meet every part
            report.faults += _other_parts(statement, [part.name for part in report.parts])
    report.ok = not report.faults
    report.seconds = time.perf_counter() - start
    return report


def _other_parts(statement: Statement, parts: list[str]) -> list[str]:
    """Say that the parts of a listed statement, or their formulas, are not those that are recorded."""
    if not _is_listed(statement):
        return []
    known = baseline.of(statement.id)
    if not known.chapter:
        return ["its parts are not recorded yet: run `make notes`"]
    if set(known.parts) != set(parts):
        told = {"it lost": set(known.parts) - set(parts), "it gained": set(parts) - set(known.parts)}
        changes = "; ".join(f"{word} {_list(names)}" for word, names in told.items() if names)
        return [f"its parts are not those of {baseline.FILE}: {changes}; run `make notes` if that is meant"]
    if set(statement.formulas) - {""} != set(parts):
        return [f"its claim has formulas of {_list(statement.formulas)}, its parts are {_list(parts)}"]
    found = baseline.digests(statement)
    new = [named(part) for part in found if known.rows[part].formula != found[part]]
    if new:
        return [
            f"the formula of {' and of '.join(new)} is not the one of {baseline.FILE}: read it beside both faces, and "
            f'run `make notes AGAIN="{statement.id}"`'
        ]
    return []


def _is_listed(statement: Statement) -> bool:
    return statement.id in {label.label for label in labels()}


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(filter(None, names))) or "none"


def _check(examples: int | None, challenged: bool, seed: int | None) -> None:
    if examples is not None:
        checks.integer(examples, "examples", 1)
    checks.flag(challenged, "challenged")
    if seed is not None:
        checks.integer(seed, "seed", 0)


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


def _run_cases(statement: Statement, examples: int, seed: int | None, report: Report) -> list[Judgement]:
    """Tally the tight instances, then drawn cases, always the same ones without a seed.

    Judging stops at the first fault. Returns the judgements of the tight instances.
    """
    from dpspectra.ledger.cases import drawn  # loads Hypothesis

    if statement.cases is None:
        report.faults.append("no cases to try")
        return []

    parts, kept = dict[str, Part](), list[tuple[Any, ...]]()

    def tally(judgement: Judgement, case: tuple[Any, ...]) -> None:
        report.cases += 1
        report.vacuous += judgement.vacuous
        report.undecided += judgement.undecided
        report.closest = largest((judgement.closest, report.closest))
        if len(kept) < TAUTOLOGY:
            kept.append(case)
        for name, seen in judgement.parts.items():
            parts.setdefault(name, Part(name)).add(seen)
        if judgement.faults:
            where = ", ".join(f"{name}={value!r}" for name, value in statement.named("fast", case).items())
            raise BrokenCase(" ".join(f"{'; '.join(judgement.faults)} at {where}".split()))

    tight = list[Judgement]()
    for case in statement.faces["tight"]() if "tight" in statement.faces else ():
        with _noted(report):
            tight.append(judge(statement, case))
            tally(tight[-1], case)
    before = {name: part.evaluated for name, part in parts.items()}
    with _noted(report):
        cases = drawn(statement.cases(), examples, f"{statement.id}, seed {seed}")
        for case in cases:
            tally(judge(statement, case), case)
        if seed is None and examples == statement.examples:
            evaluated = {name: part.evaluated - before.get(name, 0) for name, part in parts.items()}
            report.faults += measure.uncovered(statement.id, evaluated, len(cases))
    for part in parts.values():
        part.vacuous = report.cases - part.evaluated
        if (declared := statement.slack.get(part.name)) is not None:
            part.slack = asdict(declared)
    report.parts = list(parts.values())
    report.faults += [
        f"{named(part.name)} compares a number with itself in all {part.evaluated} cases"
        for part in report.parts
        if part.evaluated == part.itself >= TAUTOLOGY and part.name not in statement.exact
        if examples >= statement.examples  # the first cases are the simplest, and may round nowhere
        if not told_apart(statement, part.name, kept, OTHER_DIGITS)
    ]
    if report.cases and report.vacuous == report.cases:
        report.faults.append("every case was vacuous")
    return tight


def verify(
    wanted: Iterable[Label],
    examples: int | None = None,
    challenged: bool = False,
    announce: Callable[[Report], None] = lambda report: None,
    jobs: int = 1,
    seed: int | None = None,
) -> list[Report]:
    """Report on each label in the given order; an entry with several labels is run once.

    Parameters
    ----------
    wanted
        Labels. One without an entry gets the verdict ``missing``.
    examples, challenged, seed
        As in `examine`.
    announce
        Function that is called with each report as it is finished, in order.
    jobs
        Number of processes; the findings are the same with any number.

    Returns
    -------
    list of Report
        One for each label.

    Raises
    ------
    ValueError
        For a number out of its range.

    """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    _check(examples, challenged, seed)
    checks.integer(jobs, "jobs", 1)
    if not callable(announce):
        raise ValueError(f"announce must be callable, got {checks.shown(announce)}")
    way_out = ": take ledger.select([name, ..])"
    wanted = [
        checks.instance(each, "wanted", Label, way_out) for each in checks.instance(wanted, "wanted", Iterable, way_out)
    ]
    entries = identities()
    asked = dict.fromkeys(entries[label.label] for label in wanted if label.label in entries)
    one = functools.partial(_examined, examples=examples, challenged=challenged, seed=seed)
    reports, runs = [], dict[str, Report]()
    with ProcessPoolExecutor(jobs, get_context("spawn")) if jobs > 1 else nullcontext() as pool:
        found = pool.map(one, asked) if pool else map(one, asked)
        for label in wanted:
            entry = entries.get(label.label)
            if entry is None:
                report = Report(label.label, "missing", None)
            else:
                while entry not in runs:
                    run = next(found)
                    runs[run.label] = run
                report = _under(runs[entry], label)
            reports.append(report)
            announce(report)
    return reports


def _examined(label: str, examples: int | None, challenged: bool, seed: int | None) -> Report:
    """Return the report of `examine`, or a kept one that was ok, which took no time."""
    statement = get(label)
    if (place := report_cache.folder()) is None:
        return examine(statement, examples, challenged, seed)
    name = report_cache.key(statement, examples, challenged, seed)
    if (kept := report_cache.read(place, name)) is not None:
        parts = [Part(**part) for part in kept["parts"]]
        return Report(**kept | {"parts": parts, "seconds": 0.0, "coq": coq_stamps.in_words(statement)})
    report = examine(statement, examples, challenged, seed)
    if report.ok:
        report_cache.keep(place, name, report.asdict())
    return report


def _under(report: Report, label: Label) -> Report:
    """Return the same findings under one label, judged by the verdict expected of it; seconds are counted once."""
    own = replace(report, label=label.label, seconds=report.seconds if label.label == report.label else 0.0)
    if report.verdict != label.verdict:
        fault = f"verdict {report.verdict}, but the list expects {label.verdict}"
        own = replace(own, ok=False, faults=[*report.faults, fault])
    return own


def weakest(label: str) -> tuple[str, Verdict]:
    """Return the weakest statement among ``label`` and all it rests on, with its verdict.

    >>> label, verdict = weakest("MWKTV-L8.2")
    >>> label, verdict.value
    ('MWKTV-L8.2', 'repaired')
    """
    seen: dict[str, Verdict] = {}
    stack = [label]
    while stack:
        entry = get(stack.pop())
        if entry.id not in seen:
            seen[entry.id] = entry.verdict
            stack.extend(entry.uses)
    return min(seen.items(), key=lambda item: item[1].strength)
