"""One entry in full, with its evidence in numbers: what a page or a terminal says of a statement comes from here."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import baseline, coq_stamps, notes, symbols, words
from dpspectra.ledger import certificate as certificates
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.judgement import outcomes
from dpspectra.ledger.outcomes import Frequency, Outcome
from dpspectra.ledger.papers import PAPERS, citation, labels, resolve
from dpspectra.ledger.registry import get, supports
from dpspectra.ledger.unwritten import unwritten

DIGITS = 15
NEAR = 0.01
"""Sides that are closer, as a share of the larger one, are called tight."""
LARGEST_ARRAY = 256
"""Numbers of an array that are shown one by one; of a larger one the shape is told."""


class Description(Mapping[str, Any]):
    """Facts about a label by name; some are computed when they are first asked for."""

    def __init__(self, told: dict[str, Any], computed: dict[str, Callable[[], Any]]) -> None:
        self._told, self._computed = told, computed

    def __getitem__(self, name: str) -> Any:
        if name not in self._told:
            self._told[name] = self._computed[name]()
        return self._told[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._told, **self._computed})

    def __len__(self) -> int:
        return len({**self._told, **self._computed})


def describe(label: str) -> dict[str, Any]:
    """Everything known about a label, evaluated now, as JSON-ready data; see `described`."""
    return dict(described(label))


def described(label: str) -> Description:
    """Everything known about a label, with its evidence evaluated only when it is looked at.

    ``label`` may be written as `dpspectra.ledger.papers.resolve` takes it. Texts of the notes are Markdown,
    ``claim`` is LaTeX, sides of outcomes are strings. A label of the list whose entry is not built has ``built``
    false. Raises ``ValueError`` for a label that is not in the list.
    """
    listed = resolve(label)
    entry = _entry(listed.label)
    wording = entry.wording(listed.label) if entry else ""
    at_hand = entry is None or entry.at_hand(listed.label)
    out: dict[str, Any] = {
        "label": listed.label,
        "title": words.title(listed.number, listed.name),
        "paper": citation(listed.paper),
        "reference": PAPERS[listed.paper],
        "printed_as": listed.number,
        "name": listed.name,
        "chapter": listed.chapter,
        "wording": wording,
        "at_hand": at_hand,
        "built": entry is not None,
    }
    if entry is None:
        return Description(out, {})
    return Description(out | _told(entry, at_hand), _computed(entry))


def _entry(label: str) -> Statement | None:
    try:
        return get(label)
    except KeyError:
        return None


def _told(entry: Statement, at_hand: bool) -> dict[str, Any]:
    if unwritten(entry):
        raise ValueError(
            f"{entry.id} must be written before it can be shown: `dpspectra verify {entry.id}` says what is missing"
        )
    listed = {label.label: label.verdict for label in labels()}
    below = supports()
    weak = min(_cone(entry.id, below), key=lambda label: listed[label].strength)
    note = notes.section(entry.note)
    text = inspect.getdoc(importlib.import_module(entry.module)) or ""
    return {
        "labels": list(entry.labels),
        "verdict": entry.verdict.value,
        "meaning": words.meaning(entry.verdict, at_hand),
        "summary": text.split("\n\n")[0],
        "printed": words.told(note, words.PRINTED),
        "ours": words.told(note, words.OURS),
        "difference": words.told(note, words.DIFFERENCE),
        "sections": [{"lead": part.lead, "text": part.text} for part in note],
        "claim": entry.formula,
        "given": entry.given,
        "formulas": dict(entry.formulas),
        "symbols": [{"sign": sign, "meaning": meaning} for sign, meaning in symbols.explained(entry)],
        "text": text,
        "module": entry.module,
        "note": entry.note,
        "note_file": f"{notes.where()}/{entry.note}",
        "digits": entry.digits,
        "relation": list(entry.relation),
        "faces": list(entry.faces),
        "instead": {other: listed[other].value for other in entry.instead},
        "uses": {other: listed[other].value for other in entry.uses},
        "used_by": {other: listed[other].value for other, uses in below.items() if entry.id in uses},
        "weakest_below": {"label": weak, "verdict": listed[weak].value},
        "coq": coq_stamps.checked(entry),
        "slack": {part: {"ratio": slack.ratio, "reason": slack.reason} for part, slack in entry.slack.items()},
        "unnoticed": {part: dict(row.insensitive) for part, row in baseline.of(entry.id).rows.items()},
        "without_beyond": entry.without_beyond,
        "checked": words.checked(entry, len(_cases(entry))),
    }


def _computed(entry: Statement) -> dict[str, Callable[[], Any]]:
    """Return the slow parts, uncomputed: the faces at their instances."""
    tight = functools.cache(functools.partial(_tight, entry))
    return {
        "counterexample": functools.partial(_counterexample, entry),
        "certificate": functools.partial(_certificate, entry),
        "tight": tight,
        "parts": lambda: _parts(tight()),
        "beyond": functools.partial(_beyond, entry),
    }


def _cone(label: str, below: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the entry and all that it rests on, itself first."""
    seen = [label]
    for one in seen:
        seen += [other for other in below[one] if other not in seen]
    return seen


def _named(entry: Statement, face: str, instance: Any) -> dict[str, str]:
    """Return the values of an instance by the names that the face gives them."""
    return {name: _text(value) for name, value in entry.named(face, instance).items()}


def _counterexample(entry: Statement) -> dict[str, Any] | None:
    if "counterexample" not in entry.faces:
        return None
    instance = entry.faces["counterexample"]()
    with mp.workdps(entry.digits):
        return {
            "instance": [_text(part) for part in instance],
            "parameters": _named(entry, "as_printed", instance),
            **_sides(entry.faces["as_printed"](*instance)),
            "hypotheses": {name: _sides(outcome) for name, outcome in _hypotheses(entry, instance).items()},
        }


def _hypotheses(entry: Statement, instance: Any) -> dict[str, Outcome]:
    """Return the printed hypotheses at the counterexample; none are stated where a step of a proof fails."""
    face = entry.faces.get("hypotheses")
    return face(*instance) if face else {}


def _certificate(entry: Statement) -> dict[str, Any] | None:
    if "certificate" not in entry.faces:
        return None
    data = entry.faces["certificate"]()
    checked = certificates.check(data)
    bounds = {"left_at_least": checked.greater.low, "right_at_most": checked.lesser.high}
    return {
        "accepted": checked.accepted,
        **{name: _decimal(end) for name, end in bounds.items()},
        "inequality": f"{words.formula(data['greater'])} > {words.formula(data['lesser'])}",
        "left": words.ends(checked.greater, DIGITS),
        "right": words.ends(checked.lesser, DIGITS),
        "data": data,
    }


def _cases(entry: Statement) -> list[tuple[Any, ...]]:
    """Return the tight instances."""
    return list(entry.faces["tight"]()) if "tight" in entry.faces else []


def _tight(entry: Statement) -> list[dict[str, Any]]:
    shown = []
    with mp.workdps(entry.digits):
        for case in _cases(entry):
            faces = {face: [_sides(o) for o in outcomes(entry, face, case)] for face in ("fast", "oracle")}
            named = _named(entry, "oracle", case)
            shown.append({"instance": [_text(part) for part in case], "parameters": named, **faces})
    return shown


def _parts(tight: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each part at the instance that brings its sides closest together, in both arithmetics.

    One with two sides of 0 shows nothing, and comes last. ``instance`` counts from 1; ``tight`` tells whether the sides
    come within `NEAR` there.
    """
    found: dict[str, list[tuple[float, dict[str, Any]]]] = {}
    for number, case in enumerate(tight, 1):
        for fast, oracle in zip(case["fast"], case["oracle"], strict=True):
            at = {"instance": number, "parameters": case["parameters"], "fast": fast, "oracle": oracle}
            found.setdefault(oracle["part"], []).append((_gap(oracle), at))
    closest = {part: min(rows, key=lambda row: (_is_nothing(row[1]["oracle"]), row[0])) for part, rows in found.items()}
    return [{"part": part, "tight": gap < NEAR, **at} for part, (gap, at) in closest.items()]


def _gap(found: dict[str, str]) -> float:
    """Return how far the sides of an outcome are apart, as a share of the larger one."""
    left, right = mp.mpf(found["left"]), mp.mpf(found["right"])
    return float(abs(right - left) / max(abs(left), abs(right))) if left != right else 0.0


def _is_nothing(found: dict[str, str]) -> bool:
    return bool(mp.mpf(found["left"]) == mp.mpf(found["right"]) == 0)


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
    """Return a short exact or 15-digit rendering; fields of a record have their names."""
    if isinstance(value, (mp.mpf, mp.mpc)):
        return str(mp.nstr(value, DIGITS))
    if isinstance(value, np.ndarray) and value.size > LARGEST_ARRAY:
        first = ", ".join(_text(x) for x in value.flat[:3])
        return f"{' by '.join(map(str, value.shape))} numbers, the first of them {first}"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if hasattr(value, "_fields"):
        return f"({', '.join(f'{name}={_text(part)}' for name, part in value._asdict().items())})"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, float):
        return str(mp.nstr(mp.mpf(value), DIGITS))
    if isinstance(value, Fraction) and len(str(value)) > 2 * DIGITS:
        return _decimal(value)
    return str(value)


def _decimal(value: Fraction) -> str:
    with mp.workdps(30):
        return str(mp.nstr(mp.mpf(value.numerator) / value.denominator, DIGITS))
