"""A call of every mechanism whose release carries a claim, from its record and one table of sample arguments."""

import functools

import numpy as np

from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.mechanism_record import MATRIX

PRIVATE = {name: record for name, record in MECHANISMS.items() if record.private}
EYE = np.eye(4) / 2
X = np.random.default_rng(3).normal(size=(12, 4))
X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
SPECTRUM = [1.0, 1.0, 0.0, 0.0]
ARGUMENTS = {
    "delta": 1e-3,
    "k": 1,
    "iterations": 2,
    "eigenvalues": [1.0, 0.0, 0.0, 0.0],
    "aligned": 1,
    "lower": 0.125,
    "upper": 2.0,
    "basis": np.eye(12, 1),
    "directions": np.eye(4, 2),
    "frame": (-1.0, 1.0, -1.0, 1.0),
}
"""Values of the arguments that some mechanism needs."""
DEFAULTS = {"private_pca": {"center": "none"}}
"""Options with which the sums of a mechanism do not hang on the order of rows, so that data of all forms have them."""
WIDTHS = {"knorm_covariance": 2}
"""Columns that a mechanism is given if not all four."""


def data(record, rows):
    """Twelve rows of four numbers, or a square of them, or part of them, as the mechanism takes it."""
    rows = rows[:, : WIDTHS.get(record.name)]
    by_rows = record.of_rows or (record.data == MATRIX and record.relations == ("row",))
    return rows if by_rows else rows.T @ rows


def sample(record, rows=X, **options):
    """A call that needs a source of randomness alone, for an epsilon of 1; ``options`` come on top."""
    given = {name: ARGUMENTS[name] for name in record.needs} | DEFAULTS.get(record.name, {})
    return functools.partial(record.function(), data(record, rows), **{"epsilon": 1.0, **given, **options})


def _of_randomness(record):
    call = sample(record)
    return lambda rng: call(rng=rng)


def _of_rows(record, options):
    return lambda x, rng: sample(record, x, **options)(rng=rng)


RELEASES = {name: _of_randomness(record) for name, record in PRIVATE.items()}
"""Calls that need a source of randomness alone."""
SLOW = {"private_pca", "private_low_rank", "private_orbit"}
"""Mechanisms whose law on the orbit takes long in certified arithmetic."""
CERTIFIED = tuple(name for name in PRIVATE if name not in {*SLOW, "row_counting_direction"})
"""Those that have a certified arithmetic, and a quick one."""
OPTIONS = {
    "private_pca": {"k": 2, "mechanism": "orbit"},
    "private_low_rank": {"k": 2, "mechanism": "orbit"},
    "private_orbit": {"eigenvalues": SPECTRUM, "trace": 20},
    "private_spectrum": {"k": 2},
    "private_score_histogram": {"bins": 3},
}
"""Arguments with which details are of all kinds."""
ROWS = {name: _of_rows(record, OPTIONS.get(name, {})) for name, record in PRIVATE.items()}
"""Those mechanisms, with these arguments, of any twelve rows of four numbers such as `X`."""
