"""DPS-KNORM: noise whose density falls with the norm that a replaced row cannot exceed.

``K(Z) = max(tr Z_+, tr Z_-) = (|Z|_* + |tr Z|) / 2`` is a norm on symmetric matrices. Its dual is ``h(A) =
lambda_max(A)_+ + lambda_min(A)_-``, the largest ``<A, v v' - w w'>`` over ``v, w`` of the unit ball, so that its unit
ball is the convex hull of these changes. A density proportional to ``exp(-epsilon K)`` is ``epsilon``-private. ``K`` of
such noise is Gamma of shape ``D = d (d + 1) / 2``, and no noise with an ``epsilon``-Lipschitz log-density has
a smaller mean of ``K``: integration by parts.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammainc

from dpspectra.fast import linalg as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Column, Equal, Matrix, Outcome, Parts, Real, Relation, Statement, Verdict
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import ball_vectors, dyadics, hermitian, st


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, float]:
    """The row before and after, noise, a matrix to multiply it with; a bound on the norm of noise in the plane."""
    d = draw(st.integers(1, 4))
    v, w = draw(ball_vectors(d)), draw(ball_vectors(d))
    noise, other = (draw(hermitian(d, "real")) for _ in range(2))
    noise, other = noise / 64, other / 64
    return v, w, noise, other, draw(dyadics(0.25, 12.0))


lemma = Statement(
    labels=("DPS-KNORM",),
    claim=r"K(Z)=\tfrac12\big(\|Z\|_*+|\operatorname{tr}Z|\big):\quad|K(Z+D)-K(Z)|\le K(D)\le1"
    r"\ \text{ for }D=vv^\top-ww^\top,\quad\langle A,Z\rangle\le\big(\lambda_{\max}(A)_++\lambda_{\min}(A)_-\big)K(Z)",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE,),
    cases=_instances,
    uses=("MWKTV-D1.1",),
    note="privacy.md#k-norm-noise",
    examples=15,  # integrals in two dimensions
)


LARGE = 60.0
"""A level beyond which the norm of noise in the plane lies with probability below ``exp(-50)``."""


def _mass(size: float) -> float:
    """Integral of ``(x - y) exp(-K)`` over eigenvalues ``x >= y`` of norm at most ``size``, along rays of the norm."""
    nodes, weights = gauss_legendre(80)
    t, s = size * (nodes[:, None] + 1) / 2, (nodes + 1) / 2
    one_sign = t * (1 - s) * t / 2  # x + y = t, y = s t / 2, and the same with both negative
    two_signs = t * (1 + s) * t  # max(x, -y) = t, the other s t, either way
    return float(weights @ (np.exp(-t) * (2 * one_sign + 2 * two_signs)) @ weights * size / 4)


@lemma.fast
def norms(v: Any, w: Any, noise: Any, other: Any, size: float) -> Parts:
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


def _larger_sum(values: list[Any]) -> Any:
    """The sum of the positive numbers or that of the moduli of the negative ones."""
    return max(mp.fsum(x for x in values if x > 0), -mp.fsum(x for x in values if x < 0))


def _exact_mass(size: Any) -> Any:
    """The integral in the coordinates of the eigenvalues, two of one sign and two of two."""

    def integral(f: Any, low: Any, high: Any) -> Any:
        return mp.quad(f, mp.linspace(low, high, 4), method="gauss-legendre", maxdegree=4)  # three panels

    same = integral(lambda y: integral(lambda x: (x - y) * mp.exp(-x - y), y, size - y), 0, size / 2)
    apart = integral(lambda x: mp.exp(-x) * integral(lambda y: x + y, 0, x), 0, size)
    return 2 * same + 2 * apart


@functools.lru_cache(maxsize=4)
def _whole(_precision: int) -> Any:
    """The integral over all eigenvalues: with ``x - y`` and ``y`` as coordinates where both have one sign."""
    same = mp.quad(lambda u: u * mp.exp(-u), [0, mp.inf]) * mp.quad(lambda y: mp.exp(-2 * y), [0, mp.inf])
    return 2 * same + 2 * mp.quad(lambda x: mp.exp(-x) * 3 * x**2 / 2, [0, mp.inf])


@lemma.oracle
def exact_norms(v: Column, w: Column, noise: Matrix, other: Matrix, size: Real) -> Parts:
    change = oracle.outer(v) - oracle.outer(w)
    before, after, alone = (_larger_sum(oracle.eigenvalues(z)) for z in (noise, noise + change, change))
    yield AtMost(abs(after - before), alone, scale=before + 1, part="change of the norm")
    yield AtMost(alone, 1, part="norm of a replacement")
    values = oracle.eigenvalues(other)
    dual = max(values[0], 0) + max(-values[-1], 0)
    yield AtMost(oracle.inner(other, noise), dual * before, scale=dual * before + 1, part="duality")
    law = mp.gammainc(3, 0, size, regularized=True)
    yield Equal(law, _exact_mass(size) / _whole(mp.prec), scale=1, part="law of the norm in the plane")


@lemma.tight
def appearing_and_exchanged() -> list[Any]:
    """A row that appears, one that is replaced by an orthogonal one, noise along the change and a matrix dual to it."""
    first, second = np.eye(2)
    change = np.diag([1.0, -1.0])
    return [
        (np.ones(1), np.zeros(1), np.ones((1, 1)), np.ones((1, 1)), 2.0),
        (first, second, 3 * change, change, 3.0),
        (first, 0 * first, np.diag([2.0, 1.0]), np.eye(2), 5.0),
    ]


@lemma.beyond
def a_longer_row() -> dict[str, Outcome]:
    """A row of norm 2 appears: the norm of the change is 4."""
    _, private, *_ = exact_norms(np.array([2.0]), np.zeros(1), np.zeros((1, 1)), np.zeros((1, 1)), 1.0)
    return {"rows of norm at most 1": private}
