"""Functions of rows of Gelfand-Tsetlin patterns by exponentials of matrices in balls, for long exponents.

Exponents are taken by squaring. The functions with their factors ``s^(i-1)`` are the first
column ``u`` of ``exp(t J)``, where ``J`` has the nodes on its diagonal and ``s`` below it (Opitz), and ``J u`` is its
derivative. Of those whose nodes are all well below 0 the antiderivative is that of ``J^-1 u``, all of one sign. The
others come after a node 0, so that they are integrated from 0, and ``J u`` has their values (DPS-GTRANK). Each function
has a factor of its own in all its values, so no law depends on them; with ``s`` as large as the nodes no entry is far
smaller than its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import flint

from dpspectra.ball.pattern_rows import Cell, Row, combination, start_of


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
        """Smallest number of the diagonal; the others are counted from it, so that none is negative."""
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
            return combination(weights, self._antiderivatives(column)), combination(weights, self._functions(column))

        return cell

    def start(self, low: Any, high: Any) -> Any:
        """Return the upper end, near which a density that grows fast has nearly all of its mass."""
        return start_of(low, high, len(self.nodes), self._lowest) if self._lowest < 0 else high
