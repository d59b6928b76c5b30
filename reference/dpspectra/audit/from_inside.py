"""Audit a mechanism from inside: follow its noise through the code, and compare the exact loss with a claim."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from dpspectra.audit.calling.arms import two_different_arms
from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.claims import GDP, ZCDP, ApproxDP, CurveClaim, Profile, PureDP, Renyi
from dpspectra.audit.inside_words import PLACE, in_python, lines, next_step
from dpspectra.ground import checks
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.program_lines import excerpt, is_of_program
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.verdict import EXCEEDED, EXPLAINED, REFUTED, SLACK, UNDECIDED, Call, Found, Question, Witness

ORDERS = 500
"""Intervals of orders at whose upper ends a Renyi divergence is compared with a claim at the lower ones."""
SMALLEST = 1e-13
"""Difference of deltas that is rounding."""


@dataclass(frozen=True)
class InsideResult:
    """Hold the findings of an audit from inside on one pair of data sets, in ideal arithmetic.

    ``claim`` is that of the mechanism; ``findings``, ``confirmations`` and ``divergence`` (the first one) are lines of
    the report. ``runs`` were made with noise followed, ``plain_runs`` with nothing replaced, at this ``confidence``, in
    this many ``seconds``.
    """

    claim: CurveClaim
    verdict: str
    """``"refuted"``, ``"explained"``, ``"exceeded"`` or ``"undecided"``."""
    loss: float
    """Largest log-ratio of likelihoods that was met, in nats; of the output, or of the numbers that were looked at."""
    bound: float
    """Bound on the loss of the output over all outcomes; infinite if none is known."""
    mu: float
    """Distance in standard deviations if all noise is normal, else infinite."""
    delta: tuple[float, float] | None
    """Bounds on ``delta`` at the claim's first epsilon, where they are known."""
    of_output: bool
    """Whether ``loss`` is the loss of the output itself. Otherwise it counts draws that the output need not show."""
    how: str
    """How the verdict was established."""
    reasons: tuple[str, ...]
    """Why the claim is neither refuted nor explained, with lines."""
    findings: tuple[str, ...]
    confirmations: tuple[str, ...]
    divergence: str | None
    calls: tuple[Call, ...]
    """Lines that draw noise whose law differs between the data sets.

    Where decisions are summed over, they are those of the likeliest path to the witness.
    """
    runs: int
    plain_runs: int
    confidence: float
    seconds: float
    witness: Witness | None = None
    """The output that loses most, if the claim is refuted by a sum over hidden decisions."""
    named: dict[str, str] = field(default_factory=dict)
    """Source of the lines that findings and reasons name, by file and number."""

    @property
    def refuted(self) -> bool:
        """Whether the claim is false on this pair."""
        return self.verdict == REFUTED

    @property
    def next(self) -> str:
        """Way out if nothing is decided, in one line; else empty."""
        return next_step(self, in_python(self.claim))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; infinite numbers are the text ``"inf"``.

        Returns
        -------
        dict
            Plain data.

        """
        names = ("verdict", "of_output", "how", "divergence", "runs", "plain_runs", "confidence", "seconds")
        found = {name: getattr(self, name) for name in names}
        found |= {name: _finite(getattr(self, name)) for name in ("loss", "bound", "mu")}
        found |= {name: list(getattr(self, name)) for name in ("reasons", "findings", "confirmations")}
        found["delta"] = None if self.delta is None else list(self.delta)
        found["next"] = self.next
        found["claim"] = self.claim.to_dict()
        found["calls"] = [
            {
                name: _finite(getattr(c, name))
                for name in ("place", "law", "move", "between", "scale", "stretch", "loss", "alone", "bound", "mu")
            }
            for c in self.calls
        ]
        found["named"] = self.named
        found["witness"] = None if self.witness is None else _of_witness(self.witness)
        return found

    def __str__(self) -> str:
        return "\n".join(lines(self))


def _of_witness(witness: Witness) -> dict[str, Any]:
    name = "log_density" if witness.density else "log_probability"
    return {"output": witness.output, name: [_finite(x) for x in witness.logs]}


def _finite(x: Any) -> Any:
    return ("inf" if x > 0 else "-inf") if isinstance(x, float) and math.isinf(x) else x


def question(claim: CurveClaim) -> Question:
    """Return the implications of the claim, in both directions."""
    from dpspectra.fast import gaussian_profile, renyi

    points = tuple(claim.points(claim.value))

    def by_loss(loss: float) -> bool:
        if isinstance(claim, (PureDP, ApproxDP)):
            return loss <= claim.epsilon * (1 + SLACK) + SMALLEST
        if isinstance(claim, Renyi):  # DPS-PURERENYI, as the next one
            return loss <= float(renyi.coin(claim.alpha, claim.epsilon)) * (1 + SLACK) + SMALLEST
        if isinstance(claim, ZCDP):
            return loss * loss / 2 <= claim.rho * (1 + SLACK)
        if isinstance(claim, Profile):
            return by_curve(lambda epsilon: max(0.0, -math.expm1(min(epsilon - loss, 0.0))) if loss < math.inf else 1.0)
        return loss <= 0.0

    def by_curve(delta: Callable[[float], float]) -> bool:
        if isinstance(claim, (ApproxDP, Profile)):
            return all(delta(e) <= d * (1 + SLACK) + SMALLEST for e, d in points)
        return False

    def by_mu(mu: float) -> bool:
        if mu == math.inf:
            return False
        if isinstance(claim, GDP):
            return mu <= claim.mu * (1 + SLACK)
        if isinstance(claim, ZCDP):
            return mu * mu / 2 <= claim.rho * (1 + SLACK)
        if isinstance(claim, Renyi):
            return claim.alpha * mu * mu / 2 <= claim.epsilon * (1 + SLACK)
        if mu == 0:
            return True
        return by_curve(lambda epsilon: float(gaussian_profile.profile(epsilon, mu)))

    def false_at_mu(mu: float) -> bool:
        if isinstance(claim, (Renyi, ZCDP)):
            return not by_mu(mu)
        deltas = ((float(gaussian_profile.profile(e, mu)), d) for e, d in points if d > 0)
        return any(exact > d * (1 + SLACK) + SMALLEST for exact, d in deltas)

    def by_divergence(divergence: Callable[[float], float], largest: float) -> bool:
        if isinstance(claim, Renyi):
            return divergence(claim.alpha) <= claim.epsilon * (1 + SLACK)
        if not isinstance(claim, ZCDP) or largest == math.inf:
            return False
        last = max(largest / claim.rho, 1.0) * (1 + SLACK)
        orders = [last ** (k / ORDERS) for k in range(ORDERS + 1)]  # between two of them the divergence grows
        return all(divergence(above) <= claim.rho * below for below, above in pairwise(orders))

    return Question(points, by_loss, by_mu, by_curve, false_at_mu, by_divergence)


def inside(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    confidence: float = 0.999,
    runs: int = 200,
    seconds: float = 60.0,
    bits: bool = False,
    rng: Any = 0,
) -> InsideResult:
    """Follow the noise of an unmodified Python mechanism on ``pair``, and compare its exact loss with a claim.

    The mechanism is run on one data set with its draws kept as symbols, then on the other one with the same outcomes
    of all that it looked at; the two give the exact log-ratio of the likelihoods of what was seen. Draws of numpy, of
    the modules `random` and `secrets`, of `scipy.stats` and of torch on the CPU are followed, under every name in
    loaded modules, as are those of generators that exist already if their seed is fresh. The report names all noise
    that is not followed.

    Parameters
    ----------
    mechanism : callable
        Function of the data set, and of ``rng``, ``seed`` or ``random_state`` if it has a parameter of that name.
    pair : tuple
        The two neighbouring data sets.
    epsilon : float or CurveClaim
        The claim in nats, or any claim that `audit` knows.
    delta : float
        The claim's ``delta``.
    confidence : float
        One minus the risk that a sound mechanism is called refuted by bets or by tested events, and also that a closed
        form that is right is left undecided, as 400 plain runs on each data set seem to contradict it.
    runs : int
        Most outputs whose loss is looked at where hidden decisions are summed over.
    seconds : float
        Time after which no further run is begun.
    bits : bool
        Also look at all bits of what the running program gives: numbers that hold one Laplace draw have gaps, at other
        places on each data set, which fresh runs confirm. All else is about exact arithmetic.
    rng : int, numpy Generator or None
        Randomness of the audit.

    Returns
    -------
    InsideResult
        With the verdict ``"refuted"`` (the claim on the output is false on this pair), ``"explained"`` (the loss on
        this pair is bounded by the claim on all paths), ``"exceeded"`` (what the program looked at loses more than the
        claim, the output is not refuted) or ``"undecided"``, with the line that could not be followed. Explained is
        not private: it is one pair, in ideal arithmetic.

    Raises
    ------
    ValueError
        For bad input, and if another audit from inside is under way.

    Examples
    --------
    >>> def noisy_sum(x, rng):
    ...     return sum(x) + rng.laplace(scale=1.0)
    >>> print(inside(noisy_sum, ([1.0], [1.0, 1.0]), 1.0).verdict)
    explained
    >>> print(inside(noisy_sum, ([1.0], [1.0, 3.0]), 1.0).verdict)
    refuted

    """
    start = time.perf_counter()
    claim = claim_of(epsilon, delta)
    two_different_arms(mechanism, pair)
    checks.probability(confidence, "confidence")
    checks.integer(runs, "runs", 1)
    checks.positive(seconds, "seconds")
    checks.flag(bits, "bits")
    asked = Runner(
        mechanism,
        (pair[0], pair[1]),
        question(claim),
        runs=runs,
        risk=1 - confidence,
        seconds=seconds,
        rng=checks.generator(rng),
    )
    return _result(claim, decide(asked, bits=bits), confidence, time.perf_counter() - start)


def _result(claim: CurveClaim, found: Found, confidence: float, seconds: float) -> InsideResult:
    sides = found.sides
    verdict = found.verdict
    decisive = next((s for s in sides if s.refuted), max(sides, key=lambda s: s.loss))
    how = next((s.refuted for s in sides if s.refuted), found.confirmed or decisive.how)
    reasons = () if verdict in (REFUTED, EXPLAINED) else tuple(dict.fromkeys(r for s in sides for r in s.reasons))
    places = [where for text in (*found.findings, *reasons) for where in PLACE.findall(text) if is_of_program(where)]
    named = {where: text.strip() for where in places for _, text in excerpt(where)}
    deltas = [s.delta for s in sides if s.delta is not None]
    return InsideResult(
        claim=claim,
        verdict=verdict,
        loss=decisive.loss,
        bound=max(s.bound for s in sides),
        mu=max(s.mu for s in sides),
        delta=max(deltas) if len(deltas) == 2 or (deltas and verdict == REFUTED) else None,
        of_output=not decisive.transcript,
        how=how or "",
        reasons=reasons,
        findings=tuple(found.findings),
        confirmations=tuple(found.confirmations),
        divergence=found.divergence,
        calls=tuple(sorted(found.calls.values(), key=lambda c: -c.loss)),
        runs=found.runs,
        plain_runs=found.plain_runs,
        confidence=confidence,
        seconds=seconds,
        witness=decisive.witness if decisive.refuted else None,
        named=named,
    )


__all__ = ["EXCEEDED", "EXPLAINED", "REFUTED", "UNDECIDED", "InsideResult", "inside", "lines", "question"]
