"""Every exact orbit sampler against exact moments, against the others, and against sabotaged versions of itself.

Fixed seeds. Means and variances of 100,000 draws (20,000 of slower samplers) are compared with the exact ones in
units of their exact standard errors. One is off by more than 4 with probability 6e-5 where the normal approximation
holds; some 180 of them are looked at, so a correct package fails on new seeds with probability 1 %. Each other
comparison fails a true law with probability 1e-6.
"""

import tracemalloc
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

from dpspectra import sampling
from dpspectra.fast.frames import trace_form
from dpspectra.fast.patterns import minors
from dpspectra.oracle import hciz
from dpspectra.oracle.patterns import utility_moments
from dpspectra.sampling import ball_chart, gelfand_tsetlin, matrix_angular_gaussian, two_part
from dpspectra.sampling.frame_law import frame_law
from dpspectra.sampling.methods import METHODS, pilot, serving
from dpspectra.sampling.orbit import plan
from dpspectra.sampling.rejection import BATCH, accepted
from tests.helpers import ALARM

MANY, FEW = 30_000, 8_000
LIMIT = 4.0

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
def cumulants(values, spectrum, kappa):
    """Mean, variance and fourth cumulant of ``<M, H>``; the latter is the second derivative of the variance."""
    h = kappa / 1000
    (_, low), (mean, variance), (_, high) = (utility_moments(values, spectrum, kappa + i * h) for i in (-1, 0, 1))
    return float(mean), float(variance), float((high - 2 * variance + low) / h**2)


def deviations(x, mean, variance, fourth):
    """Mean and variance of ``x`` off their exact values, in standard errors."""
    n = len(x)
    spread = np.sqrt((fourth + 2 * variance**2) / n)
    return abs(np.mean(x) - mean) / np.sqrt(variance / n), abs(np.mean((x - mean) ** 2) - variance) / spread


def utility(h, values):
    return np.einsum("nii,i->n", h, np.asarray(values, dtype=float)).real


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


# --- planes in real four-space -------------------------------------------------------------------------------------


@cache
def plane_cumulants(values, kappa):
    """Cumulants of ``<M, H>`` for real projectors of rank 2 at d = 4.

    Plane and orientation are a pair of unit vectors ``u, v`` in three-space (self-dual and anti-self-dual part of the
    bivector), uniform and independent, with ``2 <M, H> = Tr M + sum_i c_i u_i v_i``, and the mean over ``v`` of the
    exponential of ``r . v`` is ``sinh |r| / |r|``.
    """
    a, b, c, d = values
    weights = np.array([a + b - c - d, a - b + c - d, a - b - c + d])
    z, w = np.polynomial.legendre.leggauss(200)
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    s = np.sqrt(1 - z**2)[:, None]
    length = np.sqrt(
        (weights[0] * s * np.cos(angle)) ** 2 + (weights[1] * s * np.sin(angle)) ** 2 + (weights[2] * z[:, None]) ** 2
    )

    def log_mean(t):
        r = t * length / 2
        top = r.max()
        return (
            t * sum(values) / 2
            + top
            + np.log(np.mean(np.sum(w[:, None] * np.exp(r - top) * -np.expm1(-2 * r) / r, axis=0)) / 4)
        )

    h = 0.02 * kappa
    f = [log_mean(kappa + j * h) for j in range(-2, 3)]
    mean = (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h)
    variance = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h**2)
    return mean, variance, (f[0] - 4 * f[1] + 6 * f[2] - 4 * f[3] + f[4]) / h**4


PLANES = [((3, 2, 1, 0), 1.0), ((3, 2, 1, 0), 8.0), ((5, 5, 0, 0), 3.0), ((4, 1, 1, 0), 2.0), ((9, 8, 1, 0), 4.0)]


@pytest.mark.parametrize(("values", "kappa"), PLANES)
@pytest.mark.parametrize("method", ["macg", "two_part"])
def test_real_planes_have_their_exact_moments(values, kappa, method):
    m = np.diag(np.array(values, float))
    h = sampling.orbit(m, [1, 1, 0, 0], kappa, size=MANY, method=method, rng=2)
    assert h.dtype == float
    assert max(deviations(utility(h, values), *plane_cumulants(values, kappa))) < LIMIT
    assert np.abs(np.linalg.eigvalsh(h[:500])[:, ::-1] - [1, 1, 0, 0]).max() < 1e-12


@pytest.mark.parametrize(
    ("exponents", "k"), [([0, 0, 0, 12, 12, 12], 3), ([0, 1, 2, 12, 14, 15, 18], 3), ([0, 2, 9, 9, 10, 30], 2)]
)
def test_real_methods_agree(exponents, k):
    a = np.array(exponents, float)
    assert two_part.best_parts(a, k) is not None
    rng = np.random.default_rng(3)
    x, y = two_part.frames(a, k).sample(6000, rng), matrix_angular_gaussian.frames(a, k, "real").sample(6000, rng)
    for f in (
        lambda z: np.einsum("i,nij->n", a, z**2),
        *(lambda z, i=i: np.sum(z[:, i] ** 2, axis=1) for i in range(len(a))),
    ):
        assert stats.ks_2samp(f(x), f(y)).pvalue > ALARM


@pytest.mark.parametrize("d", [4, 7])
def test_real_targets_stay_below_both_envelopes(d):
    rng = np.random.default_rng(4)
    for k in (2, 3):
        for scale in (2.0, 8.0, 40.0):
            a = np.concatenate([np.zeros(1), np.sort(rng.exponential(scale, d - 1))])
            a[k:] += scale
            cover = matrix_angular_gaussian.envelope(a, k, "real")
            g = np.concatenate(
                [
                    rng.standard_normal((500, d, k)),
                    np.eye(d)[rng.permuted(np.tile(np.arange(d), (50, 1)), axis=1)[:, :k]].swapaxes(1, 2),
                ]
            )
            assert np.all(matrix_angular_gaussian.log_power(cover, g) - trace_form(g, a) <= cover.log_height + 1e-9)
            parts = two_part.best_parts(a, k)
            if parts is not None:
                for part in (two_part.inner, two_part.outer):
                    assert np.all(part(parts, a, k, 500, rng)[1] <= 1e-9)


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


@pytest.mark.parametrize("mutant", ["jacobian", "inside", "mass"])
def test_a_forgotten_factor_of_the_real_envelopes_is_noticed(monkeypatch, mutant):
    values, kappa = (3, 2, 1, 0), 4.0
    exact = plane_cumulants(values, kappa)
    inner, parts = two_part.inner, two_part._parts

    def without_jacobian(found, exponents, k, count, rng):
        x, log_ratio = inner(found, exponents, k, count, rng)
        below = np.sum(x[:, k:] ** 2, axis=(1, 2))
        return x, np.where(np.isfinite(log_ratio), -found.chord * below, -np.inf)

    def everywhere(found, exponents, k, count, rng):
        return inner(found, exponents, k, count, rng)[0], np.zeros(count)

    def twice_the_mass(*arguments):
        found = parts(*arguments)
        return found and replace(found, log_inner=found.log_inner + 1)

    target, replacement = {
        "jacobian": ("inner", without_jacobian),
        "inside": ("inner", everywhere),
        "mass": ("_parts", twice_the_mass),
    }[mutant]
    monkeypatch.setattr(two_part, target, replacement)
    h = sampling.orbit(np.diag(np.array(values, float)), [1, 1, 0, 0], kappa, size=100_000, method="two_part", rng=6)
    assert max(deviations(utility(h, values), *exact)) > 2 * LIMIT


# --- acceptance, choice, refusal -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [case for case in CASES if "ball_chart" in applicable(case)], ids=str)
def test_the_ball_chart_accepts_as_often_as_the_normaliser_says(case):
    """The acceptance is the normaliser over its leading term, for large ``kappa``."""
    values, spectrum, kappa = (np.array(x, float) for x in case)
    law = frame_law(values, spectrum, float(kappa))
    d, k = len(values), law.k
    log_ball = (d - k) * k * np.log(np.pi) + sum(gammaln(k - j) - gammaln(d - j) for j in range(k))
    log_gauss = -np.sum(np.log(ball_chart.rates(law.exponents, k) / np.pi))
    best = float(kappa) * float(values @ spectrum)
    exact = np.exp(float(hciz.log_normaliser(*case)) - best + log_ball - log_gauss)
    good = ball_chart.frames(law.exponents, k).propose(FEW, np.random.default_rng(7))[1]
    assert stats.binomtest(int(good.sum()), FEW, exact).pvalue > ALARM
    assert np.log(exact) <= ball_chart.log_acceptance_bound(law.exponents, k) + 1e-9


def test_the_best_envelope_is_at_least_as_good_as_its_rivals():
    rng = np.random.default_rng(8)
    for a, k in [(np.linspace(0, 30, 10), 3), (np.repeat([0.0, 20.0], [3, 7]), 3), (np.array([0, 5, 6, 40, 50.0]), 2)]:
        cover = matrix_angular_gaussian.envelope(a, k, "complex")
        for beta in np.geomspace(0.1, 40, 60):
            for floor in a[:k]:
                rest = np.minimum(a, floor)
                mass = matrix_angular_gaussian.log_envelope_mass(a - rest, beta, float(len(a)), k) - np.sum(rest[:k])
                assert cover.log_mass <= mass + 1e-3
        assert matrix_angular_gaussian.frames(a, k).acceptance(rng, 20_000) > 0


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


def test_automatic_choice_leaves_rejection_where_it_rejects_too_much():
    m = np.diag(np.linspace(4.0, 0.0, 30))
    assert plan(m, np.repeat([1.0, 0.0], [10, 20]), 16.0, "complex").method == "cftp"
    assert plan(m, np.repeat([2.0, 1.0, 0.0], [1, 1, 28]), 0.25, "complex").method == "gelfand_tsetlin"
    assert plan(m, np.repeat([2.0, 1.0, 0.0], [1, 1, 28]), 25.0, "complex").method == "vertex"
    with pytest.raises(ValueError, match="field must be 'complex'"):
        plan(m, np.repeat([1.0, 0.0], [10, 20]), 16.0)


@pytest.mark.parametrize(
    ("values", "spectrum", "kappa", "method", "message"),
    [
        ([3, 2, 1, 0], [1, 1, 0, 0], 0.0, "ball_chart", "gap of M at 2, times kappa, must be positive"),
        ([3, 1, 1, 0], [1, 1, 0, 0], 1.0, "ball_chart", "gap of M at 2"),
        ([3, 2, 1, 0], [2, 1, 0, 0], 1.0, "ball_chart", "exactly two values"),
        ([3, 2, 1, 0], [2, 1, 0, 0], 1.0, "macg", "exactly two values"),
        ([3, 2, 1, 0], [1, 1, 0, 0], 1.0, "bingham", "all places but one"),
        ([3, 2, 1, 0], [1, 1, 0, 0], 1e-4, "ball_chart", "accept a share below 1e-06"),
        ([3, 2, 1, 0], [1, 1, 0, 0], 1.0, "two_part", "complex field, got 'two_part'"),
        (np.arange(40)[::-1], np.repeat([1.0, 0.0], [10, 30]), 9.0, "macg", "none of .* proposals of a pilot run"),
        ([3, 2, 1, 0], [1, 1, 0, 0], 1e308, "auto", "must be finite"),
        ([3, 2, 1, 0], [1, 0, 0, -1], 1e308, "auto", "must be finite"),
    ],
)
def test_refusals_cost_no_randomness(values, spectrum, kappa, method, message):
    rng = np.random.default_rng(10)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ValueError, match=message):
        sampling.orbit(np.diag(np.array(values, float)), spectrum, kappa, field="complex", method=method, rng=rng)
    assert repr(rng.bit_generator.state) == before


def test_what_is_kept_is_the_first_accepted_in_order():
    """Whatever the batches; mass that depends on batches would be a bias."""
    asked = []

    def propose(count):
        start = sum(asked)
        asked.append(count)
        numbers = np.arange(start, start + count)
        return numbers, numbers % 7 == 3

    kept = accepted(propose, 1000, 64, lambda numbers: 2 * numbers)
    assert np.array_equal(kept, 2 * (7 * np.arange(1000) + 3))
    assert max(asked) <= BATCH // 64
    assert accepted(propose, 0, 64).shape == (0,)


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
