"""Coherence of a symmetric matrix: ``mu(A) = d max_ij U_ij^2`` over its ``d`` orthonormal eigenvectors.

It is 1 if all entries of eigenvectors have one size (Hadamard) and ``d`` if an axis is an eigenvector (diagonal ``A``).
All ``d`` eigenvectors count, those of eigenvalue 0 too. With a repeated eigenvalue the basis is not unique and neither
is the value: between 1 and ``d`` for ``A = I``. Then the least value over eigenbases is meant; what rests on it holds
for every eigenbasis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import coherence as fast
from dpspectra.fast import linalg
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import unitaries


@st.composite
def _spectral(draw: DrawFn) -> tuple[Any, Any]:
    """An orthogonal matrix and distinct integers as eigenvalues, of both signs, zero among them now and then."""
    d = draw(st.integers(1, 6))
    values = draw(st.lists(st.integers(-12, 12), min_size=d, max_size=d, unique=True))
    return draw(unitaries(d)), np.sort(np.array(values, dtype=float))[::-1]


lemma = Statement(
    labels=("HP-D4.8",),
    claim=r"\mu(A)=d\,\|U\|_{\max}^2,\quad A=U\Lambda U^\top;\qquad1\le\mu(A)\le d",
    verdict=Verdict.DEFINITION,
    cases=_spectral(),
    note="incoherence.md#coherence-of-an-eigenbasis",
)


@lemma.fast
def coherence(u: Any, values: Any) -> tuple[Outcome, ...]:
    """From the eigenvectors found, from those that made the matrix, and for the identity in that very basis."""
    a, d = (u * values) @ u.T, len(u)
    found = fast.largest_entry(linalg.eigenvectors(a)[1])
    return (
        Equal(found, fast.largest_entry(u)),
        AtMost(1.0, found),
        AtMost(found, float(d)),
        Equal(linalg.frobenius_norm(u @ u.T - np.eye(d)), 0.0, scale=1.0),
        Equal(fast.largest_entry(np.eye(d)), float(d)),
    )


@lemma.oracle
def exact_coherence(u: Any, values: Any) -> tuple[Outcome, ...]:
    """Squared entries of eigenvectors from eigenvalues alone: of ``A``, and of ``A`` without one row and column."""
    a, d = oracle.exact((u * values) @ u.T), len(u)
    exact = [mp.mpf(x) for x in values]
    largest = mp.mpf(0)
    for j in range(d):
        kept = [i for i in range(d) if i != j]
        minor = oracle.eigenvalues(mp.matrix([[a[x, y] for y in kept] for x in kept])) if kept else []
        for i in range(d):
            above = mp.fprod(exact[i] - x for x in minor)
            largest = max(largest, above / mp.fprod(exact[i] - x for x in exact if x != exact[i]))
    frame = oracle.exact(u)
    return (
        Equal(d * largest, d * max(abs(x) for x in frame) ** 2),
        AtMost(1, d * largest),
        AtMost(d * largest, mp.mpf(d)),
        Equal(oracle.frobenius_norm(frame * frame.T - mp.eye(d)), mp.mpf(0), scale=1),
        Equal(d * max(abs(x) for x in mp.eye(d)) ** 2, mp.mpf(d)),
    )


@lemma.tight
def hadamard_and_diagonal() -> list[Any]:
    h = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    return [(h, np.array([3.0, 1.0, 0.0, -2.0])), (np.eye(2), np.array([2.0, 1.0]))]
