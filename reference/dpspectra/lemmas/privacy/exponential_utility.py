"""Density ``exp(kappa q)`` misses the best score by ``t`` with probability at most ``e^(-kappa (t - s)) / mu(S_s)``.

``S_s`` is the set of outcomes less than ``s`` below the optimum. The outcomes at ``OPT - t`` or below contribute at
most ``e^(kappa (OPT - t))`` times their base measure to the normaliser, and ``S_s`` alone contributes more than
``e^(kappa (OPT - s)) mu(S_s)``. Printed was the case ``s = t/2`` with the whole exponent ``kappa t`` instead of
``kappa t / 2``; this fails for an outcome of tiny measure at the optimum, half the measure just above ``OPT - t/2`` and
the rest at ``OPT - t``. If ``S_s`` has base measure 0 nothing is claimed. Nothing in the proof needs the optimum: any
number may stand for ``OPT``, and ``s`` and ``t`` may have any order and sign.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import logsumexp

from dpspectra.formulas.exponential_utility import bound, radius
from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, Verdict, all_parts, inequality, statement
from dpspectra.oracle.power import largest
from dpspectra.strategies import dimensions, distributions, dyadics, epsilons, st

RADIUS = "radius for a power"
NEAR = 2.0**-30
"""Distance from a threshold to an outcome just inside it."""


def _best(kappa: float, beta: float, n: int, t: float) -> float:
    """Smallest ``s + (log(1 / beta) - n log(s / t)) / kappa`` over slacks ``s`` up to ``t``, and at most ``t``."""
    s = min(n / kappa, t)
    return min(s + (math.log(1 / beta) - n * math.log(s / t)) / kappa, t)


def _exact_best(kappa: Any, beta: Any, n: int, t: Any) -> Any:
    """`_best` in mpmath, with its two cases apart."""
    least = n / mp.mpf(kappa) * (1 + mp.log(kappa * t / n)) if kappa * t > n else t
    return min(least + mp.log(1 / beta) / kappa, t)


def _tail(base: Any, below: Any, kappa: float, t: float) -> Any:
    """Probability of a shortfall of at least ``t``."""
    weights, bad = -kappa * below, base * (below >= t)
    return np.exp(logsumexp(weights, b=bad) - logsumexp(weights, b=base)) if np.any(bad) else 0.0


def _exact_tail(outcomes: list[Any], kappa: float, t: Any) -> Any:
    """`_tail` in mpmath, of pairs of a base mass and a shortfall."""
    weights = [(mass * mp.exp(-kappa * short), short) for mass, short in outcomes]
    return mp.fsum(w for w, v in weights if v >= t) / mp.fsum(w for w, _ in weights)


@statement
class ExponentialUtility:
    labels = ("MWKTV-T5.4",)
    given = (
        r"S_t=\{q>\mathrm{OPT}-t\},\ \mu(S_s)>0,\ s,t>0;\quad "
        r"f(x)=x+\tfrac1\kappa\log\tfrac{(t/x)^n}{\beta},\ \beta=\tfrac12\mu(S_s)"
    )
    claim = {
        "tail with both measures": r"\Pr[q(r)\le\mathrm{OPT}-t]\le e^{-\kappa(t-s)}\frac{\mu(S_t^c)}{\mu(S_s)}",
        "tail with one measure": r"\Pr[q(r)\le\mathrm{OPT}-t]\le\frac{e^{-\kappa(t-s)}}{\mu(S_s)}",
        "radius for a power": r"\min\{t,\min_{0<x\le t}f(x)\}=\min\{t,f(\min\{\tfrac n\kappa,t\})\}",
    }
    printed = (
        r"For a probability measure $`\mu`$ and $`S_t=\{q>\mathrm{OPT}-t\}`$ the output is outside "
        r"$`S_t`$ with probability at most $`\exp(-\frac\varepsilon{2\Delta}t)/\mu(S_{t/2})`$."
    )
    where = {
        "r": "output of the exponential mechanism",
        r"\mathrm{OPT}": "any number; in the applications the largest score",
        "t": "loss of utility",
        "s": "another loss of utility",
        "S_t^c": "outputs that lose at least $`t`$",
        "S_i": r"outputs whose score is less than this below $`\mathrm{OPT}`$",
        r"\mu": "base law of the outputs",
        "q": "score of an output",
        "f": r"loss of utility that $`\beta`$ allows if $`\mu(S_x)=(x/t)^n`$",
        "x": "a loss of utility",
        "n": "number of outputs, any power",
        r"\beta": "probability of a larger loss of utility",
    }
    verdict = Verdict.REPAIRED
    note = "privacy.md#utility-of-the-exponential-mechanism"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, float, int]:
        """Base law, shortfalls of the outcomes below the level, ``kappa``, ``t`` and ``8 s / t``.

        Shortfalls are 0 once, and otherwise arbitrary, at ``s`` or ``t``, or slightly less than these. In half of the
        cases no score exceeds the level.
        """
        n, t, eighths = draw(dimensions()), draw(dyadics(0.5, 16) | st.just(16.0)), draw(st.integers(1, 11))
        s = t * eighths / 8
        least = draw(st.sampled_from([0, -8]))
        each = dyadics(least, 20) | st.sampled_from([s, s - NEAR, t, t - NEAR])
        below = draw(st.lists(each, min_size=n - 1, max_size=n - 1))
        return draw(distributions(n)), np.array([0.0, *below]), draw(epsilons(2.0**-5, 4.0)), t, eighths

    def fast(self, base: Any, below: Any, kappa: float, t: float, eighths: int) -> Parts:
        """The tail of a finite law; the radius for a base probability ``(s / t)^n`` of the slack ``s``."""
        s, n = t * eighths / 8, len(base)
        bad, good = np.sum(base[below >= t]), np.sum(base[below < s])
        if good == 0:
            return
        probability = _tail(base, below, kappa, t)
        yield AtMost(probability, bound(kappa, t, s, good) * bad, part="tail with both measures")
        yield AtMost(probability, bound(kappa, t, s, good), part="tail with one measure")
        found = radius(kappa, good / 2, lambda slack: n * math.log(slack / t), t)
        yield Equal(found, _best(kappa, good / 2, n, t), part=RADIUS)

    def oracle(self, base: Reals, below: Reals, kappa: float, t: Real, eighths: int) -> Parts:
        s, outcomes = t * eighths / 8, list(zip(base, below, strict=True))
        bad, good = mp.fsum(m for m, v in outcomes if v >= t), mp.fsum(m for m, v in outcomes if v < s)
        if good == 0:
            return
        probability = _exact_tail(outcomes, kappa, t)
        limit = mp.exp(-kappa * (t - s)) / good
        yield AtMost(probability, limit * bad, part="tail with both measures")
        yield AtMost(probability, limit, part="tail with one measure")
        # over log(s / t): the shortfall at which the bound is good / 2 is convex there
        slackest = -largest(lambda x: -(t * mp.exp(x) + (mp.log(2 / good) - len(base) * x) / kappa), -20, 0)
        yield Equal(min(slackest, t), _exact_best(kappa, good / 2, len(base), t), part=RADIUS)

    def tight(self) -> list[Any]:
        """Half of the mass, or very little of it, just inside the slack and nearly all of the rest at the threshold."""
        below = np.array([0.0, 8.0 - NEAR, 16.0])
        return [
            (np.array([2.0**-50, 0.5, 0.5 - 2.0**-50]), below, 2.0, 16.0, 4),
            (np.array([2.0**-90, 2.0**-21, 1 - 2.0**-21]), below, 4.0, 16.0, 4),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The first tight case with the bound for ``kappa = 2`` and a draw at 1.9."""
        base, below, kappa, t, eighths = self.tight()[0]
        drawn, *_ = all_parts(self.oracle(base, below, 0.95 * kappa, t, eighths))
        stated, *_ = all_parts(self.oracle(base, below, kappa, t, eighths))
        outcome = AtMost(drawn.left, stated.right, part="tail with both measures")
        return {"the draw has the inverse temperature kappa": outcome}

    def as_printed(self, base: Any, below: Any, kappa: float, t: float) -> AtMost:
        _, repaired, *_ = all_parts(self.oracle(base, below, kappa, t, 4))
        return AtMost(repaired.left, repaired.right * mp.exp(-kappa * mp.mpf(t) / 2), part="printed form")

    def hypotheses(self, base: Any, below: Any, kappa: float, t: float) -> dict[str, AtMost]:
        """A neighbour with all scores one higher has the sensitivity ``Delta = 1``; ``kappa = epsilon / 2 Delta``."""
        return {
            "the base measure has mass 1": AtMost(abs(mp.fsum(map(mp.mpf, base)) - 1), 0),
            "the optimum is attained": AtMost(min(below), 0),
            "epsilon and t are positive": AtMost(0, min(kappa, t)),
        }

    def counterexample(self) -> Any:
        """Sensitivity 1 and ``epsilon = 1``, so ``kappa = 1/2``."""
        return np.array([2.0**-20, 0.5, 0.5 - 2.0**-20]), np.array([0.0, 8.0 - NEAR, 16.0]), 0.5, 16.0

    def certificate(self) -> dict[str, Any]:
        tiny, rest = "1/1048576", "524287/1048576"
        far = ["mul", rest, ["exp", "-8"]]
        middle = ["mul", "1/2", ["exp", ["div", ["sub", "1/1073741824", "8"], "2"]]]
        return inequality(
            "MWKTV-T5.4",
            "masses 2^-20, 1/2, 1/2 - 2^-20 at shortfalls 0, 8 - 2^-30, 16, kappa = 1/2, t = 16, slack 8",
            ["div", far, ["add", tiny, middle, far]],
            ["div", ["exp", "-8"], ["add", tiny, "1/2"]],
        )


@statement
class ExponentialUtilityOverview:
    labels = ("MWKTV-E5",)
    given = r"S_t=\{q>\mathrm{OPT}-t\},\ \mu(S_{t/2})>0,\ t>0,\ \kappa=\tfrac\varepsilon\Delta"
    claim = {
        "tail with one measure": (r"\Pr[q(r)\le\mathrm{OPT}-t]\le\frac{e^{-\varepsilon t/(2\Delta)}}{\mu(S_{t/2})}")
    }
    printed = (
        r"$`\Pr(M\notin S_t)\le\exp(-\frac\varepsilon{2\Delta}t)/\mu_\Lambda(S_{t/2})`$, for the density that the "
        r"overview samples, $`\exp(\frac\varepsilon\Delta\langle M,H\rangle)`$ with $`\Delta=\lambda_1`$."
    )
    where = {name: ExponentialUtility.where[name] for name in ("r", r"\mathrm{OPT}", "t", "S_i", r"\mu", "q")} | {
        r"\Delta": r"largest value of the spectrum, $`\lambda_1`$"
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-T5.4",)
    mentions = ("MWKTV-O4.1",)
    note = "privacy.md#utility-in-the-overview"
    examples = 50
    without_beyond = "Any other temperature is another mechanism: that is the matter of the theorem."

    def cases(self) -> Any:
        """Base law, shortfalls, ``epsilon / Delta`` and ``t``."""
        return ExponentialUtility.cases().map(lambda case: case[:4])

    def fast(self, base: Any, below: Any, kappa: float, t: float) -> Parts:
        if good := np.sum(base[below < t / 2]):
            yield AtMost(_tail(base, below, kappa, t), np.exp(-kappa * t / 2) / good, part="tail with one measure")

    def oracle(self, base: Reals, below: Reals, kappa: float, t: Real) -> Parts:
        outcomes = list(zip(base, below, strict=True))
        if good := mp.fsum(m for m, v in outcomes if v < t / 2):
            yield AtMost(_exact_tail(outcomes, kappa, t), mp.exp(-kappa * t / 2) / good, part="tail with one measure")

    def tight(self) -> list[Any]:
        return [case[:4] for case in ExponentialUtility().tight()]
