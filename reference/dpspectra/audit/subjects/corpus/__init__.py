"""Public bugs and classics, re-created in our own words: one small module a case, each with its sound twin.

A module has ``wrong`` and ``right`` (the mechanism and its twin), the ``CLAIM``, the ``PAIR`` that shows the fault,
``THREAD`` (the public thread, or where else the case is from), ``EXPECTED`` (verdicts on both), and ``LINE``
(a part of the line that the report names, if the fault is a noise call).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpspectra.audit.claims import CurveClaim


@dataclass(frozen=True, slots=True)
class Case:
    """A fault, its sound twin, the claim, and a pair of data sets that shows that the claim is false."""

    name: str
    thread: str
    about: str
    wrong: Callable[..., Any]
    right: Callable[..., Any]
    claim: CurveClaim
    pair: tuple[Any, Any]
    expected: tuple[str, str]
    """Verdicts of the auditor from inside on the fault and on the twin."""
    line: int | None
    """Number of the line that the report names."""
    file: str

    @property
    def place(self) -> str | None:
        """File and line, as reports write them."""
        return None if self.line is None else f"{self.file}:{self.line} "


def cases() -> dict[str, Case]:
    """All cases, by name."""
    return {module.name: _read(module.name) for module in pkgutil.iter_modules(__path__)}


def _read(name: str) -> Case:
    module = importlib.import_module(f"{__name__}.{name}")
    path = Path(str(module.__file__))
    numbered = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    found = [n for n, text in numbered if module.LINE and module.LINE in text and "LINE =" not in text]
    return Case(
        name=name.replace("_", " "),
        thread=module.THREAD,
        about=str(module.__doc__).strip(),
        wrong=module.wrong,
        right=module.right,
        claim=module.CLAIM,
        pair=module.PAIR,
        expected=module.EXPECTED,
        line=found[0] if found else None,
        file=path.name,
    )
