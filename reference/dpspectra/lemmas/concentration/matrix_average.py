"""An average of ``n`` independent matrices of norm at most ``R`` is rarely ``t R`` or more from its mean.

The probability is at most ``(d1 + d2) exp(-n t^2 / (2 + 4 t / 3))``, by Bernstein's inequality for rectangular
matrices: a term minus its mean has norm at most ``2 R`` and second moments at most ``R^2``. This holds for every
``t >= 0``; for ``t <= 1`` the exponent is at least ``0.3 n t^2``. The published lemma has the factor ``d`` in front.
For ``d = 1`` this fails: one random sign, ``n = t = 1``, is always at distance ``R`` from its mean, while
``exp(-c n t^2)`` is below 1 for every ``c > 0``. For ``d >= 2`` it is true with ``c = 0.15``. If the terms have
different laws, the bound is about the distance from the mean of the average.
"""

import math
from collections import Counter
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dyadics, rectangular, st

TIE = 2.0**-30
"""Distance below ``t R``, relative to ``R``, up to which an average counts as being ``t R`` from its mean."""

ONE_SIGN = "one sign at its size comes closest; the exponent is for matrices, and the factor 2 for two tails"
"""Reason why the bounds are not attained."""


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Any, int, float]:
    """Two or three equally likely matrices (the last may be minus the first), the number of terms, ``t``."""
    shape = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    values = draw(st.lists(rectangular(*shape).filter(np.any), min_size=2, max_size=3))
    if draw(st.booleans()):
        values[-1] = -values[0]
    return values, draw(st.integers(1, 8)), draw(dyadics(0, 1) | dyadics(1, 2))


def bound(t: Any, n: Any, rows: Any, columns: Any) -> Any:
    """Bound on the probability that the average of ``n`` terms is ``t R`` or more from its mean."""
    return (rows + columns) * np.exp(-n * t**2 / (2 + 4 * t / 3))


def square_bound(t: Any, n: Any, d: Any) -> Any:
    """Simpler bound for ``t <= 1``; ``d`` is the larger dimension."""
    return 2 * d * np.exp(-0.3 * n * t**2)


def _averages(values: int, n: int) -> list[tuple[list[int], int]]:
    """How often each value occurs among ``n`` draws, with the number of orders."""
    counts = [[drawn.count(i) for i in range(values)] for drawn in combinations_with_replacement(range(values), n)]
    return [(c, math.factorial(n) // math.prod(map(math.factorial, c))) for c in counts]


def _probability(values: Any, n: int, t: float) -> Any:
    terms, averages = np.array(values), _averages(len(values), n)
    counts, orders = (np.array(column, dtype=float) for column in zip(*averages, strict=True))
    off = fast.spectral_norm(np.tensordot(counts / n - 1 / len(values), terms, axes=1))
    return np.sum(orders * (off >= (t - TIE) * np.max(fast.spectral_norm(terms)))) / len(values) ** n


def _drawn_one_by_one(values: int, n: int) -> Counter[tuple[int, ...]]:
    """Number of sequences of ``n`` draws in which each value occurs so often."""
    sequences = Counter([(0,) * values])
    for _ in range(n):
        longer: Counter[tuple[int, ...]] = Counter()
        for counts, number in sequences.items():
            for i in range(values):
                longer[(*counts[:i], counts[i] + 1, *counts[i + 1 :])] += number
        sequences = longer
    return sequences


def _exact_probability(values: Any, n: int, t: float) -> Any:
    terms = [oracle.exact(value) for value in values]
    limit, mean = (mp.mpf(t) - TIE) * max(map(oracle.spectral_norm, terms)), sum(terms[1:], terms[0]) / len(terms)

    def off(counts: tuple[int, ...]) -> Any:
        total = mp.zeros(mean.rows, mean.cols)
        for count, term in zip(counts, terms, strict=True):
            total += count * term
        return oracle.spectral_norm(total / n - mean)

    hits = sum(orders for counts, orders in _drawn_one_by_one(len(terms), n).items() if off(counts) >= limit)
    return mp.mpf(hits) / len(terms) ** n


@statement
class MatrixAverageRectangularForm:
    labels = ("HP-LA.4P",)
    given = r"\|X_i\|_2\le R,\ X_i\text{ iid }d_1\times d_2,\ t\ge0"
    claim = {
        "tail of the average": (
            r"\Pr\Big[\big\|\tfrac1n\sum_iX_i-\mathbb EX\big\|_2\ge tR\Big]\le(d_1+d_2)e^{-nt^2/(2+4t/3)}"
        ),
    }
    where = {
        "X_i": "independent random matrices of one law",
        "X": "random matrix of this law",
        "R": "bound on the spectral norm of a matrix",
        "n": "number of matrices",
        "t": "threshold in units of $`R`$",
        "d_1": "number of rows",
        "d_2": "number of columns",
    }
    verdict = Verdict.CITED
    note = "concentration.md#averages-of-rectangular-matrices"
    examples = 60
    digits = 30
    slack = {"tail of the average": Slack(0.67493, ONE_SIGN)}
    cases = staticmethod(_cases)

    def fast(self, values: Any, n: int, t: float) -> AtMost:
        return AtMost(_probability(values, n, t), bound(t, n, *np.shape(values)[1:]), part="tail of the average")

    def oracle(self, values: Any, n: int, t: Real) -> AtMost:
        (shape,) = {value.shape for value in values}
        limit = sum(shape) * mp.exp(-n * t**2 / (2 + 4 * t / 3))
        return AtMost(_exact_probability(values, n, t), limit, part="tail of the average")

    def tight(self) -> list[Any]:
        """One sign, which is always at distance 1 from its mean."""
        return [([np.ones((1, 1)), -np.ones((1, 1))], 1, 1.0)]

    def beyond(self) -> dict[str, AtMost]:
        """A sign repeated 64 times; one sign of size 2, always at distance 2, where ``R = 1`` is claimed."""
        repeated, large = (2 * mp.exp(-n * t**2 / (2 + 4 * t / 3)) for n, t in ((64, mp.mpf(1)), (1, mp.mpf(2))))
        return {
            "the terms are independent": AtMost(mp.mpf(1), repeated, part="tail of the average"),
            "the norms are at most R": AtMost(mp.mpf(1), large, part="tail of the average"),
        }


@statement
class MatrixAverageSquare:
    labels = ("HP-LA.4",)
    given = r"\|X_i\|_2\le R,\ X_i\text{ iid }d_1\times d_2,\ 0\le t\le1,\ d=\max(d_1,d_2)"
    claim = {
        "tail of the average": r"\Pr\Big[\big\|\tfrac1n\sum_iX_i-\mathbb EX\big\|_2\ge tR\Big]\le2d\,e^{-3nt^2/10}",
        "printed form in two dimensions or more": (
            r"d\ge2:\ \Pr\Big[\big\|\tfrac1n\sum_iX_i-\mathbb EX\big\|_2\ge tR\Big]\le d\,e^{-3nt^2\log d/(10\log2d)}"
        ),
    }
    printed = (
        "For independent matrices of one law, of dimensions at most $`d`$ and norm at most $`R`$, and "
        r"$`t\le1`$: $`\Pr\big[\lVert\frac1n\sum_iX_i-\mathbb EX\rVert\ge tR\big]\le d\,e^{-\Omega(nt^2)}`$."
    )
    where = {
        "X_i": "independent random matrices of one law",
        "X": "random matrix of this law",
        "R": "bound on the spectral norm of a matrix",
        "n": "number of matrices",
        "t": "threshold in units of $`R`$",
        "d_1": "number of rows",
        "d_2": "number of columns",
        "d": "the larger of the two",
    }
    verdict = Verdict.CORNER
    uses = ("HP-LA.4P",)
    note = "concentration.md#averages-of-matrices"
    examples = 60
    digits = 30
    slack = {
        "tail of the average": Slack(0.67493, ONE_SIGN),
        "printed form in two dimensions or more": Slack(0.580917, ONE_SIGN),
    }

    def cases(self) -> Any:
        return _cases().map(lambda case: (*case[:2], min(case[2], 1.0)))

    def fast(self, values: Any, n: int, t: float) -> Parts:
        d, probability = max(np.shape(values)[1:]), _probability(values, n, t)
        yield AtMost(probability, square_bound(t, n, d), part="tail of the average")
        if d > 1:
            printed = d * np.exp(-0.3 * n * t**2 * np.log(d) / np.log(2 * d))
            yield AtMost(probability, printed, part="printed form in two dimensions or more")

    def oracle(self, values: Any, n: int, t: Real) -> Parts:
        (shape,), probability = {value.shape for value in values}, _exact_probability(values, n, t)
        d = max(shape)
        yield AtMost(probability, 2 * d * mp.exp(-3 * n * t**2 / 10), part="tail of the average")
        if d > 1:
            rate = mp.mpf(3) / 10 * mp.log(d, 2 * d)  # at which the printed form is 1 where the stated one is
            yield AtMost(probability, d * mp.exp(-rate * n * t**2), part="printed form in two dimensions or more")

    def tight(self) -> list[Any]:
        """One sign, which is always at distance 1 from its mean; a column of two equal ones; five wide matrices."""
        signs = [([sign, -sign], 1, 1.0) for sign in (np.ones((1, 1)), np.ones((2, 1)))]
        wide = np.array([[2.0, 8.0, 3.0], [6.0, -4.0, 4.0]])
        return [*signs, ([wide, wide[:, ::-1], -wide], 5, 0.4375)]

    def beyond(self) -> dict[str, AtMost]:
        """A sign repeated 64 times is always at distance 1 from its mean."""
        return {"the terms are independent": AtMost(mp.mpf(1), 2 * mp.exp(-mp.mpf(96) / 5), part="tail of the average")}

    def as_printed(self, values: Any, n: int, t: float, constant: float) -> AtMost:
        limit = max(values[0].shape) * mp.exp(-mp.mpf(constant) * n * mp.mpf(t) ** 2)
        return AtMost(_exact_probability(values, n, t), limit, part="printed form")

    def hypotheses(self, values: Any, n: int, t: float, constant: float) -> dict[str, AtMost]:
        largest = max(oracle.spectral_norm(oracle.exact(x)) for x in values)
        return {"R = 1 bounds the norms": AtMost(largest, mp.mpf(1)), "0 < t <= 1": AtMost(abs(2 * mp.mpf(t) - 1), 1)}

    def counterexample(self) -> Any:
        return ([np.ones((1, 1)), -np.ones((1, 1))], 1, 1.0, 2.0**-10)

    certificate = (
        "one term, a uniform sign, is at distance 1 from its mean for certain; the printed form with constant 1/1024"
        " is below 1, and so it is with every positive one",
        "1",
        ["exp", "-1/1024"],
    )
