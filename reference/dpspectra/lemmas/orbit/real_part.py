"""For a real ``M`` the real matrix nearest to the real part of a complex point of an orbit has at most twice its gap.

Eigenvalues of ``H + conj(H)`` less those of ``H``, both descending, are majorised by those of ``conj(H)`` (Lidskii).
They are the eigenvalues of ``2 Re H - H'``, ``H'`` the nearest matrix of the same spectrum. So ``2 Re H - H'`` is in
the convex hull of the orbit and scores at most ``OPT``; and for a real ``M`` the score of ``Re H`` is that of ``H``.
Where ``Re H`` has a tie several matrices are nearest, and the bound holds for all of them; the worst one, which the
faces take, can have exactly twice the gap. For a complex ``M`` there is no such bound: the best ``H`` may have a real
part that is a multiple of the identity.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.real_part_utility_gap import bound
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import hermitian, spectra, st, with_spectrum

LITTLE = 1e-75
"""Share of ``M`` that decides among the nearest matrices, below the digits of the oracle."""
TIED, APART = 2.0**-40, 2.0**-16
"""Relative differences up to which eigenvalues of the real part count as equal, and from which as separated.

Cases with a difference in between are left out, since float64 could not decide them.
"""


def _points(d: int) -> st.SearchStrategy[Any]:
    """Complex Hermitian matrices, generic or with an exact spectrum of either sign."""
    return hermitian(d, "complex") | spectra(d, signed=True).flatmap(lambda s: with_spectrum(s, "complex"))


@statement
class RealPart:
    labels = ("DPS-REALPART",)
    given = (
        r"M\text{ real symmetric},\ H\in\mathcal O_\Lambda\text{ complex},\ "
        r"H'\text{ real of spectrum }\Lambda\text{ nearest to }\mathrm{Re}\,H"
    )
    claim = {
        "gap of the real matrix": r"\mathrm{OPT}-\langle M,H'\rangle\le2\,(\mathrm{OPT}-\langle M,H\rangle)",
        "majorisation": r"\max_{|S|=j}\sum_{i\in S}(2\rho_i-\lambda_i)\le\sum_{i\le j}\lambda_i\ (j<d)",
    }
    where = {
        "H'": "real matrix of the same spectrum nearest to the real part of $`H`$",
        "M": "real symmetric matrix of the data",
        r"\rho_i": r"the eigenvalues of $`\mathrm{Re}\,H`$, in descending order",
        "S": "set of places",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-P2.1",)
    note = "orbit.md#nearest-real-matrix"

    def cases(self) -> st.SearchStrategy[Any]:
        """Pairs ``(M, H)``, where neighbouring eigenvalues of the real part of ``H`` are equal or well separated."""

        def decided(case: tuple[Any, Any]) -> bool:
            values, size = fast.eigenvalues(case[1].real), fast.frobenius_norm(case[1])
            return not any(TIED * size < a - b < APART * size for a, b in itertools.pairwise(values))

        return st.sampled_from([3, 2, 4, 1]).flatmap(lambda d: st.tuples(hermitian(d), _points(d))).filter(decided)

    def fast(self, m: Any, h: Any) -> Parts:
        spectrum, (values, vectors) = fast.eigenvalues(h), fast.eigenvectors(h.real)
        best, size = fast.eigenvalues(m) @ spectrum, fast.frobenius_norm(h)
        # A tie leaves the order inside its eigenspace free, where the worst one is opposite to that of M.
        tied = np.isclose(values[:-1], values[1:], rtol=0, atol=TIED * size)
        ends = [0, *(np.flatnonzero(~tied) + 1), len(values)]
        spaces = [slice(*pair) for pair in itertools.pairwise(ends)]
        worst = sum(spectrum[s] @ np.linalg.eigvalsh(vectors[:, s].T @ m @ vectors[:, s]) for s in spaces)
        scale = fast.frobenius_norm(m) * size
        sums = [np.cumsum(x)[:-1] for x in (np.sort(2 * values - spectrum)[::-1], spectrum)]
        yield AtMost(best - worst, bound(best - fast.inner(m, h)), scale=scale, part="gap of the real matrix")
        for a, b in zip(*sums, strict=True):
            yield AtMost(a, b, scale=len(m) * size, part="majorisation")

    def oracle(self, m: Matrix, h: Matrix) -> Parts:
        real, spectrum, gamma = h.apply(mp.re), oracle.eigenvalues(h), oracle.eigenvalues(m)
        values, size = oracle.eigenvalues(real), oracle.frobenius_norm(h)
        with mp.workdps(3 * mp.dps):  # among all nearest matrices the worst is the one nearest to Re H minus a little M
            nearest = oracle.orbit_projection(real - LITTLE * m, spectrum)
            scored = oracle.inner(m, nearest)
        left = [2 * v - x for v, x in zip(values, spectrum, strict=True)]
        (_, best), scale = oracle.pairings(gamma, spectrum), oracle.frobenius_norm(m)
        yield AtMost(best - scored, 2 * (best - oracle.inner(m, h)), scale=scale * size, part="gap of the real matrix")
        for k in range(1, h.rows):
            most = max(map(mp.fsum, itertools.combinations(left, k)))
            yield AtMost(most, mp.fsum(spectrum[:k]), scale=h.rows * size, part="majorisation")

    def tight(self) -> list[Any]:
        """A projector whose real part is a multiple of the identity, and one whose real part nearly is."""
        vectors = np.array([1.0, 1.0j]), np.array([1.0, (1 + 2.0**-10) * 1j])
        return [(np.diag([1.0, 0.0]), np.outer(v, v.conj())) for v in vectors]

    def beyond(self) -> dict[str, AtMost]:
        """A complex line as ``M`` and as ``H``: the gap of ``H`` is 0, and every real line misses 1/2."""
        line = oracle.exact(np.array([[1.0, -1.0j], [1.0j, 1.0]])) / 2
        score, axis = oracle.inner(line, line), oracle.inner(line, mp.diag([1, 0]))
        return {"a real matrix M": AtMost(1 - axis, 2 * (1 - score), scale=1)}
