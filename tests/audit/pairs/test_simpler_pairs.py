"""Simpler versions of a pair are neighbours."""

import numpy as np

from dpspectra.audit.pairs.domain import Domain
from dpspectra.audit.pairs.simpler_pairs import simpler


def test_simpler_versions_are_simpler_neighbours():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    before, after = np.array([0.6, 0.7]), np.array([0.0, 0.0])
    versions = list(simpler(rows, before, after, Domain("ball", 2)))
    assert len(versions[0][0]) == 0
    assert any(np.array_equal(version[0], rows[:2]) for version in versions)
    assert any(np.array_equal(version[1], [0.5, 0.5]) for version in versions)
    assert any(np.array_equal(version[1], [0.6, 0.0]) for version in versions)
    for shorter, x, y in versions:
        assert y is after or np.array_equal(y, after)
        assert np.linalg.norm(x) <= 1
        assert (len(shorter), x.tolist()) != (3, before.tolist())
    assert list(simpler(rows[:0], np.zeros(2), None, Domain("ball", 2))) == []
