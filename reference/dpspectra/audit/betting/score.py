"""A learned statistic: the log odds of the two data sets, fitted to all other statistics of past draws."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from dpspectra.audit.reading.features import IMPOSSIBLE, Table
from dpspectra.ground import records

LEARNED = "learned score"
SMALLEST = 512
"""Draws on each data set below which nothing is learned."""
ROWS = 8192
"""Draws on each data set that are used at most."""
COLUMNS = 48
"""Statistics used at most: those whose means differ most."""
LABELS = 16
"""Labels of one column that a given classifier is shown."""
RIDGE = 1e-2
STEPS = 16

Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Score:
    """Ridge logistic regression on statistics, their squares and a saturating transform; or a given classifier."""

    names: tuple[str, ...]
    """Columns that are read."""
    centre: tuple[float, ...]
    """Centre of each feature, which is a real column or the indicator of a label."""
    scale: tuple[float, ...]
    labels: tuple[tuple[str, int], ...] = ()
    """Labels that have an indicator, after the real columns."""
    weights: tuple[float, ...] | None = None
    classifier: Any = field(default=None, compare=False)
    """The caller's classifier in place of weights; it is not saved."""

    def __call__(self, table: Table) -> NDArray[np.floating[Any]]:
        """Evaluate on ``n`` draws: shape ``(n,)``, large where the first data set is likelier."""
        features = self.features(table)
        if self.weights is not None:
            return np.asarray(features @ np.array(self.weights), dtype=float)
        if self.classifier is None:
            raise ValueError("the classifier must be given to compute its score again, as it is not saved")
        return np.asarray(self.classifier.predict_proba(features)[:, 1], dtype=float)

    def features(self, table: Table) -> Matrix:
        """Return the features to learn from, shape ``(n, features)``."""
        labelled = {name for name, _ in self.labels}
        columns = [table[name] for name in self.names if name not in labelled]
        columns += [(table[name] == np.uint64(label)).astype(float) for name, label in self.labels]
        z = np.clip((np.stack(columns, axis=1) - np.array(self.centre)) / np.array(self.scale), -10, 10)
        z = np.where(np.isnan(z), 0.0, z)
        if self.classifier is not None:
            return z
        return np.concatenate([z, np.minimum(z**2, 9.0) - 1, np.tanh(2 * z), np.ones((len(z), 1))], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """JSON form, without the classifier."""
        plain = {name: getattr(self, name) for name in ("names", "centre", "scale", "weights")}
        return plain | {"labels": [(name, hex(label)) for name, label in self.labels]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Score:
        """Read `to_dict` back."""
        return cls(**SCORE(data))


NUMBERS = records.listed(records.extended)
SCORE = records.record(
    {
        "names": records.listed(records.text),
        "centre": NUMBERS,
        "scale": NUMBERS,
        "weights": records.optional(NUMBERS),
        "labels": records.listed(records.tupled(records.text, records.label)),
    }
)
"""Fields of a score in a record."""


def learn(past: tuple[Table, Table], classifier: Any = None, smallest: int = SMALLEST) -> Score | None:
    """Fit to every other draw of the past, latest first; ``None`` where there is too little to learn from.

    That is the case with fewer than ``smallest`` draws on each data set, or without two statistics that vary.

    ``classifier`` is a scikit-learn classifier with ``predict_proba``; it is copied, not changed. It is also shown
    which of the most frequent labels a draw has.
    """
    length = min(len(next(iter(table.values()))) for table in past)
    names = [name for name in past[0] if name in past[1] and past[0][name].dtype == float and past[0][name].ndim == 1]
    names = [name for name in names if name != IMPOSSIBLE]
    halves = [{name: table[name][::2][-ROWS:] for name in table} for table in past]
    names = [name for name in names if all(np.ptp(np.nan_to_num(half[name])) > 0 for half in halves)]
    labels = [] if classifier is None else _frequent(past)
    if length < smallest or len(names) + 2 * len(labels) < 2 - (classifier is not None):
        return None
    centre = {n: float(np.nanmedian(np.concatenate([h[n] for h in halves]))) for n in names}
    scale = {n: float(np.nanmedian(np.abs(np.concatenate([h[n] for h in halves]) - centre[n]))) * 1.5 for n in names}
    scale = {n: s if s > 0 else 1.0 for n, s in scale.items()}

    def separation(name: str) -> float:
        first, second = (np.tanh(np.nan_to_num((h[name] - centre[name]) / scale[name])) for h in halves)
        return -abs(float(np.mean(first) - np.mean(second)))

    names = sorted(names, key=separation)[:COLUMNS]
    read = tuple(dict.fromkeys([*names, *(name for name, _ in labels)]))
    centres, scales = ((*(of[n] for n in names), *([0.5] * len(labels))) for of in (centre, scale))
    blank = Score(read, centres, scales, tuple(labels), classifier=copy.deepcopy(classifier))
    parts = [blank.features(h) for h in halves]
    x, y = np.concatenate(parts), np.repeat([1.0, 0.0], [len(part) for part in parts])
    if classifier is not None:
        blank.classifier.fit(x, y)
        return blank
    return replace(blank, weights=tuple(_logistic(x, y).tolist()))


def separation(past: tuple[Table, Table]) -> float:
    """How far apart a linear score puts two data sets, in standard deviations, on draws that it was not fitted to.

    It adds up what many statistics show a little of each; 0 if there is nothing to learn.
    """
    score = learn(past, smallest=2)
    if score is None:
        return 0.0
    first, second = (score({name: table[name][1::2] for name in score.names}) for table in past)
    spread = float(np.sqrt(np.var(first) + np.var(second)))
    return abs(float(np.mean(first) - np.mean(second))) / spread if spread > 0 else 0.0


def _frequent(past: tuple[Table, Table]) -> list[tuple[str, int]]:
    """Return the most frequent labels of each column that has several."""
    found = []
    for name in past[0]:
        if name in past[1] and past[0][name].dtype == np.uint64:
            labels, counts = np.unique(np.concatenate([past[0][name], past[1][name]]), return_counts=True)
            if len(labels) > 1:
                order = np.argsort(-counts, kind="stable")[:LABELS]
                found += [(name, int(label)) for label in labels[order]]
    return found


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
