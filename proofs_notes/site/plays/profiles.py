"""Privacy profiles of Gaussian and of Wishart noise calibrated to one claim, and of the printed mechanism."""

import math

import numpy as np

from dpspectra import calibrate, profile
from dpspectra.fast import chi_square_profile
from dpspectra.report.drawing import Axis, power

from .chart import Curve, Mark, Slider, Text, digits, figure

CLAIMED = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
EXPONENTS = tuple(range(-2, -11, -1))
DIMENSIONS = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 128)
GRID = tuple(digits(np.geomspace(0.05, 10, 41)))
"""Values of epsilon at which curves are drawn."""


def degrees(epsilon: float, exponent: int) -> int:
    """Degrees of freedom, less ``d - 1``, from which Wishart noise of scale 1 keeps the claim for a row of norm 1."""
    return int(chi_square_profile.least_degrees(epsilon, 10.0**exponent, chi_square_profile.profile))


def page() -> str:
    """Return the page in MyST Markdown."""
    claims = [(epsilon, exponent) for epsilon in CLAIMED for exponent in EXPONENTS]
    sigmas = [calibrate.gaussian(epsilon, 10.0**exponent, 1.0) for epsilon, exponent in claims]
    free = [degrees(*claim) for claim in claims]
    grid = np.array(GRID)
    printed = [float(profile.wishart_one_sided(epsilon, 1.0, 1.5 / epsilon)) for epsilon in CLAIMED]
    curves = {
        "gaussian": Curve(
            "Gaussian noise", 1, GRID, (0, 1), [digits(profile.gaussian(grid, 1.0, sigma), 3) for sigma in sigmas]
        ),
        "wishart": Curve(
            "Wishart noise with enough degrees of freedom",
            2,
            GRID,
            (0, 1),
            [digits(profile.wishart(grid, m, 1, 1.0, 1.0), 3) for m in free],
        ),
        "printed": Curve(
            "the Wishart mechanism as printed for this epsilon",
            3,
            GRID,
            (0,),
            [digits([delta] * len(GRID), 3) for delta in printed],
        ),
    }
    texts = {
        "sigma": Text("Gaussian noise: error", (0, 1, 2), [f"{sigma * d:.4g}" for sigma in sigmas for d in DIMENSIONS]),
        "freedom": Text(
            "Wishart noise: degrees of freedom", (0, 1, 2), [f"{m + d - 1}" for m in free for d in DIMENSIONS]
        ),
        "centred": Text(
            "Wishart noise less its mean: error",
            (0, 1, 2),
            [f"{math.sqrt((m + d - 1) * d * (d + 1)):.4g}" for m in free for d in DIMENSIONS],
        ),
        "loss": Text("the printed mechanism: delta at every epsilon", (0,), [f"{delta:.4g}" for delta in printed]),
    }
    drawn = figure(
        "Smallest delta against epsilon for three kinds of noise, on logarithmic axes",
        Axis("epsilon (nats)", 0.05, 10.0, {0.05: "0.05", 0.1: "0.1", 0.3: "0.3", 1: "1", 3: "3", 10: "10"}, log=True),
        Axis("smallest delta", 1e-12, 1.0, {10.0**k: power(k) for k in range(-12, 1, 3)}, log=True),
        [
            Slider("claimed epsilon", [f"{epsilon:g}" for epsilon in CLAIMED], CLAIMED.index(1.0)),
            Slider("claimed delta", [power(exponent) for exponent in EXPONENTS], EXPONENTS.index(-6)),
            Slider("dimension d", [str(d) for d in DIMENSIONS], DIMENSIONS.index(20)),
        ],
        curves,
        {"claim": Mark("the claim", (0, 1), [(epsilon, 10.0**exponent) for epsilon, exponent in claims])},
        texts,
    )
    return f"""# Privacy profiles of Gaussian and Wishart noise

A matrix of second moments, `X'X`, is released with noise.
One row of norm at most 1 becomes zero, or stops being zero.
The curves show the smallest delta at every epsilon, exactly (HR-T2.6R for Gaussian, JXZ-T4-G for Wishart noise).
Both kinds of noise are as small as the claim allows, so their curves pass through the claim, or just below it.

{drawn}
The Wishart mechanism as printed (JXZ-T4) has `d + 1` degrees of freedom and claims delta 0.
Its profile is a horizontal line (JXZ-T4-X): no epsilon, however large, makes delta small, so the claim is refuted.
With more degrees of freedom Wishart noise is private, and the profile falls.

The error is the root mean square of the Frobenius norm of the noise, in units of one row.
The dimension changes the errors and not the curves: a row of norm 1 stands out against the noise in one direction only.
The numbers are computed by `dpspectra.profile` and `dpspectra.calibrate` when this page is built.
"""
