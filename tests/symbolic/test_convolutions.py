import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.convolutions import law_of
from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, LAPLACE, NORMAL, of_name, of_scipy
from dpspectra.symbolic.observed_constraints import Unsolved, families, system
from tests.support.noise_runs import log_density, recorded, replayed, runner


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
    assert law_of([EXPONENTIAL] * 2, [1.0, -1.0]) is LAPLACE
    assert law_of([BESSEL] * 2, [1.0, 1.0]) is LAPLACE
    assert law_of([BESSEL] * 2, [1.0, -1.0]) is LAPLACE
    assert law_of([EXPONENTIAL] * 2, [1.0, 1.0]) is None
    geometric = [of_scipy("geom 0.5", stats.geom(0.5))] * 2
    assert law_of(geometric, [-1.0, 1.0]).loss(1) == pytest.approx(math.log(2))
    assert law_of(geometric, [1.0, 1.0]) is None
    assert law_of([EXPONENTIAL] * 2, [1.0, -2.0]) is None
    assert law_of([EXPONENTIAL, BESSEL], [1.0, -1.0]) is None
    assert law_of([NORMAL] * 2, [1.0, -1.0]) is None


def shares(name, count, *shapes):
    return [of_name(name, *shapes)] * (2 * count), [1.0, -1.0] * count


def test_shares_of_noise_add_up():
    third = 1 / 3
    assert law_of(*shares("gamma", 3, third)) is LAPLACE
    assert law_of(*shares("gamma", 49, 1 / 49)) is LAPLACE
    assert law_of(*shares("nbinom", 3, third, 0.6)).loss(1) == pytest.approx(-math.log(0.4))
    sums = (
        law_of(*shares("gamma", 2, third)),
        law_of(*shares("nbinom", 2, third, 0.6)),
        law_of(*shares("binom", 2, 9, 0.5)),
    )
    assert sums == (None, None, None)
    assert law_of([of_name("gamma", a) for a in (1.5, 0.5)], [1.0, -1.0]) is None
    assert law_of([of_name("nbinom", 1.0, p) for p in (0.5, 0.6)], [1.0, -1.0]) is None
    assert law_of([of_name("gamma", 0.5)] * 2, [1.0, 2.0]) is None
    for name, shapes, more in (("gamma", (0.7,), (1.4,)), ("binom", (5, 0.3), (10, 0.3)), ("poisson", (2.0,), (4.0,))):
        assert law_of([of_name(name, *shapes)] * 2, [-1.0, -1.0]).key == of_name(name, *more).key
    poisson = [of_name("poisson", m) for m in (1.0, 2.0, 4.0)]
    assert law_of(poisson, [-1.0, 1.0, -1.0]).shapes == (5.0, 2.0)  # the first factor tells what rises
    assert law_of([of_name("poisson", 0.0), of_name("poisson", 1.0)], [1.0, -1.0]) is None
    assert law_of([of_name("poisson", 6e4)] * 2, [1.0, -1.0]) is None


def difference(law, x, rng, scale=1):
    """Noise whose first draw falls, so that signs must be kept."""
    return x - scale * (law(rng) - law(rng) + law(rng) - law(rng))


AUDITED = {
    "half of the gamma shares each": (lambda x, rng: difference(lambda r: r.gamma(0.5), x, rng), 1.0, 0.0, "explained"),
    "half the scale": (lambda x, rng: difference(lambda r: r.gamma(0.5), x, rng, 0.5), 1.0, 0.0, "refuted"),
    "too many shares": (lambda x, rng: difference(lambda r: r.gamma(0.6), x, rng), 1.0, 0.0, "undecided"),
    "geometric": (lambda x, rng: difference(lambda r: r.negative_binomial(0.5, 0.6), x, rng), 1.0, 0.0, "explained"),
    "less noise": (lambda x, rng: difference(lambda r: r.negative_binomial(0.5, 0.7), x, rng), 1.0, 0.0, "refuted"),
    "Poisson": (lambda x, rng: difference(lambda r: r.poisson(3.0), x, rng), 1.0, 2e-2, "explained"),
    "even numbers": (lambda x, rng: difference(lambda r: r.poisson(3.0), x, rng, 2), 1.0, 2e-2, "refuted"),
    "binomial": (lambda x, rng: x + rng.binomial(1, 0.5, size=60).sum(), 1.0, 1e-3, "explained"),
    "few coins": (lambda x, rng: x + rng.binomial(1, 0.5, size=6).sum(), 1.0, 1e-3, "refuted"),
}


@pytest.mark.parametrize("name", AUDITED)
def test_audits_of_sums(name):
    mechanism, epsilon, delta, verdict = AUDITED[name]
    assert decide(runner(mechanism, (3, 4), epsilon, delta)).verdict == verdict


def test_a_share_that_is_shown_is_no_noise_any_more():
    """With one of two gamma shares known the rest hides less than the claim."""

    def mechanism(x, rng):
        shares = [rng.gamma(0.5) - rng.gamma(0.5) for _ in range(2)]
        return x + sum(shares), shares[0]

    assert decide(runner(mechanism, (3, 4))).verdict == "undecided"


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
