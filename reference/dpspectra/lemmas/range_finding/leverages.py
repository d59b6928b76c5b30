"""The private range finder spreads its output: no row of ``Q`` is much longer than ``A`` and the noise force it to be.

The span of ``Y = A Omega + s N`` lies in the span of the range of ``A`` and of ``N``, and ``N`` is independent of the
former: so leverages of ``Q`` are below those of a subspace of rank ``r`` with random directions added, whatever
``s > 0`` is. Without noise, and with ``k'`` above the rank, ``Q`` is arbitrary and nothing holds. A strong singular
vector with a large entry shows up in ``Q``, so this cannot be improved in general. Whatever the rank, a leverage of
``Q`` is at most ``|Y_i|^2`` over the least eigenvalue of ``Y' Y``, which the noise keeps away from 0; that is strong
when rows of ``A`` are no longer than ``s``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp
from scipy.special import betainc, chdtr, chdtrc, chdtri

from dpspectra.fast import coherence as fast
from dpspectra.fast import linalg as floats
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.incoherence.added_directions import uniform_level
from dpspectra.lemmas.range_finding.private_range_finder import NOISE
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import coherence as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import deltas, dyadics, rectangular, unitaries


@st.composite
def _sketches(draw: DrawFn) -> tuple[Any, ...]:
    """A basis of ``r`` dimensions, coordinates of ``A`` in it, and the noise of a sketch that leaves room."""
    m = draw(st.integers(3, 7))
    r = draw(st.integers(1, m - 2))
    n, width, frame = draw(st.integers(1, 3)), draw(st.integers(1, m - r)), draw(unitaries(m))
    coordinates = draw(rectangular(m, width, entries=3))
    coordinates[r:] += 32 * np.eye(m - r, width)  # independent columns outside the range of A
    omega = draw(rectangular(n, width, entries=3))
    return frame[:, :r], draw(rectangular(r, n)), draw(st.sampled_from(NOISE)), omega, frame @ coordinates


@st.composite
def _sizes(draw: DrawFn) -> tuple[int, float, int, int, float]:
    """Dimension ``r``, ``mu0`` of a range of that dimension, rows, columns of the sketch and ``beta``."""
    r, width = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    m = r + width + draw(st.integers(1, 4000))
    return r, min(draw(dyadics(1, 16)), m / r), m, width, draw(deltas(2.0**-30, 0.5))


@st.composite
def _strong(draw: DrawFn) -> tuple[Any, ...]:
    """A basis, the strength of its best vector, a weaker matrix in its range, and the draws of the sketch."""
    m, n = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    r = draw(st.integers(1, min(m - 1, 3)))
    width = draw(st.integers(1, m - 1))
    u, strength = draw(unitaries(m))[:, :r], draw(st.sampled_from([2.0**14, 64.0]))
    weaker = draw(rectangular(r, n, entries=1))
    omega, noise = draw(rectangular(n, width, entries=3)), draw(rectangular(m, width, entries=3))
    omega[0, 0] = 1.0
    return u, strength, weaker, draw(st.sampled_from(NOISE)), omega, noise + 8 * np.eye(m, width)


lemma = Statement(
    labels=("HR-L5.11",),
    claim=r"\operatorname{rank}A=r,\ s>0:\quad\|Q_i\|^2\le\|V_i\|^2,\ V=\mathrm{orth}[U|N];\quad\Pr\Big[\max_i\|Q_i\|"
    r"^2>\frac{2r\mu_0(A)+4k'+8\log(m/\beta)}m\Big]\le\beta",
    verdict=Verdict.VERIFIED,
    cases=st.tuples(_sketches(), _sizes()),
    uses=("HR-L5.8R", "HR-Fig2"),
    note="range_finding.md#leverages-of-the-range-finder",
    digits=30,
    examples=60,
)
tightness = Statement(
    labels=("HR-R5.12",),
    claim=r"\exists\,w\in\operatorname{range}A,\ \|w\|=1,\ w_i^2=\tfrac rm\mu_0(A);\quad A=t\,wv^\top+A_0:\ \|Q_i\|\ge"
    r"|w_i|-\frac{\|A_0\Omega\omega+sN\omega\|}{t\|\omega\|^2},\ \omega=\Omega^\top v",
    verdict=Verdict.VERIFIED,
    cases=_strong(),
    uses=("HR-L5.7", "HR-Fig2"),
    note="range_finding.md#leverages-that-cannot-be-avoided",
    examples=60,
)
without_rank = Statement(
    labels=("HR-L5.11b",),
    claim=r"\Pr\Big[\max_i\|Q_i\|^2>\Big(1+\frac{\max_i\|A_i\|^2}{s^2}\Big)\frac{\chi^2_{k'}(\beta/2m)}{\big(\sqrt m-"
    r"\sqrt{k'}-\sqrt{2\log(2/\beta)}\big)_+^2}\Big]\le\beta",
    verdict=Verdict.NEW,
    cases=st.tuples(_sketches(), _sizes()),
    uses=("HR-Fig2", "HR-F2.5"),
    note="range_finding.md#leverages-without-a-bound-on-the-rank",
    digits=30,
    examples=40,
)


def level(rank: Any, coherence: Any, m: Any, width: Any, beta: Any) -> Any:
    """Squared row norm of ``Q`` exceeded with probability at most ``beta``: rank and ``mu0`` of ``A``, ``m`` rows."""
    return (2 * rank * coherence + 4 * width + 8 * np.log(m / beta)) / m


def level_without_rank(row_norm: Any, noise: Any, m: Any, width: Any, beta: Any) -> Any:
    """The same from the longest row of ``A`` and the noise; infinite where ``m`` is too small to say anything."""
    least = np.sqrt(m) - np.sqrt(width) - np.sqrt(2 * np.log(2 / beta))
    return (1 + (row_norm / noise) ** 2) * chdtri(width, beta / (2 * m)) / least**2 if least > 0 else np.inf


@lemma.fast
def leverages(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    """Row by row for the draw given; then the level, against the one with the exact quantile of the Beta law."""
    u, inner, s, omega, noise = sketch
    q = orthonormal(u @ inner @ omega + s * noise)
    wider = fast.leverages(np.linalg.qr(np.hstack([u, noise]))[0])
    contained = (AtMost(x, y, scale=1.0) for x, y in zip(fast.leverages(q), wider, strict=True))
    r, coherence, m, width, beta = sizes
    exactly = uniform_level(r * coherence / m, m, r, width, beta)
    return *contained, AtMost(exactly, level(r, coherence, m, width, beta))


@lemma.oracle
def exact_leverages(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    u, inner, s, omega, noise = (oracle.exact(x) if hasattr(x, "shape") else mp.mpf(x) for x in sketch)
    own = exact.leverages(u * inner * omega + s * noise)
    outside = noise - u * (u.T * noise)
    wider = exact.projector(outside) + u * u.T  # the span of both, as an orthogonal sum
    contained = (AtMost(x, wider[i, i], scale=1) for i, x in enumerate(own))
    r, _, m, width, _ = sizes
    coherence, beta = mp.mpf(sizes[1]), mp.mpf(sizes[4])
    share, low, high = r * coherence / m, mp.mpf(0), mp.mpf(1)
    for _ in range(45):
        middle = (low + high) / 2
        below = mp.betainc(mp.mpf(m - r - width) / 2, mp.mpf(width) / 2, 0, middle, regularized=True) < beta / m
        low, high = (middle, high) if below else (low, middle)
    stated = (2 * r * coherence + 4 * width + 8 * mp.log(m / beta)) / m
    return *contained, AtMost(share + (1 - share) * (1 - low), stated)


@tightness.fast
def strong_vector(u: Any, strength: float, weaker: Any, s: float, omega: Any, noise: Any) -> tuple[Outcome, ...]:
    """``A_0`` is the weaker matrix without its part along ``w``; ``v`` is the first axis."""
    m, r = u.shape
    row = int(np.argmax(fast.leverages(u)))
    w = u @ u[row] / np.linalg.norm(u[row])
    rest = u @ weaker - np.outer(w, w @ u @ weaker)
    a = strength * np.outer(w, np.eye(len(omega))[0]) + rest
    y, seen = a @ omega + s * noise, omega[0]
    off = np.linalg.norm((rest @ omega + s * noise) @ seen) / (strength * (seen @ seen))
    own = fast.leverages(orthonormal(y))[row]
    return Equal(w[row] ** 2, r / m * fast.range_coherence(u)), AtMost(max(w[row] - off, 0.0), np.sqrt(own))


@tightness.oracle
def exact_strong_vector(u: Any, strength: float, weaker: Any, s: float, omega: Any, noise: Any) -> tuple[Outcome, ...]:
    row = int(np.argmax(fast.leverages(u)))  # entries are dyadic, so the squares are exact
    u, weaker, omega, noise = map(oracle.exact, (u, weaker, omega, noise))
    strength, s = mp.mpf(strength), mp.mpf(s)
    own = mp.norm(u[row, :])
    w = u * u[row, :].T / own
    rest = u * weaker - w * (w.T * (u * weaker))
    seen, loud = omega[0, :].T, strength * w * omega[0, :]
    rest_and_noise = rest * omega + s * noise
    off = mp.norm(rest_and_noise * seen) / (strength * (seen.T * seen)[0])
    leverage = exact.leverages(loud + rest_and_noise)[row]
    return (
        Equal(w[row] ** 2, exact.range_coherence(u) * u.cols / u.rows),
        AtMost(max(w[row] - off, mp.mpf(0)), mp.sqrt(leverage)),
    )


@tightness.tight
def one_column() -> list[Any]:
    u = np.array([[1.0], [1.0], [1.0], [1.0]]) / 2
    return [(u, 2.0**40, np.zeros((1, 1)), 1.0, np.ones((1, 1)), np.array([[1.0], [2.0], [0.0], [-1.0]]))]


@without_rank.fast
def chain(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    """The inequalities for the draw given; the two tails, the lower for one column; and the level for one long row.

    Its leverage ``l`` has ``l / (1 - l)`` in a known ratio to that of a Beta variable, which bounds the other rows.
    """
    u, inner, s, omega, noise = sketch
    a = u @ inner
    y = a @ omega + s * noise
    spread = a @ a.T + s**2 * np.eye(len(a))
    white = np.linalg.solve(np.linalg.cholesky(spread), y)
    least = floats.eigenvalues(y.T @ y)[-1]
    own, largest = fast.leverages(orthonormal(y)), float(np.sum(y**2))
    _, ratio, m, width, beta = sizes
    above, c = min(level_without_rank(ratio, 1.0, m, width, beta), 1.0), 1 + ratio**2
    missing = np.array([c * (1 - above) / (above + c * (1 - above)), 1 - above])
    union = np.array([1, m - 1]) @ betainc((m - width) / 2, width / 2, missing)
    stretch = np.sqrt(m) - 1 - np.sqrt(2 * np.log(2 / beta))
    return (
        AtMost(np.max(own - fast.leverages(y) / least), 0.0, scale=1.0),
        AtMost(s**2 * floats.eigenvalues(white.T @ white)[-1], least, scale=largest),
        AtMost(m * chdtrc(width, chdtri(width, beta / (2 * m))), beta / 2),
        AtMost(chdtr(m, max(stretch, 0.0) ** 2), beta / 2),
        AtMost(union, beta),
    )


@without_rank.oracle
def exact_chain(sketch: Any, sizes: Any) -> tuple[AtMost, ...]:
    u, inner, s, omega, noise = (oracle.exact(x) if hasattr(x, "shape") else mp.mpf(x) for x in sketch)
    a = u * inner
    y = a * omega + s * noise
    values, vectors = oracle.eigenvectors(a * a.T + s**2 * mp.eye(a.rows))
    white = vectors * mp.diag([1 / mp.sqrt(x) for x in values]) * vectors.T * y
    least, own = oracle.eigenvalues(y.T * y)[-1], exact.leverages(y)
    excess = max(x - oracle.inner(y[i, :], y[i, :]) / least for i, x in enumerate(own))
    _, ratio, m, width, _ = sizes
    beta, c = mp.mpf(sizes[4]), 1 + mp.mpf(ratio) ** 2
    short = mp.sqrt(m) - mp.sqrt(2 * mp.log(2 / beta))
    stretch, room = max(short - 1, 0), short - mp.sqrt(width)
    above = min(c * _quantile(width, beta / (2 * m)) / room**2, mp.mpf(1)) if room > 0 else mp.mpf(1)
    shares = (c * (1 - above) / (above + c * (1 - above)), 1 - above)
    own_tail, others = (mp.betainc(mp.mpf(m - width) / 2, mp.mpf(width) / 2, 0, x, regularized=True) for x in shares)
    return (
        AtMost(excess, mp.mpf(0), scale=1),
        AtMost(s**2 * oracle.eigenvalues(white.T * white)[-1], least, scale=oracle.inner(y, y)),
        AtMost(beta / 2, beta / 2),
        AtMost(mp.gammainc(mp.mpf(m) / 2, 0, stretch**2 / 2, regularized=True), beta / 2),
        AtMost(own_tail + (m - 1) * others, beta),
    )


def _quantile(degrees: int, tail: Any) -> Any:
    """Upper quantile of a chi-square, by bisection to 15 digits."""
    low, high = mp.mpf(0), mp.mpf(degrees + 200)
    for _ in range(60):
        middle = (low + high) / 2
        beyond = mp.gammainc(mp.mpf(degrees) / 2, middle / 2, mp.inf, regularized=True)
        low, high = (middle, high) if beyond > tail else (low, middle)
    return high
