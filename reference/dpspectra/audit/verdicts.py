"""The three verdicts of an audit in words, and the exit status of a command for each.

Whoever cannot have seen a leak must not say that there was none: an audit of which that is true is undecided, and what
runs it (a command, a fixture, a workflow) fails.

Do not change lightly: records and scripts of users hold the words and the numbers.
"""

from dataclasses import dataclass

REFUTED, NOT_REFUTED, UNDECIDED = "refuted", "not refuted", "undecided"
STATUS = {NOT_REFUTED: 0, REFUTED: 1, UNDECIDED: 3}
"""Exit status of a command by verdict; 2 is that of one that could not begin."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, and its reason in one sentence."""

    word: str
    reason: str

    @property
    def status(self) -> int:
        """Exit status of a command that ends with it."""
        return STATUS[self.word]

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}"
