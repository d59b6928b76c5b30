"""Guaranteed error of the covariance mechanisms against epsilon, for any dimension, delta and number of people."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra.fast.wishart import centred_moments
from dpspectra.report.drawing import Axis, power

from .chart import Curve, Slider, Text, digits, figure

EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
EXPONENTS = (-3, -5, -6, -8, -10)
DIMENSIONS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)
PEOPLE = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
READ_AT = 1.0
"""Value of epsilon at which the table below the figure is read."""


def guaranteed(mechanism: Callable[..., Any], d: int, epsilon: float, *delta: float) -> float:
    """Frobenius error in units of one row that a release exceeds with probability at most 0.05, whatever the data.

    The guarantee is public, and so the same for a single row of zeros.
    """
    release = mechanism(np.zeros((1, d)), epsilon, *delta, rng=np.random.default_rng(0))
    return float(release.details["guarantee"].bound)


@functools.cache
def extra_degrees(epsilon: float, delta: float) -> int:
    """Degrees of freedom of `wishart_covariance` less the dimension: the same from dimension 2 on."""
    release = dps.wishart_covariance(np.zeros((1, 2)), epsilon, delta, rng=np.random.default_rng(0))
    return int(release.details["degrees_of_freedom"]) - 2


def centred_wishart(d: int, epsilon: float, delta: float) -> float:
    """Return the guarantee of `wishart_covariance`, with degrees of freedom that are looked up."""
    mean, variance = centred_moments(extra_degrees(epsilon, delta) + d, d)
    return dps.Guarantee.of_square("Frobenius error", mean, variance).bound


def page() -> str:
    """Return the page in MyST Markdown."""
    pure = {"laplace": dps.laplace_covariance, "difference": dps.symmetric_wishart_covariance}
    one_row = {
        name: [[guaranteed(mechanism, d, e) for e in EPSILONS] for d in DIMENSIONS] for name, mechanism in pure.items()
    }
    pairs = [(d, 10.0**exponent) for d in DIMENSIONS for exponent in EXPONENTS]
    one_row["gaussian"] = [[guaranteed(dps.gaussian_covariance, d, e, delta) for e in EPSILONS] for d, delta in pairs]
    one_row["wishart"] = [[centred_wishart(d, e, delta) for e in EPSILONS] for d, delta in pairs]
    titles = {
        "laplace": "Laplace noise, delta 0",
        "difference": "difference of two Wishart matrices, delta 0",
        "gaussian": "Gaussian noise",
        "wishart": "Wishart noise less its mean",
    }
    by = {name: (0, 2) if name in pure else (0, 1, 2) for name in titles}
    errors = {name: [digits(np.array(row) / n, 3) for row in one_row[name] for n in PEOPLE] for name in titles}
    curves = {
        name: Curve(title, style, EPSILONS, by[name], errors[name])
        for style, (name, title) in enumerate(titles.items(), 1)
    }
    place = EPSILONS.index(READ_AT)
    texts = {
        f"at-{name}": Text(f"{title}, at epsilon 1", by[name], [f"{row[place]:.3g}" for row in errors[name]])
        for name, title in titles.items()
    }
    drawn = figure(
        "Guaranteed Frobenius error of four covariance mechanisms against epsilon, on logarithmic axes",
        Axis("epsilon (nats)", 0.1, 10.0, {0.1: "0.1", 0.3: "0.3", 1: "1", 3: "3", 10: "10"}, log=True),
        Axis("Frobenius error of X'X / n", 1e-4, 10.0, {10.0**k: power(k) for k in range(-4, 2)}, log=True),
        [
            Slider("dimension d", [str(d) for d in DIMENSIONS], DIMENSIONS.index(16)),
            Slider("delta", [power(exponent) for exponent in EXPONENTS], EXPONENTS.index(-6)),
            Slider("people n", [f"{n:,}" for n in PEOPLE], PEOPLE.index(10_000)),
        ],
        curves,
        {},
        texts,
    )
    return f"""# Error of covariance mechanisms against epsilon

Every mechanism releases the second moments `X'X / n` of rows of norm at most 1, and one row may be replaced.
The curves are guarantees: the Frobenius error exceeds them with probability at most 0.05, whatever the data.

{drawn}
Releasing zero has an error of at most 1: a guarantee above that says that there are too few people.
Without a delta, the difference of two Wishart matrices (JXZ-T4-R1) beats Laplace noise (JXZ-A1) from dimension 2 on.
With a delta, Gaussian noise (HR-T2.6R) is best in high dimension, and Wishart noise (JXZ-T4-G) where epsilon is small.
But the error of Wishart noise does not vanish as epsilon grows: it needs more degrees of freedom than dimensions.
The numbers are read off releases of a row of zeros when this page is built, as guarantees do not depend on data.
"""
