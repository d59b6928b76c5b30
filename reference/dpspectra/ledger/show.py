"""One entry in full, with its evidence in numbers."""

from __future__ import annotations

import importlib
import inspect
from fractions import Fraction
from typing import Any

from mpmath import mp

from dpspectra.ledger import certificate as certificates
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.judgement import outcomes
from dpspectra.ledger.outcomes import Frequency, Outcome
from dpspectra.ledger.papers import citation, labels
from dpspectra.ledger.registry import get
from dpspectra.ledger.runner import weakest

DIGITS = 15


def describe(label: str) -> dict[str, Any]:
    """Everything known about a label, evaluated now, as JSON-ready data.

    A label of the list whose entry is not built comes back with ``built`` false. Raises ``ValueError`` for a label that
    is not in the list.
    """
    listed = next((entry for entry in labels() if entry.label == label), None)
    if listed is None:
        raise ValueError(f"expected a label of the ledger such as MWKTV-L6.1, got {label!r}")
    entry = _entry(label)
    out: dict[str, Any] = {
        "label": label,
        "paper": citation(listed.paper),
        "printed_as": listed.number,
        "name": listed.name,
        "chapter": listed.chapter,
        "built": entry is not None,
    }
    return out if entry is None else out | _evidence(entry)


def _entry(label: str) -> Statement | None:
    try:
        return get(label)
    except KeyError:
        return None


def _evidence(entry: Statement) -> dict[str, Any]:
    weak_label, weak_verdict = weakest(entry.id)
    return {
        "labels": list(entry.labels),
        "verdict": entry.verdict.value,
        "reading": entry.reading.value,
        "claim": entry.claim,
        "text": inspect.getdoc(importlib.import_module(entry.module)),
        "module": entry.module,
        "note": entry.note,
        "relation": list(entry.relation),
        "faces": list(entry.faces),
        "uses": {other: get(other).verdict.value for other in entry.uses},
        "weakest_below": {"label": weak_label, "verdict": weak_verdict.value},
        "counterexample": _counterexample(entry),
        "certificate": _certificate(entry),
        "tight": _tight(entry),
        "slack": {part: {"ratio": slack.ratio, "reason": slack.reason} for part, slack in entry.slack.items()},
        "beyond": _beyond(entry),
        "without_beyond": entry.without_beyond,
    }


def _counterexample(entry: Statement) -> dict[str, Any] | None:
    if "counterexample" not in entry.faces:
        return None
    instance = entry.faces["counterexample"]()
    with mp.workdps(entry.digits):
        return {"instance": [_text(part) for part in instance], **_sides(entry.faces["as_printed"](*instance))}


def _certificate(entry: Statement) -> dict[str, Any] | None:
    if "certificate" not in entry.faces:
        return None
    data = entry.faces["certificate"]()
    checked = certificates.check(data)
    ends = {"left_at_least": checked.greater.low, "right_at_most": checked.lesser.high}
    return {"accepted": checked.accepted, **{name: _decimal(end) for name, end in ends.items()}, "data": data}


def _tight(entry: Statement) -> list[dict[str, Any]]:
    shown = []
    with mp.workdps(entry.digits):
        for case in entry.faces["tight"]() if "tight" in entry.faces else ():
            faces = {face: [_sides(o) for o in outcomes(entry, face, case)] for face in ("fast", "oracle")}
            shown.append({"instance": [_text(part) for part in case], **faces})
    return shown


def _beyond(entry: Statement) -> dict[str, dict[str, str]]:
    if "beyond" not in entry.faces:
        return {}
    with mp.workdps(entry.digits):
        return {hypothesis: _sides(outcome) for hypothesis, outcome in entry.faces["beyond"]().items()}


def _sides(outcome: Outcome) -> dict[str, str]:
    if isinstance(outcome, Frequency):
        sides = {"kind": "Frequency", "left": f"{outcome.count} of {outcome.trials}", "right": _text(outcome.bound)}
    else:
        sides = {"kind": type(outcome).__name__, "left": _text(outcome.left), "right": _text(outcome.right)}
    return {"part": outcome.part, **sides}


def _text(value: Any) -> str:
    """A short exact or 15-digit rendering."""
    if isinstance(value, (mp.mpf, mp.mpc)):
        return str(mp.nstr(value, DIGITS))
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, float):
        return str(mp.nstr(mp.mpf(value), DIGITS))
    return str(value)


def _decimal(value: Fraction) -> str:
    with mp.workdps(30):
        return str(mp.nstr(mp.mpf(value.numerator) / value.denominator, DIGITS))


def render(data: dict[str, Any]) -> str:
    """The description as text for a terminal."""
    printed = f", printed as {data['printed_as']}" if data["printed_as"] else " (ours)"
    lines = [f"{data['label']}{printed}: {data['name']}", data["paper"], ""]
    if not data["built"]:
        return "\n".join([*lines, f"missing: chapter {data['chapter']} is not built that far"])
    below = data["weakest_below"]
    lines += [
        f"verdict    {data['verdict']}, {data['reading']}"
        + (f"   (with {', '.join(data['labels'])})" if len(data["labels"]) > 1 else ""),
        f"claim      {data['claim']}",
        *([f"relation   {', '.join(data['relation'])}"] if data["relation"] else []),
        f"code       {data['module']}",
        f"note       proofs_notes/{data['note']}",
        f"faces      {', '.join(data['faces'])}",
        "rests on   " + (", ".join(f"{k} ({v})" for k, v in data["uses"].items()) or "nothing else in the ledger"),
        f"weakest    {below['label']} ({below['verdict']})",
        "",
        data["text"],
    ]
    if broken := data["counterexample"]:
        lines += ["", "As printed it fails at", *_indented(broken["instance"])]
        lines += [f"  where it says {broken['left']} {_relation(broken)} {broken['right']}"]
    if proof := data["certificate"]:
        word = "accepted" if proof["accepted"] else "REJECTED"
        lines += ["", f"Certificate {word}: left >= {proof['left_at_least']}, right <= {proof['right_at_most']}"]
        lines += [f"  {proof['data']['reason']}"]
    for case in data["tight"]:
        lines += ["", "Tight at", *_indented(case["instance"])]
        for face in ("fast", "oracle"):
            lines += [f"  {face:<7}{o['left']} {_relation(o)} {o['right']}   {o['part']}" for o in case[face]]
    for part, slack in data["slack"].items():
        lines += ["", f"Slack: {part} comes to {slack['ratio']:g} of its right side", f"  {slack['reason']}"]
    for hypothesis, o in data["beyond"].items():
        lines += ["", f"Without the hypothesis '{hypothesis}' it fails:"]
        lines += [f"  {o['left']} {_relation(o)} {o['right']}   {o['part']}"]
    if data["without_beyond"]:
        lines += ["", "No instance beyond a hypothesis", f"  {data['without_beyond']}"]
    return "\n".join(lines)


def _indented(parts: list[str]) -> list[str]:
    return [f"    {part}" for part in parts]


def _relation(outcome: dict[str, str]) -> str:
    return {"AtMost": "<=", "Equal": "=", "Frequency": "at a rate <="}[outcome["kind"]]
