"""Rounds of a search for the worst pair, and what each of them saw of a pair."""

from typing import NamedTuple

from dpspectra.audit.claims import CurveClaim


class Round(NamedTuple):
    """One round of the search."""

    draws: float
    """Draws on each data set, as a share of those of the last audit."""
    claim: float
    """Share of the claimed parameter."""
    kept: int
    """Pairs that reach the next round."""
    alike: int
    """Pairs among those that may share one change."""


class Attempt(NamedTuple):
    """One audit of the search."""

    stage: str
    name: str
    claim: CurveClaim
    """The reduced claim."""
    draws: int
    log_e_value: float
    violated: bool
    bound: float
    """Certified bound on the parameter of the claim."""

    @property
    def merit(self) -> tuple[bool, float]:
        """Rank of the pair: by how soon it refuted the reduced claim; below all those, by the certified bound.

        A pair that shows nothing loses little wealth, as nothing is staked on it; its bound is 0.
        """
        return (True, self.growth) if self.violated else (False, self.bound)

    @property
    def growth(self) -> float:
        """Log of the wealth gained per draw."""
        return self.log_e_value / self.draws
