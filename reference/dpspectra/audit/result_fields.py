"""Fields of an audit's result as a record has them, each with its type."""

import math

from dpspectra.audit.betting import power_by_event_class
from dpspectra.audit.betting.events import event_from
from dpspectra.audit.betting.wealth import evidence_from
from dpspectra.audit.claim_arguments import claim_from
from dpspectra.audit.reading.share_read import sight_from
from dpspectra.ground import checks, records

COUNT = records.whole(0, checks.LARGEST_INTEGER)
RESULT: dict[str, records.Kind] = {
    **dict.fromkeys(("draws", "failures", "lost", "runs"), COUNT),
    **dict.fromkeys(("bound", "log_e_value"), records.extended),
    "confidence": records.number(0, math.nextafter(1, 0), above=0),
    "seed": records.whole(0, 2**256),
    "seconds": records.number(0),
    "required_power": records.optional(records.number(0)),
    "accepted_unread": records.number(0, 1),
    **dict.fromkeys(("violated", "seeded", "floating_point"), records.flag),
    **dict.fromkeys(("witness", "rows"), records.text),
    "claim": claim_from,
    "event": records.optional(event_from),
    "counts": records.optional(records.tupled(COUNT, COUNT, COUNT)),
    "stopped": records.among("refuted", "draws", "time", "failed", "interrupted", "running"),
    "history": records.listed(records.tupled(COUNT, records.extended)),
    "evidence": evidence_from,
    "certificate": records.optional(records.named(records.kept)),
    "required_class": records.among(*power_by_event_class.CLASSES),
    "sight": sight_from,
}
"""Fields of a result in a record."""
LATER: dict[str, records.Kind] = {"first_calls": records.number(0)}
"""Fields that records of earlier versions lack."""
