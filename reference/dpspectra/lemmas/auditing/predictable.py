"""Bets chosen on earlier draws, shares of wealth, both orders, a reserve: none of them needs a correction.

Whatever is decided before a pair is drawn (event, order of the data sets, point, fraction, shares) keeps the mean of
its factor at most 1, and so does an average. Three protocols are played out on all histories of three pairs:

* *selection*: two pairs settle the first epoch, the two events that look worst on them share the third pair;
* *reserve*: pairs come in batches that fail as a whole, without showing where, if a draw would; the wealth bet is then
  lost, and a share ``rho`` that was never bet goes on;
* *late*: a block whose draws take too long is left out of the reading, which may be done at any time. Whether it is
  late may depend on its draws, so going on as if it had not been begun is no bet decided before: each of its pairs must
  be settled at the least factor, ``1 - g``.

Choosing the event on the draws that settle it, dropping failed batches, or going on after late ones for nothing makes
the mean exceed 1 (see the note).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from mpmath import mp
from numpy.typing import NDArray

from dpspectra.fast import betting as fast
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import betting as oracle
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.strategies import distributions, epsilons
from dpspectra.strategies.betting import fractions, levels

OUTCOMES = range(3)
"""Of the mechanism; the last one fails, or takes long."""
PAIRS = 3
CANDIDATES = [(order, event) for order in (0, 1) for event in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))]
"""Events, and the data set under which they are suspected to be too likely."""
SHARES = (0.75, 0.25)
RESERVE = 0.125

lemma = Statement(
    labels=("DPS-PREDICT",),
    claim=r"E_{rj},g_{rj},w_{rj}\text{ known before epoch }r,\ \textstyle\sum_jw_{rj}\le1\ \Rightarrow\ "
    r"\prod_r\sum_jw_{rj}K^{(rj)}\text{ is a supermartingale; so is }(1-\rho)B+\rho,"
    r"\text{ from a failed batch on }\rho R\text{; late pairs are settled at }1-g",
    verdict=Verdict.NEW,
    cases=st.tuples(
        st.tuples(distributions(3), distributions(3)),
        epsilons(2.0**-6, 3.0) | st.just(0.0),
        fractions(),
        levels(),
    ),
    uses=("DPS-EPROCESS", "DPS-VILLE"),
    note="auditing.md#bets-decided-beforehand",
    digits=30,
    examples=30,  # 729 histories each
)


@lemma.fast
def protocols(laws: Any, epsilon: float, fraction: float, level: float) -> tuple[AtMost, ...]:
    """All histories at once; ``delta`` is the least with which the two laws meet the claim in both orders."""
    p, q = laws
    delta = float(max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon)))
    draws = np.array(list(itertools.product(OUTCOMES, repeat=2 * PAIRS))).reshape(-1, PAIRS, 2)
    chance = np.prod(p[draws[:, :, 0]] * q[draws[:, :, 1]], axis=1)

    def hits(order: int, event: tuple[int, ...]) -> NDArray[np.bool_]:
        inside = np.isin(draws, event)
        return inside[:, :, ::-1] if order else inside

    def wealth(candidate: tuple[int, tuple[int, ...]], start: int, stop: int) -> NDArray[np.float64]:
        first, second = np.moveaxis(hits(*candidate)[:, start:stop], -1, 0)
        kinds = (first & second, first & ~second, ~first & second, ~first & ~second)
        counts = np.stack([kind.sum(axis=1) for kind in kinds], axis=1)
        return np.exp(fast.log_wealth(counts, epsilon, delta, [fraction])[:, 0])

    def rarely(*readings: NDArray[np.float64]) -> AtMost:
        return AtMost(float(chance[np.max(readings, axis=0) >= np.exp(level)].sum()), float(np.exp(-level)))

    def mean(last: NDArray[np.float64]) -> AtMost:
        return AtMost(float(chance @ last), 1.0)

    early = (wealth(CANDIDATES[0], 0, 2) + wealth(CANDIDATES[7], 0, 2)) / 2
    scores = np.stack([np.diff(hits(*c)[:, :2].sum(axis=1).astype(int))[:, 0] for c in CANDIDATES], axis=1)
    chosen = np.argsort(scores, axis=1, kind="stable")[:, :2]
    options = np.stack([wealth(c, 2, 3) for c in CANDIDATES], axis=1)
    selected = early * (np.take_along_axis(options, chosen, axis=1) @ SHARES)

    strange = (draws == OUTCOMES[-1]).any(axis=2)
    fails, fails_later = strange[:, :2].any(axis=1), strange[:, 2]
    batch, alone = (1 - RESERVE) * wealth(CANDIDATES[0], 0, 2), RESERVE * wealth(CANDIDATES[2], 2, 3)
    second_batch = (1 - RESERVE) * wealth(CANDIDATES[0], 0, 3)
    goes_on = np.where(fails, alone, np.where(fails_later, RESERVE, second_batch))
    whole = goes_on + np.where(fails | fails_later, 0.0, RESERVE)

    late = strange[:, 1]
    before, resumed = wealth(CANDIDATES[0], 0, 1), wealth(CANDIDATES[0], 2, 3)
    settled = before * np.where(late, 1 - fraction, wealth(CANDIDATES[0], 1, 2))
    return (
        mean(selected),
        rarely(early, selected),
        mean(whole),
        rarely(np.where(fails, RESERVE, batch), goes_on),
        mean(settled * resumed),
        rarely(before, settled, settled * resumed),
    )


@lemma.oracle
def exact_protocols(laws: Any, epsilon: float, fraction: float, level: float) -> tuple[AtMost, ...]:
    """History by history, pair by pair, from the definition of the gain."""
    p, q = ([mp.mpf(x) for x in law] for law in laws)
    delta = max(exact_divergence.hockey_stick(a, b, epsilon) for a, b in ((p, q), (q, p)))
    factors = {kind: oracle.factor(kind, epsilon, delta, fraction) for kind in oracle.KINDS}
    least, reserve, threshold = min(factors.values()), mp.mpf(RESERVE), mp.exp(level)

    def kind(candidate: tuple[int, tuple[int, ...]], pair: tuple[int, ...]) -> tuple[int, int]:
        order, event = candidate
        return int(pair[order] in event), int(pair[1 - order] in event)

    def won(candidate: tuple[int, tuple[int, ...]], *pairs: tuple[int, ...]) -> Any:
        return mp.fprod(factors[kind(candidate, pair)] for pair in pairs)

    def excess(candidate: tuple[int, tuple[int, ...]], *pairs: tuple[int, ...]) -> int:
        return sum(a - b for a, b in (kind(candidate, pair) for pair in pairs))

    plain, reversed_order, strange_event = CANDIDATES[0], CANDIDATES[7], CANDIDATES[2]
    means, reached = [mp.mpf(0)] * 3, [mp.mpf(0)] * 3
    for one, two, three in itertools.product(itertools.product(OUTCOMES, repeat=2), repeat=PAIRS):
        chance = mp.fprod(p[x] * q[y] for x, y in (one, two, three))
        if not chance:
            continue
        early = (won(plain, one, two) + won(reversed_order, one, two)) / 2
        best = sorted(CANDIDATES, key=lambda c: -excess(c, one, two))[:2]
        selected = early * mp.fsum(share * won(c, three) for share, c in zip(SHARES, best, strict=True))

        strange = [OUTCOMES[-1] in pair for pair in (one, two, three)]
        if strange[0] or strange[1]:
            batches = [reserve, reserve * won(strange_event, three)]
            whole = batches[-1]
        else:
            bet = (1 - reserve) * won(plain, one, two)
            batches = [bet, reserve if strange[2] else bet * won(plain, three)]
            whole = batches[-1] + (0 if strange[2] else reserve)

        blocks = [won(plain, one)]
        blocks.append(blocks[0] * (least if strange[1] else won(plain, two)))
        blocks.append(blocks[1] * won(plain, three))

        for i, (last, readings) in enumerate(((selected, (early, selected)), (whole, batches), (blocks[-1], blocks))):
            means[i] += chance * last
            reached[i] += chance * (max(readings) >= threshold)
    parts = ((AtMost(m, mp.mpf(1)), AtMost(r, 1 / threshold)) for m, r in zip(means, reached, strict=True))
    return tuple(itertools.chain.from_iterable(parts))


@lemma.tight
def fair_game() -> list[Any]:
    """Equal laws at ``epsilon = 0``: every factor has mean exactly 1; with and without draws that fail or are late."""
    strange, plain = np.array([0.5, 0.25, 0.25]), np.array([0.5, 0.5, 0.0])
    return [((law, law), 0.0, 0.5, 0.5) for law in (strange, plain)]
