"""Sensitivity of one step ``X -> A X`` of the power method, for orthonormal ``X`` and five neighbour relations.

In Frobenius norm, if one entry changes by at most 1: the largest row norm of ``X``. A symmetric pair of entries,
``c (e_i e_j' + e_j e_i')`` with ``|c| <= 1`` and ``i != j``, or one diagonal entry: the norm of the two largest rows
together. A change of spectral norm at most 1: ``sqrt p``; a unit rank-one term: 1; spectral norm at most 1 and rank at
most ``q``: ``sqrt min(p, q)``. In l1 the l1 norms of rows replace their norms, and the spectral and rank-one values are
``p sqrt d`` and ``sqrt(d p)``. Read literally with ``i = j`` the pair would be ``2 c e_i e_i'``, and the step could
change by twice the largest row norm, more than the pair's constant.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Statement, Verdict

lemma = Statement(
    labels=("HP-SENS",),
    claim=r"\max\|(A'-A)X\|_F=\sqrt{x_{(1)}}\text{ (entry)},\ \sqrt{x_{(1)}+x_{(2)}}\text{ (pair)},\ \sqrt p"
    r"\text{ (spectral)},\ 1\text{ (rank one)},\ \sqrt{\min(p,q)}\text{ (rank }q),\quad x_{(1)}\ge x_{(2)}\ge\dots"
    r"\text{ the squared row norms}",
    verdict=Verdict.NEW,
    relation=(Relation.ENTRY, Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE),
    uses=("HP-D4.1", "HP-D4.4"),
    exact=(
        "entry change in l2",
        "entry change in l1",
        "pair change in l2",
        "pair change in l1",
        "spectral maximum in l2",
        "rank-one maximum in l2",
        "low-rank maximum in l2",
    ),
    note="sensitivity.md#a-step-of-the-power-method",
    examples=60,
)


def entrywise(row_sizes: Any, relation: str) -> Any:
    """Sensitivity under ``"entry"`` or ``"pair"`` from the sizes of the rows of ``X``.

    Squared norms as sizes give the square of the l2 sensitivity, l1 norms the l1 sensitivity.
    """
    return sum(sorted(row_sizes)[-{"entry": 1, "pair": 2}[relation] :])


def l2(x: Any, relation: str) -> float:
    """l2 sensitivity of ``A -> A X`` for orthonormal ``x`` ``(d, p)``: entry, pair, spectral or rank_one."""
    if relation in ("entry", "pair"):
        return float(np.sqrt(entrywise(np.sum(x**2, axis=1), relation)))
    return float(np.sqrt({"spectral": x.shape[1], "rank_one": 1}[relation]))


def l1(x: Any, relation: str) -> float:
    """l1 sensitivity: exact under entry and pair; under spectral and rank_one a bound attained for some ``x``."""
    if relation in ("entry", "pair"):
        return float(entrywise(np.sum(np.abs(x), axis=1), relation))
    d, p = x.shape
    return float(np.sqrt(d * p) * {"spectral": np.sqrt(p), "rank_one": 1}[relation])
