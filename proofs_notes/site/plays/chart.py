"""One figure with sliders: curves and points as SVG, all their numbers in the page, and a script that picks among them.

The numbers of a figure are computed beforehand for each position of the sliders that they depend on. The picture for
the first positions is drawn here, so that the page says something without a script; the script only draws again.
"""

import json
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from dpspectra.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, Plane, legend_line, legend_mark

_FILES = ("../static/drawing.css", "play.css", "play.js")
DRAWING, STYLE, SCRIPT = ((pathlib.Path(__file__).parent / name).read_text(encoding="utf-8") for name in _FILES)


@dataclass(frozen=True, slots=True)
class Slider:
    """A question that the reader answers: its words, the answers, and which of them comes first."""

    title: str
    labels: Sequence[str]
    start: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Values over a grid, a list for each position of the sliders ``by``; ``None`` is not drawn."""

    title: str
    style: int
    """Colour and dashes, from 1 to 4."""
    grid: Sequence[float]
    by: tuple[int, ...]
    values: Sequence[Sequence[float | None]]
    area: bool = False
    """Whether all below the curve is shaded instead."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point for each position of the sliders ``by``, or ``None``."""

    title: str
    by: tuple[int, ...]
    values: Sequence[tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class Text:
    """A line of the table below the figure: words for each position of the sliders ``by``."""

    title: str
    by: tuple[int, ...]
    values: Sequence[str]


def figure(
    title: str,
    x: Axis,
    y: Axis,
    sliders: Sequence[Slider],
    curves: Mapping[str, Curve],
    marks: Mapping[str, Mark],
    texts: Mapping[str, Text],
) -> str:
    """Return a figure as a block of raw HTML in MyST Markdown; ``title`` says what it shows, names are unique in it."""
    first = [slider.start for slider in sliders]
    sizes = [len(slider.labels) for slider in sliders]
    places = _Places(Plane(x, y), first, sizes)
    data = {
        "sizes": sizes,
        "labels": [list(slider.labels) for slider in sliders],
        "x": {"low": x.low, "high": x.high, "log": x.log, "start": LEFT, "end": WIDTH - RIGHT},
        "y": {"low": y.low, "high": y.high, "log": y.log, "start": HEIGHT - BOTTOM, "end": TOP},
        "curves": {name: _without(curve, "title", "style") for name, curve in curves.items()},
        "marks": {name: _without(mark, "title") for name, mark in marks.items()},
        "texts": {name: _without(text, "title") for name, text in texts.items()},
    }
    drawn = "".join(places.curve(name, curve) for name, curve in curves.items())
    dots = "".join(places.mark(name, mark) for name, mark in marks.items())
    controls = "".join(_control(number, slider) for number, slider in enumerate(sliders))
    legend = "".join(legend_line(curve.title, curve.style, curve.area) for curve in curves.values())
    legend += "".join(legend_mark(mark.title) for mark in marks.values())
    rows = "".join(
        f'<tr><th scope="row">{escape(text.title)}</th><td><output data-part="{name}">'
        f"{escape(text.values[places.index(text.by)])}</output></td></tr>"
        for name, text in texts.items()
    )
    numbers = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f"""```{{raw}} html
<style>
{DRAWING}{STYLE}</style>
<figure class="drawing play"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"><defs>\
<clipPath id="plot"><rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"/>\
</clipPath></defs>{places.plane.axes()}<g clip-path="url(#plot)">{drawn}{dots}</g></svg>
<ul class="legend">{legend}</ul>
<div class="controls">{controls}</div>
<table>{rows}</table>
<script type="application/json">{numbers}</script>
<script>
{SCRIPT}</script>
</figure>
```
"""


def digits(values: Any, number: int = 4) -> list[float]:
    """Numbers as they are written in a page, to so many digits."""
    return [float(f"{value:.{number}g}") for value in values]


def _without(what: Any, *names: str) -> dict[str, Any]:
    return {key: value for key, value in asdict(what).items() if key not in names}


def _control(number: int, slider: Slider) -> str:
    label = escape(slider.labels[slider.start])
    return (
        f'<label>{escape(slider.title)}: <output data-part="value-{number}">{label}</output>'
        f'<input type="range" min="0" max="{len(slider.labels) - 1}" value="{slider.start}" autocomplete="off" '
        f'aria-label="{escape(slider.title)}" aria-valuetext="{label}"></label>'
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where numbers lie in the figure, with the sliders where they are at first."""

    plane: Plane
    first: Sequence[int]
    sizes: Sequence[int]

    def index(self, by: Sequence[int]) -> int:
        place = 0
        for control in by:
            place = place * self.sizes[control] + self.first[control]
        return place

    def curve(self, name: str, curve: Curve) -> str:
        values = curve.values[self.index(curve.by)]
        line = self.plane.path([(x, y) for x, y in zip(curve.grid, values, strict=True) if y is not None], curve.area)
        style = "area" if curve.area else f"curve c{curve.style}"
        return f'<path data-part="{name}" class="{style}" d="{line}"/>'

    def mark(self, name: str, mark: Mark) -> str:
        value = mark.values[self.index(mark.by)]
        x, y = self.plane.point(*value) if value else ("0", "0")
        hidden = "visible" if value else "hidden"
        return f'<circle data-part="{name}" class="mark" r="6" cx="{x}" cy="{y}" visibility="{hidden}"/>'
