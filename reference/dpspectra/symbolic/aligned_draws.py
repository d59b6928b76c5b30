"""One shift of normal draws that makes a run on one data set the run on the other, on all paths alike.

If each path shows the same function of numbers ``mu + B z`` on one data set and ``nu + B z`` on the other, and one
shift ``v`` has ``B v = mu - nu`` on all of them, then a run on the first data set with draws ``z`` gives what a run on
the second one gives with ``z + v``. So the output loses at most what normal draws lose that ``v`` moves
(DPS-ALIGNMENT).
"""

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.hockey_stick import Matched
from dpspectra.symbolic.independent_constraints import EPS, FEW, by_rounding
from dpspectra.symbolic.laws import NORMAL
from dpspectra.symbolic.observed_constraints import System, Unsolved, system

MOST = 4_000_000
"""Coefficients of all paths up to which a shift is looked for."""


def length_of_shift(matched: Iterable[Matched]) -> float:
    """Return the length of a shift that fits all paths and their replays. Raises `Unsolved` if none is found."""
    pairs, laws = [_same_numbers(path, theirs) for path, theirs, _ in matched], dict[int, str]()
    for one, _ in pairs:
        for j in np.unique(one.B.indices).tolist():
            if laws.setdefault(j, one.law(j).key) != one.law(j).key:
                raise Unsolved("paths have other draws")
    normal = [j for j, key in laws.items() if key == NORMAL.key]
    if sum(len(one.mu) for one, _ in pairs) * len(normal) > MOST:
        raise Unsolved("paths have many draws")
    width = max(laws, default=0) + 1
    whole = sparse.vstack([_wide(one.B, width) for one, _ in pairs]).tocsc()[:, normal].toarray()
    mu, nu = (np.concatenate([pair[k].mu for pair in pairs]) for k in (0, 1))
    shift = np.linalg.lstsq(whole, mu - nu, rcond=None)[0]
    apart = np.abs(whole @ shift - (mu - nu))
    if not np.all(apart <= by_rounding(mu, nu) + FEW * EPS * (np.abs(whole) @ np.abs(shift))):
        raise Unsolved("no shift of normal draws fits all paths")
    return float(np.linalg.norm(shift))


def _same_numbers(path: Path, theirs: Path | None) -> tuple[System, System]:
    """Return what a path and its replay show, if these are the same functions of independent draws, up to a shift."""
    if theirs is None or (path.leaves, path.points) != (theirs.leaves, theirs.points):
        raise Unsolved("a path has another probability, or another output")
    first, second = (system(p.run.tape, plain=True) for p in (path, theirs))
    if first.B.shape != second.B.shape or abs(first.B - second.B).nnz or first.equations != second.equations:
        raise Unsolved("a path has another scale")
    for j in np.unique(first.B.indices).tolist():
        mine, other = first.block(j), second.block(j)
        if mine.law.key != other.law.key or any(
            b.computed is not None or b.law.joint is not None for b in (mine, other)
        ):
            raise Unsolved("draws have other laws, or depend on each other")
    return first, second


def _wide(B: sparse.csr_array, width: int) -> sparse.csr_array:
    found = B[:, : min(width, B.shape[1])].copy()
    found.resize((B.shape[0], width))
    return found
