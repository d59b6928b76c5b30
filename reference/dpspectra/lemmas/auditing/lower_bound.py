"""The bound obtained by inverting the wealth, read at any time, exceeds the truth with probability at most ``a``.

At ``delta = 0`` each of the four factors falls as epsilon grows, and at any epsilon as delta grows: wealth falls, and
bisection finds the bound. At fixed ``delta > 0`` the factor of a pair of misses grows with epsilon: the wealth of one
bet is log-concave in ``s = 1 / (e^epsilon + delta)``, and the average over bets may fall and rise again. The bound is
then read on a grid fixed beforehand, up to the first point that is not excluded; only the first grid point at or above
the truth matters. Bisection skips dips: on the small counts of `dip` it returns 2.83, although 1.5 is not excluded. If
the claim is not excluded and the truth lies below it, the claim is a second true null hypothesis; so the risk is split.
"""

import functools
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray

from dpspectra.fast import betting as fast
from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.oracle import betting as oracle
from dpspectra.strategies import dyadics, st
from dpspectra.strategies.betting import Game, fractions, games, levels

DELTA = 0.25
"""The ``delta`` at which the grid is read on given counts."""


Tables = tuple[tuple[int, ...], tuple[int, ...]]
"""Counts of the four kinds of pair, for each of two bets."""


Stakes = tuple[float, float]
"""Fractions of the wealth that two bets stake."""


def _counts() -> st.SearchStrategy[Any]:
    return st.tuples(*[st.integers(0, 30) | st.integers(0, 2000)] * 4)


def _mixture(tables: Any, delta: float, stakes: Stakes, values: Any) -> Any:
    """Log wealth of two bets with their own counts and fractions, half of it on each; shape as ``values``."""
    logs = [fast.log_wealth(t, values, delta, [g])[..., 0] for t, g in zip(tables, stakes, strict=True)]
    return np.logaddexp(*logs) - np.log(2)


def _scan(wealth: fast.Wealth, claim: float, level: float) -> float:
    """The grid rule on one long grid; two-sided wealth falls below 1 there, so some point is not excluded."""
    for start, stop, share in ((claim, fast.HIGHEST, 1 - fast.BELOW), (0.0, claim, fast.BELOW)):
        grid = np.arange(start, stop, fast.STEP)
        excluded = int(np.sum(np.logical_and.accumulate(wealth(grid) >= level - np.log(share))))
        if excluded:
            return float(grid[excluded - 1])
    return 0.0


def _by_definition(wealth: Any, claim: Any, risk: Any, near: Any) -> Any:
    """``t_(j-1)`` for the first ``t_j`` of the set of grid points that are not excluded, up to one beyond ``near``."""
    refuted, rarely = (-mp.log(mp.mpf(share) * risk) for share in (1 - fast.BELOW, fast.BELOW))
    stands = wealth(claim) < refuted
    if not stands and wealth(mp.mpf(fast.HIGHEST)) >= rarely:
        return mp.inf
    start, stop, threshold = (mp.mpf(0), claim, rarely) if stands else (claim, mp.mpf(fast.HIGHEST), refuted)
    last = int(mp.ceil((min(stop, max(near, start) + 1) - start) / fast.STEP))
    kept = [i for i in range(last) if wealth(start + i * mp.mpf(fast.STEP)) < threshold]
    j = min(kept, default=last)
    return start + (j - 1) * mp.mpf(fast.STEP) if j else mp.mpf(0)


@statement
class LowerBound:
    labels = ("DPS-LOWER",)
    given = (
        r"P(E)\le e^\theta Q(E)+\delta,\quad\delta=0:\ L_n=\sup\{\varepsilon:K_n(\varepsilon,0)\ge\tfrac1a\},\quad"
        r"\delta>0:\ t_i=t_0+\tfrac i{64},\ (t_0,c)=(\theta_0,\tfrac1{(1-b)a})"
        r"\text{ if }K_n(\theta_0,\delta)\ge\tfrac1{(1-b)a}\ (L_n=\infty\text{ if also }"
        r"K_n(1024,\delta)\ge\tfrac1{ba}),\text{ else }(0,\tfrac1{ba})\text{ and }t_i<\theta_0;\ b=\tfrac1{10}"
    )
    claim = {
        "bound above the truth": r"\Pr[\exists n:L_n>\theta]\le a",
        "wealth falls in epsilon": r"\log K_n(\varepsilon+\tfrac12,0)\le\log K_n(\varepsilon,0)",
        "wealth falls in delta": r"\log K_n(\varepsilon,\delta+\tfrac18)\le\log K_n(\varepsilon,\delta)",
        "log-concavity of wealth": (
            r"s=\tfrac{s'+s''}2:\ \tfrac12\log K_n(\log(\tfrac1{s'}-\delta),\delta)"
            r"+\tfrac12\log K_n(\log(\tfrac1{s''}-\delta),\delta)\le\log K_n(\log(\tfrac1s-\delta),\delta)"
        ),
        "bound on the grid": r"\delta>0:\ L_n=\max\{t_i:K_n(t_l,\delta)\ge c\text{ for all }l\le i\}",
    }
    where = {
        "L_n": r"lower bound on epsilon after $`n`$ pairs, in nats; 0 if no point of the grid is excluded",
        r"\theta": "any epsilon for which the claim holds, in nats",
        r"\theta_0": "epsilon that is claimed, in nats",
        "K_n(": (r"K_n(\varepsilon,\delta)", "wealth of the same bets against this claim"),
        "t_i": "the points of a grid of epsilons",
        "t_0": "start of the grid",
        "c": "wealth that excludes a point",
        "b": "share of the risk that is kept for claims below the first one",
        "s": r"$`1/(e^\varepsilon+\delta)`$",
        "s', s''": "two other values of it",
    }
    verdict = Verdict.NEW
    uses = ("DPS-VILLE", "DPS-PREDICT")
    exact = ("bound on the grid",)
    note = "auditing.md#the-lower-bound"
    digits = 30
    examples = 15

    def cases(self) -> Any:
        """A game, two fractions, the log of the inverse risk, pairs, claimed over true epsilon, counts of both bets."""
        return st.tuples(
            games(),
            st.tuples(fractions(), fractions()),
            levels() | dyadics(2.5, 7),
            st.integers(1, 5),
            st.sampled_from([1.0, 0.0, 0.5, 2.0]),
            st.tuples(_counts(), _counts()),
        )

    def fast(self, game: Game, stakes: Stakes, level: float, pairs: int, claimed: float, tables: Tables) -> Parts:
        """The probability that the bound exceeds the truth; wealth falls and is concave; the rule on the grid."""
        truth, delta = game.epsilon, game.delta
        claim, risk = claimed * truth, float(np.exp(-level))

        def exceeds(counts: NDArray[np.int_]) -> NDArray[np.bool_]:
            wealths = [functools.partial(_mixture, (row, row), delta, stakes) for row in counts]
            if delta == 0:
                return np.array([fast.bound_by_bisection(w, risk) > truth for w in wealths])
            return np.array([fast.bound_on_grid(w, claim, risk) > truth for w in wealths])

        def each(epsilon: float, at: float) -> NDArray[np.float64]:
            return np.concatenate([fast.log_wealth(t, epsilon, at, [g]) for t, g in zip(tables, stakes, strict=True)])

        def rises(low: Any, high: Any, part: str) -> list[AtMost]:
            return [AtMost(x, y, scale=np.sum(t), part=part) for t, x, y in zip(tables, low, high, strict=True)]

        ends = np.array([truth, truth + 0.5])
        middle = -np.log(np.mean(1 / (np.exp(ends) + DELTA)))
        chord, between = (each(ends[0], DELTA) + each(ends[1], DELTA)) / 2, each(np.log(np.exp(middle) - DELTA), DELTA)
        wealth = functools.partial(_mixture, tables, DELTA, stakes)
        yield AtMost(fast.ever(fast.pair_law(*game), pairs, exceeds), risk, part="bound above the truth")
        yield from rises(each(ends[1], 0.0), each(ends[0], 0.0), "wealth falls in epsilon")
        yield from rises(each(truth, delta + 0.125), each(truth, delta), "wealth falls in delta")
        yield from rises(chord, between, "log-concavity of wealth")
        yield Equal(fast.bound_on_grid(wealth, claim, risk), _scan(wealth, claim, level), part="bound on the grid")

    def oracle(self, game: Game, stakes: Stakes, level: Real, pairs: int, claimed: float, tables: Tables) -> Parts:
        """The bound exceeds the truth if, at ``delta = 0``, the truth is excluded; else the grid rule is followed."""
        truth, delta = game.epsilon, game.delta
        claim, risk, half = claimed * mp.mpf(truth), mp.exp(-level), mp.mpf(1) / 2

        def log_mixture(pair: Any, at: Any, epsilon: Any) -> Any:
            bets = [mp.exp(oracle.log_wealth(t, epsilon, at, g)) for t, g in zip(pair, stakes, strict=True)]
            return mp.log(mp.fsum(bets) / 2)

        def rule(wealth: Any) -> Any:
            return oracle.grid_bound(wealth, claim, risk, mp.mpf(fast.BELOW), mp.mpf(fast.STEP), fast.HIGHEST)

        def exceeds(counts: tuple[int, ...]) -> bool:
            wealth = functools.partial(log_mixture, (counts, counts), delta)
            return bool(rule(wealth) > truth if delta else wealth(truth) >= level)

        def each(epsilon: Any, at: Any) -> list[Any]:
            return [oracle.log_wealth(t, epsilon, at, g) for t, g in zip(tables, stakes, strict=True)]

        def rises(low: list[Any], high: list[Any], part: str) -> list[AtMost]:
            return [AtMost(x, y, scale=sum(t), part=part) for t, x, y in zip(tables, low, high, strict=True)]

        near, far = mp.mpf(truth), truth + half
        s = (1 / (mp.exp(near) + DELTA) + 1 / (mp.exp(far) + DELTA)) / 2
        wealth = functools.partial(log_mixture, tables, DELTA)
        bound = rule(wealth)
        chord = [(x + y) / 2 for x, y in zip(each(near, DELTA), each(far, DELTA), strict=True)]
        yield AtMost(oracle.ever(oracle.pair_law(*game), pairs, exceeds), risk, part="bound above the truth")
        yield from rises(each(far, 0), each(near, 0), "wealth falls in epsilon")
        yield from rises(each(near, delta + half / 4), each(near, delta), "wealth falls in delta")
        yield from rises(chord, each(mp.log(1 / s - DELTA), DELTA), "log-concavity of wealth")
        yield Equal(bound, _by_definition(wealth, claim, risk, bound), part="bound on the grid")

    def tight(self) -> list[Any]:
        """Heads and tails of a fair coin, on which wealth almost attains the risk; counts with and without a dip.

        Pairs with the second draw alone in the event are worth the same at every ``epsilon`` and ``delta``. At risk
        ``e^-7``, the small counts exclude values up to 1.375 and again from 1.875 to 2.828; the large ones, up to 1.391
        and again from 7.156 to 9.125. The plain counts do not exclude the claim, and the bound is below it.
        """
        coin, even, uneven = Game(0.5, 0.0, 0.0, 1.0, 0.0), (1 - 2.0**-24,) * 2, (0.5, 1 - 2.0**-6)
        second = ((0, 0, 5, 0),) * 2
        small = (560, 3940, 60, 440), (0, 2690, 0, 7310)
        large = (112117179, 787882820, 12457464, 87542537), (0, 250082158, 0, 749917842)
        plain = ((100, 900, 100, 100),) * 2
        return [
            (coin, even, float(np.log(2 - 2.0**-22)), 4, 1.0, small),
            (coin, uneven, 0.6875, 1, 1.0, second),
            (coin, uneven, 7.0, 1, 0.0, small),
            (coin, uneven, 7.0, 1, 0.0, large),
            (Game(2.0**-4, 1.0, 0.25, 1.0, 0.5), (0.5, 0.25), 7.0, 1, 2.0, plain),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The first draw is always in the event, the second never: no ``epsilon`` is true, and 1 is exceeded."""

        def exceeds(counts: tuple[int, ...]) -> bool:
            return bool(oracle.log_wealth(counts, 1, 0, mp.mpf(1) / 2) >= 1)

        return {"a true epsilon": AtMost(oracle.ever([0, 1, 0, 0], 8, exceeds), mp.exp(-1))}
