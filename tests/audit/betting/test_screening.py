"""Which lenses the past recommends."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import audit
from dpspectra.audit.betting.screening import MODULI, chi_square, lenses
from dpspectra.audit.reading.places import PLACES

NAMES: Any = SimpleNamespace(name="number {}".format)
"""What stands at places."""


def recommended(first, second, kind):
    return [lens for lens in lenses(({PLACES: first}, {PLACES: second}), NAMES) if lens.kind == kind]


@pytest.mark.parametrize("step", [437, 997])
def test_the_step_of_whole_numbers_is_a_modulus(step):
    """Multiples of a number that no listed modulus divides, beside others; the step is that of one side alone."""
    rng = np.random.default_rng(step)
    whole, others = (rng.integers(0, 10**6, (200, 3)).astype(float) for _ in range(2))
    whole[:, 1] = 5 + step * rng.integers(0, 10**4, 200)
    found = recommended(whole, others, "residue")
    assert step not in MODULI
    assert [(lens.places, lens.numbers, lens.name) for lens in found] == [((1,), (step,), "number 1")]


def test_remainders_and_fractions_are_compared_for_all_places_at_once():
    """Each place by itself, in every modulus and scale, is as far apart as it is among the others."""
    rng = np.random.default_rng(0)
    x, y = (rng.random((300, 5)) for _ in range(2))
    x[:, 2] = rng.integers(0, 50, 300) + 0.1 * rng.random(300)
    y[:, 2] = rng.integers(0, 50, 300) + 0.5 + 0.1 * rng.random(300)
    (best, *_) = recommended(x, y, "fraction")
    assert (best.places, best.numbers) == ((2,), (1.0,))
    alone = [float(chi_square(x[:, [j]], y[:, [j]])[0]) for j in range(5)]
    np.testing.assert_allclose(chi_square(x, y), alone)


def test_a_member_is_named_as_it_was_met_most_often():
    """Whatever else is in its bucket, and was met last."""

    def mechanism(x, rng):
        return " ".join([*map(str, rng.integers(0, 10**6, 10)), "cat" if x else "dog", "."])

    found = audit(mechanism, (0, 1), 1.0, draws=300)
    assert found.violated
    assert found.witness in {
        f"'{word}' is {there}there: too likely on the {side} data set"
        for word, there, side in [("dog", "", "first"), ("dog", "not ", "second"), ("cat", "", "second")]
    } | {"'cat' is not there: too likely on the first data set"}
