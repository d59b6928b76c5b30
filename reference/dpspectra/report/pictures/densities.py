"""Laws on an orbit at several temperatures: densities, gaps, normalisers and losses."""

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast import hciz, orbit_privacy_loss, patterns
from dpspectra.formulas import orbit_accounting, utility_gap_domination
from dpspectra.lemmas.covering.line_gaps import line_tail
from dpspectra.lemmas.orbit import exponential_algorithm
from dpspectra.lemmas.privacy import eigenvector_samples
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import Dots, Line, Picture, curve, level


def density(title: str, spectrum: NDArray[np.float64], kappa: float) -> Line:
    """Density of the first entry of a point drawn with density ``exp(kappa H_11)``, from differences of its law."""
    edges = np.linspace(spectrum[-1], spectrum[0], 161)
    middle = (edges[1:] + edges[:-1]) / 2
    tails = np.array([patterns.quadratic_form_tail(spectrum, t) for t in edges])
    first = np.append(1.0, np.zeros(len(spectrum) - 1))
    tilt = np.exp(kappa * middle - hciz.log_normaliser(first, spectrum, kappa))
    heights = (tails[:-1] - tails[1:]) / np.diff(edges) * tilt
    return Line(title, [(float(x), float(y)) for x, y in zip(middle, heights, strict=True)])


def first_entry() -> Picture:
    """Draw the first entry of a point of an orbit."""
    spectrum = np.array([3.0, 1.0, 0.0, -2.0])
    return Picture(
        "Density of the first diagonal entry on the orbit of diag(3, 1, 0, −2)",
        linear("first diagonal entry of H", -2, 3),
        linear("density", 0, 1),
        [density(f"κ = {kappa:g}", spectrum, kappa) for kappa in (0.0, 1.0, 3.0)],
        "Without a tilt the law is a spline with knots at the eigenvalues; a larger κ pushes it to the largest one.",
    )


def overlap() -> Picture:
    """Draw the overlap of a line of Algorithm 1 with the best one."""
    spectrum, rows = np.array([1.0, 0.0, 0.0, 0.0]), 40
    lines = [
        density(
            f"ε = {epsilon:g}", spectrum, rows * float(exponential_algorithm.inverse_temperature(spectrum, epsilon))
        )
        for epsilon in (0.1, 0.5, 2.0)
    ]
    return Picture(
        f"Overlap of the drawn line with the one direction of all {rows} rows, in 4 dimensions",
        linear("squared cosine to the best line", 0, 1),
        linear("density", 0, 6),
        lines,
        "With little ε the line is nearly uniform, and mostly far from the best one; with more it gathers at "
        "the best one.",
    )


def normaliser() -> Picture:
    """Draw the normaliser between two straight lines."""
    gamma, spectrum = np.array([2.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    grid = np.linspace(0, 10, 81)
    mean, best = float(gamma.mean() * spectrum.sum()), float(gamma @ spectrum)
    return Picture(
        "Logarithm of the normaliser on the orbit of diag(1, 0, 0) for M = diag(2, 1, 0)",
        linear("inverse temperature κ", 0, 10),
        linear("log of the mean of exp(κ ⟨M, H⟩)", 0, 20),
        [
            curve("κ × largest score", lambda k: k * best, grid),
            curve("exact", lambda k: hciz.log_normaliser(gamma, spectrum, k) if k else 0.0, grid),
            curve("κ × mean score", lambda k: k * mean, grid),
        ],
        "It leaves the lower line, of uniform draws, and runs parallel to the upper one, of the best point, "
        "once κ is large.",
    )


def gap_law() -> Picture:
    """Draw the gap beside the Gamma variable that dominates it."""
    d = 5
    spectrum = [1.0] + [0.0] * (d - 1)
    levels = np.append(np.geomspace(1e-6, 0.5, 40), 1 - np.geomspace(0.45, 1e-4, 30))
    gamma = [(utility_gap_domination.bound(spectrum, 1.0, beta), float(beta)) for beta in levels]
    return Picture(
        f"Tail of the utility gap of a complex line in {d} dimensions, and of the Gamma variable of shape {d - 1}",
        linear("κ × gap", 0, 25),
        logarithmic("probability of a larger gap", 1e-6, 1),
        [
            Line("Gamma variable: the bound", gamma),
            *(
                curve(
                    f"exact, κ × largest gap {b:g}",
                    lambda x, b=b: line_tail("complex", d, b, x),
                    np.linspace(0.05, 0.999 * b, 60),
                )
                for b in (20.0, 8.0)
            ),
        ],
        "The exact gap is always smaller than the Gamma variable, and close to it once κ times the matrix is large.",
    )


def loss(kappa: float, title: str, limit: str, epsilon: float, caption: str) -> Picture:
    """Draw the loss when one of ``t`` rows turns by a right angle, against ``t``."""
    spectrum, grid = np.array([1.0, 0.0]), np.linspace(1, 60, 60)
    one, other = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    x = linear("rows with the first direction", 0, 60)
    return Picture(
        title,
        x,
        linear("privacy loss (nats)", 0, 2.5),
        [
            curve(
                "exact loss",
                lambda t: orbit_privacy_loss.privacy_loss(t * one, (t - 1) * one + other, spectrum, kappa),
                grid,
            ),
            level(limit, epsilon, x),
        ],
        caption,
    )


def accounting() -> Picture:
    """Draw the exact loss at our temperature."""
    epsilon = 1.0
    kappa = float(orbit_accounting.inverse_temperature(np.array([1.0, 0.0]), epsilon, "replace"))
    return loss(
        kappa,
        f"Exact privacy loss of a line drawn with κ = {kappa:g}, when one row turns by a right angle",
        f"ε = {epsilon:g}",
        epsilon,
        "The loss approaches ε as rows are added, and never exceeds it: no larger κ would do.",
    )


def overview() -> Picture:
    """Draw the exact loss at the temperature of the overview."""
    epsilon = 1.0
    return loss(
        epsilon,
        "Exact privacy loss of a line drawn with κ = ε / λ₁ = 1, when one row turns by a right angle",
        f"claimed: ε = {epsilon:g}",
        epsilon,
        "Already with a few rows the loss is above the claim, and it approaches twice as much.",
    )


def sphere_samples() -> Picture:
    """How concentrated the exponential mechanism on the sphere must be."""
    rho, eta, grid = 0.9, 0.05, np.geomspace(0.1, 300, 61)
    dimensions = (3, 10, 40)
    needed = [(float(eigenvector_samples.exponent_needed(d, rho, eta)), eta) for d in dimensions]
    return Picture(
        f"Probability that a drawn direction has a cosine below {rho:g} to the top eigenvector",
        logarithmic("n ε gap / 2 (nats)", 0.1, 300),
        logarithmic("probability", 1e-4, 1),
        [curve(f"d = {d}", lambda x, d=d: eigenvector_samples.miss(d, x, rho), grid) for d in dimensions],
        f"The points are the smallest exponents for a probability of {eta:g}; they grow in proportion to the "
        "dimension.",
        [Dots("exponent that is needed", needed)],
    )


PICTURES = {
    "DPS-GT": first_entry,
    "MWKTV-A1": overlap,
    "MWKTV-HCIZ": normaliser,
    "MWKTV-N1": gap_law,
    "MWKTV-L6.2X": accounting,
    "MWKTV-O4.1": overview,
    "JXZ-T8": sphere_samples,
}
