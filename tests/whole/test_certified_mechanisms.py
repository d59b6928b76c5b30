"""Mechanisms in certified arithmetic: on the grid, blind to low bits, the same on every machine, calibrated."""

import math
import os
import platform
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.certified import gram, grid
from dpspectra.formulas.covariance_l1 import covers_l1, upper_triangle_l1
from dpspectra.mechanisms import added_noise, wishart
from dpspectra.mechanisms.noises import gaussian, laplace, symmetric_wishart
from tests.support.helpers import entropy
from tests.support.rows import unit_rows

COVARIANCES = {
    "laplace": lambda X, **o: dps.laplace_covariance(X, 1.0, **o),
    "gaussian": lambda X, **o: dps.gaussian_covariance(X, 1.0, 1e-6, **o),
    "triangle": lambda X, **o: dps.gaussian_covariance(X, 1.0, 1e-6, shape="triangle", **o),
    "symmetric Wishart": lambda X, **o: dps.symmetric_wishart_covariance(X, 1.0, **o),
    "difference": lambda X, **o: dps.symmetric_wishart_covariance(X, 1.0, relation="zero_out", **o),
    "Wishart": lambda X, **o: dps.wishart_covariance(X, 1.0, 1e-3, **o),
}
MECHANISMS = COVARIANCES | {"spectrum": lambda X, **o: dps.private_spectrum(Matrix(X.T @ X), 2, 1.0, **o)}
LAWS = {
    "laplace": laplace.LAPLACE,
    "gaussian": gaussian.OPTIMAL,
    "triangle": gaussian.TRIANGLE,
    "symmetric Wishart": symmetric_wishart.TILTED,
    "difference": symmetric_wishart.DIFFERENCE,
    "centred": wishart.centred(9),
}
ENTRY_BY_ENTRY = "laplace", "triangle"


# ---------------------------------------------------------------- the grid


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_number_is_an_integer_of_steps_over_n_rounded_once(name):
    for d, n in ((1, 3), (3, 7), (6, 1)):
        if name == "spectrum" and d == 1:
            continue
        release = MECHANISMS[name](unit_rows(n, d), rng=entropy(d))
        step, count = Fraction(release.details["step"]), 1 if name == "spectrum" else n
        assert math.log2(release.details["step"]).is_integer()
        for x in release.value.ravel().tolist():
            k = round(Fraction(x) * count / step)
            assert x == float(k * step / count)
            assert math.copysign(1, x) == 1 or x < 0


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("d", [1, 3])
def test_low_bits_say_nothing(name, d):
    """Outputs on data whose exact sums differ in their low bits lie on one grid: 1e5 numbers on each side.

    The attack on float64 noise looks for numbers near 0 that are no multiples of the spacing of floats near the sum.
    """
    law, scale, calls = LAWS[name], 6.0 if name in ("gaussian", "triangle") else 2.0, 100_000 if d == 1 else 20_000
    for total in (np.zeros((d, d), dtype=np.int64), np.full((d, d), 4**20, dtype=np.int64), np.full((d, d), 12345)):
        moments = gram.ExactMatrix(total.astype(object), 20)
        exponent = grid.step_exponent(scale * law.spread(d), added_noise.FINE)
        if name not in ENTRY_BY_ENTRY:
            values = [added_noise.noisy(moments, law, scale, entropy(i))[0] for i in range(200)]
        else:
            steps = grid.Steps.of(np.repeat(total[np.triu_indices(d)], calls // (d * (d + 1) // 2)), -40 - exponent)
            sums = law.certified(steps, d, math.ldexp(scale, -exponent), entropy(int(total[0, 0])))
            values = [grid.over(sums, exponent, 1)]
        numbers = np.concatenate([np.ravel(v) for v in values])
        assert np.array_equal(numbers, np.ldexp(np.rint(np.ldexp(numbers, -exponent)), exponent))
        assert len(np.unique(numbers)) > 0.9 * len(numbers) / (1 if d == 1 else 2)


# ---------------------------------------------------------------- the data


MACHINE = """
import hashlib, numpy as np, dpspectra as dps
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 30)) / 9
g = rng.normal(size=(30, 301))
released = [
    mechanism(X, 1.0, norm_bound=1.5, rng=dps.Entropy(bytes(32))).value
    for mechanism in (dps.laplace_covariance, dps.symmetric_wishart_covariance)
]
for arrays in (released, [X.T @ X, g @ g.T]):
    print(hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
"""


def test_no_machine_changes_a_bit():
    """Kernels of several processors, one thread and two; products of floats differ among them, where OpenBLAS runs."""
    ways = [("Haswell", "1"), ("Haswell", "2"), ("Nehalem", "1"), ("Prescott", "2")]
    runs = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", MACHINE],
            env={**os.environ, "OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": threads},
            stdout=subprocess.PIPE,
            text=True,
        )
        for core, threads in ways
    ]
    found = [run.communicate()[0].split() for run in runs]
    assert len({certified for certified, _ in found}) == 1
    if platform.machine() == "x86_64" and "openblas" in str(np.show_config("dicts")).lower():
        assert len({floats for _, floats in found}) > 1


@pytest.mark.parametrize("name", COVARIANCES)
@pytest.mark.parametrize("bound", [1e-3, 1.0, 3.0, 1e30, 2.0**899])
def test_units_change_nothing_but_units(name, bound):
    """Up to the grid of rows, which is one of powers of two."""
    X = unit_rows(50, 2)
    one = COVARIANCES[name](X, rng=entropy()).value
    if bound == 2.0**899:  # whose square is beyond float64
        with pytest.raises(ValueError, match=r"must lie between 2\*\*-250 and 2\*\*250"):
            COVARIANCES[name](X * bound, norm_bound=bound, rng=entropy())
        return
    other = COVARIANCES[name](X * bound, norm_bound=bound, rng=entropy()).value
    assert np.allclose(other, one * bound**2, atol=3e-6 * bound**2)


def test_scales_that_underflow_are_refused():
    for bound in (2.3e-162, 1e-150, 1e160):
        with pytest.raises(ValueError, match=r"must lie between 2\*\*-250 and 2\*\*250"):
            dps.laplace_covariance(np.zeros((3, 2)), 1.0, norm_bound=bound)


# ---------------------------------------------------------------- calibration


def test_scales_are_certified():
    X, eps = np.zeros((1, 3)), 0.3
    b = Fraction(dps.laplace_covariance(X, eps, norm_bound=0.7).details["scale"])
    square = Fraction(0.7) ** 2
    assert (b * Fraction(eps) / square) ** 2 >= Fraction(33, 4) > ((b - b / 2**50) * Fraction(eps) / square) ** 2
    gaussian = dps.gaussian_covariance(X, eps, 1e-9, norm_bound=0.7)
    sigma, mu = Fraction(gaussian.details["scale"]), Fraction(gaussian.claim.gdp_mu)
    assert (sigma * mu) ** 2 >= square**2 > ((sigma - sigma / 2**50) * mu) ** 2
    triangle = dps.gaussian_covariance(X, eps, 1e-9, norm_bound=0.7, shape="triangle")
    sigma, mu = Fraction(triangle.details["scale"]), Fraction(triangle.claim.gdp_mu)
    assert (sigma * mu) ** 2 >= 2 * square**2 > ((sigma - sigma / 2**50) * mu) ** 2
    c = Fraction(dps.symmetric_wishart_covariance(X, eps, norm_bound=0.7).details["scale"])
    assert c * Fraction(eps) >= square > (c - c / 2**50) * Fraction(eps)
    two = Fraction(dps.private_spectrum(Matrix(np.eye(2)), 2, eps).details["scale"])
    assert two * Fraction(eps) >= 2 > (two - two / 2**50) * Fraction(eps)
    one = Fraction(dps.private_spectrum(Matrix(np.eye(2)), 1, eps).details["scale"])
    assert one * Fraction(eps) >= 1 > (one - one / 2**50) * Fraction(eps)
    one = Fraction(dps.private_spectrum(Matrix(np.eye(2)), 1, eps, relation="add_remove").details["scale"])
    assert one * Fraction(eps) >= 1 > (one - one / 2**50) * Fraction(eps)


def test_the_mean_that_is_subtracted_is_public_and_on_the_grid():
    X = unit_rows(3, 2)
    for bound in (1.0, 0.7):
        release = dps.wishart_covariance(bound * X, 1.0, 1e-3, norm_bound=bound, rng=entropy())
        details = release.details
        step, count = Fraction(details["step"]), len(X)
        whole = round(Fraction(details["mean"]) * count / step)
        assert details["mean"] == float(whole * step / count)
        assert details["mean"] == pytest.approx(details["degrees_of_freedom"] * details["scale"], rel=1e-6)
        assert Fraction(details["scale"]) * count >= Fraction(bound) ** 2 * Fraction(1 - 2.0**-51)
        assert np.linalg.eigvalsh(release.value + details["mean"] * np.eye(2))[0] > 0


@pytest.mark.parametrize("d", [1, 2, 3, 6, 7, 1000])
def test_the_rational_test_of_the_l1_sensitivity_is_that_of_the_formula(d):
    s = Fraction(upper_triangle_l1(d))
    assert covers_l1(s * (1 + Fraction(1, 2**48)), d)
    assert not covers_l1(s * (1 - Fraction(1, 2**48)), d)
    assert not covers_l1(-s - 4, d)


def test_a_scale_that_is_just_enough_covers():
    """The sensitivity is 1 for one column, and 8 at most for ten."""
    assert covers_l1(Fraction(1), 1)
    assert covers_l1(Fraction(8), 10)
