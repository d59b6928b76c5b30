import threading

import numpy as np
import pytest

from dpspectra.symbolic import tape
from dpspectra.symbolic.tape import FORCED, REPLAY, NotFollowed, OtherQuestions
from tests.support.noise_runs import recorded


def branching(x, rng):
    return ["low"] if x + rng.laplace() < 0 else ["high", x + rng.laplace()]


def test_a_replay_gives_the_outcomes_of_the_record():
    record = recorded(branching, -30.0)
    replay = recorded(branching, 30.0, mode=REPLAY, past=record.tape)
    assert record.leaves == replay.leaves
    assert [e.outcome for e in record.tape.events] == [e.outcome for e in replay.tape.events]


def test_a_replay_that_asks_something_else_stops():
    record = recorded(lambda x, rng: bool(rng.normal() > 0) if x else rng.normal(), 1)
    with pytest.raises(OtherQuestions, match="other questions"):
        recorded(lambda x, rng: rng.normal(), 0, mode=REPLAY, past=record.tape)


def test_forced_runs_take_decisions():
    ends = [recorded(branching, 0.0, mode=FORCED, chooser=lambda *_, k=k: k).leaves["output[0]"] for k in (0, 1)]
    assert ends == [("str", "high"), ("str", "low")]


def test_the_end_of_a_run_is_remembered_if_the_program_swallows_it():
    def mechanism(data, rng):
        try:
            return rng.bit_generator
        except BaseException:
            return 0.0

    with pytest.raises(NotFollowed, match="bit_generator"):
        recorded(mechanism)


def test_the_line_and_its_callers_are_named():
    def inner(rng):
        return rng.laplace()

    def mechanism(data, rng):
        return inner(rng)

    (block,) = recorded(mechanism).tape.blocks
    assert block.place.startswith("test_tape.py:")
    assert "(inner) < test_tape.py:" in block.place


def test_another_thread_that_draws_ends_the_run():
    def mechanism(data, rng):
        thread = threading.Thread(target=lambda: np.random.normal())  # noqa: NPY002
        thread.start()
        thread.join()
        return rng.normal()

    with pytest.raises(NotFollowed, match="another thread"):
        recorded(mechanism)


def test_what_fails_as_noise_is_looked_at_is_no_exception_of_the_program(monkeypatch):
    """Even if the program catches whatever comes."""

    def fails(self, event, sample):
        raise ValueError("ours")

    def mechanism(data, rng):
        try:
            return bool(rng.normal() > 0)
        except ValueError:
            return rng.normal()

    monkeypatch.setattr(tape.Tape, "_looked", fails)
    with pytest.raises(NotFollowed, match=r"the tracer failed with ValueError at test_tape\.py"):
        recorded(mechanism)


def test_too_many_draws_end_the_run(monkeypatch):
    monkeypatch.setattr(tape, "MOST_DRAWS", 10)
    assert recorded(lambda x, rng: [rng.normal(size=6), rng.normal(size=4)]).tape.size == 10
    with pytest.raises(NotFollowed, match=r"more than 10 draws, at test_tape\.py"):
        recorded(lambda x, rng: [rng.normal(size=6), rng.normal(size=5)])
