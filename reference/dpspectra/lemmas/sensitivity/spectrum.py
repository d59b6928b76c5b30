"""MWKTV-E20: the spectrum of ``M = X* X``, rows in the unit ball, has l1 sensitivity 2 (replace) or 1 (add, remove).

Replacing row ``x`` by ``y`` moves it by at most ``|x|^2 + |y|^2``: removing ``x x*`` lowers every eigenvalue and the
trace by ``|x|^2``, so that step costs exactly ``|x|^2``; likewise adding ``y y*``. `SENSITIVITY` sets the Laplace scale
of the noisy spectrum (``lemmas.privacy.spectrum_release``, `dpspectra.mechanisms`): too small a value breaks privacy.
"""

from typing import Any

import numpy as np

from dpspectra.fast import linalg as fast
from dpspectra.formulas.spectrum_sensitivity import SENSITIVITY
from dpspectra.ledger import AtMost, Column, Matrix, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, matrix_neighbours, st


@statement
class Spectrum:
    labels = ("MWKTV-E20",)
    given = r"M'=M-xx^*+yy^*,\ \|x\|^2+\|y\|^2\le2"
    claim = {"change of the spectrum": r"\|\lambda(M)-\lambda(M')\|_1\le\|x\|^2+\|y\|^2"}
    printed = (
        r"$`\lVert\lambda(M)-\lambda(M')\rVert_1\le\lVert\lambda(M)-\lambda(A)\rVert_1+\lVert\lambda(M')-"
        r"\lambda(A)\rVert_1\le2`$."
    )
    where = {
        r"\lambda(": (r"\lambda(M)", "eigenvalues of the matrix, in descending order"),
        "M": "second-moment matrix of the data",
        "M'": "the same with row $`x`$ replaced by $`y`$",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-L7.2",)
    note = "sensitivity.md#spectrum-in-l1"

    def cases(self) -> Any:
        return st.tuples(dimensions(), fields()).flatmap(lambda p: st.tuples(matrix_neighbours(*p)))

    def fast(self, pair: Any) -> AtMost:
        m, other, x, y = pair
        moved = np.sum(np.abs(fast.eigenvalues(m) - fast.eigenvalues(other)))
        most = np.sum(np.abs(x) ** 2) + np.sum(np.abs(y) ** 2)
        return AtMost(moved, most, scale=fast.nuclear_norm(m), part="change of the spectrum")

    def oracle(self, pair: tuple[Matrix, Matrix, Column, Column]) -> AtMost:
        m, other, x, y = pair
        moved = sum(abs(a - b) for a, b in zip(oracle.eigenvalues(m), oracle.eigenvalues(other), strict=True))
        most = oracle.inner(x, x) + oracle.inner(y, y)
        return AtMost(moved, most, scale=1 + oracle.inner(m, m), part="change of the spectrum")

    def tight(self) -> list[Any]:
        x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
        return [((np.diag([3.0, 1.0]), np.diag([4.0, 0.0]), x, y),)]

    def beyond(self) -> dict[str, AtMost]:
        longer = np.array([2.0, 0.0])
        moved = self.oracle((np.zeros((2, 2)), np.outer(longer, longer), np.zeros(2), longer)).left
        return {"rows of norm at most 1": AtMost(moved, SENSITIVITY["replace"], part="change of the spectrum")}
