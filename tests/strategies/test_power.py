"""Starts of many rounds: in floats they go where exact arithmetic goes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from mpmath import mp

from dpspectra.fast import power
from dpspectra.oracle import linalg
from dpspectra.oracle import power as exact_power
from dpspectra.strategies.power import STEEP, NoisyStart, _is_stable, stable_starts

ROUNDS = 40


def runs(start):
    """Last iterates without noise, of the basis as it is, in both arithmetics."""
    a = (start.frame * start.values) @ start.frame.T
    exact = linalg.exact(start.frame) * mp.diag(start.values.tolist()) * linalg.exact(start.frame).T
    basis, none = linalg.exact(start.basis), [0 * start.basis] * ROUNDS
    y = exact_power.iterates(exact, basis, list(map(linalg.exact, none)))[-1]
    return power.iterates(a, start.basis, none)[-1], np.array(y.tolist(), dtype=float)


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


def test_columns_beside_those_at_right_angles_to_the_target_are_left_out_too():
    """The first two of three columns have no part in one direction of a target of rank two."""
    frame = np.eye(4) - np.ones((4, 4)) / 2
    basis = np.array([[0.0, -0.5, -1.0], [-1.0, -0.5, 0.0], [0.0, -0.5, 1.0], [-1.0, 0.5, 0.0]])
    assert not _is_stable(NoisyStart(frame, np.array([1.0, 1.0, 0.25, 0.25]), 2, basis, []))


@settings(max_examples=30)
@given(start=stable_starts(0, [(3, 1, 2), (4, 2, 2), (4, 2, 3)]))
def test_stable_starts_go_the_same_way_in_both_arithmetics(start):
    assume(power.angle(start.frame[:, : start.k], np.linalg.qr(start.basis)[0])[0] >= STEEP)
    with mp.workdps(40):
        x, y = runs(start)
    assert x == pytest.approx(y, abs=1e-9)
