"""Whole numbers that hold noise: what is decided of them, and that no comparison is a tie."""

import numpy as np
import pytest

from dpspectra.symbolic.noisy_rows import picked
from dpspectra.symbolic.whole_numbers import are_whole, half_way, of_discrete
from tests.support.noise_runs import recorded

COMPARISONS = {
    "above": (lambda z: z > 3, lambda z: z > 3),
    "at least": (lambda z: z >= 3, lambda z: z >= 3),
    "at most": (lambda z: z <= 3, lambda z: z <= 3),
    "below": (lambda z: z < 3, lambda z: z < 3),
    "a half": (lambda z: 0.1 * z > 0.3, lambda z: z > 3),
    "a half, or the same": (lambda z: 0.1 * z >= 0.3, lambda z: z >= 3),
    "equal": (lambda z: z == 3, lambda z: z == 3),
    "another": (lambda z: z != 3, lambda z: z != 3),
    "smallest": (lambda z: min(z, 3), lambda z: min(z, 3)),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_tie_is_what_it_is_with_ordinary_numbers(name):
    symbolic, plain = COMPARISONS[name]
    drawn = set()
    for extra in range(-5, 2):  # the draw of this seed, moved about

        def mechanism(x, rng, extra=extra):
            z = rng.geometric(0.4)
            return symbolic(z + extra)

        found = recorded(mechanism)
        z = found.tape.omega()[0] + extra
        value = found.values[0] if len(found.values) else found.leaves["output"][1]
        assert value == plain(z)
        drawn.add(z)
    assert 3 in drawn


def test_edges_lie_half_way():
    def mechanism(x, rng):
        z = rng.geometric(0.4)
        return bool(z > 3), bool(z >= 3), bool(2 * z > 3), bool(z + rng.normal() > 3)

    found = recorded(mechanism)
    places = [float(-e.rows.mu[0] / np.max(np.abs(e.rows.coefficient))) for e in found.hidden]
    assert places == [3.5, 2.5, 1.5, 3.0]


def test_rows_of_whole_numbers():
    def mechanism(x, rng):
        z, y = rng.geometric(0.4), rng.normal()
        return [z, z + 0.5, 2 * z - 3, z + y, y, 0.5 * z, 4.0 + 0 * z]

    found = recorded(mechanism)
    assert are_whole(found.rows, found.tape).tolist() == [True, False, True, False, False, False]
    assert of_discrete(found.rows, found.tape).tolist() == [True, True, True, False, False, True]
    others = picked(found.rows, [3, 4])
    same = half_way(others, found.tape, True)
    assert same.mu.tolist() == others.mu.tolist()


def test_whoever_looks_decides_which_it_is():
    assert recorded(lambda x, rng: list(range(100))[rng.geometric(0.4)]).hidden[0].kind == "whole"
    assert recorded(lambda x, rng: str(rng.geometric(0.4))).hidden[0].kind == "whole"
    assert recorded(lambda x, rng: np.sort(rng.geometric(0.4, size=50))).hidden[0].kind == "value"


def test_the_largest_of_whole_numbers_is_decided_by_all_of_them():
    found = recorded(lambda x, rng: np.argmax(np.array([1.0, 2.0]) + rng.geometric(0.4, size=2)))
    assert [e.kind for e in found.hidden] == ["whole", "whole"]
