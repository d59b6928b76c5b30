"""The Gelfand-Tsetlin chain three times from the same uniforms: float64, balls, and mpmath by root finding.

Fixed seeds. Every statistical check fails a true law with probability 1e-6 or less.
"""

import functools
import itertools
import math

import flint
import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra.ball import gelfand_tsetlin as ball
from dpspectra.fast.patterns import frozen, interlaces
from dpspectra.oracle import hciz, patterns
from dpspectra.sampling import gelfand_tsetlin
from tests.support.helpers import ALARM


def uniforms(d, seed):
    return np.random.default_rng(seed).random((d - 1, d - 1)).tolist()


def exact(x):
    """An mpmath number of 50 digits as a ball."""
    return flint.arb(mp.nstr(x, 50), 1e-45)


# Balls against the oracle

CASES = [
    ((2, 1), (1, 0), 1.0),
    ((3, 2, 0), (2, 1, 0), 1.0),
    ((1, 1, 0), (2, 1, 0), 2.0),
    ((2, 2, 2), (1, 0.5, 0), 1.0),
    ((3, 2, 1), (1, 0.5, 0), 0.0),
    ((3, 1, 1, 0), (1, 1, 0, 0), 2.0),
    ((2, 2, 0, 0), (3, 2, 2, 1), 1.0),
    ((3, 2, 1, 0), (1, 1, 1, -1), 20.0),
    ((4, 4, 1, 0, 0), (2, 2, 1, 0, 0), 1.0),
    ((5, 4, 2, 1, 0), (5, 3, 2, 1, 0), 2.0),
    ((3, 2, 2, 1, 1, 0), (1, 1, 1, 0, 0, 0), 4.0),
    ((5, 3, 2, 1, 1, 0), (5, 4, 4, 2, 1, 1), 1.0),
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("seed", [1, 2])
def test_balls_contain_the_quantiles_of_the_oracle(case, seed):
    values, spectrum, kappa = case
    given = uniforms(len(values), seed)
    with mp.workdps(60):
        truth = patterns.quantiles(*case, given)
    for accuracy in (60, 100):
        rows = ball.pattern(values, spectrum, kappa, given, accuracy=accuracy)
        for x, y in zip(itertools.chain(*truth), itertools.chain(*rows), strict=True):
            with flint.ctx.workprec(200):
                assert y.overlaps(exact(x))
                assert y.rad() <= (spectrum[0] - spectrum[-1]) * 2.0**-accuracy


@pytest.mark.parametrize("case", [*CASES, (np.linspace(30, 0, 12).tolist(), np.linspace(1, 0, 12).tolist(), 1.0)])
def test_balls_interlace_with_certainty(case):
    """Entries that ties hold are the given number; the others lie strictly between those above."""
    spectrum, d = case[1], len(case[1])
    rows = ball.pattern(*case, uniforms(d, 3))
    for r, j in itertools.combinations(range(d - 1, -1, -1), 2):
        if spectrum[j] == spectrum[j + d - r]:
            assert rows[r - 1][j] == spectrum[j]
        else:
            assert rows[r][j + 1] < rows[r - 1][j] < rows[r][j]


@pytest.mark.parametrize("held", [(3, 2, 1, 0), (2, 1, 1, 0), (1, 1, 0, 0)])
def test_quantiles_increase_with_the_spectrum_and_with_the_uniforms(held):
    """What the enclosure by two chains rests on."""
    for seed in range(10):
        rng, given = np.random.default_rng(seed), uniforms(4, seed)
        levels = {v: v + 0.4 * rng.random() for v in held}
        raised = [levels[v] for v in held]
        more = [[u + (1 - u) * rng.random() for u in row] for row in given]
        low = ball.pattern((2, 1.5, 0.5, 0), held, 1.5, given)
        for high in (
            ball.pattern((2, 1.5, 0.5, 0), raised, 1.5, given),
            ball.pattern((2, 1.5, 0.5, 0), held, 1.5, more),
        ):
            assert all(a <= b for a, b in zip(itertools.chain(*low[:3]), itertools.chain(*high[:3]), strict=True))


@pytest.mark.parametrize("case", CASES)
def test_series_and_exponentials_enclose_one_pattern(case, monkeypatch):
    given = uniforms(len(case[0]), 5)
    series = ball.pattern(*case, given)
    ball._laws.cache_clear()
    monkeypatch.setattr(ball, "LONG", 1e-9)
    exponentials = ball.pattern(*case, given)
    ball._laws.cache_clear()
    for x, y in zip(itertools.chain(*series), itertools.chain(*exponentials), strict=True):
        assert x.overlaps(y)


@pytest.mark.parametrize("kappa", [1e3, 1e6, 1e12])
def test_a_concentrated_entry_is_a_truncated_exponential_number(kappa):
    for u in (1e-9, 0.25, 0.999):
        ((found,), _) = ball.pattern((1, 0), (1, 0), kappa, [[u]])
        with flint.ctx.workprec(200):
            assert found.overlaps(1 + flint.arb(u).log() / kappa + flint.arb(0, math.exp(-900)))


def test_flat_weights_but_one_and_three_levels_need_no_long_series():
    """Power series have a million terms here; the sum of the slacks of the first entries is nearly a Gamma variable."""
    spectrum, kappa = [2.0, 2.0, *[1.0] * 3, *[0.0] * 7], 2.0**18
    values = [1.0, *[0.0] * 11]
    first = ball.pattern(values, spectrum, kappa, uniforms(12, 1))[0][0]
    assert 0 < kappa * (2 - first) < stats.gamma.isf(ALARM, 11)


@functools.cache
def moments(values, spectrum, kappa):
    with mp.workdps(30):
        return tuple(map(float, patterns.utility_moments(values, spectrum, kappa)))


def utility(values, spectrum, rows):
    sums = np.array([0.0, *(sum(float(x.mid()) for x in row) for row in rows)])
    return np.diff(sums) @ np.array(values, float)


@pytest.mark.parametrize(
    "case", [case for case in CASES if 2 < len(case[0]) < 5 and case[2] > 0 and len(set(case[0])) > 1]
)
def test_the_mean_utility_is_that_of_the_normaliser(case):
    """The law, not only the path: by the normal limit of 400 draws."""
    n = 400
    q = [utility(*case[:2], ball.pattern(*case, uniforms(len(case[0]), seed))) for seed in range(n)]
    mean, variance = moments(*case)
    assert 2 * stats.norm.sf(abs(np.mean(q) - mean) / np.sqrt(variance / n)) > ALARM


@pytest.mark.parametrize("case", [case for case in CASES if len(case[0]) < 5 and 0 < case[2] <= 2])
def test_moments_of_the_utility_without_determinants(case):
    """From the expansion in Schur functions; for ``d = 2`` the utility is a truncated exponential variable."""
    values, spectrum, kappa = case
    with mp.workdps(40):
        low, here, high = (
            hciz.log_mean_exponential(values, spectrum, kappa + i * mp.mpf(10) ** -10) for i in (-1, 0, 1)
        )
        expected = (high - low) / 2e-10, (high - 2 * here + low) / mp.mpf(10) ** -20
    with mp.workdps(20):
        for found, wanted in zip(patterns.utility_moments(*case), expected, strict=True):
            assert abs(found - wanted) < 1e-15
        if case == CASES[0]:
            mean = 2 - (1 - 1 / mp.expm1(1))
            variance = 1 - mp.e / mp.expm1(1) ** 2
            found = patterns.utility_moments(*case)
            assert max(abs(found[0] - mean), abs(found[1] - variance)) < 1e-18


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (((1, 2), (1, 0), 1.0, [[0.5]]), "descend"),
        (((2, 1), (1, 0, 0), 1.0, [[0.5]]), "length"),
        (((2, float("nan")), (1, 0), 1.0, [[0.5]]), "finite"),
        (((2, 1), (float("inf"), 0), 1.0, [[0.5]]), "finite"),
        (((2, 1), (1, 0), -1.0, [[0.5]]), "kappa"),
        (((2, 1), (1, 0), float("nan"), [[0.5]]), "kappa"),
        (((2, 1), (1, 0), 1.0, [[0.0]]), "strictly between 0 and 1, got 0"),
    ],
)
def test_bad_input_is_named(arguments, reason):
    with pytest.raises(ValueError, match=reason):
        ball.pattern(*arguments)


# float64 against balls


class Given:
    """A generator of given uniforms ``(size, d - 1, d - 1)``, in the order in which the chain asks for them."""

    def __init__(self, columns, levels):
        still, k, d = frozen(levels), int(np.sum(levels > 0)), len(levels)
        cells = [(r, j) for r in range(d - 2, -1, -1) for j in range(min(k, r + 1)) if not still[r, j]]
        self.columns = (columns[:, r, j] for r, j in cells)

    def random(self, size):
        column = next(self.columns)
        assert len(column) == size
        return column


def worst_difference(exponents, levels, size, seed):
    """Largest difference of an entry; levels are at most 1."""
    levels, d = np.array(levels, float), len(levels)
    columns = np.random.default_rng(seed).random((size, d - 1, d - 1))
    given = Given(columns, levels)
    x = gelfand_tsetlin.patterns(np.array(exponents, float), levels)(size, given)
    assert next(given.columns, None) is None
    assert interlaces(x).all()
    enclosed = [ball.pattern(list(exponents), levels.tolist(), 1.0, u.tolist()) for u in columns]
    return max(
        abs(float(b.mid()) - a)
        for p, rows in zip(x, enclosed, strict=True)
        for i, row in enumerate(rows)
        for a, b in zip(p[i], row, strict=False)
    )


SIMPLE = {2: (1, 0.4), 3: (1, 0.7, 0.4), 4: (1, 0.8, 0.6, 0.4), 5: (1, 0.85, 0.7, 0.55, 0.4)}
ACCURACY = {1: 4e-15, 2: 1e-13, 3: 5e-13, 4: 5e-13, 5: 5e-13}
"""By the number of levels above 0. Near a tied level the density vanishes, and a quantile has its reciprocal as
condition: with two levels 2e-15 is typical, but 2e-14 occurs at 8e-4 from the tied one."""


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(
    ("d", "tilt", "size"), [(4, 1, 40), (10, 1, 20), (10, 10, 20), (10, 100, 10), (50, 10, 2), (50, 100, 1)]
)
def test_float_chain_of_a_projection(d, k, tilt, size):
    levels = k * [1] + (d - k) * [0]
    assert gelfand_tsetlin.refusal(np.linspace(tilt, 0, d), np.array(levels, float), 1.0) is None
    assert worst_difference(np.linspace(tilt, 0, d), levels, size, 4) < ACCURACY[k]


@pytest.mark.parametrize("k", SIMPLE)
@pytest.mark.parametrize(
    ("d", "tilt", "size"), [(6, 3, 20), (10, 1, 10), (10, 10, 10), (10, 100, 10), (30, 30, 3), (50, 100, 1)]
)
def test_float_chain_of_a_simple_spectrum(d, k, tilt, size):
    levels = [*SIMPLE[k], *(d - k) * [0]]
    assert gelfand_tsetlin.refusal(np.linspace(tilt, 0, d), np.array(levels, float), 1.0) is None
    assert worst_difference(np.linspace(tilt, 0, d), levels, size, 5) < ACCURACY[k]


@pytest.mark.parametrize(
    "levels", [0.875 ** np.arange(5), 2.0 ** -np.arange(5), (1, 0.875, 0.4, 0.35, 0.01), (1, 1, 0.5), (1, 0.5, 0.5)]
)
@pytest.mark.parametrize("shape", ["even", "tied", "one"])
@pytest.mark.parametrize(("tilt", "size"), [(0.1, 3), (2, 3), (300, 2)])
def test_float_chain_of_what_is_just_served(levels, shape, tilt, size):
    """Levels as close as allowed, or far apart; ties of ``M``; no tilt to speak of, and a large one."""
    d = 8
    exponents = (
        tilt * {"even": np.linspace(1, 0, d), "tied": np.repeat([1, 0.5, 0], (2, 3, 3)), "one": np.eye(d)[0]}[shape]
    )
    levels = np.append(levels, np.zeros(d - len(levels)))
    assert gelfand_tsetlin.refusal(exponents, levels, 1.0) is None
    assert worst_difference(exponents, levels, size, 6) < 2e-12
