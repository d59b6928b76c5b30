"""An option is declared once: how a field is read, checked, and handed on."""

import argparse
from dataclasses import dataclass
from pathlib import Path

import pytest

from dpspectra.commands.arguments import Parser, Request, argument, count, option


def refuse_three(value: int) -> None:
    """Raise ``ValueError`` for 3."""
    if value == 3:
        raise ValueError("n must be another number, got 3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Request):
    n: int = option("a number (default: %(default)d)", "N", type=count, default=2, check=refuse_three, keyword="size")
    json: Path | None = option("a file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example(Shared):
    names: tuple[str, ...] = argument("names", default=())
    epsilon: float = option("needed", "E")
    pair: tuple[float, float] | None = option("two numbers", group=("more", "Numbers."))
    per_row: bool = option("a flag")
    given: tuple[str, ...] = option("some", flag="--with", action="append", default=())
    low: float | None = option("this", group="one")
    high: float | None = option("or that", group="one")
    whole: int | None = option("an integer")


def parsed(*words):
    parser = argparse.ArgumentParser()
    Example.declare(parser)
    return Example.of(parser.parse_args([*words]))


def test_fields_say_how_they_are_read():
    found = parsed("a", "b", "--epsilon", "1", "--pair", "1", "2", "--with", "x", "--with", "y", "--low", "3")
    assert found == Example(
        **{"n": 2, "json": None, "names": ("a", "b"), "epsilon": 1.0, "pair": (1.0, 2.0), "per_row": False},
        **{"given": ("x", "y"), "low": 3.0, "high": None, "whole": None},
    )
    assert parsed("--epsilon=1", "--high=1", "--json=x", "--per-row").names == ()


@pytest.mark.parametrize(
    "words", ["", "--epsilon 1", "--low 1", "--epsilon 1 --low 1 --high 1", "--epsilon a --low 1", "--low 1 --pair 1"]
)
def test_what_is_missing_or_of_another_type_is_bad_usage(words, capsys):
    with pytest.raises(SystemExit):
        parsed(*words.split())
    assert ": error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--epsilon 10%", "argument --epsilon: must be a number, such as 2, 1e-6 or .1 for 10%, got '10%'"),
        ("--pair 1 two", "argument --pair: must be a number, such as 2, 1e-6 or .1 for 10%, got 'two'"),
        ("--whole two", "argument --whole: must be an integer, such as 2, got 'two'"),
    ],
)
def test_what_is_no_number_is_told_how_one_is_written(words, line, capsys):
    with pytest.raises(SystemExit):
        parsed(*words.split())
    assert line in capsys.readouterr().err


def test_a_check_is_called_with_the_value():
    assert parsed("--epsilon=1", "--low=1", "--n=4").n == 4
    with pytest.raises(ValueError, match="n must be another number, got 3"):
        parsed("--epsilon=1", "--low=1", "--n=3")


def test_help_has_the_own_options_before_the_shared_ones(capsys):
    parser = argparse.ArgumentParser()
    Example.declare(parser)
    text = parser.format_help()
    places = [text.index(f"  --{name}") for name in ("json", "epsilon", "per-row", "with", "n N", "pair")]
    assert places == sorted(places)
    assert "a number (default: 2)" in text
    assert "more:\n  Numbers.\n" in text


def test_what_is_misspelt_is_refused_under_its_command_with_what_is_near(capsys):
    top = Parser(prog="p")
    Example.declare(top.add_subparsers(required=True, metavar="COMMAND").add_parser("example"))
    given = ["example", "--epsilon", "1", "--low", "1"]
    for words, line in (
        ([*given, "--per-rwo"], "p example: error: unrecognized arguments: --per-rwo; near: --per-row"),
        ([*given, "--column=3"], "p example: error: unrecognized arguments: --column=3"),
        ([*given, "--epsilom=3"], "p example: error: unrecognized arguments: --epsilom=3; near: --epsilon"),
        (["exmaple"], "p: error: argument COMMAND: invalid choice: 'exmaple' (choose from 'example'); near: example"),
        (["other"], "p: error: argument COMMAND: invalid choice: 'other' (choose from 'example')"),
    ):
        with pytest.raises(SystemExit):
            top.parse_args(words)
        assert capsys.readouterr().err.replace("from example", "from 'example'").splitlines()[-1] == line


def test_keywords_are_those_that_a_function_takes_by_name_alone():
    def function(epsilon, *, size, low, other=None):
        """Take some."""

    assert parsed("--epsilon=1", "--low=1").keywords(function) == {"size": 2, "low": 1.0}
