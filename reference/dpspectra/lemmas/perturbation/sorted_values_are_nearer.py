"""Sorting noisy values does not move them away from values that are sorted.

Exchanging two values that stand in the wrong order lowers the sum of squares by twice the product of the differences.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Reals, Verdict, statement
from dpspectra.strategies import dyadics, spectra, st


@statement
class SortedValuesAreNearer:
    labels = ("MWKTV-R2.3d",)
    given = r"\lambda_1\ge\dots\ge\lambda_k,\ w_1\ge\dots\ge w_k\text{ the values }v_1,\dots,v_k"
    claim = {"sum of squares": r"\sum_{l\le k}(\lambda_l-w_l)^2\le\sum_{l\le k}(\lambda_l-v_l)^2"}
    printed = r"Sorting the noisy values does not increase $`\sum_\ell(\lambda_\ell-v_\ell)^2`$."
    where = {
        "v_i": "noisy values",
        "w_i": "the same, sorted",
        r"\lambda_i": "values in descending order",
        "k": "number",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation.md#sorted-values-are-nearer"

    def cases(self) -> Any:
        def noisy(k: int) -> Any:
            return st.tuples(spectra(k, signed=True), st.lists(dyadics(-8, 8), min_size=k, max_size=k))

        return st.integers(1, 6).flatmap(noisy)

    def fast(self, spectrum: Any, values: Any) -> Parts:
        a, v = np.array(spectrum), np.array(values)
        right = float(np.sum((a - v) ** 2))
        yield AtMost(float(np.sum((a - np.sort(v)[::-1]) ** 2)), right, scale=1 + right, part="sum of squares")

    def oracle(self, spectrum: Reals, values: Reals) -> Parts:
        """Exchange neighbours until none is in the wrong order."""
        a, v = list(spectrum), list(values)
        right = mp.fsum((x - y) ** 2 for x, y in zip(a, v, strict=True))
        for end in range(len(v), 1, -1):
            for i in range(end - 1):
                if v[i] < v[i + 1]:
                    v[i], v[i + 1] = v[i + 1], v[i]
        yield AtMost(
            mp.fsum((x - y) ** 2 for x, y in zip(a, v, strict=True)), right, scale=1 + right, part="sum of squares"
        )

    def tight(self) -> list[Any]:
        """Values that are sorted, and equal ones."""
        return [((4.0, 1.0), (5.0, 0.0)), ((2.0, 2.0, 2.0), (0.0, 3.0, 1.0))]

    def beyond(self) -> dict[str, AtMost]:
        """``lambda = v = (0, 1)``, which sorting separates."""
        return {"lambda descends": AtMost(mp.mpf(2), mp.mpf(0), part="sum of squares")}
