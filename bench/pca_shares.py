"""How much of the centred variance do two released directions hold, beside those of others?

    python -m bench.pca_shares [--repeats 20]

Five tables of scikit-learn, rows drawn with replacement for the large ones, epsilon 1, columns brought to one unit by
bounds for all. Ours is `private_pca` as it is by default, and about the middle of the bounds, as all others are:
eigenvectors of `X'X` with plain noise (normal, or Laplace where the claim is pure), diffprivlib and OpenDP where they
are installed. Exits with 1 if another is ahead of our default by more than two standard errors in some cell.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import dpspectra as dps
from bench.remarks import real

Rows = Any
K, DELTA = 2, 1e-6
FEW = {"opendp": (13, 1000), "diffprivlib": (4, 1000)}
"""Columns and rows above which some releases by others took minutes."""
TABLES = {
    "wine": ("wine", None),
    "breast cancer": ("breast_cancer", None),
    "iris": ("iris", None),
    "wine x 5000": ("wine", 5000),
    "breast cancer x 20,000": ("breast_cancer", 20_000),
}
"""Names in scikit-learn, and how many rows are drawn, if any are."""


def plain(x: Rows, delta: float, rng: Any) -> Rows:
    """Eigenvectors of ``X'X`` with independent noise of one scale."""
    noisy = (
        dps.gaussian_covariance(x, 1.0, delta, shape="triangle", rng=rng)
        if delta
        else dps.laplace_covariance(x, 1.0, rng=rng)
    )
    return np.linalg.eigh(noisy.value)[1][:, ::-1][:, :K]


def by_diffprivlib(x: Rows, delta: float, rng: Any) -> Rows:
    """Components of diffprivlib, which takes rows of at most this norm about zero."""
    from diffprivlib.models import PCA

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = PCA(K, epsilon=1.0, data_norm=1.0, centered=True, random_state=int(rng.integers(2**31)))
        return made.fit(x).components_.T


def by_opendp(x: Rows, delta: float, rng: Any) -> Rows:
    """Components of OpenDP about zero."""
    dp: Any = importlib.import_module("opendp.prelude")

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    made = dp.sklearn.decomposition.PCA(
        epsilon=1.0, row_norm=1.0, n_samples=len(x), n_features=x.shape[1], n_components=K, n_changes=2
    )
    return made.fit(x).components_.T


def ways() -> dict[str, tuple[Callable[..., Rows], tuple[float, ...]]]:
    """Return what is compared, each with the deltas that it takes."""
    found: dict[str, tuple[Callable[..., Rows], tuple[float, ...]]] = {
        "ours": (lambda x, delta, rng: dps.private_pca(x, K, 1.0, delta, rng=rng).value, (0.0, DELTA)),
        "ours about the middle": (
            lambda x, delta, rng: dps.private_pca(x, K, 1.0, delta, center="none", rng=rng).value,
            (0.0, DELTA),
        ),
        "plain noise": (plain, (0.0, DELTA)),
    }
    for needed, way in ((("diffprivlib",), by_diffprivlib), (("opendp", "randomgen"), by_opendp)):
        if all(importlib.util.find_spec(name) is not None for name in needed):
            found[needed[0]] = way, (0.0,)
    return found


def takes(way: str, x: Rows) -> bool:
    """Whether a release takes seconds, and not minutes."""
    columns, rows = FEW.get(way, (math.inf, math.inf))
    return x.shape[1] <= columns and len(x) <= rows


def main() -> int:
    """Print a row for each table, claim and way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=list(TABLES), help="names of tables")
    asked = parser.parse_args()
    behind = 0
    print("| table | delta | way | share | standard error |\n|---|---|---|---|---|")
    for name in asked.only:
        known, n = TABLES[name]
        x = real(known)
        x = x if n is None else x[np.random.default_rng(0).integers(0, len(x), n)]
        about = x - x.mean(axis=0)
        total = float(np.sum(np.linalg.svd(about, compute_uv=False)[:K] ** 2))
        ours: dict[float, tuple[float, float]] = {}
        for way, (released, deltas) in ways().items():
            for delta in deltas if takes(way, x) else ():
                rng = np.random.default_rng(1)
                held = [float(np.sum((about @ released(x, delta, rng)) ** 2)) / total for _ in range(asked.repeats)]
                mean, error = float(np.mean(held)), float(np.std(held, ddof=1)) / math.sqrt(asked.repeats)
                best, spread = ours.setdefault(delta, (mean, error))
                behind += mean - best > 2 * math.hypot(error, spread)
                print(f"| {name} | {delta:g} | {way} | {mean:.3f} | {error:.3f} |", flush=True)
    print(f"\nBehind another by more than two standard errors: {behind} cells.")
    return int(behind > 0)


if __name__ == "__main__":
    sys.exit(main())
