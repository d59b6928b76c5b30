"""The angle of the power method to its target, round by round, and the law of its start."""

import math

import numpy as np

from dpspectra.fast import power
from dpspectra.formulas import power_convergence, power_flow, random_start
from dpspectra.lemmas.power import noiseless, one_step, private_convergence, private_runs
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import Dots, Line, Picture, curve, level

RATIO = 0.8
"""Quotient of the singular values after and before the gap; the one before is 1."""
GAP = 1 - RATIO
TARGET = 0.1
TANGENT = "tangent of the angle to the target"


def worst(title: str, start: float, whole: float, inside: float, steps: int) -> Line:
    """Tangents when the noise of every round is the worst admissible one."""
    return Line(title, list(enumerate(power.worst_tangents(start, RATIO, whole, inside, steps))))


def one_round(constants: tuple[float, ...], caption: str) -> Picture:
    """Draw the factor by which one round multiplies the tangent, against the tangent before it."""
    grid = np.geomspace(0.02, 10, 121)
    x = logarithmic(f"{TANGENT}, before", 0.02, 10)
    lines = []
    for constant in constants:

        def after(tangent: float, constant: float = constant) -> float:
            cosine = 1 / math.hypot(1, tangent)
            noise, inside = GAP * TARGET / constant, GAP * cosine / constant
            return power.worst_step(cosine, tangent * cosine, RATIO, noise, min(noise, inside)) / tangent

        lines.append(curve(f"worst noise, C = {constant:g}", after, grid))
    for constant in constants[:1]:
        lines.append(
            curve(f"bound, C = {constant:g}", lambda t, c=constant: one_step.bound(t, TARGET, RATIO, c) / t, grid)
        )
    return Picture(
        f"One round of the power method, σ_(k+1)/σ_k = {RATIO:g}, with noise up to gap × {TARGET:g} / C, "
        f"C = {' or '.join(map(str, constants))}",
        x,
        linear("tangent after / before", 0.7, 1.5),
        [*lines, level("no change", 1.0, x)],
        caption,
    )


def printed_round() -> Picture:
    """One round with the printed noise."""
    return one_round(
        (4,),
        f"Above the target, {TARGET:g}, even the worst noise makes the angle smaller, by more than the bound says.",
    )


def sharp_round() -> Picture:
    """One round with more or less noise."""
    return one_round(
        (2, 8),
        f"With C = 2 the bound only says that an angle above the target, {TARGET:g}, does not grow; less "
        "noise turns more.",
    )


def many_rounds() -> Picture:
    """Draw the angle by the number of rounds until the target is reached."""
    x = linear("round", 0, 60)
    starts = (30.0, 3.0, 0.5)
    noise = GAP * TARGET / power_flow.CONSTANT
    lines = []
    for start in starts:
        inside = GAP / math.hypot(1, start) / power_flow.CONSTANT
        lines.append(worst(f"worst noise from tangent {start:g}", start, noise, min(noise, inside), 60))
    ends = [(float(power_flow.iterations(start, TARGET, RATIO)), TARGET) for start in starts]
    return Picture(
        f"Tangent by round with the worst admissible noise, σ_(k+1)/σ_k = {RATIO:g}",
        x,
        logarithmic(TANGENT, 0.01, 100),
        [*lines, level("target", TARGET, x)],
        "Each line is below the target when the number of rounds of the theorem, a dot, is reached, and it "
        "stays there.",
        [Dots("rounds that are enough", ends)],
    )


def random_starts() -> Picture:
    """Draw the number of rounds by the risk of a bad start."""
    d, k, p, steps = 50, 3, 6, 60
    x = linear("round", 0, steps)
    lines, ends = [], []
    for risk in (0.1, 0.001):
        radius = power_convergence.start_radius(risk, k, p, d)
        tangent = float(power_convergence.start_tangent(radius))
        whole, inside = power_convergence.tolerances(radius, TARGET, GAP)
        lines.append(worst(f"start of the worst {risk:g}", tangent, whole, min(whole, inside), steps))
        ends.append((float(power_convergence.iterations(radius, TARGET, RATIO)), TARGET))
    return Picture(
        f"Tangent by round from a random start of {p} columns in {d} dimensions, target rank {k}",
        x,
        logarithmic(TANGENT, 0.01, 100),
        [*lines, level("target", TARGET, x)],
        "A start that is worse than all but one of a thousand takes only a few rounds more.",
        [Dots("rounds that are enough", ends)],
    )


def noise_floor() -> Picture:
    """Where noise of a given norm stops the method."""
    steps, start = 40, 5.0
    noises = (0.08 * GAP, 0.02 * GAP, 0.005 * GAP)
    x = linear("round", 0, steps)
    lines = [
        worst(f"noise of {noise / GAP:g} of the gap", start, noise, min(noise, GAP / math.hypot(1, start) / 5), steps)
        for noise in noises
    ]
    reached = [(float(steps), float(private_convergence.accuracy(noise, GAP))) for noise in noises]
    fixed = [(float(steps), float(private_runs.stationary(noise, GAP))) for noise in noises]
    return Picture(
        "Tangent by round under the worst noise of three sizes",
        x,
        logarithmic(TANGENT, 0.003, 10),
        lines,
        "The angle falls until noise stops it: at the floor that the worst noise keeps, below the accuracy "
        "that is guaranteed.",
        [Dots("guaranteed: 5 × noise / gap", reached), Dots("floor", fixed, hollow=True)],
    )


def without_gap() -> Picture:
    """Convergence by a later gap."""
    tangent, rounds = 5.0, range(41)
    return Picture(
        "Noiseless convergence by the next singular value, and by a later one that a wider start can use",
        linear("round", 0, 40),
        logarithmic(TANGENT, 1e-8, 10),
        [
            curve(f"σ_(q+1)/σ_k = {ratio:g}", lambda n, ratio=ratio: noiseless.bound(tangent, ratio, n), rounds)
            for ratio in (0.98, 0.8, 0.5)
        ],
        "With more columns than k the rate is set by the value after all of them: a small gap after k does no harm.",
    )


def start_law() -> Picture:
    """Draw the tail of the angle of a start, with the columns."""
    d, k, grid = 50, 3, np.geomspace(1, 1000, 61)
    return Picture(
        f"Probability that the tangent of a random start in {d} dimensions is large, target rank {k}",
        logarithmic(TANGENT, 1, 1000),
        logarithmic("probability, at most", 1e-8, 1),
        [curve(f"{p} columns", lambda t, p=p: random_start.tail(t, k, p, d), grid) for p in (3, 4, 6)],
        "Each column beyond the target rank takes one power more off the tail.",
    )


def printed_start() -> Picture:
    """Draw the printed tail beside the sharper one."""
    d, k, p, grid = 50, 3, 6, np.geomspace(math.e, 100, 61)
    return Picture(
        f"Tail of the tangent of a start of {p} columns in {d} dimensions, target rank {k}",
        logarithmic("τ: the tangent in units of √d / (√p − √(k−1))", math.e, 100),
        logarithmic("probability, at most", 1e-10, 1),
        [
            curve("printed: τ^(−(p−k+1)/2)", lambda tau: tau ** (-(p - k + 1) / 2), grid),
            curve("ours", lambda tau: random_start.tail(random_start.radius(tau, k, p, d), k, p, d), grid),
        ],
        "The printed tail is true but has half of the exponent: the probability of a bad start is far smaller.",
    )


PICTURES = {
    "HP-L2.3": printed_round,
    "HP-L2.3P": sharp_round,
    "HP-T2.4": many_rounds,
    "HP-C1.1": random_starts,
    "HP-T1.3": noise_floor,
    "HP-J1.5a": without_gap,
    "HP-L2.5P": start_law,
    "HP-L2.5": printed_start,
}
