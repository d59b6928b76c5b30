"""Orbits of a spectrum of two values: a matrix is known by an orthonormal frame of one of its eigenspaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.sampling.identity_plus_low_rank import Decomposition

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

    def decomposition(self, frames: NDArray[Any]) -> Decomposition:
        """Return ``H`` of frames ``(size, d, k)``, with the coordinate of the largest eigenvalue of ``M`` first."""
        ordered = frames[..., ::-1, :] if self.reverse else frames
        return Decomposition(self.base, np.full(self.k, self.step), ordered)


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
