"""DPS-CORRECTION: one last acceptance turns the law of nearly the right matrix on an orbit into that of the right one.

Draws for ``B = Q diag(w + r) Q*`` are kept with probability ``exp(<A - B, H> - c tr(A - C) - e sum |lambda_i - c|)``,
``C = Q diag(w) Q*``: all but ``<A, H>`` is constant in the product of density and probability, whatever ``e`` and ``c``
are. It is a probability because ``<A - C, H - c I>`` is at most ``||A - C||_2`` times the nuclear norm of ``H - c I``,
which an orbit fixes. With the trace of ``H`` in place of that norm, or negative eigenvalues beside raised weights, it
exceeds 1, and what is kept has another law.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy import special

from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import linalg
from dpspectra.strategies import dimensions, dyadics, fields, hermitian, rectangular, spectra, unitaries
from dpspectra.strategies.lazy import st

MOST = "the probability is at most 1"
LEAST = "the probability without raised weights"
KEPT = "mean of what is kept"
SHARE = "share of what is kept"
ANGLES = 96
"""Points of the circle that average what the real orbit of order 2 integrates."""


class Case(NamedTuple):
    """A Hermitian ``a``, a basis ``q``, weights ``w`` and what they are raised by, ``r``; a point ``u`` of an orbit.

    ``e`` bounds ``||a - q diag(w) q*||_2``, and ``c`` is any number.
    """

    a: Any
    q: Any
    w: Any
    r: Any
    spectrum: Any
    u: Any
    e: float
    c: float


@st.composite
def _instances(draw: st.DrawFn) -> Case:
    """Right bases and wrong ones; spectra with negative values where no weight is raised; often planes."""
    d, field = draw(st.just(2) | dimensions(1, 4)), draw(fields())
    q, raised = draw(unitaries(d, field)), draw(st.booleans())
    w, spectrum = draw(spectra(d, signed=True)) / 8, draw(spectra(d, signed=not raised)) / 8
    r = raised * np.abs(draw(rectangular(1, d, entries=4))[0]) / 4
    change = draw(hermitian(d, field)) * draw(st.sampled_from([0.0, 2.0**-14, 2.0**-30]))
    bound = float(np.linalg.norm(change, 2)) * (1 + 2.0**-30) * draw(st.sampled_from([1.0, 1.0, 3.0]))
    c = draw(st.sampled_from([0.0, float(spectrum[d // 2])]) | dyadics(-2, 2, 3))
    return Case((q * w) @ q.conj().T + change, q, w, r, spectrum, draw(unitaries(d, field)), bound, c)


lemma = Statement(
    labels=("DPS-CORRECTION",),
    claim=r"C=Q\,\mathrm{diag}(w)Q^*,\ B=Q\,\mathrm{diag}(w+r)Q^*,\ e\ge\lVert A-C\rVert_2:\quad"
    r"e^{\langle B,H\rangle}\cdot p(H)\propto e^{\langle A,H\rangle},\quad"
    r"p(H)=e^{\langle A-B,H\rangle-c\operatorname{tr}(A-C)-e\sum_i|\lambda_i-c|}"
    r"\in\big[e^{-2e\sum_i|\lambda_i-c|-\langle B-C,H\rangle},1\big]\text{ if }r=0\text{, or }r\ge0,\ H\succeq0",
    verdict=Verdict.NEW,
    cases=_instances,
    note="arithmetic.md#the-step-that-makes-a-law-exact",
    examples=60,
)


@lemma.fast
def floats(a: Any, q: Any, w: Any, r: Any, spectrum: Any, u: Any, e: float, c: float) -> tuple[Outcome, ...]:
    """Traces of products; Bessel functions, and points of the circle."""
    b, size = (q * (w + r)) @ q.conj().T, float(np.sum(np.abs(spectrum - c)))
    trace, h = float(np.trace(a).real - np.sum(w)), (u * spectrum) @ u.conj().T

    def logarithm(h: Any) -> Any:
        return np.einsum("ij,...ji->...", a - b, h).real - c * trace - e * size

    found = float(logarithm(h))
    lowered = float(np.trace(h @ (q * r) @ q.conj().T).real)
    scale = float(np.linalg.norm(a) + np.linalg.norm(b)) * (float(np.linalg.norm(h)) + abs(c))
    always = (
        AtMost(found + e * size, e * size, scale, part=MOST),
        AtMost(-lowered - found, 2 * e * size, scale, part=LEAST),
    )
    if len(a) != 2 or np.any(np.imag([a, q])):
        return always
    turns = 2 * np.pi * np.arange(ANGLES) / ANGLES
    cosines, sines = np.cos(turns), np.sin(turns)
    points = np.moveaxis(np.array([[cosines, sines], [sines, -cosines]]), 2, 0)
    points = np.mean(spectrum) * np.eye(2) + (spectrum[0] - spectrum[1]) / 2 * points
    proposed = np.exp(np.einsum("ij,nji->n", b.real, points))
    kept = proposed * np.minimum(np.exp(logarithm(points)), 1)
    mean = float(np.sum(kept * points[:, 0, 0]) / np.sum(kept))
    means, levels = zip(*(_bessel(x.real, spectrum) for x in (a, b)), strict=True)
    share = float(np.exp(levels[0] - levels[1] - c * trace - e * size))
    return (
        *always,
        Equal(mean, means[0], float(np.max(np.abs(spectrum))), part=KEPT),
        Equal(float(np.sum(kept) / np.sum(proposed)), share, part=SHARE),
    )


def _bessel(x: Any, spectrum: Any) -> tuple[float, float]:
    """Mean of ``H_11`` under ``exp(<x, H>)`` on the real orbit of order 2, and the logarithm of the normaliser."""
    middle, half = float(np.mean(spectrum)), float(spectrum[0] - spectrum[1]) / 2
    across, along = 2 * float(x[0, 1]), float(x[0, 0] - x[1, 1])
    length = float(np.hypot(along, across))
    zeroth, first = (float(special.ive(order, half * length)) for order in (0, 1))
    cosine = along / length if length else 1.0
    return middle + half * cosine * first / zeroth, middle * float(np.trace(x)) + half * length + float(np.log(zeroth))


@lemma.oracle
def definition(a: Any, q: Any, w: Any, r: Any, spectrum: Any, u: Any, e: float, c: float) -> tuple[Outcome, ...]:
    """Inner products entry by entry with many digits; the orbit of order 2 as rotations of its diagonal matrix."""
    a, q, u = (linalg.exact(x) for x in (a, q, u))
    w, r, values = ([mp.mpf(float(x)) for x in numbers] for numbers in (w, r, spectrum))
    e, c = mp.mpf(float(e)), mp.mpf(float(c))
    near, lowered = (q * mp.diag(x) * linalg.adjoint(q) for x in (w, r))
    allowed = e * mp.fsum(abs(x - c) for x in values)
    shift = c * linalg.inner(mp.eye(a.rows), a - near) + allowed
    h = u * mp.diag(values) * linalg.adjoint(u)
    found = linalg.inner(a - near - lowered, h) - shift
    scale = (linalg.frobenius_norm(a) + linalg.frobenius_norm(near + lowered)) * (linalg.frobenius_norm(h) + abs(c))
    always = (
        AtMost(found + allowed, allowed, scale, part=MOST),
        AtMost(-linalg.inner(lowered, h) - found, 2 * allowed, scale, part=LEAST),
    )
    if a.rows != 2 or any(mp.im(x) for x in [*a, *q]):
        return always
    a, b = (x.apply(mp.re) for x in (a, near + lowered))
    total, kept, weighted = mp.mpf(0), mp.mpf(0), mp.mpf(0)
    for i in range(ANGLES + 1):
        cosine, sine = mp.cos(mp.pi * i / (ANGLES + 1)), mp.sin(mp.pi * i / (ANGLES + 1))
        turn = mp.matrix([[cosine, -sine], [sine, cosine]])
        point = turn * mp.diag(values) * turn.T
        density = mp.exp(linalg.inner(b, point))
        probability = min(mp.exp(linalg.inner(a - b, point) - shift), 1)
        total, kept = total + density, kept + density * probability
        weighted += density * probability * point[0, 0]
    half = (values[0] - values[1]) / 2
    lengths = [mp.hypot(x[0, 0] - x[1, 1], x[0, 1] + x[1, 0]) for x in (a, b)]
    normalisers = [mp.besseli(0, half * length) for length in lengths]
    cosine = (a[0, 0] - a[1, 1]) / lengths[0] if lengths[0] else mp.mpf(1)
    mean = (values[0] + values[1]) / 2 + half * cosine * mp.besseli(1, half * lengths[0]) / normalisers[0]
    traces = linalg.inner(mp.eye(2), a - b) * (values[0] + values[1]) / 2
    return (
        *always,
        Equal(weighted / kept, mean, max(map(abs, values)), part=KEPT),
        Equal(kept / total, mp.exp(traces - shift) * normalisers[0] / normalisers[1], part=SHARE),
    )


@lemma.tight
def multiples_of_the_identity_and_lines() -> list[Any]:
    """``A - C`` is ``e I``, ``-e I``, ``e v v*``, ``-e v v*`` at ``H = v v*``; a raised weight that no draw meets."""
    line, zero, one = np.array([1.0, 0.0]), np.zeros(2), np.eye(2)
    signed = np.array([1.0, -1.5])
    return [
        *(Case(x * 0.5 * one, one, zero, zero, np.array([2.0, 0.5]), one, 0.5, 0.25) for x in (1, -1)),
        *(Case(x * 0.5 * np.diag(line), one, zero, zero, line, one, 0.5, 0.0) for x in (1, -1)),
        *(Case(x * np.diag([0.5, -0.5]), one, zero, zero, signed, one, 0.5, 0.0) for x in (1, -1)),
        Case(0.5 * np.diag(line), one, zero, np.array([0.0, 2.0]), line, one, 0.5, 0.0),
    ]


@lemma.beyond
def a_trace_for_a_norm_and_no_step() -> dict[str, Outcome]:
    """``A = diag(1, -1)`` and ``C = 0`` on the orbit of ``(1, -1)``, whose trace is 0; numbers in place of matrices."""
    a, spectrum = np.diag([1.0, -1.0]), np.array([1.0, -1.0])
    turns = 2 * np.pi * np.arange(2**12) / 2**12
    clipped = np.minimum(np.exp(2 * np.cos(turns)), 1)
    right = _bessel(a, spectrum)[0]
    return {
        "the nuclear norm, not the trace": Equal(float(np.sum(clipped * np.cos(turns)) / np.sum(clipped)), right),
        "draws are not all kept": Equal(_bessel(0 * a, spectrum)[0], right),
        "e is at least the norm": AtMost(1.0, 0.5),
        "H is positive semidefinite, or r = 0": AtMost(-1.0 * -1.0, 0.0),
        "r is not negative": AtMost(1.0 * 1.0, 0.0),
        "the multiple of the trace": AtMost(1.0 * 1.0, 1.0 * abs(1.0 - 1.0)),
    }
