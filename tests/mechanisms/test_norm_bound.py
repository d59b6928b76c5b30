"""A private bound on norms: counts by the definition, the share that it keeps, clipping with it afterwards."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.matrices.prepared_rows import norms

ROWS = np.random.default_rng(0).normal(size=(3000, 3)) * [3.0, 1.0, 1.0]


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_the_bound_keeps_about_the_share(share, relation):
    release = dps.private_norm_bound(ROWS, 2.0, 0.01, 100.0, quantile=share, relation=relation, rng=1)
    bound, counts = release.value
    kept = np.mean(np.linalg.norm(ROWS, axis=1) <= bound)
    before = np.mean(np.linalg.norm(ROWS, axis=1) <= bound / 2**0.25)
    off = release.details["guarantee"].bound / 3000
    assert before - 2 * off < share <= kept + 2 * off
    assert np.sum(counts) == pytest.approx(3000, abs=200)


def test_counts_are_of_norms_between_the_bounds_that_are_tried():
    lengths = [0.0, 0.09, 0.11, 0.13, 0.7, 0.99, 1.1, 1e308]
    counts = dps.private_norm_bound(np.diag(lengths), 1e9, 0.1, 1.0, rng=1).value[1]
    edges = [-1.0, *(0.1 * 2 ** (j / 4) for j in range(14)), 1.0, math.inf]
    want = [sum(low < x <= high for x in lengths) for low, high in itertools.pairwise(edges)]
    assert counts.round(3).tolist() == want


def test_norms_are_upper_bounds_and_hardly_larger():
    rows = np.vstack([ROWS, np.zeros((1, 3)), np.full((1, 3), 1e-310), np.full((1, 3), 1.7e308)])
    for data in (rows, sparse.csr_array(rows)):
        found = norms(data)
        assert found[3000] == 0.0
        assert found[3002] == math.inf
        assert np.all(found[:3000] >= np.linalg.norm(ROWS, axis=1) * (1 - 1e-16))
        assert np.allclose(found[:3000], np.linalg.norm(ROWS, axis=1))


def test_what_is_clipped_to_it_claims_both_losses_and_takes_nothing_as_known():
    """The gap is 24,000 and the noise of scale 125 at the largest bound: chance fails this once in a billion runs."""
    budget = dps.Budget(epsilon=100.0)
    bound, _ = budget.release(dps.private_norm_bound, ROWS, 20.0, 0.01, 100.0).value
    release = budget.release(dps.private_pca, ROWS, 1, 80.0, norm_bound=bound, rows="clip")
    assert budget.spent.epsilon == pytest.approx(100.0)
    claim = dps.compose([dps.private_norm_bound(ROWS, 20.0, 0.01, 100.0), release])
    assert (round(claim.epsilon, 7), claim.norm_bound, claim.public) == (100.0, None, ())
    assert abs(release.value[0, 0]) > 0.99


def test_nothing_is_refused_for_its_norm_and_bad_rows_may_be_zero():
    rows = np.vstack([ROWS[:20], np.full((1, 3), 1.7e308), np.full((1, 3), np.nan)])
    with pytest.raises(ValueError, match=r"X must be finite, but entry \(21, 0\) is not"):
        dps.private_norm_bound(rows, 1.0, 0.1, 10.0)
    claim = dps.private_norm_bound(rows, 1.0, 0.1, 10.0, bad_rows="zero").claim
    assert (claim.norm_bound, claim.domain) == (None, ())
    assert not [text for text in claim.assumptions if "refused" in text]
    empty = dps.private_norm_bound(np.zeros((0, 3)), 1.0, 0.1, 10.0, relation="add_remove", rng=1)
    assert 0.1 <= empty.value[0] <= 10.0


def test_bounds_of_columns_come_first():
    box = dps.ColumnBounds([-30.0] * 3, [30.0] * 3)
    bound, _ = dps.private_norm_bound(ROWS, 50.0, 0.001, 1.0, bounds=box, rng=1).value
    kept = np.mean(np.linalg.norm(box.rows(ROWS), axis=1) <= bound)
    assert 0.93 < kept < 0.99
