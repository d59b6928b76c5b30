"""Every exact orbit sampler against exact moments, against the others, and against sabotaged versions of itself.

Fixed seeds. Means and variances of 100,000 draws (20,000 of slower samplers) are compared with the exact ones in
units of their exact standard errors. One is off by more than 4 with probability 6e-5 where the normal approximation
holds; some 180 of them are looked at, so a correct package fails on new seeds with probability 1 %. Each other
comparison fails a true law with probability 1e-6.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from dpspectra import sampling
from dpspectra.fast.patterns import minors
from dpspectra.oracle import hciz
from dpspectra.sampling import ball_chart, gelfand_tsetlin, matrix_angular_gaussian
from dpspectra.sampling.frame_law import frame_law
from dpspectra.sampling.methods import METHODS, choose, pilot, serving
from tests.support.helpers import ALARM
from tests.support.moments import FEW, LIMIT, MANY, cumulants, deviations, utility

CASES = [
    # values of M, spectrum of H, kappa
    ((1, 0), (1, 0), 3.0),
    ((3, 1, 0), (1, 0, 0), 4.0),
    ((3, 1, 0), (1, 1, 0), 0.5),
    ((5, 3, 1, 0), (1, 1, 0, 0), 1.0),
    ((5, 3, 1, 0), (1, 1, 0, 0), 6.0),
    ((5, 5, 1, 1), (1, 1, 0, 0), 2.0),
    ((3, 3, 3, 0), (1, 1, 0, 0), 1.0),
    ((4, 2, 1, 0), (2, 2, 2, -1), 0.75),
    ((4, 3, 2, 1, 0), (1, 1, 1, 0, 0), 2.0),
    ((9, 9, 2, 1, 1), (0.5, 0.5, 0, 0, 0), 8.0),
    ((6, 5, 2, 2, 1, 0), (1, 1, 1, 0, 0, 0), 0.125),
    ((6, 5, 4, 1, 1, 0), (1, 1, 1, 0, 0, 0), 3.0),
    ((40, 30, 1, 0.5, 0, 0, 0), (1, 1, 0, 0, 0, 0, 0), 1.0),
    ((3, 1, 0), (2, 1, 0), 1.5),
    ((4, 4, 1, 0), (3, 1, 1, 0), 0.5),
    ((5, 2, 1, 0), (3, 2, 0, 0), 4.0),
    ((4, 3, 1, 0), (4, 3, 2, 1), 0.03125),
    ((4, 3, 1, 0), (4, 3, 2, 1), 12.0),
]


@cache
def applicable(case):
    """The methods that serve a case, and how many draws of each are affordable."""
    law = np.array(case[0], float), np.array(case[1], float), case[2]
    affordable = {}
    for name in serving("complex"):
        if METHODS[name].refusal(*law) is None:
            sampler = METHODS[name].rejection(*law, "complex")
            share = pilot(sampler) if sampler else None  # None: it never rejects
            if share is None or share > 1e-3:
                affordable[name] = MANY if share is not None and share > 0.1 else FEW
    return affordable


def drawn(case, name, size, rng, **other):
    values, spectrum, kappa = case
    m = np.diag(np.array(values, float))
    return sampling.orbit(m, spectrum, kappa, size=size, method=name, rng=rng, **{"field": "complex", **other})


@pytest.mark.parametrize("case", CASES, ids=str)
def test_utility_has_its_exact_moments_and_spectra_are_kept(case):
    values, spectrum, _ = case
    assert applicable(case)
    for number, (name, size) in enumerate(applicable(case).items()):
        h = drawn(case, name, size, number)
        assert max(deviations(utility(h, values), *cumulants(*case))) < LIMIT, name
        assert np.abs(np.linalg.eigvalsh(h[:500])[:, ::-1] - spectrum).max() < 1e-12 * max(map(abs, spectrum)), name
        assert np.array_equal(h, h.conj().swapaxes(-1, -2)), name


def features(h):
    """Diagonal, moduli, arguments of entries and of products of three, spectra of leading minors and of another one."""
    d = h.shape[-1]
    yield from (h[:, i, i].real for i in range(d))
    for i, j in {(0, 1), (0, d - 1), (d - 2, d - 1)}:
        yield from (np.abs(h[:, i, j]), np.angle(h[:, i, j]))
    for i, j, k in list(combinations(range(d), 3))[:4]:
        angle = np.angle(h[:, i, j] * h[:, j, k] * h[:, k, i])
        yield from (np.cos(angle), np.sin(angle))
    pattern = minors(h)
    yield from (pattern[:, r - 1, j] for r in {2, d - 1} - {1, d} for j in range(r))
    yield from np.linalg.eigvalsh(h[:, [0, d - 1]][:, :, [0, d - 1]]).T


@pytest.mark.parametrize("case", [case for case in CASES if len(applicable(case)) > 1], ids=str)
def test_methods_agree_on_diagonals_moduli_phases_and_minors(case):
    first, *others = (list(features(drawn(case, name, 4000, 1))) for name in applicable(case))
    for other in others:
        for x, y in zip(first, other, strict=True):
            if max(np.ptp(x), np.ptp(y)) < 1e-12:  # ties hold it fixed
                assert abs(x[0] - y[0]) < 1e-12
            else:
                assert stats.ks_2samp(x, y).pvalue > ALARM


# --- sabotage ------------------------------------------------------------------------------------------------------
def worst(case, method):
    return max(deviations(utility(drawn(case, method, FEW, 5), case[0]), *cumulants(*case)))


@pytest.mark.parametrize(
    ("method", "name", "blind"),
    [
        ("ball_chart", "eigenvalues", lambda gram: np.zeros(gram.shape[:-1])),
        ("vertex", "interlaces", lambda pattern: np.ones(len(pattern), dtype=bool)),
    ],
)
def test_a_missing_comparison_is_noticed(monkeypatch, method, name, blind):
    case = CASES[3]
    assert worst(case, method) < LIMIT
    monkeypatch.setattr(f"dpspectra.sampling.{method}.{name}", blind)
    assert worst(case, method) > 2 * LIMIT


def test_a_wrong_rule_for_ties_is_noticed(monkeypatch):
    """Copies of a tied value must bring the function and its derivatives in turn, not from the first one on."""
    case, right = CASES[10], gelfand_tsetlin.Row._held
    assert worst(case, "gelfand_tsetlin") < LIMIT
    monkeypatch.setattr(gelfand_tsetlin.Row, "_held", lambda row, tied: right(row, np.append(tied, tied[-1])))
    assert worst(case, "gelfand_tsetlin") > LIMIT


def test_the_wrong_root_is_noticed(monkeypatch):
    def triangular(y):
        root = np.linalg.cholesky(np.eye(y.shape[-1]) - y.conj().swapaxes(-1, -2) @ y).conj().swapaxes(-1, -2)
        return np.concatenate([root, y], axis=-2)

    case = CASES[3]
    monkeypatch.setattr(ball_chart, "completed", triangular)
    assert worst(case, "ball_chart") > LIMIT


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 0.75])
def test_a_wrong_acceptance_exponent_is_noticed(monkeypatch, power):
    case, right = CASES[3], matrix_angular_gaussian.log_power
    assert worst(case, "macg") < LIMIT

    def wrong(cover, g):
        largest = cover.nu * np.sum(np.log(np.sort(cover.minorant)[-g.shape[-1] :] + cover.beta))
        return power * right(cover, g) + (1 - power) * largest

    monkeypatch.setattr(matrix_angular_gaussian, "log_power", wrong)
    assert worst(case, "macg") > LIMIT


# --- acceptance, choice, refusal -----------------------------------------------------------------------------------
@pytest.mark.parametrize("case", [case for case in CASES if "ball_chart" in applicable(case)], ids=str)
def test_the_ball_chart_accepts_as_often_as_the_normaliser_says(case):
    """The acceptance is the normaliser over its leading term for large ``kappa``, and over the mass of the tilt."""
    values, spectrum, kappa = (np.array(x, float) for x in case)
    law = frame_law(values, spectrum, float(kappa))
    d, k = len(values), law.k
    log_ball = (d - k) * k * np.log(np.pi) + sum(gammaln(k - j) - gammaln(d - j) for j in range(k))
    rates = ball_chart.rates(law.exponents, k)
    tilt = np.array([ball_chart.best_tilt(column) for column in rates.T])
    log_gauss = np.sum(tilt) - np.sum(np.log((rates + tilt) / np.pi))
    best = float(kappa) * float(values @ spectrum)
    exact = np.exp(float(hciz.log_normaliser(*case)) - best + log_ball - log_gauss)
    good = ball_chart.frames(law.exponents, k).propose(FEW, np.random.default_rng(7))[1]
    assert stats.binomtest(int(good.sum()), FEW, exact).pvalue > ALARM


# --- symmetry, sizes, memory ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("field", ["real", "complex"])
def test_constant_density_gives_the_uniform_law(field):
    """Each squared entry of a Haar eigenvector is a beta variable; with kappa = 0 and with M constant."""
    half = 0.5 if field == "real" else 1.0
    for m, kappa in [(np.diag([4.0, 2, 1, 0]), 0.0), (3 * np.eye(4), 7.0)]:
        h = sampling.orbit(m, [1, 1, 0, 0], kappa, size=FEW, field=field, rng=11)
        assert stats.kstest(h[:, 1, 1].real, stats.beta(2 * half, 2 * half).cdf).pvalue > ALARM
        h = sampling.orbit(m, [9, 1, 0, -2], kappa, size=4000, field=field, rng=12)
        other = sampling.haar(4, field=field, size=4000, rng=13)
        other = (other * np.array([9.0, 1, 0, -2])) @ other.conj().swapaxes(1, 2)
        assert stats.ks_2samp(h[:, 2, 2].real, other[:, 2, 2].real).pvalue > ALARM


@pytest.mark.parametrize("method", ["ball_chart", "macg", "cftp"])
def test_the_basis_of_the_input_is_the_basis_of_the_law(method):
    values, spectrum, kappa = (4.0, 2.0, 1.0, 0.0), (1, 1, 0, 0), 3.0
    u = sampling.haar(4, rng=14)
    m = (u * np.array(values)) @ u.conj().T
    h = sampling.orbit((m + m.conj().T) / 2, spectrum, kappa, size=FEW, method=method, rng=15)
    x = np.einsum("ij,nji->n", m, h).real
    assert max(deviations(x, *cumulants(values, spectrum, kappa))) < LIMIT


def test_huge_inverse_temperature_finds_the_optimum():
    for spectrum in ([1, 1, 0, 0], [1, 1, 1, 0], [2, 2, -1, -1]):
        for field in ("real", "complex"):
            h = sampling.orbit(np.diag([4.0, 3, 2, 1]), spectrum, 1e12, field=field, rng=16)
            assert np.abs(h - np.diag(spectrum)).max() < 1e-4


def test_only_a_constant_density_is_haar():
    """Three distinct values are no frame, for which the frames' own law is asked first."""
    spectrum = np.array([2.0, 1.0, 0.0])
    assert choose(np.ones(3), spectrum, 1.0, "complex") == "haar"
    assert choose(np.array([1.0, 0.5, 0.0]), spectrum, 1.0, "complex") != "haar"
