"""Exact leaks that an auditor must see: each is refuted, or undecided with a reason; never "not refuted".

    python -m bench.audit_leaks [--draws 20000] [--seed 1] [--cases WORD ...]

The claim is 1 at confidence 0.999; a bit that is 1 with probability 0.9 on one data set and 0.1 on the other is a loss
of 2.2 unless a case says otherwise. Exits with 1 if a leak is green that audits look for.
"""

import argparse
import importlib
import math
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpspectra.audit import audit
from tests.audit.reading.test_reader import OF_OTHERS, SECRETS

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


class Wrong(Exception):
    def __init__(self, code: int) -> None:
        super().__init__("an error")
        self.code = code


def raises(problem: Callable[[int], Exception]) -> Draw:
    def mechanism(x: int, rng: np.random.Generator) -> Any:
        raise problem(int(rng.random() < (0.9 if x else 0.1)))

    return mechanism


def caused(bit: int) -> Exception:
    problem = KeyError("outside")
    problem.__cause__ = ValueError(bit)
    return problem


def noisy(loss: float) -> Draw:
    return lambda x, size, rng: rng.laplace(x, 1 / loss, size)


def noisy_max(x: int, size: int, rng: np.random.Generator) -> Any:
    return np.argmax(np.array([x, 1 - x, 0.5]) + rng.gumbel(scale=0.5, size=(size, 3)), axis=1)


def above_threshold(x: int, rng: np.random.Generator) -> Any:
    """Sparse vector without noise on its queries."""
    level = 0.5 + rng.laplace()
    return [bool(query > level) for query in (x, 1 - x, x, 1 - x)]


def histogram(x: int, rng: np.random.Generator) -> Any:
    return np.append(x, np.zeros(9)) + rng.laplace(scale=0.5, size=10)


def rare(p: float) -> Draw:
    return lambda x, rng: "rare" if x and rng.random() < p else float(rng.random())


def xor(bits: int) -> Draw:
    def mechanism(x: int, rng: np.random.Generator) -> Any:
        found = rng.integers(0, 2, bits)
        found[-1] = (found[:-1].sum() + int(rng.random() < (0.9 if x else 0.1))) % 2
        return found

    return mechanism


def turned(x: int, rng: np.random.Generator) -> Any:
    """An eigenvector of which the sign, or the angle, is the secret."""
    angle = rng.normal(0.4 * x, 0.1)
    return np.array([math.cos(angle), math.sin(angle)])


def signed(x: int, rng: np.random.Generator) -> Any:
    vector = rng.normal(size=4)
    return (
        vector / np.linalg.norm(vector) * (1 if bool(vector[0] > 0) is bool(rng.random() < (0.9 if x else 0.1)) else -1)
    )


def pixel(x: int, rng: np.random.Generator) -> Any:
    image = rng.integers(0, 256, (16, 16)).astype(np.uint8)
    image[3, 5] = 200 if x else 10
    return image


def tree(x: int, rng: np.random.Generator, depth: int = 4) -> Any:
    if depth == 0 or rng.random() < 0.2:
        return {"leaf": float(rng.laplace(x, 0.3))}
    return {"left": tree(x, rng, depth - 1), "right": tree(x, rng, depth - 1)}


def first_call_only() -> Draw:
    calls: list[int] = []

    def mechanism(x: int, rng: np.random.Generator) -> Any:
        calls.append(x)
        return float(x) if len(calls) == 1 else float(rng.random())

    return mechanism


def installed() -> dict[str, Draw]:
    """A bit in values of other libraries, of those that are installed."""
    found = {}
    for name, make in OF_OTHERS.items():
        try:
            library = importlib.import_module(name if name.startswith(("sk", "j")) else name.partition(".")[0])
        except ImportError:
            continue
        found[name] = hidden(partial(make, library))
    return found


LEAKS: dict[str, Draw] = {
    **{name: hidden(make) for name, make in SECRETS.items()},
    **installed(),
    "attribute of an exception": raises(Wrong),
    "message of an exception": raises(lambda bit: ValueError(f"code {bit}")),
    "type of an exception": raises(lambda bit: KeyError("x") if bit else ValueError("x")),
    "cause of an exception": raises(caused),
    "Laplace noise, loss 2": noisy(2.0),
    "noisy maximum, loss 2": noisy_max,
    "sparse vector without query noise": above_threshold,
    "histogram of 10 bins, loss 2": histogram,
    "rare branch of 1 %": rare(0.01),
    "length of a text": hidden(lambda bit: "a" * (3 + bit)),
    "order of keys": hidden(lambda bit: {"a": 1, "b": 2} if bit else {"b": 2, "a": 1}),
    "xor of 3 bits": xor(3),
    "xor of 10 bits": xor(10),
    "sorted or not": lambda x, rng: sorted(rng.random(5).tolist(), reverse=not x),
    "sign of a vector": signed,
    "angle of a vector": turned,
    "a pixel": pixel,
    "leaf of a tree": tree,
    "the first call only": first_call_only(),
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
OUT_OF_SCOPE = {"the first call only"}
"""Leaks that an audit does not look for, and says so: what calls leave behind."""


def run(draws: int, seed: int, cases: list[str]) -> int:
    """Print a row for each leak; the number of those that are green."""
    green = 0
    for name, mechanism in LEAKS.items():
        if not any(word in name for word in cases):
            continue
        start = time.perf_counter()
        result = audit(mechanism, (0, 1), 1.0, draws=DRAWS.get(name, draws), rng=seed)
        green += result.verdict == "not refuted" and name not in OUT_OF_SCOPE
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
