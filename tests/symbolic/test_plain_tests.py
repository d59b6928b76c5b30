"""Runs with nothing replaced against the law that was followed: what is told, and what is not.

A law is followed with one program; then another one, which draws in secret, stands in its place. Seeds are fixed. With
fresh ones a program that has its law would be told from it with probability at most 0.001.
"""

import copy
import functools
import time

import numpy as np
import pytest

from dpspectra.symbolic import plain_tests
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.plain_tests import OFTEN, RUNS, unlike
from dpspectra.symbolic.state import State
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import real, runner

PAIR = (0.0, 1.0)


@functools.cache
def audited(mechanism):
    """The runs of an audit of a program, which is explained."""
    it = runner(mechanism, PAIR, 3.0, 0.1)
    assert decide(it).verdict == "explained", it.found
    return it


def followed(mechanism):
    """What an audit leaves, as if it had ended just now."""
    it = copy.copy(audited(mechanism))
    it.found, it.rng, it.end = copy.deepcopy(it.found), real(1), time.perf_counter() + 60
    it.laws = {side: copy.copy(law) for side, law in it.laws.items()}
    return it


def replaced(mechanism, other):
    """Those, with another program from there on, and a risk for which the thresholds are known."""
    it = followed(mechanism)
    it.risk = 0.001
    it.mechanism = other
    return it


def told(it):
    """What is told, without the words that stand before all of it."""
    return None if (why := unlike(it)) is None else why.removeprefix("runs with nothing replaced do not have the law ")


def secret(chance, seed=5):
    """A coin of unfollowed noise."""
    tosses = iter((real(seed).random(3 * RUNS) < chance).tolist())
    return lambda: next(tosses)


def laplace(x, rng):
    return x + rng.laplace()


def uniform(x, rng):
    return x + 10 * rng.random()


def integer(x, rng):
    return int(x) + rng.geometric(0.5)


def total(x, rng):
    return x + rng.normal() + 2 * rng.normal()


def twice(x, rng):
    z = x + rng.laplace()
    return z, 2 * z


def six(x, rng):
    return [x / 6 + rng.laplace() for _ in range(6)]


def sign(x, rng):
    return bool(x + rng.laplace() > 0)


def sign_and_number(x, rng):
    return bool(x + rng.laplace() > 0), x + rng.laplace()


def number_at_times(x, rng):
    return x + rng.laplace() if x + rng.laplace() > 0 else 0.0


def with_a_plain_number(x, rng):
    return x + rng.laplace(), 0


RIGHT = [laplace, total, twice, six, sign, sign_and_number, number_at_times, with_a_plain_number]


@pytest.mark.parametrize("mechanism", RIGHT, ids=lambda m: m.__name__)
def test_a_right_law_passes(mechanism):
    """In the audit and once more: of these 16 comparisons one fails with probability at most 0.016."""
    assert unlike(followed(mechanism)) is None


def test_risk_is_that_of_the_audit():
    """At a risk of 0.5, of 20 right programs more than 17 would be told with probability under 0.001."""
    it = followed(laplace)
    it.risk = 0.5
    assert sum(unlike(it) is not None for _ in range(20)) <= 17


# ---------------------------------------------------------------- what has another law


UNIFORM, LAW = "a number does not look uniform", "a number has another law"
IMPOSSIBLE, OUTPUTS = "an output is impossible", "outputs are impossible"
OFTEN_SEEN = "an output of probability"


def scaled(mechanism, scale):
    return lambda x, rng: x + scale * (mechanism(x, rng) - x)


def rarely(mechanism, change):
    """What is changed in two runs of a hundred, by noise that nobody follows."""
    coin = secret(0.02)
    return lambda x, rng: change(mechanism(x, rng)) if coin() else mechanism(x, rng)


WRONG = {
    "scale 3": (laplace, scaled(laplace, 3.0), UNIFORM),
    "scale 1/3": (laplace, scaled(laplace, 1 / 3), UNIFORM),
    "opposite scale": (laplace, lambda x, rng: x - abs(rng.laplace()), UNIFORM),
    "a shift": (laplace, lambda x, rng: x + 0.5 + rng.laplace(), UNIFORM),
    "cut off": (laplace, lambda x, rng: x + np.clip(rng.laplace(), -0.5, 0.5), UNIFORM),
    "rarely far above": (laplace, rarely(laplace, lambda out: out + 40), UNIFORM),
    "rarely far below": (laplace, rarely(laplace, lambda out: out - 40), UNIFORM),
    "normal": (laplace, lambda x, rng: x + 0.2 * rng.normal(), UNIFORM),
    "no noise": (laplace, lambda x, rng: x, UNIFORM),
    "a sum of scale 3": (total, scaled(total, 3.0), LAW),
    "part of a sum": (total, lambda x, rng: x + rng.normal(), LAW),
    "numbers that do not agree": (twice, lambda x, rng: (x + rng.laplace(), 2 * x + 2 * rng.laplace()), IMPOSSIBLE),
    "rarely another number": (twice, rarely(twice, lambda out: (out[0], out[1] + 1)), IMPOSSIBLE),
    "a rare flip": (with_a_plain_number, rarely(with_a_plain_number, lambda out: (out[0], 1)), OUTPUTS),
    "another chance": (sign, lambda x, rng: bool(x + rng.laplace() > 1), OFTEN_SEEN),
    "always one sign": (sign, lambda x, rng: True, OFTEN_SEEN),
    "no sign": (sign, lambda x, rng: 3, OUTPUTS),
    "rarely no number": (laplace, rarely(laplace, lambda out: np.nan), IMPOSSIBLE),
    "rarely infinite": (laplace, rarely(laplace, lambda out: -np.inf), IMPOSSIBLE),
    "rarely a text": (laplace, rarely(laplace, lambda out: "none"), "outputs are impossible"),
    "no number behind a sign": (sign_and_number, rarely(sign_and_number, lambda out: (out[0], np.nan)), IMPOSSIBLE),
    "a number behind a sign": (sign_and_number, lambda x, rng: (sign(x, rng), x + 10 * rng.laplace()), LAW),
    "a number shifted behind a sign": (sign_and_number, lambda x, rng: (sign(x, rng), x + 1 + rng.laplace()), LAW),
}


@pytest.mark.parametrize("kind", WRONG)
def test_another_law_is_told(kind):
    mechanism, other, why = WRONG[kind]
    found = told(replaced(mechanism, other))
    assert found is not None
    assert f"that was followed: {why}" in found or f" of {RUNS} {why}" in found


def test_a_rare_flip_is_met_in_the_audit_itself(monkeypatch):
    """Probability .02 in each of 400 runs: not met with probability 0.0003. It is hidden from all that looks for it."""
    monkeypatch.setattr(State, "_other", lambda self, name, thing: iter(()))
    coin = secret(0.02, seed=7)
    found = decide(runner(lambda x, rng: (x + rng.laplace(), int(coin())), PAIR))
    assert found.verdict == "undecided"
    assert all("do not have the law that was followed" in s.reasons[-1] for s in found.sides)


@pytest.mark.parametrize("far", [uniform, integer])
def test_noise_with_ends_gives_nothing_beyond_them(far):
    """It is looked for on the first data set, in one of 400 runs."""
    it = runner(far, PAIR)
    decide(it)
    assert told(it) is None
    left = iter([True])
    it.mechanism = lambda x, rng: far(x, rng) - (40 if next(left, False) else 0)
    assert IMPOSSIBLE in (told(it) or "")


def test_integers_of_another_law_are_told():
    it = runner(integer, PAIR)
    decide(it)
    it.mechanism = lambda x, rng: int(x) + rng.geometric(0.2)
    assert UNIFORM in (told(it) or "")


# ---------------------------------------------------------------- both sides of each threshold


def first_of(mechanism, outputs):
    """These outputs on the first data set, and right ones on the second."""
    given = iter(outputs)
    return lambda x, rng: mechanism(x, rng) if x else next(given)


@pytest.mark.parametrize(("more", "why"), [(40, False), (-40, False), (48, True), (-48, True)])
def test_frequencies_may_differ_by_so_many_runs(more, why):
    """From a half: 4.35 standard deviations, each of 10 runs."""
    heads = RUNS // 2 + more
    found = told(replaced(sign, first_of(sign, [True] * heads + [False] * (RUNS - heads))))
    assert (found is not None) == why
    if found is not None:
        assert (
            f"an output of probability 0.5 is given in {heads} of {RUNS} runs" in found or f"{RUNS - heads} of" in found
        )


@pytest.mark.parametrize(("rest", "strange", "why"), [(0, 1, True), (0.02, 15, False), (0.02, 25, True)])
def test_so_many_outputs_may_lie_on_paths_that_were_not_walked(rest, strange, why):
    """With a probability of 0.02 left, 8 are expected."""
    it = replaced(sign, first_of(sign, [3] * strange + [True, False] * ((RUNS - strange + 1) // 2)))
    for law in it.laws.values():
        law.rest = rest
    found = told(it)
    assert (found is not None) == why
    if found is not None:
        assert f"{strange} of {RUNS} outputs are impossible" in found


@pytest.mark.parametrize(("often", "why"), [(OFTEN - 1, False), (OFTEN, True)])
@pytest.mark.parametrize("side", [0, 1])
def test_kinds_of_numbers_tell_from_so_many_runs_on(often, why, side):
    """Types of numbers of the same value, on either data set."""
    kinds = iter([np.float64] * often)

    def other(x, rng):
        return next(kinds, float)(x + rng.laplace()) if x == side else float(x + rng.laplace())

    found = unlike(replaced(laplace, other))
    assert (found is not None) == why
    if found is not None:
        assert "the kinds of numbers in the output" in found


def test_kinds_that_both_data_sets_show_do_not_tell():
    def other(x, rng):
        return (np.float64 if rng.random() < 0.1 + 0.8 * x else float)(x + rng.laplace())

    assert unlike(replaced(laplace, other)) is None


def test_kinds_do_not_matter_where_the_claim_is_refuted_anyway():
    it = replaced(laplace, lambda x, rng: (np.float64 if x else float)(x + rng.laplace()))
    assert unlike(it) is not None
    it.found.sides[0].refuted = "closed form"
    assert unlike(it) is None


# ---------------------------------------------------------------- what cannot be compared, and what is concluded


def test_too_few_runs_are_no_comparison():
    it = followed(laplace)
    it.end = time.perf_counter()
    assert unlike(it) == f"0 of the {RUNS} runs with nothing replaced were made in time; give more seconds"


@pytest.mark.parametrize("mechanism", [laplace, sign])
def test_without_a_law_nothing_passes(mechanism):
    it = followed(mechanism)
    it.one_path, it.laws = [None, None], {}
    assert told(it) == "that was followed: there is none"


def fails(x, rng):
    raise NotFollowed("no such form")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (lambda x, rng: x, "runs with nothing replaced do not have the law that was followed: "),
        (fails, "runs with nothing replaced cannot be compared with the law that was followed: no such form"),
    ],
)
@pytest.mark.parametrize("refuted", [None, "closed form"])
def test_what_was_said_of_both_data_sets_is_taken_back(other, why, refuted):
    it = replaced(laplace, other)
    it.found.sides[1].refuted = refuted
    plain_tests.tested(it)
    assert [(s.explained, s.refuted) for s in it.found.sides] == [(False, None)] * 2
    assert all(s.reasons[-1].startswith(why) for s in it.found.sides)


def test_what_has_its_law_stays():
    it = followed(laplace)
    plain_tests.tested(it)
    assert [(s.explained, s.reasons) for s in it.found.sides] == [(True, [])] * 2


@pytest.mark.parametrize(("explained", "refuted", "runs"), [(False, None, 0), (True, None, 2), (False, "so", 2)])
def test_runs_are_made_only_if_something_was_said(explained, refuted, runs):
    it = followed(laplace)
    before = it.found.plain_runs
    for s in it.found.sides:
        s.explained, s.refuted = explained, refuted
    plain_tests.tested(it)
    assert it.found.plain_runs - before == runs * RUNS


CLOSE = {"an atom": 0.0, "a narrow law": 1e-4}


@pytest.mark.parametrize("width", CLOSE.values(), ids=CLOSE)
def test_numbers_that_stand_too_close_together_are_told(width):
    """Three in a hundred outputs are the number itself, or nearly so: as numbers they are possible."""
    coin, other = secret(0.03), real(9)

    def mechanism(x, rng):
        return x + width * other.random() if coin() else x + rng.laplace()

    assert "numbers stand too close together" in told(replaced(laplace, mechanism))


@pytest.mark.parametrize("location", [0.0, 1e6, 1e12])
def test_numbers_that_are_rounded_by_their_size_do_not_stand_too_close_together(location):
    """Many numbers near 1e12 are alike, as they stand on a grid. One seed; others fail with probability .001."""
    it = runner(lambda x, rng: location + x + rng.laplace(), PAIR)
    decide(it)
    assert told(it) is None
