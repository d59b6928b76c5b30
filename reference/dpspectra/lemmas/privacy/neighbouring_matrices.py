"""Neighbouring matrices by one row, by one entry or symmetric pair of entries, and by a change of spectral norm 1.

``row``: all rows but one agree, and that one changes by at most 1 in norm. ``entry``: all entries but one agree, and
that one changes by at most 1. ``pair``: both matrices are symmetric, and the entries ``(i, j)`` and ``(j, i)`` change
together by at most 1; a diagonal entry changes once, by at most 1. If ``c (e_i e_j' + e_j e_i')`` were read with
``i = j`` it would change by 2, and noise for the pair would be too small. ``spectral``: the change has spectral norm at
most 1. In each relation the size of a change is its spectral norm, so the last relation contains all others. A rating
from 1 to 5 can change by 4, or by 5 if a missing rating counts as 0: scale it first.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dyadics, fields, neighbours, st


@st.composite
def _pairs(draw: st.DrawFn, relation: str) -> Any:
    """Two matrices: neighbours, or one more step apart (and then rarely neighbours)."""
    d, n = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    field = draw(fields()) if relation in ("row", "spectral") else "real"
    first, second = draw(neighbours(relation, n, d, field))
    if draw(st.booleans()):
        other = draw(st.sampled_from([relation] if relation == "spectral" else [relation, "entry"]))
        start, end = draw(neighbours(other, len(first), d, field))
        second = second + (end - start)
    return first, second


def size(change: Any, relation: str) -> Any:
    """Smallest factor to divide ``change`` by so that it is one step of ``relation``; infinite if there is none."""
    if relation == "spectral":
        return fast.spectral_norm(change)
    if relation == "pair" and np.any(change != change.T):
        return np.inf
    if relation == "row":
        moved = np.linalg.norm(change, axis=1)
    else:
        moved = np.abs(change if relation == "entry" else fast.upper_triangle(change))
    return np.max(moved) if np.count_nonzero(moved) <= 1 else np.inf


def _against_spectral_norm(pair: Any, relation: str) -> Equal:
    change = pair[1] - pair[0]
    step = size(change, relation)
    norm = np.exp(-fast.spectral_norm(change)) if np.isfinite(step) else 0.0
    return Equal(np.exp(-step), norm, part=f"size of a change by {relation}")


def _exact_size(first: Any, second: Any, relation: str) -> Any:
    """Try every place: the matrices agree outside it, and the two entries of a pair change together."""
    indices = [(i, j) for i in range(first.rows) for j in range(first.cols)]
    places = {
        "row": [[(i, j) for j in range(first.cols)] for i in range(first.rows)],
        "entry": [[index] for index in indices],
        "pair": [[(i, j), (j, i)] for i, j in indices],
    }
    for place in places[relation]:
        still = all(first[index] == second[index] for index in indices if index not in place)
        change = [second[index] - first[index] for index in place]
        if still and (relation != "pair" or change[0] == change[1]):
            return mp.norm(change, 2 if relation == "row" else mp.inf)
    return mp.inf


def _exact_against_spectral_norm(pair: Any, relation: str) -> Equal:
    first, second = pair
    step = _exact_size(first, second, relation)
    norm = mp.exp(-oracle.spectral_norm(second - first)) if step < mp.inf else mp.mpf(0)
    return Equal(mp.exp(-step), norm, part=f"size of a change by {relation}")


@statement
class NeighbouringMatricesRows:
    labels = ("HR-D2.1",)
    given = r"s=\inf\{\|v\|_2:A-A'=e_iv^\top\},\quad A\sim A'\iff s\le1"
    claim = {
        "size of a change by row": r"e^{-s}=\mathbf 1_{s<\infty}\,e^{-\|A-A'\|_2}",
    }
    printed = r"$`A`$ and $`A'`$ are neighbours if $`A-A'`$ has one row other than 0, of $`\ell_2`$ norm at most 1."
    where = {
        "A": "matrix of the data",
        "A'": "neighbouring matrix",
        "e_i": "the axes; axis $`i`$ chooses the row that changes",
        "v": "change of the row",
        "s": "size of the change, infinite if several rows change",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.ROW,)
    exact = ("size of a change by row",)
    note = "privacy.md#neighbours-by-one-row"
    without_beyond = "It defines a relation between matrices; both sides of the equivalence are stated for all pairs."

    def cases(self) -> Any:
        return st.tuples(_pairs("row"))

    def fast(self, pair: Any) -> Equal:
        return _against_spectral_norm(pair, "row")

    def oracle(self, pair: tuple[Matrix, Matrix]) -> Equal:
        return _exact_against_spectral_norm(pair, "row")

    def tight(self) -> list[Any]:
        """A flat row of norm 1 in place of zeros."""
        return [((np.zeros((2, 4)), np.array([[0.0] * 4, [0.5] * 4])),)]


@statement
class NeighbouringMatricesEntries:
    labels = ("HP-D4.1",)
    given = (
        r"s_1(A-A')=\inf\{|c|:A-A'=c\,e_ie_j^\top\},\ s_2(A-A')=\inf\{|c|:A-A'=c\,(e_ie_j^\top+e_je_i^\top),\ "
        r"i\ne j,\text{ or }c\,e_ie_i^\top\};\quad A\sim A'\iff s_1(A-A')\le1,\text{ or }s_2(A-A')\le1"
    )
    claim = {
        "size of a change by entry": r"e^{-s_1(A-A')}=\mathbf 1_{s_1<\infty}\,e^{-\|A-A'\|_2}",
        "size of a change by pair": r"e^{-s_2(A-A')}=\mathbf 1_{s_2<\infty}\,e^{-\|A-A'\|_2}",
        "doubled diagonal entry": r"s_2\big(c\,(e_1e_1^\top+e_1e_1^\top)\big)=2|c|",
    }
    printed = r"$`(\varepsilon,\delta)`$-DP for $`A,A'`$ that differ in one entry by at most 1."
    where = {
        "A": "matrix of the data",
        "A'": "neighbouring matrix",
        "c": "change of one entry, or of a symmetric pair",
        "e_i": "the axes",
        "s_i": (
            "size of a change by one entry, and by a symmetric pair or a diagonal entry; infinite if there is no such "
            "change"
        ),
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.ENTRY, Relation.PAIR)
    exact = ("size of a change by entry", "size of a change by pair", "doubled diagonal entry")
    note = "privacy.md#neighbours-by-one-entry"
    without_beyond = "It defines a relation between matrices; both sides of the equivalence are stated for all pairs."

    def cases(self) -> Any:
        return st.tuples(_pairs("entry"), _pairs("pair"), dyadics(-1, 1))

    def fast(self, single: Any, pair: Any, c: float) -> Parts:
        corner = np.outer(np.eye(2)[0], np.eye(2)[0])
        yield _against_spectral_norm(single, "entry")
        yield _against_spectral_norm(pair, "pair")
        yield Equal(size(c * (corner + corner.T), "pair"), 2 * abs(c), part="doubled diagonal entry")

    def oracle(self, single: tuple[Matrix, Matrix], pair: tuple[Matrix, Matrix], c: Real) -> Parts:
        corner = oracle.outer(mp.matrix([1, 0]))
        yield _exact_against_spectral_norm(single, "entry")
        yield _exact_against_spectral_norm(pair, "pair")
        doubled = _exact_size(mp.zeros(2), c * (corner + corner.T), "pair")
        yield Equal(doubled, 2 * abs(c), part="doubled diagonal entry")

    def tight(self) -> list[Any]:
        zero, swap = np.zeros((2, 2)), np.array([[0.0, 1.0], [1.0, 0.0]])
        return [((zero, np.diag([0.0, 1.0])), (zero, swap), 1.0)]


@statement
class NeighbouringMatricesSpectral:
    labels = ("HP-D4.4",)
    given = r"A\sim A'\iff\|A-A'\|_2\le1,\quad\|x\|\le1"
    claim = {
        "spectral norm of the change": r"\|A-A'\|_2=\max_i|\lambda_i(A-A')|",
        "quadratic form": r"|x^*(A-A')x|\le\|A-A'\|_2",
    }
    printed = r"$`(\varepsilon,\delta)`$-DP for $`A,A'`$ with $`\lVert A-A'\rVert\le1`$ in spectral norm."
    where = {
        "A": "Hermitian matrix of the data",
        "A'": "neighbouring matrix",
        r"\lambda_i": "eigenvalues",
        "x": "any vector of the unit ball",
    }
    verdict = Verdict.DEFINITION
    relation = (Relation.SPECTRAL,)
    exact = ("spectral norm of the change",)
    note = "privacy.md#neighbours-in-spectral-norm"
    without_beyond = "It defines a relation between matrices; both sides of the equivalence are stated for all pairs."

    def cases(self) -> Any:
        return _pairs("spectral").flatmap(lambda p: st.tuples(st.just(p), ball_vectors(len(p[0]), "complex")))

    def fast(self, pair: Any, x: Any) -> Parts:
        change = pair[1] - pair[0]
        step = size(change, "spectral")
        yield Equal(step, np.max(np.abs(fast.eigenvalues(change))), part="spectral norm of the change")
        yield AtMost(abs(fast.quadratic(change, x)), step, scale=np.sum(np.abs(change)), part="quadratic form")

    def oracle(self, pair: tuple[Matrix, Matrix], x: Column) -> Parts:
        first, second = pair
        change, moved = second - first, oracle.quadratic(second, x) - oracle.quadratic(first, x)
        step = oracle.spectral_norm(change)
        yield Equal(step, max(map(abs, oracle.eigenvalues(change))), part="spectral norm of the change")
        yield AtMost(abs(moved), step, scale=step, part="quadratic form")

    def tight(self) -> list[Any]:
        return [((np.zeros((2, 2)), -np.eye(2)), np.array([1.0, 0.0]))]
