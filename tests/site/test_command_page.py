"""The page of the command line has every option of every command, under it, and an example that runs with each."""

import re
import sys

import pytest

from atlas import command_page
from atlas.shell import commands
from dpspectra.ledger import labels
from tests.support.guides import play

COMMANDS = command_page.commands()
SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = dict(SECTION.findall(command_page.page()))


def options(name):
    return [action for action in COMMANDS[name]._actions if action.dest != "help"]


def test_the_page_and_the_parser_agree():
    assert SECTIONS.keys() == COMMANDS.keys()
    for name in COMMANDS:
        rows = dict(re.findall(r"^\| `(.*?)` \| (.*)$", SECTIONS[name], re.MULTILINE))
        shown = {row.replace("\\|", "|").split(" ")[0]: text.replace("\\", "") for row, text in rows.items()}
        for action in options(name):
            typed = "/".join(action.option_strings) or str(action.metavar or "|".join(action.choices))
            assert (action.help % vars(action)).replace("\\", "") in shown.pop(typed.split(" ")[0])
        assert shown == {}, "there is no such option"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_has_every_option(name):
    lines = (line for block in SHELL.findall(SECTIONS[name]) for line in commands(block))
    used = {word for line in lines if line.startswith(f"dpspectra {name} ") for word in line.split()}
    for action in options(name):
        assert all(option in used for option in action.option_strings), action.dest


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    some = [label for label in labels() if label.label in ("JXZ-T4", "MWKTV-L6.1")]  # test_ledger goes through all
    monkeypatch.setattr("dpspectra.commands.demo.labels", lambda: some)
    monkeypatch.setattr("dpspectra.commands.demo.DRAWS", 2)
    play(SECTION.sub("", command_page.page()) + SECTIONS[name])


def test_defaults_stand_in_the_last_column():
    rows = [line for line in command_page.page().splitlines() if line.startswith("| `--")]
    for row in (
        "| `--confidence C` | of a refutation (default: 0.999) | `0.999` |",
        "| `--norm-bound B` | of rows (default: 1) | `1` |",
        "| `--n N` | rows | one is needed |",
        "| `--mechanism NAME` | auto, or one of those below | needed |",
        "| `--force` | replace an older release (else: an error) |  |",
        "| `--renyi ALPHA E` | Renyi differential privacy |  |",
    ):
        assert row in rows
