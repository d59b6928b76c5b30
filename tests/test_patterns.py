"""Samplers on Gelfand-Tsetlin patterns against exact laws and against each other.

Fixed seeds. Every statistical check fails a true law with probability 1e-6 or less.
"""

import functools

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra import sampling
from dpspectra.fast.hciz import log_normaliser
from dpspectra.fast.patterns import extremes, frozen, interlaces
from dpspectra.oracle.patterns import utility_moments
from dpspectra.sampling import cftp, gelfand_tsetlin, vertex
from dpspectra.sampling.methods import choose
from dpspectra.sampling.patterns import on_orbit, unit_levels
from tests.helpers import ALARM

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
    h = on_orbit(pattern, 0.0, 1.0, np.random.default_rng(2))
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
    h = on_orbit(pattern, 0.0, 1.0, np.random.default_rng(3))
    assert np.abs(corners(h) - pattern).max() < 1e-14
    assert np.array_equal(h[0], np.diag(np.diag(h[0])))


def test_phases_are_uniform_and_independent():
    h = on_orbit(random_patterns(np.array([1.0, 0.5, 0.2, 0.0]), 20_000, 4), 0.0, 1.0, np.random.default_rng(5))
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


# All methods against the exact normaliser

CASES = [
    ((1, 0), (3, 1), 5.0),
    ((3, 2, 0), (2, 1, 0), 1.0),
    ((3, 3, 0), (2, 1, 0), 1.0),
    ((3, 2, 0), (1, 1, -1), 1.0),
    ((3, 2, 1, 0), (3, 3, 1, 0), 0.5),
    ((3, 1, 1, 0), (2, 1, 1, 0), 2.0),
    ((4, 2, 1, 0), (3, 2, 1, 0), 30.0),
    ((5, 4, 2, 1, 0), (5, 3, 2, 1, 0), 0.3),
    ((3, 3, 1, 0, 0), (2, 2, 1, 0, 0), 1.0),
    ((3, 2, 1, 0.5, 0), (0, 0, 0, -1, -2), 1.5),
]


def serves(method, values, spectrum, kappa):
    try:
        return choose(np.array(values, float), np.array(spectrum, float), kappa, "complex", method) == method
    except ValueError:
        return False


SERVED = [(method, case) for method in METHODS for case in CASES if serves(method, *case)]


def draw(method, values, spectrum, kappa, size, seed):
    rng = np.random.default_rng(seed)
    return METHODS[method].draw(np.array(values, float), np.array(spectrum, float), kappa, size, rng)


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


# Inverse distribution functions


class Recorder:
    """A generator that remembers its uniforms."""

    def __init__(self, seed):
        self.generator, self.drawn = np.random.default_rng(seed), []

    def random(self, size):
        self.drawn.append(self.generator.random(size))
        return self.drawn[-1]


@pytest.mark.parametrize(
    ("exponents", "levels"),
    [
        ((9, 5, 4, 2, 0), (1, 0.7, 0.4, 0, 0)),
        ((100, 80, 50, 10, 0), (1, 1, 1, 0, 0)),
        ((100, 80, 50, 10, 0), (1, 0.8, 0.8, 0, 0)),
        ((300, 10, 4, 2, 0), (1, 0.5, 0, 0, 0)),
        ((3, 2, 1, 0), (1, 1, 1 - 2**-6, 0)),
        ((9, 5, 4, 2, 1, 0), (1, 0.875, 0.75, 0.5, 0.25, 0)),
    ],
)
def test_distribution_functions_are_inverted_to_twelve_digits(exponents, levels):
    """With the plain exponentials in mpmath, where the determinant keeps all its rows and zeros are derivatives."""
    recorder, d = Recorder(18), len(levels)
    x = gelfand_tsetlin.patterns(np.array(exponents, float), np.array(levels, float), 6, recorder)
    assert interlaces(x).all()
    uniforms, still, k = iter(recorder.drawn), frozen(np.array(levels, float)), int(np.sum(np.array(levels) > 0))
    with mp.workdps(400):
        for r in range(d - 1, 0, -1):
            b = [mp.mpf(exponents[i] - exponents[r]) for i in range(r)]
            wide = min(k, r)
            drawn = {j: next(uniforms) for j in range(wide) if not still[r - 1, j]}
            for sample in range(len(x)):
                above, row = ([mp.mpf(v) for v in x[sample, q].tolist()] for q in (r, r - 1))

                def mass(t, b=b):
                    return mp.matrix([(mp.exp(y * t) - 1) / y for y in b])

                columns = [mass(above[j]) - mass(above[j + 1]) for j in range(wide)]
                columns += [mp.matrix([y**order for y in b]) for order in range(r - wide)]
                for j in range(wide):
                    if still[r - 1, j]:
                        order = row[:j].count(row[j])
                        columns[j] = mp.matrix([y**order * mp.exp(y * row[j]) for y in b])
                for j, u in drawn.items():
                    below = mass(row[j]) - mass(above[j + 1])
                    parts = [mp.det(table([*columns[:j], c, *columns[j + 1 :]])) for c in (below, columns[j])]
                    assert abs(parts[0] / parts[1] - mp.mpf(float(u[sample]))) < 2e-12
                    columns[j] = mp.matrix([mp.exp(y * row[j]) for y in b])


def table(columns):
    return mp.matrix([[c[i] for c in columns] for i in range(len(columns))])


@pytest.mark.parametrize(
    ("spectrum", "kappa", "reason"),
    [
        ((6, 5, 4, 3, 2, 1, 0), 1.0, "at most 5"),
        ((3, 3, 2, 1, 1, 0), 1.0, "more than 3"),
        ((20, 18, 15, 10, 0), 1.0, "share of 0.125, got 0.1"),
        ((3, 3, 0, 0, 0), 100.1, "at most 600"),
        ((1, 1 - 1e-4, 0, 0, 0), 1.0, "2 eigenvalues"),
        ((1, 0.995, 0.99, 0, 0), 1.0, "3 eigenvalues"),
    ],
)
def test_inverse_distribution_functions_refuse_what_they_cannot_resolve(spectrum, kappa, reason):
    values = np.array([2.0, 1, 0.5, 0.2, 0, 0, 0])[: len(spectrum)]
    assert reason in gelfand_tsetlin.refusal(values, np.array(spectrum, float), kappa)


@pytest.mark.parametrize(
    ("spectrum", "method"), [((1, 0.8, 0.6, 0.4, 0.2, 0), "gelfand_tsetlin"), ((1, 0.8, 0.8, 0.4, 0.2, 0), "cftp")]
)
def test_auto_takes_the_chain_where_the_public_spectrum_lets_it(spectrum, method):
    assert choose(np.array([1.0, 1, 1, 0, 0, 0]), np.array(spectrum), 3.0, "complex") == method


def test_a_spectrum_and_its_negative_are_served_alike():
    values, spectrum = np.array([3.0, 2.0, 1.0, 0.0, -1.0]), np.array([1.0, 1.0, 1.0, 0.5, 0.0])
    assert gelfand_tsetlin.refusal(values, spectrum, 1.0) is None
    h = gelfand_tsetlin.draw(values, spectrum, 1.0, 200, np.random.default_rng(19))
    g = gelfand_tsetlin.draw(-values[::-1], -spectrum[::-1], 1.0, 200, np.random.default_rng(19))
    assert np.array_equal(h, -g[:, ::-1, ::-1])


def test_low_rank_in_many_dimensions():
    d, spectrum = 40, np.array([1.0, 1.0, 0.5] + 37 * [0.0])
    values = np.linspace(20, 0, d)
    h, other = (draw(method, values, spectrum, 2.0, size, 20) for method, size in METHOD_SIZES)
    assert np.abs(np.linalg.eigvalsh(h)[:, ::-1] - spectrum).max() < 1e-12
    assert stats.ks_2samp(utility(values, h), utility(values, other)).pvalue > ALARM


METHOD_SIZES = (("gelfand_tsetlin", 400), ("cftp", 100))


def test_scale_and_shift_of_the_spectrum():
    h = on_orbit(np.array([[[0.25, 0], [1, 0]]]), -3.0, 2.0, np.random.default_rng(21))
    assert np.allclose(np.linalg.eigvalsh(h), [[-3, -1]], atol=1e-15)
    assert h[0, 0, 0] == -2.5
