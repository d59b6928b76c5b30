"""Orbits of a spectrum of two values: a matrix is known by an orthonormal frame of one of its eigenspaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import adjoint
from dpspectra.sampling.rejection import BATCH

TWO_VALUES = "the spectrum must take exactly two values"


@dataclass(frozen=True, slots=True)
class FrameLaw:
    """The law ``exp(kappa <M, H>)`` on such an orbit, in the eigenbasis of ``M``, as a law of frames.

    ``H = base I + step X X*`` with ``X`` an orthonormal ``(d, k)`` frame, ``k <= d/2``, whose span has density
    proportional to ``exp(-Tr X* diag(a) X)``. Where the larger value of the spectrum is the more frequent one, ``X``
    spans the other eigenspace, ``M`` enters by its negative, and coordinates run backwards (``reverse``).
    """

    base: float
    step: float
    k: int
    exponents: NDArray[np.float64]
    """The ``a``, ascending from 0."""
    reverse: bool

    def in_order(self, frames: NDArray[Any]) -> NDArray[Any]:
        """Frames ``(..., d, k)`` with the coordinate of the largest eigenvalue of ``M`` first."""
        return frames[..., ::-1, :] if self.reverse else frames

    def matrices(self, frames: NDArray[Any]) -> NDArray[Any]:
        """``H`` of frames ``(size, d, k)`` given in any basis; shape ``(size, d, d)``."""
        size, d, _ = frames.shape
        out = np.empty((size, d, d), dtype=frames.dtype)
        share = max(1, BATCH // d**2)
        for start in range(0, size, share):
            x = frames[start : start + share]
            h = (0.5 * self.step * x) @ adjoint(x)
            h += adjoint(h)
            np.einsum("...ii->...i", h)[...] += self.base
            out[start : start + share] = h
        return out


def frame_law(values: NDArray[Any], spectrum: NDArray[Any], kappa: float) -> FrameLaw | None:
    """Return the law for descending ``values`` of ``M`` and ``spectrum`` of ``H``; None unless that has two values."""
    top, bottom = float(spectrum[0]), float(spectrum[-1])
    k, d = int(np.sum(spectrum == top)), len(spectrum)
    if k == d or np.any(spectrum[k:] != bottom):
        return None
    strength = kappa * (top - bottom)
    if 2 * k <= d:
        return FrameLaw(bottom, top - bottom, k, strength * (values[0] - values), False)
    return FrameLaw(top, bottom - top, d - k, strength * (values[::-1] - values[-1]), True)
