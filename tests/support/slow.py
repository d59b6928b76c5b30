"""Which tests are slow, from a timed run: `make test` leaves them out, `make test SLOW=1` and `make slow` run all.

Slow are single parameters of a test; the quickest one of each test is never slow, nor is a test without parameters.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).parents[1] / "slow.txt"
"""The list, one test a line, which `make slow` writes."""
TOTAL = 380.0
"""Seconds of one core that all other tests take together, at most, where the list can do that."""
LEAST = 0.4
"""Seconds from which on a test can be slow."""


def listed() -> frozenset[str]:
    """Return the slow tests of the list."""
    return frozenset(LIST.read_text(encoding="utf-8").split("\n")) - {""}


def chosen(names: Iterable[str], which: str) -> frozenset[str]:
    """Return which of some tests to run: all but the slow ones (``""``), all (``"1"``), or these (``"only"``)."""
    names, slow = frozenset(names), listed()
    return {"": names - slow, "1": names, "only": names & slow}[which]


def slow(seconds: Mapping[str, float]) -> list[str]:
    """Return the tests to be left out, given the seconds that each takes."""
    of_one = collections.defaultdict(list)
    for name in seconds:
        of_one[name.partition("[")[0]].append(name)
    kept = {min(names, key=lambda name: (seconds[name], name)) for names in of_one.values()}
    left, found = sum(seconds.values()), []
    for name in sorted(seconds, key=lambda name: -seconds[name]):
        if left <= TOTAL or seconds[name] < LEAST:
            break
        if name not in kept:
            found.append(name)
            left -= seconds[name]
    return sorted(found)


class Times:
    """Adds up what each test takes, in a run of all of them, and writes the list at its end."""

    def __init__(self) -> None:
        self.seconds: collections.defaultdict[str, float] = collections.defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a phase of a test."""
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the list, unless the run was cut short."""
        if exitstatus in (0, 1) and self.seconds:
            new = LIST.with_suffix(".new")
            new.write_text("".join(f"{name}\n" for name in slow(self.seconds)), encoding="utf-8")
            new.rename(LIST)


def timed(config: pytest.Config) -> None:
    """Time a run, in the process that hands out the tests, where it is asked for."""
    if os.environ.get("SLOW_TIMES") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times())
