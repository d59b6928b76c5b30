"""Read hidden bits from low-rank releases: how many an attacker gets, beside how many a claim lets anybody get.

``k`` rows of independent bits, ``-1/2`` or ``1/2``, lie above rows of zeros; a flipped bit makes a neighbour. The
attack takes the sign of each released entry. Weighting the columns by what the released basis kept of the rows, which
the attacker knows, gains nothing that could be measured. The program exits with 1 if a claim is broken.
Writes attack.png: the share of bits read at each epsilon.

    pip install '.[plot]'
    python examples/attack.py pictures
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.special import ndtr

import dpspectra as dps
from dpspectra.fast import binomial
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.lemmas.lower_bounds import reconstruction_of_bits

BLANK = 14
"""Rows of zeros for each row of bits."""
RISK = 1e-4
"""Probability that a sound release is called broken, at most."""
PRIVATE = (dps.project_find_prune, dps.randomized_response_low_rank)


@dataclass(frozen=True, slots=True)
class Attack:
    """The bits read from one release."""

    release: str
    epsilon: float
    """Claimed privacy loss: infinite for a release that is not private."""
    right: float
    """Share of bits guessed right."""
    epsilon_lower: float
    """Bound on the privacy loss, wrong with probability at most `RISK`."""
    square: float
    """Mean squared error of an entry."""

    @property
    def broken(self) -> bool:
        """More was read than the claim allows, beyond chance."""
        return self.epsilon_lower > self.epsilon


def epsilon_lower(right: int, bits: int, delta: float) -> float:
    """Lower bound on ``epsilon`` from one run in which ``right`` of ``bits`` random bits were guessed from a release.

    Wrong with probability at most `RISK`. Go through the bits in any order: given the release and the bits before, the
    next one is guessed with probability at most ``q = 1 / (1 + e^-epsilon)`` plus an excess, whose mean is at most
    ``delta / (1 + e^epsilon)`` as the two laws of the release are ``(epsilon, delta)``-close. So the count is at most a
    binomial one and further hits, in the mean at most ``bits delta / 2``. More than ``spared`` of these have at most
    half of the risk, by Markov's inequality.
    """
    spared = max(math.ceil(bits * delta / RISK) - 1, 0)
    share = binomial.at_least(max(right - spared, 0), bits, RISK - bits * delta / (2 * (spared + 1)))
    return math.log(share / (1 - share)) if share > 0.5 else 0.0


def random_bits(k: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Return the matrix ``((1 + BLANK) k, columns)`` with bits in its first ``k`` rows."""
    hidden = np.zeros(((1 + BLANK) * k, columns))
    hidden[:k] = rng.integers(0, 2, (k, columns)) - 0.5
    return hidden


def attacked(value: Any, hidden: np.ndarray, k: int, release: str, epsilon: float, delta: float) -> Attack:
    """Read the bits from a release of ``hidden``."""
    truth, seen = hidden[:k], value[:k]
    right = int(np.count_nonzero((seen > 0) == (truth > 0)))
    lower, square = epsilon_lower(right, truth.size, delta), float(np.mean((seen - truth) ** 2))
    return Attack(release, epsilon, right / truth.size, lower, square)


def attacks(
    k: int, columns: int, epsilons: Sequence[float], delta: float, rng: np.random.Generator
) -> Iterator[Attack]:
    """Attack the range finder without privacy, then each private mechanism at each ``epsilon``, on the same bits."""
    hidden = random_bits(k, columns, rng)
    basis = dps.randomized_range_finder(hidden, k, rng=rng)
    yield attacked(basis @ (basis.T @ hidden), hidden, k, "randomized_range_finder", math.inf, delta)
    for mechanism in PRIVATE:
        for epsilon in epsilons:
            value = mechanism(hidden, k, epsilon, delta, rng=rng).value
            yield attacked(value, hidden, k, mechanism.__name__, epsilon, delta)


def draw(found: Sequence[Attack], delta: float) -> Figure:
    """Draw the share of bits read against epsilon, between chance and what can be expected at most."""
    control, *private = found
    points: dict[str, list[tuple[float, float]]] = {}
    for a in private:
        points.setdefault(a.release, []).append((a.epsilon, a.right))
    epsilons = np.geomspace(min(a.epsilon for a in private) / 2, 2 * max(a.epsilon for a in private), 97)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axis = figure.subplots()
    for name, pairs in points.items():
        axis.plot(*zip(*sorted(pairs), strict=True), "o-", label=name)
    most = 1 - reconstruction_of_bits.wrong_bits(epsilons, delta)
    axis.plot(epsilons, most, color="#a40000", label="any private release, at most")
    gauss = ndtr([mu_for(epsilon, delta) / 2 for epsilon in epsilons])
    axis.plot(epsilons, gauss, "--", color="#a40000", label="normal noise on each entry, at most")
    axis.axhline(control.right, color="#000", linestyle="-.", label=f"{control.release}, not private")
    axis.axhline(0.5, color="#444444", linestyle=":", label="chance")
    axis.set(xscale="log", xlabel="epsilon (nats)", ylabel="share of bits guessed right")
    axis.legend(fontsize=8)
    return figure


def main() -> None:
    """Attack, print a table, draw the picture, and exit with the verdict."""
    parser = argparse.ArgumentParser(description="hide random bits in a matrix, release it, and read them back")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--columns", type=int, default=500, help="bits in each of 4 rows")
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 2.0, 4.0, 8.0])
    parser.add_argument("--delta", type=float, default=1e-9)
    asked = parser.parse_args()

    found = list(attacks(4, asked.columns, asked.epsilons, asked.delta, np.random.default_rng(0)))
    print(f"{'release':<30}{'epsilon':>8}{'right':>9}{'at most':>9}{'epsilon >=':>12}{'error^2':>9}{'at least':>9}")
    for a in found:
        most, least = "", ""
        if a.epsilon < math.inf:
            most = f"{1 - float(reconstruction_of_bits.wrong_bits(a.epsilon, asked.delta)):.2%}"
            least = f"{float(reconstruction_of_bits.mean_square(a.epsilon, asked.delta)):.2g}"
        line = f"{a.release:<30}{a.epsilon:>8g}{a.right:>9.2%}{most:>9}{a.epsilon_lower:>12.2f}{a.square:>9.3g}"
        print(f"{line}{least:>9}{'  BROKEN' * a.broken}")
    print(f"at most, at least: what can be expected (HR-P1.3R). epsilon >= is wrong with probability {RISK:g}.")
    asked.folder.mkdir(parents=True, exist_ok=True)
    draw(found, asked.delta).savefig(asked.folder / "attack.png")
    sys.exit(int(any(a.broken for a in found) or found[0].right < 1))


if __name__ == "__main__":
    main()
