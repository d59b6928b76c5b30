"""Judge a case, a counterexample, the tight instances: whether the faces of an entry hold there and agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mpmath import mp

from dpspectra.ground import values
from dpspectra.ledger import certificate as certificates
from dpspectra.ledger.entry import FOUND, Slack, Statement
from dpspectra.ledger.outcomes import AtMost, Frequency, Outcome, disagreement

CHALLENGE = 0.99
"""Factor that the challenge puts on every right side at the tight instances."""


SLACK = 0.001
"""Largest relative distance of the ratio that a slack part shows from the ratio that is declared."""
EQUALITY = 1e-6
"""Largest distance from 1 of the ratio of a part that is not declared slack."""


@dataclass(slots=True)
class Seen:
    """Findings of one case about a part; several outcomes of a part are one evaluation of it."""

    undecided: bool = False
    """Whether an arithmetic could not tell it from a contradiction."""
    ratios: list[float] = field(default_factory=list)
    """Ratios of left to right side, of outcomes that have one."""
    itself: bool = True
    """Whether both sides are the very same number in the oracle. A law that counts are compared with does not count."""
    noticed: set[str] = field(default_factory=set)
    """Faces that would contradict the right side times `CHALLENGE`, or only count what the oracle then judges."""

    @property
    def closest(self) -> float | None:
        """Largest ratio of left to right side."""
        return max(self.ratios, default=None)


@dataclass(slots=True)
class Judgement:
    """Findings of one case, by name of the part."""

    parts: dict[str, Seen] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def vacuous(self) -> bool:
        """Whether the premise of no part held."""
        return not self.parts

    @property
    def undecided(self) -> bool:
        """Whether an arithmetic could not tell a part from a contradiction."""
        return any(seen.undecided for seen in self.parts.values())

    @property
    def closest(self) -> float | None:
        """Largest ratio of left to right side over the parts."""
        return largest(seen.closest for seen in self.parts.values())


def largest(ratios: Iterable[float | None]) -> float | None:
    """Return the largest of the ratios that are numbers."""
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def outcomes(statement: Statement, face: str, case: tuple[Any, ...]) -> tuple[Outcome, ...]:
    """Evaluate a face on a case as a tuple of outcomes; the empty tuple means that the premise fails."""
    try:
        result = statement.faces[face](*case)
    except Exception as problem:
        problem.add_note(f"{face} of {statement.labels[0]} must be given a case as those of its cases().example()")
        raise
    return result if isinstance(result, tuple) else (result,)


def judge(statement: Statement, case: tuple[Any, ...]) -> Judgement:
    """Evaluate both standing faces on one case, and list the faults.

    Parameters
    ----------
    statement
        An entry.
    case
        One tuple in the order of the faces' arguments.

    Returns
    -------
    Judgement
        What each face says, and where they disagree.

    Raises
    ------
    ValueError
        For anything but a statement and a tuple.
    Exception
        Whatever a face raises at a case that is none of the statement's, as those of its ``cases`` are; a note says so.

    """
    values.instance(statement, "statement", Statement, FOUND)
    values.instance(case, "case", tuple)
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        fast, exact = outcomes(statement, "fast", case), outcomes(statement, "oracle", case)
        judgement = Judgement()
        stated = [[outcome.part for outcome in face] for face in (fast, exact)]
        if stated[0] != stated[1]:
            judgement.faults.append(f"fast states the parts {stated[0]}, oracle {stated[1]}")
            return judgement
        for a, b in zip(fast, exact, strict=True):
            seen = judgement.parts.setdefault(b.part, Seen())
            nothing = b.part in statement.slack and isinstance(b, AtMost) and b.right == 0  # says nothing of the ratio
            if not nothing and (ratio := b.closeness) is not None:
                seen.ratios.append(ratio)
            seen.itself &= not (isinstance(a, Frequency) or isinstance(b, Frequency)) and bool(b.left == b.right)
            for face, outcome, allowed in (("fast", a, statement.rounding), ("oracle", b, slack)):
                decision = outcome.decide(allowed)
                seen.undecided |= decision is None
                if decision is False:
                    judgement.faults.append(f"{face} contradicts {named(b.part)}: {outcome}")
                if isinstance(outcome, Frequency) or outcome.scaled(CHALLENGE).decide(allowed) is False:
                    seen.noticed.add(face)
            if difference := disagreement(a, b, statement.rounding):
                judgement.faults.append(f"the arithmetics differ in {named(b.part)}, {difference}")
    return judgement


def told_apart(statement: Statement, part: str, cases: Iterable[tuple[Any, ...]], changes: Iterable[int]) -> bool:
    """Whether the oracle's sides of a part differ in any case at any of some other numbers of digits.

    Two routes to one number round differently sooner or later; a number compared with itself never differs.
    """
    for case in cases:
        for change in changes:
            with mp.workdps(statement.digits + change):
                seen = (o for o in outcomes(statement, "oracle", case) if o.part == part)
                if any(isinstance(o, Frequency) or o.left != o.right for o in seen):
                    return True
    return False


def judge_tight(statement: Statement) -> list[Judgement]:
    """Judge the instances of the face ``tight``, at which a `challenge` is decided."""
    return [judge(statement, case) for case in statement.faces["tight"]()]


def named(part: str) -> str:
    """Return how a fault speaks of a part."""
    return f"the part '{part}'" if part else "the statement"


def challenge(statement: Statement, tight: Iterable[Judgement], parts: Iterable[str] = ()) -> list[str]:
    """Judge every part by itself, from the judgements of `judge_tight`; return the faults.

    A part that is not declared slack must come within `EQUALITY` of its right side, and both faces must notice that
    side times `CHALLENGE`. A slack part must show the ratio it declares, neither more nor less. ``parts`` are those
    that drawn cases evaluate; each must occur at a tight instance. Other instances may be of other sizes: there
    `dpspectra.ledger.baseline` says how close they come.
    """
    tight = list(tight)
    ratios, noticed = dict[str, float | None](), dict[str, set[str]]()
    for judgement in tight:
        for part, seen in judgement.parts.items():
            ratios[part] = largest((ratios.get(part), seen.closest))
            noticed.setdefault(part, set()).update(seen.noticed)
    faults = [
        f"slack is declared for {named(part)}, which no tight instance evaluates"
        for part in statement.slack
        if part not in ratios
    ]
    faults += [f"challenge: no tight instance evaluates {named(part)}" for part in parts if part not in ratios]
    for part, ratio in ratios.items():
        blind = [face for face in ("fast", "oracle") if face not in noticed[part]]
        if (declared := statement.slack.get(part)) is not None:
            if ratio is None or not _shows(ratio, declared):
                faults.append(f"challenge: {named(part)} shows the ratio {ratio}, declared is {declared.ratio}")
        elif blind:
            faults.append(
                f"challenge: {' and '.join(blind)} does not notice {named(part)} with its right side times {CHALLENGE}"
            )
        elif ratio is not None and ratio < 1 - EQUALITY:
            faults.append(f"challenge: {named(part)} comes to {ratio} of its right side only")
    return faults


def _shows(ratio: float, declared: Slack) -> bool:
    return abs(ratio - declared.ratio) <= SLACK * declared.ratio


def outside(statement: Statement) -> list[str]:
    """Return the hypotheses outside which the face ``beyond`` claims a failure, but the conclusion holds."""
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        conclusions = statement.faces["beyond"]()
        return [
            f"holds beyond the hypothesis '{name}': {o}"
            for name, o in conclusions.items()
            if o.decide(slack) is not False
        ]


def refute(statement: Statement) -> list[str]:
    """Show that the printed form fails at an instance that meets its hypotheses; return the faults of that evidence."""
    faces = statement.faces
    with mp.workdps(statement.digits):
        instance = faces["counterexample"]()
        printed = faces["as_printed"](*instance)
        slack = mp.mpf(10) ** (10 - statement.digits)
        if printed.decide(slack) is not False:
            return [f"the printed form holds at the counterexample: {printed}"]
        faults = [
            f"the counterexample is outside the printed hypothesis '{name}': {outcome}"
            for name, outcome in (faces["hypotheses"](*instance) if "hypotheses" in faces else {}).items()
            if outcome.decide(slack) is False
        ]
        if "certificate" not in faces:
            return faults
        checked = certificates.check(faces["certificate"]())
        faults += [] if checked.accepted else ["the certificate proves nothing: its enclosures overlap"]
        for side, enclosure, value in (
            ("greater", checked.greater, printed.left),
            ("lesser", checked.lesser, printed.right),
        ):
            low, high = (mp.mpf(x.numerator) / x.denominator for x in (enclosure.low, enclosure.high))
            allowance = slack * max(1, abs(value))
            if not low - allowance <= value <= high + allowance:
                faults.append(f"the certificate's {side} side is not the counterexample's: {mp.nstr(value, 15)}")
        return faults
