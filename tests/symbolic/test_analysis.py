import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.noisy_numbers import PROTOCOLS
from tests.support.noise_runs import real, runner

OUTSIDE = real(9)


def test_a_generator_that_draws_outside_leaves_the_audit_undecided():
    """What it draws is thrown away, so that nothing else can tell."""

    def mechanism(x, rng):
        OUTSIDE.normal()
        return x + rng.laplace()

    for scale in (1.0, 3.0):
        found = decide(runner(mechanism, (0.0, scale)))
        assert found.verdict == "undecided"
        assert "tests.symbolic.test_analysis.OUTSIDE, made before the run" in found.sides[0].reasons[-1]


def stacked(x, rng):
    return np.stack([np.zeros(2), np.zeros(int(x))]) + rng.laplace()


def of_words(x, rng):
    return float(np.asarray(["no number"], dtype=float)[0]) + rng.laplace()


def of_a_wrong_shape(x, rng):
    return rng.laplace(size=3).reshape(2, 2)


@pytest.mark.parametrize("mechanism", [stacked, of_words, of_a_wrong_shape])
def test_what_the_program_raises_is_no_fault_of_the_tracer(mechanism):
    (reason,) = set(decide(runner(mechanism, (3.0, 4.0))).sides[0].reasons)
    assert reason.startswith("it raises ValueError with nothing replaced, too, so that there is nothing to compare")


def test_a_fault_of_the_tracer_is_told_as_one(monkeypatch):
    monkeypatch.setitem(PROTOCOLS, "universal", None)
    (reason,) = set(decide(runner(lambda x, rng: x + rng.laplace(size=2), (0.0, 1.0))).sides[0].reasons)
    assert reason.startswith("the tracer failed with TypeError at ")


def test_seeds_that_vary_leave_the_audit_undecided():
    seeds = iter(range(10_000))

    def mechanism(x, rng):
        np.random.default_rng(next(seeds)).normal()
        return x + rng.laplace()

    found = decide(runner(mechanism, (0.0, 3.0)))
    assert found.verdict == "undecided"
    assert "another seed in each run" in found.sides[0].reasons[0]


def test_unfollowed_noise_of_few_outcomes_does_not_refute():
    """A coin that compiled code might toss: single runs agree with probability 0.82, 400 runs do not have the law."""
    hidden = iter(real(4).random(100_000).tolist())

    def mechanism(x, rng):
        return bool(x) ^ bool(rng.random() < 0.1) ^ bool(next(hidden) < 0.1)

    for seed in range(8):
        assert decide(runner(mechanism, (0, 1), 1.6, rng=real(seed))).verdict != "refuted"


def test_exceptions_are_findings():
    """Alike on both data sets they lose nothing; a program that gives nothing else was hardly audited."""

    def fails(x, rng):
        raise ValueError("no such thing")

    found = decide(runner(fails, (0, 1)))
    assert (found.verdict, found.findings) == ("undecided", ["it raises ValueError: no such thing"])
    assert "raises in every run" in found.sides[0].reasons[0]
    assert decide(runner(lambda x, rng: fails(x, rng) if x else rng.laplace(), (0, 1))).verdict == "refuted"
    assert decide(runner(lambda x, rng: {"kind": rng.laplace()}, (0, 1))).findings == []
