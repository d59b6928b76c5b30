"""DPS-THRESHOLD: the lower the threshold at which rows are clipped, the more signal there is for a unit of noise.

Noise for rows of norm at most ``t`` is in proportion to ``t**2``; so what counts is the sum of ``c(x) c(x)'`` over
clipped rows, divided by ``t**2``: ``M_t``, the sum of ``x x' min(t**-2, |x|**-2)``. Each weight decreases in ``t``, so
``M_t`` does in the Loewner order, and with it every eigenvalue, the sum ``S_k`` of the ``k`` largest ones, and
``<u, M_t u>`` for every ``u``. As ``t`` goes to 0 it becomes, from the smallest norm on, the sum over rows of unit
length. Not divided, the sum increases. Where longer rows are dropped, there may be nothing left of the signal.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, rectangular, st


@statement
class ClippingThreshold:
    labels = ("DPS-THRESHOLD",)
    given = (
        r"M_t=\sum_i\min(t^{-2},\|x_i\|^{-2})\,x_ix_i^\top,\ M_{0+}=\sum_i\|x_i\|^{-2}x_ix_i^\top,\ "
        r"x_i\ne0,\ 0<t\le t',\ S_k=\lambda_1+\dots+\lambda_k"
    )
    claim = {
        "a lower threshold": r"S_k(M_{t'})\le S_k(M_t)",
        "rows of unit length": r"S_k(M_t)\le S_k(M_{0+})",
        "not divided": r"S_k(t^2M_t)\le S_k(t'^2M_{t'})",
    }
    where = {
        "x_i": "the rows of the data",
        "t": "threshold at which rows are clipped",
        "t'": "another threshold, not below $`t`$",
        "M_i": "second moments of the clipped rows, in units of the squared threshold",
        "M_{0+}": "second moments of the rows at unit length",
        "S_k": "sum of the $`k`$ largest eigenvalues",
        r"\lambda_i": "the eigenvalues, in descending order",
        "k": "number of directions",
    }
    verdict = Verdict.NEW
    note = "sensitivity.md#the-threshold-of-clipping"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, float]:
        """Rows ``(n, d)``, none of them zero, and two thresholds, the lower one first."""
        d = draw(dimensions(1, 6))
        rows = draw(rectangular(draw(st.integers(1, 4)), d))
        rows[~np.any(rows, axis=1), 0] = 1.0
        low, high = sorted((draw(dyadics(2.0**-6, 16)), draw(dyadics(2.0**-6, 16))))
        return rows, low, high

    def fast(self, rows: Any, low: float, high: float) -> Parts:
        squares = np.sum(rows**2, axis=1)
        weights = np.minimum(low**-2, 1 / squares), np.minimum(high**-2, 1 / squares), 1 / squares
        sums = (np.cumsum(fast.eigenvalues((rows.T * w) @ rows)) for w in weights)
        for lower, higher, limit in zip(*sums, strict=True):
            yield AtMost(higher, lower, scale=len(rows), part="a lower threshold")
            yield AtMost(lower, limit, scale=len(rows), part="rows of unit length")
            yield AtMost(lower * low**2, higher * high**2, scale=np.sum(squares), part="not divided")

    def oracle(self, rows: Matrix, low: Real, high: Real) -> Parts:
        """Rows are shortened one by one, and divided by the threshold where that is asked for."""
        lengths = [mp.norm(rows[i, :]) for i in range(rows.rows)]

        def largest(factor: Any) -> Any:
            scaled = mp.matrix([[v * factor(a) for v in rows[i, :]] for i, a in enumerate(lengths)])
            return list(itertools.accumulate(oracle.eigenvalues(oracle.gram(scaled))))

        clipped = [largest(f) for f in (lambda a: min(low / a, 1), lambda a: min(high / a, 1))]
        factors = lambda a: min(low / a, 1) / low, lambda a: min(high / a, 1) / high, lambda a: 1 / a
        divided = [largest(f) for f in factors]
        n, size = len(lengths), mp.fsum(a * a for a in lengths)
        for lower, higher, limit, low_clipped, high_clipped in zip(*divided, *clipped, strict=True):
            yield AtMost(higher, lower, scale=n, part="a lower threshold")
            yield AtMost(lower, limit, scale=n, part="rows of unit length")
            yield AtMost(low_clipped, high_clipped, scale=size, part="not divided")

    def tight(self) -> list[Any]:
        """Rows longer than both thresholds, and shorter ones."""
        rows = np.diag([3.0, 4.0])
        return [(rows, 1.0, 2.0), (rows, 8.0, 16.0), (rows, 1.0, 1.0), (rows, 8.0, 8.0)]

    def beyond(self) -> dict[str, AtMost]:
        """A row of norm 2 at the thresholds 2 and 1."""
        row = mp.mpf(2)
        dropped, kept = mp.mpf(0), row**2 / 2**2
        clipped = [min(row, t) ** 2 for t in (2, 1)]
        return {
            "long rows are clipped, not dropped": AtMost(kept, dropped, part="a lower threshold"),
            "the noise is in proportion to the squared threshold": AtMost(*clipped, part="a lower threshold"),
        }
