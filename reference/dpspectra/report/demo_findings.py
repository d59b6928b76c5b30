"""Results of the demonstration, as data for the terminal and the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit import AuditResult
from dpspectra.audit.draws_for_picture import LabelSample, Sample
from dpspectra.ledger import Report
from dpspectra.mechanisms import Claim, Release


@dataclass(frozen=True, slots=True)
class Measured:
    """One release: its claim, its error, and the error foretold."""

    claim: Claim
    guaranteed: float | None
    """With probability 0.95; ``None`` where nothing is proved."""
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
    guaranteed: float | None
    """The median, where it differs between releases; ``None`` where nothing is proved."""
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
        promised = [draw.guaranteed for draw in draws if draw.guaranteed is not None]
        limits = [draw.impossible for draw in draws if draw.impossible is not None]
        return cls(
            mechanism,
            error_of,
            claim.epsilon,
            claim.delta,
            str(claim.relation),
            claim.labels,
            median(promised) if promised else None,
            median(draw.true for draw in draws),
            tuple(sorted(draw.true for draw in draws)),
            sum(draw.guaranteed is not None and draw.true > draw.guaranteed for draw in draws),
            zero,
            median(limits) if limits else None,
        )


@dataclass(frozen=True, slots=True)
class Audit:
    """One audited mechanism and whether the auditor said what it should."""

    name: str
    sound: bool
    result: AuditResult
    seen: Sample | LabelSample | None = None
    """Draws for a picture of the event."""

    @property
    def as_it_should(self) -> bool:
        """A broken mechanism is refuted, a sound one is not."""
        return self.result.violated is not self.sound


@dataclass(frozen=True, slots=True)
class Directions:
    """Released directions beside the best ones, which are not private."""

    release: Release[NDArray[np.float64]]
    best: NDArray[np.float64]
    """Orthonormal, ``(d, k)``."""
    gram: NDArray[np.float64]
    """Second moments of the rows."""
    rows: int

    @classmethod
    def of(cls, release: Release[NDArray[np.float64]], x: NDArray[Any]) -> Directions:
        """Compare a release with the rows ``(n, d)`` that it is of."""
        gram = x.T @ x / len(x)
        return cls(release, np.linalg.eigh(gram)[1][:, ::-1][:, : release.value.shape[1]], gram, len(x))

    @property
    def kept(self) -> float:
        """Share of the variance that as many directions can hold at most."""
        return self._held(self.release.value) / self._held(self.best)

    @property
    def by_chance(self) -> float:
        """Mean share of directions that are drawn at random."""
        d, k = self.best.shape
        return float(np.trace(self.gram)) * k / d / self._held(self.best)

    def _held(self, frame: NDArray[np.float64]) -> float:
        return float(np.trace(frame.T @ self.gram @ frame))


def in_short(
    found: Directions, rows: Sequence[TableRow], reports: Sequence[Report], audits: Sequence[Audit], where: str
) -> list[tuple[str, str]]:
    """Return the findings, a word and a sentence each: the last screen of the terminal, the head of the page."""
    return [
        ("released", _released(found)),
        ("how good", _good(found)),
        *(("", text) for text in _elsewhere(rows, found.release.claim.epsilon)),
        ("noise", _noise(found.release)),
        *(("audit", f"{audited.name}: {_judged(audited)}") for audited in audits),
        ("statements", _counted(reports)),
        ("pictures", where),
    ]


def _released(found: Directions) -> str:
    d, k = found.best.shape
    claim = found.release.claim
    return (
        f"{k} directions about zero of {found.rows} people with {d} columns by private_pca, epsilon {claim.epsilon:g}, "
        f"one row is {'replaced' if claim.relation == 'replace' else claim.relation}; {claim.arithmetic} arithmetic"
    )


def _good(found: Directions) -> str:
    held = f"{found.kept:.1%} of the variance that so many directions can hold"
    return f"{held}; random ones hold {found.by_chance:.1%}"


def _elsewhere(rows: Sequence[TableRow], epsilon: float) -> list[str]:
    """Shares kept at other epsilons, by medians."""
    lost = [row for row in rows if row.mechanism == "private_pca" and row.epsilon != epsilon]
    last = [row for row in lost if row.error_of == lost[-1].error_of]
    shares = ", ".join(f"{1 - row.true / row.zero:.0%} at {row.epsilon:g}" for row in last)
    return [f"other epsilons: {shares}"] if shares else []


def _noise(release: Release[Any]) -> str:
    values = ", ".join(f"{value:.3g}" for value in release.details["eigenvalues"])
    shown = f"{release.details['shown']} of {len(release.details['eigenvalues'])} stand out"
    return f"eigenvalues {values}; noise alone has some up to {release.details['noise_edge']:.3g}: {shown}"


def _judged(audited: Audit) -> str:
    result = audited.result
    if result.violated:
        lower = "infinite" if np.isinf(result.epsilon_lower) else f"at least {result.epsilon_lower:.3g}"
        return f"{result.claim} is REFUTED: epsilon is {lower}, after {result.draws} draws"
    return f"{result.claim} is {result.verdict}; a loss of {result.power:.3g} nats would have been refuted"


def _counted(reports: Sequence[Report]) -> str:
    counts = Counter(report.ok for report in reports)
    return f"{counts[True]} checked in two arithmetics, {counts[False]} broken"
