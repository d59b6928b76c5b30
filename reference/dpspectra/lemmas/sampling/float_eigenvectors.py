"""Sampling for ``M + E`` in place of ``M`` changes log-densities by at most ``2 kappa |E|_2 min_c sum |lambda_i - c|``.

Shifting the spectrum by ``c`` changes no law, ``|<E, H - cI>| <= |E|_2 |H - cI|_*``, and the log-normaliser changes by
at most as much; the best ``c`` is a median. A float eigendecomposition, made exactly unitary, is that of such an
``M + E``. The size of ``E`` depends on the data, so a measured charge does not cover the neighbour of ``M``. Charge a
public bound for both data sets, and refine the computation until it meets that bound.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.orbit_privacy_loss import privacy_loss as fast_loss
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.orbit_privacy_loss import privacy_loss as exact_loss
from dpspectra.strategies import fields, hermitian, matrix_neighbours, st
from dpspectra.strategies.orbits import levels


class Case(NamedTuple):
    """Neighbours, the error added to each, a spectrum, ``kappa`` and the field of the orbit."""

    m: Any
    other: Any
    error: Any
    other_error: Any
    spectrum: Any
    kappa: float
    field: str


def bound(difference: Any, spectrum: Any, kappa: Any) -> Any:
    """Charge (in log-ratio) for a change of ``M`` of spectral norm ``difference``."""
    return 2 * kappa * difference * np.sum(np.abs(spectrum - np.median(spectrum)))


@statement
class FloatEigenvectors:
    labels = ("DPS-EIGCHARGE",)
    given = r"\chi(E)=2\kappa\|E\|_2\min_c\sum_i|\lambda_i-c|"
    claim = {
        "charge of one decomposition": r"D_\infty(\nu_{M+E},\nu_M)\le\chi(E)",
        "loss with both errors": (
            r"D_\infty(\nu_{M+E},\nu_{M'+E'})\le D_\infty(\nu_M,\nu_{M'})+2\max\{\chi(E),\chi(E')\}"
        ),
    }
    where = {
        r"D_\infty": "largest modulus of the logarithm of the ratio of two densities",
        r"\nu_M": "law of the orbit mechanism for the data $`M`$",
        r"\nu_{M'}": "law of the orbit mechanism for the neighbouring data",
        r"\nu_{M+E}": "law of the orbit mechanism for the data with an error",
        r"\nu_{M'+E'}": "law of the orbit mechanism for the neighbouring data with an error",
        "E": "error of the eigendecomposition of $`M`$",
        "E'": "error of the eigendecomposition of $`M'`$",
        "c": "number; a median of the spectrum is best",
        r"\chi": "privacy that an error costs at most, in nats",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    note = "sampling.md#charge-for-a-float-eigendecomposition"
    examples = 24

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Neighbours in up to four dimensions, over the reals in two; errors of several sizes, zero included."""
        field = draw(fields())
        d = 2 if field == "real" else draw(st.integers(1, 4))
        m, other, *_ = draw(matrix_neighbours(d, field))
        errors = [draw(hermitian(d, field)) * draw(st.sampled_from([2.0**-8, 2.0**-4, 0.0])) for _ in range(2)]
        spectrum = draw(levels(d))
        size = float(np.ptp(spectrum)) * max(1.0, *(float(np.linalg.norm(x)) for x in (m, other, *errors))) or 1.0
        kappa = draw(st.sampled_from([64.0, 4.0, 0.0, 0.5])) * 2.0 ** -np.ceil(np.log2(size))
        return Case(m, other, errors[0], errors[1], spectrum, float(kappa), field)

    def fast(self, m: Any, other: Any, error: Any, other_error: Any, spectrum: Any, kappa: float, field: str) -> Parts:
        pair = (m, error), (other, other_error)
        chi = [bound(fast.spectral_norm(e), spectrum, kappa) for _, e in pair]
        scale = 1 + kappa * fast.spectral_norm(m) * np.sum(spectrum - spectrum[-1])
        for (a, e), c in zip(pair, chi, strict=True):
            charged = fast_loss(a, a + e, spectrum, kappa, field)
            yield AtMost(charged, c, scale=scale, part="charge of one decomposition")
        loss = fast_loss(m + error, other + other_error, spectrum, kappa, field)
        neighbours = fast_loss(m, other, spectrum, kappa, field)
        yield AtMost(loss, neighbours + 2 * max(chi), scale=scale, part="loss with both errors")

    def oracle(
        self, m: Matrix, other: Matrix, error: Matrix, other_error: Matrix, spectrum: Reals, kappa: Real, field: str
    ) -> Parts:
        pair = ((m, error), (other, other_error))
        size = min(mp.fsum(abs(value - c) for value in spectrum) for c in spectrum)  # convex, and linear between values
        chi = [2 * kappa * oracle.spectral_norm(e) * size for _, e in pair]
        scale = 1 + kappa * oracle.spectral_norm(m) * mp.fsum(v - spectrum[-1] for v in spectrum)
        for (a, e), c in zip(pair, chi, strict=True):
            charged = exact_loss(a, a + e, spectrum, kappa, field)
            yield AtMost(charged, c, scale=scale, part="charge of one decomposition")
        loss = exact_loss(m + error, other + other_error, spectrum, kappa, field)
        neighbours = exact_loss(m, other, spectrum, kappa, field)
        yield AtMost(loss, neighbours + 2 * max(chi), scale=scale, part="loss with both errors")

    def tight(self) -> list[Any]:
        """Distant eigenvalues, and errors in the opposite and in the same order."""
        ladder = np.array([2.0, 1.0, 0.0])
        m, error = np.diag(2.0**21 * ladder), 64 * np.diag(ladder - 1)
        return [Case(m, m, -error, error, ladder, 1.0, "complex")]

    def beyond(self) -> dict[str, AtMost]:
        """A charge for the error of one data set does not cover the error of the other."""
        m, error = mp.diag([1, 0]), mp.diag([1, 0]) / 2
        loss = exact_loss(m, m + error, [1, 0], 1)
        return {"both errors are charged": AtMost(loss, mp.mpf(0), part="loss with both errors")}
