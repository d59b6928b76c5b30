"""Second moments of people, from rows or summed by somebody else, for mechanisms on spectra and orbits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.certified import calibrate, enclosed_eigenvalues, grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact, exact_matrix
from dpspectra.certified.integer_rows import exponent
from dpspectra.fast.linalg import eigenvectors
from dpspectra.formulas.spectrum_release import scale
from dpspectra.ground import checks
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.summed_elsewhere import Matrix
from dpspectra.mechanisms.added_noise import FINE
from dpspectra.mechanisms.covariance import SUMS, moments_in
from dpspectra.mechanisms.private_data import SUM, opened, outside
from dpspectra.mechanisms.randomness import Ideal
from dpspectra.relations import Relation

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments


class Decomposed(NamedTuple):
    """A positive semidefinite ``m``, its eigenvalues, descending, and its eigenvectors, as floats found them."""

    m: NDArray[Any]
    values: NDArray[Any]
    vectors: NDArray[Any]


def decomposed(m: NDArray[Any], name: str = "M") -> Decomposed:
    """Eigenvalues and eigenvectors of a Hermitian ``m``; raises ``ValueError`` unless it is positive semidefinite."""
    values, vectors = eigenvectors(m)
    return Decomposed(m, checks.non_negative_spectrum(m, values, name), vectors)


@dataclass(frozen=True, slots=True)
class Summed:
    """Second moments in a unit of their own: ``parts.m`` times ``2**exponent factor / count`` is what users mean."""

    moments: FloatMoments | Exact
    """Sums in the user's units, with the `count` by which they are divided."""
    parts: Decomposed
    unit: Fraction
    """The largest squared norm of a person's vector in units of ``parts.m``."""
    exponent: int
    factor: float
    exact: tuple[str, ...]
    """Statements behind the sum, if the arithmetic is certified."""

    @property
    def count(self) -> int:
        """The number of rows where it is public and moments are a mean, else 1."""
        return self.moments.count

    @property
    def person(self) -> float:
        """Largest squared norm of a person's vector over the `count`, in the user's units."""
        return math.ldexp(float(self.unit) * self.factor, self.exponent) / self.count

    def noisy_spectrum(
        self, k: int, epsilon: Fraction, relation: str, draw: Source | np.random.Generator
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Return the ``k`` largest eigenvalues with Laplace noise, clipped at 0 and sorted.

        Their details are ``scale`` and ``step``.
        """
        b = spectrum_scale(k, epsilon, relation, self.unit)
        details = {"scale": math.ldexp(b * self.factor, self.exponent) / self.count}
        if isinstance(draw, np.random.Generator):
            noisy = noisy_spectrum(self.parts.values[:k], float(epsilon), relation, draw)
            return noisy * self.factor / self.count, details
        m, values, vectors = self.parts
        step = grid.step_exponent(b, FINE)
        error = enclosed_eigenvalues.residual_bound(m, vectors, values)
        sums = enclosed_eigenvalues.laplace(m, values, error, k, step, math.ldexp(b, -step), draw)
        step += self.exponent
        return clipped(grid.over(sums, step, self.count)), {**details, "step": math.ldexp(1.0, step)}


def is_complex(X: Data | Moments | Matrix) -> bool:
    """Whether second moments are complex, by their declared type: those of rows are real."""
    looked = outside(X)
    return looked.kind == SUM and looked.dtype is not None and looked.dtype.kind == "c"


def summed_in(source: Source | Ideal, X: Data | Moments | Matrix, reading: Reading, relation: Relation) -> Summed:
    """Open data, and return their second moments, exact if the arithmetic is certified.

    Raises ``ValueError`` for rows that are refused, and for a matrix that is not positive semidefinite.
    """
    ideal = isinstance(source, Ideal)
    looked = outside(X)
    if looked.kind == SUM:
        assert looked.norm_bound is not None
        square, m = looked.norm_bound**2, opened(X).read()
        if ideal:
            return Summed(FloatMoments(m, 1), decomposed(m / square), Fraction(1), 0, square, ())
        parts = decomposed(m)
        moments = FloatMoments(m, 1) if np.iscomplexobj(m) else exact_matrix(m)
        return Summed(moments, parts, Fraction(looked.norm_bound) ** 2, 0, 1.0, ())
    found = moments_in(source, cast("Data", X), reading, empty=not relation.counted)
    if not relation.counted:  # the number of rows is private
        found = replace(found, count=1)
    return of_moments(found, reading)


def of_moments(found: FloatMoments | Exact, reading: Reading) -> Summed:
    """Second moments of people, decomposed."""
    square = float(reading.square)
    if isinstance(found, FloatMoments):
        parts = decomposed(checks.hermitian(found.gram / square, "X'X"), "X'X")
        return Summed(found, parts, Fraction(1), 0, square, ())
    unit = people_unit(reading, found.exponent)
    parts = Decomposed(found.total, *eigenvectors(found.total.astype(float)))
    return Summed(found, parts, unit, -2 * found.exponent, 1.0, SUMS)


def spectrum_scale(k: int, epsilon: Fraction, relation: str, unit: Fraction) -> float:
    """Return the scale of the noise on ``k`` eigenvalues in a unit, rounded upward; ``ValueError`` if it is extreme."""
    exact = scale(k, epsilon, relation) * unit
    return calibrate.least(lambda s: s >= exact, exact)


def require_scale(
    source: Source | Ideal, X: Data | Moments | Matrix, reading: Reading, k: int, epsilon: Fraction, relation: str
) -> None:
    """Raise ``ValueError`` before data are opened if the noise on ``k`` of their eigenvalues would be extreme."""
    bound = outside(X).norm_bound
    if isinstance(source, Ideal):
        unit = Fraction(1)
    elif bound is not None:
        unit = Fraction(bound) ** 2
    else:
        unit = people_unit(reading, exponent(reading.norm_bound))
    spectrum_scale(k, epsilon, relation, unit)


def people_unit(reading: Reading, p: int) -> Fraction:
    """Return the largest squared norm of a person's rows, in units of ``4**-p``."""
    return Fraction(math.floor(Fraction(reading.norm_bound) ** 2 * Fraction(4) ** p) * reading.per_person)


def noisy_spectrum(top: NDArray[Any], epsilon: float, relation: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise on a spectrum, then clipping at 0 and sorting. Checks nothing."""
    return clipped(top + rng.laplace(scale=scale(len(top), epsilon, relation), size=len(top)))


def clipped(noisy: ArrayLike) -> NDArray[np.float64]:
    """Set numbers below 0 to 0, and sort descending."""
    return np.sort(np.maximum(np.asarray(noisy), 0.0))[::-1]
