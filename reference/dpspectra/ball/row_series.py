"""Functions of rows of Gelfand-Tsetlin patterns by power series in balls.

The functions ``E_i`` have Taylor coefficients ``c_n = h_(n+1-i)(b_1..b_i) / n!`` of nodes that are not negative, ``h``
complete homogeneous. As ``h_q`` over its number of terms is the ``q``-th moment of a mixture of the nodes,
``c_(n+1) <= c_n max(b) / (n + 2 - i)``, which bounds what a partial sum leaves. There are as many terms as the largest
exponent ``b t``, about; so nodes below 0, or all far above it, are counted from the lowest one, ``z``. Then
``E_i = exp(z t) f_i(t)`` has the antiderivative ``exp(z t) g_i(t)`` for either of two solutions of ``g' + z g = f``:
that with ``g(0) = 0``, where ``z`` is negative, and that which grows less than ``exp(-z t)``, where ``z`` is farther
from 0 than from the other nodes (DPS-GTRANK).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import flint

from dpspectra.ball.pattern_rows import Cell, Imprecise, Row, combination, start_of


def count_of(size: float, r: int) -> int:
    """Terms of series of ``r`` nodes for exponents up to ``size``."""
    count = r + 8 + math.ceil(2 * size)
    while size > 0 and (count - r) * math.log(size) - math.lgamma(count - r + 1) > -flint.ctx.prec * math.log(2):
        count += 1
    return count


def count_away(size: float, away: float, r: int) -> int:
    """Terms of such series if their coefficients are found from the last one, with exponents ``away`` to the lowest."""
    count = count_of(size, r)
    closing = math.log(away / size) if size > 0 else math.inf
    while math.lgamma(count + 1) - math.lgamma(r) - math.lgamma(count - r + 2) - (count + 1 - r) * closing > -(
        flint.ctx.prec * math.log(2)
    ):
        count += 1
    return count


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
        return Series(nodes, top, _taylor(nodes, wide, count or count_of(float(nodes[-1] * top), len(nodes))))

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
        density, primitive = (combination(weights, functions) for functions in (self.density, self.primitive))

        def cell(t: Any) -> tuple[Any, Any]:
            factor = self._factor(t)
            return factor * primitive(t), factor * density(t)

        return cell

    def start(self, low: Any, high: Any) -> Any:
        """Return the middle, where a density that changes little has no quantile far away, or nearer where it does."""
        return start_of(low, high, len(self.nodes), self.lowest)


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
