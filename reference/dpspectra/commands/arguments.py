"""Kinds of arguments of the command line."""

import argparse
from collections.abc import Sequence
from typing import Any


def count(text: str) -> int:
    """Read a positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive integer, got {text!r}")
    return int(text)


def seed(text: str) -> int:
    """Read a non-negative integer."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a non-negative integer, got {text!r}")
    return int(text)


class Instead(argparse.Action):
    """Keeps its value, and makes the positional argument ``replaced`` optional once it is given.

    A positional argument that is optional from the start (``nargs="?"``) takes nothing if options come before it.
    """

    def __init__(self, *names: Any, replaced: argparse.Action, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.replaced = replaced

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Note the value."""
        setattr(namespace, self.dest, values)
        self.replaced.required = False
