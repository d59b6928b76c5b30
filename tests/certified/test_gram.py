"""Second moments of rows in integers of a grid: exact whatever the order, form and threads."""

import functools
import math
import re

import numpy as np
import pytest
from scipy import sparse

from dpspectra.certified import gram
from dpspectra.certified.gram import ExactMoments, exact_moments
from dpspectra.ground.checks import ZERO_ROWS
from dpspectra.matrices.float_moments import second_moments
from tests.support.forms import ORDERS, PLACED, ROWS, dask, halves
from tests.support.rows import X, integers, normalised

QUANTISED = np.array([integers(row, 1.0) for row in X], dtype=object)
TRUE = (QUANTISED.T @ QUANTISED).tolist()
FORMS = ROWS | ORDERS


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_what_is_over_by_rounding_comes_one_unit_nearer(form):
    """On this grid the squared bound is ``2**40``; one and two above it are within a relative 1e-12 in norm."""
    for ones in (1, 2):
        q = [-(2.0**20), *[1.0] * ones, 0.0, 0.0][:4]
        row = form(np.ldexp([q, [0.0] * 4], -20))
        found = exact_moments(row, 1.0).total
        assert found.tolist() == np.diag([(2**20 - 1) ** 2, 0, 0, 0]).tolist()
    with pytest.raises(ValueError, match=r"^X must have rows of norm at most 1, but row 1 is longer: "):
        exact_moments(form(np.ldexp([[0.0] * 4, [2.0**20, 1, 1, 1]], -20)), 1.0)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_integers(form):
    found = exact_moments(FORMS[form](X), 1.0)
    assert (found.count, found.exponent, found.total.dtype) == (len(X), 20, np.int64)
    assert found.total.tolist() == TRUE


@pytest.mark.parametrize("form", FORMS)
def test_what_is_carried_into_limbs_earlier_is_the_same(form, monkeypatch):
    monkeypatch.setattr(gram, "INT64_ROWS", 500)
    monkeypatch.setattr(gram, "EXACT_ROWS", 128)
    assert exact_moments(FORMS[form](X), 1.0).total.tolist() == TRUE


@pytest.mark.parametrize("form", FORMS)
def test_sums_of_rows_alone_are_those_beside_second_moments(form):
    found = exact_moments(FORMS[form](X), 1.0, order=1)
    assert found.first.integers().tolist() == QUANTISED.sum(axis=0).tolist()
    assert found.first.integers().tolist() == exact_moments(X, 1.0).first.integers().tolist()
    assert (len(found.upper), found.count, found.exponent) == (0, len(X), 20)


def test_doubled_sums_are_those_of_python():
    """Up to 1.9e14 rows: 84 bits."""
    total, expected = exact_moments(X, 1.0), QUANTISED.T @ QUANTISED
    while total.count < 2**47:
        total, expected = total + total, expected * 2
        assert ((total.upper.low >= 0) & (total.upper.low < 2**32)).all()
    assert total.total.dtype == object
    assert {type(value) for value in total.total.ravel()} == {int}
    assert total.total.tolist() == expected.tolist()
    most = functools.reduce(lambda sums, _: sums + sums, range(5), total)
    with pytest.raises(ValueError, match=r"rows must be fewer than 2\*\*54"):
        functools.reduce(lambda sums, _: sums + sums, range(5), most)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int64, np.uint8, bool])
def test_every_real_type_is_read_exactly(dtype):
    x = np.random.default_rng(4).integers(0, 2, (300, 5)).astype(dtype)
    expected = exact_moments(x.astype(float), 3.0)
    for rows in (x, sparse.csr_array(x), x.tolist()):
        assert np.array_equal(exact_moments(rows, 3.0).total, expected.total)


def test_duplicates_of_small_integers_do_not_wrap_around():
    x = sparse.coo_array((np.full(3, 100, dtype=np.int8), ([0, 0, 1], [0, 0, 1])), (2, 2))
    assert np.array_equal(exact_moments(x, 256.0).total, np.diag([200**2, 100**2]) * 4**12)
    assert np.array_equal(second_moments(x, 256.0).gram, np.diag([200.0**2, 100.0**2]))


def test_the_rows_given_are_left_as_they_are():
    dense, compressed = X.copy(), halves(X)
    before = compressed.data.copy()
    exact_moments(dense, 1.0)
    exact_moments(compressed, 1.0)
    assert np.array_equal(dense, X)
    assert np.array_equal(compressed.data, before)


def test_threads_change_nothing():
    limits = pytest.importorskip("threadpoolctl").threadpool_limits
    x = normalised(20_000, 64)
    totals = []
    for threads in (1, 2):
        with limits(threads):
            totals.append(exact_moments(x, 1.0).total)
    assert np.array_equal(*totals)


def test_full_rows_fill_float64_and_int64_to_the_end():
    """All rows ``e_1``: a block sums up to ``2**53``, and ``2**22`` rows to ``2**62``."""
    rows = np.zeros((gram.EXACT_ROWS, 2))
    rows[:, 0] = 1.0
    block = exact_moments(rows, 1.0)
    assert block.total.tolist() == [[2**53, 0], [0, 0]]
    whole = exact_moments((rows for _ in range(512)), 1.0)
    assert (whole.count, whole.total.dtype, whole.total[0, 0]) == (gram.INT64_ROWS, object, 2**62)
    more = whole + block
    assert (more.total.dtype, more.total[0, 0]) == (object, 2**62 + 2**53)
    assert (block + more).total[0, 0] == 2**62 + 2**54


def test_odd_entries_lose_bits_in_one_row_more_than_a_block():
    """The number of rows of a block is the largest: the sum ``2**53`` of one block and one odd row is not a float."""
    q = np.full((gram.EXACT_ROWS + 1, 1), 2.0**20)
    q[-1] = 1
    assert int(gram._product(q)[0, 0]) != 2**53 + 1
    assert exact_moments(np.ldexp(q, -20), 1.0).total[0, 0] == 2**53 + 1


def test_the_mean_is_near_that_of_floats():
    exact = exact_moments(X, 1.0)
    np.testing.assert_allclose(np.ldexp(exact.total.astype(float), -40), second_moments(X, 1.0).gram, atol=2e-3)


def test_sums_of_unlike_things_are_refused():
    one = ExactMoments.zero(2, 20)
    with pytest.raises(ValueError, match="one width, got 2 and 3 columns"):
        one + ExactMoments.zero(3, 20)
    with pytest.raises(ValueError, match=r"one unit, got 2\*\*-20 and 2\*\*-19"):
        one + ExactMoments.zero(2, 19)


NOT_FINITE = rf"^(column 'a' of )?X must be finite, but entry (\(777, 0\)|777) is not: {re.escape(ZERO_ROWS)}$"
BAD = {
    0.5: "^X must have rows of norm at most 1, but row 777 is longer: ",
    1e300: "^X must have rows of norm at most 1, but row 777 is longer: ",
    math.nan: NOT_FINITE,
    math.inf: NOT_FINITE,
}


@pytest.mark.parametrize("form", PLACED)
@pytest.mark.parametrize("value", BAD)
def test_a_row_is_refused_by_its_place_and_no_number_of_it(form, value, monkeypatch):
    monkeypatch.setattr(gram, "INT64_ROWS", 500)
    bad = np.where(np.arange(len(X))[:, None] == 777, value, X)
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=BAD[value]):
        exact_moments(FORMS[form](bad), 1.0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (iter([]), "must not be empty, got no chunks"),
        (iter([X, X[:, :3]]), "one width, got 6 and 3 columns"),
        (iter([X[:0], X[:0]]), "must not be empty, got no rows"),
        (sparse.csr_array(X * 1j), "must be real, got complex"),
        (X * 1j, "must be real, got complex"),
        (X[0], r"must have shape \(n, d\)"),
        (np.array([["a"]]), "must hold numbers"),
    ],
)
def test_what_is_not_rows_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        exact_moments(rows, 1.0)


def strassen(q):
    """One step of Strassen's method for ``q.T @ q``."""
    half = q.shape[1] // 2
    a, b = q[: len(q) // 2], q[len(q) // 2 :]
    a11, a12, a21, a22 = a[:, :half].T, b[:, :half].T, a[:, half:].T, b[:, half:].T
    b11, b12, b21, b22 = a[:, :half], a[:, half:], b[:, :half], b[:, half:]
    m = [
        (a11 + a22) @ (b11 + b22),
        (a21 + a22) @ b11,
        a11 @ (b12 - b22),
        a22 @ (b21 - b11),
        (a11 + a12) @ b22,
        (a21 - a11) @ (b11 + b12),
        (a12 - a22) @ (b21 + b22),
    ]
    return np.block([[m[0] + m[3] - m[4] + m[6], m[2] + m[4]], [m[1] + m[3], m[0] - m[1] + m[2] + m[5]]])


def single(q):
    """A product of parts in single precision."""
    high = q.astype(np.float32)
    return (high.T @ high).astype(float)


@pytest.mark.parametrize("product", [strassen, single])
def test_a_library_that_does_not_multiply_classically_is_refused(product, monkeypatch):
    q = np.random.default_rng(5).integers(0, 9, (64, 8)).astype(float)
    assert np.array_equal(product(q), q.T @ q)
    monkeypatch.setattr(gram, "_product", product)
    gram.require_classical_products.cache_clear()
    with pytest.raises(RuntimeError, match="exact on integers"):
        exact_moments(X, 1.0)
    lazy = dask(64, 3)(X)
    with pytest.raises(RuntimeError, match="exact on integers"):
        exact_moments(lazy, 1.0)
    monkeypatch.undo()
    exact_moments(X, 1.0)
