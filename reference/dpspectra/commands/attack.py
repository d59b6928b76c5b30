"""The command ``attack``: hide random bits in a matrix, release it, and read them from the release.

``k`` rows of independent bits, ``-1/2`` or ``1/2``, lie above rows of zeros; a flipped bit makes a neighbour. The
attack takes the sign of each released entry. Weighting the columns by what the released basis kept of the rows, which
the attacker knows, gains nothing that could be measured.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpspectra.fast import binomial
from dpspectra.fast.gaussian import mu_for
from dpspectra.ground import checks
from dpspectra.ground.progress import progress
from dpspectra.lemmas.lower_bounds import reconstruction_of_bits
from dpspectra.matrices.low_rank import LowRank
from dpspectra.mechanisms import project_find_prune, randomized_range_finder, randomized_response_low_rank
from dpspectra.report import answers
from dpspectra.report.files import check_outputs, write_text
from dpspectra.report.plots import attack_plot

BLANK = 14
"""Rows of zeros for each row of bits."""
RISK = 1e-4
"""Probability that a sound release is called broken, at most."""
PRIVATE = (project_find_prune, randomized_response_low_rank)
POINTS = 97


@dataclass(frozen=True, slots=True)
class Attack:
    """The bits read from one release.

    ``right`` and ``most`` are shares of bits: guessed right, and the largest that can be expected from an
    ``(epsilon, delta)``-private release (HR-P1.3R). ``epsilon_lower`` is a bound on the privacy loss that is wrong
    with probability at most `RISK`. ``square`` is the mean squared error of an entry, ``least_square`` what can be
    expected at least. A release that is not private has no ``epsilon``, ``most`` or ``least_square``.
    """

    release: str
    epsilon: float | None
    right: float
    most: float | None
    epsilon_lower: float
    square: float
    least_square: float | None

    @property
    def broken(self) -> bool:
        """More was read than the claim allows, beyond chance."""
        return self.epsilon is not None and self.epsilon_lower > self.epsilon


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


def random_bits(k: int, columns: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the matrix ``((1 + BLANK) k, columns)`` with bits in its first ``k`` rows."""
    hidden = np.zeros(((1 + BLANK) * k, columns))
    hidden[:k] = rng.integers(0, 2, (k, columns)) - 0.5
    return hidden


def attacked(value: LowRank, hidden: NDArray[Any], k: int, release: str, epsilon: float | None, delta: float) -> Attack:
    """Read the bits from a release of ``hidden``."""
    truth, seen = hidden[:k], value[:k]
    right = int(np.count_nonzero((seen > 0) == (truth > 0)))
    most = least = None
    if epsilon is not None:
        most = 1 - float(reconstruction_of_bits.wrong_bits(epsilon, delta))
        least = float(reconstruction_of_bits.mean_square(epsilon, delta))
    lower, square = epsilon_lower(right, truth.size, delta), float(np.mean((seen - truth) ** 2))
    return Attack(release, epsilon, right / truth.size, most, lower, square, least)


def attacks(
    k: int, columns: int, epsilons: Sequence[float], delta: float, rng: np.random.Generator
) -> tuple[Attack, list[Attack]]:
    """Attack the range finder without privacy, then each private mechanism at each ``epsilon``, on the same bits."""
    hidden = random_bits(k, columns, rng)
    basis = randomized_range_finder(hidden, k, rng=rng)
    control = attacked(LowRank(basis, basis.T @ hidden), hidden, k, randomized_range_finder.__name__, None, delta)
    private = []
    with progress(total=len(PRIVATE) * len(epsilons), description="attack") as bar:
        for mechanism in PRIVATE:
            for epsilon in epsilons:
                value = mechanism(hidden, k, epsilon, delta, rng=rng).value
                private.append(attacked(value, hidden, k, mechanism.__name__, epsilon, delta))
                bar.advance(f"{mechanism.__name__} at {epsilon:g}")
    return control, private


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRequest:
    """Options of ``dpspectra attack``."""

    bits: int
    """Hidden bits, a multiple of ``k``."""
    k: int
    """Rows of bits, and target rank of the releases."""
    epsilon: tuple[float, ...]
    """Privacy losses in nats."""
    delta: float
    seed: int
    plot: Path | None
    json: Path | None


def run(request: AttackRequest) -> int:
    """Carry out the attacks and print a table, or JSON; write the plot that was asked for.

    Returns 1 if more bits were read from a private release than its claim allows, or not every bit from the release
    without privacy; otherwise 0. Raises ``ValueError`` for bad input.
    """
    if request.bits % request.k:
        raise ValueError(f"bits must be a multiple of k = {request.k}, got {request.bits}")
    columns = request.bits // request.k
    checks.integer(request.k, "k", 1, columns)
    for epsilon in request.epsilon:
        checks.positive(epsilon, "epsilon")
    checks.probability(request.delta, "delta")
    if request.plot and request.plot.suffix != ".svg":
        raise ValueError(f"the plot file must end in .svg, got {request.plot.name!r}")
    check_outputs(request.plot)
    rng = checks.generator(request.seed)
    control, private = attacks(request.k, columns, request.epsilon, request.delta, rng)
    if request.plot:
        write_text(request.plot, _plot(control, private, request))
    broken = any(attack.broken for attack in private)
    answers.say(request.json, _table(control, private, request))
    answers.put(request.json, lambda: _json(control, private, request))
    return int(broken or control.right < 1)


def _plot(control: Attack, private: list[Attack], request: AttackRequest) -> str:
    epsilons = np.geomspace(min(request.epsilon) / 2, 2 * max(request.epsilon), POINTS)
    limits = {
        "any private release, at most": 1 - reconstruction_of_bits.wrong_bits(epsilons, request.delta),
        "normal noise on each entry, at most": ndtr([mu_for(epsilon, request.delta) / 2 for epsilon in epsilons]),
    }
    points: dict[str, list[tuple[float, float]]] = {}
    for attack in private:
        if attack.epsilon is not None:
            points.setdefault(attack.release, []).append((attack.epsilon, attack.right))
    return attack_plot(points, epsilons, limits, {f"{control.release}, not private": control.right})


def _table(control: Attack, private: list[Attack], request: AttackRequest) -> str:
    bits, k = request.bits, request.k
    lines = [
        f"{bits:,} random bits in {k} rows of {bits // k:,} above {BLANK * k} rows of zeros; delta {request.delta:g}.",
        "A flipped bit makes a neighbour. Bits are read from the signs of the release; half are right by chance.",
        "",
        f"{'release':<30}{'epsilon':>8}{'right':>9}{'at most':>9}{'epsilon >=':>12}{'error^2':>9}{'at least':>9}",
    ]
    for attack in (control, *private):
        claim = "none" if attack.epsilon is None else f"{attack.epsilon:g}"
        most, least = (_number(x, form) for x, form in ((attack.most, ".2%"), (attack.least_square, ".2g")))
        lines.append(
            f"{attack.release:<30}{claim:>8}{attack.right:>9.2%}{most:>9}{attack.epsilon_lower:>12.2f}"
            f"{attack.square:>9.3g}{least:>9}{'  BROKEN' if attack.broken else ''}"
        )
    lines += [
        "",
        f"at most, at least: what can be expected (HR-P1.3R). epsilon >= is wrong with probability {RISK:g}.",
        "error^2 is that of an entry; releasing zero has 0.25.",
    ]
    return "\n".join(lines)


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _json(control: Attack, private: list[Attack], request: AttackRequest) -> str:
    data = {
        "bits": request.bits,
        "shape": [(1 + BLANK) * request.k, request.bits // request.k],
        "k": request.k,
        "delta": request.delta,
        "seed": request.seed,
        "risk": RISK,
        "attacks": [asdict(attack) | {"broken": attack.broken} for attack in (control, *private)],
    }
    return json.dumps(data, indent=1)
