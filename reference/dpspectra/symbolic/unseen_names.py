"""Random names: one by `uuid.uuid4` that nobody looks at is harmless, and any look at it ends the run, with its line.

So a run that goes on has given the same whatever the name was. Names of temporary files are looked at by the system.
"""

import itertools
import tempfile
import uuid
from typing import Any

from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import current, following

REAL = uuid.uuid4
_COUNT = itertools.count(1)


class UnseenName(uuid.UUID):
    """A name whose attributes cannot be read; all that its class does reads them."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        """End the run, unless it is asked for its class."""
        if name == "__class__":
            return uuid.UUID
        raise current().stop(f"a name by uuid4 is looked at, at {place()}: where it goes is not followed")


def uuid4() -> uuid.UUID:
    """Stand in for `uuid.uuid4`. Who gets at the number all the same gets another one in each run."""
    if not following():
        return REAL()
    found: uuid.UUID = object.__new__(UnseenName)
    object.__setattr__(found, "int", next(_COUNT))
    return found


_CANDIDATES: Any = tempfile._get_candidate_names  # type: ignore[attr-defined]


def _candidates() -> Any:
    """Stand in for what gives temporary files their names."""
    if following():
        raise current().stop(f"a temporary file gets a random name at {place()}: where it goes is not followed")
    return _CANDIDATES()


def replacements() -> list[tuple[Any, str, Any]]:
    """Return the replacements: owner, name, replacement."""
    return [(uuid, "uuid4", uuid4), (tempfile, "_get_candidate_names", _candidates)]
