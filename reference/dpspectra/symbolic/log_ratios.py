"""The log-ratio of likelihoods of one system on both data sets, part by part, with bounds over all outcomes."""

import math
from dataclasses import replace
from math import isfinite, isinf, isnan, sqrt
from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.independent_constraints import (
    EPS,
    FEW,
    LARGEST_ERROR,
    Loss,
    Part,
    Term,
    Whole,
    by_rounding,
    part,
    place_of,
)
from dpspectra.symbolic.laws import NORMAL
from dpspectra.symbolic.likelihood import agrees, likelihood, pivots_of
from dpspectra.symbolic.noisy_rows import of_each_draw
from dpspectra.symbolic.observed_constraints import System, Unsolved, families, together_alike
from dpspectra.symbolic.same_functions import SAME, bounds_of_rounded, move_of_rounded, settled_by_values
from dpspectra.symbolic.shifted_draws import loss_of_shift
from dpspectra.symbolic.stepped_numbers import largest_loss
from dpspectra.symbolic.whole_hockey_stick import loss_of_few, of_parts


def compared(first: System, second: System) -> list[Term]:
    """All parts that differ between the data sets. Raises `Unsolved` where a part can have no likelihood."""
    _same_rows(first, second)
    rest = np.ones(len(first.mu), dtype=bool)
    singles = _singles(first, second)
    terms = _single_terms(first, second, singles)
    rest[singles] = False
    kept = np.flatnonzero(rest)
    if not len(kept):
        return terms
    for rows in families(first, second):
        if rest[rows[0]] and not _alike(first, second, rows):
            terms.append(_term(first, second, rows))
    return terms


def _same_rows(first: System, second: System) -> None:
    if len(first.mu) != len(second.mu) or first.equations != second.equations:
        raise Unsolved("the two data sets show other numbers of values")


def _singles(first: System, second: System) -> Any:
    """Equations with one draw each, that occurs nowhere else, on both data sets."""
    if not first.equations:
        return np.zeros(0, dtype=np.int64)
    if any(b.computed is not None for one in (first, second) for b in one.blocks):
        return np.zeros(0, dtype=np.int64)
    alone = np.ones(first.equations, dtype=bool)
    for one in (first, second):
        dependent = of_each_draw(one.blocks, lambda b: b.law.joint is not None)
        per_row = np.diff(one.B.indptr)
        used = np.bincount(one.B.indices, minlength=one.B.shape[1])
        single = per_row == 1
        lonely = np.zeros(len(per_row), dtype=bool)
        draws = one.B.indices[one.B.indptr[:-1][single]]
        lonely[single] = (used[draws] == 1) & ~dependent[draws]
        alone &= lonely[: one.equations]
    return np.flatnonzero(alone)


def _columns(one: System, rows: Any) -> tuple[Any, Floats]:
    at = one.B.indptr[:-1][rows]
    return one.B.indices[at], one.B.data[at]


def _single_terms(first: System, second: System, rows: Any) -> list[Term]:
    """Terms of equations with a draw of their own, grouped by line and law."""
    if not len(rows):
        return []
    (i, f), (j, g) = _columns(first, rows), _columns(second, rows)
    blocks, theirs = first.blocks, second.blocks
    number = np.searchsorted([b.start for b in blocks], i, side="right") - 1
    other = np.searchsorted([b.start for b in theirs], j, side="right") - 1
    if not (np.all(np.isfinite(f)) and np.all(np.isfinite(g))):
        raise Unsolved("a coefficient is not finite")
    mu, nu = first.mu[rows], second.mu[rows]
    with np.errstate(all="ignore"):
        gap = np.abs(mu - nu) / np.abs(f)
        alike = (gap <= SAME) & (np.abs(f - g) <= SAME * np.abs(f))
    alike |= (f == g) & ((mu == nu) | (np.isnan(mu) & np.isnan(nu)))
    terms = []
    for a, b in {(int(a), int(b)) for a, b in zip(number, other, strict=True)}:
        law, law_b = blocks[a].law, theirs[b].law
        mine = (number == a) & (other == b) & ~(alike & (law.key == law_b.key))
        if np.any(mine):
            chosen = rows[mine]
            terms.append(_grouped(first, second, chosen, blocks[a], theirs[b], f[mine], g[mine]))
    return terms


def _grouped(first: System, second: System, rows: Any, block: Any, other: Any, f: Floats, g: Floats) -> Term:
    mu, nu = first.mu[rows], second.mu[rows]
    law, law_b = block.law, other.law
    if not (np.all(np.isfinite(mu)) and np.all(np.isfinite(nu))):
        return Term(block.place, law.name, lambda y: Loss(math.inf), math.inf, math.inf, mu - nu, np.abs(f))

    largest, smallest = np.maximum(np.abs(mu), np.abs(nu)), np.minimum(np.abs(f), np.abs(g))
    log_f, log_g = np.log(np.abs(f)), np.log(np.abs(g))

    def loss(y: Floats) -> Loss:
        v = y[rows]
        z, w = (v - mu) / f, (v - nu) / g
        with np.errstate(all="ignore"):
            slack = 4 * np.spacing(np.maximum(np.abs(v), largest)) / smallest
        if law.discrete or law_b.discrete:
            return _masses(law, law_b, z, w, slack)
        _off_the_ends(law, z, slack)
        _off_the_ends(law_b, w, slack)
        p, q = law.log_density(z) - log_f, law_b.log_density(w) - log_g
        if not np.all(np.isfinite(p)):
            raise Unsolved(f"what was drawn at {block.place} is impossible in itself")
        if np.any(np.isneginf(q)):
            return Loss(math.inf)
        error = float(np.sum(slack * (2 + np.abs(z) + np.abs(w)) + 1e-15 * (np.abs(p) + np.abs(q))))
        return _close(float(np.sum(p - q)), error)

    same = law.key == law_b.key and bool(np.all(np.abs(f - g) <= SAME * np.abs(f)))
    z = (mu - nu) / f
    rounding = 4 * np.spacing(np.maximum(np.abs(mu), np.abs(nu))) / np.abs(f)
    bound = float(sum(law.loss(float(m)) for m in z)) if same else loss_of_few(law, law_b, z, g / f, rounding)
    distance = float(np.linalg.norm(z)) if same and law is NORMAL else math.inf
    stretch = _stretch(np.abs(f), np.abs(g))
    whole = (Whole(law, mu[0], f[0]), Whole(law_b, nu[0], g[0])) if len(rows) == 1 else None
    return Term(
        block.place, law.shown, loss, bound, distance, mu - nu, np.abs(f), stretch, equations=tuple(rows), whole=whole
    )


def _close(value: float, error: float) -> Loss:
    if error > LARGEST_ERROR:
        raise Unsolved("locations are too large for float64")
    if isnan(value):
        raise Unsolved("a likelihood is not a number")
    return Loss(value, error)


def _off_the_ends(law: Any, z: Floats, slack: Floats) -> None:
    """Refuse ends of the support: possible or impossible must not be decided by rounding."""
    for end in law.support:
        if isfinite(end) and np.any(np.abs(z - end) < 1e-9 + 8 * slack):
            raise Unsolved("a number lies at the end of what the noise can give")


def _masses(law: Any, law_b: Any, z: Floats, w: Floats, slack: Floats) -> Loss:
    if not (law.discrete and law_b.discrete) or float(np.max(slack)) > 1e-9:
        raise Unsolved("discrete noise on one data set, continuous on the other, or locations too large")
    whole = np.abs(w - np.round(w))
    if np.any((whole > 1e-9) & (whole < 1e-7)):
        raise Unsolved("a number is nearly whole")
    p = law.log_density(np.round(z))
    q = np.where(whole < 1e-8, law_b.log_density(np.round(w)), -np.inf)
    if not np.all(np.isfinite(p)):
        raise Unsolved("a mass is 0 in itself")
    return Loss(math.inf) if np.any(np.isneginf(q)) else Loss(float(np.sum(p - q)), 1e-12 * len(p))


def _alike(first: System, second: System, rows: Any) -> bool:
    """Whether rows are the same on both data sets, in scales of their noise: such a part cancels."""
    a, b = first.B[rows], second.B[rows]
    width = max(a.shape[1], b.shape[1])
    a, b = (one.copy() for one in (a, b))
    a.resize((len(rows), width))
    b.resize((len(rows), width))
    norms = np.sqrt(np.asarray(a.multiply(a).sum(axis=1)).ravel())
    norms = np.where(norms == 0, 1.0, norms)
    difference = abs(a - b)
    largest = difference.max(axis=1).toarray().ravel() if difference.nnz else np.zeros(len(rows))
    mu, nu = first.mu[rows], second.mu[rows]
    dependent = len(rows) > 1
    with np.errstate(invalid="ignore"):
        slack = by_rounding(mu, nu) if dependent else SAME * norms
        near = (np.abs(mu - nu) <= slack) | (mu == nu) | (np.isnan(mu) & np.isnan(nu))
    draws = [int(j) for j in np.unique(np.concatenate([a.indices, b.indices]))]
    if not (np.all(largest <= (FEW * EPS if dependent else SAME) * norms) and np.all(near)):
        return False
    return all(first.law(j).key == second.law(j).key for j in draws) and together_alike(first, second, draws)


def _term(first: System, second: System, rows: Any) -> Term:
    a, b = part(first, rows), part(second, rows)
    place, law = place_of(first, a), "+".join(dict.fromkeys(x.shown for x in a.laws))
    if not all(np.all(np.isfinite(x)) for it in (a, b) for x in (it.mu, it.B, it.c, it.C)):
        raise Unsolved(f"numbers of {place} are not finite")
    (bound, distance), scale = bounds_of(a, b), a.scales
    equations = np.asarray(rows)[np.asarray(rows) < first.equations]

    def loss(y: Floats) -> Loss:
        mine, theirs = replace(a, y=y[equations]), replace(b, y=y[equations])
        try:
            return ratio(mine, theirs, place)
        except Unsolved as problem:
            raise Unsolved(f"{problem}: noise of {place}") from None

    places = tuple(dict.fromkeys(first.block(int(j)).place for j in a.draws))
    if len(a.mu) or not len(a.c) or len(a.c) != len(b.c):
        stretch, move, rounded = _stretch(scale, b.scales), a.mu - b.mu, move_of_rounded(a, b)
        if rounded is not None:
            move, scale = np.array([rounded[1]]), np.abs([rounded[0].scale])
        known = tuple(equations), of_parts(a, b), rounded is None
        return Term(place, law, loss, bound, distance, move, scale, stretch, False, places, *known)
    factors = np.abs(a.C[:, [first.block(int(j)).place == place for j in a.draws]])
    move, smallest = np.max(np.abs(a.c - b.c), keepdims=True), np.min(factors[factors > 0], keepdims=True)
    stretch = _stretch(np.linalg.norm(a.C, axis=1), np.linalg.norm(b.C, axis=1))
    return Term(place, law, loss, bound, distance, move, smallest, stretch, len(a.draws) > 1, places)


def _stretch(mine: Floats, theirs: Floats) -> float:
    """Return the largest quotient of scales of the same number, the larger by the smaller one."""
    if len(mine) != len(theirs) or not (np.all(mine > 0) and np.all(theirs > 0)):
        return 1.0
    return float(np.max(np.maximum(mine / theirs, theirs / mine), initial=1.0))


def ratio(a: Part, b: Part, place: str) -> Loss:
    """Return the loss of one part at its values, on the data set that gave them against the other one."""
    mine, theirs = pivots_of(a), pivots_of(b)
    if not agrees(a, mine):
        raise Unsolved(f"what was drawn at {place} is impossible in itself")
    p = likelihood(a, mine)
    if isinf(p.value):
        raise Unsolved(f"what was drawn at {place} is impossible in itself")
    if len(mine) != len(theirs):
        return Loss(math.inf)  # sets of other dimensions: one of both data sets gives the other's with probability 0
    if mine != theirs:
        if agrees(b, theirs):
            raise Unsolved("values lie where two families of noise meet")
        return Loss(math.inf)
    if not agrees(b, theirs):
        return Loss(math.inf)
    q = likelihood(b, theirs)
    return Loss(math.inf) if isinf(q.value) else Loss(p.value - q.value, p.error + q.error)


def bounds_of(a: Part, b: Part) -> tuple[float, float]:
    """Largest loss over all values, and the distance in standard deviations, as far as they are known."""
    nothing = math.inf, math.inf
    try:
        pivots = pivots_of(a)
        if pivots != pivots_of(b):
            return nothing
        if not len(a.mu):  # inequalities only: the loss is one number
            p, q = likelihood(a, pivots), likelihood(b, pivots)
            return abs(p.value - q.value) + p.error + q.error + 1e-9, math.inf
    except Unsolved:
        return loss_of_shift(a, b), math.inf
    if len(a.c) != len(b.c) or len(a.mu) != len(b.mu):
        return nothing
    if (rounded := bounds_of_rounded(a, b)) is not None:
        return rounded
    if a.origins or b.origins or len(a.draws) != len(b.draws) or [x.key for x in a.laws] != [x.key for x in b.laws]:
        return nothing
    scale = a.scales[:, None]
    rows = list(pivots)
    if np.max(np.abs(a.B - b.B) / scale) > (SAME if len(rows) == len(a.mu) else FEW * EPS):
        return nothing
    P, shift = (a.B / scale)[rows], ((a.mu - b.mu) / a.scales)[rows]
    others = [k for k in range(len(a.mu)) if k not in pivots]
    if others:  # the other equations must move along
        G = np.linalg.lstsq(P.T, (a.B / scale)[others].T, rcond=None)[0].T
        apart = np.abs(((a.mu - b.mu) / a.scales)[others] - G @ shift)
        slack = by_rounding(a.mu, b.mu) / a.scales
        if np.any(apart > slack[others] + np.abs(G) @ (slack[rows] + FEW * EPS * np.abs(shift))):
            return nothing
    if len(a.c) and not settled_by_values(a, b, rows):
        return loss_of_shift(a, b), math.inf
    bound = distance = math.inf
    if all(law is NORMAL for law in a.laws) and not len(a.c):
        distance = sqrt(max(float(shift @ np.linalg.solve(P @ P.T, shift)), 0.0))
        bound = 0.0 if distance == 0 else math.inf
    if len(rows) == len(a.draws):
        move = np.linalg.solve(P, shift)
        bound = float(sum(law.loss(float(m)) for law, m in zip(a.laws, move, strict=True) if law.joint is None))
        bound += sum(law.loss(move[columns]) for law, columns in a.together)
    else:
        bound = min(loss_of_shift(a, b), largest_loss(a, b) if len(rows) == 1 else math.inf)
    return bound, distance
