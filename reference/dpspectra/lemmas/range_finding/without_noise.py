"""The range finder without noise: ``|A - Q Q' A|_F^2`` is on average at most ``(1 + k / (p - 1))`` times the tail.

``Q`` spans ``A Omega`` for a Gaussian ``Omega`` of ``k + p`` columns. Let ``Omega_1`` be the part of ``Omega`` along
the top ``k`` right singular vectors, ``Omega_2`` the rest, ``S_2`` the diagonal of the remaining singular values. For
every draw the square is at most ``|S_2|^2 + |S_2 Omega_2 pinv(Omega_1)|^2``; the two parts of ``Omega`` are
independent, and the mean of ``|pinv(Omega_1)|^2`` is ``k / (p - 1)``. For ``p = 1`` it is infinite. With ``p = k + 1``
the factor is 2.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.linalg import frobenius_norm
from dpspectra.fast.quadratic_ratios import mean_ratio
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Reals, Slack, Verdict, statement
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.quadratic_ratios import mean_ratio as exact_mean_ratio
from dpspectra.strategies import dyadics, independent_columns, rectangular, st


def factor(k: Any, width: Any) -> Any:
    """Bound on the mean squared residual over that of the best rank-``k`` matrix; needs ``width >= k + 2``."""
    return 1 + k / (width - k - 1)


@statement
class WithoutNoiseAlgorithm:
    labels = ("HR-Fig1",)
    given = r"Y=A\Omega,\ Q=\mathrm{orth}(Y),\ B=QQ^\top A"
    claim = {
        "minimal residual": r"\|A-B\|_F^2=\min_X\|A-YX\|_F^2",
        "residual of another matrix": r"\|A-B\|_F^2\le\|A-YX\|_F^2",
    }
    printed = (
        r"$`Y=A\Omega`$ for a Gaussian $`\Omega`$ of $`k+p`$ columns, $`Q`$ an orthonormal basis of its "
        r"range, output $`QQ^\top A`$."
    )
    where = {
        "Y": r"sketch $`A\Omega`$",
        "B": "approximation of $`A`$ of rank at most $`k'`$",
        "X": "any matrix of this shape",
    }
    verdict = Verdict.CITED
    note = "range_finding.md#range-finder-and-projection-without-noise"
    without_beyond = "It defines an algorithm; both parts hold for every matrix and every sketch."

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        m, n = draw(st.integers(1, 5)), draw(st.integers(1, 4))
        width = draw(st.integers(1, m))
        return draw(rectangular(m, n)), draw(independent_columns(m, width)), draw(rectangular(width, n))

    def fast(self, a: Any, y: Any, x: Any) -> Parts:
        q = np.linalg.qr(y)[0]
        left, size = frobenius_norm(a - q @ (q.T @ a)) ** 2, frobenius_norm(a) ** 2
        best = np.linalg.lstsq(y, a, rcond=None)[0]
        yield Equal(left, frobenius_norm(a - y @ best) ** 2, scale=size, part="minimal residual")
        yield AtMost(left, frobenius_norm(a - y @ (best + x)) ** 2, scale=size, part="residual of another matrix")

    def oracle(self, a: Matrix, y: Matrix, x: Any) -> Parts:
        """The residual by Pythagoras; the minimum from the normal equations."""
        best = (y.T * y) ** -1 * y.T * a
        size, part = oracle.inner(a, a), exact.projector(y) * a
        left = size - oracle.inner(part, part)

        def missed(x: Any) -> Any:
            return oracle.inner(a - y * x, a - y * x)

        yield Equal(left, missed(best), scale=size, part="minimal residual")
        yield AtMost(left, missed(best + oracle.exact(x)), scale=size, part="residual of another matrix")

    def tight(self) -> list[Any]:
        """The minimiser itself, with a residual."""
        y = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
        return [(np.array([[3.0, 0.0], [1.0, 2.0], [0.0, 5.0], [2.0, 2.0]]), y, np.zeros((2, 2)))]


@statement
class WithoutNoiseError:
    labels = ("HR-T3.1",)
    given = r"s=0,\ \tau_k^2=\sum_{j>k}s_j^2,\ k\ge1"
    claim = {
        "squared residual of one draw": r"\|(I-P)A\|_F^2\le\tau_k^2+\|S_2\Omega_2\Omega_1^+\|_F^2",
        "mean squared residual": r"k'=m-1,\ p\ge2:\ \mathbb E\|(I-P)A\|_F^2\le\Big(1+\frac k{p-1}\Big)\tau_k^2",
    }
    printed = (
        r"Not at hand; read as: $`\mathbb E\lVert(I-P)A\rVert_F\le\big(1+\frac "
        r"k{p-1}\big)^{1/2}\big(\sum_{j>k}\sigma_j^2\big)^{1/2}`$."
    )
    where = {
        r"\Omega_1^+": r"pseudo-inverse of the part of $`\Omega`$ along the first $`k`$ right singular vectors",
        r"\Omega_2": r"part of $`\Omega`$ along the other right singular vectors",
        "S_2": "diagonal matrix of the singular values beyond the first $`k`$",
    }
    verdict = Verdict.CITED
    uses = ("HR-Fig1",)
    note = "range_finding.md#error-of-the-range-finder-without-noise"
    unchecked = "the mean for sketches of fewer than m - 1 columns; single draws are checked at all sizes."
    digits = 25
    examples = 15
    slack = {
        "mean squared residual": Slack(
            1 / 3, "m - 1 columns miss one of the m - k directions beyond k; the bound is sharp when they miss most"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A positive descending spectrum, ``k``, and an ``Omega`` of full rank, its first ``k`` rows too."""
        m = draw(st.integers(3, 6))
        values = np.sort(draw(st.lists(dyadics(2.0**-6, 8) | st.just(64.0), min_size=m, max_size=m)))[::-1]
        k = draw(st.integers(1, m - 2))
        width = draw(st.integers(k + 1, m - 1))
        top, rest = draw(independent_columns(width, k)).T, draw(rectangular(m - k, width, entries=3))
        omega = np.vstack([top, rest])
        if np.linalg.matrix_rank(omega) < width:
            omega[k:] = np.linalg.svd(top)[2][k:][np.arange(m - k) % (width - k)].round(1)
        return np.array(values), k, omega

    def fast(self, values: Any, k: int, omega: Any) -> Parts:
        """The bound for one ``Omega``; the exact mean over all ``Omega`` of ``m - 1`` columns, for every split.

        The complement of the range of the sketch is then the line of ``diag(values)^-1 g``, ``g`` Gaussian.
        """
        m, y = len(values), values[:, None] * omega
        stated = np.sum(values[k:] ** 2) + np.sum((values[k:, None] * (omega[k:] @ np.linalg.pinv(omega[:k]))) ** 2)
        q = np.linalg.qr(y)[0]
        left = frobenius_norm(np.diag(values) - q @ (q.T * values)) ** 2
        mean = mean_ratio(np.ones(m), values**-2)
        yield AtMost(left, stated, scale=np.sum(values**2), part="squared residual of one draw")
        for j in range(1, m - 2):
            yield AtMost(mean, factor(j, m - 1) * np.sum(values[j:] ** 2), part="mean squared residual")

    def oracle(self, values: Reals, k: int, omega: Matrix) -> Parts:
        m, s = len(values), mp.diag(values)
        outside = s - exact.projector(s * omega) * s
        top, rest = omega[:k, :], mp.diag(values[k:]) * omega[k:, :]
        missed = rest * top.T * (top * top.T) ** -1
        tails = [mp.fsum(x**2 for x in values[j:]) for j in range(m)]
        mean = exact_mean_ratio([1] * m, [x**-2 for x in values])
        stated = tails[k] + oracle.inner(missed, missed)
        yield AtMost(oracle.inner(outside, outside), stated, scale=tails[0], part="squared residual of one draw")
        for j in range(1, m - 2):
            yield AtMost(mean, (1 + mp.mpf(j) / (m - 2 - j)) * tails[j], part="mean squared residual")

    def tight(self) -> list[Any]:
        """One huge value (a limit): with a column that sees only a negligible value, and over equal values."""
        seen = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
        flat = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]])
        two = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
        return [
            (np.array([2.0**11, 1.0, 2.0**-12]), 1, seen),
            (np.array([2.0**16, 1.0, 1.0, 1.0]), 1, flat),
            (np.array([2.0**11, 2.0**11, 1.0, 2.0**-12]), 2, two),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Width ``k + 1``, for which the factor would be infinite, against the factor 2 of width ``2 k + 1``.

        There are ``k + 1 = 2`` columns and three rows, a huge value over two values 1.
        """
        mean = exact_mean_ratio([1] * 3, [mp.mpf(2) ** -80, mp.mpf(1), mp.mpf(1)])
        return {"p is at least 2": AtMost(mean, mp.mpf(4), part="mean squared residual")}
