"""One sample call of every mechanism that makes a claim, from its record."""

import functools

import numpy as np

from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.record import MATRIX, ROWS

PRIVATE = {name: record for name, record in MECHANISMS.items() if record.private}
ARGUMENTS = {
    "delta": 1e-3,
    "k": 1,
    "iterations": 2,
    "eigenvalues": [1.0, 0.5, 0.0, 0.0],
    "aligned": 1,
    "basis": np.eye(6, 2),
}
"""Values of the arguments that some mechanism needs."""
X = np.random.default_rng(3).uniform(-0.4, 0.4, (6, 4))
WIDTHS = {"knorm_covariance": 2}
"""Columns that a mechanism is given if not all four."""


def data(record):
    """Six rows, their second moments, or a matrix that the default relation of the mechanism goes with."""
    rows = X[:, : WIDTHS.get(record.name)]
    square = record.data != ROWS and not (record.data == MATRIX and record.relations == ("row",))
    return rows.T @ rows if square else rows


def sample(record, **options):
    """A call that needs a source of randomness alone, for an epsilon of 1; ``options`` come on top."""
    given = {name: ARGUMENTS[name] for name in record.needs}
    return functools.partial(record.function(), data(record), **{"epsilon": 1.0, **given, **options})
