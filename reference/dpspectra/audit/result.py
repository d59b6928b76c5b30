"""The result of an audit, as data and in words: one list of facts for every form of report.

Do not change lightly: records of users are in the form of `AuditResult.to_json`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from typing import Any

from dpspectra.audit import next_steps
from dpspectra.audit.betting import power, power_by_event_class
from dpspectra.audit.betting.events import Event, families
from dpspectra.audit.betting.wealth import Evidence, log_threshold
from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.reading.share_read import Sight
from dpspectra.audit.result_fields import LATER, RESULT
from dpspectra.audit.strict_json import strict, versions
from dpspectra.audit.verdicts import NOT_REFUTED, REFUTED, UNDECIDED, Verdict
from dpspectra.ground import records
from dpspectra.mechanisms.release_text import table

UNREAD = 0.01
"""Share of outputs that may hold what cannot be read, and of calls that may be lost, if none is accepted by name."""
DERIVED = ("epsilon_lower", "smallest_probability")
"""Properties of results that are saved with them."""
POWER = ("power", "refutable_probability")
"""Those that are costly."""
JUDGED = ("verdict", "reason", "next_step")
"""Those that rest on them, in words."""
DATA_SETS = ("first data set", "second data set")
"""The two sides of an audit, as results call them."""
SAMPLERS = ("candidate", "reference")
"""The two sides of a comparison, which have one input."""
ACCUSED, SUSPECTED = ": too likely on the ", ": suspected to be too likely on the "
"""Words that join an event to its data set: after a refutation, and without one."""


class BrokenMechanismWarning(UserWarning):
    """A mechanism kept for study whose privacy claim is refuted has been imported."""


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Outcome of `audit` and `conforms`. ``violated`` is a certified no; its absence is not a yes.

    No test of one pair of data sets can establish privacy, so there is no verdict "verified".
    """

    claim: CurveClaim
    """The claim that was tried."""
    violated: bool
    """Whether the claim is refuted at the confidence: exactly when ``bound`` exceeds the claimed value."""
    bound: float
    """Certified lower bound on the parameter of the claim (epsilon in nats, mu, ...), at whatever time it is read.

    ``inf`` if outputs that occur on one data set are impossible on the other.
    """
    confidence: float
    """A sound mechanism is called violated with probability at most ``1 - confidence``."""
    witness: str
    """The event that gave most evidence, in words, and the data set under which it is too likely."""
    event: Event | None
    """The witness as data; ``None`` if the witness is another one, or there is none."""
    counts: tuple[int, int, int] | None
    """Occurrences of the witness under the first and the second data set while it was bet on, and draws of each."""
    log_e_value: float
    """Log of the wealth against the claim: the claim is refuted at ``-log(1 - confidence)`` or more."""
    draws: int
    """Draws from each data set."""
    stopped: str
    """``"refuted"``; ``"draws"`` or ``"time"`` if no more were allowed; ``"failed"`` if all draws failed alike;
    ``"interrupted"`` from the keyboard; ``"running"`` if the audit was not over."""
    seeded: bool
    """Whether the mechanism accepts randomness, so that the audit can be repeated exactly."""
    failures: int
    """Draws on either side that returned no value that can be read."""
    lost: int
    """Pairs of calls for many draws, one of which raised or could not be read; they count against the auditor."""
    rows: str
    """How rows of one call were used: ``"one a call"``, ``"averaged within calls"`` or ``"independent"``."""
    floating_point: bool
    """Whether statistics saw all bits of outputs, or outputs rounded to a grid."""
    seed: int
    """Integer from which all randomness is derived."""
    runs: int
    """Number of times that the audit was begun or resumed."""
    history: tuple[tuple[int, float], ...]
    """Draws from each data set so far, and ``log_e_value``, after each look."""
    evidence: Evidence
    """All bets and their counts, from which the rest can be recomputed, for any claim of the same kind."""
    certificate: dict[str, Any] | None = None
    """Proof in exact arithmetic that an output is impossible under the other data set, if ``support`` supplied one."""
    seconds: float = field(default=0.0, compare=False)
    """Wall-clock time; left out of comparisons, as results with one seed are otherwise equal."""
    first_calls: float = field(default=0.0, compare=False)
    """Seconds of the first call on each data set, which may load or compile: they do not count as the audit's time."""
    required_power: float | None = None
    """Loss in nats that the audit was required to be able to refute: if `power_of` is larger, it is undecided."""
    required_class: str = power_by_event_class.PRESPECIFIED
    """Class of the events that were to carry that loss."""
    sight: Sight = field(default_factory=Sight)
    """How much of the outputs was seen."""
    accepted_unread: float = UNREAD
    """Share of outputs that may hold what cannot be read, and of calls that may be lost, in a verdict."""

    def __repr__(self) -> str:
        found = f"{self.claim.parameter} at least {self.bound:.6g}"
        return f"<AuditResult: {self.claim} {self.verdict}, {found}, {self.draws} draws on each side>"

    def summary(self) -> str:
        """Return the facts in plain lines. In a result of `conforms` the first data set is the candidate.

        Returns
        -------
        str
            One fact a line, each a name, a colon and its value.

        """
        return "\n".join(f"{key}: {value}" for key, value in facts(self).items())

    def _repr_html_(self) -> str:
        """Return the facts of `summary` as a table for notebooks, in HTML."""
        return table(facts(self))

    @property
    def undecided(self) -> str:
        """Why the audit has not seen enough to judge from; empty if it has, or if the claim is refuted."""
        return next_steps.of(self)[0]

    @property
    def next_step(self) -> str:
        """The way out of an undecided audit, in one line; empty for others."""
        return next_steps.of(self)[1]

    @property
    def verdict(self) -> str:
        """``"refuted"``, ``"not refuted"`` or ``"undecided"``."""
        return self.judged.word

    @property
    def reason(self) -> str:
        """The reason of the verdict in one sentence."""
        return self.judged.reason

    @property
    def judged(self) -> Verdict:
        """The verdict with its reason."""
        if self.violated and math.isinf(self.log_e_value):
            return Verdict(REFUTED, "an output was seen that cannot occur on the other data set")
        if self.violated:
            risk = f"probability at most {1 - self.confidence:.3g}"
            return Verdict(REFUTED, f"a mechanism that meets the claim shows as much with {risk}")
        if self.undecided:
            return Verdict(UNDECIDED, self.undecided)
        return Verdict(NOT_REFUTED, f"the outputs of {self.draws} draws on each side do not contradict the claim")

    @property
    def lost_share(self) -> float:
        """Share of the pairs of calls that were bet on of which one was lost."""
        cells = [cell for epoch in self.evidence.epochs if epoch for cell in epoch[0].counts]
        lost, all_of_them = (sum(pairs for *_, pairs in some) for some in ([c for c in cells if c[0] == 0], cells))
        return lost / max(all_of_them, 1)

    @property
    def epsilon_lower(self) -> float:
        """``bound``, where the parameter of the claim is epsilon (nats); NaN for other claims."""
        return self.bound if self.claim.parameter == "epsilon" else math.nan

    @property
    def smallest_probability(self) -> float:
        """Approximate probability of the rarest impossible output that as many draws would have shown.

        What a declared support can find; without one see `refutable_probability`.
        """
        return min(1.0, -math.log(1 - self.confidence) / max(self.draws, 1))

    @property
    def power(self) -> float:
        """Smallest loss, in nats, that these draws refute with probability 0.9 if half of the outputs carry it.

        Of a claim with several points, the smallest over its points, each at its own ``delta``. Depends on the claim,
        the confidence and the number of draws that returned a value alone (see `dpspectra.audit.betting.power`);
        ``inf`` if nothing is refutable.
        """
        return power.refutable(self.counted, self.claim, confidence=self.confidence)

    @property
    def counted(self) -> int:
        """Draws on each data set that the bets count, with those that choose the events of each run; none that fail."""
        bet_on = sum(max(bet.hits[2] for bet in epoch) for epoch in self.evidence.epochs if epoch)
        return int(min(self.draws, bet_on + self.runs * power.OPENING) * self.answered)

    @property
    def answered(self) -> float:
        """Share of the draws that returned a value."""
        return max(0.0, 1 - self.failures / max(2 * self.draws, 1))

    def power_of(self, kind: str) -> float:
        """Return the smallest loss that these draws refute with probability 0.9, on an event of probability one half.

        Parameters
        ----------
        kind
            Class of the event: ``"prespecified"``, ``"threshold"``, ``"interval"``, ``"residue"``, ``"place"`` or
            ``"member"`` (`dpspectra.audit.betting.power_by_event_class`). All of them but the first (`power`) have to
            be found.

        Returns
        -------
        float
            Loss in nats; ``inf`` if so few draws refute nothing.

        Raises
        ------
        ValueError
            For a class that there is not.

        """
        return power_by_event_class.power_of(kind, self.counted, self.claim, self.confidence, max(self.sight.places, 1))

    @property
    def refutable_probability(self) -> float:
        """Smallest probability of an event, impossible on the other side, that these draws refute with probability 0.9.

        ``inf`` if not even a certain event is refutable.
        """
        return power.smallest_event(self.counted, self.claim, confidence=self.confidence)

    def to_json(self) -> str:
        """Return all fields, and what derives from them, as strict JSON.

        A number that is not finite is written as a string. Power takes a second to compute, and is left out while the
        audit is running.

        Returns
        -------
        str
            One JSON object; `from_json` reads it back.

        """
        ended = () if self.stopped == "running" else POWER + JUDGED
        derived = {name: getattr(self, name) for name in DERIVED + ended}
        if ended:
            derived["powers"] = {kind: self.power_of(kind) for kind in power_by_event_class.CLASSES}
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        event = None if self.event is None else self.event.to_dict()
        plain |= {"claim": self.claim.to_dict(), "evidence": self.evidence.to_dict(), "event": event}
        plain["sight"] = self.sight.to_dict()
        return json.dumps(strict(plain | derived | {"versions": versions()}), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> AuditResult:
        """Read a result that `to_json` has written.

        Parameters
        ----------
        text
            JSON of a result.

        Returns
        -------
        AuditResult
            The result; what derives from its fields is computed again.

        Raises
        ------
        ValueError
            If the text is no JSON of a result.

        """
        return result_from(records.read(text, records.kept, READ))


READ = "text must be the JSON of an audit by draws (dpspectra audit --json FILE, without --inside), got something else"


def result_from(data: Any) -> AuditResult:
    """Read the fields of `AuditResult.to_json` back; what else is there is left out."""
    try:
        later = {name: kind(data[name]) for name, kind in LATER.items() if name in data}
        return AuditResult(**{name: kind(data[name]) for name, kind in RESULT.items()}, **later)
    except (ValueError, TypeError, LookupError, ArithmeticError):
        raise ValueError(READ) from None


def witness(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> str:
    """Return the event that gave most evidence, in words; ``sides`` are the names of the two data sets or laws."""
    text = result.witness
    if not result.violated:
        text = SUSPECTED.join(text.rsplit(ACCUSED, 1))
    if sides != DATA_SETS:
        for word, name in zip(DATA_SETS, sides, strict=True):
            text = text.replace(f"on the {word}", f"on the {name}").replace(word, "input")
    return text


def role(result: AuditResult) -> str:
    """Return the name for the event that gave most evidence: a witness only if it has refuted something."""
    return "witness" if result.violated else "closest event"


def counted(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> str:
    """How often the witness occurred on each side, in brackets; empty if nobody counted."""
    if result.counts is None:
        return ""
    first, second, draws = result.counts
    one, other = (name.removesuffix(" data set") for name in sides)
    return f" ({first} times on the {one}, {second} times on the {other}, in {draws} draws of each)"


def facts(result: AuditResult, sides: tuple[str, str] = DATA_SETS) -> dict[str, str]:
    """All facts of a result, in words and numbers; ``sides`` as in `witness`."""
    threshold = log_threshold(result.claim, 1 - result.confidence)
    sure = result.stopped == "refuted" and result.bound < math.inf
    return {
        "claim": str(result.claim),
        "verdict": result.verdict,
        "reason": result.reason,
        **({"what to do": result.next_step} if result.next_step else {}),
        f"{result.claim.parameter} at least": f"{result.bound:.6g}",
        **({"by how much": next_steps.how_much(result)} if sure else {}),
        "confidence": f"{result.confidence:.9g}",
        role(result): witness(result, sides) + counted(result, sides),
        "log e-value": f"{result.log_e_value:.6g} (refuted from {threshold:.6g})",
        "draws on each data set" if sides == DATA_SETS else "draws of each": str(result.draws),
        **({"rows of a call": result.rows} if result.rows else {}),
        **({"lost pairs of calls": str(result.lost)} if result.lost else {}),
        "failed draws": f"{result.failures} of {2 * result.draws}" if result.failures else "0",
        **result.sight.words(result.accepted_unread),
        **power_by_event_class.told(
            result.counted, result.claim, result.confidence, max(result.sight.places, 1), refuted=result.violated
        ),
        **families((bet.event for epoch in result.evidence.epochs for bet in epoch), ratios=bool(result.claim.orders)),
        "not looked at": next_steps.out_of_sight(result, "data sets" if sides == DATA_SETS else "inputs"),
        "stopped by": result.stopped,
        "repeatable": "by the same seed, as far as it draws from it" if result.seeded else "no, it takes no seed",
        "seconds": f"{result.seconds:.3g}" + next_steps.first_calls(result),
    }
