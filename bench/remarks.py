"""How often is a component said to stand out from noise that is noise?

    python -m bench.remarks [--releases 200] [--quick]

Rows of two tables of scikit-learn are drawn with replacement, `private_pca` releases two components, and each one that
no remark doubts is compared with that of the same call at epsilon 10^8: below a cosine of .5 it was noise. Exits with 1
if more than 2 percent of the releases of a table, with all sizes and epsilons together, say so falsely.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from typing import Any

import numpy as np
from sklearn import datasets

import dpspectra as dps

TABLES = {"wine": datasets.load_wine, "breast cancer": datasets.load_breast_cancer}
SIZES, EPSILONS, CENTERS = (178, 500, 1000, 2000, 20_000), (0.1, 1.0, 10.0), ("none", "mean", "pairs")
MOST = 0.02
K = 2


def standing(release: Any) -> list[int]:
    """Places of the components that no remark doubts."""
    known = release.details
    return [k for k in range(int(known["shown"])) if known["gaps"][k] > known["gap_edge"]]


def measured(rows: Any, bounds: Any, center: str, epsilon: float, releases: int, seed: int) -> tuple[int, int]:
    """Return how many releases have a component that stands out, and how many one that does so falsely."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(releases):
        given = {"center": center, "bounds": bounds, "rng": rng}
        release = dps.private_pca(rows, K, epsilon, **given)
        places = standing(release)
        if places:
            true = dps.private_pca(rows, K, 1e8, **given).value
            found.append(any(abs(true[:, k] @ release.value[:, k]) < 0.5 for k in places))
    return len(found), sum(found)


def main() -> int:
    """Print a row for each table, centre, size and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="two sizes, 20 releases each")
    asked = parser.parse_args()
    sizes, releases = ((178, 1000), 20) if asked.quick else (SIZES, asked.releases)
    worst = 0.0
    print("| table | centre | n | epsilon | of releases | stand out | falsely |\n|---|---|---|---|---|---|---|")
    for (name, load), center in itertools.product(TABLES.items(), CENTERS):
        x = load().data
        upper = 10.0 ** np.ceil(np.log10(x.max(axis=0)))
        bounds, total, false = dps.ColumnBounds(np.zeros_like(upper), upper), 0, 0
        for seed, (n, epsilon) in enumerate(itertools.product(sizes, EPSILONS)):
            rows = x[np.random.default_rng(seed).integers(0, len(x), n)]
            shown, wrong = measured(rows, bounds, center, epsilon, releases, seed)
            print(f"| {name} | {center} | {n} | {epsilon:g} | {releases} | {shown} | {wrong} |", flush=True)
            total, false = total + releases, false + wrong
        worst = max(worst, false / total)
    print(f"\nFalsely, at worst: {worst:.3%} of the releases of a table with a centre.")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
