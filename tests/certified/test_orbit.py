"""Orbits in certified arithmetic: floats and balls release the same, on a grid that depends on the spectrum alone."""

import itertools
from typing import Any

import flint
import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra import sampling
from dpspectra.certified import ball_noise, fine_eigenbasis
from dpspectra.certified.orbit import Orbit, step_exponent
from dpspectra.mechanisms.second_moments import decomposed
from dpspectra.oracle import hciz
from tests.support.helpers import ALARM, entropy

# ---------------------------------------------------------------- what is released


def law_of(m, spectrum, temperature=1.0, field="complex"):
    """The certified law for a matrix."""
    found = decomposed(m.astype(complex if np.iscomplexobj(m) else float))
    levels = np.array(spectrum, dtype=float)
    return Orbit(m, temperature, found.values * temperature, found.vectors, levels, field)


def matrix(values, seed=0, kind=float):
    """A matrix of given eigenvalues."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(len(values), len(values))) + (
        1j * rng.normal(size=(len(values),) * 2) if kind is complex else 0
    )
    q = np.linalg.qr(x)[0]
    m = (q * values) @ q.conj().T
    return (m + m.conj().T) / 2


TIED = [9.0, 9.0, 4.0, 4.0]
NEAR = [9.0, 9.0 - 1e-12, 4.0, 4.0 - 1e-12]
WIDE = list(np.linspace(60.0, 5.0, 12))
REPLAYS: dict[str, Any] = {
    "line": (TIED, [1, 0, 0, 0], "real", float),
    "hyperplane": (NEAR, [1, 1, 1, 0], "real", float),
    "complex line": (WIDE, [1] + [0] * 11, "complex", complex),
    "plane": ([10 * x for x in WIDE], [1, 1] + [0] * 10, "complex", float),
    "plane, tie at it": ([9.0, 5.0, 5.0, 1.0], [1, 1, 0, 0], "complex", float),
    "plane, near tie at it": ([9.0, 5.0, 5.0 - 1e-12, 1.0], [1, 1, 0, 0], "complex", complex),
    "three of five": ([9.0, 8.0, 7.0, 1.0, 0.0], [1, 1, 1, 0, 0], "complex", float),
    "d - 1 of five, complex": ([9.0, 8.0, 7.0, 1.0, 0.0], [1, 1, 1, 1, 0], "complex", float),
    "rank 3 of different values": (WIDE[:6], [3, 2, 1, 0, 0, 0], "complex", float),
    "all different, negative": ([30.0, 12.0, 2.0], [1, 0.25, -1], "complex", complex),
    "flat, by quantiles": ([0.5, 0.4, 0.3, 0.2, 0.1, 0.0], [3, 2, 1, 0, -1, -2], "complex", float),
    "too large for floats": ([3e17, 3e17 - 2e4, 1e9, 0.0], [1, 0, 0, 0], "real", float),
    "too large for floats, plane": ([3e17, 1e17, 1e9, 0.0], [1, 1, 0, 0], "complex", complex),
    "too large for floats, all different": ([3e17, 1e17, 1e9, 0.0], [3, 2, 1, 0], "complex", float),
    "tied, by quantiles": ([0.5, 0.5, 0.5, 0.5, 0.0, 0.0], [2, 1, 1, 0, -1, -2], "complex", complex),
}
METHODS = {"bingham", "ball_chart", "vertex", "gelfand_tsetlin"}


def test_all_samplers_are_replayed():
    laws = [law_of(matrix(v, 0, kind), spectrum, 1.0, field) for v, spectrum, field, kind in REPLAYS.values()]
    assert {law.method for law in laws} == METHODS


@pytest.mark.parametrize("exponent", [-20, -24, -40])
@pytest.mark.parametrize("name", REPLAYS)
def test_floats_release_what_balls_do(name, exponent, monkeypatch):
    """All entries by balls on the same bits; and each number is a multiple of the step, none is minus zero."""
    values, spectrum, field, kind = REPLAYS[name]
    law, size = law_of(matrix(values, 1, kind), spectrum, 1.0, field), 4
    fast = [law.draw(exponent, entropy(i)) for i in range(size)]
    exact = Orbit._turned
    monkeypatch.setattr(Orbit, "_turned", lambda self, draw: (exact(self, draw)[0], np.inf))
    for i, h in enumerate(fast):
        assert np.array_equal(h, law.draw(exponent, entropy(i)))
        for part in (h.real, h.imag):
            assert np.array_equal(np.ldexp(part, -exponent), np.rint(np.ldexp(part, -exponent)))
        assert np.array_equal(h, h.conj().T)
        assert not np.any(np.signbit(h.real) & (h.real == 0))


@pytest.mark.parametrize("name", REPLAYS)
def test_what_is_released_is_near_the_draw_it_rounds(name):
    values, spectrum, field, kind = REPLAYS[name]
    exponent = step_exponent(np.array(spectrum, float))
    h = law_of(matrix(values, 2, kind), spectrum, 1.0, field).draw(exponent, entropy())
    step = 2.0**exponent
    assert np.abs(np.linalg.eigvalsh(h)[::-1] - spectrum).max() < step * len(h)
    assert 2.0**-26 < step / np.max(np.abs(spectrum)) < 2.0**-22


def test_the_error_of_the_floats_is_bounded(monkeypatch):
    """Against entries in balls: never above the bound, which is far below a step."""
    for name, (values, spectrum, field, kind) in REPLAYS.items():
        law = law_of(matrix(values, 3, kind), spectrum, 1.0, field)
        for i in range(5):
            draw = law._sampler.draw(entropy(i))
            estimate, error = law._turned(draw)
            with ball_noise.precision(200):
                worst = max(
                    abs(complex(law._entry(draw, r, c, 80) - flint.acb(complex(estimate[r, c]))))
                    for r, c in itertools.product(range(len(estimate)), repeat=2)
                )
            assert worst <= error < 2.0**-33 * max(map(abs, spectrum)), name


def test_the_step_depends_on_the_spectrum_alone():
    for d, rank, size in ((2, 1, 1.0), (20, 2, 1.0), (50, 2, 1.0), (100, 5, 1.0), (50, 3, 12.0)):
        exponent = step_exponent(np.array([size] * rank + [0.0] * (d - rank)))
        assert 2.0**exponent <= size * max(2.0**-23, 200 * d * d * np.sqrt(rank) * 2.0**-41)
        assert 2.0**exponent >= size * 200 * d * d * np.sqrt(rank) * 2.0**-44


# ---------------------------------------------------------------- the law


@pytest.fixture(params=["floats", "fine"])
def basis(request, monkeypatch):
    """Bases of floats, as they suffice below, and fine ones in their place."""
    if request.param == "fine":
        monkeypatch.setattr(fine_eigenbasis, "LOSS", -1.0)


@pytest.mark.parametrize("size", [1e16, 1e20, 1e110])
def test_large_matrices_have_their_law(size):
    """What ``<M, H>`` lacks of its largest value has two exponential numbers in it: eigenvalues are of `flint`.

    The float basis lost all draws of such matrices.
    """
    m, source = matrix([size, size / 2, 0.0], 8, complex), entropy(3)
    law = law_of(m, [1, 0, 0])
    draws = [law._sampler.draw(source) for _ in range(200)]
    assert all(law._last.accepts(draw, source) for draw in draws)
    with ball_noise.precision(1500):
        q, exact = law._basis.rows(range(3)), law._basis.matrix()
        inside = q.conjugate().transpose() * exact * q
        largest = max((x.real for x in exact.eig()), key=float)
        lacks = [float(largest - draw.times(inside, 1000).trace().real) for draw in draws]
    assert stats.kstest(lacks, stats.gamma(2).cdf).pvalue > ALARM


def laws():
    """Spectra of M and of H, and fields: 32 laws."""
    for values in ([6.0, 3.0, 3.0, 0.0], [2.0, 1.0, 0.5, 0.0], [40.0, 30.0, 10.0, 0.0], [1.0, 1.0, 1.0, 1.0]):
        for spectrum in ([1.0, 0, 0, 0], [1.0, 1, 1, 0]):
            for field in ("real", "complex"):
                yield values, spectrum, field
        for spectrum in ([1.0, 1, 0, 0], [3.0, 2, 1, 0], [1, 0.5, 0.5, -1], [2.0, 1, 0, 0]):
            yield values, spectrum, "complex"


@pytest.mark.parametrize(("values", "spectrum", "field"), list(laws()))
def test_draws_have_the_law(values, spectrum, field):
    """Four features against the float samplers, by Kolmogorov and Smirnov."""
    m = matrix(values, 4)
    law, size = law_of(m, spectrum, 1.0, field), 150
    source = entropy(11)
    h = np.array([law.draw(-24, source) for _ in range(size)])
    reference = sampling.orbit(m, spectrum, 1.0, size=4000, field=field, rng=5)
    features = (
        lambda x: np.einsum("ij,nji->n", m, x).real,
        lambda x: x[:, 0, 0].real,
        lambda x: x[:, 0, 1].real,
        lambda x: np.abs(x[:, 1, 2]),
    )
    pairs = [(f(h), f(reference)) for f in features]
    assert all(stats.ks_2samp(*pair).pvalue > ALARM for pair in pairs if np.ptp(pair[1]) > 1e-9)


@pytest.mark.parametrize(
    ("values", "spectrum"),
    [([3, 2, 0.5], [2, 1, 0]), ([8, 5, 1], [1, 1, 0]), ([20, 8, 1], [1, 0, -1]), ([1, 0.5, 0], [1, 0, 0])],
)
@pytest.mark.usefixtures("basis")
def test_moments_are_exact(values, spectrum):
    """Mean of ``<M, H>`` and the log-normaliser's derivative: beyond 5 standard errors with probability 6e-7."""
    m, source, size = matrix(values, 6), entropy(12), 400
    law = law_of(m, spectrum)
    x = [np.sum(m * law.draw(-24, source).real) for _ in range(size)]
    with mp.workdps(40):
        h = mp.mpf(10) ** -10
        low, mid, high = (hciz.log_normaliser(values, spectrum, 1 + j * h) for j in (-1, 0, 1))
        mean, variance = float((high - low) / (2 * h)), float((high - 2 * mid + low) / h**2)
    assert abs(np.mean(x) - mean) < 5 * np.sqrt(variance / size)
