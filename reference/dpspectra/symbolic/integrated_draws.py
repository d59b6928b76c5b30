"""The likelihood of a part whose equations leave draws open: tails, and one direction that is integrated over."""

import math
from math import isfinite, isinf
from typing import Any

import numpy as np
from scipy.optimize import linprog

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.independent_constraints import (
    EPS,
    FEW,
    LARGEST_ERROR,
    TIE,
    ZERO,
    Likelihood,
    Part,
    checked,
    hold,
    rounding,
)
from dpspectra.symbolic.laws import NORMAL, Law
from dpspectra.symbolic.log_concave_integrals import log_concave
from dpspectra.symbolic.observed_constraints import Unsolved

SETTLED = 1e-12
"""Relative slope below which an inequality does not depend on the direction that is integrated over."""
DIGITS = 9
"""Digits of the times that rows are taken; the sums are then looked at as they are."""


def integrated(it: Part, P: Floats, right: Floats, scales: Floats, error: float, pivots: tuple[int, ...]) -> Likelihood:
    """Integrate out draws that occur in one inequality only, by their tails; then one direction, if one is left."""
    if not all(law.concave for law in it.laws):
        raise Unsolved("noise of this kind is not integrated")
    said = np.unique(np.column_stack([it.c, it.C]), axis=0) if len(it.c) else np.column_stack([it.c, it.C])
    c, r = said[:, 0], len(pivots)  # what was asked twice is said once
    C, P, laws = _merged(said[:, 1:].copy(), P, list(it.laws))
    own = _own(C, P)
    shared = [j for j in range(len(laws)) if j not in own.values()]
    hard = [i for i in range(len(c)) if i not in own]
    Q = P[:, shared]
    free = len(shared) - r
    if free > 1 and contradict(said[:, 0], said[:, 1:]):
        return Likelihood(-math.inf, 0.0, pivots)
    if free > 1:
        raise Unsolved(f"{free} directions of noise stay free")
    z0: Floats = np.asarray(np.linalg.lstsq(Q, right, rcond=None)[0] if r else np.zeros(len(shared)), dtype=float)
    volume = float(np.linalg.slogdet(Q @ Q.T)[1]) / 2 + float(np.sum(np.log(scales))) if r else 0.0

    def heights(z: Floats) -> Any:
        """Log-density of the shared draws, and log-probability of inequalities with draws of their own."""
        total = sum((laws[j].log_density(z[:, k]) for k, j in enumerate(shared)), np.zeros(len(z)))
        for i, j in own.items():
            edge = -(c[i] + z @ C[i, shared]) / C[i, j]
            total = total + (laws[j].upper(edge) if C[i, j] > 0 else laws[j].lower(edge))
        return total

    if free == 0:
        if not hold(c[hard], C[np.ix_(hard, shared)], z0, rounding(it)):
            return Likelihood(-math.inf, 0.0, pivots)
        value = float(heights(z0[None, :])[0])
        steep = max([1.0, *(float(np.linalg.norm(C[i]) / abs(C[i, j])) for i, j in own.items())])
        return (
            Likelihood(-math.inf, 0.0, pivots)
            if isinf(value)
            else checked(value - volume, error + rounding(it) * steep * (1 + float(np.linalg.norm(z0))) + 1e-12, pivots)
        )
    v = np.linalg.svd(Q)[2][r] if r else np.ones(1)
    v = np.where(np.abs(v) < ZERO, 0.0, v)
    at, slope = c + C[:, shared] @ z0, C[:, shared] @ v
    settled = [i for i in hard if abs(slope[i]) < SETTLED * np.linalg.norm(C[i])]  # by the equations alone
    if not hold(c[settled], C[np.ix_(settled, shared)], z0, rounding(it)):
        return Likelihood(-math.inf, 0.0, pivots)
    hard = [i for i in hard if i not in settled]
    low = max([-at[i] / slope[i] for i in hard if slope[i] > 0], default=-math.inf)
    high = min([-at[i] / slope[i] for i in hard if slope[i] < 0], default=math.inf)
    knots = [(k - z0[i]) / v[i] for i, j in enumerate(shared) if v[i] for k in (*laws[j].kinks, 0.0)]
    knots += [(-at[i] - C[i, j] * k) / slope[i] for i, j in own.items() if slope[i] for k in (0.0, *laws[j].kinks)]
    for i, j in enumerate(shared):
        if v[i]:
            ends = sorted((e - z0[i]) / v[i] for e in laws[j].support if isfinite(e))
            below = isfinite(laws[j].support[0 if v[i] > 0 else 1])
            above = isfinite(laws[j].support[1 if v[i] > 0 else 0])
            low, high = max(low, ends[0]) if below else low, min(high, ends[-1]) if above else high
    if not low < high:
        if low - high < TIE * (1 + abs(low)):
            raise Unsolved("an inequality is too close to a tie")
        return Likelihood(-math.inf, 0.0, pivots)
    widths = [1 / abs(x) for x in v if x] + [abs(C[i, j] / slope[i]) for i, j in own.items() if slope[i]]
    bounds = log_concave(lambda t: heights(z0 + t[:, None] * v), low, high, knots, min(widths))
    if bounds is None or bounds[1] - bounds[0] > LARGEST_ERROR:
        raise Unsolved("an integral has no close bounds")
    if isinf(bounds[1]):
        raise Unsolved("an integral is 0 in float64")
    middle = (bounds[0] + bounds[1]) / 2
    steep = rounding(it) / min(widths) * 10 if r else 0.0
    return checked(middle - volume, error + (bounds[1] - bounds[0]) / 2 + steep + 1e-12, pivots)


def contradict(c: Floats, C: Floats) -> bool:
    """Whether ``c + C z > 0`` has no solution, as some rows, taken so many times each, sum to what is not positive.

    Sums that rounding may have made negative count as none; draws that are as large as rounding is small are none.
    """
    if len(c) < 2:
        return False
    found = linprog(c, A_eq=np.vstack([C.T, np.ones(len(c))]), b_eq=np.append(np.zeros(C.shape[1]), 1.0)).x
    if found is None:
        return False
    times = np.where(found > 10.0**-DIGITS, found, 0.0)
    times /= np.min(times[times > 0])
    for several in (times, np.round(times, DIGITS)):
        total, left = math.fsum(several * c), np.abs(several @ C)
        slack = TIE * (several @ np.linalg.norm(C, axis=1)) + FEW * EPS * (several @ np.abs(c))
        if (total == 0 and not np.any(left)) or (total < -slack and np.all(left <= FEW * EPS * (several @ np.abs(C)))):
            return True
    return False


def _own(C: Floats, P: Floats) -> dict[int, int]:
    """Return a draw of its own for each inequality that has one: it occurs in no other row."""
    once = (np.count_nonzero(C, axis=0) == 1) & ~np.any(P != 0, axis=0)
    return {i: int(np.flatnonzero(once & (row != 0))[0]) for i, row in enumerate(C) if np.any(once & (row != 0))}


def _merged(C: Floats, P: Floats, laws: list[Law]) -> tuple[Floats, Floats, list[Law]]:
    """Return normal draws that occur in the same single inequality only, as one."""
    once = (np.count_nonzero(C, axis=0) == 1) & ~np.any(P != 0, axis=0)
    keep = np.ones(C.shape[1], dtype=bool)
    for row in C:
        mine = [j for j in np.flatnonzero(once & (row != 0)) if laws[j] is NORMAL]
        if len(mine) > 1:
            row[mine[0]] = float(np.linalg.norm(row[mine]))
            row[mine[1:]] = 0.0
            keep[mine[1:]] = False
    return C[:, keep], P[:, keep], [law for law, k in zip(laws, keep, strict=True) if k]
