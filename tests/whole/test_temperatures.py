"""Samplers of exponential laws draw at the temperature that they are given, not at one that is two percent off.

Certified draws are made again from their words, by the definition of each law in eigen-coordinates. Draws in floats are
compared with closed forms; a right sampler is alarmed with probability `stats.norm.sf(5) * 2`, 6e-7, seeds are fixed.
"""

import math

import flint
import numpy as np
import pytest
from scipy import integrate, special

from dpspectra import sampling
from dpspectra.certified import ball_chart, bingham, vertex
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.orbit import Orbit
from dpspectra.mechanisms import row_counting
from dpspectra.sampling.methods import METHODS
from tests.support.standard_noise import Balls, Recorded, precision

DRAWS, ERRORS = 200_000, 5
GAP = 4.0

# ---------------------------------------------------------------- in floats


def mean_and_deviation(field):
    """Those of ``H_11`` on lines of the plane: of density ``e^(g x)``, over the root of ``x (1 - x)`` if real."""

    def moment(power):
        if field == "complex":
            return integrate.quad(lambda x: x**power * math.exp(GAP * x), 0, 1)[0]
        return integrate.quad(lambda t: math.cos(t) ** (2 * power) * math.exp(GAP * math.cos(t) ** 2), 0, math.pi)[0]

    mean = moment(1) / moment(0)
    return mean, math.sqrt(moment(2) / moment(0) - mean**2)


@pytest.mark.parametrize(("method", "field"), [(m.name, field) for m in METHODS.values() for field in m.fields])
def test_a_sampler_in_floats_has_its_temperature(method, field):
    drawn = sampling.orbit(np.diag([8.0, 0.0]), [1.0, 0.0], GAP / 8, size=DRAWS, field=field, method=method, rng=3)
    mean, deviation = mean_and_deviation(field)
    allowed = ERRORS * deviation / math.sqrt(DRAWS)
    assert allowed < 0.85 * 0.02 * GAP * deviation**2, "two percent show: the mean has the variance for a slope"
    assert abs(np.mean(drawn[:, 0, 0].real) - mean) < allowed


def test_directions_that_count_rows_have_their_temperature():
    """Around lines of ``c`` rows there are caps of measure ``h``, each with ``h e^(kc) / (1 + sum h (e^(kc) - 1))``.

    Alone, where no proposal is lost; and two that nearly touch, where half of them is.
    """
    kappa, count, radius, draws = 0.75, 4, 0.3, 2 * DRAWS
    angle = (2 - 1e-9) * math.asin(radius)
    lines = np.array([[1.0, 0.0, 0.0], [math.cos(angle), math.sin(angle), 0.0]])
    for number in (1, 2):
        counts = np.full(number, count)
        drawn = row_counting.drawn((lines[:number], counts), kappa, radius, draws, np.random.default_rng(3))
        cap = special.betainc(1.0, 0.5, radius**2)
        share = cap * math.exp(kappa * count) / (1 + number * cap * math.expm1(kappa * count))
        allowed = ERRORS * math.sqrt(share * (1 - share) / draws)
        assert allowed < 0.85 * 0.02 * kappa * count * share * (1 - number * share)
        assert abs(np.mean(np.hypot(drawn[:, 1], drawn[:, 2]) <= radius) - share) < allowed


# ---------------------------------------------------------------- in certified arithmetic


def exponentials(source, size):
    return np.abs(source.laplace(size).astype(float))


def line(source, weights, field, hyperplane):
    """Bingham's law from an angular Gaussian one, whose ``b`` is free."""
    copies = 1 + (field == "complex")
    towards = -weights if hyperplane else weights
    a = np.repeat(np.max(towards) - towards, copies)
    half, count = len(a) / 2, max(1, min(bingham.PROPOSALS, bingham.NUMBERS // len(a)))
    b = bingham._balanced(a, half)
    while True:
        y = source.normal((count, len(a))).astype(float) * np.sqrt(b / (b + a))
        for x, e in zip(y / np.linalg.norm(y, axis=1)[:, None], exponentials(source, count), strict=True):
            t = (b + np.sum(a * x**2)) / half
            if e + half * (1 - t + math.log(t)) > 0:
                x = x.view(complex) if copies == 2 else x
                projector = np.outer(x, x.conj())
                return np.eye(len(x)) - projector if hyperplane else projector


def chart(source, weights, k):
    """Complex Gaussian coordinates in the ball of matrices."""
    gaps = weights[None, :k] - weights[k:, None]
    count = max(1, min(ball_chart.PROPOSALS, ball_chart.NUMBERS // gaps.size))
    z = source.normal((count * len(gaps), 2 * k)).astype(float).view(complex).reshape(count, *gaps.shape)
    for y in z / np.sqrt(2 * gaps):
        values, vectors = np.linalg.eigh(np.eye(k) - y.conj().T @ y)
        if values[0] > 0:
            frame = np.concatenate([vectors * np.sqrt(values) @ vectors.conj().T, y])
            return frame @ frame.conj().T
    raise LookupError


def minors(source, weights, levels):
    """Spectra of the leading minors: exponential slacks below the largest pattern, if they interlace."""
    d = len(levels)
    places = [(r, j) for r in range(1, d) for j in range(r)]
    count = max(1, min(vertex.PROPOSALS, vertex.NUMBERS // len(places)))
    for slacks in exponentials(source, count * len(places)).reshape(count, -1):
        slack = dict(zip(places, slacks, strict=True))
        rows = {d: list(levels)}
        for r in range(d - 1, 0, -1):
            rows[r] = [rows[r + 1][j] - slack[r, j] / (weights[j] - weights[r]) for j in range(r)]
        if all(rows[r][j] > rows[r + 1][j + 1] for r, j in places):
            return rows
    raise LookupError


SPECTRA = {
    "line": ((1.0, 0.0, 0.0), "real", "bingham"),
    "complex line": ((1.0, 0.0, 0.0), "complex", "bingham"),
    "hyperplane": ((1.0, 1.0, 0.0), "real", "bingham"),
    "plane": ((1.0, 1.0, 0.0, 0.0), "complex", "ball_chart"),
    "flag": ((2.0, 1.0, 0.0), "complex", "vertex"),
}


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("key", range(4))
def test_a_certified_draw_is_that_of_its_words(name, key):
    """From ``exp(temperature <M, H>)`` alone; what is compared is rounded to ``2**-25``."""
    levels, field, method = SPECTRA[name]
    values, temperature = np.array([60.0, 35.0, 2.0, 0.0][: len(levels)]), 0.3
    m, rng = np.diag(values), Recorded(bytes([key]) * 32)
    law = Orbit(m, temperature, values * temperature, np.eye(len(m)), np.array(levels), field)
    found, weights = law.draw(-25, rng), values * temperature
    assert law.method == method
    source = Balls(rng.given)
    with precision():
        if method == "bingham":
            expected = line(source, weights, field, sum(levels) > 1)
        elif method == "ball_chart":
            expected = chart(source, weights, 2)
        else:
            expected = minors(source, weights, levels)
    if method != "vertex":
        assert np.max(np.abs(found - expected)) < 2.0**-24
        return
    for r, row in expected.items():
        assert np.linalg.eigvalsh(found[:r, :r])[::-1] == pytest.approx(row, abs=2.0**-22)


@pytest.mark.parametrize("key", range(4))
def test_a_certified_quantile_is_that_of_its_word(key):
    """On lines of the complex plane the distribution function of ``H_11`` is ``expm1(g x) / expm1(g)``."""
    rng = Recorded(bytes([key]) * 32)
    found = GelfandTsetlin(np.array([GAP, 0.0]), np.array([1.0, 0.0])).draw(rng).estimate[0, 0].real
    uniform = int(rng.given[0].values[0]) / 2.0**64
    with flint.ctx.workprec(64):
        assert found == pytest.approx(math.log1p(uniform * math.expm1(GAP)) / GAP, abs=1e-12)
