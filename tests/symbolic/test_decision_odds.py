import math

import numpy as np
import pytest

from dpspectra.symbolic.decision_odds import Odds
from dpspectra.symbolic.path_walks import walked
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.tape import FORCED
from tests.support.noise_runs import runner


def met(mechanism, data=0.0, at_once=False):
    """All choices of a forced run, in the order in which they are asked, with the probabilities of what goes before."""
    seen = []

    def chooser(tape, event, j):
        odds.blocks = tape.blocks
        choices = odds.choices(event, j)
        seen.append({k: math.exp(log) for k, log in choices})
        best = max(choices, key=lambda c: c[1])[0]
        odds.take(event, j, best)
        return best

    odds = Odds()
    it = runner(mechanism, (data, data + 1))
    it.at_once = at_once
    with followed_sources():
        it.run(0, mode=FORCED, chooser=chooser)
    return seen, odds


def test_one_draw_is_asked_twice():
    def mechanism(x, rng):
        u = rng.random()
        return bool(u < 0.75), bool(u < 0.25), bool(u < 0.75)

    seen, odds = met(mechanism)
    assert seen == [
        pytest.approx({0: 0.25, 1: 0.75}),
        pytest.approx({0: 0.5, 1: 0.25}),
        pytest.approx({1: 0.5}),
    ]
    assert odds.single
    assert odds.log == pytest.approx(math.log(0.5))


def test_a_contradiction_by_rounding_alone_stays_possible():
    """0.1 + 0.2 is above 0.3 as it is computed; the same comparison asked again leaves nothing on its other side."""

    def mechanism(x, rng):
        u = rng.random()
        return bool(u > 0.1 + 0.2), bool(u > 0.3), bool(u > 0.1 + 0.2)

    seen, _ = met(mechanism)
    assert [list(choices) for choices in seen] == [[0, 1], [0, 1], [1]]
    assert 0 < seen[1][0] < 1e-14


def test_points_and_whole_numbers():
    def mechanism(x, rng):
        k = int(rng.integers(4))
        return k, int(10 * rng.random()), math.floor(math.log(rng.random()))

    seen, odds = met(mechanism, at_once=True)
    assert seen[0] == pytest.approx(dict.fromkeys(range(4), 0.25))
    assert seen[1] == pytest.approx(dict.fromkeys(range(10), 0.025))
    assert seen[2][-3] == pytest.approx(0.025 * (math.exp(-2) - math.exp(-3)))
    assert max(seen[2]) == -1
    assert 0 < odds.beyond < 1e-16


def test_draws_that_meet_are_not_taken_for_independent():
    def mechanism(x, rng):
        a, b = rng.normal(), rng.normal()
        return bool(a > 0.5), bool(b > a)

    seen, odds = met(mechanism)
    assert not odds.single
    assert sum(seen[1].values()) == pytest.approx(max(seen[0].values()), abs=1e-6)
    assert seen[1][1] != pytest.approx(max(seen[0].values()) / 2, abs=0.01)


def test_sums_of_four_uniforms_are_one_number():
    def mechanism(x, rng):
        u = rng.random(4)
        z = np.log(1 - u[0]) * np.cos(np.pi * u[1]) + np.log(1 - u[2]) * np.cos(np.pi * u[3])
        return bool(2 * z > 2), bool(1 - z > 3)

    seen, odds = met(mechanism)
    assert odds.single
    assert seen[0][1] == pytest.approx(math.exp(-1) / 2)
    assert seen[1][1] == pytest.approx(math.exp(-2) / 2)


@pytest.mark.parametrize("loop", [True, False])
def test_the_probability_of_all_paths_is_one(loop):
    def mechanism(x, rng):
        n = 0
        while loop and rng.random() < 0.25:
            n += 1
        return n, str(round(x + rng.laplace())) if loop else rng.normal() > rng.normal()

    it = runner(mechanism, (0.0, 1.0))
    with followed_sources():
        found = walked(lambda chooser: it.run(0, mode=FORCED, chooser=chooser.choose), 1e-3)
    from dpspectra.symbolic.decision_paths import Law

    total = math.fsum(math.exp(v) for v, _ in Law(found).masses().values())
    assert 1 - 1e-3 <= 1 - found.rest <= total + 1e-9
    assert total <= 1 + 1e-9
