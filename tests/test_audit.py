"""The auditor, audited: broken mechanisms fall, sound ones at exactly their claims stand, and nothing crashes it.

Seeds are fixed, so runs repeat. With a fresh seed, each audit of a sound mechanism below would raise a false alarm with
probability at most 1 - confidence = 0.001, by the guarantee under test; far less often in fact.
"""

import dataclasses
import functools
import importlib
import inspect
import json
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import dpspectra.audit as auditing
from dpspectra.audit import (
    GDP,
    ApproxDP,
    AuditResult,
    BrokenMechanismWarning,
    Profile,
    PureDP,
    Renyi,
    audit,
    specimens,
)
from dpspectra.audit.certificates import certify_not_psd, check_certificate, impossible_output
from dpspectra.audit.claims import claim_from
from dpspectra.audit.draws import Sampler
from dpspectra.audit.engine import contest
from dpspectra.audit.observe import Source
from dpspectra.audit.options import Options
from dpspectra.audit.wealth import Evidence
from dpspectra.fast import betting, binomial
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.gaussian import profile as gaussian_profile
from tests.helpers import bet, laplace
from tests.helpers import normal as gaussian

SEEDS = range(5)
NUMBERS = (0.0, 1.0)
ROWS = (np.zeros((1, 2)), np.array([[1.0, 0.0]]))
wishart = functools.partial(specimens.wishart_one_sided, epsilon=1.0)


def refuted(result):
    assert result.violated
    assert result.stopped == "refuted"
    assert result.bound > result.claim.value
    assert result.history[-1] == (result.draws, result.log_e_value)
    return True


# ---------------------------------------------------------------- the Wishart specimens


def test_wishart_is_refuted_by_one_impossible_output_and_the_certificate_proves_it():
    made = []

    def counted(x, *, size, rng):
        made.append(size)
        return wishart(x, size=size, rng=rng)

    result = audit(counted, ROWS, 1.0, support=specimens.wishart_support)
    assert refuted(result)
    assert result.epsilon_lower == math.inf
    assert result.draws <= 128
    assert sum(made) <= 256
    assert "cannot occur on the second" in result.witness
    assert check_certificate(json.loads(result.to_json())["certificate"])


@pytest.mark.parametrize("seed", SEEDS)
def test_wishart_is_refuted_by_its_outputs_alone(seed):
    result = audit(wishart, ROWS, 1.0, draws=8192, rng=seed)
    assert refuted(result)
    assert result.epsilon_lower > 1
    assert "smallest eigenvalue of the output minus the second Gram matrix" in result.witness


def test_no_claim_saves_a_mechanism_that_makes_impossible_outputs():
    assert refuted(audit(wishart, ROWS, 50.0, support=specimens.wishart_support))


def test_wishart_is_refuted_up_to_its_exact_delta():
    """At ``epsilon`` 1 the exact ``delta`` is 0.2835, whatever ``e``; at 0.3 there is nothing to find."""
    assert refuted(audit(wishart, ROWS, 4.0, 0.2, support=specimens.wishart_support))
    assert not audit(wishart, ROWS, 4.0, 0.3, support=specimens.wishart_support, draws=4096).violated


def test_library_wishart_is_refuted_and_loses_what_its_closed_form_says():
    library = functools.partial(specimens.wishart_deviation_for_variance, epsilon=1.0)
    assert refuted(audit(library, ROWS, 1.0, draws=8192))
    support = functools.partial(specimens.wishart_support, divided=False)
    assert check_certificate(audit(library, ROWS, 1.0, support=support).certificate)
    outputs = library(ROWS[0], size=4000, rng=0)
    outside = np.mean([support(k, ROWS[1]) is not None for k in outputs])
    assert abs(outside - (1 - math.exp(-2))) < 5 * math.sqrt(0.12 / 4000)  # false alarm below 1e-6


def test_importing_the_specimens_warns():
    with pytest.warns(BrokenMechanismWarning, match="JXZ-T4"):
        importlib.reload(specimens)
    assert auditing.specimens is sys.modules["dpspectra.audit.specimens"]
    code = "import sys, dpspectra.audit; sys.exit('dpspectra.audit.specimens' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError):
        auditing.nothing  # noqa: B018


def test_specimen_shapes():
    assert wishart(ROWS[0], rng=0).shape == (2, 2)
    assert wishart(ROWS[0], size=3, rng=0).shape == (3, 2, 2)
    with pytest.raises(ValueError, match="norm at most 1"):
        wishart([[2.0, 0.0]])


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


def test_low_bits_count_only_without_the_snap():
    def leaky(x, *, size, rng):
        """A sound value whose last bit tells the data set."""
        bits = rng.normal(size=size).view(np.int64)
        return ((bits & ~1) | int(x)).view(np.float64)

    def last_bit(y):
        return float(np.float64(y).view(np.int64) & 1)

    assert not audit(leaky, (0, 1), 1.0, draws=2048, log_ratio=last_bit).violated
    assert refuted(audit(leaky, (0, 1), 1.0, draws=2048, log_ratio=last_bit, snap=None))


def bit(secret, size, rng):
    """A bit that is 1 with probability 0.9 on one data set and 0.1 on the other."""
    return rng.random(size) < (0.9 if secret else 0.1)


HIDDEN = {
    "last bit": lambda b, rng: ((rng.normal(size=len(b)).view(np.int64) & ~1) | b).view(np.float64),
    "sign of zero": lambda b, rng: np.where(b, -0.0, 0.0),
    "sign of NaN": lambda b, rng: np.where(b, -math.nan, math.nan),
    "payload of NaN": lambda b, rng: (np.full(len(b), math.nan).view(np.int64) | b).view(np.float64),
    "digits whatever the size": lambda b, rng: (
        (2**52 + 4 * rng.integers(2**49, size=len(b)) + 2 + b) * np.exp2(rng.integers(-400, 400, len(b)))
    ),
    "asymmetry of a matrix": lambda b, rng: 1.0 + np.multiply.outer(2e-12 * b * rng.random(len(b)), [[0, 1], [0, 0]]),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_with_all_bits_a_secret_is_seen_wherever_it_hides(place):
    """Rounded numbers do not show it: at most one alarm in a thousand."""

    def mechanism(x, *, size, rng):
        return HIDDEN[place](bit(x, size, rng).astype(int), rng)

    assert refuted(audit(mechanism, (0, 1), 1.0, draws=2048, bits=True))
    assert not audit(mechanism, (0, 1), 1.0, draws=2048).violated


# ---------------------------------------------------------------- support


def test_uniform_noise_is_refuted_by_its_support():
    def uniform(x, *, size, rng):
        return rng.uniform(x, x + 1, size)

    def outside(output, x):
        return not x <= output <= x + 1

    result = audit(uniform, (0.0, 0.1), 5.0, support=outside)
    assert refuted(result)
    assert result.certificate is None
    assert refuted(audit(uniform, (0.0, 0.1), 5.0, 0.05, support=outside))
    assert not audit(uniform, (0.0, 0.1), 0.0, 0.1, support=outside, draws=4096).violated


def test_a_support_that_denies_what_happens_is_refused():
    with pytest.raises(ValueError, match="support must allow"):
        audit(laplace(1.0), NUMBERS, 1.0, support=lambda output, x: True)


def test_a_false_certificate_is_refused():
    def support(output, x):
        return {"kind": "not_psd"} if x == 1.0 and output < 0 else None

    with pytest.raises(ValueError, match="check_certificate rejects"):
        audit(lambda x, *, size, rng: x + rng.random(size), (-0.5, 1.0), 1.0, support=support)


# ---------------------------------------------------------------- mechanisms that misbehave


def test_failing_under_one_data_set_only_is_a_leak():
    def mechanism(x, rng):
        if rng.random() < 0.3 * x:
            raise ZeroDivisionError
        return rng.normal()

    result = audit(mechanism, NUMBERS, 1.0)
    assert refuted(result)
    assert result.witness.startswith("kind of outcome: failure: ZeroDivisionError")
    assert result.witness.endswith("too likely on the second data set")
    assert result.failures > 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_not_finite_are_outcomes(bad):
    def mechanism(x, *, size, rng):
        return np.where(rng.random(size) < 0.3 * x, bad, rng.normal(size=size))

    assert refuted(audit(mechanism, NUMBERS, 1.0))
    assert not audit(lambda x, *, size, rng: mechanism(1.0, size=size, rng=rng), NUMBERS, 0.0, draws=2048).violated


def test_shapes_are_outcomes():
    assert refuted(audit(lambda x, *, rng: np.zeros(2 + (rng.random() < 0.3 * x)), NUMBERS, 1.0))
    assert refuted(audit(lambda x, *, size, rng: rng.normal(size=(size, 1 + int(x))), NUMBERS, 1.0))


def test_a_batch_that_raises_is_redone_without_hiding_failures():
    """Both sides fail in the ratio of the claim; dropping failed batches would square that ratio."""

    def mechanism(p, *, size, rng):
        if np.any(rng.random(size) < p):
            raise RuntimeError
        return rng.normal(size=size)

    for seed in SEEDS:
        result = audit(mechanism, (0.01 * math.e, 0.01), 1.0, draws=4096, rng=seed)
        assert not result.violated
        assert abs(result.failures - 4096 * 0.01 * (1 + math.e)) < 70
    assert refuted(audit(mechanism, (0.2, 0.02), 1.0))


def test_what_always_fails_says_so():
    def failing(x):
        raise KeyError("key")

    result = audit(failing, NUMBERS, 1.0, draws=300)
    assert not result.violated
    assert result.failures == 2 * result.draws == 128, "nothing can be learned from more of them"
    assert (result.stopped, result.verdict) == ("failed", "undecided")
    assert "every draw failed" in result.witness
    assert "KeyError" in result.witness


@pytest.mark.parametrize("error", [KeyboardInterrupt, NotImplementedError])
def test_what_is_no_outcome_passes_through(error):
    def mechanism(x):
        raise error

    with pytest.raises(error):
        audit(mechanism, NUMBERS, 1.0)


def test_one_draw_at_a_time_without_a_seed():
    source = np.random.default_rng(0)
    result = audit(lambda x: source.laplace(x, 0.3), NUMBERS, 1.0)
    assert refuted(result)
    assert not result.seeded


@pytest.mark.parametrize("seed_name", ["rng", "random_state", "seed"])
@pytest.mark.parametrize("size_name", ["size", None])
def test_recognised_parameters(size_name, seed_name):
    def mechanism(x, **keywords):
        assert keywords.keys() == {seed_name, size_name} - {None}
        return np.random.default_rng(keywords[seed_name]).laplace(x, 0.3, keywords.get(size_name))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["x", seed_name] if size_name is None else ["x", seed_name, size_name]
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    mechanism.__signature__ = signature  # type: ignore[attr-defined]
    result = audit(mechanism, NUMBERS, 1.0, rng=7)
    assert refuted(result)
    assert result.seeded
    assert result == audit(mechanism, NUMBERS, 1.0, rng=7)


def test_tuples_and_releases():
    @dataclasses.dataclass
    class Release:
        value: object

    def mechanism(x, *, rng):
        return Release((np.eye(2) * rng.normal(), rng.laplace(x, 0.3)))

    result = audit(mechanism, NUMBERS, 1.0)
    assert refuted(result)
    assert result.witness.startswith("output[1] ")


def test_extreme_sizes_are_survived():
    def mechanism(x, *, size, rng):
        return rng.normal(size=(size, 2, 2)) * 10.0 ** rng.choice([-310, 0, 300], (size, 1, 1))

    assert not audit(mechanism, (np.eye(2), -np.eye(2)), 1.0, draws=1024).violated


def test_data_need_not_be_numbers():
    for pair in [("a", "bb"), ([[1], [1, 2]], [[1, 2]]), ({}, {1: 2})]:
        result = audit(lambda x, *, size, rng: rng.normal(len(str(x)), 0.1, size), pair, 1.0)
        assert refuted(result)


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
    assert 0.28 < begun[-1] < 0.33, "no pair of calls is begun too late"
    assert result.seconds == pytest.approx(clock.now) == pytest.approx(begun[-1] + 0.02)


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


def test_json_round_trip():
    finite = audit(laplace(0.5), NUMBERS, 1.0)
    assert AuditResult.from_json(finite.to_json()) == finite
    infinite = audit(wishart, ROWS, 1.0, support=specimens.wishart_support)
    assert json.loads(infinite.to_json(), parse_constant=pytest.fail)["epsilon_lower"] == "inf"
    assert AuditResult.from_json(infinite.to_json()) == infinite
    for text in ("", "[]", "{}", '{"claim": 3}', finite.to_json().replace("PureDP", "NoSuch")):
        with pytest.raises(ValueError, match="must"):
            AuditResult.from_json(text)
    with pytest.raises(dataclasses.FrozenInstanceError):
        finite.violated = False  # type: ignore[misc]


def test_limits_are_exact():
    """At the limit, the binomial tail that must be improbable has exactly the stated risk."""
    n, k, risk = 50, 7, 1e-3
    low, high = binomial.at_least(k, n, risk), binomial.at_most(k, n, risk)

    def tail(p, counts):
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in counts)

    assert tail(low, range(k, n + 1)) == pytest.approx(risk)
    assert tail(high, range(k + 1)) == pytest.approx(risk)
    assert binomial.at_least(0, n, risk) == 0
    assert binomial.at_most(n, n, risk) == 1
    assert binomial.at_most(0, n, risk) == pytest.approx(1 - risk ** (1 / n))
    assert binomial.loss((0, 0), (n, n), 0.0, risk) == -math.inf


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


OLD_KEYWORD = {
    "audit": lambda **options: audit(laplace(1.0), NUMBERS, 1.0, **options),
    "conforms": lambda **options: auditing.conforms(laplace(1.0), laplace(1.0), 0.0, **options),
    "worst_pair": lambda **options: (
        auditing.worst_pair(
            lambda x, *, size, rng: rng.laplace(np.sum(x), 1.0, size), 1.0, dimension=1, **options
        ).result
    ),
}


@pytest.mark.parametrize("name", OLD_KEYWORD)
def test_draws_were_called_budget(name):
    call = OLD_KEYWORD[name]
    with pytest.warns(DeprecationWarning, match="budget is deprecated: it is called draws") as warned:
        result = call(budget=512)
    assert [warning.filename for warning in warned] == [__file__]
    assert result == call(draws=512)
    with pytest.raises(TypeError, match=rf"{name}\(\) takes draws or its old name budget, got both"):
        call(budget=512, draws=512)
    assert "draws" in inspect.signature(getattr(auditing, name)).parameters
    assert "budget" not in inspect.signature(getattr(auditing, name)).parameters


@pytest.mark.parametrize("claim", [PureDP(1.0), GDP(1.0)])
@pytest.mark.parametrize("pairs", [20, 100, 1000])
def test_verdict_and_bound_agree_where_wealth_just_reaches_the_threshold(claim, pairs):
    """There the bound found by bisection is the claimed value itself."""
    evidence = Evidence(((bet((0, pairs, pairs // 10, 0)),),))
    risk = math.exp(-evidence.against(claim))
    assert evidence.lower_bound(claim, risk) == claim.value
    for slack in (0.0, 1e-9, -1e-9):
        violated, bound = evidence.verdict(claim, risk * (1 + slack))
        assert violated is (bound > claim.value) is (slack >= 0)


def test_records_of_the_old_name_are_read():
    result = audit(laplace(1.0), NUMBERS, 1.0, draws=128)
    old = result.to_json().replace('"stopped": "draws"', '"stopped": "budget"')
    assert old != result.to_json()
    assert AuditResult.from_json(old) == result


def test_options_are_frozen_and_check_themselves():
    options = Options(confidence=0.99, draws=128, log_ratio=float, statistics={"size": abs})
    assert options.own_statistics == {"size": abs, "declared log ratio": float}
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.draws = 2  # type: ignore[misc]
    with pytest.raises(ValueError, match="draws must be at least 2, got 1"):
        dataclasses.replace(options, draws=1)


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


# ---------------------------------------------------------------- claims that are curves


SHARP = 1 / mu_for(1.0, 1e-5)
"""Deviation that makes Gaussian noise (1, 1e-5)-private."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_curve_of_claims_shows_in_thousands_what_one_point_shows_in_a_million(seed):
    claim = GDP(1 / SHARP)
    result = audit(gaussian(SHARP / math.sqrt(2)), NUMBERS, claim, rng=seed)
    assert refuted(result)
    assert result.draws <= 17_000
    assert claim.mu < result.bound < claim.mu * math.sqrt(2)
    assert math.isnan(result.epsilon_lower)
    assert not audit(gaussian(SHARP), NUMBERS, claim, draws=20_000, rng=seed).violated


def test_renyi_and_profile_claims():
    """For N(0, s^2) and N(1, s^2) the divergence of order alpha is alpha / (2 s^2); the profile is Gaussian."""
    for sigma, false in ((2.0, False), (1.0, True)):
        renyi = audit(gaussian(sigma), NUMBERS, Renyi(4.0, 4.0 / 8), draws=30_000)
        assert renyi.violated is false
        assert renyi.bound <= 4.0 / (2 * sigma**2)
        table = Profile.of(lambda e: gaussian_profile(e, 0.5), np.linspace(0, 2, 9))
        profile = audit(gaussian(sigma), NUMBERS, table, draws=30_000)
        assert profile.violated is false
        if false:
            excess = max(gaussian_profile(e, 1.0) - gaussian_profile(e, 0.5) for e in np.linspace(0, 2, 9))
            assert 0 < profile.bound < excess


def test_claims_survive_json_and_refuse_nonsense():
    for claim in (PureDP(1.0), ApproxDP(1.0, 0.1), GDP(0.5), Renyi(2.0, 1.0), Profile(((0.0, 0.2), (1.0, 0.1)))):
        assert claim_from(json.loads(json.dumps(claim.to_dict()))) == claim
        assert str(claim)
    for make in (
        lambda: PureDP(-1.0),
        lambda: ApproxDP(1.0, 0.0),
        lambda: GDP(0.0),
        lambda: Renyi(1.0, 1.0),
        lambda: Profile(()),
        lambda: Profile(((0.0, 1.5),)),
        lambda: claim_from({"kind": "PureDP", "delta": 1}),
    ):
        with pytest.raises(ValueError, match="must"):
            make()


# ---------------------------------------------------------------- wealth


def test_wealth_is_the_product_of_its_factors():
    rng = np.random.default_rng(0)
    epsilon, delta, g = 0.8, 0.05, 0.3
    x, y = rng.random(40) < 0.5, rng.random(40) < 0.2
    gains = x - math.exp(epsilon) * y - delta
    counts = [np.sum(x & y), np.sum(x & ~y), np.sum(~x & y), np.sum(~x & ~y)]
    product = np.sum(np.log1p(g * gains / (math.exp(epsilon) + delta)))
    assert betting.log_wealth(counts, epsilon, delta, [g])[0] == pytest.approx(product, rel=1e-12)
    one_sided = np.sum(np.log1p(g * (x - delta) / delta))
    assert betting.log_wealth_one_sided(np.sum(x), 40, delta, [g])[0] == pytest.approx(one_sided, rel=1e-12)
    assert betting.log_wealth_one_sided(0, 40, 0.0, [g])[0] == 0
    assert betting.log_wealth_one_sided(1, 40, 0.0, [g])[0] == math.inf


def test_a_bound_is_read_before_the_first_value_that_stands():
    """With delta > 0 wealth may fall and rise again: here 1.651 is not excluded, although larger values are."""
    epochs = tuple(
        (bet((112117179, 787882820, 12457464, 87542537), share=0.5, fraction=fraction),) for fraction in (0, 12)
    )
    evidence, claim = Evidence(epochs), ApproxDP(0.5, 0.25)
    grid = np.arange(0.5, 12, 1 / 64)
    excluded = evidence.log_wealth(claim, grid) >= math.log(1e3 / 0.9)
    assert excluded[0]
    first_kept = grid[np.flatnonzero(~excluded)[0]]
    assert evidence.lower_bound(claim, 1e-3) == pytest.approx(first_kept - 1 / 64)


@pytest.mark.parametrize("failing", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("batched", [False, True])
def test_a_block_in_which_one_side_always_fails(failing, batched):
    """No value of any statistic then; at 0.95 six of ten such audits once ended in a KeyError."""

    def one(x, *, rng):
        if rng.random() < failing:
            raise RuntimeError("no")
        return x + rng.normal(size=3)

    def many(x, *, size, rng):
        return np.where(rng.random((size, 1)) < failing, np.nan, x + rng.normal(size=(size, 3)))

    for seed in range(5):
        for run in (audit, auditing.audit_fixed):
            result = run(many if batched else one, (np.zeros(3), np.full(3, 1e-9)), 1.0, draws=1000, rng=seed)
            assert not result.violated


def root(x, *, size, rng):
    """One negative number makes numpy's stack of roots complex."""
    return np.emath.sqrt(rng.random(size) - 2.0**-7)


def padded(x, *, size, rng):
    """Rows as long as the longest of the batch."""
    lengths = rng.geometric(0.5, size)
    return np.where(np.arange(lengths.max()) < lengths[:, None], rng.normal(size=(size, 1)), 0.0)


def one_raises(x, *, size, rng):
    """One row in a thousand raises for all."""
    if (rng.random(size) < 1e-3).any():
        raise ArithmeticError
    return rng.normal(size=size)


@pytest.mark.parametrize("mechanism", [root, padded, one_raises])
def test_rows_that_change_what_others_look_like_are_no_evidence(mechanism):
    """The laws on both data sets agree, and five audits raise an alarm with probability below 0.5 % altogether."""
    for seed in range(5):
        assert not audit(mechanism, (0.0, 1.0), 0.5, draws=3000, rng=seed).violated


def test_rows_of_synthetic_data_share_their_noise():
    """``n_samples`` rows around one noisy mean are one output, not many."""

    def synthetic(x, n_samples=64, *, rng):
        return np.mean(x) + rng.laplace() / len(x) + np.zeros(n_samples)

    for seed in range(5):
        assert not audit(synthetic, (np.zeros(2), np.array([0.0, 1.0])), 1.0, draws=1000, rng=seed).violated


def test_betting_goes_on_after_a_batch_that_fails_when_all_is_learned(monkeypatch):
    monkeypatch.setattr("dpspectra.audit.course.LEARNING", 1024)
    sizes = []

    def leaking(x, *, size, rng):
        sizes.append(size)
        if size >= 128 and sizes.count(size) == 1:  # from 2048 draws on
            raise ArithmeticError
        return rng.laplace(x, 0.9, size)

    result = audit(leaking, (0.0, 1.0), 1.0, rng=0, independent=True)
    assert refuted(result)
    assert 128 in sizes
    assert sizes[-1] == 1
    assert (result.rows, result.lost) == ("averaged within calls", 1)


def test_a_batch_that_fails_costs_all_but_the_reserve():
    """Of rows declared independent: from the first call that is lost, draws are made one by one, with a tenth."""

    def mechanism(x, *, size, rng):
        values = rng.laplace(x, 0.5, size)
        if size > 1 and np.any(np.abs(values - x) > 3.5):
            raise RuntimeError
        return values

    result = audit(mechanism, (0.0, 0.02), 0.0, draws=4096, rng=5, independent=True)
    assert result.history[0][1] == pytest.approx(math.log(0.9))
    assert result.evidence.start == math.log(0.1)
    assert sum(bets[0].hits[2] for bets in result.evidence.epochs if bets) > 2000
    assert (result.failures, result.lost) == (0, 1)


def test_a_lost_call_costs_what_could_be_lost_on_it_and_no_plan():
    """Where rows are averaged within calls, wealth before it stays; calls of later blocks ask for one row."""
    sizes = []

    def failing(x, *, size, rng):
        sizes.append(size)
        if size > 1 and len(sizes) > 1000:
            raise ArithmeticError
        return rng.laplace(x, 1 / 1.1, size)

    result = audit(failing, NUMBERS, 1.0, rng=3)
    assert refuted(result)
    assert 1 <= result.lost <= 16, "one in each piece of a block"
    assert result.evidence.start == 0
    late = [i for i, size in enumerate(sizes) if size > 1]
    assert set(sizes[late[-1] + 1 :]) == {1}
    assert len(late) > 900
    hit = [[one.cells.get((0, 0, 0), 0) for one in bets] for bets in result.evidence.epochs]
    assert sum(max(lost, default=0) for lost in hit) == result.lost


def test_no_call_asks_for_several_rows_where_one_source_cannot_return_them():
    result = contest(
        (Source(Sampler(laplace(1.0)), 0.0), Source(Sampler(lambda x: x + np.random.default_rng().laplace()), 0.0)),
        PureDP(0.0),
        Options(confidence=0.999, draws=128, independent=True),
    )
    assert result.evidence.start == 0
    assert {cell[0] for bets in result.evidence.epochs for one in bets for cell in one.cells} == {1}


def test_an_interruption_loses_the_call_under_way():
    """The pairs before it count; if the audit goes on, it is lost, as when it comes may depend on what it shows."""
    calls = []

    def interrupted(x, *, rng):
        calls.append(x)
        if len(calls) == 298:
            raise KeyboardInterrupt
        return rng.laplace(x, 0.5)

    first = audit(interrupted, NUMBERS, 1.0, confidence=1 - 1e-9)
    assert (first.stopped, first.draws, first.verdict) == ("interrupted", 148, "not refuted")
    assert [one.cells for one in first.evidence.late] == [{(0, 0, 0): 1}] * len(first.evidence.late)
    assert first.evidence.late
    assert first.evidence == AuditResult.from_json(first.to_json()).evidence
    resumed = audit(lambda x, *, rng: rng.laplace(x, 0.5), NUMBERS, 1.0, resume=first, draws=2)
    lost = first.evidence.with_bets(list(first.evidence.late))
    assert resumed.evidence.epochs[len(lost.epochs) - 1] == lost.epochs[-1]
    assert lost.against(first.claim) < first.log_e_value


def test_of_a_late_block_the_pairs_before_the_first_gap_count(clock):
    """Work is shared out in pieces; a piece that stops early is followed by none, whichever of them is made first."""

    def slow(x, *, rng):
        clock.now += 1e-3
        return rng.laplace(x, 0.5)

    result = audit(slow, NUMBERS, 1.0, confidence=1 - 1e-9, seconds=0.5)
    assert result.stopped == "time"
    assert result.draws == sum(max(b.hits[2] for b in bets) for bets in result.evidence.epochs if bets) + 64


# ---------------------------------------------------------------- certificates


def test_certificates_of_small_matrices():
    certificate = certify_not_psd([[1.0, 2.0], [2.0, 1.0]])
    assert check_certificate(certificate)
    assert Fraction(certificate["value"]) < 0
    assert certify_not_psd(np.eye(3)) is None
    assert certify_not_psd([[0.0]]) is None
    assert check_certificate(certify_not_psd([[-5e-324]]))


def test_certificates_of_complex_matrices():
    m = np.array([[1, 2j], [-2j, 1]])
    certificate = certify_not_psd(m)
    assert check_certificate(certificate)
    assert len(certificate["matrix"]) == 4
    assert certify_not_psd(m + 2 * np.eye(2)) is None
    assert check_certificate(impossible_output(m, np.eye(2)))


def test_a_margin_keeps_rounding_from_being_called_a_violation():
    shift = np.array([[1.0, 0.5], [0.5, 1.0]])
    nearly = shift - 1e-14 * np.eye(2)
    assert certify_not_psd(nearly - shift) is not None
    assert impossible_output(nearly, shift) is None
    assert certify_not_psd(-np.eye(2), margin=0.5) is not None
    assert certify_not_psd(-np.eye(2), margin=2) is None


def test_random_certificates_agree_with_eigenvalues():
    rng = np.random.default_rng(0)
    for _ in range(50):
        g = rng.normal(size=(4, 4))
        m = g + g.T + rng.uniform(-4, 8) * np.eye(4)
        certificate = certify_not_psd(m)
        assert (certificate is not None) == (np.linalg.eigvalsh(m)[0] < 0)
        assert certificate is None or check_certificate(certificate)


def _tampered():
    good = impossible_output(np.diag([1.0, 0.0]), np.diag([0.0, 1.0]))
    yield "kind", {**good, "kind": "psd"}
    yield "vector", {**good, "vector": [1, 0]}
    yield "fraction", {**good, "vector": ["0", "1/2"]}
    yield "value", {**good, "value": "-1/3"}
    yield "margin", {**good, "margin": "2"}
    yield "matrix", {**good, "matrix": [["1", "0"], ["0", "-2"]]}
    yield "asymmetric", {**good, "matrix": [["1", "5"], ["0", "-1"]]}
    yield "ragged", {**good, "matrix": [["1", "0"], ["0"]]}
    yield "floats", {**good, "matrix": [[1.0, 0.0], [0.0, -1.0]]}
    yield "output", {**good, "output": [["1", "0"], ["0", "1"]]}
    yield "no shift", {key: value for key, value in good.items() if key != "shift"}
    yield "no matrix", {key: value for key, value in good.items() if key != "matrix"}
    yield "words", {**good, "value": "minus one"}
    yield "zero", {**good, "value": "1/0"}
    yield "none", None
    yield "empty", {"kind": "not_psd", "matrix": [], "vector": [], "value": "0", "margin": "0"}


@pytest.mark.parametrize(("what", "certificate"), list(_tampered()))
def test_tampered_certificates_are_rejected(what, certificate):
    assert check_certificate(impossible_output(np.diag([1.0, 0.0]), np.diag([0.0, 1.0])))
    assert not check_certificate(certificate)


@pytest.mark.parametrize("matrix", [[[np.nan]], [[1.0, 2.0]], [], [["x"]], 3.0])
def test_certificates_refuse_what_is_no_matrix(matrix):
    with pytest.raises(ValueError, match="matrix must"):
        certify_not_psd(matrix)


def test_shapes_of_output_and_shift_must_agree():
    with pytest.raises(ValueError, match="one shape"):
        impossible_output(np.eye(2), np.eye(3))
