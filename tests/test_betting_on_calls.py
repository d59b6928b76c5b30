"""What bets on calls rest on: counts, wealth, plans, the ranking of labels, rounding, bits, the test of dependence."""

import itertools
import json
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpspectra.audit import ApproxDP, PureDP, audit, audit_fixed, bits, selection
from dpspectra.audit.dependence import STAKES, Dependence
from dpspectra.audit.draws import Sampler
from dpspectra.audit.events import HalfLine, LabelSet, Told, event_from
from dpspectra.audit.features import IMPOSSIBLE
from dpspectra.audit.observe import Observer, Source
from dpspectra.audit.outcomes import NOTHING, label, named, readable
from dpspectra.audit.ranking import Ranking
from dpspectra.audit.rounding import LARGEST, grid_of, snapped, tamed
from dpspectra.audit.score import Score, learn
from dpspectra.audit.selection import KEPT, BettingPlan, Rates, in_calls, learned_again
from dpspectra.audit.table import WHOLE
from dpspectra.audit.wealth import Bet, Evidence, bet_from, counted, evidence_from
from dpspectra.fast.betting import FRACTIONS, growth
from tests.helpers import bet, laplace

select: Any = selection.select  # plans of any kind of event


# ---------------------------------------------------------------- counts and wealth


def test_pairs_of_calls_are_counted_by_their_rows_in_the_event():
    one, other = np.array([1, 1, 0, 1, 0, 0, 1, 1], dtype=bool), np.array([0, 1, 0, 0, 0, 0, 0, 1], dtype=bool)
    assert counted(one, other, 1) == {(1, 0, 0): 3, (1, 1, 0): 3, (1, 1, 1): 2}
    assert counted(one, other, 2) == {(2, 2, 1): 2, (2, 1, 0): 1, (2, 0, 0): 1}
    assert counted(one, other, 8) == {(8, 5, 2): 1}


HALF = HalfLine("output", 1, 0.5, True)
EVENTS = [
    HALF,
    HalfLine("output", 0, 0.5, False, Score(("a", "b"), (0.0, 1.0), (1.0, 2.0), (("b", 7),), (1.0, 2.0, 3.0))),
    LabelSet("whole output", 0, (3, 2**63 + 5), (3, 2**63 + 5, 9), True, ("three",)),
    Told("in words only", 0),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_and_bets_survive_being_saved(event):
    assert event_from(json.loads(json.dumps(event.to_dict()))) == event
    tried = Bet.of(event, 2, 0.5, 3, {(4, 1, 0): 6, (0, 0, 0): 2, (1, 1, 1): 1})
    assert bet_from(json.loads(json.dumps(tried.to_dict()))) == tried
    evidence = Evidence(((tried,), ()), -0.1, (tried,))
    assert evidence_from(json.loads(json.dumps(evidence.to_dict()))) == evidence
    with pytest.raises(ValueError, match="known kind"):
        event_from(event.to_dict() | {"kind": "?"})


def test_hits_are_told_by_data_set():
    cells = {(4, 3, 1): 5, (1, 0, 1): 2, (0, 0, 0): 7}
    for favoured in (0, 1):
        hits = Bet.of(Told("e", favoured), 0, 1.0, 4, cells).hits
        assert hits == ((15, 7, 22) if favoured == 0 else (7, 15, 22)), "lost calls have no rows"


def test_events_occur_where_they_say():
    table = {"output": np.array([0.4, 0.5, np.nan, 0.6]), "l": np.array([1, 2, 3, 1], dtype=np.uint64)}
    assert HalfLine("output", 0, 0.5, True).hits(table).tolist() == [False, True, False, True]
    assert HalfLine("output", 0, 0.5, False).hits(table).tolist() == [True, True, False, False]
    assert LabelSet("l", 0, (1,), (1, 2)).hits(table).tolist() == [True, False, False, True]
    assert LabelSet("l", 0, (1,), (1, 2), new=True).hits(table).tolist() == [True, False, True, True]
    with pytest.raises(ValueError, match="saved as data"):
        Told("e", 0).hits(table)
    assert str(HALF) == "output >= 0.5: too likely on the second data set"
    named_set = LabelSet("l", 0, tuple(range(9)), (), True, ("a", "b"))
    assert str(named_set) == "l: a or b or 7 more or what is new: too likely on the first data set"
    assert "cannot occur on the first" in str(HalfLine(IMPOSSIBLE, 1, 0.5, True))


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("claim", [PureDP(0.7), ApproxDP(0.7, 0.2)], ids=str)
def test_wealth_is_that_of_the_definition(claim, one_sided):
    """Of two epochs with two bets each, from counts of calls of several lengths, one of them lost."""
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


# ---------------------------------------------------------------- plans


def plan(p, q, draws=10**12):
    return BettingPlan(HALF, 0, 1.0, 4, Rates(p, q, draws))


@pytest.mark.parametrize(("loss", "rows"), [(3.0, 1), (1.5, 1), (1.1, 8), (1.03, 16), (1.01, 64)])
def test_calls_are_as_long_as_leaves_most_of_the_growth(loss, rows):
    """AUDIT: growth per row falls off beyond 1.8, 10, 33 and 100 rows, at p = 1/2 under a claim of 1."""
    point = ((1.0, 0.0),)
    q = 0.5 * math.exp(-loss)
    (planned,), found = in_calls([plan(0.5, q)], point, 2**20)
    assert rows <= found <= 2 * rows
    per_draw = [np.max(growth(0.5, q, m, 1.0, 0.0)) / m for m in (1, found, 2 * found)]
    assert per_draw[1] >= KEPT * per_draw[0] > per_draw[2]
    assert planned.fraction == np.argmax(growth(*planned.rates.shifted(-0.5), found, 1.0, 0.0))


def test_calls_have_no_more_rows_than_allowed_and_many_where_nothing_grows():
    point = ((1.0, 0.0),)
    assert in_calls([plan(0.5, 0.5)], point, 7)[1] == 4
    assert in_calls([plan(0.5, 0.5)], point, 2**20)[1] == 1024
    assert in_calls([], point, 64) == ([], 1)
    assert in_calls([plan(0.5, 0.4), plan(0.9, 0.01)], point, 1)[1] == 1


def test_growth_is_the_mean_of_the_log_factor():
    rng = np.random.default_rng(0)
    p, q, epsilon, delta = 0.5, 0.1, 0.6, 0.05
    for rows in (1, 2, 16, 17, 64):
        k, other = rng.binomial(rows, p, 200_000) / rows, rng.binomial(rows, q, 200_000) / rows
        gains = (k - math.exp(epsilon) * other - delta) / (math.exp(epsilon) + delta)
        means = [np.mean(np.log1p(g * gains)) for g in FRACTIONS]
        np.testing.assert_allclose(growth(p, q, rows, epsilon, delta), means, atol=0.01)


def test_rates_are_learned_from_all_bets_on_an_event():
    bets = [Bet.of(HALF, 0, 1.0, 0, {(4, 3, 1): 100}), Bet.of(HALF, 0, 1.0, 0, {(1, 1, 0): 100})]
    bets.append(Bet.of(Told("another", 0), 0, 1.0, 0, {(1, 0, 1): 10**6}))
    again = learned_again(plan(0.1, 0.1), bets, ((1.0, 0.0),), 1)
    assert again.rates == Rates(400 / 500, 100 / 500, 500)
    unchanged = plan(0.1, 0.1)
    assert learned_again(unchanged, [], ((1.0, 0.0),), 1) == unchanged


def test_events_learned_from_labels_are_those_of_neyman_and_pearson():
    """Of ten labels five are likelier by e on one side, five on the other: their sets are found, in both orders."""
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


def test_what_was_not_seen_is_one_label():
    """Labels that never repeat: on one side all of them, on the other half."""
    rng = np.random.default_rng(0)
    fresh = rng.integers(100, 2**60, 2000).astype(np.uint64)
    both = fresh[:1000], np.where(rng.random(1000) < 0.5, fresh[1000:], np.uint64(5))
    ranking = Ranking.of(both)
    assert ranking.labels.tolist() == [5]
    assert ranking.ratios[0] < -5
    assert ranking.ratios[1] == pytest.approx(math.log(2), abs=0.1)
    assert ranking(np.array([5, 6, 2**61], dtype=np.uint64)).tolist() == [ranking.ratios[0], *[ranking.ratios[1]] * 2]
    sets = {plan.event.favoured: plan.event for plan in select(({"l": both[0]}, {"l": both[1]}), ((0.3, 0.0),), None)}
    assert (sets[1].members, sets[1].new) == ((5,), False)
    assert (sets[0].members, sets[0].known, sets[0].new) == ((), (5,), True)
    table = {"l": np.array([5, 6, 2**61], dtype=np.uint64)}
    assert [sets[side].hits(table).tolist() for side in (0, 1)] == [[False, True, True], [True, False, False]]
    assert Ranking.of((fresh[:0], fresh[:0] + np.uint64(1))) is None


def test_a_classifier_is_shown_frequent_labels():
    class Constant:
        def fit(self, x, y):
            self.seen = x

        def predict_proba(self, x):
            return np.column_stack([1 - x[:, -1], x[:, -1]])

    rng = np.random.default_rng(0)
    past = tuple({"l": rng.integers(0, 2 + side, 2000).astype(np.uint64)} for side in (0, 1))
    score = learn(past, Constant())
    assert score.labels
    assert score.classifier.seen.shape == (2000, len(score.labels))
    assert set(np.unique(score.classifier.seen)) == {-1.0, 1.0}
    assert learn(past) is None, "the built-in one has nothing to learn from"


class Bins:
    """A classifier that learns rates in 64 bins of the statistic that has most values."""

    def fit(self, x, y):
        self.column = int(np.argmax([len(np.unique(column)) for column in x.T]))
        self.ends = np.quantile(x[:, self.column], np.linspace(0, 1, 65)[1:-1])
        place = np.searchsorted(self.ends, x[:, self.column])
        self.rates = (np.bincount(place, y, 64) + 1) / (np.bincount(place, minlength=64) + 2)

    def predict_proba(self, x):
        rates = self.rates[np.searchsorted(self.ends, x[:, self.column])]
        return np.column_stack([1 - rates, rates])


def parity(x, *, size, rng):
    """A number whose integer part is mostly even on one data set, and mostly odd on the other; sometimes mere noise."""
    odd = rng.random(size) < (0.9 if x else 0.1)
    shown = 100 + 2 * rng.integers(16, size=size) + odd + rng.random(size)
    below, above, where = rng.uniform(0, 100, size), rng.uniform(132, 1000, size), rng.random(size)
    return np.select([where < 0.05, where < 0.1], [below, above], shown)


def spelled(x, *, size, rng):
    return [f"{number:.9f}" for number in parity(x, size=size, rng=rng)]


@pytest.mark.parametrize("run", [audit, audit_fixed])
@pytest.mark.parametrize("mechanism", [parity, spelled])
def test_a_classifier_is_honoured_where_outputs_are_single_numbers_or_text(run, mechanism, monkeypatch):
    """No half-line shows which digits are odd."""
    monkeypatch.setattr("dpspectra.audit.outcomes.NAMES", 0)  # thousands of texts would leave no room for others
    assert run(mechanism, (0, 1), 1.0, classifier=Bins(), draws=2048).violated
    assert not run(mechanism, (0, 1), 1.0, draws=2048).violated


# ---------------------------------------------------------------- numbers


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_least_set_bit_is_that_of_the_fraction(x):
    found = float(bits.least_set_bit(np.array([x]))[0])
    if x == 0:
        assert found == bits.ZERO
        return
    exact = Fraction(x)
    scaled = exact / Fraction(2) ** int(found)
    assert scaled.denominator == 1
    assert scaled.numerator % 2 == 1


def test_what_bits_give_away():
    x = np.array([[0.0, 1.5], [-0.0, 2.0], [math.nan, 3.0], [-math.nan, 2.0**-1074]])
    found = {name: column() for name, column in bits.columns(x).items()}
    np.testing.assert_array_equal(found["sign of number 0 where it is 0 or NaN"], [1, -1, 2, -2])
    np.testing.assert_array_equal(found["least set bit of number 1"], [-1, 1, 0, -1074])
    np.testing.assert_array_equal(found["trailing zeros of number 1"], [51, 52, 51, 52])
    np.testing.assert_array_equal(found["lowest of the least set bits"], [-1, 1, 0, -1074])
    np.testing.assert_array_equal(found["highest of the least set bits"], [bits.ZERO, bits.ZERO, 0, -1074])
    assert np.isnan(found["payload of number 0 where it is NaN"][:2]).all()
    matrices = np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.0 + 2.0**-40, 1.0]]])
    asymmetry = bits.columns(matrices)["exponent of the relative asymmetry"]()
    assert asymmetry[0] == -bits.ZERO
    assert asymmetry[1] == pytest.approx(-41, abs=1e-6)


def test_rounding_keeps_what_the_grid_holds():
    stack = np.array([[1.0, 1e9], [1.0 + 2.0**-40, -1e9], [3.0, 0.0]])
    grid = grid_of(stack, 30)
    assert grid.tolist() == [2.0**-29, 2.0 ** (30 - 30)]
    near = snapped(stack, grid)
    assert near[0, 0] == near[1, 0] == 1.0
    assert not np.signbit(snapped(np.array([-1e-12]), np.array(2.0**-29))).any()
    huge = np.array([1e300, 0.75])
    assert snapped(huge, np.array(0.5)).tolist() == [1e300, 1.0]
    assert snapped(np.array([0.6 + 0.6j]), np.array(1.0)).tolist() == [1 + 1j]
    assert snapped(stack, None) is stack


def test_what_is_not_finite_becomes_a_label_and_a_moderate_number():
    stack = np.array([[1.0, 2.0], [math.nan, 2.0], [math.inf, -math.inf], [1e200, -1e200]])
    tame, pattern = tamed(stack)
    assert tame.tolist() == [[1.0, 2.0], [0.0, 2.0], [LARGEST, -LARGEST], [LARGEST, -LARGEST]]
    assert pattern[0] == pattern[3] == NOTHING
    assert len(set(pattern.tolist())) == 3
    assert readable[int(pattern[2])] == "inf -inf"
    assert named("x") == label(b"x", "anything")


# ---------------------------------------------------------------- dependence


def exact_mean(p):
    """Mean of every product of the test over all outcomes of two calls of two independent rows."""
    total = 0.0
    for rows in itertools.product([False, True], repeat=4):
        test = Dependence()
        test.see(0, [np.array(rows[:2])])
        test.see(0, [np.array(rows[2:])])
        total += math.prod(p if row else 1 - p for row in rows) * math.exp(test.log_wealth)
    return total


@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_independent_rows_gain_nothing_on_average(p):
    assert exact_mean(p) == pytest.approx(1.0, abs=1e-12)


def test_equal_rows_are_found_out_and_the_declaration_is_revoked():
    def copies(x, *, size, rng):
        return np.full(size, rng.normal())

    result = audit(copies, (0.0, 1.0), 0.5, draws=20_000, independent=True, confidence=0.9)
    assert result.rows == "averaged within calls" or result.violated, "a false declaration is the caller's error"
    alone = Dependence()
    rng = np.random.default_rng(0)
    for _ in range(200):
        alone.see(1, [np.full(64, rng.random() < 0.5)])
    assert alone.log_wealth > math.log(1e6)
    before = alone.log_wealth
    alone.new_epoch()
    assert alone.log_wealth == pytest.approx(before)
    assert np.max(np.abs(STAKES)) < 1


# ---------------------------------------------------------------- draws


def test_blocks_are_cut_so_that_every_draw_is_made_once():
    source = Source(Sampler(laplace(1.0)), 0.0)
    observer = Observer((source, source), 1)
    for count, rows, independent in [
        (64, 1, False),
        (1000, 8, False),
        (100_000, 1, True),
        (7, 1, False),
        (5, 5, False),
    ]:
        tasks = observer.tasks(count, rows, (0, 1, 2), independent)
        assert sum(calls * each for calls, each, _ in tasks) == count // rows * rows
        assert len({key for _, _, key in tasks}) == len(tasks)
        assert len(tasks) <= 16


def test_an_audit_leaves_global_generators_alone():
    """In this process no other one shares their state."""
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    audit(laplace(1.0), (0.0, 1.0), 1.0, draws=500)
    after = np.random.random(), random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    assert after == (np.random.random(), random.random())  # noqa: NPY002


def old_fashioned(x):
    """Numbers from the global generators of numpy and Python."""
    return np.array([np.random.random(), random.random()])  # noqa: NPY002


def drawn_elsewhere(block):
    """Outputs on both data sets of four pairs of runs, made in another process than that of the audit."""
    source = Source(Sampler(old_fashioned), 0.0)
    piece = Observer((source, source), 1, process=0).observe(4, 1, (0, 1, block), math.inf, None, False)
    rows: list[Any] = [side.rows for side in piece.sides]
    return [number for each in rows for number in each.arrays["output"].ravel().tolist()]


def test_forked_workers_do_not_share_a_global_generator():
    """Processes of joblib's multiprocessing backend start with a copy of numpy's state, and a fresh one of Python's."""
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config(backend="multiprocessing"), joblib.Parallel(n_jobs=2) as parallel:
        drawn, again = (parallel(joblib.delayed(drawn_elsewhere)(block) for block in range(8)) for _ in range(2))
    assert drawn == again
    assert len({number for numbers in drawn for number in numbers}) == 8 * 8 * 2


def test_verdicts_of_the_helper_are_those_of_the_engine():
    """Four counts, as `tests.helpers.bet` takes them, are calls of one row."""
    assert bet((1, 2, 3, 4)).cells == {(1, 1, 1): 1, (1, 1, 0): 2, (1, 0, 1): 3, (1, 0, 0): 4}
