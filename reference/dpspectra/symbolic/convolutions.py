"""Draws that all rows use in one combination only: one draw of a known law stands for two of them.

The difference of two exponential draws of one scale is a Laplace draw, and so is the sum of two products of an
exponential draw and the cosine of an angle: both have the characteristic function ``1 / (1 + t^2)``. The difference of
two geometric draws is a two-sided geometric draw.
"""

from math import log1p
from typing import Any

import numpy as np
from scipy import sparse

from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, LAPLACE, Law
from dpspectra.symbolic.rounded_laws import two_sided_geometric
from dpspectra.symbolic.tape import Block


class Sum:
    """Where a draw comes from that stands for a sum of others."""

    rising = None

    def __init__(self, roots: tuple[int, ...], sign: float) -> None:
        self.roots, self.key = roots, ("sum", sign)


def law_of_two(laws: list[Law], factors: list[float]) -> Law | None:
    """Return the law of two independent draws with these coefficients, with the size of either as scale, if known."""
    first, second = factors
    if laws[0].key != laws[1].key or abs(first) != abs(second):
        return None
    if laws[0] is BESSEL:
        return LAPLACE
    return _difference(laws[0]) if first == -second else None


def _difference(law: Law) -> Law | None:
    """Return the law of the difference of two draws of one law, if known."""
    if law is EXPONENTIAL:
        return LAPLACE
    if law.name.startswith("geom ") and 0 < law.shapes[0] < 1:
        return two_sided_geometric(-log1p(-law.shapes[0]))
    return None


def combined(B: sparse.csr_array, blocks: list[Block]) -> tuple[sparse.csr_array, list[Block]]:
    """Return coefficients and blocks in which one draw stands for each such pair."""
    kinds = [b for b in blocks if b.law is BESSEL or _difference(b.law) is not None]
    if sum(len(b.values) for b in kinds) < 2:
        return B, blocks
    columns, start = B.tocsc(), B.shape[1]
    waiting: dict[Any, tuple[int, float]] = {}
    pairs: list[tuple[int, int, float, Block]] = []
    for block in kinds:
        for j in range(block.start, block.start + len(block.values)):
            at = slice(columns.indptr[j], columns.indptr[j + 1])
            if at.stop == at.start:
                continue
            data = columns.data[at]
            sign = float(np.sign(data[0]))
            key = block.law.name, columns.indices[at].tobytes(), (data * sign).tobytes()
            opposite = 0.0 if block.law is BESSEL else -sign
            if (key, opposite) in waiting:
                other, before = waiting.pop((key, opposite))
                pairs.append((other, j, before * sign, block))
            else:
                waiting[key, 0.0 if block.law is BESSEL else sign] = j, sign
    if not pairs:
        return B, blocks
    firsts = [i for i, _, _, _ in pairs]
    kept = np.ones(start)
    kept[[j for i, j, _, _ in pairs for j in (i, j)]] = 0.0
    new: list[Any] = [columns * kept, columns[:, firsts]]
    made = [(_difference(b.law) or LAPLACE, b.place, Sum((i, j), sign)) for i, j, sign, b in pairs]
    more = [Block(law, start + k, np.zeros(1), place, it) for k, (law, place, it) in enumerate(made)]
    whole = sparse.csr_array(sparse.hstack(new, format="csr"))
    whole.eliminate_zeros()
    return whole, [*blocks, *more]
