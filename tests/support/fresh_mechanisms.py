"""Twenty mechanisms written down before the auditor from inside was: ten that leak, ten that are sound.

They are of kinds that the museum does not have. Each is a `Fresh`: what was claimed, the pair that is to show it, and
whether the claim is true on this pair in ideal arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Fresh:
    """A mechanism, the pair of neighbours, its claim, and whether the claim is true on the pair."""

    mechanism: Callable[..., Any]
    pair: tuple[Any, Any]
    epsilon: float
    delta: float
    true: bool


# ---------------------------------------------------------------- ten that leak


def overlapping_bins(x, rng):
    """Each record counts in two bins that overlap; noise for one of them."""
    starts = np.arange(0, 4)
    counts = np.array([np.sum((x >= s) & (x < s + 2)) for s in starts], dtype=float)
    return counts + rng.laplace(scale=1.0, size=4)


def noisy_minimum_half_scale(costs, rng):
    """Report the index of the smallest noisy cost, with half of the exponential noise that one needs."""
    return int(np.argmin(costs - rng.exponential(scale=1.0, size=len(costs))))


def truthful_answer_too_often(bit, rng):
    """Randomised response that tells the truth with probability e^2 / (1 + e^2) under the claim 1."""
    return bool(bit) if rng.random() < math.exp(2) / (1 + math.exp(2)) else not bit


def scores_that_rise_and_fall(x, rng):
    """Exponential mechanism whose scores go up and down by one, without the factor of two."""
    scores = np.array([np.sum(x == v) - np.sum(x != v) for v in range(3)], dtype=float)
    weights = np.exp(0.5 * (scores - scores.max()))
    return int(rng.choice(3, p=weights / weights.sum()))


def prefix_sums_with_a_plain_total(x, rng):
    """Prefix sums by noisy increments, closed by the total, to which nobody adds noise."""
    steps = x + rng.laplace(scale=1.0, size=len(x))
    sums = np.cumsum(steps)
    sums[-1] = x.sum()
    return sums


def zeros_need_no_noise(x, rng):
    """A sparse histogram: bins that are empty are left alone."""
    return {f"bin{i}": (float(c) + rng.laplace(scale=1.0) if c else 0.0) for i, c in enumerate(x)}


def unary_code_for_one_bit(x, rng):
    """One-hot code whose bits are each flipped at the claim: two of them move."""
    code = np.eye(4)[x] > 0
    flips = rng.random(4) < 1 / (1 + math.e)
    return [bool(a) != bool(b) for a, b in zip(code, flips, strict=True)]


def weights_instead_of_norms(x, rng):
    """Gaussian noise for rows clipped by their largest entry; their norm is sqrt(8) times that."""
    rows = x / np.maximum(1.0, np.max(np.abs(x), axis=1, keepdims=True))
    return rows.sum(axis=0) + rng.normal(scale=3.2, size=x.shape[1])


def ratio_of_two_answers(x, rng):
    """A noisy sum and a noisy count share a claim of 1, but each of them spends all of it."""
    total = float(np.clip(x, 0.0, 1.0).sum()) + rng.laplace(scale=1.0)
    count = float(len(x)) + rng.laplace(scale=1.0)
    return {"total": total, "count": count, "unit": "people"}


def retry_until_large(x, rng):
    """Geometric noise for a claim of 2 under the claim 1."""
    up = rng.geometric(1 - math.exp(-2.0))
    return int(np.sum(x)) + up if rng.random() < 0.5 else int(np.sum(x)) - up


# ---------------------------------------------------------------- ten that are sound


def disjoint_bins(x, rng):
    """Each record counts in one bin."""
    counts = np.array([np.sum((x >= s) & (x < s + 1)) for s in range(4)], dtype=float)
    return counts + rng.laplace(scale=1.0, size=4)


def noisy_minimum(costs, rng):
    """Report the index of the smallest noisy cost, with exponential noise of scale 2."""
    return int(np.argmin(costs - rng.exponential(scale=2.0, size=len(costs))))


def randomised_response(bit, rng):
    """Tell the truth with probability e / (1 + e)."""
    return bool(bit) if rng.random() < math.e / (1 + math.e) else not bit


def one_of_k(x, rng):
    """Tell the truth with probability e / (e + 3), else one of the three other values."""
    weights = np.where(np.arange(4) == x, math.e, 1.0)
    return int(rng.choice(4, p=weights / weights.sum()))


def binary_tree(x, rng):
    """Noisy sums of the nodes of a binary tree over four leaves; each leaf lies in three of them."""
    return [
        float(np.sum(x[start : start + width])) + rng.laplace(scale=3.0)
        for width in (1, 2, 4)
        for start in range(0, 4, width)
    ]


def unary_code(x, rng):
    """One-hot code whose bits are each flipped at half of the claim."""
    code = np.eye(4)[x] > 0
    flips = rng.random(4) < 1 / (1 + math.exp(0.5))
    return [bool(a) != bool(b) for a, b in zip(code, flips, strict=True)]


def count_not_below_zero(x, rng):
    """A noisy count that is raised to zero if it is negative."""
    return max(0.0, float(len(x)) + rng.laplace(scale=1.0))


def rows_of_bounded_norm(x, rng):
    """Gaussian noise for rows clipped by their Euclidean norm, at (1, 1e-3)."""
    rows = x / np.maximum(1.0, np.linalg.norm(x, axis=1, keepdims=True))
    return rows.sum(axis=0) + rng.normal(scale=3.2, size=x.shape[1])


def amplified_by_sampling(x, rng):
    """A sum over a sample: each row is taken with probability one half; the loss is log((1 + e) / 2) at scale 1."""
    kept = [float(v) for v in x if rng.random() < 0.5]
    return sum(kept) + rng.laplace(scale=1.0)


def two_thirds_and_one_third(x, rng):
    """A count and a sum by shares of the claim, then their quotient."""
    count = float(len(x)) + rng.laplace(scale=3.0)
    total = float(np.clip(x, 0.0, 1.0).sum()) + rng.laplace(scale=1.5)
    return count, total


ROWS = np.zeros((3, 8))
MORE = np.vstack([np.zeros((2, 8)), np.ones((1, 8))])
FRESH = [
    Fresh(overlapping_bins, (np.array([0.5]), np.array([0.5, 1.5])), 1.0, 0.0, False),
    Fresh(noisy_minimum_half_scale, (np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])), 1.0, 0.0, False),
    Fresh(truthful_answer_too_often, (0, 1), 1.0, 0.0, False),
    Fresh(scores_that_rise_and_fall, (np.array([0, 1, 1]), np.array([1, 1, 1])), 1.0, 0.0, False),
    Fresh(prefix_sums_with_a_plain_total, (np.zeros(4), np.array([0.0, 1.0, 0.0, 0.0])), 1.0, 0.0, False),
    Fresh(zeros_need_no_noise, (np.array([2, 0, 1]), np.array([2, 1, 1])), 1.0, 0.0, False),
    Fresh(unary_code_for_one_bit, (0, 1), 1.0, 0.0, False),
    Fresh(weights_instead_of_norms, (ROWS, MORE), 1.0, 1e-3, False),
    Fresh(ratio_of_two_answers, (np.ones(5), np.ones(6)), 1.0, 0.0, False),
    Fresh(retry_until_large, (np.array([1, 1]), np.array([1, 1, 1])), 1.0, 0.0, False),
    Fresh(disjoint_bins, (np.array([0.5]), np.array([0.5, 1.5])), 1.0, 0.0, True),
    Fresh(noisy_minimum, (np.array([0.0, 0.0, 1.0]), np.array([1.0, 1.0, 0.0])), 1.0, 0.0, True),
    Fresh(randomised_response, (0, 1), 1.0, 0.0, True),
    Fresh(one_of_k, (0, 1), 1.0, 0.0, True),
    Fresh(binary_tree, (np.zeros(4), np.array([0.0, 1.0, 0.0, 0.0])), 1.0, 0.0, True),
    Fresh(unary_code, (0, 1), 1.0, 0.0, True),
    Fresh(count_not_below_zero, (np.ones(5), np.ones(6)), 1.0, 0.0, True),
    Fresh(rows_of_bounded_norm, (ROWS, MORE), 1.0, 1e-3, True),
    Fresh(amplified_by_sampling, (np.array([1.0]), np.array([1.0, 1.0])), math.log((1 + math.e) / 2), 0.0, True),
    Fresh(two_thirds_and_one_third, (np.ones(5), np.ones(6)), 1.0, 0.0, True),
]
