"""Bounds as functions of numbers: held by exact draws, never below what is impossible."""

import numpy as np
import pytest
from scipy import integrate, stats

import dpspectra as dps
from dpspectra import bounds
from dpspectra.fast.caps import log_line_cap
from dpspectra.fast.linalg import orbit_projection
from dpspectra.formulas import exponential_utility, low_rank_mean_error
from tests.support.helpers import ALARM

DRAWS = 10_000
Z = stats.norm.isf(ALARM)


def flat(d, k, size=1.0):
    return np.repeat([size, 0.0], [k, d - k])


# field, eigenvalues of M, spectrum, epsilon, relation, beta
CONFIGURATIONS = [
    ("complex", [1e4, 0, 0, 0, 0], flat(5, 1), 1.0, "replace", 0.05),
    ("complex", [1e3, *[0] * 19], flat(20, 1, 7.0), 0.5, "add_remove", 0.01),
    ("complex", [1e6, 1e6, *[0] * 8], flat(10, 2, 3.0), 1.0, "replace", 0.25),
    ("complex", [50.0] * 5 + [0.0] * 15, flat(20, 5, 50.0), 1.0, "replace", 0.05),
    ("complex", [9.0, 5.0, 4.0, 1.0, 0.5, 0.0], flat(6, 3), 2.0, "replace", 0.1),
    ("complex", [9.0, 5.0, 4.0, 1.0, 0.5, 0.0], flat(6, 5), 2.0, "add_remove", 0.1),
    ("complex", [0.1, 0.0, 0.0], flat(3, 1), 0.1, "replace", 0.5),
    ("complex", [40.0, 20.0, 10.0, 0.0], [4.0, 2.0, 1.0, 0.0], 4.0, "replace", 0.05),
    ("complex", [1e5, 1e3, 0.0], [3.0, 1.0, 0.0], 1.0, "replace", 0.05),
    ("complex", [30.0, 30.0, 30.0, 0.0], [3.0, 1.0, 1.0, -2.0], 10.0, "add_remove", 0.02),
    ("complex", [1e4, 1e3, 1e2, 1e1, 1.0], [5.0, 4.0, 3.0, 2.0, 1.0], 1.0, "replace", 0.05),
    ("complex", [1.0, 1.0], [1.0, 0.0], 1.0, "replace", 0.3),
    ("real", [1e3, 0, 0, 0, 0], flat(5, 1), 1.0, "replace", 0.05),
    ("real", [20.0, 19.0, 3.0, 0.0], flat(4, 1, 6.0), 1.0, "add_remove", 0.2),
    ("real", [3.0, 0.0], [2.0, 0.5], 4.0, "replace", 0.05),
    ("real", [200.0, 100.0, 0.0], flat(3, 2), 0.5, "replace", 0.1),
    ("real", [100.0, 50.0, 20.0, 0.0], [1.0, 1.0, 1.0, -3.0], 2.0, "add_remove", 0.01),
    ("real", [8.0, 6.0, 1.0, 0.0], flat(4, 2), 1.0, "replace", 0.05),
    ("real", [300.0, 300.0, 0.0, 0.0], flat(4, 2), 1.0, "replace", 0.5),
    ("real", [2.0, 1.0, 1.0, 0.0, 0.0], flat(5, 3), 0.5, "add_remove", 0.1),
]


def gaps(field, gamma, spectrum, epsilon, relation, *, size=DRAWS, rng=0):
    """Gaps of exact draws at the temperature that ``epsilon`` buys."""
    gamma, spectrum = np.array(gamma, float), np.array(spectrum, float)
    kappa = epsilon / ((2 if relation == "replace" else 1) * (spectrum[0] - spectrum[-1]))
    drawn = dps.sampling.orbit(np.diag(gamma), spectrum, kappa, size=size, field=field, rng=rng)
    return gamma @ spectrum - np.einsum("nii,i->n", drawn, gamma).real


def known(field, gamma):
    return {"trace": float(np.sum(gamma))} if field == "real" else {}


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_guarantees_hold_for_exact_draws(case):
    field, gamma, spectrum, epsilon, relation, beta = case
    seen = gaps(field, gamma, spectrum, epsilon, relation)
    options = {"relation": relation, "field": field, **known(field, gamma)}
    beyond = int(np.sum(seen > bounds.orbit_gap(spectrum, epsilon, beta=beta, **options)))
    assert stats.binomtest(beyond, DRAWS, beta, alternative="greater").pvalue > ALARM
    mean = bounds.orbit_mean_gap(spectrum, epsilon, **options)
    assert np.mean(seen) <= mean + Z * np.std(seen) / np.sqrt(DRAWS)


@pytest.mark.parametrize("case", CONFIGURATIONS[:3], ids=range(3))
def test_guarantees_are_attained(case):
    """With all of M on top (and so cold that no truncation shows) the gap is the Gamma variable of the bound."""
    field, gamma, spectrum, epsilon, relation, beta = case
    seen = gaps(field, gamma, spectrum, epsilon, relation, rng=1)
    beyond = int(np.sum(seen > bounds.orbit_gap(spectrum, epsilon, beta=beta, relation=relation)))
    assert stats.binomtest(beyond, DRAWS, beta).pvalue > ALARM
    mean = bounds.orbit_mean_gap(spectrum, epsilon, relation=relation)
    assert np.mean(seen) == pytest.approx(mean, abs=Z * np.std(seen) / np.sqrt(DRAWS))


REACHABLE = [
    ("complex", flat(2, 1, 2.0), 0.25),
    ("complex", flat(8, 2, 10.0), 0.5),
    ("complex", flat(20, 5, 50.0), 1.0),
    ("complex", flat(20, 10, 1.0), 0.1),
    ("complex", np.array([8.0, 4.0, 2.0, 0.0]), 0.25),
    ("real", flat(2, 1, 2.0), 0.25),
    ("real", flat(12, 1, 5.0), 0.25),
    ("real", flat(12, 11, 5.0), 0.25),
]


@pytest.mark.parametrize(("field", "spectrum", "epsilon"), REACHABLE)
def test_the_exact_mechanism_does_not_do_the_impossible(field, spectrum, epsilon):
    """All matrices of an orbit are alike to the mechanism, so the lower bound speaks of this one."""
    values = spectrum[spectrum > 0]
    found = bounds.orbit_utility(len(spectrum), len(values), values, epsilon, field=field)
    assert found.impossible > 0
    seen = gaps(field, spectrum, spectrum, epsilon, "replace", rng=2)
    assert stats.binomtest(int(np.sum(seen > found.impossible)), DRAWS, 0.5, alternative="less").pvalue > ALARM
    assert np.max(seen) <= found.worst * (1 + 1e-12)
    assert found.factor == found.guaranteed / found.impossible > 1


def test_no_guarantee_is_below_what_is_impossible():
    """On a grid of sizes, spectra and epsilons: at risk 1/2, and in the mean, of which the lower bound takes half."""
    compared = 0
    for d in (1, 2, 3, 6, 15, 30):
        for k in {1, min(2, d), (d + 1) // 2, d - 1, d} - {0}:
            for values in (np.ones(k), 100 * np.ones(k), 2.0 ** -np.arange(k), 30.0 * np.arange(k, 0, -1)):
                for epsilon in (0.01, 0.1, 0.5, 1.0, 4.0, 20.0):
                    for field in ("complex", "real"):
                        found = bounds.orbit_utility(d, k, values, epsilon, beta=0.5, field=field)
                        assert found.impossible <= found.guaranteed
                        assert found.impossible <= 2 * found.mean
                        assert max(found.guaranteed, found.mean, found.impossible) <= found.worst
                        compared += found.impossible > 0
    assert compared > 300


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("kappa", [0.5, 20.0, 500.0])
def test_the_utility_of_the_exponential_mechanism_is_inverted(field, d, kappa):
    """At the radius the bound is ``beta`` for the best of many slacks, unless nothing can be lost beyond it."""

    def log_cap(slack):
        return log_line_cap(slack, d, field)

    radius = exponential_utility.radius(kappa, 0.05, log_cap, 1.0)
    slacks = np.geomspace(1e-12, 1.0, 4001)
    masses = np.exp([log_cap(slack) for slack in slacks])
    least = np.min(exponential_utility.bound(kappa, radius, slacks, masses))
    assert least == pytest.approx(0.05, rel=1e-3) or (radius == 1.0 and least > 0.05)


@pytest.mark.parametrize(
    ("field", "spectrum", "excess"),
    [("real", flat(4, 2), 0.005), ("complex", flat(4, 2), 1e-6)],
)
def test_the_mean_is_the_integral_of_the_quantiles(field, spectrum, excess):
    """Up to an excess where the tail of a covering argument falls a little faster than the exponential."""
    options = {"field": field, **({"trace": 1e5} if field == "real" else {})}
    whole, _ = integrate.quad(lambda beta: bounds.orbit_gap(spectrum, 1.0, beta=beta, **options), 0, 1)
    assert whole * (1 - 1e-6) <= bounds.orbit_mean_gap(spectrum, 1.0, **options) <= whole * (1 + excess)


def test_a_gap_over_the_reals_solves_the_condition_of_the_covering_argument():
    d, k, trace, epsilon = 6, 3, 1000.0, 0.5
    gap, kappa = bounds.orbit_gap(flat(d, k), epsilon, field="real", beta=0.01, trace=trace), epsilon / 2
    assert kappa * gap / 2 == pytest.approx(d * k * np.log1p(4 * trace / gap) + np.log(100), rel=1e-12)
    assert bounds.orbit_gap(flat(d, k), epsilon, field="real", beta=0.01, trace=0.0) == pytest.approx(
        2 / kappa * np.log(100)
    )


def test_a_gap_of_real_lines_solves_the_bound_on_the_tail_and_needs_no_bound_on_the_matrix():
    """In units of the temperature, 1/2 here; a small spread or trace bounds the gap itself."""
    spectrum, mean = flat(4, 1), (3 + 3**0.5) / 2
    level = bounds.orbit_gap(spectrum, 1.0, field="real") / 2
    assert np.log(0.05) == pytest.approx(mean - level + mean * np.log(level / mean), rel=1e-12)
    assert bounds.orbit_mean_gap(spectrum, 1.0, field="real") == pytest.approx(2 * mean)
    assert bounds.orbit_gap(spectrum, 1.0, field="real", spread=3.0) == 3.0
    assert bounds.orbit_mean_gap(spectrum, 1.0, field="real", trace=1.5) == 1.5
    assert bounds.orbit_gap(spectrum, 1.0, field="real", spread=100.0) == 2 * level
    assert bounds.orbit_gap(flat(4, 4), 1.0) == bounds.orbit_mean_gap(flat(4, 4), 1.0, field="real") == 0.0
    assert bounds.orbit_gap(spectrum, 1.0, field="real", spread=0.0) == 0.0


def test_spectra_may_be_shifted_and_turned():
    """``c - H`` with ``-M`` is the same orbit and the same gap."""
    spectrum = np.array([4.0, 4.0, 4.0, 4.0, 1.0, 1.0])
    for options in ({}, {"field": "real", "trace": 50.0}):
        found = [bounds.orbit_gap(s, 1.0, **options) for s in (spectrum, spectrum + 3, -spectrum[::-1])]
        assert found == pytest.approx([found[0]] * 3)


def hermitian_draws(d, spectrum, size, rng):
    u = dps.sampling.haar(d, size=size, rng=rng)
    return (u * spectrum) @ u.conj().swapaxes(1, 2)


@pytest.mark.parametrize("spectrum", [flat(5, 2), flat(6, 3), [3.0, 1.0, 0.0], [5.0, 2.0, 2.0, -1.0], flat(2, 1)])
def test_the_nearest_real_matrix_loses_at_most_twice_as_much(spectrum):
    rng, spectrum = np.random.default_rng(3), np.array(spectrum, float)
    d = len(spectrum)
    for h in hermitian_draws(d, spectrum, 400, rng):
        gamma = np.sort(rng.exponential(size=d) ** 3)[::-1]
        v = dps.sampling.haar(d, field="real", rng=rng)
        m = (v * gamma) @ v.T
        lost = gamma @ spectrum - np.sum(m * h.real)
        lost_real = gamma @ spectrum - np.sum(m * orbit_projection(h.real, spectrum))
        assert lost_real <= bounds.REAL_PART * lost + 1e-9 * gamma[0]


def test_the_nearest_real_matrix_can_lose_nearly_twice_as_much():
    v = np.array([1.0, 1.0001j]) / np.linalg.norm([1.0, 1.0001])
    h = np.outer(v, v.conj())
    assert 1 - orbit_projection(h.real, np.array([1.0, 0.0]))[0, 0] > 1.999 * (1 - h[0, 0].real)


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize(("d", "k", "lambda1", "epsilon"), [(10, 1, 10, 1), (20, 5, 50, 1), (50, 10, 500, 0.5)])
def test_the_best_split_is_best(d, k, lambda1, epsilon, relation):
    values = np.append(float(lambda1), np.zeros(d - 1))

    def error(share):
        return low_rank_mean_error.bound(values, k, share * epsilon, (1 - share) * epsilon, relation)

    best = bounds.best_split(d, k, lambda1, epsilon, relation=relation)
    assert error(best) <= min(map(error, np.linspace(0.001, 0.999, 999))) * (1 + 1e-9)
    assert error(best) < error(0.5)


def test_the_best_split_gives_everything_to_what_costs():
    assert bounds.best_split(1, 1, 5.0, 1.0) > 0.999999
    assert bounds.best_split(30, 3, 1e12, 1.0) < 1e-3


BAD = [
    (lambda: bounds.orbit_utility(3, 4, np.ones(4), 1.0), "k must be between 1 and 3"),
    (lambda: bounds.orbit_utility(3, 2, [1.0, 2.0], 1.0), "descending"),
    (lambda: bounds.orbit_utility(3, 2, [1.0, -2.0], 1.0), "smallest of eigenvalues must be non-negative"),
    (lambda: bounds.orbit_utility(3, 2, [1.0], 1.0), "length 2, got 1"),
    (lambda: bounds.orbit_utility(3, 1, [1.0], 0.0), "epsilon must be positive"),
    (lambda: bounds.orbit_utility(3, 1, [1.0], 1.0, beta=1.0), "beta must lie in"),
    (lambda: bounds.orbit_utility(3, 1, [1.0], 1.0, relation="entry"), "relation must be one of"),
    (lambda: bounds.orbit_utility(3, 1, [1.0], 1.0, field="quaternion"), "field must be one of"),
    (lambda: bounds.orbit_gap(flat(4, 2), 1.0, field="real", spread=3.0), "trace must be given"),
    (lambda: bounds.orbit_gap([], 1.0), "eigenvalues must not be empty"),
    (lambda: bounds.best_split(3, 1, -1.0, 1.0), "lambda1 must be positive"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_million_rows_and_columns():
    """The lower bound grows faster than the dimension, from where every pair is tried to where few are."""
    small, large = (dps.bounds.orbit_utility(d, 5, [1e9] * 5, 1.0) for d in (300, 10**6))
    assert large.mean == pytest.approx(2 * 5 * (10**6 - 5) * 1e9)
    assert small.impossible / 300 < large.impossible / 10**6 < large.mean / 10**6
