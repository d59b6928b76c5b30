"""The pages of the interface name every public function and class once, and nothing that does not exist."""

import collections
import importlib
import inspect
import re

import pytest

import dpspectra as dps
from atlas import api
from dpspectra import estimators, ledger, strategies
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.report import pictures
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


@pytest.mark.parametrize("name", NAMED)
def test_the_page_of_a_function_tells_its_parameters_and_what_it_returns(name):
    function = value_of(name)
    if inspect.isroutine(function):
        text = inspect.getdoc(function)
        assert "Returns\n---" in text
        assert "Parameters\n---" in text or not inspect.signature(function).parameters


def test_every_public_name_is_on_one_page():
    values = [getattr(module, name) for module in ROOMS.values() for name in module.__all__]
    public = {value for value in values if inspect.isclass(value) or inspect.isroutine(value)}
    times = collections.Counter(map(value_of, NAMED))
    assert max(times.values()) == 1
    assert public <= times.keys()


def test_every_name_has_a_page_of_its_own_and_a_row_on_the_page_that_names_it():
    written = {f"api/{page.stem}": page.read_text(encoding="utf-8") for page in PAGES}
    listed = dict(api.all_pages(written))
    assert {f"api/{name}" for name in NAMED} | written.keys() == listed.keys()
    for page in PAGES:
        text = listed[f"api/{page.stem}"]
        for name in DIRECTIVE.findall(page.read_text(encoding="utf-8")):
            assert f"]({name}.md) |" in text
            assert f":: {name}\n" in listed[f"api/{name}"]
            assert f"]({page.stem}.md)" in listed[f"api/{name}"]
        assert not DIRECTIVE.search(text)


def test_a_picture_stands_where_a_statement_explains_the_function():
    assert set(api.SHOWN) <= set(NAMED)
    assert set(api.SHOWN.values()) <= pictures.PICTURES.keys()
    assert api.picture_of("dpspectra.calibrate.gaussian") == "HR-T2.6R"
    assert api.picture_of("dpspectra.private_orbit") in MECHANISMS["private_orbit"].labels
    assert api.picture_of("dpspectra.unit_rows") == ""
    assert "<svg" in api.page("dpspectra.bounds.sin_theta", "", "api/numbers", "Numbers")
