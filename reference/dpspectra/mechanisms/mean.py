"""The mean of rows with noise that no direction tells apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from dpspectra.certified import calibrate, grid, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.grid import Limbs
from dpspectra.certified.integer_rows import exponent
from dpspectra.certified.l2_gamma import l2_gamma
from dpspectra.fast import vector_noise
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.float_row_sums import total
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms import catalogue, plain_words
from dpspectra.mechanisms.added_noise import FINE, WHOLE, Privacy
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.covariance import exact_in
from dpspectra.mechanisms.gaussian_mu import part_of_mu, whole_mu
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import MOMENTS, opened, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import FALSE_ALARM, STATED, with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

MEAN = catalogue.get("private_mean")
ROWS = ("DPS-QUANTISER",)
"""Statement behind exact sums of rows."""


def private_mean(
    X: Data | Moments,
    epsilon: float,
    delta: float = 0.0,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Floats]:
    """Release the mean of the rows; ``(epsilon, delta)``-DP when one row is replaced.

    The sum moves by at most ``2 norm_bound``. For ``delta = 0`` the noise has a density proportional to ``exp(-|z| /
    scale)`` in the Euclidean norm, with ``scale = 2 norm_bound / (n epsilon)`` (DPS-L2GAMMA). Otherwise it is normal,
    of standard deviation ``scale = 2 norm_bound / (n mu)`` with the exact ``mu`` (HR-T2.6R).

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, relation, arithmetic, rng
        As in `laplace_covariance`.
    epsilon
        Privacy loss in nats, above 0.
    delta
        Probability that approximate privacy allows; 0 for pure privacy.

    Returns
    -------
    Release
        Its value has shape ``(d,)``. ``details``: ``noise``, ``"l2_gamma"`` or ``"gaussian"``; ``scale``; ``step`` if
        the arithmetic is certified; ``largest_possible``, the length of the longest mean; and ``guarantee``, the exact
        quantile of the length of the noise (up to the rounding of rows).

    Raises
    ------
    ValueError
        As `laplace_covariance`.

    Examples
    --------
    >>> release = private_mean(np.eye(3), epsilon=1.0)
    >>> release.value.shape, release.details["noise"], release.claim.arithmetic
    ((3,), 'l2_gamma', 'certified')

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = MEAN.planned(epsilon=epsilon, delta=delta, relation=relation, X=X, **asdict(reading))
    source = randomness(rng, arithmetic)
    chosen = mean_noise((plan.epsilon, plan.delta), reading.reach)
    sums = Sum.of(X, reading, source)
    value, details = sums.noisy_mean(chosen, begun(source))
    claim = promised(plan, source, chosen.labels, ROWS)
    length = Guarantee("Euclidean error", details["scale"] * chosen.length(len(value)), CONFIDENCE)
    details = {"noise": chosen.name, **details, "largest_possible": float(reading.reach), "guarantee": length}
    details |= {STATED: ("mean",), "mean_edge": details["scale"] * chosen.length(len(value), 1 - FALSE_ALARM)}
    details |= with_rows(claim, sums.count) | plain_words.moments(X, reading, MEAN.computed)
    return Release(value, claim, details)


@dataclass(frozen=True, slots=True)
class VectorNoise:
    """A law of noise on a vector, in both arithmetics, and a scale for the sum of rows."""

    name: str
    ideal: Callable[[int, float, np.random.Generator], Floats]
    certified: Callable[[grid.Steps, float, Source], grid.Integers]
    length: Callable[..., float]
    """The quantile of the length at scale 1, at `CONFIDENCE` unless told, from the dimension; or a bound on it."""
    spread: Callable[[int], float]
    """The standard deviation of a coordinate at scale 1, from the dimension."""
    labels: tuple[str, ...]
    """Statements that the privacy rests on."""
    scale: float = 1.0


def mean_noise(privacy: Privacy, longest: Fraction | float, share: Fraction = WHOLE) -> VectorNoise:
    """Noise that hides the replacement of a vector of norm at most ``longest`` in a sum, for a share of the loss."""
    reach = 2 * Fraction(longest)
    if privacy[1]:
        return gaussian(calibrate.at_least_root(reach**2, part_of_mu(whole_mu(privacy), share)))
    exact = reach / (share * Fraction(privacy[0]))
    return _l2_gamma(calibrate.least(lambda c: c >= exact, exact))


def gaussian(scale: float, labels: tuple[str, ...] = ("HR-T2.6R",)) -> VectorNoise:
    """Return normal noise of this standard deviation."""

    def length(d: int, confidence: float = CONFIDENCE) -> float:
        return math.sqrt(2 * float(gammaincinv(d / 2, confidence)))

    return VectorNoise("gaussian", vector_noise.gaussian, noise_on_grid.gaussian, length, lambda d: 1.0, labels, scale)


def _l2_gamma(scale: float) -> VectorNoise:
    def length(d: int, confidence: float = CONFIDENCE) -> float:
        return float(gammaincinv(d, confidence))

    spread, labels = (lambda d: math.sqrt(d + 1)), ("DPS-L2GAMMA",)
    return VectorNoise("l2_gamma", vector_noise.l2_gamma, l2_gamma, length, spread, labels, scale)


def laplace(scale: float, labels: tuple[str, ...]) -> VectorNoise:
    """Independent Laplace noise; its length is at most the sum of moduli, which is Gamma distributed."""

    def length(d: int, confidence: float = CONFIDENCE) -> float:
        return float(gammaincinv(d, confidence))

    return VectorNoise(
        "laplace", vector_noise.laplace, noise_on_grid.laplace, length, lambda d: math.sqrt(2), labels, scale
    )


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of rows, exact if the arithmetic is certified."""

    vector: NDArray[Any] | Limbs
    count: int
    exponent: int | None
    """Rows are integers in units of ``2**-exponent``; ``None`` for floats."""

    @classmethod
    def of(cls, rows: Data | Moments, reading: Reading, source: Source | Ideal) -> Sum:
        """Open data, and return the sum of their rows."""
        if isinstance(source, Ideal) and outside(rows).kind != MOMENTS:
            found = total(opened(rows), reading)
            return cls(found.vector, found.count, None)
        exponent(reading.norm_bound)
        exact = exact_in(rows, reading, order=1)
        if isinstance(source, Ideal):
            return cls(np.ldexp(exact.first.integers().astype(float), -exact.exponent), exact.count, None)
        return cls(exact.first, exact.count, exact.exponent)

    def noisy_mean(self, law: VectorNoise, draw: Source | np.random.Generator) -> tuple[Floats, dict[str, Any]]:
        """Return the mean with noise of the scale on the sum; and details, of the scale over the number of rows."""
        vector, n, d = self.vector, self.count, len(self.vector)
        details = {"scale": law.scale / n}
        if self.exponent is None:
            assert isinstance(draw, np.random.Generator)
            assert not isinstance(vector, Limbs)
            return vector / n + law.ideal(d, law.scale / n, draw), details
        assert not isinstance(draw, np.random.Generator)
        step = grid.step_exponent(law.scale, FINE)
        steps = grid.Steps.of(vector, -self.exponent - step)
        sums = law.certified(steps, math.ldexp(law.scale, -step), draw)
        return grid.over(sums, step, n), {**details, "step": math.ldexp(1.0, step)}
