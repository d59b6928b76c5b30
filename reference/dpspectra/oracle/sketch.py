"""Exact privacy of a noisy Gaussian sketch ``Y = A Omega + noise N``, when one row of ``A`` changes.

The same names as `dpspectra.fast.sketch`; integrals are adaptive, eigenvalues those of the full covariances.
"""

from typing import Any

from mpmath import mp

from dpspectra.oracle import gaussian
from dpspectra.oracle.gaussian import mu_for
from dpspectra.oracle.linalg import Matrix, adjoint, eigenvalues, eigenvectors


def mean_over_lengths(value: Any, width: int, turn: Any) -> Any:
    """Mean of a smooth function of the norm of ``width`` standard normal entries; it changes on the scale ``turn``."""
    middle = mp.sqrt(width)
    scales = [turn * 4**j for j in range(-2, 6) if 0 < turn * 4**j < middle]
    return _mean(value, width, [0, *scales, middle, middle + 2, middle + 5, middle + _reach()], "gauss-legendre")


def _reach() -> Any:
    """How far beyond its middle a Gaussian tail is below the working precision."""
    return mp.sqrt(2 * mp.dps * mp.log(10))


def _mean(value: Any, width: int, ends: list[Any], method: str) -> Any:
    density = mp.mpf(2) ** (1 - mp.mpf(width) / 2) / mp.gamma(mp.mpf(width) / 2)
    return density * mp.quad(lambda r: value(r) * r ** (width - 1) * mp.exp(-r * r / 2), ends, method=method)


def profile(epsilon: Any, noise: Any, width: int, mu: Any = 0, longer: Any = 0) -> Any:
    """Exact ``delta`` of ``(Omega, Y)`` for a change of norm 1, composed with a ``mu``-GDP step chosen from it.

    The image of the change is ``longer`` than a chi variable by that much.
    """
    return mean_over_lengths(
        lambda r: gaussian.profile(epsilon, mp.hypot((r + longer) / noise, mu)), width, _turn(epsilon, noise, mu)
    )


def _turn(epsilon: Any, noise: Any, mu: Any) -> Any:
    """Length at which the mean of the loss is ``epsilon``; 0 if it is larger at every length."""
    return noise * mp.sqrt(max(2 * epsilon - mp.mpf(mu) ** 2, 0))


def noise_for(epsilon: Any, delta: Any, width: int, mu: Any = 0) -> Any:
    """Noise at which `profile`, which decreases in it, is ``delta``."""

    def excess(exponent: Any) -> Any:
        return mp.log(profile(epsilon, mp.exp(exponent), width, mu) / delta)

    start = mp.log(width / (mu_for(epsilon, delta) ** 2 - mp.mpf(mu) ** 2)) / 2  # exact for a length without spread
    with mp.workdps(mp.dps // 3):  # the error of a secant is of the order of the product of those of its two points
        near = mp.findroot(excess, (start, start + 0.25), solver="secant", tol=mp.mpf(10) ** -5, verify=False)
    beside = near + mp.mpf(2) ** -20
    here, there = excess(near), excess(beside)
    return mp.exp(near - here * (beside - near) / (there - here))


def exceedance(epsilon: Any, noise: Any, width: int, mu: Any = 0, after: bool = True) -> Any:
    """Probability that the loss exceeds ``epsilon``, under the law after the change or before it."""
    side = 1 if after else -1

    def given(r: Any) -> Any:
        shift = mp.hypot(r / noise, mu)
        return gaussian.cdf(side * shift / 2 - epsilon / shift) if shift > 0 else mp.mpf(0)

    return mean_over_lengths(given, width, _turn(epsilon, noise, mu))


def relative_moves(before: Matrix, after: Matrix, noise: Any) -> tuple[Any, Any]:
    """Largest and smallest eigenvalue, less 1, of a column's covariance after a change, relative to before."""
    size = before.rows
    values, vectors = eigenvectors(before * adjoint(before) + noise**2 * mp.eye(size))
    root = vectors * mp.diag([1 / mp.sqrt(value) for value in values]) * adjoint(vectors)
    relative = eigenvalues(root * (after * adjoint(after) + noise**2 * mp.eye(size)) * root)
    return max(relative[0] - 1, mp.mpf(0)), min(relative[-1] - 1, mp.mpf(0))


def hidden_profile(epsilon: Any, width: int, moves: tuple[Any, Any]) -> Any:
    """Exact ``delta`` of ``Y`` alone: the loss is half of ``sum_j (1 - 1/x_j) U_j - width log x_j``.

    ``x`` are the two relative eigenvalues, ``U_j`` chi squares, times ``x_j`` after the change.
    """
    after, before = [1 + move for move in moves], [mp.mpf(1)] * 2
    return _beyond(epsilon, width, after, after) - mp.exp(epsilon) * _beyond(epsilon, width, after, before)


def _beyond(epsilon: Any, width: int, ratios: Any, variances: Any) -> Any:
    """Probability that the loss exceeds ``epsilon`` when the components have these variances."""
    top, low = ratios
    level = 2 * epsilon + width * mp.log(top * low)
    gain, cost = (1 - 1 / top) * variances[0], (1 / low - 1) * variances[1]
    if gain == 0:
        return 1 - _chi_square_tail(width, -level / cost) if level < 0 < cost else mp.mpf(0)

    def given(r: Any) -> Any:
        needed = (level + cost * r * r) / gain
        return _chi_square_tail(width, needed) if needed > 0 else mp.mpf(1)

    if level >= 0 or cost == 0:
        return mean_over_lengths(given, width, mp.sqrt(level / cost) if cost > 0 else mp.mpf(0))
    corner = mp.sqrt(-level / cost)  # a kink
    ends = [0, corner, corner + 1, corner + 3, corner + mp.sqrt(width) + _reach()]
    return _mean(given, width, ends, "tanh-sinh")


def _chi_square_tail(width: int, x: Any) -> Any:
    """Upper tail of a chi square, integrated by parts down to one or two degrees of freedom."""
    half, start = mp.mpf(x) / 2, mp.mpf(width % 2) / 2
    tail = mp.erfc(mp.sqrt(half)) if width % 2 else mp.mpf(0)
    orders = [start + j for j in range(width // 2)]
    return tail + mp.exp(-half) * mp.fsum(half**order / mp.gamma(order + 1) for order in orders)


def range_profile(epsilon: Any, rows: int, moves: tuple[Any, Any]) -> Any:
    """Exact ``delta`` of the line spanned by a ``Y`` of one column and ``rows >= 2`` rows.

    The direction ``z`` of a Gaussian vector has the ratio ``(x_1 x_2)^(-1/2) (q_after / q_before)^(-rows / 2)`` with
    ``q`` the quadratic forms of the inverse covariances.
    """
    ratios = [1 + move for move in moves]
    edge = (mp.exp(epsilon) * mp.sqrt(ratios[0] * ratios[1])) ** (-mp.mpf(2) / rows)

    def above(variances: Any) -> Any:
        first, second = (v * (edge - 1 / x) for v, x in zip(variances, ratios, strict=True))
        return _form_positive(rows, first, second, edge - 1)

    return above(ratios) - mp.exp(epsilon) * above([mp.mpf(1)] * 2)


def _form_positive(rows: int, first: Any, second: Any, rest: Any) -> Any:
    """Probability that ``first X^2 + second Y^2 + rest W > 0``, ``W`` a chi square of ``rows - 2`` degrees."""
    if rest > 0:
        return 1 - _form_positive(rows, -first, -second, -rest)

    def given(angle: Any) -> Any:
        value = first * mp.cos(angle) ** 2 + second * mp.sin(angle) ** 2
        return (1 - rest / value) ** (-mp.mpf(rows - 2) / 2) if value > 0 else mp.mpf(0)

    corner = mp.atan(mp.sqrt(abs(first / second))) if first * second < 0 else mp.pi / 4
    return 2 / mp.pi * mp.quad(given, [0, corner, mp.pi / 2])
