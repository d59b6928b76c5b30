"""The power method with noise, by definition: the same names as `dpspectra.fast.power`, and exact laws of angles."""

import functools
from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.alignment import orthonormal
from dpspectra.oracle.linalg import Matrix, adjoint, singular_values, spectral_norm
from dpspectra.oracle.quadrature import integral, working


def iterates(a: Matrix, start: Matrix, noises: Sequence[Matrix]) -> list[Matrix]:
    """``X_0 = GS(start)`` and ``X_l = GS(A X_{l-1} + G_l)``."""
    iterates = [orthonormal(start)]
    for noise in noises:
        iterates.append(orthonormal(a * iterates[-1] + noise))
    return iterates


def modulus(values: Sequence[Any], number: int) -> Any:
    """Return the ``number``-th largest modulus, from 1, of eigenvalues in any order; 0 after the last one."""
    moduli = sorted((abs(mp.mpf(value)) for value in values), reverse=True)
    return moduli[number - 1] if number <= len(moduli) else mp.mpf(0)


def ratio(values: Sequence[Any], k: int) -> Any:
    """``sigma_{k+1} / sigma_k``."""
    return modulus(values, k + 1) / modulus(values, k)


def angle(u: Matrix, x: Matrix) -> tuple[Any, Any]:
    """Cosine and sine of the last principal angle of ``u`` to the wider span of ``x``, both orthonormal.

    The smallest length that a unit vector of ``u`` keeps in the span, and the largest that it loses.
    """
    inside = adjoint(x) * u
    return singular_values(inside)[-1], spectral_norm(u - x * inside)


def tangent(u: Matrix, x: Matrix) -> Any:
    """``tan theta_k``; infinite where nothing but rounding is left of the cosine."""
    cosine, sine = angle(u, x)
    return sine / cosine if cosine > mp.eps else mp.inf


def shrunk(noise: Matrix, u: Matrix, whole: Any, inside: Any) -> Matrix:
    """``noise``, its part in ``u`` shrunk to norm ``inside`` at most, and then all of it to norm ``whole`` at most."""
    coordinates = adjoint(u) * noise
    size = spectral_norm(coordinates)
    if size > inside:
        noise = noise - u * coordinates * (1 - inside / size)
    size = spectral_norm(noise)
    return noise * (whole / size) if size > whole else noise


def largest(function: Any, low: Any, high: Any) -> Any:
    """Maximum over an interval of a function that rises and then falls: golden section, and both ends.

    Between balls the search is among their midpoints, which are numbers without a radius.
    """
    balls, short = isinstance(high, arb), (3 - mp.sqrt(5)) / 2
    at, short = (arb.mid, arb(short)) if balls else (mp.mpf, short)
    start, end = low, high
    left, right = at(start + short * (end - start)), at(end - short * (end - start))
    at_left, at_right = function(left), function(right)
    for _ in range(int(2.5 * mp.dps)):  # the argument to half of the digits gives the maximum to all of them
        if at_left < at_right:
            start, left, at_left = left, right, at_right
            right = at(end - short * (end - start))
            at_right = function(right)
        else:
            end, right, at_right = right, left, at_left
            left = at(start + short * (end - start))
            at_left = function(left)
    return max(at_left, at_right, function(low), function(high))


def worst_step(cosine: Any, sine: Any, ratio: Any, whole: Any, inside: Any) -> Any:
    """Largest ``(ratio sine + b) / (cosine - a)`` over ``a^2 + b^2 = whole^2``, ``0 <= a <= inside < cosine``.

    By search over the angle of the noise: the quotient rises and then falls.
    """
    if whole == 0:
        return ratio * sine / cosine
    start = mp.acos(min(mp.mpf(1), inside / whole))
    with working():
        known, length, side = arb(ratio * sine), arb(whole), arb(cosine)

        def after(phi: Any) -> Any:
            sine, cosine = phi.sin_cos()
            return (known + length * sine) / (side - length * cosine)

        return mp.mpf(largest(after, arb(start), arb.pi() / 2))


def worst_tangents(start: Any, ratio: Any, whole: Any, inside: Any, steps: int) -> list[Any]:
    """Tangents ``t_0, .., t_steps`` when every step is the worst one."""
    tangents = [start]
    for _ in range(steps):
        length = mp.sqrt(1 + tangents[-1] ** 2)
        tangents.append(worst_step(1 / length, tangents[-1] / length, ratio, whole, inside))
    return tangents


def start_constant(k: int, p: int) -> Any:
    """``K`` in ``P(s_min <= s) <= (K s / (sqrt p - sqrt(k - 1)))^m``: the leading term of the density, integrated."""
    m, half = p - k + 1, mp.mpf(1) / 2
    density = mp.mpf(2) ** (half * (m - 2)) * mp.gamma(half * (p + 1)) / (mp.gamma(half * k) * mp.gamma(m))
    return (2 * density / m) ** (mp.mpf(1) / m) * (mp.sqrt(p) - mp.sqrt(k - 1))


def start_tail(tangent: Any, k: int, p: int, d: int) -> Any:
    """Probability that the ``k``-th tangent of ``k`` fixed directions to a uniform ``p``-plane exceeds ``tangent``.

    The squared cosines have the matrix beta law with ``p / 2`` and ``(d - p) / 2``; with ``d < p + k`` the complements,
    of ``d - p`` and ``d - k`` dimensions, have the same angles apart from right ones. For ``min(k, d - p) = 1``, or 2.
    """
    if p == d:
        return mp.mpf(0)
    if d < p + k:
        return start_tail(tangent, d - p, d - k, d)
    smallest = 1 / (1 + mp.mpf(tangent) ** 2)
    if k == 1:
        return mp.betainc(mp.mpf(p) / 2, mp.mpf(d - p) / 2, 0, smallest, regularized=True)
    if k == 2 and d >= p + 2:
        return 1 - _pair_mass(smallest, p, d, mp.prec) / _pair_mass(mp.mpf(0), p, d, mp.prec)
    raise ValueError(f"k and d - p must not both exceed 2, got k={k}, p={p}, d={d}")


@functools.lru_cache(maxsize=128)
def _pair_mass(smallest: Any, p: int, d: int, _precision: int) -> Any:
    """Integral of ``(x - y) w(x) w(y)`` over ``x > y > smallest``, ``w = x^((p-3)/2) (1-x)^((d-p-3)/2)``.

    In ``x = cos^2`` of an angle nothing is singular; the inner integral by parts is elementary up to one function.
    """
    end = mp.acos(mp.sqrt(smallest))

    def weight(theta: Any) -> Any:  # of the angle, dx = 2 sin cos
        sine, cosine = theta.sin_cos()
        return 2 * cosine ** (p - 2) * sine ** (d - p - 2)

    def inner(theta: Any) -> Any:
        x = theta.cos() ** 2
        return integral(lambda phi: (x - phi.cos() ** 2) * weight(phi), [theta, end])

    with working():
        end = arb(end)
        return mp.mpf(integral(lambda theta: weight(theta) * inner(theta), [0, end]))
