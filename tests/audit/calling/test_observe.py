"""Calls that are lost, late or interrupted: they cost no more than they must, and what rows share is no evidence."""

import math
import threading

import numpy as np
import pytest

from dpspectra.audit import AuditResult, PureDP, audit
from dpspectra.audit.calling import observe
from dpspectra.audit.calling.arms import Arm
from dpspectra.audit.calling.caller import Caller
from dpspectra.audit.calling.observe import Observer
from dpspectra.audit.engine import contest
from dpspectra.audit.options import Options
from dpspectra.audit.recheck import faults
from tests.support.audits import NUMBERS, refuted
from tests.support.helpers import laplace


@pytest.mark.parametrize("failing", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("batched", [False, True])
def test_a_block_in_which_one_side_always_fails(failing, batched):
    """No value of any statistic then; at 0.95 six of ten such audits once ended in a KeyError."""

    def one(x, *, rng):
        if rng.random() < failing:
            raise RuntimeError("no")
        return x + rng.normal(size=3)

    def many(x, *, size, rng):
        return np.where(rng.random((size, 1)) < failing, np.nan, x + rng.normal(size=(size, 3)))

    for seed in range(5):
        result = audit(many if batched else one, (np.zeros(3), np.full(3, 1e-9)), 1.0, draws=1000, rng=seed)
        assert not result.violated


def root(x, *, size, rng):
    """One negative number makes numpy's stack of roots complex."""
    return np.emath.sqrt(rng.random(size) - 2.0**-7)


def padded(x, *, size, rng):
    """Rows as long as the longest of the batch."""
    lengths = rng.geometric(0.5, size)
    return np.where(np.arange(lengths.max()) < lengths[:, None], rng.normal(size=(size, 1)), 0.0)


def one_raises(x, *, size, rng):
    """One row in a thousand raises for all."""
    if (rng.random(size) < 1e-3).any():
        raise ArithmeticError
    return rng.normal(size=size)


@pytest.mark.parametrize("mechanism", [root, padded, one_raises])
def test_rows_that_change_what_others_look_like_are_no_evidence(mechanism):
    """The laws on both data sets agree, and five audits raise an alarm with probability below 0.5 % altogether."""
    for seed in range(5):
        assert not audit(mechanism, (0.0, 1.0), 0.5, draws=3000, rng=seed).violated


def test_rows_of_synthetic_data_share_their_noise():
    """``n_samples`` rows around one noisy mean are one output, not many."""

    def synthetic(x, n_samples=64, *, rng):
        return np.mean(x) + rng.laplace() / len(x) + np.zeros(n_samples)

    for seed in range(5):
        assert not audit(synthetic, (np.zeros(2), np.array([0.0, 1.0])), 1.0, draws=1000, rng=seed).violated


def test_betting_goes_on_after_a_batch_that_fails_when_all_is_learned(monkeypatch):
    monkeypatch.setattr("dpspectra.audit.proceedings.LEARNING", 1024)
    sizes = []

    def leaking(x, *, size, rng):
        sizes.append(size)
        if size >= 128 and sizes.count(size) == 1:  # from 2048 draws on
            raise ArithmeticError
        return rng.laplace(x, 0.9, size)

    result = audit(leaking, (0.0, 1.0), 1.0, rng=0, independent=True)
    assert refuted(result)
    assert 128 in sizes
    assert sizes[-1] == 1
    assert (result.rows, result.lost) == ("averaged within calls", 1)


def test_a_batch_that_fails_costs_all_but_the_reserve():
    """Rows are declared independent: from the first call that is lost, draws are made one by one, with a tenth."""

    def mechanism(x, *, size, rng):
        values = rng.laplace(x, 0.5, size)
        if size > 1 and np.any(np.abs(values - x) > 3.5):
            raise RuntimeError
        return values

    result = audit(mechanism, (0.0, 0.02), 0.0, draws=4096, rng=5, independent=True)
    assert result.history[0][1] == pytest.approx(math.log(0.9))
    assert result.evidence.start == math.log(0.1)
    assert sum(bets[0].hits[2] for bets in result.evidence.epochs if bets) > 2000
    assert (result.failures, result.lost) == (0, 1)


def test_a_lost_call_costs_what_could_be_lost_on_it_and_no_plan():
    """Where rows are averaged within calls, wealth before it stays; calls of later blocks ask for one row."""
    sizes = []

    def failing(x, *, size, rng):
        sizes.append(size)
        if size > 1 and len(sizes) > 1000:
            raise ArithmeticError
        return rng.laplace(x, 1 / 1.1, size)

    result = audit(failing, NUMBERS, 1.0, rng=3)
    assert refuted(result)
    assert 1 <= result.lost <= 16, "one in each piece of a block"
    assert result.evidence.start == 0
    late = [i for i, size in enumerate(sizes) if size > 1]
    assert set(sizes[late[-1] + 1 :]) == {1}
    assert len(late) > 900
    hit = [[one.cells.get((0, 0, 0), 0) for one in bets] for bets in result.evidence.epochs]
    assert sum(max(lost, default=0) for lost in hit) == result.lost


def test_no_call_asks_for_several_rows_where_one_source_cannot_return_them():
    result = contest(
        (Arm(Caller(laplace(1.0)), 0.0), Arm(Caller(lambda x: x + np.random.default_rng().laplace()), 0.0)),
        PureDP(0.0),
        Options(confidence=0.999, draws=128, independent=True),
    )
    assert result.evidence.start == 0
    assert {cell[0] for bets in result.evidence.epochs for one in bets for cell in one.cells} == {1}


def test_an_interruption_loses_the_call_under_way():
    """The pairs before it count; if the audit goes on, it is lost, as when it comes may depend on what it shows."""
    calls = []

    def interrupted(x, *, rng):
        calls.append(x)
        if len(calls) == 298:
            raise KeyboardInterrupt
        return rng.laplace(x, 0.5)

    first = audit(interrupted, NUMBERS, 1.0, confidence=1 - 1e-9)
    assert (first.stopped, first.draws, first.violated) == ("interrupted", 148, False)
    assert [one.cells for one in first.evidence.late] == [{(0, 0, 0): 1}] * len(first.evidence.late)
    assert first.evidence.late
    assert first.evidence == AuditResult.from_json(first.to_json()).evidence
    resumed = audit(lambda x, *, rng: rng.laplace(x, 0.5), NUMBERS, 1.0, resume=first, draws=2)
    lost = first.evidence.with_bets(list(first.evidence.late))
    assert resumed.evidence.epochs[len(lost.epochs) - 1] == lost.epochs[-1]
    assert lost.against(first.claim) < first.log_e_value


def test_of_a_late_block_the_pairs_before_the_first_gap_count(clock):
    """Work is shared out in pieces; a piece that stops early is followed by none, whichever of them is made first."""

    def slow(x, *, rng):
        clock.now += 1e-3
        return rng.laplace(x, 0.5)

    result = audit(slow, NUMBERS, 1.0, confidence=1 - 1e-9, seconds=0.5)
    assert result.stopped == "time"
    assert result.draws == sum(max(b.hits[2] for b in bets) for bets in result.evidence.epochs if bets) + 64


@pytest.fixture
def keys(monkeypatch):
    """The keys of all generators that an audit makes, and the first number of each."""
    used, generator = [], Observer._rng

    def recorded(self, key):
        used.append((key, int(generator(self, key).integers(2**63))))
        return generator(self, key)

    monkeypatch.setattr(Observer, "_rng", recorded)
    return used


def one_by_one(x, rng):
    return rng.laplace(x)


def two_numbers(x, *, size, rng):
    return rng.laplace(x, size=(size, 2))


@pytest.mark.parametrize("mechanism", [laplace(1.0), one_by_one, two_numbers], ids=["batched", "one by one", "two"])
def test_no_two_blocks_of_draws_share_randomness(mechanism, keys):
    """Not the two data sets, not epochs and looks, not the draws that choose events and those that settle bets."""
    first = audit(mechanism, (0.0, 1.0), 1.0, draws=1000)
    audit(mechanism, (0.0, 1.0), 1.0, draws=500, resume=first)
    assert len(keys) >= 20
    assert len({key for key, _ in keys}) == len(keys)
    assert len({number for _, number in keys}) == len(keys)


@pytest.mark.parametrize("at", [128 + 1, 128 + 2, 128 + 77, 450])
def test_the_keyboard_costs_the_call_under_way(at):
    """One draw a call, 64 on each side before anything is bet: all complete pairs of calls are kept."""
    made = []

    def slow(x, *, rng):
        made.append(x)
        if len(made) == at:
            raise KeyboardInterrupt
        return rng.laplace(x)

    result = audit(slow, (0.0, 1.0), 1.0)
    assert result.stopped == "interrupted"
    assert result.draws == (at - 1) // 2
    assert sum(bet.hits[2] for bet in result.evidence.late) == 0
    assert faults(result) == []


def endless(x, rng):
    while x >= 0:
        rng.random()


def sometimes_endless(x, rng):
    noisy = x + rng.laplace()
    if rng.random() < 0.01:
        while True:
            rng.random()
    return noisy


@pytest.mark.parametrize("mechanism", [endless, sometimes_endless])
@pytest.mark.parametrize("threaded", [False, True])
def test_an_endless_call_is_lost_and_ends_the_audit(mechanism, threaded, monkeypatch):
    monkeypatch.setattr(observe, "GRACE", 0.05)
    found = []
    work = threading.Thread(target=lambda: found.append(audit(mechanism, (0.0, 1.0), 1.0, seconds=0.2)))
    work.start() if threaded else work.run()
    if threaded:
        work.join(30)
    (result,) = found
    assert result.verdict in ("undecided", "not refuted")
    assert result.stopped == "time"
    assert result.draws or result.reason == "no call was over in time"
