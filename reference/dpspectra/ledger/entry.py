"""One ledger entry: printed labels, a verdict, and the faces that verdict demands."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from dpspectra.relations import Relation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from typing_extensions import TypeVarTuple, Unpack

    from dpspectra.ledger.certificate import Tree
    from dpspectra.ledger.outcomes import Outcome, Parts

    Fields = TypeVarTuple("Fields", default=Unpack[tuple[Any, ...]])
    Drawn = TypeVarTuple("Drawn")
else:
    from typing import TypeVarTuple

    Fields = TypeVarTuple("Fields")  # Python 3.13 is the first that takes a default
    Drawn = TypeVarTuple("Drawn")
"""Fields of a case, in the order of the faces' parameters."""
F = TypeVar("F", bound=Callable[..., Any])
Returning = TypeVar("Returning", bound="Callable[..., Outcome | tuple[Outcome, ...]]")
"""A face that returns its parts."""

APART = "_faces"
"""How the name of a module ends that holds the cases and faces of the statement of the module beside it."""
STANDING = frozenset({"fast", "oracle"})
BROKEN = frozenset({"as_printed", "hypotheses", "counterexample", "certificate"})


class Verdict(enum.StrEnum):
    """Degree to which a printed statement is confirmed; each verdict demands its evidence.

    The rule by which a printed statement gets its verdict stands in the notes, ``verdicts.md``.
    """

    DEFINITION = "definition"
    VERIFIED = "verified"
    PROOF_GAP = "proof-gap"
    CORNER = "corner"
    REPAIRED = "repaired"
    REFUTED = "refuted"
    OPEN = "open"
    CITED = "cited"
    CONJECTURE = "conjecture"
    NEW = "new"

    @property
    def demands(self) -> frozenset[str]:
        """Faces that an entry with this verdict must have."""
        if self is Verdict.REFUTED:
            return BROKEN
        return STANDING | BROKEN if self in (Verdict.REPAIRED, Verdict.CORNER) else STANDING

    @property
    def unproved(self) -> bool:
        """Whether the notes hold no proof of the statement as it is stated."""
        return self in (Verdict.REFUTED, Verdict.OPEN, Verdict.CONJECTURE, Verdict.CITED)

    @property
    def strength(self) -> int:
        """Rank among the verdicts, 0 the weakest: a statement is as safe as the weakest one below it."""
        weakest = ["refuted", "conjecture", "open", "cited", "proof-gap", "repaired", "corner"]
        return [*weakest, "new", "verified", "definition"].index(self.value)


@dataclass(frozen=True, slots=True)
class Slack:
    """A part of a statement that no known instance brings to equality."""

    ratio: float
    """Largest ratio of left to right side at the instances of `tight`."""
    reason: str
    """Why it is not 1."""


@dataclass(slots=True, eq=False)
class Statement(Generic[*Fields]):
    """A published claim, or one of ours. The first label is its permanent identity.

    ``faces`` are attached by decorators named after them, each of which takes the face and returns it. ``fast`` and
    ``oracle`` take one case and return an outcome, or yield one for each part whose premise the case meets; a call then
    returns them all as a tuple. ``as_printed`` takes the instance that ``counterexample`` returns and gives one outcome
    in oracle arithmetic; ``hypotheses`` takes it too and returns the printed hypotheses by name: each must hold there;
    ``certificate`` returns the data by which `dpspectra.ledger.certificate` proves that outcome false; ``tight``
    returns a list of cases: every part is at equality at one of them, or is declared ``slack``. ``beyond`` returns, by
    hypothesis, the conclusion at an instance that violates this hypothesis only: each must be false. The ``verdict``
    says which faces there must be.

    A statement whose formulas mechanisms import has its cases and faces in the module beside it (`checked_on`), which
    `dpspectra.ledger.registry` imports with it: so a release loads neither strategies nor an oracle.
    """

    labels: tuple[str, ...]
    """Canonical labels; several when papers print the same fact."""
    claim: str
    """The formula, in LaTeX."""
    verdict: Verdict
    note: str
    """``page.md#anchor`` in proofs_notes."""
    cases: Callable[[], SearchStrategy[tuple[*Fields]]] | None = None
    """Function that builds the strategy of instances, corners included. Only a refuted statement needs none."""
    relation: tuple[Relation, ...] = ()
    """Neighbour relations, where privacy is meant."""
    uses: tuple[str, ...] = ()
    """Labels it rests on."""
    instead: tuple[str, ...] = ()
    """Labels of true statements to use instead, if this one must not be relied on."""
    rounding: float = 1e-9
    """Relative slack of the float64 face."""
    digits: int = 50
    """Decimal digits of the oracle."""
    examples: int = 100
    """Cases tried by default."""
    slack: Mapping[str, Slack] = field(default_factory=dict)
    """Parts, by name, that are not at equality at any instance of `tight`."""
    exact: tuple[str, ...] = ()
    """Parts that reach the same number by two routes without rounding, or with digits to spare.

    Their sides are equal to the last digit; any other part of which this is true, in all cases of a full run and at
    any number of digits, compares a number with itself.
    """
    without_beyond: str = ""
    """Why a statement that stands has no face `beyond`: which hypotheses it has, if any, and why none can be dropped.

    Such as an identity that holds for all arguments, or a hypothesis outside which no failure is known.
    """
    faces: dict[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The permanent identity."""
        return self.labels[0]

    @property
    def module(self) -> str:
        """Name of the module that holds the statement; empty until its faces are loaded."""
        return next((face.__module__.removesuffix(APART) for face in self.faces.values()), "")

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the modules that hold the statement and its faces: one, or two where the faces stand apart."""
        apart = f"{self.module}{APART}"
        return (self.module, apart) if any(face.__module__ == apart for face in self.faces.values()) else (self.module,)

    @property
    def chapter(self) -> str:
        """The folder of `dpspectra.lemmas` in which its module stands."""
        return self.module.split(".")[2]

    def __str__(self) -> str:
        return self.id

    def checked_on(self, cases: Callable[[], SearchStrategy[tuple[*Drawn]]]) -> Statement[*Drawn]:
        """Take the cases from a module of faces, ``NAME_faces`` beside ``NAME``.

        Parameters
        ----------
        cases
            Function that returns the strategy of cases.

        Returns
        -------
        Statement
            This statement.

        """
        whole = cast("Statement[*Drawn]", self)
        whole.cases = cases
        return whole

    def _attach(self, name: str, face: F) -> F:
        if name in self.faces:
            raise ValueError(f"{self.id} has two faces named {name}")
        self.faces[name] = face
        return face

    def named(self, face: str, case: tuple[Any, ...]) -> dict[str, Any]:
        """Return the values of a case by the names that a face gives them.

        Parameters
        ----------
        face
            Name of the face.
        case
            One tuple in the order of the face's arguments.

        Returns
        -------
        dict
            Values by name.

        """
        return signature(self.faces[face]).bind(*case).arguments

    @overload
    def fast(self, face: Callable[[*Fields], Parts]) -> Callable[[*Fields], tuple[Any, ...]]: ...
    @overload
    def fast(self, face: Returning) -> Returning: ...
    def fast(self, face: Any) -> Any:
        """Attach the float64 evaluation."""
        from dpspectra.ledger.exact_types import evaluated  # here, as a release attaches no face

        return self._attach("fast", evaluated(face))

    @overload
    def oracle(self, face: Callable[[*Fields], Parts]) -> Callable[[*Fields], tuple[Any, ...]]: ...
    @overload
    def oracle(self, face: Returning) -> Returning: ...
    def oracle(self, face: Any) -> Any:
        """Attach the evaluation by definition, in arbitrary precision; `ledger.exact_types` converts its case."""
        from dpspectra.ledger.exact_types import evaluated, exactly

        return self._attach("oracle", exactly(evaluated(face)))

    def as_printed(self, face: F) -> F:
        """Attach the printed form."""
        return self._attach("as_printed", face)

    def hypotheses(self, face: F) -> F:
        """Attach the printed hypotheses, by name: each must hold at the counterexample."""
        return self._attach("hypotheses", face)

    def counterexample(self, face: F) -> F:
        """Attach an instance on which the printed form fails."""
        return self._attach("counterexample", face)

    def certificate(self, face: F) -> F:
        """Attach the machine-checkable proof of that failure."""
        return self._attach("certificate", face)

    def certified_by(self, reason: str, greater: Tree, lesser: Tree) -> None:
        """Attach the certificate ``greater > lesser``.

        Parameters
        ----------
        reason
            Why this breaks the printed statement.
        greater, lesser
            Expression trees.

        """
        from dpspectra.ledger.certificate import inequality

        self._attach("certificate", lambda: inequality(self.id, reason, greater, lesser))

    def tight(self, face: Callable[[], Sequence[tuple[*Fields]]]) -> Callable[[], Sequence[tuple[*Fields]]]:
        """Attach instances of equality."""
        return self._attach("tight", face)

    def beyond(self, face: F) -> F:
        """Attach the failure outside each hypothesis."""
        return self._attach("beyond", face)
