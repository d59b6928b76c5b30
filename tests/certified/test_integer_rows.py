"""Rows as integers of a grid, inside their ball."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from dpspectra.certified.integer_rows import exponent, quantised, quantised_sparse
from tests.support.rows import RNG, X, integers, largest_exponent, normalised

BOUNDS = [1.0, 2.0, 0.1, 3.0, math.pi, 1e-100, 1e200, np.nextafter(2.0**-900, 1), np.nextafter(2.0**900, 1)]


@pytest.mark.parametrize("bound", [*BOUNDS, 0.5, np.nextafter(1.0, 2), np.nextafter(1.0, 0), 2.0**899])
def test_the_exponent_is_the_largest_that_fits(bound):
    assert exponent(bound) == largest_exponent(bound)


@pytest.mark.parametrize("bound", [2.0**-900, 2.0**900, 1e-300, 1e300, 0.0, -1.0, math.nan, math.inf])
def test_bounds_that_leave_no_room_are_refused(bound):
    with pytest.raises(ValueError, match="norm_bound must"):
        exponent(bound)


@pytest.mark.parametrize("bound", BOUNDS)
def test_rows_become_the_integers_of_the_definition(bound):
    x = normalised(300, 4)
    x[::5] *= 2.0 ** -RNG.integers(0, 40, (60, 1))
    x = np.concatenate([x, np.eye(4), -np.eye(4), np.zeros((1, 4))]) * bound
    expected = [integers(row, bound) for row in x]
    assert quantised(x, bound, exponent(bound)).tolist() == expected
    assert quantised_sparse(sparse.csr_array(x), bound, exponent(bound)).toarray().tolist() == expected


@pytest.mark.parametrize("bound", BOUNDS)
def test_no_row_of_any_size_leaves_the_integer_ball(bound):
    p = exponent(bound)
    for i in range(400):
        d = 1 + i % 40
        row = normalised(1, d) if i % 3 else RNG.integers(0, 2, (1, d)) / math.sqrt(d)
        q = quantised(row * bound * (1 if i % 2 else 2.0 ** -(i % 30)), bound, p)[0]
        assert np.array_equal(q, np.rint(q))
        assert sum(int(v) ** 2 for v in q) <= Fraction(bound) ** 2 * Fraction(4) ** p


def test_a_row_depends_on_itself_only():
    p, one = exponent(1.0), X[7:8]
    for others in (X[:40], np.zeros((3, 6)), normalised(9, 6)):
        assert np.array_equal(quantised(np.concatenate([others, one]), 1.0, p)[-1:], quantised(one, 1.0, p))


@pytest.mark.parametrize("bound", [2.0**30, 2.0**60, 2.0**63])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_large_integers_stay_within_a_unit(bound, form):
    """What float64 cannot hold is rounded to it, which is far less than a unit."""
    row = [[int(bound) // 2 + 1, 3, -int(bound) // 4 - 1]]
    q = (form(np.array(row)), exponent(bound))
    found = (
        quantised(q[0], bound, q[1])
        if form is np.asarray
        else quantised_sparse(q[0].astype(float), bound, q[1]).toarray()
    )
    assert all(abs(int(v) - x * Fraction(2) ** q[1]) <= 1 for v, x in zip(found[0], row[0], strict=True))
