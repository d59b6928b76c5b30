"""Axes, lines and legends in SVG: what pictures of statements and interactive figures share."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 78, 20, 14, 62
"""Margins of the plot in the figure."""


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


def linear(title: str, low: float, high: float) -> Axis:
    """Return an axis with lines at four to nine multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / 8
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough * (1 - 1e-9))
    marks = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return Axis(title, low, high, {k * step: f"{k * step:.6g}" for k in marks})


def logarithmic(title: str, low: float, high: float) -> Axis:
    """Return an axis with lines at powers of ten, and between them where there are few."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 2:
        exponents = range(first - 1, last + 1)
        marks = [
            k * 10.0**e for e in exponents for k in (1, 2, 5) if low * (1 - 1e-9) <= k * 10.0**e <= high * (1 + 1e-9)
        ]
        return Axis(title, low, high, {mark: f"{mark:,g}" for mark in marks}, log=True)
    step = -(-(last - first) // 6)
    return Axis(title, low, high, {10.0**e: _superscript(e) for e in range(last, first - 1, -step)}, log=True)


def power(exponent: int) -> str:
    """Return a power of ten in words of a figure."""
    return f"1e{exponent}" if exponent else "1"


def _superscript(exponent: int) -> str:
    """Return a power of ten as it is set."""
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) if exponent else "1"


@dataclass(frozen=True, slots=True)
class Plane:
    """Where numbers lie in a figure with two axes."""

    x: Axis
    y: Axis

    def point(self, x: float, y: float) -> tuple[str, str]:
        """Coordinates in the figure, as they are written."""
        across = LEFT + (WIDTH - RIGHT - LEFT) * self.x.share(x)
        down = HEIGHT - BOTTOM + (TOP - HEIGHT + BOTTOM) * self.y.share(y)
        return f"{across:.1f}", f"{down:.1f}"

    def path(self, points: Iterable[tuple[float, float]], area: bool = False) -> str:
        """Return the path through the points that the lower end of the axis does not cut off.

        A closed path goes around all points below it.
        """
        seen = [(x, y) for x, y in points if y >= self.y.low or not self.y.log]
        line = "L".join(" ".join(self.point(*pair)) for pair in seen)
        if area and seen:
            ends = (" ".join(self.point(pair[0], self.y.low)) for pair in (seen[-1], seen[0]))
            line += "L" + "L".join(ends) + "Z"
        return line and "M" + line

    def axes(self) -> str:
        """Lines, numbers and titles of both axes."""
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
        across = f'x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle"'
        turned = f'x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})"'
        lines.append(f'<text class="axis" {across}>{escape(self.x.title)}</text>')
        lines.append(f'<text class="axis" {turned}>{escape(self.y.title)}</text>')
        return "".join(lines)


def legend_line(title: str, style: int, area: bool = False) -> str:
    """Return an entry of the legend for a line, or for an area."""
    drawn = '<rect class="area" width="44" height="12"/>' if area else f'<path class="curve c{style}" d="M0 6L44 6"/>'
    return f'<li><svg viewBox="0 0 44 12" aria-hidden="true">{drawn}</svg> {escape(title)}</li>'


def legend_mark(title: str, style: str = "mark") -> str:
    """Return an entry of the legend for a point."""
    dot = f'<circle class="{style}" r="5" cx="22" cy="6"/>'
    return f'<li><svg viewBox="0 0 44 12" aria-hidden="true">{dot}</svg> {escape(title)}</li>'
