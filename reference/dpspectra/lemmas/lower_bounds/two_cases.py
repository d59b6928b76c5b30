"""The distance to a point of an orbit is at least half that between it and the nearest point of the orbit.

This holds of every set in place of the orbit, and of every ``M``. The paper's second corollary goes on with a lower
bound for that nearest point, which its theorem does not give: it is invoked for one orbit and used on another. For
outputs 0 the nearest point is the output.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Parts, Verdict, all_parts, statement
from dpspectra.lemmas.lower_bounds.two_spectra import Case, instances, point
from dpspectra.oracle import linalg as oracle


@statement
class TwoCases:
    labels = ("MWKTV-E67", "MWKTV-E68")
    given = r"H\in\mathcal O_\lambda,\ \tilde M\in\mathcal O_\lambda\text{ nearest to }M"
    claim = {
        "distance to the orbit": r"\|M-\tilde M\|_F\le\|M-H\|_F",
        "triangle inequality": r"\|\tilde M-H\|_F-\|M-\tilde M\|_F\le\|M-H\|_F",
        "half the distance": r"\tfrac12\|\tilde M-H\|_F\le\|M-H\|_F",
    }
    printed = {
        "MWKTV-E67": r"$`\lVert M-H\rVert_F\ge\lVert M-\tilde M\rVert_F>\lVert\tilde M-H\rVert_F\ge c`$.",
        "MWKTV-E68": r"$`\lVert M-H\rVert_F\ge\frac12\lVert\tilde M-H\rVert_F\ge\frac12c`$.",
    }
    where = {
        "H": "output, a point of the orbit",
        r"\mathcal O_\lambda": r"orbit: all Hermitian matrices with the spectrum $`\lambda`$",
        r"\tilde M": "point of the orbit nearest to $`M`$",
        "M": "any matrix",
    }
    verdict = Verdict.REPAIRED
    note = "lower_bounds.md#two-cases"
    examples = 60

    def cases(self) -> Any:
        return instances(signed=True)

    def fast(self, gamma: Any, spectrum: Any, u: Any, v: Any, *_: Any) -> Parts:
        m, nearest, h = ((w * x) @ fast.adjoint(w) for w, x in ((u, gamma), (u, spectrum), (v, spectrum)))
        first, second, error = (fast.frobenius_norm(x) for x in (m - nearest, nearest - h, m - h))
        size = np.linalg.norm(gamma) + np.linalg.norm(spectrum)
        yield AtMost(first, error, scale=size, part="distance to the orbit")
        yield AtMost(second - first, error, scale=size, part="triangle inequality")
        yield AtMost(second / 2, error, scale=size, part="half the distance")

    def oracle(self, gamma: Any, spectrum: Any, u: Any, v: Any, *_: Any) -> Parts:
        (m, values), (nearest, others), (h, others) = point(gamma, u), point(spectrum, u), point(spectrum, v)
        first, second, error = (oracle.frobenius_norm(x) for x in (m - nearest, nearest - h, m - h))
        size = mp.norm(mp.matrix(values)) + mp.norm(mp.matrix(others))
        yield AtMost(first, error, scale=size, part="distance to the orbit")
        yield AtMost(second - first, error, scale=size, part="triangle inequality")
        yield AtMost(second / 2, error, scale=size, part="half the distance")

    def tight(self) -> list[Any]:
        """Data at the midpoint of two opposite points of the other orbit, nearer to one of them, and beyond it."""
        swap, one = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])
        nearer = [
            Case(np.array(x), one, np.eye(2), v, v, 1, 0.25) for x, v in (([0.75, 0.25], swap), ([3.0, 2.0], np.eye(2)))
        ]
        return [Case(np.array([0.5, 0.5]), one, np.eye(2), swap, swap, 1, 0.25), *nearer]

    def beyond(self) -> dict[str, AtMost]:
        """``M = H`` and an opposite point called the nearest; and ``M = H`` off the orbit of ``diag(1, 0)``."""
        up, swap = np.array([0.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.0]])
        off = oracle.frobenius_norm(mp.eye(2) / 2 - mp.diag([1, 0]))
        return {
            "the nearest point of the orbit": all_parts(self.oracle(up[::-1], up, np.eye(2), swap, swap, 1, 0.25))[2],
            "H is in the orbit": AtMost(off, mp.mpf(0), part="distance to the orbit"),
        }

    def as_printed(self, constant: float, top: float) -> AtMost:
        """Compare the printed lower bound ``c`` with the distance of the output 0 to the nearest point, which is 0."""
        return AtMost(mp.mpf(constant), abs(mp.mpf(top) * 0), part="printed form")

    def hypotheses(self, constant: float, top: float) -> dict[str, AtMost]:
        """``gamma = (top, 0)`` and the output 0, which is private, of the spectrum ``lambda = (0, 0)``."""
        return {
            "the constant is positive": AtMost(mp.mpf(2) ** -40, mp.mpf(constant)),
            "c is a bound of the theorem for gamma: the error is at least c": AtMost(mp.mpf(constant), mp.mpf(top)),
        }

    def counterexample(self) -> Any:
        return (2.0**-10, 1.0)

    certificate = (
        "gamma = (1, 0), lambda = (0, 0): output and nearest point are 0, and c is at least 2^-10",
        "1/1024",
        "0",
    )
