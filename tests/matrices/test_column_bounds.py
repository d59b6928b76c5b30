"""Columns with bounds: norms at most 1 exactly, whatever the row; results in the user's units; every form of data."""

import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified.gram import exact_moments
from dpspectra.matrices.foreign_data import numbers
from dpspectra.matrices.reading_rule import Reading
from tests.support.forms import ROWS as FORMS

LOWER, UPPER = np.array([0.0, -50.0, 1e4]), np.array([100.0, 50.0, 9e4])
BOX = dps.ColumnBounds(LOWER, UPPER)
ROWS = np.random.default_rng(1).uniform(LOWER - 10, UPPER * 1.2, (400, 3))


def squares(rows):
    return [sum(Fraction(v) ** 2 for v in row) for row in rows.tolist()]


@pytest.mark.parametrize(("lower", "upper"), [(1e16, 1e16 + 2), (1e6, 1e6 + 1e-9), (-1.7e308, 1.7e308), (0, 1e-323)])
def test_no_row_is_longer_than_1(lower, upper):
    """Referee 14: clipped before the division, these bounds gave norms of 2 and 1.11."""
    bounds = dps.ColumnBounds([lower, 0.0], [upper, 1.0])
    corners = [[upper, 1.0], [lower, 0.0], [1.7e308, -1e300], [-1.7e308, 5e-324], [np.nextafter(upper, 0), 1.0]]
    rows = bounds.rows(corners)
    assert max(squares(rows)) <= 1
    assert max(squares(rows)) > 1 - Fraction(1, 2**45)
    for data in (corners, sparse.csr_array(corners)):
        assert exact_moments(data, Reading(bounds=bounds)).count == 5


@pytest.mark.parametrize("d", [1, 7, 1000])
def test_no_corner_of_many_columns_is_longer_than_1(d):
    weights = np.random.default_rng(d).uniform(1e-3, 1e3, d)
    rows = dps.ColumnBounds(np.zeros(d), np.full(d, 3.0), weights).rows(np.array([np.full(d, 9.0)]))
    assert 1 - Fraction(2 * d + 32, 2**52) <= squares(rows)[0] <= 1


def test_values_go_back_to_the_units_of_the_user():
    rows = np.clip(ROWS, LOWER, UPPER)
    bounds = dps.ColumnBounds(LOWER, UPPER, [1.0, 2.0, 0.5])
    z = bounds.rows(ROWS)
    assert np.allclose(bounds.mean(z), rows)
    assert np.allclose(bounds.mean(z.mean(axis=0)), rows.mean(axis=0))
    centred = rows - (LOWER + UPPER) / 2
    assert np.allclose(bounds.moments(z.T @ z / 400), centred.T @ centred / 400)
    assert np.allclose(bounds.axes(np.eye(3)), np.diag(bounds.units))
    assert np.allclose(np.cov(z.T) * np.outer(bounds.units, bounds.units), np.cov(rows.T))


def test_bounds_by_name_bring_nothing_back_in_their_own_order():
    """The table that was released may have another one, and its value has no names."""
    bounds = dps.ColumnBounds({"b": (0, 10), "a": (0, 1)})
    ordered = bounds.of_columns(["a", "b"])
    for back, value in (("mean", np.zeros(2)), ("moments", np.eye(2)), ("axes", np.eye(2))):
        with pytest.raises(ValueError, match=rf"got bounds by name: call bounds.of_columns\(columns\).{back} with"):
            getattr(bounds, back)(value)
        assert getattr(ordered, back)(value).shape == value.shape
    assert ordered.mean(np.zeros(2)).tolist() == [0.5, 5.0]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_data_gives_the_same_release(form):
    found, want = (
        dps.gaussian_covariance(x, 1.0, 1e-6, bounds=BOX, rng=dps.Entropy(bytes(32))).value
        for x in (FORMS[form](ROWS), ROWS)
    )
    assert np.array_equal(found, want)
    if form in ("dask", "csr"):
        found = BOX.rows(FORMS[form](ROWS))
        assert np.array_equal(found.compute() if form == "dask" else found, BOX.rows(ROWS))


def test_a_claim_is_for_any_row_and_names_the_bounds():
    claim = dps.private_mean(ROWS, 1.0, bounds=BOX, bad_rows="zero").claim
    assert (claim.norm_bound, claim.domain) == (None, ())
    assert not [text for text in claim.assumptions if "refused" in text]
    (known,) = [text for text in claim.public if text.startswith("column bounds: sha256 ")]
    other = dps.private_mean(ROWS, 1.0, bounds=dps.ColumnBounds(LOWER, UPPER, [1.0, 1.0, 2.0])).claim
    assert known not in other.public


def test_bad_rows_are_zero_afterwards_and_otherwise_refused():
    rows = ROWS.copy()
    rows[3, 1], rows[5, 0] = math.nan, math.inf
    reading = Reading(bad_rows="zero", bounds=BOX)
    for data in (rows, sparse.csr_array(rows)):
        found = reading.changed(numbers(data, total=True))
        found = found.toarray() if sparse.issparse(found) else found
        assert not found[[3, 5]].any()
        assert found[4].any()
    for data in (rows, sparse.csr_array(rows)):
        with pytest.raises(ValueError, match=r"X must be finite, but entry \(3, 1\) is not"):
            Reading(bounds=BOX).changed(numbers(data))


def test_a_smaller_norm_bound_clips():
    found = Reading(0.25, bounds=BOX).changed(ROWS)
    assert max(squares(found)) <= Fraction(1, 16)
    directions = BOX.rows(ROWS)
    assert np.allclose(found / np.linalg.norm(found, axis=1)[:, None] * np.linalg.norm(directions, axis=1)[:, None],
                       directions)  # fmt: skip


@pytest.mark.parametrize("center", ["mean", "pairs"])
def test_directions_about_a_center_take_bounds(center):
    release = dps.private_pca(ROWS, 1, 1e6, center=center, bounds=BOX, rng=0)
    z = BOX.rows(ROWS)
    want = dps.private_pca(z, 1, 1e6, center=center, rng=0)
    assert np.allclose(release.value, want.value, atol=1e-6)


def test_bounds_are_values():
    same = dps.ColumnBounds(LOWER.tolist(), UPPER.tolist())
    assert same == BOX
    assert hash(same) == hash(BOX)
    assert pickle.loads(pickle.dumps(BOX)) == BOX
    assert dps.ColumnBounds(LOWER, UPPER, [1, 1, 2]) != BOX
    assert (len(BOX), repr(BOX)) == (3, "ColumnBounds(3 columns)")


def test_bounds_by_name_are_aligned_with_tables():
    """A table with columns in another order got means of other columns, without a word."""
    pandas = pytest.importorskip("pandas")
    bounds = dps.ColumnBounds({"income": (0, 100_000), "age": (0, 100)}, weights=[2, 1])
    frame = pandas.DataFrame({"age": [20.0, 40.0], "income": [30_000.0, 50_000.0]})
    aligned = bounds.of_columns(("age", "income"))
    assert (aligned.names, aligned.upper.tolist(), aligned.weights.tolist()) == (None, [100, 100_000], [1, 2])
    mean = dps.private_mean(frame, 1e9, bounds=bounds)
    np.testing.assert_allclose(aligned.mean(mean.value), [30, 40_000], rtol=1e-4)
    assert "columns: age, income" in mean.claim.public
    assert np.array_equal(bounds.rows(frame), aligned.rows(frame.to_numpy()))
    for data, words in (
        (frame.to_numpy(), "bounds must have no names for data without names"),
        (frame.rename(columns={"age": "Age"}), r"got none for \['Age'\] and some for \['age'\] too"),
        (iter([frame]), "bounds must have no names for data without names"),
    ):
        with pytest.raises(ValueError, match=words):
            dps.private_mean(data, 1.0, bounds=bounds)
    assert dps.Moments.of(iter([frame]), bounds=bounds).terms.columns == ("income", "age")
    assert repr(bounds) == "ColumnBounds(2 columns by name)"
    for bad in ({"a": 1}, {"a": (0, 1, 2)}, {1: (0, 1)}):
        with pytest.raises(ValueError, match="bounds must"):
            dps.ColumnBounds(bad)
    with pytest.raises(ValueError, match="upper must be"):
        dps.ColumnBounds([0])
    with pytest.raises(ValueError, match="upper must be left out"):
        dps.ColumnBounds({"a": (0, 1)}, [1])


def test_estimators_align_bounds_with_the_columns_of_the_fit():
    pytest.importorskip("sklearn")
    pandas = pytest.importorskip("pandas")
    from dpspectra.estimators import PrivateCovariance, PrivatePCA, PrivateStandardScaler

    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.uniform(0, 1, 300), "b": rng.uniform(0, 50, 300)})
    bounds = dps.ColumnBounds({"b": (0, 50), "a": (0, 1)})
    listed = dps.ColumnBounds([0, 0], [1, 50])
    for kind in (PrivatePCA, PrivateCovariance, PrivateStandardScaler):
        given = {"epsilon": 1.0, "random_state": 0}
        one, two = (kind(bounds=each, **given).fit(frame) for each in (bounds, listed))
        assert np.array_equal(one.release_.value[0], two.release_.value[0])
        if kind is PrivatePCA:
            assert np.array_equal(one.transform(frame), two.transform(frame))
            assert np.array_equal(one.inverse_transform([[0.1, 0.2]]), two.inverse_transform([[0.1, 0.2]]))
        with pytest.raises(ValueError, match="bounds must have no names"):
            kind(bounds=bounds, **given).fit(frame.to_numpy())


@pytest.mark.parametrize("name", ["mean", "moments", "axes"])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (3, 3), (2, 2, 2)])
def test_what_is_of_other_columns_is_brought_back_to_no_units(name, shape):
    """Numpy would stretch a value of one column to all of them."""
    words = re.escape(f"value must have a number for each of 2 columns with bounds, got {shape}")
    with pytest.raises(ValueError, match=words):
        getattr(dps.ColumnBounds([0, 0], [2, 10]), name)(np.zeros(shape))


def test_one_direction_is_brought_back():
    bounds = dps.ColumnBounds([0, 0], [2, 10])
    assert bounds.axes([1.0, 1.0]).tolist() == bounds.axes([[1.0], [1.0]])[:, 0].tolist() == bounds.units.tolist()
