"""Certified lines and hyperplanes: floats decide as balls do, and the law is exact."""

import flint
import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra import sampling
from dpspectra.certified import balls
from dpspectra.certified.ball_chart import identity
from dpspectra.certified.bingham import Bingham
from tests.support.helpers import ALARM
from tests.support.orbits import largest


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


WEIGHTS = {
    "d = 2": [2.0, 0.0],
    "tied": [0.0, 0.0, 0.0],
    "near tie": [5.0, 5.0 - 1e-12, 1.0, 1.0],
    "concentrated": [1e9, 0.0, -5.0],
    "d = 12": list(np.linspace(30, -3, 12)),
}


def laws():
    for name, weights in WEIGHTS.items():
        for rank in sorted({1, len(weights) - 1}):
            for field in ("real", "complex"):
                yield pytest.param(np.array(weights), rank, field, id=f"{name}, rank {rank}, {field}")


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_projectors_in_floats_are_those_in_balls(weights, rank, field):
    law, source, d = Bingham(weights, rank, field), entropy(5), len(weights)
    for _ in range(40):
        draw = law.draw(source)
        with balls.precision(160):
            exact = draw.times(identity(d), 64)
            assert largest(flint.acb_mat(draw.estimate.tolist()) - exact) <= draw.error < 2.0**-36
            assert (exact * exact).overlaps(exact)
        assert draw.estimate.dtype == (complex if field == "complex" else float)
        assert np.array_equal(draw.estimate, draw.estimate.conj().T)


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_balls_accept_the_proposals_that_floats_do(weights, rank, field, monkeypatch):
    before = [Bingham(weights, rank, field).draw(entropy(i)).estimate for i in range(10)]
    unknown = lambda self, errors, clear: (np.full(len(errors), -np.inf), np.full(len(errors), np.inf))  # noqa: E731
    monkeypatch.setattr("dpspectra.certified.bingham._Proposals._excesses", unknown)
    after = [Bingham(weights, rank, field).draw(entropy(i)).estimate for i in range(10)]
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_projectors_have_the_law(weights, rank, field):
    law, source, d = Bingham(weights, rank, field), entropy(6), len(weights)
    h = np.array([law.draw(source).estimate for _ in range(600)])
    reference = sampling.orbit(np.diag(weights), [1] * rank + [0] * (d - rank), 1.0, size=6000, field=field, rng=2)
    for i, j in ((0, 0), (d - 1, d - 1), (0, 1)):
        features = [np.abs(x[:, i, j]) if i != j else x[:, i, j].real for x in (h, reference)]
        if max(map(np.ptp, features)) > 1e-12:
            assert stats.ks_2samp(*features).pvalue > ALARM
