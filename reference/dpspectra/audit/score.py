"""A learned statistic: the log odds of the two data sets, fitted to all other statistics of past draws."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

LEARNED = "learned score"
SMALLEST = 512
"""Draws on each data set below which nothing is learned."""
ROWS = 8192
"""Draws on each data set that are used at most."""
COLUMNS = 48
"""Statistics used at most: those whose means differ most."""
RIDGE = 1e-2
STEPS = 16

Table = dict[str, NDArray[np.floating[Any]]]
Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Score:
    """Ridge logistic regression on statistics, their squares and a saturating transform; or a given classifier."""

    names: tuple[str, ...]
    centre: Matrix
    scale: Matrix
    weights: Matrix | None
    classifier: Any = None

    def __call__(self, table: Table) -> NDArray[np.floating[Any]]:
        """Evaluate on ``n`` draws: shape ``(n,)``, large where the first data set is likelier."""
        features = self._features(table)
        if self.weights is None:
            return np.asarray(self.classifier.predict_proba(features)[:, 1], dtype=float)
        return np.asarray(features @ self.weights, dtype=float)

    def _features(self, table: Table) -> Matrix:
        columns = np.stack([table[name] for name in self.names], axis=1)
        z = np.clip((columns - self.centre) / self.scale, -10, 10)
        z = np.where(np.isnan(z), 0.0, z)
        if self.classifier is not None:
            return z
        return np.concatenate([z, np.minimum(z**2, 9.0) - 1, np.tanh(2 * z), np.ones((len(z), 1))], axis=1)


def learn(past: tuple[Table, Table], classifier: Any = None) -> Score | None:
    """Fit to every other draw of the past, latest first; ``None`` where there is too little to learn from.

    ``classifier`` is a scikit-learn classifier with ``predict_proba``; it is copied, not changed.
    """
    length = min(len(next(iter(table.values()))) for table in past)
    names = [name for name in past[0] if name in past[1] and all(np.ptp(np.nan_to_num(t[name])) > 0 for t in past)]
    if length < SMALLEST or len(names) < 2:
        return None
    halves = [{name: table[name][::2][-ROWS:] for name in names} for table in past]
    centre = {n: float(np.nanmedian(np.concatenate([h[n] for h in halves]))) for n in names}
    scale = {n: float(np.nanmedian(np.abs(np.concatenate([h[n] for h in halves]) - centre[n]))) * 1.5 for n in names}
    scale = {n: s if s > 0 else 1.0 for n, s in scale.items()}

    def separation(name: str) -> float:
        first, second = (np.tanh(np.nan_to_num((h[name] - centre[name]) / scale[name])) for h in halves)
        return -abs(float(np.mean(first) - np.mean(second)))

    names = sorted(names, key=separation)[:COLUMNS]
    blank = Score(tuple(names), np.array([centre[n] for n in names]), np.array([scale[n] for n in names]), None)
    if classifier is not None:
        blank = Score(blank.names, blank.centre, blank.scale, None, copy.deepcopy(classifier))
    parts = [blank._features(h) for h in halves]
    x, y = np.concatenate(parts), np.repeat([1.0, 0.0], [len(part) for part in parts])
    if classifier is not None:
        blank.classifier.fit(x, y)
        return blank
    return Score(blank.names, blank.centre, blank.scale, _logistic(x, y))


def _logistic(x: Matrix, y: Matrix) -> Matrix:
    """Maximise the penalised likelihood; the last column of ``x`` is the intercept.

    Its curvature nowhere exceeds that at even odds, so steps that assume the latter never overshoot; the matrix is then
    the same in all of them.
    """
    penalty = np.full(x.shape[1], RIDGE * len(x))
    penalty[-1] = 1e-6
    curvature = cho_factor(x.T @ x / 4 + np.diag(penalty))
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        w = w - cho_solve(curvature, x.T @ (expit(x @ w) - y) + penalty * w)
    return w
