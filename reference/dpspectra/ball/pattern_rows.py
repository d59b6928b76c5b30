"""Rows of a Gelfand-Tsetlin pattern in balls: quantiles of their entries, from the functions of the row.

The functions are the last of ``E_i(t)``, the divided differences of ``exp(b t)`` over the first ``i`` of the ascending
nodes ``b``, and their antiderivatives (DPS-GTRANK).
Two roads lead to them, and both enclose them: `dpspectra.ball.row_series` and `dpspectra.ball.row_exponentials`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import flint

PATIENCE = 16
"""Every so many steps the bracket is halved, so that it closes whatever the Newton steps do."""
TRIES, WIDER = 3, 2**4
"""How often a point is looked for on both sides of a quantile, and how much farther away each time."""

Cell = Callable[[Any], tuple[Any, Any]]
"""An antiderivative of a density at a point, and the density there."""


class Imprecise(ArithmeticError):
    """The balls are too wide to certify a sign; more bits are needed."""


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
        known, rest = list[list[Any]](), [column[::-1] for column in columns]
        for j in range(wide):
            if copies[j] is None:
                weights = _solved(known, rest)[::-1]
                low, high = above[j + 1], above[j]
                start = starts[j] if starts else self.start(low, high)
                below = combination(weights, ends[j + 1])
                out[j] = quantile(self.combined(weights), below, uniforms[j], low, high, start)[end]
                rest[0] = self.derivatives(out[j])[::-1]
                for row in known:
                    rest[0] = _without(row, rest[0])
            known.append(rest[0])
            rest = [_without(rest[0], row) for row in rest[1:]]
        return out


def _solved(known: list[list[Any]], rest: list[list[Any]]) -> list[Any]:
    """Solve for the products of some rows with a vector: 1 for the first of the ``rest``, and 0 for all others.

    Each row begins where those before it leave it something: the ``known`` ones are eliminated from the rest, and from
    each other, in this order. As the largest points come first, and the functions that grow most, the matrix is totally
    positive, and hardly anything cancels. In another order a row might be so much larger that nothing else is left.
    """
    left, products = list(known), [flint.arb(0)] * len(known)
    rest = [[*row, flint.arb(int(i == 0))] for i, row in enumerate(rest)]
    while rest:
        first, *rest = rest
        left.append(first[:-1])
        products.append(first[-1])
        rest = [_without(first, row) for row in rest]
    found: list[Any] = []
    for row, product in zip(reversed(left), reversed(products), strict=True):
        others = sum((x * w for x, w in zip(row[1:], found, strict=True)), flint.arb(0))
        found.insert(0, (product - others) / row[0])
    return found


def _without(first: list[Any], row: list[Any]) -> list[Any]:
    """Return the multiple of the first row taken from another that begins at the same place, which leaves 0 there."""
    factor = row[0] / first[0]
    return [y - factor * x for x, y in zip(first[1:], row[1:], strict=True)]


def combination(weights: list[Any], functions: list[Any]) -> Any:
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


def start_of(low: Any, high: Any, r: int, lowest: Any) -> Any:
    """Return a point between two others where ``exp(lowest t)`` still counts beside ``t^r``."""
    half = (high - low) / 2
    if not abs(lowest) * half > r:
        return low + half
    reach = r / abs(lowest)
    return low + reach if lowest < 0 else high - reach
