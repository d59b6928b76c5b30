"""One ledger entry: printed labels, a verdict, and the faces that verdict demands."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

from dpspectra.relations import Relation

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from dpspectra.ledger.certificate import Tree

W = TypeVar("W", bound="type[Any]")
"""A class as it is written."""

FACES = ("fast", "oracle", "tight", "beyond", "as_printed", "hypotheses", "counterexample", "certificate")
"""Names of the faces, in the order in which they are written."""
STANDING = frozenset({"fast", "oracle"})
BROKEN = frozenset({"as_printed", "hypotheses", "counterexample", "certificate"})
NOT_AT_HAND = "Not at hand"
"""How the wording of a statement begins whose printed formula we could not read."""


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
class Statement:
    """A published claim, or one of ours. The first label is its permanent identity.

    It is written as a class under `statement`. ``fast`` and ``oracle`` take one case and return an outcome, or yield
    one for each part whose premise the case meets; a call then returns them all as a tuple. ``as_printed`` takes the
    instance that ``counterexample`` returns and gives one outcome in oracle arithmetic; ``hypotheses`` takes it too and
    returns the printed hypotheses by name: each must hold there; ``certificate`` is the data by which
    `dpspectra.ledger.certificate` proves that outcome false; ``tight`` returns a list of cases: every part is at
    equality at one of them, or is declared ``slack``. ``beyond`` returns, by hypothesis, the conclusion at an instance
    that violates this hypothesis only: each must be false. The ``verdict`` says which faces there must be.
    """

    labels: tuple[str, ...]
    """Canonical labels; several when papers print the same fact."""
    claim: str | Mapping[str, str]
    """The formula of each part by its name, in LaTeX; one formula alone where nothing stands that has parts."""
    verdict: Verdict
    note: str
    """``page.md#anchor`` in proofs_notes."""
    given: str = ""
    """Hypotheses of all parts, and definitions that several formulas share, in LaTeX."""
    printed: str | Mapping[str, str] = ""
    """Formula and words as printed, in Markdown, as few as will do; by label where that is not the first one alone.

    It begins with `NOT_AT_HAND` where it is a reading. A formula that the surviving words and the printed proof force
    counts as at hand. None for what is ours.
    """
    where: Mapping[str, str | tuple[str, str]] = field(default_factory=dict)
    """Meanings of the letters of the claim that its chapter does not give them; see `dpspectra.ledger.symbols`."""
    cases: Callable[[], SearchStrategy[Any]] | None = None
    """Function that builds the strategy of instances, corners included. Only a refuted statement needs none."""
    relation: tuple[Relation, ...] = ()
    """Neighbour relations, where privacy is meant."""
    uses: tuple[str, ...] = ()
    """Labels it rests on: those that its proof in the notes names, without the `mentions`, and what it computes by."""
    mentions: tuple[str, ...] = ()
    """Labels that its proof in the notes names without need, such as those that do better."""
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
    unchecked: str = ""
    """Claims of the note for sizes at which no part evaluates them, such as those for which no exact law is known."""
    faces: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """Faces by name; those of a class are its bound methods."""
    module: str = ""
    """Name of the module in which it is written."""

    @property
    def id(self) -> str:
        """The permanent identity."""
        return self.labels[0]

    @property
    def chapter(self) -> str:
        """The folder of `dpspectra.lemmas` in which its module stands."""
        return self.module.split(".")[2]

    @property
    def formulas(self) -> Mapping[str, str]:
        """The formula of each part by its name, in LaTeX; one that is alone has an empty name."""
        return {"": self.claim} if isinstance(self.claim, str) else self.claim

    @property
    def formula(self) -> str:
        """One display of what is given and of the formulas of all parts, in LaTeX."""
        return r",\qquad ".join([*filter(None, [self.given]), *self.formulas.values()])

    def __str__(self) -> str:
        return self.id

    def wording(self, label: str) -> str:
        """Return what is printed under a label.

        Parameters
        ----------
        label
            One of the labels.

        Returns
        -------
        str
            Formula and words as printed, in Markdown; empty for what is ours.

        """
        told = {self.id: self.printed} if isinstance(self.printed, str) else self.printed
        return told.get(label, "")

    def at_hand(self, label: str) -> bool:
        """Whether the printed formula of a label is; else the verdict is on a reading of ours.

        Parameters
        ----------
        label
            One of the labels.

        Returns
        -------
        bool
            True for what is ours, too.

        """
        return not self.wording(label).startswith(NOT_AT_HAND)

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


FOUND = ": take ledger.get(label)"
"""Way out where something else is given in place of a statement."""


class Faces(dict[str, Callable[..., Any]]):
    """Faces of a statement by their names; one that it has not is refused with those that it has."""

    def __init__(self, label: str, faces: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(faces)
        self.label = label

    def __missing__(self, name: str) -> Any:
        """Raise ``KeyError`` in words."""
        raise KeyError(
            f"{self.label} has no face {name!r}, but {', '.join(self)}: dpspectra show {self.label} says why"
        )


RECORD = {
    f.name: f.default is MISSING and f.default_factory is MISSING
    for f in fields(Statement)
    if f.name not in ("faces", "module")
}
"""Fields of a statement that its class writes, and whether it must."""


def statement(written: W) -> W:
    """Enter a class as a statement: its attributes are the record, its methods the faces.

    Parameters
    ----------
    written
        The class. Its attributes bear the names of the fields of `Statement`, ``cases`` and the faces are methods, and
        ``certificate`` may be a reason and the two trees ``greater`` and ``lesser``. Methods that several faces share
        begin with an underscore.

    Returns
    -------
    type
        The class. The statement is its attribute ``entry``; calls of ``fast`` and ``oracle`` return all their parts.

    Raises
    ------
    ValueError
        If a name is none of these, or a field is missing.

    Examples
    --------
    >>> @statement
    ... class Half:
    ...     labels, claim, verdict, note = ("X",), "x/2", Verdict.NEW, "page.md#half"
    ...
    ...     def beyond(self):
    ...         return {}
    >>> Half.entry.id, list(Half.entry.faces)
    ('X', ['beyond'])

    """
    from dpspectra.ledger.exact_types import evaluated, exactly  # here, as a list of verdicts needs no arithmetic

    own = {name: value for name, value in vars(written).items() if not name.startswith("_")}
    unknown = sorted(own.keys() - RECORD.keys() - {*FACES})
    missing = [name for name, required in RECORD.items() if required and name not in own]
    if unknown or missing:
        raise ValueError(
            f"a statement has the fields {', '.join(RECORD)} and the faces {', '.join(FACES)}: "
            f"{written.__name__} lacks {', '.join(missing) or 'none'} and has {', '.join(unknown) or 'no other'}"
        )
    if "fast" in own:
        written.fast = evaluated(own["fast"])
    if "oracle" in own:
        written.oracle = exactly(evaluated(own["oracle"]))
    itself = written()
    faces = Faces(own["labels"][0], {name: getattr(itself, name) for name in FACES if name in own})
    if isinstance(own.get("certificate"), tuple):
        faces["certificate"] = _certified(own["labels"][0], *own["certificate"])
    record = {name: getattr(itself, name) for name in RECORD if name in own}
    written.entry = Statement(**record, faces=faces, module=written.__module__)
    return written


def _certified(label: str, reason: str, greater: Tree, lesser: Tree) -> Callable[[], dict[str, Any]]:
    """Return the face that certifies ``greater > lesser``."""

    def certificate() -> dict[str, Any]:
        from dpspectra.ledger.certificate import inequality

        return inequality(label, reason, greater, lesser)

    return certificate
