"""The power method by rows: one result for every form of rows, and the noise that a replaced row needs."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from dpspectra import Entropy
from dpspectra.certified.integer_rows import exponent
from dpspectra.certified.row_step import BITS, row_product
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms import power_of_rows
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.power_of_rows import directions_of_rows

pytestmark = pytest.mark.filterwarnings("ignore:rng should be")
ROWS = np.random.default_rng(3).normal(size=(400, 6)) * [3, 2, 1, 1, 1, 1] / 4
READING = Reading(1.0, "clip")


def planned(delta=1e-6, epsilon=1.0):
    plan = get("laplace_covariance").planned(epsilon=epsilon, X=ROWS, norm_bound=1.0, rows="clip")
    return replace(plan, **get("private_power_method").promise(epsilon, delta))


def run(rows, delta=1e-6, k=3, reading=READING, rounds=4, epsilon=1.0):
    return directions_of_rows(rows, k, rounds, planned(delta, epsilon), reading, Entropy(bytes(32)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_every_form_of_rows_gives_the_same_bits(delta):
    array = pytest.importorskip("dask.array")
    first = run(ROWS, delta)
    assert np.allclose(first.value.T @ first.value, np.eye(3), atol=1e-12)
    assert first.claim.arithmetic == "certified"
    assert "DPS-ROWSTEP" in first.claim.labels
    for rows in (sparse.csr_array(ROWS), array.from_array(ROWS, chunks=(90, 4)), ROWS[::-1]):
        np.testing.assert_array_equal(run(rows, delta).value, first.value)


def test_directions_are_found():
    value = run(ROWS, k=2, epsilon=1e4, rounds=20).value
    clipped = ROWS / np.maximum(1, np.linalg.norm(ROWS, axis=1))[:, None]
    best = np.linalg.eigh(clipped.T @ clipped)[1][:, -2:]
    assert np.linalg.svd(best.T @ value)[1].min() > 0.999


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_noise_hides_the_worst_replacement(delta, monkeypatch):
    """In each round the step between neighbours, over the noise, adds up to no more than the claim."""
    seen = []

    def noted(rows, cut, reading):
        seen.append(cut)
        return row_product(rows, cut, reading)

    monkeypatch.setattr(power_of_rows, "row_product", noted)
    plan, rounds = planned(delta), 4
    noise = run(ROWS, delta).details["noise"]
    unit, used = 4.0 ** exponent(1.0), []
    for cut, scale in zip(seen, noise, strict=True):
        left, _, right = np.linalg.svd(np.ldexp(cut, -BITS), full_matrices=False)
        assert right.shape == (3, 3)
        one, other = ((1 - 1e-9) * left[:, i][None] for i in (0, 1))
        moved = (row_product(one, cut, READING) - row_product(other, cut, READING)) / unit
        used.append((np.abs(moved).sum() if delta == 0 else np.linalg.norm(moved)) / scale)
    if delta:
        assert plan.gdp_mu * (1 - 1e-5) < np.linalg.norm(used) <= plan.gdp_mu
    else:
        assert 0.2 < sum(used) <= plan.epsilon
    assert len(noise) == rounds


def test_a_row_of_norm_one_is_the_unit_of_the_noise():
    """With one column the block is 1 or -1, and the scale is known."""
    found = run(ROWS[:, :1], k=1)
    square = (Fraction(1) + Fraction(1, 2**20)) ** 2 * 4
    assert found.details["noise"][0] == pytest.approx(float(square) ** 0.5 / planned().gdp_mu, rel=1e-12)


def test_rows_are_refused_before_anything_is_drawn():
    class Untouched(Entropy):
        def words(self, count):
            raise AssertionError

    for rows, message in ((2 * np.eye(6), "norm at most"), (np.zeros((0, 6)), "X must not be empty")):
        with pytest.raises(ValueError, match=message):
            directions_of_rows(rows, 1, 2, planned(), Reading(1.0), Untouched(bytes(32)))
