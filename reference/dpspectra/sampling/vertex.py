"""Concentrated linear exponential laws on Gelfand-Tsetlin patterns: exponential distances from the largest pattern.

The slack ``s_(r,j) = x_(r+1,j) - x_(r,j)`` says how far a cell lies below its upper neighbour in the next row. As
``x_(r,j) = spectrum_j - sum_(q >= r) s_(q,j)``, the exponent ``sum_r kappa (m_r - m_(r+1)) sum_j x_(r,j)`` falls by
``kappa (m_j - m_(r+1))`` per unit of ``s_(r,j)``, and the change of variables has unit determinant: the slacks are
independent exponentials, given that every cell also lies above its lower neighbour. None can exceed the range of the
spectrum between the two values that enclose its cell, so each exponential law is cut off there.
"""

from __future__ import annotations

import numpy as np

from dpspectra.fast.patterns import extremes, frozen, interlaces
from dpspectra.ground.array_types import Array
from dpspectra.sampling.identity_plus_low_rank import Draw
from dpspectra.sampling.patterns import on_orbit, unit_levels
from dpspectra.sampling.rejection import Proposals, Rejection


def refusal(values: Array, spectrum: Array, kappa: float) -> str | None:
    """Why the method cannot serve, if so; nothing is drawn.

    With ``k`` eigenvalues of ``H`` above the smallest, a free slack has rate 0 where two of the first ``k + 1``
    eigenvalues of ``M`` agree (or ``kappa`` is 0), and only there.
    """
    k = int(np.sum(spectrum > spectrum[-1]))
    gap = kappa * np.min(values[:k] - values[1 : k + 1]) if k else 1.0
    if not gap > 0:
        return f"the gaps among the {k + 1} largest eigenvalues of M, times kappa, must be positive"
    return None


def sampler(values: Array, spectrum: Array, kappa: float) -> Draw:
    """Prepare draws of the complex orbit law, in the basis where ``M`` is ``diag(values)``, descending."""
    (_, base, spread), law = unit_levels(spectrum), patterns(values, spectrum, kappa)
    return lambda size, rng: on_orbit(law.sample(size, rng), base, spread, rng)


def patterns(values: Array, spectrum: Array, kappa: float) -> Rejection:
    """Sampler of the patterns ``(d, d)`` of the spectrum moved to ``[0, 1]``."""
    levels, _, spread = unit_levels(spectrum)
    d = len(levels)
    row, entry = np.nonzero(np.tri(d, dtype=bool) & ~frozen(levels))
    rates = kappa * spread * (values[entry] - values[row + 1])
    top, bottom = extremes(levels)
    mass = -np.expm1(-rates * (top - bottom)[row, entry])

    def propose(count: int, rng: np.random.Generator) -> Proposals:
        slacks = np.zeros((count, d, d))
        slacks[:, row, entry] = -np.log1p(-mass * rng.random((count, len(row)))) / rates
        below = np.cumsum(slacks[:, ::-1], axis=1)[:, ::-1]
        x = (levels - below) * np.tri(d)
        return x, interlaces(x)

    return Rejection(propose, d * d, lambda kept: kept)
