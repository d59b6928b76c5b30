"""Pictures by matplotlib (extra ``plot``): one style for all of them."""

import functools
import io
from collections.abc import Sequence
from typing import Any

from dpspectra.ground import extras

COLOURS = ("#0b5fa5", "#b3541e", "#2f7d32", "#7a3b8f")
SHADE = "#a40000"
"""Colour of a warning: the event that an audit found, noise."""
KINDS = ("svg", "png", "pdf")
"""Kinds of files that figures are written to."""
QUIET = "#444444"
"""Colour of lines to compare with."""


def axes(columns: int, rows: int = 1, size: tuple[float, float] | None = None) -> tuple[Any, Any]:
    """Return a figure and its axes, row by row; ``size`` in inches."""
    inches = size or (4.4 * columns, 3.6 * rows)
    figure = extras.load("matplotlib.figure", "plot", "plots").Figure(figsize=inches, layout="constrained")
    figure._repr_svg_ = functools.partial(svg, figure)  # by which notebooks show it
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def svg(figure: Any) -> str:
    """Return the figure as an SVG element without the XML head."""
    text = content(figure, "svg").decode()
    return text[text.index("<svg") :]


def content(figure: Any, kind: str) -> bytes:
    """Return the figure as a file of this kind: svg, png or pdf. Equal figures have equal bytes."""
    buffer = io.BytesIO()
    dated = {"svg": "Date", "pdf": "CreationDate"}.get(kind)
    figure.savefig(buffer, format=kind, dpi=150, metadata={dated: None} if dated else None)
    return buffer.getvalue()


def finish(axis: Any) -> None:
    """Draw a grid, and a legend with each name once."""
    axis.grid(alpha=0.3, which="both")
    drawn, names = axis.get_legend_handles_labels()
    once = dict(zip(names, drawn, strict=True))
    axis.legend(once.values(), once.keys(), fontsize=8)


def printable(text: str) -> str:
    """Text as a figure can show it: not as a formula, and in letters that every font has."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return "".join(c if c.isprintable() else "?" for c in plain).replace("$", r"\$")


def kind_of(name: str, kinds: Sequence[str] = KINDS) -> str:
    """Return the kind of a file by its ending. Raises ``ValueError`` for another one."""
    for kind in kinds:
        if name.endswith(f".{kind}"):
            return kind
    endings = " or ".join(f".{kind}" for kind in kinds)
    raise ValueError(f"the plot file must end in {endings}, got {name!r}")
