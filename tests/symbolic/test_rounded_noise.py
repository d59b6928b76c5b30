import itertools
import math
from typing import Any

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.rounded_laws import ROUNDING
from tests.support.noise_runs import recorded, runner


@pytest.mark.parametrize("way", ROUNDING)
def test_each_number_lies_in_the_interval_of_what_it_rounds_to(way):
    function, edges = ROUNDING[way]
    x = np.random.Generator(np.random.PCG64(1)).uniform(-3, 3, 1000)
    for value, k in zip(x, function(x), strict=True):
        low, high = edges(int(k))
        assert low <= value <= high
    ends = sorted({edges(k) for k in range(-4, 5)})
    assert all(a[1] == b[0] for a, b in itertools.pairwise(ends))


ROUNDED: dict[str, Any] = {
    "int": int,
    "round": round,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
    "np.round": np.round,
    "np.floor of several": lambda z: np.floor(np.array([z, -z, 2.0]))[1],
}


@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_is_a_decision(name):
    found = recorded(lambda x, rng: ROUNDED[name](5 * rng.normal()), at_once=True)
    assert {e.kind for e in found.hidden} == {"whole"}
    z = 5 * found.tape.omega()[0]
    assert found.hidden[-1].outcome == ROUNDED[name](float(z)) or name.endswith("several")


def test_whole_numbers_are_of_their_kind():
    found = recorded(lambda x, rng: [int(rng.normal()), round(rng.normal()), round(rng.normal(), 0)], at_once=True)
    assert [found.leaves[f"output[{k}]"][0] for k in range(3)] == ["int", "int", "float"]


def test_what_is_not_rounded_so_is_looked_at():
    found = recorded(lambda x, rng: [int(rng.normal() + rng.normal()), round(rng.normal(), 1)], at_once=True)
    assert [e.kind for e in found.hidden] == ["value"] * 2


@pytest.mark.parametrize(("epsilon", "verdict"), [(1.0, "explained"), (0.99, "refuted")])
def test_two_sided_geometric_noise(epsilon, verdict):
    """Laplace noise rounded to whole numbers, for whole answers, loses what it is claimed to."""

    def mechanism(x, rng):
        return x + int(np.round(rng.laplace()))

    found = decide(runner(mechanism, (0, 1), epsilon, 1e-9))
    assert found.verdict == verdict


@pytest.mark.parametrize("scale", [1e9, 1e17])
def test_cells_too_narrow_for_floats_are_no_evidence(scale):
    """By float64 most of them are empty on one of the data sets."""
    found = decide(runner(lambda x, rng: round(x * scale + rng.laplace(scale=scale)), (0, 1), 1.0, seconds=4.0))
    assert found.verdict == "undecided"


def test_large_counts_are_explained():
    assert decide(runner(lambda x, rng: round(1e6 + x + rng.laplace()), (0, 1), 1.0)).verdict == "explained"


def test_several_numbers_are_rounded_each_for_itself():
    """The first and the last one hold one draw."""
    place = np.array([0.25, 10.0, -3.5])

    def mechanism(x, rng):
        noise = rng.laplace(size=2)
        return np.floor(place + np.stack([noise[0], noise[1], noise[0]]))

    found = recorded(mechanism, at_once=True)
    assert [e.kind for e in found.hidden] == ["whole"] * 3
    z = found.tape.omega()
    given = [leaf for path, leaf in found.leaves.items() if leaf[0] == "float"]
    assert [np.frombuffer(leaf[1])[0] for leaf in given] == np.floor(place + z[[0, 1, 0]]).tolist()


def test_a_number_drawn_right_after_whole_ones_is_rounded_as_others_are():
    found = recorded(lambda x, rng: [rng.geometric(0.5, size=3), round(rng.laplace())], at_once=True)
    assert [e.kind for e in found.hidden] == ["whole"]


@pytest.mark.parametrize("write", ["array", "list"])
def test_noise_in_an_array_of_whole_numbers_is_told(write):
    """An array of numpy asks for a plain number, and a list keeps the symbol."""

    def mechanism(x, rng):
        cells = np.array([x, 3]) if write == "array" else [x, 3]
        cells[0] = cells[0] + round(rng.laplace())
        return cells

    found = decide(runner(mechanism, (0, 1), 1.0, seconds=5.0))
    assert found.verdict == ("undecided" if write == "array" else "explained")
    told = [why for s in found.sides for why in s.reasons if "into an array of whole numbers at test_rounded" in why]
    assert bool(told) == (write == "array")
