"""The mean and the second moments of rows by one noise."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpspectra.certified.gram import ExactMatrix, ExactMoments
from dpspectra.certified.integer_rows import exponent
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.added_noise import AddedNoise, noisy
from dpspectra.mechanisms.catalogue import NOISES, get
from dpspectra.mechanisms.choice import AUTO, chosen_noise
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.covariance import SUMS, exact_in
from dpspectra.mechanisms.mechanism_record import Mechanism
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import FALSE_ALARM, PER_PERSON, STATED, of_noise, with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

MOMENTS = get("private_moments")
JOINT = ("DPS-AUGMENTED",)
ERROR_OF_MEAN = "Euclidean error of the mean"


def private_moments(
    X: Data | Moments,
    epsilon: float,
    delta: float = 0.0,
    *,
    constant: float = 0.5,
    mechanism: str = "auto",
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[tuple[Floats, Floats]]:
    """Release the mean of the rows and ``X'X / n`` by one noise; ``(epsilon, delta)``-DP when one row is replaced.

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, relation, arithmetic, rng
        As in `laplace_covariance`.
    epsilon, delta
        Privacy loss in nats, and the probability that approximate privacy allows; 0 for pure noise.
    constant
        Entry ``c`` beside each row, in units of ``norm_bound``, between 0 and 1. Noise is added to second moments of
        rows ``(c norm_bound, x)``, of norm at most ``sqrt(1 + c^2) norm_bound`` (DPS-AUGMENTED): that on second moments
        is ``1 + c^2`` times as large as alone, that on the mean ``(1 + c^2) / c`` times that off their diagonal.
    mechanism
        Name of the covariance whose noise is taken, in dimension ``d + 1``; or ``"auto"``, the one with the smallest.

    Returns
    -------
    Release
        Its value is a pair, the mean ``(d,)`` and the second moments ``(d, d)``. ``details``: ``mechanism`` and the
        ``reason``; ``constant``, in the units of the rows, as it was rounded to their grid; ``scale`` of the noise on
        second moments; ``step``; ``noise_edge``, ``visible_from`` and ``largest_possible`` as in `laplace_covariance`,
        of second moments; ``guarantee``, the bound on the Frobenius error of the second moments, and
        ``mean_guarantee`` on the Euclidean error of the mean: both hold together with probability .95. Of people with
        several rows ``rows_per_person``, ``m``: sums are over all rows of a person, and ``S - mean mean' / m`` is their
        covariance, ``m`` times.

    Raises
    ------
    ValueError
        For bad input.

    Examples
    --------
    >>> mean, moments = private_moments(np.eye(3), 1.0, 1e-6).value
    >>> mean.shape, moments.shape
    ((3,), (3, 3))

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    given = {"epsilon": epsilon, "delta": delta, "relation": relation, "constant": constant, "mechanism": mechanism}
    found = joint(MOMENTS, X, given, reading, rng, arithmetic)
    spectrum = found.noise.spectral(len(found.mean), found.details["scale"])
    details = {**found.details, **of_noise(spectrum, len(found.mean), float(reading.square))}
    details |= {STATED: ("mean", "matrix"), "mean_edge": found.length}
    details |= {"mean_guarantee": found.mean_error, "guarantee": found.error}
    return Release((found.mean, found.moments), found.claim, details)


def of_mean(whole: float, constant: float) -> float:
    """Bound the error of the mean by that of all noise, in which its noise is twice."""
    return whole / (math.sqrt(2) * constant)


@dataclass(frozen=True, slots=True)
class Joint:
    """A noisy mean and noisy second moments."""

    mean: Floats
    moments: Floats
    noise: AddedNoise
    """The noise, in one dimension more."""
    claim: Claim
    details: dict[str, Any]

    @property
    def error(self) -> Guarantee:
        """Bound on the noise on second moments, which is a part of all noise."""
        return self.noise.frobenius(self.details["scale"])

    @property
    def length(self) -> float:
        """Length that noise on the mean hardly ever has, by the standard deviation of an entry off the diagonal."""
        tail = math.sqrt(-2 * math.log(FALSE_ALARM))
        entry = self.details["scale"] * math.sqrt(self.noise.square[0]) / (1 + len(self.mean))
        return entry / self.details["constant"] * (math.sqrt(len(self.mean)) + tail)

    def displaced(self, longest: float) -> float:
        """Return the largest eigenvalue of ``-(m e' + e m' + e e')``, about, for noise ``e`` on a mean ``m``.

        ``longest`` is the length of the longest mean. Noise has no preferred direction: a part of ``1 / sqrt d`` of it
        lies along ``m``.
        """
        m = min(float(np.linalg.norm(self.mean)) + self.length, longest)
        return m * min(m, self.length * (1 + 1 / math.sqrt(len(self.mean))))

    @property
    def mean_error(self) -> Guarantee:
        """Bound on the error of the mean, which holds with that one."""
        return Guarantee(ERROR_OF_MEAN, of_mean(self.error.bound, self.details["constant"]), CONFIDENCE)


def joint(
    record: Mechanism, X: Data | Moments, given: dict[str, Any], reading: Reading, rng: Rng, arithmetic: str | None
) -> Joint:
    """Mean and second moments by one noise; called by the function that a user calls."""
    constant = checks.positive(given["constant"], "constant")
    if constant > 1:
        raise ValueError(f"constant must be at most 1, got {constant:g}")
    checks.choice(given["mechanism"], "mechanism", (AUTO, *NOISES))
    plan = record.planned(X=X, **given, **asdict(reading))
    privacy = plan.epsilon, float(given["delta"])
    source = randomness(rng, arithmetic)
    if not isinstance(source, Ideal):
        exponent(reading.norm_bound)
    whole, digits = entry_of(constant, reading.norm_bound)
    entry = Fraction(whole) / Fraction(2) ** digits
    square = reading.per_person * (Fraction(reading.norm_bound) ** 2 + entry**2)

    name = given["mechanism"]
    choose = foreseen(X, lambda d: chosen_noise(name, d + 1, privacy, square, plan.relation))
    sums = exact_in(X, reading)
    choice, noise, promise = choose(sums.width)
    wider = with_constant(sums, whole)
    given_sums = as_floats(wider) if isinstance(source, Ideal) else wider
    matrix, details = noisy(given_sums, noise.law, noise.scale, begun(source, depth=2))
    claim = promised(plan, source, (*JOINT, *noise.labels), SUMS, **promise)
    known = {**choice.details(), "constant": float(entry), **details, **with_rows(claim, sums.count)}
    known |= {PER_PERSON: reading.per_person} if reading.per_person > 1 else {}
    return Joint(matrix[0, 1:] / float(entry), matrix[1:, 1:], noise, claim, known)


def entry_of(constant: float, norm_bound: float) -> tuple[int, int]:
    """Return the constant entry in units of the grid of the rows, and how many binary digits such a unit has."""
    digits = exponent(norm_bound)
    whole = math.floor(Fraction(constant) * Fraction(norm_bound) * Fraction(2) ** digits)
    if not whole:
        raise ValueError(f"constant must be at least 2**-19, got {constant:g}")
    return whole, digits


def with_constant(sums: ExactMoments, whole: int) -> ExactMatrix:
    """Second moments of rows ``(whole, q)``, from the sums of ``q`` and of ``q q'``; the first entry by their count.

    Of people with fewer rows than count, that entry is too large, which moves nothing that is released.
    """
    first = sums.first.integers().astype(object) * whole
    upper = np.concatenate([[sums.count * whole**2], first, sums.upper.integers().astype(object)])
    total = np.empty((sums.width + 1,) * 2, dtype=object)
    places = ~np.tri(sums.width + 1, k=-1, dtype=bool)
    total[places] = upper
    total.T[places] = upper
    return ExactMatrix(total, sums.exponent, sums.count)


def as_floats(sums: ExactMatrix) -> FloatMoments:
    """Return sums in float64."""
    return FloatMoments(np.ldexp(sums.total.astype(float), -2 * sums.exponent), sums.count)
