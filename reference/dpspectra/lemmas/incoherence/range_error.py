"""Low-rank error without pruning, for ranges away from the axes: ``2 tau_k^2 + (m + 1) s^2 + k' n E[s(Q)^2] / mu^2``.

``s(Q)^2`` is the largest leverage of what the range finder released, ``s`` its noise, ``mu`` the share of the
projection, ``k' = 2 k + 1``. Its mean is at most ``x_beta + beta`` for every ``beta``, and the integral of the smaller
of 1 and the union over rows; for rank ``r``, at most ``(2 r mu0 + 4 k' + 16 log m + 1) / m``. Printed is the order
``tau_k + (log(k/delta) / epsilon) (sqrt(k m) + k sqrt(n (r mu0 + k) log m / m))``, for noise larger by ``sqrt k``:
nothing has to be pruned, so the flaw of the printed pruning does no harm. ``s > 0`` is needed.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import coherence, gaussian
from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.incoherence.find_prune_project import measurements
from dpspectra.lemmas.privacy.projection import printed_scale
from dpspectra.lemmas.range_finding import residual
from dpspectra.oracle import coherence as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.gaussian import mu_for
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons, unitaries

TAIL, FIRST, OURS, PRINTED = 4.5, 110.0, 155.0, 1130.0
"""Constants of the printed order at probability 9/10 and half of the budget for each stage; ours and printed noise."""


@st.composite
def _spans(draw: DrawFn) -> tuple[Any, ...]:
    """Orthonormal columns (perhaps none), directions to add with room left, ``beta``, and 2 or 3 dimensions."""
    m = draw(st.integers(2, 6))
    r = draw(st.integers(0, m - 2))
    width = draw(st.integers(1, m - r - 1))
    return draw(unitaries(m))[:, :r], width, draw(deltas(2.0**-10, 0.5)), draw(st.sampled_from([2, 3]))


mean = Statement(
    labels=("HR-T6.3R",),
    claim=r"\mathbb E\|A-QB\|_F^2\le2\tau_k^2+(m+1)s^2+\frac{k'n}{\mu^2}\,\mathbb E\,s(Q)^2,\quad\mathbb E\,s(Q)^2\le"
    r"\int_0^1\min\Big(1,\sum_i\Pr[\|V_i\|^2>x]\Big)dx\le x_\beta+\beta",
    verdict=Verdict.NEW,
    cases=st.tuples(measurements(), _spans()),
    uses=("HR-L5.11", "HR-T4.2R", "HR-L4.6R", "HR-T4.7"),
    note="incoherence.md#error-without-pruning",
    digits=20,  # integrals
    examples=20,
)
order = Statement(
    labels=("HR-T6.3", "HR-T1.2"),
    claim=r"\|A-QB\|_F\le4.5\,\tau_k+\frac{\log(k/\delta)}\varepsilon\Big(110\sqrt{km}+1130\,k\sqrt{\tfrac nm(r\mu_0+k)"
    r"\log m}\Big)\text{ w.p. }\tfrac9{10};\quad155\,k\sqrt{\tfrac nmr\mu_0\log m}\text{ with HR-L4.6R}"
    r"\quad(\varepsilon\le5,\ \delta\le\tfrac12)",
    verdict=Verdict.VERIFIED,
    relation=(Relation.ROW,),
    cases=st.tuples(
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
    """Bound on ``E |A - Q B|_F^2``: ``tail = |A - A_k|_F``, ``leverage`` at least the mean of the largest one."""
    m, n = shape
    return residual.mean_square(tail, m, noise) + (2 * k + 1) * n * leverage / mu**2


def mean_leverage(rank: Any, mu0: Any, m: Any, width: Any) -> Any:
    """Bound on the mean of the largest leverage for a matrix of that rank and coherence: ``beta = 1/m``."""
    return (2 * rank * mu0 + 4 * width + 16 * np.log(m) + 1) / m


@mean.fast
def errors(measurement: Any, span: Any) -> tuple[Outcome, ...]:
    """Pythagoras for the draw given; the mean of the largest leverage; and exactly, for a random line."""
    a, q, _, mu, g = measurement
    u, width, beta, d = span
    noise = np.max(np.linalg.norm(q, axis=1)) / mu * g
    found = fast.frobenius_norm(a - q @ (q.T @ a + noise)) ** 2
    stated = fast.frobenius_norm(a - q @ (q.T @ a)) ** 2 + fast.frobenius_norm(noise) ** 2
    before = coherence.leverages(u)
    return (
        Equal(found, stated, scale=np.sum(a**2)),
        AtMost(coherence.mean_largest_leverage(before, width), coherence.leverage_quantile(before, width, beta) + beta),
        AtMost(_mean_of_line(d), coherence.mean_largest_leverage(np.zeros(d), 1)),
    )


def _mean_of_line(d: int) -> float:
    """Mean of the largest ``x_i^2`` for a random unit vector in 2 or 3 dimensions, by the sector around an axis."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    angles, weights = np.pi / 8 * (nodes + 1), weights / 2
    if d == 2:
        return float(weights @ np.cos(angles) ** 2)
    edge = np.cos(angles) / np.sqrt(1 + np.cos(angles) ** 2)
    return float(weights @ (1 - edge**3))


@mean.oracle
def exact_errors(measurement: Any, span: Any) -> tuple[Outcome, ...]:
    a, q, g = (oracle.exact(x) for x in (measurement[0], measurement[1], measurement[4]))
    u, width, beta, d = span
    longest = max(mp.norm(q[i, :]) for i in range(q.rows))
    noise = longest / mp.mpf(measurement[3]) * g
    error, outside = a - q * (q.T * a + noise), a - q * (q.T * a)
    before = [mp.mpf(x) for x in coherence.leverages(u)]
    integral, quantile = exact.mean_largest_leverage(before, width), exact.leverage_quantile(before, width, beta)
    return (
        Equal(
            oracle.inner(error, error),
            oracle.inner(outside, outside) + oracle.inner(noise, noise),
            scale=oracle.inner(a, a),
        ),
        AtMost(integral, quantile + mp.mpf(beta)),
        AtMost(_exact_mean_of_line(d), exact.mean_largest_leverage([mp.mpf(0)] * d, 1)),
    )


@functools.cache
def _exact_mean_of_line(d: int) -> Any:
    """By levels: above 1/2 the events exclude each other; below, all entries are under the level inside a curve."""
    if d == 2:
        return mp.mpf(1) / 2 + 1 / mp.pi
    above = mp.mpf(1) / 2 + 3 * mp.quad(lambda y: 1 - mp.sqrt(y), [mp.mpf(1) / 2, 1])

    def below(
        y: Any,
    ) -> Any:  # all three squares at most y, 1/3 <= y <= 1/2: a third entry h leaves an arc of the circle
        def arc(h: Any) -> Any:
            radius = 1 - h * h
            least = mp.sqrt(max(radius - y, 0) / radius)
            return 4 * (mp.acos(least) - mp.asin(least)) / (2 * mp.pi)

        low = mp.sqrt(1 - 2 * y)
        return mp.quad(arc, [low, mp.sqrt(y)])

    return above - mp.quad(below, [mp.mpf(1) / 3, mp.mpf(1) / 2])


@mean.tight
def line_in_the_plane() -> list[Any]:
    return [((np.eye(2), np.eye(2), 1.0, 1.0, np.ones((2, 2))), (np.zeros((2, 0)), 1, 0.5, 2))]


@order.fast
def orders(k: int, rows: int, n: int, rank: int, mu0: float, epsilon: float, delta: float) -> tuple[AtMost, AtMost]:
    """With our noise of the projection and with the printed one, largest entry by column; ``tau_k = 0``."""
    width, m = 2 * k + 1, max(rows, 2 * k + 1, rank)
    noise = 4 * np.sqrt(width * np.log(8 * width / delta) * np.log(5 / delta)) / epsilon
    leverage, scale = mean_leverage(rank, mu0, m, width), np.log(k / delta) / epsilon
    first, room = scale * FIRST * np.sqrt(float(k) * m), np.log(m) * n / m
    ours = mean_square(0.0, (m, n), k, noise, gaussian.mu_for(epsilon / 2, delta / 2), leverage)
    theirs = mean_square(0.0, (m, n), k, noise, 1 / printed_scale(width, epsilon / 2, delta / 2), leverage)
    return (
        AtMost(np.sqrt(10 * ours), first + scale * OURS * k * np.sqrt(rank * mu0 * room)),
        AtMost(np.sqrt(10 * theirs), first + scale * PRINTED * k * np.sqrt((rank * mu0 + k) * room)),
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
    found = [(m + 1) * square + width * n * leverage * x for x in (1 / mu_for(half, delta / 2) ** 2, rho**2)]
    first = scale * mp.mpf(FIRST) * mp.sqrt(k * m)
    limits = OURS * k * mp.sqrt(rank * mu0 * room), PRINTED * k * mp.sqrt((rank * mu0 + k) * room)
    return tuple(AtMost(mp.sqrt(10 * x), first + scale * y) for x, y in zip(found, limits, strict=True))
