"""The share of the outputs of an audit that was looked at, and what could not be read: sights of parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dpspectra.fast import binomial
from dpspectra.ground import checks, records

KINDS = 16
"""Kinds of what could not be read, and types read by their text, that are told apart."""
OTHERS = "other things"


@dataclass(frozen=True, slots=True)
class Sight:
    """How much of some outputs was seen."""

    outputs: int = 0
    """Outputs that were read."""
    blind: int = 0
    """Outputs that hold something that cannot be read."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """Parts that cannot be read, with the number of outputs that had them."""
    numbers: int = 0
    """Numbers in those outputs."""
    placed: int = 0
    """Numbers that have a place of their own, and are looked at one by one."""
    places: int = 0
    """Places that there are in an output."""
    by_text: Mapping[str, int] = field(default_factory=dict)
    """Types that are read by their ``repr`` alone, and in how many outputs they were: their state may hold more."""

    @classmethod
    def of(cls, unread: Iterable[Iterable[str]], by_text: Iterable[Iterable[str]], outputs: int) -> Sight:
        """Return the sight of outputs, each with what could not be read in it, and what was read by its text alone."""
        unread = [frozenset(kinds) for kinds in unread]
        found = Counter(kind for kinds in unread for kind in kinds)
        texts = Counter(kind for kinds in by_text for kind in frozenset(kinds))
        return cls(outputs, sum(map(bool, unread)), _few(found), by_text=_few(texts))

    def __add__(self, other: Sight) -> Sight:
        return Sight(
            self.outputs + other.outputs,
            self.blind + other.blind,
            _few(Counter(self.unread) + Counter(other.unread)),
            self.numbers + other.numbers,
            self.placed + other.placed,
            max(self.places, other.places),
            _few(Counter(self.by_text) + Counter(other.by_text)),
        )

    @property
    def blind_share(self) -> float:
        """Share of the outputs that hold something that cannot be read."""
        return self.blind / max(self.outputs, 1)

    @property
    def unplaced_share(self) -> float:
        """Share of the numbers that have no place."""
        return 1 - self.placed / self.numbers if self.numbers else 0.0

    @property
    def surely_unplaced(self) -> float:
        """A lower limit on that share, wrong with probability .001, for what the first draws happened to lack."""
        outputs = max(self.outputs, 1)
        return binomial.at_least(round(self.unplaced_share * outputs), outputs, 0.001)

    @property
    def kinds(self) -> str:
        """Return the parts that cannot be read, in words, most frequent first."""
        return ", ".join(sorted(self.unread, key=lambda kind: -self.unread[kind]))

    def words(self, accepted: float) -> dict[str, str]:
        """How much was seen, and how; ``accepted`` is the share of outputs that may hold what cannot be read."""
        found = {"outputs looked at": str(self.outputs)}
        if self.blind:
            found["outputs looked at"] += (
                f", {self.blind} hold what cannot be read ({self.kinds}); {accepted:g} of them may"
            )
        if self.numbers:
            found["numbers in them"] = f"{self.numbers}; {self.placed} of them are looked at one by one"
        return found | ({"read by their text alone": ", ".join(self.by_text)} if self.by_text else {})

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `sight_from`."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def sight_from(data: Mapping[str, Any]) -> Sight:
    """Read `Sight.to_dict` back."""
    return Sight(**SIGHT(data))


COUNT = records.whole(0, checks.LARGEST_INTEGER)
SIGHT = records.record(
    {
        **dict.fromkeys(("outputs", "blind", "numbers", "placed", "places"), COUNT),
        **dict.fromkeys(("unread", "by_text"), records.named(COUNT)),
    }
)
"""Fields of a sight in a record."""


def _few(kinds: Mapping[str, int]) -> dict[str, int]:
    """Return the most frequent kinds, and all others together."""
    if len(kinds) <= KINDS:
        return dict(kinds)
    ordered = sorted(kinds.items(), key=lambda item: (item[0] == OTHERS, -item[1]))
    kept = dict(ordered[:KINDS])
    return kept | {OTHERS: sum(count for _, count in ordered[KINDS:])}
