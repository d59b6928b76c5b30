"""The last iterate of the power method alone shows a change of the matrix, after two rounds or more.

Let ``A = t w w'`` with the flat unit vector ``w``. As ``t`` grows, every iterate between the start and the last round
tends to ``w`` or ``-w``. The last product is ``t`` along ``w``, up to this sign; across ``w`` a change ``E`` moves it
by ``E w``, up to the same sign, and its noise has the scale of the iterate ``w``. In their ratio the sign cancels:
its law tends to a normal one whose mean is the change. So no analysis of the release of ``X_L`` alone can prove less
loss than that of one round. A first iterate is random, and its ratio has heavy tails: with one round this is false.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian_profile as fast
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.strategies import dyadics, epsilons, seeds, st

TRIALS = 2000
"""Number of runs of the method for a frequency."""
LARGE = 2.0**26
"""Eigenvalue ``t``: the law of the ratio is its limit up to ``1 / t``, and rounding errors are below ``1 / t``, too."""
KINDS = ("an entry", "a pair", "the spectral norm")
"""Changes of the matrix: the first diagonal entry, the first symmetric pair, and one of spectral norm 1."""


def _change(kind: str, d: int) -> Any:
    """Return a largest change of the kind."""
    e, w = np.eye(d), np.full(d, d**-0.5)
    if kind == "an entry":
        return np.outer(e[0], e[0])
    left, right = (e[0], e[1]) if kind == "a pair" else ((e[0] - e[1]) / np.sqrt(2), w)
    return np.outer(left, right) + np.outer(right, left)


def _ratios(matrix: Any, across: Any, scaled: bool, rounds: int, sigma: float, rng: Any) -> Any:
    """Return ``t <v, X_L> / <w, X_L>`` of `TRIALS` runs; the noise scales with the largest entry if ``scaled``."""
    d = len(matrix)
    x = rng.standard_normal((TRIALS, d))
    for _ in range(rounds):
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        scale = np.max(np.abs(x), axis=1, keepdims=True) if scaled else 1.0
        x = x @ matrix + scale * sigma * rng.standard_normal((TRIALS, d))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return LARGE * (x @ across) / np.mean(x, axis=1) / (1.0 if scaled else d**0.5)


def shift(kind: str, d: int) -> Any:
    """Return the distance of both limits, in units of the noise of an iterate with entries of at most 1."""
    square = {"an entry": 1 - mp.mpf(1) / d, "a pair": 2 - mp.mpf(4) / d, "the spectral norm": mp.mpf(1)}
    return mp.sqrt(square[kind])


def printed_delta(moved: Any, rounds: int, epsilon: Any, delta: Any) -> AtMost:
    """Compare with ``delta`` what the last of ``rounds`` iterates shows of a shift of its limit, with printed noise."""
    sigma = mp.sqrt(4 * rounds * mp.log(1 / delta)) / epsilon
    return AtMost(oracle.profile(epsilon, moved / sigma), delta, part="printed form")


def printed_hypotheses(rounds: int, epsilon: Any, delta: Any) -> dict[str, AtMost]:
    """Return what is printed about the parameters; any number of rounds is meant."""
    return {
        "there is a round": AtMost(1, mp.mpf(rounds)),
        "epsilon is positive": AtMost(0, epsilon),
        "delta is positive": AtMost(0, delta),
        "delta is below 1": AtMost(delta, mp.mpf(1)),
    }


@statement
class LastIterate:
    labels = ("HP-K4.2X",)
    given = (
        r"A=tww^\top,\ w=\tfrac1{\sqrt d}(1,\dots,1),\ L\ge2,\ v=\tfrac{Ew-\langle w,Ew\rangle w}{\|\cdot\|},\ "
        r"m=\tfrac1{\sqrt d}\text{ or }1,\ T=\tfrac{t\langle v,X_L\rangle}{m\langle w,X_L\rangle},\ "
        r"s=\tfrac1m\langle v,Ew\rangle"
    )
    claim = {
        "without the change": r"\lim_{t\to\infty}\Pr[T>\theta\sigma\mid A]\le\Phi(-\theta)",
        "with the change": r"\lim_{t\to\infty}\Pr[T\le\theta\sigma\mid A+E]\le\Phi\big(\theta-\tfrac s\sigma\big)",
        "what the event shows": (
            r"\Phi\big(\tfrac s\sigma-\theta\big)-e^\varepsilon\Phi(-\theta)"
            r"\le\delta_G\big(\varepsilon,\tfrac s\sigma\big)"
        ),
    }
    where = {
        "A": "data matrix of rank one",
        "E": (
            "change of the first diagonal entry by 1, of the first symmetric pair by 1, or of spectral norm 1: "
            "$`uw^\\top+wu^\\top`$ with a unit vector $`u`$ orthogonal to $`w`$"
        ),
        "T": "ratio of two coordinates of the released iterate",
        "m": ("scale of the noise of an iterate near $`w`$: its largest entry, or 1 for changes in spectral norm"),
        "w": "flat unit vector",
        "v": "unit vector along the part of the change across $`w`$",
        "t": "only eigenvalue of the matrix other than 0",
        "s": (
            r"distance of both means: $`\sqrt{1-1/d}`$ for an entry, $`\sqrt{2-4/d}`$ for a pair, 1 in spectral norm"
        ),
        r"\theta": "threshold, in standard deviations",
        "X_i": "the iterates of a uniformly random start, vectors of length 1",
        "L": "number of rounds",
        r"\sigma": "standard deviation of the noise on an iterate with entries of at most 1",
    }
    verdict = Verdict.NEW
    relation = (Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL)
    uses = ("HP-F3", "HR-T2.6R")
    note = "privacy_spectral.md#what-the-last-iterate-shows"
    digits = 30
    examples = 25

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[str, int, int, float, float, float, int]:
        """Kind of change, dimension, rounds, noise, threshold, ``epsilon`` and a seed."""
        kind = draw(st.sampled_from(KINDS))
        d, rounds = draw(st.integers(3 if kind == "a pair" else 2, 6)), draw(st.integers(2, 4))
        return kind, d, rounds, draw(dyadics(0.25, 4)), draw(dyadics(-3, 3)), draw(epsilons(2**-6, 4.0)), draw(seeds())

    def fast(self, kind: str, d: int, rounds: int, sigma: float, threshold: float, epsilon: float, seed: int) -> Parts:
        rng, scaled = np.random.default_rng(seed), kind != "the spectral norm"
        w, change = np.full(d, d**-0.5), _change(kind, d)
        across = change @ w - (w @ change @ w) * w
        moved = np.linalg.norm(across)
        a, v, mu = LARGE * np.outer(w, w), across / moved, moved * (d**0.5 if scaled else 1.0) / sigma
        plain, other = (_ratios(m, v, scaled, rounds, sigma, rng) / sigma > threshold for m in (a, a + change))
        alarm, missed, best = ndtr(-threshold), ndtr(threshold - mu), fast.profile(epsilon, mu)
        yield Frequency(int(np.sum(plain)), TRIALS, float(alarm), part="without the change")
        yield Frequency(int(np.sum(~other)), TRIALS, float(missed), part="with the change")
        yield AtMost(ndtr(mu - threshold) - np.exp(epsilon) * alarm, best, scale=1, part="what the event shows")

    def oracle(self, kind: str, d: int, rounds: int, sigma: Real, threshold: Real, epsilon: Real, _: int) -> Parts:
        mu = shift(kind, d) / sigma
        alarm, missed = oracle.cdf(-threshold), oracle.cdf(threshold - mu)
        yield AtMost(alarm, alarm, part="without the change")
        yield AtMost(missed, missed, part="with the change")
        shown = 1 - missed - mp.exp(epsilon) * alarm
        yield AtMost(shown, oracle.profile(epsilon, mu), scale=1, part="what the event shows")

    def tight(self) -> list[Any]:
        """Thresholds at which the loss is ``epsilon``, up to a binary fraction.

        Two are at the counterexamples of HP-K4.2 and HP-L4.5, ``epsilon`` 40 and 32, with their noise.
        """
        found = []
        for kind, d, sigma, epsilon in (
            (KINDS[0], 2, 0.5, 1.0),
            (KINDS[1], 5, 1.0, 0.5),
            (KINDS[2], 3, 0.5, 1.0),
            *((kind, d, np.sqrt(8 * np.log(8)) / e, e) for kind, d, e in ((KINDS[0], 4, 40.0), (KINDS[2], 2, 32.0))),
        ):
            sigma = round(sigma * 2**20) / 2**20
            mu = float(shift(kind, d)) / sigma
            found.append((kind, d, 2, sigma, round((epsilon / mu + mu / 2) * 2**20) / 2**20, epsilon, 0))
        return found

    def beyond(self) -> dict[str, Outcome]:
        """One round from a start that is uniform on a circle: ``<w, X_0>`` divides the noise, and is below 1."""
        alarm = mp.quad(lambda angle: oracle.cdf(-3 * mp.cos(angle)), [0, mp.pi / 2]) * 2 / mp.pi
        return {"there are two rounds": AtMost(alarm, oracle.cdf(mp.mpf(-3)), part="without the change")}
