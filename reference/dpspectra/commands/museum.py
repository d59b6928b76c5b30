"""The command ``museum``: faults that were public, each beside its sound twin, judged from inside and by draws."""

import json
from typing import Any

from dpspectra.audit import audit, inside
from dpspectra.audit.subjects.museum import DRAWS, Case, cases
from dpspectra.commands.trial_options import MuseumRequest
from dpspectra.report import command_output


def run(request: MuseumRequest) -> int:
    """Run ``dpspectra museum``; 1 if a verdict differs from what the case expects.

    Raises ``ValueError`` for a name that no case has.
    """
    known = cases()
    missing = [name for name in request.names if name not in known]
    if missing:
        raise ValueError(f"a case must be one of those that dpspectra museum --list names, got {missing[0]!r}")
    chosen = [known[name] for name in request.names or known]
    if request.list:
        listed = [(name, case.thread, case.about) for name, case in zip(request.names or known, chosen, strict=True)]
        command_output.say(request.json, "\n".join(f"{name:<36}{thread:<28}{about}" for name, thread, about in listed))
        keys = ("case", "thread", "about")
        command_output.put(
            request.json, lambda: json.dumps([dict(zip(keys, row, strict=True)) for row in listed], indent=2)
        )
        return 0
    rows = [_row(name, case, request) for name, case in zip(request.names or known, chosen, strict=True)]
    command_output.put(request.json, lambda: json.dumps(rows, indent=2))
    return int(not all(row["as expected"] for row in rows))


def _row(name: str, case: Case, request: MuseumRequest) -> dict[str, Any]:
    """Judge a case and its twin, and print the verdicts."""
    wrong, right = (inside(f, case.pair, case.claim) for f in (case.wrong, case.right))
    named = case.place is None or case.place in str(wrong)
    row: dict[str, Any] = {
        "case": name,
        "thread": case.thread,
        "claim": str(case.claim),
        "inside": wrong.verdict,
        "how": wrong.how,
        "line": case.place,
        "runs": wrong.runs,
        "twin": right.verdict,
        "as expected": (wrong.verdict, right.verdict) == case.expected and named,
    }
    if request.outside:
        drawn = audit(case.wrong, case.pair, case.claim, draws=DRAWS, rng=0)
        row["outside"], row["draws"] = drawn.verdict, drawn.draws
        row["as expected"] &= drawn.verdict == case.outside
    shown = f", by draws: {row['outside']} in {row['draws']}" if request.outside else ""
    mark = "" if row["as expected"] else "  (not as expected)"
    command_output.say(
        request.json, f"{name:<36}{wrong.verdict} in {wrong.runs} runs, twin {right.verdict}{shown}{mark}"
    )
    return row
