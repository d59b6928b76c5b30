"""The public strategies keep their promises exactly."""

import functools
import operator
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from dpspectra import strategies as dst
from dpspectra.strategies.data import halved_into_ball

SHAPES = st.tuples(st.integers(1, 5), dst.fields())
settings.register_profile("strategies", deadline=None, max_examples=100, derandomize=True)
FAIR = settings.get_profile("strategies")


def square_norm(v):
    return sum(Fraction(float(x.real)) ** 2 + Fraction(float(x.imag)) ** 2 for x in np.ravel(v).astype(complex))


@FAIR
@given(SHAPES.flatmap(lambda p: dst.ball_vectors(*p)))
def test_ball_vectors_are_in_the_ball_exactly(v):
    assert square_norm(v) <= 1


def test_every_small_gaussian_integer_is_halved_into_the_ball_and_no_further_than_needed():
    """Moduli are rounded: ``|7 + 4i|^2`` is 65, not 64, and one halving more is due."""
    for a in range(-9, 10):
        for b in range(-9, 10):
            inside = square_norm(halved_into_ball(np.array([a + 1j * b])))
            assert inside <= 1
            assert inside > Fraction(1, 4) or a * a + b * b <= 1


@FAIR
@given(SHAPES.flatmap(lambda p: dst.unitaries(*p)))
def test_unitaries_are_unitary_without_rounding(u):
    assert np.array_equal(u @ u.conj().T, np.eye(len(u)))


@FAIR
@given(SHAPES.flatmap(lambda p: dst.spectra(p[0]).flatmap(lambda s: st.tuples(st.just(s), dst.with_spectrum(s, p[1])))))
def test_spectrum_is_descending_and_exact_in_trace_and_square(case):
    s, a = case
    assert np.all(np.diff(s) <= 0)
    assert np.all(s >= 0)
    assert np.array_equal(a, a.conj().T)
    assert abs(np.trace(a).real - s.sum()) <= 1e-9 * (1 + s.sum())


@FAIR
@given(SHAPES.flatmap(lambda p: dst.hermitian(*p)))
def test_hermitian_matrices_are_hermitian(a):
    assert np.array_equal(a, a.conj().T)


@pytest.mark.parametrize("relation", dst.NEIGHBOUR_RELATIONS)
def test_neighbours_are_neighbours(relation):
    shapes = st.tuples(st.integers(1, 4), st.integers(1, 4), dst.fields())

    @FAIR
    @given(shapes.flatmap(lambda shape: dst.neighbours(relation, *shape)))
    def run(pair):
        _check_pair(relation, *pair)

    run()


def _check_pair(relation, a, b):
    if relation == "add_remove":
        longer, shorter = sorted((a, b), key=len, reverse=True)
        assert len(longer) == len(shorter) + 1
        assert any(np.array_equal(np.delete(longer, i, axis=0), shorter) for i in range(len(longer)))
        return
    change = b - a
    if relation == "replace":
        assert np.sum(np.any(change != 0, axis=1)) <= 1
        assert all(square_norm(row) <= 1 for row in [*a, *b])
    elif relation == "row":
        assert np.sum(np.any(change != 0, axis=1)) <= 1
        assert square_norm(change) <= 1
    elif relation == "entry":
        assert np.sum(change != 0) <= 1
        assert np.abs(change).max() <= 1
    elif relation == "pair":
        assert np.array_equal(change, change.T)
        assert np.sum(np.triu(change) != 0) <= 1
        assert np.abs(change).max() <= 1
    else:
        assert np.array_equal(change, change.conj().T)
        assert np.linalg.norm(change, 2) <= 1 + 1e-12


@FAIR
@given(SHAPES.flatmap(lambda p: dst.matrix_neighbours(*p)))
def test_matrix_neighbours_differ_by_two_ball_vectors(case):
    m, other, x, y = case
    assert square_norm(x) <= 1
    assert square_norm(y) <= 1
    change = np.outer(y, y.conj()) - np.outer(x, x.conj())
    assert np.abs(other - m - change).max() <= 1e-12 * (1 + np.abs(m).max())
    assert np.linalg.eigvalsh(m)[0] >= -1e-9 * (1 + np.abs(m).max())


def test_corners_are_reachable_and_shrinking_goes_to_zero():
    quiet = settings(deadline=None, max_examples=2000, database=None)
    sought = functools.partial(find, random=random.Random(0), settings=quiet)
    assert np.array_equal(sought(dst.ball_vectors(3), lambda v: True), np.zeros(3))
    assert np.array_equal(sought(dst.psd(2), lambda a: True), np.zeros((2, 2)))
    assert np.array_equal(sought(dst.unitaries(3), lambda u: True), np.eye(3))
    sought(dst.ball_vectors(4), lambda v: bool(np.all(v != 0)) and square_norm(v) == 1)
    sought(dst.spectra(3), lambda s: s[0] > 0 and s[0] == s[2])
    sought(dst.spectra(3), lambda s: 0 < s[0] - s[1] < 1e-6)
    sought(dst.spectra(3, signed=True), lambda s: s[0] > 0 > s[2])
    sought(dst.epsilons(), lambda e: e == 16.0)
    sought(dst.deltas(), lambda x: x == 1e-12)
    assert sought(dst.dimensions(2), lambda d: True) == 2
    for n in range(2, 9):
        assert sought(dst.dimensions(2, 8), functools.partial(operator.eq, n)) == n


def reached(strategy, wanted):
    quiet = settings(deadline=None, max_examples=3000, database=None, phases=[Phase.generate])
    return find(strategy, wanted, random=random.Random(0), settings=quiet)


@pytest.mark.parametrize("field", ["real", "complex"])
def test_both_fields_are_drawn_and_filled(field):
    """A field that is never drawn, or never more than the reals, weakens every statement."""
    assert reached(dst.fields(), functools.partial(operator.eq, field)) == field
    imaginary = bool if field == "complex" else operator.not_
    for strategy in (
        dst.rectangular(2, 2, field),
        dst.hermitian(2, field),
        dst.psd(2, field),
        dst.unitaries(2, field),
        dst.unit_rows(2, 2, field),
        dst.ball_vectors(2, field),
        dst.independent_columns(2, 1, field),
    ):
        reached(strategy, lambda a: bool(np.any(a)) and imaginary(bool(np.any(a.imag))))


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("relation", dst.NEIGHBOUR_RELATIONS)
def test_neighbours_differ_as_much_as_they_may_and_not_at_all(relation, field):
    """Each relation: changes of full size of either sign and none; of rows that come and go, both orders."""
    pairs = dst.neighbours(relation, 2 if relation == "add_remove" else 1, 2, field)
    if relation == "add_remove":
        for order in (operator.gt, operator.lt):
            for square in (0, 1):  # the row that is only in the longer one

                def wanted(pair, order=order, square=square):
                    size = abs(sum(map(square_norm, pair[0])) - sum(map(square_norm, pair[1])))
                    return order(len(pair[0]), len(pair[1])) and size == square

                reached(pairs, wanted)
        return
    reached(pairs, lambda pair: np.array_equal(*pair))

    def full(pair, sign):
        change = sign * (pair[1] - pair[0])
        if relation == "replace":
            own, other = (x[np.any(change != 0, axis=1)] for x in pair[::sign])
            return len(own) == 1 and square_norm(own) == square_norm(other) == 1 and not np.any(own * other)
        if relation == "row":
            return square_norm(change) == 1
        if relation == "spectral":
            return abs(np.linalg.eigvalsh(change)[-1] - 1) < 1e-12
        return change.real.max() == 1

    for sign in (1, -1):
        reached(pairs, lambda pair, sign=sign: full(pair, sign))


def test_pairs_of_entries_are_on_the_diagonal_and_off_it():
    for places in (1, 2):
        reached(dst.neighbours("pair", 2, 2), lambda pair, n=places: np.count_nonzero(pair[1] - pair[0]) == n)


def test_matrix_neighbours_replace_a_row_by_an_orthogonal_one_and_by_itself():
    pairs = dst.matrix_neighbours(2)
    reached(pairs, lambda case: square_norm(case[2]) == square_norm(case[3]) == 1 and case[2] @ case[3] == 0)
    reached(pairs, lambda case: np.any(case[2]) and np.array_equal(case[0], case[1]))
    reached(pairs, lambda case: not np.any(case[2]) and np.any(case[3]))
    reached(pairs, lambda case: np.any(case[2]) and not np.any(case[3]))


@pytest.mark.parametrize("strategy", [dst.dyadics, dst.epsilons, dst.deltas])
def test_ends_in_the_wrong_order_are_an_error(strategy):
    with pytest.raises(ValueError, match=r"low must be at most high, got 0\.5 and 0\.25"):
        find(strategy(0.5, 0.25), lambda x: True)


@pytest.mark.parametrize("strategy", [dst.dyadics, dst.epsilons, dst.deltas])
def test_ends_may_be_equal(strategy):
    assert find(strategy(0.25, 0.25), lambda x: True) == 0.25
