"""The spine: what a statement is, where all of them are, how one is checked. It knows no matrices."""

from dpspectra.ledger.certificate import check, inequality
from dpspectra.ledger.entry import OPEN, Reading, Slack, Statement, Verdict
from dpspectra.ledger.judge import judge
from dpspectra.ledger.outcomes import AtMost, Equal, Frequency
from dpspectra.ledger.papers import Label, labels, select
from dpspectra.ledger.registry import all_statements, get
from dpspectra.ledger.runner import Report, examine, verify

__all__ = [
    "OPEN",
    "AtMost",
    "Equal",
    "Frequency",
    "Label",
    "Reading",
    "Report",
    "Slack",
    "Statement",
    "Verdict",
    "all_statements",
    "check",
    "examine",
    "get",
    "inequality",
    "judge",
    "labels",
    "select",
    "verify",
]
