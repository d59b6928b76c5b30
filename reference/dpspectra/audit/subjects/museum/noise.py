"""Noise that is known, used again, dropped, or never negative."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.audit.subjects.museum.case import SIGMA, Both, case, short_sum


@case("classic", PureDP(1.0), (np.zeros(3), np.array([0.0, 0.0, 1.0])))
def fixed_seed() -> Both:
    """The generator is made with a seed that everybody knows."""

    def wrong(x: Any) -> Any:
        """Draw from a fixed seed."""
        return np.sum(x) + np.random.default_rng(0).laplace()

    def right(x: Any) -> Any:
        """Entropy of the operating system."""
        return np.sum(x) + np.random.default_rng().laplace()

    return wrong, right


@case("opacus pull 330", ApproxDP(1.0, 1e-3), (np.zeros((3, 3)), np.vstack([np.zeros((2, 3)), np.eye(3)[:1]])))
def gradient_again() -> Both:
    """A step asks its closure for the gradient again after noise was added, and so drops the noise."""

    def step(g: Any, rng: Any, again: bool) -> Any:
        state = {"gradient": short_sum(g)}

        def closure() -> None:
            state["gradient"] = short_sum(g)

        state["gradient"] = state["gradient"] + rng.normal(scale=SIGMA, size=3)
        if again:
            closure()
        return -0.1 * state["gradient"]

    def wrong(g: Any, rng: Any) -> Any:
        """Run the closure after the noise."""
        return step(g, rng, True)

    def right(g: Any, rng: Any) -> Any:
        """Do not run the closure again."""
        return step(g, rng, False)

    return wrong, right


@case(
    "jax pull 3646",
    ApproxDP(1.0, 1e-3),
    (np.zeros((3, 4)), np.vstack([np.zeros((2, 4)), np.eye(4)[:1]])),
    expected=("undecided", "explained"),
)
def key_used_again() -> Both:
    """Two blocks of a gradient have noise of the same key, and so the same noise."""

    def noisy(g: Any, keys: Any) -> list[Any]:
        blocks = np.split(short_sum(g), 2)
        return [block + key.normal(scale=SIGMA, size=2) for block, key in zip(blocks, keys, strict=True)]

    def wrong(g: Any, rng: Any) -> Any:
        """Make both generators of one key."""
        key = int(rng.integers(2**62))
        return noisy(g, [np.random.default_rng(key), np.random.default_rng(key)])

    def right(g: Any, rng: Any) -> Any:
        """Draw both from one generator."""
        return noisy(g, [rng, rng])

    return wrong, right


@case("classic", PureDP(1.0), (np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])), line="z = rng.laplace")
def noise_reused() -> Both:
    """One draw covers two sums."""

    def wrong(x: Any, rng: Any) -> Any:
        """Reuse the noise, so that the difference of both sums is exact."""
        z = rng.laplace(scale=1.0)
        return np.sum(x[:2]) + z, np.sum(x[2:]) + z

    def right(x: Any, rng: Any) -> Any:
        """Two draws."""
        return np.sum(x[:2]) + rng.laplace(scale=1.0), np.sum(x[2:]) + rng.laplace(scale=1.0)

    return wrong, right


@case(
    "diffprivlib 23, 42",
    PureDP(1.0),
    (np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])),
    expected=("undecided", "explained"),
)
def one_sided_wishart() -> Both:
    """A covariance with Wishart noise: the noise is positive, and so an output tells which rows it cannot have."""

    def wrong(x: Any, rng: Any) -> Any:
        """Add a square of normal noise, which is never negative."""
        g = rng.normal(scale=0.8, size=(x.shape[1] + 1, x.shape[1]))
        return x.T @ x + g.T @ g

    def right(x: Any, rng: Any) -> Any:
        """Laplace noise on each entry on and above the diagonal, which move by 2 together."""
        z = np.triu(x.T @ x + rng.laplace(scale=2.0, size=(x.shape[1], x.shape[1])))
        return z + np.triu(z, 1).T

    return wrong, right
