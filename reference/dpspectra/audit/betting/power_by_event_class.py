"""Losses that so many draws would have refuted, by class of events, and in words.

A prespecified event, one that is chosen before the first draw, needs about ``x**2 / d**2`` draws, where ``d`` is its
excess in standard deviations of one draw, and ``x**2 / 2 - QUANTILE x = log(2 / risk)``. The best of ``K`` candidates
is the right one with probability 0.9 after ``(sqrt(2 log K) + QUANTILE)**2 / d**2`` draws, and what was learned by then
is bet on from twice as many on. So ``n`` draws refute, of a class of ``K`` candidates, what ``n / c`` draws refute of a
prespecified event, with

    c = 1 + 2 (sqrt(2 log K) + QUANTILE)**2 / x**2.

This is of first order, and no proof: simulations of the whole engine, with an event of probability one half of each
class and a claim of 1, keep what it promises (``bench/power_by_class.py``). Nothing is promised of other events: narrow
intervals, more than four of them, remainders by other numbers or of one of many numbers, sets of many labels, learned
scores, products of several numbers.
"""

import math

from dpspectra.audit.betting import power
from dpspectra.audit.claims import CurveClaim
from dpspectra.ground import checks

QUANTILE = 1.2816
"""Quantile of the normal law at 0.9."""
PRESPECIFIED = "prespecified"
"""Class of a single event that is known in advance."""
CLASSES = {
    PRESPECIFIED: "on half of the outputs, prespecified",
    "threshold": "by a threshold of one number",
    "interval": "by one to four intervals of one number",
    "residue": "by one of the last 21 bits of a whole number, or its remainder by 2 to 64",
    "place": "by one of the numbers of an output",
    "member": "by the presence of a word or a member",
}
"""Classes of events, and how such an event carries a loss, in words."""
CANDIDATES = {PRESPECIFIED: 1, "threshold": 10, "interval": 100, "residue": 100, "place": 100, "member": 1024}
"""Candidates among which the event is found; of a place as many as an output has, if there are more."""
WHOLE = 32
"""Numbers in an output up to which something is promised of their remainders."""
NOTHING = "none: so few draws refute nothing"


def told(draws: int, claim: CurveClaim, confidence: float, places: int, *, refuted: bool) -> dict[str, str]:
    """Say what so many draws would have refuted; of a claim that they refuted, not that it is nothing."""
    lines = {
        "smallest loss that shows": loss(draws, claim, confidence),
        "would have been refuted, too": found(draws, claim, confidence, places),
        "smallest event that shows": event(draws, claim, confidence),
    }
    if refuted:
        return {name: words for name, words in lines.items() if words != NOTHING}
    return too_few(draws, claim, confidence) | lines


def too_few(draws: int, claim: CurveClaim, confidence: float) -> dict[str, str]:
    """Say that no test whatever could have refuted the claim, where so few draws were made."""
    fewest = power.fewest_draws(claim, confidence=confidence)
    if draws >= fewest:
        return {}
    number = "any number of" if math.isinf(fewest) else f"{fewest:.0f}"
    return {"no test refutes with fewer than": f"{number} draws on each data set (with probability 0.9)"}


def loss(draws: int, claim: CurveClaim, confidence: float) -> str:
    """Return the smallest loss on half of the outputs that is refuted most likely."""
    shown = power.refutable(draws, claim, confidence=confidence)
    if math.isinf(shown):
        return NOTHING
    if len(claim.points(claim.value)) == 1:
        return f"{shown:.4g} nats on half of the outputs (with probability 0.9)"
    delta = power.refutable_delta(draws, claim, confidence=confidence)
    rare = (0.5 - delta) * math.exp(-shown)
    event = f"an event of probability 0.5 on one side and {rare:.3g} on the other"
    return f"{shown:.4g} nats with delta {delta:.3g}: {event} (with probability 0.9)"


def event(draws: int, claim: CurveClaim, confidence: float) -> str:
    """Return the smallest probability of an event, impossible on the other side, that is refuted most likely."""
    smallest = power.smallest_event(draws, claim, confidence=confidence)
    if math.isinf(smallest):
        return NOTHING
    return f"probability {smallest:.3g}, if impossible on the other side (with probability 0.9)"


def power_of(kind: str, draws: int, claim: CurveClaim, confidence: float, places: int = 1) -> float:
    """Smallest loss, in nats, that is refuted with probability 0.9 if an event of a class carries it.

    ``places`` is the number of numbers of an output. Raises ``ValueError`` for a class that there is not.
    """
    checks.choice(kind, "class", CLASSES)
    if kind == "residue" and places > WHOLE:
        return math.inf
    among = {"place": max(CANDIDATES["place"], places), "residue": CANDIDATES["residue"] * places}
    candidates = among.get(kind, CANDIDATES[kind])
    enough = draws if kind == PRESPECIFIED else int(draws / dilution(candidates, 1 - confidence))
    return power.refutable(enough, claim, confidence=confidence)


def dilution(candidates: int, risk: float) -> float:
    """How many times more draws an event needs that has to be found among so many candidates."""
    x = QUANTILE + math.sqrt(QUANTILE**2 + 2 * math.log(2 / risk))
    return 1 + 2 * (math.sqrt(2 * math.log(candidates)) + QUANTILE) ** 2 / x**2


def required(text: float | str | None, name: str = "require_power") -> tuple[float | None, str]:
    """Read a loss that must be refutable, in nats, and the class that carries it: ``1.8``, or ``"1.8@interval"``.

    Raises ``ValueError`` for anything else.
    """
    if not isinstance(text, str):
        return (None if text is None else checks.positive(text, name)), PRESPECIFIED
    number, at, kind = text.partition("@")
    try:
        loss = float(number)
    except ValueError:
        raise ValueError(f"{name} must be a loss in nats, perhaps with @ and a class, got {text!r}") from None
    return checks.positive(loss, name), checks.choice(kind, f"class of {name}", CLASSES) if at else PRESPECIFIED


def found(draws: int, claim: CurveClaim, confidence: float, places: int = 1) -> str:
    """Describe the promise for events that the auditor has to find."""
    losses = {kind: power_of(kind, draws, claim, confidence, places) for kind in CLASSES if kind != PRESPECIFIED}
    shown = [f"{loss:.4g} nats {CLASSES[kind]}" for kind, loss in losses.items() if math.isfinite(loss)]
    return f"{', '.join(shown)}; nothing is promised of other events" if shown else NOTHING
