"""Our samplers by their references: each conforms, and every method is covered."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpspectra import sampling
from dpspectra.audit import conforms, fits
from dpspectra.audit.subjects import own_samplers
from dpspectra.fast.wishart import centred_moments
from dpspectra.mechanisms import catalogue, wishart
from tests.support.helpers import ALARM

SUITE = own_samplers.cases()
compared = functools.partial(conforms, independent=True)
"""Samplers of numpy's kind return independent rows."""


@pytest.mark.parametrize("case", SUITE, ids=lambda case: case.name)
def test_every_sampler_conforms_to_its_reference(case):
    result = compared(case.candidate, case.reference, case.x, draws=512)
    assert not result.violated
    assert result.failures == 0
    marginals = case.reference.marginals(case.x)
    if marginals:
        assert fits(case.candidate, marginals, case.x, draws=500).p_value > ALARM


NOISES = [case for case in SUITE if case.call and catalogue.of(case.call.func)]
DRAWS = 200_000


def mean_square(case, n, d):
    """Mean and variance of the squared size of the noise that the claim of a mechanism needs."""
    record, given = catalogue.of(case.call.func), case.call.keywords
    epsilon, delta = given["epsilon"], given.get("delta", 0.0)
    if record.noise:
        options = {name: given[name] for name in ("relation", "shape") if name in given}
        noise = record.law().sized(d, (epsilon, delta), Fraction(1), **options)
        return [moment * (noise.scale / n) ** power for moment, power in zip(noise.square, (2, 4), strict=True)]
    if record.name == "wishart_covariance":
        degrees, shift = wishart.calibrated(d, epsilon, delta, None, "replace")
        return [m / (n * shift) ** power for m, power in zip(centred_moments(degrees, d), (2, 4), strict=True)]
    scale, k = 2 / epsilon, given["k"]  # Laplace noise on eigenvalues: moments 2 and 24
    return k * 2 * scale**2, k * (24 - 4) * scale**4


@pytest.mark.parametrize("case", NOISES, ids=lambda case: case.name)
def test_a_reference_has_the_noise_that_the_claim_of_the_mechanism_needs(case):
    """Six standard errors, which is below what an epsilon of .98 or a delta twice as large changes."""
    rows = len(case.x) == 2
    x = np.zeros((1, 2)) if rows else np.diag([1e6, 9e5, 1e5])
    mean, variance = mean_square(case, 1, 2)
    error = 6 * math.sqrt(variance / DRAWS)
    assert error < 0.035 * mean
    centre = 0.0 if rows else np.diag(x)[: case.call.keywords["k"]]
    noise = case.reference(x, size=DRAWS, rng=np.random.default_rng(11)) - centre
    assert abs(np.sum(noise**2) / DRAWS - mean) < error


def test_every_noise_with_an_ideal_law_is_compared():
    assert len(NOISES) == sum(len(record.ideals) for record in catalogue.MECHANISMS.values())


def test_the_suite_covers_every_method_and_looks_where_laws_are_concentrated():
    names = " ".join(case.name for case in SUITE)
    for method in sampling.methods.METHODS:
        assert f", {method}, weak" in names
        assert f", {method}, concentrated" in names
    assert own_samplers.LEVELS["concentrated"] >= 8
