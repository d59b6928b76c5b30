"""A private score plot: how many rows lie in each cell of a public frame, seen along two public directions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.certified import calibrate
from dpspectra.formulas.cell_noise import largest_modulus, reached
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.float_row_sums import Total
from dpspectra.matrices.kinds import Data, is_sparse
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, summed
from dpspectra.mechanisms import catalogue, plain_words
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.mean import Sum, laplace
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import DASK, foreseen, opened, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED

if TYPE_CHECKING:
    from dpspectra.matrices.column_bounds import ColumnBounds

SCORES = catalogue.get("private_score_histogram")
BLOCK = 2**20
"""Numbers of an array that are projected at a time."""
MOST = 256
"""Largest number of cells in a row of the frame."""


def private_score_histogram(
    X: Data,
    epsilon: float,
    directions: ArrayLike,
    frame: Sequence[float],
    *,
    bins: int = 12,
    groups: ArrayLike | None = None,
    levels: Sequence[Any] | None = None,
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Floats]:
    """Release how many rows have their scores in each cell of a frame; ``epsilon``-DP.

    The scores of a row ``x`` are ``<x, v>`` and ``<x, w>`` for two public directions, as a rule released before. A row
    is counted in one cell at most. If it is replaced, two counts move by 1 at most, and one if it appears or goes
    (DPS-CELLS). Independent Laplace noise of scale ``2 / epsilon`` on every count hides the former, of ``1 / epsilon``
    the latter (JXZ-T1). Rows outside the frame are counted nowhere, and no row is refused for its norm.

    Parameters
    ----------
    X, bad_rows, bounds, relation, arithmetic, rng
        As in `laplace_covariance`; with ``bounds`` the scores are those of mapped rows.
    epsilon
        Privacy loss in nats.
    directions
        Public ``(d, 2)``, such as the value of `private_pca`.
    frame
        Public ``(left, right, bottom, top)``: the scores that are shown, on the first direction and on the second.
    bins
        Cells along each direction, from 1 to 256.
    groups
        A label of each row, one of ``levels``, which is part of the private row; a row with another is not counted.
    levels
        Public labels. Each has a histogram of its own, and all together the loss of one.

    Returns
    -------
    Release
        Its value has shape ``(bins, bins)``, along the first direction and the second, or ``(levels, bins, bins)``.
        ``details``: ``frame``, ``levels``, ``scale``, ``step``; ``guarantee`` on the error of every count; and
        ``visible_from``, the count that noise reaches in no cell with probability .95; and ``cells_shown``, how many
        cells are from there on, which `Release.plot` shows.

    Raises
    ------
    ValueError
        For bad input.

    Notes
    -----
    Choose the frame from released numbers: the mean and the eigenvalues say where the scores lie. With ``bounds``,
    ``(-1, 1, -1, 1)`` leaves no row out. To leave out cells below ``visible_from`` is post-processing. Noise on the
    cells in use alone would need a ``delta``, and a higher threshold, as long as there are fewer cells than
    ``1 / delta``.

    Examples
    --------
    >>> rows = np.repeat([[0.1, 0.1], [-0.5, -0.5]], 200, axis=0)
    >>> release = private_score_histogram(rows, 1.0, np.eye(2), (-1, 1, -1, 1), bins=4, rng=0)
    >>> np.argwhere(release.value > release.details["visible_from"]).tolist()
    [[1, 1], [2, 2]]

    """
    cells = Cells.of(directions, frame, bins, levels)
    reading = reading_of(X, bad_rows=bad_rows, bounds=bounds)
    given = {"directions": cells.directions, "frame": cells.frame, "levels": cells.levels}
    plan = SCORES.planned(epsilon=epsilon, relation=relation, X=X, **given, **asdict(reading))
    foreseen(X, cells.require)
    if (groups is None) != (levels is None):
        raise ValueError("groups and levels must be given together, got one of them")
    if groups is not None and outside(X).kind == DASK:
        raise ValueError("X must be in memory or an iterator where groups are given, got a dask array")
    source = randomness(rng, arithmetic)
    exact = Fraction(2 if plan.relation.counted else 1) / Fraction(plan.epsilon)
    law = laplace(calibrate.least(lambda b: b >= exact, exact), SCORES.labels)
    data = opened(X)
    part = partial(cells.counts, cells.places(groups), reading)
    total = summed(data, "X", part, part, empty=not plan.relation.counted, total=reading.total)
    if groups is not None and total.count != np.size(groups):
        raise ValueError("groups must hold a label for each row, got another number of them")
    digits = None if isinstance(source, Ideal) else 0
    counts, details = Sum(total.vector, 1, digits).noisy_mean(law, begun(source))
    largest, alone = (of(len(counts), CONFIDENCE) for of in (largest_modulus, reached))
    error = Guarantee("error of every count", details["scale"] * largest, CONFIDENCE)
    known = {"frame": cells.frame} | ({} if levels is None else {"levels": cells.levels})
    visible = details["scale"] * alone
    shown = {STATED: ("cells",), "visible_from": visible, "cells_shown": int(np.sum(counts >= visible))}
    details = {**known, **details, **shown, "guarantee": error}
    details |= plain_words.moments(X, reading, plain_words.CELLS)
    return Release(counts.reshape(cells.shape), promised(plan, source, law.labels, ()), details)


class Cells(NamedTuple):
    """Public cells: of scores along two directions, and of labels."""

    directions: Floats
    frame: tuple[float, ...]
    edges: tuple[Floats, Floats]
    levels: tuple[Any, ...] | None

    @classmethod
    def of(cls, directions: ArrayLike, frame: Sequence[float], bins: int, levels: Sequence[Any] | None) -> Cells:
        """Return the cells. Raises ``ValueError`` unless they are some."""
        along = checks.real(directions, "directions")
        checks.require_finite(along, "directions")
        if along.ndim != 2 or along.shape[1] != 2:
            fewer = "; take two of their columns, or release with k 2 (--k 2)"
            raise ValueError(f"directions must have shape (d, 2), got {along.shape}{fewer}")
        ends = tuple(checks.real_vector(frame, "frame", "(4,)").tolist())
        if len(ends) != 4:
            raise ValueError(f"frame must hold left, right, bottom and top, got {len(ends)} numbers")
        number = checks.integer(bins, "bins", 1, MOST) + 1
        edges = np.linspace(*ends[:2], number), np.linspace(*ends[2:], number)
        if not all(np.all(np.diff(some) > 0) and np.isfinite(some).all() for some in edges):
            raise ValueError("frame must have left below right and bottom below top by more than rounding")
        return cls(along, ends, edges, None if levels is None else _levels(levels))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the counts."""
        number = len(self.edges[0]) - 1
        return (number, number) if self.levels is None else (len(self.levels), number, number)

    def require(self, d: int) -> None:
        """Raise ``ValueError`` unless rows have as many entries as directions."""
        if d != len(self.directions):
            raise ValueError(
                f"directions must have the number of rows that X has columns, {d}, got {len(self.directions)}"
            )

    def places(self, groups: ArrayLike | None) -> NDArray[np.int64] | None:
        """Return the number of the level of each row, -1 for a label that is none."""
        if groups is None or self.levels is None:
            return None
        labels = np.asarray(groups).ravel().tolist()
        known = {level: place for place, level in enumerate(self.levels)}
        plain = (known.get(label, -1) if isinstance(label, (str, int, float)) else -1 for label in labels)
        return np.fromiter(plain, dtype=np.int64, count=len(labels))

    def counts(self, places: NDArray[np.int64] | None, reading: Reading, block: Block, start: int) -> Total:
        """Return how many rows of a block lie in each cell, one level after the other."""
        counts = np.zeros(math.prod(self.shape), dtype=np.int64)
        for first, part in block.parts(max(1, BLOCK // block.rows.shape[1])):
            rows = reading.changed(part.rows, "X", start + first, part.counts)
            self.require(rows.shape[1])
            cell, inside = np.zeros(rows.shape[0], dtype=np.int64), np.ones(rows.shape[0], dtype=bool)
            if places is not None:
                own = places[start + first :][: len(cell)]
                cell[: len(own)] = own
                inside[:] = (np.arange(len(cell)) < len(own)) & (cell >= 0)
            for edges, scores in zip(self.edges, _scores(rows, self.directions), strict=True):
                place = np.searchsorted(edges, scores, side="right") - 1 - (scores == edges[-1])
                inside &= (scores >= edges[0]) & (scores <= edges[-1])
                cell = cell * (len(edges) - 1) + place
            counts += np.bincount(cell[inside], minlength=len(counts))
        return Total(counts, block.size)


def _levels(levels: Sequence[Any]) -> tuple[Any, ...]:
    plain = levels.tolist() if isinstance(levels, np.ndarray) else levels
    if not isinstance(plain, (list, tuple)) or not plain or not all(isinstance(level, (str, int)) for level in plain):
        raise ValueError("levels must be a list of labels, text or integers, got something else")
    if len(set(map(str, plain))) < len(plain):
        raise ValueError("levels must be names that differ, got one of them twice")
    return tuple(plain)


def _scores(rows: Any, directions: Floats) -> tuple[Floats, Floats]:
    """Scores of rows on both directions, each a function of its row alone, which a product of matrices is not.

    Terms are added in the order of columns; those of zeros in a sparse matrix are none.
    """
    scores = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
    by_columns = rows.tocsc() if is_sparse(rows) else rows
    for column, weights in enumerate(directions):
        if is_sparse(rows):
            entries = slice(*by_columns.indptr[column : column + 2])
            where, values = by_columns.indices[entries], by_columns.data[entries]
        else:
            where, values = slice(None), np.asarray(rows[:, column], dtype=np.float64)
        for total, weight in zip(scores, weights, strict=True):
            total[where] += values * weight
    return scores
