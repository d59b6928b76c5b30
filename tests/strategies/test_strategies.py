"""The public strategies keep their promises exactly."""

import functools
import operator
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import find, given, settings
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


def test_an_unknown_relation_is_an_error():
    with pytest.raises(ValueError, match="relation must be one of"):
        find(dst.neighbours("other", 2, 2), lambda pair: True)
