import numpy as np

from dpspectra.symbolic.confirming import confirmed, differing
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
        (lambda: leaves(1), lambda: leaves(2)), "output", leaves(2), 1.0, 0.0, 0.001, real(1), lambda: True
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

    found = confirmed((counted, counted), "output", leaves(0), 0.0, 0.0, 0.001, real(2), lambda: True)
    assert not found.refuted


def test_noise_is_not():
    rng = np.random.default_rng(1)
    noisy = lambda: leaves(int(rng.integers(2)))  # noqa: E731
    assert not confirmed((noisy, noisy), "output", leaves(0), 0.5, 0.0, 0.001, real(3), lambda: True).refuted
