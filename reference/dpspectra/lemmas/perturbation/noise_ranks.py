"""DPS-RANK: intervals for eigenvalues and their shares, by the ranks of noise that is drawn again.

Of ``N + 1`` numbers drawn alike each has every rank with the same probability. So one that is at most the ``r``-th
smallest of the ``N`` others is found with probability ``r / (N + 1)`` or more, whatever the law: at least ``r`` of the
numbers are among the ``r`` smallest. With the norm of the noise on a matrix as the number, Weyl's inequality (JXZ-L4)
makes intervals of it for all eigenvalues, and with the trace of the noise for their shares in the trace, which need a
positive semidefinite matrix. For a covariance about a mean the noise of the mean comes in twice.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas import noise_ranks as formulas
from dpspectra.ledger import AtMost, Matrix, Outcome, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, hermitian, psd, st

FLOOR = 2.0**-4
"""Multiple of the identity that keeps the trace from 0."""


@statement
class NoiseRanks:
    labels = ("DPS-RANK",)
    given = (
        r"v_0,\dots,v_N\in\mathbb R,\ w_i\text{ the }r\text{-th smallest of all but }v_i;\ A\succeq0,\ "
        r"s=\|E\|_2,\ t=|\mathrm{tr}E|,\ \hat A=A+E,\ \hat m=m+e"
    )
    claim = {
        "numbers of a rank": r"r\le\#\{i:v_i\le w_i\}",
        "share from below": r"\frac{\lambda_i(\hat A)-s}{\mathrm{tr}\hat A+t}\le\frac{\lambda_i(A)}{\mathrm{tr}A}",
        "share from above": (
            r"\frac{\lambda_i(A)}{\mathrm{tr}A}\le\frac{\lambda_i(\hat A)+s}{\mathrm{tr}\hat A-t}"
            r"\text{ if }t<\mathrm{tr}\hat A"
        ),
        "covariance about a mean": (r"\|(\hat A-\hat m\hat m^\top)-(A-mm^\top)\|_2\le s+\|e\|\,(2\|\hat m\|+\|e\|)"),
        "its trace": (
            r"|\mathrm{tr}(\hat A-\hat m\hat m^\top)-\mathrm{tr}(A-mm^\top)|\le t+\|e\|\,(2\|\hat m\|+\|e\|)"
        ),
    }
    where = {
        "v_i": (r"v_0", "numbers that are drawn alike, such as norms of noise"),
        "v_N": "the last of these numbers",
        "w_i": "number of this rank among the others",
        "r": "the rank",
        "A": "positive semidefinite matrix, not 0",
        "E": "Hermitian noise",
        r"\hat A": "the matrix with noise",
        "s": "norm of the noise",
        "t": "modulus of its trace",
        "m": "a vector, such as a mean",
        "e": "its noise",
        r"\hat m": "the vector with noise",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-L4",)
    note = "perturbation.md#intervals-for-eigenvalues-by-the-ranks-of-drawn-noise"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Numbers and a rank; a matrix, its noise and a place; a vector and its noise."""
        numbers = draw(st.lists(dyadics(0, 4, 3), min_size=2, max_size=9))
        d = draw(dimensions(1, 4))
        a, noise = draw(psd(d)) + FLOOR * np.eye(d), draw(hermitian(d)) * draw(st.sampled_from([1.0, 2.0**-5]))
        vectors = (np.array(draw(st.lists(dyadics(-2, 2, 4), min_size=d, max_size=d))) for _ in range(2))
        return numbers, draw(st.integers(1, len(numbers) - 1)), a, noise, draw(st.integers(0, d - 1)), *vectors

    def fast(self, numbers: list[float], r: int, a: Any, noise: Any, i: int, m: Any, e: Any) -> Parts:
        """The largest rank that the program takes for its probability; its intervals."""
        others = [np.sort(np.delete(numbers, j)) for j in range(len(numbers))]
        rank = formulas.rank_of(len(numbers) - 1, 1 - Fraction(r, len(numbers)))
        found = sum(v <= other[rank - 1] for v, other in zip(numbers, others, strict=True))
        yield AtMost(r, int(found), part="numbers of a rank")
        s, t, trace = fast.spectral_norm(noise), abs(np.trace(noise)), np.trace(a + noise)
        low, high = formulas.shares(fast.eigenvalues(a + noise), trace, s, t)
        share = fast.eigenvalues(a)[i] / np.trace(a)
        yield AtMost(low[i], share, scale=1, part="share from below")
        yield AtMost(share, high[i], scale=1, part="share from above")
        change = a + noise - np.outer(m + e, m + e) - (a - np.outer(m, m))
        lengths = float(np.linalg.norm(m + e)), float(np.linalg.norm(e))
        size = fast.frobenius_norm(a) + 32
        about = formulas.about_mean(s, *lengths)
        yield AtMost(fast.spectral_norm(change), about, scale=size, part="covariance about a mean")
        yield AtMost(abs(np.trace(change)), formulas.about_mean(t, *lengths), scale=size, part="its trace")

    def oracle(self, numbers: list[Real], r: int, a: Matrix, noise: Matrix, i: int, m: Any, e: Any) -> Parts:
        found = 0
        for place, v in enumerate(numbers):
            smaller = sum(v > other for k, other in enumerate(numbers) if k != place)
            found += smaller < r  # as many others below it as there may be
        yield AtMost(r, found, part="numbers of a rank")
        noisy = a + noise
        trace, t, whole = (mp.fsum(x[k, k] for k in range(a.rows)) for x in (noisy, noise, a))
        s, t = oracle.spectral_norm(noise), abs(t)
        value, share = oracle.eigenvalues(noisy)[i], oracle.eigenvalues(a)[i] / whole
        yield AtMost(max(value - s, mp.mpf(0)) / (trace + t), share, scale=1, part="share from below")
        high = min((value + s) / (trace - t), mp.mpf(1)) if trace > t else mp.mpf(1)
        yield AtMost(share, high, scale=1, part="share from above")
        before, error = (mp.matrix([mp.mpf(float(x)) for x in vector]) for vector in (m, e))
        after = before + error
        change = noise - after * after.T + before * before.T
        extra = mp.norm(error) * (2 * mp.norm(after) + mp.norm(error))
        size = oracle.frobenius_norm(a) + 32
        yield AtMost(oracle.spectral_norm(change), s + extra, scale=size, part="covariance about a mean")
        moved = abs(mp.fsum(change[k, k] for k in range(a.rows)))
        yield AtMost(moved, t + extra, scale=size, part="its trace")

    def tight(self) -> list[Any]:
        """Different numbers; noise that moves the eigenvalue and the trace apart; a mean that its noise shortens.

        In the last instance the noisy trace is just as large as its noise may be.
        """
        a, zero = np.diag([16.0, 8.0, 2.0]), np.zeros(3)
        apart = [((1, 1, -1), 2), ((1, -1, -1), 0), ((-1, 1, -1), 1)]
        shares = [(a, np.diag(np.array(change, dtype=float)), i, zero, zero) for change, i in apart]
        mean = 2 * np.eye(2), np.eye(2) / 2, 0, np.array([1.5, 0.0]), np.array([-0.5, 0.0])
        no_trace = np.diag([26.0, 0.0]), np.diag([0.0, -13.0]), 1, np.zeros(2), np.zeros(2)
        cases = zip((3, 1, 2, 2, 2), (*shares, mean, no_trace), strict=True)
        return [([0.0, 1.0, 2.0, 3.0], r, *case) for r, case in cases]

    def beyond(self) -> dict[str, Outcome]:
        """A negative eigenvalue, -1/2 beside 1, with noise of an eighth of the identity."""
        low = (mp.mpf(-0.375) - mp.mpf(0.125)) / (mp.mpf(0.75) + mp.mpf(0.25))
        return {
            "the matrix is positive semidefinite": AtMost(low, mp.mpf(-1), part="share from below"),
        }
