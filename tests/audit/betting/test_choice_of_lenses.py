"""Which lenses the past recommends."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import audit
from dpspectra.audit.betting.choice_of_lenses import MODULI, MORE, chi_square, lenses
from dpspectra.audit.betting.lens import MISSING, Lens, bits
from dpspectra.audit.reading.number_places import PLACES

NAMES: Any = SimpleNamespace(name="number {}".format)
"""What stands at places."""


def recommended(first, second, kind):
    return [lens for lens in lenses(({PLACES: first}, {PLACES: second}), NAMES) if lens.kind == kind]


@pytest.mark.parametrize("step", [443, 997])
def test_the_step_of_whole_numbers_is_a_modulus(step):
    """Multiples of a number that no listed modulus divides, beside others; the step is that of one side alone."""
    rng = np.random.default_rng(step)
    whole, others = (rng.integers(0, 10**6, (200, 3)).astype(float) for _ in range(2))
    whole[:, 1] = 5 + step * rng.integers(0, 10**4, 200)
    found = recommended(whole, others, "residue")
    assert step not in MODULI + MORE
    assert [(lens.places, lens.numbers, lens.name) for lens in found] == [((1,), (step,), "number 1")]


def test_bits_of_whole_numbers_are_those_of_twos_complement():
    x = np.array([5.0, -1.0, -6.0, 2.0**40 + 4, 0.5, np.nan, np.inf])
    for bit in range(4):
        expected = [(int(number) >> bit) & 1 for number in x[:4]] + [MISSING] * 3
        assert bits(x, bit).tolist() == expected
    lens = Lens("bit", (0,), (4.0,), "output", 1)
    assert lens.words((1,), (), False) == "bit 2 of output = 1"
    table = {PLACES: x[:, None]}
    assert lens(table).tolist() == bits(x, 2).tolist()


@pytest.mark.parametrize("modulus", [19, 37, 53, 64])
@pytest.mark.parametrize("large", [0, 2**80])
def test_remainders_by_all_numbers_to_64_are_seen(modulus, large):
    """Large integers among them, and half of the remainders, be they next to each other or not."""
    half = np.random.default_rng(modulus).permutation(modulus)[: modulus // 2]

    def mechanism(x, rng):
        rest = rng.choice(half if x else np.setdiff1d(np.arange(modulus), half))
        return modulus * (large + int(rng.integers(2**20))) + int(rest)

    assert audit(mechanism, (0, 1), 1.0, draws=1000).violated


@pytest.mark.parametrize("bit", [1, 5, 13, 20, 33])
def test_a_bit_of_a_whole_number_is_seen(bit):
    def mechanism(x, rng):
        return int(rng.integers(2**40)) & ~(1 << bit) | x << bit

    assert audit(mechanism, (0, 1), 1.0, draws=1000).violated


@pytest.mark.parametrize("period", [0.0137, 0.74, 97.0, 1000.5])
def test_a_comb_of_many_teeth_is_seen(period):
    def mechanism(x, rng):
        return (int(rng.integers(600)) + (x + rng.random()) / 2) * period - 3000

    assert audit(mechanism, (0, 1), 1.0, draws=1000).violated


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


@pytest.mark.parametrize("rare", [lambda rng: 1e307 * rng.random(), lambda rng: 10.0 ** rng.uniform(200, 308)])
def test_a_rare_huge_number_is_no_trouble(rare):
    """It has no phase in any period; before, its overflow ended the audit."""

    def mechanism(x, rng):
        return x + rng.laplace() if rng.random() > 0.1 else rare(rng)

    assert audit(mechanism, (0.0, 1.0), 1.0, draws=4000).verdict == "not refuted"
