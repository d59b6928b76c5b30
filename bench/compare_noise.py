"""Cost of noise: mean square, spectral norm, and the loss of directions and of low-rank approximations.

    python bench/compare_noise.py [--dimensions 2 5 20 100 500] [--epsilon 1] [--delta 1e-6] [--draws 200] [--json FILE]

Every law is drawn for the replacement of a row of norm at most 1, at the same epsilon (and delta, for Gaussian noise).
The first table holds the mean square and the mean spectral norm of the noise; in brackets, the mean square by the exact
formula. The second holds the mean losses for ``M`` with ``k = 2`` equal eigenvalues and 40 % of the trace spread over
all of them, ``n`` rows: the share of the variance of the two leading directions that is lost, and the squared error of
the best rank 2 beyond that of ``M`` itself, over the squared norm of ``M``. The last two columns hold the mean
Frobenius error of the shrunk matrix over that of the noisy one, and the excess of the best rank 2 of that. Fewer draws
are made in high dimension.
"""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import eigenvectors
from dpspectra.mechanisms.added_noise import AddedNoise
from dpspectra.mechanisms.noises import gaussian, knorm, laplace, symmetric_wishart
from dpspectra.postprocessing import best_rank, shrink

K = 2
LARGE = 100
"""Dimension from which fewer draws are made."""


def laws(d: int, epsilon: float, delta: float) -> dict[str, AddedNoise]:
    """Every law of added noise."""
    pure, one, mu = (epsilon, 0.0), Fraction(1), mu_for(epsilon, delta)
    few = {"K-norm": knorm.sized(d, pure, one)} if d <= knorm.LARGEST_KNORM else {}
    return few | {
        "Laplace": laplace.sized(d, pure, one),
        "Wishart, not tilted": symmetric_wishart.sized(d, (epsilon / 2, 0.0), one, "zero_out"),
        "Wishart, tilted": symmetric_wishart.sized(d, pure, one),
        "Gauss, every entry": gaussian.of_mu(d, mu, one, "triangle"),
        "Gauss, best shape": gaussian.of_mu(d, mu, one),
    }


def spiked(d: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """``M`` in a random basis: two equal eigenvalues with 60 % of the trace, and 40 % for all."""
    values = np.full(d, 0.4 * n / d)
    values[:K] += 0.6 * n / K
    q = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return np.asarray(q * values @ q.T)


def measured(noise: AddedNoise, m: np.ndarray, draws: int, rng: np.random.Generator) -> dict[str, float]:
    """Means over draws."""
    d = len(m)
    top = np.linalg.eigvalsh(m)[::-1]
    k = min(K, d)
    floor, found = float(np.sum(top[k:] ** 2)), []
    for _ in range(draws):
        e = noise.law.ideal(d, noise.scale, rng)
        v = eigenvectors(m + e)[1][:, :k]
        lost = (np.sum(top[:k]) - np.trace(v.T @ m @ v)) / np.sum(top[:k])
        excess = (np.linalg.norm(best_rank(m + e, k) - m) ** 2 - floor) / np.sum(top**2)
        better = shrink(m + e, noise.spectral(d, noise.scale))
        ratio = np.linalg.norm(better - m) / np.linalg.norm(e)
        after = (np.linalg.norm(best_rank(better, k) - m) ** 2 - floor) / np.sum(top**2)
        found.append((np.sum(e**2), np.linalg.norm(e, 2), lost, excess, ratio, after))
    names = "mean square", "spectral norm", "variance lost", "low-rank excess", "shrunk", "shrunk excess"
    exact = noise.scale**2 * noise.square[0]
    return {**dict(zip(names, np.mean(found, axis=0).tolist(), strict=True)), "exact mean square": exact}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dimensions", type=int, nargs="*", default=[2, 3, 5, 10, 50, 100, 500])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    rng, everything = np.random.default_rng(0), []
    print(
        f"{'d':>4}  {'noise':<22}{'mean square':>14}{'(exact)':>14}{'spectral norm':>15}{'lost':>10}{'excess':>10}"
        f"{'shrunk':>8}{'excess':>10}"
    )
    for d in options.dimensions:
        m = spiked(d, options.rows, rng)
        draws = options.draws if d < LARGE else max(3, options.draws * LARGE // d // 10)
        for name, noise in laws(d, options.epsilon, options.delta).items():
            row: dict[str, Any] = {"d": d, "noise": name, **measured(noise, m, draws, rng)}
            everything.append(row)
            print(
                f"{d:>4}  {name:<22}{row['mean square']:>14.5g}{row['exact mean square']:>14.5g}"
                f"{row['spectral norm']:>15.4g}{row['variance lost']:>10.2g}{row['low-rank excess']:>10.2g}"
                f"{row['shrunk']:>8.2f}{row['shrunk excess']:>10.2g}",
                flush=True,
            )
    if options.json:
        Path(options.json).write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
