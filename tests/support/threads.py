"""Twenty more mechanisms, after idioms of public threads and small repositories: ten that are right, ten that are not.

They join those of `forum` and were written like them: truth and foretold verdicts first, the auditor afterwards.
"""

# Threads draw from the global state of numpy.
# ruff: noqa: NPY002

from __future__ import annotations

import math
import random
import secrets
from collections import Counter

import numpy as np

from dpspectra.audit import ApproxDP
from tests.support.forum import EPSILON, post

# ---------------------------------------------------------------- Laplace noise made by hand


@post(
    True,
    "either half of a Laplace law by the logarithm of a second number: loss 1",
    (4, 5),
    ("explained", "not refuted"),
)
def count_by_halves(count):
    scale = 1.0 / EPSILON
    side, size = np.random.random(), np.random.random()
    if side <= 0.5:
        return count - scale * np.log(1.0 - size)
    return count + scale * np.log(size)


@post(
    False,
    "the noise cut at the point is 0 twice as often as geometric: loss 1 + log 2",
    (4, 5),
    ("refuted", "refuted"),
)
def count_with_whole_noise(count):
    side, size = np.random.random(), np.random.random()
    noise = -np.log(1.0 - size) if side <= 0.5 else np.log(size)
    return count + int(noise / EPSILON)


@post(True, "rounding and 0 for what is negative come after the noise: loss 1", (3, 4), ("explained", "not refuted"))
def count_shown_to_people(count):
    return max(0, round(count + np.random.laplace(0, 1 / EPSILON)))


@post(True, "a random sign times an exponential number: loss 1", (10.0, 11.0), ("explained", "not refuted"))
def sign_by_integers(total):
    sign = 2 * random.randint(0, 1) - 1
    return total + sign / EPSILON * math.log(1.0 - random.random())


@post(
    True,
    "the inverse of the distribution at 64 bits of the system: loss 1 in ideal arithmetic",
    (["a", "b"], ["a", "b", "c"]),
    ("undecided", "not refuted"),
)
def count_by_secrets(items):
    u = (secrets.randbits(64) + 0.5) / 2**64 - 0.5
    return len(items) - math.copysign(1.0, u) / EPSILON * math.log(1 - 2 * abs(u))


@post(True, "a difference of two geometric numbers of ratio 1/e: loss 1", (7, 8), ("undecided", "not refuted"))
def count_by_two_floors(count, rng):
    ratio = -EPSILON
    up, down = (math.floor(math.log(1.0 - rng.random()) / ratio) for _ in range(2))
    return count + up - down


@post(
    False,
    "one that lands outside is drawn again, so the law of 0 is 1.63 times as high beside it: loss 1.49",
    (0.0, 1.0),
    ("undecided", "refuted"),
)
def drawn_again_until_it_fits(value, low=0.0, high=10.0):
    while True:
        noisy = value + np.random.laplace(0, 1 / EPSILON)
        if low <= noisy <= high:
            return noisy


# ---------------------------------------------------------------- counts and sums


@post(False, "only what occurs has a key: loss infinite", (["a", "a"], ["a", "b"]), ("refuted", "refuted"))
def counter_of_what_occurs(values):
    return {key: round(count + np.random.laplace(0, 2 / EPSILON)) for key, count in Counter(values).items()}


@post(False, "a count is rounded up to 8 before the noise, so 1 becomes 8: loss 8", (8, 9), ("refuted", "refuted"))
def rounded_to_bins_first(count, rng):
    return 8 * math.ceil(count / 8) + rng.laplace(scale=1 / EPSILON)


@post(
    False,
    "the number of rows scales the noise, and tails of other scales part: loss infinite",
    ([0.2, 0.9, 0.4], [0.2, 0.9]),
    ("refuted", "refuted"),
)
def mean_of_an_exact_size(values):
    clipped = np.clip(values, 0, 1)
    return (clipped.sum() + np.random.laplace(0, 1 / EPSILON)) / len(values)


@post(
    True,
    "half of the rows are used, and one moves the sum by 1 at scale 1: loss log((1 + e)/2)",
    (np.array([1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])),
    ("undecided", "not refuted"),
)
def sum_of_a_sample(values, rng):
    mask = rng.random(len(values)) < 0.5
    return values[mask].sum() + rng.laplace(scale=1 / EPSILON)


@post(
    True,
    "a gamma radius in a uniform direction has density exp(-distance): loss 1 for a move of 1",
    ((0.0, 0.0), (1.0, 0.0)),
    ("undecided", "not refuted"),
)
def place_on_a_map(place):
    angle, radius = random.uniform(0, 2 * math.pi), random.gammavariate(2, 1 / EPSILON)
    return place[0] + radius * math.cos(angle), place[1] + radius * math.sin(angle)


# ---------------------------------------------------------------- choices


@post(
    True,
    "scores move by 1 both ways and weigh exp(score / 2): loss at most 1",
    ([2, 1, 1], [1, 2, 2]),
    ("explained", "not refuted"),
)
def drawn_from_cumulative_weights(scores):
    weights = np.exp(EPSILON * np.array(scores) / 2)
    return int(np.searchsorted(np.cumsum(weights / weights.sum()), np.random.rand()))


@post(
    False,
    "scores move by 1 both ways and weigh exp(score): loss log((1 + 3e)/(1 + 3/e)) = 1.47",
    ([2, 1, 1, 1], [1, 2, 2, 2]),
    ("refuted", "refuted"),
)
def weights_without_the_half(scores):
    weights = [math.exp(EPSILON * score) for score in scores]
    total = sum(weights)
    return np.random.choice(["a", "b", "c", "d"], p=[weight / total for weight in weights])


class SeededChoice:
    """A choice whose generator begins anew with each object."""

    def __init__(self, epsilon: float, seed: int = 42) -> None:
        self.epsilon = epsilon
        np.random.seed(seed)

    def select(self, scores: list[int]) -> int:
        weights = np.exp(self.epsilon * np.array(scores) / 2)
        return int(np.random.choice(len(scores), p=weights / weights.sum()))


@post(
    False,
    "the number behind the choice is always 0.3745, between 0.27 and 0.5: loss infinite",
    ([0, 2], [1, 1]),
    ("refuted", "refuted"),
)
def choice_with_a_fixed_seed(scores):
    return SeededChoice(EPSILON).select(scores)


@post(
    False,
    "the gap moves from -3 to -1 at scale 1, by the law of a difference: loss log(.276 / .0622) = 1.49",
    ([0, 3], [1, 2]),
    ("refuted", "refuted"),
)
def noisy_maximum_at_half_the_noise(scores):
    noisy = [score + np.random.laplace(scale=1 / EPSILON) for score in scores]
    return int(np.argmax(noisy))


@post(True, "one of two values, with odds from 1/e to e: loss 1", (1.0, -1.0), ("explained", "not refuted"))
def one_bit_for_a_mean(value):
    e = math.exp(EPSILON)
    upper = (value * (e - 1) + e + 1) / (2 * e + 2)
    size = (e + 1) / (e - 1)
    return size if random.random() < upper else -size


# ---------------------------------------------------------------- learning

UPDATES = [np.array([3.0, 4.0]), np.array([0.1, -0.2]), np.array([-1.0, 1.0])]


@post(
    True,
    "one update of length at most 1 of three leaves at deviation 2.6 / 3, where 2.575 / 3 is enough: (1, 0.001)",
    (UPDATES, [np.zeros(2), *UPDATES[1:]]),
    ("explained", "not refuted"),
    ApproxDP(1.0, 1e-3),
)
def average_of_clipped_updates(updates):
    clip, multiplier = 1.0, 2.6
    clipped = [update * min(1.0, clip / np.linalg.norm(update)) if update.any() else update for update in updates]
    average = sum(clipped) / len(clipped)
    return {"weights": average + np.random.normal(0, multiplier * clip / len(clipped), size=average.shape)}


@post(
    False,
    "each of two numbers is clipped to 1, so the length is up to 1.41 at deviation 2.6: (1, 0.011)",
    (UPDATES, [np.zeros(2), *UPDATES[1:]]),
    ("refuted", "undecided"),
    ApproxDP(1.0, 1e-3),
)
def average_of_clipped_numbers(updates):
    clip, multiplier = 1.0, 2.6
    total = sum(np.clip(update, -clip, clip) for update in updates)
    return (total + np.random.normal(0, multiplier * clip, size=2)) / len(updates)


@post(
    False,
    "the deviation of the textbook beyond epsilon 1: at 12 delta is 0.00006",
    (0.0, 1.0),
    ("refuted", "undecided"),
    ApproxDP(12.0, 1e-5),
)
def textbook_deviation(value):
    deviation = math.sqrt(2 * math.log(1.25 / 1e-5)) / 12.0
    return random.gauss(value, deviation)
