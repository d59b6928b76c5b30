"""The contract of every certified sampler: floats within their bounds of balls, one law whoever decides, refusals."""

import re
from pathlib import Path

import flint
import numpy as np
import pytest
from scipy import stats

from dpspectra import sampling
from dpspectra.certified import ball_noise, choice_of_sampler, noise_on_grid
from tests.support.certified import GRIDS, distance, features, in_balls, rounded
from tests.support.helpers import ALARM, entropy
from tests.support.samplers import SAMPLERS, law_of

CASES = [(name, law) for name, sampler in SAMPLERS.items() for law in sampler.laws]
COMPLEX = [case for case in CASES if SAMPLERS[case[0]].laws[case[1]][2] == "complex" and case[1] != "d = 60"]
DRAWN = [(name, law) for name, law in CASES if SAMPLERS[name].size and law != "d = 60"]


def test_every_method_of_the_menu_keeps_the_contract():
    text = Path(choice_of_sampler.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r'SamplerChoice\("(\w+)"', text)) == SAMPLERS.keys()


@pytest.mark.parametrize(("name", "law"), [(name, law) for name, law in CASES if SAMPLERS[name].blind])
def test_balls_accept_the_proposals_that_floats_do(name, law, monkeypatch):
    """Draws from the same bits are the same if no decision is left to floats."""
    keys = range(20 if len(SAMPLERS[name].laws[law][1]) < 30 else 5)
    before = [law_of(name, law).draw(entropy(i)).estimate for i in keys]
    for target, replacement in SAMPLERS[name].blind.items():
        monkeypatch.setattr(f"dpspectra.certified.{target}", replacement)
    after = [law_of(name, law).draw(entropy(i)).estimate for i in keys]
    assert all(map(np.array_equal, before, after))


@pytest.mark.parametrize(("name", "law"), CASES)
def test_floats_lie_within_their_bound_of_balls_that_have_the_spectrum(name, law):
    """Balls of 256 bits are within those of 64, up to rounding.

    Where eigenvalues are an ulp apart, each eigenvector is known to 53 bits less, and so are the balls.
    """
    _, spectrum, field = SAMPLERS[name].laws[law]
    sampler, source, size = law_of(name, law), entropy(5), max(map(abs, spectrum))
    for _ in range(20 if len(spectrum) < 8 else 2):
        draw = sampler.draw(source)
        one, other = in_balls(draw, 128 if law == "gaps of one ulp" else 64), in_balls(draw, 256)
        assert one.overlaps(other)
        assert all(float(x.rad()) <= 2.0**-180 * size for x in other.entries())
        assert distance(draw, 256) <= draw.error
        assert draw.error < SAMPLERS[name].error * size
        with ball_noise.precision(400):
            moments = [sum((flint.arb(float(x)) ** p for x in spectrum), flint.arb(0)) for p in (1, 2)]
            assert other.trace().overlaps(flint.acb(moments[0]))
            assert (other * other).trace().overlaps(flint.acb(moments[1]))
            assert {*spectrum} != {0, 1} or (other * other).overlaps(other)
        assert draw.estimate.dtype == (complex if field == "complex" else float)
        assert np.array_equal(draw.estimate, draw.estimate.conj().T)
        assert not np.diagonal(draw.estimate).imag.any()
        assert np.abs(np.linalg.eigvalsh(draw.estimate)[::-1] - spectrum).max() <= 1e-14 * len(spectrum) * size + min(
            draw.error, 1e-9
        )


@pytest.mark.parametrize(("name", "law"), COMPLEX)
def test_floats_round_as_balls_do(name, law):
    sampler, source = law_of(name, law), entropy()
    for number in range(100 if len(SAMPLERS[name].laws[law][1]) < 8 else 5):
        draw, exponent = sampler.draw(source), GRIDS[number % len(GRIDS)]
        bound = float(np.ldexp(draw.error, exponent)) + noise_on_grid.SLACK
        assert (rounded(draw, exponent, bound) == rounded(draw, exponent, 1.0)).all()


@pytest.mark.parametrize(("name", "law"), DRAWN)
def test_draws_have_the_law_of_the_float_samplers(name, law):
    """By Kolmogorov and Smirnov on some numbers of a matrix: a true law fails with probability `ALARM` for each."""
    weights, spectrum, field = SAMPLERS[name].laws[law]
    sampler, source = law_of(name, law), entropy(6)
    h = np.array([sampler.draw(source).estimate for _ in range(SAMPLERS[name].size)])
    reference = sampling.orbit(np.diag(np.array(weights, float)), spectrum, 1.0, size=6000, field=field, rng=2)
    for x, y in zip(features(h), features(reference), strict=True):
        if max(np.ptp(x), np.ptp(y)) > 1e-12:
            assert stats.ks_2samp(x, y).pvalue > ALARM


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_key_gives_one_matrix(name):
    law = next(iter(SAMPLERS[name].laws))
    one, same, other = (law_of(name, law).draw(entropy(i)).estimate for i in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
