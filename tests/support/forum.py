"""Twenty small mechanisms in the manner of forums and small libraries: ten that are right, ten with a common fault.

Each was written, with its truth and the verdicts that were foretold, before any auditor saw it. ``proof`` says the true
loss on the pair in one line. What was foretold binds nobody; what must hold is that a right one is never refuted and a
wrong one is never explained.
"""

# Forums draw from the global state of numpy.
# ruff: noqa: NPY002

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from dpspectra.audit import ApproxDP, CurveClaim, PureDP


@dataclass(frozen=True)
class Forum:
    """A mechanism, its pair and claim, whether the claim is true on the pair, and the verdicts foretold."""

    mechanism: Callable[..., Any]
    right: bool
    proof: str
    pair: tuple[Any, Any]
    claim: CurveClaim
    inside: str
    outside: str

    def __str__(self) -> str:
        return self.mechanism.__name__


FORUM: list[Forum] = []
EPSILON = 1.0
ONE = PureDP(EPSILON)


def post(
    right: bool, proof: str, pair: tuple[Any, Any], foretold: tuple[str, str], claim: CurveClaim = ONE
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a mechanism."""

    def entered(mechanism: Callable[..., Any]) -> Callable[..., Any]:
        FORUM.append(Forum(mechanism, right, proof, pair, claim, *foretold))
        return mechanism

    return entered


# ---------------------------------------------------------------- counts, sums and means


class LaplaceMechanism:
    """Laplace noise by the inverse of its distribution, as a class keeps its parameters."""

    def __init__(self, epsilon: float, sensitivity: float = 1.0) -> None:
        self.scale = sensitivity / epsilon

    def sample(self) -> float:
        u = random.random() - 0.5
        return -self.scale * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))

    def randomise(self, value: float) -> float:
        return value + self.sample()


PEOPLE = [{"name": "ann", "age": 31}, {"name": "bob", "age": 58}, {"name": "eve", "age": 44}]


@post(True, "a count moves by 1 at scale 1: loss 1", (PEOPLE, PEOPLE[:2]), ("explained", "not refuted"))
def count_over_forty(people):
    mechanism = LaplaceMechanism(epsilon=EPSILON)
    return mechanism.randomise(sum(1 for person in people if person["age"] > 40))


@post(
    False,
    "a mean of four rows of [-10, 10] moves by 5 at scale 2.5: loss 2",
    (np.array([1.0, 2.0, 3.0, 10.0]), np.array([1.0, 2.0, 3.0, -10.0])),
    ("refuted", "refuted"),
)
def mean_of_signed_range(values, low=-10.0, high=10.0):
    clipped = [min(max(v, low), high) for v in values]
    scale = high / len(values) / EPSILON
    noise = random.choice([-1, 1]) * random.expovariate(1 / scale)
    return sum(clipped) / len(clipped) + noise


@post(
    False,
    "a sum moves by 5 and the noise has ratio e a step: loss 5",
    ([1, 0, 2], [1, 0, 2, 5]),
    ("refuted", "refuted"),
)
def bounded_sum_by_geometric(values, cap=5):
    total = sum(min(max(int(v), 0), cap) for v in values)
    alpha = math.exp(-EPSILON)
    return total + np.random.geometric(1 - alpha) - np.random.geometric(1 - alpha)


# ---------------------------------------------------------------- histograms and counters


CATEGORIES = ["blue", "green", "red"]


@post(
    True,
    "two counts move by 1 at scale 2: loss 1",
    (pd.DataFrame({"colour": ["red", "red", "blue"]}), pd.DataFrame({"colour": ["red", "green", "blue"]})),
    ("explained", "not refuted"),
)
def histogram_by_pandas(table):
    counts = table["colour"].value_counts().reindex(CATEGORIES, fill_value=0)
    noisy = counts + np.random.laplace(0, 2 / EPSILON, size=len(counts))
    return noisy.clip(lower=0).round(2).to_dict()


@post(
    False,
    "the last edge is the largest age: loss infinite",
    (np.array([20.0, 30.0, 40.0, 50.0]), np.array([20.0, 30.0, 40.0, 90.0])),
    ("refuted", "refuted"),
)
def histogram_of_its_own_range(ages, rng):
    counts, edges = np.histogram(ages, bins=4)
    return (counts + rng.laplace(0, 2 / EPSILON, size=4)).tolist(), edges.tolist()


class TreeCounter:
    """Running count by partial sums of a binary tree."""

    def __init__(self, horizon: int, epsilon: float, rng: Any) -> None:
        self.levels = int(math.log2(horizon)) + 1
        self.scale = self.levels / epsilon
        self.exact = [0.0] * self.levels
        self.noisy = [0.0] * self.levels
        self.rng = rng
        self.t = 0

    def feed(self, value: float) -> float:
        self.t += 1
        lowest = (self.t & -self.t).bit_length() - 1
        self.exact[lowest] = sum(self.exact[:lowest]) + value
        for level in range(lowest):
            self.exact[level] = self.noisy[level] = 0.0
        self.noisy[lowest] = self.exact[lowest] + self.rng.laplace(0, self.scale)
        return sum(self.noisy[level] for level in range(self.levels) if self.t >> level & 1)


@post(
    True,
    "the first item is in three partial sums at scale 3: loss 1",
    ([1, 0, 1, 1], [0, 0, 1, 1]),
    ("explained", "not refuted"),
)
def running_count_by_tree(stream, rng):
    counter = TreeCounter(4, EPSILON, rng)
    return [counter.feed(value) for value in stream]


# ---------------------------------------------------------------- answers of one person


@post(
    True,
    "an answer is true with probability 3/4: loss log 3",
    ([1, 0, 1], [1, 1, 1]),
    ("explained", "not refuted"),
    PureDP(math.log(3)),
)
def two_coins(answers):
    def respond(truth):
        if random.randint(0, 1):
            return truth
        return random.randint(0, 1)

    return [respond(answer) for answer in answers]


def _bucket(seed: int, value: str, buckets: int) -> int:
    digest = hashlib.sha256(f"{seed}:{value}".encode()).hexdigest()
    return int(digest, 16) % buckets


@post(
    False,
    "of four buckets the true one has e/(1+e), each other a third of the rest: loss 1 + log 3",
    ("paris", "rome"),
    ("undecided", "refuted"),
)
def local_hashing(value):
    buckets = round(math.exp(EPSILON)) + 1
    seed = random.randrange(16)
    true = _bucket(seed, value, buckets)
    if random.random() < math.exp(EPSILON) / (math.exp(EPSILON) + 1):
        return seed, true
    return seed, random.choice([b for b in range(buckets) if b != true])


# ---------------------------------------------------------------- choices


@post(
    True,
    "a rank and half of the size move a utility by 1/2: loss at most 1/2",
    ([3, 5, 7, 8], [3, 5, 7]),
    ("explained", "not refuted"),
)
def median_of_a_grid(data, rng):
    candidates = np.arange(10)
    utility = np.array([-abs(sum(d < c for d in data) - len(data) / 2) for c in candidates])
    weights = np.exp(EPSILON * utility / 2)
    return int(rng.choice(candidates, p=weights / weights.sum()))


@post(
    False,
    "the largest row is the upper end, and answers beyond 5 are impossible without it: loss infinite",
    ([1.0, 2.0, 3.0, 4.0, 9.0], [1.0, 2.0, 3.0, 4.0, 5.0]),
    ("undecided", "refuted"),
)
def quantile_between_rows(data, q=0.5):
    edges = sorted(data)
    lengths = np.diff(edges)
    utility = -np.abs(np.arange(1, len(edges)) - q * len(edges))
    weights = lengths * np.exp(EPSILON / 2 * utility)
    k = np.random.choice(len(lengths), p=weights / weights.sum())
    return np.random.uniform(edges[k], edges[k + 1])


@post(
    True,
    "scores move by 1 both ways, Gumbel noise of scale 2 gives weights exp(score / 2): loss at most 1",
    ({"a": 3, "b": 2, "c": 0}, {"a": 2, "b": 3, "c": 1}),
    ("explained", "not refuted"),
)
def noisy_maximum_of_a_dict(scores):
    noisy = {name: score + scipy.stats.gumbel_r.rvs(scale=2 / EPSILON) for name, score in scores.items()}
    return max(noisy, key=noisy.get)


@post(
    False,
    "two maxima, each with noise for one: by quadrature the loss is 1.31",
    ({"a": 4, "b": 4, "c": 3, "d": 3}, {"a": 3, "b": 3, "c": 4, "d": 4}),
    ("refuted", "refuted"),
)
def two_largest_by_peeling(scores, rng):
    left, chosen = dict(scores), []
    while len(chosen) < 2:
        noisy = {name: score + rng.laplace(scale=2 / EPSILON) for name, score in left.items()}
        winner = sorted(noisy, key=noisy.get)[-1]
        chosen.append(winner)
        del left[winner]
    return tuple(chosen)


# ---------------------------------------------------------------- thresholds


RISING = ([0.0, 1.0, 2.0, 4.0], [1.0, 0.0, 1.0, 5.0])


@post(True, "noise 2 on the bar and 4 on each query, one yes: loss at most 1", RISING, ("explained", "not refuted"))
def above_threshold(queries, rng):
    def answers():
        bar = 3.0 + rng.laplace(0, 2 / EPSILON)
        for query in queries:
            if query + rng.laplace(0, 4 / EPSILON) >= bar:
                yield "above"
                return
            yield "below"

    return list(answers())


@post(
    False,
    "a quarter for the bar, three quarters for queries whatever the number of yes: by quadrature the loss is 2.2",
    ([0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]),
    ("refuted", "refuted"),
)
def sparse_vector_by_quarters(queries, rng):
    bar, count, out = 0.5 + rng.laplace(0, 4 / EPSILON), 0, []
    for query in queries:
        if query + rng.laplace(0, 4 / 3 / EPSILON) > bar:
            out.append(True)
            count += 1
            if count == 2:
                break
        else:
            out.append(False)
    return out


# ---------------------------------------------------------------- learning


TRAINING = [((2.0, 1.0), 1), ((-1.0, 0.5), 0), ((0.5, -3.0), 1)]
LEFT = [*TRAINING[:2], ((0.0, 0.0), 0)]


@post(
    True,
    "one gradient of length at most 1 leaves at deviation 2.6, where 2.575 is enough: (1, 0.001)",
    (TRAINING, LEFT),
    ("explained", "not refuted"),
    ApproxDP(1.0, 1e-3),
)
def step_of_logistic_regression(batch, rng):
    weights, clip, multiplier, rate = np.array([0.1, -0.2]), 1.0, 2.6, 0.5
    total = np.zeros(2)
    for features, label in batch:
        x = np.asarray(features)
        gradient = (1 / (1 + np.exp(-x @ weights)) - label) * x
        total += gradient / max(1.0, np.linalg.norm(gradient) / clip)
    total += rng.normal(0, multiplier * clip, size=2)
    return weights - rate * total / 3


@post(
    False,
    "a microbatch turns from -1 to 1, a move of 2 at deviation 2.6: (1, 0.055) and not (1, 0.001)",
    (
        np.array([[10.0, 0.0], [-30.0, 0.0], [0.0, 0.2], [0.0, 0.1]]),
        np.array([[10.0, 0.0], [0.0, 0.0], [0.0, 0.2], [0.0, 0.1]]),
    ),
    ("refuted", "undecided"),
    ApproxDP(1.0, 1e-3),
)
def step_by_microbatches(gradients, rng):
    clip, multiplier, kept = 1.0, 2.6, []
    for micro in np.array_split(gradients, 2):
        mean = micro.mean(axis=0)
        kept.append(mean * min(1.0, clip / (np.linalg.norm(mean) + 1e-12)))
    noise = rng.normal(size=2) * clip * multiplier
    return (np.sum(kept, axis=0) + noise) / len(kept)


@post(
    False,
    "the nearest of three noisy means has density exp(-3 |z|): a move of 1 loses 3",
    (0.0, 1.0),
    ("undecided", "refuted"),
)
def best_of_three_models(mean):
    models = [mean + np.random.laplace(0, 1 / EPSILON) for _ in range(3)]
    errors = [abs(model - mean) for model in models]
    return models[int(np.argmin(errors))]


@post(
    True,
    "each trial loses 1/3, and the best of a geometric number of trials three times that: loss at most 1",
    ({"small": 2.0, "large": 3.0}, {"small": 3.0, "large": 2.0}),
    ("undecided", "not refuted"),
)
def tuning_with_random_stop(accuracy, rng):
    best = (None, -math.inf)
    while True:
        name = ["small", "large"][rng.integers(2)]
        score = accuracy[name] + rng.laplace(0, 3 / EPSILON)
        if score > best[1]:
            best = (name, score)
        if rng.random() < 0.3:
            return best


CENTRES = np.array([[-0.5, -0.5], [0.5, 0.5]])
POINTS = np.array([[-0.4, -0.6], [-0.9, -0.2], [0.7, 0.1]])


def _nearest(points):
    return np.argmin(((points[:, None, :] - CENTRES[None]) ** 2).sum(axis=2), axis=1)


@post(
    True,
    "a sum moves by 2 at scale 4 and a count by 1 at scale 2: loss at most 1",
    (POINTS, POINTS[:2]),
    ("undecided", "not refuted"),
)
def step_of_k_means(points, rng):
    points = np.clip(points, -1, 1)
    labels, new = _nearest(points), []
    for k in range(2):
        mine = points[labels == k]
        total = mine.sum(axis=0) + rng.laplace(0, 4 / EPSILON, size=2)
        size = len(mine) + rng.laplace(0, 2 / EPSILON)
        new.append(total / max(size, 1.0))
    return np.array(new)


@post(
    False,
    "an empty cluster begins again at a row, which is shown as it is: loss infinite",
    (POINTS, POINTS[:2]),
    ("undecided", "refuted"),
)
def k_means_with_new_seed(points):
    points = np.clip(points, -1, 1)
    labels, new = _nearest(points), []
    for k in range(2):
        mine = points[labels == k]
        if len(mine) == 0:
            new.append(points[np.random.randint(len(points))])
            continue
        total = mine.sum(axis=0) + np.random.laplace(0, 4 / EPSILON, size=2)
        size = len(mine) + np.random.laplace(0, 2 / EPSILON)
        new.append(total / max(size, 1.0))
    return np.array(new)
