"""Exact leaks that an auditor must see: each is refuted, or undecided with a reason; never "not refuted".

    python -m bench.audit_leaks [--draws 20000] [--seed 1] [--cases WORD ...]

The claim is 1 at confidence 0.999; a bit that is 1 with probability 0.9 on one data set and 0.1 on the other is a loss
of 2.2 unless a case says otherwise. Exits with 1 if a leak is green.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.audit import audit
from tests.audit.reading.test_reader import SECRETS

Draw = Callable[..., Any]


def hidden(make: Callable[[int], Any]) -> Draw:
    """A mechanism that hides a bit in an output."""

    def mechanism(x: int, rng: np.random.Generator) -> Any:
        return make(int(rng.random() < (0.9 if x else 0.1)))

    return mechanism


def middle(x: int, size: int, rng: np.random.Generator) -> Any:
    u = rng.random(size)
    return 20 * u if x == 0 else np.where(u < 0.5, 10 * u, 20 - 10 * (1 - u))


def interval(x: int, size: int, rng: np.random.Generator, p: float = 0.05, loss: float = 2.0) -> Any:
    """Uniform on [0, 1], with an interval of probability ``p`` that is less likely by ``exp(-loss)`` on the second."""
    u = rng.random(size)
    moved = (u > 0.5) & (u < 0.5 + p) & (rng.random(size) > math.exp(-loss)) & (x == 1)
    return np.where(moved, u - 0.3, u)


def shifted(size: int, place: int, by: float = 9.0) -> Draw:
    def mechanism(x: int, rng: np.random.Generator) -> Any:
        a = rng.normal(size=size)
        a[place] += by * x
        return a

    return mechanism


def beside(size: int, place: int, loss: float) -> Draw:
    def mechanism(x: int, rng: np.random.Generator) -> Any:
        a = rng.normal(size=size)
        a[place] = rng.laplace(x, 1 / loss)
        return a

    return mechanism


def correlated(x: int, rng: np.random.Generator) -> Any:
    a = rng.normal(size=20)
    a[7] = a[3] * (1 if x else -1)
    return a


def parity(x: int, rng: np.random.Generator) -> Any:
    bits = rng.integers(0, 2, 30)
    bits[-1] = (bits[:-1].sum() + x) % 2
    return bits


def words(x: int, rng: np.random.Generator) -> str:
    return " ".join([*map(str, rng.integers(0, 10**6, 10)), "cat" if x else "dog", "."])


LEAKS: dict[str, Draw] = {
    **{name: hidden(make) for name, make in SECRETS.items()},
    "the middle half, infinite": middle,
    "interval of 5 %, loss 2": interval,
    "interval of 2.5 %, infinite": lambda x, size, rng: interval(x, size, rng, 0.025, math.inf),
    "place 100 of 200": shifted(200, 100),
    "place 1000 of 5000": shifted(5000, 1000),
    "place 50 of 100, loss 2": beside(100, 50, 2.0),
    "argmax of 100": lambda x, rng: int(np.argmax(rng.normal(size=100) + 9 * (np.arange(100) == 50 * x + 3))),
    "lengths 1 to 200": lambda x, rng: rng.normal(size=int(rng.integers(1, 100) + 100 * x)),
    "key 90 of 100": lambda x, rng: {f"k{i}": rng.normal() + 9 * x * (i == 90) for i in range(100)},
    "item 90 of 100 dictionaries": lambda x, rng: [{"a": rng.normal() + 9 * x * (i == 90)} for i in range(100)],
    "correlation of 2 in 20": correlated,
    "parity of 30 bits": parity,
    "parity of an integer": lambda x, rng: int(2 * rng.integers(0, 10**6) + x),
    "divisibility by 7": lambda x, rng: int(7 * rng.integers(0, 10**6) + (0 if x else rng.integers(1, 7))),
    "fractional part": lambda x, rng: float(rng.integers(0, 1000) + 0.3 * rng.random() + 0.5 * x),
    "third decimal": lambda x, rng: float(rng.integers(0, 10**5) / 100 + 0.005 * x + 1e-4 * rng.random()),
    "member of a set of 20": lambda x, rng: {int(v) for v in rng.integers(0, 10**6, 19)} | ({7} if x else {11}),
    "a word of a text": words,
    "a text in a list": lambda x, rng: words(x, rng).split(),
    "an opaque object": hidden(lambda bit: object()),
    "twenty draws": hidden(lambda bit: bit),
}
DRAWS = {"twenty draws": 20, "an opaque object": 1000}


def run(draws: int, seed: int, cases: list[str]) -> int:
    """Print a row for each leak; the number of those that are green."""
    green = 0
    for name, mechanism in LEAKS.items():
        if not any(word in name for word in cases):
            continue
        start = time.perf_counter()
        result = audit(mechanism, (0, 1), 1.0, draws=DRAWS.get(name, draws), rng=seed)
        green += result.verdict == "not refuted"
        said = result.witness if result.violated else result.reason
        print(
            f"{name:32}{result.verdict:13}{result.draws:>7}{time.perf_counter() - start:8.2f} s  {said[:90]}",
            flush=True,
        )
    print(f"green: {green}")
    return green


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", nargs="*", default=[""])
    args = parser.parse_args()
    sys.exit(run(args.draws, args.seed, args.cases) > 0)
