"""Certified draws of projectors beside ideal ones, over matrices, ranks and epsilons: which cells are too slow.

    python bench/orbit_grid.py [--limit 10] [--seconds 240] [--only 61,5 ...] [--seed 0]

A cell is one draw of the law of `private_orbit` for the spectrum of a matrix, its rank ``k`` with ``2 k <= d``, and an
epsilon, in both arithmetics, with the plan made before. It misses the goal if the certified draw takes more than 5
times as long as the ideal one and more than 2 s of processor time. Draws stop at ``--limit`` seconds of it. Cells are
taken in a random order until ``--seconds`` are over, so a short run is a sample of the grid. Exits with 1 if a cell
misses.
"""

import argparse
import itertools
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from sklearn import datasets

import dpspectra as dps
from dpspectra.certified.orbit import Orbit, step_exponent
from dpspectra.sampling.orbit import plan_in_eigenbasis

RANKS = 1, 2, 3, 5, 10
EPSILONS = 0.1, 0.3, 1.0, 2.0, 4.0, 10.0, 30.0, 100.0
FACTOR, SECONDS = 5.0, 2.0


def spectra() -> dict[str, Any]:
    """Descending eigenvalues by name: of rows of norm at most 1, and of three shapes."""
    found = {}
    for name in ("digits", "wine", "breast_cancer"):
        rows = getattr(datasets, f"load_{name}")().data
        rows = rows[:, np.ptp(rows, axis=0) > 0]
        rows = rows / np.linalg.norm(rows, axis=1).max()
        found[f"{name} {rows.shape[1]}"] = np.linalg.svd(rows, compute_uv=False) ** 2
    for d in (10, 30, 100):
        found[f"1/j {d}"] = 300.0 / np.arange(1, d + 1)
        found[f"spiked {d}"] = np.repeat([200.0, 1.0], [3, d - 3])
        found[f"tied {d}"] = np.repeat([30.0, 10.0], [d // 2, d - d // 2])
    return found


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` after so much processor time."""

    def late(*_: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def timed(make: Callable[[], Callable[[], Any]], limit: float) -> tuple[float, bool]:
    """Processor time of a second call, and whether it came to an end."""
    start = time.process_time()
    try:
        with within(limit):
            draw = make()
            draw()
            start = time.process_time()
            draw()
    except TimeoutError:
        return max(limit, time.process_time() - start), False
    return time.process_time() - start, True


def certified(values: Any, spectrum: Any, kappa: float, names: list[str]) -> Callable[[], Any]:
    """A certified draw; the name of its sampler is noted."""
    law = Orbit(np.diag(values), kappa, values * kappa, np.eye(len(values)), spectrum, "complex")
    names.append(law.method)
    source = dps.Entropy(bytes(32))
    return lambda: law.draw(step_exponent(spectrum), source)


def ideal(values: Any, spectrum: Any, kappa: float, names: list[str]) -> Callable[[], Any]:
    """An ideal draw; the name of its sampler is noted."""
    plan, rng = plan_in_eigenbasis(values, np.eye(len(values)), spectrum, kappa, "complex"), np.random.default_rng(0)
    names.append(plan.method)
    return lambda: plan.draw(1, rng)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--only", nargs="+", default=[], metavar="D,K")
    parser.add_argument("--seed", type=int, default=0)
    options: Any = parser.parse_args(arguments)
    cells = [
        (name, values, k, epsilon)
        for (name, values), k, epsilon in itertools.product(spectra().items(), RANKS, EPSILONS)
        if 2 * k <= len(values) and (not options.only or f"{len(values)},{k}" in options.only)
    ]
    np.random.default_rng(options.seed).shuffle(order := list(range(len(cells))))
    start, missed, done = time.monotonic(), 0, 0
    print(f"{'matrix':<20}{'k':>3}{'epsilon':>9}{'certified':>10}{'ideal':>10}  samplers")
    for i in order:
        if time.monotonic() - start > options.seconds:
            break
        name, values, k, epsilon = cells[i]
        spectrum = np.repeat([1.0, 0.0], [k, len(values) - k])
        names: list[str] = []
        law = values, spectrum, epsilon / 2, names
        (mine, ended), (other, _) = (timed(partial(make, *law), options.limit) for make in (certified, ideal))
        done += 1
        if not ended or mine > max(FACTOR * other, SECONDS):
            missed += 1
            print(f"{name:<20}{k:>3}{epsilon:>9g}{mine:>10.3f}{other:>10.3f}  {' '.join(names)}", flush=True)
    print(f"{done} of {len(cells)} cells, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
