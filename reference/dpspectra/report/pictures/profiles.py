"""Exact privacy profiles: the smallest delta at each epsilon, beside what is claimed."""

import numpy as np

from dpspectra.fast import chi_square_profile, divergence, gaussian_profile, noisy_sketch_profile, renyi
from dpspectra.fast import wishart_row_exchange as exact_exchange
from dpspectra.lemmas.privacy import gaussian_mechanism
from dpspectra.lemmas.range_finding import exact_privacy
from dpspectra.lemmas.wishart import (
    cited_degrees,
    degrees_of_freedom,
    deviation_for_variance,
    one_sided_profile,
    unit_norm_profile,
)
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import DELTA, EPSILON, Dots, Line, Picture, curve, level

CLAIM = (1.0, 1e-6)
"""The epsilon and delta that pictures take as the claim."""
GRID = np.linspace(0.0, 6.0, 61)


def one_sided_claim() -> Picture:
    """Draw the exact profile beside the printed claim that delta is 0."""
    epsilon = CLAIM[0]
    zero, row = np.zeros(1), np.ones(1)
    delta = one_sided_profile.bound(epsilon)
    return Picture(
        "Exact privacy profile of the one-sided Wishart mechanism made for ε = 1",
        linear(EPSILON, 0, 6),
        linear(DELTA, 0, 0.4),
        [
            curve(
                "exact, one column: a row of norm 1 appears",
                lambda e: one_sided_profile.profile(zero, row, epsilon, e),
                GRID,
            )
        ],
        f"The claim is the point at ε = {epsilon:g}, δ = 0, but δ stays at {delta:.3f} however large ε is.",
        [Dots("the claim", [(epsilon, 0.0)])],
    )


def one_sided_by_parameter() -> Picture:
    """Delta against the parameter of the mechanism."""
    grid = np.linspace(0, 10, 101)
    return Picture(
        "Delta of the one-sided Wishart mechanism at every level, against the ε that it was made for",
        linear("ε that the mechanism was made for (nats)", 0, 10),
        linear("δ at every level (probability)", 0, 1),
        [curve("exact δ", one_sided_profile.bound, grid)],
        "There is no pure privacy for any parameter: less noise only raises δ.",
    )


def unit_rows() -> Picture:
    """Delta for rows of norm 1, by the angle between them."""
    grid = np.linspace(0, 1, 81)
    return Picture(
        "Delta of the one-sided Wishart mechanism for rows of norm 1, against the angle",
        linear("sine of the angle between both rows", 0, 1),
        linear("δ at every level (probability)", 0, 0.7),
        [curve(f"made for ε = {e:g}", lambda s, e=e: unit_norm_profile.profile(s, e), grid) for e in (1.0, 2.0, 4.0)],
        "Rows of equal norm do not save the mechanism: δ is 0 only if the rows are parallel, and largest at "
        "a right angle.",
    )


def deviation() -> Picture:
    """Draw the delta of a mechanism that takes a standard deviation for a variance."""
    grid = np.geomspace(0.05, 10, 61)
    return Picture(
        "Delta of the Wishart mechanism as shipped and as designed",
        logarithmic("ε that the mechanism was made for (nats)", 0.05, 10),
        linear("δ at every level (probability)", 0, 1),
        [
            curve("as shipped", deviation_for_variance.bound, grid),
            curve("as designed", one_sided_profile.bound, grid),
        ],
        "Both fail to be private, but not by the same δ: the shipped noise is smaller exactly where its line "
        "is higher.",
    )


def wishart_by_degrees() -> Picture:
    """More degrees of freedom make the profile fall."""
    grid = np.linspace(0.02, 3, 75)
    return Picture(
        "Exact privacy profile of Wishart noise by its degrees of freedom ν + d − 1, when a row of norm 1 appears",
        linear(EPSILON, 0, 3),
        logarithmic(DELTA, 1e-12, 1),
        [curve(f"ν = {nu}", lambda e, nu=nu: chi_square_profile.profile(e, nu, 1.0), grid) for nu in (2, 10, 30, 100)],
        "With ν = 2, as in the printed mechanism, the profile never falls; with more degrees of freedom it does.",
    )


def enough_degrees() -> Picture:
    """Draw an explicit number of degrees beside the smallest one."""
    delta, grid = CLAIM[1], np.geomspace(0.1, 1, 25)
    explicit = [degrees_of_freedom.enough_for_one(e, delta) for e in grid]
    smallest = [chi_square_profile.least_degrees(e, delta, chi_square_profile.profile) for e in grid]
    ratio = max(a / b for a, b in zip(explicit, smallest, strict=True))
    return Picture(
        f"Degrees of freedom that are enough for δ = {delta:g} when a row becomes zero",
        logarithmic(EPSILON, 0.1, 1),
        logarithmic("degrees of freedom beyond d − 1", 10, 10000),
        [
            Line("explicit number", list(zip(grid, explicit, strict=True))),
            Line("smallest number", list(zip(grid, smallest, strict=True))),
        ],
        f"The explicit number is enough, and here at most {ratio:.1f} times the smallest one.",
    )


def degrees_cited() -> Picture:
    """Draw the cited number of degrees beside the smallest one."""
    delta, grid = CLAIM[1], np.geomspace(0.1, 0.96, 25)
    ratio = cited_degrees.beyond_dimension(0.5, delta) / chi_square_profile.least_degrees(
        0.5, delta, chi_square_profile.profile
    )
    return Picture(
        f"Degrees of freedom for δ = {delta:g}: as cited, and the smallest ones when a row becomes zero",
        logarithmic(EPSILON, 0.1, 1),
        logarithmic("degrees of freedom beyond d − 1", 10, 1e5),
        [
            curve("as cited", lambda e: cited_degrees.beyond_dimension(e, delta), grid),
            curve(
                "smallest number",
                lambda e: chi_square_profile.least_degrees(e, delta, chi_square_profile.profile),
                grid,
            ),
        ],
        f"The cited number is enough, and about {ratio:.0f} times the smallest one at ε = 1/2.",
    )


def exchanged_rows() -> Picture:
    """One row gives way to an orthogonal one."""
    nu, grid = 40, np.linspace(0.1, 3, 30)
    return Picture(
        f"Exact privacy profile of Wishart noise, ν = {nu}: one row appears, or is replaced by an orthogonal one",
        linear(EPSILON, 0, 3),
        logarithmic(DELTA, 1e-12, 1),
        [
            curve("exact: orthogonal rows of norm 1", lambda e: exact_exchange.profile(e, nu, 1.0, 1.0), grid),
            curve("bound for every replacement", lambda e: exact_exchange.replaced(e, nu, 1.0), grid),
            curve("exact: a row of norm 1 appears", lambda e: chi_square_profile.profile(e, nu, 1.0), grid),
        ],
        "The bound for all replacements lies close above both exact profiles.",
    )


def gaussian_profiles() -> Picture:
    """Draw the exact profile of Gaussian noise."""
    return Picture(
        "Exact privacy profile of Gaussian noise by its sensitivity in standard deviations, μ",
        linear(EPSILON, 0, 6),
        logarithmic(DELTA, 1e-12, 1),
        [curve(f"μ = {mu:g}", lambda e, mu=mu: gaussian_profile.profile(e, mu), GRID) for mu in (0.5, 1.0, 2.0)],
        "Gaussian noise is private at every ε, with a δ that falls faster than exponentially, but is never 0.",
    )


def printed_gaussian() -> Picture:
    """Delta of the printed noise of the Gaussian mechanism."""
    delta, grid = CLAIM[1], np.geomspace(0.05, 40, 81)
    x = logarithmic("ε that the noise is made for (nats)", 0.05, 40)

    def reached(epsilon: float, factor: float) -> float:
        return float(
            gaussian_profile.profile(epsilon, factor / gaussian_mechanism.standard_deviation(1.0, epsilon, delta))
        )

    ends = gaussian_profile.largest_epsilon(delta, gaussian_mechanism.standard_deviation(1.0, 1.0, delta))
    smaller = gaussian_profile.largest_epsilon(
        delta, gaussian_mechanism.standard_deviation(1.0, 1.0, delta) / np.sqrt(2)
    )
    return Picture(
        f"Delta that the printed Gaussian noise reaches, where δ = {delta:g} is claimed",
        x,
        logarithmic(DELTA, 1e-12, 1),
        [
            curve("printed noise", lambda e: reached(e, 1.0), grid),
            curve("without the factor 2 in the root", lambda e: reached(e, np.sqrt(2)), grid),
            level("claimed δ", delta, x),
        ],
        f"The printed noise keeps its claim up to ε = {ends:.2f} and no further; without the factor 2 only to "
        f"{smaller:.2f}.",
    )


def largest_epsilons() -> Picture:
    """Up to which epsilon the printed noise is enough."""
    x = logarithmic("claimed δ (probability)", 1e-12, 0.9)
    return Picture(
        "Largest ε at which the printed Gaussian noise keeps its claim",
        x,
        linear("largest ε (nats)", 0, 12),
        [
            curve(
                "exact limit",
                lambda d: gaussian_profile.largest_epsilon(d, gaussian_mechanism.standard_deviation(1.0, 1.0, d)),
                np.geomspace(1e-12, 0.9, 61),
            ),
            level("15/4, proved for every δ", 15 / 4, x),
        ],
        "The printed noise is enough up to the solid line, which nowhere falls below 15/4.",
    )


def range_finder() -> Picture:
    """Draw the profile of a noisy sketch at its smallest noise."""
    (epsilon, delta), grid = CLAIM, np.linspace(0.05, 3, 40)
    lines = []
    for width in (1, 5, 20):
        noise = exact_privacy.noise_scale(width, epsilon, delta)
        lines.append(
            curve(
                f"{width} columns, noise {noise:.1f}",
                lambda e, n=noise, w=width: noisy_sketch_profile.profile(e, n, w),
                grid,
            )
        )
    return Picture(
        "Exact privacy profile of the private range finder with its smallest noise",
        linear(EPSILON, 0, 3),
        logarithmic(DELTA, 1e-12, 1),
        lines,
        "Each width has its own smallest noise, and all profiles pass through the claim.",
        [Dots("the claim", [CLAIM])],
    )


def renyi_curves() -> Picture:
    """Draw the curve that a Renyi divergence implies."""
    alpha, divergence_bound, grid = 4.0, 0.5, np.linspace(0, 4, 81)
    return Picture(
        f"Delta that a Renyi divergence of order {alpha:g} of at most {divergence_bound:g} nats implies",
        linear(EPSILON, 0, 4),
        logarithmic(DELTA, 1e-6, 1),
        [
            curve("from one order", lambda e: renyi.profile(e, alpha, divergence_bound), grid),
            curve("from both orders, the smallest curve", lambda e: renyi.curve(e, alpha, divergence_bound), grid),
        ],
        "The bound in both orders gives the smaller curve; an audit that finds a point above it refutes the "
        "divergence.",
    )


def coin_profiles() -> Picture:
    """Draw the profiles of randomised response, from the definition."""
    odds = (0.75, 0.9)
    grid = np.linspace(0, 3, 121)
    laws = [(np.array([p, 1 - p]), np.array([1 - p, p])) for p in odds]
    return Picture(
        "Smallest δ at every ε for a bit that is told truthfully with probability p",
        linear(EPSILON, 0, 3),
        linear(DELTA, 0, 1),
        [
            curve(f"p = {law[0][0]:g}", lambda e, law=law: divergence.hockey_stick(law[0], law[1], e), grid)
            for law in laws
        ],
        "Delta falls to 0 at ε = log(p / (1 − p)), from where on the bit is purely private.",
        [Dots("largest loss", [(float(np.max(divergence.privacy_loss(*law))), 0.0) for law in laws])],
    )


PICTURES = {
    "JXZ-T4": one_sided_claim,
    "JXZ-T4-X": one_sided_by_parameter,
    "JXZ-T4-U": unit_rows,
    "JXZ-LIB": deviation,
    "JXZ-T4-G": wishart_by_degrees,
    "JXZ-T4-R2": enough_degrees,
    "JXZ-T4-S": degrees_cited,
    "JXZ-T4-E": exchanged_rows,
    "HR-T2.6R": gaussian_profiles,
    "HR-T2.6": printed_gaussian,
    "JXZ-T2": largest_epsilons,
    "HR-L4.1R": range_finder,
    "DPS-RENYICURVE": renyi_curves,
    "MWKTV-D1.1": coin_profiles,
}
