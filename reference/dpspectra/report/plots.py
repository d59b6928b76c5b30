"""Plots as inline SVG (extra ``plot``)."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.advice import Advice
from dpspectra.audit import AuditResult, CurveClaim
from dpspectra.audit.betting.events import SIDES
from dpspectra.audit.betting.wealth import log_threshold
from dpspectra.audit.draws_for_picture import LabelSample, Sample
from dpspectra.bounds import OrbitUtility
from dpspectra.ground import figures
from dpspectra.ground.figures import COLOURS, QUIET, SHADE
from dpspectra.report.demo_findings import TableRow


def advice_plot(epsilons: Sequence[float], ways: Sequence[Sequence[Advice]]) -> str:
    """Draw the expected error of each mechanism against epsilon, and mark where another one becomes the best."""
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(5.6, 4.6)
    found: dict[tuple[str, str | None], list[tuple[float, float]]] = {}
    for epsilon, some in zip(epsilons, ways, strict=True):
        for way in some:
            key = way.mechanism, way.arguments.get("mechanism")
            found.setdefault(key, []).append((epsilon, way.expected_error))
    for colour, ((mechanism, kind), points) in zip(COLOURS, found.items(), strict=False):
        axis.plot(*np.array(points).T, "o-", markersize=3, color=colour, label=kind or mechanism)
    best = [(some[0].mechanism, some[0].arguments.get("mechanism")) for some in ways]
    for (low, one), (high, other) in itertools.pairwise(zip(epsilons, best, strict=True)):
        if one != other:
            axis.axvline(math.sqrt(low * high), color=QUIET, linestyle=":")
    axis.set(xscale="log", yscale="log", xlabel="epsilon (nats)", ylabel=ways[0][0].error)
    axis.grid(alpha=0.3, which="both")
    figure.legend(loc="outside lower center", fontsize=9, frameon=False)
    return figures.svg(figure)


def error_plot(rows: Sequence[TableRow]) -> str:
    """One kind of error against epsilon: guaranteed, true (median and range), that of zero, and, shaded, impossible."""
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(5.2, 4.6)
    for colour, marker, name in zip(COLOURS, "osD^", dict.fromkeys(row.mechanism for row in rows), strict=False):
        own = [row for row in rows if row.mechanism == name]
        epsilons, errors = [row.epsilon for row in own], np.array([row.errors for row in own])
        promised = [row.guaranteed for row in own if row.guaranteed is not None]
        if len(promised) == len(own):
            axis.plot(epsilons, promised, "--", color=colour, label=f"{name}, guaranteed")
        axis.plot(
            epsilons, [row.true for row in own], marker + "-", markersize=4, color=colour, label=f"{name}, median"
        )
        axis.fill_between(epsilons, errors[:, 0], errors[:, -1], color=colour, alpha=0.25, linewidth=0)
    limits = {row.epsilon: row.impossible for row in rows if row.impossible is not None}
    if limits:
        floor = min(limits.values()) / 2
        axis.fill_between(list(limits), floor, list(limits.values()), color=SHADE, alpha=0.2, label="impossible")
        axis.set_ylim(bottom=floor)
    axis.axhline(rows[0].zero, color=QUIET, linestyle=":", label="releasing zero")
    axis.set(xscale="log", yscale="log", xlabel="epsilon (nats)", ylabel=rows[0].error_of)
    _ticks(axis, sorted({row.epsilon for row in rows}))
    axis.grid(alpha=0.3, which="both")
    figure.legend(loc="outside lower center", fontsize=9, frameon=False)
    return figures.svg(figure)


def _ticks(axis: Any, values: Sequence[float]) -> None:
    axis.set_xticks(values, [f"{value:g}" for value in values])
    axis.set_xticks([], minor=True)


def component_plot(released: NDArray[np.float64], best: NDArray[np.float64]) -> str:
    """Directions ``(d, k)`` of square pictures, released ones above, the best ones below, with signs that fit."""
    side, k = math.isqrt(len(best)), best.shape[1]
    figure, axes = figures.axes(k, 2)
    figure.set_size_inches(1.9 * k, 4.2)
    signs = np.where(np.sum(released * best, axis=0) < 0, -1.0, 1.0)
    for row, (name, frame) in enumerate({"released": released * signs, "best": best}.items()):
        for place, (axis, direction) in enumerate(zip(axes[row * k :], frame.T, strict=False), 1):
            largest = float(np.max(np.abs(direction)))
            axis.imshow(direction.reshape(side, -1), cmap="RdBu_r", vmin=-largest, vmax=largest)
            axis.set(xticks=[], yticks=[], title=f"{name} {place}")
    return figures.svg(figure)


def evidence_plot(results: Mapping[str, AuditResult]) -> str:
    """Wealth against each claim by draws, in powers of ten, and where the claim is refuted."""
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(8.8, 3.6)
    axis.set_xscale("log")
    for colour, (name, result) in zip(COLOURS, results.items(), strict=False):
        threshold = log_threshold(result.claim, 1 - result.confidence) / math.log(10)
        history = [(draws, min(value / math.log(10), 2 * threshold)) for draws, value in result.history]
        if history:
            axis.plot(*zip(*history, strict=True), "o-", markersize=3, color=colour, label=name)
        label = f"refuted from {10**threshold:.4g} (1/alpha = {1 / (1 - result.confidence):.4g})"
        axis.axhline(threshold, color=QUIET, linestyle=":", label=label)
    axis.set(xlabel="draws on each data set", ylabel="log10 of the wealth (e-value)")
    figures.finish(axis)
    return figures.svg(figure)


def utility_plot(curve: Sequence[OrbitUtility], marked: Sequence[OrbitUtility], beta: float) -> str:
    """Return the utility lost against epsilon: the guarantee, and shaded, the region that no mechanism reaches."""
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(7.2, 4.4)
    epsilons, impossible = [point.epsilon for point in curve], np.array([point.impossible for point in curve])
    axis.plot(
        epsilons, [point.guaranteed for point in curve], color=COLOURS[0], label=f"guaranteed, probability {1 - beta:g}"
    )
    axis.plot(epsilons, [point.mean for point in curve], "--", color=COLOURS[0], label="guaranteed in the mean")
    for point in marked:
        axis.plot([point.epsilon] * 2, [point.guaranteed, point.mean], "o", color=COLOURS[0])
    axis.axhline(curve[0].worst, color=QUIET, linestyle=":", label="the worst there is")
    if np.any(impossible > 0):
        floor, proved = np.min(impossible[impossible > 0]) / 10, np.where(impossible > 0, impossible, np.nan)
        axis.fill_between(epsilons, floor, proved, color=SHADE, alpha=0.2, linewidth=0)
        axis.plot(epsilons, proved, color=SHADE, label="impossible: lost half of the time by any mechanism")
        axis.set_ylim(floor, 2 * curve[0].worst)
    axis.set(xscale="log", yscale="log", xlabel="epsilon (nats)", ylabel="utility lost, OPT - <M, H>")
    figures.finish(axis)
    return figures.svg(figure)


def witness_plot(seen: Sample | LabelSample, role: str = "witness") -> str:
    """`witness_figure` as inline SVG."""
    return figures.svg(witness_figure(seen, role))


def witness_figure(seen: Sample | LabelSample, role: str = "witness") -> Any:
    """Plot a statistic on both data sets, with the region of the event shaded; ``role`` is the name of the event."""
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(8.8, 3.6 if isinstance(seen, Sample) else 1.4 + 0.3 * len(seen.names))
    if isinstance(seen, Sample):
        _histograms(axis, seen, role)
    else:
        _bars(axis, seen, role)
    figures.finish(axis)
    return figure


def _histograms(axis: Any, seen: Sample, role: str) -> None:
    """One statistic under both data sets on common bins; what lies beyond the ends is counted there."""
    bins = seen.bins()
    inside = np.nextafter(bins[-1], bins[0])  # the last bin of a histogram has its right edge, others not
    for side, (colour, values) in enumerate(zip(COLOURS, seen.values, strict=False)):
        weights, clipped = np.full(len(values), 1 / len(values)), np.clip(values, bins[0], inside)
        name = f"on the {SIDES[side]} data set"
        axis.hist(clipped, bins, weights=weights, color=colour, alpha=0.5, label=name)
        if seen.marked is not None and seen.marked[side].any():
            which, own = seen.marked[side], f"{role}: impossible on the {SIDES[1 - side]} data set"
            axis.hist(clipped[which], bins, weights=weights[which], histtype="step", color=SHADE, hatch="//", label=own)
    if seen.event is not None:
        begin, end = seen.event.threshold, bins[-1] if seen.event.above else bins[0]
        axis.axvspan(min(begin, end), max(begin, end), color=SHADE, alpha=0.12, linewidth=0, label=role)
        axis.axvline(begin, color=SHADE, linestyle="--")
    axis.set(xlabel=figures.printable(seen.statistic), ylabel="share of draws")


def _bars(axis: Any, seen: LabelSample, role: str) -> None:
    """Shares of labels under both data sets, one bar above the other, from the top down."""
    places = np.arange(len(seen.names))
    for side, (colour, shares) in enumerate(zip(COLOURS, seen.shares, strict=False)):
        axis.barh(places + 0.4 * side - 0.2, shares, 0.4, color=colour, label=f"on the {SIDES[side]} data set")
    for place in places[np.array(seen.members, dtype=bool)]:
        axis.axhspan(place - 0.5, place + 0.5, color=SHADE, alpha=0.12, linewidth=0, label=role)
    axis.set_yticks(places, [figures.printable(name) for name in seen.names])
    axis.set(xlabel="share of draws", ylabel=figures.printable(seen.statistic), ylim=(len(places) - 0.5, -0.5))
    end = 1.3 * max(shares[: seen.single].max() for shares in seen.shares)
    if end < max(shares.max() for shares in seen.shares):  # bars of many labels together end at the edge
        axis.set_xlim(0, end)
        for side, shares in enumerate(seen.shares):
            for place in np.flatnonzero(shares > end):
                where = (end, place + 0.4 * side - 0.2)
                axis.text(*where, f"{shares[place]:.3g} ", ha="right", va="center", color="w", fontsize=8)


def trade_off_plot(
    claim: CurveClaim, seen: Sample | LabelSample | None, event: tuple[float, float] | None, role: str = "witness"
) -> str:
    """Plot the errors of both kinds that tests of one data set against the other can achieve.

    A claim forbids the region under its curve, on either side of the diagonal; ``seen`` draws the tests that its
    statistic makes, and ``event`` is the point of the event that was bet on, called by its ``role``.
    """
    figure, (axis,) = figures.axes(1)
    figure.set_size_inches(5.2, 4.8)
    false_alarm = np.linspace(0, 1, 513)
    least = least_miss(claim, false_alarm)
    axis.fill_between(false_alarm, 0, least, color=SHADE, alpha=0.15, linewidth=0, label=f"forbidden by {claim}")
    axis.plot(false_alarm, least, color=SHADE, linewidth=1)
    if seen is not None:
        axis.plot(*seen.errors(), color=COLOURS[0], label="tests by the statistic, as drawn")
    if event is not None:
        axis.plot(*event, "D", color=COLOURS[1], label=f"the {role}, as counted")
    axis.set(xlabel="false alarms", ylabel="misses", xlim=(0, 1), ylim=(0, 1))
    figures.finish(axis)
    return figures.svg(figure)


def least_miss(claim: CurveClaim, false_alarm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smallest probability of a miss that a claim allows a test with each probability of a false alarm; elementwise.

    At a point ``(epsilon, delta)``: ``max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a))``, by the definition
    and by its mirror image.
    """
    least = np.zeros_like(false_alarm)
    for epsilon, delta in claim.points(claim.value):
        factor = math.exp(min(epsilon, 700.0))
        least = np.maximum(least, np.maximum(1 - delta - factor * false_alarm, (1 - delta - false_alarm) / factor))
    return least
