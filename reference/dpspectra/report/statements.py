"""The commands ``verify``, ``show`` and ``paper``: the ledger on a terminal."""

from __future__ import annotations

import json
from dataclasses import dataclass

from dpspectra.ledger import papers
from dpspectra.progress import progress


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest:
    """What ``dpspectra verify`` was asked for."""

    names: tuple[str, ...]
    """Labels and chapters; everything if there are none."""
    paper: str | None
    challenge: bool
    """Whether bounds are also tightened at their tight instances."""
    examples: int | None
    """Cases tried for each entry; each entry's own number if ``None``."""
    jobs: int
    """Processes."""
    seed: int | None
    """Seed of the cases that are drawn; always the same cases if ``None``."""
    json: bool


def verify(request: VerifyRequest) -> int:
    """Recompute verdicts and print them; 1 if one is broken. Raises ``ValueError`` for names that are unknown."""
    from dpspectra.ledger import runner, views

    wanted = papers.select(list(request.names), request.paper)
    if not wanted:
        raise ValueError("nothing to verify: no label is in the named chapter and the named paper")
    with progress(total=len(wanted), description="verify") as bar:

        def announce(report: runner.Report) -> None:
            bar.advance(report.label)
            if not request.json:
                bar.write(views.table_row(report))
                for fault in report.faults:
                    bar.write(f"    {fault}")

        if not request.json:
            print(views.HEADER)
        reports = runner.verify(wanted, request.examples, request.challenge, announce, request.jobs, request.seed)
    print(views.to_json(reports) if request.json else views.summary(reports))
    return int(any(report.ok is False for report in reports))


def show(label: str, as_json: bool) -> int:
    """Print one statement with its evidence. Raises ``ValueError`` for a label that is not in the list."""
    from dpspectra.ledger.show import describe, render

    data = describe(label)
    print(json.dumps(data, indent=1) if as_json else render(data))
    return 0


def paper(key: str, as_json: bool) -> int:
    """Print a paper's statements in printed order, built or missing."""
    from dpspectra.ledger.views import paper_rows

    rows = paper_rows(key)
    if as_json:
        listed = [
            {
                "label": label.label,
                "number": label.number,
                "kind": label.kind,
                "name": label.name,
                "chapter": label.chapter,
                "verdict": entry.verdict.value if entry else "missing",
                "module": entry.module if entry else "",
            }
            for label, entry in rows
        ]
        print(json.dumps(listed, indent=1))
        return 0
    print(papers.citation(key))
    for label, entry in rows:
        verdict = entry.verdict.value if entry else "missing"
        print(f"{label.label:<16}{verdict:<12}{(label.number or '(ours)')[:22]:<24}{label.name[:50]}")
    print(f"{sum(entry is not None for _, entry in rows)} of {len(rows)} built")
    return 0
