"""One picture of a statement: axes, lines and points, and a sentence that says what to see, as static SVG."""

import math
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

from dpspectra.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, Plane, legend_line, legend_mark

EPSILON = "ε (nats)"
DELTA = "smallest δ (probability)"


class Line(NamedTuple):
    """A line through points, or the area below it."""

    title: str
    points: Sequence[tuple[float, float]]
    area: bool = False


class Dots(NamedTuple):
    """Points under one title, drawn hollow where they lie behind."""

    title: str
    points: Sequence[tuple[float, float]]
    hollow: bool = False
    radius: float = 5


class Picture(NamedTuple):
    """Lines and dots in their axes; the caption is one sentence of plain text."""

    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    caption: str
    dots: Sequence[Dots] = ()


def curve(title: str, function: Callable[..., Any], grid: Iterable[float], area: bool = False) -> Line:
    """Return the line of a function over a grid; what is not finite is left out."""
    pairs = [(float(x), float(function(x))) for x in grid]
    return Line(title, [(x, y) for x, y in pairs if math.isfinite(y)], area)


def level(title: str, value: float, axis: Axis) -> Line:
    """Return a horizontal line over the whole axis."""
    return Line(title, [(axis.low, value), (axis.high, value)])


def svg(picture: Picture) -> str:
    """Return the drawing, with a title and a description for those who do not see it."""
    plane, styles = Plane(picture.x, picture.y), iter(range(1, len(picture.lines) + 1))
    box = f'x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    lines = "".join(
        f'<path class="{"area" if line.area else f"curve c{next(styles)}"}" d="{plane.path(line.points, line.area)}"/>'
        for line in picture.lines
    )
    dots = "".join(
        f'<circle class="{_style(group)}" r="{group.radius:g}" cx="{x}" cy="{y}"/>'
        for group in picture.dots
        for x, y in (plane.point(*pair) for pair in group.points)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-labelledby="picture-title" aria-describedby="picture-desc">'
        f'<title id="picture-title" class="nohighlight">{escape(picture.title)}</title>'
        f'<desc id="picture-desc">{escape(description(picture))}</desc>{plane.axes()}'
        f'<svg {box} viewBox="{LEFT} {TOP} {WIDTH - LEFT - RIGHT} {HEIGHT - TOP - BOTTOM}">{lines}</svg>{dots}</svg>'
    )


def figure(picture: Picture) -> str:
    """Return the drawing with its legend and its caption, as HTML."""
    styles = iter(range(1, len(picture.lines) + 1))
    legend = "".join(legend_line(line.title, 0 if line.area else next(styles), line.area) for line in picture.lines)
    legend += "".join(legend_mark(group.title, _style(group)) for group in picture.dots)
    return (
        f'<figure class="drawing picture">{svg(picture)}<ul class="legend">{legend}</ul>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )


def description(picture: Picture) -> str:
    """Both axes, and each line with where it starts and where it ends, in words."""
    told = [
        f"{way}: {axis.title}, {axis.low:.3g} to {axis.high:.3g}{', logarithmic' * axis.log}."
        for way, axis in (("Across", picture.x), ("Upwards", picture.y))
    ]
    for line in picture.lines:
        ends = " to ".join(f"({x:.3g}, {y:.3g})" for x, y in (line.points[0], line.points[-1]))
        told.append(f"{'Below' if line.area else 'Line'} {line.title}: from {ends}.")
    for group in picture.dots:
        first = ", the first" if len(group.points) > 1 else ""
        told.append(
            f"{len(group.points)} × {group.title}{first} at ({group.points[0][0]:.3g}, {group.points[0][1]:.3g})."
        )
    return " ".join(told)


def _style(group: Dots) -> str:
    return "mark hollow" if group.hollow else "mark"
