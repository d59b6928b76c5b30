"""A program's loggers are read, and all others if it names a way to them."""

import itertools
import logging
from typing import Any

import pytest

from dpspectra.audit import inside

LOG: Any = logging.getLogger("a logger of a test")
LOG.setLevel(logging.WARNING)  # whatever other tests, or libraries, have the root write
OTHER: Any = logging.getLogger("another logger of a test")
OTHER.setLevel(logging.WARNING)
OTHER.kept = []
NUMBER = itertools.count()
"""What nothing can compare."""


def writes(x: float) -> None:
    LOG.info(x)


def keeps_among_levels(x: float) -> None:
    vars(LOG)["_cache"][77] = x


def writes_to_another(x: float) -> None:
    logging.getLogger("another logger of a test").info(x)


def keeps_in_another(x: float) -> None:
    vars(logging.getLogger("another logger of a test"))["kept"].append(x)


def keeps_in_the_table(x: float) -> None:
    LOG.manager.loggerDict["another logger of a test"].kept.append(x)


def makes_a_child(x: float) -> None:
    LOG.getChild(f"of {x}")


def makes_one(x: float) -> None:
    logging.getLogger(f"of {x}")


def makes_one_always(x: float) -> None:
    logging.getLogger("a new.logger of a test").info(x)


def of(kept: Any) -> Any:
    def mechanism(x: float, rng: Any) -> Any:
        kept(x)
        return x + rng.laplace()

    return inside(mechanism, (0.0, 1.0), 1.0)


@pytest.mark.parametrize(
    ("kept", "verdict"),
    [
        (writes, "explained"),
        (writes_to_another, "explained"),
        (keeps_among_levels, "undecided"),
        (keeps_in_another, "undecided"),
        (keeps_in_the_table, "undecided"),
        (makes_a_child, "undecided"),
        (makes_one, "undecided"),
        (makes_one_always, "explained"),
    ],
)
def test_which_levels_a_logger_writes_is_no_state_and_what_else_it_keeps_is(kept, verdict, monkeypatch):
    ours = {LOG.name: LOG, OTHER.name: OTHER}  # loggers of libraries that other tests import may not be readable
    monkeypatch.setattr(LOG.manager, "loggerDict", ours)
    found = of(kept)
    assert found.verdict == verdict, found.reasons
    assert (verdict == "explained") is not any("keeps state" in reason for reason in found.reasons)


def test_a_library_s_logger_counts_where_the_program_can_come_to_it(monkeypatch):
    monkeypatch.setattr(OTHER, "number", NUMBER, raising=False)
    assert of(writes).verdict == "explained"
    found = of(writes_to_another)
    assert found.verdict == "undecided"
    assert "what a count remembers cannot be compared" in " ".join(found.reasons)
