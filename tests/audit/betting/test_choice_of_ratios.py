"""Likelihood ratios are found where a claim bounds a moment, and bets on them refute what events cannot."""

import json
import math

import numpy as np
import pytest

from dpspectra.audit import ZCDP, Renyi, audit
from dpspectra.audit.betting.choice_of_ratios import Source, ratios
from dpspectra.audit.betting.events import Ratio
from dpspectra.audit.reading.features import IMPOSSIBLE
from dpspectra.audit.recheck import faults
from dpspectra.audit.result import AuditResult
from tests.support.helpers import laplace, normal

SEEDS = range(2)


def past(mu, n=20_000, seed=0):
    rng = np.random.default_rng(seed)
    return {"output": rng.normal(mu, 1, n)}, {"output": rng.normal(0, 1, n)}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ratio_of_two_gaussians_is_found_in_both_orders(seed):
    """Where draws are, up to the flattening of what is large; both orders have the same merit."""
    found = list(ratios(past(1.0, seed=seed), [Source("output")], ((2.0, 1 / 1.2),)))
    assert sorted(ratio.favoured for _, ratio, _, _ in found) == [0, 1]
    for merit, ratio, place, gain in found:
        x = np.linspace(-1, 2, 50)
        logs = np.array(ratio.logs)[ratio.steps({"output": x})]
        assert logs == pytest.approx((x - 0.5) * (1 if ratio.favoured == 0 else -1), abs=0.4)
        assert place == 0
        assert 0.015 < merit < 0.05  # .037 by integration
        assert gain.mean > 0


def test_nothing_is_offered_where_nothing_varies_and_little_where_laws_are_alike():
    constant = {"output": np.zeros(100)}
    assert list(ratios((constant, constant), [Source("output")], ((2.0, 1.0),))) == []
    missing = {"output": np.full(100, np.nan)}
    assert list(ratios((missing, missing), [Source("output")], ((2.0, 1.0),))) == []
    assert all(merit < 0 for merit, *_ in ratios(past(0.0), [Source("output")], ((2.0, 0.1),)))


@pytest.mark.parametrize("moment", [(2.0, 0.0), (1.0625, 0.01), (64.0, 756.0), (8.0, 1e4), (1e4, 1e5)])
def test_extreme_claims_are_planned_without_overflow(moment):
    tables = past(3.0, 500)
    tables[0]["output"][::7] = np.nan
    tables[1]["output"][::5] = np.inf
    for merit, ratio, _, gain in ratios(tables, [Source("output")], (moment,)):
        assert math.isfinite(merit)
        assert np.all(np.isfinite(gain.growth(0.5, 4, (0.0, 0.0))))
        assert np.all(np.isfinite(ratio.logs))


def refuted(claim, mu, seed, **options):
    result = audit(normal(1 / mu), (0.0, 1.0), claim, rng=seed, seconds=600, **options)
    assert faults(result) == []
    return result


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("claim", [Renyi(2.0, 1 / 1.2), ZCDP(0.5 / 1.2)], ids=str)
def test_a_gaussian_that_exceeds_a_divergence_by_a_fifth_is_refuted(claim, seed):
    """Only the ratio shows it in 100,000 draws. The record says the same after it is read."""
    result = refuted(claim, 1.0, seed, independent=True)
    assert result.violated
    assert isinstance(result.event, Ratio)
    assert claim.value < result.bound <= 1.2 * claim.value
    assert result.counts is None
    again = AuditResult.from_json(result.to_json())
    assert again == result
    assert faults(again) == []
    assert "likelihood ratio of order" in result.summary()


def test_rows_of_calls_are_averaged():
    result = refuted(Renyi(2.0, 0.7), 1.0, 0, draws=40_000)
    assert result.violated
    assert result.rows == "averaged within calls"


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (normal(1.0), Renyi(2.0, 1.0)),
        (normal(1.0), ZCDP(0.5)),
        (normal(2.0), Renyi(8.0, 1.0)),
        (laplace(1.0), Renyi(2.0, math.log(2 / 3 * math.e + 1 / 3 * math.exp(-2)))),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_divergence_as_large_as_claimed_is_not_refuted(mechanism, claim, seed):
    """Each of twelve raises a false alarm with probability at most 0.001."""
    result = audit(mechanism, (0.0, 1.0), claim, rng=seed, draws=20_000, seconds=600, independent=True)
    assert not result.violated
    assert result.bound <= claim.value


def test_a_record_must_not_bet_on_an_order_that_is_not_claimed():
    """Nor name grades beyond the largest, nor a ratio that is none."""
    result = refuted(Renyi(2.0, 0.7), 1.0, 0, draws=40_000, independent=True)
    data = json.loads(result.to_json())

    def changed(change):
        forged = json.loads(json.dumps(data))
        bets = [bet for epoch in forged["evidence"]["epochs"] for bet in epoch if bet["event"]["kind"] == "ratio"]
        change(bets[0])
        return AuditResult.from_json(json.dumps(forged))

    assert any("order that the claim" in fault for fault in faults(changed(lambda bet: bet["event"].update(order=4.0))))
    assert any("must be possible" in f for f in faults(changed(lambda bet: bet["counts"][0].__setitem__(1, 2**40))))
    assert any("name a data set" in fault for fault in faults(changed(lambda bet: bet.update(point=1))))
    assert any("order that the claim" in fault for fault in faults(changed(lambda bet: bet.update(one_sided=True))))
    for wrong in ({"order": 1.0}, {"logs": [0.0]}, {"edges": [1.0, 0.0], "logs": [0.0] * 4}, {"logs": ["inf"] * 9}):
        with pytest.raises(ValueError, match="must be the JSON"):
            changed(lambda bet, wrong=wrong: bet["event"].update(wrong))


def test_impossible_outputs_are_no_ratio():
    def support(output, x):
        return abs(output - x) > 0.6

    def uniform(x, size, rng):
        return x + rng.random(size) - 0.5

    result = audit(uniform, (0.0, 0.2), Renyi(2.0, 0.1), support=support, draws=2000, rng=0)
    ratio = [bet for epoch in result.evidence.epochs for bet in epoch if isinstance(bet.event, Ratio)]
    assert all(bet.event.statistic != IMPOSSIBLE for bet in ratio)
