import math

import numpy as np

from dpspectra.symbolic.fresh_runs import confirmed, differing, event_of
from dpspectra.symbolic.loss_bets import event_log_wealth
from dpspectra.symbolic.one_run import NOISE
from tests.support.noise_runs import real


def leaves(x):
    return {"output": ("int", x)}


def test_what_differs_is_named_in_an_order():
    first, second = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 4, "d": 3}
    assert differing(first, second) == ["c", "d", "b"]
    assert differing({"a": 1, "b": 2}, {"b": 2, "a": 1}) == ["the order of its parts"]
    assert differing(first, dict(first)) == []


def test_a_plain_leaf_is_confirmed():
    found = confirmed(
        (lambda: leaves(1), lambda: leaves(2)),
        event_of("output", leaves(1), leaves(2)),
        1.0,
        0.0,
        0.001,
        real(1),
        lambda: True,
    )
    assert found.refuted
    assert found.hits == (found.pairs, 0)
    assert "confirmed: output as it was" in str(found)


def test_a_counter_of_calls_is_not():
    """A coin decides the order of each pair. It fails with probability 0.001 by chance; the seed is fixed."""
    calls = [0]

    def counted():
        calls[0] += 1
        return leaves(calls[0] % 2)

    found = confirmed(
        (counted, counted), event_of("output", leaves(1), leaves(0)), 0.0, 0.0, 0.001, real(2), lambda: True
    )
    assert not found.refuted


def test_noise_is_not():
    rng = np.random.default_rng(1)
    noisy = lambda: leaves(int(rng.integers(2)))  # noqa: E731
    assert not confirmed(
        (noisy, noisy), event_of("output", leaves(1), leaves(0)), 0.5, 0.0, 0.001, real(3), lambda: True
    ).refuted


def test_bets_end_as_soon_as_they_refute():
    for risk in (0.1, 0.001):
        found = confirmed(
            (lambda: leaves(1), lambda: leaves(2)),
            event_of("output", leaves(1), leaves(2)),
            1.0,
            0.0,
            risk,
            real(1),
            lambda: True,
        )
        wealth = [event_log_wealth([(True, False)] * n, 1.0, 0.0) for n in (found.pairs - 1, found.pairs)]
        assert wealth[0] <= math.log(1 / risk) < wealth[1]


def test_plain_leaves_come_before_those_with_noise():
    assert differing({"a": NOISE, "b": 1}, {"a": 0, "b": 2}) == ["b", "a"]
    assert differing({"a": NOISE}, {"a": NOISE}) == []
