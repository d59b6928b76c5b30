"""Orbit mechanisms in certified arithmetic: floats and balls release the same, the law, the grid, what claims say.

Fixed seeds. A statistical comparison of a true law fails with probability `ALARM` each.
"""

import itertools
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import flint
import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra import sampling
from dpspectra.certified import balls, calibrate, menu, vertex
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.orbit import Orbit, step_exponent
from dpspectra.certified.vertex import Vertex
from dpspectra.ledger import all_statements
from dpspectra.mechanisms import orbit_law
from dpspectra.mechanisms.orbit_law import CertifiedLaw
from dpspectra.mechanisms.spectrum import EXACT_MATRIX, decomposed
from dpspectra.oracle import hciz
from tests.helpers import ALARM

ROWS = np.random.default_rng(0).standard_normal((60, 5)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
M = X.T @ X
SPECTRUM = [3.0, 2.0, 1.0, 0.0, 0.0]


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


MECHANISMS = {
    "pca, k = 1": lambda **o: dps.private_pca(X, 1, 2.0, mechanism="orbit", **o),
    "pca, k = 2": lambda **o: dps.private_pca(X, 2, 2.0, mechanism="orbit", **o),
    "orbit of lines": lambda **o: dps.private_orbit(M, [2.0, 1.0, 1.0, 1.0, 1.0], 2.0, **o),
    "orbit": lambda **o: dps.private_orbit(M, SPECTRUM, 2.0, **o),
    "complex orbit": lambda **o: dps.private_orbit(M.astype(complex), SPECTRUM, 2.0, **o),
    "low rank, k = 1": lambda **o: dps.private_low_rank(M, 1, 4.0, mechanism="orbit", **o),
    "low rank, k = 2": lambda **o: dps.private_low_rank(M, 2, 4.0, mechanism="orbit", **o),
}


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize("name", MECHANISMS)
def test_claims_say_which_arithmetic_ran(name):
    release = MECHANISMS[name]
    fresh, keyed = release(), release(rng=entropy())
    ideal = [release(rng=0), release(arithmetic="ideal")]
    assert [r.claim.arithmetic for r in (fresh, keyed, *ideal)] == ["certified", "certified", "ideal", "ideal"]
    known = {label for entry in all_statements() for label in entry.labels}
    for r in (fresh, keyed):
        assert {"DPS-CORRECTION", "DPS-EIGENBASIS", "DPS-ROUNDED"} <= set(r.claim.labels) <= known
        assert (EXACT_MATRIX in r.claim.assumptions) == ("pca" not in name)
        assert ("DPS-EXACTSUM" in r.claim.labels) == ("pca" in name)
        assert np.log2(r.details["step"]).is_integer()
        assert ("spectrum_step" in r.details) == ("low rank" in name)
    for r in ideal:
        assert set(r.claim.labels) < set(fresh.claim.labels)
        assert "step" not in r.details
        assert not any("eigen" in assumption for assumption in r.claim.assumptions)
    assert (fresh.value != release().value).any()
    assert (keyed.value == release(rng=entropy()).value).all()
    assert set(keyed.details) - {"step", "spectrum_step"} == set(ideal[0].details)


def test_what_cannot_be_certified_is_ideal_or_refused():
    for call, message in (
        (lambda **o: dps.private_pca(X, 2, 1.0, field="real", **o), "field must be None or 'complex' for k > 1 for"),
        (lambda **o: dps.private_orbit(M, [1, 1, 0, 0, 0], 1.0, field="real", **o), "unless all eigenvalues but one"),
        (
            lambda **o: dps.private_orbit(M, [1, 0, 0, 0, 0], 1.0, method="macg", **o),
            "and method 'auto', for certified",
        ),
    ):
        assert call().claim.arithmetic == "ideal"
        for options in ({"arithmetic": "certified"}, {"rng": entropy()}):
            with pytest.raises(ValueError, match=message):
                call(**options)


def test_the_whole_space_and_a_constant_spectrum_have_no_grid():
    for release in (dps.private_pca(X, 5, 1.0), dps.private_orbit(M, [2.0] * 5, 1.0)):
        assert release.claim.arithmetic == "certified"
        assert "step" not in release.details
    assert np.array_equal(dps.private_orbit(M, [2.0] * 5, 1.0).value, 2 * np.eye(5))


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("spectrum", [[1, 0, 0], [0.3, 0.1, 0.1], [3.3, 1.1, -0.7], [1e-9, 0, 0]])
def test_no_temperature_is_above_what_the_claim_allows(monkeypatch, relation, spectrum):
    """Exact: the loss ``changes temperature spread unit`` is at most epsilon, and within an ulp or two of it."""
    taken = []
    nothing = SimpleNamespace(method="none")
    monkeypatch.setattr(orbit_law, "Orbit", lambda m, t, w, v, levels, field: taken.append((t, levels)) or nothing)
    for epsilon, unit in itertools.product((0.1, 1.0, 1 / 3, 7e-5), (1, 2**40, 1099511627775)):
        CertifiedLaw(
            decomposed(np.eye(3)), np.array(spectrum, float), Fraction(epsilon), relation, "real", Fraction(unit)
        )
        temperature, levels = taken.pop()
        spread = Fraction(float(levels[0])) - Fraction(float(levels[-1]))
        loss = (2 if relation == "replace" else 1) * Fraction(temperature) * spread * unit
        assert Fraction(epsilon) * (1 - Fraction(1, 2**51)) <= loss <= Fraction(epsilon)


def test_the_temperature_of_pca_is_for_integer_rows(monkeypatch):
    seen = []
    monkeypatch.setattr(calibrate, "at_most", lambda x: seen.append(x) or float(x))
    dps.private_pca(X, 2, 1.0, mechanism="orbit", norm_bound=1.25)
    assert seen == [Fraction(1, 2) / (Fraction(25, 16) * 4**19)]  # 1.25 * 2**19 is below 2**20
    dps.private_pca(3 * X, 2, 1.0, norm_bound=3.3, mechanism="orbit", relation="add_remove")
    assert seen[1] == 1 / Fraction(int(Fraction(3.3) ** 2 * 4**18))


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
            with balls.precision(200):
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
def test_moments_are_exact(values, spectrum):
    """Mean of ``<M, H>`` against the derivative of the log-normaliser; beyond five deviations with probability 6e-7."""
    m, source, size = matrix(values, 6), entropy(12), 400
    law = law_of(m, spectrum)
    x = [np.sum(m * law.draw(-24, source).real) for _ in range(size)]
    with mp.workdps(40):
        h = mp.mpf(10) ** -10
        low, mid, high = (hciz.log_normaliser(values, spectrum, 1 + j * h) for j in (-1, 0, 1))
        mean, variance = float((high - low) / (2 * h)), float((high - 2 * mid + low) / h**2)
    assert abs(np.mean(x) - mean) < 5 * np.sqrt(variance / size)


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
                choice = menu.chosen(weights, spectrum, "complex")
                draw = choice.sampler.draw(entropy())
                assert np.abs(np.linalg.eigvalsh(draw.estimate)[::-1] - spectrum).max() < 1e-12
                names.add(choice.method)
    assert names == METHODS


def test_a_real_orbit_is_one_of_lines_or_hyperplanes():
    with pytest.raises(ValueError, match="the spectrum of a real orbit must be that of a projector"):
        menu.chosen(np.zeros(4), np.array([1.0, 1, 0, 0]), "real")


def test_weights_are_moved_apart_no_more_than_asked():
    weights, spectrum = np.array([5.0, 5, 3, 3, 3]), np.array([2.0, 1.5, 1, 1, 1])
    assert np.array_equal(menu._apart(weights, spectrum, 0.0), weights)
    assert np.array_equal(menu._apart(weights, spectrum, 1.0), [7, 5, 3, 3, 3])
    assert np.array_equal(menu._apart(weights, spectrum, 2.0), [11, 7, 3, 3, 3])
    assert np.array_equal(menu._apart(-weights[::-1], -spectrum[::-1], 2.0), [-3, -3, -3, -7, -11])


# ---------------------------------------------------------------- patterns near the largest one

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
    """For ``d = 2`` a proposal is accepted with probability ``1 - exp(-rate)``: 128 of them, 5 deviations."""
    for rate in (0.2, 1.0, 5.0):
        share, exact = Vertex(np.array([rate, 0.0]), np.array([1.0, 0.0])).share(), -np.expm1(-rate)
        assert abs(share - exact) < 5 * np.sqrt(exact * (1 - exact) / 128)


def test_weights_without_gaps_are_refused_by_the_vertex():
    for weights, spectrum in (([1.0, 1.0], [1, 0]), ([2.0, 1.0, 1.0], [1, 1, 0])):
        with pytest.raises(ValueError, match="must have gaps"):
            Vertex(np.array(weights), np.array(spectrum, float))
