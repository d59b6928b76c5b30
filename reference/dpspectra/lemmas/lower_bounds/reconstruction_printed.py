"""How badly every private output must approximate matrices of given coherence: the printed bound, true for long rows.

Printed (as we read it): no ``(epsilon, delta)``-private algorithm has, for all matrices of coherence ``C``, an error
below the order of ``sqrt(k n) (C |A|_F^2 / (m n))^(1/4)``. The expression is ``sqrt(k n)`` times the square root of ``r
/ sqrt(n)``, ``r`` the norm of the longest row. In the proof the rows are of bits, so ``r = sqrt(n) / 2``; there the
bound holds, with the constant ``sqrt((1 - delta) / (1 + cosh epsilon))``. At a given ``r`` far below ``sqrt(n)`` it
does not: the output 0, which is private, errs by ``|A|_F`` only.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.leverages import row_coherence
from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.lemmas.lower_bounds.reconstruction_of_bits import (
    ReconstructionOfBits,
    delta_and_variance,
    exact_delta,
    mean_square,
    response,
)
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import st


@statement
class ReconstructionPrinted:
    labels = ("HR-P1.3",)
    given = (
        r"A=\binom D0,\ D\in\{\pm\tfrac12\}^{k\times n}\text{ uniform, each bit through the same }("
        r"\varepsilon,\delta)\text{-DP channel},\ B=\mathbb E[A\mid\text{output}]"
    )
    claim = {
        "error by coherence": (
            r"\frac{1-\delta}{1+\cosh\varepsilon}\,kn\sqrt{\frac{C(A)\|A\|_F^2}{mn}}\le\mathbb E\|A-B\|_F^2"
        ),
        "error by dimensions": r"\frac{kn(1-\delta)}{2(1+\cosh\varepsilon)}\le\mathbb E\|A-B\|_F^2",
    }
    printed = (
        r"Not at hand; read as: no $`(\varepsilon,\delta)`$-DP algorithm, with small constants, approximates "
        r"all matrices of coherence $`C`$ with an error of smaller order than $`\sqrt{kn}\big(\frac{C\lVert "
        r"A\rVert_F^2}{mn}\big)^{1/4}`$; tight up to $`k^{1/4}`$."
    )
    where = {
        "A": "data matrix with $`m`$ rows",
        "D": r"$`k\times n`$ matrix of random bits $`\pm\frac12`$",
        "B": "best estimate of $`A`$ from what is released, the posterior mean",
        "C": "coherence (HR-D5.1)",
        "k": "number of rows that hold bits",
        "m": "number of rows of $`A`$",
        "n": "number of columns of $`A`$",
    }
    verdict = Verdict.PROOF_GAP
    relation = (Relation.ROW,)
    uses = ("HR-P1.3R", "HR-D5.1")
    note = "lower_bounds_reconstruction.md#the-printed-lower-bound"

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(0, 4), ReconstructionOfBits.cases())

    def fast(self, k: int, n: int, zeros: int, channel: Any) -> Parts:
        """Send every bit through the same channel and release the posterior mean; both sides are squared."""
        laws, epsilon = channel
        delta, variance = delta_and_variance(laws, epsilon)
        a = np.vstack([np.full((k, n), 0.5), np.zeros((zeros, n))])
        size = float(k * n)
        stated = (1 - delta) / (1 + np.cosh(epsilon)) * size * np.sqrt(row_coherence(a) * np.sum(a**2) / a.size)
        yield AtMost(stated, size * variance, scale=size, part="error by coherence")
        yield AtMost(size * mean_square(epsilon, delta), size * variance, scale=size, part="error by dimensions")

    def oracle(self, k: int, n: int, zeros: int, channel: Any) -> Parts:
        """Take the variance as 1/4 less the mean square of the posterior mean."""
        laws, epsilon = channel[0], mp.mpf(channel[1])
        p, q = ([mp.mpf(x) for x in law] for law in laws)
        delta = exact_delta(p, q, epsilon)
        known = mp.fsum((x - y) ** 2 / (x + y) / 8 for x, y in zip(p, q, strict=True) if x + y > 0)
        a = mp.matrix([[mp.mpf(1) / 2] * n] * k + [[mp.mpf(0)] * n] * zeros)
        share = exact.row_coherence(a) * oracle.inner(a, a) / (a.rows * n)
        stated = (1 - delta) / (1 + mp.cosh(epsilon)) * k * n * mp.sqrt(share)
        square = k * n * (mp.mpf(1) / 4 - known)
        yield AtMost(stated, square, scale=k * n, part="error by coherence")
        least = k * n * (1 - delta) * mp.exp(epsilon) / (1 + mp.exp(epsilon)) ** 2
        yield AtMost(least, square, scale=k * n, part="error by dimensions")

    def tight(self) -> list[Any]:
        """Randomised response that may reveal the bit."""
        return [(2, 3, 1, (response(1.0, 0.125), 1.0))]

    def beyond(self) -> dict[str, AtMost]:
        """One entry, ``epsilon = 1``, ``delta = 0``: it is 2^-10, and the answer 0; it is known; odds are e^2."""
        factor, small = 1 / (1 + mp.cosh(1)), mp.mpf(2) ** -10
        response_at_two = mp.exp(2) / (1 + mp.exp(2)) ** 2
        return {
            "the entries are 1/2 in absolute value": AtMost(factor * small, small**2, part="error by coherence"),
            "the bits are uniform": AtMost(factor / 2, mp.mpf(0), part="error by coherence"),
            "the output is private": AtMost(factor / 2, response_at_two, part="error by dimensions"),
        }
