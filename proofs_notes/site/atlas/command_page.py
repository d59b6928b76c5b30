"""The page of the command line: every command with its options, as the program itself declares them.

The words and examples between the options are `commands.md`.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from atlas import markup as md
from dpspectra import cli

HEAD = ("option", "what it says", "default")
PAGE = Path(__file__).parents[1] / "commands.md"


def commands() -> dict[str, argparse.ArgumentParser]:
    """Return the grammar of each command."""
    action = next(each for each in cli.parser()._actions if isinstance(each, argparse._SubParsersAction))
    return dict(action.choices)


def page() -> str:
    """Return the page in MyST Markdown. Raises ``KeyError`` for a command that there is not."""
    told = {name: "\n\n".join(filter(None, _command(name, command))) for name, command in commands().items()}
    told["STATUS"] = md.escape(cli.STATUS)
    return re.sub(r"^@(\w+)@$", lambda found: told[found[1]], PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield f"## {name}"
    yield md.escape(command.description or "")
    either = {action for group in command._mutually_exclusive_groups for action in group._group_actions}
    actions = [action for action in command._actions if action.dest != "help"]
    yield md.table(HEAD, [_row(action, "one is needed" if action in either else "needed") for action in actions])
    yield md.fence(command.epilog, "text") if command.epilog else ""


def _row(action: argparse.Action, needed: str) -> tuple[str, str, str]:
    """Return an option as it is typed, its help, and its default or that it is needed."""
    values = "" if action.nargs == 0 else action.metavar or "|".join(action.choices or ()) or action.dest.upper()
    words = " ".join(values) if isinstance(values, tuple) else str(values)
    typed = " ".join(word for word in ("/".join(action.option_strings), words) if word)
    default = f"{action.default:g}" if isinstance(action.default, float) else str(action.default)
    told = "" if action.nargs == 0 or action.default in (None, "", []) else md.code(default)
    last = needed if action.required or needed != "needed" else told
    return md.code(typed), md.escape((action.help or "") % vars(action)), last
