"""Rows that are not clipped, or are clipped and not used, or clipped in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP, PureDP
from dpspectra.audit.subjects.museum.case import DEVIATION, SIGMA, Both, case, short_sum, shortened


@case(
    "own list",
    ApproxDP(1.0, 0.01),
    (np.array([[1.0, 0.0], [-3.0, 0.0]]), np.array([[1.0, 0.0], [3.0, 0.0]])),
    line="return total + rng.normal",
)
def batch_clipped() -> Both:
    """The mean gradient of a batch is clipped, not that of each row."""

    def noisy(total: Any, rng: Any, move: float) -> Any:
        return total + rng.normal(scale=move * DEVIATION, size=2)

    def wrong(gradients: Any, rng: Any) -> Any:
        """One row turns the clipped sum about: it moves by 2, and the noise is for 1."""
        return noisy(shortened(gradients.sum(axis=0)), rng, 1.0)

    def right(gradients: Any, rng: Any) -> Any:
        """Each row is clipped; one that is replaced moves the sum by 2."""
        return noisy(shortened(gradients).sum(axis=0), rng, 2.0)

    return wrong, right


@case(
    "fedbiomed 1443",
    ApproxDP(1.0, 1e-3),
    (np.zeros((2, 6)), np.vstack([np.zeros((1, 6)), np.full((1, 6), 5.0)])),
    line="short_sum(block) + rng.normal",
)
def blocks_clipped_apart() -> Both:
    """Three blocks of a gradient are clipped to norm 1 each, with noise for norm 1 in all."""

    def wrong(g: Any, rng: Any) -> Any:
        """Each block is clipped by itself."""
        return [short_sum(block) + rng.normal(scale=SIGMA, size=2) for block in np.split(g, 3, axis=1)]

    def right(g: Any, rng: Any) -> Any:
        """Clip the whole row."""
        return [short_sum(g) + rng.normal(scale=SIGMA, size=6)]

    return wrong, right


@case(
    "smartnoise-sdk 622",
    PureDP(1.0),
    (np.zeros((2, 2)), np.array([[0.0, 0.0], [9.0, 9.0]])),
)
def cleaned_and_forgotten() -> Both:
    """Rows are cleaned, and products are made of the raw ones; the noise is made by hand from uniform numbers."""

    def noise(rng: Any, scale: float) -> Any:
        u = rng.random()
        return scale * np.log(2 * u) if u < 0.5 else -scale * np.log(2 * (1 - u))

    def products(rows: Any, rng: Any) -> list[Any]:
        return [np.sum(rows[:, i] * rows[:, j]) + noise(rng, 3.0) for i in range(2) for j in range(i + 1)]

    def wrong(rows: Any, rng: Any) -> Any:
        """Clean the rows, and use the raw ones."""
        np.clip(rows, 0, 1)
        return products(rows, rng)

    def right(rows: Any, rng: Any) -> Any:
        """Use the cleaned rows."""
        return products(np.clip(rows, 0, 1), rng)

    return wrong, right


@case(
    "own list", ApproxDP(1.0, 0.01), (np.zeros((2, 2)), np.array([[0.0, 0.0], [3.0, 0.0]])), line="return rows.T @ rows"
)
def clipped_and_not_used() -> Both:
    """Rows are clipped for the sum, and the covariance is of the raw ones."""

    def released(x: Any, rows: Any, rng: Any) -> Any:
        return rows.T @ rows + rng.normal(scale=DEVIATION, size=(x.shape[1], x.shape[1]))

    def wrong(x: Any, rng: Any) -> Any:
        """Clip the rows, and use the raw ones."""
        shortened(x)
        return released(x, x, rng)

    def right(x: Any, rng: Any) -> Any:
        """Use the clipped rows."""
        return released(x, shortened(x), rng)

    return wrong, right


@case(
    "own list",
    ApproxDP(1.0, 0.01),
    (np.zeros((2, 4)), np.array([[0.0] * 4, [1.0] * 4])),
    line="return rows.sum(axis=0) + rng.normal",
)
def coordinates_clipped() -> Both:
    """Coordinates are clipped one by one, and the noise is for rows of length 1."""

    def noisy(rows: Any, rng: Any) -> Any:
        return rows.sum(axis=0) + rng.normal(scale=DEVIATION, size=rows.shape[1])

    def wrong(x: Any, rng: Any) -> Any:
        """Admit rows as long as the root of the number of coordinates."""
        return noisy(np.clip(x, -1, 1), rng)

    def right(x: Any, rng: Any) -> Any:
        """Rows are shortened as a whole."""
        return noisy(shortened(x), rng)

    return wrong, right


@case(
    "dp-recorder: NaN", PureDP(1.0), (np.array([1.0, 2.0]), np.array([1.0, np.nan])), line="np.sum(np.clip(x, -5, 5))"
)
def nan_through_clipping() -> Both:
    """A row that is no number passes the clip, and the sum is no number."""

    def wrong(x: Any) -> Any:
        """Clipped only."""
        return np.sum(np.clip(x, -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002

    def right(x: Any) -> Any:
        """Numbers first."""
        return np.sum(np.clip(np.nan_to_num(x), -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002

    return wrong, right


@case("opendp 2952", PureDP(1.0), (np.array([10.0]), np.array([11.0])), line="np.clip(x, 9.0, 11.0) ** 2")
def origin_forgotten() -> Both:
    """Rows lie within 1 of an origin; squares are made of the rows and not of their distance from it."""

    def wrong(x: Any, rng: Any) -> Any:
        """Squares of the rows."""
        return np.sum(np.clip(x, 9.0, 11.0) ** 2) + rng.laplace(scale=1.0)

    def right(x: Any, rng: Any) -> Any:
        """Squares of the distances."""
        return np.sum((np.clip(x, 9.0, 11.0) - 10.0) ** 2) + rng.laplace(scale=1.0)

    return wrong, right


@case(
    "opendp 2950",
    PureDP(1.0),
    (np.tile([0.0, 1.0], 4), np.append(1.0, np.tile([0.0, 1.0], 4))),
    line="rng.laplace(scale=1.0)",
)
def pairs_after_truncation() -> Both:
    """Rows are joined to pairs of neighbours; a row that joins moves all of them."""

    def wrong(x: Any, rng: Any) -> Any:
        """Pairs of neighbours, with the noise of one pair."""
        pairs = x[len(x) % 2 :].reshape(-1, 2)[:4]
        offset = 0.0 if len(x) % 2 else 1.0
        return float(np.sum(np.clip(pairs[:, 1] - pairs[:, 0], 0, 1)) * offset) + rng.laplace(scale=1.0)

    def right(x: Any, rng: Any) -> Any:
        """Rows one by one."""
        return float(np.sum(np.clip(x, 0, 1))) + rng.laplace(scale=1.0)

    return wrong, right


@case(
    "dp-recorder: sensitivity",
    PureDP(1.0),
    (np.array([1.0, -2.0, 3.0]), np.array([1.0, -2.0, 100.0])),
    line="np.sum(x) + np.random",
)
def sum_without_clip() -> Both:
    """A sum whose clip was computed and not used."""

    def wrong(x: Any) -> Any:
        """Noise for clipped rows."""
        return np.sum(x) + np.random.laplace(0.0, 10.0)  # noqa: NPY002

    def right(x: Any) -> Any:
        """Clipped rows."""
        return np.sum(np.clip(x, -5, 5)) + np.random.laplace(0.0, 10.0)  # noqa: NPY002

    return wrong, right
