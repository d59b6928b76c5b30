"""Rows of a Gelfand-Tsetlin pattern in balls: their functions, and quantiles of their entries.

The functions are ``E_i(t)``, the divided differences of ``exp(b t)`` over the first ``i`` of the ascending nodes ``b``,
and their antiderivatives. Two roads lead to them, and both enclose them.

`Series` has Taylor coefficients ``c_n = h_(n+1-i)(b_1..b_i) / n!`` of nodes that are not negative, ``h`` complete
homogeneous. As ``h_q`` over its number of terms is the ``q``-th moment of a mixture of the nodes,
``c_(n+1) <= c_n max(b) / (n + 2 - i)``, which bounds what a partial sum leaves. There are as many terms as the largest
exponent ``b t``, about; so nodes below 0, or all far above it, are counted from the lowest one, ``z``. Then
``E_i = exp(z t) f_i(t)`` has the antiderivative ``exp(z t) g_i(t)`` for either of two solutions of ``g' + z g = f``:
that with ``g(0) = 0``, where ``z`` is negative, and that which grows less than ``exp(-z t)``, where ``z`` is farther
from 0 than from the other nodes (DPS-GTRANK).

`Exponentials` takes long exponents by squaring instead. The functions with their factors ``s^(i-1)`` are the first
column ``u`` of ``exp(t J)``, where ``J`` has the nodes on its diagonal and ``s`` below it (Opitz), and ``J u`` is its
derivative. Of those whose nodes are all well below 0 the antiderivative is that of ``J^-1 u``, all of one sign. The
others come after a node 0, so that they are integrated from 0, and ``J u`` has their values (DPS-GTRANK). Each function
has a factor of its own in all its values, so no law depends on them; with ``s`` as large as the nodes no entry is far
smaller than its error.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import flint

PATIENCE = 16
"""Every so many steps the bracket is halved, so that it closes whatever the Newton steps do."""
TRIES, WIDER = 3, 2**4
"""How often a point is looked for on both sides of a quantile, and how much farther away each time."""
LONG = 3.0
"""Largest exponent ``b t`` for which power series are taken, over the square of the number of nodes."""
FAR = 1.5
"""Smallest distance of nodes from 0, over that among them, at which series from the lowest one are soon known."""
SAVING = 2
"""How many times fewer terms these must have than others."""

Cell = Callable[[Any], tuple[Any, Any]]
"""An antiderivative of a density at a point, and the density there."""


class Imprecise(ArithmeticError):
    """The balls are too wide to certify a sign; more bits are needed."""


def row_of(nodes: list[Any], wide: int, top: Any) -> Row:
    """Functions for the last ``wide`` of the ``nodes``, which ascend and are all of one sign, from 0 to ``top``.

    Which road is taken changes the time only. Series from afar lose digits near 0, so they must save terms; where
    exponentials grow they are taken only if others would be too long.
    """
    r, lowest, apart = len(nodes), nodes[0], [x - nodes[0] for x in nodes]
    falling = lowest.mid() < 0
    largest, away, spread = (float(x * top) for x in (-lowest if falling else nodes[-1], abs(lowest), apart[-1]))
    count = _count(largest, r) if largest < LONG * r**2 else None
    if spread < LONG * r**2 and away >= max(r, FAR * spread):
        fewer = _count_away(spread, away, r)
        if count is None or (falling and SAVING * fewer <= count):
            return Series.from_afar(lowest, apart, wide, top, fewer)
    if count is None:
        return Exponentials(nodes, wide, top)
    return Series.from_zero(lowest, apart, wide, top, count) if falling else Series.of(nodes, wide, top, count)


def _count(size: float, r: int) -> int:
    """Terms of series of ``r`` nodes for exponents up to ``size``."""
    count = r + 8 + math.ceil(2 * size)
    while size > 0 and (count - r) * math.log(size) - math.lgamma(count - r + 1) > -flint.ctx.prec * math.log(2):
        count += 1
    return count


def _count_away(size: float, away: float, r: int) -> int:
    """Terms of such series if their coefficients are found from the last one, with exponents ``away`` to the lowest."""
    count = _count(size, r)
    closing = math.log(away / size) if size > 0 else math.inf
    while math.lgamma(count + 1) - math.lgamma(r) - math.lgamma(count - r + 2) - (count + 1 - r) * closing > -(
        flint.ctx.prec * math.log(2)
    ):
        count += 1
    return count


class Row(ABC):
    """The functions ``E_i`` of a row that matter, the last ones: one for each entry not held at the smallest level."""

    wide: int
    """Number of these functions."""

    @abstractmethod
    def integrals(self, t: Any) -> list[Any]:
        """Antiderivatives of the functions at ``t``, always the same ones."""

    @abstractmethod
    def derivatives(self, t: Any, order: int = 0) -> list[Any]:
        """Return derivatives of the functions at ``t``."""

    @abstractmethod
    def combined(self, weights: list[Any]) -> Cell:
        """Return a linear combination of the functions."""

    @abstractmethod
    def start(self, low: Any, high: Any) -> Any:
        """Where to look for a quantile between two points at first."""

    def draw(
        self, above: list[Any], copies: list[int | None], uniforms: Sequence[Any], starts: list[Any] | None, end: int
    ) -> list[Any]:
        """Return the row, given the next one, every entry rounded down (``end = 0``) or up (1).

        ``copies`` numbers held entries among their equals, and is None for the others. Entries are looked for from
        ``starts``, if there are any, which change how soon they are found only.
        """
        wide = self.wide
        ends = [self.integrals(x) for x in above[: wide + 1]]
        columns, out = [], list(above[:-1])
        for j, (high, low) in enumerate(itertools.pairwise(ends)):
            copy = copies[j]
            if copy is None:
                columns.append([a - b for a, b in zip(high, low, strict=True)])
            else:
                columns.append(self.derivatives(above[j], copy))
        for j in range(wide):
            if copies[j] is None:
                weights = _solved([column[::-1] for column in columns], j)[::-1]
                low, high = above[j + 1], above[j]
                start = starts[j] if starts else self.start(low, high)
                below = _combined(weights, ends[j + 1])
                out[j] = quantile(self.combined(weights), below, uniforms[j], low, high, start)[end]
                columns[j] = self.derivatives(out[j])
        return out


@dataclass(frozen=True)
class Series(Row):
    """The functions by power series, after a factor ``exp(lowest t)``."""

    nodes: list[Any]
    """Ascending and not negative, counted from ``lowest``."""
    top: Any
    """The functions are enclosed from 0 to here."""
    taylor: dict[int, list[Any]]
    """Coefficients of the powers of ``t``, by ``i``."""
    lowest: Any = 0
    antiderivatives: tuple[Any, ...] | None = None
    """Polynomials that enclose ``g_i``; None if ``lowest`` is 0."""

    @staticmethod
    def of(nodes: list[Any], wide: int, top: Any, count: int | None = None) -> Series:
        """Functions for the last ``wide`` of the ``nodes``, which are not negative, by so many terms."""
        return Series(nodes, top, _taylor(nodes, wide, count or _count(float(nodes[-1] * top), len(nodes))))

    @staticmethod
    def from_zero(lowest: Any, nodes: list[Any], wide: int, top: Any, count: int) -> Series:
        """Functions for nodes that ``lowest`` makes negative: ``g_i`` is a divided difference, ``-lowest`` a node."""
        taylor, found = _taylor(nodes, wide, count), []
        for i, c in taylor.items():
            g = [flint.arb(0)]
            for n, x in enumerate(c):
                g.append((x - lowest * g[-1]) / (n + 1))
            rest = _rest(g[-1] * top ** (len(c) - i), -lowest * top / (len(c) + 1 - i))
            g[i] += rest
            found.append(flint.arb_poly(g))
        return Series(nodes, top, taylor, lowest, tuple(found))

    @staticmethod
    def from_afar(lowest: Any, nodes: list[Any], wide: int, top: Any, count: int) -> Series:
        """Functions for nodes much nearer to each other than ``lowest`` is to 0.

        With ``a_n = n! c_n`` the coefficients are ``g_q = sum_l (-1)^l a_(q+l) / lowest^(l+1)``, over ``q!``. As
        ``a_(n+1) <= a_n max(b) (n + 1) / (n + 2 - i)``, those from ``q`` on add up to a geometric series at most.
        """
        taylor, found = _taylor(nodes, wide, count), []
        for i, c in taylor.items():
            n = len(c) - 1
            closing = nodes[i - 1] / abs(lowest) * (n + 1) / (n + 2 - i)
            g = [_rest(c[n], closing) / (n + 1)]
            for q in range(n, -1, -1):
                g.append((c[q] - (q + 1) * g[-1]) / lowest)
            g = g[:0:-1]
            g[n] += _rest(c[n] / abs(lowest), nodes[i - 1] * top / (n + 2 - i)) / (1 - closing)
            found.append(flint.arb_poly(g))
        return Series(nodes, top, taylor, lowest, tuple(found))

    @cached_property
    def density(self) -> list[Any]:
        """Polynomials that enclose the functions."""
        return self.functions()

    @cached_property
    def primitive(self) -> list[Any]:
        """Polynomials that enclose their antiderivatives."""
        if self.antiderivatives is None:
            return [f.integral() for f in self.density]
        return list(self.antiderivatives)

    def functions(self, order: int = 0) -> list[Any]:
        """Polynomials that enclose the derivatives of the functions.

        The rest of the partial sum is ``t^s`` times an increasing function of ``t``, ``s`` its first power: it goes
        into that coefficient.
        """
        out = []
        for i, c in self.taylor.items():
            terms = [math.perm(n, order) * x for n, x in enumerate(c)][order:]
            n, start = len(c) - 1, max(i - 1 - order, 0)
            ratio = self.nodes[i - 1] * self.top / (n + 2 - i) * (n + 1) / (n + 1 - order)
            terms[start] += _rest(terms[-1] * self.top ** (len(terms) - 1 - start), ratio)
            out.append(flint.arb_poly(terms))
        return out

    @property
    def wide(self) -> int:  # type: ignore[override]
        """Number of these functions."""
        return len(self.taylor)

    def _factor(self, t: Any) -> Any:
        """Return ``exp(lowest t)``."""
        return (self.lowest * t).exp() if self.antiderivatives is not None else 1

    def integrals(self, t: Any) -> list[Any]:
        """Antiderivatives of the functions at ``t``, always the same ones."""
        factor = self._factor(t)
        return [factor * f(t) for f in self.primitive]

    def derivatives(self, t: Any, order: int = 0) -> list[Any]:
        """Return derivatives at ``t`` of what follows the factor, times that: from order 0 on these span as much."""
        factor = self._factor(t)
        return [factor * f(t) for f in (self.functions(order) if order else self.density)]

    def combined(self, weights: list[Any]) -> Cell:
        """Return a linear combination of the functions."""
        density, primitive = (_combined(weights, functions) for functions in (self.density, self.primitive))

        def cell(t: Any) -> tuple[Any, Any]:
            factor = self._factor(t)
            return factor * primitive(t), factor * density(t)

        return cell

    def start(self, low: Any, high: Any) -> Any:
        """Return the middle, where a density that changes little has no quantile far away, or nearer where it does."""
        return _start(low, high, len(self.nodes), self.lowest)


@dataclass(frozen=True)
class Exponentials(Row):
    """The last ``wide`` functions by exponentials of matrices."""

    nodes: list[Any]
    """Ascending."""
    wide: int
    top: Any
    """The functions are asked for from 0 to here."""

    @cached_property
    def _falling(self) -> int:
        """Number of nodes so far below 0 that their exponentials fall much."""
        return sum(bool(x * self.top < -1) for x in self.nodes)

    @cached_property
    def _diagonal(self) -> list[Any]:
        """The nodes, and 0 after those that are far below it."""
        return [*self.nodes[: self._falling], flint.arb(0), *self.nodes[self._falling :]]

    @cached_property
    def _scale(self) -> Any:
        """The number below the diagonal, as large as the nodes."""
        return max(abs(x).mid() for x in self.nodes)

    @cached_property
    def _lowest(self) -> Any:
        """What the diagonal is counted from, so that nothing there is negative."""
        return min(self.nodes[0].mid(), flint.arb(0))

    @cached_property
    def _bidiagonal(self) -> Any:
        """The matrix ``J``, without the lowest."""
        nodes, size = [x - self._lowest for x in self._diagonal], len(self._diagonal)
        return flint.arb_mat([
            [nodes[i] if i == j else self._scale if i == j + 1 else 0 for j in range(size)] for i in range(size)
        ])  # fmt: skip

    def _column(self, t: Any) -> list[Any]:
        """Return the first column of ``exp(t J)``."""
        size = len(self._diagonal)
        first = flint.arb_mat(size, 1, [(self._lowest * t).exp(), *[0] * (size - 1)])
        column: list[Any] = ((self._bidiagonal * t).exp() * first).entries()
        return column

    def _antiderivatives(self, column: list[Any]) -> list[Any]:
        """Return what the functions in a column are derivatives of, and the functions after 0."""
        before, out = flint.arb(0), []
        for x, node in zip(column[: self._falling], self.nodes, strict=False):
            before = (x - self._scale * before) / node
            out.append(before)
        return self._last([*out, *column[self._falling :]])

    def _functions(self, column: list[Any]) -> list[Any]:
        """Return the functions in a column, and the derivatives of those after 0."""
        return self._last([*column[: self._falling], *self._derivative(column)[self._falling :]])

    def _derivative(self, column: list[Any]) -> list[Any]:
        """Return the product of ``J`` and a column."""
        before = [flint.arb(0), *column[:-1]]
        return [b * x + self._scale * y for b, x, y in zip(self._diagonal, column, before, strict=True)]

    def _last(self, column: list[Any]) -> list[Any]:
        """Return what is there of the last functions."""
        return [x for i, x in enumerate(column) if i != self._falling][-self.wide :]

    def integrals(self, t: Any) -> list[Any]:
        """Antiderivatives of the functions at ``t``, always the same ones."""
        return self._antiderivatives(self._column(t))

    def derivatives(self, t: Any, order: int = 0) -> list[Any]:
        """Return derivatives of the functions at ``t``."""
        column = self._column(t)
        for _ in range(order):
            column = self._derivative(column)
        return self._functions(column)

    def combined(self, weights: list[Any]) -> Cell:
        """Return a linear combination of the functions."""

        def cell(t: Any) -> tuple[Any, Any]:
            column = self._column(t)
            return _combined(weights, self._antiderivatives(column)), _combined(weights, self._functions(column))

        return cell

    def start(self, low: Any, high: Any) -> Any:
        """Return the upper end, near which a density that grows fast has nearly all of its mass."""
        return _start(low, high, len(self.nodes), self._lowest) if self._lowest < 0 else high


def _start(low: Any, high: Any, r: int, lowest: Any) -> Any:
    """Return a point between two others where ``exp(lowest t)`` still counts beside ``t^r``."""
    half = (high - low) / 2
    if not abs(lowest) * half > r:
        return low + half
    reach = r / abs(lowest)
    return low + reach if lowest < 0 else high - reach


def _taylor(nodes: list[Any], wide: int, count: int) -> dict[int, list[Any]]:
    """Coefficients of the last functions, ``h_q(b_1..b_i) = h_q(b_1..b_(i-1)) + b_i h_(q-1)(b_1..b_i)`` over ``n!``."""
    r, taylor = len(nodes), {}
    inverse_factorials = list(itertools.accumulate(range(1, count), lambda f, n: f / n, initial=flint.arb(1)))
    sums = [flint.arb(1)] + [flint.arb(0)] * (count - r + wide - 1)
    for i, node in enumerate(nodes, 1):
        sums = list(itertools.accumulate(sums, partial(_with_node, node)))
        if i > r - wide:
            coefficients = (h * f for h, f in zip(sums[: count + 1 - i], inverse_factorials[i - 1 :], strict=True))
            taylor[i] = [flint.arb(0)] * (i - 1) + list(coefficients)
    return taylor


def _rest(last: Any, ratio: Any) -> Any:
    """Return a ball around 0 of what follows a term if later ones are at most ``ratio`` times those before them."""
    if not ratio < 1:
        raise Imprecise
    return flint.arb(0, (last * ratio / (1 - ratio)).abs_upper())


def _with_node(node: Any, lower: Any, without: Any) -> Any:
    """Return a complete homogeneous polynomial, from that of one degree less and that without the node."""
    return without + node * lower


def _solved(rows: list[list[Any]], place: int) -> list[Any]:
    """Solve for the products of some rows with a vector: 1 at a place, and 0 elsewhere.

    Elimination keeps the order: as the largest points come first, and the functions that grow most, the matrix is
    totally positive, and hardly anything cancels. Another row might be so much larger that nothing else is left.
    """
    left, n = [[*row, flint.arb(int(i == place))] for i, row in enumerate(rows)], len(rows)
    for i, j in itertools.combinations(range(n), 2):
        factor = left[j][i] / left[i][i]
        left[j] = [y - factor * x for x, y in zip(left[i], left[j], strict=True)]
    found: list[Any] = []
    for i in range(n - 1, -1, -1):
        known = sum((x * w for x, w in zip(left[i][i + 1 : n], found, strict=True)), flint.arb(0))
        found.insert(0, (left[i][n] - known) / left[i][i])
    return found


def _combined(weights: list[Any], functions: list[Any]) -> Any:
    """Linear combination; no weight is missing, as there is at least one."""
    first, *others = (w * f for w, f in zip(weights, functions, strict=True))
    return sum(others, first)


def quantile(cell: Cell, below: Any, uniform: Any, low: Any, high: Any, start: Any) -> tuple[Any, Any]:
    """Points around that strictly between ``low`` and ``high`` with a mass of ``uniform`` between ``low`` and it.

    ``cell`` is of a positive density, and ``below`` its integral up to ``low``. Newton steps for the logarithm of the
    mass, on midpoints, from ``start``, until the residual may be 0: more of them would follow the noise. That logarithm
    is concave for a pattern, so they never pass the point after the first one. Raises `Imprecise` where the ball
    cannot be certified.
    """
    left, right = low.mid(), high.mid()
    t = start.mid()
    for step in itertools.count(1):
        integral, slope = cell(t)
        mass = (integral - below).mid()
        excess = integral - below - uniform
        if excess.contains(0):
            break
        left, right = (t, right) if excess < 0 else (left, t)
        newton = left
        if mass > 0 and slope.mid() > 0 and step % PATIENCE:
            newton = (t - (mass / uniform).log() * mass / slope.mid()).mid()
        following = newton if left < newton < right else ((left + right) / 2).mid()
        if not left < following < right:
            break
        t = following
    if not slope > 0:
        raise Imprecise
    reach = 2 * excess.abs_upper() / slope.abs_lower() + t * flint.arb(2) ** (8 - flint.ctx.prec)
    for _ in range(TRIES):  # balls at other points may be wider
        lower, upper = (t - reach).mid(), (t + reach).mid()
        if not (low < lower and upper < high):
            break
        if cell(lower)[0] - below < uniform and cell(upper)[0] - below > uniform:
            return lower, upper
        reach *= WIDER
    raise Imprecise
