"""The auditor, audited: broken mechanisms fall, sound ones at exactly their claims stand, and nothing crashes it.

Seeds are fixed, so runs repeat. With a fresh seed, each audit of a sound mechanism below would raise a false alarm with
probability at most 1 - confidence = 0.001, by the guarantee under test; far less often in fact.
"""

import functools
import json
import math
import time

import numpy as np
import pytest

from dpspectra.audit import GDP, AuditResult, audit
from dpspectra.fast.gaussian_profile import mu_for
from tests.support.audits import NUMBERS, SEEDS, refuted
from tests.support.helpers import laplace
from tests.support.helpers import normal as gaussian

# ---------------------------------------------------------------- sound and unsound noise


@pytest.mark.parametrize("seed", range(20))
def test_laplace_at_exactly_its_claim_stands(seed):
    result = audit(laplace(1.0), NUMBERS, 1.0, draws=8192, rng=seed)
    assert not result.violated
    assert result.stopped == "draws"
    assert 0.3 < result.epsilon_lower <= 1
    assert result.draws == 8192


@pytest.mark.parametrize("seed", SEEDS)
def test_laplace_of_half_the_scale_falls(seed):
    assert refuted(audit(laplace(0.5), NUMBERS, 1.0, draws=8192, rng=seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_gaussian_at_exact_calibration_stands_and_falls_with_half_the_deviation(seed):
    sigma = 1 / mu_for(1.0, 0.01)
    assert not audit(gaussian(sigma), NUMBERS, 1.0, 0.01, draws=16384, rng=seed).violated
    assert refuted(audit(gaussian(sigma / 2), NUMBERS, 1.0, 0.01, draws=16384, rng=seed))


def test_randomised_response_at_exactly_its_claim_stands():
    def response(x, *, size, rng):
        return np.where(rng.random(size) < math.e / (1 + math.e), x, 1 - x)

    assert not any(audit(response, NUMBERS, 1.0, draws=4096, rng=seed).violated for seed in range(20))
    assert refuted(audit(response, NUMBERS, 0.8, draws=32768))


def test_identical_laws_stand_even_at_zero():
    def same(x, *, size, rng):
        return rng.normal(1.0, 1.0, size)

    assert not any(audit(same, NUMBERS, 0.0, draws=4096, rng=seed).violated for seed in range(20))


def test_zero_claim_is_refuted():
    assert refuted(audit(gaussian(1.0), NUMBERS, 0.0))


def test_entrywise_noise_on_matrices_is_judged_by_spectral_statistics():
    def mechanism(m, *, size, rng):
        noise = rng.laplace(0, 0.25, (size, 2, 2))
        return m + np.triu(noise) + np.swapaxes(np.triu(noise, 1), 1, 2)

    pair = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    result = audit(mechanism, pair, 2.0)
    assert refuted(result)
    assert "data set" in result.witness


def test_complex_hermitian_outputs():
    def mechanism(m, *, size, rng):
        g = rng.normal(size=(size, 2, 2)) + 1j * rng.normal(size=(size, 2, 2))
        return m + (g + np.conj(np.swapaxes(g, 1, 2))) / 8

    m = np.array([[1, 1j], [-1j, 1]]) / 2
    assert refuted(audit(mechanism, (m, m.conj()), 1.0))


def test_frames_are_judged_by_their_projectors():
    def mechanism(x, *, size, rng):
        """Top eigenvector with a random sign: no coordinate tells the pair apart, the projector does."""
        a = x.T @ x + 0.1 * rng.normal(size=(size, 2, 2))
        top = np.linalg.eigh(a + np.swapaxes(a, 1, 2))[1][:, :, -1]
        return top * rng.choice([-1, 1], (size, 1))

    s = math.sqrt(0.5)
    assert refuted(audit(mechanism, (np.array([[s, s]]), np.array([[s, -s]])), 1.0))


def test_declared_log_ratio_finds_what_coordinates_do_not():
    """Each of 100 coordinates leaks little, and there are too many to be looked at one by one."""

    def mechanism(x, *, size, rng):
        return x["shift"] + rng.normal(size=(size, 100))

    weights = np.where(np.arange(100) % 2, 0.3, -0.3)
    pair = {"shift": 0 * weights}, {"shift": weights}
    assert not audit(mechanism, pair, 1.0, draws=4096).violated
    assert refuted(audit(mechanism, pair, 1.0, draws=4096, log_ratio=lambda y: float(y @ weights)))


# ---------------------------------------------------------------- the engine


def test_the_same_seed_gives_the_same_result():
    results = [audit(laplace(0.7), NUMBERS, 1.0, draws=2048, rng=rng) for rng in (3, 3, 4)]
    assert results[0] == results[1]
    assert results[0].counts != results[2].counts
    assert audit(laplace(0.7), NUMBERS, 1.0, draws=256, rng=np.random.default_rng(5)).draws == 256


def test_time_runs_out(clock):
    begun = []

    def slow(x):
        begun.append(clock.now)
        clock.now += 0.02
        return 0.0

    result = audit(slow, NUMBERS, 1.0, seconds=0.3)
    assert result.stopped == "time"
    assert not result.violated
    assert 0.32 < begun[-1] < 0.37, "no pair of calls is begun too late; the first call on each does not count"
    assert result.seconds == pytest.approx(clock.now) == pytest.approx(begun[-1] + 0.02)


def test_first_calls_that_compile_leave_the_time_to_the_others(clock):
    """The first call on each data set takes four fifths of the time: draws are those of a mechanism that is ready."""

    def compiled(slow):
        def mechanism(x, rng):
            clock.now += 0.4 if x in slow else 1e-4
            slow.discard(x)
            return rng.laplace(x, 0.5)

        return mechanism

    late, ready = (audit(compiled(slow), NUMBERS, 1.0, seconds=0.5, draws=2000, rng=3) for slow in ({0.0, 1.0}, set()))
    assert late.violated
    assert late == ready
    assert late.first_calls == pytest.approx(0.8)
    assert late.seconds == pytest.approx(ready.seconds + 0.8 - 2e-4, abs=1e-6)
    assert "0.8 of them for the first call on each" in late.summary()
    assert "first call" not in ready.summary()
    assert AuditResult.from_json(late.to_json()).first_calls == late.first_calls
    older = json.loads(late.to_json())
    del older["first_calls"]
    assert AuditResult.from_json(json.dumps(older)) == late


def test_a_first_call_that_outlasts_all_time_is_given_up():
    def forever(x):
        time.sleep(60)

    begun = time.perf_counter()
    result = audit(forever, NUMBERS, 1.0, seconds=0.2)
    assert result.draws == 0
    assert time.perf_counter() - begun < 10


def test_time_is_kept_where_draws_become_slow(clock):
    begun = []

    def slower(x):
        begun.append(clock.now)
        clock.now += 1e-5 if len(begun) < 600 else 0.01
        return 0.0

    assert audit(slower, NUMBERS, 1.0, seconds=0.5).stopped == "time"
    assert len(begun) > 600
    assert 0.48 < begun[-1] < 0.511


@pytest.mark.parametrize("draws", [2, 3, 300])
def test_no_more_draws_are_made_than_allowed(draws):
    calls = []
    result = audit(lambda x: calls.append(x) or 0.0, NUMBERS, 1.0, draws=draws)
    assert len(calls) == 2 * draws
    assert (result.draws, result.stopped) == (draws, "draws")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": -1.0}, "epsilon must be non-negative and finite, got -1.0"),
        ({"epsilon": math.nan}, "epsilon must be non-negative and finite, got nan"),
        ({"delta": 1.0}, r"delta must lie in \[0, 1\), got 1.0"),
        ({"delta": -0.1}, r"delta must lie in \[0, 1\), got -0.1"),
        ({"confidence": 1.0}, r"confidence must lie in \(0, 1\), got 1.0"),
        ({"confidence": 0}, r"confidence must lie in \(0, 1\), got 0"),
        ({"draws": 1}, "draws must be at least 2, got 1"),
        ({"draws": 1e5}, "draws must be an integer, got 100000.0"),
        ({"seconds": 0}, "seconds must be positive and finite, got 0"),
        ({"pair": (1.0,)}, "pair must hold two data sets, got "),
        ({"pair": 3}, "pair must hold two data sets, got "),
        ({"mechanism": 3}, "mechanism must be callable, got 3"),
        ({"mechanism": lambda x, k: x}, "mechanism must take the data set as its only other argument"),
        ({"snap": 0}, "snap must be between 1 and 52, got 0"),
        ({"snap": 2.5}, "snap must be an integer, got 2.5"),
        ({"log_ratio": 1}, "log_ratio must be callable or None, got 1"),
        ({"support": "no"}, "support must be callable or None, got 'no'"),
        ({"watch": 1}, "watch must be callable or None, got 1"),
        ({"classifier": "svm"}, "classifier must have the methods fit and predict_proba, got 'svm'"),
        ({"resume": "a.json"}, "resume must be an AuditResult or None, got 'a.json'"),
        ({"rng": "x"}, "rng must be a numpy Generator"),
        ({"statistics": {"size": 3}}, "size must be callable, got 3"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
        ({"epsilon": GDP(1.0), "delta": 0.1}, "delta must be part of the claim, got 1-GDP and delta = 0.1"),
        (
            {"epsilon": GDP(1.0), "resume": audit(laplace(1.0), NUMBERS, 1.0, draws=2)},
            "resume must be a result on the",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line_before_any_draw(change, message):
    def mechanism(x):
        pytest.fail("a draw was made")

    arguments = {"mechanism": mechanism, "pair": NUMBERS, "epsilon": 1.0} | change
    with pytest.raises(ValueError, match=message) as error:
        audit(**arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("stop", [300, 2500])
def test_an_audit_goes_on_from_what_was_saved(stop):
    whole = []
    saved = audit(laplace(1 / 1.2), NUMBERS, 1.0, draws=stop, rng=1, watch=whole.append)
    assert [r.stopped for r in whole[:-1]] == ["running"] * (len(whole) - 1)
    assert whole[-1].draws == saved.draws == stop
    resumed = audit(laplace(1 / 1.2), NUMBERS, 1.0, rng=2, resume=AuditResult.from_json(saved.to_json()))
    assert refuted(resumed)
    assert resumed.runs == 2
    assert resumed.draws > saved.draws
    assert resumed.history[: len(saved.history)] == saved.history
    assert resumed.evidence.epochs[: len(saved.evidence.epochs) - 1] == saved.evidence.epochs[:-1]
    assert audit(laplace(1.0), NUMBERS, 1.0, resume=resumed).draws == resumed.draws  # there is nothing left to show


def test_workers_change_nothing():
    alone, shared = (audit(laplace(1 / 1.3), NUMBERS, 1.0, rng=3, workers=workers) for workers in (None, 2))
    assert alone == shared
    one_by_one = functools.partial(np.random.Generator.laplace, scale=0.7)

    def mechanism(x, *, rng):
        return one_by_one(rng, x)

    assert audit(mechanism, NUMBERS, 1.0, rng=3) == audit(mechanism, NUMBERS, 1.0, rng=3, workers=2)


def test_an_audit_that_saw_nothing_is_undecided():
    def half_failing(x, *, size, rng):
        return np.where(rng.random(size) < 0.5, np.nan, rng.normal(size=size))

    assert audit(half_failing, (0, 1), 1.0, draws=300).verdict == "not refuted"
    assert audit(lambda x: math.nan, (0, 1), 1.0, draws=100).verdict == "undecided"
    constant = audit(lambda x: 0.0, (0, 1), 1.0, draws=300)
    assert (constant.verdict, constant.draws) == ("undecided", 300)
    assert "no draw was bet on" in constant.reason
    assert "no draws were made" in audit(lambda x: 0.0, (0, 1), 1.0, seconds=1e-9).undecided
    for same in (np.eye(2), 1.0, "a", [[1.0]]):
        with pytest.raises(ValueError, match="two different data sets"):
            audit(half_failing, (same, same), 1.0)
    assert audit(half_failing, (1, 1.0), 1.0, draws=300).verdict == "not refuted"


def test_the_rarest_output_that_would_have_shown():
    def same(x, *, size, rng):
        return rng.normal(size=size)

    few, many = (audit(same, (0, 1), 1.0, draws=draws, rng=0) for draws in (2, 1000))
    assert few.smallest_probability == 1.0
    assert many.smallest_probability == pytest.approx(math.log(1000) / 1000)


@pytest.mark.parametrize(
    "pair",
    [
        (2**31 + 1, 2**31 + 2),
        (5550000001, 5550000002),
        ("5550000001", "5550000002"),
        ([10**9 + 1], [10**9 + 2]),
        (1.7e9, 1.7e9 + 0.5),
        (10**15 + 1, 10**15 + 2),
        (2**60 + 1, 2**60 + 2),
        (1e12, 1e12 + 0.5),
        (1234567890.12, 1234567890.52),
        (10**400, 11 * 10**399),
    ],
    ids=str,
)
def test_the_data_themselves_are_seen_however_large_they_are(pair):
    found = audit(lambda x: x, pair, 1.0)
    assert (found.verdict, found.draws) == ("refuted", 128)


@pytest.mark.parametrize("offset", [1e3, 1.7e9, 1e12])
def test_noise_is_as_sound_and_as_short_around_a_large_number(offset):
    """At most one alarm in a thousand for noise that is long enough; noise that is short by half shows soon."""

    def noisy(x, *, size, rng, scale=1.0):
        return offset + x + rng.laplace(scale=scale, size=size)

    found = [audit(noisy, (0.0, 1.0), 1.0, draws=10_000, independent=True, rng=seed) for seed in range(3)]
    assert not any(result.violated for result in found)
    assert audit(functools.partial(noisy, scale=0.5), (0.0, 1.0), 1.0, draws=10_000, independent=True).violated
