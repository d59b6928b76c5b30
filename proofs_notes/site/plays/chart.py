"""One figure with sliders: curves and points as SVG, all their numbers in the page, and a script that picks among them.

The numbers of a figure are computed beforehand for each position of the sliders that they depend on. The picture for
the first positions is drawn here, so that the page says something without a script; the script only draws again.
"""

import json
import math
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 78, 20, 14, 62
"""Margins of the plot in the figure."""
STYLE, SCRIPT = (pathlib.Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("play.css", "play.js"))


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its words, its range, and where lines are drawn."""

    title: str
    low: float
    high: float
    ticks: Mapping[float, str]
    log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1."""
        if self.log:
            return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


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
    """A figure as a block of raw HTML in MyST Markdown; ``title`` says what it shows, names are unique in it."""
    first = [slider.start for slider in sliders]
    sizes = [len(slider.labels) for slider in sliders]
    places = _Places(x, y, first, sizes)
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
    legend = "".join(_sample(curve) for curve in curves.values()) + "".join(_dot(mark) for mark in marks.values())
    rows = "".join(
        f'<tr><th scope="row">{escape(text.title)}</th><td><output data-part="{name}">'
        f"{escape(text.values[places.index(text.by)])}</output></td></tr>"
        for name, text in texts.items()
    )
    numbers = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return f"""```{{raw}} html
<style>
{STYLE}</style>
<figure class="play"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}"><defs><clipPath \
id="plot"><rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"/></clipPath>\
</defs>{places.axes()}<g clip-path="url(#plot)">{drawn}{dots}</g></svg>
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


def power(exponent: int) -> str:
    """A power of ten in words of a figure."""
    return f"1e{exponent}" if exponent else "1"


def _without(what: Any, *names: str) -> dict[str, Any]:
    return {key: value for key, value in asdict(what).items() if key not in names}


def _control(number: int, slider: Slider) -> str:
    label = escape(slider.labels[slider.start])
    return (
        f'<label>{escape(slider.title)}: <output data-part="value-{number}">{label}</output>'
        f'<input type="range" min="0" max="{len(slider.labels) - 1}" value="{slider.start}" autocomplete="off" '
        f'aria-label="{escape(slider.title)}" aria-valuetext="{label}"></label>'
    )


def _sample(curve: Curve) -> str:
    drawn = (
        '<rect class="area" width="44" height="12"/>'
        if curve.area
        else f'<path class="curve c{curve.style}" d="M0 6L44 6"/>'
    )
    return f'<li><svg viewBox="0 0 44 12" aria-hidden="true">{drawn}</svg> {escape(curve.title)}</li>'


def _dot(mark: Mark) -> str:
    return (
        '<li><svg viewBox="0 0 44 12" aria-hidden="true"><circle class="mark" r="5" cx="22" cy="6"/></svg> '
        f"{escape(mark.title)}</li>"
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Where numbers lie in the figure, with the sliders where they are at first."""

    x: Axis
    y: Axis
    first: Sequence[int]
    sizes: Sequence[int]

    def index(self, by: Sequence[int]) -> int:
        place = 0
        for control in by:
            place = place * self.sizes[control] + self.first[control]
        return place

    def point(self, x: float, y: float) -> tuple[str, str]:
        across = LEFT + (WIDTH - RIGHT - LEFT) * self.x.share(x)
        down = HEIGHT - BOTTOM + (TOP - HEIGHT + BOTTOM) * self.y.share(y)
        return f"{across:.1f}", f"{down:.1f}"

    def curve(self, name: str, curve: Curve) -> str:
        values = curve.values[self.index(curve.by)]
        seen = [(x, y) for x, y in zip(curve.grid, values, strict=True) if y is not None and y >= self.y.low]
        line = "L".join(" ".join(self.point(*pair)) for pair in seen)
        if curve.area and seen:
            ends = (" ".join(self.point(pair[0], self.y.low)) for pair in (seen[-1], seen[0]))
            line += "L" + "L".join(ends) + "Z"
        style = "area" if curve.area else f"curve c{curve.style}"
        return f'<path data-part="{name}" class="{style}" d="{line and "M" + line}"/>'

    def mark(self, name: str, mark: Mark) -> str:
        value = mark.values[self.index(mark.by)]
        x, y = self.point(*value) if value else ("0", "0")
        hidden = "visible" if value else "hidden"
        return f'<circle data-part="{name}" class="mark" r="6" cx="{x}" cy="{y}" visibility="{hidden}"/>'

    def axes(self) -> str:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        middle = (TOP + bottom) / 2
        lines = []
        for value, text in self.x.ticks.items():
            x = self.point(value, self.y.low)[0]
            lines.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{TOP}" y2="{bottom}"/>')
            lines.append(f'<text x="{x}" y="{bottom + 24}" text-anchor="middle">{text}</text>')
        for value, text in self.y.ticks.items():
            y = self.point(self.x.low, value)[1]
            lines.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y}" y2="{y}"/>')
            lines.append(f'<text x="{LEFT - 8}" y="{float(y) + 5:.1f}" text-anchor="end">{text}</text>')
        lines.append(
            f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(self.x.title)}</text>'
        )
        turned = f'text-anchor="middle" transform="rotate(-90 16 {middle})"'
        lines.append(f'<text x="16" y="{middle}" {turned}>{escape(self.y.title)}</text>')
        return "".join(lines)
