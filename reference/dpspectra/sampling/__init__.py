"""Exact samplers of random vectors and matrices (float64; exact in ideal real arithmetic)."""

from dpspectra.sampling.angular_gaussian import bingham
from dpspectra.sampling.frames import frames
from dpspectra.sampling.haar import haar
from dpspectra.sampling.orbit import orbit, orbit_chunks

__all__ = ["bingham", "frames", "haar", "orbit", "orbit_chunks"]
