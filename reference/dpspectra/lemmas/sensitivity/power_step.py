"""Sensitivity of one step ``X -> A X`` of the power method, for orthonormal ``X`` and five neighbour relations.

In Frobenius norm, if one entry changes by at most 1: the largest row norm of ``X``. A symmetric pair of entries,
``c (e_i e_j' + e_j e_i')`` with ``|c| <= 1`` and ``i != j``, or one diagonal entry: the norm of the two largest rows
together. A change of spectral norm at most 1: ``sqrt p``; a unit rank-one term: 1; spectral norm at most 1 and rank at
most ``q``: ``sqrt min(p, q)``. In l1 the l1 norms of rows replace their norms, and the spectral and rank-one values are
``p sqrt d`` and ``sqrt(d p)``. Read literally with ``i = j`` the pair would be ``2 c e_i e_i'``, and the step could
change by twice the largest row norm, more than the pair's constant.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.power_step import l1, l2
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Parts, Relation, Verdict, statement
from dpspectra.lemmas.arithmetic.quantised_step import HADAMARD
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, spectra, st, unitaries, with_spectrum


def _changes(d: int) -> dict[str, list[dict[tuple[int, int], int]]]:
    """All changes by 1, as the entries that change; a smaller ``c`` or another sign changes the step no more."""
    places = [(i, j) for i in range(d) for j in range(d)]
    return {"entry": [{place: 1} for place in places], "pair": [{(i, j): 1, (j, i): 1} for i, j in places if i <= j]}


def _order_statistic(sizes: Any, r: int) -> Any:
    """The ``r``-th largest: the largest number that ``r`` of the sizes reach; 0 where there are fewer."""
    return max(map(min, itertools.combinations(sizes, r)), default=mp.mpf(0))


def _exact_entrywise(sizes: Any) -> dict[str, Any]:
    """`entrywise` for each relation."""
    largest = _order_statistic(sizes, 1)
    return {"entry": largest, "pair": largest + _order_statistic(sizes, 2)}


@statement
class PowerStep:
    labels = ("HP-SENS",)
    given = r"X^\top X=I,\ E_{ij}=e_ie_j^\top,\ P_{ij}=E_{ij}+E_{ji}\ (i\ne j),\ P_{ii}=E_{ii}"
    claim = {
        "entry change in l2": r"\max_{i,j}\|E_{ij}X\|_F=\sqrt{x_{(1)}}",
        "entry change in l1": r"\max_{i,j}\|E_{ij}X\|_1=r_{(1)}",
        "pair change in l2": r"\max_{i,j}\|P_{ij}X\|_F=\sqrt{x_{(1)}+x_{(2)}}",
        "pair change in l1": r"\max_{i,j}\|P_{ij}X\|_1=r_{(1)}+r_{(2)}",
        "entry by the largest entry": r"\sqrt{x_{(1)}}\le\sqrt p\,\|X\|_{\max}",
        "pair by the largest entry": r"\sqrt{x_{(1)}+x_{(2)}}\le\sqrt{2p}\,\|X\|_{\max}",
        "spectral change in l2": r"\|E\|_2\le1:\ \|EX\|_F\le\sqrt p",
        "spectral maximum in l2": r"E=I:\ \|EX\|_F=\sqrt p",
        "spectral change in l1": r"\|E\|_2\le1:\ \|EX\|_1\le p\sqrt d",
        "rank-one change in l2": r"\|v\|\le1:\ \|vv^\top X\|_F\le1",
        "rank-one maximum in l2": r"v=Xe_1:\ \|vv^\top X\|_F=1",
        "rank-one change in l1": r"\|v\|\le1:\ \|vv^\top X\|_1\le\sqrt{dp}",
        "low-rank change in l2": r"\|E\|_2\le1,\ \operatorname{rank}E\le q:\ \|EX\|_F\le\sqrt{\min(p,q)}",
        "low-rank maximum in l2": r"E=YY^\top:\ \|EX\|_F=\sqrt{\min(p,q)}",
    }
    where = {
        "E": "change of the matrix, symmetric",
        "E_i": "change of one entry by 1",
        "P_i": "change of a symmetric pair of entries by 1",
        "X": r"$`d\times p`$ matrix with orthonormal columns",
        "x_{(1)}": "largest squared norm of a row of $`X`$",
        "x_{(2)}": "second largest squared norm of a row of $`X`$, 0 if there is one row only",
        "r_{(1)}": "largest sum of the moduli of a row of $`X`$",
        "r_{(2)}": "second largest such sum, 0 if there is one row only",
        "e_i": "the axes",
        "v": "vector of norm at most 1",
        "Y": r"the first $`\min(p,q)`$ columns of $`X`$",
        "p": "number of columns of $`X`$",
        "q": "largest rank of a change",
    }
    verdict = Verdict.NEW
    relation = (Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE)
    uses = ("HP-D4.1", "HP-D4.4")
    exact = (
        "entry change in l2",
        "entry change in l1",
        "pair change in l2",
        "pair change in l1",
        "spectral maximum in l2",
        "rank-one maximum in l2",
        "low-rank maximum in l2",
    )
    note = "sensitivity.md#a-step-of-the-power-method"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, int]:
        """Orthonormal ``X``; a change of norm at most 1; a vector of the unit ball; a change of rank at most ``q``.

        Symmetric changes of both signs in up to four dimensions.
        """
        d = draw(st.integers(1, 4))
        p, q = draw(st.integers(1, d)), draw(st.integers(1, d))
        spectrum = np.clip(draw(spectra(d, signed=True)) / 8, -1, 1)
        low_rank = np.where(np.arange(d) < q, draw(st.sampled_from([1.0, -1.0, 0.5])), 0.0)
        changes = draw(with_spectrum(spectrum)), draw(ball_vectors(d)), draw(with_spectrum(low_rank)), q
        return draw(unitaries(d))[:, :p], *changes

    def fast(self, x: Any, e: Any, v: Any, low_rank: Any, q: int) -> Parts:
        d, p = x.shape
        for relation, changes in _changes(d).items():
            moved = np.zeros((len(changes), d, d))
            for number, change in enumerate(changes):
                for place in change:
                    moved[number][place] = 1.0
            moved = moved @ x
            yield Equal(np.max(fast.frobenius_norm(moved)), l2(x, relation), part=f"{relation} change in l2")
            yield Equal(np.max(np.sum(np.abs(moved), axis=(1, 2))), l1(x, relation), part=f"{relation} change in l1")
        rank_one, kept = fast.outer(v) @ x, min(p, q)
        yield AtMost(l2(x, "entry"), np.sqrt(p) * np.max(np.abs(x)), part="entry by the largest entry")
        yield AtMost(l2(x, "pair"), np.sqrt(2 * p) * np.max(np.abs(x)), part="pair by the largest entry")
        yield AtMost(fast.frobenius_norm(e @ x), l2(x, "spectral"), part="spectral change in l2")
        yield Equal(fast.frobenius_norm(x), l2(x, "spectral"), part="spectral maximum in l2")
        yield AtMost(np.sum(np.abs(e @ x)), l1(x, "spectral"), part="spectral change in l1")
        yield AtMost(fast.frobenius_norm(rank_one), l2(x, "rank_one"), part="rank-one change in l2")
        yield Equal(fast.frobenius_norm(fast.outer(x[:, 0]) @ x), l2(x, "rank_one"), part="rank-one maximum in l2")
        yield AtMost(np.sum(np.abs(rank_one)), l1(x, "rank_one"), part="rank-one change in l1")
        yield AtMost(fast.frobenius_norm(low_rank @ x), np.sqrt(kept), part="low-rank change in l2")
        yield Equal(fast.frobenius_norm(x[:, :kept] @ x[:, :kept].T @ x), np.sqrt(kept), part="low-rank maximum in l2")

    def oracle(self, x: Matrix, e: Matrix, v: Column, low_rank: Matrix, q: int) -> Parts:
        d, p = x.rows, x.cols
        rows = [[x[i, j] for j in range(p)] for i in range(d)]
        squares = _exact_entrywise([mp.fdot(r, r) for r in rows])
        sums = _exact_entrywise([mp.fsum(map(abs, r)) for r in rows])
        for relation, changes in _changes(d).items():
            norms, sizes = [], []
            for change in changes:
                entries = [x[j, a] for _, j in change for a in range(p)]  # row i of the product is row j of X
                norms.append(mp.norm(entries))
                sizes.append(mp.norm(entries, 1))
            yield Equal(max(norms), mp.sqrt(squares[relation]), part=f"{relation} change in l2")
            yield Equal(max(sizes), sums[relation], part=f"{relation} change in l1")
        rank_one, kept = oracle.outer(v) * x, min(p, q)
        largest = max(abs(entry) for row in rows for entry in row)
        first, some = x[:, 0], x[:, :kept]
        yield AtMost(mp.sqrt(squares["entry"]), mp.sqrt(p) * largest, part="entry by the largest entry")
        yield AtMost(mp.sqrt(squares["pair"]), mp.sqrt(2 * p) * largest, part="pair by the largest entry")
        yield AtMost(oracle.frobenius_norm(e * x), mp.sqrt(p), part="spectral change in l2")
        yield Equal(oracle.frobenius_norm(x), mp.sqrt(p), part="spectral maximum in l2")
        yield AtMost(mp.fsum(map(abs, e * x)), p * mp.sqrt(d), part="spectral change in l1")
        yield AtMost(oracle.frobenius_norm(rank_one), mp.mpf(1), part="rank-one change in l2")
        yield Equal(oracle.frobenius_norm(oracle.outer(first) * x), mp.mpf(1), part="rank-one maximum in l2")
        yield AtMost(mp.fsum(map(abs, rank_one)), mp.sqrt(d * p), part="rank-one change in l1")
        yield AtMost(oracle.frobenius_norm(low_rank * x), mp.sqrt(kept), part="low-rank change in l2")
        projected = some * oracle.adjoint(some) * x
        yield Equal(oracle.frobenius_norm(projected), mp.sqrt(kept), part="low-rank maximum in l2")

    def tight(self) -> list[Any]:
        """Flat columns for the entrywise relations; a flat change of three axes; a flat vector against ``I``."""
        h, flat, axes = HADAMARD, np.full(4, 0.5), np.eye(4)
        return [
            (h[:, :2], axes, h[0], axes, 4),
            (axes[:, :3], h, axes[0], np.diag([1.0, 1, 0, 0]), 2),
            (axes, h, flat, h, 4),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The first entry changes by 2; the block is the first axis."""
        moved = mp.matrix([[2, 0], [0, 0]]) * mp.matrix([1, 0])
        stated = mp.sqrt(_order_statistic([1, 0], 1))
        return {"an entry changes by at most 1": AtMost(oracle.frobenius_norm(moved), stated)}
