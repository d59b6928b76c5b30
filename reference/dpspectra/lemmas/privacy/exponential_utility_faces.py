"""Cases and faces of MWKTV-T5.4: the statement and its formulas stand in `exponential_utility`."""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import logsumexp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, inequality
from dpspectra.lemmas.privacy import exponential_utility
from dpspectra.lemmas.privacy.exponential_utility import bound, radius
from dpspectra.oracle.power import largest
from dpspectra.strategies import dimensions, distributions, dyadics, epsilons, st

RADIUS = "radius for a power"
NEAR = 2.0**-30
"""Distance from a threshold to an outcome just inside it."""


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, Any, float, float, int]:
    """Base law, shortfalls of the outcomes below the level, ``kappa``, ``t`` and ``8 s / t``.

    Shortfalls are 0 once, and otherwise arbitrary, at ``s`` or ``t``, or slightly less than these. In half of the cases
    no score exceeds the level.
    """
    n, t, eighths = draw(dimensions()), draw(dyadics(0.5, 16) | st.just(16.0)), draw(st.integers(1, 11))
    s = t * eighths / 8
    least = draw(st.sampled_from([0, -8]))
    each = dyadics(least, 20) | st.sampled_from([s, s - NEAR, t, t - NEAR])
    below = draw(st.lists(each, min_size=n - 1, max_size=n - 1))
    return draw(distributions(n)), np.array([0.0, *below]), draw(epsilons(2.0**-5, 4.0)), t, eighths


lemma = exponential_utility.lemma.checked_on(_instances)


@lemma.fast
def failure(base: Any, below: Any, kappa: float, t: float, eighths: int) -> Parts:
    """The tail of a finite law; the radius for a base probability ``(s / t)^n`` of the slack ``s``."""
    s, n = t * eighths / 8, len(base)
    bad, good = np.sum(base[below >= t]), np.sum(base[below < s])
    if good == 0:
        return
    weights = -kappa * below
    probability = np.exp(logsumexp(weights, b=base * (below >= t)) - logsumexp(weights, b=base)) if bad else 0.0
    yield AtMost(probability, bound(kappa, t, s, good) * bad, part="tail with both measures")
    yield AtMost(probability, bound(kappa, t, s, good), part="tail with one measure")
    found = radius(kappa, good / 2, lambda slack: n * math.log(slack / t), t)
    yield Equal(found, _best(kappa, good / 2, n, t), part=RADIUS)


def _best(kappa: float, beta: float, n: int, t: float) -> float:
    """Smallest ``s + (log(1 / beta) - n log(s / t)) / kappa`` over slacks ``s`` up to ``t``, and at most ``t``."""
    s = min(n / kappa, t)
    return min(s + (math.log(1 / beta) - n * math.log(s / t)) / kappa, t)


@lemma.oracle
def exact_failure(base: Reals, below: Reals, kappa: float, t: Real, eighths: int) -> Parts:
    s, outcomes = t * eighths / 8, list(zip(base, below, strict=True))
    bad, good = mp.fsum(m for m, v in outcomes if v >= t), mp.fsum(m for m, v in outcomes if v < s)
    if good == 0:
        return
    weights = [(mass * mp.exp(-kappa * short), short) for mass, short in outcomes]
    probability = mp.fsum(w for w, v in weights if v >= t) / mp.fsum(w for w, _ in weights)
    limit = mp.exp(-kappa * (t - s)) / good
    yield AtMost(probability, limit * bad, part="tail with both measures")
    yield AtMost(probability, limit, part="tail with one measure")
    # over log(s / t): the shortfall at which the bound is good / 2 is convex there
    slackest = -largest(lambda x: -(t * mp.exp(x) + (mp.log(2 / good) - len(base) * x) / kappa), -20, 0)
    yield Equal(min(slackest, t), _exact_best(kappa, good / 2, len(base), t), part=RADIUS)


def _exact_best(kappa: Any, beta: Any, n: int, t: Any) -> Any:
    """`_best` in mpmath, with its two cases apart."""
    least = n / mp.mpf(kappa) * (1 + mp.log(kappa * t / n)) if kappa * t > n else t
    return min(least + mp.log(1 / beta) / kappa, t)


@lemma.as_printed
def printed_failure(base: Any, below: Any, kappa: float, t: float) -> AtMost:
    _, repaired, *_ = exact_failure(base, below, kappa, t, 4)
    return AtMost(repaired.left, repaired.right * mp.exp(-kappa * mp.mpf(t) / 2), part="printed form")


@lemma.hypotheses
def a_probability_measure(base: Any, below: Any, kappa: float, t: float) -> dict[str, AtMost]:
    """A neighbour with all scores one higher has the sensitivity ``Delta = 1``; ``kappa = epsilon / 2 Delta``."""
    return {
        "the base measure has mass 1": AtMost(abs(mp.fsum(map(mp.mpf, base)) - 1), 0),
        "the optimum is attained": AtMost(min(below), 0),
        "epsilon and t are positive": AtMost(0, min(kappa, t)),
    }


@lemma.counterexample
def half_way() -> Any:
    """Sensitivity 1 and ``epsilon = 1``, so ``kappa = 1/2``."""
    return np.array([2.0**-20, 0.5, 0.5 - 2.0**-20]), np.array([0.0, 8.0 - NEAR, 16.0]), 0.5, 16.0


@lemma.certificate
def half_way_certificate() -> dict[str, Any]:
    tiny, rest = "1/1048576", "524287/1048576"
    far = ["mul", rest, ["exp", "-8"]]
    middle = ["mul", "1/2", ["exp", ["div", ["sub", "1/1073741824", "8"], "2"]]]
    return inequality(
        "MWKTV-T5.4",
        "masses 2^-20, 1/2, 1/2 - 2^-20 at shortfalls 0, 8 - 2^-30, 16, kappa = 1/2, t = 16, slack 8",
        ["div", far, ["add", tiny, middle, far]],
        ["div", ["exp", "-8"], ["add", tiny, "1/2"]],
    )


@lemma.tight
def just_inside() -> list[Any]:
    """Half of the mass, or very little of it, just inside the slack and nearly all of the rest at the threshold."""
    below = np.array([0.0, 8.0 - NEAR, 16.0])
    return [
        (np.array([2.0**-50, 0.5, 0.5 - 2.0**-50]), below, 2.0, 16.0, 4),
        (np.array([2.0**-90, 2.0**-21, 1 - 2.0**-21]), below, 4.0, 16.0, 4),
    ]


@lemma.beyond
def warmer_draw() -> dict[str, AtMost]:
    """The first tight case with the bound for ``kappa = 2`` and a draw at 1.9."""
    base, below, kappa, t, eighths = just_inside()[0]
    drawn, *_ = exact_failure(base, below, 0.95 * kappa, t, eighths)
    stated, *_ = exact_failure(base, below, kappa, t, eighths)
    outcome = AtMost(drawn.left, stated.right, part="tail with both measures")
    return {"the draw has the inverse temperature kappa": outcome}
