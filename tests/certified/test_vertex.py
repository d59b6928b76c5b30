"""Patterns near the largest one: accepted in floats as in balls, and of the right law."""

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.certified import vertex
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.vertex import Vertex
from tests.support.helpers import ALARM


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


VERTICES = {
    "two values": ([6.0, 4.0, 1.0, 0.0], [1, 1, 0, 0]),
    "all different": ([9.0, 5.0, 0.0], [1, 0, -1]),
    "few at the top": ([30.0, 20.0, 10.0, 10.0, 10.0], [2, 1, 0, 0, 0]),
    "few at the bottom": ([10.0, 10.0, 10.0, 0.0], [1, 1, 1, -0.5]),
    "ties within": ([30.0, 20.0, 10.0, 0.0], [2, 1, 1, 0]),
}


@pytest.mark.parametrize("name", VERTICES)
def test_patterns_in_floats_are_accepted_as_in_balls(name, monkeypatch):
    weights, spectrum = (np.array(x, float) for x in VERTICES[name])
    before = [Vertex(weights, spectrum).draw(entropy(i)) for i in range(30)]
    decided = vars(vertex._Proposals)["accepts"]

    def by_balls(self, b):
        self.inside[b] = self._outside[b] = False
        return decided(self, b)

    monkeypatch.setattr(vertex._Proposals, "accepts", by_balls)
    after = [Vertex(weights, spectrum).draw(entropy(i)) for i in range(30)]
    assert all(np.array_equal(x.estimate, y.estimate) for x, y in zip(before, after, strict=True))


@pytest.mark.parametrize("name", VERTICES)
def test_the_vertex_and_the_quantiles_draw_one_law(name):
    weights, spectrum = (np.array(x, float) for x in VERTICES[name])
    h, other = (
        np.array([law.draw(source).estimate for _ in range(size)])
        for law, source, size in (
            (Vertex(weights, spectrum), entropy(1), 1000),
            (GelfandTsetlin(weights, spectrum), entropy(2), 100),
        )
    )
    features = lambda x: (x[:, 0, 0].real, x[:, -1, -1].real, np.abs(x[:, 0, 1]), x[:, 0, -1].imag)  # noqa: E731
    for x, y in zip(features(h), features(other), strict=True):
        assert stats.ks_2samp(x, y).pvalue > ALARM


def test_the_share_of_accepted_patterns_is_that_of_the_law():
    """For ``d = 2`` a proposal is accepted with probability ``1 - exp(-rate)``: 128 of them, 5 standard deviations."""
    for rate in (0.2, 1.0, 5.0):
        share, exact = Vertex(np.array([rate, 0.0]), np.array([1.0, 0.0])).share(), -np.expm1(-rate)
        assert abs(share - exact) < 5 * np.sqrt(exact * (1 - exact) / 128)


def test_weights_without_gaps_are_refused_by_the_vertex():
    for weights, spectrum in (([1.0, 1.0], [1, 0]), ([2.0, 1.0, 1.0], [1, 1, 0])):
        with pytest.raises(ValueError, match="must have gaps"):
            Vertex(np.array(weights), np.array(spectrum, float))
