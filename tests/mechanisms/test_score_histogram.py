"""A private score plot: counts by the definition, one cell a row, the threshold that noise alone stays below."""

import itertools

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block
from dpspectra.mechanisms.score_histogram import Cells
from tests.support.helpers import entropy

FRAME = (-2.0, 1.0, -1.0, 1.0)
ROWS = np.random.default_rng(0).normal(size=(60, 5))
PLANE = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 2)))[0]
LABELS = np.array(["a", "b", "c"])[np.arange(60) % 3]
LOUD = 1e9
"""An epsilon at which no noise is seen."""


def by_definition(rows, bins, frame=FRAME):
    """Counts cell by cell, of scores by products of vectors; the last cells hold their upper ends."""
    left, right, bottom, top = frame
    counts = np.zeros((bins, bins))
    for row in rows:
        first, second = float(row @ PLANE[:, 0]), float(row @ PLANE[:, 1])
        if left <= first <= right and bottom <= second <= top:
            places = ((first - left) / (right - left), (second - bottom) / (top - bottom))
            counts[tuple(min(int(place * bins), bins - 1) for place in places)] += 1
    return counts


def chunks(rows):
    return iter([rows[:7], rows[7:7], rows[7:]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, chunks, list])
def test_rows_are_counted_where_their_scores_lie(form):
    release = dps.private_score_histogram(form(ROWS), LOUD, PLANE, FRAME, bins=5)
    want = by_definition(ROWS, 5)
    assert 20 < want.sum() < 60, "some rows lie outside of the frame"
    assert np.array_equal(release.value.round(3), want)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, chunks])
@pytest.mark.parametrize("labels", [LABELS, LABELS.tolist(), LABELS.astype(object)])
def test_each_level_has_a_histogram_and_other_labels_none(form, labels):
    given = {"bins": 4, "groups": labels, "levels": ("c", "a", "nobody")}
    value = dps.private_score_histogram(form(ROWS), LOUD, PLANE, FRAME, **given).value.round(3)
    assert np.array_equal(value[0], by_definition(ROWS[LABELS == "c"], 4))
    assert np.array_equal(value[1], by_definition(ROWS[LABELS == "a"], 4))
    assert not value[2].any()


def test_the_upper_ends_of_the_frame_belong_to_it():
    corners = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=2)))
    value = dps.private_score_histogram(corners, LOUD, np.eye(2), (-1, 1, -1, 1), bins=2).value
    assert value.round(3).tolist() == [[1, 2], [2, 4]]


def test_with_bounds_the_frame_of_unit_length_leaves_no_row_out():
    corners = np.array(list(itertools.product((-3.0, 0.0, 5.0), repeat=3))) * [1, 10, 100]
    bounds = dps.ColumnBounds([-3, -30, -300], [5, 50, 500])
    along = np.array([[1, 1], [1, -1], [1, 0]]) / np.sqrt([3, 2])
    counted = [
        dps.private_score_histogram(corners, LOUD, along, (-end, end) * 2, bounds=bounds).value.sum()
        for end in (1.0, 0.99)
    ]
    assert counted == pytest.approx([27, 25], abs=1e-3), "the longest two rows lie along the first direction"


def test_a_row_is_in_one_cell_whatever_rows_stand_beside_it():
    """Every neighbour: the counts of a row alone, of it in each place of a block, and of blocks without it."""
    cells = Cells.of(PLANE, (-1e-15, 1e-15, -1, 1), 7, None)  # ends within rounding of the scores of these rows
    across = ROWS - np.outer(ROWS @ PLANE[:, 0], PLANE[:, 0])

    def counts(rows):
        return cells.counts(None, Reading(), Block(rows), 0).vector

    whole, alone = counts(across), np.array([counts(row[None]) for row in across])
    assert np.array_equal(whole, alone.sum(axis=0))
    assert np.array_equal(whole, counts(sparse.csr_array(across)))
    assert all(np.abs(whole - counts(np.delete(across, place, axis=0))).sum() <= 1 for place in range(60))


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_noise_alone_stays_below_the_threshold_with_the_probability_that_is_stated(relation):
    """400 releases of which a share of .05 shows something; beyond 8 % or below 2.5 % once in 200 seeds each."""
    nobody = np.full((1, 2), 9.0)
    given = {"bins": 6, "relation": relation}
    found, errors = 0, 0
    for seed in range(400):
        release = dps.private_score_histogram(nobody, 0.5, np.eye(2), (-1, 1, -1, 1), rng=seed, **given)
        found += bool(np.any(release.value >= release.details["visible_from"]))
        errors += bool(np.any(abs(release.value) > release.details["guarantee"].bound))
    assert release.remarks == () or "no count stands out from noise" in release.remarks[0]
    assert bool(release.remarks) is (release.details["cells_shown"] == 0)
    assert release.details["scale"] == (4.0 if relation == "replace" else 2.0)
    assert 10 <= found <= 32
    assert 10 <= errors <= 32


def test_what_is_public_is_in_the_claim_and_refused_before_data_are_read():
    claim = dps.private_score_histogram(ROWS, 1.0, PLANE, FRAME, groups=LABELS, levels=["a", "b"]).claim
    assert [text.split(":")[0] for text in claim.public] == ["directions", "frame", "levels"]
    budget = dps.Budget(epsilon=1.0)
    for bad in ({"frame": (1, 1, 0, 1)}, {"directions": PLANE[:4]}, {"bins": 0}, {"levels": ["a"]}, {"groups": LABELS}):
        with pytest.raises(ValueError, match=r"must"):
            budget.release(dps.private_score_histogram, ROWS, 1.0, **({"directions": PLANE, "frame": FRAME} | bad))
    assert budget.spent.epsilon == 0
    with pytest.raises(ValueError, match="groups must hold a label for each row"):
        budget.release(dps.private_score_histogram, ROWS, 1.0, PLANE, FRAME, groups=LABELS[:9], levels=["a"])
    assert budget.spent.epsilon == 1


def test_bad_rows_and_bounds_are_read_as_elsewhere():
    rows = np.vstack([ROWS[:3], np.full((1, 5), np.nan)])
    with pytest.raises(ValueError, match=r"X must be finite, but entry \(3, 0\) is not"):
        dps.private_score_histogram(rows, 1.0, PLANE, FRAME)
    zero = dps.private_score_histogram(rows, LOUD, PLANE, FRAME, bins=3, bad_rows="zero").value
    assert np.array_equal(zero.round(3), by_definition(np.vstack([ROWS[:3], np.zeros((1, 5))]), 3))
    box = dps.ColumnBounds([-3.0] * 5, [3.0] * 5)
    mapped = dps.private_score_histogram(ROWS, LOUD, PLANE, (-1, 1, -1, 1), bins=3, bounds=box).value
    assert np.array_equal(mapped.round(3), by_definition(box.rows(ROWS), 3, (-1, 1, -1, 1)))


def test_with_a_key_the_counts_are_rounded_sums_on_a_grid():
    value = dps.private_score_histogram(ROWS, 1.0, PLANE, FRAME, bins=3, rng=entropy(7))
    assert value.claim.arithmetic == "certified"
    assert np.all(value.value % value.details["step"] == 0)
