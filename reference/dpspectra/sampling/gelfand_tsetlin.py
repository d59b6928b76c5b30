"""The linear exponential law on Gelfand-Tsetlin patterns of low rank, row by row, by inverse distribution functions.

Let ``m`` be the eigenvalues of ``M`` times ``kappa``, descending. Given the row ``x`` of length ``r + 1``, the row
``mu`` of length ``r`` has density proportional to ``det exp(b_i mu_j)``, ``b_i = m_i - m_(r+1) >= 0``, on the box
``x_(j+1) <= mu_j <= x_j``: the linear weight times the normaliser of what lies below, which is such a determinant over
Vandermonde products that cancel. Functions ``exp(b_i t)`` may be replaced by divided differences ``E_i`` of
``exp(b t)`` over the first ``i`` nodes, in ascending order so that each grows faster than the one before; the smallest
level is put at 0, where all but the last ``k`` of them vanish with their derivatives, so those are left for the ``k``
values of ``mu`` that are not 0.

A column is integrated by integrating its entries. So ``mu_1, mu_2, ...`` are drawn in turn: columns drawn stay at their
point, later ones are integrated, and the distribution function is a combination of the integrals of ``E_i`` with
cofactors as coefficients. Where a tie holds ``mu_j``, its column is a derivative there.

``E_i`` and its integral are power series of positive terms and lose no digits. The determinant loses those that its
points share: for ``k <= 3``, and for ``k <= 5`` eigenvalues well apart, with the distances asked for, the distribution
functions are right to about ``1e-12``. `dpspectra.ball.gelfand_tsetlin` encloses the same chain.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.patterns import frozen
from dpspectra.ground.array_types import Array
from dpspectra.sampling.identity_plus_low_rank import Draw
from dpspectra.sampling.patterns import on_orbit, unit_levels

Pair = tuple[Array, Array]
"""Values at the lower and at the upper end of an interval."""

RANK = 5
"""Largest number of eigenvalues of ``H`` that may differ from the smallest one (or from the largest one)."""
CLOSE_RANK = 3
"""Largest number of those eigenvalues that may be tied, or close to each other."""
LARGEST_TILT = 600.0
"""Largest ``kappa`` times both spreads: the power series reach its exponential."""
PAIR, TRIPLE = 2.0**-10, 2.0**-6
"""Smallest relative distance from a level to the next one, and to the next but one, unless they are tied."""
APART = 2.0**-3
"""Smallest relative distance from a level to the next one where there are more than `CLOSE_RANK`."""
NEGLIGIBLE = 1e-19
"""Terms of a power series below this share of their sum are left out."""
SETTLED = 1e-9
"""A Newton step below this share of the largest possible value is the last one: its error is about the square."""
RESOLVED = 2.0**-51
"""A bracket below this share is not halved any more."""
PATIENCE = 32
"""Every so many steps the bracket is halved, so that it closes whatever the Newton steps do."""
EMPTY = 1e-12
"""An interval below this share of its upper end counts as a point for the other entries of its row."""
TOGETHER = 64
"""Largest number of rows whose series are formed together."""
BATCH = 2**17
"""Largest number of powers formed at a time, so that they stay in the cache."""


def refusal(values: Array, spectrum: Array, kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn."""
    tilt = kappa * (values[0] - values[-1]) * (spectrum[0] - spectrum[-1])
    if not tilt <= LARGEST_TILT:
        return f"kappa times both spreads must be at most {LARGEST_TILT:g}"
    levels = unit_levels(-spectrum[::-1] if _turned(spectrum) else spectrum)[0]
    levels = levels[levels > 0]
    if len(levels) > RANK:
        return f"at most {RANK} eigenvalues of H may differ from the smallest, or from the largest, got {len(levels)}"
    if len(levels) > CLOSE_RANK and np.min(share := 1 - levels[1:] / levels[:-1]) < APART:
        return f"more than {CLOSE_RANK} eigenvalues of H must differ by a share of {APART}, got {np.min(share):.2g}"
    for distance, limit in ((1, PAIR), (2, TRIPLE)):
        share = 1 - levels[distance:] / levels[:-distance]
        if np.any((share > 0) & (share < limit)):
            got = np.min(share[share > 0])
            return f"{distance + 1} eigenvalues of H must be tied, or differ by a share of {limit:.2g}, got {got:.2g}"
    return None


def _turned(spectrum: Array) -> bool:
    """Whether ``-H`` is better drawn, for ``-M``, which is the same law: it has fewer values above its smallest."""
    return bool(np.sum(spectrum < spectrum[0]) < np.sum(spectrum > spectrum[-1]))


def sampler(values: Array, spectrum: Array, kappa: float) -> Draw:
    """Prepare draws of the complex orbit law, in the basis where ``M`` is ``diag(values)``, descending."""
    if _turned(spectrum):
        turned = sampler(-values[::-1], -spectrum[::-1], kappa)
        return lambda size, rng: turned(size, rng).reversed()
    levels, base, spread = unit_levels(spectrum)
    draw = patterns(kappa * spread * values, levels)
    return lambda size, rng: on_orbit(draw(size, rng), base, spread, rng)


def patterns(exponents: Array, levels: Array) -> Callable[[int, np.random.Generator], Array]:
    """Prepare patterns ``(size, d, d)`` of descending ``levels``, the last 0, for ``exp(<diag(exponents), H>)``.

    The ``exponents`` are descending too.
    """
    d, k, still = len(levels), int(np.sum(levels > 0)), frozen(levels)
    all_rows = list(rows(exponents, k)) if k else []

    def draw(size: int, rng: np.random.Generator) -> Array:
        out = np.zeros((size, d, d))
        out[:, -1] = levels
        for row in all_rows:
            wide, r = row.wide, row.power + row.wide
            step = max(1, BATCH // len(row.series))
            for start in range(0, size, step):
                part = out[start : start + step]
                part[:, r - 1, :wide] = row.draw(part[:, r, : wide + 1], still[r - 1, :wide], rng)
        return out

    return draw


@dataclass(frozen=True, slots=True)
class Row:
    """The functions ``E_i`` of one row and their integrals from 0, without the power of ``t`` that all contain."""

    power: int
    """The power left out, ``r - k``."""
    series: Array
    """Coefficients ``(terms, 2 k)``: the columns of the ``E_i``, then those of the integrals."""

    @property
    def wide(self) -> int:
        """Number of its values that are not 0."""
        return self.series.shape[1] // 2

    @staticmethod
    def of(table: Array, r: int) -> Row:
        """Row of length ``r``, given the coefficients ``(terms, k)`` of the ``E_i`` of its values that are not 0."""
        wide, power = table.shape[1], r - table.shape[1]
        series = np.zeros((len(table) - power, 2 * wide))
        series[:, :wide] = table[power:]
        series[1:, wide:] = series[:-1, :wide] / np.arange(power + 1, len(table))[:, None]
        needed = np.any(series > NEGLIGIBLE * np.sum(series, axis=0), axis=1)
        return Row(power, series[: np.flatnonzero(needed)[-1] + 1])

    def at(self, t: Array, unit: Array | None = None) -> tuple[Array, Array]:
        """``E`` and its integral from 0 at ``t``, ``(k, size)``; over ``unit``, or ``t``, to the power left out."""
        values = self.series.T @ _powers(t, len(self.series))
        if unit is not None:
            values *= (t / unit) ** self.power
        return values[: self.wide], values[self.wide :]

    def draw(self, above: Array, still: NDArray[np.bool_], rng: np.random.Generator) -> Array:
        """Draw the entries ``(size, k)`` of this row that are not 0, given those of the next one ``(size, k + 1)``."""
        wide = len(still)
        out = above[:, :wide].copy()
        ends = [self.at(x) for x in np.ascontiguousarray(above.T)]
        columns = np.empty((wide, wide, len(out)))  # (place in the row, function, size)
        places = []
        for j in range(wide):
            high, low = np.ascontiguousarray(above[:, j : j + 2].T)
            last, end = ends[j]
            share = _ratio(low, high) ** self.power
            first, start = (x * share for x in ends[j + 1])
            mass = np.where(high - low > EMPTY * high, end - start, last)
            columns[j] = _scaled(self._held(above[0, : j + 1])[:, None] if still[j] else mass)
            places.append(((low, high), (first, last), (start, end)))
        for j in np.flatnonzero(~still).tolist():
            found = self._quantile(_normal(np.delete(columns, j, axis=0)), *places[j], rng.random(len(out)))
            out[:, j] = found
            columns[j] = _scaled(self.at(found)[0])
        return out

    def _held(self, tied: Array) -> Array:
        """Return the derivative of ``E`` at the last of the values ``tied``, of the order of its equals before it.

        Factors common to all functions are left out, as they add derivatives of lower order only.
        """
        level, order = tied[-1], int(np.sum(tied == tied[-1])) - 1
        n = np.arange(len(self.series))
        falling = np.prod([n - i for i in range(order)], axis=0)
        return (falling * level ** np.maximum(n - order, 0)) @ self.series[:, : self.wide]

    def _quantile(self, cofactors: Array, ends: Pair, points: Pair, masses: Pair, u: Array) -> Array:
        """Where the distribution function of the density ``cofactors . E`` between two ``ends`` is ``u``.

        ``points`` are ``E`` there and ``masses`` its integrals up to there, over the upper end to the power left out.
        Newton steps from where a power of ``t`` would put it, and halvings of the bracket where they leave it.
        """
        low, high = ends
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # an empty interval leaves no choice
            below, total = (_inner(cofactors, x) for x in masses)
            density = cofactors / (total - below)
            goal = u + below / (total - below)
            share, (first, last) = _ratio(low, high), (_inner(density, x) for x in points)
            powers = 1 - np.log(last / first) / np.log(share), self.power + 1  # with both values, and that left out
            near, t = (high * (share**p + u * (1 - share**p)) ** (1 / p) for p in powers)
            t = np.where((near >= low) & (near <= high), near, np.clip(t, low, high))
            out, left, right = t, low, high
            here: Array = np.arange(len(t))
            for step in itertools.count(1):
                point, mass = self.at(t, high)
                excess = _inner(density, mass) - goal
                left, right = np.where(excess < 0, t, left), np.where(excess < 0, right, t)
                newton = t - excess / _inner(density, point)
                inside = (newton >= left) & (newton <= right) & (step % PATIENCE > 0)
                done = np.where(inside, np.abs(newton - t) <= SETTLED * high, right - left <= RESOLVED * high)
                t = np.where(inside, newton, (left + right) / 2)
                out[here] = t
                if np.all(done):
                    break
                more = ~done
                here, t, left, right, high, goal = (x[more] for x in (here, t, left, right, high, goal))
                density = density[:, more]
        return out


def rows(exponents: Array, k: int) -> Iterator[Row]:
    """Functions of the rows of length ``d - 1`` to 1 for descending ``exponents``; ``k`` values of the last are not 0.

    As ``E_i' = b_i E_i + E_(i-1)``, the coefficients follow from each other with positive terms. The factor
    ``(i - 1)!`` is added, which keeps them in range: that of ``t^(i-1+q)`` is at most ``b_i^q / q!``.
    """
    lengths = np.arange(len(exponents) - 1, 0, -1)
    for several in np.array_split(lengths, -(-len(lengths) // TOGETHER)):
        nodes = np.zeros((len(several), several[0]))
        for node, r in zip(nodes, several.tolist(), strict=True):
            node[:r] = (exponents[:r] - exponents[r])[::-1]
        largest = np.max(nodes)
        count = int(several[0] + largest + 12 * np.sqrt(largest) + 40)
        last = np.maximum(several[:, None] + np.arange(-k, 0), 0)  # places of the functions kept
        kept = np.empty((count, len(several), k))
        table = np.eye(1, several[0]) * np.ones((len(several), 1))
        factors = np.arange(1, several[0])
        for n in range(count):
            kept[n] = np.take_along_axis(table, last, axis=1)
            before = table[:, :-1] * factors
            table *= nodes
            table[:, 1:] += before
            table /= n + 1
        yield from (Row.of(kept[:, i, -min(k, r) :], r) for i, r in enumerate(several.tolist()))


def _normal(columns: Array) -> Array:
    """Vectors ``(k, size)`` orthogonal to ``(k - 1, k, size)``: elimination in a basis that shrinks, largest pivot."""
    _, wide, size = columns.shape
    basis, here = np.repeat(np.eye(wide)[..., None], size, axis=2), np.arange(size)
    for column in columns:
        overlap = np.sum(basis * column, axis=1)
        place = np.argmax(np.abs(overlap), axis=0)
        pivot, largest = basis[place, :, here].T, overlap[place, here]
        with np.errstate(divide="ignore", invalid="ignore"):
            basis -= (overlap / largest)[:, None] * pivot
        basis[place, :, here] = basis[0].T
        basis = basis[1:]
    return basis[0]


def _scaled(columns: Array) -> Array:
    """Columns ``(k, size)`` over their largest entry."""
    return columns / np.max(columns, axis=0)


def _inner(a: Array, b: Array) -> Array:
    """Return the sums of products over the first axis, ``(size,)``."""
    found: Array = np.einsum("ij,ij->j", a, b)
    return found


def _ratio(t: Array, unit: Array) -> Array:
    """``t / unit``, and 1 where both are 0."""
    return np.divide(t, unit, out=np.ones_like(t), where=unit > 0)


def _powers(t: Array, count: int) -> Array:
    """``t^n`` for ``n < count``, shape ``(count, size)``, by doubling: the errors grow with ``log n`` only."""
    out = np.empty((count, len(t)))
    out[0] = 1.0
    done = 1
    while done < count:
        more = min(done, count - done)
        np.multiply(out[:more], out[done - 1] * t, out=out[done : done + more])
        done += more
    return out
