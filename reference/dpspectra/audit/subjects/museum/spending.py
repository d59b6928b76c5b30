"""Claims that several releases spend, each as if it were the only one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.audit.subjects.museum.case import DEVIATION, Both, case


@case("smartnoise-sdk 200", PureDP(1.0), (np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])))
def count_behind_the_sum() -> Both:
    """One sum is asked for, and a noisy count decides whether it is shown; each spends the whole claim."""

    def sum_of_many(x: Any, rng: Any, share: float) -> Any:
        rows = len(x) + rng.laplace(scale=1 / share)
        total = np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=1 / share)
        return total if rows > 5 else None

    def wrong(x: Any, rng: Any) -> Any:
        """Pay for the sum alone."""
        return sum_of_many(x, rng, 1.0)

    def right(x: Any, rng: Any) -> Any:
        """Pay for the count as well."""
        return sum_of_many(x, rng, 0.5)

    return wrong, right


@case("own list", PureDP(1.0), ([0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]), line="told.append(total + rng.laplace")
def fresh_noise_for_each_prefix() -> Both:
    """All prefix sums of a stream are released, each with noise for one release."""

    def prefixes(x: Any, rng: Any, releases: int) -> Any:
        total, told = 0.0, []
        for v in x:
            total += v
            told.append(total + rng.laplace(scale=float(releases)))
        return told

    def wrong(x: Any, rng: Any) -> Any:
        """Add noise for one sum, though a row counts in every later one."""
        return prefixes(x, rng, 1)

    def right(x: Any, rng: Any) -> Any:
        """Split the claim over all releases."""
        return prefixes(x, rng, len(x))

    return wrong, right


@case(
    "own list",
    ApproxDP(1.0, 0.01),
    (np.diag([2.0, 1.0]), np.array([[2.0, 1.0], [1.0, 1.0]])),
    expected=("undecided", "undecided"),
    outside="not refuted",
)
def rounds_without_split() -> Both:
    """A noisy power method spends the whole claim in each of two rounds."""

    def directions(a: Any, rng: Any, share: float) -> Any:
        v = np.array([1.0, 0.0])
        for _ in range(2):
            v = a @ v + rng.normal(scale=DEVIATION / share, size=2)
            v = v / np.linalg.norm(v)
        return v

    def wrong(a: Any, rng: Any) -> Any:
        """Each round has noise for one."""
        return directions(a, rng, 1.0)

    def right(a: Any, rng: Any) -> Any:
        """Add up the normal noise of two rounds by squares."""
        return directions(a, rng, math.sqrt(0.5))

    return wrong, right


@case(
    "dp-recorder: double spending",
    PureDP(1.0),
    (np.zeros(100), np.append(np.zeros(100), 1.0)),
    line="np.random.laplace(0.0, 1.0)",
)
def spent_twice() -> Both:
    """A sum and a number of rows: each spends the whole claim."""

    def wrong(x: Any) -> Any:
        """All of it twice."""
        total = np.sum(x) + np.random.laplace(0.0, 1.0)  # noqa: NPY002
        return total, float(len(x)) + np.random.laplace(0.0, 1.0)  # noqa: NPY002

    def right(x: Any) -> Any:
        """Half of it twice."""
        total = np.sum(x) + np.random.laplace(0.0, 2.0)  # noqa: NPY002
        return total, float(len(x)) + np.random.laplace(0.0, 2.0)  # noqa: NPY002

    return wrong, right


@case(
    "diffprivlib 104",
    PureDP(1.0),
    (np.zeros((3, 2)), np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])),
    line="moment = np.sum",
    outside="not refuted",
)
def two_centres_one_slice() -> Both:
    """Two centres and a moment: both centres spend the slice that was set aside for one."""

    def fit(z: Any, rng: Any, slices: int) -> Any:
        share = 0.25
        first = np.sum(np.clip(z[:, 0], 0, 1)) + rng.laplace(scale=1 / share)
        second = np.sum(np.clip(z[:, 1], 0, 1)) + rng.laplace(scale=1 / share)
        moment = np.sum(np.clip(z[:, 0] * z[:, 1], 0, 1)) + rng.laplace(scale=1 / (1 - slices * share))
        return first, second, moment

    def wrong(z: Any, rng: Any) -> Any:
        """One slice is taken from what the moment may spend."""
        return fit(z, rng, 1)

    def right(z: Any, rng: Any) -> Any:
        """Two slices are taken."""
        return fit(z, rng, 2)

    return wrong, right
