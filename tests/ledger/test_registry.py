"""Finding one statement without importing the book."""

import dataclasses
import pkgutil
import subprocess
import sys

import pytest

from dpspectra import ledger
from dpspectra.ledger import get, labels, registry
from dpspectra.ledger.registry import built, index


def test_the_sources_tell_the_module_of_every_label():
    assert registry.modules() == {label: entry.module for label, entry in built().items()}
    assert all(get(label) is entry for label, entry in built().items())


_VERBS = (
    "add are becomes become cannot certify costs does enclose falls give gives has have implies increase is "
    "keeps leaves lengthens lies lose loses make makes move moves need needs pays reaches "
    "returns stay stays takes tells turns"
)
VERBS = frozenset(_VERBS.split())
"""Finite verbs in the names of our statements; a word that may be a noun, such as "draws", is none of them."""


def test_our_statements_are_named_by_sentences():
    names = {row.label: row.name for row in labels() if row.label.startswith(("DPS-", "AFTER-"))}
    assert [label for label, name in names.items() if VERBS.isdisjoint(name.replace(",", "").split())] == []
    assert len(names) > 80


def test_a_statement_is_found_where_the_sources_cannot_be_read(monkeypatch):
    monkeypatch.setattr(registry, "modules", dict)
    assert get("MWKTV-E20").id == "MWKTV-E20"
    with pytest.raises(KeyError, match=r"no statement carries the label 'mwktv-l8.2'; near it are MWKTV-L8.2"):
        get("mwktv-l8.2")
    with pytest.raises(KeyError, match=r"HR-F2.7 has no face 'beyond', but fast, oracle"):
        get("HR-F2.7").faces["beyond"]
    with pytest.raises(KeyError, match="no statement carries the label 'MWKTV-NONE'"):
        get("MWKTV-NONE")


def loaded(code):
    """Modules of this package, and others that take long to import, that a fresh process holds after ``code``."""
    heavy = ("numpy", "scipy", "mpmath", "hypothesis", "multiprocessing", "matplotlib", "numba")
    code = f"import sys\n{code}\nprint(*sorted(m for m in sys.modules if m.startswith('dpspectra.') or m in {heavy}))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("label", ["MWKTV-L7.2", "MWKTV-E20"])
def test_one_statement_loads_its_own_module_of_the_book(label):
    found, own = loaded(f"from dpspectra.ledger import get; get({label!r})"), get(label).module
    assert [name for name in found if name.startswith("dpspectra.lemmas.")] == [own.rpartition(".")[0], own]


def test_the_list_of_labels_needs_no_arithmetic():
    found = loaded("import dpspectra; dpspectra.ledger.labels()")
    rooms = [
        "dpspectra.ground",
        "dpspectra.ground.values",
        "dpspectra.ledger",
        "dpspectra.ledger.baseline",
        "dpspectra.ledger.entry",
        "dpspectra.ledger.papers",
        "dpspectra.ledger.tables",
        "dpspectra.relations",
    ]
    assert found == rooms
    assert len(labels()) > 200


def test_names_of_the_ledger_are_found_when_used():
    assert all(getattr(ledger, name) is not None for name in ledger.__all__)
    assert set(ledger.__all__) <= set(dir(ledger))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        ledger.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_a_name_of_the_ledger_is_not_a_module_of_it():
    """A module that is called like a name would stand in its place once it is imported."""
    modules = {info.name for info in pkgutil.iter_modules(ledger.__path__)}
    assert not modules & set(ledger.__all__)


def test_a_label_belongs_to_one_entry():
    first, second = get("MWKTV-L6.1"), dataclasses.replace(get("MWKTV-L6.1"))
    found = {}
    index(first, found)
    with pytest.raises(ValueError, match="declared in"):
        index(second, found)


def test_identities_are_those_of_the_entries():
    assert registry.identities() == {label: entry.id for label, entry in registry.built().items()}


def test_a_label_that_is_declared_twice_is_refused(monkeypatch):
    twice = (("a", ("X-1", "X-2"), ()), ("b", ("X-3", "X-2"), ()))
    monkeypatch.setattr(registry, "_sources", lambda: twice)
    registry.identities.cache_clear()
    with pytest.raises(ValueError, match="X-2 is declared twice, once in b"):
        registry.identities()
    registry.identities.cache_clear()


def test_one_label_imports_its_own_module_only():
    """And what that needs: not the whole book, which would be hundreds of modules."""
    code = (
        "import sys; from dpspectra.ledger.papers import labels; from dpspectra.ledger.runner import verify; "
        "verify([each for each in labels() if each.label == 'MWKTV-L6.1'], examples=1); "
        "print(sum(name.startswith('dpspectra.lemmas.') for name in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(found.stdout) <= 12
