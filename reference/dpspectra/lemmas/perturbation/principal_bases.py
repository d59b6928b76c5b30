"""Bases of two subspaces in principal position are closer than their projectors: ``|U_1 - V_1|_F <= |P - I_k|_F``.

If ``U_1* V_1`` is the diagonal matrix of cosines, then ``|U_1 - V_1|_F^2 = 2 sum (1 - cos)``, and ``|P - I_k|_F^2`` is
the sum ``2 sum (1 - cos^2)``, which is not smaller. ``V_1 U_1*`` carries the axes to a basis of ``range P`` at the same
distance. Bases in another position can be ``2 sqrt(k)`` apart even if the subspaces agree.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast.alignment import principal_bases
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal
from dpspectra.oracle.alignment import principal_bases as exact_principal_bases
from dpspectra.strategies import dimensions, fields, st
from dpspectra.strategies.matrices import DTYPES
from dpspectra.strategies.subspaces import subspaces

ROUNDING = 1e-150
"""Size up to which a number counts as rounding in the oracle, where it works with 200 digits."""


def clean(size: Any) -> Any:
    """Zero where only rounding is left, so that no ratio of rounding errors is reported."""
    return mp.chop(size, tol=ROUNDING)


@st.composite
def oblique_bases(draw: st.DrawFn) -> tuple[Any]:
    """An oblique basis of a subspace; the other one is spanned by the first axes."""
    d, field = draw(dimensions()), draw(fields())
    k = draw(st.integers(1, d))
    return (draw(subspaces(np.eye(d, dtype=DTYPES[field]), k, k)),)


def _position(basis: Any) -> tuple[Any, Any, Any, Any]:
    """The axes, principal bases of their span and of the given one, and the projector onto the given one."""
    q = np.linalg.qr(basis)[0]
    axes = np.eye(*basis.shape)
    return axes, *principal_bases(axes, q), q @ fast.adjoint(q)


def _exact_position(basis: Any) -> tuple[Any, Any, Any, Any]:
    q = orthonormal(basis)
    axes = oracle.columns(mp.eye(q.rows), range(q.cols))
    return axes, *exact_principal_bases(axes, q), q * q.H


def _cosines(basis: Any) -> Any:
    return np.cos(fast.principal_angles(np.eye(*basis.shape), np.linalg.qr(basis)[0]))


def _exact_cosines(basis: Any) -> list[Any]:
    q = orthonormal(basis)
    return [mp.cos(angle) for angle in oracle.principal_angles(oracle.columns(mp.eye(q.rows), range(q.cols)), q)]


@statement
class PrincipalBasesByCosines:
    labels = ("MWKTV-E25",)
    claim = {
        "distance by cosines": r"\|U_1-V_1\|_F^2=2\sum_\ell(1-\cos\theta_\ell)",
    }
    printed = r"$`\lVert U_1-V_1\rVert_F^2=2k-2\sum_{i=1}^k\cos\theta_i`$."
    verdict = Verdict.VERIFIED
    uses = ("HP-D2.1",)
    note = "perturbation.md#principal-bases"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> Equal:
        _, u, v, _ = _position(basis)
        stated = 2 * np.sum(1 - _cosines(basis))
        return Equal(fast.frobenius_norm(u - v) ** 2, stated, scale=1, part="distance by cosines")

    def oracle(self, basis: Matrix) -> Equal:
        with mp.workdps(4 * mp.dps):  # directions at a tiny cosine keep few digits
            _, u, v, _ = _exact_position(basis)
            square = oracle.frobenius_norm(u - v) ** 2
        return Equal(square, 2 * sum(1 - c for c in _exact_cosines(basis)), scale=1, part="distance by cosines")

    def tight(self) -> list[Any]:
        """A plane at the angles with cosines 3/5 and 4/5 to the first two axes, and a line at a right angle."""
        plane = np.array([[3.0, 0.0], [0.0, 4.0], [4.0, 0.0], [0.0, 3.0]])
        return [(plane,), (np.array([[0.0], [1j]]),)]

    def beyond(self) -> dict[str, Equal]:
        """Two bases of one line, the angle of which is 0: their distance is 2."""
        square = oracle.frobenius_norm(mp.matrix([1, 0]) - mp.matrix([-1, 0])) ** 2
        return {"principal bases": Equal(square, mp.mpf(0), scale=1, part="distance by cosines")}


@statement
class PrincipalBasesCloser:
    labels = ("MWKTV-E27",)
    claim = {
        "distance of principal bases": r"\|U_1-V_1\|_F\le\|P-I_k\|_F",
    }
    printed = r"$`\lVert U_1-V_1\rVert_F\le\lVert V_1V_1^*-I_k\rVert_F`$."
    where = {
        "P": "projector of rank $`k`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-E25", "MWKTV-E26")
    note = "perturbation.md#principal-bases-are-closer-than-projectors"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> AtMost:
        axes, u, v, p = _position(basis)
        distance = fast.frobenius_norm(p - axes @ axes.T)
        return AtMost(fast.frobenius_norm(u - v), distance, scale=1, part="distance of principal bases")

    def oracle(self, basis: Matrix) -> AtMost:
        with mp.workdps(4 * mp.dps):
            axes, u, v, p = _exact_position(basis)
            moved, distance = (clean(oracle.frobenius_norm(a)) for a in (u - v, p - axes * axes.T))
            return AtMost(moved, distance, scale=1, part="distance of principal bases")

    def tight(self) -> list[Any]:
        return [(np.eye(4)[:, [2, 1]],), (np.array([[0.0], [1j]]),)]

    def beyond(self) -> dict[str, AtMost]:
        """Two bases of one line: their distance is 2, that of the projectors 0."""
        u, v = mp.matrix([1, 0]), mp.matrix([-1, 0])
        moved, distance = oracle.frobenius_norm(u - v), oracle.frobenius_norm(u * u.H - v * v.H)
        return {"principal bases": AtMost(moved, distance, part="distance of principal bases")}


@statement
class PrincipalBasesBySquaredCosines:
    labels = ("MWKTV-E26",)
    claim = {
        "distance by squared cosines": r"\|P-I_k\|_F^2=2\sum_\ell(1-\cos^2\theta_\ell)",
        "cosines against squared cosines": r"2\sum_\ell(1-\cos\theta_\ell)\le2\sum_\ell(1-\cos^2\theta_\ell)",
    }
    printed = r"$`\lVert V_1V_1^*-I_k\rVert_F^2\ge2k-2\sum_{i=1}^k\cos\theta_i`$."
    where = {
        "P": "projector of rank $`k`$",
        r"\theta_i": "the principal angles between the range of $`P`$ and the first $`k`$ axes",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-D2.1",)
    note = "perturbation.md#projectors-by-squared-cosines"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> Parts:
        axes, _, _, p = _position(basis)
        cosines = _cosines(basis)
        square = 2 * np.sum(1 - cosines**2)
        yield Equal(fast.frobenius_norm(p - axes @ axes.T) ** 2, square, scale=1, part="distance by squared cosines")
        yield AtMost(2 * np.sum(1 - cosines), square, scale=1, part="cosines against squared cosines")

    def oracle(self, basis: Matrix) -> Parts:
        axes, _, _, p = _exact_position(basis)
        cosines = _exact_cosines(basis)
        square = 2 * sum(1 - c**2 for c in cosines)
        yield Equal(oracle.frobenius_norm(p - axes * axes.T) ** 2, square, scale=1, part="distance by squared cosines")
        yield AtMost(2 * sum(1 - c for c in cosines), square, scale=1, part="cosines against squared cosines")

    tight = PrincipalBasesCloser.tight

    def beyond(self) -> dict[str, Equal]:
        """A line at the angle 0, and a basis vector of length 2 in the place of its projector's."""
        axis, longer = mp.matrix([1, 0]), mp.matrix([2, 0])
        square = oracle.frobenius_norm(longer * longer.H - axis * axis.H) ** 2
        return {"orthonormal columns": Equal(square, mp.mpf(0), scale=1, part="distance by squared cosines")}


@statement
class PrincipalBasesCarried:
    labels = ("MWKTV-E28",)
    given = r"\hat I_k=[e_1\dots e_k]"
    claim = {
        "distance of carried axes": r"\|V_1U_1^*\hat I_k-\hat I_k\|_F=\|V_1-U_1\|_F",
    }
    printed = r"A chain that ends with $`=\lVert V_1U_1^*\hat I_k-\hat I_k\rVert_F^2`$."
    where = {
        "e_i": "the axes",
    }
    verdict = Verdict.VERIFIED
    note = "perturbation.md#carrying-the-axes-along"
    cases = staticmethod(oblique_bases)

    def fast(self, basis: Any) -> Equal:
        axes, u, v, _ = _position(basis)
        moved = fast.frobenius_norm(v @ fast.adjoint(u) @ axes - axes)
        return Equal(moved, fast.frobenius_norm(v - u), scale=1, part="distance of carried axes")

    def oracle(self, basis: Matrix) -> Equal:
        with mp.workdps(4 * mp.dps):
            axes, u, v, _ = _exact_position(basis)
            moved = oracle.frobenius_norm(v * u.H * axes - axes)
            return Equal(moved, oracle.frobenius_norm(v - u), scale=1, part="distance of carried axes")

    tight = PrincipalBasesByCosines.tight

    def beyond(self) -> dict[str, Equal]:
        """Principal bases of the second axis: they carry the first one to 0."""
        axis, u = mp.matrix([1, 0]), mp.matrix([0, 1])
        moved = oracle.frobenius_norm(u * u.H * axis - axis)
        return {"the first basis spans the axes": Equal(moved, mp.mpf(0), scale=1, part="distance of carried axes")}
