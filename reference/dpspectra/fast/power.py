"""The power method with noise: iterates, the angle to the target, the worst step, and the law of a random start."""

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from dpspectra.fast.linalg import Array, singular_values, spectral_norm
from dpspectra.matrices.orthonormal import orthonormal


def iterates(a: Array, start: Array, noises: Sequence[Array]) -> list[Array]:
    """``X_0 = GS(start)`` and ``X_l = GS(A X_{l-1} + G_l)`` for the given ``(d, p)`` blocks ``G_l``."""
    iterates = [orthonormal(start)]
    for noise in noises:
        iterates.append(orthonormal(a @ iterates[-1] + noise))
    return iterates


def angle(u: Array, x: Array) -> tuple[float, float]:
    """Cosine and sine of the largest angle of ``u`` ``(d, k)`` to the span of ``x`` ``(d, p)``, both orthonormal."""
    inside = u.T @ x
    return float(singular_values(inside)[-1]), float(spectral_norm(u - x @ inside.T))


def tangent(u: Array, x: Array) -> float:
    """``tan theta_k`` of orthonormal ``u`` and ``x``; infinite where they are at right angles."""
    cosine, sine = angle(u, x)
    return sine / cosine if cosine > 0 else np.inf


def shrunk(noise: Array, u: Array, whole: float, inside: float) -> Array:
    """``noise``, its part in ``u`` shrunk to norm ``inside`` at most, and then all of it to norm ``whole`` at most."""
    part = u @ (u.T @ noise)
    noise = noise - part + part * min(1.0, inside / max(float(spectral_norm(part)), inside))
    return noise * min(1.0, whole / max(float(spectral_norm(noise)), whole))


def worst_step(cosine: float, sine: float, ratio: float, whole: float, inside: float) -> float:
    """Largest ``(ratio sine + b) / (cosine - a)`` over ``a^2 + b^2 = whole^2``, ``0 <= a <= inside``.

    It is infinite where ``a`` can reach the cosine. With ``a = whole cos(phi)`` the derivative vanishes where
    ``cosine cos(phi) - ratio sine sin(phi) = whole``.
    """
    if min(inside, whole) >= cosine:
        return np.inf
    lost = ratio * sine
    phi = np.arccos(min(1.0, whole / np.hypot(cosine, lost))) - np.arctan2(lost, cosine)
    a = min(max(whole * np.cos(phi), 0.0), inside, whole)
    return float((lost + np.sqrt((whole - a) * (whole + a))) / (cosine - a))


def worst_tangents(start: float, ratio: float, whole: float, inside: float, steps: int) -> list[float]:
    """Tangents ``t_0, .., t_steps`` when every step is the worst one."""
    tangents = [start]
    for _ in range(steps):
        length = np.hypot(1.0, tangents[-1])
        tangents.append(worst_step(1 / length, tangents[-1] / length, ratio, whole, inside))
    return tangents


def start_constant(k: int, p: int) -> float:
    """``K`` in ``P(s_min <= s) <= (K s / (sqrt p - sqrt(k - 1)))^m`` for a ``(k, p)`` Gaussian, ``m = p - k + 1``."""
    m = p - k + 1
    log_power = m / 2 * np.log(2) + gammaln((p + 1) / 2) - gammaln(k / 2) - gammaln(m + 1)
    return float(np.exp(log_power / m) * (np.sqrt(p) - np.sqrt(k - 1)))
