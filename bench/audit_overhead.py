"""Time of an audit beside that of the bare mechanism, in one run: nanoseconds a draw, and the share that is added.

    python -m bench.audit_overhead [--draws 2000000] [--rounds 3]

Mechanisms are sound, so that all draws are made. The bare mechanism is called as often, in calls of 1,024 rows where it
can return several; the first 2**17 draws, from which an audit learns, are timed alone and taken off.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.audit import GDP, audit

ROWS, LEARNT = 1024, 2**17


def laplace(x: float, *, size: int, rng: Any) -> Any:
    return rng.laplace(x, 1.0, size)


def normal(x: float, *, size: int, rng: Any) -> Any:
    return rng.normal(x, 1.0, size)


def single(x: float, *, rng: Any) -> float:
    return float(x + rng.laplace())


def three(x: float, *, rng: Any) -> Any:
    return rng.laplace(x, 3.0, 3)


CASES: dict[str, tuple[Callable[..., Any], Any, dict[str, Any]]] = {
    "Laplace, batches": (laplace, 1.0, {}),
    "Laplace, declared independent": (laplace, 1.0, {"independent": True}),
    "normal, batches": (normal, GDP(1.0), {}),
    "Laplace, one by one": (single, 1.0, {}),
    "arrays of 3, one by one": (three, 1.0, {}),
}


def bare(mechanism: Callable[..., Any], draws: int) -> float:
    rng = np.random.default_rng(0)
    size = {"size": ROWS} if "size" in _names(mechanism) else {}
    calls = draws // ROWS if size else draws
    start = time.perf_counter()
    for _ in range(calls):
        mechanism(0.0, rng=rng, **size)
        mechanism(1.0, rng=rng, **size)
    return time.perf_counter() - start


def _names(mechanism: Callable[..., Any]) -> tuple[str, ...]:
    return mechanism.__code__.co_varnames


def audited(mechanism: Callable[..., Any], claim: Any, draws: int, options: dict[str, Any], seed: int) -> float:
    start = time.perf_counter()
    audit(mechanism, (0.0, 1.0), claim, draws=draws, seconds=600, confidence=1 - 1e-12, rng=seed, **options)
    return time.perf_counter() - start


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    beyond = args.draws - LEARNT
    for name, (mechanism, claim, options) in CASES.items():
        rounds = [
            (
                bare(mechanism, beyond),
                audited(mechanism, claim, args.draws, options, seed) - audited(mechanism, claim, LEARNT, options, seed),
            )
            for seed in range(args.rounds)
        ]
        plain, whole = (1e9 * float(np.median(each)) / (2 * beyond) for each in zip(*rounds, strict=True))
        print(
            f"{name:32}{plain:9.1f} ns bare{whole:9.1f} ns audited{100 * (whole / plain - 1):8.0f} % added", flush=True
        )
