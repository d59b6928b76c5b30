"""A case of the museum: a fault beside its sound twin, made from a function that returns both."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import CurveClaim

Mechanism = Callable[..., Any]
Both = tuple[Mechanism, Mechanism]
"""A fault and its sound twin."""
SIGMA = calibrate.gaussian(1.0, 1e-3, 1.0)
"""Standard deviation that hides a change of length 1 at (1, 0.001)."""
DEVIATION = calibrate.gaussian(1.0, 0.01, 1.0)
"""Standard deviation that hides a change of length 1 at (1, 0.01)."""
DRAWS = 20_000
"""Draws on each data set that the auditor from outside may take."""


@dataclass(frozen=True, slots=True)
class Case:
    """A fault, its sound twin, the claim, and a pair of data sets that shows that the claim is false."""

    name: str
    thread: str
    """Public thread, or where else the case is from."""
    about: str
    wrong: Mechanism
    right: Mechanism
    claim: CurveClaim
    pair: tuple[Any, Any]
    expected: tuple[str, str]
    """Verdicts of the auditor from inside on the fault and on the twin."""
    outside: str
    """Verdict of the auditor from outside on the fault, by `DRAWS` draws."""
    line: int | None
    """Number of the line that the report names."""
    file: str

    @property
    def place(self) -> str | None:
        """File and line, as reports write them."""
        return None if self.line is None else f"{self.file}:{self.line} "


def case(
    thread: str,
    claim: CurveClaim,
    pair: tuple[Any, Any],
    *,
    line: str | None = None,
    expected: tuple[str, str] = ("refuted", "explained"),
    outside: str = "refuted",
) -> Callable[[Callable[[], Both]], Case]:
    """Make a `Case` of a function, which has the name and says what the fault is.

    ``line`` is a part of the line that the report names, if the fault is a noise call.
    """

    def made(function: Callable[[], Both]) -> Case:
        wrong, right = function()
        return Case(
            name=function.__name__.replace("_", " "),
            thread=thread,
            about=str(function.__doc__),
            wrong=wrong,
            right=right,
            claim=claim,
            pair=pair,
            expected=expected,
            outside=outside,
            line=None if line is None else _number(function, line),
            file=Path(inspect.getfile(function)).name,
        )

    return made


def _number(function: Callable[[], Both], part: str) -> int:
    """Return the number of the first line with this text in the body of a function."""
    texts, first = inspect.getsourcelines(function)
    head = next(place for place, text in enumerate(texts) if text.startswith("def "))
    return first + next(place for place, text in enumerate(texts) if place > head and part in text)


def shortened(rows: Any) -> Any:
    """Rows, those longer than 1 scaled to length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1.0)


def short_sum(rows: Any) -> Any:
    """Sum of rows, those longer than 1 scaled to length 1."""
    return np.sum(shortened(rows), axis=0)
