"""Samplers on Gelfand-Tsetlin patterns against exact laws and against each other.

Fixed seeds. Every statistical check fails a true law with probability 1e-6 or less.
"""

import functools

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra import sampling
from dpspectra.fast.patterns import extremes, frozen, interlaces
from dpspectra.oracle.patterns import utility_moments
from dpspectra.sampling import cftp, gelfand_tsetlin, vertex
from dpspectra.sampling.methods import choose
from dpspectra.sampling.patterns import on_orbit, unit_levels
from tests.support.helpers import ALARM
from tests.support.patterns import CASES

METHODS = {"cftp": cftp, "vertex": vertex, "gelfand_tsetlin": gelfand_tsetlin}


def corners(h):
    """Pattern of a matrix by the definition: the spectra of its leading minors."""
    out = np.zeros(h.shape)
    for r in range(1, h.shape[-1] + 1):
        out[..., r - 1, :r] = np.linalg.eigvalsh(h[..., :r, :r])[..., ::-1]
    return out


def random_patterns(spectrum, size, seed, power=1.0):
    """Patterns drawn somehow; a large power puts them near the bottom, a small one near the top."""
    rng, d = np.random.default_rng(seed), len(spectrum)
    out = np.zeros((size, d, d))
    out[:, -1] = spectrum
    for r in range(d - 1, 0, -1):
        high, low = out[:, r, :r], out[:, r, 1 : r + 1]
        out[:, r - 1, :r] = np.clip(low + (high - low) * rng.random((size, r)) ** power, low, high)
    return out


# Patterns and the way back
@pytest.mark.parametrize(
    "spectrum",
    [
        [1.0],
        [1.0, 1.0, 1.0],
        [1.0, 0.7, 0.3, 0.0],
        [1.0, 1.0, 0.0, 0.0],
        [1.0, 0.5, 0.5, 0.5, 0.0, 0.0],
        [1.0, 1 - 1e-15, 1 - 2e-15, 0.5, 1e-300, 0.0],
        np.linspace(1, 0, 20),
        [1.0, 1.0, 0.4] + 17 * [0.0],
    ],
)
@pytest.mark.parametrize("power", [1.0, 40.0, 1e4, 1e-3])
def test_reconstruction_has_the_minors_it_was_given(spectrum, power):
    pattern = random_patterns(np.array(spectrum), 30, 1, power)
    assert interlaces(pattern).all()
    h = on_orbit(pattern, 0.0, 1.0, np.random.default_rng(2)).matrices()
    assert np.array_equal(h, h.conj().swapaxes(-1, -2))
    assert np.abs(corners(h) - pattern).max() < 1e-13
    assert np.abs(np.linalg.eigvalsh(h)[:, ::-1] - spectrum).max() < 1e-13


def test_reconstruction_where_rows_coincide_by_chance():
    """Coincidences beyond those of the spectrum: with the upper value, the lower one, both, and in runs."""
    pattern = np.zeros((5, 4, 4))
    pattern[:, 3] = [1, 0.6, 0.3, 0]
    pattern[:, 2, :3] = [[1, 0.6, 0.3], [0.6, 0.3, 0], [0.6, 0.6, 0.1], [0.8, 0.3, 0.3], [0.6, 0.6, 0]]
    pattern[:, 1, :2] = [[1, 0.6], [0.5, 0.3], [0.6, 0.6], [0.3, 0.3], [0.6, 0.3]]
    pattern[:, 0, 0] = [1, 0.3, 0.6, 0.3, 0.6]
    h = on_orbit(pattern, 0.0, 1.0, np.random.default_rng(3)).matrices()
    assert np.abs(corners(h) - pattern).max() < 1e-14
    assert np.array_equal(h[0], np.diag(np.diag(h[0])))


def test_phases_are_uniform_and_independent():
    h = on_orbit(
        random_patterns(np.array([1.0, 0.5, 0.2, 0.0]), 20_000, 4), 0.0, 1.0, np.random.default_rng(5)
    ).matrices()
    angles = [np.angle(h[:, i, j]) for i, j in ((0, 1), (0, 2), (1, 2), (0, 3), (2, 3))]
    angles += [np.angle(h[:, 0, 1] / h[:, 2, 3]), np.angle(h[:, 0, 1] / h[:, 1, 2]), np.angle(h[:, 0, 2] / h[:, 0, 3])]
    for angle in angles:
        assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > ALARM


def test_frozen_cells_and_extremes():
    spectrum = np.array([2.0, 1.0, 1.0, 1.0, 0.0])
    assert np.argwhere(frozen(spectrum)[:-1]).tolist() == [[2, 1], [3, 1], [3, 2]]
    top, bottom = extremes(spectrum)
    assert interlaces(np.stack([top, bottom])).all()
    assert top.tolist()[2] == [2, 1, 1, 0, 0]
    assert bottom.tolist()[2] == [1, 1, 0, 0, 0]
    assert not interlaces(np.array([[2.0, 0], [1, 0]]))
    assert not interlaces(np.array([[-1.0, 0], [1, 0]]))


def test_ties_survive_the_move_to_unit_levels():
    levels, base, spread = unit_levels(np.array([0.3, 0.1, 0.1, -0.7]))
    assert levels[1] == levels[2]
    assert (levels[0], levels[-1]) == (1, 0)
    assert np.allclose(base + spread * levels, [0.3, 0.1, 0.1, -0.7], atol=1e-16)
    assert unit_levels(np.array([2.0, 2.0]))[0].tolist() == [0, 0]


def serves(method, values, spectrum, kappa):
    try:
        return choose(np.array(values, float), np.array(spectrum, float), kappa, "complex", method) == method
    except ValueError:
        return False


SERVED = [(method, case) for method in METHODS for case in CASES if serves(method, *case)]


def draw(method, values, spectrum, kappa, size, seed):
    rng = np.random.default_rng(seed)
    return METHODS[method].sampler(np.array(values, float), np.array(spectrum, float), kappa)(size, rng).matrices()


def utility(values, h):
    return np.real(np.diagonal(h, axis1=1, axis2=2)) @ np.array(values, float)


@functools.cache
def exact_moments(values, spectrum, kappa):
    """Mean and variance of ``<M, H>``."""
    with mp.workdps(30):
        return tuple(map(float, utility_moments(values, spectrum, kappa)))


def moments_fit(q, mean, variance):
    """Both by their normal limits, at half the false alarm each."""
    n, centred = len(q), (q - mean) ** 2
    scores = (np.mean(q) - mean) / np.sqrt(variance / n), (np.mean(centred) - variance) / (np.std(centred) / np.sqrt(n))
    return all(2 * stats.norm.sf(abs(score)) > ALARM / 2 for score in scores)


@pytest.mark.parametrize(("method", "case"), SERVED)
def test_mean_and_variance_are_those_of_the_normaliser(method, case):
    values, spectrum, _ = case
    h = draw(method, *case, 20_000, 6)
    assert np.abs(np.linalg.eigvalsh(h[:500])[:, ::-1] - spectrum).max() < 1e-13
    assert moments_fit(utility(values, h), *exact_moments(*case))


@pytest.mark.parametrize("method", METHODS)
def test_a_temperature_off_by_a_tenth_is_noticed(method):
    values, spectrum, kappa = CASES[1]
    h = draw(method, values, spectrum, 1.1 * kappa, 20_000, 6)
    assert not moments_fit(utility(values, h), *exact_moments(*CASES[1]))


def test_every_method_serves_several_cases():
    served = [method for method, _ in SERVED]
    assert {method: served.count(method) for method in METHODS} == {"cftp": 10, "vertex": 7, "gelfand_tsetlin": 10}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spectrum", [(1, 0, 0, 0), (0, 0, 0, -1)])
def test_rank_one_law_is_a_truncated_gamma(method, spectrum):
    """With ``M = g e_1 e_1'`` (``-g e_4 e_4'``) and one eigenvalue apart, ``g (1 - |v_1|^2)`` is ``Gamma(3)``, cut."""
    g, kappa = 3.0, 2.0
    values, place = ((g, 0, 0, 0), 0) if spectrum[0] else ((0, 0, 0, -g), 3)
    if method == "vertex" and place:
        assert vertex.refusal(np.array(values), np.array(spectrum), kappa) is not None
        return
    gap = g - g * np.abs(draw(method, values, spectrum, kappa, 20_000, 7)[:, place, place].real)
    law = stats.gamma(3, scale=1 / kappa)
    assert stats.kstest(gap, lambda t: law.cdf(np.minimum(t, g)) / law.cdf(g)).pvalue > ALARM


def by_rejection(values, spectrum, kappa, size, seed):
    """Haar matrices, kept with probability ``exp(-kappa (best - <M, H>))``: the definition itself."""
    rng, kept = np.random.default_rng(seed), []
    values, spectrum = np.array(values, float), np.array(spectrum, float)
    while sum(map(len, kept)) < size:
        u = sampling.haar(len(values), size=20_000, rng=rng)
        h = (u * spectrum) @ u.conj().swapaxes(-1, -2)
        kept.append(h[rng.random(len(h)) < np.exp(-kappa * (values @ spectrum - utility(values, h)))])
    return np.concatenate(kept)[:size]


def features(h):
    d = h.shape[-1]
    yield from (h[:, i, i].real for i in range(d))
    yield from (np.abs(h[:, i, j]) for i, j in ((0, 1), (0, d - 1), (1, 2), (d - 2, d - 1)))
    yield from (np.angle(h[:, i, j] * h[:, j, k] * h[:, k, i]) for i, j, k in ((0, 1, 2), (0, 1, d - 1)))
    pattern = corners(h)
    yield from (pattern[:, r - 1, j] for r in (2, d - 1) for j in range(r))
    yield np.linalg.eigvalsh(h[:, [0, d - 1]][:, :, [0, d - 1]])[:, 0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", [((3, 2, 1, 0), (2, 2, 1, 0), 0.5), ((2, 1, 0.5, 0), (2, 1, 0.5, 0), 0.7)])
def test_methods_agree_with_rejection_from_the_uniform_law(method, case):
    for a, b in zip(features(draw(method, *case, 10_000, 8)), features(by_rejection(*case, 10_000, 9)), strict=True):
        assert np.ptp(a) < 1e-12 > np.ptp(b) or stats.ks_2samp(a, b).pvalue > ALARM / 30


@pytest.mark.parametrize("method", METHODS)
def test_sizes_seeds_and_small_dimensions(method):
    assert draw(method, (3.0,), (2.0,), 1.0, 2, 10).tolist() == [[[2]], [[2]]]
    assert draw(method, (3, 1), (2, 0), 1.0, 0, 10).shape == (0, 2, 2)
    assert np.array_equal(draw(method, (3, 2, 1), (2, 2, 2), 1.0, 1, 10)[0], 2 * np.eye(3))
    first, second, other = (draw(method, (3, 1), (2, 0), 1.0, 3, seed) for seed in (10, 10, 11))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("method", ["cftp", "vertex"])
def test_very_low_temperature_gives_the_best_matrix(method):
    h = draw(method, (4, 2, 1, 0), (3, 1, 1, 0), 1e20, 5, 12)
    assert np.abs(h - np.diag([3, 1, 1, 0])).max() < 1e-15


@pytest.mark.parametrize(
    ("spectrum", "method"), [((1, 0.8, 0.6, 0.4, 0.2, 0), "gelfand_tsetlin"), ((1, 0.8, 0.8, 0.4, 0.2, 0), "cftp")]
)
def test_auto_takes_the_chain_where_the_public_spectrum_lets_it(spectrum, method):
    assert choose(np.array([1.0, 1, 1, 0, 0, 0]), np.array(spectrum), 3.0, "complex") == method


def test_a_spectrum_and_its_negative_are_served_alike():
    values, spectrum = np.array([3.0, 2.0, 1.0, 0.0, -1.0]), np.array([1.0, 1.0, 1.0, 0.5, 0.0])
    assert gelfand_tsetlin.refusal(values, spectrum, 1.0) is None
    h = gelfand_tsetlin.sampler(values, spectrum, 1.0)(200, np.random.default_rng(19)).matrices()
    g = gelfand_tsetlin.sampler(-values[::-1], -spectrum[::-1], 1.0)(200, np.random.default_rng(19)).matrices()
    assert np.abs(h + g[:, ::-1, ::-1]).max() < 1e-15


def test_low_rank_in_many_dimensions():
    d, spectrum = 40, np.array([1.0, 1.0, 0.5] + 37 * [0.0])
    values = np.linspace(20, 0, d)
    h, other = (draw(method, values, spectrum, 2.0, size, 20) for method, size in METHOD_SIZES)
    assert np.abs(np.linalg.eigvalsh(h)[:, ::-1] - spectrum).max() < 1e-12
    assert stats.ks_2samp(utility(values, h), utility(values, other)).pvalue > ALARM


METHOD_SIZES = (("gelfand_tsetlin", 400), ("cftp", 100))


def test_scale_and_shift_of_the_spectrum():
    h = on_orbit(np.array([[[0.25, 0], [1, 0]]]), -3.0, 2.0, np.random.default_rng(21)).matrices()
    assert np.allclose(np.linalg.eigvalsh(h), [[-3, -1]], atol=1e-15)
    assert h[0, 0, 0] == -2.5
