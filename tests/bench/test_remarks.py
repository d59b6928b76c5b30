"""The table of false remarks at a small size: few components that stand out are noise, and constant rows have none."""

import numpy as np
import pytest

import dpspectra as dps
from bench import remarks


@pytest.mark.parametrize("center", remarks.CENTERS)
def test_components_that_stand_out_are_hardly_ever_noise(center):
    """More than 5 of 60 have a probability of .0015 if 2 percent are; the seed is fixed."""
    x = np.random.default_rng(0).normal(size=(3000, 13)) * np.array([0.2, 0.15, *[0.05] * 11])
    bounds = dps.ColumnBounds(-np.ones(13), np.ones(13))
    found = [remarks.measured(x, bounds, center, epsilon, 20, seed) for seed, epsilon in enumerate((0.3, 3.0, 30.0))]
    assert sum(wrong for _, wrong in found) <= 5
    assert found[-1][0] == 20


def test_a_component_that_no_release_doubts_is_counted():
    x = np.full((500, 3), 0.5) + np.random.default_rng(1).normal(scale=1e-3, size=(500, 3))
    release = dps.private_pca(x, 2, 1.0, center="mean", rng=3)
    assert remarks.standing(release) == []
    told = dict(release.details) | {"shown": 2, "gaps": np.full(2, np.inf)}
    assert remarks.standing(dps.Release(release.value, release.claim, told)) == [0, 1]
