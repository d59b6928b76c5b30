"""The density ``exp(kappa <M, H>)`` on an orbit is ``2 kappa s``-DP under replacement, ``kappa s``-DP under add/remove.

Here ``s = lambda_1 - lambda_d`` is the spread of the public spectrum, not ``lambda_1``. Between ``M`` and ``M + D`` the
log-ratio at ``H`` is ``kappa <D, H> - log Z'/Z``, and both terms lie in the range of ``kappa <D, .>`` over the orbit,
whose length is ``kappa (a + b) s`` when ``D`` has the eigenvalues ``a >= 0 >= -b``. The norm bound on the rows is
needed for ``a + b <= 2``. The constants are suprema: they are approached as ``M`` grows, but not attained.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.orbit_privacy_loss import privacy_loss as fast_loss
from dpspectra.formulas.orbit_accounting import loss_bound
from dpspectra.ledger import AtMost, Column, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss as exact_loss
from dpspectra.strategies import ball_vectors, dimensions, fields, psd, spectra, st

TILTS = [1.0, 2.0**-6, 16.0, 64.0, 512.0]
"""Bounds on ``kappa`` times the spreads of ``M`` and of the orbit, within the range of the fast normaliser."""


def visible_rows(d: int, field: Any) -> st.SearchStrategy[Any]:
    """Vectors of the unit ball that are 0 or not so short that a row is lost in rounding."""
    return ball_vectors(d, field).filter(lambda v: not 0 < np.max(np.abs(v)) < 2.0**-100)


@statement
class OrbitAccounting:
    labels = ("MWKTV-L6.2X",)
    given = (
        r"L(M,M')=\sup_H\Big|\log\tfrac{p_{M'}(H)}{p_M(H)}\Big|,\ N\succeq0,\ M=N+xx^*,\ M'=N+yy^*,\ \|x\|,\|y\|\le1"
    )
    claim = {
        "loss by the nuclear norm": r"L(M,M')\le\kappa(\lambda_1-\lambda_d)\|yy^*-xx^*\|_*",
        "loss under replacement": r"L(M,M')\le2\kappa(\lambda_1-\lambda_d)",
        "loss under addition": r"L(N,N+yy^*)\le\kappa(\lambda_1-\lambda_d)\|y\|^2",
    }
    where = {
        "L": "privacy loss between two matrices of second moments",
        "N": "second-moment matrix of the rows that stay",
        "x": "row that leaves",
        "y": "row that enters",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.MATRIX_REPLACE)
    uses = ("MWKTV-L6.1", "MWKTV-T5.3", "MWKTV-HCIZ")
    note = "privacy_spectral.md#exact-accounting-on-the-orbit"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[str, Any, Any, Any, Any, float]:
        """Field of the orbit (``d = 2`` for real ones), ``M``, two rows, a spectrum, and ``kappa``, a power of two."""
        d, orbit = draw(dimensions()), draw(st.sampled_from(["real", "complex", "complex"]))
        d = d if orbit == "complex" else 2
        field = draw(fields()) if orbit == "complex" else "real"
        x, y, spectrum = draw(visible_rows(d, field)), draw(visible_rows(d, field)), draw(spectra(d, signed=True))
        m = draw(psd(d, field)) * draw(st.sampled_from([1.0, 2.0**-6]))
        size = max(float(np.trace(m).real) + 1, 1.0) * (float(np.ptp(spectrum)) or 1.0)
        return orbit, m, x, y, spectrum, float(2.0 ** np.floor(np.log2(draw(st.sampled_from(TILTS)) / size)))

    def fast(self, orbit: str, m: Any, x: Any, y: Any, spectrum: Any, kappa: float) -> Parts:
        gone, come = fast.outer(x), fast.outer(y)
        moved = m + come
        replaced, added = (fast_loss(start, moved, spectrum, kappa, orbit) for start in (m + gone, m))
        spread = spectrum[0] - spectrum[-1]
        size = kappa * spread * (1 + np.trace(m).real)
        nuclear = fast.nuclear_norm(come - gone)
        yield AtMost(replaced, kappa * spread * nuclear, scale=size, part="loss by the nuclear norm")
        yield AtMost(replaced, loss_bound(spectrum, kappa, "replace"), scale=size, part="loss under replacement")
        limit = loss_bound(spectrum, kappa, "add_remove") * np.sum(np.abs(y) ** 2)
        yield AtMost(added, limit, scale=size, part="loss under addition")

    def oracle(self, orbit: str, m: Matrix, x: Column, y: Column, spectrum: Any, kappa: Real) -> Parts:
        gone, come = oracle.outer(x), oracle.outer(y)
        moved = m + come
        replaced, added = (exact_loss(start, moved, spectrum, kappa, orbit) for start in (m + gone, m))
        spread, square = mp.mpf(spectrum[0]) - mp.mpf(spectrum[-1]), oracle.inner(y, y)
        nuclear = mp.sqrt((oracle.inner(x, x) + square) ** 2 - 4 * abs((oracle.adjoint(x) * y)[0]) ** 2)
        size = kappa * spread * (1 + mp.fsum(oracle.eigenvalues(m)))
        yield AtMost(replaced, kappa * spread * nuclear, scale=size, part="loss by the nuclear norm")
        yield AtMost(replaced, 2 * kappa * spread, scale=size, part="loss under replacement")
        yield AtMost(added, kappa * spread * square, scale=size, part="loss under addition")

    def tight(self) -> list[Any]:
        """``M = t (x x* + (I - x x* - y y*) / 2)`` in dimension 3, ``M = t x x*`` in 2, at large ``kappa t``."""
        first, second, pole, origin = np.eye(3)[0], np.eye(3)[1], np.array([0.0, 1.0]), np.zeros(2)
        return [
            ("complex", np.diag([999.0, 0.0, 500.0]), first, second, np.array([2.0, 1.0, 0.0]), 0.25),
            ("complex", np.diag([3.0, 0.0, 2.0]), first, second, np.array([2.0, 1.0, 0.0]), 2.0**21),
            ("complex", np.diag([4.0, 0.0]), origin, pole, np.array([3.0, 2.0]), 2.0**22),
            ("real", np.diag([1000.0, 0.0]), origin, pole, np.array([1.0, -1.0]), 0.25),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The second tight case with rows of squared length 1.1; and the bound with ``lambda_1`` for the spread."""
        _, *arrays, spectrum, kappa = self.tight()[1]
        m, x, y = map(oracle.exact, arrays)
        gone, come = oracle.outer(x), oracle.outer(y)
        longer = exact_loss(m + 1.1 * gone, m + 1.1 * come, spectrum, kappa, "complex")
        signed = exact_loss(m + gone, m + come, spectrum - 1, kappa, "complex")
        return {
            "the rows lie in the unit ball": AtMost(longer, 4 * kappa, part="loss under replacement"),
            "s is the spread of the spectrum": AtMost(signed, 2 * kappa, part="loss under replacement"),
        }
