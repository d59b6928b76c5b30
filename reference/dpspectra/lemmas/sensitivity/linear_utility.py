"""MWKTV-L6.1: replacing one row changes ``<M, H>`` by at most ``max(lambda_1(H), 0) - min(lambda_d(H), 0)``.

``M = X* X`` with rows of norm at most 1; ``H`` is fixed, Hermitian. The change is ``y* H y - x* H x``; each term lies
between ``min(lambda_d, 0)`` and ``max(lambda_1, 0)``. So it is ``lambda_1`` for PSD ``H``, but ``lambda_1 - lambda_d``
for indefinite ``H``; no bound holds without the one on the norms. The privacy proofs of the orbit mechanism
(``orbit_mechanism``, ``orbit_accounting``) rest on this entry: never lower `bound`, which both `tight` cases attain.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.relations import Relation
from dpspectra.strategies import dimensions, fields, matrix_neighbours, spectra, with_spectrum
from dpspectra.strategies.lazy import st

lemma = Statement(
    labels=("MWKTV-L6.1",),
    claim=r"|\langle M,H\rangle-\langle M',H\rangle|\le\max(\lambda_1(H),0)-\min(\lambda_d(H),0)",
    verdict=Verdict.VERIFIED,
    relation=(Relation.REPLACE, Relation.MATRIX_REPLACE),
    cases=lambda: st.tuples(dimensions(), fields()).flatmap(
        lambda p: st.tuples(matrix_neighbours(*p), spectra(p[0], signed=True).flatmap(lambda s: with_spectrum(s, p[1])))
    ),
    note="sensitivity.md#linear-utility",
)


def bound(spectrum: Any) -> Any:
    """Sensitivity of ``M -> <M, H>`` for a descending ``spectrum`` of ``H``, under replacement of one unit-ball row."""
    return max(spectrum[0], 0) - min(spectrum[-1], 0)


@lemma.fast
def change(pair: Any, h: Any) -> AtMost:
    m, other, *_ = pair
    return AtMost(
        abs(fast.inner(other - m, h)),
        bound(fast.eigenvalues(h)),
        scale=fast.frobenius_norm(m) * fast.frobenius_norm(h),
        part="change of the utility",
    )


@lemma.oracle
def exact_change(pair: Any, h: Any) -> AtMost:
    """The utility of a row ranges over the ball between its extreme stationary values: 0, and all eigenvalues."""
    _, _, x, y = pair
    x, y, h = oracle.exact(x), oracle.exact(y), oracle.exact(h)
    stationary = [mp.mpf(0), *oracle.eigenvalues(h)]
    return AtMost(
        abs(oracle.quadratic(h, x) - oracle.quadratic(h, y)),
        max(a - b for a, b in itertools.permutations(stationary, 2)),
        part="change of the utility",
    )


@lemma.tight
def top_against_bottom() -> list[Any]:
    zero, first, last = np.zeros(2), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    return [
        ((np.zeros((2, 2)), np.outer(first, first), zero, first), np.diag([3.0, 1.0])),
        ((np.outer(last, last), np.outer(first, first), last, first), np.diag([3.0, -2.0])),
    ]


@lemma.beyond
def a_longer_row() -> dict[str, AtMost]:
    zero, longer = np.zeros(2), np.array([2.0, 0.0])
    pair = np.zeros((2, 2)), np.outer(longer, longer), zero, longer
    return {"rows of norm at most 1": exact_change(pair, np.diag([3.0, 1.0]))}
