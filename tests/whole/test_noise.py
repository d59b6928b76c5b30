"""Noise that cannot be short: every release is computed again, from its words or seed and the noise its claim needs.

No statistics. `tests.support.noise_table` has a row for every mechanism, relation, shape and arithmetic: certified
releases must be what balls find, to the last bit, ideal ones must be within a billionth of what follows from the
numbers of a generator with the same seed. A thousandth less of noise shows.
"""

import functools
import inspect
import itertools

import numpy as np
import pytest

from dpspectra.mechanisms import choice, covariance, power_plan
from dpspectra.mechanisms.catalogue import MECHANISMS
from tests.support.noise_table import DELTA, ROWS
from tests.support.releases import PRIVATE
from tests.support.standard_noise import Balls, Floats, Recorded, precision

ACCURACY = 1e-9
"""Distance of ideal numbers from those that are computed again, relative to the largest of a value."""
CASES = [pytest.param(row, certified, id=f"{row.title}, {'certified' if certified else 'ideal'}")
         for row in ROWS for certified in row.certified]  # fmt: skip


def parts(value):
    """The arrays of a value, which may be a number, a pair, or thin factors."""
    if hasattr(value, "toarray"):
        return value.left, value.right
    return tuple(map(np.asarray, value if isinstance(value, tuple) else (value,)))


@functools.cache
def released(row, certified):
    """What a mechanism releases, and the generator or the words that it drew from."""
    seed = row.seed(certified)
    rng = Recorded(seed.to_bytes(32, "big")) if certified else np.random.default_rng(seed)
    release = row.call(rng)
    assert release.claim.arithmetic == ("certified" if certified else "ideal")
    return release, rng


def expected(row, certified, short=None):
    """What it must release, or would with too little noise one time; and how often noise is scaled."""
    release, rng = released(row, certified)
    source = Balls(rng.given, short) if certified else Floats(row.seed(certified), short)
    with precision():
        value = row.value(source, release.details)
    assert short or source.is_at_the_end(rng), "more numbers were drawn"
    return parts(value), source.times


def agrees(found, wanted, certified):
    """Whether a value is that which was to be released."""
    if certified:
        return all(map(np.array_equal, found, wanted))
    return all(
        one.shape == other.shape and np.max(np.abs(one - other)) <= ACCURACY * np.max(np.abs(other))
        for one, other in zip(found, wanted, strict=True)
    )


@pytest.mark.parametrize(("row", "certified"), CASES)
def test_a_release_has_all_the_noise_that_its_claim_needs(row, certified):
    found, (wanted, _) = parts(released(row, certified)[0].value), expected(row, certified)
    assert agrees(found, wanted, certified), (found, wanted)


@pytest.mark.parametrize(("row", "certified"), CASES)
def test_a_thousandth_less_shows_in_every_row(row, certified):
    """Wherever noise is scaled, also in one of several stages or rounds alone."""
    found, (_, times) = parts(released(row, certified)[0].value), expected(row, certified)
    assert times
    for short in range(1, times + 1):
        try:
            wanted, _ = expected(row, certified, short)
        except AssertionError:  # other words were taken
            continue
        assert not agrees(found, wanted, certified), short


AXES = {
    "relation": lambda record: map(str, record.relations),
    "delta": lambda record: (0.0, DELTA) if "delta" in record.takes else (DELTA,),
    "shape": lambda _: covariance.SHAPES,
    "scale": lambda _: power_plan.SCALES,
    "low_rank": lambda _: (False, True),
    "center": lambda _: choice.CENTERS,
    "mechanism": lambda _: choice.MECHANISMS,
}
"""Arguments on which the noise hangs, and what they may be."""


def signature(record):
    return inspect.signature(record.function()).parameters


@pytest.mark.parametrize("record", PRIVATE.values(), ids=PRIVATE)
def test_every_mechanism_has_a_row_for_all_that_its_noise_hangs_on(record):
    """In both arithmetics, unless it has one only. What has no row is refused."""
    parameters = signature(record)
    axes = {name: list(values(record)) for name, values in AXES.items() if name in parameters}
    given = [(row, {name: row.options.get(name, parameters[name].default) for name in axes})
             for row in ROWS if row.name == record.name]  # fmt: skip
    for wanted in itertools.product(*axes.values()):
        options = dict(zip(axes, wanted, strict=True))
        found = {certified for row, its in given if its == options for certified in row.certified}
        if found != ({False, True} if "arithmetic" in parameters else {False}):
            row = next(row for row, _ in given)
            with pytest.raises(ValueError, match="must"):
                MECHANISMS[row.name].function()(row.data, **{**row.options, **options}, rng=0)


def test_mechanisms_without_a_row_say_that_they_are_not_private():
    assert {row.name for row in ROWS} == PRIVATE.keys()
    assert [name for name, record in MECHANISMS.items() if "epsilon" in signature(record)] == list(PRIVATE)
