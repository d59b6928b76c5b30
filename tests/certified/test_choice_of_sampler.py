"""The menu of certified samplers: every orbit has one."""

import numpy as np
import pytest

from dpspectra.certified import choice_of_sampler
from tests.support.helpers import entropy

# ---------------------------------------------------------------- what is released


METHODS = {"bingham", "ball_chart", "vertex", "gelfand_tsetlin"}


# ---------------------------------------------------------------- the menu


def spectra_of(d, rng):
    """Some spectra with and without ties."""
    yield np.repeat([1.0, 0.0], [d // 2, d - d // 2])
    yield np.sort(rng.normal(size=d))[::-1]
    yield np.sort(rng.integers(-1, 3, size=d).astype(float))[::-1] + np.r_[0.5, np.zeros(d - 1)]


def test_no_law_is_refused():
    """Weights flat, tied, nearly tied, concentrated, huge: a sampler is there, and draws nearly what it should."""
    rng, names = np.random.default_rng(7), set()
    for d in (2, 3, 4, 6):
        for weights in (
            np.zeros(d),
            np.linspace(5.0, 0, d),
            np.linspace(1e9, 0, d),
            np.linspace(5e-13, 0, d),
            np.repeat([20.0, 0.0], [1, d - 1]),
            np.repeat([20.0, 0.0], [d - 1, 1]),
        ):
            for spectrum in spectra_of(d, rng):
                choice = choice_of_sampler.chosen(weights, spectrum, "complex")
                draw = choice.sampler.draw(entropy())
                assert np.abs(np.linalg.eigvalsh(draw.estimate)[::-1] - spectrum).max() < 1e-12
                names.add(choice.method)
    assert names == METHODS


def test_a_real_orbit_is_one_of_lines_or_hyperplanes():
    with pytest.raises(ValueError, match="the spectrum of a real orbit must be that of a projector"):
        choice_of_sampler.chosen(np.zeros(4), np.array([1.0, 1, 0, 0]), "real")


def test_weights_are_moved_apart_no_more_than_asked():
    weights, spectrum = np.array([5.0, 5, 3, 3, 3]), np.array([2.0, 1.5, 1, 1, 1])
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 0.0), weights)
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 1.0), [7, 5, 3, 3, 3])
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 2.0), [11, 7, 3, 3, 3])
    assert np.array_equal(choice_of_sampler._apart(-weights[::-1], -spectrum[::-1], 2.0), [-3, -3, -3, -7, -11])
