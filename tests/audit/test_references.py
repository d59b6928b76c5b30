"""What the tables of exact laws rest on."""

import numpy as np
import pytest
from mpmath import mp

from dpspectra.audit import fits, references
from dpspectra.audit.subjects import own_samplers
from dpspectra.oracle import bingham_laws, patterns
from tests.support.helpers import ALARM

SUITE = own_samplers.cases()


# ---------------------------------------------------------------- what is sound


@pytest.mark.parametrize("case", [case for case in SUITE if not case.name.startswith("orbit")], ids=lambda c: c.name)
def test_references_fit_what_is_known_of_them(case):
    assert fits(case.reference, case.reference.marginals(case.x), case.x, draws=500, rng=1).p_value > ALARM


# ---------------------------------------------------------------- what the tables of exact laws rest on


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_coordinates_have_the_distribution_of_the_definition(share):
    exponents = [0.0, 1.0, 4.0, 20.0]

    def density(t):
        rest = [mp.cos(t) ** 2 * mp.mpf(a) for a in exponents[:2] + exponents[3:]]
        weight = bingham_laws.log_sphere_normaliser(rest, mp.mpf(1) / 2) - 4 * mp.sin(t) ** 2
        return mp.cos(t) ** 2 * mp.exp(weight)

    exact = mp.quad(density, [0, mp.asin(mp.sqrt(share))]) / mp.quad(density, [0, mp.pi / 2])
    assert references.coordinate_cdf(np.array(exponents), 2, 0.5)(share) == pytest.approx(float(exact), abs=1e-8)


@pytest.mark.parametrize("kappa", [1.0, 8.0])
def test_the_tabulated_utility_is_near_the_exact_one(kappa):
    gamma, spectrum = (3.0, 2.0, 1.0, 0.0), (1.0, 1.0, 0.0, 0.0)
    cdf = references.utility_cdf(gamma, spectrum, kappa)
    for gap in (0.03, 0.11, 0.4, 1.7, 3.9):
        exact = patterns.gap_tail(gamma, spectrum, mp.mpf(kappa), mp.mpf(gap))
        assert cdf(5.0 - gap) == pytest.approx(float(exact), abs=1e-6)
