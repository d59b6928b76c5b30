"""Plots as inline SVG (extra ``plot``)."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpspectra.report.findings import Audit, Row

COLOURS = ("#0b5fa5", "#b3541e", "#2f7d32", "#7a3b8f")


def _axes(columns: int) -> tuple[Any, Any]:
    try:
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=(4.4 * columns, 3.6), layout="constrained")
    except ImportError as error:
        raise ImportError("plots need matplotlib: install dpspectra[plot]") from error
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def _svg(figure: Any) -> str:
    """The figure as an SVG element without the XML head."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def error_plot(rows: Sequence[Row], zero_error: float) -> str:
    """True error and guaranteed error against epsilon; one panel for each kind of error.

    ``zero_error`` is the Frobenius error of releasing zero; it is drawn where a Frobenius error is.
    """
    panels = list(dict.fromkeys(row.error_of for row in rows))
    figure, axes = _axes(len(panels))
    for axis, error_of in zip(axes, panels, strict=True):
        here = [row for row in rows if row.error_of == error_of]
        for colour, name in zip(COLOURS, dict.fromkeys(row.mechanism for row in here), strict=False):
            own = [row for row in here if row.mechanism == name]
            epsilons = [row.epsilon for row in own]
            promises = [row.guaranteed for row in own if row.guaranteed is not None]
            if len(promises) == len(own):
                axis.plot(epsilons, promises, "--", color=colour, label=f"{name}, guaranteed")
            axis.plot(epsilons, [row.true for row in own], "o-", color=colour, label=f"{name}, true")
        if error_of == rows[0].error_of:
            axis.axhline(zero_error, color="#444", linestyle=":", label="releasing zero")
        axis.set(xscale="log", yscale="log", xlabel="epsilon (nats)", ylabel=error_of)
        _ticks(axis, sorted({row.epsilon for row in here}))
        axis.grid(alpha=0.3, which="both")
        axis.legend(fontsize=7)
    return _svg(figure)


def _ticks(axis: Any, values: Sequence[float]) -> None:
    axis.set_xticks(values, [f"{value:g}" for value in values])
    axis.set_xticks([], minor=True)


def evidence_plot(audits: Sequence[Audit]) -> str:
    """Wealth against the claim by draws, and where the claim is refuted."""
    figure, (axis,) = _axes(1)
    figure.set_size_inches(8.8, 3.6)
    axis.set_xscale("log")
    for colour, found in zip(COLOURS, audits, strict=False):
        threshold = -math.log(1 - found.result.confidence)
        history = [(draws, min(value, 2 * threshold)) for draws, value in found.result.history]
        axis.plot(*zip(*history, strict=True), "o-", markersize=3, color=colour, label=found.name)
        axis.axhline(threshold, color="#444", linestyle=":")
    axis.set(xlabel="draws a side", ylabel="log of wealth")
    axis.grid(alpha=0.3, which="both")
    axis.legend(fontsize=8)
    return _svg(figure)
