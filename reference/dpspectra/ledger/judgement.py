"""Judge a case, a counterexample, the tight instances: what the faces of an entry say, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from mpmath import mp

from dpspectra.ledger import certificate as certificates
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.outcomes import Frequency, Outcome, disagreement

CHALLENGE = 0.99
"""Factor that the challenge puts on every right side at the tight instances."""


SLACK = 0.01
"""Largest relative distance of the ratio that a slack part shows from the ratio that is declared."""
EQUALITY = 1e-6
"""Largest distance from 1 of the ratio of a part that is not declared slack."""


@dataclass(slots=True)
class Judgement:
    """What one case showed: by name the parts evaluated, whether each was undecided, and how close to equality."""

    parts: dict[str, tuple[bool, float | None]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def vacuous(self) -> bool:
        """Whether the premise of no part held."""
        return not self.parts

    @property
    def undecided(self) -> bool:
        """Whether an arithmetic could not tell a part from a contradiction."""
        return any(undecided for undecided, _ in self.parts.values())

    @property
    def closest(self) -> float | None:
        """Largest ratio of left to right side over the parts."""
        return largest(ratio for _, ratio in self.parts.values())

    def add(self, part: str, undecided: bool, closest: float | None) -> None:
        """Enter an outcome; several outcomes of a part are one evaluation of it."""
        before, ratio = self.parts.get(part, (False, None))
        self.parts[part] = before or undecided, largest((ratio, closest))


def largest(ratios: Iterable[float | None]) -> float | None:
    """Return the largest of the ratios that are numbers."""
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def outcomes(statement: Statement, face: str, case: tuple[Any, ...]) -> tuple[Outcome, ...]:
    """Evaluate a face on a case as a tuple of outcomes; the empty tuple means that the premise fails."""
    result = statement.faces[face](*case)
    return result if isinstance(result, tuple) else (result,)


def judge(statement: Statement, case: tuple[Any, ...], factor: float = 1.0) -> Judgement:
    """Evaluate both standing faces on one case, right sides multiplied by ``factor``, and say what is wrong."""
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        fast, exact = outcomes(statement, "fast", case), outcomes(statement, "oracle", case)
        judgement = Judgement()
        stated = [[outcome.part for outcome in face] for face in (fast, exact)]
        if stated[0] != stated[1]:
            judgement.faults.append(f"fast states the parts {stated[0]}, oracle {stated[1]}")
            return judgement
        for a, b in zip(fast, exact, strict=True):
            decisions = [
                (face, outcome, outcome.scaled(factor).decide(allowed))
                for face, outcome, allowed in (("fast", a, statement.rounding), ("oracle", b, slack))
            ]
            for face, outcome, decision in decisions:
                if decision is False:
                    judgement.faults.append(f"{face} contradicts {named(b.part)}: {outcome}")
            if difference := disagreement(a, b, statement.rounding):
                judgement.faults.append(f"the arithmetics differ in {named(b.part)}, {difference}")
            judgement.add(b.part, any(decision is None for *_, decision in decisions), b.closeness)
    return judgement


def named(part: str) -> str:
    """Return how a fault speaks of a part."""
    return f"the part '{part}'" if part else "the statement"


def unmoved(statement: Statement) -> dict[str, list[str]]:
    """Return by part the faces that notice its right side times `CHALLENGE` at no tight instance.

    A `Frequency` notices nothing: its bound is that of the oracle's exact probability, which is judged instead.
    """
    noticed = dict[str, set[str]]()
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        for case in statement.faces["tight"]():
            for face, allowed in (("fast", statement.rounding), ("oracle", slack)):
                for outcome in outcomes(statement, face, case):
                    seen = noticed.setdefault(outcome.part, set())
                    if isinstance(outcome, Frequency) or outcome.scaled(CHALLENGE).decide(allowed) is False:
                        seen.add(face)
    return {part: [face for face in ("fast", "oracle") if face not in seen] for part, seen in noticed.items()}


def challenge(statement: Statement, parts: Iterable[str] = ()) -> list[str]:
    """Judge every part by itself at the tight instances; return what is wrong.

    ``parts`` are those that drawn cases evaluate; each must occur at a tight instance.

    A part that is not declared slack must come within `EQUALITY` of its right side, and both faces must notice that
    side times `CHALLENGE`. A slack part must show the ratio it declares, neither more nor less.
    """
    judgements = [judge(statement, case) for case in statement.faces["tight"]()]
    ratios = dict[str, float | None]()
    for judgement in judgements:
        for part, (_, ratio) in judgement.parts.items():
            ratios[part] = largest((ratios.get(part), ratio))
    faults = [
        f"slack is declared for {named(part)}, which no tight instance evaluates"
        for part in statement.slack
        if part not in ratios
    ]
    faults += [f"challenge: no tight instance evaluates {named(part)}" for part in parts if part not in ratios]
    for part, faces in unmoved(statement).items():
        ratio = ratios.get(part)
        if (declared := statement.slack.get(part)) is not None:
            if ratio is None or abs(ratio - declared.ratio) > SLACK * declared.ratio:
                faults.append(f"challenge: {named(part)} shows the ratio {ratio}, declared is {declared.ratio}")
        elif faces:
            faults.append(
                f"challenge: {' and '.join(faces)} does not notice {named(part)} with its right side times {CHALLENGE}"
            )
        elif ratio is not None and ratio < 1 - EQUALITY:
            faults.append(f"challenge: {named(part)} comes to {ratio} of its right side only")
    return faults


def outside(statement: Statement) -> list[str]:
    """Return the hypotheses outside which the face ``beyond`` claims a failure that is none."""
    with mp.workdps(statement.digits):
        slack = mp.mpf(10) ** (10 - statement.digits)
        conclusions = statement.faces["beyond"]()
        return [
            f"holds beyond the hypothesis '{name}': {o}"
            for name, o in conclusions.items()
            if o.decide(slack) is not False
        ]


def refute(statement: Statement) -> list[str]:
    """Show that the printed form fails at the counterexample; say what is wrong with that evidence."""
    faces = statement.faces
    with mp.workdps(statement.digits):
        printed = faces["as_printed"](*faces["counterexample"]())
        slack = mp.mpf(10) ** (10 - statement.digits)
        if printed.decide(slack) is not False:
            return [f"the printed form holds at the counterexample: {printed}"]
        if "certificate" not in faces:
            return []
        checked = certificates.check(faces["certificate"]())
        faults = [] if checked.accepted else ["the certificate proves nothing: its enclosures overlap"]
        for side, enclosure, value in (
            ("greater", checked.greater, printed.left),
            ("lesser", checked.lesser, printed.right),
        ):
            low, high = (mp.mpf(x.numerator) / x.denominator for x in (enclosure.low, enclosure.high))
            allowance = slack * max(1, abs(value))
            if not low - allowance <= value <= high + allowance:
                faults.append(f"the certificate's {side} side is not the counterexample's: {mp.nstr(value, 15)}")
        return faults
