"""A subspace with ``k`` random directions added: row ``i`` has leverage ``l_i + (1 - l_i) Beta(k/2, (m - r - k)/2)``.

The added directions span a uniformly random ``k``-dimensional subspace of the orthogonal complement of the given
subspace of dimension ``r``; ``1 - l_i`` is the squared length of axis ``i`` projected onto that complement. A union
bound over rows gives a level ``x_beta``: with probability at least ``1 - beta``, no leverage exceeds it. From the
largest leverage ``l`` alone, ``x_beta <= l + (1 - l) b``, where the Beta variable exceeds ``b`` with probability
``beta / m``. A closed form bounds ``b``: ``m - r`` times the Beta variable has smaller exponential moments than a
chi-square variable with ``k`` degrees of freedom (``width`` in the code), hence its tail bound. The directions must be
independent of the subspace. An axis inside the subspace keeps leverage 1.

The directions stand for the columns of Gaussian noise in the private range finder. ``range_finding/leverages``,
``range_error`` and others import `uniform_level` and `chi_square_quantile`: both must remain upper bounds.
"""

from collections import Counter
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.fast import leverages as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Outcome, Parts, Slack, Verdict, statement
from dpspectra.oracle.quadrature import integral, working
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import deltas, dyadics, seeds, st, unitaries

TRIALS = 4000
"""Random draws of directions in a case."""

EXCESS = "excess of one direction", "excess of many directions"
"""Parts about the quantile less its mean."""


@st.composite
def _spans(draw: st.DrawFn) -> tuple[Any, int, int, float, int]:
    """Orthonormal columns (perhaps none), the number of directions to add, a row, a level of its leverage, a seed."""
    m = draw(st.integers(2, 6))
    r = draw(st.integers(0, m - 1))
    u, width = draw(unitaries(m))[:, :r], draw(st.integers(1, m - r))
    return u, width, draw(st.integers(0, m - 1)), draw(dyadics(0, 1 - 2.0**-6)), draw(seeds())


@st.composite
def sizes(draw: st.DrawFn) -> tuple[Any, ...]:
    """Flat or spiky leverages of ``r`` dimensions, ``r``, the number of directions to add, and ``beta``."""
    m = draw(st.integers(3, 300))
    r = draw(st.integers(1, m - 2))
    spikes = draw(st.integers(0, r))
    before = np.full(m, (r - spikes) / (m - spikes))
    before[:spikes] = 1.0
    if spikes and draw(st.booleans()):
        before = before / 2 + r / m / 2
    return before, r, draw(st.integers(1, m - r - 1)), draw(deltas(2.0**-20, 0.5))


def uniform_level(largest: Any, m: int, rank: int, width: int, beta: float) -> Any:
    """Bound on the level from the largest leverage alone: ``l + (1 - l) b`` with the quantile ``b`` of the Beta law."""
    return largest + (1 - largest) * fast.added_leverage(m, rank, width, beta)


def chi_square_quantile(width: Any, log_inverse: Any, sqrt: Any = np.sqrt) -> Any:
    """Level that a chi-square variable of ``width`` degrees exceeds with probability ``exp(-log_inverse)`` or less."""
    return width + 2 * sqrt(width * log_inverse) + 2 * log_inverse


def _levels(before: Any, r: int, width: int, beta: float) -> tuple[Outcome, ...]:
    """The level of a line in two and three dimensions; the union over rows; the closed form of the quantile."""
    m, largest = len(before), np.max(before)
    plane, space = (fast.leverage_quantile(np.zeros(d), 1, beta) for d in (2, 3))
    scaled = (m - r) * fast.added_leverage(m, r, width, beta)
    stated = chi_square_quantile(width, np.log(m / beta))
    above = min(uniform_level(largest, m, r, width, beta), 1.0)
    lost = 1e-6 * (m - r - width) / max(1 - above, 1e-16)  # digits lost in 1 - above, raised to the power rest / 2
    return (
        Equal(plane, np.cos(np.pi * beta / 4) ** 2, part="level of a line in the plane"),
        Equal(space, (1 - beta / 3) ** 2, part="level of a line in space"),
        AtMost(np.sum(fast.exceedance(before, width, above)), beta, scale=beta * lost, part="union bound over rows"),
        AtMost(scaled, stated, part="closed form above the quantile"),
        AtMost(scaled - width, stated - width, part=EXCESS[width > 1]),
    )


def _exact_levels(before: Any, r: int, width: int, beta: float) -> tuple[Outcome, ...]:
    """`_levels` with quantiles by bisection, and the level of a line from the arc or the cap around an axis."""
    m, largest, beta = len(before), max(map(mp.mpf, before)), mp.mpf(beta)
    b, logarithm = exact_quantile(m, r, width, beta), mp.log(m / beta)
    above = largest + (1 - largest) * b
    rows = [(mp.mpf(own), count) for own, count in Counter(before).items() if own < 1]
    union = mp.fsum(count * beta_tail(width, m - r - width, (above - own) / (1 - own)) for own, count in rows)
    excess = 2 * mp.sqrt(width * logarithm) + 2 * logarithm
    plane, space = (  # the arcs, or the caps, around the axes where one coordinate is large exclude each other
        mp.findroot(lambda x, d=d: d * _by_angle(mp.mpf(0), 1, d - 1, x) - beta, (0.5, 1), solver="anderson")
        for d in (2, 3)
    )
    return (
        Equal(plane, mp.cos(mp.pi * beta / 4) ** 2, part="level of a line in the plane"),
        Equal(space, (1 - beta / 3) ** 2, part="level of a line in space"),
        AtMost(union, beta, part="union bound over rows"),
        AtMost((m - r) * b, width + excess, part="closed form above the quantile"),
        AtMost((m - r) * b - width, excess, part=EXCESS[width > 1]),
    )


def exact_quantile(m: int, r: int, width: int, beta: Any) -> Any:
    """Quantile ``b`` of the Beta law, exceeded with probability ``beta / m``, which must be at most 1/4."""
    rest = m - r - width
    mean = mp.mpf(width) / (m - r)  # which is smaller
    return bisect(lambda x: beta_tail(width, rest, x) > beta / m, mean, 1, mp.mpf(2) ** -70)[1]


def beta_tail(width: int, rest: int, x: Any) -> Any:
    """Probability that the Beta variable exceeds ``x``, for ``x`` at least its mean; by a continued fraction."""
    with working():
        a, b, x, n = arb(rest) / 2, arb(width) / 2, arb(x), 0
        y, small = 1 - x, arb(mp.eps)
        above, below, value = arb(1), arb(0), arb(1)  # quotients of convergents, by the method of Lentz
        while n == 0 or abs((above * below - 1).mid()) > small:
            n += 1
            k = n // 2
            step = k * (b - k) / (a + n - 1) if n % 2 == 0 else -(a + k) * (a + b + k) / (a + n - 1)
            step *= y / (a + n)
            above, below = 1 + step / above, 1 / (1 + step * below)
            value *= above * below
        beta = (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()
        return mp.mpf(y**a * x**b / (a * beta) / value)


def _by_angle(start: Any, width: int, rest: int, x: Any) -> Any:
    """Probability that the leverage of a row rises from ``start`` above ``x``, by the angle to the directions."""
    if x < start:
        return mp.mpf(1)
    if rest == 0:
        return mp.mpf(x < 1)

    def density(t: Any) -> Any:
        sine, cosine = t.sin_cos()
        return cosine ** (width - 1) * sine ** (rest - 1)

    end = mp.asin(mp.sqrt((1 - x) / (1 - start)))
    with working():
        return mp.mpf(integral(density, [0, end]) / integral(density, [0, mp.pi / 2]))


@statement
class AddedDirections:
    labels = ("HR-L5.8R",)
    given = (
        r"V=\mathrm{orth}[U|N],\ l_i=\|U_i\|^2,\ l=\max_il_i,\quad X\sim\mathrm{Beta}(\tfrac k2,\tfrac{m-r-k}2),\ "
        r"\Pr[X>b]=\tfrac\beta m,\ L=\log\tfrac m\beta,\quad\Pr\big[\max_i\|V_i\|^2>x_\beta\big]"
        r"\le\sum_i\Pr\big[\|V_i\|^2>x_\beta\big]\le\beta"
    )
    claim = {
        "leverage of one row": r"\Pr\big[\|V_i\|^2>x\big]\le\Pr\big[l_i+(1-l_i)X>x\big]",
        "level of a line in the plane": r"m=2,\ r=0,\ k=1:\ x_\beta=\cos^2\tfrac{\pi\beta}4",
        "level of a line in space": r"m=3,\ r=0,\ k=1:\ x_\beta=(1-\tfrac\beta3)^2",
        "union bound over rows": r"\sum_i\Pr\big[l_i+(1-l_i)X>l+(1-l)b\big]\le\beta",
        "closed form above the quantile": r"(m-r)b\le k+2\sqrt{kL}+2L",
        "excess of many directions": r"k\ge2:\ (m-r)b-k\le2\sqrt{kL}+2L",
        "excess of one direction": r"k=1:\ (m-r)b-1\le2\sqrt L+2L",
    }
    where = {
        "U": "matrix of $`r`$ orthonormal columns",
        "U_i": "the rows of $`U`$",
        "k": "number of random directions",
        "r": "number of columns of $`U`$",
        "N": r"random directions: an $`m\times k`$ matrix of independent standard normal entries",
        "l_i": "the leverages of the rows of $`U`$",
        "l": "largest leverage of a row of $`U`$",
        r"x_\beta": r"smallest level at which the sum over the rows is at most $`\beta`$",
        "b": r"upper quantile of the Beta law at $`\beta/m`$",
        "X": "variable of the Beta law",
        "x": "threshold for the leverage of one row",
    }
    verdict = Verdict.NEW
    uses = ("HR-C5.10", "HR-D5.5")
    note = "incoherence.md#law-of-the-leverages"
    digits = 30
    examples = 7
    slack = {
        "closed form above the quantile": Slack(
            0.9576, "a tail bound for all directions; 0.9995 for a million of them"
        ),
        "excess of many directions": Slack(
            0.836241, "the normal tail is smaller than its exponential bound, by a factor"
        ),
        "excess of one direction": Slack(0.910336, "equality in the limit of small beta, like 1 - O(1 / sqrt(L))"),
    }

    def cases(self) -> Any:
        return st.tuples(_spans(), sizes())

    def fast(self, span: Any, sizes: Any) -> Parts:
        u, width, row, x, seed = span
        (m, _), before = u.shape, fast.leverages(u)
        noise = np.random.default_rng(seed).standard_normal((TRIALS, m, width))
        basis = np.linalg.qr(noise - u @ (u.T @ noise))[0]
        after = before[row] + np.sum(basis[:, row] ** 2, axis=1)
        count = int(np.sum(after > x)) if before[row] < 1 else TRIALS  # an axis inside the subspace
        # this part is about the law of one row: counts against its exact probability
        yield Frequency(count, TRIALS, float(fast.exceedance(before, width, x)[row]), part="leverage of one row")
        yield from _levels(*sizes)

    def oracle(self, span: Any, sizes: Any) -> Parts:
        u, width, row, x, *_ = span
        x, before = mp.mpf(x), mp.fsum(mp.mpf(entry) ** 2 for entry in u[row])
        rest = len(u) - u.shape[1] - width
        beyond, stated = _by_angle(before, width, rest, x), mp.mpf(1)
        if before <= x and rest > 0:
            missing = (1 - x) / (1 - before)
            stated = mp.betainc(mp.mpf(rest) / 2, mp.mpf(width) / 2, 0, missing, regularized=True)
        yield AtMost(beyond, stated, scale=1, part="leverage of one row")
        yield from _exact_levels(*sizes)

    def tight(self) -> list[Any]:
        """Equal leverages: the union is attained. The closed form needs many directions, or a tiny probability."""
        line, flat = (np.zeros((2, 0)), 1, 0, 0.75, 0), np.full(2**16, 2.0**-16)
        return [(line, (flat, 1, 512, 0.5)), (line, (flat, 1, 1, 2.0**-250))]

    def beyond(self) -> dict[str, AtMost]:
        """A diagonal line of space, with a direction that always makes a plane with it that contains an axis."""
        stated = mp.mpf(1) / 3 + mp.mpf(2) / 3 * exact_quantile(3, 1, 1, mp.mpf(0.5))
        return {"directions independent of the subspace": AtMost(mp.mpf(1), stated)}
