"""Laws of unit vectors and orthonormal frames with density proportional to ``exp(-Tr X* A X)``, by definition.

The same names as `dpspectra.fast.bingham_laws`.
"""

from collections.abc import Sequence
from typing import Any

from mpmath import mp

from dpspectra.oracle.hciz import log_normaliser
from dpspectra.oracle.linalg import Matrix, adjoint
from dpspectra.oracle.patterns import normaliser


def log_sphere_normaliser(exponents: Sequence[Any], half: Any) -> Any:
    """Logarithm of the mean of ``exp(-x* diag(exponents) x)`` over uniform unit vectors; over the reals for ``d <= 4``.

    Over the complex numbers this is an orbit of rank one. Over the reals two coordinates at squared distance ``v`` from
    the origin have the mean ``exp(-v (a + b) / 2) I_0(v (a - b) / 2)``, and one integral over ``v`` remains.
    """
    a = [mp.mpf(v) for v in exponents]
    if len(a) == 1:
        return -a[0]
    if half == 1:
        return log_normaliser([-v for v in a], [1] + [0] * (len(a) - 1), 1)
    smallest = min(a)
    a = [v - smallest for v in a]

    def pair(i: int, v: Any) -> Any:
        if i + 1 == len(a):
            return mp.exp(-v * a[i])
        return mp.exp(-v * (a[i] + a[i + 1]) / 2) * mp.besseli(0, v * (a[i] - a[i + 1]) / 2)

    if len(a) == 2:
        return mp.log(pair(0, mp.mpf(1))) - smallest
    if len(a) == 3:  # the squared last coordinate has density 1 / (2 sqrt(v)); integrate over the coordinate itself
        return mp.log(mp.quad(lambda x: pair(0, 1 - x * x) * pair(2, x * x), [0, 1])) - smallest
    if len(a) == 4:
        return mp.log(mp.quad(lambda v: pair(0, v) * pair(2, 1 - v), [0, 1])) - smallest
    raise ValueError(f"d must be at most 4 over the reals, got {len(a)}")


def log_frame_normaliser(exponents: Sequence[Any], k: int, half: Any) -> Any:
    """Logarithm of the Haar mean of ``exp(-Tr X* diag(exponents) X)`` over frames; None where the fast one is too."""
    a = [mp.mpf(v) for v in exponents]
    if half == 1:
        return log_normaliser([-v for v in a], [1] * k + [0] * (len(a) - k), 1)
    if k == 1:
        return log_sphere_normaliser(a, half)
    if k == len(a) - 1:
        return log_sphere_normaliser([-v for v in a], half) - mp.fsum(a)
    if a[0] != a[1] or a[2] != a[3]:
        return None
    gap = a[2] - a[0]
    if gap == 0:
        return -2 * a[0]
    mean = mp.quad(lambda x: mp.sinh(gap * x) / (gap * x) if x else mp.mpf(1), [0, 1])  # over y; x and y in [-1, 1]
    return mp.log(mean) - gap - 2 * a[0]


def log_sphere_series(exponents: Sequence[Any], half: Any) -> Any:
    """Return the value of `log_sphere_normaliser` from moments: of ``top - x* diag(exponents) x``, all terms positive.

    With ``c_i = top - a_i`` the n-th moment is ``n! / (half d)_n`` times the coefficient of ``u^n`` in
    ``prod (1 - c_i u)^(-half)``, whose logarithmic derivative gives the coefficients one by one.
    """
    top, half = max(exponents), mp.mpf(half)
    c = [mp.mpf(top) - a for a in exponents]
    sums, coefficients, total, n = [], [mp.mpf(1)], mp.mpf(1), 0
    size = mp.mpf(1)
    while n < max(c) or size > mp.eps * total:
        n += 1
        sums.append(half * mp.fsum(x**n for x in c))
        coefficients.append(mp.fdot(sums, coefficients[::-1]) / n)
        size = coefficients[n] / mp.rf(half * len(c), n)
        total += size
    return mp.log(total) - top


def log_frame_series(exponents: Sequence[Any], k: int, half: Any) -> Any:
    """Return the value of `log_frame_normaliser` by another way.

    The way is over patterns, series of moments, and a hyperbolic sine integral.
    """
    a = [mp.mpf(v) for v in exponents]
    if half == 1:
        return mp.log(normaliser([-v for v in a], [1] * k + [0] * (len(a) - k), 1))
    if k == 1:
        return log_sphere_series(a, half)
    if k == len(a) - 1:
        return log_sphere_series([-v for v in a], half) - mp.fsum(a)
    gap = a[2] - a[0]
    return mp.log(mp.shi(gap) / gap if gap else mp.mpf(1)) - gap - 2 * a[0]


def log_chart_mass(d: int, k: int) -> Any:
    """Logarithm of the integral of ``|I - Y'Y|^(-1/2)`` over real ``(d - k, k)`` matrices of norm at most 1.

    Column by column: the last one lies in an ellipsoid given the others, and mapping that to the unit ball multiplies
    what remains by ``|I - Y'Y|^(1/2)``. So a column with ``later`` ones after it has ``(1 - |y|^2)^((later - 1) / 2)``.
    """
    p = d - k
    sphere = 2 * mp.pi ** (mp.mpf(p) / 2) / mp.gamma(mp.mpf(p) / 2)
    columns = [  # with |y| = sin u
        sphere * mp.quad(lambda u, later=later: mp.sin(u) ** (p - 1) * mp.cos(u) ** later, [0, mp.pi / 2])
        for later in range(k)
    ]
    return mp.log(mp.fprod(columns))


def highest_ratio(low: Any, high: Any, beta: Any, nu: Any) -> Any:
    """Maximum of ``exp(-s) (s + beta)^nu`` over an interval: at an end, or inside where the derivative is 0."""
    inside = [s for s in (nu - beta,) if low < s < high]
    return max(mp.exp(-s) * (s + beta) ** nu for s in (low, high, *inside))


def trace_form(g: Matrix, weights: Sequence[Any]) -> Any:
    """``Tr X* diag(weights) X`` for an orthonormal frame ``X`` of the span of ``g``."""
    ratio = mp.inverse(adjoint(g) * g) * (adjoint(g) * mp.diag(list(weights)) * g)
    return mp.re(mp.fsum(ratio[i, i] for i in range(ratio.rows)))


def log_gram(g: Matrix, weights: Sequence[Any]) -> Any:
    """``log |X* diag(weights) X|`` for an orthonormal frame ``X`` of the span of ``g``, positive weights."""
    return mp.log(mp.re(mp.det(adjoint(g) * mp.diag(list(weights)) * g)) / mp.re(mp.det(adjoint(g) * g)))
