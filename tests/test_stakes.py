"""What the guarantee of the auditor rests on: stakes, shares of the risk, fresh randomness for every block of draws."""

import functools
import math

import numpy as np
import pytest
from mpmath import mp
from scipy.stats import binom

from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, Renyi, audit, audit_fixed, fixed_sample_size
from dpspectra.audit.features import IMPOSSIBLE
from dpspectra.audit.observe import Observer
from dpspectra.audit.options import Options
from dpspectra.audit.selection import select, with_impossible
from dpspectra.audit.wealth import Evidence, log_threshold
from dpspectra.fast.betting import BELOW, FRACTIONS, HIGHEST, bound_on_grid
from dpspectra.ledger import all_statements, certificate
from tests.helpers import bet, laplace

CLAIMS = [
    PureDP(1.0),
    ApproxDP(1.0, 0.05),
    GDP(1.0),
    Renyi(2.0, 1.0),
    Profile.of(lambda epsilon: 0.1 * math.exp(-epsilon), (0.0, 1.0, 2.0)),
]


def tables(kind, n=64):
    """Statistics of draws from two laws: unlike, alike, with ties, with missing values, constant."""
    rng = np.random.default_rng(len(kind))
    columns = {
        "unlike": [{"a": rng.normal(side, 1, n), "b": rng.normal(0, 1 + side, n)} for side in (0, 1)],
        "alike": [{"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.normal(size=n)} for _ in range(2)],
        "ties": [{"a": rng.integers(0, 2 + side, n) * 1.0, "b": np.zeros(n)} for side in (0, 1)],
        "missing": [{"a": np.where(rng.random(n) < 0.5, np.nan, rng.normal(side, 1, n))} for side in (0, 1)],
        "disjoint": [{"a": rng.normal(100 * side, 1, n)} for side in (0, 1)],
        "labels": [{"a": rng.integers(0, 9 + side, n).astype(np.uint64)} for side in (0, 1)],
        "constant": [{"a": np.zeros(n), "b": np.zeros(n, dtype=np.uint64)} for _ in range(2)],
    }[kind]
    impossible = np.zeros(n)
    impossible[:2] = 1
    return tuple(table | {IMPOSSIBLE: impossible} for table in columns)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
@pytest.mark.parametrize("kind", ["unlike", "alike", "ties", "missing", "disjoint", "labels", "constant"])
@pytest.mark.parametrize("side", [None, 0, 1])
def test_no_more_is_staked_than_there_is(claim, kind, side):
    """The stakes of a plan add up to 1 at most, so that wealth before a draw is 1 at most, against every value."""
    past, points = tables(kind), claim.points(claim.value)
    plans = select(past, points, None)
    if side is not None:
        plans = with_impossible(plans, side, past, points)
        assert plans[0].event.statistic == IMPOSSIBLE
        assert plans[0].share == 0.5
    assert (kind == "constant") == (plans == [] or len(plans) == (side is not None))
    assert sum(plan.share for plan in plans) <= 1 + 1e-12
    assert all(plan.share > 0 for plan in plans)
    assert all(0 <= plan.point < len(points) for plan in plans)
    if plans:
        start = Evidence((tuple(plan.lost(0) for plan in plans),))
        assert np.all(start.log_wealth(claim, np.array([0.0, claim.value, 7.0])) <= 1e-12)


def test_wealth_is_shared_out_over_fractions_whole():
    for fraction in range(len(FRACTIONS)):
        alone = Evidence(((bet((0, 0, 0, 0), fraction=fraction),),))
        assert alone.against(PureDP(1.0)) == pytest.approx(0.0, abs=1e-12)


@pytest.fixture
def keys(monkeypatch):
    """The keys of all generators that an audit makes, and the first number of each."""
    used, generator = [], Observer._rng

    def recorded(self, key):
        used.append((key, int(generator(self, key).integers(2**63))))
        return generator(self, key)

    monkeypatch.setattr(Observer, "_rng", recorded)
    return used


def one_by_one(x, rng):
    return rng.laplace(x)


def two_numbers(x, *, size, rng):
    return rng.laplace(x, size=(size, 2))


@pytest.mark.parametrize("mechanism", [laplace(1.0), one_by_one, two_numbers], ids=["batched", "one by one", "two"])
@pytest.mark.parametrize("fixed", [False, True], ids=["sequential", "fixed"])
def test_no_two_blocks_of_draws_share_randomness(mechanism, fixed, keys):
    """Not the two data sets, not epochs and looks, not the draws that choose events and those that settle bets."""
    if fixed:
        audit_fixed(mechanism, (0.0, 1.0), 1.0, draws=1000)
    else:
        first = audit(mechanism, (0.0, 1.0), 1.0, draws=1000)
        audit(mechanism, (0.0, 1.0), 1.0, draws=500, resume=first)
    assert len(keys) >= (6 if fixed else 20)
    assert len({key for key, _ in keys}) == len(keys)
    assert len({number for _, number in keys}) == len(keys)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: type(claim).__name__)
def test_a_claim_is_violated_exactly_where_the_bound_exceeds_it(claim):
    """At both doors, over evidence that refutes by much, by little and not at all."""
    seen = set()
    for pairs in (30, 100, 300):
        for first in range(0, pairs + 1, 10):
            second = (pairs - first) // 4
            tried = bet((0, first, second, pairs - first - second), favoured=first % 2)
            violated, bound = Evidence(((tried,),)).verdict(claim, 0.01)
            fixed = fixed_sample_size._judged(claim, Options(draws=pairs, confidence=0.99), [tried], 1)
            assert violated == (bound > claim.value)
            assert fixed.violated == (fixed.bound > claim.value)
            seen |= {violated, fixed.violated}
    assert seen == {False, True}


def test_a_fixed_number_of_draws_shares_the_risk_over_sides_and_events():
    """Limits of ``m`` events hold together: their exact chance of an alarm, times ``m``, is the risk at most.

    The law is at the claim: the event has probability ``e q`` and ``q``. Of the risk Clopper-Pearson limits on both
    sides use more than a seventh, so that fourteen events without their shares would break it.
    """
    n, q, events, risk = 60, 0.2, 14, 0.2
    claim, options = PureDP(1.0), Options(draws=2 * n, confidence=1 - risk)
    hits = np.arange(n + 1)

    def refuted(first, second, many):
        tried = bet((0, int(first), int(second), max(0, n - int(first) - int(second))))
        return fixed_sample_size._judged(claim, options, [tried] * many, 1).violated

    def chance(many):
        total = 0.0
        for second in hits[: 2 * n // 3]:
            low, high = 0, n - int(second) + 1  # fewest hits of the first that refute
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if refuted(middle, second, many) else (middle + 1, high)
            if low <= n - second:
                total += binom.pmf(second, n, q) * binom.sf(low - 1, n, math.e * q)
        return total

    assert events * chance(events) <= risk < events * chance(1)


@pytest.mark.parametrize(
    ("mechanism", "independent", "ways"), [(laplace(1.0), True, 2), (laplace(1.0), False, 1), (one_by_one, True, 1)]
)
def test_batches_cost_half_of_the_risk_as_they_may_be_drawn_in_two_ways(mechanism, independent, ways, monkeypatch):
    asked, judged = [], fixed_sample_size._judged

    def recorded(claim, options, bets, number):
        asked.append(number)
        return judged(claim, options, bets, number)

    monkeypatch.setattr(fixed_sample_size, "_judged", recorded)
    audit_fixed(mechanism, (0.0, 1.0), 1.0, draws=200, independent=independent)
    assert asked == [ways]
    tried = bet((0, 50, 2, 48))
    once, twice = (
        judged(PureDP(1.0), Options(draws=200, confidence=c), [tried], w) for c, w in ((0.999, 2), (0.9995, 1))
    )
    assert once.bound == pytest.approx(twice.bound, rel=1e-9)


@pytest.mark.parametrize("risk", [0.05, 1e-3])
def test_the_two_grids_of_a_bound_share_the_risk(risk):
    """Where wealth need not fall with the parameter: refutations get most of it, what lies below a claim the rest."""
    assert log_threshold(PureDP(1.0), risk) == -math.log(risk)
    for claim in CLAIMS:
        if not claim.monotone:
            refuted = math.exp(-log_threshold(claim, risk))
            assert refuted == pytest.approx((1 - BELOW) * risk)
            assert refuted + BELOW * risk <= risk * (1 + 1e-12)
    short, between, beyond = -math.log(risk * 0.95), -math.log(risk / 2), -math.log(BELOW * risk / 2)
    assert bound_on_grid(functools.partial(np.full_like, fill_value=short), 1.0, risk) == 0
    for wealth, infinite in ((between, False), (beyond, True)):
        bound = bound_on_grid(functools.partial(np.full_like, fill_value=wealth), 1.0, risk)
        assert math.isinf(bound) == infinite
        assert bound >= HIGHEST - 1
    for wealth, stands in ((between, 0.0), (beyond, 0.5)):

        def falling(values, height=wealth):
            return np.where(values <= 0.5, height, 0.0)

        assert bound_on_grid(falling, 1.0, risk) == stands


# ---------------------------------------------------------------- certificates of the ledger


def value(tree):
    """What a certificate's tree says, in the arithmetic of mpmath."""
    if isinstance(tree, str):
        numerator, _, denominator = tree.partition("/")
        return mp.mpf(numerator) / mp.mpf(denominator or 1)
    operation, *rest = tree
    x = [value(one) for one in rest]
    return {
        "add": lambda: mp.fsum(x),
        "sub": lambda: x[0] - x[1],
        "mul": lambda: mp.fprod(x),
        "div": lambda: x[0] / x[1],
        "neg": lambda: -x[0],
        "sqrt": lambda: mp.sqrt(x[0]),
        "exp": lambda: mp.exp(x[0]),
        "log": lambda: mp.log(x[0]),
        "normal_cdf": lambda: mp.erfc(-x[0] / mp.sqrt(2)) / 2,
        "pi": lambda: +mp.pi,
    }[operation]()


CERTIFIED = [entry for entry in all_statements() if "certificate" in entry.faces]


@pytest.mark.parametrize("bits", [24, 384])
@pytest.mark.parametrize("entry", CERTIFIED, ids=lambda entry: entry.id)
def test_certificates_enclose_their_values_at_any_precision(entry, bits, monkeypatch):
    """Both sides, to 1000 digits; at 24 bits a divisor may be too near to 0, which proves nothing."""
    proof = entry.faces["certificate"]()
    monkeypatch.setattr(certificate, "BITS", bits)
    with mp.workdps(1000):
        for side in ("greater", "lesser"):
            try:
                box = certificate.enclose(proof[side])
            except ValueError:
                assert bits == 24
                continue
            exact = value(proof[side])
            assert mp.mpf(box.low.numerator) / box.low.denominator <= exact, side
            assert exact <= mp.mpf(box.high.numerator) / box.high.denominator, side
