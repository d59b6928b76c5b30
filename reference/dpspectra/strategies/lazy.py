"""``st``: `hypothesis.strategies`, imported when the first strategy is built and not before.

Mechanisms take their constants from the modules of the book, and each module of the book also says how its cases are
drawn. So that nobody who releases data loads a test framework, these modules import ``st`` from here, and
``Statement.cases`` is a function that builds the strategy, called by whoever checks the statement. Nothing stands in
for a strategy: every call returns Hypothesis's own. Type checkers see `hypothesis.strategies` itself.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis import strategies as st
else:

    class _Strategies:
        """Looks every name up in `hypothesis.strategies`."""

        def __getattr__(self, name: str) -> Any:
            return getattr(importlib.import_module("hypothesis.strategies"), name)

        def composite(self, definition: Callable[..., Any]) -> Callable[..., Any]:
            """Decorate as Hypothesis does, but at the first call: modules are decorated when they are imported."""
            decorated = functools.cache(lambda: self.__getattr__("composite")(definition))

            @functools.wraps(definition)
            def build(*args: Any, **kwargs: Any) -> Any:
                return decorated()(*args, **kwargs)

            signature = inspect.signature(definition)
            build.__signature__ = signature.replace(parameters=[*signature.parameters.values()][1:])  # without draw
            return build

    st = _Strategies()

__all__ = ["st"]
