"""Noise and claim of a private run of the power method, round by round."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.gaussian import profile
from dpspectra.lemmas.sensitivity import power_step
from dpspectra.matrices.blocks import gram, largest_entry, largest_rows
from dpspectra.mechanisms.release import Claim
from dpspectra.relations import Relation

RELATIONS = (Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE)
DILATED = {Relation.ENTRY: Relation.PAIR, Relation.SPECTRAL: Relation.SPECTRAL}
SCALES = ("row", "max", "fixed", "doubling")

Block = NDArray[Any]


class LargeEntryError(RuntimeError):
    """An iterate has an entry above the public bound that the noise was calibrated for. Releasing this is private."""


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """A private run in public numbers."""

    relation: Relation
    inner: Relation
    """The relation for the matrix that is multiplied, which may be a dilation."""
    epsilon: float
    delta: float
    mu: float | None
    """Parameter of Gaussian differential privacy of the whole run; ``None`` where the noise is Laplace noise."""
    rounds: int
    """Products released, that for the low-rank approximation included."""
    scale: str
    entry_bound: float | None
    dtype: str
    """Type of the products: its rounding is part of what is released."""
    assumptions: tuple[str, ...]

    def claim(self, done: int) -> Claim:
        """Privacy of the first ``done`` rounds."""
        labels = ("HP-K4.2P" if self.inner in (Relation.ENTRY, Relation.PAIR) else "HP-L4.5", "HP-SENS")
        epsilon, delta, mu, share = self.epsilon, self.delta, self.mu, done / self.rounds
        if mu is None:
            epsilon *= share
        elif done < self.rounds:
            mu *= math.sqrt(share)
            delta = float(profile(epsilon, mu))
        return Claim(self.relation, epsilon, delta, gdp_mu=mu, assumptions=self.assumptions, labels=labels)

    def noise(self, x: Block, largest: float) -> float:
        """Standard deviation (normal) or scale (Laplace) of the noise for the product with ``x``."""
        factor = self.rounds / self.epsilon if self.mu is None else math.sqrt(self.rounds) / self.mu
        return self._sensitivity(x, largest) * factor

    def _sensitivity(self, x: Block, largest: float) -> float:
        """Sensitivity of ``A -> A X`` in Frobenius or l1 norm; the ``X`` multiplied is orthonormal up to rounding."""
        l1 = self.mu is None
        if self.inner in (Relation.SPECTRAL, Relation.RANK_ONE):
            length = math.sqrt(np.linalg.eigvalsh(gram(x))[-1])
            return length * (power_step.l1 if l1 else power_step.l2)(x, self.inner)
        if self.scale == "row":
            sizes = largest_rows(x, l1=l1)
        else:
            entry = self._entry(x, largest)
            sizes = np.full(2, x.shape[1] * (entry if l1 else entry**2))
        size = float(power_step.entrywise(sizes, self.inner))
        return size if l1 else math.sqrt(size)

    def _entry(self, x: Block, largest: float) -> float:
        """The bound on entries that a scale other than ``"row"`` goes by."""
        if self.scale == "doubling":
            return 2.0 ** math.ceil(math.log2(largest))
        entry = largest_entry(x)
        if self.entry_bound is None:
            return entry
        if entry > self.entry_bound:
            raise LargeEntryError(f"an iterate has an entry of {entry:.6g}, above the bound {self.entry_bound:.6g}")
        return self.entry_bound


def multiplied(relation: Relation, square: bool) -> Relation:
    """Return what ``relation`` on a matrix is for the symmetric one that is multiplied, itself or its dilation.

    Raises ``ValueError`` where there is no such thing: by one entry alone a symmetric matrix becomes one that is not,
    and to refuse that one would tell the two apart.
    """
    if square and relation is not Relation.ENTRY:
        return relation
    if not square and relation in DILATED:
        return DILATED[relation]
    allowed = "'pair', 'spectral' or 'rank_one' for a square" if square else "'entry' or 'spectral' for a rectangular"
    raise ValueError(f"relation must be {allowed} matrix, got {str(relation)!r}")
