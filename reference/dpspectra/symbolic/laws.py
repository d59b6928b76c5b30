"""Laws of draws at location 0 and scale 1, with what the likelihood of a part needs to know about them."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np
from scipy.special import k0e, log_ndtr

Function = Callable[[Any], Any]
HALF, ROOT = log(2), log(2 * math.pi) / 2
UNKNOWN = math.inf


@dataclass(frozen=True)
class Law:
    """A law of real numbers.

    ``lower`` and ``upper`` are logs of both tails. ``concave`` says that the log-density is concave (and so are the
    tails): then integrals along a line are bounded rigorously. ``discrete`` laws have masses at integers. ``loss`` is
    the largest log-ratio of densities that a shift by so many scales can show. If the numbers of a block are dependent,
    ``joint`` is the log-density of all of them together, up to a constant, and ``loss`` is of all their shifts.
    """

    name: str
    log_density: Function
    lower: Function
    upper: Function
    sample: Callable[[np.random.Generator, Any], Any]
    concave: bool = False
    discrete: bool = False
    kinks: tuple[float, ...] = ()
    loss: Callable[[Any], float] = field(default=lambda shift: UNKNOWN)
    support: tuple[float, float] = (-math.inf, math.inf)
    joint: Callable[[Any], float] | None = None
    title: str = ""
    """Name in reports, if it is another one."""
    shapes: tuple[float, ...] = ()
    """Shape parameters of a law of scipy."""

    @property
    def shown(self) -> str:
        """Name in reports."""
        return self.title or self.name

    @property
    def key(self) -> str:
        """Key of a law: two laws of one key are the same."""
        return self.name


def _log_laplace_lower(z: Any) -> Any:
    z = np.asarray(z, dtype=float)
    return np.where(z < 0, np.minimum(z, 0) - HALF, np.log1p(-np.exp(-np.abs(z)) / 2))


def _inside(z: Any, low: float, high: float, value: Any) -> Any:
    return np.where((z >= low) & (z <= high), value, -np.inf)


def _log(x: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(x)


def _softplus(z: Any) -> Any:
    return np.logaddexp(0.0, z)


NORMAL = Law(
    "normal",
    lambda z: -np.square(z) / 2 - ROOT,
    log_ndtr,
    lambda z: log_ndtr(np.negative(z)),
    lambda rng, n: rng.standard_normal(n),
    concave=True,
    loss=lambda shift: 0.0 if shift == 0 else UNKNOWN,
)
LAPLACE = Law(
    "laplace",
    lambda z: -np.abs(z) - HALF,
    _log_laplace_lower,
    lambda z: _log_laplace_lower(np.negative(z)),
    lambda rng, n: rng.laplace(size=n),
    concave=True,
    kinks=(0.0,),
    loss=abs,
)
EXPONENTIAL = Law(
    "exponential",
    lambda z: _inside(z, 0, math.inf, np.negative(z)),
    lambda z: _log(-np.expm1(-np.maximum(z, 0))),
    lambda z: -np.maximum(z, 0),
    lambda rng, n: rng.standard_exponential(n),
    concave=True,
    kinks=(0.0,),
    support=(0.0, math.inf),
)
UNIFORM = Law(
    "uniform",
    lambda z: _inside(z, 0, 1, 0.0),
    lambda z: _log(np.clip(z, 0, 1)),
    lambda z: _log(1 - np.clip(z, 0, 1)),
    lambda rng, n: rng.random(n),
    concave=True,
    kinks=(0.0, 1.0),
    support=(0.0, 1.0),
)
GUMBEL = Law(
    "gumbel",
    lambda z: -z - np.exp(np.negative(z)),
    lambda z: -np.exp(np.negative(z)),
    lambda z: _log(-np.expm1(-np.exp(np.negative(z)))),
    lambda rng, n: rng.gumbel(size=n),
    concave=True,
)
LOGISTIC = Law(
    "logistic",
    lambda z: -np.abs(z) - 2 * _softplus(-np.abs(z)),
    lambda z: -_softplus(np.negative(z)),
    lambda z: -_softplus(z),
    lambda rng, n: rng.logistic(size=n),
    concave=True,
    loss=abs,
)
BESSEL = Law(
    "exponential times cosine",
    lambda z: _log(k0e(np.abs(z))) - np.abs(z) - log(math.pi),
    lambda z: _unknown(z),
    lambda z: _unknown(z),
    lambda rng, n: rng.standard_exponential(n) * np.cos(math.pi * rng.random(n)),
)
"""Law of an exponential number times the cosine of an angle uniform on (0, pi); two of them make a Laplace number."""

RATIO = Law(
    "quotient of uniform numbers",
    lambda z: _inside(z, 0, math.inf, -HALF - 2 * np.maximum(_log(np.maximum(z, 0)), 0)),
    lambda z: np.where(z < 1, _log(np.clip(z, 0, 1)) - HALF, np.log1p(-0.5 / np.maximum(z, 1))),
    lambda z: np.where(z < 1, np.log1p(-np.clip(z, 0, 1) / 2), -HALF - _log(np.maximum(z, 1))),
    lambda rng, n: rng.random(n) / rng.random(n),
    support=(0.0, math.inf),
)
ROOTED = Law(
    "root of an exponential number",
    lambda z: _inside(z, 0, math.inf, HALF + _log(np.maximum(z, 0)) - np.square(z)),
    lambda z: _log(-np.expm1(-np.square(np.maximum(z, 0)))),
    lambda z: -np.square(np.maximum(z, 0)),
    lambda rng, n: np.sqrt(rng.standard_exponential(n)),
    concave=True,
    support=(0.0, math.inf),
)
TURN = Law(
    "cosine of a turn",
    lambda z: _inside(z, -1, 1, -log(math.pi) - _log(1 - np.square(np.clip(z, -1, 1))) / 2),
    lambda z: _log(1 - np.arccos(np.clip(z, -1, 1)) / math.pi),
    lambda z: _log(np.arccos(np.clip(z, -1, 1)) / math.pi),
    lambda rng, n: np.cos(2 * math.pi * rng.random(n)),
    support=(-1.0, 1.0),
)
"""Law of the cosine of an angle uniform on a full turn."""


def _unknown(z: Any) -> Any:
    return np.full(np.shape(z), np.nan)


OF_NUMPY = {"geom": "geometric", "poisson": "poisson", "binom": "binomial", "nbinom": "negative_binomial"}
"""Methods of generators that draw from laws of scipy with the same parameters, sooner than scipy does."""


def loss_of(name: str, *shapes: str) -> Callable[[Any], float]:
    """Return a bound on the log-ratio of densities that a shift of a law of scipy can show (DPS-SHIFTLOSS)."""
    a = float(shapes[0]) if shapes else 1.0
    if name in ("t", "cauchy") and math.isfinite(a):
        return lambda shift: (a + 1) * math.asinh(abs(shift) / (2 * math.sqrt(a)))
    if name == "gennorm" and a <= 1:
        return lambda shift: float(abs(shift) ** a)
    if name == "laplace_asymmetric":
        return lambda shift: max(a, 1 / a) * abs(shift)
    if name == "hypsecant":
        return abs
    return lambda shift: UNKNOWN


def is_concave(name: str, *shapes: str) -> bool:
    """Whether the masses of a discrete law of scipy are log-concave."""
    return name in ("binom", "geom", "poisson") or (name == "nbinom" and float(shapes[0]) >= 1)


def of_scipy(name: str, frozen: Any) -> Law:
    """Return a law of scipy with its shape parameters, at location 0 and scale 1; ``name`` tells it from others."""
    discrete = hasattr(frozen, "pmf")
    density = frozen.logpmf if discrete else frozen.logpdf

    shapes = tuple(map(float, frozen.args))

    def sample(rng: np.random.Generator, n: Any) -> Any:
        if frozen.dist.name in OF_NUMPY and not frozen.kwds:
            return np.asarray(getattr(rng, OF_NUMPY[frozen.dist.name])(*frozen.args, n), dtype=float)
        return np.asarray(frozen.rvs(size=n, random_state=rng), dtype=float)

    def quietly(function: Function) -> Function:
        def called(z: Any) -> Any:
            with np.errstate(all="ignore"):
                return function(z)

        return called

    tails = quietly(frozen.logcdf), quietly(frozen.logsf)
    low, high = map(float, frozen.support())
    return Law(
        name,
        quietly(density),
        *tails,
        sample,
        concave=discrete and is_concave(*name.split()),
        discrete=discrete,
        loss=loss_of(*name.split()),
        support=(low, high),
        shapes=shapes,
    )


@functools.lru_cache(maxsize=256)
def of_name(name: str, *shapes: float) -> Law:
    """Return a law of scipy by its name."""
    from scipy import stats

    parameters = " ".join(repr(float(s)) for s in shapes)
    return of_scipy(f"{name} {parameters}".strip(), getattr(stats, name)(*shapes))
