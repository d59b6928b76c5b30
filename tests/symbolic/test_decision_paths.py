import math

import numpy as np
import pytest

from dpspectra.audit import ApproxDP, inside
from dpspectra.symbolic import decision_paths, path_walks
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.summing import _law
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import runner


def law(mechanism, pair=(0.0, 1.0), side=0):
    it = runner(mechanism, pair, seconds=600.0)  # a tenth of it goes to the paths, however slow the machine
    with followed_sources():
        return _law(it, side), it.record(side)


def line_or_plane(x, rng):
    w, z = rng.normal(), rng.normal()
    return [w, w] if rng.random() < 0.25 else [w, w + z]


def test_densities_of_other_dimensions_are_not_added():
    found, record = law(line_or_plane)
    on_the_line = found.at(record.leaves, np.array([0.5, 0.5]))
    beside_it = found.at(record.leaves, np.array([0.5, 0.7]))
    normal = -0.125 - math.log(2 * math.pi) / 2
    assert on_the_line[0] == pytest.approx(math.log(0.25) + normal, abs=1e-9)
    assert beside_it[0] == pytest.approx(math.log(0.75) + normal - 0.02 - math.log(2 * math.pi) / 2, abs=1e-9)
    assert (on_the_line[2], beside_it[2]) == ((0,), (0, 1))


def test_masses_of_all_outputs_sum_to_one():
    found, _ = law(lambda x, rng: [bool(x + rng.laplace() > rng.laplace()) for _ in range(2)])
    masses = found.masses()
    assert len(masses) == 4
    assert sum(math.exp(v) for v, _ in masses.values()) == pytest.approx(1, abs=1e-7)
    del found.paths[0]
    with pytest.raises(NotFollowed, match="have probability"):  # so that nothing is explained by other bounds
        found.masses()


def test_loops_without_end_are_given_up():
    def loop(x, rng):
        while rng.random() < 0.5:
            pass
        return x

    found, _ = law(loop)
    assert found.rest == pytest.approx(2.0**-100)
    assert "more than 100 hidden decisions" in found.why

    def endless(x, rng):
        while rng.random() < 2:
            pass

    with pytest.raises(NotFollowed, match="more than 100 hidden decisions"):
        law(endless)


def test_keys_keep_their_order():
    assert decision_paths.key({"a": 1, "b": 2}) != decision_paths.key({"b": 2, "a": 1})


def test_errors_of_both_sides_add_up():
    found, record = law(line_or_plane)
    other, _ = law(line_or_plane)
    loss = decision_paths.loss_at(found, other, record.leaves, record.values)
    assert loss.value == 0
    alone = found.at(record.leaves, record.values)[1]
    assert loss.error == pytest.approx(2 * alone)
    assert alone > 0


def test_as_many_paths_are_walked_as_are_allowed(monkeypatch):
    monkeypatch.setattr(path_walks, "MOST_PATHS", 4)
    four, _ = law(lambda x, rng: int(rng.integers(4)) == x)
    five, _ = law(lambda x, rng: int(rng.integers(5)) == x)
    assert (four.rest, four.why) == (0, "")
    assert five.rest == pytest.approx(0.2)
    assert five.why == "more than 4 outcomes of hidden decisions"


@pytest.mark.parametrize(("claimed", "verdict"), [(2.0, "explained"), (0.5, "exceeded")])
def test_functions_of_noise_on_some_paths_are_none_of_the_output(claimed, verdict):
    """A cosine is alike on both data sets, so that what it is computed from refutes nothing."""

    def released(x, rng):
        if rng.random() < 0.5:
            return np.cos(x + rng.laplace(scale=1.0))
        return x / 8 + rng.laplace(scale=1.0)

    result = inside(released, (-1.0, 1.0), claimed)
    assert result.verdict == verdict
    assert not result.of_output


def two_ways(whole):
    """Whole numbers of one law, as noise on one data set and by a decision on the other."""

    def mechanism(x, rng):
        return whole(rng) if x else int(rng.random() < 0.5)

    return mechanism


def test_noise_that_is_whole_can_give_what_a_path_without_noise_gives():
    """Once the probability of such a number was taken for 0, and a program that tells nothing was refuted."""
    coin = two_ways(lambda rng: int(rng.binomial(1, 0.5)))
    rare = two_ways(lambda rng: int(rng.poisson(0.5)))
    for mechanism in (coin, rare):
        here, record = law(mechanism)
        there, other = law(mechanism, side=1)
        for mine, theirs, output in ((here, there, record), (there, here, other)):
            with pytest.raises(Unsolved, match="on some paths only"):
                decision_paths.loss_at(mine, theirs, output.leaves, output.values)
    assert inside(coin, (0, 1), 1.0).verdict != "refuted"
    assert inside(lambda x, rng: int(rng.poisson(1e-6)) if x else 0, (0, 1), ApproxDP(1.0, 1e-5)).verdict != "refuted"


def test_what_no_whole_noise_gives_is_still_impossible():
    found = inside(two_ways(lambda rng: 2 + int(rng.poisson(0.5))), (0, 1), 1.0)
    assert found.verdict == "refuted"
    assert inside(two_ways(lambda rng: float(rng.laplace())), (0, 1), 1.0).verdict == "refuted"
