"""Noise on a sum ``x x'`` over people: its type, its moments, how it is added; each law has a module in `noises`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpspectra.certified import grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact
from dpspectra.fast.linalg import mirror
from dpspectra.ground.array_types import Array
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee

if TYPE_CHECKING:
    from dpspectra.fast.spectral_noise import SpectralNoise
    from dpspectra.matrices.float_moments import FloatMoments

FINE = 24
"""The grid of a certified release is finer than the noise by ``2**FINE``."""
COARSER = 5
"""Bits of the dimension from which the grid gets coarser: the bounds on errors grow, and balls take long."""

Privacy = tuple[float, float]
"""An epsilon, in nats, and a delta."""
WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Law:
    """A law of symmetric noise, in both arithmetics."""

    ideal: Callable[[int, float, np.random.Generator], Array]
    """Noise ``(d, d)`` of some scale."""
    certified: Callable[[grid.Steps, int, float, Source], grid.Integers]
    """Noise of some scale in steps, added to exact numbers on and above the diagonal, row by row."""
    spread: Callable[[int], float] = lambda d: 1.0
    """The grid is finer than the scale times this by `FINE`: the size of an entry in dimension ``d``, or a little more.

    A power of two is enough.
    """


def wide(d: int) -> float:
    """Return the spread of laws whose entries are as large as those of a Wishart matrix, or smaller."""
    return 2.0 ** ((2 * d + 1).bit_length() // 2 + max(0, d.bit_length() - COARSER))


@dataclass(frozen=True, slots=True)
class AddedNoise:
    """A law and a scale that make a noisy sum private."""

    law: Law
    scale: float
    """Scale of the noise on the sum, not on the mean."""
    labels: tuple[str, ...]
    """Statements that the privacy rests on."""
    square: tuple[float, float]
    """Mean and variance of the squared Frobenius norm at scale 1."""
    spectrum: Callable[[int, float, float], SpectralNoise]
    """Its spectrum in high dimension, from the dimension, the scale and the mean square."""
    largest: float | None = None
    """The quantile of the Frobenius norm at `CONFIDENCE` and scale 1, or a bound on it, where one is known."""
    norm: float | None = None
    """A bound on that of the spectral norm, where one is known."""
    with_trace: tuple[float, float] | None = None
    """A bound on that norm and one on minus the trace, which hold together with this probability."""
    details: Mapping[str, float] = field(default_factory=dict)
    """Multiples of the squared scale that are of interest, by name."""

    def frobenius(self, scale: float) -> Guarantee:
        """Bound on the Frobenius norm of noise of this law and some scale."""
        mean, variance = self.square
        if self.largest is not None:
            return Guarantee("Frobenius error", scale * self.largest, CONFIDENCE)
        return Guarantee.of_square("Frobenius error", scale**2 * mean, scale**4 * variance)

    def leading(self, rank: int, scale: float) -> tuple[float, float]:
        """Bound the root of the sum of the ``rank`` largest squared singular values, and the largest one.

        Both hold together with probability `CONFIDENCE`: either by the Frobenius norm or by the spectral one.
        """
        whole = self.frobenius(scale).bound
        if self.norm is not None and math.sqrt(rank) * scale * self.norm < whole:
            return math.sqrt(rank) * scale * self.norm, scale * self.norm
        return whole, whole

    def spectral(self, d: int, scale: float) -> SpectralNoise:
        """Return the spectrum of noise of this law and some scale."""
        return self.spectrum(d, scale, scale**2 * self.square[0])


def independent(variance: float) -> Callable[[int, float, float], SpectralNoise]:
    """Return the spectrum of noise of this variance off the diagonal, at scale 1."""

    def spectrum(d: int, scale: float, mean_square: float) -> SpectralNoise:
        from dpspectra.fast.spectral_noise import semicircle

        return semicircle(d, variance * scale**2, mean_square)

    return spectrum


def triangle_moments(d: int, variance: float, kurtosis: float) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of noise that is independent on and above the diagonal.

    With ``w = 1`` on and ``2`` above the diagonal the squared norm is ``sum w_i x_i^2``, of mean ``v d^2`` and variance
    ``(kappa - 1) v^2 sum w_i^2 = (kappa - 1) v^2 (2 d^2 - d)``, for entries of variance ``v`` and kurtosis ``kappa``
    (fourth moment over ``v^2``).
    """
    return variance * d**2, variance**2 * (kurtosis - 1) * (2 * d**2 - d)


def noisy(
    moments: FloatMoments | Exact, law: Law, scale: float, draw: Source | np.random.Generator
) -> tuple[Array, dict[str, Any]]:
    """Second moments over ``n`` with noise, of the given scale on the sum; and details, of the scale over ``n``."""
    d, n = moments.width, moments.count
    details = {"scale": scale / n}
    if isinstance(draw, np.random.Generator):
        assert not isinstance(moments, Exact)
        return moments.gram / n + law.ideal(d, scale / n, draw), details
    assert isinstance(moments, Exact)
    exponent = grid.step_exponent(scale * law.spread(d), FINE)
    steps = grid.Steps.of(moments.upper, -2 * moments.exponent - exponent)
    sums = law.certified(steps, d, math.ldexp(scale, -exponent), draw)
    return mirror(grid.over(sums, exponent, n), d), {**details, "step": math.ldexp(1.0, exponent)}
