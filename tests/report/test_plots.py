"""Pictures of what an audit found: the event is drawn where it lies.

Seeds are fixed. With fresh ones, a share of 4096 draws is off by 0.05 with probability below 3e-9 (Hoeffding).
"""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, audit
from dpspectra.audit.betting.events import HalfLine, LabelSet
from dpspectra.audit.draws_for_picture import BARS, LabelSample, Sample, sampled
from dpspectra.audit.reading.features import IMPOSSIBLE
from dpspectra.report.audit_page import audit_page
from dpspectra.report.plots import least_miss

pytest.importorskip("matplotlib")
from dpspectra.report.plots import trade_off_plot, witness_figure, witness_plot

PAIR = (0.0, 1.0)


def shaded(figure):
    """Boxes of the shaded regions: left, bottom, right, top."""
    (axis,) = figure.axes
    boxes = [patch.get_bbox() for patch in axis.patches if patch.get_label() in ("witness", "closest event")]
    return [(box.x0, box.y0, box.x1, box.y1) for box in boxes]


def uniform(x, *, size, rng):
    return rng.uniform(x, x + 2.0, size)


def outside(output, data):
    return not data <= output <= data + 2


@pytest.mark.parametrize("favoured", [0, 1])
@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("threshold", [-9.0, 0.25, 9.0])
def test_a_half_line_is_shaded_from_its_threshold_to_its_side(favoured, above, threshold):
    values = tuple(np.random.default_rng(i).normal(i, 1.0, 4096) for i in (0, 1))
    seen = Sample("output", values, HalfLine("output", favoured, threshold, above))
    ((left, _, right, _),) = shaded(witness_figure(seen, "closest event"))
    bins = seen.bins()
    assert (left if above else right) == threshold
    assert (right if above else left) == (bins[-1] if above else bins[0])
    assert np.count_nonzero(np.abs(bins - threshold) < 1e-9) == 1, "no bin straddles the threshold"
    for side, drawn in enumerate(values):
        hits = seen.event.hits({"output": drawn})
        clipped = np.clip(drawn, bins[0], np.nextafter(bins[-1], bins[0]))
        counts, _ = np.histogram(clipped, bins)
        middles = (bins[1:] + bins[:-1]) / 2
        assert counts[(middles > threshold) if above else (middles < threshold)].sum() == hits.sum(), side


def test_bins_put_an_atom_at_the_threshold_into_the_half_line():
    values = np.repeat([0.0, 1.0, 2.0], 100)
    for above in (True, False):
        seen = Sample("output", (values, values), HalfLine("output", 0, 1.0, above))
        ((left, _, right, _),) = shaded(witness_figure(seen))
        counts, bins = np.histogram(values, seen.bins())
        middles = (bins[1:] + bins[:-1]) / 2
        assert counts[(left < middles) & (middles < right)].sum() == 200
    alone = Sample("output", (np.ones(9), np.ones(9)), HalfLine("output", 0, 1.0, False))
    assert len(shaded(witness_figure(alone))) == 1


def test_the_witness_of_uniform_noise_lies_where_one_data_set_has_nothing():
    """Uniform on [0, 2] and on [1, 3]: outputs below 1 are impossible on the second, those above 2 on the first."""
    result = audit(uniform, PAIR, ApproxDP(1.0, 0.05))
    assert result.violated
    seen: Any = sampled(uniform, PAIR, result)
    assert (seen.statistic, seen.event) == (result.event.statistic, result.event)
    for values, count in zip(seen.values, result.counts[:2], strict=True):
        share = np.mean(seen.event.hits({seen.statistic: values}))
        assert abs(share - count / result.counts[2]) < 0.05 + 0.1


@pytest.mark.parametrize("claim", [ApproxDP(1.0, 0.05), 1.0])
def test_what_the_support_rules_out_is_marked_where_it_lies(claim):
    result = audit(uniform, PAIR, claim, support=outside)
    assert result.violated
    assert "cannot occur" in result.witness
    seen: Any = sampled(uniform, PAIR, result, outside)
    sides = (0, 1) if result.event is None else (result.event.favoured,)
    assert result.event is None or result.event.statistic == IMPOSSIBLE
    for side in (0, 1):
        assert abs(np.mean(seen.marked[side]) - (0.5 if side in sides else 0.0)) < 0.05
    figure = witness_figure(Sample("output", seen.values, None, seen.marked))
    steps = [patch for patch in figure.axes[0].patches if "impossible" in patch.get_label()]
    assert len(steps) == len(sides)
    raw: Any = sampled(lambda x, *, size, rng: rng.uniform(x, x + 2.0, size), PAIR, result, outside)
    if raw.statistic == "output":
        first, second = (values[mark] for values, mark in zip(raw.values, raw.marked, strict=True))
        assert np.all(first < 1)
        assert np.all(second > 2)


def letters(x, *, size, rng):
    return rng.choice(["a", "b", "$c$", "d\n"], size, p=[0.4, 0.4, 0.1, 0.1] if x == 0 else [0.1, 0.4, 0.1, 0.4])


def test_labels_are_bars_of_which_members_are_marked():
    result = audit(letters, PAIR, 0.5)
    assert isinstance(result.event, LabelSet)
    seen: Any = sampled(letters, PAIR, result)
    shown = dict(zip(seen.names, zip(*seen.shares, seen.members, strict=True), strict=True))
    a, d = (next(share for name, share in shown.items() if letter in name) for letter in "ad")
    assert np.allclose([a[:2], d[:2]], [[0.4, 0.1], [0.1, 0.4]], atol=0.05)
    assert (a[2], d[2]) == ((True, False) if result.event.favoured == 0 else (False, True))
    assert seen.names[0 if result.event.favoured == 0 else -1] == next(name for name in seen.names if "a" in name)
    figure = witness_figure(seen)
    axis = figure.axes[0]
    marked = {round((bottom + top) / 2) for _, bottom, _, top in shaded(figure)}
    assert marked == {place for place, member in enumerate(seen.members) if member}
    bars = [patch for patch in axis.patches if patch.get_label() != "witness"]
    for side, shares in enumerate(seen.shares):
        for place, share in enumerate(shares):
            middles = [bar.get_y() + bar.get_height() / 2 - (0.4 * side - 0.2) for bar in bars]
            (bar,) = (bar for bar, middle in zip(bars, middles, strict=True) if abs(middle - place) < 1e-9)
            assert bar.get_width() == share
    assert "<svg" in witness_plot(seen), "names that are no formulas and have no line breaks"


LETTERS = "abcdefghij"


def test_many_labels_are_taken_together_at_the_end():
    def many(x, *, size, rng):
        drawn = (rng.integers(0, 60, size) + (20 if x else 0)) % 80
        return [f"label {LETTERS[i // 10]}{LETTERS[i % 10]}" for i in drawn]  # without numbers, which are read as such

    result = audit(many, PAIR, 1.0)
    seen: Any = sampled(many, PAIR, result)
    assert isinstance(seen, LabelSample)
    assert len(seen.names) <= BARS + 2
    assert [name.split(" more")[1] for name in seen.names if " more" in name] == [" in the event", " outside"]
    assert np.allclose([share.sum() for share in seen.shares], 1.0)
    inside = np.array(seen.members)
    for side, count in enumerate(result.counts[:2]):
        assert abs(seen.shares[side][inside].sum() - count / result.counts[2]) < 0.05 + 0.15
    ratios = np.log(seen.shares[0][:BARS] + 1e-4) - np.log(seen.shares[1][:BARS] + 1e-4)
    assert np.all(np.diff(ratios if result.event.favoured else -ratios) >= -1e-9)
    axis = witness_figure(seen).axes[0]
    single = max(shares[:BARS].max() for shares in seen.shares)
    assert seen.single == BARS
    assert single < axis.get_xlim()[1] < 2 * single, "the bars of single labels can be told apart"
    beside = {text.get_text().strip() for text in axis.texts}
    assert beside == {f"{share:.3g}" for shares in seen.shares for share in shares[BARS:] if share > axis.get_xlim()[1]}
    assert beside
    alarms, misses = seen.errors()
    assert {0.0, 1.0} <= set(np.round(alarms, 12)) & set(np.round(misses, 12))
    assert np.all(alarms + misses <= 1 + 1e-9) or result.event.favoured
    assert "<svg" in trade_off_plot(result.claim, seen, None)


def test_the_page_calls_the_event_what_it_is():
    sound, broken = (audit(letters, PAIR, claim, draws=2000) for claim in (3.0, 0.5))
    for result, role in ((sound, "closest event"), (broken, "witness")):
        html = audit_page("letters", result, sampled(letters, PAIR, result))
        assert f"<td>{role}</td>" in html
        assert html.count("<svg") == 3


def test_half_lines_of_learned_statistics_are_drawn_too():
    def cloud(x, *, size, rng):
        return rng.normal(size=(size, 6)) + x * np.array([0.5, -0.5, 0.4, -0.4, 0.6, -0.6])

    result = audit(cloud, PAIR, 1.0, draws=30_000)
    bets = [bet for epoch in result.evidence.epochs for bet in epoch]
    learned = next(bet.event for bet in reversed(bets) if isinstance(bet.event, HalfLine) and bet.event.score)
    seen: Any = sampled(cloud, PAIR, dataclasses.replace(result, event=learned))
    assert seen.event == learned
    hits = [np.mean((values >= learned.threshold) == learned.above) for values in seen.values]
    assert hits[learned.favoured] > hits[1 - learned.favoured]


def test_the_region_a_claim_forbids():
    """Against the exact trade-off of randomised response and of Gaussians; the table of points lies below the curve."""
    alarm = np.linspace(0, 1, 101)
    kink = 1 / (1 + math.e)
    exact = np.where(alarm <= kink, 1 - math.e * alarm, (1 - alarm) / math.e)
    assert np.allclose(least_miss(PureDP(1.0), alarm), exact, atol=1e-15)
    shifted = least_miss(ApproxDP(1.0, 0.125), alarm)
    assert np.allclose(shifted, np.maximum(0, np.maximum(0.875 - math.e * alarm, (0.875 - alarm) / math.e)))
    inside = alarm[1:-1]
    gaussian = ndtr(-ndtri(inside) - 1.0)
    forbidden = least_miss(GDP(1.0), inside)
    assert np.all(forbidden <= gaussian + 1e-12)
    assert np.max(gaussian - forbidden) < 0.06
    touching = ndtr(-0.5)  # at epsilon = 0 the curve and its tangent of slope -1 meet on the diagonal
    assert least_miss(Profile(((0.0, 1 - 2 * touching),)), np.array([touching])) == pytest.approx(touching)
