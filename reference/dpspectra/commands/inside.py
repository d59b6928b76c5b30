"""``dpspectra audit --inside``: follow the noise of a Python mechanism through its code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Protocol

from dpspectra.audit import CurveClaim
from dpspectra.audit import inside as looked_inside
from dpspectra.audit.from_inside import EXPLAINED, REFUTED
from dpspectra.commands.subject import Subject
from dpspectra.report.files import write_text
from dpspectra.report.inside_page import inside_page

STATUS = {EXPLAINED: 0, REFUTED: 1}
"""Exit status by verdict; any other one is 3."""
DECIDED = frozenset(STATUS.values())


class Asked(Protocol):
    """Options that an audit from inside reads."""

    @property
    def inside(self) -> bool:
        """Whether one is asked for."""

    @property
    def then_outside(self) -> bool:
        """Whether draws are to decide what it leaves open."""

    @property
    def command(self) -> str | None:
        """A program in another language, which cannot be followed."""

    @property
    def resume(self) -> Path | None:
        """A record to go on from."""

    @property
    def search(self) -> str | None:
        """Pairs to search."""

    @property
    def junit(self) -> Path | None:
        """A file for continuous integration."""

    @property
    def confidence(self) -> float:
        """One minus the risk of a false alarm."""

    @property
    def seconds(self) -> float:
        """Time for it."""

    @property
    def seed(self) -> int:
        """Its seed."""

    @property
    def json(self) -> Path | None:
        """Where the record goes."""

    @property
    def html(self) -> Path | None:
        """Where the page goes."""


def check_inside(request: Asked) -> None:
    """Raise ``ValueError`` for options that do not go together."""
    if request.then_outside and not request.inside:
        raise ValueError("--then-outside must come with --inside")
    if not request.inside:
        return
    for name in ("command", "resume", "search", "junit"):
        if getattr(request, name) is not None:
            raise ValueError(f"--inside follows a Python mechanism on one pair and must come without --{name}")


def inside(on_trial: Subject, claim: CurveClaim, request: Asked) -> int:
    """Look inside, print the report and write the files asked for; the exit status."""
    share = (1 - request.confidence) / (2 if request.then_outside else 1)
    result = looked_inside(
        on_trial.mechanism, on_trial.pair, claim, confidence=1 - share, seconds=request.seconds, rng=request.seed
    )
    if request.json is not None:
        write_text(request.json, json.dumps({"mechanism": on_trial.name} | result.to_dict(), indent=2) + "\n")
    if request.html is not None:
        write_text(request.html, inside_page(on_trial.name, result))
    print(on_trial.name)
    print(result)
    return STATUS.get(result.verdict, 3)
