"""The formats of files that this package writes: JSON Schemas, each for one number of the format.

Do not change lightly: what was written in a format is read for ever. A new format gets a new number.
"""

import json
from importlib import resources
from typing import Any

NAMES = ("claim", "budget", "audit", "advisories")
"""Claim files of ``dpspectra release``, entries of a budget's file, records of audits, the list of advisories."""


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a format."""
    text = resources.files("dpspectra.report").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
