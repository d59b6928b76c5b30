"""The spine: what a statement is, where all of them are, how one is checked. It knows no matrices.

Names are imported when they are first used, so that a list of labels needs no arithmetic.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpspectra.ledger.certificate import check, inequality
    from dpspectra.ledger.entry import Slack, Statement, Verdict, statement
    from dpspectra.ledger.exact_types import Column, Matrix, Real, Reals
    from dpspectra.ledger.judgement import judge
    from dpspectra.ledger.outcomes import AtMost, Equal, Frequency, Outcome, Parts, all_parts
    from dpspectra.ledger.papers import Label, labels, select
    from dpspectra.ledger.registry import all_statements, get
    from dpspectra.ledger.report import Report
    from dpspectra.ledger.runner import examine, verify
    from dpspectra.relations import Relation

__all__ = [
    "AtMost",
    "Column",
    "Equal",
    "Frequency",
    "Label",
    "Matrix",
    "Outcome",
    "Parts",
    "Real",
    "Reals",
    "Relation",
    "Report",
    "Slack",
    "Statement",
    "Verdict",
    "all_parts",
    "all_statements",
    "check",
    "examine",
    "get",
    "inequality",
    "judge",
    "labels",
    "select",
    "statement",
    "verify",
]

if not TYPE_CHECKING:  # type checkers see the names above and no others
    _HOME = {
        "certificate": ("check", "inequality"),
        "entry": ("Relation", "Slack", "Statement", "Verdict", "statement"),
        "exact_types": ("Column", "Matrix", "Real", "Reals"),
        "judgement": ("judge",),
        "outcomes": ("AtMost", "Equal", "Frequency", "Outcome", "Parts", "all_parts"),
        "papers": ("Label", "labels", "select"),
        "registry": ("all_statements", "get"),
        "report": ("Report",),
        "runner": ("examine", "verify"),
    }

    def __getattr__(name: str) -> Any:
        for module, names in _HOME.items():
            if name in names:
                return getattr(importlib.import_module(f"dpspectra.ledger.{module}"), name)
        raise AttributeError(f"module 'dpspectra.ledger' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
