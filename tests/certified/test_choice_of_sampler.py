"""The menu of certified samplers: every orbit has one."""

from fractions import Fraction

import numpy as np
import pytest

from dpspectra.certified import choice_of_sampler
from tests.support.helpers import entropy

# ---------------------------------------------------------------- what is released


METHODS = ("bingham", "ball_chart", "vertex", "gelfand_tsetlin")


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
    assert names == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_a_sampler_is_remembered_and_keeps_nothing_of_its_draws(method):
    """Draws from one key are those of a new sampler, and nearly those for the same weights as fractions."""
    end, spectrum = {
        "bingham": (9.0, [1.0, 0, 0, 0]),
        "ball_chart": (40.0, [1.0, 1, 0, 0]),
        "vertex": (60.0, [3.0, 2, 1, 0]),
        "gelfand_tsetlin": (0.0, [3.0, 2, 1, 0]),
    }[method]
    for number in range(choice_of_sampler.KEPT + 1):
        law = np.linspace(end + number / 64, number / 64, 4), np.array(spectrum), "complex"
        kept = choice_of_sampler.chosen(*law)
        assert kept.method == method
        kept.sampler.draw(entropy(1))
        assert choice_of_sampler.chosen(law[0].copy(), *law[1:]) is kept
        fractions = np.array(list(map(Fraction, law[0])), dtype=object)
        estimates = [
            each.sampler.draw(entropy(2)).estimate
            for each in (kept, choice_of_sampler._found(*law), choice_of_sampler.chosen(fractions, *law[1:]))
        ]
        assert np.array_equal(estimates[0], estimates[1])
        assert np.allclose(estimates[0], estimates[2], rtol=0, atol=1e-12)
    assert choice_of_sampler._remembered.cache_info().currsize == choice_of_sampler.KEPT


def test_a_real_orbit_is_one_of_lines_or_hyperplanes():
    with pytest.raises(ValueError, match="the spectrum of a real orbit must be that of a projector"):
        choice_of_sampler.chosen(np.zeros(4), np.array([1.0, 1, 0, 0]), "real")


def test_weights_are_moved_apart_no_more_than_asked():
    weights, spectrum = np.array([5.0, 5, 3, 3, 3]), np.array([2.0, 1.5, 1, 1, 1])
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 0.0), weights)
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 1.0), [7, 5, 3, 3, 3])
    assert np.array_equal(choice_of_sampler._apart(weights, spectrum, 2.0), [11, 7, 3, 3, 3])
    assert np.array_equal(choice_of_sampler._apart(-weights[::-1], -spectrum[::-1], 2.0), [-3, -3, -3, -7, -11])
