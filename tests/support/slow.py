"""Which tests are slow, from a timed run: `make test` leaves them out, `make test SLOW=1` and `make slow` run all.

Slow are, the slowest first and no more than it takes, single parameters of a test, whose quickest one stays; and whole
tests of `WHOLE` seconds or more, of whose file another test stays. So a quick run enters each file, and each test that
takes less. A fault that only a slow test sees is seen by continuous integration, which runs both.
Seconds are those of the processor, of a test and the processes that it waits for: a busy machine gives the same list.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).parents[1] / "slow.txt"
"""The list, one test a line, which `make slow` writes."""
TOTAL = 260.0
"""Seconds of one core that all other tests take together, at most, where the list can do that."""
LEAST = 0.1
"""Seconds from which on a parameter of a test can be slow."""
WHOLE = 0.3
"""Seconds from which on the quickest parameter of a test, or a test without parameters, can be slow, too."""
SPENT = "processor seconds"
"""The property of a test that holds its time."""


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
    staying = collections.Counter(name.partition("::")[0] for name in seconds)
    left, found = sum(seconds.values()), []
    for name in sorted(seconds, key=lambda name: -seconds[name]):
        if left <= TOTAL or seconds[name] < LEAST:
            break
        file = name.partition("::")[0]
        if name not in kept or (seconds[name] >= WHOLE and staying[file] > 1):
            found.append(name)
            left -= seconds[name]
            staying[file] -= 1
    return sorted(found)


class Clock:
    """Notes in each process what its tests take, without their set-up, which the next test may need as well."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Add the time of a test to its properties."""
        begun = _spent()
        try:
            return (yield)
        finally:
            item.user_properties.append((SPENT, _spent() - begun))


def _spent() -> float:
    return sum(os.times()[:4])


class Times:
    """Takes down what each test takes, in a run of all of them, and writes the list at its end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the time of a test that was called."""
        for seconds in (float(str(value)) for name, value in report.user_properties if name == SPENT):
            self.seconds[report.nodeid] = seconds

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the list, unless the run was cut short."""
        if exitstatus in (0, 1) and self.seconds:
            new = LIST.with_suffix(".new")
            new.write_text("".join(f"{name}\n" for name in slow(self.seconds)), encoding="utf-8")
            new.rename(LIST)


def timed(config: pytest.Config) -> None:
    """Time a run where it is asked for; the process that hands out the tests writes the list."""
    if os.environ.get("SLOW_TIMES"):
        config.pluginmanager.register(Clock())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Times())
