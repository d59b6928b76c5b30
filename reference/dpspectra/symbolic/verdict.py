"""Findings on a pair of data sets, and the verdict that they support."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

FUNCTIONS = "the output is a function of them"
"""How an output is told of that is computed from noise which nobody looked at."""
REFUTED, EXPLAINED, EXCEEDED, UNDECIDED = "refuted", "explained", "exceeded", "undecided"
SLACK = 1e-6
"""Relative difference from the claim within which a loss is told as equal to it."""

FAILED = "the tracer failed"
"""How the reason begins where our own code raises in a followed run."""
SCALED = "noise is multiplied or divided by a number that depends on private data"
"""Finding that a line is at fault for scales that differ."""
STRETCHED = 1e-9
"""Share by which scales on both data sets may differ before the report tells of it."""
SINGLE = 1e-5
"""Relative difference that sums in single precision leave in a loss."""


@dataclass(frozen=True)
class Question:
    """A claim, as far as the audit needs to know it.

    ``points`` are pairs ``(epsilon, delta)`` that the claim implies: one of them that is false refutes it, and so does
    normal noise at exactly so many standard deviations for which ``false_at_mu`` is true. The other fields say what
    implies the claim: a loss of at most so many nats, such noise, a curve of exact deltas, or bounds on Renyi
    divergences, each by its order and one for all of them.
    """

    points: tuple[tuple[float, float], ...]
    by_loss: Callable[[float], bool]
    by_mu: Callable[[float], bool]
    by_curve: Callable[[Callable[[float], float]], bool]
    false_at_mu: Callable[[float], bool]
    by_divergence: Callable[[Callable[[float], float], float], bool] = lambda divergence, largest: False

    def is_exceeded_by(self, loss: float) -> bool:
        """Whether a loss of an output is beyond a pure claim, by more than rounding."""
        return any(delta == 0 and loss > epsilon * (1 + SLACK) + 1e-12 for epsilon, delta in self.points)


def in_single_precision(asked: Question) -> Question:
    """Return a claim on noise that is kept in single precision: what it moves and hides is known up to its rounding."""
    return Question(
        tuple((epsilon * (1 + SINGLE), delta) for epsilon, delta in asked.points),
        lambda loss: asked.by_loss(loss / (1 + SINGLE)),
        lambda mu: asked.by_mu(mu / (1 + SINGLE)),
        asked.by_curve,
        lambda mu: asked.false_at_mu(mu / (1 + SINGLE)),
        asked.by_divergence,
    )


@dataclass
class Call:
    """One line that draws noise, with what it moves and hides."""

    place: str
    law: str
    loss: float = 0.0
    """Largest loss met of its draws together, in nats."""
    bound: float = 0.0
    mu: float = 0.0
    move: float = 0.0
    """Largest sum of moves of the locations, in the units of the values."""
    scale: float = math.inf
    """Smallest scale."""
    stretch: float = 1.0
    """Largest factor by which the scales of the data sets differ, at least 1."""
    source: tuple[tuple[int, str], ...] = ()
    """Numbered source lines around it."""
    between: bool = False
    """Whether ``move`` is that of a difference of its numbers, which a decision compares."""
    alone: bool = True
    """Whether ``loss`` is its own; otherwise nothing is known of what it loses by itself."""


@dataclass(frozen=True)
class Witness:
    """An output, with its log-probability on each data set of the pair, or its log-density if it holds noise."""

    output: str
    logs: tuple[float, float]
    density: bool


@dataclass
class Side:
    """Findings with one of the data sets recorded and the other replayed."""

    explained: bool = False
    refuted: str | None = None
    loss: float = 0.0
    """Largest loss met of the output, or of the transcript if ``transcript``."""
    bound: float = math.inf
    """Bound on the loss of the output; infinite if none is known."""
    mu: float = math.inf
    delta: tuple[float, float] | None = None
    """Bounds on delta at the claim's first epsilon."""
    exceeded: bool = False
    """Whether the transcript loses more than the claim allows."""
    transcript: bool = False
    reasons: list[str] = field(default_factory=list)
    """Why the claim is neither refuted nor explained."""
    how: str = ""
    witness: Witness | None = None
    """The output that loses most of those that were looked at, where decisions are summed over."""


@dataclass
class Found:
    """Findings in both orders."""

    sides: list[Side] = field(default_factory=lambda: [Side(), Side()])
    calls: dict[str, Call] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    confirmations: list[str] = field(default_factory=list)
    confirmed: str | None = None
    divergence: str | None = None
    """First question that only one of the data sets asks."""
    runs: int = 0
    plain_runs: int = 0

    @property
    def verdict(self) -> str:
        """The one verdict that all of this supports. A proof in one order survives an unsolved other one."""
        if self.confirmed is not None or any(s.refuted for s in self.sides):
            return REFUTED
        if any(s.exceeded for s in self.sides):
            return EXCEEDED
        return EXPLAINED if all(s.explained for s in self.sides) else UNDECIDED

    def take_back(self, why: str, transcripts: bool = False) -> None:
        """Say neither yes nor no of the law of the output, and with ``transcripts`` nothing of what was looked at."""
        for side in self.sides:
            side.refuted, side.explained = None, False
            side.exceeded = side.exceeded and not transcripts
            side.reasons.append(why)

    def tell(self, finding: str) -> None:
        """Add a finding, once."""
        if finding not in self.findings:
            self.findings.append(finding)
