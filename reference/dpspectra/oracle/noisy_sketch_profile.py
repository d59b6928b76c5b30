"""Exact privacy of a noisy Gaussian sketch ``Y = A Omega + noise N``, when one row of ``A`` changes.

The same names as `dpspectra.fast.noisy_sketch_profile`; integrals are in balls, eigenvalues those of the full
covariances.
"""

from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.gaussian_profile import cdf, mu_for
from dpspectra.oracle.linalg import Matrix, adjoint, eigenvalues, eigenvectors
from dpspectra.oracle.quadrature import integral, working

TAIL = 1e-20
"""Probability to which rounding errors are relative at least: the quadratures leave out tails of ``1e-30``."""


def mean_over_lengths(value: Any, width: int, turn: Any) -> Any:
    """Mean of a smooth function of the norm of ``width`` standard normal entries; it changes on the scale ``turn``.

    The function takes and returns balls.
    """
    return mp.mpf(_mean(value, width, _ends(width, turn)))


def _ends(width: int, turn: Any) -> list[Any]:
    """Return the ends of panels of lengths."""
    middle = mp.sqrt(width)
    scales = [turn * 4**j for j in range(-2, 6) if 0 < turn * 4**j < middle]
    return [0, *scales, middle, middle + 2, middle + 5, middle + _reach()]


def _reach() -> Any:
    """How far beyond its middle a Gaussian tail is below the working precision."""
    return mp.sqrt(2 * mp.dps * mp.log(10))


def _mean(value: Any, width: int, ends: list[Any]) -> Any:
    density = _length_density(width)
    return integral(lambda r: value(r) * density(r), ends)


def _length_density(width: int) -> Any:
    """Density of the norm of ``width`` standard normal entries."""
    half = arb(width) / 2
    factor = 2 / (arb(2) ** half * half.gamma())
    return lambda r: factor * r ** (width - 1) * (-r * r / 2).exp()


def profile(epsilon: Any, noise: Any, width: int, mu: Any = 0, longer: Any = 0) -> Any:
    """Exact ``delta`` of ``(Omega, Y)`` for a change of norm 1, composed with a ``mu``-GDP step chosen from it.

    The image of the change is ``longer`` than a chi variable by that much.
    """
    with working():
        turn, (e, s, step, more) = _turn(epsilon, noise, mu), map(arb, (epsilon, noise, mu, longer))
        times, square, root = e.exp(), step**2, arb(2).sqrt()

        def given(r: Any) -> Any:
            shift = (((r + more) / s) ** 2 + square).sqrt()
            half, level = shift / 2, e / shift
            return (((level - half) / root).erfc() - times * ((level + half) / root).erfc()) / 2

        return mean_over_lengths(given, width, turn)


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
    with working():
        turn, (e, s, step) = _turn(epsilon, noise, mu), map(arb, (epsilon, noise, mu))
        side = arb(1 if after else -1)

        def given(r: Any) -> Any:
            shift = ((r / s) ** 2 + step**2).sqrt()
            return ((e / shift - side * shift / 2) / arb(2).sqrt()).erfc() / 2

        return mean_over_lengths(given, width, turn)


def exceedance_by_parts(epsilon: Any, noise: Any, width: int, mu: Any = 0, after: bool = True) -> Any:
    """`exceedance` by parts: from tails of the length, and the density of the noise along the change.

    Given the length ``r`` the loss exceeds ``epsilon`` if a normal number exceeds ``epsilon / shift - shift / 2``
    after the change, ``epsilon / shift + shift / 2`` before it, with ``shift = hypot(r / noise, mu)``.
    """
    with working():
        turn, (e, s, step, half) = _turn(epsilon, noise, mu), map(arb, (epsilon, noise, mu, mp.mpf(width) / 2))
        side = arb(1 if after else -1)

        def part(r: Any) -> Any:
            shift = ((r / s) ** 2 + step**2).sqrt()
            z, slope = e / shift - side * shift / 2, (e / shift**2 + side / 2) * r / (s**2 * shift)
            return (r * r / 2).gamma_upper(half, regularized=1) * (-z * z / 2).exp() * slope

        moved = mp.mpf(integral(part, _ends(width, turn)) / (2 * arb.pi()).sqrt())
    still = cdf((mu if after else -mu) / mp.mpf(2) - epsilon / mu) if mu > 0 else mp.mpf(epsilon == 0) / 2
    return moved + still


def relative_moves(before: Matrix, after: Matrix, noise: Any) -> tuple[Any, Any]:
    """Largest and smallest eigenvalue, less 1, of a column's covariance after a change, relative to before."""
    size = before.rows
    values, vectors = eigenvectors(before * adjoint(before) + noise**2 * mp.eye(size))
    root = vectors * mp.diag([1 / mp.sqrt(value) for value in values]) * adjoint(vectors)
    relative = eigenvalues(root * (after * adjoint(after) + noise**2 * mp.eye(size)) * root)
    above, below = max(relative[0] - 1, mp.mpf(0)), min(relative[-1] - 1, mp.mpf(0))
    none = 10**6 * mp.eps  # an eigenvalue 1 comes out like this
    return above if above > none else mp.mpf(0), below if below < -none else mp.mpf(0)


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
    order = mp.mpf(width) / 2
    if gain == 0:
        return mp.gammainc(order, 0, -level / cost / 2, regularized=True) if level < 0 < cost else mp.mpf(0)
    with working():
        (start, slope), tail = (arb(x / gain / 2) for x in (level, cost)), _chi_square_tail(width)
        if level >= 0 or cost == 0:
            turn = mp.sqrt(gain / cost) if cost > 0 else mp.mpf(0)
            return mean_over_lengths(lambda r: tail(start + slope * r * r), width, turn)
        corner = mp.sqrt(-level / cost)
        first, density = arb(corner), _length_density(width)

        def beyond(v: Any) -> Any:
            """Integrand at the length ``r`` with ``r^2 = corner^2 + v^2``, as the tail has a root at the corner."""
            r = (first**2 + v * v).sqrt()
            return tail(slope * v * v) * density(r) * v / r

        far = mp.sqrt(width) + _reach()
        inside = _mean(lambda r: arb(1), width, [0, corner])
        return mp.mpf(inside + integral(beyond, [0, 1, 3, far]))


def _chi_square_tail(width: int) -> Any:
    """Upper tail of a chi square at twice a ball, integrated by parts down to one or two degrees of freedom."""
    odd = width % 2
    weights = [1 / (arb(odd) / 2 + j + 1).gamma() for j in range(width // 2)]

    def tail(half: Any) -> Any:
        root, series = half.sqrt() if odd else arb(1), arb(0)
        for weight in reversed(weights):
            series = series * half + weight
        return (root.erfc() if odd else 0) + (-half).exp() * root * series

    return tail


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
    if first <= 0 and second <= 0:
        return mp.mpf(0)
    with working():
        (a, b, c), power = map(arb, (first, second, rest)), arb(rows - 2) / 2

        def given(angle: Any) -> Any:
            sine, cosine = angle.sin_cos()
            value = a * cosine**2 + b * sine**2
            return (value / (value - c)) ** power

        if first > 0 and second > 0:
            return mp.mpf(2 * integral(given, [0, mp.pi / 4, mp.pi / 2]) / arb.pi())
        # positive on one side of a corner, where it has a root: the angle is the square of another variable off it
        corner, end = mp.atan(mp.sqrt(-first / second)), mp.mpf(0) if first > 0 else mp.pi / 2
        width, start = arb(end - corner), arb(corner)
        share = integral(lambda s: 2 * s * given(start + width * s * s), [0, 0.0625, 0.125, 0.25, 0.5, 1])
        return mp.mpf(2 * abs(width) * share / arb.pi())
