"""Starts of many rounds: in floats they go where exact arithmetic goes."""

import numpy as np
import pytest
from hypothesis import given, settings
from mpmath import mp

from dpspectra.fast import power
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies.power import NoisyStart, _is_stable, stable_starts

ROUNDS = 40


def runs(start):
    """Last iterates without noise, of the basis as it is, in both arithmetics."""
    a = (start.frame * start.values) @ start.frame.T
    x, y = orthonormal(start.basis), exactly_orthonormal(linalg.exact(start.basis))
    exact = linalg.exact(start.frame) * mp.diag(start.values.tolist()) * linalg.exact(start.frame).T
    for _ in range(ROUNDS):
        x, y = orthonormal(a @ x), exactly_orthonormal(exact * y)
    return x, np.array(y.tolist(), dtype=float)


def test_a_column_at_right_angles_to_the_first_eigenvector_is_left_out():
    """The first column has no part in the first eigenvector; in floats it has after 40 rounds, by rounding."""
    frame = np.array([[1, -1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1], [1, 1, 1, 1]]) / 2
    basis = np.array([[2.0, 1.0], [-3.0, 3.0], [2.0, 1.0], [-1.0, 3.0]])
    start = NoisyStart(frame, np.array([4.0, -1.0, 0.4375, -0.25]), 2, basis, [])
    assert not _is_stable(start)
    with mp.workdps(40):
        x, y = runs(start)
    assert abs(x[:, 0] @ y[:, 0]) < 1e-3
    assert power.tangent(frame[:, :2], x) < 1e-9


@settings(max_examples=30)
@given(start=stable_starts(0, [(3, 1, 2), (4, 2, 2), (4, 2, 3)]))
def test_stable_starts_go_the_same_way_in_both_arithmetics(start):
    with mp.workdps(40):
        x, y = runs(start)
    assert x == pytest.approx(y, abs=1e-9)
