"""Cases and faces of MWKTV-E20: the statement and its formulas stand in `spectrum`."""

from typing import Any

import numpy as np

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Matrix
from dpspectra.lemmas.sensitivity import spectrum
from dpspectra.lemmas.sensitivity.spectrum import SENSITIVITY
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, matrix_neighbours, st

lemma = spectrum.lemma.checked_on(
    lambda: st.tuples(dimensions(), fields()).flatmap(lambda p: st.tuples(matrix_neighbours(*p)))
)


@lemma.fast
def change(pair: Any) -> AtMost:
    m, other, x, y = pair
    moved = np.sum(np.abs(fast.eigenvalues(m) - fast.eigenvalues(other)))
    most = np.sum(np.abs(x) ** 2) + np.sum(np.abs(y) ** 2)
    return AtMost(moved, most, scale=fast.nuclear_norm(m), part="change of the spectrum")


@lemma.oracle
def exact_change(pair: tuple[Matrix, Matrix, Column, Column]) -> AtMost:
    m, other, x, y = pair
    moved = sum(abs(a - b) for a, b in zip(oracle.eigenvalues(m), oracle.eigenvalues(other), strict=True))
    most = oracle.inner(x, x) + oracle.inner(y, y)
    return AtMost(moved, most, scale=1 + oracle.inner(m, m), part="change of the spectrum")


@lemma.tight
def orthogonal_replacement() -> list[Any]:
    x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    return [((np.diag([3.0, 1.0]), np.diag([4.0, 0.0]), x, y),)]


@lemma.beyond
def a_longer_row() -> dict[str, AtMost]:
    longer = np.array([2.0, 0.0])
    moved = exact_change((np.zeros((2, 2)), np.outer(longer, longer), np.zeros(2), longer)).left
    return {"rows of norm at most 1": AtMost(moved, SENSITIVITY["replace"], part="change of the spectrum")}
