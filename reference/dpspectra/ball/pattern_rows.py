"""Rows of a Gelfand-Tsetlin pattern in balls: their functions, and quantiles of their entries.

The functions are ``E_i(t)``, the divided differences of ``exp(b t)`` over the first ``i`` of the ascending nodes ``b``,
and their integrals from 0. Two roads lead to them, and both enclose them.

`Series` has their Taylor coefficients ``c_n = h_(n+1-i)(b_1..b_i) / n!``, ``h`` complete homogeneous. As ``h_q`` over
its number of terms is the ``q``-th moment of a mixture of the nodes, ``c_(n+1) <= c_n max(b) / (n + 2 - i)``, which
bounds what a partial sum leaves. There are as many terms as the largest exponent ``b t``, about.

`Exponentials` takes that exponent by squaring instead. The functions with their factors ``s^(i-1)`` are the first
column of ``exp(t J)``, where ``J`` has the nodes on its diagonal and ``s`` below it (Opitz); with a node 0 before the
others the column holds their integrals ``P``, times ``s``, and ``J P`` is its derivative (DPS-GTRANK). The factors are
those of all values of one function, so no law depends on them; with ``s`` as large as the nodes no entry is far smaller
than its error.
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
LONG = 3.0
"""Largest exponent ``b t`` for which power series are taken, over the square of the number of nodes."""

Cell = Callable[[Any], tuple[Any, Any]]
"""The integral of a density from 0 to a point, and the density there."""


class Imprecise(ArithmeticError):
    """The balls are too wide to certify a sign; more bits are needed."""


def row_of(nodes: list[Any], wide: int, top: Any) -> Row:
    """Functions for the last ``wide`` of the ``nodes``, which ascend and are not negative, from 0 to ``top``."""
    if nodes[-1] * top < LONG * len(nodes) ** 2:
        return Series.of(nodes, wide, top)
    return Exponentials(nodes, wide)


class Row(ABC):
    """The functions ``E_i`` of a row that matter, the last ones: one for each entry not held at the smallest level."""

    wide: int
    """Number of these functions."""

    @abstractmethod
    def integrals(self, t: Any) -> list[Any]:
        """Integrals of the functions from 0 to ``t``."""

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
                unit = flint.arb_mat(wide, 1, [int(i == j) for i in range(wide)])
                # Elimination from the function that grows most keeps what the others add.
                weights = flint.arb_mat([column[::-1] for column in columns]).solve(unit).entries()[::-1]
                low, high = above[j + 1], above[j]
                start = starts[j] if starts else self.start(low, high)
                below = _combined(weights, ends[j + 1])
                out[j] = quantile(self.combined(weights), below, uniforms[j], low, high, start)[end]
                columns[j] = self.derivatives(out[j])
        return out


@dataclass(frozen=True)
class Series(Row):
    """The functions by their power series."""

    nodes: list[Any]
    """Ascending and not negative."""
    top: Any
    """The functions are enclosed from 0 to here."""
    taylor: dict[int, list[Any]]
    """Coefficients of the powers of ``t``, by ``i``."""

    @staticmethod
    def of(nodes: list[Any], wide: int, top: Any) -> Series:
        """Functions for the last ``wide`` of the ``nodes``, by ``h_q(b_1..b_i) = h_q(b_1..b_(i-1)) + b_i h_(q-1)``."""
        r, size = len(nodes), float((nodes[-1] * top).upper())
        count = r + 8 + math.ceil(2 * size)
        while size > 0 and (count - r) * math.log(size) - math.lgamma(count - r + 1) > -flint.ctx.prec * math.log(2):
            count += 1
        inverse_factorials = list(itertools.accumulate(range(1, count), lambda f, n: f / n, initial=flint.arb(1)))
        sums, taylor = [flint.arb(1)] + [flint.arb(0)] * (count - r + wide - 1), {}
        for i, node in enumerate(nodes, 1):
            sums = list(itertools.accumulate(sums, partial(_with_node, node)))
            if i > r - wide:
                coefficients = (h * f for h, f in zip(sums[: count + 1 - i], inverse_factorials[i - 1 :], strict=True))
                taylor[i] = [flint.arb(0)] * (i - 1) + list(coefficients)
        return Series(nodes, top, taylor)

    @cached_property
    def density(self) -> list[Any]:
        """Polynomials that enclose the functions."""
        return self.functions()

    @cached_property
    def primitive(self) -> list[Any]:
        """Polynomials that enclose their integrals from 0."""
        return [f.integral() for f in self.density]

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
            if not ratio < 1:
                raise Imprecise
            rest = (terms[-1] * self.top ** (len(terms) - 1 - start) * ratio / (1 - ratio)).upper()
            terms[start] += flint.arb(0).union(rest)
            out.append(flint.arb_poly(terms))
        return out

    @property
    def wide(self) -> int:  # type: ignore[override]
        """Number of these functions."""
        return len(self.taylor)

    def integrals(self, t: Any) -> list[Any]:
        """Integrals of the functions from 0 to ``t``."""
        return [f(t) for f in self.primitive]

    def derivatives(self, t: Any, order: int = 0) -> list[Any]:
        """Return derivatives of the functions at ``t``."""
        return [f(t) for f in (self.functions(order) if order else self.density)]

    def combined(self, weights: list[Any]) -> Cell:
        """Return a linear combination of the functions."""
        density, primitive = (_combined(weights, functions) for functions in (self.density, self.primitive))
        return lambda t: (primitive(t), density(t))

    def start(self, low: Any, high: Any) -> Any:
        """Return the middle, where a density that changes little has no quantile far away."""
        return (low + high) / 2


@dataclass(frozen=True)
class Exponentials(Row):
    """The last ``wide`` functions by exponentials of matrices."""

    nodes: list[Any]
    """Ascending and not negative."""
    wide: int

    @cached_property
    def _bidiagonal(self) -> Any:
        """The matrix ``J``, with the node 0 before the others."""
        nodes, scale = [flint.arb(0), *self.nodes], self.nodes[-1].mid()
        return flint.arb_mat([
            [x if i == j else scale if i == j + 1 else 0 for j in range(len(nodes))] for i, x in enumerate(nodes)
        ])  # fmt: skip

    def _column(self, t: Any) -> Any:
        """Return the first column of ``exp(t J)``."""
        size = len(self.nodes) + 1
        return (self._bidiagonal * t).exp() * flint.arb_mat(size, 1, [int(i == 0) for i in range(size)])

    def _last(self, column: Any) -> list[Any]:
        found: list[Any] = column.entries()
        return found[-self.wide :]

    def integrals(self, t: Any) -> list[Any]:
        """Integrals of the functions from 0 to ``t``."""
        return self._last(self._column(t))

    def derivatives(self, t: Any, order: int = 0) -> list[Any]:
        """Return derivatives of the functions at ``t``."""
        column = self._column(t)
        for _ in range(order + 1):
            column = self._bidiagonal * column
        return self._last(column)

    def combined(self, weights: list[Any]) -> Cell:
        """Return a linear combination of the functions."""

        def cell(t: Any) -> tuple[Any, Any]:
            column = self._column(t)
            return tuple(_combined(weights, self._last(x)) for x in (column, self._bidiagonal * column))

        return cell

    def start(self, low: Any, high: Any) -> Any:
        """Return the upper end, near which a density that grows fast has nearly all of its mass."""
        return high


def _with_node(node: Any, lower: Any, without: Any) -> Any:
    """Return a complete homogeneous polynomial, from that of one degree less and that without the node."""
    return without + node * lower


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
    lower, upper = (t - reach).mid(), (t + reach).mid()
    if low < lower and upper < high and cell(lower)[0] - below < uniform and cell(upper)[0] - below > uniform:
        return lower, upper
    raise Imprecise
