"""The cheapest shift of Laplace draws that makes a part of one data set that of the other.

If ``v`` has ``B v = mu - nu`` and ``C v = c - d``, then draws ``z`` give on the first data set, with ``mu + B z`` and
``c + C z > 0``, what ``z + v`` give on the second one, with ``nu`` and ``d``. So a density on the first is at most
``exp`` of what ``v`` loses times that on the second, as each draw that is integrated over is (DPS-ALIGNMENT).
"""

import math

import numpy as np
from scipy.optimize import linprog

from dpspectra.symbolic.independent_constraints import EPS, FEW, Part, by_rounding
from dpspectra.symbolic.laws import LAPLACE

NONE = 1e-9
"""Shift of a draw that the linear program leaves by its tolerance."""


def loss_of_shift(a: Part, b: Part) -> float:
    """Return the loss of such a shift, by a linear program; infinite if none is found that fits up to rounding."""
    if a.origins or b.origins or a.together or b.together or [x.key for x in a.laws] != [x.key for x in b.laws]:
        return math.inf
    first, second = (np.concatenate([it.B, it.C]) for it in (a, b))
    moved = [k for k, law in enumerate(a.laws) if law is LAPLACE and np.any(first[:, k])]
    if not moved or a.B.shape != b.B.shape or not np.array_equal(first, second):
        return math.inf
    mu, nu = (np.concatenate([it.mu, it.c]) for it in (a, b))
    if not (np.all(np.isfinite(first)) and np.all(np.isfinite(mu - nu))):
        return math.inf
    if len(mu) == 1:
        return min(LAPLACE.loss(one) for one in (mu - nu) / first[0, moved])
    both = np.hstack([first[:, moved], -first[:, moved]])
    found = linprog(np.ones(2 * len(moved)), A_eq=both, b_eq=mu - nu)
    if found.x is None:
        return math.inf
    used = np.array(moved)[np.abs(np.subtract(*np.split(found.x, 2))) > NONE]
    rows = first[:, used]
    shift = np.linalg.lstsq(rows, mu - nu, rcond=None)[0]
    apart, slack = np.abs(rows @ shift - (mu - nu)), by_rounding(mu, nu) + FEW * EPS * (np.abs(rows) @ np.abs(shift))
    return float(sum(map(LAPLACE.loss, shift))) if np.all(apart <= slack) else math.inf
