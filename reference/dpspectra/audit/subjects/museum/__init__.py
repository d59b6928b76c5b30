"""The museum: public bugs and classics, re-created in our own words by theme, each beside its sound twin."""

from __future__ import annotations

import importlib
import pkgutil

from dpspectra.audit.subjects.museum.case import DRAWS, Case

__all__ = ["DRAWS", "Case", "cases"]


def cases() -> dict[str, Case]:
    """All cases, by name."""
    themes = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    found = [value for theme in themes for value in vars(theme).values() if isinstance(value, Case)]
    return {case.name.replace(" ", "_"): case for case in sorted(found, key=lambda case: case.name)}
