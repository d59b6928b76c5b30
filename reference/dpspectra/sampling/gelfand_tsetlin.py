"""The linear exponential law on Gelfand-Tsetlin patterns of low rank, row by row, by inverse distribution functions.

Order the eigenvalues ``m`` of ``M`` ascending, so that large ones leave first, and let ``y_i = kappa (m_i - m_1)``.
Integrating the rows above it out, the row ``mu`` of length ``r`` below a given one, ``lambda``, has density proportional
to ``det exp((y_i - y_(r+1)) mu_j)`` on the box ``lambda_(j+1) <= mu_j <= lambda_j``: the normaliser of the shorter rows
is such a determinant over a Vandermonde product, which cancels. Rows of the determinant may be replaced by divided
differences over ``y_1, ..., y_i``. With the least level at 0, only ``k`` of the ``mu_j`` are not 0 and only the last
``k`` rows of the determinant remain:
``E_i(t) = exp(-y_(r+1) t) P_i(t)`` with ``P_i`` the divided difference of ``exp(x t)`` over the first ``i`` nodes.
A column is integrated by integrating its entries, so ``mu_1, mu_2, ...`` are drawn in turn: columns drawn stay at their
point, later ones are integrated, and the distribution function is a combination of integrals of ``E_i`` whose
coefficients are cofactors. Where a tie holds ``mu_j`` at a level the columns are derivatives there.

``P_i`` and its integral are power series of positive terms, so no digits are lost in them, whatever the nodes; those
that cancel in the determinant are those of the points, and for ``k <= 3`` they leave errors of about ``1e-12``.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.sampling.patterns import frozen, on_orbit, unit_levels

Array = NDArray[Any]

RANK = 3
"""Most levels other than the least (or than the greatest) one."""
LARGEST_TILT = 600.0
"""Largest ``kappa`` times both spreads: beyond it the power series overflow."""
CLUSTER = 1 / 64
"""Least distance, as a share of the spread, from the first to the third level if they are not tied."""
SETTLED = 1e-10
"""Share of the largest possible value that a last Newton step may have."""
RESOLVED = 2.0**-51
"""Width of a bracket, as such a share, that is not halved any more."""
PATIENCE = 32
"""Every so many steps the bracket is halved, so that it closes whatever the Newton steps do."""
NEGLIGIBLE = 1e-19
"""Terms of a power series below this share of their sum are left out."""
BATCH = 2**17
"""Most powers that are formed at a time, so that they stay in the cache."""


def refusal(values: Array, spectrum: Array, kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    tilt = kappa * (values[0] - values[-1]) * (spectrum[0] - spectrum[-1])
    if tilt > LARGEST_TILT:
        return f"kappa times both spreads must be at most {LARGEST_TILT:g}, got {tilt:.6g}"
    levels = unit_levels(-spectrum[::-1] if _turned(spectrum) else spectrum)[0]
    k = int(np.sum(levels > 0))
    if k > RANK:
        return f"all eigenvalues of H but {RANK} must equal the least one, or the greatest, but {k} do not"
    if k == RANK and 0 < levels[0] - levels[2] < CLUSTER:
        return f"three close eigenvalues of H must be tied or {CLUSTER:.2g} of the spread apart, got {levels[:3]}"
    return None


def _turned(spectrum: Array) -> bool:
    """Whether to sample ``-H`` for ``-M`` instead, which is the same law: when fewer eigenvalues are below the top."""
    return bool(np.sum(spectrum < spectrum[0]) < np.sum(spectrum > spectrum[-1]))


def draw(values: Array, spectrum: Array, kappa: float, size: int, rng: np.random.Generator) -> Array:
    """Matrices ``(size, d, d)`` of the complex orbit law, in the basis where ``M`` is ``diag(values)``, descending."""
    if _turned(spectrum):
        return -draw(-values[::-1], -spectrum[::-1], kappa, size, rng)[:, ::-1, ::-1]
    levels, base, spread = unit_levels(spectrum)
    return on_orbit(patterns(kappa * spread * values, levels, size, rng), base, spread, rng)


def patterns(exponents: Array, levels: Array, size: int, rng: np.random.Generator) -> Array:
    """Patterns ``(size, d, d)`` of descending ``levels``, the last 0, for the law ``exp(<diag(exponents), H>)``.

    The ``exponents`` are descending too.
    """
    d, k = len(levels), int(np.sum(levels > 0))
    out = np.zeros((size, d, d))
    out[:, -1] = levels
    still = frozen(levels)
    for r in range(d - 1, 0, -1):
        wide = min(k, r)
        row = Row.of((exponents[:r] - exponents[r])[::-1], wide)
        step = max(1, BATCH // len(row.series))
        for start in range(0, size, step):
            part = out[start : start + step]
            part[:, r - 1, :wide] = row.draw(part[:, r, : wide + 1], still[r - 1, :wide], rng)
    return out


@dataclass(frozen=True, slots=True)
class Row:
    """The functions ``E_i`` of one row and their integrals from 0, without the power of ``t`` that all contain."""

    power: int
    """The power left out, ``r - k``."""
    series: Array
    """Coefficients ``(terms, 6)``: three columns for ``E_i``, three for the integrals, those from ``k`` on 0."""

    @staticmethod
    def of(nodes: Array, wide: int) -> Row:
        """Functions of a row of the length of ``nodes``, the ``b_i >= 0`` ascending, with ``wide`` free or held levels.

        With the factor ``(i - 1)!`` the coefficient of ``t^(i-1+q)`` in ``E_i`` is at most ``S^q / q!`` for nodes
        in ``[0, S]``: a Poisson weight, but for a factor. As ``E_i' = b_i E_i + E_(i-1)``, all follow from each other
        with positive terms.
        """
        r, power = len(nodes), len(nodes) - wide
        table = np.zeros((int(r + nodes[-1] + 12 * np.sqrt(nodes[-1]) + 40), r))
        table[0, 0] = 1.0
        for n in range(len(table) - 1):
            table[n + 1] = nodes * table[n]
            table[n + 1, 1:] += np.arange(1, r) * table[n, :-1]
            table[n + 1] /= n + 1
        series = np.zeros((len(table) - power, 2 * RANK))
        series[:, :wide] = table[power:, power:]
        series[1:, RANK : RANK + wide] = series[:-1, :wide] / np.arange(power + 1, len(table))[:, None]
        needed = np.nonzero(np.any(series > NEGLIGIBLE * np.sum(series, axis=0), axis=1))[0][-1] + 1
        return Row(power, series[:needed])

    def at(self, t: Array, unit: Array) -> tuple[Array, Array]:
        """``E`` and its integral from 0 at ``t``, each ``(size, 3)``, over ``unit`` to the power left out."""
        ratio = np.divide(t, unit, out=np.zeros_like(t), where=unit > 0)
        values = _powers(t, len(self.series)) @ self.series
        values *= (ratio**self.power)[:, None]
        return values[:, :RANK], values[:, RANK:]

    def draw(self, above: Array, still: NDArray[np.bool_], rng: np.random.Generator) -> Array:
        """The entries ``(size, k)`` of this row that are not 0, given those of the next one ``(size, k + 1)``."""
        wide = len(still)
        out = above[:, :wide].copy()
        columns = np.tile(np.eye(RANK), (len(out), 1, 1))  # (size, place in the row, function)
        for j in range(wide):
            held = self._held(above[0, : j + 1]) if still[j] else self._mass(above[:, j], above[:, j + 1])
            columns[:, j] = _scaled(held)
        for j in np.flatnonzero(~still):
            cofactors = np.cross(columns[:, (j + 1) % RANK], columns[:, (j + 2) % RANK])
            out[:, j] = self._quantile(cofactors, above[:, j], above[:, j + 1], rng.random(len(out)))
            columns[:, j] = _scaled(self.at(out[:, j], out[:, j])[0])
        return out

    def _mass(self, high: Array, low: Array) -> Array:
        """Integral of ``E`` from ``low`` to ``high``."""
        return self.at(high, high)[1] - self.at(low, high)[1]

    def _held(self, tied: Array) -> Array:
        """Derivative of ``E`` at the last of the values ``tied``, of the order of its equals before it.

        The factors common to all functions may be left out, as they bring in only derivatives of lower order.
        """
        level, order = tied[-1], int(np.sum(tied == tied[-1])) - 1
        n = np.arange(len(self.series))
        falling = np.prod([n - i for i in range(order)], axis=0)
        return (falling * level ** np.maximum(n - order, 0)) @ self.series[:, :RANK]

    def _quantile(self, cofactors: Array, high: Array, low: Array, u: Array) -> Array:
        """Where the distribution function of the density ``cofactors . E`` on ``[low, high]`` is ``u``.

        Newton steps, or halvings of the bracket where they leave it, until a Newton step is so small that its square
        is below rounding. They start where the power of ``t`` alone would put the quantile.
        """
        with np.errstate(divide="ignore", invalid="ignore"):  # where low = high there is no mass, and no choice
            start, end = (np.sum(cofactors * self.at(t, high)[1], axis=1) for t in (low, high))
            cofactors = cofactors / (end - start)[:, None]
            goal = u + start / (end - start)
            ratio = np.where(high > 0, low / high, 0.0) ** (self.power + 1)
            t = np.clip(high * (ratio + u * (1 - ratio)) ** (1 / (self.power + 1)), low, high)
            left, right = low, high
            for step in itertools.count(1):
                point, mass = self.at(t, high)
                excess = np.sum(cofactors * mass, axis=1) - goal
                left, right = np.where(excess < 0, t, left), np.where(excess < 0, right, t)
                newton = t - excess / np.sum(cofactors * point, axis=1)
                inside = (newton >= left) & (newton <= right) & (step % PATIENCE > 0)
                done = np.where(inside, np.abs(newton - t) <= SETTLED * high, right - left <= RESOLVED * high)
                t = np.where(inside, newton, (left + right) / 2)
                if np.all(done):
                    ITER.append(step)
                    return t
        raise AssertionError("unreachable")


ITER = []


def _scaled(columns: Array) -> Array:
    """Columns ``(..., 3)`` over their largest entry."""
    return columns / np.max(np.abs(columns), axis=-1, keepdims=True)


def _powers(t: Array, count: int) -> Array:
    """``t^n`` for ``n < count``, shape ``(size, count)``, by doubling: the errors grow with ``log n``."""
    out = np.empty((len(t), count))
    out[:, 0] = 1.0
    done = 1
    while done < count:
        more = min(done, count - done)
        np.multiply(out[:, :more], (out[:, done - 1] * t)[:, None], out=out[:, done : done + more])
        done += more
    return out
