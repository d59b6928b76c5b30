"""Plans of bets: which events are bet on, and what rates are learned."""

import math
from typing import Any

import numpy as np
import pytest

from dpspectra.audit.betting import choice_of_bets
from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.choice_of_bets import BettingPlan, Rates, learned_again
from dpspectra.audit.betting.events import HalfLine, LabelSet
from dpspectra.audit.reading.table import WHOLE
from tests.support.helpers import bet

select: Any = choice_of_bets.select  # plans of any kind of event


# ---------------------------------------------------------------- counts and wealth


HALF = HalfLine("output", 1, 0.5, True)


# ---------------------------------------------------------------- plans


def plan(p, q, draws=10**12):
    return BettingPlan(HALF, 0, 1.0, 4, Rates(p, q, draws))


def test_rates_are_learned_from_all_bets_on_an_event():
    bets = [Bet.of(HALF, 0, 1.0, 0, {(4, 3, 1): 100}), Bet.of(HALF, 0, 1.0, 0, {(1, 1, 0): 100})]
    bets.append(Bet.of(HalfLine("another", 0, 0.5, True), 0, 1.0, 0, {(1, 0, 1): 10**6}))
    again = learned_again(plan(0.1, 0.1), bets, ((1.0, 0.0),), 1)
    assert again.rates == Rates(400 / 500, 100 / 500, 500)
    unchanged = plan(0.1, 0.1)
    assert learned_again(unchanged, [], ((1.0, 0.0),), 1) == unchanged


def test_events_learned_from_labels_are_those_of_neyman_and_pearson():
    """Five of ten labels are likelier by e on one side, five on the other: their sets are found, in both orders."""
    rng = np.random.default_rng(0)
    up = np.repeat([math.e, 1.0], 5) / (5 * math.e + 5)
    past = tuple({"l": rng.choice(10, 4000, p=law).astype(np.uint64)} for law in (up, up[::-1]))
    plans = select(past, ((0.5, 0.0),), None)
    best = {one.event.favoured: set(one.event.members) for one in plans}
    assert best == {0: set(range(5)), 1: set(range(5, 10))}
    for one in plans:
        assert one.rates.p == pytest.approx(math.e / (1 + math.e), abs=0.03)
        assert one.rates.q == pytest.approx(1 / (1 + math.e), abs=0.03)


def test_labels_of_numbers_are_named_by_the_numbers():
    rng = np.random.default_rng(0)
    drawn = [rng.choice(5, 4000, p=law) for law in ([0.3, 0.05, 0.3, 0.05, 0.3], [0.05, 0.425, 0.05, 0.425, 0.05])]
    past = tuple({"output": x.astype(float), WHOLE: x.astype(np.uint64) + np.uint64(2**40)} for x in drawn)
    events = [one.event for one in select(past, ((1.0, 0.0),), None) if isinstance(one.event, LabelSet)]
    assert {event.names for event in events} >= {("output = 1", "output = 3")}
    assert any(str(event).startswith("whole output: output = 1 or output = 3") for event in events)
    bare = tuple({WHOLE: table[WHOLE]} for table in past)
    shown = next(one.event for one in select(bare, ((1.0, 0.0),), None))
    assert shown.names[0].startswith("#0000010000")


# ---------------------------------------------------------------- draws


def test_verdicts_of_the_helper_are_those_of_the_engine():
    """Four counts, as `tests.support.helpers.bet` takes them, are calls of one row."""
    assert bet((1, 2, 3, 4)).cells == {(1, 1, 1): 1, (1, 1, 0): 2, (1, 0, 1): 3, (1, 0, 0): 4}
