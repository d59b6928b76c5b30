"""The pages of the interface name every public function and class once, and nothing that does not exist."""

import collections
import importlib
import inspect
import re

import pytest

import dpspectra as dps
from dpspectra import estimators, ledger, strategies
from tests.support.helpers import ROOT

PAGES = sorted((ROOT / "proofs_notes" / "site" / "api").glob("*.md"))
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


def value_of(name):
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


@pytest.mark.parametrize("name", NAMED)
def test_what_a_page_names_exists_and_is_documented(name):
    assert value_of(name).__doc__


def test_every_public_name_is_on_one_page():
    values = [getattr(module, name) for module in ROOMS.values() for name in module.__all__]
    public = {value for value in values if inspect.isclass(value) or inspect.isroutine(value)}
    times = collections.Counter(map(value_of, NAMED))
    assert max(times.values()) == 1
    assert public <= times.keys()
