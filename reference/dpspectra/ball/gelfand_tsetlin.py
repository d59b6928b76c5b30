"""Gelfand-Tsetlin patterns of a linear exponential law by inverse distribution functions, enclosed.

The chain is that of `dpspectra.sampling.gelfand_tsetlin`: given row ``r + 1``, the entries of row ``r`` follow one
after the other, and the distribution function of each is a combination of integrals of ``E_i(t)``, the divided
differences of ``exp(b t)`` over the first ``i`` of the ascending nodes ``b``. Here every number is a ball, so nothing
depends on how well the determinants are conditioned: what is lost shows in the radii, and more bits bring it back.

Radii are not handed on, though, as they would grow from entry to entry. Patterns are closed under entrywise maximum and
minimum, where the linear exponent is modular; so every entry, given those above and before it, increases
stochastically with them (DPS-GTMONO), and its quantile with it. One chain whose entries are rounded down and one whose
entries are rounded up, each an exact point, therefore enclose the pattern.

``E_i`` has the Taylor coefficients ``c_n = h_(n+1-i)(b_1..b_i) / n!``, ``h`` complete homogeneous. As ``h_q`` over its
number of terms is the ``q``-th moment of a mixture of the nodes, ``c_(n+1) <= c_n max(b) / (n + 2 - i)``, which bounds
what a partial sum leaves.

A quantile is certified by signs: the distribution function increases, so a root lies between a point where it is surely
too small and one where it is surely too large.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import flint

GUARD = 64
"""Bits of the first attempt beyond the accuracy asked for."""
PATIENCE = 16
"""Every so many steps the bracket is halved, so that it closes whatever the Newton steps do."""


class Imprecise(ArithmeticError):
    """The balls are too wide to certify a sign; more bits are needed."""


def pattern(
    values: Sequence[float],
    spectrum: Sequence[float],
    kappa: float,
    uniforms: Sequence[Sequence[float]],
    *,
    accuracy: int = 60,
) -> list[list[Any]]:
    """Enclose the pattern that the chain for ``exp(kappa <diag(values), H>)`` makes of given uniforms.

    ``values`` and ``spectrum``, that of ``H``, descend; ties, by exact equality, are allowed in both. Entry ``j`` of
    row ``r`` is the quantile at ``uniforms[r - 1][j]``, strictly between 0 and 1, given row ``r + 1`` and the entries
    before it; those that ties hold fixed need none. Returns rows 1 to ``d`` of python-flint ``arb``, of radius at most
    ``2^-accuracy`` times the spread of the spectrum; held entries are exact, the others surely lie strictly between
    their neighbours in the row above. Precision is doubled until all of this is certain.

    Raises ``ValueError`` for arguments out of order or out of range.
    """
    d = len(spectrum)
    ordered = all(a >= b for x in (values, spectrum) for a, b in itertools.pairwise(x))
    if len(values) != d or not ordered or not all(map(math.isfinite, (*values, *spectrum))):
        raise ValueError(
            f"values and spectrum must descend, be finite and have the same length, got {values} and {spectrum}"
        )
    if not 0 <= kappa < math.inf:
        raise ValueError(f"kappa must be finite and not negative, got {kappa}")
    free = [(r, j) for r in range(1, d) for j in range(r) if spectrum[j] != spectrum[j + d - r]]
    for r, j in free:
        if not 0 < uniforms[r - 1][j] < 1:
            raise ValueError(f"uniforms must lie strictly between 0 and 1, got {uniforms[r - 1][j]}")
    for doubling in itertools.count():
        with flint.ctx.workprec((accuracy + GUARD) << doubling):
            try:
                laws = _laws(tuple(values), tuple(spectrum), kappa, flint.ctx.prec)
                rows = enclosed(laws, spectrum, uniforms, uniforms)
            except (Imprecise, ZeroDivisionError):  # the latter where a matrix may be singular
                continue
            limit = (flint.arb(spectrum[0]) - spectrum[-1]) * flint.arb(2) ** -accuracy
            if all(rows[r - 1][j].rad() <= limit for r, j in free):
                return rows
    raise AssertionError("unreachable")


@lru_cache(maxsize=8)
def _laws(values: tuple[float, ...], spectrum: tuple[float, ...], kappa: float, precision: int) -> list[Row]:
    """`laws_of_rows` at the present precision in bits, remembered for the next pattern of the same law."""
    return laws_of_rows([flint.arb(kappa) * m for m in values], spectrum)


def laws_of_rows(exponents: Sequence[Any], spectrum: Sequence[float]) -> list[Row]:
    """Return the functions of rows 1 to ``d - 1`` for ``exp(<diag(exponents), H>)``, at the present precision.

    ``exponents`` are descending balls whose ties are exact.
    """
    k, top = sum(x > spectrum[-1] for x in spectrum), flint.arb(spectrum[0]) - spectrum[-1]
    nodes = ([m - exponents[r] for m in reversed(exponents[:r])] for r in range(1, len(spectrum)))
    return [Row.of(x, min(k, len(x)), top) for x in nodes]


def enclosed(
    laws: Sequence[Row], spectrum: Sequence[float], least: Sequence[Sequence[Any]], most: Sequence[Sequence[Any]]
) -> list[list[Any]]:
    """Enclose all patterns of the ``laws`` of rows (`laws_of_rows`) with uniforms from ``least`` to ``most``.

    Rows 1 to ``d`` are as `pattern` says, of the radii that the present precision allows. Uniforms lie strictly between
    0 and 1. Raises `Imprecise` or ``ZeroDivisionError`` if that precision, or the distance of the uniforms, does not
    enclose them.
    """
    d, smallest, exact = len(spectrum), flint.arb(spectrum[-1]), [flint.arb(x) for x in spectrum]
    low = high = [x - smallest for x in exact]
    out = [exact]
    for r in range(d - 1, 0, -1):
        held = [spectrum[j] == spectrum[j + d - r] for j in range(r)]
        copies = [spectrum[:j].count(spectrum[j]) if held[j] else None for j in range(r)]
        middle = [(a + b) / 2 for a, b in itertools.pairwise(low)]
        low = laws[r - 1].draw(low, copies, least[r - 1], middle, 0)
        high = laws[r - 1].draw(high, copies, most[r - 1], low, 1)
        out.insert(0, [exact[j] if held[j] else low[j].union(high[j]) + smallest for j in range(r)])
    return out


@dataclass(frozen=True)
class Row:
    """The functions ``E_i`` of a row that matter, the last ones: one for each entry not held at the smallest level."""

    nodes: list[Any]
    """Ascending and not negative."""
    top: Any
    """The functions are enclosed from 0 to here."""
    taylor: dict[int, list[Any]]
    """Coefficients of the powers of ``t``, by ``i``."""

    @staticmethod
    def of(nodes: list[Any], wide: int, top: Any) -> Row:
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
        return Row(nodes, top, taylor)

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

        The remainder of the partial sum is ``t^s`` times an increasing function of ``t``, ``s`` its first power: it
        goes into that coefficient.
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

    def draw(
        self, above: list[Any], copies: list[int | None], uniforms: Sequence[Any], starts: list[Any], end: int
    ) -> list[Any]:
        """Return the row, given the next one, every entry rounded down (``end = 0``) or up (1).

        ``copies`` numbers held entries among their equals, and is None for the others. Entries are looked for from
        ``starts``, which change how soon they are found only.
        """
        density, primitive = self.density, self.primitive
        ends = [[f(x) for f in primitive] for x in above[: len(density) + 1]]
        columns, out = [], list(above[:-1])
        for j, (high, low) in enumerate(itertools.pairwise(ends)):
            copy = copies[j]
            if copy is None:
                columns.append([a - b for a, b in zip(high, low, strict=True)])
            else:
                columns.append([f(above[j]) for f in self.functions(copy)])
        for j in range(len(density)):
            if copies[j] is None:
                unit = flint.arb_mat(len(density), 1, [int(i == j) for i in range(len(density))])
                weights = flint.arb_mat(columns).solve(unit).entries()
                f, integral = (_combined(weights, functions) for functions in (density, primitive))
                goal = _combined(weights, ends[j + 1]) + uniforms[j]
                out[j] = quantile(f, integral, goal, above[j + 1], above[j], starts[j])[end]
                columns[j] = [f(out[j]) for f in density]
        return out


def _with_node(node: Any, lower: Any, without: Any) -> Any:
    """Return a complete homogeneous polynomial, from that of one degree less and that without the node."""
    return without + node * lower


def _combined(weights: list[Any], functions: list[Any]) -> Any:
    """Linear combination; no weight is missing, as there is at least one."""
    first, *others = (w * f for w, f in zip(weights, functions, strict=True))
    return sum(others, first)


def quantile(density: Any, primitive: Any, goal: Any, low: Any, high: Any, start: Any) -> tuple[Any, Any]:
    """Points around that strictly between ``low`` and ``high`` where ``primitive`` equals ``goal``.

    ``density`` is its derivative and positive in between. Newton steps on midpoints, from ``start`` if that is
    there too, until the residual may be 0: more of them would follow the noise. Raises `Imprecise` where the ball
    cannot be certified.
    """
    left, right = low.mid(), high.mid()
    t = start.mid() if left < start.mid() < right else ((left + right) / 2).mid()
    for step in itertools.count(1):
        excess, slope = primitive(t) - goal, density(t)
        if excess.contains(0) or not left < t < right:
            break
        left, right = (t, right) if excess < 0 else (left, t)
        newton = (t - excess.mid() / slope.mid()).mid() if slope.mid() != 0 and step % PATIENCE else left
        t = newton if left < newton < right else ((left + right) / 2).mid()
    if not slope > 0:
        raise Imprecise
    reach = 2 * excess.abs_upper() / slope.abs_lower() + t * flint.arb(2) ** (8 - flint.ctx.prec)
    below, beyond = (t - reach).mid(), (t + reach).mid()
    if low < below and beyond < high and primitive(below) < goal and primitive(beyond) > goal:
        return below, beyond
    raise Imprecise
