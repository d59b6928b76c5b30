"""The pages of the interface name every public function and class once, and nothing that does not exist."""

import collections
import importlib
import pathlib
import re

import pytest

import dpspectra as dps
from dpspectra import estimators, ledger, strategies

PAGES = sorted((pathlib.Path(__file__).parents[1] / "proofs_notes" / "site" / "api").glob("*.md"))
DIRECTIVE = re.compile(r"^\.\. auto(?:function|class|exception):: ([\w.]+)$", re.MULTILINE)
NAMED = [name for page in PAGES for name in DIRECTIVE.findall(page.read_text(encoding="utf-8"))]
ROOMS = {
    f"dpspectra.{room}": getattr(dps, room)
    for room in ("angles", "audit", "bounds", "calibrate", "postprocessing", "profile")
}
ROOMS |= {
    "dpspectra": dps,
    "dpspectra.estimators": estimators,
    "dpspectra.sampling": dps.sampling,
    "dpspectra.ledger": ledger,
    "dpspectra.strategies": strategies,
}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_page_names_exists_and_is_documented(name):
    module, _, last = name.rpartition(".")
    assert getattr(importlib.import_module(module), last).__doc__


def test_every_public_name_is_on_one_page():
    public = {
        f"{room}.{name}" for room, module in ROOMS.items() for name in module.__all__ if callable(getattr(module, name))
    }
    times = collections.Counter(NAMED)
    assert max(times.values()) == 1
    assert public <= times.keys()
