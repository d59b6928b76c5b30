"""Noise of this package that is followed as one draw of dependent numbers, with the density of all of them together.

Its functions divide normal numbers by their length, or draw until something is accepted; nothing can be said of that
number by number.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.fast import knorm, trace_noise, vector_noise, wishart
from dpspectra.fast.linalg import larger_sum, mirror, upper_triangle
from dpspectra.ground.array_types import Floats
from dpspectra.matrices import tall_blocks
from dpspectra.symbolic.given_draws import affine
from dpspectra.symbolic.laws import LAPLACE, Function, Law
from dpspectra.symbolic.numpy_draws import Drawing
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.tape import following

L2_GAMMA_OF, KNORM_OF = vector_noise.l2_gamma, knorm.draw
ADDED_TO, KEY_OF, STREAM_OF = tall_blocks.add_noise, tall_blocks.key_of, tall_blocks.stream
DIFFERENCE_OF, TILTED_OF = wishart.difference, trace_noise.tilted_wishart
LARGEST_WISHART = 2
"""Columns up to which the density of a difference of Wishart matrices has a closed form."""


def _apart(z: Any) -> Any:
    raise Unsolved("dependent numbers are used apart")


def joint(name: str, log_density: Function, loss: Function, sample: Callable[[Any, Any], Any]) -> Law:
    """Return the law of numbers of this joint density, where a shift changes its log by at most ``loss``."""
    return Law(name, _apart, _apart, _apart, sample, loss=loss, joint=log_density)


def of_norm(name: str, norm: Function, sample: Callable[[Any, Any], Any]) -> Law:
    """Return the law of a density proportional to ``exp(-norm)``."""
    return joint(name, lambda z: -norm(z), norm, sample)


L2_GAMMA = of_norm("l2-gamma", lambda z: float(np.linalg.norm(z)), lambda rng, n: L2_GAMMA_OF(n, 1.0, rng))


@functools.cache
def knorm_of(d: int) -> Law:
    """Return the law of the entries on and above the diagonal of K-norm noise (DPS-KNORM)."""

    def norm(z: Floats) -> float:
        return larger_sum(np.linalg.eigvalsh(mirror(z, d)))

    return of_norm(f"K-norm {d}", norm, lambda rng, n: upper_triangle(KNORM_OF(d, 1.0, rng)))


@functools.cache
def wishart_of(d: int, *, tilt: bool) -> Law:
    """Return the law of those of a difference of Wishart matrices (JXZ-T4-R1), or of a tilted one (DPS-TILT)."""

    def log_density(z: Floats) -> float:
        m = mirror(z, d)
        return wishart.log_difference_density(m, 1.0) - tilt * abs(float(np.trace(m))) / 2

    def loss(z: Floats) -> float:
        values = np.linalg.eigvalsh(mirror(z, d))
        return float(np.sum(np.abs(values)) + tilt * abs(np.sum(values))) / 2

    real, name = (TILTED_OF, "tilted Wishart") if tilt else (DIFFERENCE_OF, "Wishart")
    return joint(f"{name} difference {d}", log_density, loss, lambda rng, n: upper_triangle(real(d, 1.0, rng)))


def _follows(rng: Any) -> bool:
    """Whether what a generator draws now is followed."""
    return following() and isinstance(rng, Drawing)


def _followed(real: Callable[..., Any], own: Callable[[int, float], Any], most: float = math.inf) -> Callable[..., Any]:
    """Return a function that draws what can be followed if its generator is, up to ``most`` columns."""

    def draw(d: int, scale: float, rng: Any) -> Any:
        return own(d, scale) if _follows(rng) and d <= most else real(d, scale, rng)

    return draw


def _vector(d: int, scale: float) -> Any:
    return affine(L2_GAMMA if d > 1 else LAPLACE, 0.0, scale, d)


def _matrix(law: Callable[[int], Law]) -> Callable[[int, float], Any]:
    return lambda d, scale: mirror(affine(law(d), 0.0, scale, d * (d + 1) // 2), d)


def _knorm(d: int) -> Law:
    return knorm_of(d) if d > 1 else LAPLACE


def _add_noise(block: Any, scale: float, rng: Any, *, laplace: bool = False) -> Any:
    """Draw by the generator's own functions, not by functions of uniform numbers."""
    if not _follows(rng):
        return ADDED_TO(block, scale, rng, laplace=laplace)
    return block + scale * (rng.laplace(size=block.shape) if laplace else rng.standard_normal(block.shape))


def _key_of(rng: Any) -> Any:
    """Let a followed generator be its own key: streams of numpy count as independent."""
    return rng if _follows(rng) else KEY_OF(rng)


def _stream(key: Any, number: int) -> Any:
    return key if isinstance(key, Drawing) else STREAM_OF(key, number)


def replacements() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return the replacements: owner, name, replacement."""
    return [
        (vector_noise, "l2_gamma", _followed(L2_GAMMA_OF, _vector)),
        (knorm, "draw", _followed(KNORM_OF, _matrix(_knorm))),
        (
            wishart,
            "difference",
            _followed(DIFFERENCE_OF, _matrix(lambda d: wishart_of(d, tilt=False)), LARGEST_WISHART),
        ),
        (
            trace_noise,
            "tilted_wishart",
            _followed(TILTED_OF, _matrix(lambda d: wishart_of(d, tilt=True)), LARGEST_WISHART),
        ),
        (tall_blocks, "add_noise", _add_noise),
        (tall_blocks, "key_of", _key_of),
        (tall_blocks, "stream", _stream),
    ]
