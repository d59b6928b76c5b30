"""Coherence of a symmetric matrix: ``mu(A) = d max_ij U_ij^2`` over its ``d`` orthonormal eigenvectors.

It is 1 if all entries of the eigenvectors have the same absolute value (Hadamard) and ``d`` if a coordinate axis is an
eigenvector (diagonal ``A``). All ``d`` eigenvectors count, those of eigenvalue 0 too. With a repeated eigenvalue the
eigenbasis is not unique and neither is the value: for ``A = I`` it ranges from 1 to ``d``. Then the smallest value over
eigenbases is meant; the statements that use it hold for every eigenbasis.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.linalg import hadamard

from dpspectra.fast import leverages as fast
from dpspectra.fast import linalg
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import st, unitaries


@statement
class EigenbasisCoherence:
    labels = ("HP-D4.8",)
    given = r"A=U\Lambda U^\top"
    claim = {
        "coherence from eigenvectors": r"\mu(A)=d\,\|U\|_{\max}^2",
        "coherence at least one": r"1\le\mu(A)",
        "coherence at most the dimension": r"\mu(A)\le d",
        "eigenbasis of the identity": r"U\,I\,U^\top=I",
        "coherence of coordinate axes": r"d\,\|I\|_{\max}^2=d",
    }
    printed = r"Not at hand; read as: $`\mu(A)=d\lVert U\rVert_\infty^2`$ for all $`d`$ eigenvectors $`U`$ of $`A`$."
    where = {
        r"\mu(": (r"\mu(A)", "coherence of $`A`$: $`d`$ times the largest square of an entry of an eigenvector"),
        "A": "real symmetric matrix of order $`d`$",
        "U": "orthogonal matrix of all eigenvectors of $`A`$",
        r"\Lambda": "diagonal matrix of the eigenvalues of $`A`$, which are distinct",
    }
    verdict = Verdict.DEFINITION
    exact = ("eigenbasis of the identity", "coherence of coordinate axes")
    note = "incoherence.md#coherence-of-an-eigenbasis"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        """An orthogonal matrix and distinct integers as eigenvalues, of both signs, sometimes zero."""
        d = draw(st.integers(1, 6))
        values = draw(st.lists(st.integers(-12, 12), min_size=d, max_size=d, unique=True))
        return draw(unitaries(d)), np.sort(np.array(values, dtype=float))[::-1]

    def fast(self, u: Any, values: Any) -> Parts:
        """Computed eigenvectors against those that made the matrix; they are also an eigenbasis of the identity."""
        a, d = (u * values) @ u.T, len(u)
        value = fast.largest_entry(linalg.eigenvectors(a)[1])
        yield Equal(value, fast.largest_entry(u), part="coherence from eigenvectors")
        yield AtMost(1.0, value, part="coherence at least one")
        yield AtMost(value, float(d), part="coherence at most the dimension")
        yield Equal(linalg.frobenius_norm(u @ u.T - np.eye(d)), 0.0, scale=1.0, part="eigenbasis of the identity")
        yield Equal(fast.largest_entry(np.eye(d)), float(d), part="coherence of coordinate axes")

    def oracle(self, u: Any, values: Any) -> Parts:
        """Squared entries of eigenvectors from the eigenvalues of ``A`` and of its minors of order ``d - 1``."""
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
        yield Equal(d * largest, d * max(abs(x) for x in frame) ** 2, part="coherence from eigenvectors")
        yield AtMost(1, d * largest, part="coherence at least one")
        yield AtMost(d * largest, mp.mpf(d), part="coherence at most the dimension")
        zero = oracle.frobenius_norm(frame * frame.T - mp.eye(d))
        yield Equal(zero, mp.mpf(0), scale=1, part="eigenbasis of the identity")
        yield Equal(d * max(abs(x) for x in mp.eye(d)) ** 2, mp.mpf(d), part="coherence of coordinate axes")

    def tight(self) -> list[Any]:
        """A flat eigenbasis of four dimensions, and axes."""
        return [(hadamard(4) / 2, np.array([3.0, 1.0, 0.0, -2.0])), (np.eye(2), np.array([2.0, 1.0]))]

    def beyond(self) -> dict[str, Outcome]:
        """The two eigenbases of the plane's identity that are flattest and steepest; axes of length 2."""
        flat, axes = mp.matrix([[1, 1], [1, -1]]) / mp.sqrt(2), mp.eye(2)
        flattest, steepest, long = (2 * max(abs(x) for x in frame) ** 2 for frame in (flat, axes, 2 * axes))
        return {
            "the eigenvalues are distinct": Equal(flattest, steepest, part="coherence from eigenvectors"),
            "the eigenvectors have length 1": AtMost(long, mp.mpf(2), part="coherence at most the dimension"),
        }
