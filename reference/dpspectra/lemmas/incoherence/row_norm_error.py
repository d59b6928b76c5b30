"""Error of project, find, prune in terms of the longest row: ``2 tau_k^2 + (m + 1) s^2 + 2 k' sqrt n rho / mu``.

``rho`` bounds the row norms of ``A``, ``s`` is the noise of the range finder, ``mu`` the Gaussian privacy parameter of
the projection, ``k' = 2 k + 1``. Pruning rows of ``Q`` above ``tau`` costs ``k' rho^2 / tau^2`` and leaves noise
``k' n tau^2 / mu^2``. The best level is ``tau^2 = mu rho / sqrt n`` if that is at most 1/2; otherwise nothing is
pruned. (For ``tau^2`` between 1/2 and 1, pruning at that level can exceed the minimum below.) The printed order is
``tau_k + (log(k/delta) / epsilon) (sqrt(k m) + sqrt(k n) (k rho^2 / n)^(1/4))`` for pruning on both sides. For some
bases the printed algorithm has an error as large as ``A``; the repaired one attains that order, improved by a factor
``k^(1/4)``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian
from dpspectra.fast import linalg as fast
from dpspectra.fast.pruning import prune, zero_rows
from dpspectra.ledger import OPEN, AtMost, Equal, Slack, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.incoherence.find_prune_project import Measurement, measurements, two_sided_bias
from dpspectra.lemmas.range_finding import residual
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import pruning as exact
from dpspectra.oracle.gaussian import mu_for
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st

TAIL, FIRST, SECOND = 4.5, 110.0, 48.0
"""Constants of the printed order at probability 9/10, with half of ``epsilon`` and ``delta`` for each stage."""


class Setting(NamedTuple):
    """Rank, shape of the matrix, bound on its row norms, ``tau_k``, and the privacy parameters of both stages."""

    k: int
    rows: int
    n: int
    row_norm: float
    tail: float
    epsilon: float
    delta: float


def _between_the_levels() -> Measurement:
    """A case of ``1/2 < mu rho / sqrt n < 1`` where pruning at that level exceeds the bound.

    The leverages are 15/16 three times, then 3/4. The basis is four columns of the reflection that takes the last axis
    to ``(1, 1, 1, 2, 3) / 4``.
    """
    v = np.array([-1.0, -1.0, -1.0, -2.0, 1.0])
    return Measurement(
        np.array([[1.0], [-1.0], [0.0], [0.0], [0.0]]),
        (np.eye(5) - np.outer(v, v) / 4)[:, :4],
        1.0,
        29 / 32,
        np.ones((4, 1)),
    )


mean = Statement(
    labels=("HR-T6.2R",),
    claim=r"\mathbb E\|A-QB\|_F^2\le2\tau_k^2+(m+1)s^2+\frac{k'\varrho^2}{\tau^2}+\frac{k'n\tau^2}{\mu^2};\qquad"
    r"\text{best }\tau\text{ or none, or the choice of HR-Fig4R}:\ \le2\tau_k^2+(m+1)s^2+\min\Big("
    r"\frac{k'n}{\mu^2},\frac{2k'\sqrt n\varrho}\mu\Big)",
    verdict=Verdict.NEW,
    cases=lambda: st.integers(0, 9).flatmap(lambda i: measurements() if i < 9 else st.just(_between_the_levels())),
    uses=("HR-Fig4R", "HR-L5.4R", "HR-T4.2R", "HR-T4.7"),
    note="incoherence.md#error-in-terms-of-the-longest-row",
    slack={"pruning at a fixed level": Slack(2.38419e-07, OPEN)},
)
order = Statement(
    labels=("HR-T6.2", "HR-T1.1"),
    claim=r"\|A-QB\|_F\le4.5\,\tau_k+\frac{\log(k/\delta)}\varepsilon\Big(110\sqrt{km}+48\sqrt{kn}\big(\tfrac{k\varrho^2}n"
    r"\big)^{1/4}\Big)\text{ w.p. }\tfrac9{10},\quad\varrho^2=\tfrac{C\|A\|_F^2}m,\ "
    r"\varepsilon\le5,\ \delta\le\tfrac12",
    verdict=Verdict.REPAIRED,
    relation=(Relation.ROW,),
    cases=lambda: st.builds(
        Setting,
        st.integers(1, 200),
        st.integers(1, 10**6),
        st.integers(1, 10**8),
        dyadics(0, 64) | st.just(2.0**20),
        dyadics(0, 64),
        epsilons(2.0**-7, 5.0),
        deltas(),
    ),
    uses=("HR-T6.2R", "HR-Fig4", "HR-L6.1"),
    note="incoherence.md#printed-error-for-coherent-rows",
)


def level(n: Any, mu: Any, row_norm: Any) -> Any:
    """Norm above which rows of ``Q`` are pruned, for ``n`` columns of ``A`` and its rows up to ``row_norm``.

    The value 1 prunes nothing.
    """
    square = mu * row_norm / np.sqrt(n)
    return np.sqrt(square) if square <= 0.5 else 1.0


def projection_error(n: Any, width: Any, mu: Any, row_norm: Any) -> Any:
    """Bound on the mean squared error of pruning at the best level and measuring."""
    return np.minimum(width * n / mu**2, 2 * width * np.sqrt(n) * row_norm / mu)


def mean_square(tail: Any, shape: tuple[Any, Any], k: Any, noise: Any, mu: Any, row_norm: Any) -> Any:
    """Bound on ``E |A - Q B|_F^2`` for ``A`` of the given shape, ``tail = |A - A_k|_F``, rows below ``row_norm``."""
    m, n = shape
    return residual.mean_square(tail, m, noise) + projection_error(n, 2 * k + 1, mu, row_norm)


@mean.fast
def errors(a: Any, q: Any, tau: float, mu: float, g: Any) -> tuple[Outcome, ...]:
    """Squared error of a draw as a sum; mean error of pruning and measuring at a level, the best one and the chosen."""
    n, k, row_norm = a.shape[1], q.shape[1], float(np.max(np.linalg.norm(a, axis=1)))
    size, limit = fast.frobenius_norm(a) ** 2, projection_error(n, k, mu, row_norm)

    def mean_error(kept: Any) -> Any:
        noise = k * n * np.max(np.sum(kept**2, axis=1)) / mu**2
        return fast.frobenius_norm((q - kept).T @ a) ** 2 + noise

    kept = zero_rows(q, tau)
    noise = np.max(np.linalg.norm(kept, axis=1)) / mu * g
    total = fast.frobenius_norm(a - q @ (kept.T @ a + noise)) ** 2
    stated = fast.frobenius_norm(a - q @ (q.T @ a)) ** 2 + fast.frobenius_norm((q - kept).T @ a - noise) ** 2
    return (
        Equal(total, stated, scale=size, part="squared error of one draw"),
        AtMost(
            mean_error(kept),
            k * row_norm**2 / tau**2 + k * n * tau**2 / mu**2,
            scale=size,
            part="pruning at a fixed level",
        ),
        AtMost(mean_error(zero_rows(q, level(n, mu, row_norm))), limit, scale=size, part="pruning at the best level"),
        AtMost(mean_error(prune(q, n, mu, row_norm)), limit, scale=size, part="pruning as chosen"),
    )


@mean.oracle
def exact_errors(a: Any, q: Any, tau: float, mu: float, g: Any) -> tuple[Outcome, ...]:
    a, q, g, tau, mu = oracle.exact(a), oracle.exact(q), oracle.exact(g), mp.mpf(tau), mp.mpf(mu)
    n, k, row_norm, size = a.cols, q.cols, max(exact.row_norms(a)), oracle.inner(a, a)
    square = mu * row_norm / mp.sqrt(n)
    best = mp.sqrt(square) if 2 * square <= 1 else mp.mpf(1)
    limit = min(k * n / mu**2, 2 * k * mp.sqrt(n) * row_norm / mu)

    def mean_error(kept: Any) -> Any:
        lost = (q - kept).T * a
        return oracle.inner(lost, lost) + k * n * (max(exact.row_norms(kept)) / mu) ** 2

    kept = exact.zero_rows(q, tau)
    noise = max(exact.row_norms(kept)) / mu * g
    error, outside, lost = a - q * (kept.T * a + noise), a - q * (q.T * a), (q - kept).T * a - noise
    each, norms = exact.costs(q, n, mu, row_norm), exact.row_norms(q)
    count = min(range(len(each)), key=lambda j: (mp.nint(each[j] * 2**60), j))
    removed = sorted(range(q.rows), key=lambda i: -norms[i])[:count]
    chosen = exact.scale_rows(q, [mp.mpf(i not in removed) for i in range(q.rows)])
    return (
        Equal(
            oracle.inner(error, error),
            oracle.inner(outside, outside) + oracle.inner(lost, lost),
            scale=size,
            part="squared error of one draw",
        ),
        AtMost(
            mean_error(kept),
            k * row_norm**2 / tau**2 + k * n * tau**2 / mu**2,
            scale=size,
            part="pruning at a fixed level",
        ),
        AtMost(mean_error(exact.zero_rows(q, best)), limit, scale=size, part="pruning at the best level"),
        AtMost(mean_error(chosen), limit, scale=size, part="pruning as chosen"),
    )


@mean.tight
def axes() -> list[Any]:
    """Rows so long that nothing is pruned, in the span of an axis."""
    return [Measurement(np.full((2, 1), 512.0), np.eye(2), 1.0, 4.0, np.ones((2, 1)))]


@order.fast
def orders(k: int, rows: int, n: int, row_norm: float, tail: float, epsilon: float, delta: float) -> AtMost:
    """Each stage gets half of ``epsilon`` and ``delta``; the range finder has its printed noise for that."""
    width, m = 2 * k + 1, max(rows, 2 * k + 1)
    noise = 4 * np.sqrt(width * np.log(8 * width / delta) * np.log(5 / delta)) / epsilon
    mu = gaussian.mu_for(epsilon / 2, delta / 2)
    error = np.sqrt(10 * mean_square(tail, (m, float(n)), k, noise, mu, row_norm))
    scale = np.log(k / delta) / epsilon
    second = np.sqrt(float(k) * n) * (k * row_norm**2 / n) ** 0.25
    return AtMost(
        error,
        TAIL * tail + scale * (FIRST * np.sqrt(float(k) * m) + SECOND * second),
        part="error with probability 9/10",
    )


@order.oracle
def exact_orders(k: int, rows: int, n: int, row_norm: float, tail: float, epsilon: float, delta: float) -> AtMost:
    width, m, row_norm, tail = 2 * k + 1, max(rows, 2 * k + 1), mp.mpf(row_norm), mp.mpf(tail)
    epsilon, delta = mp.mpf(epsilon), mp.mpf(delta)
    square = 16 * width * mp.log(8 * width / delta) * mp.log(5 / delta) / epsilon**2
    mu, scale = mu_for(epsilon / 2, delta / 2), mp.log(k / delta) / epsilon
    measured = min(width * n / mu**2, 2 * width * mp.sqrt(n) * row_norm / mu)
    second = mp.sqrt(k * n) * mp.root(k * row_norm**2 / n, 4)
    stated = mp.mpf(TAIL) * tail + scale * (FIRST * mp.sqrt(k * m) + SECOND * second)
    return AtMost(mp.sqrt(10 * (2 * tail**2 + (m + 1) * square + measured)), stated, part="error with probability 9/10")


@order.as_printed
def both_sides(q: int, constant: int) -> AtMost:
    """The two directions and the basis of HR-Fig4's counterexample, rows of norm ``10^7`` and ``10^12`` columns.

    ``k = 2``, ``epsilon = 1``, ``delta = 10^-6``. The bias alone is compared with ``constant`` times the printed order.
    """
    k, m, n, row_norm = 2, q * q + 1, mp.mpf(10) ** 12, mp.mpf(10) ** 7
    scale = mp.log(k * mp.mpf(10) ** 6)
    stated = scale * (mp.sqrt(k * m) + mp.sqrt(k * n) * mp.root(k * row_norm**2 / n, 4))
    return AtMost(row_norm * mp.sqrt(two_sided_bias(q)), constant * stated, part="printed form")


@order.counterexample
def two_directions() -> Any:
    return 1000, 50


@order.certificate
def two_directions_certificate() -> dict[str, Any]:
    return inequality(
        "HR-T6.2",
        "m = 10^6 + 1, n = 10^12, all rows of norm 10^7, C = 1, k = 2, tau_k = 0, epsilon = 1, delta = 10^-6: the bias"
        " 10^7 sqrt((144 (1 + 10^6) + 256)/625), and 50 times the printed order; the ratio grows like sqrt(m)",
        ["mul", "10000000", ["sqrt", ["div", "144000400", "625"]]],
        [
            "mul",
            "50",
            ["log", "2000000"],
            ["add", ["sqrt", "2000002"], ["mul", "1000000", ["sqrt", "2"], ["sqrt", ["sqrt", "200"]]]],
        ],
    )
