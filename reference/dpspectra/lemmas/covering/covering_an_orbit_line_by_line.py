"""An orbit is covered line by line: the exponent is its dimension, and each eigenvalue has its own base.

A rotation that takes the first eigenvector to the nearest line of a net moves the matrix by ``lambda_1`` times the sine
of the angle; the other eigenvectors are then in the complement of this line, where the next one is taken. So lines of
``d``, ``d - 1``, .. dimensions are covered, with radii that add up to ``zeta``. MWKTV-L6.3X covers all frames at once:
its exponent is larger, and its base smaller by the factor ``k``, which is better for flat spectra and large radii.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaln

from dpspectra.fast import linalg as fast
from dpspectra.fast.caps import log_line_cap
from dpspectra.ledger import AtMost, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.covering.orbit_cover import exact_log_fewest, log_fewest
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, fields, spectra, st, unitaries


def log_bound(top: Any, d: int, radius: float, field: str) -> float:
    """Logarithm of a number of points that cover the orbit of these ``k`` values and zeros, in spectral norm."""
    quotients = np.asarray(top, dtype=float) * len(top) / radius
    rest = d - np.arange(1, len(top) + 1)
    real = gammaln((rest + 2) / 2) - gammaln((rest + 1) / 2) + np.log(np.pi) / 2
    lines = rest * np.log(2 * np.maximum(quotients, 1.0)) * (1 if field == "real" else 2)
    return float(np.sum((lines + (real if field == "real" else 0.0))[quotients > 1]))


@statement
class CoveringAnOrbitLineByLine:
    labels = ("MWKTV-L6.3F",)
    given = (
        r"N(\mathcal O_\Lambda,\|\cdot\|_2,\zeta)\le\prod_{l\le k:\,k\lambda_l>\zeta}a_{d-l}\Big("
        r"\frac{2k\lambda_l}\zeta\Big)^{\beta_{\mathbb F}(d-l)},\ a=1\text{ (complex)},\ "
        r"a_n=\tfrac{\sqrt\pi\,\Gamma((n+2)/2)}{\Gamma((n+1)/2)}\text{ (real)}"
    )
    claim = {
        "matrix after a rotation": r"\|RHR^*-H\|_2\le\lambda_1\sin\theta",
        "measure of lines": r"\text{real: }x^{d-1}\le a_{d-1}\,\mu\{\sin\le x\}",
        "covering number": (
            r"\lambda_1=..=\lambda_k=1,\ \zeta<1:\ \log N_0\le\sum_{l\le k}\big(\beta_{\mathbb F}(d-l)"
            r"\log\tfrac{2k}\zeta+\log a_{d-l}\big)"
        ),
    }
    where = {
        "R": "rotation of one plane by at most a right angle",
        r"\theta": "angle of the rotation",
        "a, a_i": "number for lines of one dimension more",
        "n": "dimension of the space of lines",
        "x": "sine of an angle",
        "N_0": "lower bound on $`N`$, as in MWKTV-L6.3X",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-L8.1X",)
    note = "covering.md#covering-an-orbit-line-by-line"
    examples = 60
    slack = {
        "covering number": Slack(0.933334, "volumes of disjoint balls of half the radius are compared"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[str, Any, Any, Any, float, float]:
        """A field, the top of a spectrum, eigenvectors, the plane and the sine of a rotation, and a radius."""
        d, field = draw(dimensions(2)), draw(fields())
        top = draw(spectra(draw(st.integers(1, d))))
        sine = draw(st.sampled_from([1.0, 0.5, 2.0**-12]))
        return field, top, draw(unitaries(d, field)), draw(unitaries(d, field)), sine, draw(dyadics(2.0**-6, 0.875))

    def fast(self, field: str, top: Any, u: Any, w: Any, sine: float, x: float) -> Parts:
        d, k = len(u), len(top)
        h = (u[:, :k] * top) @ fast.adjoint(u[:, :k])
        cosine = np.sqrt((1 - sine) * (1 + sine))
        turn = np.eye(d) + w[:, :2] @ np.array([[cosine - 1, -sine], [sine, cosine - 1]]) @ fast.adjoint(w[:, :2])
        moved = fast.spectral_norm(turn @ h @ fast.adjoint(turn) - h)
        yield AtMost(moved, top[0] * sine, scale=top[0], part="matrix after a rotation")
        if field == "real":
            share = np.exp(log_line_cap(x * x, d, field))
            factor = np.exp(gammaln((d + 1) / 2) - gammaln(d / 2)) * np.sqrt(np.pi)
            yield AtMost(x ** (d - 1), float(factor * share), part="measure of lines")
        covered = log_bound(np.ones(k), d, x, field)
        yield AtMost(log_fewest(d, k, x, field), covered, scale=1, part="covering number")

    def oracle(self, field: str, top: Any, u: Any, w: Any, sine: Real, x: Real) -> Parts:
        d, k = len(u), len(top)
        frame, plane = oracle.columns(oracle.exact(u), range(k)), oracle.columns(oracle.exact(w), range(2))
        h = frame * mp.diag([mp.mpf(float(v)) for v in top]) * frame.H
        cosine = mp.sqrt(1 - sine**2)
        turn = mp.eye(d) - plane * plane.H + plane * mp.matrix([[cosine, -sine], [sine, cosine]]) * plane.H
        largest = mp.mpf(float(top[0]))
        moved = oracle.spectral_norm(turn * h * turn.H - h)
        yield AtMost(moved, largest * sine, scale=largest, part="matrix after a rotation")
        if field == "real":
            ball, whole = (mp.quad(lambda t: mp.sin(t) ** (d - 2), [0, end]) for end in (mp.asin(x), mp.pi / 2))
            yield AtMost(x ** (d - 1), _exact_factor(d - 1, field) * ball / whole, part="measure of lines")
        lines = [
            (d - n) * mp.log(2 * k / x) * (2 if field == "complex" else 1) + mp.log(_exact_factor(d - n, field))
            for n in range(1, k + 1)
        ]
        yield AtMost(exact_log_fewest(d, k, x, field), mp.fsum(lines), scale=1, part="covering number")

    def tight(self) -> list[Any]:
        """The first eigenvector is turned by an angle of 30 degrees; small caps; many balls, and few."""
        turned, axes = np.array([5.0, 2.0]), np.eye(3)
        lines = [("complex", np.array([1.0]), np.eye(4) + 0j, np.eye(4) + 0j, 1.0, x) for x in (2.0**-14, 0.875)]
        return [("real", turned, axes, axes[:, [0, 2, 1]], 0.5, 2.0**-12), *lines]

    def beyond(self) -> dict[str, AtMost]:
        """``diag(1, -1)`` turned by an angle of sine 1/2."""
        turn = mp.matrix([[mp.sqrt(3), -1], [1, mp.sqrt(3)]]) / 2
        moved = oracle.spectral_norm(turn * mp.diag([1, -1]) * turn.T - mp.diag([1, -1]))
        return {"no eigenvalue is negative": AtMost(moved, mp.mpf(1) / 2, part="matrix after a rotation")}


def _exact_factor(n: int, field: str) -> Any:
    """``a_n``: ``n`` times the integral of ``sin^(n - 1)`` up to a right angle."""
    if field == "complex" or n == 0:
        return mp.mpf(1)
    return n * mp.quad(lambda t: mp.sin(t) ** (n - 1), [0, mp.pi / 2])
