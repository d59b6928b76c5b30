"""Conversions between measures: upward of the exact number in mpmath, tight, both ways; and what does not follow."""

import math

import numpy as np
import pytest
from mpmath import mp

import dpspectra as dps
from dpspectra.fast.gaussian_profile import profile
from dpspectra.mechanisms.gaussian_mu import whole_mu
from dpspectra.oracle import gaussian_profile as oracle
from tests.support.helpers import optional

LOSSES = [1e-6, 0.01, 0.3, 1.0, 4.0, 30.0, 900.0]
ORDERS = [1.0001, 1.5, 2.0, 8.0, 64.0, 1e4]


def above(found, exact, within=1e-12):
    """A float is at or above the exact number, and close."""
    with mp.workdps(60):
        return exact <= mp.mpf(found) <= exact * (1 + mp.mpf(within))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_pure_loss_in_other_measures(loss):
    with mp.workdps(600):
        epsilon = mp.mpf(loss)
        tail = 1 / (1 + mp.exp(epsilon))
        mu = mp.mpf(dps.convert("mu", epsilon=loss))
        error, less = (mp.erfc(x / mp.sqrt(8)) / 2 for x in (mu, mu * (1 - mp.mpf(10) ** -12)))
        assert error <= tail < less
        assert above(dps.convert("rho", epsilon=loss), epsilon**2 / 2)
        for order in ORDERS:
            alpha = mp.mpf(order)
            coins = mp.log(mp.cosh((alpha - 0.5) * epsilon) / mp.cosh(epsilon / 2)) / (alpha - 1)
            assert above(dps.convert("renyi", epsilon=loss, order=order), coins)


@pytest.mark.parametrize("rho", [1e-8, 1e-3, 0.1, 0.5, 3.0, 100.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01, 0.4])
def test_epsilon_of_rho_is_the_optimum_over_orders(rho, delta):
    """At no order of a fine grid is it smaller; and no smaller than normal noise needs, for which rho is exact."""
    found = dps.convert("epsilon", rho=rho, delta=delta)
    with mp.workdps(40):
        orders = [1 + mp.mpf(x) for x in np.geomspace(1e-4, 1e6, 4000)]
        each = [a * mp.mpf(rho) + mp.log(1 - 1 / a) - mp.log(a * mp.mpf(delta)) / (a - 1) for a in orders]
    assert 0 <= found <= max(0, min(each)) * (1 + 1e-9)
    assert found >= max(0, float(min(each))) * (1 - 1e-4)
    assert profile(found, math.sqrt(2 * rho)) <= delta


def test_epsilons_agree_with_dp_accounting():
    rdp = optional("dp_accounting.rdp.rdp_privacy_accountant")
    for order, divergence, delta in [(2.0, 0.3, 1e-3), (8.0, 0.5, 1e-6), (64.0, 4.0, 1e-9)]:
        theirs = rdp.compute_epsilon([order], [divergence], delta)[0]
        assert dps.convert("epsilon", renyi={order: divergence}, delta=delta) == pytest.approx(theirs, rel=1e-12)


def test_of_several_orders_the_best_one_counts():
    curve = {2: 0.1, 8: 0.5, 64: 9.0}
    each = [dps.convert("epsilon", renyi={order: r}, delta=1e-5) for order, r in curve.items()]
    assert dps.convert("epsilon", renyi=curve, delta=1e-5) == min(each)
    assert dps.convert("rho", renyi=curve, largest=True) == 0.05


@pytest.mark.parametrize(
    ("to", "known"),
    [
        ("epsilon", {"rho": 0.3}),
        ("epsilon", {"mu": 0.7}),
        ("epsilon", {"renyi": {8.0: 0.5}}),
        ("epsilon", {"rho": 0.3, "delta": 1e-6}),
        ("epsilon", {"renyi": {8.0: 0.5}, "delta": 1e-6}),
        ("mu", {"rho": 0.3}),
        ("mu", {"epsilon": 1.0, "delta": 1e-6}),
        ("rho", {"epsilon": 1.0, "delta": 1e-6}),
        ("rho", {"renyi": {8.0: 0.5}}),
        ("renyi", {"epsilon": 3.0, "delta": 1e-6}),
    ],
)
def test_the_largest_amount_is_within_the_limit_and_the_next_float_is_not(to, known):
    order = {"order": 8.0} if to == "renyi" else {}
    found = dps.convert(to, **known, **order, largest=True)
    (measure, limit) = next(iter(known.items()))
    back = {"order": next(iter(limit))} if measure == "renyi" else {}
    limit = next(iter(limit.values())) if back else limit
    delta = {"delta": known["delta"]} if "delta" in known else {}

    def implied(amount):
        if to == "epsilon" and delta:  # asked of a mechanism with normal noise
            return dps.convert(measure, mu=whole_mu((amount, known["delta"])), **back)
        if (to, measure) == ("mu", "epsilon"):
            return 0.0 if oracle.profile(mp.mpf(limit), mp.mpf(amount)) <= known["delta"] else math.inf
        source = {"renyi": {8.0: amount}} if to == "renyi" else {to: amount}
        return dps.convert(measure, **source, **back, **(delta if measure == "epsilon" else {}))

    assert implied(found) <= limit < implied(found * (1 + 1e-10))


@pytest.mark.parametrize(
    ("to", "known", "message"),
    [
        ("rho", {"epsilon": 1.0, "delta": 1e-6}, "got epsilon with delta 1e-06: for the largest rho within it call"),
        ("renyi", {"epsilon": 1.0, "delta": 1e-6, "order": 2}, "renyi must be asked of a measure from which it follow"),
        ("mu", {"rho": 1.0}, "mu must be asked of a measure from which it follows, got rho"),
        ("rho", {"renyi": {2: 1.0}}, "rho must be asked of a measure from which it follows, got renyi"),
        ("renyi", {"renyi": {2: 1.0}, "order": 3}, "got renyi"),
        ("epsilon", {"rho": 1.0}, "delta must be above 0 for an epsilon that follows from rho, got 0"),
        ("epsilon", {"mu": 1.0}, "delta must be above 0"),
        ("rho", {}, "one amount must be given of epsilon, mu, rho, renyi, got 0"),
        ("rho", {"mu": 1.0, "epsilon": 1.0}, "got 2"),
        ("sigma", {"mu": 1.0}, "to must be one of epsilon, mu, rho, renyi, got 'sigma'"),
        ("renyi", {"mu": 1.0}, "order must be given for renyi and nothing else, got None for renyi"),
        ("rho", {"mu": 1.0, "order": 2}, "order must be given for renyi and nothing else, got 2 for rho"),
        ("renyi", {"mu": 1.0, "order": 1}, "order must be above 1, got 1"),
        ("epsilon", {"renyi": {1: 1.0}, "delta": 0.1}, "order must be above 1"),
        ("epsilon", {"renyi": {}, "delta": 0.1}, "renyi must hold divergences by their orders"),
        ("epsilon", {"renyi": 0.5, "delta": 0.1}, "renyi must hold divergences by their orders"),
        ("rho", {"mu": math.nan}, "mu must be"),
        ("rho", {"mu": 0}, "mu must be positive"),
        ("rho", {"epsilon": 1.0, "delta": 1.0}, "delta must lie in"),
        ("rho", {"epsilon": 1.0, "largest": 1}, "largest must be True or False"),
    ],
)
def test_what_does_not_follow_is_refused(to, known, message):
    with pytest.raises(ValueError, match=message):
        dps.convert(to, **known)


def test_amounts_beyond_every_scale_are_refused():
    for known in ({"rho": 1e300}, {"rho": 1e-30}, {"renyi": {1e9: 1.0}}, {"rho": 1.0, "delta": 1e-300}):
        with pytest.raises(ValueError, match=r"must lie between 2\*\*-60 and 2\*\*20"):
            dps.convert("epsilon", **known, largest=True)


def test_no_amount_takes_long():
    """Within a second, near 0 and far from it; this one sought for hours where normal noise has an epsilon near 0."""
    for epsilon in (1e-3, 1e-9, 1e-12, 1e-15):
        delta = float(profile(epsilon, 1.0))
        assert dps.convert("epsilon", mu=1.0, delta=delta) <= epsilon + 1e-14
        assert (
            dps.compose([dps.Claim("replace", 1.0, 0.2, 1.0)], delta=delta, method="gaussian").epsilon
            <= epsilon + 1e-14
        )
