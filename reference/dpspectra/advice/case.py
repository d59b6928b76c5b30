"""The public numbers that advice is given for, guesses of spectra, and a piece of advice."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.advice.costs import Cost
from dpspectra.certified.entropy import SystemEntropy
from dpspectra.fast.quadratic_ratios import mean_shares
from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.added_noise import AddedNoise
from dpspectra.mechanisms.catalogue import NOISES, get
from dpspectra.mechanisms.choice import NONE, PAIRS, named_noise
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.covariance import SUMS
from dpspectra.mechanisms.randomness import promised
from dpspectra.relations import Relation

TYPICAL = 1 / 3
"""Norm of a row mapped by bounds where nobody guesses one: numbers a third of half their range from its middle."""


@dataclass(frozen=True, slots=True)
class Advice:
    """Hold one way to a goal, and the ``reason`` for it."""

    mechanism: str
    """Name of the function of `dpspectra`."""
    arguments: dict[str, Any]
    """Arguments to call it with, besides the data."""
    claim: Claim
    """Claim that it would make."""
    error: str
    """Quantity that the numbers below measure."""
    expected_error: float
    """In the mean, by formulas that are good to some ten per cent; after the post-processing that it does."""
    guaranteed_error: float | None
    """Not exceeded with probability 0.95, whatever the data; ``None`` where nothing is proved."""
    bracket: tuple[float, float] | None
    """Expected errors for two spectra, ``k`` equal eigenvalues and ``1/j``, where no ``spectrum`` was given."""
    strength: float
    """The ``k``-th eigenvalue over the size from which on it shows in the noise; below 1 it is not found."""
    memory: float
    """Bytes besides the data, to one digit: rough."""
    seconds: float
    """On one core of a server, to one digit: rough."""
    reason: str
    rows: int = 0
    """The number of rows that these numbers are for."""
    guess: str = ""
    """The spectrum that they are for, in words."""

    @property
    def cost(self) -> Cost:
        """Memory and seconds, with their words."""
        return Cost(self.memory, self.seconds)

    def asdict(self) -> dict[str, Any]:
        """Return the advice as plain data.

        Returns
        -------
        dict
            Each field by its name; bounds of columns as a list of their numbers.

        """
        arguments = dict(self.arguments)
        if isinstance(bounds := arguments.get("bounds"), ColumnBounds):
            arguments["bounds"] = bounds.table.tolist()
        return {**asdict(self), "arguments": arguments, "claim": self.claim.asdict()}


@dataclass(frozen=True, slots=True)
class Guess:
    """Guesses of the eigenvalues of second moments, each descending; and the first one in words."""

    spectra: tuple[Floats, ...]
    text: str

    @classmethod
    def of(cls, case: Case, spectrum: Any, typical_norm: float | None) -> Guess:
        """Return a public guess as it was given; else ``k`` equal eigenvalues, and ``1/j``, for a typical norm.

        With pairs it becomes that of differences of normal rows, divided by their lengths, whose sizes do not matter.
        Raises ``ValueError`` for a bad one, and for a typical norm over the bound, with pairs or beside a spectrum.
        """
        d, k, norm_bound = case.d, case.k, case.norm_bound
        if typical_norm is not None and (spectrum is not None or case.center == PAIRS):
            why = "where a spectrum is given" if spectrum is not None else "with pairs, whose lengths do not matter"
            raise ValueError(f"typical_norm must be None {why}, got {checks.shown(typical_norm)}")
        if spectrum is not None:
            values = checks.spectrum(spectrum, d, "spectrum")
            checks.positive(float(values[0]), "the largest of spectrum")
            checks.non_negative(float(values[-1]), "the smallest of spectrum")
            return cls((values,), f"the spectrum given, of trace {float(np.sum(values)):.3g}").about(case.center)
        usual = norm_bound if case.bounds is None else TYPICAL * norm_bound
        size = usual if typical_norm is None else checks.positive(typical_norm, "typical_norm")
        if size > norm_bound:
            raise ValueError(f"typical_norm must be at most norm_bound, {norm_bound:g}, got {size:g}")
        spiked = np.full(d, 0.4 / d)
        spiked[:k] += 0.6 / k  # never below the others, whatever k
        slow = 1 / np.arange(1, d + 1)
        spectra = tuple(size**2 * values / np.sum(values) for values in (spiked, slow))
        most = "all rows at the bound, the most that typical_norm can be"
        rows = f"rows of norm about {size:.3g}" if size < norm_bound else most
        share = f"{60 + 40 * k / d:.0f} % of"
        equal = f"{'one eigenvalue' if k == 1 else f'{k} equal eigenvalues'} with {share}"
        if case.center == PAIRS:
            return cls(spectra, f"no spectrum given: {equal} the variance").about(PAIRS)
        return cls(spectra, f"no spectrum given: {rows} (trace {size**2:.3g}), {equal} it")

    def about(self, center: str) -> Guess:
        """Return the guess of what noise is added to: of the rows, or of their differences of unit length."""
        if center != PAIRS:
            return self
        return Guess(
            tuple(mean_shares(values) for values in self.spectra),
            f"{self.text}; differences of normal rows, of length 1",
        )


@dataclass(frozen=True, slots=True)
class Case:
    """The public numbers."""

    d: int
    k: int
    n: int
    epsilon: float
    delta: float
    norm_bound: float
    relation: Relation
    center: str = NONE
    bounds: ColumnBounds | None = None

    @property
    def square(self) -> float:
        """The largest possible trace of second moments."""
        return self.norm_bound**2

    def noises(self) -> dict[str, tuple[AddedNoise, SpectralNoise, Claim]]:
        """Noise by the names of covariances: the law, its spectrum on second moments, and the claim."""
        found = {}
        for name, record in NOISES.items():
            if not record.law().variance(self.d, self.epsilon, self.delta) < math.inf:
                continue
            privacy, paired = (self.epsilon, self.delta), self.center == PAIRS
            square = Fraction(2) if paired else Fraction(self.norm_bound) ** 2
            noise, promise = named_noise(name, self.d, privacy, square, self.relation)
            labels = ("DPS-PAIRS", *noise.labels) if paired else noise.labels
            claim = self.claim("private_pca", labels, SUMS, **promise)
            found[name] = noise, noise.spectral(self.d, noise.scale / self.n), claim
        return found

    def claim(self, name: str, labels: tuple[str, ...], exact: tuple[str, ...], **changes: Any) -> Claim:
        """Return the claim of a mechanism on rows within the bound, in certified arithmetic."""
        read = self.rows
        if self.bounds is not None:
            read["bounds"] = self.bounds.of_columns(self.bounds.names)
        plan = get(name).planned(relation=self.relation, center=self.center, epsilon=self.epsilon, **read)
        return promised(plan, SystemEntropy(), labels, exact, **changes)

    def pure(self) -> dict[str, Any]:
        """Arguments of a covariance without a delta."""
        return {"epsilon": self.epsilon, **self.rows}

    @property
    def rows(self) -> dict[str, Any]:
        """Arguments that say how rows are read."""
        bound = {} if self.center == PAIRS else {"norm_bound": self.norm_bound}
        return bound if self.bounds is None else {**bound, "bounds": self.bounds}

    def call(self, mechanism: str | None = None, **others: object) -> dict[str, Any]:
        """Arguments of a call."""
        given = {"mechanism": mechanism, "epsilon": self.epsilon, "delta": self.delta or None, **others}
        return {name: value for name, value in given.items() if value is not None}
