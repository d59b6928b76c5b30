"""The sampler at a vertex: how often it accepts, and what it refuses."""

import numpy as np
import pytest
from scipy import stats

from dpspectra.fast.hciz import log_normaliser
from dpspectra.sampling import vertex
from dpspectra.sampling.methods import choose
from tests.support.helpers import ALARM
from tests.support.patterns import CASES


# Vertex exponentials
@pytest.mark.parametrize("case", [CASES[1], CASES[3], CASES[4], ((5, 4, 2, 1, 0), (5, 3, 2, 1, 0), 1.0)])
def test_acceptance_is_a_ratio_of_normalisers(case):
    """The volume of the patterns is the product of ``(spectrum_i - spectrum_j) / (j - i)`` over pairs not tied."""
    values, spectrum, kappa = np.array(case[0], float), np.array(case[1], float), case[2]
    d = len(values)
    i, j = np.triu_indices(d, 1)
    untied = spectrum[i] > spectrum[j]
    log_volume = np.sum(np.log(spectrum[i] - spectrum[j], where=untied, out=np.zeros(len(i))) - untied * np.log(j - i))
    log_mass = 0.0
    for r in range(1, d):
        for c in range(r):
            if (width := spectrum[c] - spectrum[c + d - r]) > 0:
                rate = kappa * (values[c] - values[r])
                log_mass += np.log(-np.expm1(-rate * width) / rate)
    expected = np.exp(log_volume + log_normaliser(values, spectrum, kappa) - kappa * values @ spectrum - log_mass)
    _, accepted = vertex.patterns(values, spectrum, kappa).propose(50_000, np.random.default_rng(17))
    assert stats.binomtest(int(accepted.sum()), len(accepted), expected).pvalue > ALARM


@pytest.mark.parametrize(
    ("values", "spectrum", "kappa", "reason"),
    [
        ((3, 3, 0), (1, 0, 0), 1.0, "2 largest"),
        ((3, 1, 1, 0), (2, 1, 0, 0), 1.0, "3 largest"),
        ((3, 2, 1), (2, 1, 0), 0.0, "times kappa, must be positive"),
        (np.linspace(1, 0, 8), np.linspace(1, 0, 8), 0.1, "accepted none"),
    ],
)
def test_vertex_refuses_before_drawing(values, spectrum, kappa, reason):
    with pytest.raises(ValueError, match=reason):
        choose(np.array(values, float), np.array(spectrum, float), kappa, "complex", "vertex")


def test_vertex_serves_ties_that_do_not_matter():
    assert vertex.refusal(np.array([3.0, 1, 1, 1]), np.array([1.0, 0, 0, 0]), 1.0) is None
    assert vertex.refusal(np.array([1.0, 1, 1]), np.array([2.0, 2, 2]), 1.0) is None
