"""The record of an audit: the result, what it is about and what was asked for, and the two data sets if they are small.

`contradictions` computes again whatever in a record follows from the rest of it.

Do not change lightly: what was written in a format is read for ever.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpspectra.audit import AuditResult
from dpspectra.audit.betting.events import SIDES
from dpspectra.audit.recheck import faults
from dpspectra.audit.result import DERIVED, JUDGED, POWER
from dpspectra.commands.inputs import Pair
from dpspectra.commands.subject import fingerprint
from dpspectra.ground import arrays, records
from dpspectra.ground.checks import shown

FORMAT = 1
"""Number of the form in which records are written; those without one are from before forms had numbers."""
SMALL = 2**16
"""Characters of JSON up to which data sets are held; of larger ones the record has the digests only."""
CLOSE = dict.fromkeys(DERIVED, 1e-09) | dict.fromkeys(POWER, 0.05)
"""Relative differences up to which numbers agree: power is simulated, and versions of numpy may draw otherwise."""


def record(
    subject: Mapping[str, Any],
    asked: Mapping[str, Any],
    result: AuditResult,
    data: Mapping[str, Any] | None = None,
    beside: Mapping[str, Any] | None = None,
) -> str:
    """JSON of a result, of what it is about, asked for and known ``beside`` it; `AuditResult.from_json` reads it."""
    about = {"format": FORMAT, "subject": subject, "asked": asked} | ({} if data is None else {"data": data})
    about |= beside or {}
    return json.dumps(about | json.loads(result.to_json()), indent=1, default=str) + "\n"


def recorded(pair: Pair, made: str) -> dict[str, Any]:
    """How two data sets were made, and themselves if they are small and JSON holds them exactly."""
    both = [_saved(data) for data in pair]
    if None in both or sum(len(json.dumps(each)) for each in both) > SMALL:
        return {"made": made}
    return {"made": made} | dict(zip(SIDES, both, strict=True))


def restored(saved: Mapping[str, Any]) -> Any:
    """Return the data set that `recorded` held."""
    return saved["json"] if "json" in saved else arrays.read(saved)


def contradictions(text: str) -> list[str]:
    """List what in a record does not follow from its counts, its certificate and its data sets; empty if all does.

    Only what a record holds is checked: power is left out while an audit runs, and large data sets always. Raises
    ``ValueError`` if it is no record.
    """
    result, saved = AuditResult.from_json(text), records.parsed(text)
    if (found := saved.get("format", FORMAT)) != FORMAT:
        raise ValueError(f"a record must be of format {FORMAT}, got {shown(found)}: a newer version may read it")
    records.read(text, _about, "a record must say what was audited, and hold numbers and words that follow, got others")
    found = [*faults(result), *_derived(saved, result), *_asked(saved, result), *_data(saved)]
    return found or list(_powers(saved, result))  # which takes a second each


def _about(saved: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` unless the fields beside the result have their types; a result alone has none."""
    for name, kind in BESIDES.items():
        if name in saved:
            kind(saved[name])
    if any(side in saved.get("data", {}) for side in SIDES) and "pair" not in saved.get("subject", {}):
        raise records.Misfit("data sets must come with their digests, got none")


def _subject(value: Any) -> None:
    records.named(records.kept)(value)
    if "pair" in value:
        records.listed(records.hexadecimal(64), 2)(value["pair"])


def _asked_fields(value: Any) -> None:
    fields = records.named(records.kept)(value)
    for name in ("confidence", "accept_unread"):
        if fields.get(name) is not None:
            records.number(0, 1)(fields[name])


BESIDES: dict[str, records.Kind] = {
    "format": records.among(FORMAT),
    "subject": _subject,
    "asked": _asked_fields,
    "powers": records.named(records.extended),
    "data": records.record({"made": records.text}, dict.fromkeys(SIDES, records.named(records.kept))),
    **dict.fromkeys((*DERIVED, *POWER), records.extended),
    **dict.fromkeys(JUDGED, records.text),
}
"""Fields of a record that a result does not have."""


def _saved(data: Any) -> dict[str, Any] | None:
    if isinstance(data, np.ndarray) and (data.size > SMALL or data.dtype.str not in arrays.DTYPES):
        return None
    saved = arrays.plain(data) if isinstance(data, np.ndarray) else {"json": data}
    try:
        json.dumps(saved, allow_nan=False)
    except (TypeError, ValueError):
        return None
    return saved


def _derived(saved: Mapping[str, Any], result: AuditResult) -> Iterator[str]:
    for name, close in CLOSE.items():
        if name not in saved:
            continue
        found, due = float(saved[name]), getattr(result, name)
        if not (math.isclose(found, due, rel_tol=close) or (math.isnan(found) and math.isnan(due))):
            yield f"{name} is {found:.9g}, the rest of the record gives {due:.9g}"
    for name in JUDGED:
        if name in saved and saved[name] != getattr(result, name):
            yield f"{name} is {saved[name]!r}, the rest of the record gives {getattr(result, name)!r}"


def _powers(saved: Mapping[str, Any], result: AuditResult) -> Iterator[str]:
    for kind, found in saved.get("powers", {}).items():
        due = result.power_of(kind)
        if not math.isclose(float(found), due, rel_tol=CLOSE["power"]):
            yield f"the power by {kind} is {found}, the rest of the record gives {due:.9g}"


def _asked(saved: Mapping[str, Any], result: AuditResult) -> Iterator[str]:
    """Yield options that the result does not have."""
    asked = saved.get("asked", {})
    due = {"confidence": result.confidence, "accept_unread": result.accepted_unread}
    for name, found in due.items():
        if asked.get(name) is not None and not math.isclose(asked[name], found, abs_tol=1e-12):
            yield f"{name} was asked to be {asked[name]!r}, the result has {found!r}"


def _data(saved: Mapping[str, Any]) -> Iterator[str]:
    held = saved.get("data", {})
    digests = saved["subject"]["pair"] if any(side in held for side in SIDES) else ()
    for side, digest in zip(SIDES, digests, strict=False):
        try:
            found = fingerprint(restored(held[side]))
        except (LookupError, TypeError, ValueError, ArithmeticError) as problem:
            yield f"the {side} data set cannot be read: {type(problem).__name__}"
            continue
        if found != digest:
            yield f"the {side} data set has the digest {found[:12]}, the audit was of {str(digest)[:12]}"
