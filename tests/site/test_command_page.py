"""The page of the command line has every option of every command, with its help, under the command."""

import re

from atlas import command_page


def test_the_page_and_the_parser_agree():
    page = command_page.page()
    sections = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    assert sections.keys() == command_page.commands().keys()
    for name, command in command_page.commands().items():
        rows = dict(re.findall(r"^\| `(.*?)` \| (.*)$", sections[name], re.MULTILINE))
        shown = {row.replace("\\|", "|").split(" ")[0]: text.replace("\\", "") for row, text in rows.items()}
        for action in command._actions:
            if action.dest != "help":
                typed = "/".join(action.option_strings) or str(action.metavar or "|".join(action.choices))
                assert (action.help % vars(action)).replace("\\", "") in shown.pop(typed.split(" ")[0])
        assert shown == {}, "there is no such option"


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
