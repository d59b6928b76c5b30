"""Draws that all rows use in one combination only: one draw of a known law stands for all of them.

The difference of two exponential draws of one scale is a Laplace draw, and so is the sum of two products of an
exponential draw and the cosine of an angle: both have the characteristic function ``1 / (1 + t^2)``. The difference of
two geometric draws is a two-sided geometric draw. Gamma, Poisson, binomial and negative binomial draws add up to draws
of their own kind. Those of shape 1 are exponential draws, and geometric ones less 1.
"""

from math import fsum, log1p
from typing import Any

import numpy as np
from scipy import sparse

from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, LAPLACE, Law, of_name
from dpspectra.symbolic.poisson_differences import LARGEST_MEAN, poisson_difference
from dpspectra.symbolic.rounded_laws import SAME, two_sided_geometric
from dpspectra.symbolic.tape import Block

ADDING = ("gamma", "poisson", "binom", "nbinom")
"""Families of laws whose first shape adds up, if the others are the same."""


class Sum:
    """Where a draw comes from that stands for a sum of others."""

    rising = None

    def __init__(self, roots: tuple[int, ...], signs: tuple[float, ...]) -> None:
        self.roots, self.key = roots, ("sum", signs)


def law_of(laws: list[Law], factors: list[float]) -> Law | None:
    """Return the law of a sum of independent draws, with the first factor as its scale and sign, if it is known."""
    kin = {_family(law) for law in laws}
    if len(kin) > 1 or None in kin or len({abs(f) for f in factors}) > 1:
        return None
    rises = [law for law, f in zip(laws, factors, strict=True) if f * factors[0] > 0]
    return _law(rises, [law for law, f in zip(laws, factors, strict=True) if f * factors[0] < 0])


def _family(law: Law) -> Any:
    """Return what laws have in common whose draws can be added; ``None`` if nothing is known of their sums."""
    if law in (BESSEL, EXPONENTIAL) or (law.name.startswith("geom ") and 0 < law.shapes[0] < 1):
        return law.key
    kind = law.name.split()[0]
    return (kind, law.shapes[1:]) if kind in ADDING and law.shapes else None


def _law(rises: list[Law], falls: list[Law]) -> Law | None:
    """Return the law of a sum of draws of one family, less others of it, if it is known."""
    law, alone, pair = rises[0], len(rises) == 1, len(rises) == len(falls) == 1
    if law is BESSEL:
        return LAPLACE if len(rises) + len(falls) == 2 else None
    if law is EXPONENTIAL:
        return LAPLACE if pair else None
    kind, *_ = law.name.split()
    if kind == "geom":
        return two_sided_geometric(-log1p(-law.shapes[0])) if pair else None
    up, down = (fsum(one.shapes[0] for one in several) for several in (rises, falls))
    if not falls:
        return law if alone else of_name(kind, up, *law.shapes[1:])
    if kind == "poisson":
        return poisson_difference(up, down) if min(up, down) > 0 and up + down <= LARGEST_MEAN else None
    if kind == "binom" or max(abs(up - 1), abs(down - 1)) > SAME:
        return None
    return LAPLACE if kind == "gamma" else two_sided_geometric(-log1p(-law.shapes[1]))


def combined(B: sparse.csr_array, blocks: list[Block]) -> tuple[sparse.csr_array, list[Block]]:
    """Return coefficients and blocks in which one draw stands for each such sum."""
    kinds = [b for b in blocks if _family(b.law) is not None]
    if sum(len(b.values) for b in kinds) < 2:
        return B, blocks
    columns, start = B.tocsc(), B.shape[1]
    kin: dict[Any, list[tuple[int, float, Block]]] = {}
    for block in kinds:
        for j in range(block.start, block.start + len(block.values)):
            at = slice(columns.indptr[j], columns.indptr[j + 1])
            if at.stop > at.start:
                data = columns.data[at]
                sign = float(np.sign(data[0]))
                key = _family(block.law), columns.indices[at].tobytes(), (data * sign).tobytes()
                kin.setdefault(key, []).append((j, sign, block))
    made = [(law, several) for group in kin.values() for several in _sums(group) if (law := _law_of_group(several))]
    if not made:
        return B, blocks
    kept = np.ones(start)
    kept[[j for _, several in made for j, _, _ in several]] = 0.0
    new: list[Any] = [columns * kept, columns[:, [several[0][0] for _, several in made]]]
    more = []
    for k, (law, several) in enumerate(made):
        roots, signs, held = zip(*several, strict=True)
        more.append(Block(law, start + k, np.zeros(1), held[0].place, Sum(roots, signs)))
    whole = sparse.csr_array(sparse.hstack(new, format="csr"))
    whole.eliminate_zeros()
    return whole, [*blocks, *more]


Group = list[tuple[int, float, Block]]
"""Draws of one family that are used alike, with their signs."""


def _sums(group: Group) -> list[Group]:
    """Return the sums of at least two draws that one draw may stand for, which has the sign of the first one."""
    law = group[0][2].law
    if law is BESSEL:
        return [[a, b] for a, b in zip(group[::2], group[1::2], strict=False)]
    if law is EXPONENTIAL or law.name.startswith("geom "):
        rises, falls = ([one for one in group if one[1] * sign > 0] for sign in (1, -1))
        return [[a, b] for a, b in zip(rises, falls, strict=False)]
    return [group] if len(group) > 1 else []


def _law_of_group(group: Group) -> Law | None:
    return law_of([block.law for _, _, block in group], [sign for _, sign, _ in group])
