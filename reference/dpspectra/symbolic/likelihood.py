"""Log-likelihood of one part of a system, with a bound on its error.

A part is a set of rows that share draws. Its equations are divided by the norms of their coefficients first, so that
all tolerances are relative to the noise. The first independent equations (pivots) carry the density; the others must
agree with them. A case that the tolerances leave unclear is `Unsolved`, never guessed.
"""

import math
from dataclasses import replace
from math import exp, isfinite, isinf, log, sqrt

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.gumbel_order import log_odds
from dpspectra.symbolic.independent_constraints import (
    AGREES,
    DIFFERS,
    LARGEST_ERROR,
    MOST,
    SURE,
    TIE,
    ZERO,
    Likelihood,
    Part,
    checked,
    hold,
    rounding,
)
from dpspectra.symbolic.integrated_draws import integrated
from dpspectra.symbolic.interval_odds import between, interval, log_mass
from dpspectra.symbolic.laws import NORMAL, UNIFORM
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.rounded_laws import RoundedLaw


def pivots_of(it: Part) -> tuple[int, ...]:
    """Return the first independent equations, in their order. Raises `Unsolved` where that is not clear."""
    scales = it.scales
    if len(scales) == 0:
        return ()
    if not np.all(np.isfinite(scales)) or np.any(scales == 0):
        raise Unsolved("a coefficient is not finite")
    unit = it.B / scales[:, None]
    if 1 in unit.shape:
        return (0,)
    basis: list[Floats] = []
    found = []
    for k, row in enumerate(unit):
        rest = row.copy()
        for _ in range(2):
            for q in basis:
                rest = rest - (rest @ q) * q
        size = float(np.linalg.norm(rest))
        if size > SURE:
            basis.append(rest / size)
            found.append(k)
        elif size > ZERO:
            raise Unsolved("equations are nearly dependent")
    return tuple(found)


def agrees(it: Part, pivots: tuple[int, ...], least: float = 0.0) -> bool:
    """Whether the equations that are no pivots follow from those that are, up to ``least`` scales if it is given."""
    others = [k for k in range(len(it.mu)) if k not in pivots]
    if not others:
        return True
    scales = it.scales
    unit, right = it.B / scales[:, None], (it.y - it.mu) / scales
    P = unit[list(pivots)]
    G = np.linalg.lstsq(P.T, unit[others].T, rcond=None)[0].T
    residual = float(np.max(np.abs(right[others] - G @ right[list(pivots)])))
    slack = rounding(it) * (1 + float(np.max(np.sum(np.abs(G), axis=1))))
    if least:
        return residual <= least
    if slack > LARGEST_ERROR:
        raise Unsolved("locations are too large for float64")
    if residual > DIFFERS + 8 * slack:
        return False
    if residual > min(AGREES, 8 * slack * (1 + len(it.draws))) + 8 * slack:
        raise Unsolved("equations nearly agree")
    return True


def likelihood(it: Part, pivots: tuple[int, ...]) -> Likelihood:
    """Log-density of the pivots and of the inequalities. The caller has asked whether the others agree."""
    if it.origins:
        return _with_origins(it, pivots)
    m, r = len(it.draws), len(pivots)
    scales = it.scales[list(pivots)]
    P = it.B[list(pivots)] / scales[:, None] if r else np.zeros((0, m))
    right = (it.y - it.mu)[list(pivots)] / scales if r else np.zeros(0)
    if not (np.all(np.isfinite(right)) and np.all(np.isfinite(it.c)) and np.all(np.isfinite(it.C))):
        raise Unsolved("a number is not finite")
    if m == 2 and r == 1 and not len(it.c) and UNIFORM in it.laws and any(law.discrete for law in it.laws):
        return _of_steps(it)
    if any(law.discrete for law in it.laws) and not (m == 1 and r <= 1):
        raise Unsolved("a sum of discrete noise has no closed form here")
    if it.together and m != r:
        raise Unsolved("dependent numbers are used apart")
    if r == 0 and m == 1:
        return between(it)
    order = log_odds(it)
    if order is not None:
        return Likelihood(order, 1e-13 * m)
    error = 1e-13 * (m + r) + 1e-14
    if r == m:
        z: Floats = np.asarray(np.linalg.solve(P, right) if r else np.zeros(0), dtype=float)
        return _determined(it, P, z, scales, error, pivots)
    if not len(it.c) and all(law is NORMAL for law in it.laws):
        gram = P @ P.T
        _, logdet = np.linalg.slogdet(gram)
        quadratic = float(right @ np.linalg.solve(gram, right))
        slope = rounding(it) * (1 + sqrt(quadratic)) * float(np.linalg.cond(P))
        value = -quadratic / 2 - logdet / 2 - r * log(2 * math.pi) / 2 - float(np.sum(np.log(scales)))
        return checked(value, error + slope + 1e-15 * quadratic, pivots)
    return integrated(it, P, right, scales, error, pivots)


def _determined(it: Part, P: Floats, z: Floats, scales: Floats, error: float, pivots: tuple[int, ...]) -> Likelihood:
    """All draws are determined by the equations."""
    value, slack = 0.0, rounding(it) * (float(np.linalg.cond(P)) if len(P) > 1 else 1.0)
    for law, columns in it.together:
        assert law.joint is not None
        value += law.joint(z[columns])
        error += slack * sum(law.loss(axis) for axis in np.eye(len(columns))) + 1e-15 * abs(value)
    for law, x in zip(it.laws, z, strict=True):
        if law.joint is not None:
            continue
        if law.discrete:
            whole = round(float(x))
            if abs(x - whole) > DIFFERS:
                return Likelihood(-math.inf, 0.0, pivots)
            if abs(x - whole) > AGREES + 8 * slack:
                raise Unsolved("a number is nearly whole")
            value += float(law.log_density(whole)) + log(abs(P[0, 0]) * scales[0])  # a mass, no density
            error += law.error if isinstance(law, RoundedLaw) else 0.0
            continue
        if min(abs(x - end) for end in law.support) < TIE + 8 * slack:
            raise Unsolved("a number lies at the end of what the noise can give")
        value += float(law.log_density(x))
        error += slack * (1 + abs(float(x))) + 1e-15 * abs(value) if isfinite(value) else 0.0
    if not hold(it.c, it.C, z, slack):
        return Likelihood(-math.inf, 0.0, pivots)
    logdet = float(np.linalg.slogdet(P)[1]) if len(P) else 0.0
    if isinf(value):
        return Likelihood(-math.inf, 0.0, pivots)
    return checked(value - logdet - float(np.sum(np.log(scales))), error, pivots)


def _of_steps(it: Part) -> Likelihood:
    """Log-density of the sum of a discrete draw and a uniform one: the masses of the steps that are there."""
    j = next(k for k, law in enumerate(it.laws) if law.discrete)
    step, width = float(it.B[0, j]), float(it.B[0, 1 - j])
    first, last = sorted(float((it.y[0] - it.mu[0] - w) / step) for w in (0.0, width))
    if min(abs(e - round(e)) for e in (first, last)) < TIE + 8 * rounding(it):
        raise Unsolved("a number lies at the end of what the noise can give")
    if last - first > MOST:
        raise Unsolved("a uniform draw covers too many steps")
    with np.errstate(all="ignore"):
        masses = it.laws[j].log_density(np.arange(math.ceil(first), math.floor(last) + 1.0))
    return Likelihood(float(np.logaddexp.reduce(masses)) - log(abs(width)), 1e-12, (0,))


def _of_cell(it: Part, pivots: tuple[int, ...]) -> Likelihood:
    """Log-probability of one rounded number, and of inequalities of it and of the number that was rounded."""
    computed = [k for k, law in enumerate(it.laws) if type(law) is RoundedLaw]
    if len(it.draws) != 2 or len(computed) != 1 or len(it.mu) != 1 or it.B[0, 1 - computed[0]] != 0:
        raise Unsolved("noise is used beside what it is rounded to")
    (j,) = computed
    law, root = it.laws[j], it.laws[1 - j]
    assert isinstance(law, RoundedLaw)
    number = (it.y[0] - it.mu[0]) / it.B[0, j]
    if abs(number - round(number)) > AGREES:
        raise Unsolved("a number is nearly whole")
    of_whole = it.C[:, j] != 0
    if np.any(of_whole & (it.C[:, 1 - j] != 0)):
        raise Unsolved("noise is used beside what it is rounded to")
    if not hold(it.c[of_whole], it.C[of_whole][:, [j]], np.array([float(round(number))]), 0.0):
        return Likelihood(-math.inf, 0.0, pivots)
    left = replace(it, draws=it.draws[[1 - j]], laws=[root], c=it.c[~of_whole], C=it.C[~of_whole][:, [1 - j]])
    low, high = interval(left)
    cell, inner = law.cell(round(number)), it.origins[j][0].inner
    if inner is not None:
        cell = tuple(sorted(inner.backward(end)[0] for end in cell))
    ends = max(low, cell[0]), min(high, cell[1])
    value = log_mass(root, *ends)
    error = 1e-12 + law.error
    if inner is not None and value > -math.inf:  # its cells become narrow in the units of the root
        error += 8 * max(math.ulp(e) for e in ends) * exp(float(np.max(root.log_density(np.array(ends)))) - value)
    return Likelihood(value, error, pivots)


def _with_origins(it: Part, pivots: tuple[int, ...]) -> Likelihood:
    """Return computed draws beside their roots: known if the equations determine the computed ones, so the roots."""
    if any(law.discrete for law in it.laws):
        return _of_cell(it, pivots)
    roots = sorted({root for _, root in it.origins.values()})
    if any(np.any(it.B[:, root] != 0) for root in roots) or len(set(it.origins)) != len(roots):
        raise Unsolved("noise is used beside a function of it")
    free = [k for k in range(len(it.draws)) if k not in roots]
    if len(free) != len(pivots):
        raise Unsolved("a function of noise is used beside a comparison of it")
    inner = Part(
        it.draws[free],
        [it.laws[k] for k in free],
        it.mu,
        it.B[:, free],
        it.y,
        np.zeros(0),
        np.zeros((0, len(free))),
        {},
    )
    found = likelihood(inner, pivots)
    P = inner.B[list(pivots)]
    z = np.zeros(len(it.draws))
    z[free] = np.linalg.solve(P, (it.y - it.mu)[list(pivots)])
    for column, (origin, root) in it.origins.items():
        (z[root],) = origin.backward(float(z[column]))
    if not np.all(np.isfinite(z)) or isinf(found.value):
        return Likelihood(-math.inf, 0.0, pivots)
    return found if hold(it.c, it.C, z, 1e-9) else Likelihood(-math.inf, 0.0, pivots)
