"""Sound mechanisms of all kinds, each with the reason why it meets its claim: `bench.audit_alarms` tries them.

Most carry one response of loss 1 (`bit`) in an output of some kind: whatever is done with it is post-processing, and
its every event is at the boundary of the claim. The others have noise of their own.
"""

import datetime
import decimal
import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, Renyi
from dpspectra.fast.gaussian_profile import profile
from tests.support.sound import ONE, Sound

TRUTH = 1 / (1 + math.exp(-1))
"""Probability that a response of loss 1 is true."""
PART = 1 / (1 + math.exp(-1 / 3))


def bit(x: float, rng: Any, truth: float = TRUTH) -> int:
    """The data set, a bit, or with a smaller probability the other bit."""
    return int(x if rng.random() < truth else 1 - x)


class Slots:
    __slots__ = ("secret",)

    def __init__(self, secret: int) -> None:
        self.secret = secret


def raising(kind: type[BaseException], b: int) -> None:
    raise kind(f"code {b}")


def lying_at(size: int, place: int, b: int, rng: Any) -> Any:
    numbers = rng.normal(size=size)
    numbers[place] += 5 * b
    return numbers


def cyclic(b: int) -> Any:
    items: list[Any] = [b]
    items.append(items)
    return items


async def later(b: int) -> int:
    return b


CARRIED: dict[str, Callable[[int, Any], Any]] = {
    "a float": lambda b, rng: float(b),
    "a whole number": lambda b, rng: b,
    "a truth value": lambda b, rng: bool(b),
    "None or a number": lambda b, rng: None if b else 1.5,
    "NaN or a number": lambda b, rng: math.nan if b else 1.5,
    "NaN in half of the outputs": lambda b, rng: math.nan if rng.random() < 0.5 else float(b),
    "NaN or infinity": lambda b, rng: math.inf if b else math.nan,
    "two infinities": lambda b, rng: (-1.0) ** b * math.inf,
    "a text": lambda b, rng: "yes" if b else "no",
    "a text of 20 words": lambda b, rng: " ".join([*map(str, rng.integers(0, 99, 19)), "cat" if b else "dog"]),
    "the length of a text": lambda b, rng: "a" * int(rng.integers(1, 9) + 8 * b),
    "a number in a text": lambda b, rng: f"the count is {b + rng.random():.3f}",
    "bytes": lambda b, rng: bytes([b, int(rng.integers(9))]),
    "a date": lambda b, rng: datetime.datetime(2020, 1, 1 + b, int(rng.integers(24))),
    "a list": lambda b, rng: [b, "x", 2.5],
    "a list of varying length": lambda b, rng: [0] * int(rng.integers(1, 4) + 3 * b),
    "a list or a tuple": lambda b, rng: [1, 2] if b else (1, 2),
    "an int or a float": lambda b, rng: 1 if b else 1.0,
    "the order of keys": lambda b, rng: {"a": 1, "b": 2} if b else {"b": 2, "a": 1},
    "a key that is there": lambda b, rng: {"a": 1} | ({"b": 2} if b else {}),
    "a nested dictionary": lambda b, rng: {"a": {"b": [{"c": b}]}, "d": rng.random()},
    "a set of numbers": lambda b, rng: set(rng.integers(0, 10**6, 9).tolist()) | {7 + b},
    "a set of texts": lambda b, rng: {f"{k}" for k in rng.integers(0, 99, 5)} | {"x" if b else "y"},
    "a frozen set": lambda b, rng: frozenset({b, 5}),
    "an object with slots": lambda b, rng: Slots(b),
    "a closure": lambda b, rng: lambda: b,
    "a generator": lambda b, rng: (i for i in [1, b]),
    "a coroutine": lambda b, rng: later(b),
    "a list that holds itself": lambda b, rng: cyclic(b),
    "a decimal number": lambda b, rng: decimal.Decimal(b) / 7,
    "a fraction": lambda b, rng: fractions.Fraction(1 + b, 7),
    "a complex number": lambda b, rng: complex(rng.normal(), b),
    "an array of 3": lambda b, rng: np.array([rng.normal(), b, rng.normal()]),
    "an array of varying shape": lambda b, rng: rng.normal(size=(2 + b, int(rng.integers(1, 3)))),
    "the sign of an eigenvector": lambda b, rng: (-1) ** b * np.linalg.qr(rng.normal(size=(3, 3)))[0],
    "a sparse matrix": lambda b, rng: sparse.csr_array(np.diag([b, 1.0, rng.normal()])),
    "a masked array": lambda b, rng: np.ma.array([1.0, 2.0], mask=[bool(b), False]),
    "the type of an array": lambda b, rng: np.ones(2, dtype="f4" if b else "f8"),
    "what is raised": lambda b, rng: raising(KeyError if b else ValueError, 0),
    "the message of what is raised": lambda b, rng: raising(ValueError, b),
    "an exit": lambda b, rng: raising(SystemExit, b),
    "a value or an exception": lambda b, rng: raising(ValueError, 0) if b else rng.random(),
    "a huge whole number": lambda b, rng: 2**80 + b,
    "a lattice of step 7": lambda b, rng: int(7 * rng.integers(0, 10**5) + 3 * b),
    "a lattice of step 997": lambda b, rng: int(997 * rng.integers(0, 10**5) + b),
    "parity": lambda b, rng: int(2 * rng.integers(0, 10**6) + b),
    "the half of a number": lambda b, rng: float(rng.integers(0, 1000) + b / 2),
    "place 50 of 100": lambda b, rng: lying_at(100, 50, b, rng),
    "two intervals": lambda b, rng: float(2 * rng.integers(0, 3) + b + rng.random()),
    "a tie of 50 values": lambda b, rng: float(rng.integers(0, 50) // 2 + 25 * b),
}
"""Functions of a response and of randomness, by the kind of output."""


def carried(encode: Callable[[int, Any], Any]) -> Sound:
    return Sound(lambda x, rng: encode(bit(x, rng), rng))


def geometric(x: float, *, size: int, rng: Any) -> Any:
    return x + rng.geometric(1 - math.exp(-1), size) - rng.geometric(1 - math.exp(-1), size)


def clamped(x: float, *, size: int, rng: Any) -> Any:
    return np.clip(rng.laplace(x, 1.0, size), -0.5, 1.5)


def rounded(x: float, *, size: int, rng: Any) -> Any:
    return np.round(2 * rng.laplace(x, 1.0, size)) / 2


def mixed(x: float, *, size: int, rng: Any) -> Any:
    return np.where(rng.random(size) < 0.5, 0.25, rng.laplace(x, 1.0, size))


def one_of_ten(x: float, *, rng: Any) -> int:
    return int(x) if rng.random() < (math.e - 1) / (math.e + 9) else int(rng.integers(10))


def noisy_max(x: float, *, size: int, rng: Any) -> Any:
    scores = np.array([x, 1 - x, 0.5, 0.5])
    return np.argmax(scores + rng.gumbel(scale=2.0, size=(size, 4)), axis=1)


def staircase(x: float, *, size: int, rng: Any) -> Any:
    steps = rng.geometric(1 - math.exp(-1), size) - 1
    return x + rng.choice([-1.0, 1.0], size) * (steps + rng.random(size) * 1.0)


def beside_fifty(x: float, *, rng: Any) -> Any:
    return np.append(rng.normal(size=50), rng.laplace(x, 1.0))


def in_l1(x: float, *, size: int, rng: Any) -> Any:
    return np.array([x / 2, -x / 4, x / 4]) + rng.laplace(size=(size, 3))


def failing(x: float, *, rng: Any) -> float:
    if rng.random() < 0.01:
        raise ArithmeticError("a failure of 1 %")
    return float(rng.laplace(x))


def failing_more(x: float, *, rng: Any) -> float:
    if rng.random() < 0.01 * math.exp(-x):
        raise ArithmeticError("a failure of 1 %, or of .37 %")
    return 1.5


def shown_rarely(x: float, *, rng: Any) -> Any:
    return x if rng.random() < 0.05 else "nothing"


def shown_or_response(x: float, *, rng: Any) -> Any:
    return ("shown", x) if rng.random() < 0.05 else ("response", bit(x, rng))


def asked_thrice(x: float, *, rng: Any) -> str:
    answers: list[int] = []
    for _ in range(3):  # the second question depends on the answer to the first
        answers.append(bit(x, rng, PART) ^ int(bool(answers) and answers[0]))
    return " then ".join(map(str, answers))


def above_threshold(x: float, *, rng: Any) -> list[bool]:
    queries, level, found = [x, 1 - x, x, 0.5], 1.0 + rng.laplace(scale=2.0), list[bool]()
    for query in queries:
        found.append(bool(query + rng.laplace(scale=4.0) >= level))
        if found[-1]:
            break
    return found


def gaussian(sigma: float) -> Any:
    return lambda x, *, size, rng: rng.normal(x, sigma, size)


HALF = TRUTH - math.exp(0.5) * (1 - TRUTH)
"""Smallest delta of a response of loss 1 at epsilon 1/2."""
OWN: dict[str, tuple[str, Sound]] = {
    "two-sided geometric noise": ("neighbouring integers differ by e in probability", Sound(geometric)),
    "Laplace noise, clamped": ("post-processing, with atoms at the ends", Sound(clamped)),
    "Laplace noise, rounded to halves": ("post-processing", Sound(rounded)),
    "Laplace noise or a constant": ("a mixture with weights that know no data", Sound(mixed)),
    "one of ten": ("the true answer is e times as likely as each other", Sound(one_of_ten)),
    "noisy maximum": ("exponential mechanism: scores move by 1, the noise has scale 2", Sound(noisy_max)),
    "staircase noise": ("the density falls by e with each step of length 1", Sound(staircase)),
    "Laplace noise beside 50 numbers": ("the others know no data", Sound(beside_fifty)),
    "Laplace noise on 3 numbers": ("they move by 1 in all", Sound(in_l1)),
    "a failure of 1 %": ("failures know no data", Sound(failing)),
    "a failure of 1 % or .37 %": ("rates differ by e, what is left by less", Sound(failing_more)),
    "shown with probability .05": (
        "another outcome with probability delta only",
        Sound(shown_rarely, ApproxDP(0.0, 0.05)),
    ),
    "shown, or a response": (
        "loss 1 except on an event of probability delta",
        Sound(shown_or_response, ApproxDP(1.0, 0.05)),
    ),
    "three questions": ("three responses of loss 1/3 compose", Sound(asked_thrice)),
    "above a threshold": ("sparse vector: threshold noise 2, query noise 4", Sound(above_threshold)),
    "a response, (.5, delta)": ("delta is its own at 1/2", Sound(lambda x, rng: bit(x, rng), ApproxDP(0.5, HALF))),
    "Gaussian noise, (1, delta)": (
        "delta is its own at 1",
        Sound(gaussian(1.0), ApproxDP(1.0, float(profile(1.0, 1.0)))),
    ),
    "Gaussian noise, 1/2-GDP": ("mu is 1/sigma", Sound(gaussian(2.0), GDP(0.5))),
    "Gaussian noise, (5, .625)-Renyi": ("alpha/2 at sigma 2", Sound(gaussian(2.0), Renyi(5.0, 0.625))),
    "a response, its profile": (
        "delta at three epsilons is its own",
        Sound(
            lambda x, rng: bit(x, rng),
            Profile.of(lambda e: max(0.0, TRUTH - math.exp(e) * (1 - TRUTH)), (0.0, 0.5, 1.0)),
        ),
    ),
    "all bits of a response": (
        "post-processing",
        Sound(lambda x, rng: -0.0 if bit(x, rng) else 0.0, ONE, {"bits": True}),
    ),
    "data that play no part": ("the laws are equal", Sound(lambda x, rng: rng.normal(), PureDP(0.0))),
}
KINDS = {name: carried(encode) for name, encode in CARRIED.items()} | {name: sound for name, (_, sound) in OWN.items()}
"""Sound mechanisms by name."""
