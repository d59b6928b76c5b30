"""Leverages of the private range finder without a bound on the rank, from the longest row of ``A`` and the noise.

A leverage of ``Q`` is at most ``|Y_i|^2`` over the smallest eigenvalue of ``Y' Y``, which the noise keeps away from 0,
whatever the rank of ``A``. The bound is strong when rows of ``A`` are no longer than ``s``, and needs ``s > 0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc, chdtr, chdtrc, chdtri

from dpspectra.fast import coherence as fast
from dpspectra.fast import linalg as floats
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.lemmas.range_finding.leverages import drawn_sizes, sketches
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import coherence as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies.lazy import st

lemma = Statement(
    labels=("HR-L5.11b",),
    claim=r"\Pr\Big[\max_i\|Q_i\|^2>\Big(1+\frac{\max_i\|A_i\|^2}{s^2}\Big)\frac{\chi^2_{k'}(\beta/2m)}{\big(\sqrt m-"
    r"\sqrt{k'}-\sqrt{2\log(2/\beta)}\big)_+^2}\Big]\le\beta",
    verdict=Verdict.NEW,
    cases=lambda: st.tuples(sketches(), drawn_sizes()),
    uses=("HR-Fig2", "HR-F2.5"),
    note="range_finding.md#leverages-without-a-bound-on-the-rank",
    digits=30,
    examples=40,
)


def level(row_norm: Any, noise: Any, m: Any, width: Any, beta: Any) -> Any:
    """Squared row norm of ``Q`` exceeded with probability at most ``beta``; ``A`` has rows up to ``row_norm``.

    Infinite where ``m`` is too small for a bound.
    """
    smallest = np.sqrt(m) - np.sqrt(width) - np.sqrt(2 * np.log(2 / beta))
    return (1 + (row_norm / noise) ** 2) * chdtri(width, beta / (2 * m)) / smallest**2 if smallest > 0 else np.inf


@lemma.fast
def chain(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    """The inequalities for one draw; two tails, the lower one for one column; the level when one row is long.

    For the leverage ``l`` of the long row, ``l / (1 - l)`` is a known multiple of ``b / (1 - b)`` for a Beta variable
    ``b``; the other rows have smaller leverages than such a ``b``.
    """
    u, inner, s, omega, noise = sketch
    a = u @ inner
    y = a @ omega + s * noise
    spread = a @ a.T + s**2 * np.eye(len(a))
    white = np.linalg.solve(np.linalg.cholesky(spread), y)
    smallest = floats.eigenvalues(y.T @ y)[-1]
    own, largest = fast.leverages(orthonormal(y)), float(np.sum(y**2))
    _, ratio, m, width, beta = sizes
    above, c = min(level(ratio, 1.0, m, width, beta), 1.0), 1 + ratio**2
    missing = np.array([c * (1 - above) / (above + c * (1 - above)), 1 - above])
    union = np.array([1, m - 1]) @ betainc((m - width) / 2, width / 2, missing)
    stretch = np.sqrt(m) - 1 - np.sqrt(2 * np.log(2 / beta))
    return (
        AtMost(np.max(own - fast.leverages(y) / smallest), 0.0, scale=1.0, part="leverage by the smallest eigenvalue"),
        AtMost(
            s**2 * floats.eigenvalues(white.T @ white)[-1],
            smallest,
            scale=largest,
            part="smallest eigenvalue by the noise",
        ),
        AtMost(m * chdtrc(width, chdtri(width, beta / (2 * m))), beta / 2, part="tail of the row norms"),
        AtMost(chdtr(m, max(stretch, 0.0) ** 2), beta / 2, part="lower tail of one column"),
        AtMost(union, beta, part="union bound over rows"),
    )


@lemma.oracle
def exact_chain(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    u, inner, s, omega, noise = (oracle.exact(x) if hasattr(x, "shape") else mp.mpf(x) for x in sketch)
    a = u * inner
    y = a * omega + s * noise
    values, vectors = oracle.eigenvectors(a * a.T + s**2 * mp.eye(a.rows))
    white = vectors * mp.diag([1 / mp.sqrt(x) for x in values]) * vectors.T * y
    smallest, own = oracle.eigenvalues(y.T * y)[-1], exact.leverages(y)
    excess = max(x - oracle.inner(y[i, :], y[i, :]) / smallest for i, x in enumerate(own))
    _, ratio, m, width, beta = sizes
    beta, c = mp.mpf(beta), 1 + mp.mpf(ratio) ** 2
    short = mp.sqrt(m) - mp.sqrt(2 * mp.log(2 / beta))
    stretch, room = max(short - 1, 0), short - mp.sqrt(width)
    above = min(c * _quantile(width, beta / (2 * m)) / room**2, mp.mpf(1)) if room > 0 else mp.mpf(1)
    shares = (c * (1 - above) / (above + c * (1 - above)), 1 - above)
    own_tail, others = (mp.betainc(mp.mpf(m - width) / 2, mp.mpf(width) / 2, 0, x, regularized=True) for x in shares)
    return (
        AtMost(excess, mp.mpf(0), scale=1, part="leverage by the smallest eigenvalue"),
        AtMost(
            s**2 * oracle.eigenvalues(white.T * white)[-1],
            smallest,
            scale=oracle.inner(y, y),
            part="smallest eigenvalue by the noise",
        ),
        AtMost(beta / 2, beta / 2, part="tail of the row norms"),
        AtMost(
            mp.gammainc(mp.mpf(m) / 2, 0, stretch**2 / 2, regularized=True), beta / 2, part="lower tail of one column"
        ),
        AtMost(own_tail + (m - 1) * others, beta, part="union bound over rows"),
    )


def _quantile(degrees: int, tail: Any) -> Any:
    """Upper quantile of a chi-square variable, by bisection to 15 digits."""
    low, high = mp.mpf(0), mp.mpf(degrees + 200)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = mp.gammainc(mp.mpf(degrees) / 2, middle / 2, mp.inf, regularized=True)
        low, high = (middle, high) if beyond > tail else (low, middle)
    return high
