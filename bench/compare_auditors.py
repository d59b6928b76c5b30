"""Auditors side by side on the same cases at the same confidence: who detects what, from how many draws, how fast.

    python bench/compare_auditors.py [--seeds 10] [--largest 262144] [--cases WORD ...]

*Ours* is `dpspectra.audit`, which stops by itself. The two rivals are **re-implementations from the published methods,
not the original programs**:

* *histogram*: the test of Gilbert and McMillan (2018) in the form that DP-Auditorium uses. Outputs fall into `BINS`
  equal bins; the sum of the positive parts of ``p - e^epsilon q``, less a tolerance for its bias and its random error,
  bounds delta from below. It needs one number an output: it is given an entry in which the two data sets differ most.
* *sniper*: the attack of DP-Sniper (Bichsel and others, 2021). A logistic regression on the output's entries is fitted
  to a third of the draws; another third sets the threshold, with a coin for ties, at which the other data set's mass is
  `MASS`; Clopper-Pearson on the last third bounds epsilon. For delta = 0 only.

Both take their number of draws in advance. They are given each rung of a ladder in turn, with fresh draws, and the row
shows the first rung at which all seeds detect, or else the one with most detections: chosen in hindsight, which favours
them. Both orders of the data sets share the risk.
"""

import argparse
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from scipy.special import expit

from dpspectra.audit import GDP, ApproxDP, CurveClaim, PureDP, audit
from dpspectra.fast import binomial
from dpspectra.fast.gaussian import mu_for

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from dpspectra.audit.specimens import wishart_one_sided

CONFIDENCE = 0.999
RISK = 1 - CONFIDENCE
BINS, MASS, STEPS, RIDGE = 20, 0.01, 12, 1e-3
FIRST_RUNG, RUNG = 1024, 4
Draw = Callable[..., Any]
Found = tuple[bool, int, str]
"""Whether the claim is refuted, draws from each data set, and the certified bound."""


@dataclass(frozen=True)
class Case:
    name: str
    draw: Draw
    pair: tuple[Any, Any]
    claim: CurveClaim
    entry: tuple[int, ...] = ()
    """The number in the output that the histogram looks at."""
    draws: int = 2**20

    @property
    def epsilon(self) -> float:
        return self.claim.points(self.claim.value)[0][0]

    @property
    def delta(self) -> float:
        return self.claim.points(self.claim.value)[0][1]


def laplace(x: Any, *, scale: float, size: int, rng: Any) -> Any:
    return rng.laplace(x, scale, size)


def gaussian(x: Any, *, sigma: float, size: int, rng: Any) -> Any:
    return rng.normal(x, sigma, size)


def laplace_matrix(a: Any, *, scale: float, size: int, rng: Any) -> Any:
    """A symmetric matrix plus symmetric Laplace noise, ``(size, d, d)``."""
    upper = np.triu(rng.laplace(0.0, scale, (size, *a.shape)))
    return a + upper + np.swapaxes(np.triu(upper, 1), 1, 2)


def rare(x: Any, *, p: float, loss: float, atoms: int, size: int, rng: Any) -> Any:
    """One of some integers; the middle one has probability ``p`` at 0, and by the loss more at 1."""
    others = np.delete(np.arange(atoms), atoms // 2)
    return np.where(rng.random(size) < p * math.exp(loss * x), atoms // 2, rng.choice(others, size)).astype(float)


def beside(x: Any, *, size: int, rng: Any) -> Any:
    """The data set itself beside two numbers of large noise."""
    return np.column_stack([1e12 * rng.laplace(size=(size, 2)), np.full(size, x)])


def interval(x: Any, *, p: float, loss: float, size: int, rng: Any) -> Any:
    """Uniform on [0, 1]; at 1 an interval of probability ``p`` is rarer by ``exp(-loss)``, and another one likelier."""
    u = rng.random(size)
    moved = (u > 0.5) & (u < 0.5 + p) & (rng.random(size) > math.exp(-loss)) & (x == 1)
    return np.where(moved, u - 0.3, u)


def cases() -> list[Case]:
    numbers, axes = (0.0, 1.0), np.eye(4)
    mu = mu_for(1.0, 1e-5)
    small, gross = (partial(gaussian, sigma=1 / m / math.sqrt(2)) for m in (mu, mu_for(1.0, 1e-2)))
    wishart, matrices = partial(wishart_one_sided, epsilon=1.0), partial(laplace_matrix, scale=2 / 1.5)
    corners = (np.outer(axes[0], axes[0]), np.outer(axes[1], axes[1]))  # in l1 they differ by 2
    return [
        Case("Laplace, truth 1.5, claim 1", partial(laplace, scale=1 / 1.5), numbers, PureDP(1.0)),
        Case("Laplace, truth 1.1, claim 1", partial(laplace, scale=1 / 1.1), numbers, PureDP(1.0)),
        Case("Laplace, correct", partial(laplace, scale=1.0), numbers, PureDP(1.0), draws=2**18),
        Case("Wishart d = 2, row 0 to e1", wishart, (np.zeros((1, 2)), axes[:1, :2]), PureDP(1.0), (0, 0)),
        Case("Wishart d = 2, row e1 to e2", wishart, (axes[:1, :2], axes[1:2, :2]), PureDP(1.0), (0, 0)),
        Case("Gaussian sigma/sqrt 2, (1, 1e-5)", small, numbers, ApproxDP(1.0, 1e-5), draws=2**21),
        Case("Gaussian sigma/sqrt 2, (1, 1e-2)", gross, numbers, ApproxDP(1.0, 1e-2)),
        Case("Gaussian sigma/sqrt 2, mu-GDP", small, numbers, GDP(mu)),
        Case("Laplace 4 x 4, truth 1.5, claim 1", matrices, corners, PureDP(1.0), (0, 0)),
        Case(
            "12 integers, the rarest .03, loss 2, claim 1", partial(rare, p=0.03, loss=2, atoms=12), numbers, PureDP(1)
        ),
        Case(
            "3 integers, the rarest .05, loss .7, claim .3",
            partial(rare, p=0.05, loss=0.7, atoms=3),
            numbers,
            PureDP(0.3),
        ),
        Case("the data beside noise of 1e12, claim 1", beside, numbers, PureDP(1.0), (2,)),
        Case("interval of 5 %, loss 2, claim 1", partial(interval, p=0.05, loss=2.0), numbers, PureDP(1.0)),
        Case(
            "interval of 2.5 %, infinite loss, claim 1", partial(interval, p=0.025, loss=math.inf), numbers, PureDP(1)
        ),
    ]


def ours(case: Case, seed: int, _: int) -> Found:
    result = audit(
        case.draw, case.pair, case.claim, confidence=CONFIDENCE, draws=case.draws, seconds=300, snap=30, rng=seed
    )
    return result.violated, result.draws, f"{case.claim.parameter} >= {result.bound:.3g}"


def histogram(case: Case, seed: int, n: int) -> Found:
    """The range of the bins comes from a few draws that are not used otherwise."""
    rng = np.random.default_rng(seed)
    sides = [case.draw(x, size=n, rng=rng)[(slice(None), *case.entry)] for x in case.pair]
    tries = np.concatenate([case.draw(x, size=100, rng=rng)[(slice(None), *case.entry)] for x in case.pair])
    edges = np.linspace(tries.min(), tries.max(), BINS + 1)
    first, second = (np.histogram(np.clip(s, edges[0], edges[-1]), edges)[0] / n for s in sides)
    factor = math.exp(case.epsilon)
    bound = 0.0
    for p, q in ((first, second), (second, first)):
        bias = 2 * (np.sqrt(p).sum() + factor * np.sqrt(q).sum()) / math.sqrt(n)
        spread = 6 * (1 + factor) * math.sqrt(math.log(4 / (RISK / 2)) / (2 * n))
        bound = max(bound, float(np.maximum(p - factor * q, 0).sum() - bias - spread))
    return bound > case.delta, n, f"delta >= {bound:.3g}"


def sniper(case: Case, seed: int, n: int) -> Found:
    rng, third = np.random.default_rng(seed), n // 3
    train, tune, test = (
        [np.reshape(case.draw(x, size=third, rng=rng), (third, -1)) for x in case.pair] for _ in range(3)
    )
    centre, scale = np.mean(np.concatenate(train), axis=0), np.std(np.concatenate(train), axis=0)
    weights = _logistic([(side - centre) / scale for side in train])
    attacks = []
    for order in (0, 1):  # a large score speaks for the first data set
        signed = weights if order == 0 else -weights
        mine, other = (((tune[side] - centre) / scale) @ signed for side in (order, 1 - order))
        level = np.sort(other)[max(0, third - 1 - int(MASS * third))]
        above, tied = np.mean(other > level), np.mean(other == level)
        coin = float(np.clip((MASS - above) / tied, 0, 1))
        gain = np.mean(mine > level) + coin * np.mean(mine == level)
        attacks.append((gain, order, signed, level, coin))
    _, order, signed, level, coin = max(attacks, key=lambda attack: attack[0])
    hits = []
    for side in (order, 1 - order):
        scores = ((test[side] - centre) / scale) @ signed
        hits.append(int(np.sum((scores > level) | ((scores == level) & (rng.random(third) < coin)))))
    bound = max(0.0, binomial.loss((hits[0], hits[1]), (third, third), 0.0, RISK))
    return bound > case.epsilon, n, f"epsilon >= {bound:.3g}"


def _logistic(sides: list[Any]) -> Any:
    """Slopes of a logistic regression that tells the first side from the second (Newton, small ridge)."""
    x = np.concatenate(sides)
    x, y = np.column_stack([x, np.ones(len(x))]), np.repeat([1.0, 0.0], [len(side) for side in sides])
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        odds = expit(x @ w)
        hessian = (x * (odds * (1 - odds))[:, None]).T @ x / len(x) + RIDGE * np.eye(len(w))
        w -= np.linalg.solve(hessian, x.T @ (odds - y) / len(x) + RIDGE * w)
    return w[:-1]


def row(method: str, found: list[tuple[Found, float]]) -> str:
    detected = sum(refuted for (refuted, _, _), _ in found)
    draws, seconds = median(n for (_, n, _), _ in found), median(s for _, s in found)
    bounds = sorted((text for (_, _, text), _ in found), key=lambda text: float(text.split()[-1]))
    return f"  {method:<12}{detected:>4}/{len(found):<4}{draws:>12,.0f}{seconds:>10.3f}  {bounds[len(bounds) // 2]}"


def runs(method: Callable[[Case, int, int], Found], case: Case, seeds: int, n: int) -> list[tuple[Found, float]]:
    out = []
    for seed in range(seeds):
        start = time.perf_counter()
        found = method(case, seed, n)
        out.append((found, time.perf_counter() - start))
    return out


def climbed(method: Callable[[Case, int, int], Found], case: Case, seeds: int, largest: int) -> Any:
    """The first rung at which all seeds detect, else the one with most detections (of equals the largest)."""
    best: list[tuple[Found, float]] = []
    most, n = -1, FIRST_RUNG
    while n <= largest:
        found = runs(method, case, seeds, n)
        detected = sum(refuted for (refuted, _, _), _ in found)
        if detected >= most:
            best, most = found, detected
        if detected == seeds:
            break
        n *= RUNG
    return best


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--largest", type=int, default=2**18, help="last rung of the rivals' ladder")
    parser.add_argument("--cases", nargs="*", default=[""], help="only cases whose names contain one of these")
    args = parser.parse_args()
    print(f"confidence {CONFIDENCE:.1%}; rivals are re-implementations (see the top of this file)")
    print(f"  {'method':<12}{'detected':>9}{'draws a side':>12}{'seconds':>10}  bound")
    for case in cases():
        if not any(word in case.name for word in args.cases):
            continue
        print(case.name)
        print(row("ours", runs(ours, case, args.seeds, 0)), flush=True)
        if isinstance(case.claim, GDP):
            print("  histogram, sniper: no such claim")
            continue
        print(row("histogram", climbed(histogram, case, args.seeds, args.largest)))
        if case.delta:
            print("  sniper: no delta")
        else:
            print(row("sniper", climbed(sniper, case, args.seeds, args.largest)), flush=True)
