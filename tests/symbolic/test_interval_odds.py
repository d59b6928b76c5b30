import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.interval_odds import between, interval, log_mass
from dpspectra.symbolic.laws import BESSEL, LAPLACE, NORMAL, UNIFORM
from dpspectra.symbolic.observed_constraints import Unsolved


def asked(law, edges):
    """A part that says of one draw that it lies above (+) or below (-) edges."""
    signs = np.array([s for s, _ in edges], dtype=float)
    c = -signs * [e for _, e in edges]
    return Part(np.array([0]), [law], np.zeros(0), np.zeros((0, 1)), np.zeros(0), c, signs[:, None], {})


@pytest.mark.parametrize(("law", "known"), [(NORMAL, stats.norm()), (LAPLACE, stats.laplace())])
def test_probabilities(law, known):
    for low, high in ((-1.0, 2.0), (-math.inf, 0.5), (3.0, math.inf), (-9.0, -8.5)):
        assert log_mass(law, low, high) == pytest.approx(math.log(known.cdf(high) - known.cdf(low)), abs=1e-7)


def test_tails_do_not_cancel():
    assert log_mass(LAPLACE, 700.0, 701.0) == pytest.approx(-700 - math.log(2) + math.log1p(-math.exp(-1)), rel=1e-14)
    assert log_mass(LAPLACE, -701.0, -700.0) == log_mass(LAPLACE, 700.0, 701.0)
    assert log_mass(UNIFORM, 1 - 2.0**-53, 5.0) == pytest.approx(-53 * math.log(2))


def test_nothing_is_between_edges_that_meet():
    assert log_mass(NORMAL, 1.0, 1.0) == log_mass(UNIFORM, 1.0, 2.0) == log_mass(UNIFORM, -1.0, 0.0) == -math.inf


def test_the_nearest_edges_count():
    it = asked(UNIFORM, [(1, 0.25), (1, 0.125), (-1, 0.75), (-1, 0.5)])
    assert interval(it) == (0.25, 0.5)
    assert between(it).value == pytest.approx(math.log(0.25), abs=1e-15)
    assert between(asked(UNIFORM, [(1, 0.5), (-1, 0.5)])).value == -math.inf


def test_a_contradiction_by_rounding_alone_is_left_open():
    with pytest.raises(Unsolved, match="by no more than rounding"):
        between(asked(NORMAL, [(1, 0.1 + 0.2), (-1, 0.3)]))
    assert between(asked(NORMAL, [(1, 0.3001), (-1, 0.3)])).value == -math.inf


def test_errors_are_those_of_the_edges():
    """Moving an edge by its rounding moves the log-probability by the error at most, and not by far less."""
    for high in (0.5 + 1e-9, 0.6):
        found = between(asked(UNIFORM, [(1, 0.5), (-1, high)]))
        moved = math.log(high - 0.5 + 4 * math.ulp(0.5)) - math.log(high - 0.5)
        assert moved <= found.error <= 4 * moved + 2e-14


def test_noise_without_known_tails():
    with pytest.raises(Unsolved, match="not integrated"):
        log_mass(BESSEL, 0.0, 1.0)


def test_an_interval_too_short_to_be_seen_has_no_mass():
    assert LAPLACE.lower(-1e-17) == LAPLACE.lower(-2e-17)
    assert log_mass(LAPLACE, -2e-17, -1e-17) == -math.inf
