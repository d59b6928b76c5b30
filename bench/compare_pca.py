"""Principal components side by side with OpenDP and diffprivlib: variance kept against epsilon, on real data.

    python bench/compare_pca.py [--k 3] [--epsilon 0.1 0.3 1 3 10] [--runs 20] [--rival-runs 3] [--seconds 20]
        [--plot pca.svg]

The data are those that scikit-learn ships: handwritten digits averaged to 16 numbers (and all 64, without rivals, which
take minutes a fit there), wine and breast cancer, with standardised columns. They are centred beforehand for everybody,
and rows longer than the 90 % quantile of the norms are clipped to it. Numbers are per cent of the variance of the best
``k``-space. Ours are ``private_pca`` by its automatic choice, pure and with delta 1e-6, and its orbit mechanism. The
rivals are the eigenvector samplers of both libraries (their extras), with their own neighbour relations; a cell is nan
if a fit takes too long, as their rejection samplers may.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dpspectra as dps
from bench.compare_covariance import rivals
from dpspectra.ground import extras

DELTA = 1e-6
SMALL = 16
"""Dimension up to which rivals are run."""


def datasets() -> dict[str, np.ndarray]:
    """Centred rows of norm at most 1."""
    load = extras.load("sklearn.datasets", "sklearn", "data sets")
    digits = load.load_digits().data
    sets = {
        "digits, 16 numbers": digits.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4)).reshape(-1, 16),
        "digits": digits,
        "wine": standardised(load.load_wine().data),
        "breast cancer": standardised(load.load_breast_cancer().data),
    }
    return {name: bounded(x - x.mean(axis=0)) for name, x in sets.items()}


def standardised(x: np.ndarray) -> np.ndarray:
    """Columns of variance 1."""
    return np.asarray(x / x.std(axis=0))


def bounded(x: np.ndarray) -> np.ndarray:
    """Rows over their bound, (the 90 % quantile of the norms), 1 at most."""
    norms = np.linalg.norm(x, axis=1)
    limit = np.quantile(norms, 0.9)
    return np.asarray(x / np.maximum(norms, limit)[:, None] * (1 - 1e-12))


def spaces(k: int, epsilon: float, small: bool) -> dict[str, tuple[bool, Callable[[Any, int], np.ndarray]]]:
    """Frames from rows and a seed, by name; whether they are a rival's."""
    ours = {
        "private_pca": lambda x, seed: dps.private_pca(x, k, epsilon, rng=seed).value,
        "private_pca, delta": lambda x, seed: dps.private_pca(x, k, epsilon, DELTA, rng=seed).value,
        "private_pca, orbit": lambda x, seed: dps.private_pca(x, k, epsilon, mechanism="orbit", rng=seed).value,
    }
    found: dict[str, tuple[bool, Callable[[Any, int], np.ndarray]]] = {name: (False, f) for name, f in ours.items()}
    if small:
        found |= {name: (True, leading(covariance, k)) for name, covariance in rivals(epsilon).items()}
    return found


def leading(covariance: Callable[[Any, int], Any], k: int) -> Callable[[Any, int], np.ndarray]:
    """Leading eigenvectors of a release."""
    return lambda x, seed: np.linalg.eigh(covariance(x, seed))[1][:, -k:]


def within(seconds: float, space: Callable[[Any, int], np.ndarray], x: np.ndarray, seed: int) -> np.ndarray | None:
    """A frame from a process of its own; ``None`` if it takes longer."""
    context = multiprocessing.get_context("fork")
    end, other = context.Pipe(duplex=False)
    process = context.Process(target=lambda: other.send(space(x, seed)))
    process.start()
    found = end.recv() if end.poll(seconds) else None
    process.kill()
    process.join()
    return found


def share(space: Callable[[Any, int], np.ndarray], x: np.ndarray, runs: int, seconds: float | None) -> float:
    """Mean of `kept`; not a number if a run takes too long."""
    frames = (space(x, s) if seconds is None else within(seconds, space, x, s) for s in range(runs))
    shares: list[float] = []
    for frame in frames:
        if frame is None:
            return float("nan")
        shares.append(kept(x, frame))
    return float(np.mean(shares))


def kept(x: np.ndarray, v: np.ndarray) -> float:
    """Per cent of the variance of the best space of that dimension."""
    best = float(np.sum(np.linalg.eigvalsh(x.T @ x)[-v.shape[1] :]))
    return 100 * float(np.sum((x @ v) ** 2)) / best


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[0.1, 0.3, 1.0, 3.0, 10.0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--rival-runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="limit for a rival's fit")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args(arguments)
    curves: dict[str, dict[str, list[float]]] = {}
    print(f"{'data':<22}{'mechanism':<30}" + "".join(f"{e:>9g}" for e in options.epsilon) + f"{'ms':>10}")
    for title, x in datasets().items():
        seen: dict[str, list[float]] = {}
        seconds: dict[str, list[float]] = {}
        for epsilon in options.epsilon:
            for name, (is_rival, space) in spaces(options.k, epsilon, x.shape[1] <= SMALL).items():
                start, runs = time.perf_counter(), options.rival_runs if is_rival else options.runs
                limit = options.seconds if is_rival else None
                seen.setdefault(name, []).append(share(space, x, runs, limit))
                seconds.setdefault(name, []).append((time.perf_counter() - start) / runs)
        for name, shares in seen.items():
            cells = "".join(f"{one:>9.1f}" for one in shares)
            print(f"{title:<22}{name:<30}{cells}{1000 * np.mean(seconds[name]):>10.1f}", flush=True)
        curves[title] = seen
    if options.plot:
        draw(options.plot, options.epsilon, curves)
    return 0


def draw(file: Path, epsilons: list[float], curves: dict[str, dict[str, list[float]]]) -> None:
    """Variance kept against epsilon, a panel for each data set."""
    figure = extras.load("matplotlib.figure", "plot", "plots").Figure(
        figsize=(4 * len(curves), 3.6), layout="constrained"
    )
    for axis, (title, seen) in zip(figure.subplots(1, len(curves), sharey=True), curves.items(), strict=True):
        for name, shares in seen.items():
            axis.plot(epsilons, shares, "o-", markersize=3, label=name)
        axis.set(xscale="log", xlabel="epsilon (nats)", title=title)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.savefig(file)


if __name__ == "__main__":
    sys.exit(main())
