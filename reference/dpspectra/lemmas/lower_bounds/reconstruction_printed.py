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

from dpspectra.fast.divergence import hockey_stick
from dpspectra.fast.leverages import row_coherence
from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.lemmas.lower_bounds.reconstruction_of_bits import ReconstructionOfBits, mean_square, response
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import st


def bound(k: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """Smallest root mean square error of a private approximation of ``k`` rows of ``n`` random bits."""
    return np.sqrt(k * n * mean_square(epsilon, delta))


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
        delta = max(float(hockey_stick(p, q, epsilon)) for p, q in (laws, laws[::-1]))
        a = np.vstack([np.full((k, n), 0.5), np.zeros((zeros, n))])
        total = np.sum(laws, axis=0)
        variance = np.sum(np.prod(laws, axis=0) / np.where(total > 0, total, 1.0)) / 2
        order = k * n * np.sqrt(row_coherence(a) * np.sum(a**2) / a.size)
        size = float(k * n)
        yield AtMost(
            (1 - delta) / (1 + np.cosh(epsilon)) * order, k * n * variance, scale=size, part="error by coherence"
        )
        yield AtMost(bound(k, n, epsilon, delta) ** 2, k * n * variance, scale=size, part="error by dimensions")

    def oracle(self, k: int, n: int, zeros: int, channel: Any) -> Parts:
        """Take the variance as 1/4 less the mean square of the posterior mean."""
        laws, epsilon = channel
        p, q = ([mp.mpf(x) for x in law] for law in laws)
        delta = max(exact_divergence.hockey_stick(x, y, mp.mpf(epsilon)) for x, y in ((p, q), (q, p)))
        known = mp.fsum((x - y) ** 2 / (x + y) / 8 for x, y in zip(p, q, strict=True) if x + y > 0)
        a = mp.matrix([[mp.mpf(1) / 2] * n] * k + [[mp.mpf(0)] * n] * zeros)
        share = exact.row_coherence(a) * oracle.inner(a, a) / (a.rows * n)
        stated = (1 - delta) / (1 + mp.cosh(epsilon)) * k * n * mp.sqrt(share)
        square = k * n * (mp.mpf(1) / 4 - known)
        yield AtMost(stated, square, scale=k * n, part="error by coherence")
        yield AtMost(
            k * n * (1 - delta) * mp.exp(mp.mpf(epsilon)) / (1 + mp.exp(mp.mpf(epsilon))) ** 2,
            square,
            scale=k * n,
            part="error by dimensions",
        )

    # Randomized response.
    def tight(self) -> list[Any]:
        return [(2, 3, 1, (response(1.0, 0.125), 1.0))]

    def beyond(self) -> dict[str, AtMost]:
        """One entry, ``epsilon = 1``, ``delta = 0``: an entry 2^-10, answered by 0; a known one.

        A response at odds e^2.
        """
        factor, small = 1 / (1 + mp.cosh(1)), mp.mpf(2) ** -10
        response_at_two = mp.exp(2) / (1 + mp.exp(2)) ** 2
        return {
            "the entries are 1/2 in absolute value": AtMost(factor * small, small**2, part="error by coherence"),
            "the bits are uniform": AtMost(factor / 2, mp.mpf(0), part="error by coherence"),
            "the output is private": AtMost(factor / 2, response_at_two, part="error by dimensions"),
        }
