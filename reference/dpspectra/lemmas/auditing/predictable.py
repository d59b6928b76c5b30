"""Bets chosen on earlier draws, shares of wealth, both orders, a reserve: none of them needs a correction.

If the event, the order of the data sets, the point, the fraction and the shares are decided before a pair is drawn, the
mean of the pair's factor is at most 1, and so is that of an average. Three protocols are computed on all histories of
three pairs:

* *selection*: two pairs settle the first epoch; the two events with the largest excess on them share the third pair;
* *reserve*: pairs come in batches, and a batch fails as a whole if one of its draws fails, without showing which; the
  wealth bet on it is then lost, and a fraction ``rho`` that was never bet is used from then on;
* *late*: wealth is read, at any time, without a block whose draws take too long. Whether it is late may depend on its
  draws, so leaving it out would not be a bet decided beforehand: each of its pairs must be settled at the smallest
  factor, ``1 - g``.

Choosing the event on the draws that settle it, dropping failed batches, or leaving out late ones at no loss makes the
mean exceed 1 (see the note).
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray

from dpspectra.fast import betting as fast
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.oracle import betting as oracle
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.strategies import distributions, epsilons, st
from dpspectra.strategies.betting import fractions, levels

OUTCOMES = range(3)
"""Outcomes of the mechanism; a draw of the last one fails, or is late."""


PAIRS = 3
"""Number of pairs in a history."""


CANDIDATES = [(order, event) for order in (0, 1) for event in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))]
"""Bets from which the selection protocol chooses.

Of each, the place in the pair of the data set under which its event is suspected to be too likely; and the event.
"""


PLAIN, REVERSED, STRANGE = (0, (0,)), (1, (1,)), (0, (2,))
"""Candidates fixed beforehand: an ordinary event, one in the reverse order, and the outcome that fails or is late."""


SHARES = (0.75, 0.25)
"""Fractions of wealth on the best and the second best candidate."""


RESERVE = 0.125
"""Fraction of wealth that is never bet."""


@statement
class PredictableBets:
    labels = ("DPS-PREDICT",)
    given = (
        r"E_{rj},g_{rj},w_{rj}\text{ known before epoch }r,\ \sum_jw_{rj}\le1,\ "
        r"S_r=S_{r-1}\sum_jw_{rj}K^{(rj)},\ S_0=1;\ "
        r"B_i=(1-\rho)K_i,\text{ from a failed batch on }B_i=\rho R_i;\ "
        r"L_i=L_{i-1}F_i,\text{ for a late pair }L_i=(1-g)L_{i-1},\ L_0=1"
    )
    claim = {
        "mean with selection": r"\mathbb ES_r\le1",
        "level with selection": r"\Pr[\max_rS_r\ge c]\le\tfrac1c",
        "mean with reserve": r"\mathbb E\big[B_n+\rho\,\mathbf 1[\text{no batch failed}]\big]\le1",
        "level with reserve": r"\Pr[\max_iB_i\ge c]\le\tfrac1c",
        "mean with late pairs": r"\mathbb EL_n\le1",
        "level with late pairs": r"\Pr[\max_iL_i\ge c]\le\tfrac1c",
    }
    where = {
        "r": "number of an epoch",
        "E_{rj},g_{rj},w_{rj}": "event, stake and share of bet $`j`$ in epoch $`r`$",
        "w_i": "the shares of the bets of an epoch",
        "K^{(rj)}": "wealth from bet $`j`$ in epoch $`r`$",
        "S_i": "wealth after this many epochs",
        r"\rho": "share of the wealth that is kept in reserve",
        "B_i": "wealth that is read, from draws in batches",
        "R_i": "growth of the reserve by bets on later draws",
        "L_i": "wealth that is read, where pairs may be late",
        "F_i": "factor of a pair",
        "c": "level",
    }
    verdict = Verdict.NEW
    uses = ("DPS-EPROCESS", "DPS-VILLE")
    note = "auditing.md#bets-decided-beforehand"
    digits = 30
    examples = 19
    slack = {
        "level with reserve": Slack(0.875, "an eighth of the wealth is kept in reserve and not counted in what is read")
    }

    def cases(self) -> Any:
        """Both laws, the claim's epsilon, the fraction staked, and the logarithm of the level."""
        laws = st.tuples(distributions(3), distributions(3))
        return st.tuples(laws, epsilons(2.0**-6, 3.0) | st.just(0.0), fractions(), levels())

    def fast(self, laws: Any, epsilon: float, fraction: float, level: float) -> Parts:
        """All histories at once; ``delta`` is the smallest for which the two laws satisfy the claim in both orders."""
        p, q = laws
        delta = float(max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)))
        draws = np.array(list(itertools.product(itertools.product(OUTCOMES, repeat=2), repeat=PAIRS)))
        chance = np.prod(p[draws[:, :, 0]] * q[draws[:, :, 1]], axis=1)

        def hits(order: int, event: tuple[int, ...]) -> NDArray[np.bool_]:
            inside = np.isin(draws, event)
            return inside[:, :, ::-1] if order else inside

        def wealth(candidate: tuple[int, tuple[int, ...]], start: int, stop: int) -> NDArray[np.float64]:
            first, second = np.moveaxis(hits(*candidate)[:, start:stop], -1, 0)
            kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
            counts = np.stack([kind.sum(axis=1) for kind in kinds], axis=1)
            return np.exp(fast.log_wealth(counts, epsilon, delta, [fraction])[:, 0])

        def rarely(part: str, *readings: NDArray[np.float64]) -> AtMost:
            reached = np.max(readings, axis=0) >= np.exp(level)
            return AtMost(float(chance[reached].sum()), float(np.exp(-level)), part=part)

        def mean(part: str, last: NDArray[np.float64]) -> AtMost:
            return AtMost(float(chance @ last), 1.0, part=part)

        early = (wealth(PLAIN, 0, 2) + wealth(REVERSED, 0, 2)) / 2
        scores = np.stack([np.diff(hits(*c)[:, :2].sum(axis=1).astype(int))[:, 0] for c in CANDIDATES], axis=1)
        chosen = np.argsort(scores, axis=1, kind="stable")[:, :2]
        options = np.stack([wealth(c, 2, 3) for c in CANDIDATES], axis=1)
        selected = early * (np.take_along_axis(options, chosen, axis=1) @ SHARES)

        strange = (draws == OUTCOMES[-1]).any(axis=2)
        fails, fails_later = strange[:, :2].any(axis=1), strange[:, 2]
        batch, alone = (1 - RESERVE) * wealth(PLAIN, 0, 2), RESERVE * wealth(STRANGE, 2, 3)
        second_batch = (1 - RESERVE) * wealth(PLAIN, 0, 3)
        goes_on = np.where(fails, alone, np.where(fails_later, RESERVE, second_batch))
        whole = goes_on + np.where(fails | fails_later, 0.0, RESERVE)

        late = strange[:, 1]
        before, resumed = wealth(PLAIN, 0, 1), wealth(PLAIN, 2, 3)
        settled = before * np.where(late, 1 - fraction, wealth(PLAIN, 1, 2))
        yield mean("mean with selection", selected)
        yield rarely("level with selection", early, selected)
        yield mean("mean with reserve", whole)
        yield rarely("level with reserve", np.where(fails, RESERVE, batch), goes_on)
        yield mean("mean with late pairs", settled * resumed)
        yield rarely("level with late pairs", before, settled, settled * resumed)

    def oracle(self, laws: Any, epsilon: float, fraction: float, level: float) -> Parts:
        """Sums over histories of products over pairs, from the definition of the gain."""
        p, q = ([mp.mpf(x) for x in law] for law in laws)
        delta = max(exact_divergence.hockey_stick(a, b, epsilon) for a, b in ((p, q), (q, p)))
        factors = oracle.factors(epsilon, delta, fraction)
        smallest, reserve, threshold = min(factors.values()), mp.mpf(RESERVE), mp.exp(level)

        def kind(candidate: tuple[int, tuple[int, ...]], pair: tuple[int, ...]) -> tuple[int, int]:
            order, event = candidate
            return int(pair[order] in event), int(pair[1 - order] in event)

        def won(candidate: tuple[int, tuple[int, ...]], *pairs: tuple[int, ...]) -> Any:
            return mp.fprod(factors[kind(candidate, pair)] for pair in pairs)

        def excess(candidate: tuple[int, tuple[int, ...]], *pairs: tuple[int, ...]) -> int:
            return sum(a - b for a, b in (kind(candidate, pair) for pair in pairs))

        means, reached = [mp.mpf(0)] * 3, [mp.mpf(0)] * 3
        for one, two, three in itertools.product(itertools.product(OUTCOMES, repeat=2), repeat=PAIRS):
            chance = mp.fprod(p[x] * q[y] for x, y in (one, two, three))
            if not chance:
                continue
            early = (won(PLAIN, one, two) + won(REVERSED, one, two)) / 2
            best = sorted(CANDIDATES, key=lambda c: -excess(c, one, two))[:2]
            selected = early * mp.fsum(share * won(c, three) for share, c in zip(SHARES, best, strict=True))

            strange = [OUTCOMES[-1] in pair for pair in (one, two, three)]
            if strange[0] or strange[1]:
                batches = [reserve, reserve * won(STRANGE, three)]
                whole = batches[-1]
            else:
                bet = (1 - reserve) * won(PLAIN, one, two)
                batches = [bet, reserve if strange[2] else bet * won(PLAIN, three)]
                whole = batches[-1] + (0 if strange[2] else reserve)

            first = won(PLAIN, one)
            second = first * (smallest if strange[1] else won(PLAIN, two))
            blocks = [first, second, second * won(PLAIN, three)]

            protocols = (selected, (early, selected)), (whole, batches), (blocks[-1], blocks)
            for i, (last, readings) in enumerate(protocols):
                means[i] += chance * last
                reached[i] += chance * any(reading >= threshold for reading in readings)
        for mean, often, name in zip(means, reached, ("selection", "reserve", "late pairs"), strict=True):
            yield AtMost(mean, mp.mpf(1), part=f"mean with {name}")
            yield AtMost(often, 1 / threshold, part=f"level with {name}")

    def tight(self) -> list[Any]:
        """Equal laws at ``epsilon = 0``, so every factor has mean 1; with and without draws that fail or are late.

        Then a large ``epsilon``, where a bet almost always gains a little, and levels just above the wealth it starts
        with.
        """
        strange, plain, rare = np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.5, 0.0]), 2.0**-24
        apart = np.array([1 - rare, rare, 0.0]), np.array([rare, 1 - rare, 0.0])
        levels = 2.0**-27, float(np.log(1 - RESERVE)) + 2.0**-27
        return [((law, law), 0.0, 0.5, 0.5) for law in (strange, plain)] + [(apart, 17.0, 0.5, x) for x in levels]

    def beyond(self) -> dict[str, AtMost]:
        """A fair coin on both data sets against ``epsilon = delta = 0``; and three outcomes of which one fails.

        The event is the side that the first draw shows; losing pairs are left out at no loss; or pairs that fail are
        left out at no loss, and the ratio of the rest is 3 instead of 2.
        """
        third, half = mp.mpf(1) / 3, mp.mpf(1) / 2
        fair = oracle.factors(0, 0, half)
        chosen = half * fair[1, 0] + half * fair[1, 1]
        late = mp.fsum(max(factor, 1) for factor in fair.values()) / 4
        doubled = oracle.factors(mp.log(2), 0, half)
        chances = (third**3, third * (1 - third**2), (1 - third) * third**2, (1 - third) * (1 - third**2))
        kept = mp.fsum(c * doubled[kind] for c, kind in zip(chances, oracle.KINDS, strict=True))
        return {
            "an event fixed before the pair": AtMost(chosen, 1),
            "late pairs settled at the smallest factor": AtMost(late, 1),
            "failed pairs counted as lost": AtMost(kept, 1),
        }
