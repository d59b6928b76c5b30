"""DPS-CORRECTION: one last acceptance turns the law of nearly the right matrix on an orbit into that of the right one.

Draws for ``B = Q diag(w + r) Q*`` are kept with probability
``exp(<A - C, H> - c tr(A - C) - e sum |lambda_i - c| - m(H))``. Here ``C = Q diag(w) Q*``, and ``m`` is ``<B - C, H>``
less the smallest value that each diagonal entry of ``Q* H Q`` by itself allows. All but ``<A, H>`` is constant in the
product of density and probability, whatever ``e`` and ``c`` are. It is a probability because ``<A - C, H - c I>`` is at
most ``||A - C||_2`` times the nuclear norm of ``H - c I``, which an orbit fixes. Of ``Q`` only the columns' norm 1 is
used. With the trace of ``H`` in place of that norm, or with entries counted from 0, it exceeds 1, and what is kept has
another law.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy import special

from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Verdict, statement
from dpspectra.oracle import linalg
from dpspectra.strategies import dimensions, dyadics, fields, hermitian, rectangular, spectra, st, unitaries

MOST = "the probability is at most 1"
LEAST = "the probability is not much less"
KEPT = "leading eigenvectors of what is kept"
SHARE = "share of what is kept"
ANGLES = 96
"""Points of the circle that average what the real orbit of order 2 integrates."""


class Case(NamedTuple):
    """A Hermitian ``a``, a basis ``q``, weights ``w`` and what they are moved by, ``r``; a point ``u`` of an orbit.

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


def _bessel(x: Any, spectrum: Any) -> tuple[float, float]:
    """Real matrices ``H`` of order 2 under ``exp(<x, H>)``: mean of ``v_1^2``, and the logarithm of the normaliser.

    ``v`` is the eigenvector of the larger eigenvalue.
    """
    middle, half = float(np.mean(spectrum)), float(spectrum[0] - spectrum[1]) / 2
    across, along = 2 * float(x[0, 1]), float(x[0, 0] - x[1, 1])
    length = half * float(np.hypot(along, across))
    zeroth, first = (float(special.ive(order, length)) for order in (0, 1))
    cosine = float(np.cos(np.arctan2(across, along)))
    return (1 + cosine * first / zeroth) / 2, middle * float(np.trace(x)) + length + float(np.log(zeroth))


@statement
class CorrectionStep:
    labels = ("DPS-CORRECTION",)
    given = (
        r"C=Q\operatorname{diag}(w)Q^*,\ B=Q\operatorname{diag}(w+r)Q^*,\ e\ge\|A-C\|_2,\quad "
        r"p(H)=\exp\big(\langle A-C,H\rangle-c\operatorname{tr}(A-C)-e\sum_i|\lambda_i-c|-m(H)\big),\quad "
        r"m(H)=\sum_i\max(r_i,0)((Q^*HQ)_{ii}-\lambda_d)+\max(-r_i,0)(\lambda_1-(Q^*HQ)_{ii})"
    )
    claim = {
        MOST: r"\langle A-C,H\rangle-c\operatorname{tr}(A-C)-m(H)\le e\sum_i|\lambda_i-c|",
        LEAST: r"c\operatorname{tr}(A-C)-\langle A-C,H\rangle\le e\sum_i|\lambda_i-c|",
        KEPT: r"d=2:\ \mathbb E_B[p(H)v_1^2]/\mathbb E_B[p(H)]=\tfrac12+\tfrac12\cos\varphi\,I_1(\rho_A)/I_0(\rho_A)",
        SHARE: (
            r"d=2:\ \mathbb E_B[p(H)]=\exp\big(\tfrac12(\lambda_1+\lambda_2)\operatorname{tr}(A-B)"
            r"-c\operatorname{tr}(A-C)-e\sum_i|\lambda_i-c|"
            r"+\sum_i\max(r_i,0)\lambda_2-\max(-r_i,0)\lambda_1\big)I_0(\rho_A)/I_0(\rho_B)"
        ),
    }
    where = {
        "A": "Hermitian matrix whose law is wanted; its real part where $`d=2`$",
        "Q": "unitary matrix, the basis as computed",
        "w": "eigenvalues as computed",
        "r": "change of the eigenvalues that the proposal makes",
        "r_i": "the entries of this change",
        "C": "matrix with the computed basis and eigenvalues",
        "B": "matrix whose law is proposed; its real part where $`d=2`$",
        "e": r"bound on $`\lVert A-C\rVert_2`$",
        "H": "point of the orbit; one of the real orbit where $`d=2`$",
        "p(": ("p(H)", "probability with which the proposal is accepted"),
        "c": "any number, such as the middle of the spectrum",
        r"\lambda_i": "the values of the spectrum of the orbit, in descending order",
        "m(": ("m(H)", "part of the exponent that undoes the change of the eigenvalues"),
        r"\mathbb E_B": r"mean under the density in proportion to $`\exp\langle B,H\rangle`$ on the orbit",
        "v_1": r"first entry of the unit eigenvector of $`H`$ for the larger eigenvalue",
        r"\rho_i": (
            r"\rho_M",
            r"$`\tfrac12(\lambda_1-\lambda_2)\sqrt{(M_{11}-M_{22})^2+4M_{12}^2}`$, of a real matrix of order 2",
        ),
        r"\varphi": r"angle of the vector $`(A_{11}-A_{22},2A_{12})`$",
        "I_0": "modified Bessel function of order 0",
        "I_1": "modified Bessel function of order 1",
    }
    verdict = Verdict.NEW
    note = "arithmetic.md#the-step-that-makes-a-law-exact"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Right bases and wrong ones; weights that are raised, lowered, or not moved; often planes."""
        d, field = draw(st.just(2) | dimensions(1, 4)), draw(fields())
        q, moved = draw(unitaries(d, field)), draw(st.booleans())
        w, spectrum = draw(spectra(d, signed=True)) / 8, draw(spectra(d, signed=True)) / 8
        r = moved * draw(rectangular(1, d, entries=4))[0] / 4
        change = draw(hermitian(d, field)) * draw(st.sampled_from([0.0, 2.0**-14, 2.0**-30]))
        bound = float(np.linalg.norm(change, 2)) * (1 + 2.0**-30) * draw(st.sampled_from([1.0, 1.0, 3.0]))
        c = draw(st.sampled_from([0.0, float(spectrum[d // 2])]) | dyadics(-2, 2, 3))
        return Case((q * w) @ q.conj().T + change, q, w, r, spectrum, draw(unitaries(d, field)), bound, c)

    def fast(self, a: Any, q: Any, w: Any, r: Any, spectrum: Any, u: Any, e: float, c: float) -> Parts:
        """Traces of products; Bessel functions, and points of the circle, which see real parts only."""
        near, b = ((q * x) @ q.conj().T for x in (w, w + r))
        bound, trace = e * float(np.sum(np.abs(spectrum - c))), float(np.trace(a).real - np.sum(w))
        least = float(np.sum(r * np.where(r > 0, spectrum[-1], spectrum[0])))

        def gained(x: Any, h: Any) -> Any:
            return np.einsum("ij,...ji->...", a - x, h).real - c * trace

        h = (u * spectrum) @ u.conj().T
        size = float(np.max(np.abs([*spectrum, c])) * np.sum(np.abs([w, r])))  # of terms that cancel
        yield AtMost(float(gained(b, h)) + least, bound, scale=size, part=MOST)
        yield AtMost(-float(gained(near, h)), bound, scale=size, part=LEAST)
        if len(a) != 2:
            return
        turns = 2 * np.pi * np.arange(ANGLES) / ANGLES
        cosines, sines = np.cos(turns), np.sin(turns)
        points = np.moveaxis(np.array([[cosines, sines], [sines, -cosines]]), 2, 0)
        points = np.mean(spectrum) * np.eye(2) + (spectrum[0] - spectrum[1]) / 2 * points
        proposed = np.exp(np.einsum("ij,nji->n", b.real, points))
        kept = proposed * np.exp(gained(b, points) + least - bound)
        mean = float(np.sum(kept * (1 + cosines)) / np.sum(kept)) / 2
        means, levels = zip(*(_bessel(x.real, spectrum) for x in (a, b)), strict=True)
        share = float(np.exp(levels[0] - levels[1] - c * trace + least - bound))
        yield Equal(mean, means[0], part=KEPT)
        yield Equal(float(np.sum(kept) / np.sum(proposed)), share, part=SHARE)

    def oracle(self, a: Any, q: Any, w: Any, r: Any, spectrum: Any, u: Any, e: float, c: float) -> Parts:
        """Inner products entry by entry with many digits; the orbit of order 2 as rotations of its diagonal matrix."""
        a, q, u = (linalg.exact(x) for x in (a, q, u))
        w, r, values = ([mp.mpf(float(x)) for x in numbers] for numbers in (w, r, spectrum))
        e, c = mp.mpf(float(e)), mp.mpf(float(c))
        near, moved = (q * mp.diag(x) * linalg.adjoint(q) for x in (w, r))
        allowed = e * mp.fsum(abs(x - c) for x in values)
        shift = c * linalg.inner(mp.eye(a.rows), a - near)
        h = u * mp.diag(values) * linalg.adjoint(u)
        seen = [mp.re((linalg.adjoint(q) * h * q)[i, i]) for i in range(a.rows)]
        lost = mp.fsum(x * (y - values[-1]) if x > 0 else -x * (values[0] - y) for x, y in zip(r, seen, strict=True))
        yield AtMost(linalg.inner(a - near, h) - shift - lost, allowed, part=MOST)
        yield AtMost(shift - linalg.inner(a - near, h), allowed, part=LEAST)
        if a.rows != 2:
            return
        a, b = (x.apply(mp.re) for x in (a, near + moved))
        allowed -= mp.fsum(x * values[-1] if x > 0 else x * values[0] for x in r)
        total, kept, weighted = mp.mpf(0), mp.mpf(0), mp.mpf(0)
        for i in range(ANGLES + 1):
            cosine, sine = mp.cos(mp.pi * i / (ANGLES + 1)), mp.sin(mp.pi * i / (ANGLES + 1))
            turn = mp.matrix([[cosine, -sine], [sine, cosine]])
            point = turn * mp.diag(values) * turn.T
            density = mp.exp(linalg.inner(b, point))
            product = density * mp.exp(linalg.inner(a - b, point) - shift - allowed)
            total, kept, weighted = total + density, kept + product, weighted + product * turn[0, 0] ** 2
        half = (values[0] - values[1]) / 2
        arrows = [half * mp.mpc(x[0, 0] - x[1, 1], x[0, 1] + x[1, 0]) for x in (a, b)]
        normalisers = [mp.besseli(0, abs(arrow)) for arrow in arrows]
        first = mp.besseli(1, abs(arrows[0])) / normalisers[0]
        traces = linalg.inner(mp.eye(2), a - b) * (values[0] + values[1]) / 2
        yield Equal(weighted / kept, (1 + mp.cos(mp.arg(arrows[0])) * first) / 2, part=KEPT)
        yield Equal(kept / total, mp.exp(traces - shift - allowed) * normalisers[0] / normalisers[1], part=SHARE)

    def tight(self) -> list[Any]:
        """``A - C`` is ``e I``, ``-e I``, ``e v v*``, ``-e v v*`` at ``H = v v*``; moved weights that cost nothing."""
        line, zero, one = np.array([1.0, 0.0]), np.zeros(2), np.eye(2)
        signed = np.array([1.0, -1.5])
        return [
            *(Case(x * 0.5 * one, one, zero, zero, np.array([2.0, 0.5]), one, 0.5, 0.25) for x in (1, -1)),
            *(Case(x * 0.5 * np.diag(line), one, zero, zero, line, one, 0.5, 0.0) for x in (1, -1)),
            *(Case(x * np.diag([0.5, -0.5]), one, zero, zero, signed, one, 0.5, 0.0) for x in (1, -1)),
            *(
                Case(0.5 * np.diag(line), one, zero, np.array(r), line, one, 0.5, 0.0)
                for r in ([0.0, 2.0], [-2.0, 0.0])
            ),
            Case(np.diag([0.5, -0.5]), one, zero, np.array([-1.0, 2.0]), signed, one, 0.5, 0.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """``A = diag(1, -1)`` and ``C = 0`` on the orbit of ``(1, -1)``, of trace 0; numbers in place of matrices."""
        a, spectrum = np.diag([1.0, -1.0]), np.array([1.0, -1.0])
        cosines = np.cos(2 * np.pi * np.arange(2**12) / 2**12)
        clipped = np.minimum(np.exp(2 * cosines), 1)
        right = _bessel(a, spectrum)[0]
        return {
            "the nuclear norm, not the trace": Equal(
                float(np.sum(clipped * (1 + cosines)) / np.sum(clipped)) / 2, right
            ),
            "draws are not all kept": Equal(_bessel(0 * a, spectrum)[0], right),
            "e is at least the norm": AtMost(1.0, 0.5),
            "raised weights count from the least eigenvalue": AtMost(1.0, 0.0),
            "lowered weights count from the largest one": AtMost(1.0, 0.0),
            "the multiple of the trace": AtMost(1.0, 0.0),
        }
