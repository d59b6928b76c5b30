"""Numbers with steps have their largest loss near the places where masses are irregular, and no tail is cut."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.hockey_stick import showing
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, of_scipy
from dpspectra.symbolic.mixture_loss import loss_of_mixtures
from dpspectra.symbolic.rounded_laws import rounded_law, two_sided_geometric
from dpspectra.symbolic.stepped_numbers import log_densities, point, stepped
from tests.support.noise_runs import log_density, recorded, runner


def inverse(rate):
    """A two-sided geometric number by the inverse of its distribution, with the draw at 0 shared by both signs."""

    def mechanism(x, rng):
        u = (rng.random() - 0.5) * (1 + math.exp(-rate))
        sign = -1 if u < 0 else 1
        return x + sign * math.floor(math.log(sign * u) / -rate)

    return mechanism


def staircase(rate, scale=1.0, gamma=0.25):
    def mechanism(x, rng):
        sign = -1 if rng.random() < 0.5 else 1
        whole, part = rng.geometric(1 - math.exp(-rate)) - 1, rng.random()
        first = rng.random() < gamma / (gamma + (1 - gamma) * math.exp(-rate))
        return x + sign * (whole + gamma * part if first else whole + gamma + (1 - gamma) * part) * scale

    return mechanism


def clipped(rate):
    return lambda x, rng: min(inverse(rate)(x, rng), 9)


def often_itself(rate):
    """A two-sided geometric number, of which 0 and both tails are drawn apart, and another number beside it."""

    def mechanism(x, rng):
        p = math.exp(-rate)
        if rng.random() > 2 * p / (1 + p):
            return x, 7
        size = 1 + math.floor(math.log(rng.random()) / -rate)
        return x + (size if rng.random() < 0.5 else -size), 7

    return mechanism


KINDS = {"inverse": inverse, "clipped": clipped, "staircase": staircase, "itself": often_itself}
RIGHT = {name: kind(1.0) for name, kind in KINDS.items()}
HALF = {name: kind(2.0) for name, kind in KINDS.items()} | {"scale": staircase(1.0, 0.5)}


@pytest.mark.parametrize("name", RIGHT)
def test_the_exact_loss_is_told(name):
    found = decide(runner(RIGHT[name], (0, 1)))
    assert found.verdict == "explained"
    assert found.sides[0].bound == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", HALF)
def test_half_the_noise_is_refuted_with_its_line(name):
    found = decide(runner(HALF[name], (0, 1)))
    assert found.verdict == "refuted"
    assert any("test_stepped_numbers.py" in place for place in [*found.calls, *found.findings])


LEAKS = {
    "a rate that depends on the data": lambda x, rng: inverse(1.0 + x / 8)(x, rng),
    "a tail": lambda x, rng: (y := inverse(1.0)(x, rng)) + (x if y > 18 else 0),
    "a bound on the noise": lambda x, rng: x + min(inverse(1.0)(0, rng), 9),
    "no noise beyond": lambda x, rng: 99 if (w := inverse(1.0)(0, rng)) > 9 else x + w,
    "the number itself": lambda x, rng: x if rng.random() < 0.5 else inverse(1.0)(x, rng),
    "the number itself far out": lambda x, rng: 1000 + x if rng.random() < 0.01 else inverse(1.0)(x, rng),
    "an offset": lambda x, rng: inverse(1.0)(0, rng) + x / 4,
    "a step that depends on the data": lambda x, rng: (1 + x) * staircase(1.0)(0, rng),
    "a step that is longer": lambda x, rng: staircase(1.0)(0, rng) + 1.25 * x,
    "the sign": lambda x, rng: abs(inverse(1.0)(0, rng)) + x,
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_loses_more_is_not_explained(name):
    assert decide(runner(LEAKS[name], (0, 1), seconds=5.0)).verdict != "explained"


LAWS = {
    "two-sided": two_sided_geometric(0.5),
    "floor of Laplace": rounded_law(LAPLACE, "floor", 0.3, 2.0),
    "rint of exponential": rounded_law(EXPONENTIAL, "rint", -0.7, -2.0),
    "towards 0": rounded_law(LAPLACE, "trunc", 0.9, 2.0),
    "towards 0, from below": rounded_law(EXPONENTIAL, "trunc", -3.4, 2.0),
    "ceil of Laplace": rounded_law(LAPLACE, "ceil", 5.0, -2.0),
    "geometric": of_scipy("geom 0.39346934028736658", stats.geom(1 - math.exp(-0.5))),
}


def number(law, mu, step):
    """The number as a run has it."""

    def mechanism(x, rng):
        if law.name.startswith("geom"):
            w = rng.geometric(law.shapes[0])
        elif law.name.startswith("two"):
            w = rng.geometric(1 - math.exp(-0.5)) - rng.geometric(1 - math.exp(-0.5))
        else:
            z = rng.laplace() if law.root is LAPLACE else rng.exponential()
            w = {"floor": np.floor, "ceil": np.ceil, "rint": np.rint, "trunc": np.trunc}[law.way](
                law.at + law.scale * z
            )
        return mu + step * w

    return stepped(showing(Path(recorded(mechanism)))[0])


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(LAWS, 2)))
def test_no_number_far_out_loses_more(one, other):
    here, there = number(LAWS[one], 0.0, 1.0), number(LAWS[other], 1.0, -1.0)
    far = np.arange(-60, 61).astype(float)
    p, q = ([n.log_density(float(y)) for y in far] for n in (here, there))
    wanted = max((a - b for a, b in zip(p, q, strict=True) if a > -math.inf), default=math.inf)
    assert loss_of_mixtures([(0.0, (here,))], [(0.0, (there,))]) == pytest.approx(wanted, abs=1e-6)


def test_a_plain_number_fits_to_steps_on_its_grid_only():
    even = number(LAWS["two-sided"], 0.0, 2.0)
    for plain, loss in ((4, 1.0), (3, math.inf)):
        here = [(math.log(0.5), (even,)), (math.log(0.5), (point(plain),))]
        assert (loss_of_mixtures(here, here) == math.inf) is (loss == math.inf)
    assert loss_of_mixtures([(0.0, (point(3),))], [(-1.0, (point(3),)), (0.0, (point(4),))]) == pytest.approx(1.0)
    assert loss_of_mixtures([(0.0, (point(3),))], [(0.0, (point(4),))]) == math.inf


def test_other_noise_has_no_known_steps():
    for mechanism in (
        lambda x, rng: math.floor(rng.normal()),
        lambda x, rng: rng.poisson(3.0),
        lambda x, rng: rng.geometric(0.5) + rng.poisson(2.0),
        lambda x, rng: rng.geometric(0.5) + rng.random() + rng.random(),
        lambda x, rng: rng.laplace(),
    ):
        assert stepped(showing(Path(recorded(mechanism)))[0]) is None


def test_numbers_without_common_steps_are_not_compared():
    one = number(LAWS["two-sided"], 0.0, 1.0)
    for other in (
        number(LAWS["two-sided"], 0.25, 1.0),
        number(LAWS["two-sided"], 0.0, 2.0),
        number(rounded_law(LAPLACE, "floor", 0.0, 3.0), 0.0, 1.0),
        stepped(showing(Path(recorded(lambda x, rng: rng.geometric(1 - math.exp(-0.5)) + rng.random())))[0]),
        number(LAWS["two-sided"], 1e7, 1.0),
    ):
        assert log_densities([one, other]) is None


@pytest.mark.parametrize(("step", "width"), [(1.0, 0.25), (-1.0, 2.5), (0.5, -0.75)])
def test_the_density_of_steps_is_that_of_the_sum(step, width):
    found = recorded(lambda x, rng: 3.0 + step * rng.geometric(0.4) + width * rng.random())
    (y,) = found.values
    masses = [stats.geom.pmf(k, 0.4) for k in range(60) if 0 < (y - 3.0 - step * k) / width < 1]
    assert log_density(found) == pytest.approx(math.log(sum(masses) / abs(width)), abs=1e-9)


def tulap(width, rate=1.0):
    p = 1 - math.exp(-rate)
    return lambda x, rng: x + rng.geometric(p) - rng.geometric(p) + width * (rng.random() - 0.5)


@pytest.mark.parametrize(("width", "move"), [(1.0, 1.0), (1.0, 0.5), (1.5, 1.0), (3.0, 2.0), (0.5, 1.0)])
def test_one_number_with_steps_has_its_largest_loss(width, move):
    """Beside a uniform number, against densities at many places."""
    found = decide(runner(tulap(width), (0.0, move), 9.0))
    law = two_sided_geometric(1.0)

    def density(y, mu):
        return sum(math.exp(law.log_density(k)) for k in range(-60, 61) if abs(y - mu - k) < width / 2)

    places = [y for y in np.arange(-8.0013, 8, 0.0101) if density(y, 0.0)]
    wanted = max(math.log(density(y, 0.0) / density(y, move)) for y in places)
    assert found.sides[0].bound == pytest.approx(wanted, abs=1e-9)
    for epsilon, verdict in ((wanted * 1.001, "explained"), (wanted * 0.999, "refuted")):
        assert decide(runner(tulap(width), (0.0, move), epsilon)).verdict == verdict


def test_a_uniform_number_that_is_too_narrow_leaves_gaps():
    assert decide(runner(tulap(0.5), (0.0, 0.5), 9.0)).verdict == "refuted"
