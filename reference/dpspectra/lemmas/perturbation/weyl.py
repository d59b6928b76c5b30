"""Weyl: ``lambda_{i+j-1}(X + Y) <= lambda_i(X) + lambda_j(Y)``, and no singular value moves by more than ``|E|``.

The eigenvectors of ``X`` from place ``i`` on, those of ``Y`` from ``j`` on and the first ``i + j - 1`` of ``X + Y``
span spaces with a common vector, by their dimensions; on it the three Rayleigh quotients are compared. Singular values
have the same proof with ``|A v|`` as the quotient. Eigenvalues of matrices that are not Hermitian obey no such bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, fields, hermitian, rectangular
from dpspectra.strategies.lazy import st


class Case(NamedTuple):
    """Two Hermitian matrices, places ``i`` and ``j`` from 0, a rectangular matrix and a change of it."""

    x: Any
    y: Any
    i: int
    j: int
    a: Any
    change: Any


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """Matrices of dimension up to 4; the second Hermitian one is sometimes of rank one."""
    field = draw(fields())
    d, m, n = (draw(st.integers(1, 4)) for _ in range(3))
    x = draw(hermitian(d, field))
    y = draw(hermitian(d, field) | ball_vectors(d, field).map(lambda v: np.outer(v, v.conj())))
    i = draw(st.integers(0, d - 1))
    change = draw(rectangular(m, n, field)) * draw(st.sampled_from([1.0, 2.0**-6, 2.0**-20]))
    return Case(x, y, i, draw(st.integers(0, d - 1 - i)), draw(rectangular(m, n, field)), change)


lemma = Statement(
    labels=("JXZ-L4", "HR-T2.9"),
    claim=r"\lambda_{i+j-1}(X+Y)\le\lambda_i(X)+\lambda_j(Y),\qquad|s_i(A+E)-s_i(A)|\le\|E\|_2",
    verdict=Verdict.VERIFIED,
    cases=_cases,
    note="perturbation.md#weyl",
)


@lemma.fast
def moved(x: Any, y: Any, i: int, j: int, a: Any, change: Any) -> tuple[AtMost, ...]:
    total = fast.eigenvalues(x + y)[i + j]
    bound, size = fast.eigenvalues(x)[i] + fast.eigenvalues(y)[j], fast.frobenius_norm(x) + fast.frobenius_norm(y)
    moves = np.abs(fast.singular_values(a + change) - fast.singular_values(a))
    length, long = fast.spectral_norm(change), fast.frobenius_norm(a)
    return (
        AtMost(total, bound, scale=size, part="eigenvalue of a sum"),
        *(AtMost(move, length, scale=long, part="moves of singular values") for move in moves),
    )


@lemma.oracle
def exactly_moved(x: Any, y: Any, i: int, j: int, a: Any, change: Any) -> tuple[AtMost, ...]:
    x, y, a, change = map(oracle.exact, (x, y, a, change))
    total = oracle.eigenvalues(x + y)[i + j]
    bound = oracle.eigenvalues(x)[i] + oracle.eigenvalues(y)[j]
    size = oracle.frobenius_norm(x) + oracle.frobenius_norm(y)
    pairs = zip(oracle.singular_values(a + change), oracle.singular_values(a), strict=True)
    length, long = oracle.spectral_norm(change), oracle.frobenius_norm(a)
    return (
        AtMost(total, bound, scale=size, part="eigenvalue of a sum"),
        *(AtMost(abs(s - t), length, scale=long, part="moves of singular values") for s, t in pairs),
    )


@lemma.tight
def axes_in_another_order() -> list[Any]:
    x, y = np.diag([9.0, 1.0, 1.0]), np.diag([2.0, 9.0, 2.0])
    a, change = np.diag([3.0, 1.0]), np.diag([0.0, 1.0])
    return [Case(x, y, 1, 1, a, change), Case(y, np.diag([-1.0, -20.0, -3.0]), 0, 2, np.zeros((2, 3)), np.eye(2, 3))]


@lemma.beyond
def not_hermitian() -> dict[str, AtMost]:
    """Two nilpotent matrices, whose eigenvalues are 0; those of their sum are 1 and -1."""
    x, y = mp.matrix([[0, 1], [0, 0]]), mp.matrix([[0, 0], [1, 0]])
    largest = [max(mp.re(value) for value in mp.eig(a, right=False)) for a in (x + y, x, y)]
    return {"Hermitian matrices": AtMost(largest[0], largest[1] + largest[2])}
