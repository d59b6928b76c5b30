"""One ledger entry: printed labels, a verdict, and the faces that verdict demands."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from dpspectra.relations import Relation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

F = TypeVar("F", bound=Callable[..., Any])

STANDING = frozenset({"fast", "oracle"})
BROKEN = frozenset({"as_printed", "counterexample", "certificate"})


class Verdict(enum.StrEnum):
    """How far a printed statement has been confirmed; each verdict demands its evidence."""

    DEFINITION = "definition"
    VERIFIED = "verified"
    PROOF_GAP = "proof-gap"
    REPAIRED = "repaired"
    REFUTED = "refuted"
    CITED = "cited"
    CONJECTURE = "conjecture"
    NEW = "new"

    @property
    def demands(self) -> frozenset[str]:
        """Faces that an entry with this verdict must have."""
        if self is Verdict.REFUTED:
            return BROKEN
        return STANDING | BROKEN if self is Verdict.REPAIRED else STANDING

    @property
    def strength(self) -> int:
        """Order in which support fails: what rests on a statement is no safer than it (0 is weakest)."""
        order = ["refuted", "conjecture", "cited", "proof-gap", "repaired", "new", "verified", "definition"]
        return order.index(self.value)


@dataclass(slots=True, eq=False)
class Statement:
    """A published claim, or one of ours. The first label is its permanent identity.

    Faces are attached by decorators named after them. ``fast`` and ``oracle`` take one case and return an outcome, a
    tuple of outcomes (a statement in several parts), or ``()`` when the case does not meet the premise.
    ``as_printed`` takes the instance that ``counterexample`` returns and gives one outcome in oracle arithmetic;
    ``certificate`` returns the data by which `dpspectra.ledger.certificate` proves that outcome false;
    ``tight`` returns a list of cases at which no smaller right side would do.
    """

    labels: tuple[str, ...]
    """Canonical labels; several when papers print the same fact."""
    claim: str
    """The formula, in LaTeX."""
    verdict: Verdict
    note: str
    """``page.md#anchor`` in proofs_notes."""
    cases: Callable[[], SearchStrategy[tuple[Any, ...]]] | None = None
    """Function that builds the strategy of instances, corners included. Only a refuted statement needs none."""
    relation: tuple[Relation, ...] = ()
    """Neighbour relations, where privacy is meant."""
    uses: tuple[str, ...] = ()
    """Labels it rests on."""
    rounding: float = 1e-9
    """Relative slack of the float64 face."""
    digits: int = 50
    """Decimal digits of the oracle."""
    examples: int = 100
    """Cases tried by default."""
    faces: dict[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The permanent identity."""
        return self.labels[0]

    @property
    def module(self) -> str:
        """Where the entry lives: the module of its faces."""
        return next((face.__module__ for face in self.faces.values()), "")

    def __str__(self) -> str:
        return self.id

    def _attach(self, name: str, face: F) -> F:
        if name in self.faces:
            raise ValueError(f"{self.id} has two faces named {name}")
        self.faces[name] = face
        return face

    def fast(self, face: F) -> F:
        """Attach the float64 evaluation."""
        return self._attach("fast", face)

    def oracle(self, face: F) -> F:
        """Attach the evaluation by definition, in arbitrary precision."""
        return self._attach("oracle", face)

    def as_printed(self, face: F) -> F:
        """Attach the printed form."""
        return self._attach("as_printed", face)

    def counterexample(self, face: F) -> F:
        """Attach an instance on which the printed form fails."""
        return self._attach("counterexample", face)

    def certificate(self, face: F) -> F:
        """Attach the machine-checkable proof of that failure."""
        return self._attach("certificate", face)

    def tight(self, face: F) -> F:
        """Attach instances of equality."""
        return self._attach("tight", face)
