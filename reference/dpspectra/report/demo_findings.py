"""Results of the demonstration, as data for the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from dpspectra.audit import AuditResult
from dpspectra.mechanisms import Claim


@dataclass(frozen=True, slots=True)
class Measured:
    """One release: its claim, its error, and what was said of the error beforehand."""

    claim: Claim
    guaranteed: float
    """With probability 0.95."""
    true: float
    impossible: float | None = None
    """Error that each private mechanism of ``X'X`` exceeds half of the time on some data alike, where proved."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """Several releases by one mechanism at one epsilon: what was claimed, guaranteed and achieved."""

    mechanism: str
    error_of: str
    epsilon: float
    delta: float
    relation: str
    labels: tuple[str, ...]
    """Statements that the claim rests on."""
    guaranteed: float
    """The median, where it differs between releases."""
    true: float
    """The median error."""
    errors: tuple[float, ...]
    """Ascending."""
    exceeded: int
    """Number of releases whose error is larger than guaranteed."""
    zero: float
    """Error of releasing zero, which needs no data."""
    impossible: float | None = None
    """As in `Measured`; the median."""

    @classmethod
    def of(cls, mechanism: str, error_of: str, draws: Sequence[Measured], zero: float) -> TableRow:
        """Sum up releases with the same claim."""
        claim = draws[0].claim
        limits = [draw.impossible for draw in draws if draw.impossible is not None]
        return cls(
            mechanism,
            error_of,
            claim.epsilon,
            claim.delta,
            str(claim.relation),
            claim.labels,
            median(draw.guaranteed for draw in draws),
            median(draw.true for draw in draws),
            tuple(sorted(draw.true for draw in draws)),
            sum(draw.true > draw.guaranteed for draw in draws),
            zero,
            median(limits) if limits else None,
        )


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
