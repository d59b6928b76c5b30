"""The orbit mechanism beside sequential eigenvector sampling and input perturbation: who wins where.

    python bench/compare_orbit.py [--dimensions 5 20 50] [--ranks 1 2 5] [--epsilons 0.1 0.4 1 10]
                                  [--lambda1 200] [--repeats 40] [--seed 0] [--plot orbit.svg]

Data are the sum `M` of `x x'` over real rows in the unit ball. One of them is replaced; every mechanism is told the
`k` largest eigenvalues of `M` and releases a real matrix with these, 0 else. Shown is the utility lost, `OPT - <M, H>`,
in per cent of `OPT`: means with 95 % confidence intervals (Student).

orbit       `private_orbit`: the real law for k = 1 and d - 1, else the real part of a complex draw, as it does itself
sequential  one eigenvector at a time in the complement of those before, each at epsilon / k by the exponential
            mechanism on lines (re-implemented here after Amin et al.; k-fold composition)
laplace, wishart, gaussian
            input perturbation, then the nearest matrix of the spectrum; the Gaussian one at delta = 1e-6, a weaker
            promise, so it is never named the winner

Spectra of `M`, largest eigenvalue `lambda1`: `k` equal ones (projection), halves (decaying, of rank k), and that of
`G'G` for a Gaussian `(2 d, d)` matrix (wishart, of full rank). The winner has the smallest mean; those that a Welch
test at 5 % does not tell from it are named beside it.
"""

import argparse
import importlib
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import dpspectra as dps
from dpspectra.bounds import one_apart
from dpspectra.fast.linalg import orbit_projection

DELTA = 1e-6
SPECTRA = ("projection", "decaying", "wishart")
PURE = ("orbit", "sequential", "laplace", "wishart")
METHODS = (*PURE, "gaussian")


def eigenvalues(kind: str, d: int, k: int, lambda1: float, rng: np.random.Generator) -> Any:
    """All eigenvalues of ``M``, descending."""
    if kind == "wishart":
        values = np.linalg.svd(rng.standard_normal((2 * d, d)), compute_uv=False) ** 2
        return lambda1 * values / values[0]
    top = np.ones(k) if kind == "projection" else 0.5 ** np.arange(k)
    return np.concatenate([lambda1 * top, np.zeros(d - k)])


def rows_of(values: Any, v: Any) -> Any:
    """Rows of norm at most 1 whose sum of ``x x'`` has these eigenvalues and eigenvectors."""
    parts = [np.tile(np.sqrt(x / np.ceil(x)) * u, (int(np.ceil(x)), 1)) for x, u in zip(values, v.T, strict=True) if x]
    return np.concatenate(parts)


def orbit(m: Any, spectrum: Any, epsilon: float, repeats: int, rng: np.random.Generator) -> Any:
    """Return many releases of `private_orbit` for one choice of a sampler."""
    kappa, law = epsilon / (2 * spectrum[0]), "real" if one_apart(spectrum) else "complex"
    drawn = dps.sampling.orbit(m, spectrum, kappa, size=repeats, field=law, rng=rng)
    return drawn if law == "real" else np.array([orbit_projection(h.real, spectrum) for h in drawn])


def sequential(m: Any, spectrum: Any, epsilon: float, rng: np.random.Generator) -> Any:
    k, rest, released = np.count_nonzero(spectrum), np.eye(len(m)), np.zeros_like(m)
    for value in spectrum[:k]:
        line = np.eye(rest.shape[1])[0]
        h = dps.sampling.orbit(rest.T @ m @ rest, line, epsilon / (2 * k), field="real", rng=rng)
        vectors = np.linalg.eigh(h)[1]  # the sampled line comes last, its complement before
        v, rest = rest @ vectors[:, -1], rest @ vectors[:, :-1]
        released += value * np.outer(v, v)
    return released


def perturbed(mechanism: Callable[..., Any], x: Any, spectrum: Any, rng: np.random.Generator, *privacy: float) -> Any:
    return orbit_projection(mechanism(x, *privacy, rng=rng).value, spectrum)


def losses(values: Any, k: int, epsilon: float, repeats: int, rng: np.random.Generator) -> dict[str, Any]:
    """Utility lost in per cent of the optimum, ``repeats`` runs of each method on the same data."""
    d = len(values)
    v = dps.sampling.haar(d, field="real", rng=rng)
    spectrum, x = np.where(np.arange(d) < k, values, 0.0), rows_of(values, v)
    m = x.T @ x
    one = {
        "sequential": lambda: sequential(m, spectrum, epsilon, rng),
        "laplace": lambda: perturbed(dps.laplace_covariance, x, spectrum, rng, epsilon),
        "wishart": lambda: perturbed(dps.symmetric_wishart_covariance, x, spectrum, rng, epsilon),
        "gaussian": lambda: perturbed(dps.gaussian_covariance, x, spectrum, rng, epsilon, DELTA),
    }
    drawn = {name: np.array([run() for _ in range(repeats)]) for name, run in one.items()}
    drawn["orbit"] = orbit(m, spectrum, epsilon, repeats, rng)
    best = values @ spectrum
    return {name: 100 * (1 - np.sum(h * m, axis=(1, 2)) / best) for name, h in drawn.items()}


def half_width(lost: Any) -> float:
    """Half the width of the 95 % confidence interval of the mean."""
    return float(stats.t.isf(0.025, len(lost) - 1) * np.std(lost, ddof=1) / np.sqrt(len(lost)))


def winners(lost: dict[str, Any]) -> list[str]:
    """The best pure method, then those not told from it."""
    best = min(PURE, key=lambda name: np.mean(lost[name]))
    level = [
        name for name in PURE if name != best and stats.ttest_ind(lost[name], lost[best], equal_var=False)[1] > 0.05
    ]
    return [best, *level]


def show(kind: str, d: int, k: int, epsilon: float, lost: dict[str, Any]) -> None:
    cells = "".join(f"{f'{np.mean(lost[name]):.3g} ± {half_width(lost[name]):.1g}':>17}" for name in METHODS)
    print(f"{kind:<11}{d:>4}{k:>3}{epsilon:>6g}{cells}  {', '.join(winners(lost))}", flush=True)


def plot(path: Path, found: dict[tuple[str, int, int, float], dict[str, Any]]) -> None:
    """Loss against epsilon in the largest dimension; a column a spectrum, a row a rank."""
    d = max(key[1] for key in found)
    ranks = sorted({k for _, dimension, k, _ in found if dimension == d})
    epsilons = sorted({epsilon for _, dimension, _, epsilon in found if dimension == d})
    figure = importlib.import_module("matplotlib.figure").Figure(
        figsize=(4.2 * len(SPECTRA), 3.2 * len(ranks)), layout="constrained"
    )
    axes = figure.subplots(len(ranks), len(SPECTRA), squeeze=False, sharex=True)
    for (k, kind), axis in zip(itertools.product(ranks, SPECTRA), axes.ravel(), strict=True):
        for name in METHODS:
            seen = [found[kind, d, k, epsilon][name] for epsilon in epsilons]
            means, errors = [float(np.mean(lost)) for lost in seen], [half_width(lost) for lost in seen]
            axis.errorbar(epsilons, means, errors, capsize=3, label=name, linestyle=":" if name == "gaussian" else "-")
        axis.set(xscale="log", yscale="log", title=f"{kind}, d = {d}, k = {k}", xlabel="epsilon", ylabel="lost, %")
        axis.grid(alpha=0.3, which="both")
    axes[0, 0].legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--dimensions", type=int, nargs="+", default=[5, 20, 50])
    arguments.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 5])
    arguments.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.4, 1.0, 10.0])
    arguments.add_argument("--lambda1", type=float, default=200.0)
    arguments.add_argument("--repeats", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--plot", type=Path)
    args, start = arguments.parse_args(), time.perf_counter()
    found = {}
    print(f"{'spectrum':<11}{'d':>4}{'k':>3}{'eps':>6}{''.join(f'{name:>17}' for name in METHODS)}  winners")
    cells = itertools.product(SPECTRA, args.dimensions, args.ranks, args.epsilons)
    for number, (kind, d, k, epsilon) in enumerate(cells):
        if k >= d:
            continue
        rng = np.random.default_rng([args.seed, number])
        lost = losses(eigenvalues(kind, d, k, args.lambda1, rng), k, epsilon, args.repeats, rng)
        show(kind, d, k, epsilon, lost)
        found[kind, d, k, epsilon] = lost
    alone = [winners(lost) for lost in found.values()]
    for name in PURE:
        print(f"{name}: winner in {sum(w[0] == name for w in alone)}, alone in {sum(w == [name] for w in alone)}")
    print(f"of {len(alone)} cells, {time.perf_counter() - start:.0f} s")
    if args.plot:
        plot(args.plot, found)


if __name__ == "__main__":
    main()
