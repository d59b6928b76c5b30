"""Between data sets a few rows apart an ``epsilon``-private output leaves a variance, and with it a mean squared error.

Put the uniform law on the ball of data sets of which any two differ in ``L`` rows. Given the output, the odds of any
two change by ``R = e^(epsilon L)`` at most, so the squared posterior density has a mean of at most
``C = (R + 1)^2 / 4 R``, and two independent draws of the posterior are within a distance with at most ``C`` times the
share of a ball of this radius. Half their mean squared distance is the posterior variance. For one row, known to have
the length ``sqrt(lambda)``, the constant output has this error as ``epsilon`` tends to 0: the bound is sharp in every
dimension.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import log_tableaux
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import packing as exact
from dpspectra.strategies import epsilons, st


def bound(log_count: Any, n: int, exponent: Any) -> Any:
    """Smallest mean squared error for ``g = sigma = 1``, ``log f``, ``N`` and ``epsilon L``."""
    odds = 2 * np.logaddexp(0, exponent) - exponent - np.log(4)
    return n / (n + 1) * np.exp((log_count - odds) / n)


def _half_distance(n: int, slope: float) -> float:
    """Integral of ``1 - slope v^n`` where this is positive, by a rule that is exact for this polynomial."""
    nodes, weights = gauss_legendre(n // 2 + 1)
    end = slope ** (-1 / n)
    return float(end / 2 * np.sum(weights * (1 - slope * (end / 2 * (nodes + 1)) ** n)))


@statement
class MeanSquareBound:
    labels = ("MWKTV-T2.4M",)
    given = (
        r"\text{any two data sets of a ball }L\text{ replacements apart},\ R=e^{\varepsilon L},\ "
        r"C=\tfrac{(R+1)^2}{4R},\ w_l\in\{1,R\},\ \sup_M\mathbb E\|M-\mathcal A\|_F^2"
        r"\ge g^2\int_0^\infty\big(1-\tfrac{Cv^N}{f\sigma^{2N}}\big)_+dv;\ \lambda_1=\dots=\lambda_k=\lambda,\ "
        r"\lambda_{k+1}=0,\ g=\lambda,\ \sigma=1,\ N=k(d-k),\ L=\max(k,\lceil k\lambda\rceil)"
    )
    claim = {
        "posterior": r"\frac{\sum_{l\le n}w_l^2}{(\sum_{l\le n}w_l)^2}\le\frac Cn",
        "half the distance of two draws": (
            r"\lambda^2\int_0^\infty\Big(1-\frac{Cv^N}f\Big)_+dv=\lambda^2\tfrac N{N+1}\Big(\frac fC\Big)^{1/N}"
        ),
        "error of a constant output": (
            r"\lambda^2\tfrac N{N+1}\Big(\frac fC\Big)^{1/N}\le\lambda^2k\big(1-\tfrac kd\big)"
        ),
    }
    where = {
        r"\lambda": "the one value of the spectrum that is not 0",
        "g": "gap of the spectrum between the places that are turned",
        "N": "complex dimension of the ball of projectors",
        r"\sigma": "largest sine of an angle in the ball",
        "L": "number of rows in which two data sets of the ball differ, at most",
        "R": r"factor $`e^{\varepsilon L}`$ that group privacy allows",
        "C": "number $`(R+1)^2/4R`$",
        "v": "half the squared distance of two projectors",
        "f": "number of standard Young tableaux of a rectangle of $`N`$ boxes, here with sides $`k`$ and $`d-k`$",
        "k": "rank of the data",
        "w_i": "weights of equal parts of the ball given an output, up to a factor",
        "n": "number of these parts",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-T2.4ROW", "MWKTV-L8.1X", "MWKTV-E34")
    note = "lower_bounds.md#mean-squared-error"
    digits = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int, float, float, int, int]:
        """Dimension, rank and value of a flat spectrum, ``epsilon``, how many of ``n`` parts the output favours."""
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
        half = _half_distance(n, np.cosh(exponent / 2) ** 2 / count)
        yield Equal(top**2 * half, least, part="half the distance of two draws")
        yield AtMost(least, top**2 * k * (1 - k / d), part="error of a constant output")

    def oracle(self, d: int, k: int, top: Real, epsilon: Real, favoured: int, points: int) -> Parts:
        n = k * (d - k)
        ratio = mp.exp(epsilon * max(k, int(mp.ceil(k * top))))
        weights = [ratio if x < favoured else mp.mpf(1) for x in range(points)]
        share = (ratio + 1) ** 2 / (4 * ratio)
        count = 1 if k == 1 or d == k + 1 else exact.tableaux(k, d - k)
        end = mp.root(count / share, n)
        half = end - share / count * end ** (n + 1) / (n + 1)
        least = top**2 * mp.root(count * 4 * ratio, n) / mp.root((ratio + 1) ** 2, n) * n / (n + 1)
        yield AtMost(mp.fsum(x**2 for x in weights) / mp.fsum(weights) ** 2, share / points, part="posterior")
        yield Equal(top**2 * half, least, part="half the distance of two draws")
        yield AtMost(least, top**2 * k * (1 - mp.mpf(k) / d), part="error of a constant output")

    def tight(self) -> list[tuple[int, int, float, float, int, int]]:
        """One row in two and in eight dimensions; rank 2 of four and odds of three to one; rank 3 of five."""
        small, flat = (4, 2, 1.0, float(np.log(3.0) / 2), 1, 4), (8, 1, 1.0, 2.0**-10, 1, 2)
        return [(2, 1, 3.0, 2.0**-12, 1, 2), flat, small, (5, 3, 2.0, 1.0, 2, 9)]

    def beyond(self) -> dict[str, AtMost]:
        """With ``2 L`` rows between data sets the odds may be ``e^(2 epsilon L)``, and the posterior is sharper."""
        ratio, points = mp.exp(2), 8
        share = (mp.exp(1) + 1) ** 2 / (4 * mp.exp(1) * points)
        weights = [ratio, *[mp.mpf(1)] * (points - 1)]
        return {"L rows": AtMost(mp.fsum(x**2 for x in weights) / mp.fsum(weights) ** 2, share, part="posterior")}
