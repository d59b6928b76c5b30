"""DPS-KNORM: noise whose density falls with the norm that a replaced row cannot exceed.

``K(Z) = max(tr Z_+, tr Z_-) = (|Z|_* + |tr Z|) / 2`` is a norm on symmetric matrices. Its dual is ``h(A) =
lambda_max(A)_+ + lambda_min(A)_-``, the largest ``<A, v v' - w w'>`` over ``v, w`` of the unit ball, so that its unit
ball is the convex hull of these changes. A density proportional to ``exp(-epsilon K)`` is ``epsilon``-private. ``K`` of
such noise is Gamma of shape ``D = d (d + 1) / 2``, and no noise with an ``epsilon``-Lipschitz log-density has
a smaller mean of ``K``: integration by parts.
"""

import functools
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammainc

from dpspectra.fast import linalg as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import ball_vectors, dyadics, hermitian, st

HULL, SAMPLING = "support function of the hull", "norm of a difference of proposals"
WHOLE = 94.5
"""Integral of ``(x - y)(x - z)(y - z) exp(-K)`` over all eigenvalues ``x >= y >= z``."""
LARGE = 60.0
"""A level beyond which the norm of noise in the plane lies with probability below ``exp(-50)``."""


def _mass(size: float) -> float:
    """Integral of ``(x - y) exp(-K)`` over eigenvalues ``x >= y`` of norm at most ``size``, along rays of the norm."""
    nodes, weights = gauss_legendre(80)
    t, s = size * (nodes[:, None] + 1) / 2, (nodes + 1) / 2
    one_sign = t * (1 - s) * t / 2  # x + y = t, y = s t / 2, and the same with both negative
    two_signs = t * (1 + s) * t  # max(x, -y) = t, the other s t, either way
    return float(weights @ (np.exp(-t) * (2 * one_sign + 2 * two_signs)) @ weights * size / 4)


def _space(size: float) -> float:
    """Integral of ``(x - y)(x - z)(y - z) exp(-K)`` over eigenvalues ``x >= y >= z`` of norm at most ``size``.

    Along rays of the norm ``t``, with two coordinates in the unit interval across, in which all is polynomial: ``z, y -
    z, x - y`` are parts of ``x + y + z``; or ``x + y`` and ``-z`` are the norm and a part of it, either way.
    """
    nodes, weights = gauss_legendre(80)
    t = size * (nodes + 1) / 2
    few, each = gauss_legendre(8)
    p, q = (few[:, None] + 1) / 2, (few[None, :] + 1) / 2
    one, two = (1 - p) * q / 2, (1 - p) * (1 - q)
    surface = one * two * (one + two) * (1 - p) / 6
    for total, last, area in ((1, q, 1), (q, 1, q)):
        apart = total * p
        surface = surface + apart * (total + apart + 2 * last) * (total - apart + 2 * last) * area / 8
    return float(weights @ (t**5 * np.exp(-t))) * size / 2 * float(each @ (2 * surface) @ each) / 4


def _exact_mass(size: Any) -> Any:
    """`_mass` in balls, in the coordinates of the eigenvalues: of one sign, twice, or of two."""
    with working():
        size = arb(size)

        def one_sign(y: Any) -> Any:
            return integral(lambda x: (x - y) * (-x - y).exp(), [y, size - y])

        def two_signs(x: Any) -> Any:
            return (-x).exp() * integral(lambda y: x + y, [0, x])

        return mp.mpf(2 * integral(one_sign, [0, size / 2]) + 2 * integral(two_signs, [0, size / 2, size]))


@functools.lru_cache(maxsize=4)
def _whole(_precision: int) -> Any:
    """`_mass` over all eigenvalues: with ``x - y`` and ``y`` as coordinates where both have one sign."""
    same = mp.quad(lambda u: u * mp.exp(-u), [0, mp.inf]) * mp.quad(lambda y: mp.exp(-2 * y), [0, mp.inf])
    return 2 * same + 2 * mp.quad(lambda x: mp.exp(-x) * 3 * x**2 / 2, [0, mp.inf])


def _exact_space(size: Any) -> Any:
    """`_space` in balls: over ``y - z``, ``x - y`` where all have one sign, over ``x + y`` and ``-z`` elsewhere."""

    def same(a: Any) -> Any:  # the integral over x - y, of a Gamma density or to the end
        end = size - 2 * a
        inside = a * end.gamma_lower(arb(2)) + end.gamma_lower(arb(3))
        return a * ((-2 * a).exp() * inside - (-size).exp() * (a * end**2 / 2 + end**3 / 3)) / 3

    def apart(s: Any, c: Any) -> Any:  # the integral over x - y from 0 to s
        return s**4 / 32 + (c * s**3 + c**2 * s**2) / 4

    with working():
        size, ends = arb(size), [0, size / 2, size]
        above = integral(lambda s: (-s).exp() * integral(lambda c: apart(s, c), [0, s]), ends)
        below = integral(lambda c: (-c).exp() * integral(lambda s: apart(s, c), [0, c]), ends)
        return mp.mpf(2 * (integral(same, [0, size / 2]) + above + below))


@statement
class Knorm:
    labels = ("DPS-KNORM",)
    given = (
        r"K(Z)=\tfrac12\big(\|Z\|_*+|\operatorname{tr}Z|\big)=\max\{\operatorname{tr}Z_+,\operatorname{tr}Z_-\},\ "
        r"D=vv^\top-ww^\top,\ h(A)=\lambda_{\max}(A)_++\lambda_{\min}(A)_-"
    )
    claim = {
        "change of the norm": r"|K(Z+D)-K(Z)|\le K(D)",
        "norm of a replacement": r"K(D)\le1",
        "duality": r"\langle A,Z\rangle\le h(A)K(Z)",
        "law of the norm in the plane": r"d=2:\ \tfrac1{\Gamma(3)}\int_0^tr^2e^{-r}dr=\Pr[K(Z)\le t]",
        "support function of the hull": (
            r"\langle A,\mathbf 1_{\lambda_{\max}(A)>0}\,aa^\top-\mathbf 1_{\lambda_{\min}(A)<0}\,bb^\top\rangle=h(A)"
        ),
        "law of the norm in space": r"d=3:\ \tfrac1{\Gamma(6)}\int_0^tr^5e^{-r}dr=\Pr[K(Z)\le t]",
        "norm of a difference of proposals": (
            r"\max\{\operatorname{tr}(Z_++AA^\top),\operatorname{tr}(Z_-+AA^\top)\}=K(Z)+\operatorname{tr}(AA^\top)"
        ),
    }
    where = {
        "K": "norm of a symmetric matrix whose unit ball is spanned by the changes of one row",
        "Z": "any symmetric matrix; in probabilities, noise with a density proportional to $`e^{-K}`$",
        "D": "change when a row $`v`$ takes the place of $`w`$",
        "v": "row after the change, of norm at most 1",
        "w": "row before the change, of norm at most 1",
        "A": "any symmetric matrix",
        r"\lambda_{\max}": "largest eigenvalue",
        r"\lambda_{\min}": "smallest eigenvalue",
        "Z_i": "positive and negative part of a symmetric matrix",
        "h": "largest inner product with the change of a row",
        "a": "unit eigenvector of the largest eigenvalue of $`A`$",
        "b": "unit eigenvector of the smallest eigenvalue of $`A`$",
        "t": "level of the norm",
        "r": "variable of integration",
        "dr": "element of integration",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-D1.1",)
    exact = (SAMPLING,)
    note = "privacy.md#k-norm-noise"
    examples = 15

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, float]:
        """The row before and after, noise, a matrix to multiply it with; a bound on the norm of noise in the plane."""
        d = draw(st.integers(1, 4))
        v, w = draw(ball_vectors(d)), draw(ball_vectors(d))
        noise, other = (draw(hermitian(d, "real")) for _ in range(2))
        noise, other = noise / 64, other / 64
        return v, w, noise, other, draw(dyadics(0.25, 12.0))

    def fast(self, v: Any, w: Any, noise: Any, other: Any, size: float) -> Parts:
        change = fast.outer(v) - fast.outer(w)

        def norm(z: Any) -> float:
            return float(fast.nuclear_norm(z) + abs(np.trace(z))) / 2

        moved, scale = abs(norm(noise + change) - norm(noise)), norm(noise) + norm(change)
        yield AtMost(moved, norm(change), scale=scale, part="change of the norm")
        yield AtMost(norm(change), 1.0, part="norm of a replacement")
        values = np.linalg.eigvalsh(other)
        dual = max(values[-1], 0.0) + max(-values[0], 0.0)
        yield AtMost(float(np.sum(other * noise)), dual * norm(noise), scale=dual * norm(noise) + 1, part="duality")
        yield Equal(float(gammainc(3.0, size)), _mass(size) / _mass(LARGE), part="law of the norm in the plane")
        _, vectors = np.linalg.eigh(other)
        best = fast.outer(vectors[:, -1]) * (values[-1] > 0) - fast.outer(vectors[:, 0]) * (values[0] < 0)
        yield Equal(float(np.sum(other * best)), dual, scale=1, part=HULL)
        yield Equal(float(gammainc(6.0, size)), _space(size) / WHOLE, scale=1, part="law of the norm in space")
        spectrum, basis = np.linalg.eigh(noise)
        common = other @ other.T
        sums = [float(np.trace(basis * np.maximum(side * spectrum, 0) @ basis.T + common)) for side in (1, -1)]
        yield Equal(max(sums), norm(noise) + float(np.trace(common)), scale=scale + 1, part=SAMPLING)

    def oracle(self, v: Column, w: Column, noise: Matrix, other: Matrix, size: Real) -> Parts:
        change = oracle.outer(v) - oracle.outer(w)
        before, after, alone = (oracle.larger_sum(oracle.eigenvalues(z)) for z in (noise, noise + change, change))
        yield AtMost(abs(after - before), alone, scale=before + 1, part="change of the norm")
        yield AtMost(alone, 1, part="norm of a replacement")
        values = oracle.eigenvalues(other)
        dual = max(values[0], 0) + max(-values[-1], 0)
        yield AtMost(oracle.inner(other, noise), dual * before, scale=dual * before + 1, part="duality")
        law = mp.gammainc(3, 0, size, regularized=True)
        yield Equal(law, _exact_mass(size) / _whole(mp.prec), scale=1, part="law of the norm in the plane")
        _, columns = oracle.eigenvectors(other)
        best = [oracle.outer(columns[:, place]) for place in (0, len(values) - 1)]
        shares = [oracle.inner(other, best[0]) * (values[0] > 0), -oracle.inner(other, best[1]) * (values[-1] < 0)]
        yield Equal(mp.fsum(shares), dual, scale=1, part=HULL)
        law = mp.gammainc(6, 0, size, regularized=True)
        yield Equal(law, _exact_space(size) / WHOLE, scale=1, part="law of the norm in space")
        spectrum, common = oracle.eigenvalues(noise), oracle.inner(other, other)
        sums = [mp.fsum(max(side * x, 0) for x in spectrum) + common for side in (1, -1)]
        yield Equal(max(sums), before + common, scale=before + alone + 1, part=SAMPLING)

    def tight(self) -> list[Any]:
        """A row that appears, one replaced by an orthogonal one, noise along the change and a matrix dual to it."""
        first, second = np.eye(2)
        change = np.diag([1.0, -1.0])
        return [
            (np.ones(1), np.zeros(1), np.ones((1, 1)), np.ones((1, 1)), 2.0),
            (first, second, 3 * change, change, 3.0),
            (first, 0 * first, np.diag([2.0, 1.0]), np.eye(2), 5.0),
            (0 * first, first, -np.diag([2.0, 1.0]), np.eye(2), 5.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 appears: the norm of the change is 4."""
        _, private, *_ = self.oracle(np.array([2.0]), np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), 1.0)
        return {"rows of norm at most 1": private}
