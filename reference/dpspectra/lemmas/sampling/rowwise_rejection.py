"""A row of a pattern can be drawn by rejection from independent truncated exponentials, accepted with a determinant.

With ``b`` and ``mu`` descending, the matrix ``exp((b_i - b_j) mu_j)`` has unit diagonal and its determinant lies in
``[0, 1]``: the kernel is totally positive, so Hadamard's and Fischer's inequalities hold for it. By Fischer the
determinant is at most ``1 - exp(-(b_i - b_j)(mu_i - mu_j))`` for every pair. At a tie ``b_i = b_j`` it is always 0, so
both spectra must be simple; with nearly tied values the acceptance probability is nearly 0.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Frequency, Parts, Reals, Verdict, statement
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.linalg import determinant
from dpspectra.strategies import seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Random draws in a case."""


def acceptance(rates: Any, row: Any) -> Any:
    """Probability ``det exp((b_i - b_j) mu_j)`` of accepting rows ``(..., r)`` drawn with the given rates ``(r,)``."""
    return np.linalg.det(np.exp((rates[:, None] - rates) * row[..., None, :]))


@statement
class RowwiseRejection:
    labels = ("DPS-ROW",)
    given = (
        r"D=\det\big[e^{(b_i-b_j)\mu_j}\big]_{i,j\le r},\ \mu_j\in[\lambda_{j+1},\lambda_j]\text{ drawn with density }"
        r"\propto e^{b_jx},\text{ accepted with probability }D;\quad\nu_1=\tfrac{\lambda_1+\lambda_2}2,\ "
        r"\nu_j=\lambda_{j+1}\ (j>1)"
    )
    claim = {
        "nonnegative determinant": r"0\le D",
        "bound by pairs": r"D\le1-e^{-(b_i-b_j)(\mu_i-\mu_j)}\ (i<j)",
        "mean at most one": (
            r"\frac{\det[e^{b_i\lambda_j}-e^{b_i\lambda_{j+1}}]}{\prod_j(e^{b_j\lambda_j}-e^{b_j\lambda_{j+1}})}\le1"
        ),
        "accepted rows": (
            r"\mathbb E D\le\frac{\det[e^{b_i\lambda_j}-e^{b_i\lambda_{j+1}}]}"
            r"{\prod_j(e^{b_j\lambda_j}-e^{b_j\lambda_{j+1}})}"
        ),
        "law of accepted rows": (
            r"\Pr[\mu_1\ge\nu_1\mid\text{accepted}]\le"
            r"\frac{\det[e^{b_i\lambda_j}-e^{b_i\nu_j}]}{\det[e^{b_i\lambda_j}-e^{b_i\lambda_{j+1}}]}"
        ),
    }
    where = {
        "b_i": "the exponents of the row, in descending order",
        "D": "probability with which a row is accepted",
        "x": "place of an entry",
        r"\nu_i": "lower ends of the intervals, the first one moved to its middle",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GTKERNEL", "DPS-GTBOX")
    note = "sampling.md#row-wise-rejection"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Descending positive rates, sometimes tied; a row above without ties; a row that interlaces it; and a seed."""
        r = draw(st.integers(1, 4))
        above = draw(levels(r + 1, distinct=True))
        b = draw(levels(r, distinct=draw(st.sampled_from([True, True, False]))))
        b = (b - b[-1] + draw(st.sampled_from([0.25, 1.0]))) * draw(st.sampled_from([1.0, 0.125, 2.0]))
        shares = draw(st.lists(st.sampled_from([4, 1, 2, 6, 7, 0, 8]), min_size=r, max_size=r))
        return b, above, above[1:] + (above[:-1] - above[1:]) * np.array(shares) / 8, draw(seeds())

    def fast(self, b: Any, above: Any, mu: Any, seed: int) -> Parts:
        r, rng = len(b), np.random.default_rng(seed)
        chance, size = acceptance(b, mu), np.prod(np.sum(np.exp((b[:, None] - b) * mu), axis=1))
        others = [-np.expm1(-(b[i] - b[j]) * (mu[i] - mu[j])) for i, j in itertools.combinations(range(r), 2)]
        width, u = above[:-1] - above[1:], rng.random((DRAWS, r))
        drawn = above[:-1] + np.log1p(u * np.expm1(-b * width)) / b
        taken = rng.random(DRAWS) < acceptance(b, drawn)
        high = drawn[taken, 0] >= (above[0] + above[1]) / 2
        whole = np.exp(b[:, None] * (above[:-1] - above[0])) * -np.expm1(-b[:, None] * width)  # columns, integrated
        part = whole.copy()
        part[:, 0] = -np.expm1(-b * width[0] / 2)
        tied = bool(np.any(np.diff(b) == 0))  # no row is ever accepted
        mean = 0.0 if tied else np.linalg.det(whole) / np.prod(np.diag(whole))
        whole_size = np.prod(np.sum(whole, axis=1) / np.diag(whole))
        yield AtMost(1 - chance, 1.0, scale=size, part="nonnegative determinant")
        for other in others:
            yield AtMost(chance, other, scale=size, part="bound by pairs")
        yield AtMost(mean, 1.0, scale=whole_size, part="mean at most one")
        yield Frequency(int(np.sum(taken)), DRAWS, float(np.clip(mean, 0, 1)), part="accepted rows")
        if tied:
            return
        share = np.linalg.det(part) / np.linalg.det(whole)
        yield Frequency(int(np.sum(high)), int(np.sum(taken)), float(np.clip(share, 0, 1)), part="law of accepted rows")

    def oracle(self, b: Reals, above: Reals, mu: Reals, _: int) -> Parts:
        r, places, simple = len(b), oracle.intervals(above), len(set(b)) == len(b)
        entries = mp.matrix([[mp.exp((b[i] - b[j]) * mu[j]) for j in range(r)] for i in range(r)])
        chance, size = determinant(entries), mp.fprod(mp.fsum(entries[i, :]) for i in range(r))
        others = [1 - mp.exp(-(b[i] - b[j]) * (mu[i] - mu[j])) for i, j in itertools.combinations(range(r), 2)]
        density: oracle.Function = {}  # the determinant as a sum of products
        for order in itertools.permutations(range(r)):
            key = tuple((0, b[i]) for i in order)
            density[key] = density.get(key, 0) + (-1) ** sum(i > j for i, j in itertools.combinations(order, 2))
        whole = oracle.mass(density, places)
        mean = whole / mp.fprod(oracle.factor(0, rate, place) for rate, place in zip(b, places, strict=True))
        columns = [[oracle.factor(0, rate, place) for rate in b] for place in places]
        stated = simple * determinant(mp.matrix(columns)) / mp.fprod(x[j] for j, x in enumerate(columns))
        yield AtMost(1 - chance, 1, scale=size, part="nonnegative determinant")
        for other in others:
            yield AtMost(chance, other, scale=size, part="bound by pairs")
        yield AtMost(mean, 1, part="mean at most one")
        yield AtMost(mean, stated, part="accepted rows")
        if not simple:
            return
        upper = ((above[0] + above[1]) / 2, above[0])
        share = oracle.mass(density, [upper, *places[1:]]) / whole
        first = [oracle.factor(0, rate, upper) for rate in b]
        stated = determinant(mp.matrix([first, *columns[1:]])) / determinant(mp.matrix(columns))
        yield AtMost(share, stated, scale=1, part="law of accepted rows")

    def tight(self) -> list[Any]:
        """Two simple rates; tied ones, where no row is accepted; distant ones, where nearly every row is."""
        above, mu = np.array([2.0, 1.0, 0.0]), np.array([1.5, 0.25])
        rates = [2.0, 1.0], [1.0, 1.0], [32.0, 0.25]
        return [(np.array(b), above, mu, 0) for b in rates]

    def beyond(self) -> dict[str, AtMost]:
        """Ascending rates with a descending row: the determinant is ``1 - e``, which is no probability."""
        chance = 1 - mp.e  # rates (1, 2), row (1, 0)
        return {"rates in the order of the row": AtMost(1 - chance, mp.mpf(1), part="nonnegative determinant")}
