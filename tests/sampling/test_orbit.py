"""The choice among methods for an orbit, what it refuses, and the shape of what it returns."""

import importlib
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from dpspectra import sampling
from dpspectra.sampling.methods import METHODS, choose
from dpspectra.sampling.orbit import plan
from tests.support.helpers import ALARM, fits

orbit_module = importlib.import_module("dpspectra.sampling.orbit")

CHOICES = [
    # values, spectrum, kappa, field, choice
    ([100, 90, 1, 0], [1, 1, 0, 0], 5.0, "complex", "ball_chart"),
    ([100, 90, 1, 0], [1, 1, 0, 0], 0.001, "complex", "macg"),
    ([5, 5, 5, 0], [1, 1, 0, 0], 1.0, "complex", "macg"),
    ([100, 90, 1, 0], [1, 1, 0, 0], 5.0, "real", "two_part"),
    ([100, 90, 1, 0], [1, 1, 1, 0], 5.0, "real", "bingham"),
    ([100, 90, 1, 0], [3, 3, 3, 3], 5.0, "real", "constant"),
    ([3, 2, 1, 0], [3, 2, 1, 0], 0.0, "real", "haar"),
    ([7, 7, 7, 7], [3, 2, 1, 0], 4.0, "complex", "haar"),
]


@pytest.mark.parametrize(("values", "spectrum", "kappa", "field", "choice"), CHOICES)
def test_automatic_choice(values, spectrum, kappa, field, choice):
    chosen = plan(np.diag(np.array(values, float)), spectrum, kappa, field)
    assert chosen.method == choice
    assert chosen.draw(3, np.random.default_rng(9)).shape == (3, 4, 4)


def test_a_law_is_prepared_once(monkeypatch):
    """Single draws of one law; a law that differs in any part is another one, and draws are those of before."""
    prepared = []
    monkeypatch.setattr(orbit_module, "choose", lambda *law: prepared.append(law) or choose(*law))
    laws = [(m, s, kappa) for m in (3.0, 3.5) for s in (1.0, 2.0) for kappa in (1.0, 1.5)]

    def draws(seed):
        rng = np.random.default_rng(seed)
        return [sampling.orbit(np.diag([m, 1, 0]), [s, 0, 0], kappa, field="complex", rng=rng) for m, s, kappa in laws]

    once, again = draws(4), draws(4)
    assert len(prepared) == len(laws)
    assert orbit_module._draw.cache_info().misses == len(laws)
    assert np.array_equal(once, again)
    for m in np.linspace(4.0, 5.0, 2 * orbit_module.KEPT):
        sampling.orbit(np.diag([m, 1, 0]), [1.0, 0, 0], 1.0, field="complex", rng=1)
    assert orbit_module._draw.cache_info().currsize == orbit_module.KEPT


def test_automatic_choice_leaves_rejection_where_it_rejects_too_much():
    m = np.diag(np.linspace(4.0, 0.0, 30))
    assert plan(m, np.repeat([1.0, 0.0], [10, 20]), 16.0, "complex").method == "cftp"
    assert plan(m, np.repeat([2.0, 1.0, 0.0], [1, 1, 28]), 0.25, "complex").method == "gelfand_tsetlin"
    assert plan(m, np.repeat([2.0, 1.0, 0.0], [1, 1, 28]), 25.0, "complex").method == "vertex"
    with pytest.raises(ValueError, match="field must be 'complex'"):
        plan(m, np.repeat([1.0, 0.0], [10, 20]), 16.0)


@pytest.mark.parametrize(("field", "kappa"), [("real", 5.0), ("complex", 5.0), ("complex", 0.1)])
def test_frames_say_nothing_beyond_their_span(field, kappa):
    """Right multiplication by a unitary matrix keeps the law; most methods return a frame fixed by span and ``M``."""
    chosen = plan(np.diag([9.0, 8, 1, 0]), [1, 1, 0, 0], kappa, field)
    x = chosen.frames(4000, np.random.default_rng(17))
    assert np.abs(x.conj().swapaxes(1, 2) @ x - np.eye(2)).max() < 1e-12
    share = np.abs(x[:, 0, 0]) ** 2 / np.sum(np.abs(x[:, 0]) ** 2, axis=1)
    half = 0.5 if field == "real" else 1.0
    assert stats.kstest(share, stats.beta(half, half).cdf).pvalue > ALARM
    if field == "complex":
        assert stats.kstest(np.angle(x[:, 0, 0]), stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > ALARM
    else:
        assert stats.binomtest(int(np.sum(x[:, 0, 0] > 0)), len(x)).pvalue > ALARM


def peak_memory(function):
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_is_that_of_what_is_returned():
    law, bound = (np.diag(np.linspace(300.0, 0.0, 50)), np.repeat([1.0, 0.0], [3, 47]), 1.0), 2**26

    def count():
        parts = [part.shape for part in sampling.orbit_chunks(*law, size=6000, field="complex", rng=18)]
        assert sum(shape[0] for shape in parts) == 6000
        assert {shape[1:] for shape in parts} == {(50, 50)}

    assert peak_memory(count) < bound, "all 6000 matrices together have 2.4e8 bytes"
    assert peak_memory(lambda: sampling.orbit(*law, size=2000, field="complex", rng=18)) < 2000 * 16 * 2500 + bound


def test_chunks_have_the_sizes_asked_for():
    sizes = [len(part) for part in sampling.orbit_chunks(np.eye(2), [1, 0], 1.0, size=7, chunk=3)]
    assert sizes == [3, 3, 1]
    whole = sampling.orbit(np.diag([2.0, 1, 0]), [2, 1, 0], 1.0, size=7, rng=3, field="complex")
    for chunk in (1, 2, 7, 9):
        parts = sampling.orbit_chunks(np.diag([2.0, 1, 0]), [2, 1, 0], 1.0, size=7, chunk=chunk, rng=3, field="complex")
        assert np.concatenate(list(parts)).tolist() == whole.tolist()
    d = 1200  # more numbers than are drawn together
    sizes = [len(part) for part in sampling.orbit_chunks(np.eye(d), np.eye(d)[0], 1.0, size=3, chunk=1)]
    assert sizes == [1, 1, 1]
    assert list(sampling.orbit_chunks(np.eye(2), [1, 0], 1.0, size=0)) == []
    with pytest.raises(ValueError, match="chunk must be at least 1"):
        sampling.orbit_chunks(np.eye(2), [1, 0], 1.0, size=1, chunk=0)


@pytest.mark.parametrize("method", METHODS)
def test_no_draws_are_an_empty_array(method):
    field = "real" if method == "two_part" else "complex"
    spectrum = [1, 0, 0, 0] if method == "bingham" else [1, 1, 0, 0]
    m = np.diag([9.0, 8, 1, 0])
    assert sampling.orbit(m, spectrum, 2.0, size=0, field=field, method=method).shape == (0, 4, 4)
    assert sampling.orbit(m, spectrum, 2.0, field=field, method=method).shape == (4, 4)


@pytest.mark.parametrize("method", ["ball_chart", "bingham", "macg"])
def test_complex_rank_one_law_is_a_truncated_gamma(method):
    """With ``M = g e_1 e_1'`` the gap ``g (1 - |v_1|^2)`` is ``Gamma(d-1, kappa)`` cut at ``g``."""
    d, g, kappa = 4, 3.0, 2.0
    h = sampling.orbit(np.diag([g, 0, 0, 0]), [1, 0, 0, 0], kappa, size=20_000, field="complex", method=method, rng=4)
    law = stats.gamma(d - 1, scale=1 / kappa)
    assert fits(g - g * h[:, 0, 0].real, lambda t: law.cdf(np.minimum(t, g)) / law.cdf(g))


@pytest.mark.parametrize("field", ["real", "complex"])
def test_zero_temperature_and_ties_give_the_uniform_law(field):
    h = sampling.orbit(np.diag([5.0, 1.0, 0.0]), [1, 0, 0], 0.0, size=10_000, field=field, rng=5)
    half = 0.5 if field == "real" else 1.0
    assert fits(h[:, 0, 0].real, stats.beta(half, 2 * half).cdf)
    h = sampling.orbit(7 * np.eye(3), [1, 0, 0], 50.0, size=10_000, field=field, rng=6)
    assert fits(h[:, 1, 1].real, stats.beta(half, 2 * half).cdf)


def test_methods_agree_on_a_spectrum_with_ties():
    m = np.diag([3.0, 3.0, 1.0, 0.0])
    samples = [
        sampling.orbit(m, [2, 0, 0, 0], 2.0, size=8000, field="complex", method=method, rng=7)
        for method in ("bingham", "macg")
    ]
    for i in range(4):
        assert stats.ks_2samp(samples[0][:, i, i].real, samples[1][:, i, i].real).pvalue > ALARM


@pytest.mark.parametrize(
    "spectrum", [[2.0, 2.0, 2.0], [3.0, 1.0, 1.0], [3.0, 3.0, -1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.5]]
)
@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("kappa", [0.0, 1.0, 1e8])
def test_the_spectrum_is_as_asked(spectrum, field, kappa):
    h = sampling.orbit(np.diag([4.0, 2.0, 1.0]), spectrum, kappa, size=5, field=field, rng=8)
    assert np.abs(np.linalg.eigvalsh(h)[:, ::-1] - spectrum).max() < 1e-12
    assert h.dtype == (complex if field == "complex" else float)


def test_the_least_value_alone_prefers_the_least_eigenvector():
    h = sampling.orbit(np.diag([4.0, 2.0, 1.0]), [1, 1, 0], 1e6, rng=9)
    assert np.allclose(h, np.diag([1, 1, 0]), atol=1e-2)


def test_sizes_seeds_and_d_one():
    assert sampling.orbit([[3.0]], [2.0], 1.0).tolist() == [[2.0]]
    assert sampling.orbit(np.eye(2), [1, 0], 1.0, size=0).shape == (0, 2, 2)
    assert sampling.haar(2, size=0).shape == (0, 2, 2)
    assert sampling.bingham(np.eye(1)).shape == (1,)
    first, second = (sampling.orbit(np.diag([1.0, 0.0]), [1, 0], 1.0, rng=10) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, sampling.orbit(np.diag([1.0, 0.0]), [1, 0], 1.0))


def test_automatic_choice_follows_the_concentration():
    m = np.diag([100.0, 1.0, 0.0])
    assert plan(m, [1, 0, 0], 5.0, "complex").method == "ball_chart"
    assert plan(m, [1, 0, 0], 0.01, "complex").method == "bingham"
    assert plan(m, [1, 0, 0], 5.0).method == "bingham"
    assert plan(m, [1, 1, 1], 5.0).method == "constant"
