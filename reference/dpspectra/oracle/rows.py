"""How one row is read, by the definition: mapped, zeroed, clipped and put on the grid, in floats and fractions."""

import math
from collections.abc import Sequence
from fractions import Fraction

EASY, SPARE, ROUNDING = 2.0**500, 8, 2.0**-52
"""Squared norms up to this need no other unit; what the upper bound of a length allows for, as in DPS-UNITROWS."""
OVER = Fraction(1 + 1e-12) ** 2
"""Squared excess over the bound that counts as rounding."""
Bounds = tuple[Sequence[float], Sequence[float], Sequence[float]]


def integers(
    row: Sequence[float],
    norm_bound: float,
    *,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: Bounds | None = None,
    counts: bool = True,
) -> list[int] | None:
    """Return a row of floats as integers in units of ``2**-p``, the largest with ``norm_bound 2**p <= 2**20``.

    An entry that is no number is NaN. ``bounds`` are lower ones, upper ones and weights. A row that is refused is
    ``None``.
    """
    bad = not all(map(math.isfinite, row))
    if bad and counts and bad_rows == "refuse":
        return None
    if bad or not counts:
        row = [0.0] * len(row)
    elif bounds is not None:
        row = [_mapped(*each) for each in zip(row, *bounds[:2], _unit(bounds[2], 1.0), strict=True)]
    if rows == "unit":
        row = _unit(row, 1.0)
    elif rows == "clip" or bounds is not None:
        row = _unit(row, norm_bound, keep=True)
    return _on_grid(row, Fraction(norm_bound))


def exponent(norm_bound: float) -> int:
    """Return ``p``."""
    p = 0
    while Fraction(norm_bound) * Fraction(2) ** p > 2**20:
        p -= 1
    while Fraction(norm_bound) * Fraction(2) ** (p + 1) <= 2**20:
        p += 1
    return p


def _mapped(x: float, lower: float, upper: float, factor: float) -> float:
    return min(max((x - (lower / 2 + upper / 2)) / (upper / 2 - lower / 2), -1.0), 1.0) * factor


def _unit(row: Sequence[float], norm: float, *, keep: bool = False) -> list[float]:
    """Return the row at this norm, rounded; one that is not longer may be kept."""
    e, squares = 0, _by_halves([x * x for x in row])
    if not 1 / EASY <= squares <= EASY:
        e = math.frexp(max(map(abs, row)))[1]
        squares = _by_halves([math.ldexp(x, -e) ** 2 for x in row])
    length = math.sqrt(squares) * (1 + (len(row) + SPARE) * ROUNDING) or 1.0
    if keep and Fraction(length) * Fraction(2) ** e <= Fraction(norm):
        return list(row)
    return [math.ldexp(x, -e) / length * norm for x in row]


def _by_halves(numbers: Sequence[float]) -> float:
    while len(numbers) > 1:
        half = len(numbers) // 2
        folded = [one + two for one, two in zip(numbers[:half], numbers[half : 2 * half], strict=True)]
        folded[0] += numbers[-1] if len(numbers) % 2 else 0.0
        numbers = folded
    return numbers[0]


def _on_grid(row: Sequence[float], norm_bound: Fraction) -> list[int] | None:
    """Nearest integers; of a row that would leave the ball those toward zero, and one less where that is not enough."""
    unit = Fraction(2) ** exponent(float(norm_bound))
    scaled, square = [Fraction(x) * unit for x in row], (norm_bound * unit) ** 2
    for q in ([round(x) for x in scaled], cut := [math.trunc(x) for x in scaled]):
        if sum(x * x for x in q) <= square:
            return q
    if sum(x * x for x in cut) <= math.floor(square * OVER):
        return [x - (x > 0) + (x < 0) for x in cut]
    return None
