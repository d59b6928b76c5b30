"""Compare estimates of a second-moment matrix from one noisy release: `shrink` and simpler ones.

    python bench/compare_shrinkage.py [--repeats R] [--dimensions D ...]

The columns are root mean squared Frobenius errors relative to that of the raw release; rows are noise laws. Cells:
``n = 1000`` rows of norm at most 1, spectra with 1, 3 or ``d / 10`` equal large values (60 % of the trace), ``1/j`` and
nearly flat ones, epsilon 0.1 to 10, delta 1e-6 for Gaussian noise. Geometric means over all cells, over those in which
the truth's norm is below the raw error, one to three times it, and more, and the worst cell.
"""

import argparse
import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.fast.linalg import eigenvectors
from dpspectra.mechanisms.catalogue import named_noise
from dpspectra.postprocessing import nearest_psd, shrink, to_trace

N, DELTA, EPSILONS = 1000, 1e-6, (0.1, 0.3, 1.0, 3.0, 10.0)
LAWS = ("laplace_covariance", "symmetric_wishart_covariance", "gaussian_covariance")


def spectra(d: int) -> dict[str, Any]:
    j = np.arange(1, d + 1)
    spiked = {f"{k} equal": np.where(j <= k, 0.6 / k, 0.2 / max(d - k, 1)) for k in {1, 3, max(1, d // 10)} if k < d}
    return {**spiked, "1/j": 0.8 / j / np.sum(1 / j), "flat": 0.8 / d * (1.25 - 0.5 * (j - 0.5) / d)}


def with_trace(value: Any, largest: float) -> Any:
    """Nearest positive semidefinite matrix of the trace of the value."""
    values, vectors = eigenvectors(value)
    return (vectors * to_trace(values, float(np.clip(values.sum(), 0.0, largest)))) @ vectors.T


def cell(mechanism: str, truth: Any, epsilon: float, repeats: int, rng: Any) -> tuple[float, list[float]]:
    """Norm of the truth over the raw error, and relative errors of the estimates."""
    d, squares = len(truth), np.zeros(4)
    noise, _ = named_noise(mechanism, d, (epsilon, DELTA), Fraction(1), "replace")
    spectrum = noise.spectral(d, noise.scale / N)
    for _ in range(repeats):
        value = np.diag(truth) + noise.law.ideal(d, noise.scale / N, rng)
        estimates = value, nearest_psd(value), with_trace(value, 1.0), shrink(value, spectrum, 1.0)
        squares += [np.sum((estimate - np.diag(truth)) ** 2) for estimate in estimates]
    errors = np.sqrt(squares / repeats)
    return float(np.linalg.norm(truth) / errors[0]), list(errors[1:] / errors[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[5, 10, 20, 50, 100])
    args = parser.parse_args()
    rng = np.random.default_rng(7)
    print(f"{'noise':<30}{'estimate':<12}{'cells':>6}{'all':>7}{'< 1':>7}{'1 to 3':>7}{'> 3':>7}{'worst':>7}")
    for kind in LAWS:
        found = [
            cell(kind, truth, epsilon, args.repeats, rng)
            for d in args.dimensions
            for truth in spectra(d).values()
            for epsilon in EPSILONS
        ]
        strength, ratios = np.array([row[0] for row in found]), np.array([row[1] for row in found])
        groups = (strength > 0, strength < 1, (strength >= 1) & (strength <= 3), strength > 3)
        for column, name in enumerate(("psd", "psd, trace", "shrink")):
            means = [math.exp(np.mean(np.log(ratios[group, column]))) if group.any() else math.nan for group in groups]
            shown = "".join(f"{value:>7.2f}" for value in (*means, ratios[:, column].max()))
            print(f"{kind:<30}{name:<12}{len(found):>6}{shown}")


if __name__ == "__main__":
    main()
