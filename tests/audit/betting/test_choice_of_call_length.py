"""How many rows calls have."""

import math

import numpy as np
import pytest

from dpspectra.audit.betting.choice_of_bets import BettingPlan, Rates
from dpspectra.audit.betting.choice_of_call_length import KEPT, in_calls
from dpspectra.audit.betting.events import HalfLine
from dpspectra.fast.betting import growth


def plan(p, q, draws=10**12):
    return BettingPlan(HalfLine("output", 1, 0.5, True), 0, 1.0, 4, Rates(p, q, draws))


@pytest.mark.parametrize(("loss", "rows"), [(3.0, 1), (1.5, 1), (1.1, 8), (1.03, 16), (1.01, 64)])
def test_calls_are_as_long_as_leaves_most_of_the_growth(loss, rows):
    """AUDIT: growth per row falls off beyond 1.8, 10, 33 and 100 rows, at p = 1/2 under a claim of 1."""
    point = ((1.0, 0.0),)
    q = 0.5 * math.exp(-loss)
    (planned,), found = in_calls([plan(0.5, q)], point, 2**20)
    assert rows <= found <= 2 * rows
    per_draw = [np.max(growth(0.5, q, m, 1.0, 0.0)) / m for m in (1, found, 2 * found)]
    assert per_draw[1] >= KEPT * per_draw[0] > per_draw[2]
    assert isinstance(planned.rates, Rates)
    assert planned.fraction == np.argmax(growth(*planned.rates.shifted(-0.5), found, 1.0, 0.0))


def test_calls_have_no_more_rows_than_allowed_and_many_where_nothing_grows():
    point = ((1.0, 0.0),)
    assert in_calls([plan(0.5, 0.5)], point, 7)[1] == 4
    assert in_calls([plan(0.5, 0.5)], point, 2**20)[1] == 1024
    assert in_calls([], point, 64) == ([], 1)
    assert in_calls([plan(0.5, 0.4), plan(0.9, 0.01)], point, 1)[1] == 1


def test_calls_are_long_where_the_bet_cannot_refute_in_the_draws_that_are_left():
    """AUDIT: rates .31 and .06 under a claim of 1, from 1,000 draws: much likelier, they gain so much a draw."""
    point, slight = ((1.0, 0.0),), plan(0.31, 0.06, 1000)
    short = in_calls([slight], point, 2**20)[1]
    p, q = slight.rates.shifted(1.28)
    gain = float(np.max(growth(p, q, 1, 1.0, 0.0)))
    assert short < 1024
    assert in_calls([slight], point, 2**20, 7 / gain * 1.01, 7.0)[1] == short
    assert in_calls([slight], point, 2**20, 7 / gain * 0.99, 7.0)[1] == 1024


def test_calls_are_long_where_all_growth_may_be_luck_once_nothing_more_is_learned():
    """AUDIT: rates .31 and .11 under a claim of 1, from 1,000 draws, do not grow by three standard deviations less."""
    point, lucky = ((1.0, 0.0),), plan(0.31, 0.11, 1000)
    assert np.max(growth(*lucky.rates.shifted(-3.0), 1, 1.0, 0.0)) <= 0 < np.max(growth(0.31, 0.11, 1, 1.0, 0.0))
    assert in_calls([lucky], point, 2**20)[1] < 1024
    assert in_calls([lucky], point, 2**20, 1e9, 7.0)[1] == 1024
