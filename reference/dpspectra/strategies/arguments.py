"""Check the arguments of Hypothesis strategies when a strategy is built, before anything is drawn."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from dpspectra.ground import checks
from dpspectra.relations import Relation, among

P = ParamSpec("P")
R = TypeVar("R")

LARGEST_SIZE = 2**20
"""Largest size of a drawn value; Hypothesis holds far less."""
FIELDS = ("real", "complex")


def _size(value: Any, name: str) -> None:
    checks.integer(value, name, 0, LARGEST_SIZE)


def _dimension(value: Any, name: str) -> None:
    checks.integer(value, name, 1, LARGEST_SIZE)


CHECKS: dict[str, Callable[[Any, str], object]] = {
    **dict.fromkeys(("m", "n", "k", "entries", "bits"), _size),
    **dict.fromkeys(("d", "outcomes"), _dimension),
    "field": lambda value, name: checks.choice(value, name, FIELDS),
    "relation": lambda value, name: among(value, tuple(Relation), name),
    "signed": checks.flag,
    "spectrum": checks.real_vector,
    "frame": lambda value, name: checks.finite(value, name, 2, "(d, d)"),
}
"""The check of an argument, by the argument's name."""


def checked(build: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that builds a strategy: it raises ``ValueError`` for bad input."""
    signature = inspect.signature(build)

    @functools.wraps(build)
    def with_checks(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name in CHECKS:
                CHECKS[name](value, name)
        return build(*args, **kwargs)

    return with_checks
