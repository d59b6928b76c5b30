"""Steps of quantised products: no change moves one farther, bases must be nearly orthonormal; floats below others."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp

from dpspectra.formulas import quantised_step
from dpspectra.lemmas.arithmetic import upward
from tests.support.helpers import entropy
from tests.support.rounds import D, release


@pytest.mark.parametrize("l1", [False, True])
@pytest.mark.parametrize("relation", ["pair", "spectral", "rank_one"])
def test_no_change_of_a_small_matrix_moves_the_product_farther(relation, l1):
    """Changes of two by two matrices of quarters, at a unit of 1, in rational numbers; each relation is approached."""
    quarters = [Fraction(i, 4) for i in range(-4, 5)]
    x = np.array([[0.75], [-0.625]])
    block = [Fraction(v) for v in x.ravel().tolist()]
    worst: Fraction | int = 0
    for a, b, c in itertools.product(quarters, repeat=3):
        if relation == "pair" and sorted(map(bool, (a, b, c))) != [False, False, True]:
            continue
        if relation == "rank_one" and not (a * c == b * b and abs(a + c) <= 1):
            continue
        if relation == "spectral" and not (abs(a + c) <= 1 + a * c - b * b and abs(a * c - b * b) <= 1):
            continue
        for start in itertools.product((Fraction(1, 4), Fraction(1, 2)), repeat=3):
            q, r, s = (
                math.floor(u + v + Fraction(1, 2)) - math.floor(u + Fraction(1, 2))
                for u, v in zip(start, (a, b, c), strict=True)
            )
            step = (q * block[0] + r * block[1], r * block[0] + s * block[1])
            worst = max(worst, sum(map(abs, step)) ** 2 if l1 else sum(v * v for v in step))
    bound = quantised_step.squared(x, relation, l1=l1, unit=Fraction(1))
    assert worst <= bound
    if relation == "pair":
        assert worst == bound
    assert worst > quantised_step.squared(x, relation, l1=l1) or relation == "pair"


def test_a_block_far_from_orthonormal_is_refused():
    states = []
    release(checkpoint=states.append, rng=entropy())
    with pytest.raises(ValueError, match="a block must be orthonormal"):
        release(resume=replace(states[0], iterate=np.full((D, 3), 1e4)), rng=entropy())
    with pytest.raises(ValueError, match="a block must be orthonormal"):
        quantised_step.squared(np.full((D, 3), 2.0**6), "spectral", l1=False)


@pytest.mark.parametrize("x", [1.0, math.nextafter(1, 2), 0.75, 2.0**-40, 3e200, math.nextafter(4.0, 0)])
def test_the_float_below_is_found_from_the_exponent(x):
    with mp.workdps(50):
        assert upward._below(mp.mpf(x)) == math.nextafter(x, 0)
