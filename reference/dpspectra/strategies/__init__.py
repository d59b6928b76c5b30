"""Hypothesis strategies whose premises hold exactly, not up to rounding.

Every number drawn is dyadic (an integer over a power of two), so float64 holds it without error and the oracle sees the
very same instance. Everything shrinks towards zeros, small integers and the first corner listed.
"""

from dpspectra.strategies.data import NEIGHBOUR_RELATIONS, ball_vectors, matrix_neighbours, neighbours, unit_rows
from dpspectra.strategies.lazy import st
from dpspectra.strategies.matrices import fields, hermitian, psd, rectangular, spectra, unitaries, with_spectrum
from dpspectra.strategies.numbers import deltas, dimensions, dyadics, epsilons, seeds
from dpspectra.strategies.probability_vectors import distributions
from dpspectra.strategies.subspaces import independent_columns, subspaces

__all__ = [
    "NEIGHBOUR_RELATIONS",
    "ball_vectors",
    "deltas",
    "dimensions",
    "distributions",
    "dyadics",
    "epsilons",
    "fields",
    "hermitian",
    "independent_columns",
    "matrix_neighbours",
    "neighbours",
    "psd",
    "rectangular",
    "seeds",
    "spectra",
    "st",
    "subspaces",
    "unit_rows",
    "unitaries",
    "with_spectrum",
]
