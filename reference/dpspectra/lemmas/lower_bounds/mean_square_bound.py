"""Between data sets a few rows apart an ``epsilon``-private output leaves a variance, and with it a mean squared error.

Put a uniform law on ``n`` data sets of which any two differ in ``L`` rows. Given the output, the odds of any two change
by ``R = e^(epsilon L)`` at most, so the squares of the posterior sum to at most ``C / n``, ``C = (R + 1)^2 / 4 R``, and
the posterior variance of points ``g z`` apart is at least ``g^2 z^2 (1 - C / n) / 2``. Volumes say how many points
there are, and the best separation is explicit. For one row, known to have the length ``sqrt(lambda)``, the constant
output has this error asymptotically, as the dimension grows: the bound is sharp.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import log_tableaux
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import packing as exact
from dpspectra.strategies import epsilons, st

HALVINGS, WIDE = 200, 60.0
"""Steps of a bisection, more than float64 has bits; width of the interval of logarithms that it halves."""

STEP = 2.0**-40
"""Relative distance from a maximum at which the function is compared with it."""


def bound(log_count: Any, n: int, exponent: Any) -> Any:
    """Smallest mean squared error for ``g = sigma = 1``, ``log f``, ``N`` and ``epsilon L``."""
    odds = 2 * np.logaddexp(0, exponent) - exponent - np.log(4)
    return n / (n + 1) * np.exp((log_count - odds - np.log1p(n)) / n)


def _largest(n: int, slope: float) -> float:
    """Maximum of ``v (1 - slope v^n)``: where the logarithmic derivative vanishes, by bisection of ``log v``."""
    low, high = -np.log(slope) / n - WIDE, -np.log(slope) / n
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope * np.exp(n * middle) * (n + 1) < 1 else (low, middle)
    return float(np.exp(low) * (1 - slope * np.exp(n * low)))


@statement
class MeanSquareBound:
    labels = ("MWKTV-T2.4M",)
    given = (
        r"\text{any two of }n\text{ data sets }L\text{ replacements apart},\ R=e^{\varepsilon L},\ "
        r"C=\tfrac{(R+1)^2}{4R},\ w_l\in\{1,R\},\ \sup_M\mathbb E\|M-\mathcal A\|_F^2"
        r"\ge\max_vg^2v\big(1-\tfrac{Cv^N}{f\sigma^{2N}}\big);\ \lambda_1=\dots=\lambda_k=\lambda,\ "
        r"\lambda_{k+1}=0,\ g=\lambda,\ \sigma=1,\ N=k(d-k),\ L=\max(k,\lceil k\lambda\rceil)"
    )
    claim = {
        "posterior": r"\frac{\sum_{l\le n}w_l^2}{(\sum_{l\le n}w_l)^2}\le\frac Cn",
        "best separation": (
            r"\max_v\lambda^2v\Big(1-\frac{Cv^N}f\Big)=\lambda^2\tfrac N{N+1}\Big(\frac f{C(N+1)}\Big)^{1/N}"
        ),
        "error of a constant output": (
            r"\lambda^2\tfrac N{N+1}\Big(\frac f{C(N+1)}\Big)^{1/N}\le\lambda^2k\big(1-\tfrac kd\big)"
        ),
    }
    where = {
        r"\lambda": "the one value of the spectrum that is not 0",
        "g": "gap of the spectrum that carries the packing",
        "N": "complex dimension of the packing",
        r"\sigma": "largest sine of an angle that the packing uses",
        "L": "number of rows in which two data sets of the packing differ, at most",
        "R": r"factor $`e^{\varepsilon L}`$ that group privacy allows",
        "C": "number $`(R+1)^2/4R`$",
        "v": "squared separation in units of the gap, a free number",
        "f": "number of standard Young tableaux of a rectangle of $`N`$ boxes, here with sides $`k`$ and $`d-k`$",
        "k": "rank of the data",
        "w_i": "weights of the data sets given an output, up to a factor",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-T2.4ROW", "MWKTV-L8.1X", "MWKTV-E34")
    note = "lower_bounds.md#mean-squared-error"
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int, float, float, int, int]:
        """Dimension, rank and value of a flat spectrum, ``epsilon``, how many of ``n`` points the output favours."""
        k = draw(st.integers(1, 3))
        points = draw(st.integers(2, 12))
        top = draw(st.sampled_from([1.0, 0.25, 3.0, 12.5]))
        return draw(st.integers(k + 1, 8)), k, top, draw(epsilons(2.0**-6, 4.0)), draw(st.integers(1, points)), points

    def fast(self, d: int, k: int, top: float, epsilon: float, favoured: int, points: int) -> Parts:
        n, exponent = k * (d - k), epsilon * max(k, int(np.ceil(k * top)))
        ratio = np.exp(exponent)
        posterior = np.where(np.arange(points) < favoured, ratio, 1.0)
        posterior /= np.sum(posterior)
        count = np.exp(log_tableaux(k, d - k))
        least = top**2 * bound(np.log(count), n, exponent)
        yield AtMost(np.sum(posterior**2), (ratio + 1) ** 2 / (4 * ratio * points), part="posterior")
        yield Equal(top**2 * _largest(n, np.cosh(exponent / 2) ** 2 / count), least, part="best separation")
        yield AtMost(least, top**2 * k * (1 - k / d), part="error of a constant output")

    def oracle(self, d: int, k: int, top: Real, epsilon: Real, favoured: int, points: int) -> Parts:
        n = k * (d - k)
        ratio = mp.exp(epsilon * max(k, int(mp.ceil(k * top))))
        weights = [ratio if x < favoured else mp.mpf(1) for x in range(points)]
        share = (ratio + 1) ** 2 / (4 * ratio)
        count = 1 if k == 1 or d == k + 1 else exact.tableaux(k, d - k)
        root, step = mp.root(count / (share * (n + 1)), n), mp.mpf(STEP)
        least = top**2 * root * n / (n + 1)
        trials = [v * (1 - share / count * v**n) for v in (root * (1 - step), root, root * (1 + step))]
        yield AtMost(mp.fsum(x**2 for x in weights) / mp.fsum(weights) ** 2, share / points, part="posterior")
        yield Equal(top**2 * max(trials), least, part="best separation")
        yield AtMost(least, top**2 * k * (1 - mp.mpf(k) / d), part="error of a constant output")

    def tight(self) -> list[tuple[int, int, float, float, int, int]]:
        """One row in ``2 * 10^7`` dimensions; odds of three to one for one answer in four; rank 3 of five."""
        large, small = (2 * 10**7, 1, 1.0, 2.0**-10, 1, 2), (2, 1, 1.0, float(np.log(3.0)), 1, 4)
        return [large, small, (5, 3, 2.0, 1.0, 2, 9)]

    def beyond(self) -> dict[str, AtMost]:
        """With ``2 L`` rows between data sets the odds may be ``e^(2 epsilon L)``, and the posterior is sharper."""
        ratio, points = mp.exp(2), 8
        share = (mp.exp(1) + 1) ** 2 / (4 * mp.exp(1) * points)
        weights = [ratio, *[mp.mpf(1)] * (points - 1)]
        return {"L rows": AtMost(mp.fsum(x**2 for x in weights) / mp.fsum(weights) ** 2, share, part="posterior")}
