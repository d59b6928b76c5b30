"""Spectra of Wishart matrices: no gap of order ``lambda_1`` once one side of ``G`` is much longer than the other.

``G`` is ``k`` by ``p`` Gaussian, ``k <= p``, with the spectrum of ``G G'``. The printed remark has
``lambda_1 = O(lambda_{k/2})``, which is true, and ``lambda_{k/4} - lambda_{3k/4} = Omega(lambda_1)`` for all shapes,
which is not: the largest and the least eigenvalue differ by ``sqrt(2 p k (k + 1))`` at most on average, and
``lambda_1`` is ``p`` or more. By Davidson and Szarek (cited), except with probability ``2 exp(-t^2 / 2)``,
``lambda_1 / lambda_{k/2}`` is at most the squared ratio of ``sqrt p + sqrt k + t`` and ``sqrt p - sqrt(k/2) - t``,
because without half of its rows ``G`` has smaller singular values; and ``lambda_k / lambda_1`` is at least that of
``sqrt p - sqrt k - t`` and ``sqrt p + sqrt k + t``, so the relative gap is about ``4 sqrt(k/p)`` at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp
from scipy.special import gammainc, gammaincc

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import chi_square
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, rectangular, seeds

TRIALS = 10_000


@st.composite
def _instances(draw: DrawFn) -> tuple[Any, ...]:
    """An integer ``G``, a centre for the spectrum, the long side of a random one, the slack ``t`` and a seed."""
    k = draw(dimensions(2))
    g = draw(rectangular(k, draw(st.integers(k, 8))))
    long = draw(st.sampled_from([2, 3, 8, 40, 400]))
    return g, draw(dyadics(0, 64, 0)), long, draw(dyadics(0, 4, 3)), draw(seeds())


lemma = Statement(
    labels=("MWKTV-S3c",),
    claim=r"G\in\mathbb R^{k\times p}\text{ Gaussian: }\mathbb E(\lambda_1-\lambda_k)\le\sqrt{2pk(k+1)},\quad"
    r"\tfrac{\lambda_1}{\lambda_{k/2}}\le\Big(\tfrac{\sqrt p+\sqrt k+t}{\sqrt p-\sqrt{k/2}-t}\Big)^2,\quad"
    r"\tfrac{\lambda_k}{\lambda_1}\ge\Big(\tfrac{\sqrt p-\sqrt k-t}{\sqrt p+\sqrt k+t}\Big)_+^2\ \text{whp}",
    verdict=Verdict.REPAIRED,
    cases=_instances(),
    note="wishart.md#spectra-of-wishart-matrices",
    digits=30,
    examples=40,
)


def least_ratio(k: int, p: int, t: Any, sqrt: Any = np.sqrt) -> Any:
    """What ``lambda_k / lambda_1`` exceeds except with probability ``2 exp(-t^2 / 2)``."""
    edge = sqrt(k) + t
    return (max(sqrt(p) - edge, 0) / (sqrt(p) + edge)) ** 2


@lemma.fast
def spectra(g: Any, centre: float, long: int, t: float, seed: int) -> tuple[Outcome, ...]:
    half = len(g) // 2
    values, kept = fast.eigenvalues(g @ g.T), fast.eigenvalues(g[:half] @ g[:half].T)
    size = fast.frobenius_norm(g) ** 2 + centre
    drawn = fast.eigenvalues(wishart.draws(long, np.eye(2), TRIALS, np.random.default_rng(seed)))
    flat = int(np.sum(drawn[:, 1] < least_ratio(2, long, t) * drawn[:, 0]))
    risk = float(2 * np.exp(-(t**2) / 2))
    low, high = max(np.sqrt(long) - 1 - t, 0.0), np.sqrt(long) + 1 + t
    return (
        AtMost(kept[-1], values[half - 1], scale=size),
        AtMost((values[0] - values[-1]) ** 2, 2 * np.sum((values - centre) ** 2), scale=size**2),
        AtMost(gammainc(long / 2, low**2 / 2) + gammaincc(long / 2, high**2 / 2), risk),
        Frequency(flat, TRIALS, min(1.0, risk)),
    )


@lemma.oracle
def exact_spectra(g: Any, centre: float, long: int, t: float, _: int) -> tuple[Outcome, ...]:
    half, t = len(g) // 2, mp.mpf(t)
    g, rows = oracle.exact(g), oracle.exact(g[:half])
    values, kept = oracle.eigenvalues(g * g.T), oracle.eigenvalues(rows * rows.T)
    risk = 2 * mp.exp(-(t**2) / 2)
    low, high = max(mp.sqrt(long) - 1 - t, 0), mp.sqrt(long) + 1 + t
    ratio = least_ratio(2, long, t, mp.sqrt)

    def density(q: Any) -> Any:
        """Of ``lambda_2 / lambda_1`` for ``W_2(long, I)``, up to a constant."""
        return q ** (mp.mpf(long - 3) / 2) * (1 - q) * (4 / (1 + q) ** 2) ** (mp.mpf(long) / 2)

    flat = mp.quad(density, [0, ratio]) / (mp.quad(density, [0, ratio]) + mp.quad(density, [ratio, 1]))
    spread = mp.fsum((value - centre) ** 2 for value in values)
    return (
        AtMost(kept[-1], values[half - 1], scale=values[0]),
        AtMost((values[0] - values[-1]) ** 2, 2 * spread, scale=values[0] ** 2),
        AtMost(chi_square.cdf(low**2, long) + chi_square.survival(high**2, long), risk),
        AtMost(flat, min(1, risk)),
    )


@lemma.as_printed
def gap(p: int, constant: float) -> AtMost:
    """``constant E lambda_1`` against ``E (lambda_1 - lambda_2)`` for ``k = 2``, indices rounded up.

    The one is at least what stands on the left, since ``lambda_1 >= W_11``. The other is at most what stands on the
    right, the root of the mean of ``(W_11 - W_22)^2 + 4 W_12^2``.
    """
    variance_of_diagonal, variance_beside = p * (p + 2) - p**2, p
    return AtMost(mp.mpf(constant) * p, mp.sqrt(2 * variance_of_diagonal + 4 * variance_beside))


@lemma.counterexample
def long_rows() -> Any:
    return 2**16, 2.0**-4


@lemma.certificate
def long_rows_certificate() -> dict[str, Any]:
    return inequality(
        "MWKTV-S3c",
        "k = 2, p = 2^16: lambda_1 / 16 is 4096 or more on average, lambda_1 - lambda_2 is sqrt(8 p) or less",
        ["mul", "1/16", "65536"],
        ["sqrt", ["mul", "8", "65536"]],
    )


@lemma.tight
def orthogonal_rows() -> list[Any]:
    return [(np.array([[2.0, 0.0], [0.0, 1.0]]), 2.5, 8, 1.0, 0)]
