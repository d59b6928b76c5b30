"""Spectra of Wishart matrices: no gap of order ``lambda_1`` if one side of ``G`` is much longer than the other.

``G`` is a Gaussian matrix of shape ``(k, p)``, ``k <= p``; the eigenvalues are those of ``G G'``. The printed remark
has ``lambda_1 = O(lambda_{k/2})``, which is true, and ``lambda_{k/4} - lambda_{3k/4} = Omega(lambda_1)`` for all
shapes, which is false: the largest and the smallest eigenvalue differ by at most ``sqrt(2 p (k - 1)(k + 2))`` on
average, and the mean of ``lambda_1`` is at least ``p``. By Davidson and Szarek (cited), with probability at least
``1 - 2 exp(-t^2 / 2)``, ``lambda_1 / lambda_{k/2}`` is at most the squared ratio of ``sqrt p + sqrt k + t`` and
``sqrt p - sqrt(k/2) - t``, because deleting half of the rows of ``G`` lowers its singular values; and
``lambda_k / lambda_1`` is at least the squared ratio of ``sqrt p - sqrt k - t`` and ``sqrt p + sqrt k + t``, so the
relative gap is at most about ``4 sqrt(k/p)``.
"""

import functools
import itertools
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammainc, gammaincc

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import chi_square_profile
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.quadrature import working
from dpspectra.strategies import dimensions, dyadics, rectangular, seeds, st


def smallest_ratio(k: int, p: int, t: float) -> float:
    """Lower bound on ``lambda_k / lambda_1`` that holds with probability at least ``1 - 2 exp(-t^2 / 2)``."""
    edge = np.sqrt(k) + t
    return float(max(np.sqrt(p) - edge, 0) / (np.sqrt(p) + edge)) ** 2


def _mean_square(k: int, p: int) -> Any:
    """Mean of ``tr W^2 - (tr W)^2 / k`` for ``W = G G'``, monomial by monomial in the entries of ``G``."""
    entries = list(itertools.product(range(k), range(p)))
    total = mp.mpf(0)
    for (i, a), (j, b) in itertools.product(entries, repeat=2):
        # g_ia g_ja g_ib g_jb of tr W^2, and g_ia^2 g_jb^2 of the square of the trace
        total += (1 + 2 * (a == b)) if i == j else (a == b)
        total -= mp.mpf(1 + 2 * ((i, a) == (j, b))) / k
    return total


@functools.cache
def _spread_square(p: int, _precision: int) -> Any:
    """Mean of ``(lambda_1 - lambda_2)^2`` for ``W_2(p, I)``, from the density of the quotient of difference and trace.

    The trace is independent of the quotient and chi-square with ``2 p`` degrees.
    """

    def moment(power: int) -> Any:
        return mp.quad(lambda theta: mp.sin(theta) ** (power + 1) * mp.cos(theta) ** (p - 2), [0, mp.pi / 2])

    return 4 * p * (p + 1) * moment(2) / moment(0)


@statement
class InputSpectra:
    labels = ("MWKTV-S3c",)
    given = r"G\in\mathbb R^{k\times p},\ k\le p"
    claim = {
        "mean square about the mean": (
            r"\mathbb E\big[\operatorname{tr}(GG^\top)^2-\tfrac1k(\operatorname{tr}GG^\top)^2\big]=p(k-1)(k+2)"
        ),
        "mean square of the spread": r"k=2:\ \mathbb E(\lambda_1-\lambda_2)^2\le8p",
        "eigenvalue without half the rows": r"\lambda_{\lfloor k/2\rfloor}(HH^\top)\le\lambda_{\lfloor k/2\rfloor}",
        "spread of the spectrum": r"(\lambda_1-\lambda_k)^2\le2\sum_i(\lambda_i-a)^2",
        "tails of the singular values": (
            r"k=1:\ \Pr[\sqrt{\lambda_1}\le\sqrt p-1-t]+\Pr[\sqrt{\lambda_1}\ge\sqrt p+1+t]\le2e^{-t^2/2}"
        ),
        "ratio of extreme eigenvalues": (
            r"k=2:\ \Pr\Big[\tfrac{\lambda_2}{\lambda_1}<"
            r"\Big(\tfrac{(\sqrt p-\sqrt2-t)_+}{\sqrt p+\sqrt2+t}\Big)^2\Big]"
            r"\le2e^{-t^2/2}"
        ),
    }
    printed = (
        r"For Wishart matrices of any shape $`m,d`$: $`\lambda_1=O(\lambda_{k/2})`$, and "
        r"$`\lambda_{k/4}-\lambda_{3k/4}=\Omega(\lambda_1)`$; so the bound is at least of order "
        r"$`\frac{d^3\lambda_1}\varepsilon`$."
    )
    where = {
        "G": r"$`k\times p`$ matrix of independent standard normal entries",
        "p": "number of columns, at least $`k`$",
        "k": "number of rows",
        r"\lambda_i": r"the eigenvalues of $`GG^\top`$, or of the matrix in brackets, in descending order",
        "t": "free number, at least 0",
        "H": r"the first $`\lfloor k/2\rfloor`$ rows of $`G`$",
        "a": "any number",
    }
    verdict = Verdict.REPAIRED
    note = "wishart.md#spectra-of-wishart-matrices"
    unchecked = "tails of singular values for two rows or more, and of the ratio of extreme eigenvalues for three."
    digits = 30
    examples = 15
    slack = {
        "tails of the singular values": Slack(
            0.0786351, "a length varies with variance about 1/2 around about sqrt(p), not with 1 around sqrt(p) + 1"
        ),
        "ratio of extreme eigenvalues": Slack(
            0.0184991, "both singular values would have to be at the edges of their laws at once"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, int, float, int]:
        """An integer ``G``, a centre for the spectrum, the long side of a random one, the slack ``t`` and a seed.

        The integer matrix has up to 8 columns, the random one two rows.
        """
        k = draw(dimensions(2))
        g = draw(rectangular(k, draw(st.integers(k, 8))))
        long = draw(st.sampled_from([2, 3, 8, 40, 400]))
        return g, draw(dyadics(0, 64, 0)), long, draw(dyadics(0, 4, 3)), draw(seeds())

    def fast(self, g: Any, centre: float, long: int, t: float, seed: int) -> Parts:
        half = len(g) // 2
        values, kept = fast.eigenvalues(g @ g.T), fast.eigenvalues(g[:half] @ g[:half].T)
        size = fast.frobenius_norm(g) ** 2 + centre
        drawn = fast.eigenvalues(wishart.draws(long, np.eye(2), TRIALS, np.random.default_rng(seed)))
        flat = int(np.sum(drawn[:, 1] < smallest_ratio(2, long, t) * drawn[:, 0]))
        risk = float(2 * np.exp(-(t**2) / 2))
        low, high = max(np.sqrt(long) - 1 - t, 0.0), np.sqrt(long) + 1 + t
        k, p = g.shape
        yield Equal(p * k * (p + k + 1) - p * (p * k + 2), p * (k - 1) * (k + 2), part="mean square about the mean")
        square = 2 * 2 * long + 4 * long  # (W_11 - W_22)^2 + 4 W_12^2
        yield AtMost(square, 2 * long * (2 - 1) * (2 + 2), part="mean square of the spread")
        yield AtMost(kept[-1], values[half - 1], scale=size, part="eigenvalue without half the rows")
        spread = np.sum((values - centre) ** 2)
        yield AtMost((values[0] - values[-1]) ** 2, 2 * spread, scale=size**2, part="spread of the spectrum")
        tails = gammainc(long / 2, low**2 / 2) + gammaincc(long / 2, high**2 / 2)
        yield AtMost(tails, risk, part="tails of the singular values")
        yield Frequency(flat, TRIALS, min(1.0, risk), part="ratio of extreme eigenvalues")

    def oracle(self, g: Matrix, centre: float, long: int, t: Real, _: int) -> Parts:
        half = g.rows // 2
        rows = g[:half, :]
        values, kept = oracle.eigenvalues(g * g.T), oracle.eigenvalues(rows * rows.T)
        risk = 2 * mp.exp(-(t**2) / 2)
        low, high = max(mp.sqrt(long) - 1 - t, 0), mp.sqrt(long) + 1 + t
        share = (mp.sqrt(2) + t) / mp.sqrt(long)  # by which a singular value may differ from sqrt(long)
        ratio = mp.tanh(mp.log(1 / share) / 2) ** 2 if share < 1 else mp.mpf(0)  # of 1 - share and 1 + share

        with working():
            power, half_long = arb(long - 3) / 2, arb(long) / 2

            def density(at: Any) -> Any:
                """Density of ``lambda_2 / lambda_1`` for ``W_2(long, I)``, up to a constant."""
                q = arb(at)
                return mp.mpf(q**power * (1 - q) * (4 / (1 + q) ** 2) ** half_long)

            inside, outside = (mp.quad(density, ends) for ends in ([0, ratio], [ratio, 1]))
        flat = inside / (inside + outside)
        k, p = g.rows, g.cols
        spread = mp.fsum((value - centre) ** 2 for value in values)
        yield Equal(_mean_square(k, p), p * (k - 1) * (k + 2), part="mean square about the mean")
        yield AtMost(_spread_square(long, mp.prec), 2 * long * (2 - 1) * (2 + 2), part="mean square of the spread")
        yield AtMost(kept[-1], values[half - 1], scale=values[0], part="eigenvalue without half the rows")
        yield AtMost((values[0] - values[-1]) ** 2, 2 * spread, scale=values[0] ** 2, part="spread of the spectrum")
        tails = chi_square_profile.cdf(low**2, long) + chi_square_profile.survival(high**2, long)
        yield AtMost(tails, risk, part="tails of the singular values")
        yield AtMost(flat, min(1, risk), part="ratio of extreme eigenvalues")

    def tight(self) -> list[Any]:
        """The matrix ``diag(2, 1)``, with the centre of its spectrum, and random ones, square and very long."""
        g = np.array([[2.0, 0.0], [0.0, 1.0]])
        return [(g, 2.5, long, 0.0, 0) for long in (2, 400)]

    def beyond(self) -> dict[str, AtMost]:
        """Two rows, the entries of the first with variance 4: the mean of the difference of the diagonal is ``3 p``."""
        p = 8
        return {"entries of variance 1": AtMost((3 * p) ** 2, 2 * p * (2 - 1) * (2 + 2))}

    def as_printed(self, p: int, constant: float) -> AtMost:
        """``constant E lambda_1`` against ``E (lambda_1 - lambda_2)`` for ``k = 2``, indices rounded up.

        The left side bounds the former from below, since ``lambda_1 >= W_11``. The right side bounds the latter from
        above: it is the root of the mean of ``(W_11 - W_22)^2 + 4 W_12^2``.
        """
        variance_of_diagonal, variance_beside = p * (p + 2) - p**2, p
        spread = mp.sqrt(2 * variance_of_diagonal + 4 * variance_beside)
        return AtMost(mp.mpf(constant) * p, spread, part="printed form")

    def hypotheses(self, p: Any, constant: Any) -> dict[str, AtMost]:
        return {"k = 2 is at most p": AtMost(2, p), "the constant is positive": AtMost(0, constant)}

    def counterexample(self) -> Any:
        return (2**16, 2.0**-4)

    certificate = (
        "k = 2, p = 2^16: lambda_1 / 16 is 4096 or more on average, lambda_1 - lambda_2 is sqrt(8 p) or less",
        ["mul", "1/16", "65536"],
        ["sqrt", ["mul", "8", "65536"]],
    )
