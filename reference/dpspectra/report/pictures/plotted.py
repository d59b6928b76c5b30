"""The picture of a statement as a figure of matplotlib (extra ``plot``), for files that stand alone."""

import textwrap
from typing import Any

from dpspectra.ground import figures
from dpspectra.report.pictures.picture import Picture

DASHES = ("-", (0, (4, 2)), ":", (0, (6, 2, 2, 2)))
"""How lines differ also where there is no colour; as many as `dpspectra.ground.figures.COLOURS`."""


def plotted(picture: Picture) -> Any:
    """Return the figure, with its title above and its caption below. Raises ``ImportError`` without matplotlib."""
    figure, (axis,) = figures.axes(1, size=(7, 5.4))
    styles = iter(zip(figures.COLOURS, DASHES, strict=True))
    for line in picture.lines:
        x, y = zip(*line.points, strict=True)
        if line.area:
            axis.fill_between(x, y, picture.y.low, color=figures.SHADE, alpha=0.18, label=line.title)
        else:
            colour, dashes = next(styles)
            axis.plot(x, y, color=colour, linestyle=dashes, label=line.title)
    for group in picture.dots:
        filled = "white" if group.hollow else "black"
        axis.plot(
            *zip(*group.points, strict=True), "o", ms=1.2 * group.radius, mec="black", mfc=filled, label=group.title
        )
    for way, asked in (("x", picture.x), ("y", picture.y)):
        scale = "log" if asked.log else "linear"
        axis.set(**{f"{way}scale": scale, f"{way}lim": (asked.low, asked.high), f"{way}label": asked.title})
        getattr(axis, f"set_{way}ticks")(list(asked.ticks), list(asked.ticks.values()), minor=False)
        getattr(axis, f"set_{way}ticks")([], minor=True)
    axis.set_title("\n".join(textwrap.wrap(picture.title, 76)), fontsize=10)
    figures.finish(axis)
    figure.supxlabel("\n".join(textwrap.wrap(picture.caption, 100)), x=0.01, ha="left", fontsize=8)
    return figure
