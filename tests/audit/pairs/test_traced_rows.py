"""The pair on which eigenvectors are traced. Fixed seeds."""

import numpy as np
import pytest

from dpspectra.audit import audit, traced_pair


def eigenvector(scale):
    """Make a mechanism: the leading eigenvector of noisy second moments, its sign at random."""

    def mechanism(X, rng):
        noise = rng.normal(scale=scale, size=(X.shape[1],) * 2)
        return np.linalg.eigh(X.T @ X + np.triu(noise) + np.triu(noise, 1).T)[1][:, -1] * rng.choice([-1, 1])

    return mechanism


@pytest.mark.parametrize(("d", "n"), [(2, 1), (5, 3)])
def test_one_unit_row_is_replaced(d, n):
    (first, second), statistics = traced_pair(d, n, rng=1)
    assert first.shape == second.shape == (n, d)
    assert np.array_equal(first[1:], second[1:])
    assert np.allclose(np.linalg.norm([*first, *second], axis=1), 1)
    assert np.allclose(first[:, 0], np.sqrt(0.5))
    (traced,) = statistics.values()
    for row, other, sign in ((first[0], second[0], 1), (second[0], first[0], -1)):
        expected = sign * np.sqrt(d - 1) * (1 - row @ other)
        assert traced(row) == traced(-row) == pytest.approx(expected)
        assert traced(np.stack([row, other], axis=1)) == pytest.approx(expected), "the first of several directions"


def test_the_statistic_shows_more_than_the_auditor_finds_for_itself():
    """A loss that is spread over 48 numbers; the claim is true, so no luck refutes it."""
    pair, statistics = traced_pair(48, 24)
    with_it, without = (
        audit(eigenvector(0.4), pair, 8.0, 1e-5, draws=800, statistics=given) for given in (statistics, None)
    )
    assert "traced row" in with_it.witness
    assert with_it.bound > without.bound + 0.3


def test_a_refutation_by_it():
    pair, statistics = traced_pair(48, 24)
    assert audit(eigenvector(0.4), pair, 1.0, draws=3000, statistics=statistics).violated
