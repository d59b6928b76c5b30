"""An option of the command line that stands in the place of a positional argument."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any


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
