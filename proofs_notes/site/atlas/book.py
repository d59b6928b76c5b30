"""Everything that pages are written from: labels, facts of the entries, notes, and how they hang together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from atlas.links import linked
from atlas.markup import WORDS, plain
from atlas.notes import Page, Section
from dpspectra.ledger import Label, get, labels, words
from dpspectra.ledger.papers import PAPERS

AUTHORS = {
    "MWKTV": "Mangoubi, Wu, Kale, Thakurta, Vishnoi",
    "JXZ": "Jiang, Xie, Zhang",
    "HP": "Hardt, Price",
    "HR": "Hardt, Roth",
    "AFTER": "after the four papers",
    "DPS": "ours",
}


@dataclass(frozen=True)
class Book:
    """The ledger's facts beside the notes."""

    entries: Mapping[str, Mapping[str, Any]]
    """What `describe` says, by entry."""
    reports: Mapping[str, Mapping[str, Any]]
    """What the last run showed, by label; empty where there was none."""
    faults: Sequence[Any]
    """Rows of the page of public faults."""
    notes: Mapping[str, Page]

    @cached_property
    def labels(self) -> dict[str, Label]:
        """All labels in printed order."""
        return {label.label: label for label in labels()}

    @cached_property
    def owner(self) -> dict[str, str]:
        """The entry of each label."""
        return {label: name for name, entry in self.entries.items() for label in entry["labels"]}

    @cached_property
    def order(self) -> list[str]:
        """The entries in printed order."""
        return list(dict.fromkeys(self.owner[label] for label in self.labels if label in self.owner))

    @cached_property
    def uses(self) -> dict[str, list[str]]:
        """The entries that each entry rests on."""
        return {
            name: sorted({self.owner[label] for label in entry["uses"]} - {name})
            for name, entry in self.entries.items()
        }

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """The entries that rest on each entry."""
        found: dict[str, list[str]] = {name: [] for name in self.entries}
        for name, others in self.uses.items():
            for other in others:
                found[other].append(name)
        return found

    def verdict(self, label: str) -> str:
        """Return the verdict on the entry of a label."""
        return str(self.entries[self.owner[label]]["verdict"])

    def is_reading(self, label: str) -> bool:
        """Whether the verdict is on a reading of ours, as the printed formula is not at hand."""
        return not get(label).at_hand(label)

    def section(self, name: str) -> Section:
        """Return the section of the notes that an entry names."""
        page, _, place = self.entries[name]["note"].partition("#")
        return self.notes[page].sections[place]

    def title(self, name: str) -> str:
        """Return the printed number and name of an entry, as plain text."""
        label = self.labels[name]
        number = f"Display {label.number}" if label.number.startswith("(") else label.number
        return words.title(number, label.name)

    def sentence(self, name: str) -> str:
        """Describe an entry in a sentence."""
        return plain(self.entries[name]["summary"])

    def weakest(self, name: str) -> str:
        """Return the weakest entry among all that an entry rests on, itself included."""
        return self.owner[self.entries[name]["weakest_below"]["label"]]

    def linked(self, text: str, up: str = "../") -> str:
        """Return the text with links to statements and notes."""
        return linked(text, self.owner, self.notes.keys(), up)


def papers() -> list[str]:
    """Return the papers in the ledger's order."""
    return list(PAPERS)


def rank(verdict: str) -> int:
    """Place of a verdict, worst first."""
    return list(WORDS).index(verdict)
