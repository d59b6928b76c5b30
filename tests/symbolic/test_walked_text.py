"""Laws of walked texts, beside closed forms and beside all ways that a slow enumeration of their draws finds."""

import math
import secrets
from collections import Counter
from fractions import Fraction

import pytest

import tests.support.drawn_by_loops as people
from dpspectra.symbolic.drawn_numbers import listed
from dpspectra.symbolic.laws_of_loops import found_law
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.text_worlds import PLAIN, Drawn, Ray, Refused, Thing, then
from dpspectra.symbolic.walked_text import Walker


def ways(function, **given):
    with followed_sources():
        shown = {name: v if type(v) in PLAIN else Thing(v) for name, v in given.items()}
        found = Walker().law(function, shown | ({"below": Thing(secrets.randbelow)} if _asks(function) else {}))
    return then(found, lambda w: listed(w, w.stack[0]) if type(w.stack[0]) is Drawn else [(1.0, w)])


def _asks(function):
    return "below" in function.__code__.co_varnames[: function.__code__.co_argcount]


def chances(found):
    """Probability of each value, rays listed; what is lost has none."""
    listed = Counter()
    for weight, world in found:
        if world is None:
            continue
        (value,) = world.stack
        if type(value) is not Ray:
            listed[value] += weight
            continue
        ratio = world.laws[value.draw].ratio
        for k in range(200):
            listed[value.start + k * value.step] += weight * (1 - ratio) * ratio**k
    return listed


@pytest.mark.parametrize("gamma", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(17, 5)])
def test_survival_has_the_probability_of_its_exponential_and_nothing_is_lost(gamma):
    found = ways(people.survives, gamma=gamma)
    assert all(world is not None for _, world in found)
    assert chances(found)[True] == pytest.approx(math.exp(-gamma), rel=1e-13)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(5, 2), Fraction(2, 3)])
def test_laplace_noise_by_fractions_is_exactly_geometric_on_both_sides(scale):
    found = found_law(ways(people.laplace, scale=scale))
    assert found is not None
    assert found.law is not None
    assert found.law.name == f"two-sided geometric {float(f'{float(1 / scale):.13g}')!r}"


def test_normal_noise_by_fractions_has_its_masses_and_loses_next_to_nothing():
    found = ways(people.gauss, variance=Fraction(3, 2))
    mass, total = chances(found), math.fsum(math.exp(-(k**2) / 3) for k in range(-40, 41))
    assert math.fsum(weight for weight, world in found if world is None) < 1e-27
    for k in range(-9, 10):
        assert mass[k] == pytest.approx(math.exp(-(k**2) / 3) / total, rel=1e-10)


# a slow reference: all draws of a few values each, enumerated to some depth


def enumerated(function, values, depth):
    """Law of a function that draws by ``below``, from all sequences of draws of so many values, up to a depth."""
    found: dict[object, Fraction] = {}
    left: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while left:
        given, chance = left.pop()
        asked = list(given)

        def below(n, asked=asked):
            if not asked:
                raise LookupError(n)
            return asked.pop(0)

        try:
            value = function(below)
            found[value] = found.get(value, Fraction(0)) + chance
        except LookupError as more:
            n = more.args[0]
            assert n <= values
            if len(given) < depth:
                left += [((*given, k), chance / n) for k in range(n)]
    return found


def redrawn(below):
    k = below(3)
    while k == 0:
        k = below(3)
    return k


def counted_pairs(below):
    n, same = 0, 0
    while below(2) == 1:
        n += 1
        if below(3) == 0:
            same += 2
    return 10 * n + same


def two_states(below):
    calm = True
    while True:
        if calm:
            calm = below(4) > 0
        elif below(3) == 0:
            return 1
        else:
            calm = below(2) == 0
        if calm and below(2) == 0:
            return 0


def folded_count(below):
    n = 0
    while below(2) == 1:
        n += 1
    return abs(2 - 3 * n) // 2 - n % 3


def begun_again(below):
    n = 0
    while below(4) > 0:
        n += 1
        if below(4) == 0:
            n = 7
    return n


def both_bounds(below):
    for k in range(3):
        v = below(4)
        if 0 < v <= k + 1:
            continue
        return k if below(2) else -k
    return None


@pytest.mark.parametrize(
    "function", [redrawn, counted_pairs, two_states, folded_count, begun_again, both_bounds], ids=lambda f: f.__name__
)
def test_the_law_of_a_text_is_that_of_all_its_draws(function):
    slow, quick = enumerated(function, 4, 11), chances(ways(function))
    left = 1 - sum(slow.values())
    assert left < 0.3
    for value, chance in slow.items():
        assert float(chance) - 1e-12 <= quick[value] <= float(chance + left) + 1e-12
    assert math.fsum(quick.values()) == pytest.approx(1.0, abs=1e-12)


# what is not known


def whether_a_counter_is_one(below):
    n = 0
    while below(2) == 1:
        n += 1
        if isinstance(n, str):
            return -1
    return n


def late(below):
    n = 1
    while below(2**n) == 0:
        n += 1
        if n > 40:
            return 7
    return n % 2


def fails_late(below):
    n = 1
    while below(2**n) == 0:
        n += 1
        1 // (40 - n)
    return n % 2


@pytest.mark.parametrize("function", [late, fails_late])
def test_what_comes_late_is_lost_if_it_may_be_something_else(function):
    assert any(world is None for _, world in ways(function))


def test_a_counter_may_be_asked_for_its_type():
    assert chances(ways(whether_a_counter_is_one))[3] == pytest.approx(1 / 16, abs=1e-12)


def endless(below):
    while below(2) < 2:
        pass
    return 0


def caught(below):
    try:
        return below(2)
    except ValueError:
        return 2


def written(below):
    people.SEEN.append(below(2))
    return len(people.SEEN)


NUMBER = 0


def shared(below):
    global NUMBER
    NUMBER = below(2)
    return NUMBER


def several(below):
    return max(below(2) for _ in range(3))


def guessed(below):
    return eval("below(2)")


@pytest.mark.parametrize("function", [endless, caught, written, shared, several, guessed], ids=lambda f: f.__name__)
def test_other_texts_are_refused(function):
    with pytest.raises(Refused):
        ways(function)


def test_a_text_that_takes_too_many_steps_is_refused():
    with pytest.raises(Refused, match="too many steps"):
        ways(people.gauss, variance=Fraction(10_000))
