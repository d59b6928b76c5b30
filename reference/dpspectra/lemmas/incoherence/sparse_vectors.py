"""``|u' A| <= |u|_1 max_i |A_i|``: ``u' A`` is short if ``u`` is sparse, or has large entries only, and rows are short.

With ``s`` nonzero entries, ``|u|_1 <= sqrt s |u|``: the bound ``sqrt(s C / m) |A|_F`` for unit vectors. At most
``1 / alpha^2`` entries of a unit vector exceed ``alpha`` in absolute value, and their l1 norm is at most ``1 / alpha``,
since each is smaller than its square over ``alpha``. Absolute values matter: removing only the positive entries above
``alpha`` leaves entries as large as 1 in absolute value.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.leverages import row_coherence
from dpspectra.fast.linalg import frobenius_norm
from dpspectra.fast.pruning import zero_entries
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Verdict, statement
from dpspectra.lemmas.incoherence.row_coherence import row_scaled
from dpspectra.oracle import leverages as exact_leverages
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.pruning import zero_entries as exactly_zero_entries
from dpspectra.strategies import dyadics, rectangular, st, unitaries


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """A matrix and a vector: integers with zeros, or a unit vector."""
    m = draw(st.integers(1, 6))
    u = draw(rectangular(1, m, entries=4))[0] if draw(st.booleans()) else draw(unitaries(m))[:, 0]
    return draw(row_scaled(m, draw(st.integers(1, 4)))), u


@statement
class SparseVectorsSparse:
    labels = ("HR-L5.2",)
    given = r"s=\|u\|_0,\ C=C(A)"
    claim = {
        "bound by the l1 norm": r"\|u^\top A\|\le\|u\|_1\max_i\|A_i\|",
        "bound by the coherence": r"\|u\|_1\max_i\|A_i\|\le\sqrt{sC/m}\;\|u\|\,\|A\|_F",
    }
    printed = (
        r"For an $`s`$-sparse unit vector $`u`$ and a $`C`$-coherent $`A`$: $`\lVert u^\top "
        r"A\rVert_2\le\sqrt{\frac{sC}m}\lVert A\rVert_F`$."
    )
    where = {
        "u": "vector of $`m`$ numbers",
        "s": "number of entries of $`u`$ that are not 0",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.1",)
    note = "incoherence.md#sparse-vectors"
    cases = staticmethod(_instances)

    def fast(self, a: Any, u: Any) -> Parts:
        largest, norm, s = np.max(np.linalg.norm(a, axis=1)), np.linalg.norm(u), np.count_nonzero(u)
        weighted = np.sum(np.abs(u)) * largest
        stated = np.sqrt(s * row_coherence(a) / len(a)) * norm * frobenius_norm(a)
        yield AtMost(np.linalg.norm(u @ a), weighted, part="bound by the l1 norm")
        yield AtMost(weighted, stated, part="bound by the coherence")

    def oracle(self, a: Matrix, u: Matrix) -> Parts:
        largest = max(oracle.frobenius_norm(a[i, :]) for i in range(a.rows))
        weighted, s = mp.fsum(abs(x) for x in u) * largest, sum(x != 0 for x in u)
        share = mp.sqrt(s * exact_leverages.row_coherence(a) / a.rows)
        stated = share * oracle.frobenius_norm(u) * oracle.frobenius_norm(a)
        yield AtMost(oracle.frobenius_norm(u.T * a), weighted, part="bound by the l1 norm")
        yield AtMost(weighted, stated, part="bound by the coherence")

    def tight(self) -> list[Any]:
        """Six equal rows, three of which are added up."""
        return [(np.ones((6, 2)), np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]))]

    def beyond(self) -> dict[str, AtMost]:
        """``s = 1`` for two entries 1, both rows 1; an axis and the only row that is not zero, with ``C = 1``."""
        part, half = "bound by the coherence", mp.sqrt(mp.mpf(1) / 2)
        return {
            "at most s entries are not 0": AtMost(mp.mpf(2), half * mp.sqrt(2) * mp.sqrt(2), part=part),
            "A is C-coherent": AtMost(mp.mpf(1), half, part=part),
        }


@statement
class SparseVectorsPruned:
    labels = ("HR-L5.3",)
    given = r"\tilde u_i=u_i\mathbf 1[|u_i|\le\alpha],\ C=C(A)"
    claim = {
        "norm of the removed part": r"\|(u-\tilde u)^\top A\|\le\tfrac1\alpha\|u\|^2\max_i\|A_i\|",
        "bound by the coherence": r"\tfrac1\alpha\|u\|^2\max_i\|A_i\|\le\sqrt{\tfrac C{\alpha^2m}}\,\|u\|^2\|A\|_F",
        "number of removed entries": r"\|u-\tilde u\|_0\le\|u\|^2/\alpha^2",
    }
    printed = (
        r"If the coordinates of a unit vector $`u`$ that are greater than $`\alpha`$ are set to 0, then "
        r"$`\lVert\tilde u^\top A-u^\top A\rVert_2\le\sqrt{\frac C{\alpha^2m}}\lVert A\rVert_F`$."
    )
    where = {
        "u": "vector of $`m`$ numbers",
        "u_i": "the entries of $`u`$",
        r"\tilde u_i": "the same with entries above the level set to 0",
        r"\tilde u": "the vector with the entries above the level set to 0",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.1", "HR-L5.2")
    note = "incoherence.md#pruning-a-vector"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A matrix, a vector and a level: free, at the absolute value of an entry, or just beside one."""
        a, u = draw(_instances())
        beside = [abs(x) * factor for x in u if x for factor in (1.0, 1 - 2.0**-40, 1 + 2.0**-40)]
        return a, u, draw(dyadics(2.0**-6, 4) | st.sampled_from([1.0, 2.0**-30, *beside]))

    def fast(self, a: Any, u: Any, alpha: float) -> Parts:
        gone = u - zero_entries(u, alpha)
        largest, square = np.max(np.linalg.norm(a, axis=1)), np.sum(u**2)
        limit = largest / alpha * square
        stated = np.sqrt(row_coherence(a) / len(a)) / alpha * square * frobenius_norm(a)
        yield AtMost(np.linalg.norm(gone @ a), limit, part="norm of the removed part")
        yield AtMost(limit, stated, part="bound by the coherence")
        yield AtMost(float(np.count_nonzero(gone)), square / alpha**2, part="number of removed entries")

    def oracle(self, a: Matrix, u: Matrix, alpha: Real) -> Parts:
        gone = u - exactly_zero_entries(u, alpha)
        square = oracle.inner(u, u)
        limit = square * max(oracle.frobenius_norm(a[i, :]) for i in range(a.rows)) / alpha
        share = mp.sqrt(exact_leverages.row_coherence(a) / (alpha**2 * a.rows))
        yield AtMost(oracle.frobenius_norm(gone.T * a), limit, part="norm of the removed part")
        yield AtMost(limit, share * square * oracle.frobenius_norm(a), part="bound by the coherence")
        yield AtMost(mp.mpf(sum(x != 0 for x in gone)), square / alpha**2, part="number of removed entries")

    def tight(self) -> list[Any]:
        """All entries 1/2, the level just below."""
        return [(np.ones((4, n)), np.full(4, 0.5), 0.5 * (1 - 2.0**-40)) for n in (1, 2)]

    def beyond(self) -> dict[str, AtMost]:
        """Four entries 1/2 removed at the level 1; the axis of the only row of ``A``, for which ``C = 1`` is stated."""
        level = mp.mpf(3) / 4
        return {
            "only entries above the level are removed": AtMost(mp.mpf(4), mp.mpf(1), part="number of removed entries"),
            "A is C-coherent": AtMost(1 / level, mp.sqrt(1 / (2 * level**2)), part="bound by the coherence"),
        }
