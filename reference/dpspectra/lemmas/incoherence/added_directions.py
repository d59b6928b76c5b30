"""A subspace with ``k`` random directions added: row ``i`` has leverage ``l_i + (1 - l_i) Beta(k/2, (m - r - k)/2)``.

The added directions span a uniformly random ``k``-dimensional subspace of the orthogonal complement of the given
subspace of dimension ``r``; ``1 - l_i`` is the squared length of axis ``i`` projected onto that complement. A union
bound over rows gives a level ``x_beta``: with probability at least ``1 - beta``, no leverage exceeds it. A quantile
``b`` of the Beta law, or a closed-form bound on it, needs only the largest leverage. As printed (in our reading),
``mu0`` at most doubles, plus a term of order ``log m``, under a condition on ``m``; it holds without the condition. The
directions must be independent of the subspace. An axis inside the subspace keeps leverage 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import coherence as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import coherence as exact
from dpspectra.strategies import deltas, dyadics, seeds, unitaries
from dpspectra.strategies.lazy import st

TRIALS = 4000
"""Random draws of directions in a case."""
UNDERFLOW = 1e-250
"""Probability below which no level is computed from it."""


class Span(NamedTuple):
    """Orthonormal columns ``u``, the number of directions to add, a row, a level of its leverage, and a seed."""

    u: Any
    width: int
    row: int
    level: float
    seed: int


@st.composite
def _spans(draw: st.DrawFn) -> Span:
    """Orthonormal columns (perhaps none), with room for at least one direction."""
    m = draw(st.integers(2, 6))
    r = draw(st.integers(0, m - 1))
    u, width = draw(unitaries(m))[:, :r], draw(st.integers(1, m - r))
    return Span(u, width, draw(st.integers(0, m - 1)), draw(dyadics(0, 1 - 2.0**-6)), draw(seeds()))


@st.composite
def _sizes(draw: st.DrawFn) -> tuple[Any, ...]:
    """Flat or spiky leverages of ``r`` dimensions, ``r``, the number of directions to add, and ``beta``."""
    m = draw(st.integers(3, 300))
    r = draw(st.integers(1, m - 2))
    spikes = draw(st.integers(0, r))
    before = np.full(m, (r - spikes) / (m - spikes))
    before[:spikes] = 1.0
    if spikes and draw(st.booleans()):
        before = before / 2 + r / m / 2
    return before, r, draw(st.integers(1, m - r - 1)), draw(deltas(2.0**-20, 0.5))


law = Statement(
    labels=("HR-L5.8R",),
    claim=r"\|V_i\|^2\sim l_i+(1-l_i)\,\mathrm{Beta}\big(\tfrac k2,\tfrac{m-r-k}2\big),\ l_i=\|U_i\|^2,\ V="
    r"\mathrm{orth}[U|N];\quad\Pr\big[\max_i\|V_i\|^2>x_\beta\big]\le\beta,\quad x_\beta\le l+(1-l)b,\ "
    r"l=\max_il_i,\ \sqrt b\le\sqrt{\tfrac k{m-r}}+\sqrt{\tfrac{2\log(m/\beta)}{m-r}}",
    verdict=Verdict.NEW,
    cases=lambda: st.tuples(_spans(), _sizes()),
    uses=("HR-C5.10", "HR-D5.5"),
    note="incoherence.md#law-of-the-leverages",
    digits=30,
    examples=40,
)
printed = Statement(
    labels=("HR-L5.8",),
    claim=r"\Pr\Big[\mu_0(V)>2\mu_0(U)+\frac{4k+8\log(m/\beta)}{r+k}\Big]\le\beta",
    verdict=Verdict.VERIFIED,
    cases=_sizes,
    uses=("HR-L5.8R",),
    note="incoherence.md#adding-random-directions",
    digits=20,
    examples=60,
)


def level(leverages: Any, width: int, beta: float) -> float:
    """Leverage that some row exceeds with probability at most ``beta`` after adding ``width`` random directions."""
    return fast.leverage_quantile(leverages, width, beta)


def uniform_level(largest: Any, m: int, rank: int, width: int, beta: float) -> Any:
    """Bound on `level` from the largest leverage alone: ``l + (1 - l) b`` with the quantile ``b`` of the Beta law."""
    return largest + (1 - largest) * fast.added_leverage(m, rank, width, beta)


def closed_quantile(m: Any, rank: Any, width: Any, beta: Any) -> Any:
    """Closed-form bound on ``b``, from the rows, the subspace's rank, the number of directions and a probability."""
    return (np.sqrt(width / (m - rank)) + np.sqrt(2 * np.log(m / beta) / (m - rank))) ** 2


@law.fast
def leverages(span: Any, sizes: Any) -> tuple[Outcome, ...]:
    u, width, row, x, seed = span
    (m, _), before = u.shape, fast.leverages(u)
    noise = np.random.default_rng(seed).standard_normal((TRIALS, m, width))
    basis = np.linalg.qr(noise - u @ (u.T @ noise))[0]
    after = before[row] + np.sum(basis[:, row] ** 2, axis=1)
    count = int(np.sum(after > x)) if before[row] < 1 else TRIALS  # an axis inside the subspace
    union = float(np.sum(fast.exceedance(before, width, x)))
    smooth = np.max(before) < x < 1 and m > u.shape[1] + width and union > UNDERFLOW
    return (
        Frequency(count, TRIALS, float(fast.exceedance(before, width, x)[row]), part="leverage of one row"),
        Equal(level(before, width, union) if smooth else x, x, part="level of the union bound"),
        *_closed(*sizes),
    )


def _closed(before: Any, r: int, width: int, beta: float) -> tuple[AtMost, AtMost]:
    """The level from the quantile is at most the closed form; the union bound over rows at the closed form."""
    m, largest = len(before), np.max(before)
    above = uniform_level(largest, m, r, width, beta), largest + (1 - largest) * closed_quantile(m, r, width, beta)
    unions = [np.sum(fast.exceedance(before, width, min(x, 1.0))) for x in above]
    return AtMost(above[0], max(above[1], above[0]), part="closed form above the quantile"), AtMost(
        unions[1], beta, part="union bound over rows"
    )


@law.oracle
def exact_leverages(span: Any, sizes: Any) -> tuple[Outcome, ...]:
    u, width, row, x, *_ = span
    x, before = mp.mpf(x), mp.mpf(fast.leverages(u)[row])
    beyond = _by_angle(before, width, len(u) - u.shape[1] - width, x)
    return (
        AtMost(beyond, beyond, part="leverage of one row"),
        Equal(x, x, part="level of the union bound"),
        *_exactly_closed(*sizes),
    )


def _exactly_closed(before: Any, r: int, width: int, beta: float) -> tuple[AtMost, AtMost]:
    m, largest, beta = len(before), mp.mpf(np.max(before)), mp.mpf(beta)
    free, rest = m - r, mp.mpf(m - r - width) / 2
    closed = (mp.sqrt(mp.mpf(width) / free) + mp.sqrt(2 * mp.log(m / beta) / free)) ** 2
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(45):  # quantile beta / m of 1 minus the Beta variable
        middle = (low + high) / 2
        below = mp.betainc(rest, mp.mpf(width) / 2, 0, middle, regularized=True) < beta / m
        low, high = (middle, high) if below else (low, middle)
    above = largest + (1 - largest) * (1 - low), largest + (1 - largest) * closed
    union = mp.fsum(exact.exceedance([mp.mpf(y) for y in before], width, min(above[1], mp.mpf(1))))
    return AtMost(above[0], max(above[1], above[0] - mp.mpf(2) ** -40), part="closed form above the quantile"), AtMost(
        union, beta, part="union bound over rows"
    )


def _by_angle(start: Any, width: int, rest: int, x: Any) -> Any:
    if x < start:
        return mp.mpf(1)
    if start >= 1 or rest == 0:
        return mp.mpf(x < 1)

    def share(end: Any) -> Any:
        return mp.quad(lambda t: mp.cos(t) ** (width - 1) * mp.sin(t) ** (rest - 1), [0, end])

    return share(mp.asin(mp.sqrt((1 - x) / (1 - start)))) / share(mp.pi / 2)


@printed.fast
def doubled(before: Any, r: int, width: int, beta: float) -> tuple[AtMost, AtMost]:
    """The level from the closed form is at most the printed one; the union bound holds at the printed one.

    Levels are cut at 1, above which they say nothing.
    """
    m, largest = len(before), np.max(before)
    coherence = 2 * m / r * largest + (4 * width + 8 * np.log(m / beta)) / (r + width)
    stated = min((r + width) / m * coherence, 1.0)
    closed = min(largest + closed_quantile(m, r, width, beta), 1.0)
    return AtMost(closed, stated, part="closed form below the printed level"), AtMost(
        np.sum(fast.exceedance(before, width, stated)), beta, part="union bound at the printed level"
    )


@printed.oracle
def exactly_doubled(before: Any, r: int, width: int, beta: float) -> tuple[AtMost, AtMost]:
    m, beta, largest = len(before), mp.mpf(beta), mp.mpf(np.max(before))
    coherence = 2 * mp.mpf(m) / r * largest + (4 * width + 8 * mp.log(m / beta)) / (r + width)
    stated = min((r + width) * coherence / m, mp.mpf(1))
    root = mp.sqrt(mp.mpf(width) / (m - r)) + mp.sqrt(2 * mp.log(m / beta) / (m - r))
    union = mp.fsum(exact.exceedance([mp.mpf(y) for y in before], width, stated))
    return AtMost(min(largest + root**2, mp.mpf(1)), stated, part="closed form below the printed level"), AtMost(
        union, beta, part="union bound at the printed level"
    )
