"""Pictures of releases: eigenvalues beside noise, loadings of named columns, private histograms of scores."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpspectra.ground import checks, extras, figures
from dpspectra.ground.array_types import Floats
from dpspectra.mechanisms.claims import Guarantee
from dpspectra.mechanisms.noise_intervals import eigenvalue_intervals, spectrum_of
from dpspectra.mechanisms.spectrum import EIGENVALUE
from dpspectra.mechanisms.usefulness import STATED, of_eigenvalues, standing

if TYPE_CHECKING:
    from dpspectra.mechanisms.release import Release

SMALLEST, LARGEST = 3.0, 30.0
"""Widths of a figure in inches: a phone and a poster."""
PANEL = 2.8
"""Width that each panel needs where they stand side by side, in inches."""
MOST_ROWS, MOST_VALUES, MOST_COLUMNS = 24, 40, 8
"""Columns whose loadings are shown, those with the largest; eigenvalues; directions."""
LONGEST = 18
"""Letters of a name that are shown."""
PER_INCH = 15
"""Letters of small text in an inch."""
NOT_DRAWN = ("private_mean", "private_low_rank")
"""Mechanisms of the command line whose releases have no picture."""
SMALL = 8
"""Size of small text in points."""


class Shown(NamedTuple):
    """Eigenvalues as a scree plot has them."""

    values: Floats
    number: int
    """How many stand out from noise."""
    edge: float
    """The edge of noise alone."""
    ends: Floats
    """Ends of intervals that hold together with ``probability``, ``(k, 2)``."""
    probability: float
    shares: Floats | None = None
    """Shares of the variance, those released beside the ends of their intervals, ``(k, 3)``."""


def figure(release: Release[Any], columns: Sequence[str] | None, width: float, all_cells: bool) -> Any:
    """Return the figure of `Release.plot`."""
    inches = checks.finite_number(width, "width")
    if not SMALLEST <= inches <= LARGEST:
        raise ValueError(f"width must be from {SMALLEST:g} to {LARGEST:g} inches, got {inches:g}")
    if "cells_shown" in release.details:
        return _scores(release, inches, checks.flag(all_cells, "all_cells"))
    shown, frame = _scree(release), _directions(release)
    if shown is None and frame is None:
        raise ValueError(
            "a release must have noisy eigenvalues, directions or counts of scores to be drawn, got another one: "
            "private_pca, private_spectrum, covariances without denoise and private_score_histogram give such"
        )
    panels = (["scree", "shares"] if shown is not None else []) + (["loadings"] if frame is not None else [])
    if shown is not None and shown.shares is None:
        panels.remove("shares")
    names = None if frame is None else _names(release, columns, len(frame))
    across, down = (len(panels), 1) if inches >= PANEL * len(panels) else (1, len(panels))
    rows = 0 if frame is None else min(len(frame), MOST_ROWS)
    height = down * max(3.6, 1.4 + 0.2 * rows) + 0.8
    drawn, axes = figures.axes(across, down, (inches, height))
    for axis, panel in zip(axes, panels, strict=True):
        if panel == "loadings":
            assert frame is not None
            assert names is not None
            _loadings(drawn, axis, frame, names, shown)
        else:
            assert shown is not None
            (_values if panel == "scree" else _shares)(axis, shown)
    _say(drawn, release, inches, "" if shown is None else _standing(shown, release.details))
    return drawn


def _scree(release: Release[Any]) -> Shown | None:
    """Noisy eigenvalues with their intervals; ``None`` of a release that has none."""
    details, value = release.details, release.value
    error = details.get("guarantee")
    if isinstance(error, Guarantee) and error.quantity == EIGENVALUE:
        values, bound = np.asarray(value, dtype=np.float64), error.bound
        ends = np.column_stack([np.maximum(values - bound, 0), values + bound])
        return Shown(values, int(np.sum(values > bound)), bound, ends, error.probability)
    try:
        values, trace = spectrum_of(release)
        found = eigenvalue_intervals(release)
    except ValueError:
        return None
    edge, d = details["noise_edge"], len(value[1] if isinstance(value, tuple) else value)
    number = details.get("shown", of_eigenvalues(values, d, edge)["shown"])
    shares = np.clip(values / trace, 0, 1) if trace > 0 else np.zeros_like(values)
    beside = np.column_stack([shares, found.shares])
    return Shown(values, int(number), float(edge), found.eigenvalues, found.probability, beside)


def _directions(release: Release[Any]) -> Floats | None:
    """Return directions ``(d, k)``, where the value is some."""
    value = release.value
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.shape[0] < value.shape[1]:
        return None
    if not str(release.details.get("postprocessing")).split("; ")[-1].startswith("leading eigenvectors"):
        return None
    return np.asarray(value, dtype=np.float64)


def _names(release: Release[Any], columns: Sequence[str] | None, d: int) -> list[str]:
    """Names of the columns: the given ones, those that the claim lists, or numbers from 1."""
    if columns is None:
        known = [text.removeprefix("columns: ").split(", ") for text in release.claim.public if "columns: " in text]
        columns = known[0] if known and len(known[0]) == d else [str(place) for place in range(1, d + 1)]
    if not isinstance(columns, Iterable) or isinstance(columns, str) or len(named := list(columns)) != d:
        raise ValueError(f"columns must be a list of names, one for each of {d} columns, got {checks.shown(columns)}")
    return [_short(name, LONGEST) for name in named]


def _short(name: object, most: int) -> str:
    """Text of at most so many letters."""
    text = str(name)
    return figures.printable(text if len(text) <= most else f"{text[: most - 2]}..")


def _standing(shown: Shown, details: Mapping[str, Any]) -> str:
    """Say how many components stand out, and which of their directions `Release.remarks` calls arbitrary."""
    k, number = len(shown.values), shown.number
    if not number:
        return "No component stands out from noise"
    arbitrary = int(np.sum(~standing(details)[:number])) if "directions" in details.get(STATED, ()) else 0
    name = "eigenvalue" if arbitrary else "component"
    if number == k:
        said = f"The {name} stands out from noise" if k == 1 else f"All {k} {name}s stand out from noise"
    else:
        first = f"{name.capitalize()} 1" if number == 1 else f"{name.capitalize()}s 1 to {number}"
        said = f"{first} of {k} {'stands' if number == 1 else 'stand'} out from noise"
    are = "direction is" if arbitrary == 1 else "directions are"
    return f"{said}, but {arbitrary} {are} arbitrary" if arbitrary else said


def _values(axis: Any, shown: Shown) -> None:
    """Draw eigenvalues with their intervals, and the edge of noise alone."""
    values = shown.values[:MOST_VALUES]
    places = np.arange(1, len(values) + 1)
    axis.axhspan(min(0.0, float(values.min())) - shown.edge, shown.edge, color=figures.SHADE, alpha=0.1, linewidth=0)
    axis.axhline(shown.edge, color=figures.SHADE, linestyle="--", label="edge of noise alone")
    name = f"interval, probability {shown.probability:g}"
    axis.vlines(places, *shown.ends[: len(values)].T, color=figures.COLOURS[0], alpha=0.5, linewidth=4, label=name)
    above = places <= shown.number
    for some, fill, name in ((above, figures.COLOURS[0], "stands out"), (~above, "white", "may be noise")):
        if some.any():
            axis.plot(places[some], values[some], "o", color=figures.COLOURS[0], mfc=fill, label=name)
    low = min(0.0, float(values.min()))
    axis.set_ylim(low - 0.05 * (axis.get_ylim()[1] - low), None)
    axis.set(xlabel="component", ylabel="eigenvalue", title="Scree")
    _components(axis, len(values))
    _legend(axis)


def _shares(axis: Any, shown: Shown) -> None:
    """Draw the shares of the variance with their intervals."""
    assert shown.shares is not None
    released, ends = shown.shares[:MOST_VALUES, 0], shown.shares[:MOST_VALUES, 1:]
    places = np.arange(1, len(ends) + 1)
    for some, fill in ((places <= shown.number, figures.COLOURS[0]), (places > shown.number, "white")):
        axis.bar(places[some], np.diff(ends[some])[:, 0], 0.6, ends[some, 0], color=fill, edgecolor=figures.COLOURS[0])
    axis.plot(places, released, "D", color="black", mfc="white", markersize=4)
    axis.set(xlabel="component", ylabel="share of the variance", ylim=(0, 1.02), title="Shares, as intervals")
    _components(axis, len(ends))
    axis.grid(alpha=0.3)


def _components(axis: Any, number: int) -> None:
    """Mark components on the axis, every so many that the marks do not touch."""
    step = max(1, math.ceil(number / 8))
    axis.set_xticks(range(1, number + 1, step))
    axis.set_xlim(0.4, number + 0.6)


def _legend(axis: Any) -> None:
    """Write the legend below the name of the axis, however high the panel is."""
    axis.grid(alpha=0.3)
    module = extras.load("matplotlib.transforms", "plot", "plots")
    below = axis.transAxes + module.ScaledTranslation(0, -0.5, axis.figure.dpi_scale_trans)
    axis.legend(fontsize=SMALL, loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, frameon=False)


def _loadings(drawn: Any, axis: Any, frame: Floats, names: list[str], shown: Shown | None) -> None:
    """Draw the loadings of columns as a map, those with the largest ones if there are many."""
    some = frame[:, :MOST_COLUMNS]
    rows = np.sort(np.argsort(-np.max(np.abs(some), axis=1), kind="stable")[:MOST_ROWS])
    most = max(float(np.max(np.abs(some))), 0.01)
    map_ = axis.imshow(some[rows], cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    axis.set_yticks(range(len(rows)), [names[row] for row in rows], fontsize=SMALL)
    k = some.shape[1]
    noisy = k if shown is None else shown.number
    marks = [str(place + 1) if place < noisy else f"{place + 1}?" for place in range(k)]
    axis.set_xticks(range(k), marks, fontsize=SMALL)
    title = "Loadings" if len(rows) == len(frame) else f"Loadings, {len(rows)} of {len(frame)} columns"
    axis.set(xlabel="component" if noisy >= k else "component (?: may be noise)", title=title)
    drawn.colorbar(map_, ax=axis, label="loading", fraction=0.08)


def _scores(release: Release[Any], width: float, all_cells: bool) -> Any:
    """Draw counts of scores, level by level: those that noise does not reach, or all, none below 0."""
    details, value = release.details, np.asarray(release.value)
    levels, (left, right, bottom, top) = details.get("levels"), details["frame"]
    counts = value[None] if levels is None else value
    across = max(1, min(len(counts), int(width // PANEL)))
    down = -(-len(counts) // across)
    ratio = (right - left) / (top - bottom)
    square = 1 / 3 <= ratio <= 3
    height = min(max(0.8 * width / across / (ratio if square else 1), 1.8), 4.0) + 0.8
    drawn, axes = figures.axes(across, down, (width, down * height + 0.8))
    for axis in axes[len(counts) :]:
        axis.remove()
    seen = counts >= details["visible_from"]
    visible = np.ma.masked_array(np.maximum(counts, 0), np.zeros_like(seen) if all_cells else ~seen)
    look = {"cmap": "Blues", "vmin": 0, "vmax": max(float(counts.max()), 2 * details["visible_from"])}
    look["aspect"] = "equal" if square else "auto"
    for place, (axis, cells) in enumerate(zip(axes, visible, strict=False)):
        axis.set_facecolor("#eeeeee")
        map_ = axis.imshow(cells.T, origin="lower", extent=details["frame"], **look)
        axis.set(xlabel="first direction", ylabel="second direction")
        if levels is not None:
            axis.set_title(_short(levels[place], 2 * LONGEST))
        axis.locator_params(nbins=4)
    drawn.colorbar(map_, ax=list(axes[: len(counts)]), label="rows in a cell", fraction=0.05)
    number = details["cells_shown"]
    said = f"{number} of {seen.size} cells {'stands' if number == 1 else 'stand'} out from noise"
    _say(drawn, release, width, said if number else "No cell stands out from noise")
    return drawn


def _say(drawn: Any, release: Release[Any], width: float, headline: str) -> None:
    """Write what stands out above the figure; below, the claim, the guarantee and the remarks."""
    letters = int(PER_INCH * width)
    warned = headline.startswith("No ")
    colour = figures.SHADE if warned else "black"
    drawn.suptitle(textwrap.fill(headline, int(letters * 0.7)), color=colour, fontsize=11)
    claim, found = release.claim, release.details.get("guarantee")
    lines = [f"epsilon {claim.epsilon:g}" + (f", delta {claim.delta:g}" if claim.delta else "")]
    lines[0] += f", neighbours: {claim.relation}, {claim.arithmetic} arithmetic"
    if isinstance(found, Guarantee):
        lines.append(f"{found.quantity}: at most {found.bound:.3g} with probability {found.probability:g}")
    lines += release.remarks
    text = "\n".join(textwrap.fill(figures.printable(line), letters) for line in lines)
    drawn.supxlabel(text, fontsize=SMALL, x=0.01, ha="left")
