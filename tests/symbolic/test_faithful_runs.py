import math

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.faithful_runs import faithful, led, solved, with_draws
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.one_run import run
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.tape import PLAIN, Tape
from tests.support.noise_runs import real, recorded, replayed, runner


def leaf(x):
    return ("float", np.float64(x).tobytes())


def number(x, rng):
    return 5.0, rng.normal(scale=0.01)


def test_rounding_is_meant_in_scales_of_the_noise():
    found = recorded(number)
    z = float(found.values[0])
    parts = {"output": found.leaves["output"], "output[0]": leaf(5.0)}
    assert faithful(found, parts | {"output[1]": leaf(z)}) is None
    assert faithful(found, parts | {"output[1]": leaf(z + 5e-12)}) is None
    assert faithful(found, parts | {"output[1]": leaf(z + 5e-11)}) == "output[1]"
    assert faithful(found, parts | {"output[1]": ("str", "0")}) == "output[1]"


def test_plain_numbers_may_be_rounded_and_nothing_else_may_differ():
    found = recorded(number)
    noise = {"output[1]": leaf(float(found.values[0]))}
    top = {"output": found.leaves["output"]}
    assert faithful(found, top | {"output[0]": leaf(5.0 + 4e-11)} | noise) is None
    assert faithful(found, top | {"output[0]": leaf(5.0 + 6e-11)} | noise) == "output[0]"
    assert faithful(found, {"output": ("list", 2), "output[0]": leaf(5.0)} | noise) == "output"
    assert faithful(found, top | noise) == "the parts of the output"


def test_numbers_after_a_look_may_be_rounded_more():
    found = recorded(lambda x, rng: 3.0 + round(rng.normal() + rng.normal(), 3) * 0)
    assert found.hidden
    assert faithful(found, {"output": leaf(3.0 + 2e-6)}) is None
    assert faithful(found, {"output": leaf(3.0 + 4e-6)}) == "output"


def test_whole_numbers_count_as_the_noise_that_they_hold_and_others_do_not():
    found = recorded(lambda x, rng: rng.poisson(5.0))
    y = int(found.values[0])
    assert faithful(found, {"output": ("int", y)}) is None
    for other in (("int64", np.int64(y).tobytes()), ("float32", np.float32(y).tobytes()), leaf(float(y))):
        assert faithful(found, {"output": other}) == "output"
    assert faithful(found, {"output": ("int", y + 1)}) == "output"


def test_shapes_are_compared_and_types_of_arrays_of_noise_are_not():
    found = recorded(lambda x, rng: rng.poisson(5.0, size=1))
    y = ("int64", np.int64(found.values[0]).tobytes())
    assert faithful(found, {"output": ("array", "int64", (1,)), "output[0]": y}) is None
    assert faithful(found, {"output": ("array", "int64", (1, 1)), "output[0]": y}) == "output"


def test_not_a_number_is_itself():
    found = recorded(lambda x, rng: np.nan + rng.normal())
    assert faithful(found, {"output": leaf(np.nan)}) is None
    assert faithful(found, {"output": leaf(0.0)}) == "output"


def test_draws_are_handed_out_in_their_order():
    def mechanism(x, rng):
        return rng.integers(9), rng.normal(), rng.laplace(size=2), rng.normal()

    found = recorded(mechanism)
    draws = np.array([1.0, 2.0, 3.0, 4.0])
    handed = with_draws(found.tape, draws)
    with followed_sources():
        again = run(mechanism, None, Tape(real(5), mode=PLAIN, past=handed.past))
    assert [again.leaves[p] for p in ("output[1]", "output[2][0]", "output[2][1]", "output[3]")] == [
        leaf(v) for v in draws
    ]
    assert again.leaves["output[0]"] == found.leaves["output[0]"]


def test_draws_that_give_values_and_decisions():
    def mechanism(x, rng):
        a, b = x + rng.laplace(), rng.normal()
        return a + b, bool(a > b)

    record, replay = replayed(mechanism, (0.0, 3.0))
    z = solved(replay.tape, record.values, real(2))
    assert 3 + z[0] + z[1] == pytest.approx(record.values[0], abs=1e-9)
    assert (3 + z[0] > z[1]) == (record.leaves["output[1]"] == ("bool", True))


def test_roots_of_computed_draws():
    record, replay = replayed(lambda x, rng: x - math.log(rng.random()), (1.0, 0.0))
    z = solved(replay.tape, record.values, real(2))
    assert -math.log(z[0]) == pytest.approx(record.values[0], rel=1e-12)


def test_what_has_no_draws_is_not_solved():
    twice, _ = replayed(lambda x, rng: [rng.normal()] * 2, (0.0, 1.0))
    with pytest.raises(Unsolved, match="values of a witness"):
        solved(twice.tape, np.array([1.0, 2.0]), real(1))
    far, _ = replayed(lambda x, rng: bool(rng.normal() > x), (-40.0, 1.0))
    far.tape.events[0].outcome = np.array(False)
    with pytest.raises(Unsolved, match="decisions of a witness"):
        solved(far.tape, np.zeros(0), real(1))


def test_many_equations():
    n = 700
    record, replay = replayed(lambda x, rng: np.cumsum(x + rng.normal(size=n)), (np.zeros(n), np.ones(n)))
    z = solved(replay.tape, record.values, real(3))
    assert np.allclose(np.cumsum(1 + z), record.values, atol=1e-6)


def of_products(scale):
    def clipped(x, rng):
        e, u = rng.exponential(size=2), rng.random(2)
        y = x - scale * (e[0] * np.cos(np.pi * u[0]) + e[1] * np.cos(np.pi * u[1]))
        return 12.0 if y > 12 else y

    return clipped


def test_draws_take_rare_decisions_about_sums_of_computed_draws():
    found = recorded(of_products(1.0), 0.0)
    found.tape.events[0].outcome = np.array([True])
    e, u = np.split(led(found, real(1))[:4], 2)
    assert -np.sum(e * np.cos(np.pi * u)) > 12


@pytest.mark.parametrize("factor", [2.0**-20, 1.0, 2.0**20])
def test_draws_take_rare_decisions_in_any_unit(factor):
    found = recorded(lambda x, rng: bool(factor * rng.exponential(size=2) @ np.array([3.0, 4.0]) > 60 * factor))
    found.tape.events[0].outcome = np.array([True])
    assert led(found, real(1)) @ np.array([3.0, 4.0]) > 60


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "explained"), (0.5, "refuted")])
def test_a_rare_bound_on_a_sum_of_products_is_no_obstacle(scale, verdict):
    found = decide(runner(of_products(scale), (0.0, 1.0)))
    assert found.verdict == verdict
    if verdict == "refuted":
        assert any("test_faithful_runs.py" in place for place in [*found.calls, *found.findings])


def test_no_draw_is_led_to_an_end_of_what_it_can_be():
    found = recorded(lambda x, rng: -math.log(1 - rng.random()) - math.log(1 - rng.random()) > 5.0)
    found.tape.events[0].outcome = np.array([True])
    assert np.all((led(found, real(1))[:1] > 0) & (led(found, real(1))[:1] < 1))
    rare = recorded(lambda x, rng: -math.log(1 - rng.random()) > 60.0)
    rare.tape.events[0].outcome = np.array([True])
    with pytest.raises(Unsolved, match="no draws were found"):
        led(rare, real(1))
    sums = recorded(lambda x, rng: -math.log(1 - rng.random()) - math.log(1 - rng.random()) > 100.0)
    sums.tape.events[0].outcome = np.array([True])
    with pytest.raises(Unsolved, match="no draws were found"):
        led(sums, real(1))


def test_decisions_that_contradict_each_other_have_no_draws():
    def twice(x, rng):
        y = rng.exponential(size=2) @ np.ones(2)
        return bool(y > 3), bool(y > 4)

    found = recorded(twice)
    found.tape.events[0].outcome, found.tape.events[1].outcome = np.array([False]), np.array([True])
    with pytest.raises(Unsolved, match="no draws were found"):
        led(found, real(1))
