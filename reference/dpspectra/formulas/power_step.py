"""Sensitivity in l1 and l2 of one step of the power method, by neighbour relation."""

from typing import Any

import numpy as np


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
