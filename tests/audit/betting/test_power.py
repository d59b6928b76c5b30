"""What so many draws could have said: known values, exact probabilities, limits, and the engine itself."""

import dataclasses
import itertools
import json
import math
import re

import numpy as np
import pytest
from scipy.stats import binom, norm

from dpspectra.audit import GDP, ApproxDP, Closeness, Profile, PureDP, Renyi, audit, proceedings
from dpspectra.audit.betting import power
from dpspectra.audit.betting.power import chance, fewest_draws, refutable, smallest_event
from dpspectra.audit.result import facts
from dpspectra.fast.betting import FRACTIONS, log_wealth
from dpspectra.report.audit_page import audit_page
from dpspectra.report.junit import junit
from tests.support.helpers import laplace

CLAIMS = [
    PureDP(0.1),
    PureDP(1.0),
    ApproxDP(1.0, 1e-5),
    ApproxDP(0.5, 0.2),
    GDP(1.0),
    Renyi(4.0, 0.5),
    Profile(((0.0, 0.2), (1.0, 0.1))),
    Closeness(0.1),
]


@pytest.mark.parametrize(
    ("draws", "epsilon", "probability", "loss"),
    [
        (300, 0.1, 0.5, 0.86),
        (300, 0.5, 0.5, 1.43),
        (300, 1.0, 0.5, 2.27),
        (300, 2.0, 0.5, 5.08),
        (1_000, 1.0, 0.5, 1.54),
        (1_000, 1.0, 0.1, 2.74),
        (3_000, 4.0, 0.5, 6.03),
        (10_000, 1.0, 0.5, 1.16),
        (10_000, 1.0, 0.01, 3.1),
        (100_000, 1.0, 0.01, 1.49),
        (100_000, 1.0, 0.5, 1.06),
    ],
)
def test_known_losses(draws, epsilon, probability, loss):
    """Values of another program of the same definition, with its own random numbers and every look of the engine."""
    assert refutable(draws, PureDP(epsilon), probability=probability) == pytest.approx(loss, rel=0.05)


@pytest.mark.parametrize(("draws", "epsilon", "probability"), [(100, 0.5, 0.5), (300, 4.0, 0.5), (300, 1.0, 0.1)])
def test_some_losses_are_out_of_reach(draws, epsilon, probability):
    assert refutable(draws, PureDP(epsilon), probability=probability) == math.inf


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_more_draws_see_more_and_never_less_than_the_claim(claim):
    numbers = [0, 1, 64, 65, 225, 1_200, 300_000, 10_000_000]
    losses = [refutable(draws, claim) for draws in numbers]
    assert losses[:3] == [math.inf] * 3
    assert all(after <= before for before, after in itertools.pairwise(losses))
    lowest = min(epsilon for epsilon, delta in claim.points(claim.value) if delta < 0.5)
    assert lowest < losses[-1] < lowest + 0.1
    events = [smallest_event(draws, claim) for draws in numbers]
    assert all(after <= before for before, after in itertools.pairwise(events))
    assert events[-1] > min(delta for _, delta in claim.points(claim.value))


@pytest.mark.parametrize("claim", [PureDP(1.0), ApproxDP(1.0, 1e-5), GDP(1.0)], ids=str)
@pytest.mark.parametrize("draws", [500, 20_000])
def test_rarer_events_than_the_smallest_are_out_of_reach(claim, draws):
    smallest = smallest_event(draws, claim)
    assert refutable(draws, claim, probability=1.02 * smallest) < math.inf
    assert refutable(draws, claim, probability=0.95 * smallest) == math.inf


def test_a_harder_demand_needs_a_larger_loss():
    claim = PureDP(1.0)
    plain = refutable(1_000, claim)
    assert refutable(1_000, claim, sure=0.99) > plain > refutable(1_000, claim, sure=0.5)
    assert refutable(1_000, claim, confidence=0.9999) > plain > refutable(1_000, claim, confidence=0.95)


@pytest.mark.parametrize(("p", "level"), [(0.5, 4.0), (0.9, 12.0), (0.2, 0.5)])
def test_one_epoch_is_as_likely_as_it_is_exactly(p, level):
    """64 pairs after the opening, of which the other draw is never in the event: the hits are binomial.

    The simulated share of 1,000 runs is off by more than .07 with probability below 1e-4 (normal approximation).
    """
    hits = np.arange(65)
    counts = np.stack([0 * hits, hits, 0 * hits, 64 - hits], axis=1)
    logs = log_wealth(counts, 0.5, 0.0)
    best = int(np.argmax(log_wealth([0, p, 0, 1 - p], 0.5, 0.0)))
    shares = np.exp2(-np.abs(np.arange(len(FRACTIONS)) - best))
    wealth = np.log(np.exp(logs) @ (shares / shares.sum() / 2))
    exact = binom.pmf(hits, 64, p)[wealth >= level].sum()
    assert chance(128, (0.5, 0.0), (p, 0.0), level) == pytest.approx(exact, abs=0.07)
    assert chance(64, (0.5, 0.0), (p, 0.0), level) == 0


@pytest.mark.parametrize("draws", [65, 100, 128, 129, 300, 1_000, 4_096, 100_001, 10_000_000])
def test_the_schedule_is_that_of_the_engine_with_fewer_looks(draws):
    """Every look but the last is one of the engine's, and no draw is counted twice or left out."""
    assert power.OPENING == proceedings.FIRST
    looks = [take for epoch in power._epochs(draws) for take in epoch.tolist()]
    assert all(take > 0 for take in looks)
    ends = proceedings.FIRST + np.cumsum(looks)
    assert ends[-1] == draws
    used, engine = proceedings.FIRST, set()
    while used < draws:
        blocks = min(proceedings.LOOKS, max(1, used // proceedings.FIRST))
        engine |= {used + max(proceedings.FIRST, used) // blocks * (i + 1) for i in range(blocks)}
        used *= 2
    assert set(ends[:-1].tolist()) <= engine


def test_no_test_needs_fewer_draws():
    """DPS-NOTEST; for GDP the points hold epsilon = 0, where the errors are those of the normal pair."""
    assert fewest_draws(GDP(6.0)) == math.ceil(math.log(900) / (-2 * norm.logcdf(3)))
    assert fewest_draws(GDP(6.0)) == 2_518
    assert fewest_draws(PureDP(0.0)) == math.ceil(math.log(900) / math.log(4))
    assert fewest_draws(Profile(((0.0, 0.2), (1.0, 0.1)), excess=0.9)) == math.inf
    for claim in CLAIMS:
        fewest = fewest_draws(claim)
        assert refutable(int(fewest), claim) == math.inf
        assert smallest_event(int(64 + 12 * fewest), claim) <= 1


@pytest.mark.parametrize("draws", [300, 1_000])
def test_the_engine_refutes_what_is_said_to_be_refutable(draws):
    """A coin of the stated loss, .9 of audits; 13 or fewer of 20 would have probability .0024, and seeds are fixed."""
    loss = refutable(draws, PureDP(1.0))

    def coin(data, *, rng):
        return float(rng.random() < 0.5 * math.exp(-loss * data))

    refuted = [audit(coin, (0, 1), 1.0, draws=draws, rng=seed).violated for seed in range(20)]
    assert sum(refuted) >= 14


def test_nonsense_is_refused():
    for call in (
        lambda: refutable(-1, PureDP(1.0)),
        lambda: refutable(100, PureDP(1.0), probability=1.0),
        lambda: refutable(100, PureDP(1.0), sure=0.0),
        lambda: smallest_event(100, PureDP(1.0), confidence=1.0),
        lambda: fewest_draws(PureDP(1.0), sure=1.5),
    ):
        with pytest.raises(ValueError, match="must"):
            call()


# ---------------------------------------------------------------- power


@pytest.mark.parametrize("claim", [PureDP(1.0), GDP(2.0), Renyi(2.0, 0.5), Profile([[0.0, 0.4], [1.0, 0.125]])])
def test_results_know_their_power(claim):
    result = audit(laplace(1.0), (0.0, 1.0), claim, draws=1000, confidence=0.99)
    loss = power.refutable(1000, claim, confidence=0.99)
    event = power.smallest_event(1000, claim, confidence=0.99)
    assert (result.power, result.refutable_probability) == (loss, event)
    told = facts(result)
    assert told["smallest event that shows"].startswith(f"probability {event:.3g}, ")
    if isinstance(claim, PureDP):
        assert told["smallest loss that shows"] == f"{loss:.4g} nats on half of the outputs (with probability 0.9)"
    else:
        (rate,) = re.findall(r"probability 0.5 on one side and (\S+) on the other", told["smallest loss that shows"])
        delta = power.refutable_delta(1000, claim, confidence=0.99)
        assert delta in [point[1] for point in claim.points(claim.value)]
        assert float(rate) == pytest.approx((0.5 - delta) * math.exp(-loss), rel=0.01)
    record = json.loads(result.to_json())
    assert (record["power"], record["refutable_probability"]) == (loss, event)
    for report in (audit_page("m", result, None), junit("a:b", result)):
        assert f"{loss:.4g} nats" in report
        assert f"probability {event:.3g}, " in report


def test_too_few_draws_have_no_power():
    result = audit(laplace(1.0), (0.0, 1.0), 1.0, draws=80)
    assert result.power == result.refutable_probability == math.inf
    assert result.summary().count("none: so few draws refute nothing") == 3
    assert (result.verdict, result.reason) == ("undecided", "so few draws refute nothing")
    assert json.loads(result.to_json())["power"] == "inf"
    assert "so few draws refute nothing" not in dataclasses.replace(result, violated=True).summary()


def test_a_running_audit_spends_no_time_on_its_power(monkeypatch):
    asked = []
    monkeypatch.setattr(power, "refutable", lambda *args, **kwargs: asked.append(args) or 2.0)
    seen = []
    audit(laplace(1.0), (0.0, 1.0), 1.0, draws=500, watch=seen.append)
    assert "power" not in json.loads(seen[-2].to_json())
    assert asked == []
    assert json.loads(seen[-1].to_json())["power"] == 2.0


def test_a_weak_audit_is_undecided(refuted, sound):
    shows = sound.power
    for required, undecided in ((shows, False), (shows * 0.99, True), (None, False)):
        weak = dataclasses.replace(sound, required_power=required)
        assert bool(weak.undecided) is undecided
        assert weak.verdict == ("undecided" if undecided else "not refuted")
    weak = dataclasses.replace(sound, required_power=1.1)
    assert facts(weak)["reason"] == (
        f"so few draws refute losses of {shows:.4g} nats or more only, and 1.1 nats were to be refutable "
        "(on half of the outputs, prespecified)"
    )
    assert "make about" in weak.next_step or "make more draws" in weak.next_step
    for required in (0.5, 1.0):
        assert (
            "require 1.002 nats or more (--require-power)"
            in dataclasses.replace(sound, required_power=required).next_step
        )
    assert '<error type="Undecided"' in junit("a:b", weak)
    assert dataclasses.replace(refuted, required_power=1e-9).verdict == "refuted"
    assert type(weak).from_json(weak.to_json()) == weak


# ---------------------------------------------------------------- the record


def test_a_claim_that_no_test_could_have_refuted_says_so():
    """Publishing the data meets no (2, 12)-Renyi claim, and half a million draws are needed to show it."""
    result = audit(lambda x: x, (0.0, 1.0), Renyi(2.0, 12.0), draws=1000)
    assert "no test refutes with fewer than: 553" in result.summary()
    assert "no test refutes" not in audit(lambda x: x, (0.0, 1.0), 1.0, draws=1000).summary()


@pytest.mark.parametrize("claim", [PureDP(1e300), GDP(1e6), Renyi(2.0, 1e300)])
def test_a_claim_that_excludes_nothing_in_floats_takes_all_draws_without_a_warning(claim):
    assert fewest_draws(claim) == math.inf
