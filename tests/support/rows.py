"""Rows within their norm bound, and their integers on a grid by the definition."""

import functools
import math
from fractions import Fraction

import numpy as np

RNG = np.random.default_rng(0)


def normalised(n, d, rng=RNG):
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


X = normalised(1500, 6)
X[::2] *= RNG.uniform(0, 1, (750, 1))
X[::3, ::2] = 0


@functools.cache
def largest_exponent(bound):
    """Found by trying, in rational numbers."""
    p = 0
    while Fraction(bound) * Fraction(2) ** p > 2**20:
        p -= 1
    while Fraction(bound) * Fraction(2) ** (p + 1) <= 2**20:
        p += 1
    return p


def integers(row, bound):
    """What the quantiser is to give, by its definition, in rational numbers; ``None`` for a row that is refused."""
    p = largest_exponent(bound)
    scaled = [Fraction(float(x)) * Fraction(2) ** p for x in row]
    square = (Fraction(bound) * Fraction(2) ** p) ** 2
    for road in (lambda y: [round(v) for v in y], lambda y: [math.trunc(v) for v in y]):
        q = road(scaled)
        if sum(v * v for v in q) <= square:
            return q
    if sum(v * v for v in q) > square * (1 + Fraction(1e-12)) ** 2:
        return None
    return [v - (v > 0) + (v < 0) for v in q]


def spiked(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, d)) * np.array([3.0, 2.0] + [0.1] * (d - 2)) + 5
    return rows / 40


def unit_rows(n, d, seed=0):
    x = np.random.default_rng(seed).normal(size=(n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True)
