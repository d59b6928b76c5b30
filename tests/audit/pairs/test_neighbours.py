"""Pairs of neighbours: those of the structured list, and what a pair prints."""

import numpy as np
import pytest

from dpspectra.audit import Neighbours, structured_pairs, worst_pair
from tests.support.audits import laplace_of_the_mean


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("relation", ["replace", "add_remove", "zero_out"])
def test_structured_pairs_are_neighbours(d, relation):
    pairs = structured_pairs(d, relation, "ball", 2.0)
    assert len({pair.name for pair in pairs}) == len(pairs)
    for pair in pairs:
        first, second = pair.pair("rows")
        assert first.shape[1] == second.shape[1] == d
        assert np.linalg.norm(first, axis=1).max() <= 2 + 1e-12
        assert len(first) - len(second) == (relation == "add_remove")
        assert np.array_equal(first[: len(pair.rows)], second[: len(pair.rows)])
        if relation == "zero_out":
            assert not second[-1].any()
        m, other = pair.pair("matrix")
        assert m == pytest.approx(first.T @ first)
        assert np.abs(np.linalg.eigvalsh(m - other)).max() <= 4 + 1e-9


def test_a_tie_at_the_top_that_turns_is_among_them():
    """The swap that gives an orbit mechanism away."""
    pair = next(pair for pair in structured_pairs(3, "replace", "ball") if pair.name == "tie: e1 to e2")
    m, other = pair.pair("matrix")
    assert np.array_equal(m, np.diag([9.0, 8.0, 0.0]))
    assert np.array_equal(other, np.diag([8.0, 9.0, 0.0]))


def test_neighbours_print_what_they_hold():
    pair = Neighbours("two rows", "one leaves", np.eye(2), np.array([0.5, 0.0]), None)
    found = worst_pair(
        laplace_of_the_mean, 1.0, dimension=2, relation="replace", domain="ball", candidates=[pair], draws=512
    )
    lines = str(found._replace(neighbours=pair)).splitlines()
    assert lines[2] == "rows in both data sets: 1 x (0, 1), 1 x (1, 0)"
    assert lines[3] == "only in the first: (0.5, 0); only in the second: nothing"


def test_directions_of_structured_pairs_are_what_they_are_called():
    for pair in structured_pairs(3, "replace", "ball", 2.0):
        assert not np.array_equal(pair.before, pair.after)
        if "oblique" in pair.name and "mirrored" in pair.name:
            changed, to = np.atleast_2d(pair.before), np.atleast_2d(pair.after)
            assert np.min(np.abs(changed @ to.T)) == pytest.approx(0.0, abs=1e-15)
