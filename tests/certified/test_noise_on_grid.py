"""Certified noise: floating point decides as balls do on the same bits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpspectra.certified import ball_noise, kernels, noise_on_grid, trace_noise
from dpspectra.certified.grid import Steps
from tests.support.certified import Chosen, some_steps
from tests.support.helpers import entropy

KEY = bytes(range(32))
ALL_OPEN = 1.0
"""A bound at which nothing is certain, so that balls decide everything."""


# ---------------------------------------------------------------- floating point against balls


LAWS = {
    "laplace": lambda steps, ratio, source: noise_on_grid.laplace(steps, ratio, source),
    "gaussian": lambda steps, ratio, source: noise_on_grid.gaussian(steps, ratio, source),
    "difference of Wishart matrices": lambda s, r, source: noise_on_grid.wishart(s, 4, 5, r, (1, -1), source),
    "Wishart matrix": lambda steps, ratio, source: noise_on_grid.wishart(steps, 4, 7, ratio, (1,), source),
}


def in_balls(law, steps, ratio, source):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise_on_grid, "SLACK", ALL_OPEN)
        return law(steps, ratio, source)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize(("ratio", "size"), [(2.0**23.5, 100_000), (2.0**40.5, 10_000)])
def test_floating_point_decides_as_balls_do(name, ratio, size):
    """At the default grid hardly any number is open, at the fine one every few."""
    rounds = 1 if size > 2000 and "Wishart" not in name else 20
    for i in range(rounds):
        steps = some_steps(10 if "Wishart" in name else size, i)
        fast, exact = LAWS[name](steps, ratio, entropy(i)), in_balls(LAWS[name], steps, ratio, entropy(i))
        assert fast.tolist() == exact.tolist()
        if rounds == 20 and "Wishart" not in name:
            break


@pytest.mark.parametrize("word", [2**63 - 2**10, 2**63 - 2**28, 2**63 - 2**43, 2**20, 5])
def test_stored_normals_of_open_words_are_refined(word):
    """A ball at the precision of float64 would be off by many times the bound that others rely on."""
    block = noise_on_grid.Normals((2, 2), Chosen([2 * word, 2**63 + 2**40 + 5]))
    with ball_noise.precision(600):
        true = [float(block.ball(0, j, 400) - ball_noise.exact(float(block.values[0, j]))) for j in (0, 1)]
    assert max(map(abs, true)) <= kernels.NORMAL_ERROR / 3


FAULTS = {
    "rest of log 2": ("LOG2_LOW", 0.0),
    "a coefficient of the sine": ("SINE", tuple(c + 1e-9 * (j == 2) for j, c in enumerate(kernels.SINE))),
    "a coefficient of the cosine": ("COSINE", tuple(c + 1e-9 * (j == 3) for j, c in enumerate(kernels.COSINE))),
    "a coefficient of the logarithm": (
        "LOGARITHM",
        tuple(c + 1e-9 * (j == 1) for j, c in enumerate(kernels.LOGARITHM)),
    ),
    "bound of exponentials": ("EXPONENTIAL_ERROR", -noise_on_grid.ROUNDING),
    "bound of normal numbers": ("NORMAL_ERROR", -noise_on_grid.ROUNDING),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_of_the_kernels_show(fault, monkeypatch):
    law = LAWS["laplace" if "log" in fault or "exponential" in fault else "gaussian"]
    ratio, steps = 2.0 ** (45 if "bound" in fault else 41), some_steps(4_000, 0)  # not all is open
    exact = in_balls(law, steps, ratio, entropy())
    monkeypatch.setattr(kernels, *FAULTS[fault])
    assert law(steps, ratio, entropy()).tolist() != exact.tolist()


MOMENTS = {"laplace": [math.factorial(p) * (p % 2 == 0) for p in range(9)], "gaussian": [1, 0, 1, 0, 3, 0, 15, 0, 105]}


@pytest.mark.parametrize(("name", "law"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_the_law_is_the_ideal_one(name, law):
    """Kolmogorov-Smirnov and four moments, 2e5 numbers of one key; a true law fails with probability 1e-3 at most."""
    z = np.asarray(LAWS[name](Steps.of(np.zeros(200_000, dtype=np.int64), 0), 2.0**24, entropy(7)), dtype=float) / 2**24
    assert stats.kstest(z, law.cdf).pvalue > 5e-4
    for power in (1, 2, 3, 4):
        mean, square = MOMENTS[name][power], MOMENTS[name][2 * power]
        assert abs(np.mean(z**power) - mean) < 4.1 * math.sqrt((square - mean**2) / len(z))


def test_noise_of_one_call_is_independent():
    """Correlations of neighbouring numbers, of pairs and of their squares; 5 standard deviations."""
    for name in ("laplace", "gaussian"):
        z = np.asarray(LAWS[name](Steps.of(np.zeros(100_000, dtype=np.int64), 0), 2.0**24, entropy(3)), dtype=float)
        for x in (z, z**2, np.abs(z)):
            for lag in (1, 2):
                assert abs(np.corrcoef(x[:-lag], x[lag:])[0, 1]) < 5 / math.sqrt(len(z))


def test_products_are_within_their_bound():
    """All terms of one sign, each rounded in one direction."""
    for terms in (1, 7, 300):
        x, y = np.full(terms, 1 / 3), np.full(terms, 1 + 2.0**-52)
        error = abs(Fraction(float(x @ y)) - sum(Fraction(a) * Fraction(b) for a, b in zip(x, y, strict=True)))
        norms = (np.array([math.sqrt(terms) * a]) for a in (1 / 3, 1 + 2.0**-52))
        (bound,) = noise_on_grid.product_error(terms, *norms)
        assert error <= bound
    assert noise_on_grid.product_error(4, 3.0, 7.0) == noise_on_grid.product_error(4, 21.0, 1.0) == 21 * 16 * 2.0**-53


@pytest.mark.parametrize("d", [1, 2, 3, 7, 60])
def test_places_are_those_row_by_row(d):
    assert [noise_on_grid.place(i, d) for i in range(d * (d + 1) // 2)] == list(zip(*np.triu_indices(d), strict=True))


def test_places_of_many_columns_are_exact():
    """At the ends of rows, where a float's root would be off."""
    d = 10**9
    for row in (0, 1, d // 3, d - 2):
        first = row * (2 * d - row + 1) // 2
        assert noise_on_grid.place(first, d) == (row, row)
        assert noise_on_grid.place(first + d - row - 1, d) == (row, d - 1)


@pytest.mark.parametrize(("strip", "columns"), [(1, 1), (2, 3), (3, 8), (2**8, 2**9)])
@pytest.mark.parametrize("name", ["difference", "tilted"])
def test_strips_and_pieces_change_no_bit(strip, columns, name, monkeypatch):
    """Matrices of 7 columns at a grid at which floats decide most numbers, and balls the rest."""

    def noise():
        steps, ratio = some_steps(28, 3), 2.0**41
        if name == "tilted":
            return trace_noise.tilted_wishart(steps, 7, ratio, entropy(5)).tolist()
        return noise_on_grid.wishart(steps, 7, 8, ratio, (1, -1), entropy(5)).tolist()

    whole = noise()
    monkeypatch.setattr(noise_on_grid, "STRIP", strip)
    monkeypatch.setattr(noise_on_grid, "COLUMNS", columns)
    assert noise() == whole


def test_a_product_reads_words_alone_first(monkeypatch):
    """Further bits are read only where these do not decide, and the ball from them lies in the first one."""
    block = noise_on_grid.Normals((2, 9), entropy())
    read = []

    def beyond(i, bits, inner=block.words.beyond):
        read.append(bits)
        return inner(i, bits)

    monkeypatch.setattr(block.words, "beyond", beyond)
    with ball_noise.precision(160):
        first, second = (block.product(0, 1, bits) for bits in (ball_noise.FIRST, 2 * ball_noise.FIRST))
    assert set(read) == {0, 2 * ball_noise.FIRST}
    assert first.contains(second)
    assert float(first.rad()) < 2.0**-50


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (3, 5), (2, 2)])
def test_normals_of_every_shape(shape):
    block = noise_on_grid.Normals(shape, entropy())
    assert block.values.shape == shape
    with ball_noise.precision(200):
        last = block.ball(shape[0] - 1, shape[1] - 1, 128) - ball_noise.exact(float(block.values[-1, -1]))
    assert abs(float(last)) < kernels.NORMAL_ERROR


# ---------------------------------------------------------------- calibration


@pytest.mark.parametrize("estimate", [2.0**62, -(2.0**62)])
def test_an_estimate_that_int64_does_not_hold_for_certain_is_asked_for_in_balls(estimate):
    asked = []

    def value(place, bits):
        asked.append(bits)
        return ball_noise.exact(int(estimate) + 1)

    found = noise_on_grid.rounded([(np.array([estimate]), np.array([False]), 2.0**-20)], 1, value)
    assert asked
    assert int(found[0]) == int(estimate) + 1
