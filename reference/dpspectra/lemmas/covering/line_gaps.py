"""The gap of a line in closed form: Haar lines, lines drawn at some ``kappa``, balls of lines and covers of all lines.

The score is ``<M, H>`` with ``gamma = (g, 0, .., 0)``, so the gap is ``g`` times the squared sine of the angle to the
best line. The two entries on the tail of the gap and the entry on its quantile compare their bounds with this law.
"""

import math
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammainc, gammaincc

from dpspectra.fast.caps import log_line_cap
from dpspectra.fast.nets import circle_covering_number
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.lemmas.covering.orbit_cover import log_bound
from dpspectra.oracle import nets as exact_nets
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dimensions, st

NODES = 160
"""Nodes of the quadrature over angles."""
TILTS = [16.0, 64.0, 4.0, 0.5, 128.0]
"""Products ``b`` of ``kappa`` and both spreads."""


@st.composite
def lines(draw: st.DrawFn) -> tuple[Any, ...]:
    """An orbit of lines with an explicit law of the gap: field, dimension (2 over the reals), and ``b`` as above."""
    field = draw(st.sampled_from(["real", "complex", "complex"]))
    return field, draw(dimensions(2)) if field == "complex" else 2, draw(st.sampled_from(TILTS))


def line_tail(field: str, d: int, b: float, x: float) -> Any:
    """``P(kappa gap >= x)``, ``x < b``, for a line and ``gamma = (g, 0, .., 0)``; over the reals for ``d = 2`` only.

    ``kappa gap`` is ``b sin^2`` of the angle to the best line: a truncated Gamma variable over the complex numbers.
    """
    if field == "complex":
        beyond = gammaincc(d - 1, x) - gammaincc(d - 1, b) if x > d - 1 else gammainc(d - 1, b) - gammainc(d - 1, x)
        return beyond / gammainc(d - 1, b)
    masses, (nodes, weights) = [], gauss_legendre(NODES)
    for start in (math.asin(math.sqrt(x / b)), 0.0):
        angles = start + (np.pi / 2 - start) * (nodes + 1) / 2
        masses.append((np.pi / 2 - start) * np.sum(weights * np.exp(-b * np.sin(angles) ** 2)))
    return masses[0] / masses[1]


def sublevel_bound(field: str, d: int, b: float, share: float, s: float) -> Any:
    """``x / (1 + x)`` for such a line; ``share`` and ``s`` are ``tau`` and ``s`` over the largest gap."""
    measures = [float(y) ** (d - 1) if field == "complex" else 2 / np.pi * math.asin(math.sqrt(y)) for y in (share, s)]
    x = np.exp(-b * (share - s)) * (1 - measures[0]) / measures[1]
    return x / (1 + x)


def exact_line_tail(field: str, d: int, b: Any, x: Any) -> Any:
    """`line_tail` by its definition, as a quotient of integrals of ``exp(-kappa gap)`` over the Haar law."""
    return exact_mass(field, d, b, x / b, 1) / exact_mass(field, d, b, 0, 1)


def exact_mass(field: str, d: int, b: Any, low: Any, high: Any) -> Any:
    """Integral of ``exp(-b y)`` over ``y``, the squared sine of a Haar line, in ``[low, high]``, up to a constant."""
    power = 2 * d - 3 if field == "complex" else 0
    start, end = mp.asin(mp.sqrt(low)), mp.asin(mp.sqrt(high))
    steps = [mp.mpf(2) ** j / (1 + b) for j in range(60)]
    with working():
        rate = arb(b)

        def weight(angle: Any) -> Any:
            sine, cosine = angle.sin_cos()
            return (-rate * sine**2).exp() * (sine**power * cosine if power else 1)

        return mp.mpf(integral(weight, [start, *(start + h for h in steps if start + h < end), end]))


def exact_sublevel_bound(field: str, d: int, b: Any, share: Any, s: Any) -> Any:
    """`sublevel_bound` from the Haar measures, as the solution ``p`` of ``p = x (1 - p)``."""
    beyond, within = exact_mass(field, d, 0, share, 1), exact_mass(field, d, 0, 0, s)
    return beyond / (beyond + within * mp.exp(b * (share - s)))


def log_counts(field: str, d: int, x: float) -> tuple[float, float]:
    """Logarithms of the inverse measure of a ball of radius ``x``, and of a number of balls that cover all lines."""
    number = math.log(circle_covering_number(x)) if field == "real" else log_bound(1.0, 1, d, x, field)
    return -log_line_cap(min(x * x, 1.0), d, field), number


def exact_log_counts(field: str, d: int, x: Any) -> tuple[Any, Any]:
    """`log_counts` in mpmath."""
    if field == "real":
        return -mp.log(2 * mp.asin(min(x, 1)) / mp.pi), mp.log(exact_nets.circle_covering_number(x))
    return -2 * (d - 1) * mp.log(min(x, 1)), 2 * d * mp.log(1 + 2 / x) if x < 1 else mp.mpf(0)
