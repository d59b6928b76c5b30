"""Gelfand-Tsetlin patterns of a linear exponential law by inverse distribution functions, enclosed.

The chain is that of `dpspectra.sampling.gelfand_tsetlin`: given row ``r + 1``, the entries of row ``r`` follow one
after the other, and the distribution function of each is a combination of integrals of ``E_i(t)``, the divided
differences of ``exp(b t)`` over the first ``i`` of the ascending nodes ``b``. Here every number is a ball, so nothing
depends on how well the determinants are conditioned: what is lost shows in the radii, and more bits bring it back.

Radii are not handed on, though, as they would grow from entry to entry. Patterns are closed under entrywise maximum and
minimum, where the linear exponent is modular; so every entry, given those above and before it, increases
stochastically with them (DPS-GTMONO), and its quantile with it. One chain whose entries are rounded down and one whose
entries are rounded up, each an exact point, therefore enclose the pattern.

A quantile is certified by signs: the distribution function increases, so a root lies between a point where it is surely
too small and one where it is surely too large.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import flint

from dpspectra.ball.pattern_rows import Imprecise, Row
from dpspectra.ball.row_exponentials import Exponentials
from dpspectra.ball.row_series import Series, count_away, count_of

GUARD = 64
"""Bits of the first attempt beyond the accuracy asked for."""
LONG = 3.0
"""Largest exponent ``b t`` for which power series are taken, over the square of the number of nodes."""
FAR = 1.5
"""Smallest distance of nodes from 0, over that among them, at which series from the lowest one are soon known."""
SAVING = 2
"""How many times fewer terms these must have than others."""


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
    limit = (flint.arb(spectrum[0]) - spectrum[-1]) * flint.arb(2) ** -accuracy
    for doubling in itertools.count():
        with flint.ctx.workprec((accuracy + GUARD) << doubling):
            try:
                laws = _laws(tuple(values), tuple(spectrum), kappa, flint.ctx.prec)
                return enclosed(laws, spectrum, uniforms, uniforms, limit)
            except (Imprecise, ZeroDivisionError):  # the latter where a matrix may be singular
                continue
    raise AssertionError("unreachable")


@lru_cache(maxsize=8)
def _laws(values: tuple[float, ...], spectrum: tuple[float, ...], kappa: float, precision: int) -> list[Row]:
    """`laws_of_rows` at the present precision in bits, remembered for the next pattern of the same law."""
    return laws_of_rows([flint.arb(kappa) * m for m in values], spectrum)


def laws_of_rows(exponents: Sequence[Any], spectrum: Sequence[float]) -> list[Row]:
    """Return the functions of rows 1 to ``d - 1`` for ``exp(<diag(exponents), H>)``, at the present precision.

    ``exponents`` are balls that descend, or ascend; ties are exact.
    """
    k, top = sum(x > spectrum[-1] for x in spectrum), flint.arb(spectrum[0]) - spectrum[-1]
    step = 1 if exponents[0] < exponents[-1] else -1
    nodes = ([m - exponents[r] for m in exponents[:r][::step]] for r in range(1, len(spectrum)))
    return [row_of(x, min(k, len(x)), top) for x in nodes]


def row_of(nodes: list[Any], wide: int, top: Any) -> Row:
    """Functions for the last ``wide`` of the ``nodes``, which ascend and are all of one sign, from 0 to ``top``.

    Which road is taken changes the time only. Series from afar lose digits near 0, so they must save terms; where
    exponentials grow they are taken only if others would be too long.
    """
    r, lowest, apart = len(nodes), nodes[0], [x - nodes[0] for x in nodes]
    falling = lowest.mid() < 0
    largest, away, spread = (float(x * top) for x in (-lowest if falling else nodes[-1], abs(lowest), apart[-1]))
    count = count_of(largest, r) if largest < LONG * r**2 else None
    if spread < LONG * r**2 and away >= max(r, FAR * spread):
        fewer = count_away(spread, away, r)
        if count is None or (falling and SAVING * fewer <= count):
            return Series.from_afar(lowest, apart, wide, top, fewer)
    if count is None:
        return Exponentials(nodes, wide, top)
    return Series.from_zero(lowest, apart, wide, top, count) if falling else Series.of(nodes, wide, top, count)


def enclosed(
    laws: Sequence[Row],
    spectrum: Sequence[float],
    least: Sequence[Sequence[Any]],
    most: Sequence[Sequence[Any]],
    limit: Any,
) -> list[list[Any]]:
    """Enclose all patterns of the ``laws`` of rows (`laws_of_rows`) with uniforms from ``least`` to ``most``.

    Rows 1 to ``d`` are as `pattern` says, of radii up to the ``limit``. Uniforms lie strictly between 0 and 1. Raises
    `Imprecise` or ``ZeroDivisionError`` as soon as the precision in use, or the distance of the uniforms, is known not
    to enclose them.
    """
    d, smallest, exact = len(spectrum), flint.arb(spectrum[-1]), [flint.arb(x) for x in spectrum]
    low = high = [x - smallest for x in exact]
    out = [exact]
    for r in range(d - 1, 0, -1):
        held = [spectrum[j] == spectrum[j + d - r] for j in range(r)]
        copies = [spectrum[:j].count(spectrum[j]) if held[j] else None for j in range(r)]
        low = laws[r - 1].draw(low, copies, least[r - 1], None, 0)
        high = laws[r - 1].draw(high, copies, most[r - 1], low, 1)
        out.insert(0, [exact[j] if held[j] else low[j].union(high[j]) + smallest for j in range(r)])
        if not all(x.rad() <= limit for x in out[0]):
            raise Imprecise
    return out
