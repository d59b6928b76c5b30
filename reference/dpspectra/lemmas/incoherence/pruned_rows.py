"""Pruning whole rows of an orthonormal basis: as small a bias as pruning entries, at ``sqrt k`` times less noise.

Rows of norm above ``tau`` are zeroed, or shortened to ``tau``. The squared norms sum to ``k``, so at most ``k / tau^2``
rows are changed, and the measurement loses at most ``|U_S|_2 |A_S|_F <= sqrt(k) max_i |A_i| / tau``. A unit change of a
row of ``A`` then moves the measurement by at most ``tau``, against ``sqrt(k) alpha`` when entries above ``alpha`` are
pruned. Zeroing rows on both sides loses the rows of ``U U' A`` in ``S``, and half of ``|A_S|_F`` elsewhere.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.pruning import clip_rows, zero_rows
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Verdict, statement
from dpspectra.lemmas.incoherence.row_coherence import row_scaled
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import pruning as exact
from dpspectra.strategies import dyadics, st, unitaries


def bias(k: Any, row_norm: Any, tau: Any) -> Any:
    """Bound on the Frobenius norm that the measurement loses if rows, or entries, above ``tau`` are zeroed."""
    return np.sqrt(k) * row_norm / tau


@statement
class PrunedRows:
    labels = ("HR-L5.4R",)
    given = r"U^\top U=I,\ S=\{i:\|U_i\|>\tau\},\quad\tilde U_S=0\text{ or }\|\tilde U_i\|=\tau\text{ on }S"
    claim = {
        "number of long rows": r"|S|\,\tau^2\le k",
        "error from the long rows": r"\|U\tilde U^\top A-UU^\top A\|_F\le\|U_S\|_2\|A_S\|_F",
        "bound by the longest row": r"\|U_S\|_2\|A_S\|_F\le\tfrac{\sqrt k}\tau\max_i\|A_i\|",
        "remaining row norms": r"\|\tilde U_i\|\le\tau",
        "both sides": (
            r"\tilde U_S=0:\ \|\tilde U\tilde U^\top A-UU^\top A\|_F\le\sqrt{\tfrac14\|A_S\|_F^2+\|(UU^\top A)_S\|_F^2}"
        ),
    }
    where = {
        "U_i": "the rows of $`U`$",
        "U_S": "the rows of $`U`$ that are pruned",
        "A_S": "the same rows of $`A`$",
        r"\tilde U": "the pruned matrix",
        r"\tilde U_i": "the rows of the pruned matrix",
        r"\tilde U_S": "the rows at $`S`$ of the pruned matrix",
        r"(UU^\top A)_S": "the same rows of the projected matrix",
        "k": "number of columns of $`U`$",
    }
    verdict = Verdict.NEW
    uses = ("HR-F2.8", "HR-D5.1")
    note = "incoherence.md#pruning-rows"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A matrix, orthonormal columns, and a level: free, about the root of 1/2, at or beside a frequent row norm."""
        m = draw(st.integers(1, 6))
        u = draw(unitaries(m))[:, : draw(st.integers(1, m))]
        tau = draw(dyadics(2.0**-4, 1) | st.sampled_from([1.0, 0.5, 0.5 - 2.0**-40, 0.703125, 2.0**-30]))
        return draw(row_scaled(m, draw(st.integers(1, 3)))), u, tau

    def fast(self, a: Any, u: Any, tau: float) -> Parts:
        k, long = u.shape[1], np.linalg.norm(u, axis=1) > tau
        size, out = fast.frobenius_norm(a), fast.frobenius_norm(a[long])
        zeroed, clipped = zero_rows(u, tau), clip_rows(u, tau)
        steps = fast.spectral_norm(u * long[:, None]) * out, bias(k, np.max(np.linalg.norm(a, axis=1)), tau)
        both = fast.frobenius_norm(zeroed @ (zeroed.T @ a) - u @ (u.T @ a))
        yield AtMost(float(np.count_nonzero(long)) * tau**2, float(k), part="number of long rows")
        for p in (zeroed, clipped):
            lost = fast.frobenius_norm(u @ ((p - u).T @ a))
            yield AtMost(lost, steps[0], scale=size, part="error from the long rows")
        yield AtMost(*steps, part="bound by the longest row")
        for p in (zeroed, clipped):
            for norm in np.linalg.norm(p, axis=1):
                yield AtMost(norm, tau, part="remaining row norms")
        yield AtMost(both, np.hypot(out / 2, fast.frobenius_norm((u @ (u.T @ a))[long])), scale=size, part="both sides")

    def oracle(self, a: Matrix, u: Matrix, tau: Real) -> Parts:
        norms, k = exact.row_norms(u), u.cols
        long, size = [mp.mpf(norm > tau) for norm in norms], oracle.frobenius_norm(a)
        out = oracle.frobenius_norm(exact.scale_rows(a, long))
        zeroed, clipped = exact.zero_rows(u, tau), exact.clip_rows(u, tau)
        steps = oracle.spectral_norm(exact.scale_rows(u, long)) * out, mp.sqrt(k) * max(exact.row_norms(a)) / tau
        kept = u * (u.T * a)
        both, inside = oracle.frobenius_norm(zeroed * (zeroed.T * a) - kept), exact.scale_rows(kept, long)
        yield AtMost(mp.fsum(long) * tau**2, mp.mpf(k), part="number of long rows")
        for p in (zeroed, clipped):
            lost = oracle.frobenius_norm(u * (p.T * a) - kept)
            yield AtMost(lost, steps[0], scale=size, part="error from the long rows")
        yield AtMost(*steps, part="bound by the longest row")
        for p in (zeroed, clipped):
            for norm in exact.row_norms(p):
                yield AtMost(norm, tau, part="remaining row norms")
        yield AtMost(both, mp.hypot(out / 2, oracle.frobenius_norm(inside)), scale=size, part="both sides")

    def tight(self) -> list[Any]:
        """Two of ten rows above the level; all four; a level that no row exceeds; all eight rows of two columns."""
        h = np.array([[1.0], [1.0], [1.0], [1.0]]) / 2
        half = np.array([[0.5]] * 2 + [[0.25]] * 8)
        return [
            (np.ones((10, 1)), half, 0.375),
            (np.array([[1.0], [1.0], [-1.0], [-1.0]]), h, 0.5 - 2.0**-40),
            (np.eye(2), np.eye(2), 1.0),
            (np.ones((8, 1)), np.kron(np.eye(2), h), 0.5 - 2.0**-40),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Five copies of a flat unit column, all rows just above the level and zeroed; every row of ``A`` is 1.

        ``U U' A`` is five times as long as ``A`` then, and all of it is lost.
        """
        lost, allowed = mp.mpf(10), mp.sqrt(5) / mp.sqrt(mp.mpf(5) / 4)
        return {"the columns are orthonormal": AtMost(lost, allowed, part="bound by the longest row")}
