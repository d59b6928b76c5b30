"""What releases claim together: against numerical composition, exact sums, and the smallest true epsilon."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import expit

import dpspectra as dps
from dpspectra.certified import composition
from dpspectra.fast.composition import optimal_delta, unequal_delta
from dpspectra.fast.gaussian_profile import profile
from tests.support.helpers import optional

PURE = dps.Claim("replace", 0.1)


def claim(epsilon=1.0, delta=0.0, mu=None, **others):
    return dps.Claim("replace", epsilon, delta, mu, **others)


def gaussian(mu, epsilon=1.0):
    return claim(epsilon, float(profile(epsilon, mu)), mu)


def lists(number, seed):
    """Random lists of claims and a delta; a third all Gaussian, a third none, epsilons multiples of 1/512."""
    rng = np.random.default_rng(seed)
    for case in range(number):
        size, delta = int(rng.integers(1, 13)), 10 ** rng.uniform(-9, -2)
        share = (0.0, 1.0, 0.5)[case % 3]
        claims = []
        for _ in range(size):
            if rng.random() < share:
                claims.append(gaussian(float(rng.uniform(0.05, 1.0))))
            else:
                failure = 0.0 if rng.random() < 0.5 else delta / size * rng.uniform(0, 0.9)
                claims.append(claim(int(rng.integers(1, 512)) / 512, failure))
        yield claims, delta


def numerical(claims, delta):
    """Epsilon by dp_accounting: of randomised responses, and of normal noise discretised optimistically."""
    distributions = optional("dp_accounting.pld.privacy_loss_distribution")
    masses = optional("dp_accounting.pld.pld_pmf")
    composed, step = None, 2.0**-9
    for each in claims:
        if each.gdp_mu:
            pld = distributions.from_gaussian_mechanism(
                1 / each.gdp_mu, pessimistic_estimate=False, value_discretization_interval=step, use_connect_dots=False
            )
        else:
            kept = {s * int(each.epsilon / step): (1 - each.delta) * expit(s * each.epsilon) for s in (1, -1)}
            pld = distributions.PrivacyLossDistribution(masses.create_pmf(kept, step, each.delta, False))
        composed = pld if composed is None else composed.compose(pld)
    return composed.get_epsilon_for_delta(delta)


def compared(number, seed):
    """Ratios of the composed epsilon to the numerical one, for lists that are all Gaussian and for others."""
    ratios = {True: [], False: []}
    for claims, delta in lists(number, seed):
        least, found = numerical(claims, delta), dps.compose(claims, delta=delta).epsilon
        assert found >= least * (1 - 1e-9)  # the error of sums of floats there, which are not rounded upward
        ratios[all(each.gdp_mu for each in claims)].append(found / least)
    return ratios


def test_it_is_never_below_numerical_composition_and_exact_for_normal_noise():
    ratios = compared(40, 0)
    assert max(ratios[True]) < 1.01
    assert len(ratios[True]) >= 10


@pytest.mark.parametrize("times", [1, 2, 10, 200])
@pytest.mark.parametrize("delta0", [0.0, 1e-9])
def test_equal_claims_get_the_optimum(times, delta0):
    epsilon = dps.compose([claim(0.1, delta0)] * times, delta=1e-6, method="optimal").epsilon
    assert optimal_delta(epsilon, times, 0.1, delta0) == pytest.approx(1e-6, rel=1e-7)
    assert optimal_delta(epsilon, times, 0.1, delta0) <= 1e-6 * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_unequal_claims_get_nearly_the_optimum(seed):
    rng = np.random.default_rng(seed)
    epsilons, deltas = rng.uniform(0.01, 2.0, 9), rng.uniform(0, 1e-7, 9)
    pairs = [claim(*pair) for pair in zip(epsilons, deltas, strict=True)]
    epsilon = dps.compose(pairs, delta=1e-5, method="optimal").epsilon
    assert unequal_delta(epsilon, epsilons, deltas) <= 1e-5
    assert unequal_delta(epsilon - 9 * epsilons.max() / 4096, epsilons, deltas) > 1e-5


def test_basic_sums_are_rounded_upward():
    ten = dps.compose([PURE] * 10)
    assert (ten.epsilon, ten.delta) == (math.nextafter(1.0, 2.0), 0.0)
    both = dps.compose([claim(1.0, 1e-6), claim(0.5, 2.0**-80)])
    assert both.epsilon <= 1.5
    assert both.delta == math.nextafter(1e-6, 1.0)


def test_normal_noise_adds_in_squares():
    both = dps.compose([gaussian(0.3), gaussian(0.4)], delta=1e-5)
    assert both.gdp_mu == pytest.approx(0.5, rel=1e-15)
    assert float(profile(both.epsilon, 0.5)) == pytest.approx(1e-5, rel=1e-9)
    assert dps.compose([gaussian(0.3)], delta=0.9).epsilon == 0.0
    assert dps.compose([gaussian(0.3), PURE], delta=1e-5).gdp_mu is None


def test_a_stated_rho_adds_up_with_what_follows_from_the_others():
    """A stopped run counts in full; nothing follows from a claim with a delta alone, and none is stated by itself."""
    stated = claim(2.0, 1e-6, rho=0.25)
    stopped = dps.Claim("replace", 1.0, 1e-5, 0.5, used_mu=0.25)
    assert dps.compose([stated, stated, claim(0.5), stopped]).rho == 0.25 + 0.25 + 0.125 + 0.125
    for epsilon in (0.1, 0.2, 0.3, 0.4):
        found, exact = dps.compose([stated, claim(epsilon)]).rho, Fraction(1, 4) + Fraction(epsilon) ** 2 / 2
        assert math.nextafter(found, 0) < exact <= found
    assert dps.compose([stated, claim(1.0, 1e-6)]).rho is None
    assert dps.compose([claim(0.5), stopped]).rho is None


@pytest.mark.parametrize("method", ["optimal", "best"])
@pytest.mark.parametrize(
    ("deltas", "least"),
    [((0.0,), 0.0), ((1e-6,), 1e-6), ((2.0**-10, 2.0**-10), 2.0**-9 - 2.0**-20), ((0.0, 0.25), 0.25)],
)
def test_epsilons_add_up_at_the_smallest_delta_that_has_any(method, deltas, least):
    """That is the probability that some output reveals the data; below it no epsilon is enough."""
    claims = [claim(1.0, delta) for delta in deltas]
    assert dps.compose(claims, delta=least, method=method).epsilon == len(claims)
    if least:
        below = math.nextafter(least, 0)
        with pytest.raises(ValueError, match="delta must be at least"):
            dps.compose(claims, delta=below, method=method)


def test_normal_noise_among_others_is_taken_together():
    mixed = [gaussian(0.05)] * 100 + [claim(0.3)]
    alone = dps.compose(mixed[:100], delta=1e-5).epsilon
    assert alone < dps.compose(mixed, delta=1e-5).epsilon < alone + 0.31
    with pytest.raises(ValueError, match="delta must be above"):
        dps.compose([claim(1.0, 1e-5), gaussian(0.1)], delta=1e-5)


def test_numerical_composition_is_offered_and_says_so():
    optional("dp_accounting")
    found = dps.compose([gaussian(0.3), claim(0.5), claim(0.5)], delta=1e-5, method="pld")
    assert found.epsilon < dps.compose([gaussian(0.3), claim(0.5), claim(0.5)], delta=1e-5).epsilon
    assert found.arithmetic == "ideal"
    assert any("dp_accounting" in assumption for assumption in found.assumptions)


def test_what_it_rests_on_is_united():
    one = claim(labels=("JXZ-T1", "MWKTV-T5.2"), assumptions=("a", "b"), arithmetic="certified")
    two = claim(labels=("HR-T2.6R", "JXZ-T1"), assumptions=("b", "c"), arithmetic="certified")
    both = dps.compose([one, dps.Release(0.0, two)])
    assert both.arithmetic == "certified"
    assert both.assumptions[:3] == ("a", "b", "c")
    assert both.labels == ("JXZ-T1", "MWKTV-T5.2", "HR-T2.6R", "DPS-COMPOSE")
    assert dps.compose([one, claim()]).arithmetic == "ideal"
    assert dps.ledger.get("DPS-COMPOSE")


def test_neighbours_are_those_of_every_claim():
    """The smallest bound, the smallest change, the united domain; an any-row claim joins a bounded one."""
    bounds = [claim(norm_bound=1.0), claim(norm_bound=1e-3), claim(domain=("all numbers are finite",))]
    both = dps.compose([*bounds, claim(public=("trace = 900",))])
    assert (both.norm_bound, both.domain, both.public) == (1e-3, (), ("trace = 900",))
    assert "norm at most 0.001" in both.neighbours
    rows = [
        dps.Claim("row", 0.1, change=c, domain=domain) for c, domain in ((4.0, ()), (2.0, ("a", "b")), (3.0, ("c",)))
    ]
    assert dps.compose(rows).unit == dps.Claim("row", 1, change=2.0, domain=("a", "b", "c")).unit
    with pytest.raises(ValueError, match="claims must have one people, got None and parts"):
        dps.compose([claim(), claim(people="parts")])


def test_what_does_not_fit_floats_is_left_to_sums():
    assert dps.compose([claim(1e300)] * 3, delta=1e-5).epsilon == 3e300
    with pytest.raises(ValueError, match=r"the sum of epsilons must be below 1\.7e308"):
        dps.compose([claim(1e308)] * 2)
    with pytest.raises(ValueError, match="epsilons must be smaller or fewer for method 'optimal'"):
        dps.compose([claim(20.0)] * 50, delta=0.5, method="optimal")
    assert dps.compose([claim(20.0)] * 50, delta=0.5).epsilon == 1000.0
    assert composition.optimal([4.0] * 500, [0.0] * 500, 1e-6) == math.inf
    assert dps.compose([claim(4.0)] * 500, delta=1e-6).epsilon == 2000.0
    assert composition.optimal(list(np.linspace(0.5, 1, 10**5)), [0.0] * 10**5, 1e-6) == math.inf
    assert dps.compose([claim(0.0)] * 2, delta=1e-6).epsilon == 0.0


@pytest.mark.parametrize(
    ("claims", "options", "message"),
    [
        ([], {}, "claims must hold one claim at least, got none"),
        (PURE, {}, "claims must be a sequence of claims or releases, got 'Claim'"),
        (3, {}, "claims must be a sequence"),
        ([PURE, 1.0], {}, "claims must hold claims and releases, got float at 1"),
        ([PURE, dps.Claim("add_remove", 0.1)], {}, "claims must have one relation, got replace and add_remove"),
        ([PURE], {"delta": 1.0}, r"delta must lie in \[0, 1\), got 1.0"),
        ([PURE], {"method": "renyi"}, "method must be one of best, basic, optimal, gaussian, pld, got 'renyi'"),
        ([PURE], {"method": "gaussian"}, "claims must all have a gdp_mu for method 'gaussian', got 1 without"),
        ([claim(1.0, 0.01)], {"delta": 0.001}, "delta must be at least 0.01 for these claims, got 0.001"),
        ([claim(1.0, 0.01)], {"delta": 0.001, "method": "basic"}, "delta must be at least 0.01 for"),
        ([claim(1.0, 0.6)] * 2, {}, "the deltas of claims must add up to less than 1 unless delta is given, got 1.2"),
    ],
)
def test_what_does_not_compose_is_refused(claims, options, message):
    with pytest.raises(ValueError, match=message):
        dps.compose(claims, **options)


def test_an_output_that_gives_itself_away_leaves_nothing_private():
    assert unequal_delta(1.0, [0.5, 0.5], [0.0, 1.0]) == 1.0
    assert unequal_delta(0.0, [0.0, 0.0], [0.5, 0.5]) == pytest.approx(0.75)
