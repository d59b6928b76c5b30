import contextlib
import functools
import itertools
import re

import numpy as np
import pytest

from dpspectra.symbolic import one_run
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.runner import end_of
from dpspectra.symbolic.tape import Beside, NotFollowed
from tests.support.noise_runs import recorded, runner


def noisy(x, rng):
    return x + rng.laplace()


def test_runs_are_counted():
    it = runner(noisy, (0.0, 1.0))
    with followed_sources():
        record = it.record(0)
        replay = it.replay(0, record)
        it.check(0, record)
    it.plain_leaves(1)
    assert (it.found.runs, it.found.plain_runs) == (3, 1)
    assert replay is not None
    assert replay.values[0] == record.values[0]
    assert replay.rows.mu[0] == record.rows.mu[0] + 1


def test_records_differ_and_repeat_with_the_seed():
    def values(seed):
        it = runner(noisy, (0.0, 1.0), rng=np.random.Generator(np.random.PCG64(seed)))
        with followed_sources():
            return [float(it.record(0).values[0]) for _ in range(2)]

    assert values(1) == values(1)
    assert len({*values(1), *values(2)}) == 4


def test_a_replay_that_asks_other_questions_is_told_once():
    it = runner(lambda x, rng: bool(rng.normal() > 0) if x else rng.normal(), (0, 1))
    with followed_sources():
        assert it.replay(0, it.record(0)) is None
        first = it.found.divergence
        assert it.replay(1, it.record(1)) is None
    assert "other questions" in first
    assert it.found.divergence == first


def test_time_is_over():
    it = runner(noisy, (0.0, 1.0), seconds=-1.0)
    with pytest.raises(Unsolved, match="time is over"):
        it.record(0)


def test_the_same_draws_must_give_the_same_output():
    count = itertools.count()
    for mechanism in (lambda x, rng: x + rng.laplace() + 1e-6 * next(count), lambda x, rng: [0] * next(count)):
        it = runner(mechanism, (0.0, 1.0))
        with followed_sources(), pytest.raises(NotFollowed, match="another output, at"):
            it.check(0, it.record(0))


def test_draws_that_only_symbols_make():
    def mechanism(x, rng):
        z = rng.laplace()
        return z + 0 * rng.laplace() if hasattr(z, "store") else z

    it = runner(mechanism, (0.0, 1.0))
    with followed_sources(), pytest.raises(NotFollowed, match="only when they are symbols"):
        it.check(0, it.record(0))


def test_seeds_must_be_the_same_in_all_runs_of_a_data_set():
    it = runner(lambda x, rng: np.random.default_rng(int(x)).normal() + rng.laplace(), (0.0, 1.0))
    with followed_sources():
        for _ in range(2):
            it.record(0)
            it.record(1)
    count = itertools.count()
    it = runner(lambda x, rng: np.random.default_rng(next(count)).normal(), (0.0, 1.0))
    with followed_sources():
        it.record(0)
        with pytest.raises(NotFollowed, match="another seed in each run"):
            it.record(0)
    it = runner(lambda x, rng: (rng.laplace() > x, np.random.default_rng(next(count)).normal()), (0.0, 1.0))
    with followed_sources():
        it.record(0)
        with pytest.raises(NotFollowed, match="another seed in each run"):  # also where something was looked at
            it.record(0)


def test_a_seed_that_was_drawn_is_a_point():
    it = runner(lambda x, rng: np.random.default_rng(rng.integers(2**40)).normal(), (0.0, 1.0))
    with followed_sources():
        assert len({str(it.record(0).tape.seeds) for _ in range(3)}) == 3


def test_ends():
    def fails(x, rng):
        raise KeyError("x")

    assert end_of(recorded(fails).leaves, True) == ("raised", ("str", "KeyError"))
    assert end_of(recorded(noisy, 0.0).leaves, True) == ("output", ("output",))
    assert end_of(recorded(noisy, 0.0).leaves, False) == ("output", None)


class Noisy:
    def __call__(self, x, rng):
        return noisy(x, rng)


def test_noise_begins_at_a_line_or_the_mechanism_does():
    def without(x, rng):
        return open

    one, other = runner(noisy, (0.0, 1.0)), runner(without, (0.0, 1.0))
    with followed_sources():
        one.record(0)
        with pytest.raises(NotFollowed):
            other.record(0)
    assert re.fullmatch(r"its noise begins at test_runner\.py:\d+ \(noisy\).*", one.whereabouts())
    line = without.__code__.co_firstlineno
    assert other.whereabouts() == f"no draw of test_runner.py:{line} (without) was followed"
    line = noisy.__code__.co_firstlineno
    partly = runner(functools.partial(noisy, rng=None), (0.0, 1.0))
    assert partly.whereabouts() == f"no draw of test_runner.py:{line} (noisy) was followed"
    line = Noisy.__call__.__code__.co_firstlineno
    assert runner(Noisy(), (0.0, 1.0)).whereabouts() == f"no draw of test_runner.py:{line} (__call__) was followed"
    assert runner(len, ("", "a")).whereabouts() == "no draw was followed"


@pytest.mark.parametrize(("mode", "disturbed", "made"), [("record", 2, 3), ("record", 3, 3), ("forced", 1, 1)])
def test_a_run_is_made_again_where_another_thread_drew(mode, disturbed, made, monkeypatch):
    """Not where it is led to a path: what leads it has gone on."""
    tried = []

    def run(*args):
        tried.append(args)
        if len(tried) <= disturbed:
            raise Beside("another thread draws meanwhile")
        return one_run.run(*args)

    monkeypatch.setattr("dpspectra.symbolic.runner.run", run)
    with pytest.raises(Beside) if disturbed >= made else contextlib.nullcontext(), followed_sources():
        runner(noisy, (0.0, 1.0)).run(0, mode=mode)
    assert len(tried) == made


def test_small_objects_lie_elsewhere_in_each_plain_run():
    """Without that there are one place or two."""
    places = []

    def program(x, rng):
        places.append(id(object()))

    runner(program, (0.0, 1.0)).plain_outcomes(0, 400)
    assert len(set(places)) > 100


def rare_by_place(x, rng):
    z = x + rng.laplace()
    return float(x) if int(repr(object()).split("0x")[1][:-1], 16) // 16 % 31 == 3 else z


def test_places_of_objects_in_texts_are_met_in_plain_runs():
    """One in 31 places is met in 800 runs that move through about 127 of them."""
    assert decide(runner(rare_by_place, (0.0, 1.0))).verdict != "explained"
