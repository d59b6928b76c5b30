"""Without noise the ``k``-th tangent falls like ``(sigma_{q+1} / sigma_k)^L``, for every ``q`` from ``k`` to the width.

Some ``k`` combinations of the columns have the coordinates of the target in the first ``k`` eigenvectors and 0 in the
next ``q - k``; their remaining coordinates fall at the stated rate. So the gap after ``k`` is not needed if the iterate
has more than ``k`` columns.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import st
from dpspectra.strategies.power import STEEP, WideStart, wide_starts

ALIGNED = 2.0**-40
"""Sine up to which a start counts as containing the target."""


def bound(tangent: Any, ratio: Any, rounds: int) -> Any:
    """Largest ``k``-th tangent after noiseless rounds; ``ratio = sigma_{q+1} / sigma_k``, ``tangent`` the ``q``-th."""
    return ratio**rounds * tangent


@statement
class Noiseless:
    labels = ("HP-J1.5a",)
    given = r"k\le q\le p"
    claim = {
        "tangent after noiseless rounds": (
            r"\tan\theta_k(U_k,A^LX_0)\le\big(\tfrac{\sigma_{q+1}}{\sigma_k}\big)^L\tan\theta_q(U_q,X_0)"
        ),
    }
    where = {
        "X_0": "start, with $`p`$ orthonormal columns",
        r"\theta_k": "last principal angle between the ranges of $`U_k`$ and of the iterate",
    }
    verdict = Verdict.NEW
    uses = ("HP-K2.2",)
    note = "power.md#noiseless-convergence-without-the-k-th-gap"
    without_beyond = (
        "Its hypothesis is a start with a tangent: otherwise the right side is infinite. With noise it "
        "is HP-J1.5, which is refuted."
    )
    digits = 30
    examples = 85

    def cases(self) -> Any:
        return st.tuples(wide_starts(), st.integers(0, 12))

    def fast(self, instance: Any, rounds: int) -> AtMost | tuple[()]:
        frame, values, k, q, basis, _ = instance
        start = orthonormal(basis)
        cosine, sine = power.angle(frame[:, :q], start)
        if cosine < STEEP:
            return ()
        x = power.iterates((frame * values) @ frame.T, basis, [np.zeros(basis.shape)] * rounds)[-1]
        ratio = abs(values[q] / values[k - 1])
        before = sine / cosine if sine > ALIGNED else 0.0
        after, limit = power.tangent(frame[:, :k], x), bound(before, ratio, rounds)
        return AtMost(after, limit, scale=1, part="tangent after noiseless rounds")

    def oracle(self, instance: Any, rounds: int) -> AtMost | tuple[()]:
        """The power of the matrix in one product, and one orthonormalization at the end."""
        frame, values, k, q, basis, _ = instance
        start, frame = exactly_orthonormal(exact.exact(basis)), exact.exact(frame)
        cosine, sine = oracle.angle(exact.columns(frame, range(q)), start)
        if cosine < STEEP:
            return ()
        powers = mp.diag([mp.mpf(v) ** rounds for v in values])
        x = exactly_orthonormal(frame * powers * frame.T * start)
        ratio = abs(mp.mpf(values[q]) / mp.mpf(values[k - 1]))
        before = sine / cosine if sine > ALIGNED else mp.mpf(0)
        after = oracle.tangent(exact.columns(frame, range(k)), x)
        return AtMost(after, ratio**rounds * before, scale=1, part="tangent after noiseless rounds")

    def tight(self) -> list[Any]:
        """``k = q``, 1 or 2: two nonzero eigenvalues, and a start halfway between their eigenvectors."""
        bases = ((k, np.kron([[1.0], [1.0], [0.0]], np.eye(k))) for k in (1, 2))
        return [(WideStart(np.eye(3 * k), np.repeat([1.0, -0.5, 0.0], k), k, k, basis, []), 3) for k, basis in bases]
