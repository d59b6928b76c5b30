"""Matrices as integers, and their exact products with blocks of integers, whatever the form, size and threads."""

import itertools
import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dpspectra.certified import gram
from dpspectra.certified.gram import require_classical_products
from dpspectra.certified.products import exact_product, nearest
from dpspectra.matrices.symmetry import is_symmetric_sparse
from tests.support.forms import MATRICES as FORMS_OF_MATRICES
from tests.support.forms import dask
from tests.support.helpers import optional

RNG = np.random.default_rng(0)
DIGITS = 20


def integers(a):
    """The matrix of integers by its definition, in rational numbers."""
    t = DIGITS if a.dtype.kind == "f" else 0
    rows = [[math.floor(Fraction(x) * 2**t + Fraction(1, 2)) for x in row] for row in a.tolist()]
    return np.array(rows, dtype=object)


def in_parts(a):
    """By coordinates, each entry of integers stored as the sum of two."""
    one = sparse.coo_array(a)
    half = one.data // 2 if a.dtype.kind in "iu" else one.data
    rest = one.data - half if a.dtype.kind in "iu" else np.zeros_like(one.data)
    places = tuple(np.concatenate([x, x]) for x in one.coords)
    return sparse.coo_array((np.concatenate([half, rest]), places), a.shape)


SAME = "Fortran order", "every second column of a wider array", "csr", "csc", "dask", "dask in one block"
FORMS = {
    "lists": lambda a: a.tolist() if a.dtype.kind != "u" and a.itemsize == 8 else a,
    "array": np.asarray,
    "coo in parts": in_parts,
    **{name: FORMS_OF_MATRICES[name] for name in SAME},
}
MATRICES = {
    "floats": RNG.normal(size=(9, 7)),
    "halves of a unit": np.ldexp(RNG.integers(-99, 99, (9, 7)) + 0.5, -DIGITS),
    "beside halves": np.nextafter(np.ldexp(RNG.integers(-9, 9, (9, 7)) + 0.5, -DIGITS), np.inf),
    "two limbs": RNG.normal(size=(9, 7)) * 1e6,
    "many limbs": RNG.normal(size=(9, 7)) * 1e100,
    "whole": np.rint(RNG.normal(size=(9, 7)) * 9),
    "whole and as large as a limb": RNG.integers(1 - 2**27, 2**27, (9, 7)).astype(float),
    "whole, except one": np.eye(9, 7) + 0.5 * np.eye(9, 7, 6),
    "whole in float32": np.rint(RNG.normal(size=(9, 7)) * 9).astype(np.float32),
    "tiny": RNG.normal(size=(9, 7)) * 1e-300,
    "nothing": np.zeros((9, 7)),
    "small integers": RNG.integers(-9, 9, (9, 7)),
    "int8": RNG.integers(-128, 127, (9, 7)).astype(np.int8),
    "all of int64": np.where(RNG.random((9, 7)) < 0.2, -(2**63), RNG.integers(-(2**63), 2**63 - 1, (9, 7))),
    "all of uint64": RNG.integers(0, 2**64 - 1, (9, 7), dtype=np.uint64),
    "truth values": RNG.random((9, 7)) < 0.5,
    "float32": RNG.normal(size=(9, 7)).astype(np.float32),
}


NOT_IN_PARTS = {"truth values", "all of int64", "all of uint64"}
"""Matrices whose parts add up to truth values, or are refused."""


@pytest.mark.parametrize(
    ("form", "name"), [(f, m) for f in FORMS for m in MATRICES if not (f == "coo in parts" and m in NOT_IN_PARTS)]
)
def test_every_form_is_multiplied_without_an_error(name, form):
    """By blocks as narrow and as wide as the kernel for sparse matrices takes, with small and large integers."""
    a = MATRICES[name]
    given = FORMS[form](a)
    q, found = integers(a), exact_product(given, DIGITS)
    assert (found.shape, found.exponent) == (a.shape, DIGITS if isinstance(given, list) or a.dtype.kind == "f" else 0)
    if isinstance(given, list) and a.dtype.kind != "f":  # no type is declared
        q = q.astype(object) << DIGITS
    assert not found.is_symmetric()
    for bits, width in ((1, 1), (20, 3), (20, 9), (45, 2)):
        x, y = (RNG.integers(-(2**bits), 2**bits, (n, width)) for n in (7, 9))
        dilated = found.dilated().forward(np.concatenate([y, x]))
        assert found.forward(x).tolist() == (q @ x.astype(object)).tolist() == dilated[:9].tolist()
        assert found.backward(y).tolist() == (q.T @ y.astype(object)).tolist() == dilated[9:].tolist()
    assert found.dilated().is_symmetric()


def test_results_are_int64_where_they_fit():
    a, x = np.array([[2**40, 2**40]]), np.array([[2**20], [2**20]])
    for form in (np.asarray, sparse.csr_array):
        found = exact_product(form(a), 0)
        assert found.forward(x).dtype == np.int64
        assert found.forward(2 * x).dtype == object
        assert found.forward(2 * x).tolist() == [[2**62]]


def test_whole_numbers_and_their_likes_make_the_same_products():
    """Multiplied as they are, and scaled, or in digits; also where scaling leads out of int64."""
    a, x = np.rint(RNG.normal(size=(50, 50)) * 9), RNG.integers(-(2**30), 2**30, (50, 9))
    tiny = np.ldexp(1.0, -30)  # too small to change an integer, and the numbers are no longer whole
    for form in (np.asarray, sparse.csr_array):
        whole, other = (exact_product(form(b), DIGITS).forward(x) for b in (a, a + tiny * (a != 0)))
        assert whole.dtype == other.dtype == np.int64
        assert np.array_equal(whole, other)
        assert np.array_equal(whole, (a.astype(int) @ x) << DIGITS)
    big = exact_product(a, 40).forward(x)
    assert big.dtype == object
    assert big.tolist() == (a.astype(int).astype(object) @ x.astype(object) << 40).tolist()


def test_threads_change_nothing():
    limits = pytest.importorskip("threadpoolctl").threadpool_limits
    a, x = RNG.normal(size=(600, 600)), RNG.integers(-(2**20), 2**20, (600, 20))
    found = []
    for threads in (1, 2):
        with limits(threads):
            found.append(exact_product(a, DIGITS).forward(x))
    assert np.array_equal(*found)


def test_sums_up_to_the_last_integer_of_float64_are_taken_in_one_product():
    """Above, odd sums would lose their last bit; cutting the block keeps it."""
    a = np.full((1, 64), 2**27 - 1)
    for size in (2**20 - 1, 2**20 + 1, 2**26 + 1):
        x = np.full((64, 1), size)
        x[0] += 1
        assert exact_product(a, 0).forward(x).tolist() == [[(2**27 - 1) * (64 * size + 1)]]


def test_one_integer_more_is_one_more():
    """The attack on float32 and float64: neighbours by 1 whose products differ by 2 and more."""
    x = np.array([[1], [0]])
    for large in (2**40 + 2**16, 2**53, 2**60, 2**62):
        for form in (np.asarray, sparse.csr_array, dask(1, 2)):
            one, other = (exact_product(form(np.array([[large + i, 0], [0, 1]])), 20) for i in (0, 1))
            assert int(other.forward(x)[0, 0]) - int(one.forward(x)[0, 0]) == 1


SYMMETRIC = {
    "floats": lambda a: a + a.T,
    "integers": lambda a: np.round(9 * (a + a.T)).astype(int),
    "large": lambda a: np.round(1e15 * (a + a.T)).astype(int),
    "with zeros": lambda a: (a + a.T) * (np.abs(a + a.T) > 1),
}


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("form", [f for f in FORMS if f != "lists"])
def test_symmetry_is_decided_exactly(name, form):
    a = SYMMETRIC[name](np.random.default_rng(3).normal(size=(30, 30)))
    assert exact_product(FORMS[form](a), DIGITS).is_symmetric()
    b = a.copy()
    b[29, 0] += 1 if a.dtype.kind == "i" else 2.0**-DIGITS
    assert not exact_product(FORMS[form](b), DIGITS).is_symmetric()
    if name == "large":
        b[29, 0] += 2**27 - 1  # no low digit differs
        assert not exact_product(FORMS[form](b), DIGITS).is_symmetric()
    c = a.copy()
    c[29, 0] += 0 if a.dtype.kind == "i" else 2.0 ** -(DIGITS + 20)
    c[29, 0], c[0, 29] = (np.ldexp(np.rint(np.ldexp(x, DIGITS)), -DIGITS) for x in (a[29, 0], a[0, 29]))
    assert exact_product(FORMS[form](c.astype(a.dtype)), DIGITS).is_symmetric()


@pytest.mark.parametrize("numba", [True, False])
def test_symmetry_of_all_patterns_of_order_three(numba, monkeypatch):
    if numba:
        pytest.importorskip("numba")
    else:
        monkeypatch.setitem(sys.modules, "dpspectra.matrices.sparse_products", None)
    for pattern in itertools.product((0, 1), repeat=9):
        a = np.reshape(pattern, (3, 3)) * np.array([[7, 1, 2], [1, 8, 3], [2, 3, 9]], dtype=np.int8)
        assert is_symmetric_sparse(sparse.csr_array(a)) == np.array_equal(a, a.T)
        b = a + np.eye(3, k=1, dtype=np.int8) * (a != 0)  # other values at the same places
        assert is_symmetric_sparse(sparse.csr_array(b)) == np.array_equal(b, b.T)


def test_symmetry_of_a_large_sparse_matrix():
    """Rows of more entries than the kernel looks ahead."""
    half = sparse.random_array((400, 400), density=0.2, rng=RNG, format="csr")
    a = sparse.csr_array(half + half.T)
    assert is_symmetric_sparse(a)
    for i in RNG.integers(0, a.nnz, 50):
        b = a.copy()
        b.data[i] += 1.0
        row = np.searchsorted(b.indptr, i, side="right") - 1
        assert is_symmetric_sparse(b) == (b.indices[i] == row)


def test_stored_zeros_and_disorder_are_no_asymmetry():
    a = sparse.csr_array(([1.0, 0.0, 2.0, 2.0], [2, 1, 2, 0], [0, 2, 3, 4]), (3, 3))
    assert not exact_product(a, DIGITS).is_symmetric()
    b = sparse.csr_array(([1.0, 0.0, 5.0, 1.0], [2, 1, 1, 0], [0, 2, 3, 4]), (3, 3))
    assert exact_product(b, DIGITS).is_symmetric()


@pytest.mark.parametrize(
    "y", [0.5, -0.5, 1.5, -1.5, np.nextafter(0.5, 0), np.nextafter(-0.5, 0), 2.0**52 - 0.5, -(2.0**53)]
)
def test_halves_go_up(y):
    assert nearest(np.array([y])).tolist() == [math.floor(Fraction(y) + Fraction(1, 2))]


def test_the_matrix_given_is_left_as_it_is():
    a = RNG.normal(size=(5, 4))
    for form in (np.asarray, sparse.csr_array, in_parts):
        given: Any = form(a.copy())
        exact_product(given, DIGITS).forward(np.ones((4, 2), int))
        assert np.array_equal(given if form is np.asarray else given.toarray(), a)


BAD = {
    "operator": (aslinearoperator(np.eye(3)), "A must have entries that can be read"),
    "complex": (np.eye(3) * 1j, "A must be real"),
    "complex and sparse": (sparse.csr_array(np.eye(3) * 1j), "A must be real"),
    "vector": (np.ones(3), "A must be a matrix and not empty"),
    "empty": (np.zeros((0, 3)), "A must be a matrix and not empty"),
    "not finite": (np.array([[1.0, math.nan]]), r"A must be finite, but entry \(0, 1\) is not"),
    "not finite and sparse": (sparse.csr_array([[1.0, math.inf]]), "stored values of A must be finite"),
    "huge": (np.array([[1e200]]), r"A must have finite entries below 2\*\*400"),
    "huge and sparse": (sparse.csr_array([[-1e200]]), r"A must have finite entries below 2\*\*400"),
    "large integers in parts": (
        sparse.coo_array((np.array([2**62, 2**62]), ([0, 0], [0, 0])), (1, 1)),
        "A must store each entry once where integers are as large as its",
    ),
    "masked": (np.ma.array([[1.0, 2.0]], mask=[[0, 1]]), "A must have no masked values"),
    "long": (sparse.csr_array((1, 2**26)), "A must have at most 33554432 rows and columns"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_exact_is_refused(name):
    with pytest.raises(ValueError, match=BAD[name][1]):
        exact_product(BAD[name][0], DIGITS)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here")
def test_long_doubles_are_refused():
    with pytest.raises(ValueError, match="A must have entries of at most 64 bits"):
        exact_product(np.eye(2, dtype=np.longdouble), DIGITS)


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e200])
def test_a_dask_array_is_refused_by_what_is_in_it(value):
    a = np.eye(5)
    a[4, 4] = value
    with pytest.raises(ValueError, match=r"A must have finite entries below 2\*\*400"):
        exact_product(dask(4, 3)(a), DIGITS)


UNDECLARED = {
    "lists": lambda a: a,
    "tuples": lambda a: tuple(map(tuple, a)),
    "objects": lambda a: np.array(a, dtype=object),
}


@pytest.mark.parametrize("wrap", UNDECLARED.values(), ids=UNDECLARED)
def test_numbers_that_numpy_would_round_go_to_the_grid_exactly(wrap):
    """A list becomes floats, in which one more than ``2**60`` is no other number: a change by 1 must stay 1."""
    entries = (
        2**60,
        2**60 + 1,
        Fraction(1, 3),
        Decimal("0.6"),
        Decimal("-0.5"),
        True,
        0.1,
        np.float32(0.1),
        np.int8(-3),
    )
    for entry in entries:
        for other in (0.5, 1, 2**80):
            found = exact_product(wrap([[entry, other]]), DIGITS)
            want = [math.floor(Fraction(x) * 2**DIGITS + Fraction(1, 2)) for x in (plain(entry), other)]
            assert found.exponent == DIGITS
            assert found.forward(np.eye(2, dtype=np.int64)).tolist() == [want]
    assert exact_product(wrap([[2**60 + 1, 2], [2, 3]]), DIGITS).is_symmetric()
    assert not exact_product(wrap([[2, 2**60 + 1], [2**60, 3]]), DIGITS).is_symmetric()


def plain(number):
    return number.item() if isinstance(number, np.generic) else number


def test_the_type_of_a_table_is_no_type():
    """It follows from the entries: one that is missing or a half makes all of them floats."""
    pandas = optional("pandas")
    polars = optional("polars")
    for frame in (pandas.DataFrame({"a": [5, 1], "b": [1, 3]}), polars.DataFrame({"a": [5, 1], "b": [1, 3]})):
        found = exact_product(frame, DIGITS)
        assert found.exponent == DIGITS
        assert found.forward(np.eye(2, dtype=np.int64)).tolist() == [
            [5 << DIGITS, 1 << DIGITS],
            [1 << DIGITS, 3 << DIGITS],
        ]


def test_blocks_of_another_type_than_they_should_be_are_refused():
    a = dask(4, 3)(np.eye(4)).map_blocks(lambda x: x, dtype=np.int64, meta=np.empty((0, 0), np.int64))
    with pytest.raises(ValueError, match="A must have blocks of its type int64, got one of float64"):
        exact_product(a, DIGITS)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, dask(1, 1)])
def test_a_library_that_does_not_multiply_classically_is_refused(form, monkeypatch):
    monkeypatch.setattr(gram, "_product", lambda q: (q.astype(np.float32).T @ q.astype(np.float32)).astype(float))
    require_classical_products.cache_clear()
    with pytest.raises(RuntimeError, match="exact on integers"):
        exact_product(form(np.eye(2)), DIGITS)
    monkeypatch.undo()
    require_classical_products.cache_clear()
