"""The command ``completion``: a script that lets a shell complete commands, options and what these choose from."""

import argparse
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from dpspectra.accounting.composition import METHODS
from dpspectra.commands import new
from dpspectra.commands.offers import AUTO, REFERENCES
from dpspectra.ledger.entry import Verdict
from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.mechanisms.centred_pca import CENTERS
from dpspectra.mechanisms.claims import RELATIONS
from dpspectra.mechanisms.covariance import DENOISE

NAMES: dict[tuple[str, str], tuple[str, ...]] = {
    ("release", "--mechanism"): (AUTO, *OFFERED),
    ("release", "--center"): CENTERS,
    ("release", "--denoise"): DENOISE,
    ("release", "--relation"): tuple(
        sorted({relation for record in OFFERED.values() for relation in record.relations})
    ),
    ("denoise", "--method"): DENOISE,
    ("budget", "--relation"): tuple(RELATIONS),
    ("budget", "--method"): METHODS,
    ("conform", "reference"): tuple(REFERENCES),
    ("new", "--chapter"): tuple(new.chapters()),
    ("new", "--kind"): tuple(new.kinds()),
    ("new", "--verdict"): tuple(Verdict),
}
"""Names that a command takes without being a choice of its parser."""


class Option(NamedTuple):
    """An option or a positional argument of a command."""

    names: tuple[str, ...]
    """Options as they are typed; none for a positional argument."""
    words: tuple[str, ...]
    """Words that its value may be; none if it is another text, as a file."""
    help: str


class CommandHelp(NamedTuple):
    """A command, or the program before any."""

    name: str
    help: str
    options: tuple[Option, ...]


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for one of the `SHELLS`, made from the parser of the program."""
    return SHELLS[shell](parser.prog, list(_commands(parser)))


def _commands(parser: argparse.ArgumentParser) -> Iterator[CommandHelp]:
    """Yield the program itself under the name ``""``, then its commands."""
    yield CommandHelp("", "", tuple(_options("", parser)))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, sub in action.choices.items():
                yield CommandHelp(name, helps[name], tuple(_options(name, sub)))


def _options(command: str, parser: argparse.ArgumentParser) -> Iterator[Option]:
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            known = NAMES.get((command, action.option_strings[0] if action.option_strings else action.dest), ())
            words = known or tuple(map(str, action.choices or ()))
            yield Option(tuple(action.option_strings), words, action.help or "")


def _bash(program: str, commands: list[CommandHelp]) -> str:
    """One case for the options of a command, for the value of each option with known words, and for what else it takes.

    Where there are no words, files are completed.
    """
    values, others = [], []
    for command in commands:
        others.append(_case([f"{command.name} -"], (name for option in command.options for name in option.names)))
        free = [word for option in command.options if not option.names for word in option.words]
        if free:
            others.append(_case([command.name, f"{command.name} --*"], free))
        for option in command.options:
            if option.names and option.words:
                values.append(_case([f"{command.name} {name}" for name in option.names], option.words))
    others.append(_case([""], (command.name for command in commands if command.name)))
    cases = "\n".join(values + others)
    return f"""_{program}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" place="" words=""
  if [ "$COMP_CWORD" -gt 1 ]; then place="${{COMP_WORDS[1]}}"; fi
  case "$word $before" in
    -*) place="$place -" ;;
    *" -"?*) place="$place $before" ;;
  esac
  case "$place" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _{program} {program}
"""


def _case(places: list[str], words: Iterable[str]) -> str:
    patterns = "|".join(f'"{place.removesuffix("*")}"' + "*" * place.endswith("*") for place in places)
    return f'    {patterns}) words="{" ".join(words)}" ;;'


def _zsh(program: str, commands: list[CommandHelp]) -> str:
    return (
        f"autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n{_bash(program, commands)}"
    )


def _fish(program: str, commands: list[CommandHelp]) -> str:
    lines = []
    for command in commands:
        where = f"-n '__fish_seen_subcommand_from {command.name}'" if command.name else "-n __fish_use_subcommand"
        if command.name:
            lines.append(
                f"complete -c {program} -f -n __fish_use_subcommand -a {command.name} -d {_quoted(command.help)}"
            )
        for option in command.options:
            long = " ".join(f"-l {name[2:]}" if name[:2] == "--" else f"-s {name[1:]}" for name in option.names)
            words = f"-x -a {_quoted(' '.join(option.words))}" if option.words else ""
            if long or words:
                parts = ("complete -c", program, where, long, words.replace("-x ", "-f ") if not long else words)
                lines.append(" ".join(part for part in (*parts, f"-d {_quoted(option.help)}") if part))
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a word of the shell, with what argparse would format taken as it stands."""
    return shlex.quote(text.replace("%%", "%")).replace("'\"'\"'", "\\'")


SHELLS: dict[str, Callable[[str, list[CommandHelp]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
