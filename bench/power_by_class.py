"""Is a promised loss refuted? Audits of events of each class, at the loss that `AuditResult.power_of` gives.

    python -m bench.power_by_class [--draws 1000] [--seeds 40] [--first 1000] [--classes NAME ...]

The event has probability one half on one data set; claim 1, confidence 0.999. At least 90 % of audits should refute.
After that, classic leaks: the median of their draws should be no more than a tenth above `CLASSIC`. Exits with 1 if one
of these is not so.
"""

import argparse
import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench.audit_leaks import LEAKS, above_threshold, histogram, middle, noisy
from dpspectra.audit import PureDP, audit
from dpspectra.audit.betting.power_by_event_class import power_of

Draw = Callable[[int, Any], Any]


def hit(x: int, rng: Any, loss: float) -> int:
    """1 with probability one half, or less by ``exp(-loss)``."""
    return int(rng.random() < 0.5 * (math.exp(-loss) if x else 1.0))


def threshold(bit: int, rng: Any) -> Any:
    return float(rng.random() + bit)


def interval(bit: int, rng: Any, count: int = 4) -> Any:
    return float(rng.integers(count) * 2 + bit + rng.random())


def residue(bit: int, rng: Any, modulus: int = 2) -> Any:
    """Any of half of the remainders, beside the other half."""
    half = modulus // 2
    return int(modulus * rng.integers(10**6) + (half + rng.integers(modulus - half) if bit else rng.integers(half)))


def scattered(bit: int, rng: Any, modulus: int = 64) -> Any:
    """Any of some remainders that are not next to each other."""
    return int(modulus * rng.integers(10**6) + rng.choice([r for r in range(modulus) if r * r % 7 % 2 == bit]))


def one_bit(bit: int, rng: Any, place: int = 20) -> Any:
    return int(rng.integers(2**24)) & ~(1 << place) | bit << place


def place(bit: int, rng: Any) -> Any:
    numbers = rng.random(100)
    numbers[50] = rng.random() + bit
    return numbers


def member(bit: int, rng: Any) -> Any:
    return {f"w{word}" for word in rng.choice(200, 50, replace=False) if word} | ({"w0"} if bit else set())


CLASSES: dict[str, Draw] = {
    "prespecified": lambda bit, rng: bit,
    "threshold": threshold,
    "interval": interval,
    "interval, one": partial(interval, count=1),
    "residue": residue,
    **{f"residue, by {modulus}": partial(residue, modulus=modulus) for modulus in (3, 19, 37, 63)},
    "residue, scattered": scattered,
    **{f"residue, bit {place}": partial(one_bit, place=place) for place in (5, 13, 20)},
    "place": place,
    "member": member,
}
PLACES = {"place": 100}

CLASSIC: dict[str, tuple[Callable[..., Any], int]] = {
    "Laplace, loss 2": (noisy(2.0), 256),
    "Laplace, loss 1.2": (noisy(1.2), 3264),
    "sparse vector without query noise": (above_threshold, 128),
    "histogram, 10 bins, loss 2": (histogram, 256),
    "the middle half, infinite": (middle, 192),
    "place 50 of 100, loss 2": (LEAKS["place 50 of 100, loss 2"], 256),
    "interval of 5 %, loss 2": (LEAKS["interval of 5 %, loss 2"], 7680),
    "interval of 2.5 %, infinite": (LEAKS["interval of 2.5 %, infinite"], 4608),
}
"""Leaks, and the median draws in which a first engine with lenses refuted them, on every other seed of the default."""

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1000, help="first seed")
    parser.add_argument("--classes", nargs="*", default=list(CLASSES))
    args = parser.parse_args()
    seeds, short = range(args.first, args.first + args.seeds), []
    for name in args.classes:
        loss = power_of(name.partition(",")[0], args.draws, PureDP(1.0), 0.999, PLACES.get(name, 1))

        def mechanism(x: int, rng: Any, name: str = name, loss: float = loss) -> Any:
            return CLASSES[name](hit(x, rng, loss), rng)

        found = [audit(mechanism, (0, 1), 1.0, draws=args.draws, seconds=600, rng=seed) for seed in seeds]
        draws, refuted = np.median([result.draws for result in found]), sum(result.violated for result in found)
        print(f"{name:20}{loss:8.4g} nats  {refuted:>4}/{args.seeds}  {draws:>8.0f} draws", flush=True)
        short += [name] if refuted < 0.9 * args.seeds else []
    for name, (leak, most) in CLASSIC.items():
        found = [audit(leak, (0, 1), 1.0, seconds=600, rng=seed) for seed in seeds[::2]]
        draws = np.median([result.draws if result.violated else math.inf for result in found])
        print(f"{name:36}{draws:>8.0f} draws, {most} before", flush=True)
        short += [name] if draws > 1.1 * most else []
    print(f"below what is promised: {', '.join(short) or 'nothing'}")
    sys.exit(bool(short))
