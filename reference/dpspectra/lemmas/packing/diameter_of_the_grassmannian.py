"""Projectors of rank ``k`` are at most ``sqrt(2 min(k, d - k))`` apart in Frobenius norm, and some are as far.

The trace of a product of two of them is not negative, and at least ``2 k - d``. The paper uses that the diameter is at
least ``min(sqrt(k), sqrt(d - k))``, which is smaller by ``sqrt(2)``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, st, unitaries


@statement
class DiameterOfTheGrassmannian:
    labels = ("MWKTV-R8.1",)
    given = r"P,Q\text{ projectors of rank }k\text{ in }d\text{ dimensions},\ D\text{ their largest distance}"
    claim = {
        "squared distance": r"\|P-Q\|_F^2\le2\min(k,d-k)",
        "size of the diameter": r"\min(\sqrt k,\sqrt{d-k})\le D",
    }
    printed = r"The diameter of the Grassmannian in Frobenius norm is at least $`\min(\sqrt k,\sqrt{d-k})`$."
    where = {"P, Q": "orthogonal projectors", "k": "their rank", "D": "diameter in Frobenius norm"}
    verdict = Verdict.VERIFIED
    note = "packing.md#diameter-of-the-grassmannian"
    slack = {"size of the diameter": Slack(0.707107, "the diameter is larger by the root of 2")}
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, int]:
        """Two frames and a rank."""
        d, field = draw(dimensions(2)), draw(fields())
        return draw(unitaries(d, field)), draw(unitaries(d, field)), draw(st.integers(1, d - 1))

    def fast(self, u: Any, v: Any, k: int) -> Parts:
        p, q = (frame[:, :k] @ fast.adjoint(frame[:, :k]) for frame in (u, v))
        first, last = (np.diag(row) for row in (np.arange(len(u)) < k, np.arange(len(u))[::-1] < k))
        least = min(k, len(u) - k)
        yield AtMost(fast.frobenius_norm(p - q) ** 2, 2.0 * least, scale=1, part="squared distance")
        widest = fast.frobenius_norm(first.astype(float) - last)
        yield AtMost(np.sqrt(least), float(widest), part="size of the diameter")

    def oracle(self, u: Any, v: Any, k: int) -> Parts:
        """Take the distance from the trace of the product, and the diameter from a count of axes."""
        p, q = (oracle.columns(oracle.exact(frame), range(k)) for frame in (u, v))
        d, across = len(u), p.H * q
        yield AtMost(
            2 * (k - oracle.inner(across, across)), mp.mpf(2 * min(k, d - k)), scale=1, part="squared distance"
        )
        moved = sum((x < k) != (d - 1 - x < k) for x in range(d))
        yield AtMost(mp.sqrt(min(k, d - k)), mp.sqrt(moved), part="size of the diameter")

    def tight(self) -> list[Any]:
        """Axes in reverse order: ranks 1 and 2 of four."""
        return [(np.eye(4), np.eye(4)[::-1], k) for k in (1, 2)]

    def beyond(self) -> dict[str, AtMost]:
        """All of the plane against nothing of it."""
        return {"equal ranks": AtMost(mp.mpf(2), mp.mpf(0), part="squared distance")}
