"""Arguments reach the oracle without rounding, by their types."""

import re

import numpy as np
import pytest
from mpmath import mp

from dpspectra.ledger import AtMost, Column, Matrix, Parts, Real, Reals, Verdict, judge, statement
from dpspectra.ledger.exact_types import exactly

THIRD = AtMost(1, 3, part="third")


def converted(*types):
    """What an oracle gets whose two arguments have these types."""
    got = []

    def face(x, y) -> AtMost:
        got.extend((x, y))
        return THIRD

    face.__annotations__ |= dict(zip("xy", types, strict=True))
    return got, exactly(face)


@pytest.mark.parametrize("name_of", [lambda type_: type_, {Real: "Real", Reals: "Reals", Column: "Column"}.get])
def test_numbers_and_vectors_reach_the_oracle_without_rounding(name_of):
    got, face = converted(name_of(Real), name_of(Reals))
    with mp.workdps(5):
        face(np.float64(0.1), np.array([0.1, 1 + 2j]))
    assert isinstance(got[0], mp.mpf)
    assert got[0] == 0.1
    assert got[1] == [0.1, 1 + 2j]
    assert list(map(type, got[1])) == [mp.mpc, mp.mpc]
    got, face = converted(name_of(Real), name_of(Column))
    face(3, [0.1, 2.0])
    assert got == [3, mp.matrix([0.1, 2.0])]
    assert isinstance(got[0], mp.mpf)


def test_matrices_reach_the_oracle_as_they_are_and_other_arguments_as_they_were_drawn():
    array = np.array([[1.0, 0.1], [1j, 2.0]])
    got, face = converted(Matrix, float)
    face(array, np.float64(0.1))
    assert got == [mp.matrix([[1.0, 0.1], [1j, 2.0]]), 0.1]
    assert type(got[1]) is np.float64


def test_lists_and_tuples_are_converted_inside():
    got, face = converted(list[Matrix], tuple[int, Real])
    face([np.eye(2)], (1, 0.5))
    assert got == [[mp.eye(2)], (1, mp.mpf(0.5))]
    assert list(map(type, got[1])) == [int, mp.mpf]


def test_what_is_converted_already_stays():
    got, face = converted(Real, Column)
    with mp.workdps(50):
        third = mp.mpf(1) / 3
        face(third, mp.matrix([third]))
    assert got[0] == got[1][0] == third


@pytest.mark.parametrize("type_", [Real | None, dict[str, Matrix], tuple[Real, ...]])
def test_a_type_that_nobody_converts_is_reported(type_):
    with pytest.raises(TypeError, match=re.escape(f"in a list or in a tuple, got {type_}")):
        converted(type_, float)


def test_a_kernel_of_float64_in_an_oracle_is_noticed():
    @statement
    class Planted:
        labels, claim, verdict, note = ("X",), "", Verdict.NEW, "p#a"

        def fast(self, x: float) -> Parts:
            yield AtMost(np.sqrt(x) ** 2, x, part="square")

        def oracle(self, x: Real) -> Parts:
            yield AtMost(mp.mpf(np.sqrt(float(x))) ** 2, x, part="square")

    assert "oracle contradicts the part 'square'" in judge(vars(Planted)["entry"], (2.0,)).faults[0]
