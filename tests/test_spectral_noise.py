"""Laws of noise on symmetric matrices against draws of them, and against their integrals."""

import math

import numpy as np
import pytest
from mpmath import mp

from dpspectra.fast import spectral_noise
from dpspectra.fast.linalg import mirror
from dpspectra.fast.spectral_noise import KINDS, SpectralNoise
from dpspectra.oracle.spectral_noise import knorm_moments

DEVIATIONS = 5.0
"""Standard errors that a mean of many draws may be off; by chance once in a million."""


def wishart(rng, number, d, degrees):
    rows = rng.normal(size=(number, degrees, d))
    return np.swapaxes(rows, 1, 2) @ rows


def tilted_wishart(rng, number, d):
    """Rejection: two Wishart matrices are kept with probability ``exp(-|difference of traces| / 2)``."""
    kept = []
    while sum(map(len, kept)) < number:
        noise = wishart(rng, number, d, d + 1) - wishart(rng, number, d, d + 1)
        kept.append(noise[rng.random(number) < np.exp(-np.abs(np.trace(noise, axis1=1, axis2=2)) / 2)])
    return np.concatenate(kept)[:number]


def knorm(rng, number, d):
    """Rejection: of two Wishart matrices whose difference is ``M`` those with ``W >= M_+``, tilted by the trace."""
    kept = []
    while sum(map(len, kept)) < number:
        first, second = (wishart(rng, number, d, d + 1) for _ in range(2))
        values, vectors = np.linalg.eigh(first - second)
        positive = (vectors * np.maximum(values, 0)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        fits = np.linalg.eigvalsh(first - positive)[:, 0] > 0
        tilt = rng.random(number) < np.exp(-np.abs(values.sum(axis=1)) / 2)
        kept.append((first - second)[fits & tilt])
    return np.concatenate(kept)[:number]


def optimal_gaussian(rng, number, d):
    noise = rng.normal(size=(number, d, d))
    noise = (noise + np.swapaxes(noise, 1, 2)) / math.sqrt(2)
    trace = np.trace(noise, axis1=1, axis2=2) / d
    shift = math.sqrt(2 / (d * (d + 1))) * rng.normal(size=number) - trace
    return noise + shift[:, None, None] * np.eye(d)


DRAWS = {
    "laplace": lambda rng, number, d: mirror(rng.laplace(size=(number, d * (d + 1) // 2)), d),
    "gaussian_triangle": lambda rng, number, d: mirror(rng.normal(size=(number, d * (d + 1) // 2)), d),
    "gaussian": optimal_gaussian,
    "wishart": lambda rng, number, d: wishart(rng, number, d, d + 1) - wishart(rng, number, d, d + 1),
    "tilted_wishart": tilted_wishart,
    "knorm": knorm,
    "one_sided_wishart": lambda rng, number, d: wishart(rng, number, d, 7) - 7 * np.eye(d),
}


def law(kind, d, scale=1.0, degrees=7):
    return SpectralNoise(kind, d, scale, degrees if kind == "one_sided_wishart" else None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_moments_are_those_of_draws(kind, d):
    """Three means of 20,000 draws; each fails once in a million although the code is right."""
    rng = np.random.default_rng(1)
    noise, expected = DRAWS[kind](rng, 20_000, d), law(kind, d)
    pairs = [(np.sum(noise**2, axis=(1, 2)), expected.mean_square)]
    pairs.append((np.trace(noise, axis1=1, axis2=2) ** 2, expected.trace_variance))
    if d > 1:
        basis = np.linalg.qr(rng.normal(size=(len(noise), d, d)))[0]
        entry = np.einsum("ni,nij,nj->n", basis[:, :, 0], noise, basis[:, :, 1])
        pairs.append((entry**2, expected.off_diagonal_variance))
    for values, mean in pairs:
        assert abs(values.mean() - mean) < DEVIATIONS * values.std() / math.sqrt(len(values))


@pytest.mark.parametrize(("d", "value"), [(2, 18.9), (3, 66.85714), (5, 307.7206), (10, 2314.2387)])
def test_mean_square_of_the_tilted_law(d, value):
    assert law("tilted_wishart", d).mean_square == pytest.approx(value, rel=1e-6)


def test_in_dimension_one_pure_noise_is_laplace_noise():
    for kind in ("tilted_wishart", "knorm", "laplace"):
        assert law(kind, 1).mean_square == pytest.approx(2.0)


def direct_tilted_wishart(rng, number, d):
    """The two traces by a Gamma and a Beta law, and directions independent of them."""
    shape, out = d * (d + 1) // 2, []
    for _ in range(number):
        larger = rng.gamma(2 * shape)
        traces = [larger, larger * rng.random() ** (1 / shape)]
        if rng.random() < 0.5:
            traces.reverse()
        first, second = wishart(rng, 2, d, d + 1)
        out.append(traces[0] * first / np.trace(first) - traces[1] * second / np.trace(second))
    return np.array(out)


LARGE = {
    "tilted_wishart": direct_tilted_wishart,
    "one_sided_wishart": lambda rng, number, d: wishart(rng, number, d, 2 * d) - 2 * d * np.eye(d),
}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "knorm"])
def test_edge_and_spectrum_of_one_large_draw(kind):
    """The edge of a draw in dimension 300 is within 4 % of its limit; its fluctuations are of order ``d^(-2/3)``."""
    d = 300
    noise, expected = LARGE.get(kind, DRAWS[kind])(np.random.default_rng(2), 1, d)[0], law(kind, d, degrees=2 * d)
    top = np.linalg.eigvalsh(noise)[-1]
    assert top == pytest.approx(expected.edge, rel=0.04)


def test_edges_by_hand():
    d, root5 = 10**6, math.sqrt(5)
    assert law("wishart", d).edge == pytest.approx(3.330 * d, rel=1e-3)
    assert law("wishart", d).threshold == pytest.approx(d / math.sqrt(root5 - 2), rel=1e-5)
    assert law("knorm", d).edge == pytest.approx(math.pi * d, rel=1e-5)
    assert law("knorm", d).threshold == pytest.approx(2 * d, rel=1e-5)
    assert law("gaussian", d).edge == pytest.approx(2 * math.sqrt(d), rel=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_overlap_is_the_slope_of_the_r_transform(kind):
    """``1 - g^2 R'(g)`` by a complex step; it falls to 0 at the threshold, where ``R(g) + 1/g`` is smallest."""
    noise = law(kind, 6, 0.3)
    theta = noise.threshold * np.array([1.01, 1.5, 4.0, 50.0])
    slope = np.imag(noise.r_transform(1 / theta + 1e-20j)) / 1e-20
    np.testing.assert_allclose(noise.overlap(theta), 1 - slope / theta**2, rtol=1e-9)
    assert noise.overlap(noise.threshold * (1 + 1e-9)) == pytest.approx(0, abs=1e-7)
    assert noise.overlap(0.99 * noise.threshold) == noise.overlap(-10 * noise.threshold) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_r_transform_starts_with_the_variance(kind):
    noise = law(kind, 5, 2.0)
    assert float(noise.r_transform(1e-7)) == pytest.approx(1e-7 * noise.spectral_variance, rel=1e-4)


@pytest.mark.parametrize("d", range(1, 9))
def test_tables_of_knorm_noise_are_its_integrals(d):
    with mp.workdps(60):
        square, trace = knorm_moments(d)
    assert spectral_noise.KNORM_MEAN_SQUARES[d - 1] == pytest.approx(float(square), rel=1e-12)
    assert spectral_noise.KNORM_TRACES[d - 1] == pytest.approx(float(trace), rel=1e-12)


def test_beyond_the_table_knorm_noise_goes_on_smoothly():
    inside, outside = law("knorm", 10), law("knorm", 11)
    step = (11 * 12**2) / (10 * 11**2)
    assert outside.mean_square == pytest.approx(inside.mean_square * step, rel=0.02)


def test_bad_laws_are_refused():
    for arguments in (("cauchy", 2, 1.0), ("knorm", 0, 1.0), ("knorm", 2, 0.0), ("one_sided_wishart", 2, 1.0)):
        with pytest.raises(ValueError, match="must"):
            SpectralNoise(*arguments)
    with pytest.raises(ValueError, match="degrees must be None for knorm, got 3"):
        SpectralNoise("knorm", 2, 1.0, 3)
