"""The two sides of a comparison: a mechanism, or a sampler, each with its data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpspectra.audit.calling.arguments import checked_function, checked_pair
from dpspectra.audit.calling.caller import Caller, copies
from dpspectra.audit.reading.stacked_outputs import Rows


class ReferenceFailedError(ValueError):
    """The reference of a comparison has failed, so nothing can be said of the candidate."""


@dataclass
class Arm:
    """One of the two sides of a comparison: a mechanism, or a sampler, and the data set that it is called with."""

    caller: Caller
    data: Any
    trusted: bool = False
    """Whether a run that fails is an error and no outcome."""

    def __post_init__(self) -> None:
        self.fresh = copies(self.data)

    def failed(self) -> None:
        """Raise if this must not happen."""
        if self.trusted:
            found = self.caller.problem or "no rows"
            raise ReferenceFailedError(
                f"the reference must not fail on this input, got {found}: give one that it takes"
            )

    def checked(self, rows: Rows) -> Rows:
        """Rows as they are, none of which may have failed if the arm is trusted."""
        if self.trusted and isinstance(rows, list) and any(one.failed for one in rows):
            self.failed()
        return rows


def two_arms(mechanism: Any, pair: Any) -> tuple[Arm, Arm]:
    """One mechanism on two data sets; ``ValueError`` if it cannot be called with each of them."""
    first, second = pair
    told = told_data(checked_function(mechanism, "mechanism"), first, second)
    caller = Caller.checked(told, "mechanism", first, second)
    return Arm(caller, first), Arm(caller, second)


def told_data(mechanism: Any, first: Any, second: Any) -> Any:
    """Return the mechanism; one that must be told its data sets beforehand, as a program, has a method ``on_pair``."""
    return mechanism.on_pair(first, second) if hasattr(mechanism, "on_pair") else mechanism


def two_different_arms(mechanism: Any, pair: Any) -> tuple[Arm, Arm]:
    """`two_arms`, and ``ValueError`` for no pair of data sets, or for one that could show nothing about a claim."""
    return two_arms(mechanism, checked_pair(pair))
