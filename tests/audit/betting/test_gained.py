"""Bets on events and on ratios multiply wealth as they are defined, side by side in one table."""

import math

import numpy as np
import pytest

from dpspectra.audit import ZCDP, PureDP, Renyi
from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.events import HalfLine, Ratio
from dpspectra.audit.betting.gained import Curves, flat, gained
from dpspectra.audit.betting.wealth import Evidence
from dpspectra.fast.betting import FRACTIONS

RATIO = Ratio("a", 0, 2.0, (0.0, 1.0), (-1.0, 0.0, 1.5, 0.0))
HALF = HalfLine("a", 0, 0.5, True)
TOP = RATIO.unit


def ratio_bet(cells, **others):
    return Bet.of(RATIO, 0, 0.5, 3, cells, **others)


def by_definition(won, lost, bound, fraction):
    """Factor of a call whose means are these parts of the largest, ``2 s`` and ``s^2`` at ``s = e^1.5``."""
    most = math.exp(3.0)
    return 1 + fraction / (most + bound) * (2 * math.exp(1.5) * won - most * lost - bound)


def test_bets_on_ratios_and_events_are_settled_side_by_side():
    cells = {(2, TOP, TOP // 2): 3, (1, 0, TOP): 1, (0, 0, 0): 2}
    bets = [Bet.of(HALF, 0, 0.25, 3, {(1, 1, 0): 6}), ratio_bet(cells), Bet.of(HALF, 1, 0.25, 3, {(1, 0, 1): 6})]
    claim = Renyi(2.0, 0.7)
    together = gained(flat(bets), Curves.of(claim, [0.7, 1.4]))
    assert together.shape == (2, 3, 13)
    for k, value in enumerate((0.7, 1.4)):
        for j, g in enumerate(FRACTIONS):
            factors = [by_definition(*each, math.exp(value), g) for each in ((0.5, 0.25), (0.0, 1.0))]
            wanted = factors[0] ** 3 * factors[1] * (1 - g) ** 2
            assert together[k, 1, j] == pytest.approx(math.log(wanted), rel=1e-9)
    for place in (0, 2):
        alone = gained(flat([bets[place]]), Curves.of(claim, [0.7, 1.4]))
        assert np.array_equal(alone[:, 0], together[:, place])


@pytest.mark.parametrize("claim", [PureDP(1.0), Renyi(4.0, 0.1), Renyi(1.5, 0.1), ZCDP(0.1)], ids=str)
def test_a_ratio_of_an_order_that_is_not_claimed_loses_whatever_was_drawn(claim):
    """At the first place `ZCDP` has order 1.25: only the very order of the bet, at its own place, may win."""
    won = Bet.of(RATIO, 0, 0.5, 12, {(1, TOP, 0): 20})
    assert Evidence(((won,),)).against(claim) < 0
    assert Evidence(((won,),)).against(Renyi(2.0, 0.1)) > 1
    second = Bet.of(RATIO, 1, 0.5, 12, {(1, TOP, 0): 20})
    assert (Evidence(((second,),)).against(claim) > 1) is isinstance(claim, ZCDP)


def test_a_bound_from_ratios_is_where_wealth_falls_below_the_threshold():
    evidence = Evidence(((Bet.of(RATIO, 0, 1.0, 12, {(1, TOP, TOP // 4): 40}),),))
    claim = Renyi(2.0, 0.1)
    violated, bound = evidence.verdict(claim, 0.01)
    assert violated
    assert evidence.log_wealth(claim, np.array([bound]))[0] == pytest.approx(-math.log(0.01), abs=1e-6)
    values = np.linspace(0, 6, 40)
    assert np.all(np.diff(evidence.log_wealth(claim, values)) <= 0)
