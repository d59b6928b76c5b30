"""DPS-CELLS: a replaced row moves the counts of rows in cells by 2 at most in l1, one that appears or goes by 1.

A row lies in one cell at most. If it is replaced, one count falls by 1 and another one rises, or neither moves; rows
outside of the frame are in no cell. Where cells overlap, a row moves as many counts as hold it. The largest of ``m``
independent numbers with density ``exp(-|z|) / 2`` is at most ``t >= 0`` with probability ``(1 - exp(-t) / 2)^m``, and
the largest modulus with ``(1 - exp(-t))^m``: solved for ``t``, these are exact quantiles.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.formulas.cell_noise import largest_modulus, reached
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.strategies import dyadics, st


@statement
class Cells:
    labels = ("DPS-CELLS",)
    given = (
        r"c_j=\#\{i:x_i\in C_j\},\ \#\{j:x\in C_j\}\le1,\ Z_1,\dots,Z_m\sim\mathrm{Lap}(1),\ "
        r"t=-\log\big(2(1-p^{1/m})\big),\ u=-\log(1-p^{1/m})"
    )
    claim = {
        "replaced row": r"\text{replace: }\sum_j|c_j-c_j'|\le2",
        "removed row": r"\text{remove: }\sum_j|c_j-c_j'|\le1",
        "largest noise": r"\Pr\big[\max_j Z_j\le t\big]=p",
        "largest modulus": r"\Pr\big[\max_j|Z_j|\le u\big]=p",
    }
    where = {
        "c_j": "number of rows in a cell",
        "c_j'": "the same for a neighbouring data set",
        "C_j": "a cell: a set of rows",
        "x": "any row",
        "x_i": "the rows of the data",
        "Z_j": "independent noise of the cells",
        "Z_1": "noise of the first cell",
        "Z_m": "noise of the last cell",
        "m": "number of cells",
        "p": "probability, at least one half",
        "t": "quantile of the largest noise",
        "u": "quantile of the largest modulus",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("JXZ-D1", "JXZ-T1")
    note = "sensitivity.md#counts-of-rows-in-cells-and-the-largest-of-their-noises"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, int, float]:
        """Rows on a plane, one that replaces the first of them, cells along each axis, and a probability."""
        row = st.tuples(dyadics(-2, 2, 4), dyadics(-2, 2, 4))
        rows = draw(st.lists(row, min_size=1, max_size=6))
        return np.array(rows), np.array(draw(row)), draw(st.integers(1, 4)), draw(dyadics(0.5, 0.96875, 10))

    def fast(self, rows: Any, new: Any, bins: int, p: float) -> Parts:
        """Histograms of numpy over the square of side 2; the probabilities of one cell to the power of their number."""
        counts, after, without = (
            np.histogram2d(x[:, 0], x[:, 1], bins, ((-1.0, 1.0), (-1.0, 1.0)))[0].astype(int)
            for x in (rows, np.vstack([new, rows[1:]]), rows[1:].reshape(-1, 2))
        )
        yield AtMost(int(np.sum(abs(counts - after))), 2, part="replaced row")
        yield AtMost(int(np.sum(abs(counts - without))), 1, part="removed row")
        number = bins**2
        yield Equal((1 - np.exp(-reached(number, p)) / 2) ** number, p, part="largest noise")
        yield Equal((1 - np.exp(-largest_modulus(number, p))) ** number, p, part="largest modulus")

    def oracle(self, rows: Any, new: Any, bins: int, p: Real) -> Parts:
        """Cell by cell; the last one holds its upper ends. Probabilities are products of integrals of the density."""

        def inside(x: Any, k: int) -> bool:
            low, high = (mp.mpf(2 * end) / bins - 1 for end in (k, k + 1))
            return bool(low <= x < high or x == high == 1)

        def count(data: Any, j: int, k: int) -> int:
            return sum(inside(mp.mpf(float(x)), j) and inside(mp.mpf(float(y)), k) for x, y in data)

        places = [(j, k) for j in range(bins) for k in range(bins)]
        for data, most, part in (([new, *rows[1:]], 2, "replaced row"), (rows[1:], 1, "removed row")):
            yield AtMost(sum(abs(count(rows, *at) - count(data, *at)) for at in places), most, part=part)
        share = 1 - mp.root(p, len(places))
        upper, either = -mp.log(2 * share), -mp.log(share)
        half = mp.mpf(1) / 2
        below = half + mp.quad(lambda z: mp.exp(-z) / 2, [0, upper])
        within = mp.quad(lambda z: mp.exp(-z), [0, either])
        yield Equal(mp.fprod(below for _ in places), p, part="largest noise")
        yield Equal(mp.fprod(within for _ in places), p, part="largest modulus")

    def tight(self) -> list[Any]:
        """A row goes from one cell to another one, of two cells along each axis and of three."""
        rows = np.array([[-0.5, -0.5], [0.25, 0.25]])
        return [(rows, np.array([0.5, 0.5]), bins, p) for bins, p in ((2, 0.75), (3, 0.9375))]

    def beyond(self) -> dict[str, Outcome]:
        """Two cells that hold one row both; two equal noises instead of independent ones."""
        t = -mp.log(2 * (1 - mp.sqrt(mp.mpf(0.75))))
        return {
            "cells have no row in common": AtMost(2, 1, part="removed row"),
            "noises are independent": Equal(1 - mp.exp(-t) / 2, mp.mpf(0.75), part="largest noise"),
        }
