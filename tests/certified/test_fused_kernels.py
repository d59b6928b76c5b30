"""The kernels in one pass give all bits of those of numpy, whatever the direction of rounding."""

import contextlib
import ctypes
import platform
import sys

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.certified import kernels, noise_on_grid
from tests.support.kernel_edges import EDGES

fused = pytest.importorskip("dpspectra.certified.fused_kernels", exc_type=ImportError)
DIRECTED = {"x86_64": {"down": 0x400, "up": 0x800, "towards zero": 0xC00}}.get(platform.machine(), {})
MODES = {"nearest": 0} | DIRECTED
"""Directions of rounding, as far as their numbers are known for this machine."""


@contextlib.contextmanager
def rounding(direction):
    """Round in a direction for a while."""
    if direction == "nearest":
        yield
        return
    library = ctypes.CDLL(None)
    if library.fesetround(MODES[direction]):
        pytest.fail("this direction of rounding cannot be set")
    try:
        yield
    finally:
        library.fesetround(0)


def words():
    """Words at the edges of the kernels, open ones, and many others."""
    rng = np.random.default_rng(1)
    edges = np.array([2 * k + j for k in [0, 1, 2**48 - 1, 2**63 - 1, *EDGES] for j in (0, 1)], dtype=np.uint64)
    angles = rng.integers(0, 2**64, size=len(edges), dtype=np.uint64)
    angles[:16] = [0, 1, 2, 3, 4, 5, 6, 7, 2**64 - 1, 2**64 - 8, 2**63, 2**63 - 1, 8, 15, 2**32, 2**62]
    return np.concatenate([np.stack([edges, angles], 1).ravel(), rng.integers(0, 2**64, size=200_000, dtype=np.uint64)])


@pytest.mark.parametrize("direction", MODES)
@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_bits_are_those_of_numpy(law, direction):
    drawn = words()
    with rounding(direction):
        plain, quick = (getattr(module, law)(drawn) for module in (kernels, fused))
    for one, other in zip(plain, quick, strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("direction", MODES)
def test_whole_numbers_are_those_of_numpy(direction):
    rng = np.random.default_rng(2)
    ends = [0.0, -0.0, 0.5, -0.5, 1.5, 2.0**62, -(2.0**62), np.nextafter(2.0**62, 0), 2.0**63, 1e300, np.inf, -np.inf]
    for numbers in (rng.normal(scale=1e6, size=50_000), np.array(ends), np.array([np.nan, 1.0]), np.array(ends[:5])):
        is_open = rng.random(len(numbers)) < 0.1
        with rounding(direction):
            plain, quick = (settled(module, numbers, is_open) for module in (kernels, fused))
        for one, other in zip(plain, quick, strict=True):
            assert np.array_equal(one, other)


def settled(module, numbers, is_open):
    whole = np.empty(len(numbers), dtype=np.int64)
    return whole, *module.settled(numbers, is_open, 0.499, whole)


def test_directions_of_rounding_are_felt():
    """Else the test above would compare the same thing four times."""
    drawn = words()
    found = []
    for direction in MODES:
        with rounding(direction):
            found.append(kernels.laplace(drawn)[0].tobytes())
    assert len(set(found)) >= min(3, len(MODES))


def test_who_has_loaded_numba_takes_them(monkeypatch):
    assert noise_on_grid._kernels(1) is kernels  # as in all tests
    monkeypatch.setitem(sys.modules, noise_on_grid.FUSED, fused)
    assert noise_on_grid._kernels(1) is fused
    for name in (noise_on_grid.FUSED, "numba", "dpspectra.ground.compiling"):
        monkeypatch.setitem(sys.modules, name, sys.modules[name])  # restored at the end
    del sys.modules[noise_on_grid.FUSED]
    assert noise_on_grid._kernels(noise_on_grid.CHUNK - 1) is kernels
    assert noise_on_grid._kernels(noise_on_grid.CHUNK).__name__ == noise_on_grid.FUSED
    del sys.modules[noise_on_grid.FUSED], sys.modules["numba"]
    assert noise_on_grid._kernels(noise_on_grid.WORTH - 1) is kernels
    monkeypatch.setitem(sys.modules, "dpspectra.ground.compiling", None)  # as if numba were not installed
    assert noise_on_grid._kernels(noise_on_grid.WORTH) is kernels


def test_a_release_is_the_same_with_and_without(monkeypatch):
    def released():
        rng = dps.Entropy(bytes(range(32)))
        return [f(np.zeros((1, 200)), 1.0, *more, rng=rng).value for f, more in RELEASES]

    without = released()
    monkeypatch.setitem(sys.modules, noise_on_grid.FUSED, fused)
    for one, other in zip(without, released(), strict=True):
        assert np.array_equal(one, other)


RELEASES = ((dps.laplace_covariance, ()), (dps.gaussian_covariance, (1e-6,)))
