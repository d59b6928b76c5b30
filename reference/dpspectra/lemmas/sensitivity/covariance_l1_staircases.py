"""Two sign blocks give the largest l1 norm of the upper triangle in every dimension.

Order the coordinates of ``v v' - w w'`` by the quotient of the smaller of ``v_i`` and ``w_i`` by the larger one, which
a change of sign makes positive. Then the sign of the entry ``(i, j)`` is that of the diagonal at the smaller place: a
staircase. No eigenvalue of a staircase lies within 1/2 of 0; so the inner ones take up so much of the Frobenius norm,
which is the same for all signs, that the two outer ones are no further apart than those of two blocks.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.sign_patterns import spread
from dpspectra.formulas.covariance_l1 import full_l1, upper_triangle_l1
from dpspectra.ledger import AtMost, Column, Equal, Parts, Relation, Verdict, statement
from dpspectra.lemmas.sensitivity.covariance_l1 import block_pair, exact_blocks
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import seeds, st

STARTS = 20
"""Random starts of an ascent in a case."""


def _norms(v: Any, w: Any) -> Any:
    return np.sum(np.abs(fast.upper_triangle(fast.outer(v) - fast.outer(w))), axis=-1)


def _staircase(signs: Any, weight: float) -> Any:
    """Symmetric matrix with the sign of the smaller place, times ``weight`` off the diagonal."""
    places = np.arange(len(signs))
    return signs[np.minimum.outer(places, places)] * np.where(np.eye(len(signs)), 1.0, weight)


def _exact_spread_and_moduli(signs: list[int], weight: Any) -> tuple[Any, list[Any]]:
    """Spread of a staircase, and the moduli of its eigenvalues, descending."""
    d = len(signs)
    rows = [[signs[min(i, j)] * (1 if i == j else weight) for j in range(d)] for i in range(d)]
    values = oracle.eigenvalues(mp.matrix(rows))
    return max(values[0], 0) - min(values[-1], 0), sorted(map(abs, values), reverse=True)


@statement
class CovarianceL1Staircases:
    labels = ("JXZ-L2-J",)
    given = (
        r"\sigma\in\{-1,1\}^d,\ T_{ii}=E_{ii}=\sigma_i,\ T_{ij}=\tfrac12\sigma_{\min(i,j)},\ E_{ij}=\sigma_{\min(i,j)},"
        r"\ r=1+\#\{i<d:\sigma_i\ne\sigma_{i+1}\},\quad \|v\|,\|w\|\le1,\ C=vv^\top-ww^\top,\quad "
        r"S_1=1,\ S_d^2=(d^2+2d+2)/2\ (d\text{ even}),\ S_d^2=(2d^2+4d+3)/4\ (d\text{ odd},\ d\ge3)"
    )
    claim = {
        "signs of a pair": r"\sum_{i\le j}|C_{ij}|=\langle T,C\rangle",
        "eigenvalues of a staircase": r"\tfrac12\le\min_i|\lambda_i(T)|",
        "eigenvalues with all entries": r"1\le|\lambda(E)|_r",
        "spread of a staircase": r"\operatorname{spread}(T)\le S_d",
        "spread with all entries": r"\operatorname{spread}(E)\le\sqrt{2d^2-\mathbf 1[d\text{ odd}]}",
    }
    where = {
        r"\sigma": "signs of the diagonal, in the order of the quotients",
        "T": "staircase of signs with weights",
        "E": "staircase of signs",
        "T_i": "entries of the staircase with weights",
        "E_i": "entries of the staircase",
        "r": "number of runs of equal signs, which is the rank of $`E`$",
        "C": "change of the second moments, its coordinates ordered and their signs changed",
        "C_i": "its entries",
        "S_i, S_d": "l1 norm that two sign blocks attain",
        r"|\lambda(E)|_i": "moduli of the eigenvalues, descending",
        r"\lambda_i": "eigenvalues",
        r"\mathrm{spread}": "largest eigenvalue or 0, less the smallest one or 0",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    note = "sensitivity.md#signs-of-a-change"
    exact = ("signs of a pair",)
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        """Pair of vectors: the best of some random ones, or of those that an ascent finds from them.

        It alternates the best signs for ``(v, w)`` with the best ``(v, w)`` for the signs; the norm never falls.
        """
        d, rounds, rng = draw(st.integers(1, 12)), draw(st.sampled_from([0, 15])), np.random.default_rng(draw(seeds()))
        v, w = rng.standard_normal((2, STARTS, d)) / (4 * d)
        weights = (1 + np.eye(d)) / 2
        for _ in range(rounds):
            vectors = fast.eigenvectors(np.where(fast.outer(v) >= fast.outer(w), weights, -weights))[1]
            v, w = vectors[..., 0], vectors[..., -1]
        best = np.argmax(_norms(v, w))
        return v[best] * (1 - 2.0**-40), w[best] * (1 - 2.0**-40)  # rounding must not take them out of the unit ball

    def fast(self, v: Any, w: Any) -> Parts:
        first, d = np.abs(v) >= np.abs(w), len(v)
        larger, smaller = np.where(first, v, w), np.where(first, w, v)
        order = np.argsort(np.divide(smaller, larger, out=np.zeros(d), where=larger != 0), kind="stable")
        signs, flips = np.where(first, 1.0, -1.0)[order], np.where(larger < 0, -1.0, 1.0)
        half, full = _staircase(signs, 0.5), _staircase(signs, 1.0)
        x, y = (flips * v)[order], (flips * w)[order]
        runs = 1 + int(np.sum(signs[1:] != signs[:-1]))
        values, all_values = fast.eigenvalues(half), fast.eigenvalues(full)
        yield Equal(_norms(v, w), fast.inner(half, fast.outer(x) - fast.outer(y)), scale=1, part="signs of a pair")
        yield AtMost(0.5, np.min(np.abs(values)), scale=d, part="eigenvalues of a staircase")
        yield AtMost(1.0, np.sort(np.abs(all_values))[-runs], scale=d, part="eigenvalues with all entries")
        yield AtMost(spread(values), upper_triangle_l1(d), part="spread of a staircase")
        yield AtMost(spread(all_values), full_l1(d), part="spread with all entries")

    def oracle(self, v: Column, w: Column) -> Parts:
        """Sums behind each place in turn; the stated values by the two blocks, of any sizes."""
        pairs, d = list(zip(v, w, strict=True)), v.rows
        pairs.sort(key=lambda pair: min(pair, key=abs) / max(pair, key=abs) if any(pair) else mp.mpf(0))
        signs = [1 if abs(x) >= abs(y) else -1 for x, y in pairs]
        pairs = [(-x, -y) if max(x, y, key=abs) < 0 else (x, y) for x, y in pairs]
        runs, along = 1 + sum(a != b for a, b in itertools.pairwise(signs)), mp.mpf(0)
        for k, (sign, (x, y)) in enumerate(zip(signs, pairs, strict=True)):
            along += sign * (x * mp.fsum(p for p, _ in pairs[k:]) - y * mp.fsum(q for _, q in pairs[k:]))
        change = oracle.upper_triangle(oracle.outer(v) - oracle.outer(w))
        (half, moduli), (full, all_moduli) = (_exact_spread_and_moduli(signs, weight) for weight in (mp.mpf(1) / 2, 1))
        yield Equal(mp.fsum(map(abs, change)), along, scale=1, part="signs of a pair")
        yield AtMost(mp.mpf(1) / 2, moduli[-1], scale=d, part="eigenvalues of a staircase")
        yield AtMost(1, all_moduli[runs - 1], scale=d, part="eigenvalues with all entries")
        yield AtMost(half, exact_blocks(d, mp.mpf(1) / 2), part="spread of a staircase")
        yield AtMost(full, exact_blocks(d, 1), part="spread with all entries")

    def tight(self) -> list[Any]:
        return [*(block_pair(d, weight) for d in (1, 7, 8, 13) for weight in (0.5, 1.0))]

    def beyond(self) -> dict[str, AtMost]:
        """Three signs that are no staircase, whatever the order: an odd number of minus signs off the diagonal."""
        pattern = mp.matrix([[2, 1, 1], [1, 2, -1], [1, -1, 2]]) / 2
        return {"the signs are those of a pair": AtMost(mp.mpf(1) / 2, min(map(abs, oracle.eigenvalues(pattern))))}
