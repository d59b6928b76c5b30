"""Attacks on what runs, each of which told neighbours apart, or spent what was not paid, before it was mended.

None of them attacks noise: they use what stands around it, as details, refusals, types, claims and budgets.
"""

import copy
import dataclasses
import itertools
import math
import pickle
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified.gram import exact_moments
from dpspectra.fast.gaussian_profile import profile
from tests.support.helpers import entropy, optional

X = np.array([[0.5, 0.25], [0.125, 0.0], [0.0, 0.5]])
TOTAL = {"rows": "clip", "bad_rows": "zero"}


# ---------------------------------------------------------------- budgets


def test_a_run_that_was_seen_is_paid_for():
    """A `ValueError` from a checkpoint gave everything back, after ten noisy states had been seen."""
    seen, budget = [], dps.Budget(1.0, 1e-6, relation="pair")

    def closed_file(state):
        seen.append(state)
        if len(seen) == 10:
            raise ValueError("I/O operation on closed file")

    with pytest.raises(ValueError, match="closed file"):
        budget.release(dps.private_power_method, np.eye(4), 1, 1.0, 1e-6, iterations=12, checkpoint=closed_file, rng=0)
    assert len(seen) == 10
    assert budget.spent == (1.0, 1e-6)


def test_traces_and_norms_are_not_found_by_refusals():
    """45 calls found the trace to ten digits for epsilon 2e-8, and the largest norm to seven."""
    budget = dps.Budget(1.0)
    answers = []
    for step in range(45):
        try:
            budget.release(dps.private_mean, X, 1e-9, norm_bound=1.0 / 2**step)
            answers.append("taken")
        except dps.BudgetError:  # by public numbers alone
            pass
        except ValueError:
            answers.append("refused")
    assert len(answers) <= 2  # one bound only: one bit
    assert len(budget.claims) == len(answers)
    matrices = dps.Matrix(np.diag([5.0, 1.0])), dps.Matrix(np.diag([50.0, 1.0]))
    details = [dps.private_orbit(m, [1.0, 0.0], 1.0, trace=10.0, rng=0).details for m in matrices]
    assert details[0] == details[1]


def test_a_bound_that_was_refused_once_stays_the_only_one():
    """Referee 5: a budget with a tiny bound, or whose first call was refused, answered at another bound."""
    budget = dps.Budget(1.0)
    with pytest.raises(ValueError, match="row 0 is longer"):
        budget.release(dps.laplace_covariance, X, 0.1, norm_bound=0.25)
    assert budget.spent.epsilon == 0.1
    for bound in (0.5, 1.0, 0.125):
        with pytest.raises(dps.BudgetError, match=r"the budget is for neighbours 'One row of norm at most 0\.25"):
            budget.release(dps.laplace_covariance, X, 0.1, norm_bound=bound)
    budget.release(dps.laplace_covariance, X, 0.1, norm_bound=0.125, **TOTAL)


def test_claims_of_different_bounds_are_not_alike():
    """`row_change` of 1e-9 and of 1 gave equal claims, and budgets added both up."""
    A = np.eye(4)
    one, tiny = (dps.private_range_finder(A, 1, 1.0, 1e-3, row_change=c, rng=0).claim for c in (1.0, 1e-9))
    assert one != tiny
    assert "at most 1e-09" in tiny.neighbours
    budget = dps.Budget(3.0, 1e-2, relation="row")
    budget.spend(one)
    with pytest.raises(dps.BudgetError, match=r"the budget is for neighbours .* at most 1.*got a claim for .* 1e-09"):
        budget.spend(tiny)
    assert dps.compose([one, tiny]).change == 1e-9


def test_a_type_error_after_the_charge():
    """`norm_bound=np.float32(1)` was a `TypeError` from inside, after the budget had been charged."""
    budget = dps.Budget(4.0)
    for mechanism in (dps.laplace_covariance, dps.private_mean, dps.symmetric_wishart_covariance):
        release = budget.release(mechanism, X, 1.0, norm_bound=np.float32(1))
        assert release.claim.norm_bound == 1.0
    budget.release(dps.private_pca, X, 1, 1.0, norm_bound=np.float32(1))


def test_nothing_left_is_nothing_left():
    """After exactly 1.0 a thousand more claims of 1e-15 were taken."""
    budget = dps.Budget(1.0)
    budget.spend(dps.Claim("replace", 1.0))
    for _ in range(10):
        with pytest.raises(dps.BudgetError):
            budget.spend(dps.Claim("replace", 1e-15))
    assert len(budget.claims) == 1


def test_somebody_who_looks_like_us_gets_nothing_back():
    """Own: a function with the name and the module of a mechanism showed rows, and raised `ValueError`."""
    shown = []

    def laplace_covariance(X, epsilon):
        shown.append(X)
        raise ValueError("sorry")

    laplace_covariance.__module__ = dps.laplace_covariance.__module__
    budget = dps.Budget(1.0)
    with pytest.raises(ValueError, match="sorry"):
        budget.release(laplace_covariance, X, 1.0)
    assert shown
    assert budget.spent.epsilon == 1.0


def test_a_wrapper_says_for_whom_it_claims():
    """Own: a wrapper around a mechanism was withheld as one for other neighbours, and closed a new budget."""
    budget = dps.Budget(1.0)
    budget.release(lambda x, epsilon: dps.laplace_covariance(x, epsilon), X, 0.5)
    assert budget.claim.norm_bound == 1.0
    any_row = dps.Budget(1.0, norm_bound=None)
    with pytest.raises(dps.BudgetError, match="the mechanism must claim 'One row is replaced by any other"):
        any_row.release(lambda x, epsilon: dps.laplace_covariance(x, epsilon), X, 0.5)


def test_an_interruption_is_paid_for_after_the_data_are_opened_only():
    """Own: an iterator over chunks that raises `ValueError` half way, after a chunk told its caller something."""

    def chunks():
        yield X
        raise ValueError("the disk is full")

    budget = dps.Budget(1.0)
    with pytest.raises(ValueError, match="X must be readable, but chunk 1 raised ValueError"):
        budget.release(dps.laplace_covariance, chunks(), 0.5)
    assert budget.spent.epsilon == 0.5


# ---------------------------------------------------------------- stopping


def test_stopping_is_no_saving():
    """Referee 4: plan (1, 1e-6), two rounds, go on only if the first was large; the state claimed delta 5e-11.

    The transcript of that policy has delta(1) = 9.5e-7, and (.6889, 1e-6) from `compose` has 1.2e-4 in truth.
    """
    states = []
    plan = {"epsilon": 1.0, "delta": 1e-6, "iterations": 2, "width": 1, "rng": 1}
    whole = dps.private_power_method(np.eye(2), 1, **plan, checkpoint=states.append).claim
    claim, mu = states[0].claim, whole.gdp_mu
    z = mu / math.sqrt(2) + 2  # where the policy stops
    share = math.erf(z / math.sqrt(2)) / 2 + 0.5
    assert share > 0.977
    assert (claim.epsilon, claim.delta, claim.gdp_mu) == (1.0, whole.delta, mu)
    assert claim.used_mu == pytest.approx(mu / math.sqrt(2))
    for options in ({}, {"delta": 1e-6}, {"delta": 1e-6, "method": "gaussian"}):
        together = dps.compose([claim], **options)
        assert together.epsilon >= 0.9999
        assert together.delta >= 0.9999e-6
    with pytest.raises(ValueError, match="delta must be"):
        dps.compose([claim], delta=5.06e-11, method="basic")


def test_a_sum_that_was_reached_is_no_claim():
    """Referee 4: deltas chosen by earlier outputs; `Budget.claim` quoted the sum that was reached."""
    budget = dps.Budget(1.0, 1e-6)
    budget.spend(dps.Claim("replace", 0.5, 1e-11))
    assert (budget.claim.epsilon, budget.claim.delta) == (1.0, 1e-6)
    assert budget.spent == (0.5, 1e-11)
    pure = dps.Budget(1.0)
    pure.spend(dps.Claim("replace", 0.5))
    assert pure.claim.epsilon == 0.5


# ---------------------------------------------------------------- types


@pytest.mark.parametrize("wrap", [lambda a: a, lambda a: tuple(map(tuple, a)), lambda a: np.array(a, dtype=object)])
def test_details_do_not_tell_whether_entries_are_whole(wrap):
    """`[[5, 1], [1, 3]]` and the same with 5.5 had different noise, which is public."""
    pair = [[5, 1], [1, 3]], [[5.5, 1], [1, 3]]
    run = {"iterations": 1, "width": 1, "start": np.eye(2)[:, :1]}
    for mechanism, options in (
        (dps.private_range_finder, {"delta": 1e-6}),
        (dps.randomized_response_low_rank, {"delta": 1e-6}),
        (dps.private_power_method, {"relation": "spectral", "delta": 1e-6, **run}),
        (dps.private_power_method, {"relation": "rank_one", **run}),
    ):
        seen = [mechanism(wrap(a), 1, 1.0, **options, rng=entropy(i)) for i, a in enumerate(pair)]
        assert seen[0].details["noise"] == seen[1].details["noise"]
        assert seen[0].claim == seen[1].claim


def test_the_type_of_a_data_frame_tells_nothing():
    """Own: one missing value, or one half, makes a column of a frame float."""
    pandas = optional("pandas")
    frames = [pandas.DataFrame({"a": [5, 1], "b": [1, value]}) for value in (3, 3.5)]
    found = [dps.private_range_finder(f, 1, 1.0, 1e-6, rng=entropy(2 + i)) for i, f in enumerate(frames)]
    details = [{**release.details, "singular_values": None} for release in found]  # those of the noisy sketch
    assert details[0] == details[1]


def test_integers_of_an_array_are_part_of_the_claim():
    """Referee 7: a unit of floats took an int64 claim, whose public noise tells the two apart."""
    A = np.array([[5, 1], [1, 3]])
    ints, floats = (dps.private_range_finder(a, 1, 1.0, 1e-6, rng=entropy(4 + i)) for i, a in enumerate((A, A + 0.5)))
    assert ints.details["noise"] < floats.details["noise"]
    assert "entries are of type int64" in ints.claim.neighbours
    assert "type of A: float64" in floats.claim.public
    assert not ints.claim.unit.covers(floats.claim.unit)


def test_no_law_is_picked_by_entries():
    """`private_orbit` on lists picked the real or the complex law by what it found in them."""
    found = dps.private_orbit(dps.Matrix([[2.0, 1.0], [1.0, 1.0]]), [1.0, 0.0], 1.0, rng=0)
    assert found.details["field"] == "real"
    with pytest.raises(ValueError, match="M must be of a complex type to hold complex numbers"):
        dps.private_orbit(dps.Matrix([[2.0, 1j], [-1j, 1.0]]), [1.0, 0.0], 1.0, rng=0)
    for m in (np.diag([2.0 + 0j, 1.0]), np.array([[2.0, 1j], [-1j, 1.0]])):
        assert np.iscomplexobj(dps.private_orbit(dps.Matrix(m), [1.0, 0.0], 1.0, rng=0).value)


@pytest.mark.parametrize("entry", [Decimal("0.6"), Fraction(1, 3), 2**60 + 1])
def test_no_number_is_refused_for_its_digits(entry):
    """`Decimal("0.6")` was refused where `0.5` was taken."""
    for other in (entry, 0.5):
        dps.private_range_finder([[other, 1], [1, 3]], 1, 1.0, 1e-6)


# ---------------------------------------------------------------- claims, read literally


def crafted(n):
    """Rows whose Gram matrix in float64 moves by more than ``x x' - y y'`` when the last one is replaced."""
    rows = np.zeros((n, 2))
    rows[:, 0] = math.sqrt(1 - 2.0**-20)
    rows[:-1, 1] = 2.0**-11
    return rows


def test_nothing_certified_is_signed_over_a_product_of_floats():
    """`release --mechanism private_low_rank` called a float64 `X.T @ X` certified: it moved by 1 + 1.9e-6."""
    rows = crafted(2**14)
    other = rows.copy()
    other[-1] = [0.0, 1.0]
    totals = [exact_moments(x, 1.0).total for x in (rows, other)]
    unit = exact_moments(rows[:1], 1.0)
    moved = totals[1] - totals[0]
    one, two = (exact_moments(x[-1:], 1.0).total for x in (rows, other))
    assert (moved == two - one).all()
    assert np.linalg.norm(moved.astype(float), 2) <= 4.0**unit.exponent
    for mechanism, given in (
        (dps.private_low_rank, {"k": 1}),
        (dps.private_spectrum, {"k": 1}),
        (dps.private_orbit, {"eigenvalues": [1.0, 0.0]}),
    ):
        claim = mechanism(rows[:50], epsilon=1.0, **given).claim
        assert (claim.arithmetic, claim.relation, claim.norm_bound) == ("certified", "replace", 1.0)
        assert "DPS-EXACTSUM" in claim.labels
        with pytest.raises(ValueError, match="X must be rows or a Matrix, got a square array"):
            mechanism(rows.T @ rows, epsilon=1.0, **given)
        matrix = mechanism(dps.Matrix(rows.T @ rows), epsilon=1.0, **given).claim
        assert matrix.relation == "matrix_replace"
        assert "exactly and in float64" in matrix.neighbours


def test_raw_rows_are_refused_or_clipped():
    """The acceptance row "raw wine": the claim needed rows of norm 1 and checked none."""
    raw = 700 * X
    with pytest.raises(ValueError, match="X must have rows of norm at most 1, but row 0 is longer"):
        dps.private_spectrum(raw, 1, 1.0)
    clipped = dps.private_spectrum(raw, 1, 1000.0, rows="clip")
    assert clipped.value[0] <= 1.1
    assert clipped.claim.norm_bound is None


def test_the_mean_of_rows_of_any_norm():
    """Literally "one row is replaced by another one" was refuted by `[[.5], [.1]]` and `[[2.], [.1]]`."""
    claim = dps.private_mean([[0.5], [0.1]], 1.0).claim
    assert claim.neighbours == (
        "One row of norm at most 1 is replaced by another of norm at most 1; all rows have norm at most 1, the number "
        "of rows is public."
    )
    wide = [dps.private_mean(x, 1.0, **TOTAL, rng=0) for x in ([[0.5], [0.1]], [[2.0], [0.1]])]
    assert wide[0].claim.neighbours == "One row is replaced by any other; the number of rows is public."
    assert abs(wide[1].value - wide[0].value)[0] <= 2 / 2 + 1e-12
    assert wide[0].details == wide[1].details


def test_public_arguments_stand_in_the_claim():
    """A basis, a trace and a bound on entries were taken as known, and no claim said so."""
    basis = np.eye(4)[:, :1]
    known = dps.private_projection(np.eye(4), basis, 1.0, 1e-3, rng=0).claim.public
    assert any(text.startswith("basis: sha256 ") and len(text) == 14 + 64 for text in known)
    other = dps.private_projection(np.eye(4), basis[::-1], 1.0, 1e-3, rng=0).claim.public
    assert known != other
    power = dps.private_power_method(np.eye(4), 1, 1.0, iterations=1, scale="fixed", entry_bound=1.0, rng=0)
    assert "entry_bound = 1" in power.claim.public
    orbit = dps.private_orbit(dps.Matrix(np.eye(2)), [1.0, 0.0], 1.0, trace=900, rng=0)
    assert "trace = 900" in orbit.claim.public


@pytest.mark.parametrize("size", [1e16, 1e100])
def test_a_large_matrix_has_its_release_at_once(size):
    """1e16 took for ever and 1e200 was a `RuntimeError`: time and refusals that told how large a matrix is."""
    for M in (np.diag([size, size / 2]), np.diag([size, size - size / 2**50, 1.0]).astype(complex)):
        release = dps.private_orbit(dps.Matrix(M), np.eye(len(M))[0], 1.0)
        assert release.claim.arithmetic == "certified"
        assert "no entry exceeds 2**400" in release.claim.neighbours
    for largest in (1.7e308, -1.7e308):
        for mechanism in (dps.private_spectrum, dps.private_low_rank):
            with pytest.raises(ValueError, match=r"M must have entries of at most 2\*\*400 and .* entry \(0, 1\)"):
                mechanism(dps.Matrix([[1.0, largest], [largest, 1.0]]), 1, 1.0)


# ---------------------------------------------------------------- rows


@pytest.mark.parametrize("form", ["array", "sparse", "dask", "chunks"])
def test_the_empty_neighbour_is_data_like_any_other(form):
    """Under `add_remove` one row against none: the second was refused."""
    empty = np.zeros((0, 2))
    forms = {
        "array": lambda: empty,
        "sparse": lambda: sparse.csr_array(empty),
        "dask": lambda: optional("dask.array").from_array(empty, chunks=(1, 2)),
        "chunks": lambda: iter([empty, empty]),
    }
    for options in ({}, TOTAL):
        for rng in (0, entropy(9)):
            release = dps.private_pca(forms[form](), 1, 1.0, relation="add_remove", rng=rng, **options)
            assert release.value.shape == (2, 1)
            rng = entropy(10) if rng else 1
            assert dps.private_spectrum(forms[form](), 1, 1.0, relation="add_remove", rng=rng, **options).value >= 0


BAD = {
    "nan": math.nan,
    "infinity": -math.inf,
    "missing": None,
    "text": "unknown",
    "overflow": 10**400,
    "text that overflows": "1e999",
    "complex": 1j,
    "list": [1, 2],
    "not a time": np.datetime64("NaT"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_row_is_a_zero_row_and_changes_no_other(kind):
    """Referee 13: one text in a column made every row of a frame "no number"."""
    rows: list[list[Any]] = [[0.5, 0.25], [0.25, "0.5"], [Decimal("0.125"), True]]
    with_bad = copy.deepcopy(rows)
    with_bad[1][0] = BAD[kind]
    array = np.empty((3, 2), dtype=object)
    for i, row in enumerate(with_bad):
        for j, entry in enumerate(row):
            array[i, j] = entry
    want = dps.private_spectrum([[0.5, 0.25], [0.0, 0.0], [0.125, 1.0]], 2, 1.0, rows="clip", rng=0).value
    assert np.array_equal(dps.private_spectrum(array, 2, 1.0, rng=0, **TOTAL).value, want)


@pytest.mark.parametrize("entry", [[1.0], (1.0,), np.array([3.0]), [], [[2.0]], range(3), "a", b"5", 1 + 1j, {1: 2}])
def test_an_entry_of_any_kind_is_one_bad_entry(entry):
    """Own: a list in a row of a list was an error of numpy's, before the box was opened, and so free of charge."""
    rows = [[0.5, 0.25], [0.125, entry], [0.0, 0.5]]
    zero = np.array([[0.5, 0.25], [0.0, 0.0], [0.0, 0.5]])
    for mechanism, given in ((dps.laplace_covariance, {}), (dps.private_mean, {}), (dps.private_pca, {"k": 1})):
        for rng in (lambda: 7, lambda: entropy(40)):
            found, expected = (
                dps.Budget(1.0).release(mechanism, x, epsilon=1.0, rng=rng(), **given, **TOTAL) for x in (rows, zero)
            )
            assert np.array_equal(found.value, expected.value)
        budget = dps.Budget(1.0)
        with pytest.raises(ValueError, match="X must"):
            budget.release(mechanism, rows, epsilon=1.0, **given)
        assert budget.spent.epsilon == 1.0  # such a refusal is an answer, and is paid for


@pytest.mark.parametrize("exponent", [-1070, -545, -401, 401, 600, 1023])
def test_bounds_whose_squares_leave_the_floats_are_refused_for_all_data(exponent):
    """Own: values that are no numbers, or an `OverflowError` after the data were opened."""
    budget, bound = dps.Budget(1.0), 2.0**exponent
    calls = (
        (dps.private_spectrum, {"k": 1}),
        (dps.private_low_rank, {"k": 1}),
        (dps.private_orbit, {"eigenvalues": [1.0, 0.0]}),
        (dps.private_pca, {"k": 1}),
        (dps.private_pca, {"k": 1, "mechanism": "orbit"}),
    )
    for (mechanism, given), rng in itertools.product(calls, (None, 7)):
        with pytest.raises(ValueError, match=r"norm_bound must lie between 2\*\*-400 and 2\*\*400"):
            budget.release(mechanism, X, epsilon=1.0, norm_bound=bound, rng=rng, **given, **TOTAL)
    with pytest.raises(ValueError, match=r"norm_bound must lie between"):
        dps.Matrix(np.eye(2), bound)
    assert budget.claims == ()


def test_a_frame_is_read_entry_by_entry():
    pandas = optional("pandas")
    frame = pandas.DataFrame({"a": [0.5, 0.25, 0.125], "b": [0.25, "unknown", 1.0]})
    array = np.array([[0.5, 0.25], [math.nan, 0.0], [0.125, 1.0]])
    masked = np.ma.array(np.nan_to_num(array), mask=np.isnan(array))
    want = dps.private_mean(array, 1.0, rng=0, **TOTAL).value
    for data in (frame, masked, sparse.csr_array(array), iter([array[:2], array[2:]])):
        assert np.array_equal(dps.private_mean(data, 1.0, rng=0, **TOTAL).value, want)


# ---------------------------------------------------------------- states


def test_a_run_goes_on_with_its_own_matrix():
    """With one key `resume` gave the difference of two matrices away, to four digits at noise 6.8."""
    A, B, states = np.diag([9.0, 4.0, 1.0]), np.diag([9.0, 4.0, 2.0]), []
    for seeds in ((entropy(40), entropy(40), entropy(40)), (7, 7, 7)):
        states.clear()
        plan = {"epsilon": 1.0, "delta": 1e-6, "iterations": 3}
        whole = dps.private_power_method(A, 1, **plan, checkpoint=states.append, rng=seeds[0])
        with pytest.raises(ValueError, match="resume must go on with the matrix of its first rounds, got another one"):
            dps.private_power_method(B, 1, **plan, resume=states[0], rng=seeds[1])
        again = dps.private_power_method(A, 1, **plan, resume=states[0], rng=seeds[2])
        assert np.array_equal(again.value, whole.value)


def test_a_state_may_be_published():
    """Own: what a run knows its matrix by is as telling as the matrix; `asdict`, copies and pickles had it."""
    states = []
    A = np.diag([731.5246, 1.0])
    dps.private_power_method(A, 1, 1.0, 1e-6, iterations=1, checkpoint=states.append, rng=0)
    (state,) = states
    assert state.private
    for out in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert not out.private
    assert not dataclasses.asdict(state)["private"]
    assert "product" not in repr(state)


def test_a_matrix_does_not_show_its_entries():
    """Own: `repr`, and the text of a sealed box."""
    m = dps.Matrix(np.diag([0.7315246, 0.0]))
    assert "73152" not in repr(m) + str(m)
    with pytest.raises(TypeError):
        vars(m)


def test_deltas_of_groups_are_not_multiples():
    """Referee 12: (2, 2e-6) for twice the change is false; an int64 change of norm 2 needs four steps of norm 1."""
    claim = dps.private_projection(np.eye(4), np.eye(4)[:, :1], 1.0, 1e-6, rng=0).claim
    twice = claim.grouped(2)
    assert twice.delta > 3e-6
    assert twice.delta >= float(profile(2.0, 2 * claim.gdp_mu))
    ints = dps.private_projection(np.eye(4, dtype=int), np.eye(4)[:, :1], 1.0, 1e-6, rng=0).claim
    with pytest.raises(ValueError, match="entries must be real numbers to be grouped"):
        ints.grouped(2)


# ---------------------------------------------------------------- the door, at 25ee8493


def sums(moments):
    found = moments._sums
    return found.count, found.first.integers().astype(float) / 2.0**found.exponent


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, lambda x: iter([x[:3], x[3:]])])
def test_bounds_map_each_row(form):
    """In certified arithmetic a dense row within the norm bound was taken as it stood."""
    rows, bounds = np.full((10, 2), 0.1), dps.ColumnBounds([0, 0], [0.5, 0.5])
    want = bounds.rows(rows)[0]
    np.testing.assert_allclose(dps.private_mean(form(rows), 1e9, bounds=bounds).value, want, atol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_that_do_not_count_add_nothing(form):
    """Zero before the bounds map it is a vector: one person moved a mean by 35,000."""
    bounds = dps.ColumnBounds([10.0, 10.0], [20.0, 20.0])
    read = [
        sums(dps.Moments.of(form(np.full((n + 1, 2), 20.0)), bounds=bounds, person=[1] * n + [2], per_person=1))
        for n in (1, 500)
    ]
    assert read[0][0] == read[1][0] == 2
    np.testing.assert_array_equal(read[0][1], read[1][1])


@pytest.mark.parametrize("note", ['"' + "a\n" + "0.6,0.8,c\n" * 15_000 + '"', '"open', 'stray " quote', ""])
def test_one_record_of_text_is_one_row(note, tmp_path):
    """A comment of 150 kB was 15,000 rows, and an open quote took all lines after it."""
    path, read = tmp_path / "a.csv", []
    for text in ("plain", note):
        path.write_text(f"x,y,note\n0.1,0.2,{text}\n" + "0.6,0.8,c\n" * 50)
        read.append(sums(dps.Moments.read(path, columns=("x", "y"), **TOTAL)))
    assert read[0][0] == read[1][0] == 51
    assert np.linalg.norm(read[0][1] - read[1][1]) <= 2


def test_total_reading_refuses_no_entry():
    """A missing entry of a nullable column, or a text that is no UTF-8, ended in an error of numpy or Arrow."""
    pandas, arrow = optional("pandas"), optional("pyarrow")
    for column in (pandas.array([1, None], dtype="Int64"), pandas.array([0.5, None], dtype="double[pyarrow]")):
        claim = dps.private_mean(pandas.DataFrame({"a": column, "b": [0.1, 0.2]}), 1.0, **TOTAL).claim
        assert claim.domain == ()
    ends = np.array([0, 3, 4], dtype=np.int32)
    ids = arrow.StringArray.from_buffers(2, arrow.py_buffer(ends.tobytes()), arrow.py_buffer(b"0.5\xff"))
    table = arrow.table({"who": ids, "b": [0.1, 0.2]})
    assert sums(dps.Moments.of(table, person="who", per_person=1, **TOTAL))[0] == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # numpy's, of its matrices
        good, bad = np.asmatrix([[0.1, 0.2]]), np.asmatrix([[math.nan, 0.2]])
    answers = [dps.private_mean(rows, 1.0, **TOTAL, **given).value.shape
               for rows in (good, bad) for given in ({}, {"rng": 0})]  # fmt: skip
    assert set(answers) == {(2,)}


def test_settings_of_numpy_decide_nothing():
    """With ``np.errstate(under="raise")`` a subnormal entry was refused."""
    rows = np.array([[5e-324, 1e-310], [0.5, 1e-200], [3e300, 4e300]])
    with np.errstate(all="raise"):
        for given in ({"rows": "clip"}, {"rows": "unit"}, {"bounds": dps.ColumnBounds([-1, -1], [1, 1])}):
            for data in (rows, sparse.csr_array(rows), iter([rows])):
                assert sums(dps.Moments.of(data, **given))[0] == 3
            assert dps.private_mean(rows, 1.0, rng=0, **given).value.shape == (2,)
        for center in ("mean", "pairs"):
            bounds = dps.ColumnBounds([-1, -1], [1, 1])
            assert dps.private_pca(rows, 1, 1.0, center=center, bounds=bounds)
            assert dps.private_covariance(rows, 1.0, center=center, bounds=bounds)


def test_a_refusal_says_what_it_cost():
    """Two typing errors spent a budget in silence."""
    budget = dps.Budget(1.0)
    with pytest.raises(ValueError, match=r"row 1 is longer.*; the budget was charged epsilon 0\.25, as this refusal"):
        budget.release(dps.private_mean, [[0.1, 0.1], [9.0, 9.0]], 0.25)
    assert budget.spent.epsilon == 0.25
    pandas = optional("pandas")
    text = pandas.DataFrame({"a": [0.1], "species": pandas.array(["x"], dtype="string")})
    with pytest.raises(ValueError, match="column 'species' does not") as told:
        budget.release(dps.private_mean, text, 0.25)
    assert "charged" not in str(told.value)
    assert budget.spent.epsilon == 0.25
