"""What the demonstration found, as data for the terminal and the page."""

from __future__ import annotations

from dataclasses import dataclass

from dpspectra.audit import AuditResult


@dataclass(frozen=True, slots=True)
class Row:
    """One release: what was claimed, guaranteed and achieved."""

    mechanism: str
    epsilon: float
    delta: float
    relation: str
    error_of: str
    guaranteed: float | None
    """With probability 0.95, where a bound is proved."""
    true: float
    impossible: float | None = None
    """Error that each private mechanism of ``X'X`` exceeds half of the time on some data alike, where proved."""


@dataclass(frozen=True, slots=True)
class Audit:
    """One audited mechanism and whether the auditor said what it should."""

    name: str
    sound: bool
    result: AuditResult

    @property
    def as_it_should(self) -> bool:
        """A broken mechanism is refuted, a sound one is not."""
        return self.result.violated is not self.sound
