"""Coupling from the past on patterns: chains enclose, nest and do not depend on their start."""

import numpy as np
import pytest
from scipy import stats

from dpspectra.sampling import cftp
from tests.support.helpers import ALARM


# Coupling from the past
def lattice(levels, rates):
    return cftp.lay_out(np.array(levels, float), np.array(rates, float))


@pytest.mark.parametrize(
    ("levels", "rates"),
    [((1, 0.6, 0.5, 0), (0, 0, 0)), ((1, 0.5, 0.5, 0, 0), (3, 0, 2, 1)), (np.linspace(1, 0, 6), 5 * [40.0])],
)
def test_the_chains_enclose_and_nest_when_the_start_moves_back(levels, rates):
    grid, everyone = lattice(levels, rates), np.arange(200)
    previous = np.stack([np.repeat(grid.start[:, i : i + 1], 200, axis=1) for i in (0, 1)], axis=1)
    for sweeps in (1, 2, 4, 8, 16, 32, 64):
        state = cftp.enclose(grid, [13], sweeps, everyone)[: grid.cells]
        assert np.all(state[:, 0] >= state[:, 1])
        assert np.all(state[:, 0] <= previous[: grid.cells, 0] + 1e-15)
        assert np.all(state[:, 1] >= previous[: grid.cells, 1] - 1e-15)
        previous = state
    met = np.all(state[:, 0] == state[:, 1], axis=0)
    assert met.mean() > 0.5
    again = cftp.enclose(grid, [13], 64, everyone[3:9:2])[: grid.cells]
    assert np.array_equal(again, state[:, :, 3:9:2])


def test_the_answer_does_not_depend_on_the_first_start():
    grid = lattice((1, 0.6, 0.5, 0), (1, 2, 0))
    first, second = (cftp.patterns(grid, 500, np.random.default_rng(14), sweeps) for sweeps in (1, 50))
    assert np.abs(first - second).max() < 1e-14


@pytest.mark.parametrize("rates", [(0, 0, 0, 0, 0), (3, 0, 1e-9, 2, 1), (40, 900, 1e5, 40, 1e40)])
def test_chains_in_single_precision_enclose_those_in_double_precision(monkeypatch, rates):
    grid, everyone = lattice((1, 0.7, 0.5, 0.5, 0.1, 0), rates), np.arange(200)
    first = cftp.DEPTH + 1
    for sweeps in (1, 5, 100):
        bounds = cftp._bounds(grid, [13], range(first + sweeps, first, -1), everyone)
        state = np.repeat(grid.start[:, :, None], 200, axis=2)
        for time in range(first + sweeps, first, -1):
            v = cftp._uniforms([13], time, grid.cells, everyone)
            for half in grid.halves:
                cftp._move(state, half, v[half.cells, None], cftp._room(half, state))
        assert np.all(bounds[:, 0] >= state[: grid.cells, 0])
        assert np.all(bounds[:, 1] <= state[: grid.cells, 1])
    assert np.max(bounds[:, 0] - bounds[:, 1]) < 1e-3
    mixed = cftp.patterns(grid, 200, np.random.default_rng(22))
    monkeypatch.setattr(cftp, "DOUBLE", 1.0)
    assert np.array_equal(cftp.patterns(grid, 200, np.random.default_rng(22)), mixed)


def gap_score(patterns, middle):
    """Standardised mean gap of the second row for levels ``(1, middle, 0)`` at temperature infinity.

    Row two is drawn from its box with density proportional to the gap of its entries, the length of what is below.
    """
    gap = patterns[:, 1, 0] - patterns[:, 1, 1]
    mean = (0.25 + ((1 - middle) ** 2 + middle**2) / 12) / 0.5
    return (gap.mean() - mean) / (gap.std() / np.sqrt(len(gap)))


def test_fresh_randomness_at_every_doubling_is_noticed(monkeypatch):
    """The classical mistake: it favours patterns that leave room, where chains meet quickly."""
    grid, size = lattice((1, 0.1, 0), (0, 0)), 250_000
    assert 2 * stats.norm.sf(abs(gap_score(cftp.patterns(grid, size, np.random.default_rng(15), 1), 0.1))) > ALARM
    fresh = np.random.default_rng(16)
    monkeypatch.setattr(cftp, "_randomness", lambda key, time: fresh)
    assert 2 * stats.norm.sf(abs(gap_score(cftp.patterns(grid, size, fresh, 1), 0.1))) < ALARM
