"""What bets may stake and what they prove: wealth by the definition, shares of the risk, the bound read from it."""

import functools
import math

import numpy as np
import pytest

from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, Renyi
from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.choice_of_bets import select, with_impossible
from dpspectra.audit.betting.events import HalfLine
from dpspectra.audit.betting.wealth import Evidence, log_threshold
from dpspectra.audit.reading.features import IMPOSSIBLE
from dpspectra.fast.betting import BELOW, FRACTIONS, HIGHEST, bound_on_grid
from tests.support.helpers import bet

CLAIMS = [
    PureDP(1.0),
    ApproxDP(1.0, 0.05),
    GDP(1.0),
    Renyi(2.0, 1.0),
    Profile.of(lambda epsilon: 0.1 * math.exp(-epsilon), (0.0, 1.0, 2.0)),
]


def tables(kind, n=64):
    """Statistics of draws from two laws: unlike, alike, with ties, with missing values, constant."""
    rng = np.random.default_rng(len(kind))
    columns = {
        "unlike": [{"a": rng.normal(side, 1, n), "b": rng.normal(0, 1 + side, n)} for side in (0, 1)],
        "alike": [{"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.normal(size=n)} for _ in range(2)],
        "ties": [{"a": rng.integers(0, 2 + side, n) * 1.0, "b": np.zeros(n)} for side in (0, 1)],
        "missing": [{"a": np.where(rng.random(n) < 0.5, np.nan, rng.normal(side, 1, n))} for side in (0, 1)],
        "disjoint": [{"a": rng.normal(100 * side, 1, n)} for side in (0, 1)],
        "labels": [{"a": rng.integers(0, 9 + side, n).astype(np.uint64)} for side in (0, 1)],
        "constant": [{"a": np.zeros(n), "b": np.zeros(n, dtype=np.uint64)} for _ in range(2)],
    }[kind]
    impossible = np.zeros(n)
    impossible[:2] = 1
    return tuple(table | {IMPOSSIBLE: impossible} for table in columns)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
@pytest.mark.parametrize("kind", ["unlike", "alike", "ties", "missing", "disjoint", "labels", "constant"])
@pytest.mark.parametrize("side", [None, 0, 1])
def test_no_more_is_staked_than_there_is(claim, kind, side):
    """The stakes of a plan add up to 1 at most, so that wealth before a draw is 1 at most, against every value."""
    past, points = tables(kind), claim.points(claim.value)
    plans = select(past, points, None)
    if side is not None:
        plans = with_impossible(plans, side, past, points)
        assert plans[0].event.statistic == IMPOSSIBLE
        assert plans[0].share == 0.5
    assert (kind == "constant") == (plans == [] or len(plans) == (side is not None))
    assert sum(plan.share for plan in plans) <= 1 + 1e-12
    assert all(plan.share > 0 for plan in plans)
    assert all(0 <= plan.point < len(points) for plan in plans)
    if plans:
        start = Evidence((tuple(plan.lost(0) for plan in plans),))
        assert np.all(start.log_wealth(claim, np.array([0.0, claim.value, 7.0])) <= 1e-12)


def test_wealth_is_shared_out_over_fractions_whole():
    for fraction in range(len(FRACTIONS)):
        alone = Evidence(((bet((0, 0, 0, 0), fraction=fraction),),))
        assert alone.against(PureDP(1.0)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
def test_a_claim_is_violated_exactly_where_the_bound_exceeds_it(claim):
    """Over evidence that refutes by much, by little and not at all."""
    seen = set()
    for pairs in (30, 100, 300):
        for first in range(0, pairs + 1, 10):
            second = (pairs - first) // 4
            tried = bet((0, first, second, pairs - first - second), favoured=first % 2)
            violated, bound = Evidence(((tried,),)).verdict(claim, 0.01)
            assert violated == (bound > claim.value)
            seen.add(violated)
    assert seen == {False, True}


@pytest.mark.parametrize("risk", [0.05, 1e-3])
def test_the_two_grids_of_a_bound_share_the_risk(risk):
    """Where wealth need not fall with the parameter: refutations get most of it, what lies below a claim the rest."""
    assert log_threshold(PureDP(1.0), risk) == -math.log(risk)
    for claim in CLAIMS:
        if not claim.monotone:
            refuted = math.exp(-log_threshold(claim, risk))
            assert refuted == pytest.approx((1 - BELOW) * risk)
            assert refuted + BELOW * risk <= risk * (1 + 1e-12)
    short, between, beyond = -math.log(risk * 0.95), -math.log(risk / 2), -math.log(BELOW * risk / 2)
    assert bound_on_grid(functools.partial(np.full_like, fill_value=short), 1.0, risk) == 0
    for wealth, infinite in ((between, False), (beyond, True)):
        bound = bound_on_grid(functools.partial(np.full_like, fill_value=wealth), 1.0, risk)
        assert math.isinf(bound) == infinite
        assert bound >= HIGHEST - 1
    for wealth, stands in ((between, 0.0), (beyond, 0.5)):

        def falling(values, height=wealth):
            return np.where(values <= 0.5, height, 0.0)

        assert bound_on_grid(falling, 1.0, risk) == stands


# ---------------------------------------------------------------- the engine


@pytest.mark.parametrize("claim", [PureDP(1.0), GDP(1.0)])
@pytest.mark.parametrize("pairs", [20, 100, 1000])
def test_verdict_and_bound_agree_where_wealth_just_reaches_the_threshold(claim, pairs):
    """There the bound found by bisection is the claimed value itself."""
    evidence = Evidence(((bet((0, pairs, pairs // 10, 0)),),))
    risk = math.exp(-evidence.against(claim))
    assert evidence.lower_bound(claim, risk) == claim.value
    for slack in (0.0, 1e-9, -1e-9):
        violated, bound = evidence.verdict(claim, risk * (1 + slack))
        assert violated is (bound > claim.value) is (slack >= 0)


# ---------------------------------------------------------------- wealth


def test_a_bound_is_read_before_the_first_value_that_stands():
    """With delta > 0 wealth may fall and rise again: here 1.651 is not excluded, although larger values are."""
    epochs = tuple(
        (bet((112117179, 787882820, 12457464, 87542537), share=0.5, fraction=fraction),) for fraction in (0, 12)
    )
    evidence, claim = Evidence(epochs), ApproxDP(0.5, 0.25)
    grid = np.arange(0.5, 12, 1 / 64)
    excluded = evidence.log_wealth(claim, grid) >= math.log(1e3 / 0.9)
    assert excluded[0]
    first_kept = grid[np.flatnonzero(~excluded)[0]]
    assert evidence.lower_bound(claim, 1e-3) == pytest.approx(first_kept - 1 / 64)


HALF = HalfLine("output", 1, 0.5, True)


def test_hits_are_told_by_data_set():
    cells = {(4, 3, 1): 5, (1, 0, 1): 2, (0, 0, 0): 7}
    for favoured in (0, 1):
        hits = Bet.of(HalfLine("e", favoured, 0.5, True), 0, 1.0, 4, cells).hits
        assert hits == ((15, 7, 22) if favoured == 0 else (7, 15, 22)), "lost calls have no rows"


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("claim", [PureDP(0.7), ApproxDP(0.7, 0.2)], ids=str)
def test_wealth_is_that_of_the_definition(claim, one_sided):
    """Two epochs with two bets each, from counts of calls of several lengths, one of them lost."""
    delta = claim.points(0.7)[0][1]
    first = {(3, 2, 1): 4, (1, 0, 0): 2, (0, 0, 0): 1} if not one_sided else {(3, 0, 0): 2, (0, 0, 0): 1}
    second = {(2, 2, 0): 3}
    epochs = tuple(
        (Bet.of(HALF, 0, 0.25, 2, cells, one_sided), Bet.of(HALF, 0, 0.5, 9, cells)) for cells in (first, second)
    )

    def factor(cell, g, alone):
        rows, k, other = cell if cell[0] else (1, 0, 1)
        if alone:
            if delta == 0:
                return math.inf if k else 1.0
            return 1 + g * (k / rows - delta) / delta
        return 1 + g * (k / rows - math.exp(0.7) * other / rows - delta) / (math.exp(0.7) + delta)

    total = -0.5
    for epoch in epochs:
        wealth = 0.0
        for one in epoch:
            weights = 2.0 ** -np.abs(np.arange(len(FRACTIONS)) - one.fraction)
            for g, weight in zip(FRACTIONS, weights / weights.sum(), strict=True):
                wealth += one.share * weight * math.prod(factor(c, g, one.one_sided) ** n for c, n in one.cells.items())
        total += math.log(wealth)
    assert Evidence(epochs, -0.5).against(claim) == pytest.approx(total, rel=1e-12)
