"""A combination of vectors with random signs has an entry above ``t`` times theirs with small probability.

The probability is at most ``2 d exp(-t^2 / 2)``. An entry of ``S = sum e_i a_i v_i`` is a sum of signs with weights
``a_i v_ij``, whose squares sum to at most ``B^2`` if ``B`` is the largest entry of the ``v_i`` and ``|a| <= 1``. At
``t = 4 sqrt(log d)`` the bound is ``2 d^-7 <= d^-3``. The signs must be independent and uniform; the ``v_i`` may have
any length.
"""

from itertools import product
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Matrix, Parts, Real, Reals, Slack, Verdict, statement
from dpspectra.lemmas.concentration.sums_of_bounded_terms import hoeffding
from dpspectra.strategies import ball_vectors, dyadics, rectangular, st


@statement
class RandomSigns:
    labels = ("HP-L4.14",)
    given = r"S=\sum_i\epsilon_i\alpha_iv_i,\ \sum_i\alpha_i^2\le1,\ B=\max_{i,j}|v_{ij}|"
    claim = {
        "tail of largest entry": r"\Pr\big[\|S\|_{\max}>Bt\big]\le2d\,e^{-t^2/2}",
        "tail at stated level": r"\Pr\big[\|S\|_{\max}>4B\sqrt{\log d}\big]\le d^{-3}",
        "stated level by the tail": r"d\ge2,\ t=4\sqrt{\log d}:\ 2d\,e^{-t^2/2}\le d^{-3}",
    }
    printed = (
        r"For $`\sum_i\alpha_i^2\le1`$, unit vectors $`v_i`$, $`B=\max_i\lVert v_i\rVert_\infty`$ and uniform "
        r"signs $`s_i`$: $`\Pr\big[\lVert\sum_is_i\alpha_iv_i\rVert_\infty>4B\sqrt{\log "
        r"d}\big]\le\frac1{d^3}`$."
    )
    where = {
        "S": "random vector in $`d`$ dimensions",
        r"\epsilon_i": "independent signs, both equally likely",
        r"\alpha_i": "weights, whose squares have a sum of at most 1",
        "v_i": "the vectors that are added up, with their entries $`v_{ij}`$",
        "B": "largest modulus of an entry of these vectors",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-TA.1",)
    note = "concentration.md#random-signs"
    slack = {
        "tail of largest entry": Slack(
            0.824361, "one sign just beyond its length comes closest; no sum of signs exceeds 0.832 of this bound"
        ),
        "stated level by the tail": Slack(0.125, "2 / d^4, with room from two dimensions on"),
    }

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
            lambda shape: st.tuples(
                rectangular(*shape), ball_vectors(shape[0]) | st.just(np.full(shape[0], 0.375)), dyadics(0, 4)
            )
        )

    def fast(self, v: Any, a: Any, t: float) -> Parts:
        """Fractions of all sign patterns; the numbers are dyadic, so sums are exact."""
        (n, d), largest = v.shape, np.max(np.abs(v))
        sums = np.max(np.abs((np.array(list(product([1, -1], repeat=n))) * a) @ v), axis=1)
        yield AtMost(np.mean(sums > largest * t), d * hoeffding(t, 1.0), part="tail of largest entry")
        level, stated = 4 * np.sqrt(np.log(d)), float(d) ** -3
        yield AtMost(np.mean(sums > largest * level), stated, part="tail at stated level")
        if d > 1:
            yield AtMost(d * hoeffding(level, 1.0), stated, part="stated level by the tail")

    def oracle(self, v: Matrix, a: Reals, t: Real) -> Parts:
        n, d, largest = v.rows, v.cols, max(map(abs, v))
        weighted = [[a[i] * v[i, j] for i in range(n)] for j in range(d)]
        sums = [
            [abs(mp.fsum(sign * w for sign, w in zip(signs, row, strict=True))) for row in weighted]
            for signs in product([1, -1], repeat=n)
        ]

        def share(limit: Any) -> Any:
            """Fraction of the patterns for which some entry is above the limit."""
            return mp.mpf(sum(any(x > limit for x in entries) for entries in sums)) / len(sums)

        yield AtMost(share(largest * t), 2 * d * mp.exp(-(t**2) / 2), part="tail of largest entry")
        level, stated = 4 * mp.sqrt(mp.log(d)), mp.mpf(d) ** -3
        yield AtMost(share(largest * level), stated, part="tail at stated level")
        if d > 1:
            yield AtMost(2 * d * mp.exp(-(level**2) / 2), stated, part="stated level by the tail")

    def tight(self) -> list[Any]:
        """One sign in one dimension, which always exceeds ``t`` just below its length, and the level 0.

        Then two equal vectors in two dimensions, whose sum would too often be above ``t`` if a sign had the length 2.
        """
        return [(np.ones((1, 1)), np.ones(1), 1 - 2.0**-30), (np.ones((2, 2)), np.array([0.6875, 0.6875]), 2.5)]

    def beyond(self) -> dict[str, AtMost]:
        """Sixteen equal vectors of one entry with one common sign: the sum is always of modulus 4; ``t = 15/4``."""
        t = mp.mpf(15) / 4
        return {"the signs are independent": AtMost(mp.mpf(1), 2 * mp.exp(-(t**2) / 2), part="tail of largest entry")}
