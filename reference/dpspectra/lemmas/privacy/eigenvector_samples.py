"""How many rows the density ``exp(n epsilon u'A u / 2)`` on the unit sphere needs to find the top eigenvector.

``n >= (4 log(1/eta) + 2 (d - 1) log(8 lambda_1 / tau)) / (epsilon tau)`` with ``tau = (1 - rho^2) gap`` gives
``|<u, v_1>| >= rho`` with probability at least ``1 - eta``: if the overlap is smaller, the score is at least ``tau``
below the optimum, and the two caps around ``v_1`` in which it is at most ``tau / 2`` below have measure
``(tau / 8 lambda_1)^((d-1)/2)`` or more. Without a gap ``v_1`` is not determined; only for PSD ``A`` is the score in
the caps at least ``lambda_1`` times the squared overlap. Printed (as reconstructed) with 1 for 4, ``d`` for
``2 (d - 1)`` and ``1 - rho`` for ``1 - rho^2``: then ``exp(-n epsilon gap / 2)`` alone can be above ``eta``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import ive

from dpspectra.fast.caps import log_line_cap
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.lemmas.privacy.exponential_utility import bound
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st


class Case(NamedTuple):
    """Dimension, first, second and last eigenvalue, ``epsilon``, ``rho``, ``eta``, ratio of the rows to the bound.

    All eigenvalues but the first are equal unless ``d = 3``.
    """

    d: int
    top: float
    second: float
    third: float
    epsilon: float
    rho: float
    eta: float
    surplus: float


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    d, second, gap = draw(st.integers(2, 6)), draw(dyadics(0, 2)), draw(dyadics(2.0**-6, 1))
    third = draw(st.just(second) | dyadics(0, second)) if d == 3 else second
    return Case(
        d,
        second + gap,
        second,
        third,
        draw(epsilons()),
        draw(dyadics(2.0**-6, 0.9375)),
        draw(deltas()),
        draw(dyadics(1, 2)),
    )


lemma = Statement(
    labels=("JXZ-T8",),
    claim=r"n\ge\frac{4\log\frac1\eta+2(d-1)\log\frac{8\lambda_1}{\tau}}{\varepsilon\,\tau},\ "
    r"\tau=(1-\rho^2)(\lambda_1-\lambda_2)\ \Rightarrow\ \Pr[|\langle u,v_1\rangle|<\rho]\le\eta",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE,),
    cases=_instances,
    uses=("MWKTV-T5.3", "MWKTV-T5.4"),
    note="privacy.md#sample-complexity-of-the-exponential-mechanism",
    examples=40,
)


def rows_needed(d: int, top: Any, gap: Any, epsilon: Any, rho: Any, eta: Any) -> Any:
    """Number of rows that is enough for overlap ``rho`` with probability at least ``1 - eta``.

    ``top`` and ``gap`` are the largest eigenvalue of ``X'X / n`` and its distance to the second.
    """
    tau = (1 - rho**2) * gap
    return (4 * np.log(1 / eta) + 2 * (d - 1) * np.log(8 * top / tau)) / (epsilon * tau)


@lemma.fast
def miss(
    d: int, top: float, second: float, third: float, epsilon: float, rho: float, eta: float, surplus: float
) -> tuple[AtMost, ...]:
    gap, tau = top - second, (1 - rho**2) * (top - second)
    kappa = surplus * rows_needed(d, top, gap, epsilon, rho, eta) * epsilon / 2
    edge, (nodes, weights) = math.acos(rho), np.polynomial.legendre.leggauss(40)

    def mass(start: float, length: float) -> Any:
        """Integrate over the angle to ``v_1``, on panels that shrink towards ``start``."""
        ends = start + length * np.array([0.0, *2.0 ** np.arange(-8, 1)])
        angles = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
        square = np.sin(angles) ** 2
        values = (
            np.sin(angles) ** (d - 2) * np.exp(-kappa * gap * square) * ive(0, kappa * (second - third) / 2 * square)
        )
        return np.sum(np.diff(ends)[:, None] / 2 * weights * values)

    outside = mass(edge, math.pi / 2 - edge)
    probability = outside / (outside + mass(0.0, edge))
    cap = math.exp(log_line_cap(tau / (2 * top), d, "real"))
    return (
        AtMost(-np.log(bound(kappa, tau, tau / 2, cap)), -np.log(probability), part="exponential mechanism bound"),
        AtMost((tau / (8 * top)) ** ((d - 1) / 2), cap, part="measure of the caps"),
        AtMost(np.log(1 / eta), -np.log(probability), part="probability of a miss"),
    )


@lemma.oracle
def exact_miss(
    d: int, top: float, second: float, third: float, epsilon: float, rho: float, eta: float, surplus: float
) -> tuple[AtMost, ...]:
    top, second, third, rho, eta = map(mp.mpf, (top, second, third, rho, eta))
    tau, c = (1 - rho**2) * (top - second), mp.mpf(d - 1) / 2
    kappa = surplus * (2 * mp.log(1 / eta) + (d - 1) * mp.log(8 * top / tau)) / tau

    def density(t: Any) -> Any:
        """Density of the overlap ``t = <u, v_1>``: the rest of ``u`` is uniform on a sphere of dimension ``d - 2``."""
        square = 1 - t**2
        rest = mp.besseli(0, kappa * (second - third) / 2 * square) if third < second else 1
        return mp.exp(-kappa * (top - (second + third) / 2) * square) * square ** (c - 1) * rest

    if third < second:
        total = mp.quad(density, [0, 0.5, 1])
    else:
        total = mp.beta(c, 0.5) / 2 * mp.hyp1f1(c, c + 0.5, -kappa * (top - second))
    edge = density(rho)  # taken out, since the quadrature's tolerance is absolute
    probability = mp.quad(lambda t: density(t) / edge, [0, rho]) * edge / total
    cap = mp.betainc(c, 0.5, 0, tau / (2 * top), regularized=True)
    return (
        AtMost(kappa * tau / 2 + mp.log(cap), -mp.log(probability), part="exponential mechanism bound"),
        AtMost((tau / (8 * top)) ** c, cap, part="measure of the caps"),
        AtMost(mp.log(1 / eta), -mp.log(probability), part="probability of a miss"),
    )


@lemma.as_printed
def printed_miss(rho: float, eta: float) -> AtMost:
    """Compare a lower bound on the probability of a miss with ``eta``, for ``A = diag(1, 0, 0)`` and ``epsilon = 1``.

    ``n`` is the first integer above the printed bound.

    The overlap has density proportional to ``exp(n t^2 / 2)`` on ``[0, 1]``, at least 1 and at most ``exp(n t / 2)``.
    """
    rho, eta = mp.mpf(rho), mp.mpf(eta)
    printed = 3 / (1 - rho) * (mp.log(1 / eta) / 3 + mp.log(4 / (1 - rho**2)))
    half = (mp.floor(printed) + 1) / 2
    return AtMost(rho * half / (mp.exp(half) - 1), eta, part="printed form")


@lemma.counterexample
def rare_miss() -> Any:
    return 0.125, 2.0**-20


@lemma.certificate
def rare_miss_certificate() -> dict[str, Any]:
    return inequality(
        "JXZ-T8",
        "A = diag(1, 0, 0), epsilon = 1, rho = 1/8, eta = 2^-20: n = 21 is above the printed bound; the miss is larger",
        ["div", ["mul", "1/8", "21/2"], ["sub", ["exp", "21/2"], "1"]],
        "1/1048576",
    )
