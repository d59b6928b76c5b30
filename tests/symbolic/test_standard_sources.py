"""What the standard library draws has the density of its documentation; `math` leaves noise symbolic."""

import copy
import math
import random
import secrets

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import log_density, recorded, unseen

LAWS = {
    "random": ((), stats.uniform()),
    "uniform": ((1.0, 3.0), stats.uniform(1, 2)),
    "gauss": ((0.5, 2.0), stats.norm(0.5, 2)),
    "normalvariate": ((0.5, 2.0), stats.norm(0.5, 2)),
    "expovariate": ((2.0,), stats.expon(scale=0.5)),
    "gammavariate": ((1.5, 2.0), stats.gamma(1.5, scale=2)),
    "betavariate": ((1.5, 2.5), stats.beta(1.5, 2.5)),
    "lognormvariate": ((0.5, 2.0), stats.lognorm(2.0, scale=math.exp(0.5))),
    "paretovariate": ((1.5,), stats.pareto(1.5)),
    "weibullvariate": ((2.0, 1.5), stats.weibull_min(1.5, scale=2)),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("kind", ["module", "Random", "SystemRandom"])
def test_laws(name, kind):
    arguments, law = LAWS[name]

    def mechanism(data):
        owner = random if kind == "module" else getattr(random, kind)()
        return getattr(owner, name)(*arguments)

    found = recorded(mechanism)
    assert not found.hidden
    assert log_density(found) == pytest.approx(law.logpdf(found.values[0]), abs=1e-9)


POINTS = {
    "bits": (lambda: random.getrandbits(3), 8, range(8)),
    "a range": (lambda: random.randrange(2, 12, 2), 5, range(2, 12, 2)),
    "a range from 0": (lambda: random.randrange(7), 7, range(7)),
    "a range downwards": (lambda: random.randrange(9, 2, -2), 4, (9, 7, 5, 3)),
    "a range longer than a list": (lambda: random.randint(0, 2**64 - 1), 2**64, range(2**64)),
    "both ends": (lambda: random.randint(2, 4), 3, (2, 3, 4)),
    "a member": (lambda: random.choice("abc"), 3, "abc"),
    "members without replacement": (lambda: tuple(sorted(random.sample([1, 2, 3], 3))), 6, [(1, 2, 3)]),
    "below": (lambda: secrets.randbelow(6), 6, range(6)),
    "secret bits": (lambda: secrets.randbits(2), 4, range(4)),
    "a secret choice": (lambda: secrets.choice([7, 8]), 2, (7, 8)),
}


@pytest.mark.parametrize("name", POINTS)
def test_points_have_their_probability(name):
    call, count, outcomes = POINTS[name]
    seen = []
    found = recorded(lambda data: seen.append(call()))
    (event,) = found.hidden
    assert event.log_probability(event.outcome) == pytest.approx(-math.log(count), abs=1e-12)
    assert seen[0] in outcomes


def test_many_bits_have_no_list():
    """All of 200 bits are 0 at the top with probability below 1e-15."""
    seen = []
    found = recorded(lambda data: seen.append(random.getrandbits(200)))
    assert found.hidden[0].options is None
    assert 2**150 < seen[0] < 2**200


def test_choices_take_weights():
    found = recorded(lambda data: (random.choices("ab", [3, 1], k=2), random.choices("ab", cum_weights=[1, 4])))
    for event, weights in zip(found.hidden, ([0.75, 0.25], [0.75, 0.25], [0.25, 0.75]), strict=True):
        assert [event.log_probability(k) for k in range(2)] == pytest.approx(np.log(weights))


def test_lists_are_shuffled_in_place():
    seen = []

    def mechanism(data):
        x = list("abcd")
        random.shuffle(x)
        seen.append(x)

    assert len(recorded(mechanism).hidden) == 1
    assert sorted(seen[0]) == list("abcd")


REFUSED = {
    "an empty range": (lambda: random.randrange(3, 3), "ValueError"),
    "an empty sequence": (lambda: random.choice([]), "IndexError"),
    "a sample that is too large": (lambda: random.sample([1], 2), "ValueError"),
    "a negative sample": (lambda: random.sample([1], -1), "ValueError"),
    "an empty range with one end": (lambda: random.randrange(0), "ValueError"),
    "an empty range between": (lambda: random.randint(3, 1), "ValueError"),
    "a shape of 0": (lambda: random.gammavariate(0.0, 1.0), "ValueError"),
    "a scale of 0": (lambda: random.gammavariate(1.0, 0.0), "ValueError"),
    "shapes of 0": (lambda: random.betavariate(0.0, 0.0), "ValueError"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_library_refuses_is_refused(name):
    call, kind = REFUSED[name]
    with pytest.raises((ValueError, IndexError)) as problem:
        call()
    leaves = recorded(lambda data: call()).leaves
    assert leaves["output.kind"] == ("str", kind)
    assert leaves["output.text"] == ("str", str(problem.value))


FUNCTIONS = {
    "exp": lambda z: math.exp(z),
    "log": lambda z: math.log(z),
    "log2": lambda z: math.log2(z),
    "log10": lambda z: math.log10(z),
    "sqrt": lambda z: math.sqrt(z),
    "log1p": lambda z: math.log1p(z),
    "expm1": lambda z: math.expm1(z),
    "atan": lambda z: math.atan(z),
    "fsum": lambda z: math.fsum([z, 1.0]),
    "a base": lambda z: math.log(z, 3.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_noise_stay_symbolic_and_exact(name):
    found = recorded(lambda data, rng: FUNCTIONS[name](0.5 + rng.exponential()))
    assert not found.hidden
    root = float(found.tape.blocks[0].values[0])
    assert found.values[0] == pytest.approx(FUNCTIONS[name](0.5 + root), rel=1e-12)


def test_plain_numbers_are_left_to_the_library():
    def mechanism(data, rng):
        rng.normal()
        return math.log(8, 2), math.fsum([0.1] * 10), math.isnan(math.nan), math.atan(1.0), math.exp(1.0), math.fabs(-2)

    leaves = recorded(mechanism).leaves
    values = [math.log(8, 2), 1.0, True, math.atan(1), math.e, 2.0]
    assert [leaves[f"output[{k}]"][1] for k in range(6)] == [
        v if v is True else np.float64(v).tobytes() for v in values
    ]


def test_absolute_values_and_tests_of_noise():
    found = recorded(lambda data, rng: (math.fabs(rng.normal()), math.isnan(rng.normal()), math.isinf(rng.normal())))
    assert [e.kind for e in found.hidden] == ["bits"]
    assert found.values[0] > 0
    assert [found.leaves[f"output[{k}]"] for k in (1, 2)] == [("bool", False)] * 2


def test_bits_of_the_system_end_a_run():
    import os

    with pytest.raises(NotFollowed, match=r"os\.urandom at test_standard_sources"):
        recorded(lambda data: os.urandom(4))


@pytest.mark.parametrize(
    "call",
    [
        lambda: random.paretovariate(-1.0),
        lambda: random.weibullvariate(1.0, -1.0),
        lambda: secrets.randbelow(0),
    ],
)
def test_what_the_library_takes_or_refuses_in_its_own_words_ends_the_run(call):
    with pytest.raises(NotFollowed, match="has no law"):
        recorded(lambda data: call())


ARGUMENTS = {
    "betavariate": (1.0, 2.0),
    "binomialvariate": (3, 0.5),
    "choice": ([1, 2],),
    "choices": ([1, 2],),
    "expovariate": (1.0,),
    "gammavariate": (1.0, 2.0),
    "gauss": (0.0, 1.0),
    "getrandbits": (8,),
    "lognormvariate": (0.0, 1.0),
    "normalvariate": (0.0, 1.0),
    "paretovariate": (2.0,),
    "randbytes": (4,),
    "randint": (1, 6),
    "randrange": (6,),
    "sample": ([1, 2, 3], 2),
    "shuffle": ([1, 2, 3],),
    "triangular": (),
    "uniform": (0.0, 1.0),
    "vonmisesvariate": (0.0, 1.0),
    "weibullvariate": (1.0, 2.0),
    "random": (),
}
STATE = {"seed", "getstate", "setstate", "VERSION"}


@pytest.mark.parametrize("name", sorted({n for n in dir(random.Random) if not n.startswith("_")} - STATE))
@pytest.mark.parametrize("source", ["Random", "SystemRandom", "module"])
def test_every_method_is_followed_or_ends_the_run(source, name):
    def mechanism(data):
        made = random if source == "module" else getattr(random, source)()
        for _ in range(3):
            getattr(made, name)(*copy.deepcopy(ARGUMENTS[name]))

    assert unseen(mechanism, (name,)) is None


@pytest.mark.parametrize("name", sorted(n for n in vars(secrets) if not n.startswith("_") and n in secrets.__all__))
def test_every_function_of_secrets_is_followed_or_ends_the_run(name):
    arguments = {"choice": ([1, 2],), "randbelow": (5,), "randbits": (3,), "compare_digest": (b"a", b"b")}.get(name, ())

    def mechanism(data):
        return [getattr(secrets, name)(*arguments) for _ in range(3)] if name != "SystemRandom" else None

    if name in ("SystemRandom", "compare_digest"):
        return
    assert unseen(mechanism, (name,)) is None
