"""What refusals say of data: shapes and places, but never a value or what was computed from values.

Each door gets data in which everything that could be shown is made of one number, and is made to refuse it.
"""

from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import dpspectra as dps
from dpspectra import Matrix, private_orbit
from dpspectra.cli import run
from dpspectra.ground import checks
from tests.support.helpers import keeps, refuses

SECRET = 0.7315246
NAN = float("nan")


class Missing:
    """Stands in for the missing value of a data frame, whose representation could be anything."""

    def __repr__(self):
        return str(SECRET)


def objects(*rows):
    return np.array(rows, dtype=object)


def masked(*hidden):
    return np.ma.array(np.full((2, 2), SECRET / 2), mask=[list(hidden), [False, False]])


ROWS = {
    "long row": ([[0.1, 0.2], [SECRET, 3 * SECRET]], "norm at most 1, but row 1 is longer"),
    "not finite": ([[SECRET, NAN]], "must be finite, but entry (0, 1) is not"),
    "complex": ([[SECRET * 1j, SECRET]], " real"),
    "vector": ([SECRET, SECRET], "must"),
    "ragged": ([[SECRET, SECRET], [SECRET]], "must be a rectangular array"),
    "text": ([[str(SECRET), "1"]], "must hold numbers"),
    "text among objects": (
        objects([SECRET, str(SECRET)]),
        "must hold numbers, but entry (0, 1) is missing",
    ),
    "None": (objects([0.1, 0.2], [SECRET, None]), "must hold numbers, but entry (1, 1) is missing"),
    "missing": (objects([Missing(), SECRET]), "must hold numbers, but entry (0, 0) is missing"),
    "not finite among objects": (objects([SECRET, NAN]), "must be finite, but entry (0, 1) is not"),
    "long integer": (objects([SECRET, int(SECRET * 1e7) * 10**400]), "must hold numbers that float64 can hold"),
    "mask": (masked(False, True), "must have no masked values, but entry (0, 1) is masked"),
    "masks in a list": (
        [np.ma.array([SECRET, 0.1]), np.ma.array([0.1, SECRET], mask=[0, 1])],
        "but entry (1, 1) is masked",
    ),
}
"""Rows by what is wrong with them, and what is said."""
DOORS = {
    "laplace_covariance": lambda x, rng: dps.laplace_covariance(x, 1.0, rng=rng),
    "symmetric_wishart_covariance": lambda x, rng: dps.symmetric_wishart_covariance(x, 1.0, rng=rng),
    "private_mean": lambda x, rng: dps.private_mean(x, 1.0, rng=rng),
    "private_pca": lambda x, rng: dps.private_pca(x, 1, 1.0, center="none", rng=rng),
    "private_pca about a mean": lambda x, rng: dps.private_pca(x, 1, 1.0, center="mean", rng=rng),
    "row_counting_direction": lambda x, rng: dps.row_counting_direction(x, 1.0, aligned=1, rng=rng),
    "second chunk": lambda x, rng: dps.laplace_covariance(iter([np.zeros((2, 2)), x]), 1.0, rng=rng),
    "private_power_method": lambda x, rng: dps.private_power_method(
        x, 1, 1.0, relation="spectral", iterations=1, rng=rng
    ),
    "private_range_finder": lambda x, rng: dps.private_range_finder(x, 1, 1.0, 1e-6, rng=rng),
    "streaming": lambda x, rng: dps.streaming_power_method([x], 1, rows_per_round=9, rng=0),
}
UNBOUNDED = {"row_counting_direction", "private_power_method", "private_range_finder", "streaming"}
"""Doors without a bound on the norm of a row."""


@pytest.mark.parametrize(
    ("door", "fault"), [(d, f) for d in DOORS for f in ROWS if not (f == "long row" and d in UNBOUNDED)]
)
def test_what_is_wrong_with_rows_is_said_by_its_place(door, fault):
    data, message = ROWS[fault]
    if door == "second chunk":
        message = message.replace("row 1", "row 3").replace("(1,", "(3,").replace("(0,", "(2,")
    with pytest.raises(ValueError, match="must") as caught:
        DOORS[door](data, np.random.default_rng(0))
    assert message in str(caught.value)
    keeps(str(caught.value))


MATRICES = {
    "not Hermitian": (
        [[2.0, SECRET], [0.0, 2.0]],
        "must be Hermitian, but entry (0, 1) and its mirror image do not match",
    ),
    "negative": ([[1.0, 0.0], [0.0, -SECRET]], "must be positive semidefinite, got a negative eigenvalue"),
    "not finite": ([[SECRET, NAN], [NAN, SECRET]], "must be finite, but entry (0, 1) is not"),
    "sparse": (sparse.csr_array(np.eye(2) * SECRET), "must be a dense array, got a sparse matrix"),
    "operator": (aslinearoperator(np.eye(2) * SECRET), "must be an array of numbers, got an object of type"),
    "object": (objects([SECRET, Missing()], [Missing(), SECRET]), "must hold numbers, but entry (0, 1) is missing"),
    "mask": (masked(True, False), "must have no masked values, but entry (0, 0) is masked"),
    "text": (str(SECRET), "must hold numbers"),
}
"""Matrices by what is wrong with them, and what is said."""
MATRIX_DOORS = {
    "private_orbit": lambda m, rng: private_orbit(Matrix(m), [1.0, 0.0], 1.0, rng=rng),
    "private_low_rank": lambda m, rng: dps.private_low_rank(Matrix(m), 1, 1.0, rng=rng),
    "private_spectrum": lambda m, rng: dps.private_spectrum(Matrix(m), 1, 1.0, rng=rng),
    "sampling.orbit": lambda m, rng: dps.sampling.orbit(m, [1.0, 0.0], 1.0, rng=rng),
    "sampling.bingham": lambda m, rng: dps.sampling.bingham(m, rng=rng),
}
HERMITIAN = {"sampling.orbit", "sampling.bingham"}
"""Doors that take any Hermitian matrix."""


@pytest.mark.parametrize(
    ("door", "fault"), [(d, f) for d in MATRIX_DOORS for f in MATRICES if not (f == "negative" and d in HERMITIAN)]
)
def test_what_is_wrong_with_a_matrix_is_said_by_its_place(door, fault):
    data, message = MATRICES[fault]
    with pytest.raises(ValueError, match="must") as caught:
        MATRIX_DOORS[door](data, np.random.default_rng(0))
    assert message in str(caught.value)
    keeps(str(caught.value))


CLOSE = np.diag([SECRET, SECRET, 0.0])
OTHERS = {
    "vertex": lambda rng: private_orbit(Matrix(CLOSE), [1.0, 0.0, 0.0], 1.0, field="complex", method="vertex", rng=rng),
    "tilt": lambda rng: dps.sampling.orbit(
        np.diag([SECRET, 0.0]), [1.0, 0.0], 1e9, field="complex", method="gelfand_tsetlin", rng=rng
    ),
    "descending": lambda rng: dps.sampling.orbit(np.eye(2), [0.0, SECRET], 1.0, rng=rng),
    "start": lambda rng: dps.private_power_method(
        np.eye(2), 1, 1.0, iterations=1, start=np.ma.array([[SECRET], [0.0]], mask=[[1], [0]]), width=1, rng=rng
    ),
    "text as start": lambda rng: dps.private_power_method(
        np.eye(2), 1, 1.0, iterations=1, start=[[str(SECRET)], ["a"]], width=1, rng=rng
    ),
    "basis": lambda rng: dps.private_projection(np.eye(2), [[SECRET], [0.0]], 1.0, 1e-6, rng=rng),
    "symmetric": lambda rng: dps.private_power_method([[0.0, SECRET], [0.0, 0.0]], 1, 1.0, iterations=1, rng=rng),
    "sparse": lambda rng: dps.private_power_method(
        sparse.csr_array([[SECRET, NAN], [NAN, 0.0]]), 1, 1.0, iterations=1, rng=rng
    ),
    "sparse batch": lambda rng: dps.streaming_power_method(
        [sparse.csr_array([[SECRET, NAN]])], 1, rows_per_round=1, rng=0
    ),
    "angles": lambda rng: dps.angles.principal([[SECRET], [0.0]], [[1.0], [0.0]]),
}
"""Refusals of other kinds: of numbers computed from data, and of data in other forms."""


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_computed_from_data_is_shown(name):
    refuses(OTHERS[name], "must")
    with pytest.raises(ValueError, match="must") as caught:
        OTHERS[name](np.random.default_rng(0))
    keeps(str(caught.value))


INPUTS = {
    "no.json": f"{{{SECRET}",
    "words.json": f'{{"first": [{SECRET}, "{SECRET}"], "second": [1, 2]}}',
    "null.json": f'{{"first": [{SECRET}, null], "second": [1, 2]}}',
    "nan.json": f'{{"first": [{SECRET}, NaN], "second": [1, 2]}}',
    "ragged.json": f'{{"first": [[{SECRET}], [1, 2]], "second": [1, 2]}}',
    "keys.json": f'{{"first": [1], "{SECRET}": [2]}}',
    "same.json": f'{{"first": [{SECRET}], "second": [{SECRET}]}}',
    "list.json": f"[{SECRET}]",
    "deep.json": f"{'[' * 100000}{SECRET}",
    "encoded.json": f'{{"first": "\xe9{SECRET}"}}',
    "no.npz": str(SECRET),
    "no.npy": str(SECRET),
}
"""Files of pairs and of inputs that are refused."""


@pytest.mark.parametrize("name", INPUTS)
def test_files_of_data_are_refused_without_a_word_of_what_is_in_them(tmp_path, capsys, name):
    path = tmp_path / name
    path.write_bytes(INPUTS[name].encode("latin-1"))
    for words in (
        ["audit", "dpspectra.sampling:haar", "--epsilon", "1", "--pair", str(path)],
        ["conform", "haar", "dpspectra.sampling:haar", "--with", "field=real", "--at", str(path)],
        ["conform", "haar", "dpspectra.sampling:haar", "--with", "field=real", "--at", INPUTS[name][:100]],
    ):
        assert run(words) == 2
        keeps(capsys.readouterr().err.replace(str(path), "FILE"))


def test_a_parameter_is_shown():
    with pytest.raises(ValueError, match=r"got -0\.7315246"):
        dps.laplace_covariance([[0.5]], -SECRET)


TAKEN = {
    "nothing masked": np.ma.array([[0.5, 0.25], [0.0, 1.0]], mask=False),
    "a mask of zeros": np.ma.array([[0.5, 0.25], [0.0, 1.0]], mask=np.zeros((2, 2), bool)),
    "objects": objects([0.5, Decimal("0.25")], [False, np.float32(1)]),
    "objects in lists": [[0.5, Decimal("0.25")], [0, np.True_]],
}


@pytest.mark.parametrize("form", TAKEN)
def test_plain_numbers_are_taken_in_any_wrapping(form):
    expected = dps.laplace_covariance([[0.5, 0.25], [0.0, 1.0]], 1.0, rng=np.random.default_rng(5)).value
    found = dps.laplace_covariance(TAKEN[form], 1.0, rng=np.random.default_rng(5)).value
    np.testing.assert_array_equal(found, expected)
    assert type(found) is np.ndarray


def test_columns_of_a_data_frame_are_taken_unless_a_value_is_missing():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [0.5, 0.0], "b": [0.25, 1.0]})
    expected = dps.laplace_covariance(frame, 1.0, rng=np.random.default_rng(5)).value
    for form in (frame.convert_dtypes(), frame.astype(object), frame.astype("Float64")):
        found = dps.laplace_covariance(form, 1.0, rng=np.random.default_rng(5)).value
        np.testing.assert_array_equal(found, expected)
    frame = frame.astype("Float64")
    frame.loc[1, "b"] = pd.NA
    with pytest.raises(ValueError, match=r"^column 'b' of X must be finite, but entry 1 is not"):
        dps.laplace_covariance(frame, 1.0)


def test_masks_on_a_cluster_are_refused_too():
    array = pytest.importorskip("dask.array")
    x = array.from_array(masked(False, True), chunks=(1, 2), asarray=False)
    for call in (
        lambda: dps.laplace_covariance(x, 1.0),
        lambda: dps.private_power_method(x, 1, 1.0, iterations=1),
        lambda: dps.private_spectrum(Matrix(x), 1, 1.0),
    ):
        with pytest.raises(ValueError, match="must have no masked values"):
            call()


def test_numbers_are_finite_even_if_their_sum_overflows():
    checks.require_finite(np.full(3, 1e308), "X")
