"""Noise that functions draw in loops without end, and twins that leak, audited from inside."""

import math
import random
from fractions import Fraction
from types import FunctionType
from typing import cast

import pytest
from scipy import stats

import tests.support.drawn_by_loops as people
from dpspectra.audit import ApproxDP, inside
from dpspectra.symbolic import called_loops

LAPLACE = [
    people.of_system,
    people.of_a_new_system,
    people.of_secrets,
    people.of_a_module,
    people.of_a_generator,
]


@pytest.mark.parametrize("mechanism", LAPLACE)
def test_discrete_laplace_noise_is_followed_from_any_source(mechanism):
    found = inside(mechanism, (0, 1), 1.0)
    assert (found.verdict, found.how) == ("explained", "closed form")
    assert found.bound == pytest.approx(1.0, abs=1e-12)
    assert inside(mechanism, (0, 1), 0.99).verdict == "refuted"


def test_a_list_of_noisy_numbers_adds_up_its_losses():
    found = inside(people.of_a_list, ([1, 2], [3, 1]), 2.0)
    assert found.verdict == "explained"
    assert found.bound == pytest.approx(2.0, abs=1e-12)


def test_a_number_that_is_returned_within_the_loop_has_its_law():
    found = inside(people.by_floats, (3, 5), 1.0)
    assert found.verdict == "explained"
    assert found.bound == pytest.approx(1.0, abs=1e-12)
    assert inside(people.by_floats, (3, 5), 0.99).verdict == "refuted"


def delta(scale, epsilon):
    """Delta of the discrete normal law moved by 1, by its masses."""
    masses = [math.exp(-(k**2) / (2 * scale**2)) for k in range(-200, 201)]
    p = [m / math.fsum(masses) for m in masses]
    return math.fsum(max(a - math.exp(epsilon) * b, 0.0) for a, b in zip(p, [0.0, *p], strict=False))


@pytest.mark.parametrize("scale", [0.8, 2.3])
def test_discrete_normal_noise_of_an_object_has_its_exact_delta(scale):
    exact, noisy = delta(scale, 0.5), people.Gauss(scale).noisy
    assert inside(noisy, (4, 5), ApproxDP(0.5, exact * (1 + 1e-5)), seconds=300).verdict == "explained"
    assert inside(noisy, (4, 5), ApproxDP(0.5, exact * (1 - 1e-5)), seconds=300).verdict == "refuted"


def by_fractions(x, rng):
    return x + people.gauss(Fraction(3, 2), rng.integers)


def test_discrete_normal_noise_by_fractions_has_its_exact_delta():
    exact = delta(math.sqrt(1.5), 1.0)
    assert inside(by_fractions, (0, 1), ApproxDP(1.0, exact * (1 + 1e-5)), seconds=300).verdict == "explained"
    assert inside(by_fractions, (0, 1), ApproxDP(1.0, exact * (1 - 1e-5)), seconds=300).verdict == "refuted"


def test_what_is_left_out_of_a_law_never_explains_a_claim_without_delta():
    assert inside(people.Gauss(0.8).noisy, (4, 5), 100.0, seconds=300).verdict == "undecided"


@pytest.mark.parametrize("leaks", people.LEAKS)
def test_what_leaks_is_never_explained(leaks):
    found = inside(leaks, (0, 1), 1.0)
    assert found.verdict != "explained"
    people.SEEN.clear()


@pytest.mark.parametrize(
    ("leaks", "verdict"),
    [
        (people.scale_of_data, "refuted"),
        (people.rounds_of_data, "refuted"),
        (people.half_of_the_noise, "refuted"),
        (people.accepted_by_data, "refuted"),
        (people.told_late, "undecided"),
        (people.breaks_late, "undecided"),
    ],
)
def test_what_leaks_is_refuted_unless_that_is_too_rare(leaks, verdict):
    assert inside(leaks, (0, 1), 1.0).verdict == verdict


def test_a_law_that_leaves_something_out_explains_claims_with_a_delta_alone():
    """That nothing above 0 is given has probability .6893 and .0578, so delta is .5322."""
    assert inside(people.accepted_by_data, (0, 1), ApproxDP(1.0, 0.5)).verdict == "refuted"
    assert inside(people.told_late, (0, 1), ApproxDP(1.0, 2e-15)).verdict == "explained"
    assert inside(people.told_late, (0, 1), ApproxDP(1.0, 5e-16)).verdict == "undecided"


def seeded(x):
    return x + people.laplace(1, random.Random(5).randrange)


def counted_up(x):
    total = 0
    while total < x:
        total += 2
    return total


def test_a_loop_that_draws_nothing_is_no_decision():
    """Nor is what follows it summed over, so that the line of the noise is told."""
    found = inside(lambda x, rng: counted_up(5) + x + rng.laplace(), (0.0, 1.0), 1.0)
    assert found.verdict == "explained"
    assert [call.loss for call in found.calls] == [pytest.approx(1.0)]


def test_a_seed_is_no_noise():
    assert inside(seeded, (0, 1), 1.0).verdict != "explained"


def test_a_function_has_its_own_code_again_afterwards():
    before = people.laplace.__code__
    inside(people.of_system, (0, 1), 1.0)
    assert people.laplace.__code__ is before


def test_all_ways_of_naming_arguments_are_lent():
    def draw(a, /, b, *, c=3):
        while a < c:
            a += b
        return a

    code = draw.__code__
    with called_loops.stand_ins({code: cast(FunctionType, draw)}):
        assert draw.__code__ is not code
        assert draw.__code__.co_varnames[:3] == ("a", "b", "c")
        assert (draw(1, b=2), draw(1, 1, c=7)) == (3, 7)
    assert draw.__code__ is code


def many(x):
    return x + people.laplace(2, random.randrange)


def test_plain_runs_have_the_law_that_was_followed():
    """400 runs beside the closed form; a chi-square test on the middle, which errs with probability 1e-4."""
    random.seed(3)
    drawn = [many(0) for _ in range(400)]
    kept = [(k, math.tanh(0.25) * math.exp(-abs(k) / 2)) for k in range(-3, 4)]
    seen = [drawn.count(k) for k, _ in kept]
    rest = 1 - math.fsum(p for _, p in kept)
    test = stats.chisquare([*seen, 400 - sum(seen)], [*(400 * p for _, p in kept), 400 * rest])
    assert test.pvalue > 1e-4
    assert inside(many, (0, 1), 0.5).verdict == "explained"
