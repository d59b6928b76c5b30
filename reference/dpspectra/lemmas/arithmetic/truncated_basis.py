"""DPS-TOWARDZERO: exact products of a matrix of rows with a basis: what rounding both costs the Gaussian noise.

Entries of the matrix become ``floor(2**p a + 1/2)``, each of which moves by at most 1/2; so the integers of a row that
changes by ``v`` change by at most ``2**p |v| + sqrt(n)``. Entries of the basis are cut off toward zero, which makes its
rows shorter, so that the leverage bound stands. The noise is certified from the integers in rational numbers. Entries
of the basis that are rounded to nearest lengthen rows, and so does rounding down.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.certified import products, sketch
from dpspectra.ledger import AtMost, Parts, Real, Relation, Verdict, statement
from dpspectra.strategies import ball_vectors, dyadics, st


class Case(NamedTuple):
    """A row and its change, the digits that its entries keep, a bound on the change; a basis; ``mu`` of the product.

    The noise is what the program certifies for them.
    """

    row: Any
    change: Any
    digits: int
    bound: float
    basis: Any
    mu: float
    noise: float


def _calibrated(row: Any, change: Any, digits: int, bound: float, basis: Any, mu: float) -> Case:
    moved = sketch.rounded_change(bound, len(row), digits)
    return Case(row, change, digits, bound, basis, mu, sketch.projection_noise(sketch.cut(basis), moved, mu))


@statement
class TruncatedBasis:
    labels = ("DPS-TOWARDZERO",)
    given = (
        r"q(a)=\lfloor2^pa+\tfrac12\rfloor,\ \|v\|\le c,\ t=20,\ "
        r"L=2^{-t}\max_i\|\operatorname{trunc}(2^tu_i)\|"
    )
    claim = {
        "change of the integers": r"\|q(a+v)-q(a)\|\le2^p\|v\|+\sqrt n",
        "longest row of the basis": r"L\le\max_i\|u_i\|",
        "shift by the change": r"L\,2^{-p}\|q(a+v)-q(a)\|\le\mu\sigma",
        "largest shift": r"L\,(c+2^{-p}\sqrt n)\le\mu\sigma",
    }
    where = {
        "a": "row of the data",
        "v": "change of the row",
        "p": "number of binary places of the grid of the data",
        "n": "number of columns of the data",
        r"\mathrm{trunc}": "cutting off toward zero, entry by entry",
        "t": "number of binary places of the basis",
        "u_i": "the rows of the basis",
        "L": "largest norm of a row of the basis that was cut off",
        r"\sigma": "standard deviation of the noise",
        "c": "bound on the norm of a change",
        r"\mu": "Gaussian privacy that is promised",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-L4.6R", "DPS-UPWARD")
    note = "arithmetic.md#a-basis-cut-off-toward-zero"
    digits = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Entries between the points of coarse grids; bases of any entries, as fine as the grid and finer."""
        n, m, k = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
        row = np.array(draw(st.lists(dyadics(-4, 4), min_size=n, max_size=n)))
        bound = draw(st.sampled_from([1.0, 0.25, 5.0, 2.0**20]))
        entries = draw(st.lists(dyadics(-1, 1), min_size=m * k, max_size=m * k))
        basis = np.array(entries).reshape(m, k) * draw(st.sampled_from([1.0, 2.0**-16, 2.0**-20, 1 - 2.0**-30]))
        basis[0, 0] = draw(st.sampled_from([1.0, -0.6, 2.0**-20]))
        change = np.round(draw(ball_vectors(n)) * 2**20) / 2**20 * bound / 2  # sums with the row are exact
        return _calibrated(
            row, change, draw(st.integers(1, 8)), bound, basis, draw(st.sampled_from([1.0, 0.1, 0.23, 7.0]))
        )

    def fast(self, row: Any, change: Any, digits: int, bound: float, basis: Any, mu: float, noise: float) -> Parts:
        """The integers of the program, in floats."""
        before, after = (products.nearest(np.ldexp(a, digits)) for a in (row, row + change))
        moved, length = float(np.linalg.norm(after - before)), float(np.linalg.norm(change))
        integers, root = sketch.cut(basis), math.sqrt(len(row))
        longest, given = (
            math.ldexp(float(np.max(np.linalg.norm(u, axis=1))), -sketch.GRID)
            for u in (integers.astype(float), np.ldexp(basis, sketch.GRID))
        )
        covered = mu * noise
        yield AtMost(moved, math.ldexp(length, digits) + root, part="change of the integers")
        yield AtMost(longest, given, part="longest row of the basis")
        yield AtMost(longest * math.ldexp(moved, -digits), covered, part="shift by the change")
        yield AtMost(longest * (bound + math.ldexp(root, -digits)), covered, part="largest shift")

    def oracle(self, row: Any, change: Any, digits: int, bound: Real, basis: Any, mu: Real, noise: Real) -> Parts:
        """Rational numbers for entries, 40 digits for norms."""

        def rounded(a: Fraction) -> int:
            return math.floor(a * 2**digits + Fraction(1, 2))

        row, change = ([Fraction(float(x)) for x in v] for v in (row, change))
        moved = mp.ldexp(mp.norm([rounded(a + v) - rounded(a) for a, v in zip(row, change, strict=True)]), -digits)
        excess = mp.ldexp(mp.sqrt(len(row)), -digits)
        scaled = [[Fraction(float(u)) * 2**20 for u in line] for line in basis]
        longest, given = (
            max(map(mp.norm, lines)) / 2**20 for lines in ([list(map(math.trunc, u)) for u in scaled], scaled)
        )
        covered = mu * noise
        yield AtMost(moved * 2**digits, (mp.norm(change) + excess) * 2**digits, part="change of the integers")
        yield AtMost(longest, given, part="longest row of the basis")
        yield AtMost(longest * moved, covered, part="shift by the change")
        yield AtMost(longest * (bound + excess), covered, part="largest shift")

    def tight(self) -> list[Any]:
        """Entries just below a half that pass it, by all of the bound; a basis on the grid."""
        basis, step = np.array([[0.625, -0.75], [-1.0, 0.0]]), 2.0**-40
        halves = ((digits, np.full(4, 2.0 ** -(digits + 1) - step)) for digits in (1, 2))
        return [_calibrated(row, np.full(4, step), digits, 2 * step, basis, 0.23) for digits, row in halves]

    def beyond(self) -> dict[str, AtMost]:
        """0.6 units rounded to nearest, -0.1 units rounded down; 3/8 that moves to 5/8, and so by 1; a longer basis."""
        basis = Case(*self.tight()[0]).basis
        noise = sketch.projection_noise(sketch.cut(basis / 2), Fraction(1), 1.0)
        return {
            "entries of the basis are cut off, not rounded": AtMost(1.0, 0.6, part="longest row of the basis"),
            "toward zero": AtMost(1.0, 0.1, part="longest row of the basis"),
            "the rounding of the matrix is counted in": AtMost(1.0, 0.25, part="change of the integers"),
            "the noise belongs to the basis that is multiplied": AtMost(1.0, noise, part="largest shift"),
        }
