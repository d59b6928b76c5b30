"""Numbers of rows, ranges and domains that are private and are used as if they were public."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.audit.subjects.museum.case import SIGMA, Both, case, short_sum


@case("opacus 819", ApproxDP(1.0, 1e-3), (np.zeros((5, 300)), np.zeros((6, 300))), line="/ max(int(len(g) * 0.5), 1)")
def batch_from_rate() -> Both:
    """The batch size is the floor of a rate times the number of rows; 300 numbers show the scale."""

    def wrong(g: Any, rng: Any) -> Any:
        """Divide by a number that follows the data."""
        return (short_sum(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / max(int(len(g) * 0.5), 1)

    def right(g: Any, rng: Any) -> Any:
        """Divide by a public number."""
        return (short_sum(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / 2.0

    return wrong, right


@case("dp-recorder: size of the data", PureDP(1.0), (np.full(3, 0.5), np.full(2, 0.5)), line="/ len(x)")
def divided_by_private_size() -> Both:
    """A noisy sum is divided by the number of rows of the data."""

    def wrong(x: Any) -> Any:
        """Divided by the private number."""
        return (np.sum(np.clip(x, -1, 1)) + np.random.laplace(0.0, 1.0)) / len(x)  # noqa: NPY002

    def right(x: Any) -> Any:
        """Not divided."""
        return np.sum(np.clip(x, -1, 1)) + np.random.laplace(0.0, 1.0)  # noqa: NPY002

    return wrong, right


@case("dpmm 18; reprosyn 38", PureDP(1.0), (np.array([0, 1]), np.array([0, 1, 2])))
def domain_from_the_data() -> Both:
    """A histogram has the values that occur as its keys."""

    def wrong(x: Any, rng: Any) -> Any:
        """Keys are those of the data."""
        return {int(v): float(np.sum(x == v)) + rng.laplace(scale=1.0) for v in np.unique(x)}

    def right(x: Any, rng: Any) -> Any:
        """Keys are public."""
        return {v: float(np.sum(x == v)) + rng.laplace(scale=1.0) for v in range(4)}

    return wrong, right


@case("smartnoise-core 356", PureDP(1.0), (np.array([0.0, 0.0]), np.array([0.0])), line="rng.laplace(scale=1 / len(x))")
def mean_with_private_size() -> Both:
    """A mean where rows may join: its scale is 1 over the number of rows, which is private."""

    def wrong(x: Any, rng: Any) -> Any:
        """Let the scale depend on the data."""
        return np.mean(np.clip(x, 0, 1)) + rng.laplace(scale=1 / len(x))

    def right(x: Any, rng: Any) -> Any:
        """Release a sum and a number of rows, each by half of the claim; users divide."""
        return np.sum(np.clip(x, 0, 1)) + rng.laplace(scale=2.0), len(x) + rng.laplace(scale=2.0)

    return wrong, right


@case(
    "classic",
    PureDP(1.0),
    (np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.8])),
    line="np.ptp(x) / len(x)",
    outside="not refuted",
)
def scale_from_the_data() -> Both:
    """A mean whose scale is the range of the data."""

    def wrong(x: Any, rng: Any) -> Any:
        """Take the range from private data."""
        return np.mean(x) + rng.laplace(scale=np.ptp(x) / len(x))

    def right(x: Any, rng: Any) -> Any:
        """Take a public range."""
        return np.mean(np.clip(x, 0, 1)) + rng.laplace(scale=1 / len(x))

    return wrong, right


@case("own list", PureDP(1.0), (np.zeros(3), np.zeros(4)))
def size_released() -> Both:
    """A mean is released beside the number of rows, which is private."""

    def wrong(x: Any, rng: Any) -> Any:
        """Tell the number of rows as it is."""
        return {"rows": len(x), "sum": np.clip(x, 0, 1).sum() + rng.laplace(scale=1.0)}

    def right(x: Any, rng: Any) -> Any:
        """Tell it with noise; both parts share the claim."""
        return {"rows": len(x) + rng.laplace(scale=2.0), "sum": np.clip(x, 0, 1).sum() + rng.laplace(scale=2.0)}

    return wrong, right


@case(
    "opacus 571",
    ApproxDP(1.0, 1e-3),
    (np.zeros((3, 40)), np.zeros((4, 40))),
    line="rng.normal(scale=SIGMA, size=g.shape[1])) / len(g)",
)
def step_by_private_size() -> Both:
    """A noisy gradient is divided by the number of rows of the batch, which tells whether one joined."""

    def wrong(g: Any, rng: Any) -> Any:
        """Divided by the number of rows."""
        return (short_sum(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / len(g)

    def right(g: Any, rng: Any) -> Any:
        """Divided by the expected number."""
        return (short_sum(g) + rng.normal(scale=SIGMA, size=g.shape[1])) / 4

    return wrong, right
