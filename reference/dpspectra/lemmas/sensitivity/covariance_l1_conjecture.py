"""Two sign blocks give the largest l1 norm of the upper triangle in every dimension, not only up to 6.

A conjecture for ``d >= 7``: alternating ascent finds nothing larger, and no proof is known. No privacy claim rests on
it: mechanisms use the proved bound there.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.covariance_l1 import block_square
from dpspectra.ledger import AtMost, Column, Relation, Verdict, statement
from dpspectra.lemmas.sensitivity.covariance_l1 import block_pair, exact_blocks
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import seeds, st

STARTS, ROUNDS = 20, 15
"""Random starts in a case, and rounds of the ascent, enough for it to converge."""


def _norms(v: Any, w: Any) -> Any:
    return np.sum(np.abs(fast.upper_triangle(fast.outer(v) - fast.outer(w))), axis=-1)


@statement
class CovarianceL1Conjecture:
    labels = ("JXZ-L2-J",)
    given = (
        r"\|v\|,\|w\|\le1,\ d\ge7,\ "
        r"S_d^2=(d^2+2d+2)/2\ (d\text{ even}),\ S_d^2=(2d^2+4d+3)/4\ (d\text{ odd})"
    )
    claim = {"l1 norm of a pair": r"\sum_{i\le j}|(vv^\top-ww^\top)_{ij}|\le S_d"}
    where = {"S_d": "l1 norm that two sign blocks attain"}
    verdict = Verdict.CONJECTURE
    relation = (Relation.REPLACE,)
    uses = ("JXZ-L2-X",)
    note = "sensitivity.md#covariance-in-l1-beyond-six-dimensions"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any]:
        """Best pair of unit vectors from an ascent with random starts.

        It alternates the best signs for ``(v, w)`` with the best ``(v, w)`` for the signs; the norm never falls.
        """
        d, rng = draw(st.integers(7, 12)), np.random.default_rng(draw(seeds()))
        v, w = rng.standard_normal((2, STARTS, d))
        weights = (1 + np.eye(d)) / 2
        for _ in range(ROUNDS):
            vectors = fast.eigenvectors(np.where(fast.outer(v) >= fast.outer(w), weights, -weights))[1]
            v, w = vectors[..., 0], vectors[..., -1]
        best = np.argmax(_norms(v, w))
        return v[best] * (1 - 2.0**-40), w[best] * (1 - 2.0**-40)  # rounding must not take them out of the unit ball

    def fast(self, v: Any, w: Any) -> AtMost:
        return AtMost(_norms(v, w), np.sqrt(block_square(len(v))), part="l1 norm of a pair")

    def oracle(self, v: Column, w: Column) -> AtMost:
        """The stated value by the two blocks, of any sizes."""
        largest = exact_blocks(len(v), mp.mpf(1) / 2)
        change = oracle.upper_triangle(oracle.outer(v) - oracle.outer(w))
        return AtMost(mp.fsum(map(abs, change)), largest, part="l1 norm of a pair")

    def tight(self) -> list[Any]:
        return [block_pair(d) for d in (7, 8, 13)]

    def beyond(self) -> dict[str, AtMost]:
        return {"rows of norm at most 1": self.oracle(2 * np.ones(7), np.zeros(7))}
