"""Samplers against laws written down a second time; faulty samplers must be noticed, and sound ones never.

Seeds are fixed. With fresh ones a sound sampler would fail a bet with probability at most 0.001 and a
Kolmogorov-Smirnov test with probability at most 1e-6; of the 57 + 48 comparisons below, one with at most 5.8 percent.
"""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from dpspectra import private_pca, sampling
from dpspectra.audit import AuditResult, Closeness, Marginal, conforms, fits, references, specimens
from tests.support.helpers import ALARM

NORMAL = Marginal("the number", lambda x: x, stats.norm.cdf)
compared = functools.partial(conforms, independent=True)
"""Samplers of numpy's kind return independent rows."""


def normal(shift=0.0, scale=1.0):
    return lambda x, *, size, rng: rng.normal(shift, scale, size)


def concentration(d, largest):
    """``A`` of the Bingham law for a matrix of eigenvalues ``L``, ``L/2``, 0, ... at epsilon 2."""
    return -np.diag([largest, largest / 2] + [0.0] * (d - 2))


# ---------------------------------------------------------------- what is sound


def test_a_mechanism_against_the_law_it_claims_to_draw_from():
    rows = np.array([[0.6, 0.8], [0.0, 0.5]])

    def law(x, *, size, rng):
        return sampling.bingham(-0.5 * x.T @ x, size=size, rng=rng)[..., None]

    pca = functools.partial(private_pca, k=1, epsilon=1.0, mechanism="orbit")
    assert not compared(pca, law, rows, draws=1024).violated
    twice = functools.partial(private_pca, k=1, epsilon=8.0, mechanism="orbit")
    assert compared(twice, law, rows, draws=4096).violated


def test_the_same_law_stands_at_a_lower_confidence_too():
    """More alarms than `most` would have probability at most 1e-3 if each had probability 0.05."""
    alarms = sum(compared(normal(), normal(), 0, confidence=0.95, draws=512, rng=s).violated for s in range(100))
    most = stats.binom.isf(1e-3, 100, 0.05)
    assert alarms <= most


def test_what_is_not_finite_is_no_difference_if_equally_likely():
    def failing(x, *, size, rng):
        return np.where(rng.random(size) < 0.1, np.nan, rng.normal(size=size))

    assert not conforms(failing, failing, 0, draws=4096).violated


@pytest.mark.parametrize("batched", [True, False])
def test_a_reference_that_raises_says_nothing_of_the_candidate(batched):
    def one(x, *, rng):
        if rng.random() < 0.01:
            raise RuntimeError("no")
        return rng.normal()

    def many(x, *, size, rng):
        if rng.random() < 0.1:
            raise RuntimeError("no")
        return rng.normal(size=size)

    with pytest.raises(ValueError, match="the reference must not fail on this input, got RuntimeError: no: give one"):
        conforms(normal(), many if batched else one, 0, draws=4096)
    assert conforms(many if batched else one, normal(), 0, draws=4096).violated


# ---------------------------------------------------------------- what is not


INVERTED = [(4, 1, 1024), (4, 4, 256), (4, 16, 256), (10, 1, 2048), (10, 4, 256), (10, 16, 256)]
ALWAYS = [(4, 4, 4096), (4, 16, 512), (10, 4, 20480), (10, 16, 512)]


@pytest.mark.parametrize(("d", "largest", "draws"), INVERTED)
def test_an_inverted_acceptance_exponent_is_refuted(d, largest, draws):
    a = concentration(d, largest)
    for seed in range(3):
        result = compared(specimens.bingham_inverted, references.bingham(), a, draws=draws, rng=seed)
        assert result.violated
        assert 0 < result.bound <= 1


@pytest.mark.parametrize(("d", "largest", "draws"), ALWAYS)
def test_a_missing_comparison_is_refuted_where_the_law_is_concentrated(d, largest, draws):
    a = concentration(d, largest)
    for seed in range(2):
        assert compared(specimens.bingham_always_accepting, references.bingham(), a, draws=draws, rng=seed).violated


def test_a_missing_comparison_hardly_shows_near_the_uniform_law():
    """Why the suite has concentrated inputs: here the two laws are nearly equal."""
    always = specimens.bingham_always_accepting
    assert not compared(always, references.bingham(), concentration(4, 1), draws=4096).violated


@pytest.mark.parametrize(("sampler", "largest"), [("inverted", 4), ("always_accepting", 16)])
def test_exact_tests_notice_faulty_samplers_too(sampler, largest):
    a = concentration(4, largest)
    fit = fits(getattr(specimens, f"bingham_{sampler}"), references.bingham().marginals(a), a, draws=1000)
    assert fit.p_value < ALARM
    assert fit.p_values[fit.worst] == min(fit.p_values.values())


def test_haar_without_its_phases_is_refuted():
    def raw(d, *, size, rng):
        return np.linalg.qr(rng.normal(size=(size, d, d)) + 1j * rng.normal(size=(size, d, d)))[0]

    reference = references.haar("complex")
    assert compared(raw, reference, 3, draws=512).violated
    fit = fits(raw, reference.marginals(3), 3, draws=200)
    assert fit.p_value < ALARM
    assert "phase" in fit.worst


def test_signs_of_the_printed_power_method_are_no_fair_coin():
    """Probability 0.49576 in place of 1/2, from one more round of claims about laws that no two data sets show."""
    c, s = math.cos(math.pi / 8), math.sin(math.pi / 8)
    turn = np.array([[c, -s], [s, c]])
    a = (turn * [1.0, 0.3]) @ turn.T
    result = compared(specimens.power_method_signs, specimens.fair_coin, (a + a.T) / 2, draws=2**22)
    assert result.violated
    assert result.bound < 0.5 - 0.49576


@pytest.mark.parametrize(
    ("candidate", "draws"),
    [
        (normal(shift=0.1), 32768),
        (normal(scale=1.1), 32768),
        (normal(scale=math.sqrt(2)), 1024),
        (lambda x, *, size, rng: np.where(rng.random(size) < 0.02, np.nan, rng.normal(size=size)), 2048),
        (lambda x, *, size, rng: np.full(size, rng.normal()), 512),  # one number for all
        (lambda x, *, size, rng: np.random.default_rng(0).normal(size=size), 4096),  # the same seed at every call
        (lambda x, *, rng: 0.1 * round(10 * rng.normal()), 512),  # a coarse grid
    ],
    ids=["shift", "scale", "sqrt 2", "failures", "one number", "seed", "grid"],
)
def test_mutants_of_a_normal_sampler_are_refuted(candidate, draws):
    assert compared(candidate, normal(), 0, draws=draws).violated


def test_the_tolerance_is_in_total_variation():
    """``N(1/2, 1)`` and ``N(0, 1)`` are ``2 Phi(1/4) - 1 = 0.1974`` apart."""
    distance = 2 * stats.norm.cdf(0.25) - 1
    near = compared(normal(0.5), normal(), 0, tv_tolerance=distance, draws=8192)
    assert not near.violated
    assert near.claim == Closeness(distance)
    far = compared(normal(0.5), normal(), 0, tv_tolerance=0.1, draws=16384)
    assert far.violated
    assert 0.1 < far.bound <= distance
    assert AuditResult.from_json(far.to_json()) == far


def test_results_go_on_and_report():
    looks = []
    first = compared(normal(0.05), normal(), 0, draws=1024, watch=looks.append)
    assert looks[-1].draws == first.draws == 1024
    assert not first.violated
    assert compared(normal(0.05), normal(), 0, draws=65536, resume=first, rng=1).violated


# ---------------------------------------------------------------- exact tests


def test_exact_tests_have_exact_p_values():
    """Under the law p-values are uniform: their own Kolmogorov-Smirnov test must not fail at 1e-6."""
    found = [fits(normal(), (NORMAL,), 0, draws=50, rng=seed).p_value for seed in range(200)]
    assert stats.kstest(found, "uniform").pvalue > ALARM
    assert fits(normal(0.5), (NORMAL,), 0, draws=200).p_value < ALARM


def test_exact_tests_take_failures_for_what_they_are():
    def failing(x, *, size, rng):
        raise RuntimeError

    assert fits(failing, (NORMAL,), 0).p_value == 0
    nearly = fits(lambda x, *, rng: math.nan if rng.random() < 0.01 else rng.normal(), (NORMAL,), 0)
    assert nearly.p_value == 0
    assert nearly.worst.startswith("failure")


def test_several_statistics_share_the_risk():
    fit = fits(normal(), (NORMAL, Marginal("its opposite", lambda x: -x, stats.norm.cdf)), 0)
    assert fit.p_value == pytest.approx(min(1, 2 * min(fit.p_values.values())))


@pytest.mark.parametrize("bits", [10, 12])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_uniform_numbers_of_few_bits_are_noticed_though_the_first_draws_do_not_repeat(bits, shape):
    """Their values repeat later, of one number or of each. A sampler of 53 bits is called different once in 1,000."""

    def few(x, *, size, rng):
        return -np.log((rng.integers(0, 2**bits, (size, *shape)) + 1) / 2**bits)

    def law(x, *, size, rng):
        return rng.exponential(size=(size, *shape))

    found = compared(few, law, 0.0, draws=20_000, rng=1)
    assert found.violated
    assert found.draws < 5000
    assert "any that was not met before" in found.witness or " more: too likely" in found.witness
    assert not compared(law, law, 0.0, draws=20_000, rng=2).violated
