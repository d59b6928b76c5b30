"""How the command line hands on what it read: one record a command, and no more imports than it takes."""

import dataclasses
import importlib
import inspect
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import dpspectra
from dpspectra import cli
from dpspectra.accounting import composition
from dpspectra.audit import references
from dpspectra.commands.arguments import Parser
from dpspectra.commands.offers import REFERENCES
from dpspectra.ledger import get
from dpspectra.matrices.reading_rule import BAD_ROWS
from dpspectra.mechanisms import catalogue, choice, covariance
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.relations import Relation

PACKAGE = pathlib.Path(dpspectra.__file__).parent
COMMANDS: dict[str, Any] = {
    "verify": ("statements", "verify", "VerifyRequest", "HP-F1 --jobs 2", {"names": ("HP-F1",), "jobs": 2}),
    "release": (
        *("release", "run", "ReleaseRequest", "x.npy --mechanism m --epsilon 1 --out y.npy"),
        {"data": (pathlib.Path("x.npy"),), "epsilon": 1.0, "delta": None, "norm_bound": 1.0, "clip": False},
    ),
    "bounds": (
        *("bounds", "run", "BoundsRequest", "--d 4 --k 2 --lambda1 3 --epsilon 1 2"),
        {"epsilon": (1.0, 2.0), "values": [3.0, 3.0], "field": "complex", "json": None},
    ),
    "audit": (
        *("audit", "run", "AuditRequest", "a:b --renyi 2 1 --with c=1 --with d=2 --json r.json"),
        {"renyi": (2.0, 1.0), "arguments": ("c=1", "d=2"), "draws": 100_000, "json": pathlib.Path("r.json")},
    ),
    "conform": (
        *("conform", "run", "ConformRequest", "haar a:b --at 3 --with field=real --tolerance 0.1"),
        {"reference": "haar", "candidate": "a:b", "at": "3", "arguments": ("field=real",), "tolerance": 0.1},
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_handed_on_as_one_frozen_record(name, monkeypatch):
    module, function, kind, words, expected = COMMANDS[name]
    requests = []
    monkeypatch.setattr(f"dpspectra.commands.{module}.{function}", lambda request: requests.append(request) or 0)
    assert cli.run([name, *words.split()]) == 0
    (request,) = requests
    assert type(request).__name__ == kind
    assert {field: getattr(request, field) for field in expected} == expected
    hash(request)
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.json = None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_a_field_of_the_record(name):
    module, _, kind, words, _ = COMMANDS[name]
    record = getattr(importlib.import_module(f"dpspectra.commands.{module}"), kind)
    options = vars(cli.parser().parse_args([name, *words.split()]))
    assert options.keys() - {"run", "called"} == {field.name for field in dataclasses.fields(record)}


def test_only_the_command_line_parses_options():
    users = {path.name for path in PACKAGE.rglob("*.py") if "argparse" in path.read_text(encoding="utf-8")}
    assert users == {"cli.py", "arguments.py", "options.py"}


def loaded(*words):
    """Modules that a fresh process holds after a command."""
    code = (
        "import sys\nfrom dpspectra.cli import run\ntry:\n    run(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["release", "--help"], ["bounds"]], ids=" ".join)
def test_help_and_usage_load_no_arithmetic(words):
    found = loaded(*words)
    assert not found & {"numpy", "scipy", "mpmath", "hypothesis", "multiprocessing"}
    rooms = {name.split(".")[1] for name in found if name.startswith("dpspectra.")}
    assert rooms == {"cli", "commands", "ground", "ledger", "mechanisms", "relations"}
    assert of_mechanisms(found) == LISTED


LISTED = {"dpspectra.mechanisms", "dpspectra.mechanisms.catalogue", "dpspectra.mechanisms.mechanism_record"}
"""Modules that tell the names of mechanisms."""


def of_mechanisms(modules):
    """Those of the room of mechanisms."""
    return {name for name in modules if name.startswith("dpspectra.mechanisms")}


def test_show_loads_only_what_the_statement_rests_on():
    label = "MWKTV-E20"
    entries = [get(label)]
    for entry in entries:
        entries += [get(other) for other in entry.uses]
    modules = {entry.module for entry in entries}
    found = loaded("show", label)
    assert {name for name in found if name.startswith("dpspectra.lemmas.") and name.count(".") == 3} <= modules
    assert get(label).module in found
    assert not found & {"dpspectra.audit", "dpspectra.sampling", "matplotlib"}
    assert of_mechanisms(found) == LISTED


def test_release_help_lists_every_mechanism(capsys):
    with pytest.raises(SystemExit):
        cli.run(["release", "--help"])
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    for name, offer in OFFERED.items():
        assert offer.text in lines[name]
        assert all(f"--{option}" in lines[name] for option in offer.needs)
        assert hasattr(dpspectra, name)


WORDS = {
    ("release", "relation"): (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ZERO_OUT),
    ("release", "center"): choice.CENTERS,
    ("release", "denoise"): covariance.DENOISE,
    ("release", "bad_rows"): BAD_ROWS,
    ("check", "bad_rows"): BAD_ROWS,
    ("denoise", "method"): covariance.DENOISE,
    ("budget", "relation"): tuple(Relation),
    ("budget", "method"): composition.METHODS,
    ("advise", "center"): (choice.AUTO, choice.NONE, choice.PAIRS),
    ("advise", "relation"): catalogue.BOTH,
    ("bounds", "relation"): catalogue.BOTH,
    ("bounds", "field"): ("complex", "real"),
}
"""What options that take one of a few words take."""


def test_help_shows_the_words_that_an_option_takes():
    found = {}
    for name, (kind, _) in cli.COMMANDS.items():
        parser = Parser()
        kind.declare(parser)
        for action in parser._actions:
            if not action.choices and isinstance(action.metavar, str) and action.metavar.startswith("{"):
                found[name, action.dest] = tuple(action.metavar[1:-1].split(","))
            assert action.metavar not in ("WORD", "F")
    del found["release", "decimal"], found["check", "decimal"]
    assert found == {place: tuple(map(str, words)) for place, words in WORDS.items()}


def test_conform_help_lists_every_reference_with_its_arguments(capsys):
    with pytest.raises(SystemExit):
        cli.run(["conform", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    made = {
        name: f
        for name, f in vars(references).items()
        if getattr(f, "__annotations__", {}).get("return") == "Reference"
    }
    assert made.keys() - {"_covariance"} == REFERENCES.keys()
    for name, (taken, line) in REFERENCES.items():
        parameters = inspect.signature(made[name]).parameters.values()
        assert taken.split() == [p.name if p.default is p.empty else f"[{p.name}]" for p in parameters]
        assert f"{' '.join((name, taken)).strip()} {line}" in text


def test_audit_help_tells_the_default_pair(capsys):
    with pytest.raises(SystemExit):
        cli.run(["audit", "--help"])
    assert "where the last becomes zero in the second data set" in " ".join(capsys.readouterr().out.split())
