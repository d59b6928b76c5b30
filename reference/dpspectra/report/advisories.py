"""Known defects of earlier versions that touch claims, as `SECURITY.md` promises; the list is ``advisories.json``.

Do not change lightly: entries are added, and never taken out.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

ANY, COMMAND = "any", "dpspectra release"
"""Word for every mechanism, and for the command that writes claim files."""


@dataclass(frozen=True, slots=True)
class Advisory:
    """A defect that touched claims."""

    id: str
    title: str
    touches: tuple[str, ...]
    """Functions, classes and commands whose claims are touched, or `ANY`."""
    before: dict[str, Any]
    """First ``version`` without the defect, and the ``format`` of its claim files."""
    wrong: str
    """Description of the defect."""
    size: str
    """By how much."""
    means: str
    """Meaning for releases already made."""

    def touched(self, mechanism: str, version: str, format: int) -> bool:
        """Whether a release by this function has the defect, from the version and format in its claim file."""
        earlier = (_numbers(version), format) < (_numbers(self.before["version"]), self.before["format"])
        return earlier and not {mechanism, ANY, COMMAND}.isdisjoint(self.touches)


@cache
def advisories() -> tuple[Advisory, ...]:
    """Return all of them, oldest first."""
    text = resources.files("dpspectra.report").joinpath("advisories.json").read_text(encoding="utf-8")
    return tuple(Advisory(**{**entry, "touches": tuple(entry["touches"])}) for entry in json.loads(text)["advisories"])


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
