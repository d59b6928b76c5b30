"""Findings of a run of an entry, part by part, and the report on the entry."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from dpspectra.ledger.judgement import Seen, largest


@dataclass(slots=True)
class Part:
    """Findings of a run about one part of a statement."""

    name: str
    evaluated: int = 0
    """Cases in which its premise held."""
    vacuous: int = 0
    """Cases in which it did not."""
    undecided: int = 0
    """Cases in which only rounding separates an arithmetic from a contradiction."""
    closest: float | None = None
    """Largest ratio of left to right side seen; ``None`` for an equation."""
    itself: int = 0
    """Cases in which both sides are the very same number."""
    slack: dict[str, Any] | None = None
    """The declared ratio and the reason why it is not 1; ``None`` for a part that reaches equality."""

    def add(self, seen: Seen) -> None:
        """Count one case."""
        self.evaluated += 1
        self.undecided += seen.undecided
        self.itself += seen.itself
        self.closest = largest((self.closest, seen.closest))


@dataclass(slots=True)
class Report:
    """Hold the findings of a run of one entry, under one of its labels.

    ``label``, ``verdict``, ``module`` and ``note`` are those of the entry. ``cases`` were drawn. In ``vacuous`` ones no
    premise held, and in ``undecided`` ones only rounding separates an arithmetic from a contradiction. ``faults`` lists
    the faults found, and ``seconds`` is the time taken.
    """

    label: str
    verdict: str
    ok: bool | None
    """``None`` for a label whose entry is missing."""
    cases: int = 0
    vacuous: int = 0
    undecided: int = 0
    closest: float | None = None
    """Largest ratio of left to right side seen; 1 is equality."""
    seconds: float = 0.0
    module: str = ""
    note: str = ""
    certificate: str = ""
    """``accepted``, ``rejected``, or empty where none is demanded."""
    coq: list[str] = field(default_factory=list)
    """Checks by the kernel of Coq of the entry as it is now (`dpspectra.ledger.coq_stamps.in_words`)."""
    parts: list[Part] = field(default_factory=list)
    """Findings of the run for each part, in the order in which they were first seen."""
    faults: list[str] = field(default_factory=list)

    def asdict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data.

        Returns
        -------
        dict
            Each field by its name.

        """
        return asdict(self)
