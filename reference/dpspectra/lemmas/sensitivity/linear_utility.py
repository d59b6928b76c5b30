"""MWKTV-L6.1: replacing one row changes ``<M, H>`` by at most ``max(lambda_1(H), 0) - min(lambda_d(H), 0)``.

The two rows ``x`` and ``y`` have norms at most 1; ``M``, the other rows in it, may be any matrix. ``H`` is fixed,
Hermitian. The change is ``y* H y - x* H x``; each term lies between ``min(lambda_d, 0)`` and ``max(lambda_1, 0)``. So
it is ``lambda_1`` for PSD ``H``, but ``lambda_1 - lambda_d`` for indefinite ``H``; no bound holds without the one on
the norms. The privacy proofs of the orbit mechanism (``orbit_mechanism``, ``orbit_accounting``) rest on this entry:
never lower `bound`, which both `tight` cases attain.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Matrix, Parts, Relation, Verdict, all_parts, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, matrix_neighbours, spectra, st, with_spectrum


def bound(spectrum: Any) -> Any:
    """Sensitivity of ``M -> <M, H>`` for a descending ``spectrum`` of ``H``, under replacement of one unit-ball row."""
    return max(spectrum[0], 0) - min(spectrum[-1], 0)


def _rows(x: list[float], y: list[float]) -> tuple[Any, Any, Any, Any]:
    """Neighbours with one row each."""
    return np.outer(x, x), np.outer(y, y), np.array(x), np.array(y)


@statement
class LinearUtility:
    labels = ("MWKTV-L6.1",)
    claim = {
        "change of the utility": r"|\langle M',H\rangle-\langle M,H\rangle|\le\max(\lambda_1(H),0)-\min(\lambda_d(H),0)"
    }
    printed = (
        r"$`|\langle A,H\rangle-\langle A',H\rangle|\le\lambda_1`$ for neighbours $`A,A'`$ and $`H\in\mathcal "
        r"O_\Lambda`$."
    )
    where = {
        "M": "second-moment matrix of the data",
        "M'": "the same with one row of norm at most 1 replaced by another one",
        "H": "any Hermitian matrix",
        r"\lambda_1": "largest eigenvalue",
        r"\lambda_d": "smallest eigenvalue",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.MATRIX_REPLACE)
    note = "sensitivity.md#linear-utility"

    def cases(self) -> Any:
        return st.tuples(dimensions(), fields()).flatmap(
            lambda p: st.tuples(
                matrix_neighbours(*p), spectra(p[0], signed=True).flatmap(lambda s: with_spectrum(s, p[1]))
            )
        )

    def fast(self, pair: Any, h: Any) -> Parts:
        m, other, *_ = pair
        scale, change = fast.frobenius_norm(m) * fast.frobenius_norm(h), abs(fast.inner(other - m, h))
        yield AtMost(change, bound(fast.eigenvalues(h)), scale=scale, part="change of the utility")

    def oracle(self, pair: tuple[Any, Any, Column, Column], h: Matrix) -> Parts:
        """The utility of a row ranges over the ball between its extreme stationary values: 0, and all eigenvalues."""
        _, _, x, y = pair
        stationary = [mp.mpf(0), *oracle.eigenvalues(h)]
        largest = max(a - b for a, b in itertools.permutations(stationary, 2))
        yield AtMost(abs(oracle.quadratic(h, x) - oracle.quadratic(h, y)), largest, part="change of the utility")

    def tight(self) -> list[Any]:
        return [(_rows([0, 0], [1, 0]), np.diag([3.0, 1.0])), (_rows([0, 1], [1, 0]), np.diag([3.0, -2.0]))]

    def beyond(self) -> dict[str, AtMost]:
        return {"both rows of norm at most 1": all_parts(self.oracle(_rows([0, 0], [2, 0]), np.diag([3.0, 1.0])))[0]}
