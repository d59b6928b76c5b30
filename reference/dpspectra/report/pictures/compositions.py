"""Costs of several outputs together."""

import numpy as np

from dpspectra.fast import composition as exact
from dpspectra.fast import gaussian_profile
from dpspectra.fast.roots import bisect
from dpspectra.formulas import find_then_project
from dpspectra.lemmas.privacy import composition
from dpspectra.lemmas.range_finding import exact_privacy
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import DELTA, EPSILON, Picture, curve


def repeated() -> Picture:
    """Draw basic, advanced and optimal composition by the number of outputs."""
    epsilon, slack, numbers = 0.1, 1e-6, range(1, 121, 4)

    def optimal(k: int) -> float:
        return bisect(lambda e: exact.optimal_delta(e, k, epsilon, 0.0) > slack, 0.0, k * epsilon, relative=1e-6)[1]

    return Picture(
        f"Epsilon of k outputs, each {epsilon:g}-private, at δ = {slack:g}",
        linear("outputs k", 0, 120),
        linear("ε together (nats)", 0, 12),
        [
            curve("basic composition", lambda k: composition.basic(k, epsilon, 0.0)[0], numbers),
            curve("advanced composition", lambda k: composition.advanced(k, epsilon, 0.0, slack)[0], numbers),
            curve("exact, the best attack", optimal, numbers),
        ],
        "Advanced composition is worse than the basic one for few outputs; the exact cost lies below both.",
    )


def unequal() -> Picture:
    """Draw the composition of outputs that differ in epsilon."""
    epsilons = [0.1, 0.2, 0.4, 0.8]
    total = sum(epsilons)
    even = total / len(epsilons)
    shares = ", ".join(f"{epsilon:g}" for epsilon in epsilons)
    grid = np.linspace(0, total, 76)
    return Picture(
        f"Exact δ of four outputs with ε = {shares} together",
        linear(EPSILON, 0, 1.6),
        linear(DELTA, 0, 0.4),
        [
            curve(f"ε = {shares}", lambda e: exact.unequal_delta(e, epsilons, [0.0] * 4), grid),
            curve(f"ε = {even:g}, four times", lambda e: exact.optimal_delta(e, 4, even, 0.0), grid),
        ],
        f"Both reach δ = 0 at the sum, {total:g}; below it unequal shares of the same sum cost no less here.",
    )


def two_stages() -> Picture:
    """Half of the budget for each stage, or the exact cost of both."""
    delta, width = 1e-6, 5
    grid = np.geomspace(0.25, 4, 13)

    def exactly(epsilon: float) -> float:
        return find_then_project.noise_scale(width, epsilon, delta, gaussian_profile.mu_for(epsilon / 2, delta / 2))

    return Picture(
        f"Noise of a range finder of {width} columns when a projection follows, δ = {delta:g}",
        logarithmic("ε for both stages (nats)", 0.25, 4),
        logarithmic("smallest noise (lengths of a row)", 1, 1000),
        [
            curve("half of ε and δ", lambda e: exact_privacy.noise_scale(width, e / 2, delta / 2), grid),
            curve("exact cost of both stages", exactly, grid),
        ],
        "With the same projection afterwards the exact cost of both stages needs less noise than half of ε "
        "and δ for each.",
    )


PICTURES = {"HR-T2.4": repeated, "DPS-COMPOSE": unequal, "HR-L6.1R": two_stages}
