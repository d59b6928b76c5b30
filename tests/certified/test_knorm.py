"""Certified K-norm noise: the law of the ideal one, on any grid, decided as the definition says."""

import numpy as np
import pytest
from flint import arb, arb_mat
from scipy import stats

from dpspectra.certified import ball_noise
from dpspectra.certified import knorm as certified
from dpspectra.certified.grid import Steps
from dpspectra.fast import knorm
from tests.support.helpers import ALARM, entropy


@pytest.mark.parametrize("d", [1, 2, 3])
def test_certified_and_ideal_noise_have_one_law(d):
    """The entries on and above the diagonal, 600 draws each."""
    steps, source, rng = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0), entropy(d), np.random.default_rng(d)
    one = np.array([certified.noise(steps, d, 2.0**24, source) for _ in range(600)]) / 2.0**24
    other = np.array([knorm.draw(d, 1.0, rng)[np.triu_indices(d)] for _ in range(600)])
    for x, y in zip(one.T, other.T, strict=True):
        assert stats.ks_2samp(x, y).pvalue > ALARM


def test_certified_noise_is_rounded_to_the_same_numbers_on_any_grid():
    """A finer grid, the same draw: the coarse numbers are the fine ones rounded, up to ties."""
    steps = Steps.of(np.zeros(6, dtype=np.int64), 0)
    for i in range(6):
        coarse, fine = (certified.noise(steps, 3, ratio, entropy(i)) for ratio in (2.0**10, 2.0**50))
        assert np.abs(coarse - fine / 2.0**40).max() <= 0.5


def test_the_modulus_and_the_decision_are_those_of_the_definition():
    rng = np.random.default_rng(4)
    decided = set()
    for _ in range(40):
        g, h = rng.standard_normal((2, 3, 4))
        one, other = g @ g.T, h @ h.T
        with ball_noise.precision(200):
            found = certified._modulus(arb_mat((one - other).tolist()))
            modulus = np.array([[float(found[i, j].mid()) for j in range(3)] for i in range(3)])
            pivots = certified._pivots(arb_mat((one + other).tolist()) - found)
            decision = certified._all_positive(pivots)
        values, vectors = np.linalg.eigh(one - other)
        assert np.allclose(modulus, vectors * np.abs(values) @ vectors.T)
        assert decision == (np.linalg.eigvalsh(one + other - modulus)[0] > 0)
        decided.add(decision)
    assert decided == {True, False}
    assert certified._all_positive(None) is None
    assert certified._all_positive([arb(1), arb(0, 1)]) is None
    assert certified._all_positive([arb(0, 1), arb(-1)]) is None
    assert certified._all_positive([arb(0, 0.25)]) is None
    assert certified._modulus(arb_mat([[1, 0], [0, 1]])) is None
