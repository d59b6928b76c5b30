"""DPS-PATHSHARES: shares of paths that give the same output.

To be written: why it is true, in two lines, and what breaks without each hypothesis.
"""

from typing import Any

from dpspectra.ledger import Matrix, Outcome, Parts, Real, Verdict, statement
from dpspectra.strategies import dimensions, dyadics, hermitian, st


@statement
class SharesOfPathsThatGiveTheSameOutput:
    labels = ("DPS-PATHSHARES",)
    claim = {"name of the part": r"To be written"}
    where = {"x": "To be written"}
    verdict = Verdict.NEW
    note = "auditing.md#shares-of-paths-that-give-the-same-output"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float]:
        """A Hermitian matrix and a number: draw the fields of your case, in the order of the faces' arguments."""
        return draw(hermitian(draw(dimensions()))), draw(dyadics(0.25, 4.0))

    def fast(self, x: Any, size: float) -> Parts:
        raise NotImplementedError("the face fast: for each part yield AtMost, Equal or Frequency, with numpy")

    def oracle(self, x: Matrix, size: Real) -> Parts:
        raise NotImplementedError("the face oracle: yield the same parts from the definition, with mpmath")

    def tight(self) -> list[tuple[Any, float]]:
        raise NotImplementedError(
            "the face tight: return cases at which each part is at equality, or declare its slack"
        )

    def beyond(self) -> dict[str, Outcome]:
        raise NotImplementedError("the face beyond: return what fails without each hypothesis, or set without_beyond")
