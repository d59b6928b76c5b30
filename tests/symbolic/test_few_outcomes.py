"""Draws with few outcomes have the probabilities that scipy gives them, and their exact deltas."""

import math
import random
import secrets

import numpy as np
import pytest
from scipy import stats

from dpspectra.audit import inside
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import recorded

VALUES = [0, 1, 2, 5], [0.1, 0.2, 0.3, 0.4]
NUMBERS = {
    "hypergeometric": (lambda rng: rng.hypergeometric(5, 4, 3), lambda k: stats.hypergeom(9, 5, 3).pmf(k), 4),
    "from the middle": (lambda rng: rng.hypergeometric(5, 2, 4), lambda k: stats.hypergeom(7, 5, 4).pmf(k), 3),
    "multinomial": (
        lambda rng: rng.multinomial(2, [0.5, 0.2, 0.3]),
        lambda k: stats.multinomial(2, [0.5, 0.2, 0.3]).pmf(k),
        6,
    ),
    "rv_discrete": (
        lambda rng: stats.rv_discrete(values=VALUES).rvs(),
        lambda k: VALUES[1][VALUES[0].index(k)],
        4,
    ),
    "bytes": (lambda rng: rng.bytes(1)[0], lambda k: 1 / 256, 256),
    "randbytes": (lambda rng: random.randbytes(1)[0], lambda k: 1 / 256, 256),
    "token_bytes": (lambda rng: secrets.token_bytes(nbytes=1)[0], lambda k: 1 / 256, 256),
    "token_hex": (lambda rng: int(secrets.token_hex(1), 16), lambda k: 1 / 256, 256),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_points_have_their_probability(name):
    call, probability, options = NUMBERS[name]
    for _ in range(5):
        seen = []
        (event,) = recorded(lambda data, rng: seen.append(call(rng))).hidden  # noqa: B023
        assert event.options == options
        assert math.exp(event.log_probability(event.outcome)) == pytest.approx(probability(seen[0]), abs=1e-12)
        total = math.fsum(math.exp(event.log_probability(k)) for k in range(options))
        assert total == pytest.approx(1, abs=1e-12)
        assert event.log_probability(options) == -math.inf


@pytest.mark.parametrize("name", ["hypergeometric", "multinomial", "rv_discrete", "bytes"])
def test_kinds_are_those_of_the_library(name):
    call = NUMBERS[name][0]
    found = []
    recorded(lambda data, rng: found.append(call(rng)))
    real = call(np.random.default_rng(0))
    assert type(found[0]) is type(real)
    assert np.asarray(found[0]).dtype == np.asarray(real).dtype


def test_masses_that_do_not_sum_to_one_go_to_the_first_value():
    """As in scipy, which looks for the first value whose sum is beyond a uniform number."""
    law = stats.rv_discrete(values=([3, 4], [0.5, 0.499995]))
    (event,) = recorded(lambda data: law.rvs()).hidden
    assert math.exp(event.log_probability(0)) == pytest.approx(0.500005, abs=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda rng: rng.hypergeometric(5000, 5000, 5000),
        lambda rng: rng.hypergeometric(10**8, 3, 10**7),
        lambda rng: rng.multinomial(10, [0.1] * 10),
        lambda rng: rng.bytes(2),
        lambda rng: secrets.token_bytes(),
        lambda rng: secrets.token_hex(2),
        lambda rng: random.randbytes(2),
    ],
)
def test_more_outcomes_end_the_run_with_name_and_line(call):
    with pytest.raises(NotFollowed, match=r"\w+ at test_few_outcomes\.py:\d+ .*is a source of randomness"):
        recorded(lambda data, rng: call(rng))


MOVED = {
    "hypergeometric": (lambda x, rng: x + rng.hypergeometric(5, 4, 3), stats.hypergeom(9, 5, 3).pmf(range(4))),
    "multinomial": (lambda x, rng: x + rng.multinomial(6, [0.3, 0.7])[0], stats.binom(6, 0.3).pmf(range(7))),
    "rv_discrete": (
        lambda x, rng: x + stats.rv_discrete(values=([0, 1, 2], [0.2, 0.3, 0.5])).rvs(),
        np.array([0.2, 0.3, 0.5]),
    ),
}


@pytest.mark.parametrize("name", MOVED)
@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_deltas_of_moved_numbers(name, epsilon):
    """Against the sum of positive parts of differences of both laws, in both orders."""
    mechanism, masses = MOVED[name]
    p, q = np.append(masses, 0), np.append(0, masses)
    delta = max(np.sum(np.maximum(a - math.exp(epsilon) * b, 0)) for a, b in ((p, q), (q, p)))
    assert inside(mechanism, (0, 1), epsilon, delta * 1.00001).verdict == "explained"
    assert inside(mechanism, (0, 1), epsilon, delta * 0.999).verdict == "refuted"


def _reused(x, rng):
    byte = rng.bytes(1)[0]
    return byte ^ x, byte


DISHONEST = {
    "numbers of the data": lambda x, rng: rng.hypergeometric(5, 4 + x, 3),
    "a range of the data": lambda x, rng: rng.hypergeometric(5, 4, 3 + x),
    "probabilities of the data": lambda x, rng: rng.multinomial(2, [0.3 + 0.4 * x, 0.7 - 0.4 * x])[0],
    "trials of the data": lambda x, rng: rng.multinomial(2 + x, [0.5, 0.5]),
    "values of the data": lambda x, rng: stats.rv_discrete(values=([0, 1 + x], [0.5, 0.5])).rvs(),
    "a byte leaked beside": _reused,
    "no byte": lambda x, rng: x + len(rng.bytes(0)),
    "a byte too large": lambda x, rng: x + rng.bytes(1)[0],
    "bytes of the data": lambda x, rng: len(rng.bytes(x)),
    "a law with a method of its own": lambda x, rng: x + _own().rvs(),
    "a law with a seed": lambda x, rng: (x + stats.rv_discrete(values=VALUES).rvs(random_state=1)) % 2,
}


def _own():
    law = stats.rv_discrete(values=([0, 1], [0.5, 0.5]))
    law._rvs = lambda size=None, random_state=None: np.zeros(size or (), dtype=int)
    return law


@pytest.mark.parametrize("name", DISHONEST)
def test_dishonest_mechanisms_are_not_explained(name):
    assert inside(DISHONEST[name], (0, 1), 0.3).verdict != "explained"
