"""One-sided profiles are certified, and cost no degrees of freedom."""

import math

import flint
import numpy as np
import pytest
from mpmath import mp

from dpspectra.certified import grid, noise_on_grid, one_sided_wishart_profile
from dpspectra.fast import chi_square_profile, wishart_row_exchange
from dpspectra.mechanisms import wishart
from tests.support.helpers import entropy

PROMISES = [(1.0, 1e-6), (0.1, 1e-6), (2.0, 1e-6), (1.0, 1e-3), (1.0, 1e-9), (0.1, 1e-3), (8.0, 1e-9), (30.0, 1e-4)]


@pytest.mark.parametrize("degrees", [3, 20])
def test_the_error_of_the_rule_over_radii_rests_on_the_integral_on_the_line(degrees, monkeypatch):
    """Without a start the density and the probability have the same bound there: the integral of the density."""
    given, spacing = [], one_sided_wishart_profile._spacing
    monkeypatch.setattr(one_sided_wishart_profile, "_spacing", lambda *found: given.append(found) or spacing(*found))
    one_sided_wishart_profile._radii(degrees, flint.arb(0), flint.arb(1e-9))
    ((strip, mass, _),) = given
    half = mp.mpf(degrees + 1) / 2

    def density(v):
        return v ** (half - 1) * mp.exp(-v * mp.cos(strip) / 2) / (mp.gamma(half) * 2**half)

    assert float(mass) == pytest.approx(float(mp.quad(density, [0, degrees, 4 * degrees, mp.inf]) ** 2), rel=1e-9)


@pytest.mark.parametrize("relation", ["replace", "zero_out"])
def test_certifying_degrees_of_freedom_adds_none(relation):
    for d in (1, 4):
        for epsilon, delta in PROMISES:
            alone = relation == "zero_out" or d == 1
            m, _ = wishart.calibrated(d, epsilon, delta, None, relation)
            if alone:
                assert m - d + 1 == chi_square_profile.least_degrees(epsilon, delta, chi_square_profile.profile)
                assert m == d + 1 or not one_sided_wishart_profile.row_at_most(epsilon, m - d, 1.0, delta)
            else:
                share = chi_square_profile.best_share(epsilon, m - d, 1.0)
                assert m - d + 1 == wishart_row_exchange.least_degrees(epsilon, delta)
                assert m == d + 1 or not one_sided_wishart_profile.exchange_at_most(epsilon, m - d, 1.0, delta, share)


@pytest.mark.parametrize(
    ("epsilon", "delta", "degrees", "found"),
    [
        (1e300, 1e-300, None, (308, 1.0)),
        (1e300, 1e-6, None, (18, 1.0)),
        (30.0, 1e-300, None, (453, 1.0)),
        (1e-6, 0.3, None, (9, 1.0)),
        (1.0, 1 - 1e-9, None, (5, 1.0)),
        (300.0, 1e-6, 5, (5, 2e-6)),
        (256.0, 1e-6, 43, (43, 10.728)),
    ],
)
def test_promises_of_all_sizes_are_calibrated_soon(epsilon, delta, degrees, found):
    assert wishart.calibrated(4, epsilon, delta, degrees, "replace") == pytest.approx(found, rel=1e-4)


def test_degrees_and_norms_from_wrong_candidates_are_mended(monkeypatch):
    want = {relation: wishart.calibrated(3, 1.0, 1e-6, None, relation)[0] for relation in ("replace", "zero_out")}
    shift = wishart.calibrated(3, 1.0, 1e-6, 20, "zero_out")[1]
    wishart.calibrated.cache_clear()
    for module in (chi_square_profile, wishart_row_exchange):
        least, largest = module.least_degrees, module.largest_shift
        monkeypatch.setattr(module, "least_degrees", lambda *a, least=least: least(*a) - 1)
        monkeypatch.setattr(module, "largest_shift", lambda *a, largest=largest: 1.01 * largest(*a))
    for relation in want:
        assert wishart.calibrated(3, 1.0, 1e-6, None, relation)[0] == want[relation]
    assert 0.9 * shift < wishart.calibrated(3, 1.0, 1e-6, 20, "zero_out")[1] <= 1.00001 * shift
    wishart.calibrated.cache_clear()


@pytest.mark.parametrize(("degrees", "exponent"), [(3, -32), (12, -34), (12, -48), (1200, -34), (1200, -44)])
def test_wishart_noise_of_any_degrees_is_decided_as_in_balls(degrees, exponent, monkeypatch):
    """On grids so fine that some numbers are in doubt, and on such that floats are wrong."""

    def released(i):
        steps = grid.Steps.of(np.arange(3), -3)
        law, ratio = wishart.centred(degrees), math.ldexp(1.0, -exponent) / math.sqrt(degrees)
        return law.certified(steps, 2, ratio, entropy(i)).tolist()

    fast = [released(i) for i in range(4)]
    monkeypatch.setattr(noise_on_grid, "SLACK", 1.0)
    assert fast == [released(i) for i in range(4)]
