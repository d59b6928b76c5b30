"""Runs of the private power method on drawn noise, in both arithmetics, on which its utility theorems are checked.

Noise blocks are shrunk to the norms that hold with high probability, and the angle of the start fixes the smallest
``tau`` for which the start is good. The standard deviation is chosen so that all hypotheses hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import dyadics
from dpspectra.strategies.lazy import st
from dpspectra.strategies.power import STEEP, following, noisy_starts

ROUNDS = 40
"""Number of rounds of a run."""
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (4, 1, 2), (4, 2, 3)]
"""Dimension ``d``, target rank ``k``, width ``p``."""
BLOCKS = 2
"""Number of noise blocks drawn; they are used in turn."""

Scale = Callable[[Any], Any]
Radii = Callable[[int, int, int], tuple[Any, Any]]


def runs(shapes: Any = SHAPES) -> Any:
    """A start with noise blocks, and the fraction of the largest admissible standard deviation that is used."""
    return st.tuples(noisy_starts(BLOCKS, shapes, largest_ratio=0.5, least=0.25), dyadics(0.125, 0.9375, 4))


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run of `ROUNDS`."""

    matrix: Any
    values: Any
    k: int
    iterates: list[Any]
    target: Any
    ratio: Any
    tau: Any
    radius: Any
    """Upper bound on the tangent of the start."""
    levels: list[Any]
    """Standard deviation of the noise for the product with each iterate; the run makes no product with the last one."""
    whole: Any
    """Largest norm of a block of unit standard deviation."""
    unit: Any
    """A further block of unit standard deviation."""
    inside: Any
    """Largest norm of the part of such a block in the target."""

    @property
    def level(self) -> Any:
        """Largest standard deviation of the noise of the run."""
        return max(self.levels[:-1])


def fast_run(drawn: Any, radii: Radii, scale: Scale) -> Run | None:
    """Run in float64; ``None`` for a start at right angles."""
    (frame, values, k, basis, blocks), share = drawn
    (d, p), u, ratio = basis.shape, frame[:, :k], following(values, k)
    cosine, sine = power.angle(u, orthonormal(basis))
    if cosine < STEEP:
        return None
    relative = float(np.sqrt(d) / (np.sqrt(p) - np.sqrt(k - 1)))
    tau = max(1.0, sine / cosine / relative)
    whole, inside = radii(d, k, p)
    sigma = share * (1 - ratio) / 5 * min(0.5 / whole, 1 / (np.sqrt(2) * tau * relative * inside))
    a, units = (frame * values) @ frame.T, [power.shrunk(block, u, whole, inside) for block in blocks]
    iterates = [orthonormal(basis)]
    for number in range(ROUNDS):
        x = iterates[-1]
        iterates.append(orthonormal(a @ x + sigma * scale(x) * units[number % BLOCKS]))
    levels = [sigma * scale(x) for x in iterates]
    return Run(a, values, k, iterates, u, ratio, tau, tau * relative, levels, whole, units[0], inside)


def exact_run(drawn: Any, radii: Radii, scale: Scale) -> Run | None:
    """`fast_run` in mpmath."""
    (frame, values, k, basis, blocks), share = drawn
    (d, p), u, ratio = basis.shape, exact.exact(frame[:, :k]), mp.mpf(following(values, k))
    cosine, sine = oracle.angle(u, exactly_orthonormal(exact.exact(basis)))
    if cosine < STEEP:
        return None
    relative = mp.sqrt(d) / (mp.sqrt(p) - mp.sqrt(k - 1))
    tau = max(mp.mpf(1), sine / cosine / relative)
    whole, inside = radii(d, k, p)
    sigma = share * (1 - ratio) / 5 * min(1 / (2 * whole), 1 / (mp.sqrt(2) * tau * relative * inside))
    a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
    units = [oracle.shrunk(exact.exact(block), u, whole, inside) for block in blocks]
    iterates = [exactly_orthonormal(exact.exact(basis))]
    for number in range(ROUNDS):
        x = iterates[-1]
        iterates.append(exactly_orthonormal(a * x + sigma * scale(x) * units[number % BLOCKS]))
    levels = [sigma * scale(x) for x in iterates]
    return Run(a, values, k, iterates, u, ratio, tau, tau * relative, levels, whole, units[0], inside)


def converged(run: Run, reached: Any, steps: int, tangent: Callable[[Any, Any], Any]) -> AtMost | tuple[()]:
    """Tangents after ``steps``, one more step, and all rounds, against the accuracy to be ``reached``."""
    if steps > ROUNDS:
        return ()
    later = [run.iterates[steps], run.iterates[min(steps + 1, ROUNDS)], run.iterates[-1]]
    return AtMost(max(tangent(run.target, x) for x in later), reached, scale=1, part="tangent after the rounds")
