"""Audit a mechanism of your own: a noisy covariance with a common mistake, and one without it.

Noise that hides the largest change of one entry does not hide a change of all entries at once. The audit finds out from
outputs alone, and its lower bound on epsilon holds with confidence 99.9 %.
Writes audit_a_mechanism.png: the evidence against the claim as draws come in.

    pip install '.[plot]'
    python examples/audit_a_mechanism.py pictures
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dpspectra as dps
from dpspectra.audit import audit

EPSILON = 1.0
PAIR = np.array([[1.0, 1.0, 1.0, 1.0]]) / 2, np.array([[1.0, -1.0, 1.0, -1.0]]) / 2  # one row replaced


def hasty(X: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """``X'X`` with Laplace noise for the largest change of one entry, 1; said to be EPSILON-DP."""
    noise = rng.laplace(scale=1 / EPSILON, size=(size, 4, 4))
    return X.T @ X + np.triu(noise) + np.triu(noise, 1).transpose(0, 2, 1)


def careful(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Second moments with noise for the change of all entries together."""
    return dps.laplace_covariance(X, EPSILON, rng=rng).value


def main() -> None:
    """Audit both, print the results, draw the picture."""
    parser = argparse.ArgumentParser(description="audit two covariance mechanisms")
    parser.add_argument("folder", type=Path, help="where the picture goes")
    parser.add_argument("--draws", type=int, default=3_000, help="on each of the two data sets, at most")
    asked = parser.parse_args()

    figure = Figure(figsize=(5, 4), layout="constrained")
    axis = figure.subplots()
    for mechanism in hasty, careful:
        result = audit(mechanism, PAIR, EPSILON, draws=asked.draws)
        print(f"{mechanism.__name__}: {result.verdict}, epsilon is at least {result.epsilon_lower:.3f}")
        draws, evidence = zip(*result.history, strict=True)
        axis.plot(draws, evidence, label=f"{mechanism.__name__}, {result.verdict}")
    axis.axhline(-np.log(1 - result.confidence), color="#a40000", linestyle="--", label="refuted from here on")
    axis.set(xlabel="draws on each data set", ylabel="log of the wealth of a bet against the claim")
    axis.legend()
    asked.folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(asked.folder / "audit_a_mechanism.png")


if __name__ == "__main__":
    main()
