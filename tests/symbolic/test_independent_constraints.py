import math

import numpy as np
import pytest

from dpspectra.symbolic.independent_constraints import MOST, hold, part, place_of, rounding
from dpspectra.symbolic.observed_constraints import Unsolved, families, system
from tests.support.noise_runs import recorded


def asked(data, rng):
    z = rng.normal(size=2)
    return z[0] + z[1], z[0] * 1.0, bool(rng.laplace() > 0.25)


def test_dense_parts():
    found = recorded(asked)
    one = system(found.tape)
    it = part(one, np.array([0, 1]))
    assert it.draws.tolist() == [0, 1]
    assert it.B.tolist() == [[1, 1], [1, 0]]
    assert np.allclose(it.scales, [math.sqrt(2), 1])
    assert (len(it.c), it.origins) == (0, {})
    assert place_of(one, it).startswith("test_independent_constraints.py:")
    bit = part(one, np.array([2]))
    assert (len(bit.mu), len(bit.c)) == (0, 1)


def test_parts_that_are_too_large():
    one = system(recorded(lambda data, rng: np.ones((MOST + 1, 1)) @ rng.normal(size=1)).tape)
    with pytest.raises(Unsolved, match="is too large"):
        part(one, np.arange(MOST + 1))
    assert part(one, np.arange(MOST)).B.shape == (MOST, 1)


def test_noise_used_in_two_functions_is_not_solved():
    def mechanism(data, rng):
        z = rng.exponential()
        return np.log(z) + rng.normal(), np.sqrt(z) + rng.normal()

    one = system(recorded(mechanism).tape)
    (rows,) = families(one)
    with pytest.raises(Unsolved, match="two functions"):
        part(one, rows)


def test_rounding_is_that_of_the_larger_of_location_and_value():
    one = system(recorded(lambda data, rng: 2.0**40 + 4 * rng.normal()).tape)
    it = part(one, np.array([0]))
    assert rounding(it) == pytest.approx(4 * 2.0**-12 / 4)
    assert rounding(part(system(recorded(asked).tape), np.array([2]))) == 0


def test_inequalities_at_known_draws():
    C, z = np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([1.0, 1.0])
    assert hold(np.array([-6.9, 0.0]), C, z, 0.0)
    assert not hold(np.array([-7.1, 0.0]), C, z, 0.0)
    assert not hold(np.array([-6.9, -1.1]), C, z, 0.0)
    assert hold(np.zeros(0), np.zeros((0, 2)), z, 0.0)
    for c, slack in ((-7.0, 0.0), (-7.0 + 4e-8, 0.0), (-6.99, 1e-3)):
        with pytest.raises(Unsolved, match="tie"):
            hold(np.array([c, 0.0]), C, z, slack)
    assert hold(np.array([-7.0 + 6e-8, 0.0]), C, z, 0.0)
