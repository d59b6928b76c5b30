"""Time of an audit beside that of the bare mechanism, in one run: nanoseconds a draw, and the share that is added.

    python -m bench.audit_overhead [--rounds 5] [--share 1.0] [--cases WORD ...]

Mechanisms are sound, so that all draws are made. The bare mechanism is called as often, in calls of 1,024 rows where it
can return several. The first 2**17 draws, from which an audit learns, are timed alone, in seconds, and taken off. Time
is that of the processor; each round has another seed, and medians are shown.
"""

import argparse
import inspect
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any, NamedTuple

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


class Case(NamedTuple):
    mechanism: Callable[..., Any]
    claim: Any
    draws: int
    most: int
    """Share, in per cent, that may be added."""
    options: dict[str, Any]


CASES: dict[str, Case] = {
    "Laplace, batches": Case(laplace, 1.0, 2**23, 140, {}),
    "Laplace, declared independent": Case(laplace, 1.0, 2**24, 100, {"independent": True}),
    "normal, batches": Case(normal, GDP(1.0), 2**23, 140, {}),
    "Laplace, one by one": Case(single, 1.0, 2**20, 50, {}),
    "arrays of 3, one by one": Case(three, 1.0, 2**20, 40, {}),
}


def timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def bare(mechanism: Callable[..., Any], draws: int) -> None:
    rng = np.random.default_rng(0)
    if "size" not in inspect.signature(mechanism).parameters:
        for _ in range(draws):
            mechanism(0.0, rng=rng)
            mechanism(1.0, rng=rng)
        return
    for _ in range(draws // ROWS):
        mechanism(0.0, rng=rng, size=ROWS)
        mechanism(1.0, rng=rng, size=ROWS)


def audited(case: Case, draws: int, seed: int) -> None:
    pair, sure = (0.0, 1.0), 1 - 1e-12
    audit(case.mechanism, pair, case.claim, draws=draws, seconds=600, confidence=sure, rng=seed, **case.options)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--share", type=float, default=1.0, help="of the draws of each case")
    parser.add_argument("--cases", nargs="*", default=[""])
    args = parser.parse_args()
    for name, case in CASES.items():
        if not any(word in name for word in args.cases):
            continue
        beyond = int(args.share * case.draws)
        rounds = []
        for seed in range(args.rounds):
            learning = timed(partial(audited, case, LEARNT, seed))
            whole = timed(partial(audited, case, LEARNT + beyond, seed))
            plain = timed(partial(bare, case.mechanism, beyond))
            rounds.append((plain, whole - learning, learning))
        plain, rest, learning = map(median, zip(*rounds, strict=True))
        bare_ns, audited_ns = (5e8 * each / beyond for each in (plain, rest))
        print(
            f"{name:32}{learning:6.2f} s learning{bare_ns:9.1f} ns bare{audited_ns:9.1f} ns audited"
            f"{100 * (rest / plain - 1):7.0f} % added (at most {case.most})",
            flush=True,
        )
