"""Compare `project_find_prune` with noise on every entry and with releasing zero, and print who wins where.

    python bench/compare_lowrank.py [--rows M ...] [--ratios R ...] [--epsilon X ...] [--k K] [--entries N] [--plot F]

Matrices ``(m, ratio m)`` of rank ``k`` (skipped above ``--entries`` entries), with rows that are alike or spread by a
lognormal factor (a few rows dominate), and entries of root mean square 1, 5 or 50; a neighbour changes one row by a
vector of norm at most 1, delta is 1e-6. Errors are root mean squares of ``|A - B|_F`` over `REPEATS` runs, relative to
``|A|_F``, the error of releasing zero. All releases are cut to rank ``k``. The map names who wins: ``O`` ours, with or
without pruning, whichever was better (pruned with the norm of the longest row of the data as its public bound, which
favours it); ``N`` noise on every entry; ``0`` zero; a small letter, or ``.`` for zero, where the gain is below a tenth.
"""

import argparse
import importlib
import itertools
from typing import Any

import numpy as np

import dpspectra as dps
from dpspectra.fast.coherence import range_basis, range_coherence, row_coherence

REPEATS, DELTA, SIZES, CLEAR = 2, 1e-6, (1.0, 5.0, 50.0), 0.9
SPREADS = {"alike": 0.0, "spread": 1.5}
HEAD = f"{'m':>5}{'n':>7} {'rows':<8}{'rms':>5}{'C':>7}{'mu0':>7}{'epsilon':>9}{'ours':>8}{'pruned':>8}{'noise':>8}"


def matrix(m: int, n: int, k: int, spread: float, rms: float) -> Any:
    rng = np.random.default_rng(m + n)
    a = np.exp(spread * rng.standard_normal((m, 1))) * (rng.standard_normal((m, k)) @ rng.standard_normal((k, n)))
    return rms * a / np.sqrt(np.mean(a**2))


def errors(a: Any, k: int, epsilon: float) -> dict[str, float]:
    """Relative errors of three releases cut to rank k: ours, ours with pruning, noise on every entry."""
    row_bound = float(np.max(np.linalg.norm(a, axis=1)))
    releases = {
        "ours": lambda seed: dps.project_find_prune(a, k, epsilon, DELTA, rng=seed),
        "pruned": lambda seed: dps.project_find_prune(a, k, epsilon, DELTA, row_bound=row_bound, rng=seed),
        "noise": lambda seed: dps.randomized_response_low_rank(a, k, epsilon, DELTA, rng=seed),
    }
    return {
        name: float(
            np.sqrt(np.mean([release(s).value.truncated(k).frobenius_distance(a) ** 2 for s in range(REPEATS)]))
            / np.linalg.norm(a)
        )
        for name, release in releases.items()
    }


def winner(found: dict[str, float]) -> str:
    entrants = {"O": min(found["ours"], found["pruned"]), "N": found["noise"], "0": 1.0}
    first, second = sorted(entrants, key=entrants.__getitem__)[:2]
    return first if entrants[first] < CLEAR * entrants[second] else {"O": "o", "N": "n", "0": "."}[first]


def plot(path: str, cells: list[tuple[str, int, float]]) -> None:
    """Plot our error relative to that of noise on every entry against the number of columns per row."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6.4, 4.2), layout="constrained")
    axis = figure.subplots()
    for name in dict.fromkeys(label for label, *_ in cells):
        points = [(ratio, gain) for label, ratio, gain in cells if label == name]
        axis.loglog(*zip(*points, strict=True), "o", alpha=0.6, label=name)
    axis.axhline(1.0, color="#444", linestyle=":")
    axis.set(xlabel="columns for each row", ylabel="error over that of noise on every entry")
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.savefig(path)
    print(f"plot: {path}")


def main(args: argparse.Namespace) -> None:
    print(f"k = {args.k}; errors over |A|_F, so 1 is releasing zero\n{HEAD}")
    cells, wins = [], {}
    for m, ratio in itertools.product(args.rows, args.ratios):
        n = m * ratio
        if m * n > args.entries:
            continue
        for (rows, spread), rms in itertools.product(SPREADS.items(), SIZES):
            a = matrix(m, n, args.k, spread, rms)
            coherence = f"{row_coherence(a):>7.1f}{range_coherence(range_basis(a)):>7.1f}"
            for epsilon in args.epsilon:
                found = errors(a, args.k, epsilon)
                wins[m, ratio, rows, rms, epsilon] = winner(found)
                numbers = "".join(f"{value:>8.3g}" for value in found.values())
                print(f"{m:>5}{n:>7} {rows:<8}{rms:>5g}{coherence}{epsilon:>9g}{numbers}")
                cells.append((f"rows {rows}", ratio, min(found["ours"], found["pruned"]) / found["noise"]))
    print(f"\nwho wins; {', '.join(map(str, args.epsilon))} is epsilon, left to right in each cell")
    print(f"{'':<20}" + "".join(f"rms {rms:<8g}" for rms in SIZES))
    for m, ratio, rows in dict.fromkeys(key[:3] for key in wins):
        line = (" ".join(wins[m, ratio, rows, rms, epsilon] for epsilon in args.epsilon) for rms in SIZES)
        print(f"{f'{m} x {m * ratio}, {rows}':<20}" + "".join(f"{cell:<12}" for cell in line))
    if args.plot:
        plot(args.plot, cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--ratios", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.3, 1.0, 3.0])
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--entries", type=int, default=5_000_000, help="larger matrices are left out")
    parser.add_argument("--plot")
    main(parser.parse_args())
