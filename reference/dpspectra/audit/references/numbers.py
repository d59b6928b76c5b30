"""References for noise on single numbers: Laplace, normal and uniform, and Laplace and Gaussian on the integers.

Each is the law of ``x`` plus noise, for a number or an array ``x`` whose entries get noise of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from dpspectra.audit.conformance import Marginal, Reference
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array

TAIL = 40
"""Standard deviations of the Gaussian law on the integers beyond which no weight is a float64 number above 0."""


def laplace(scale: float) -> Reference:
    """Return the law of ``x`` plus Laplace noise, drawn as differences of exponential numbers.

    Parameters
    ----------
    scale
        Scale of the noise: its standard deviation over the root of 2.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.positive(scale, "scale")

    def noise(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return scale * (rng.standard_exponential(shape) - rng.standard_exponential(shape))

    return _plus_noise("Laplace noise", noise, stats.laplace(scale=scale).cdf)


def normal(sigma: float) -> Reference:
    """Return the law of ``x`` plus normal noise, drawn through the distribution function.

    Parameters
    ----------
    sigma
        Standard deviation of the noise.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    law = stats.norm(scale=checks.positive(sigma, "sigma"))
    return _plus_noise("normal noise", lambda shape, rng: law.ppf(rng.random(shape)), law.cdf)


def uniform(width: float) -> Reference:
    """Return the law of ``x`` plus noise that is uniform about 0.

    Parameters
    ----------
    width
        Length of the interval of the noise.

    Returns
    -------
    Reference
        The law, with its draws and marginals.

    """
    checks.positive(width, "width")
    law = stats.uniform(-width / 2, width)
    return _plus_noise("uniform noise", lambda shape, rng: width * (rng.random(shape) - 0.5), law.cdf)


def discrete_laplace(scale: float) -> Reference:
    """Return the law of ``x`` plus an integer of probability proportional to ``exp(-|z| / scale)``.

    Draws are differences of geometric numbers.

    Parameters
    ----------
    scale
        Scale of the noise.

    Returns
    -------
    Reference
        The law; it is discrete, and has no marginals.

    """
    miss = -np.expm1(-1 / checks.positive(scale, "scale"))
    return _plus_noise("Laplace noise on the integers", lambda s, rng: rng.geometric(miss, s) - rng.geometric(miss, s))


def discrete_gaussian(sigma: float) -> Reference:
    """Return the law of ``x`` plus an integer of probability proportional to ``exp(-z^2 / (2 sigma^2))``.

    Draws are from the table of all weights.

    Parameters
    ----------
    sigma
        Parameter of the noise, near its standard deviation.

    Returns
    -------
    Reference
        The law; it is discrete, and has no marginals.

    """
    reach = int(np.ceil(TAIL * checks.positive(sigma, "sigma")))
    integers = np.arange(-reach, reach + 1)
    weights = np.exp(-((integers / sigma) ** 2) / 2)
    levels = np.cumsum(weights / weights.sum())

    def noise(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        return integers[np.searchsorted(levels[:-1], rng.random(shape), side="right")]

    return _plus_noise("Gaussian noise on the integers", noise)


def _plus_noise(
    name: str,
    noise: Callable[[tuple[int, ...], np.random.Generator], Array],
    cdf: Callable[[Array], Array] | None = None,
) -> Reference:
    def draw(x: Any, size: int, rng: np.random.Generator) -> Array:
        x = np.asarray(x)
        return np.asarray(x + noise((size, *x.shape), rng))

    def marginals(x: Any) -> tuple[Marginal, ...]:
        first = float(np.asarray(x).ravel()[0])
        if cdf is None:
            return ()
        return (Marginal("first number", lambda outputs: outputs.reshape(len(outputs), -1)[:, 0] - first, cdf),)

    return Reference(name, draw, marginals)
