"""The part of a statement's page that shows evidence: the last run, counterexample, certificate, tight instances."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from atlas.expressions import infix
from atlas.markup import code, display, escape, fence, fold, plain, short, table
from dpspectra.ledger.words import up_to_rounding

RELATIONS = {"AtMost": "≤", "Equal": "=", "Frequency": "at a rate ≤"}
LONG = 2000
"""Characters of an instance that are shown in full; a matrix of a thousand rows is cut."""


def evidence(entry: Mapping[str, Any], report: Mapping[str, Any] | None, about: str) -> list[str]:
    """All parts of the section, those without content empty; ``about`` is what the note says of the check.

    The counterexample stands beside the statement.
    """
    return [
        run_line(report),
        parts(entry, report),
        "\n".join(f"* {plain(said)}" for said in entry["checked"]),
        about,
        certificate(entry["certificate"], entry["coq"]),
        theorems(entry["coq"]),
        tight(entry),
        beyond(entry),
        unnoticed(entry),
    ]


def run_line(report: Mapping[str, Any] | None) -> str:
    """Summarise the run in one sentence."""
    if report is None:
        return "The check was not run for this build."
    if not report["cases"]:
        return ""
    closest = "" if report["closest"] is None else f"; the closest case reached {report['closest']:.4g} of the bound"
    return (
        f"{report['cases']} cases in two arithmetics, {report['vacuous']} outside the premise, "
        f"{report['undecided']} too close to decide{closest}."
    )


def parts(entry: Mapping[str, Any], report: Mapping[str, Any] | None) -> str:
    """Return the parts of the statement one by one: cases, closest, and why a part is never at equality."""
    slack = entry["slack"]
    if report is None or not report["parts"]:
        rows = [(name or "the statement", "", f"{s['ratio']:.4g}", escape(s["reason"])) for name, s in slack.items()]
        return table(("part", "cases", "comes to", "why not to equality"), rows) if rows else ""
    rows = []
    for part in report["parts"]:
        closest = "an equation" if part["closest"] is None else f"{part['closest']:.4g}"
        why = escape(slack[part["name"]]["reason"]) if part["name"] in slack else ""
        rows.append((escape(part["name"] or "the statement"), str(part["evaluated"]), closest, why))
    if any(why for *_, why in rows):
        return table(("part", "cases", "closest", "why not to equality"), rows)
    return table(("part", "cases", "closest"), [row[:3] for row in rows])


def counterexample(entry: Mapping[str, Any]) -> str:
    """Return the instance at which the printed form fails, by name, and the two numbers."""
    found = entry["counterexample"]
    if not found:
        return ""
    rows = [(code(name), code(short(value))) for name, value in found["parameters"].items()]
    says = f"where it says {code(side(found))}, which is false."
    return "\n\n".join(["### Counterexample", "The printed form fails at", table(("name", "value"), rows), says])


def certificate(found: Mapping[str, Any] | None, coq: Mapping[str, Any]) -> str:
    """Return the inequality that is proved, both enclosures, whether a kernel checked it, and the data folded."""
    if not found:
        return ""
    data = found["data"]
    accepted = "Accepted by exact rational intervals" if found["accepted"] else "REJECTED"
    return "\n\n".join(
        [
            "### Certificate",
            f"{escape(data['reason'])}.",
            display(f"{infix(data['greater'])}\\;>\\;{infix(data['lesser'])}"),
            f"{accepted}: the left side is in {interval(found['left'])}, the right side in {interval(found['right'])}.",
            f"One inequality checked, by Coq {coq['coq']}." if coq["certificate"] else "",
            fold("The certificate as data", fence(json.dumps(data, indent=1), "json")),
        ]
    )


def theorems(coq: Mapping[str, Any]) -> str:
    """Return the theorems that Coq checked in the form named, and those that changed since."""
    lines = []
    for tie in coq["statements"]:
        done = "Refuted in the kernel" if tie["kind"] == "refutes" else "Proved"
        word = f"{done}, by Coq {coq['coq']}" if tie["checked"] else "Not checked as it is now"
        where = f"theorem {code(tie['theorem'])} in [{code('proofs_notes/' + tie['file'])}](../{tie['file']})"
        lines.append(f"* {word}, for {escape(', '.join(tie['labels']))} ({escape(tie['coverage'])}): {where}.")
    return "\n\n".join(["### Machine-checked", "\n".join(lines)]) if lines else ""


def interval(ends: Sequence[str]) -> str:
    """Return an enclosure."""
    return code(f"[{', '.join(ends)}]")


def tight(entry: Mapping[str, Any]) -> str:
    """Each part at the instance that brings its sides closest together; all instances in full are folded."""
    if not entry["parts"]:
        return ""
    rows = [
        (
            escape(row["part"] or "the statement"),
            str(row["instance"]),
            code(side(row["fast"])) + up_to_rounding(row["fast"]),
            code(side(row["oracle"])),
        )
        for row in entry["parts"]
    ]
    full = [
        f"{number}. {name} = {short(value, LONG)}"
        for number, case in enumerate(entry["tight"], 1)
        for name, value in case["parameters"].items()
    ]
    title = "Tight instances" if all(row["tight"] for row in entry["parts"]) else "Closest instances"
    head = ("part", "instance", "float64", f"{entry['digits']} digits")
    return "\n\n".join([f"### {title}", table(head, rows), fold("The instances in full", fence("\n".join(full)))])


def beyond(entry: Mapping[str, Any]) -> str:
    """Show an instance without each hypothesis, at which the conclusion fails, or say why there is none."""
    if entry["beyond"]:
        rows = [
            (escape(name), escape(found["part"] or "the statement"), f"{code(side(found))} is false")
            for name, found in entry["beyond"].items()
        ]
        return "\n\n".join(["### Without a hypothesis", table(("not assumed", "part", "what fails"), rows)])
    reason = entry["without_beyond"]
    return f"### Without a hypothesis\n\n{escape(reason)}" if reason else ""


def unnoticed(entry: Mapping[str, Any]) -> str:
    """Return the numbers on which a bound could depend in another way, and no chosen instance would notice."""
    rows = [
        (
            escape(part or "the statement"),
            escape(", ".join(n for n, why in numbers.items() if why == reason)),
            escape(reason),
        )
        for part, numbers in entry["unnoticed"].items()
        for reason in dict.fromkeys(numbers.values())
    ]
    head = ("part", "another dependence on", "why")
    return f"### What no instance would notice\n\n{table(head, rows)}" if rows else ""


def side(found: Mapping[str, str]) -> str:
    """Both sides of an outcome with its sign."""
    return f"{short(found['left'])} {RELATIONS[found['kind']]} {short(found['right'])}"
