import operator

import numpy as np
import pytest

from dpspectra.audit.from_inside import inside
from dpspectra.symbolic.pandas_operands import kinds, one_by_one
from tests.support.noise_runs import followed_nearby, real, recorded, runner

pd = pytest.importorskip("pandas")

OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv)
TABLES = (
    pd.Series([1.0, -2.0, 4.0], index=["a", "b", "c"], name="n"),
    pd.Series([1, 2, 3], index=pd.Index([7, 8, 9], name="i")),
    pd.DataFrame({"u": [1.0, 2.0], "v": [3, 4]}, index=["x", "y"]),
)


@pytest.mark.parametrize("table", TABLES, ids=["floats", "integers", "table"])
@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("single", [False, True])
def test_a_followed_table_is_the_one_of_pandas(table, op, reverse, single):
    shape = () if single else table.shape

    def mechanism(x, rng):
        noise = rng.laplace(size=shape) if shape else rng.laplace()
        return op(noise, x) if reverse and op is not operator.truediv else op(x, noise)

    it = runner(mechanism, (table, table))
    with followed_nearby():
        record = it.record(0)
        it.check(0, record)
    assert list(mechanism(table, real(1)).index) == list(table.index)
    if op is not operator.truediv:  # a quotient by noise is looked at
        assert not record.hidden
        assert len(record.values) == table.size


def plus(x, rng):
    return pd.Series([x, 2.0], index=["a", "b"]) + rng.laplace(size=2)


def around(x, rng):
    return rng.laplace(size=2) + pd.Series([x, 2.0])


def of_array(x, rng):
    return pd.Series(np.array([x, 2.0]) + rng.laplace(size=2), name="n")


def in_place(x, rng):
    table = pd.DataFrame({"a": [x, 2.0]})
    table["a"] += rng.laplace(size=2)
    return table


def counted(x, rng):
    counts = pd.Series(["u"] * int(1 + x) + ["v"]).value_counts().sort_index()
    return (counts + rng.laplace(size=len(counts))).to_dict()


@pytest.mark.parametrize("mechanism", [plus, around, of_array, in_place, counted])
def test_noise_of_a_column_meets_its_claim_and_none_below(mechanism):
    result = inside(mechanism, (0.0, 1.0), 1.0)
    assert (result.verdict, result.loss) == ("explained", pytest.approx(1.0))
    assert inside(mechanism, (0.0, 1.0), 0.9).verdict == "refuted"


def test_public_attributes_stay():
    def mechanism(x, rng):
        column = pd.Series([x], name="n")
        column.attrs["unit"] = "m"
        return column + rng.laplace()

    assert inside(mechanism, (0.0, 1.0), 1.0).verdict == "explained"


def by_type(x, rng):
    noisy = pd.Series([1.0, 2.0]) + rng.laplace(size=2)
    return noisy if noisy.dtype == object else pd.Series([x, 2.0])


def private_scale(x, rng):
    return pd.Series([1.0, 2.0]) + rng.laplace(scale=1 + x, size=2)


def twice(x, rng):
    noise = rng.laplace(size=2)
    return pd.Series([x, 2.0]) + noise, pd.Series([x, 2.0]) * 2 + noise


def in_the_index(x, rng):
    return pd.Series([1.0], index=[x]) + rng.laplace()


def in_the_name(x, rng):
    return pd.Series([1.0], name=str(x)) + rng.laplace()


def in_the_attributes(x, rng):
    column = pd.Series([1.0])
    column.attrs["x"] = x
    return column + rng.laplace()


def written_over(x, rng):
    column = pd.Series([1.0, 2.0]) + rng.laplace(size=2)
    column.iloc[0] = x
    return column


def missing(x, rng):
    return pd.Series([x, np.nan if x else 1.0]) + rng.laplace(size=2)


def kept_beside(x, rng):
    column = pd.Series([x, 2.0])
    noisy = column + rng.laplace(size=2)
    return noisy, column


def made_of_noise(x, rng):
    noise = rng.laplace(size=2)
    column = pd.Series(noise)
    noise += x
    return column, noise


LEAKS = [by_type, private_scale, twice, in_the_index, in_the_name, in_the_attributes, written_over, missing]


@pytest.mark.parametrize("mechanism", [*LEAKS, kept_beside, made_of_noise], ids=lambda f: f.__name__)
def test_what_leaks_beside_noise_is_not_explained(mechanism):
    assert inside(mechanism, (0.0, 1.0), 1.0, seconds=10).verdict != "explained"


def test_other_columns_and_subclasses_are_left_to_pandas():
    class Mine(pd.Series):  # type: ignore[name-defined]
        pass

    for column in (pd.Series([True, False]), pd.Series([1, 2], dtype="Int64"), Mine([1.0, 2.0])):
        found = recorded(lambda x, rng, column=column: (column + rng.laplace(size=2)).sum())
        assert found.hidden, type(column)


def test_what_pandas_holds_is_read_one_by_one():
    assert one_by_one(3) == 3
    column = pd.Series([1.0])
    assert one_by_one(column) is column
    assert kinds() == (pd.Series, pd.DataFrame)


def test_an_output_that_a_library_cannot_read_is_undecided():
    result = inside(lambda x, rng: pd.Series(rng.laplace(size=2)).to_frame(), (0.0, 1.0), 1.0)
    assert result.verdict == "undecided"


def test_pandas_is_as_before_after_an_audit():
    before = pd.Series.__dict__["_arith_method"], pd.DataFrame.__dict__["_arith_method"]
    inside(plus, (0.0, 1.0), 1.0)
    assert (pd.Series.__dict__["_arith_method"], pd.DataFrame.__dict__["_arith_method"]) == before
