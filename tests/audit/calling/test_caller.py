"""Mechanisms that misbehave: what they raise and return are outcomes, whatever they are called with."""

import dataclasses
import inspect
import math
import random
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import audit
from dpspectra.audit.calling.arms import Arm
from dpspectra.audit.calling.caller import Caller
from dpspectra.audit.calling.observe import Observer
from tests.support.audits import NUMBERS, SEEDS, refuted
from tests.support.helpers import laplace


def test_failing_under_one_data_set_only_is_a_leak():
    def mechanism(x, rng):
        if rng.random() < 0.3 * x:
            raise ZeroDivisionError
        return rng.normal()

    result = audit(mechanism, NUMBERS, 1.0)
    assert refuted(result)
    assert result.witness.startswith("kind of outcome: failure: ZeroDivisionError")
    assert result.witness.endswith("too likely on the second data set")
    assert result.failures > 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_outcomes(bad):
    def mechanism(x, *, size, rng):
        return np.where(rng.random(size) < 0.3 * x, bad, rng.normal(size=size))

    assert refuted(audit(mechanism, NUMBERS, 1.0))
    assert not audit(lambda x, *, size, rng: mechanism(1.0, size=size, rng=rng), NUMBERS, 0.0, draws=2048).violated


def test_shapes_are_outcomes():
    assert refuted(audit(lambda x, *, rng: np.zeros(2 + (rng.random() < 0.3 * x)), NUMBERS, 1.0))
    assert refuted(audit(lambda x, *, size, rng: rng.normal(size=(size, 1 + int(x))), NUMBERS, 1.0))


def test_a_batch_that_raises_is_redone_without_hiding_failures():
    """Both sides fail in the ratio of the claim; dropping failed batches would square that ratio."""

    def mechanism(p, *, size, rng):
        if np.any(rng.random(size) < p):
            raise RuntimeError
        return rng.normal(size=size)

    for seed in SEEDS:
        result = audit(mechanism, (0.01 * math.e, 0.01), 1.0, draws=4096, rng=seed)
        assert not result.violated
        assert abs(result.failures - 4096 * 0.01 * (1 + math.e)) < 70
    assert refuted(audit(mechanism, (0.2, 0.02), 1.0))


def test_what_always_fails_says_so():
    def failing(x):
        raise KeyError("key")

    result = audit(failing, NUMBERS, 1.0, draws=300)
    assert not result.violated
    assert result.failures == 2 * result.draws == 128, "nothing can be learned from more of them"
    assert (result.stopped, result.verdict) == ("failed", "undecided")
    assert "every draw failed" in result.witness
    assert "KeyError" in result.witness


@pytest.mark.parametrize("error", [KeyboardInterrupt, NotImplementedError])
def test_what_is_no_outcome_passes_through(error):
    def mechanism(x):
        raise error

    with pytest.raises(error):
        audit(mechanism, NUMBERS, 1.0)


def test_one_draw_at_a_time_without_a_seed():
    source = np.random.default_rng(0)
    result = audit(lambda x: source.laplace(x, 0.3), NUMBERS, 1.0)
    assert refuted(result)
    assert not result.seeded


@pytest.mark.parametrize("seed_name", ["rng", "random_state", "seed"])
@pytest.mark.parametrize("size_name", ["size", None])
def test_recognised_parameters(size_name, seed_name):
    def mechanism(x, **keywords):
        assert keywords.keys() == {seed_name, size_name} - {None}
        return np.random.default_rng(keywords[seed_name]).laplace(x, 0.3, keywords.get(size_name))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["x", seed_name] if size_name is None else ["x", seed_name, size_name]
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    mechanism.__signature__ = signature  # type: ignore[attr-defined]
    result = audit(mechanism, NUMBERS, 1.0, rng=7)
    assert refuted(result)
    assert result.seeded
    assert result == audit(mechanism, NUMBERS, 1.0, rng=7)


def test_tuples_and_releases():
    @dataclasses.dataclass
    class Release:
        value: object

    def mechanism(x, *, rng):
        return Release((np.eye(2) * rng.normal(), rng.laplace(x, 0.3)))

    result = audit(mechanism, NUMBERS, 1.0)
    assert refuted(result)
    assert result.witness.startswith("output[1] ")


def test_extreme_sizes_are_survived():
    def mechanism(x, *, size, rng):
        return rng.normal(size=(size, 2, 2)) * 10.0 ** rng.choice([-310, 0, 300], (size, 1, 1))

    assert not audit(mechanism, (np.eye(2), -np.eye(2)), 1.0, draws=1024).violated


def test_data_need_not_be_numbers():
    for pair in [("a", "bb"), ([[1], [1, 2]], [[1, 2]]), ({}, {1: 2})]:
        result = audit(lambda x, *, size, rng: rng.normal(len(str(x)), 0.1, size), pair, 1.0)
        assert refuted(result)


def test_blocks_are_cut_so_that_every_draw_is_made_once():
    arm = Arm(Caller(laplace(1.0)), 0.0)
    observer = Observer((arm, arm), 1)
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
    arm = Arm(Caller(old_fashioned), 0.0)
    piece = Observer((arm, arm), 1, process=0).observe(4, 1, (0, 1, block), math.inf, None, False)
    rows: list[Any] = [side.rows for side in piece.sides]
    return [number for each in rows for number in each.arrays["output"].ravel().tolist()]


def test_forked_workers_do_not_share_a_global_generator():
    """Processes of joblib's multiprocessing backend start with a copy of numpy's state, and a fresh one of Python's."""
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config(backend="multiprocessing"), joblib.Parallel(n_jobs=2) as parallel:
        drawn, again = (parallel(joblib.delayed(drawn_elsewhere)(block) for block in range(8)) for _ in range(2))
    assert drawn == again
    assert len({number for numbers in drawn for number in numbers}) == 8 * 8 * 2
