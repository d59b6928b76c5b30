"""Known defects of earlier versions that touch claims, as `SECURITY.md` promises; the list is ``advisories.json``.

Do not change lightly: entries are added, and never taken out.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from dpspectra.mechanisms.claims import Claim

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
    since: Mapping[str, Any] = field(default_factory=lambda: {"version": "0", "format": 0})
    """First version with the defect, and the format of its claim files."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Words that a field of the claim has, where it is touched; none if all claims are."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """Words that a field of the claim does not have then."""

    def touched(self, mechanism: str, version: str, format: int, claim: Claim | None = None) -> bool:
        """Whether a release by this function has the defect, from the version and format in its claim file.

        Without its claim, which may have the marks, it has.
        """
        since = (_numbers(self.since["version"]), self.since["format"])
        within = since <= (_numbers(version), format) < (_numbers(self.before["version"]), self.before["format"])
        return within and not {mechanism, ANY, COMMAND}.isdisjoint(self.touches) and self._marked(claim)

    def _marked(self, claim: Claim | None) -> bool:
        if claim is None:
            return True
        has = all(_says(claim, name, words) for name, words in self.marks.items())
        return has and not any(_says(claim, name, words) for name, words in self.lacks.items())


@cache
def advisories() -> tuple[Advisory, ...]:
    """Return all of them, oldest first."""
    text = resources.files("dpspectra.report").joinpath("advisories.json").read_text(encoding="utf-8")
    return tuple(Advisory(**{**entry, "touches": tuple(entry["touches"])}) for entry in json.loads(text)["advisories"])


def _says(claim: Claim, name: str, words: str) -> bool:
    """Whether a field of a claim, or one of its texts, has these words."""
    value = getattr(claim, name) or ()
    return any(words in text for text in ((value,) if isinstance(value, str) else value))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))
