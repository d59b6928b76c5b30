"""Low-rank error without pruning, for ranges away from the axes: ``2 tau_k^2 + (m + 1) s^2 + k' n E[s(Q)^2] / mu^2``.

``s(Q)^2`` is the largest leverage of the basis ``Q`` that the range finder released, ``s > 0`` its noise, ``mu`` the
Gaussian privacy parameter of the projection, ``k' = 2 k + 1``. The mean of ``s(Q)^2`` is at most the integral over
``x`` of the union bound on the probability that a leverage exceeds ``x``, cut at 1, and that is at most
``x_beta + beta`` for every ``beta``; for rank ``r``, ``(2 r mu0 + 4 k' + 16 log m + 1) / m``. The printed order is
``tau_k + (log(k/delta) / epsilon) (sqrt(k m) + k sqrt(n (r mu0 + k) log m / m))``, for noise larger by ``sqrt k``.
Nothing has to be pruned, so the flaw of the printed pruning does not matter here.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import coherence, gaussian
from dpspectra.fast import linalg as fast
from dpspectra.ledger import OPEN, AtMost, Equal, Slack, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.incoherence.find_prune_project import Measurement, measurements
from dpspectra.lemmas.privacy.projection import printed_scale
from dpspectra.lemmas.range_finding import residual
from dpspectra.oracle import coherence as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.gaussian import mu_for
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons, unitaries
from dpspectra.strategies.lazy import st

TAIL, FIRST, OURS, PRINTED = 4.5, 110.0, 155.0, 1130.0
"""Constants of the printed order at probability 9/10, with half of ``epsilon`` and ``delta`` for each stage.

They multiply ``tau_k``, ``sqrt(k m)``, and the last term with our noise and with the printed noise.
"""


class Setting(NamedTuple):
    """Rank ``k`` asked for, shape of the matrix, its rank and coherence, and the privacy parameters of both stages."""

    k: int
    rows: int
    n: int
    rank: int
    mu0: float
    epsilon: float
    delta: float


@st.composite
def _spans(draw: st.DrawFn) -> tuple[Any, ...]:
    """Orthonormal columns (perhaps none), how many directions to add, ``beta``, and the dimension of a random line."""
    m = draw(st.integers(2, 6))
    r = draw(st.integers(0, m - 2))
    width = draw(st.integers(1, m - r - 1))
    return draw(unitaries(m))[:, :r], width, draw(deltas(2.0**-10, 0.5)), draw(st.sampled_from([2, 3]))


mean = Statement(
    labels=("HR-T6.3R",),
    claim=r"\mathbb E\|A-QB\|_F^2\le2\tau_k^2+(m+1)s^2+\frac{k'n}{\mu^2}\,\mathbb E\,s(Q)^2,\quad\mathbb E\,s(Q)^2\le"
    r"\int_0^1\min\Big(1,\sum_i\Pr[\|V_i\|^2>x]\Big)dx\le x_\beta+\beta",
    verdict=Verdict.NEW,
    cases=lambda: st.tuples(measurements(), _spans()),
    uses=("HR-L5.11", "HR-T4.2R", "HR-L4.6R", "HR-T4.7"),
    note="incoherence.md#error-without-pruning",
    digits=20,  # integrals
    examples=20,
    slack={"mean leverage below the quantile": Slack(0.604564, OPEN)},
)
order = Statement(
    labels=("HR-T6.3", "HR-T1.2"),
    claim=r"\|A-QB\|_F\le4.5\,\tau_k+\frac{\log(k/\delta)}\varepsilon\Big(110\sqrt{km}+1130\,k\sqrt{\tfrac nm(r\mu_0+k)"
    r"\log m}\Big)\text{ w.p. }\tfrac9{10};\quad155\,k\sqrt{\tfrac nmr\mu_0\log m}\text{ with HR-L4.6R}"
    r"\quad(\varepsilon\le5,\ \delta\le\tfrac12)",
    verdict=Verdict.VERIFIED,
    relation=(Relation.ROW,),
    cases=lambda: st.builds(
        Setting,
        st.integers(1, 200),
        st.integers(1, 10**6),
        st.integers(1, 10**8),
        st.integers(1, 1000),
        dyadics(1, 64),
        epsilons(2.0**-7, 5.0),
        deltas(),
    ),
    uses=("HR-T6.3R", "HR-L6.1", "HR-L4.6"),
    note="incoherence.md#printed-error-for-incoherent-ranges",
)


def mean_square(tail: Any, shape: tuple[Any, Any], k: Any, noise: Any, mu: Any, leverage: Any) -> Any:
    """Bound on ``E |A - Q B|_F^2``: ``tail = |A - A_k|_F``, ``leverage`` bounds the mean of the largest leverage."""
    m, n = shape
    return residual.mean_square(tail, m, noise) + (2 * k + 1) * n * leverage / mu**2


def mean_leverage(rank: Any, mu0: Any, m: Any, width: Any) -> Any:
    """Bound on the mean of the largest leverage for a matrix of this rank and coherence, from ``beta = 1/m``."""
    return (2 * rank * mu0 + 4 * width + 16 * np.log(m) + 1) / m


@mean.fast
def errors(measurement: Any, span: Any) -> tuple[Outcome, ...]:
    """Squared error of a draw as a sum; bounds on the mean largest leverage, known exactly for a random line."""
    a, q, _, mu, g = measurement
    u, width, beta, d = span
    noise = np.max(np.linalg.norm(q, axis=1)) / mu * g
    total = fast.frobenius_norm(a - q @ (q.T @ a + noise)) ** 2
    stated = fast.frobenius_norm(a - q @ (q.T @ a)) ** 2 + fast.frobenius_norm(noise) ** 2
    before = coherence.leverages(u)
    return (
        Equal(total, stated, scale=np.sum(a**2), part="squared error of one draw"),
        AtMost(
            coherence.mean_largest_leverage(before, width),
            coherence.leverage_quantile(before, width, beta) + beta,
            part="mean leverage below the quantile",
        ),
        AtMost(_mean_of_line(d), coherence.mean_largest_leverage(np.zeros(d), 1), part="largest leverage of a line"),
    )


def _mean_of_line(d: int) -> float:
    """Mean of the largest ``x_i^2`` for a random unit vector in 2 or 3 dimensions, integrated around one axis."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    angles, weights = np.pi / 8 * (nodes + 1), weights / 2
    if d == 2:
        return float(weights @ np.cos(angles) ** 2)
    edge = np.cos(angles) / np.sqrt(1 + np.cos(angles) ** 2)
    return float(weights @ (1 - edge**3))


@mean.oracle
def exact_errors(measurement: Any, span: Any) -> tuple[Outcome, ...]:
    a, q, g = (oracle.exact(x) for x in (measurement.a, measurement.q, measurement.noise))
    u, width, beta, d = span
    longest = max(mp.norm(q[i, :]) for i in range(q.rows))
    noise = longest / mp.mpf(measurement.mu) * g
    error, outside = a - q * (q.T * a + noise), a - q * (q.T * a)
    before = [mp.mpf(x) for x in coherence.leverages(u)]
    integral, quantile = exact.mean_largest_leverage(before, width), exact.leverage_quantile(before, width, beta)
    return (
        Equal(
            oracle.inner(error, error),
            oracle.inner(outside, outside) + oracle.inner(noise, noise),
            scale=oracle.inner(a, a),
            part="squared error of one draw",
        ),
        AtMost(integral, quantile + mp.mpf(beta), part="mean leverage below the quantile"),
        AtMost(
            _exact_mean_of_line(d), exact.mean_largest_leverage([mp.mpf(0)] * d, 1), part="largest leverage of a line"
        ),
    )


@functools.cache
def _exact_mean_of_line(d: int) -> Any:
    """Integral over levels ``y`` of the probability that the largest ``x_i^2`` exceeds ``y``.

    Above 1/2 the three events exclude each other; between 1/3 and 1/2 the probability that all ``x_i^2`` are at most
    ``y`` is integrated over the third entry.
    """
    if d == 2:
        return mp.mpf(1) / 2 + 1 / mp.pi
    above = mp.mpf(1) / 2 + 3 * mp.quad(lambda y: 1 - mp.sqrt(y), [mp.mpf(1) / 2, 1])

    def below(y: Any) -> Any:
        def arc(h: Any) -> Any:  # share of the circle of the other two entries, given the third
            radius = 1 - h * h
            smallest = mp.sqrt(max(radius - y, 0) / radius)
            return 4 * (mp.acos(smallest) - mp.asin(smallest)) / (2 * mp.pi)

        low = mp.sqrt(1 - 2 * y)
        return mp.quad(arc, [low, mp.sqrt(y)])

    return above - mp.quad(below, [mp.mpf(1) / 3, mp.mpf(1) / 2])


@mean.tight
def line_in_the_plane() -> list[Any]:
    return [(Measurement(np.eye(2), np.eye(2), 1.0, 1.0, np.ones((2, 2))), (np.zeros((2, 0)), 1, 0.5, 2))]


@order.fast
def orders(k: int, rows: int, n: int, rank: int, mu0: float, epsilon: float, delta: float) -> tuple[AtMost, AtMost]:
    """With our noise of the projection, and with the printed one (set by the largest entry of each column).

    ``tau_k = 0`` throughout.
    """
    width, m = 2 * k + 1, max(rows, 2 * k + 1, rank)
    noise = 4 * np.sqrt(width * np.log(8 * width / delta) * np.log(5 / delta)) / epsilon
    leverage, scale = mean_leverage(rank, mu0, m, width), np.log(k / delta) / epsilon
    first, room = scale * FIRST * np.sqrt(float(k) * m), np.log(m) * n / m
    ours = mean_square(0.0, (m, n), k, noise, gaussian.mu_for(epsilon / 2, delta / 2), leverage)
    theirs = mean_square(0.0, (m, n), k, noise, 1 / printed_scale(width, epsilon / 2, delta / 2), leverage)
    return (
        AtMost(np.sqrt(10 * ours), first + scale * OURS * k * np.sqrt(rank * mu0 * room), part="error with our noise"),
        AtMost(
            np.sqrt(10 * theirs),
            first + scale * PRINTED * k * np.sqrt((rank * mu0 + k) * room),
            part="error with the printed noise",
        ),
    )


@order.oracle
def exact_orders(k: int, rows: int, n: int, rank: int, mu0: float, epsilon: float, delta: float) -> Any:
    width, m, mu0 = 2 * k + 1, max(rows, 2 * k + 1, rank), mp.mpf(mu0)
    epsilon, delta = mp.mpf(epsilon), mp.mpf(delta)
    square = 16 * width * mp.log(8 * width / delta) * mp.log(5 / delta) / epsilon**2
    leverage = (2 * rank * mu0 + 4 * width + 16 * mp.log(m) + 1) / m
    scale, room, half = mp.log(k / delta) / epsilon, mp.log(m) * n / m, epsilon / 2

    def spent(each: Any) -> Any:
        return mp.sqrt(2 * width * mp.log(4 / delta)) * each + width * each * mp.expm1(each) - half

    rho = mp.sqrt(2 * mp.log(5 * width / delta)) / mp.findroot(spent, (0, half), solver="anderson")
    ours, theirs = ((m + 1) * square + width * n * leverage * x for x in (1 / mu_for(half, delta / 2) ** 2, rho**2))
    first = scale * mp.mpf(FIRST) * mp.sqrt(k * m)
    return (
        AtMost(mp.sqrt(10 * ours), first + scale * OURS * k * mp.sqrt(rank * mu0 * room), part="error with our noise"),
        AtMost(
            mp.sqrt(10 * theirs),
            first + scale * PRINTED * k * mp.sqrt((rank * mu0 + k) * room),
            part="error with the printed noise",
        ),
    )
