"""Mechanisms that meet exactly what they claim are hardly ever refuted; seeds are fixed, so runs repeat.

Audits are made at confidence 0.9. If the auditor keeps its word, the number of alarms is at most binomial with
probability 0.1 an audit, so that with fresh seeds each test of sound mechanisms fails with probability at most `ALARM`.
"""

import functools

import numpy as np
import pytest
from scipy.stats import binom

from dpspectra.audit import audit
from tests.support.helpers import ALARM
from tests.support.sound import DEPENDENT, NUMBERS, SOUND

CONFIDENCE = 0.9
AUDITS, DRAWS = 15, 512
MORE = 45
"""Audits where rows depend on each other, which an auditor gets wrong most easily."""


def allowed(audits):
    """Alarms that are exceeded with probability at most `ALARM` if each audit raises one with probability 0.1."""
    return int(binom.isf(ALARM, audits, 1 - CONFIDENCE))


def results(sound, audits=AUDITS, **options):
    settings = {"confidence": CONFIDENCE, "draws": DRAWS, "seconds": 600.0} | sound.options | options
    return [audit(sound.mechanism, sound.pair, sound.claim, rng=seed, **settings) for seed in range(audits)]


def audits(name):
    return MORE if name in DEPENDENT else AUDITS


@functools.cache
def alarms(name):
    return sum(result.violated for result in results(SOUND[name], audits(name)))


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_is_hardly_ever_refuted(name):
    assert alarms(name) <= allowed(audits(name))


def test_neither_are_all_of_them_together():
    """10 per cent of all audits may raise an alarm, and 18 with room for chance; about 1 per cent do."""
    assert sum(map(alarms, SOUND)) <= allowed(sum(map(audits, SOUND)))


@pytest.mark.parametrize("name", DEPENDENT)
def test_rows_that_are_wrongly_declared_independent_raise_false_alarms(name):
    """A known limit: the test of dependence cannot save who declares what is false.

    Of 40 audits each, 37, 32 and 24 refuted these sound mechanisms, most of them within three calls, 36, 32 and 23
    even at confidence 0.999. The test of dependence takes dozens of calls, as one call says nothing of dependence.
    """
    assert sum(result.violated for result in results(DEPENDENT[name], independent=True)) > AUDITS / 4
    assert {result.rows for result in results(DEPENDENT[name], 2)} == {"averaged within calls"}


@pytest.mark.parametrize(("correlation", "draws"), [(0.9, 2**14), (0.3, 2**17)])
def test_a_false_declaration_is_revoked_where_the_claim_is_lax_enough_to_stand_that_long(correlation, draws):
    def rows(x, *, size, rng):
        return np.sqrt(correlation) * rng.normal() + np.sqrt(1 - correlation) * rng.normal(size=size)

    settings = {"confidence": CONFIDENCE, "draws": draws, "seconds": 600.0, "independent": True}
    found = [audit(rows, NUMBERS, 3.0, rng=seed, **settings) for seed in range(2)]
    assert not any(result.violated for result in found)
    assert {result.rows for result in found} == {"averaged within calls"}


def numbers(x, *, rng):
    """The data set plays no part in 200 independent numbers, each of which is a column of its own."""
    return tuple(rng.normal(size=(4, 50)))


@pytest.mark.parametrize("sound", ["Laplace noise", "Gaussian noise, .5-zCDP"])
def test_bounds_that_are_asked_for_hardly_ever_exceed_what_is_lost(sound):
    found = results(SOUND[sound], estimate=True)
    assert sum(result.bound > result.claim.value for result in found) <= allowed(AUDITS)


def test_many_events_do_not_help_to_refute_what_is_sound():
    found = [audit(numbers, NUMBERS, 0.0, rng=seed, draws=400, confidence=CONFIDENCE) for seed in range(AUDITS)]
    assert sum(result.violated for result in found) <= allowed(AUDITS)
