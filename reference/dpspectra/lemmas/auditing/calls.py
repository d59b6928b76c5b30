"""Bets whose unit is a call of several draws: the gain is averaged over the rows of a call, not multiplied.

A call on each side returns ``m`` rows. If each row by itself meets the claim, the factor
``F = 1 + g (k/m - e^epsilon l/m - delta) / (e^epsilon + delta)``, with ``k`` and ``l`` of the rows in the event, has
mean at most 1 whatever the rows of a call have to do with each other: the mean of an average needs marginal laws only.
It is at least ``1 - g``, which is also what a call without an answer is settled at. It falls when ``delta`` grows, and
when ``epsilon`` does at ``delta = 0``, so that the lower bound of DPS-LOWER is found by bisection here, too. The
product over rows of one call has mean above 1 if the rows are equal, say.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray

from dpspectra.fast import betting as fast
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import betting as oracle
from dpspectra.strategies import epsilons, st
from dpspectra.strategies.betting import CallLaw, call_laws, fractions

ROWS = (2, 3)
"""Rows of the first call, and of a second one if the first has gained; else it has as many again."""


STEP = 0.125
"""Step of the parameters over which wealth is shown to fall."""


def _shares(law: CallLaw) -> NDArray[np.float64]:
    """Shares of the rows in the event on either side, of each outcome of a call: ``(outcomes, 2)``."""
    return np.stack([np.mean(bits, axis=1) for bits in _bits(law)], axis=1)


def _bits(law: CallLaw) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    kinds = np.array(law.kinds)
    return kinds < 2, kinds % 2 == 0  # in the order of `oracle.betting.KINDS`


@statement
class Calls:
    labels = ("DPS-CALLS",)
    given = (
        r"P_i(E)\le e^\varepsilon Q_i(E)+\delta\ (i\le m),\ F=1+\tfrac g{e^\varepsilon+\delta}\big(\tfrac km-"
        r"e^\varepsilon\tfrac lm-\delta\big)\text{ for rows dependent in any way},\ K(\varepsilon,\delta)=\prod F"
    )
    claim = {
        "mean of a call": r"\mathbb E[F\mid\mathcal F]\le1",
        "mean of two calls": r"\mathbb E[FF']\le1",
        "mean with lost calls": r"\mathbb E[F\,\mathbf 1[\text{not lost}]+(1-g)\mathbf 1[\text{lost}]]\le1",
        "smallest factor": r"1-g\le F",
        "wealth falls in delta": r"\log K(\varepsilon,\delta+\tfrac18)\le\log K(\varepsilon,\delta)",
        "wealth falls in epsilon": r"\log K(\varepsilon+\tfrac18,0)\le\log K(\varepsilon,0)",
    }
    where = {
        "m": "number of rows that a call returns",
        "P_i": "law of row $`i`$ on the first data set, given the past",
        "Q_i": "law of row $`i`$ on the second data set, given the past",
        "F": "factor by which the wealth changes",
        "F'": "factor of the next call, whose number of rows the first one decides",
        "K(": (r"K(\varepsilon,\delta)", "wealth of the same bets against this claim"),
        "k": "number of rows on the first side that are in the event",
        "l": "number of rows on the second side that are in the event",
    }
    verdict = Verdict.NEW
    uses = ("DPS-EPROCESS", "DPS-PREDICT", "DPS-LOWER")
    note = "auditing.md#calls-of-several-draws"

    def cases(self) -> Any:
        """Laws of the two kinds of call, the claim's epsilon, the fraction staked; hits and numbers of calls of 3 rows.

        Hits are rows in the event on the favoured and on the other side, of 3 each; each pair of them has its number.
        """
        return st.tuples(
            call_laws(ROWS[0]),
            call_laws(ROWS[1]),
            epsilons(2.0**-6, 4.0) | st.just(0.0),
            fractions(),
            st.tuples(*[st.tuples(st.integers(0, 3), st.integers(0, 3))] * 3),
            st.tuples(*[st.integers(0, 1000) | st.integers(0, 3)] * 3),
        )

    def fast(self, short: CallLaw, long: CallLaw, epsilon: float, fraction: float, hits: Any, calls: Any) -> Parts:
        """Means over the shares ``(k/m, l/m)``; ``delta`` is the smallest for which every row meets the claim."""
        excesses = [law.masses @ (x - np.exp(epsilon) * y) for law in (short, long) for x, y in [_bits(law)]]
        delta = max(0.0, *(float(excess) for rows in excesses for excess in rows))

        def factors(law: CallLaw) -> NDArray[np.float64]:
            logs = [fast.log_wealth_of_calls([s], [1], [epsilon], [delta], [fraction])[0, 0] for s in _shares(law)]
            return np.exp(logs)

        def wealth(epsilon: float, delta: float) -> float:
            shares = np.array(hits) / ROWS[1]
            return float(fast.log_wealth_of_calls(shares, calls, [epsilon], [delta], [fraction])[0, 0])

        first, second = factors(short), factors(long)
        gained = np.diff(_shares(short), axis=1)[:, 0] < 0
        then = np.where(gained, long.masses @ second, short.masses @ first)
        settled = np.where(_bits(long)[1][:, 0], 1 - fraction, second)
        size = sum(calls)
        yield AtMost(float(short.masses @ first), 1.0, part="mean of a call")
        yield AtMost(float(long.masses @ second), 1.0, part="mean of a call")
        yield AtMost(float(short.masses @ (first * then)), 1.0, part="mean of two calls")
        yield AtMost(float(long.masses @ settled), 1.0, part="mean with lost calls")
        yield AtMost(1 - fraction, float(min(*first, *second)), scale=1, part="smallest factor")
        yield AtMost(wealth(epsilon, delta + STEP), wealth(epsilon, delta), scale=size, part="wealth falls in delta")
        yield AtMost(wealth(epsilon + STEP, 0.0), wealth(epsilon, 0.0), scale=size, part="wealth falls in epsilon")

    def oracle(self, short: CallLaw, long: CallLaw, epsilon: Real, fraction: Real, hits: Any, calls: Any) -> Parts:
        """Row by row: the gain of a call is the mean of the gains of its rows, as pairs of draws define them."""
        laws = [[(mp.mpf(mass), rows) for mass, rows in zip(*law, strict=True)] for law in (short, long)]

        def excess(law: Any, row: int) -> Any:
            return mp.fsum(mass * oracle.gain(oracle.KINDS[rows[row]], epsilon, 0) for mass, rows in law)

        delta = max([mp.mpf(0)] + [excess(law, i) for law, m in zip(laws, ROWS, strict=True) for i in range(m)])

        def factor(rows: Any) -> Any:
            return oracle.call_factor([oracle.KINDS[kind] for kind in rows], epsilon, delta, fraction)

        def after(rows: Any) -> Any:
            gained = sum(x - y for x, y in (oracle.KINDS[kind] for kind in rows)) > 0
            return mp.fsum(mass * factor(next_rows) for mass, next_rows in laws[gained])

        def wealth(epsilon: Any, delta: Any) -> Any:
            bits = [zip([1] * a + [0] * (3 - a), [1] * b + [0] * (3 - b), strict=True) for a, b in hits]
            factors = [oracle.call_factor(list(rows), epsilon, delta, fraction) for rows in bits]
            return mp.fsum(n * mp.log(f) for n, f in zip(calls, factors, strict=True) if n)

        smallest, size = 1 - fraction, sum(calls)
        lost = mp.fsum(mass * (smallest if oracle.KINDS[rows[0]][1] else factor(rows)) for mass, rows in laws[1])
        single = [mp.fsum(mass * factor(rows) for mass, rows in law) for law in laws]
        for mean in single:
            yield AtMost(mean, mp.mpf(1), part="mean of a call")
        two = mp.fsum(mass * factor(rows) * after(rows) for mass, rows in laws[0])
        yield AtMost(two, mp.mpf(1), part="mean of two calls")
        yield AtMost(lost, mp.mpf(1), part="mean with lost calls")
        yield AtMost(smallest, min(factor(r) for law in laws for _, r in law), scale=1, part="smallest factor")
        yield AtMost(wealth(epsilon, delta + STEP), wealth(epsilon, delta), scale=size, part="wealth falls in delta")
        yield AtMost(wealth(epsilon + STEP, 0), wealth(epsilon, 0), scale=size, part="wealth falls in epsilon")

    def tight(self) -> list[Any]:
        """Rows of a call that are all alike, at the boundary of the claim; calls of which all are lost."""
        half = np.array([0.5, 0.5])
        opposite, opposites = (CallLaw(half, ((1,) * m, (2,) * m)) for m in ROWS)
        masses = np.array([0.5, 0.25, 0.25])
        uneven, unevens = (CallLaw(masses, tuple((kind,) * m for kind in (1, 0, 3))) for m in ROWS)
        lost = ((0, 3), (0, 3), (0, 3))
        return [
            (opposite, opposites, 0.0, 0.5, lost, (2, 3, 5)),
            (uneven, unevens, 0.5, 0.75, lost, (1, 0, 0)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Fair coins on both sides, or another one on one side, against ``epsilon = delta = 0``; half is staked."""
        half = mp.mpf(1) / 2
        pairs = list(itertools.product(oracle.KINDS, repeat=2))

        def factor(*rows: tuple[int, int], fraction: Any = half) -> Any:
            return oracle.call_factor(rows, 0, 0, fraction)

        equal_rows = mp.fsum(factor(kind) ** 2 for kind in oracle.KINDS) / 4
        best_length = mp.fsum(max(factor(a), factor(a, b)) for a, b in pairs) / 16
        without_losses = mp.fsum(max(factor(a, b), 1) for a, b in pairs) / 16
        uneven = (3 * half / 4, 3 * half / 4, half / 4, half / 4)
        other_coin = mp.fsum(c * factor(k) for c, k in zip(uneven, oracle.KINDS, strict=True))
        return {
            "an average over the rows of a call": AtMost(equal_rows, 1),
            "rows that meet the claim": AtMost(other_coin, 1),
            "a number of rows fixed before the call": AtMost(best_length, 1),
            "lost calls settled at the smallest factor": AtMost(without_losses, 1),
            "a fraction of at most 1": AtMost(0, min(factor(kind, kind, fraction=2) for kind in oracle.KINDS)),
        }
