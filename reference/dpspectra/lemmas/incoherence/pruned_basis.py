"""Pruning a basis that multiplies the measurement is harmless: ``U (U~' A)`` loses ``sqrt k max_i |A_i| / alpha``.

``U~`` is ``U`` with its entries above ``alpha`` in absolute value set to 0. Column by column the measurement loses at
most ``1/alpha`` times the longest row of ``A``. Multiplying by a ``U`` with orthonormal columns does not change the
norm of the loss; columns of norm 1 that are not orthogonal cost a factor ``|U|_2``, without which columns at any fixed
angle below 90 degrees refute the bound, and no constant helps. That pruning on both sides, ``U~ U~' A``, can lose
nearly all of ``A`` is the matter of the algorithm (HR-Fig4), not of this lemma.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.pruning import zero_entries
from dpspectra.ledger import AtMost, Matrix, Real, Verdict, statement
from dpspectra.lemmas.incoherence.pruned_rows import bias
from dpspectra.lemmas.incoherence.row_coherence import row_scaled
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.pruning import zero_entries as exactly_zero_entries
from dpspectra.strategies import dyadics, st, unitaries


@statement
class PrunedBasis:
    labels = ("HR-L5.4",)
    given = r"\|U_j\|=1,\ \|U\|_2=1\text{ if orthonormal},\quad\max_i\|A_i\|=\sqrt{C/m}\,\|A\|_F"
    claim = {
        "error of one-sided pruning": r"\|U\tilde U^\top A-UU^\top A\|_F\le\|U\|_2\tfrac{\sqrt k}\alpha\max_i\|A_i\|",
    }
    printed = (
        r"Not at hand; read as: $`\lVert U\tilde U^\top A-UU^\top "
        r"A\rVert_F\le\sqrt{\frac{kC}{\alpha^2m}}\lVert A\rVert_F`$ for columns of unit length."
    )
    where = {
        "U": "public matrix of $`k`$ columns of norm 1",
        "U_i": "the columns of $`U`$",
        r"\tilde U": "the same with entries above the level set to 0",
        "k": "number of columns of $`U`$",
    }
    verdict = Verdict.REPAIRED
    uses = ("HR-L5.3", "HR-F2.8")
    note = "incoherence.md#pruning-a-basis"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A matrix, columns that are orthonormal or (one repeated) only of norm 1, and a level."""
        m = draw(st.integers(1, 6))
        u = draw(unitaries(m))[:, : draw(st.integers(1, m))]
        if draw(st.integers(0, 4)) == 0:
            u = np.hstack([u, u[:, :1]])
        alpha = draw(dyadics(2.0**-4, 1) | st.sampled_from([0.5, 0.5 - 2.0**-40, 0.25, 2.0**-30]))
        return draw(row_scaled(m, draw(st.integers(1, 3)))), u, alpha

    def fast(self, a: Any, u: Any, alpha: float) -> AtMost:
        lost = u @ ((zero_entries(u, alpha) - u).T @ a)
        limit = bias(u.shape[1], np.max(np.linalg.norm(a, axis=1)), alpha)
        return AtMost(fast.frobenius_norm(lost), fast.spectral_norm(u) * limit, part="error of one-sided pruning")

    def oracle(self, a: Matrix, u: Matrix, alpha: Real) -> AtMost:
        lost = u * (exactly_zero_entries(u, alpha).T * a) - u * (u.T * a)
        longest = max(oracle.frobenius_norm(a[i, :]) for i in range(a.rows))
        limit = oracle.spectral_norm(u) * mp.sqrt(u.cols) * longest / alpha
        return AtMost(oracle.frobenius_norm(lost), limit, part="error of one-sided pruning")

    def tight(self) -> list[Any]:
        """Hadamard columns just above the level with all rows of ``A`` equal; and one column twice."""
        h = np.array([[1, 1], [1, 1], [1, 1], [1, 1]]) / 2
        return [(np.ones((4, 1)), h[:, :1], 0.5 - 2.0**-40), (np.ones((4, 1)), h, 0.5 - 2.0**-40)]

    def beyond(self) -> dict[str, AtMost]:
        """One entry 2 against the level 1: the loss has both its column and the multiplier of length 2."""
        return {"the columns have length 1": self.oracle(np.ones((1, 1)), np.full((1, 1), 2.0), 1.0)}

    def as_printed(self, k: int, constant: int) -> AtMost:
        """``k`` Hadamard columns below ``3 k`` ones, over ``2 sqrt(k)``, at angles of 41 degrees; ``A`` is 1 there.

        The level is just below all entries, so the whole measurement is lost: ``U`` times ``k`` equal numbers.
        """
        measured = 3 * k / mp.sqrt(4 * k)
        total = mp.sqrt(k + k * (k - 1) * mp.mpf(3) / 4)  # of the columns, all pairs of which have the product 3/4
        alpha = mp.mpf(49) / 50 / mp.sqrt(4 * k)
        return AtMost(measured * total, constant * mp.sqrt(k) / alpha, part="printed form")

    def hypotheses(self, k: Any, constant: Any) -> dict[str, AtMost]:
        return {"there is a column": AtMost(1, k), "the constant is positive": AtMost(0, constant)}

    def counterexample(self) -> Any:
        return (4096, 20)

    certificate = (
        "4096 Hadamard columns below 12288 ones, over 128: unit columns with all products 3/4; A is 1 on the ones, the "
        "level 49/50 of an entry: all is pruned, and U U'A has norm 3072 sqrt(12289); the bound without |U|_2 is"
        " 64 / alpha, here times 20",
        ["mul", "3072", ["sqrt", "12289"]],
        ["div", "163840", "49/50"],
    )
