"""Noise of this package that is followed as one draw of dependent numbers, with the density of all of them together.

Its functions divide normal numbers by their length, or draw until something is accepted; nothing can be said of that
number by number.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.fast import knorm, vector_noise
from dpspectra.fast.linalg import mirror, upper_triangle
from dpspectra.symbolic.drawing import affine
from dpspectra.symbolic.laws import LAPLACE, Law
from dpspectra.symbolic.numpy_draws import Drawing
from dpspectra.symbolic.systems import Unsolved
from dpspectra.symbolic.tape import Floats, following

L2_GAMMA_OF, KNORM_OF = vector_noise.l2_gamma, knorm.draw


def _apart(z: Any) -> Any:
    raise Unsolved("dependent numbers are used apart")


def of_norm(name: str, norm: Callable[[Floats], float], sample: Callable[[Any, Any], Any]) -> Law:
    """Return the law of a density proportional to ``exp(-norm)``."""
    return Law(name, _apart, _apart, _apart, sample, loss=norm, joint=lambda z: -norm(z))


L2_GAMMA = of_norm("l2-gamma", lambda z: float(np.linalg.norm(z)), lambda rng, n: L2_GAMMA_OF(n, 1.0, rng))


@functools.cache
def knorm_of(d: int) -> Law:
    """Return the law of the entries on and above the diagonal of K-norm noise (DPS-KNORM)."""

    def norm(z: Floats) -> float:
        values = np.linalg.eigvalsh(mirror(z, d))
        return float(max(np.sum(values[values > 0]), -np.sum(values[values < 0])))

    return of_norm(f"K-norm {d}", norm, lambda rng, n: upper_triangle(KNORM_OF(d, 1.0, rng)))


def _followed(real: Callable[..., Any], own: Callable[[int, float], Any]) -> Callable[..., Any]:
    """Return a function that draws what can be followed if its generator is; one number of it is a Laplace one."""

    def draw(d: int, scale: float, rng: Any) -> Any:
        return own(d, scale) if following() and isinstance(rng, Drawing) else real(d, scale, rng)

    return draw


def _vector(d: int, scale: float) -> Any:
    return affine(L2_GAMMA if d > 1 else LAPLACE, 0.0, scale, d)


def _matrix(d: int, scale: float) -> Any:
    return mirror(affine(knorm_of(d) if d > 1 else LAPLACE, 0.0, scale, d * (d + 1) // 2), d)


def replacements() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return the replacements: owner, name, replacement."""
    return [
        (vector_noise, "l2_gamma", _followed(L2_GAMMA_OF, _vector)),
        (knorm, "draw", _followed(KNORM_OF, _matrix)),
    ]
