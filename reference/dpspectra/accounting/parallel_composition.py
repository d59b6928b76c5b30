"""Chunks of rows of different people: a budget is charged the largest of their claims, not the sum (DPS-PARTS)."""

from __future__ import annotations

import uuid
from typing import Any

from dpspectra.accounting.budget import Budget
from dpspectra.accounting.disjoint_claims import of_chunk
from dpspectra.accounting.privacy_filter import BudgetError, exceeds
from dpspectra.ground import checks
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.private_data import Sealed
from dpspectra.mechanisms.release import Release


class Series:
    """Chunks of which each person is in one only. A copy is another series, which pays for itself."""

    def __init__(self) -> None:
        self.name = uuid.uuid4().hex
        """Name of the entry of a budget that all chunks share."""

    def __reduce__(self) -> Any:
        return Series, ()


def release_chunk(budget: Budget, series: Series, mechanism: str, X: Any, **given: Any) -> Release[Any]:
    """Return the release of one more chunk by a mechanism of this package, as `Budget.release` does.

    The entry of the series holds the claim of all its chunks: it is raised before the chunk is opened, and set back if
    the call ends before. Raises ``BudgetError`` if the budget has no room, or is for people who may change their chunk.
    """
    record, box = get(mechanism), Sealed(X, counted=budget.relation.counted)
    planned = record.planned(X=box, **given)
    before = budget._book.raised(series.name, lambda held: of_chunk(planned, held), mechanism)
    try:
        release = record.function()(box, **given)
    except BaseException:
        if not box.touched:
            budget._book.replace(series.name, before)
        raise
    budget._book.replace(series.name, of_chunk(release.claim, before))
    if exceeds(release.claim, planned):
        raise BudgetError(f"the mechanism must claim what was asked for at most, got {checks.shown(release.claim)}")
    return release
