"""Check your own formulas in continuous integration, against numbers that an oracle computed to fifty digits.

Here it is the privacy profile of Gaussian noise, by the textbook and in a form that keeps its digits. The program exits
with 1 if the second one is wrong anywhere, which is what a workflow needs.
Writes oracle_in_ci.png: the errors of both.

    pip install '.[plot]'
    python examples/oracle_in_ci.py pictures
"""

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from scipy.special import erfcx

from dpspectra.cli import run

TOLERANCE = 1e-10


def textbook(epsilon: float, mu: float) -> float:
    """Smallest delta at epsilon for noise of standard deviation ``1 / mu``: a difference of nearly equal numbers."""
    if mu == 0:
        return 0.0
    normal = [(1 + math.erf(x / math.sqrt(2))) / 2 for x in (mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu)]
    return normal[0] - math.exp(min(epsilon, 700)) * normal[1]


def careful(epsilon: float, mu: float) -> float:
    """Return the profile with the common factor of both terms taken out, where they are small."""
    if mu == 0:
        return 0.0
    near, far = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if near < 1:
        return textbook(epsilon, mu)
    return float(math.exp(-(near**2) / 2) * (erfcx(near / math.sqrt(2)) - erfcx(far / math.sqrt(2))) / 2)


def errors(profile: Callable[..., float], vectors: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Exact values and relative errors of ``profile``, where float64 has such numbers."""
    pairs = [(float(vector["exact"]), profile(**vector["inputs"])) for vector in vectors]
    return [(exact, abs(found / exact - 1)) for exact, found in pairs if exact > 1e-300]


def main() -> None:
    """Write the vectors as a workflow would, compare, draw the picture, and exit with the verdict."""
    parser = argparse.ArgumentParser(description="compare formulas with an oracle")
    parser.add_argument("folder", type=Path, help="where the vectors and the picture go")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)

    path = asked.folder / "vectors.json"
    run(["vectors", "--out", str(path), "--force"])  # on a command line: dpspectra vectors --out vectors.json --force
    known = {quantity["name"]: quantity["vectors"] for quantity in json.loads(path.read_text())["quantities"]}

    figure = Figure(figsize=(5, 4), layout="constrained")
    axis = figure.subplots()
    worst = {}
    for profile, mark in ((textbook, "o"), (careful, "x")):
        found = errors(profile, known["gaussian_profile"])
        worst[profile.__name__] = max(error for _, error in found)
        print(f"{profile.__name__}: largest relative error {worst[profile.__name__]:.1e} of {len(found)} vectors")
        axis.loglog(
            *zip(*((exact, max(error, 1e-17)) for exact, error in found), strict=True), mark, label=profile.__name__
        )
    axis.axhline(TOLERANCE, color="#a40000", linestyle="--", label="tolerance")
    axis.set(xlabel="exact delta", ylabel="relative error")
    axis.legend()
    figure.savefig(asked.folder / "oracle_in_ci.png")
    sys.exit(worst["careful"] > TOLERANCE)


if __name__ == "__main__":
    main()
