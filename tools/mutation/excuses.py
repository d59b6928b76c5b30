"""Faults that are known to change nothing: ``equivalents.csv``, by file, function and text of the edit, not its line.

One row excuses every equal edit in that function, on that side alone; the column ``side`` says ``both faces`` where the
same fault in both changes nothing either. That a fault changes which cases are tried is no excuse: recorded coverage
sees to that.
"""

import functools

from dpspectra.ledger import tables
from tools.mutation.campaign import Mutant

BOTH = "both faces"
"""Side of a row that excuses the fault in both faces at once too."""


@functools.cache
def excuses() -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return sides and reasons, by file, function and edit."""
    return {
        (row["file"], row["function"], row["edit"]): (row["side"], row["reason"])
        for row in tables.rows("equivalents.csv", "tools.mutation")
    }


def excuse(mutant: Mutant) -> str | None:
    """Return why a fault is known to change nothing, if it is."""
    found = [excuses().get((mutant.path.as_posix(), edit.function, str(edit)), ("", None)) for edit in mutant.edits]
    if len(mutant.edits) > 1:
        return next((reason for side, reason in found if side == BOTH), None)
    return found[0][1]
