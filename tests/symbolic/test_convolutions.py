import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from dpspectra.symbolic.convolutions import law_of_two
from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, LAPLACE, NORMAL, of_scipy
from dpspectra.symbolic.observed_constraints import Unsolved, families, system
from tests.support.noise_runs import log_density, recorded, replayed


def four_uniforms(rng):
    u = rng.random(4)
    return np.log(1 - u[0]) * np.cos(np.pi * u[1]) + np.log(1 - u[2]) * np.cos(np.pi * u[3])


MADE = {
    "four uniforms": (lambda x, rng: 3 - 2 * four_uniforms(rng), stats.laplace(3, 2)),
    "exponential draws": (lambda x, rng: 3 + 2 * (rng.exponential() - rng.exponential()), stats.laplace(3, 2)),
    "scales that they share": (lambda x, rng: rng.exponential(0.5) - rng.exponential(0.5), stats.laplace(0, 0.5)),
    "two logarithms": (lambda x, rng: math.log(rng.random()) - math.log(rng.random()), stats.laplace()),
}


@pytest.mark.parametrize("name", MADE)
def test_one_draw_stands_for_two(name):
    mechanism, law = MADE[name]
    found = recorded(mechanism)
    assert [b.law for b in system(found.tape).blocks[-1:]] == [LAPLACE]
    assert not found.hidden
    assert log_density(found) == pytest.approx(law.logpdf(found.values[0]), abs=1e-12)


def test_the_density_of_a_product_is_that_of_the_integral():
    """E cos(angle) has the density at z that E has at z / c, divided by c, over all angles with a positive cosine."""
    for z in (0.1, 1.0, -3.0):
        wanted = integrate.quad(lambda a, z=z: math.exp(-abs(z) / math.cos(a)) / math.cos(a) / math.pi, 0, math.pi / 2)
        assert float(BESSEL.log_density(z)) == pytest.approx(math.log(wanted[0]), abs=1e-9)
    for t in (0.5, 2.0):
        transform = integrate.quad(lambda z, t=t: 2 * math.cos(t * z) * special.k0(z) / math.pi, 0, 60, limit=200)
        assert transform[0] == pytest.approx(1 / math.sqrt(1 + t * t), abs=1e-7)


def test_signs_and_sizes_decide():
    assert law_of_two([EXPONENTIAL] * 2, [1.0, -1.0]) is LAPLACE
    assert law_of_two([BESSEL] * 2, [1.0, 1.0]) is LAPLACE
    assert law_of_two([BESSEL] * 2, [1.0, -1.0]) is LAPLACE
    assert law_of_two([EXPONENTIAL] * 2, [1.0, 1.0]) is None
    geometric = [of_scipy("geom 0.5", stats.geom(0.5))] * 2
    assert law_of_two(geometric, [-1.0, 1.0]).loss(1) == pytest.approx(math.log(2))
    assert law_of_two(geometric, [1.0, 1.0]) is None
    assert law_of_two([EXPONENTIAL] * 2, [1.0, -2.0]) is None
    assert law_of_two([EXPONENTIAL, BESSEL], [1.0, -1.0]) is None
    assert law_of_two([NORMAL] * 2, [1.0, -1.0]) is None


def test_draws_that_are_used_apart_stay_apart():
    def mechanism(x, rng):
        a, b = rng.exponential(), rng.exponential()
        return a - b, a

    found = recorded(mechanism)
    assert len(system(found.tape).blocks) == len(found.tape.blocks)
    assert [len(f) for f in families(system(found.tape))] == [2]


def test_what_a_sum_was_made_of_is_no_other_noise():
    def mechanism(x, rng):
        u = rng.random(4)
        z = np.log(1 - u[0]) * np.cos(np.pi * u[1]) + np.log(1 - u[2]) * np.cos(np.pi * u[3])
        return x + z, u[0]

    with pytest.raises(Unsolved, match="beside a function of it"):
        log_density(recorded(mechanism, 0.0))


def test_a_replay_makes_the_same_sum():
    record, replay = replayed(lambda x, rng: x - four_uniforms(rng), (0.0, 1.0))
    assert log_density(record) - log_density(replay) == pytest.approx(
        abs(record.values[0] - 1) - abs(record.values[0]), abs=1e-12
    )
