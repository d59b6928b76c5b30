"""Which certified sampler draws a law on an orbit: a question of time only, as all of them draw the same law.

Weights that are too near to each other for a sampler are moved apart, which the last step mends at the cost of draws
(`dpspectra.certified.correction`). Where that costs too many, quantiles serve, which need nothing.
"""

import functools
import math
from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np

from dpspectra.certified.angular_gaussian import AngularGaussian
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.entropy import Source
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.certified.vertex import Vertex
from dpspectra.ground.array_types import Floats

GAPS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Smallest gaps of weights that are tried, times the room between the eigenvalues."""
USUAL = 0.5
"""Share of proposals outside the ball below which the chart is taken."""
START, ENTRY = 6e-6, 1.5e-7
"""Seconds that a proposal of the chart takes, and each of its entries besides."""
SPAN, NUMBER = 2e-4, 1.5e-7
"""Seconds that a proposal of the angular Gaussian takes, and each of its entries besides."""
LONG = 0.125
"""Seconds of a draw by chart or by quantiles from which another method is looked for."""
CELL = 1.4e-4
"""Seconds that a draw by quantiles takes for flat weights, over the dimension and the square of the rank."""
SERIES = 20.0
"""Mean exponent of a row at which the series of such a draw take twice as long."""
WORTH = 2.0**8
"""Proposals that take about as long as a draw by quantiles, for exponents of 0."""
TILT = 4.0
"""Mean exponent of a row at which a draw by quantiles takes twice as long."""
KEPT = 2**4
"""Laws whose sampler is remembered, since it may take five times as long as a draw to find one."""
POWERS = 0.15
"""How much longer such a draw takes at most, over the square of the dimension and under the rank: by exponentials."""


class Sampler(Protocol):
    """A law in eigen-coordinates."""

    def draw(self, source: Source) -> Draw:
        """Draw one ideal matrix."""


class SamplerChoice(NamedTuple):
    """A sampler, and the weights that it draws for."""

    method: str
    sampler: Sampler
    weights: Numbers


def chosen(weights: Numbers, spectrum: Floats, field: str) -> SamplerChoice:
    """Return a sampler for about ``weights`` on the orbit of ``spectrum``, both descending.

    ``spectrum`` has two values at least. Raises ``ValueError`` for a real orbit of other matrices than projectors on
    lines and hyperplanes.
    """
    if weights.dtype == object:  # of fractions
        return _found(weights, spectrum, field)
    return _remembered(weights.tobytes(), spectrum.tobytes(), field)


@functools.lru_cache(maxsize=KEPT)
def _remembered(weights: bytes, spectrum: bytes, field: str) -> SamplerChoice:
    """`_found` for the bytes of floats: a sampler keeps nothing of its draws."""
    return _found(np.frombuffer(weights), np.frombuffer(spectrum), field)


def _found(weights: Numbers, spectrum: Floats, field: str) -> SamplerChoice:
    d, rank = len(weights), projector_rank(spectrum)
    if rank in (1, d - 1):
        return SamplerChoice("bingham", Bingham(weights, rank, field), weights)
    if field == "real":
        raise ValueError("the spectrum of a real orbit must be that of a projector on a line or a hyperplane")
    quantiles = GelfandTsetlin(weights, spectrum)
    if rank is not None:
        chart = BallChart(weights, rank)
        if _outside(weights, rank) <= USUAL:
            return SamplerChoice("ball_chart", chart, weights)
        by_chart, by_quantiles = _by_chart(chart), _by_quantiles(d, rank, quantiles.tilt)
        if min(by_chart, by_quantiles) > LONG:
            spans = AngularGaussian(weights, rank)
            if _by_spans(spans) <= min(by_chart, by_quantiles):
                return SamplerChoice("macg", spans, weights)
        if by_chart <= by_quantiles:
            return SamplerChoice("ball_chart", chart, weights)
    moved = [_apart(weights, spectrum, gap) for gap in GAPS]
    least, i = min((_proposals(weights, apart, spectrum), i) for i, apart in enumerate(moved))
    levels = min(int(np.sum(spectrum > spectrum[-1])), int(np.sum(spectrum < spectrum[0])))
    if least <= WORTH * (1 + min(quantiles.tilt / TILT, POWERS * d**2 / levels)):
        return SamplerChoice("vertex", Vertex(moved[i], spectrum), moved[i])
    return SamplerChoice("gelfand_tsetlin", quantiles, weights)


def _by_chart(chart: BallChart) -> float:
    """About the seconds that a draw by the chart takes."""
    share = chart.share()
    return (START + ENTRY * chart.deviations.size) / share if share else math.inf


def _by_spans(spans: AngularGaussian) -> float:
    """About the seconds that a draw by the angular Gaussian takes."""
    share = spans.share()
    return (SPAN + NUMBER * spans.k * len(spans.omega)) / share if share else math.inf


def _by_quantiles(d: int, rank: int, tilt: float) -> float:
    """About the seconds that a draw of a projector by quantiles takes."""
    return CELL * d * rank**2 * (1 + min(tilt / SERIES, POWERS * d**2 / rank))


def projector_rank(spectrum: Floats) -> int | None:
    """Return the number of ones of a spectrum of ones and zeros, both of which occur; else ``None``."""
    ones = int(np.sum(spectrum == 1))
    return ones if 0 < ones < len(spectrum) and not np.any(spectrum[ones:]) else None


def _apart(weights: Numbers, spectrum: Floats, gap: float) -> Numbers:
    """Weights that are apart where free entries of a pattern compare them: neighbours by ``gap`` over the room there.

    The room of an eigenvalue is what lies between it and the next lower one.
    """
    if np.sum(spectrum < spectrum[0]) < np.sum(spectrum > spectrum[-1]):
        return -_apart(-weights[::-1], -spectrum[::-1], gap)[::-1]
    moved = weights.copy()
    for i in range(int(np.sum(spectrum > spectrum[-1])) - 1, -1, -1):
        room = spectrum[i] - np.max(spectrum[spectrum < spectrum[i]])
        moved[i] = max(moved[i], moved[i + 1] + Fraction(gap / room))
    return moved


def _outside(weights: Numbers, rank: int) -> float:
    """Bound the share of the chart's proposals outside the ball by the mean of their squared Frobenius norm."""
    with np.errstate(divide="ignore"):
        return float(np.sum(1 / differences(weights[:rank, None], weights[None, rank:])))


def _lost(weights: Numbers, moved: Numbers, spectrum: Floats) -> float:
    """About what the exponent of the last step's probability loses: as much as at the likeliest matrix."""
    change = differences(moved, weights)
    return float(np.sum(np.where(change > 0, change * (spectrum - spectrum[-1]), change * (spectrum - spectrum[0]))))


def _proposals(weights: Numbers, moved: Numbers, spectrum: Floats) -> float:
    """About how many proposals a draw from near the largest pattern takes."""
    lost = _lost(weights, moved, spectrum)
    if not lost < 16:
        return math.inf
    try:
        share = Vertex(moved, spectrum).share()
    except ValueError:
        return math.inf
    return math.inf if share == 0 else math.ldexp(1.0, round(1.44 * lost)) / share
