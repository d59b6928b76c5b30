import math

import numpy as np
import pytest

from dpspectra.symbolic.observed_constraints import families, points, roots, system
from tests.support.noise_runs import recorded


def asked(data, rng):
    z, w = rng.normal(size=3), 2 + rng.laplace(size=2)
    first = bool(z[0] > 0.25)
    best = int(np.argmax(w + np.array([0.0, 100.0])))
    return z[1] + z[2], z[1] * 1.0, first, best


def test_equations_first_and_inequalities_as_they_came_out():
    found = recorded(asked)
    one = system(found.tape)
    z = found.tape.omega()
    at = one.B @ z + one.mu
    assert one.equations == 2
    assert np.allclose(at[:2], one.y)
    assert np.all(at[2:] > 0)
    assert one.B.toarray()[3].tolist() == [0, 0, 0, -1, 1]
    assert one.mu[3] == pytest.approx(100)
    assert system(found.tape, np.array([7.0, 8.0])).y.tolist() == [7, 8]
    assert [one.law(j).name for j in range(5)] == ["normal"] * 3 + ["laplace"] * 2


def test_rows_that_share_draws_are_one_family():
    one = system(recorded(asked).tape)
    assert sorted(tuple(f.tolist()) for f in families(one)) == [(0, 1), (2,), (3,)]
    other = system(recorded(lambda data, rng: [rng.normal() + 0 * x for x in range(4)]).tape)
    assert len(families(other)) == 4
    assert sorted(len(f) for f in families(other, one)) == [1, 1, 2]


def test_a_program_that_looks_at_nothing():
    one = system(recorded(lambda data, rng: data).tape)
    assert (one.equations, one.B.shape, len(one.mu)) == (0, (0, 0), 0)


def test_points_multiply():
    found = recorded(lambda data, rng: [int(rng.integers(4)), int(rng.integers(8))])
    assert points(found.tape) == pytest.approx(-math.log(32))


def test_functions_of_noise_have_roots():
    found = recorded(lambda data, rng: np.log(np.exp(rng.normal()) + 1.0) + rng.normal())
    tape = found.tape
    assert [roots(tape.blocks, j) for j in range(4)][:3] == [[0], [1, 0], [2, 1, 0]]
    assert roots(tape.blocks, 3) == [3]
    assert [f.tolist() for f in families(system(tape))] == [[0]]


def test_inequalities_of_computed_draws_are_told_of_their_roots():
    found = recorded(lambda x, rng: [bool(np.exp(z) > 2.0) for z in rng.normal(size=4)])
    one = system(found.tape)
    assert one.B.indices.tolist() == [0, 1, 2, 3]  # the normal draws, not their exponentials
    assert (-one.mu / one.B.data).tolist() == pytest.approx([math.log(2)] * 4)
    z = found.tape.omega()[:4]
    assert np.all(one.mu + one.B.data * z > 0)
