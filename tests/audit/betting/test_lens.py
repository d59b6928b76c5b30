"""Lenses are functions of one row that earlier draws have chosen; bets on them are as sound as any.

The audits of a sound mechanism, with lenses of one kind only and at risk 0.1, raise at most `ALARMS` false alarms in
`RUNS` with probability below 1e-6 each; seeds are fixed.
"""

import itertools
import json
import math
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

from dpspectra.audit import ApproxDP, AuditResult, PureDP, audit, conforms, proceedings
from dpspectra.audit.betting.choice_of_bets import select as select_events
from dpspectra.audit.betting.events import HalfLine, LabelSet, event_from
from dpspectra.audit.betting.lens import FEW, KINDS, MISSING, Lens, lens_from
from dpspectra.audit.draws_for_picture import sampled
from dpspectra.audit.reading.number_places import BUCKETS, MEMBERS, PLACES
from dpspectra.audit.recheck import faults

RUNS = 20
ALARMS = int(stats.binom.isf(1e-6, RUNS, 0.1))
LENSES = {
    "place": Lens("place", (1,), (), "output[1]", 5),
    "bins": Lens("bins", (0,), (-1.0, 0.0, 2.0), "output", 2),
    "residue": Lens("residue", (2,), (3.0,), "output[2]", 13),
    "bit": Lens("bit", (2,), (2.0,), "output[2]", 40),
    "fraction": Lens("fraction", (0,), (10.0,), "output", 5),
    "product": Lens("product", (0, 1), (0.5, -0.5), "product of both", 4),
    "parity": Lens("parity", (2, 3), (), "sum mod 2", 2),
    "member": Lens("member", (7,), (), "presence of 'a'", BUCKETS),
}
"""A lens of every kind."""


def test_there_is_a_lens_of_every_kind():
    assert set(LENSES) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lens_sees_one_row_at_a_time(kind):
    """Whatever the other rows of a table are: that is the premise of DPS-PREDICT."""
    rng, lens = np.random.default_rng(0), LENSES[kind]
    numbers = np.column_stack([rng.normal(size=(50, 2)), rng.integers(-9, 9, (50, 2))])
    numbers[3] = np.nan
    numbers[4] = np.inf
    table = {PLACES: numbers, MEMBERS: rng.random((50, BUCKETS)) < 0.5}
    together = lens(table)
    alone = [lens({name: x[i : i + 1] for name, x in table.items()})[0] for i in range(50)]
    np.testing.assert_array_equal(together, alone)
    assert len(np.unique(together[~np.isnan(together.astype(float))])) > 1
    assert lens_from(json.loads(json.dumps(lens.to_dict()))) == lens


@pytest.mark.parametrize("kind", KINDS)
def test_events_are_data_whatever_they_are_seen_through(kind):
    lens, event = LENSES[kind], cast("Any", None)
    if kind in ("bins", "residue"):
        event = LabelSet(lens.statistic, 0, (0, 1), (0, 1, 2), True, (), lens)
    else:
        event = HalfLine(lens.statistic, 1, 0.5, True, None, lens)
    again = event_from(json.loads(json.dumps(event.to_dict())))
    assert again == event
    assert str(again) == str(event)
    assert event.needs == {lens.base}


def test_sets_are_told_by_their_ends():
    bins = LENSES["bins"]
    assert bins.words((1, 2), (), False) == "output in [-1, 2)"
    assert bins.words((0, 3), (), False) == "output in [-inf, -1) or [2, inf)"
    assert bins.words((MISSING,), (), False) == "output without a number"
    assert bins.words((2, MISSING), (), False) == "output in [0, 2) or without a number"
    assert LENSES["residue"].words((0, 2), (), False) == "output[2] mod 3 = 0 or 2"
    assert LENSES["residue"].words((), (1, MISSING), True) == "output[2] mod 3 = 0 or 2"


@pytest.mark.parametrize("new", [False, True])
def test_bins_of_a_set_are_joined_where_they_touch(new):
    """The set of all 2**5 choices of bins, and of what has no number, is the same afterwards."""
    lens = Lens("bins", (0,), (-1.0, 0.0, 2.0), "output", 1)
    table = {lens.base: np.array([[-5.0], [-1.0], [-0.5], [0.0], [1.0], [2.0], [9.0], [np.nan], [np.inf]])}
    for choice in itertools.product([False, True], repeat=5):
        members, others = (
            [(0, 1, 2, 3, MISSING)[k] for k in range(5) if choice[k] is there] for there in (True, False)
        )
        event: Any = LabelSet(lens.statistic, 0, () if new else tuple(members), tuple(others), new, (), lens)
        joined, labels = lens.merged(event.members, event.known, new)
        assert joined.codes <= lens.codes
        merged: Any = LabelSet(joined.statistic, 0, labels, (), False, (), joined)
        assert merged.hits(table).tolist() == event.hits(table).tolist()
        assert event.hits(table).tolist() == [one in members for one in lens(table).tolist()]


@pytest.mark.parametrize("ends", [FEW, FEW + 1])
def test_many_intervals_are_searched_and_few_compared_with_the_same_result(ends):
    lens = Lens("bins", (1,), tuple(map(float, range(ends))), "output", 1)
    numbers = np.r_[np.random.default_rng(0).uniform(-2, ends + 1, 200), np.arange(ends), np.nan, np.inf, -np.inf]
    table = {lens.base: np.column_stack([np.zeros(len(numbers)), numbers])}
    odd = lens.inside(range(1, ends + 1, 2), (), False)
    assert lens.hits(table, odd).tolist() == [label % 2 == 1 for label in lens(table).tolist()]


# ---------------------------------------------------------------- soundness


def flipped(x, rng):
    """A bit that tells the data with loss 1."""
    return int(rng.random() < (1 / (1 + math.exp(-1.0)) if x else 1 / (1 + math.exp(1.0))))


def of_kind(kind, bit, rng):
    """An output in which a bit shows through a lens of one kind."""
    normal = rng.normal(size=3)
    if kind == "place":
        return np.array([normal[0], normal[1] + 9 * bit, normal[2]])
    if kind == "bins":
        return float(rng.random() + (1 if bit else rng.integers(0, 2) * 2))
    if kind == "residue":
        return int(2 * rng.integers(0, 10**6) + bit)
    if kind == "bit":
        return (int(rng.integers(0, 10**6)) & ~32) | 32 * bit
    if kind == "fraction":
        return float(rng.integers(0, 1000) + 0.4 * rng.random() + 0.5 * bit)
    if kind == "product":
        return np.array([normal[0], normal[1], abs(normal[2]) * np.sign(normal[0]) * (2 * bit - 1)])
    if kind == "parity":
        bits = rng.integers(0, 2, 6)
        bits[-1] = (bits[:-1].sum() + bit) % 2
        return bits
    return [*map(str, rng.integers(0, 10**6, 3 + rng.integers(0, 3))), "yes" if bit else "no"]


@pytest.fixture
def only(monkeypatch):
    """Let lenses of one kind be bet on, and nothing else."""
    select = select_events

    def only(kind):
        def alone(past, points, score, lenses=(), moments=()):
            blind = tuple({name: x for name, x in table.items() if x.ndim > 1} for table in past)
            return select(blind, points, None, [lens for lens in lenses if lens.kind == kind])

        monkeypatch.setattr(proceedings, "select", alone)

    return only


@pytest.mark.parametrize("kind", KINDS)
def test_sound_mechanisms_stand_whatever_is_bet_on(kind, only):
    only(kind)

    def sound(x, rng):
        bit = int(x and rng.random() < 0.3) if kind == "parity" else flipped(x, rng)
        return of_kind(kind, bit, rng)

    claim = ApproxDP(0.0, 0.3) if kind == "parity" else PureDP(1.0)  # a sum mod 2 must hold always on one side
    found: list[Any] = [audit(sound, (0, 1), claim, draws=256, confidence=0.9, rng=seed) for seed in range(RUNS)]
    assert any(bet.event.lens.kind == kind for result in found for epoch in result.evidence.epochs for bet in epoch)
    assert sum(result.violated for result in found) <= ALARMS


@pytest.mark.parametrize("kind", KINDS)
def test_a_leak_is_found_through_every_kind_alone(kind, only):
    only(kind)

    def leaking(x, rng):
        bit = x if kind == "parity" else int(rng.random() < (0.95 if x else 0.05))
        return of_kind(kind, bit, rng)

    result: Any = audit(leaking, (0, 1), 1.0, draws=4096)
    assert result.violated
    assert result.event.lens.kind == kind
    assert AuditResult.from_json(result.to_json()) == result
    assert faults(result) == []


def test_lenses_of_an_epoch_know_nothing_of_its_draws():
    """Two mechanisms that differ from the 128th draw on have the same events until the bets on those are settled."""
    calls = {"early": 0, "late": 0}

    def until(name, change):
        def mechanism(x, rng):
            calls[name] += 1
            value = rng.normal(size=20)
            if change and calls[name] > 2 * 128:
                value[7] += 100.0 * x
            return value

        return mechanism

    one, other = (audit(until(name, name == "late"), (0, 1), 1.0, draws=512, rng=3) for name in calls)
    events = [[[bet.event for bet in epoch] for epoch in result.evidence.epochs] for result in (one, other)]
    assert events[0][:2] == events[1][:2], "chosen on draws below the 128th"
    assert events[0][2:] != events[1][2:]


# ---------------------------------------------------------------- what carries lenses


def interval(x, *, size, rng):
    """Uniform on [0, 20], or on its outer quarters."""
    u = rng.random(size)
    return 20 * u if x == 0 else np.where(u < 0.5, 10 * u, 20 - 10 * (1 - u))


def test_resuming_workers_comparisons_and_pictures_take_lenses():
    first = audit(interval, (0, 1), 1.0, draws=100, confidence=1 - 1e-9, rng=0)
    resumed = audit(interval, (0, 1), 1.0, resume=AuditResult.from_json(first.to_json()), rng=1)
    assert resumed.violated
    assert faults(resumed) == []
    alone, shared = (audit(interval, (0, 1), 1.0, draws=3000, workers=workers, rng=2) for workers in (None, 2))
    assert alone == shared
    assert "output in [" in alone.witness
    picture: Any = sampled(interval, (0, 1), alone)
    assert picture.names
    samplers = [lambda _, *, size, rng, x=x: interval(x, size=size, rng=rng) for x in (1, 0)]
    found = conforms(*samplers, 0)
    assert found.violated
