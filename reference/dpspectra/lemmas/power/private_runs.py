"""Runs of the private power method on drawn noise, in both arithmetics, on which its utility theorems are checked.

Noise blocks are shrunk to the norms that hold with high probability, and the angle of the start fixes the smallest
``R`` for which the start is good. The standard deviation is chosen so that all hypotheses hold.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import betainc, gammainc

from dpspectra.fast import power
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.formulas import power_flow
from dpspectra.ledger import AtMost
from dpspectra.lemmas.power import many_steps
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, st
from dpspectra.strategies.power import STEEP, NoisyStart, doubled, following, stable_starts

ROUNDS = 40
"""Number of rounds of a run."""
SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (4, 1, 2), (4, 2, 3)]
"""Dimension ``d``, target rank ``k``, width ``p``."""
BLOCKS = 3
"""Number of noise blocks drawn: two are used in turn, the last one after the rounds."""
SHARE = 0.9375
"""Largest share of the admissible standard deviation that is used."""
TURNED = 0.625
"""Angle of a subspace to the first coordinate axis at which its largest entry changes as the subspace moves."""
NODES = 60
"""Nodes of the quadrature over one coordinate of a normal vector."""
Scale = Callable[[list[Any]], Any]
Radii = Callable[[int, int, int], tuple[Any, Any]]


def runs(shapes: Any = SHAPES) -> Any:
    """A start with noise blocks, and the fraction of the largest admissible standard deviation that is used."""
    return st.tuples(stable_starts(BLOCKS, shapes, largest_ratio=0.5), dyadics(0.125, SHARE, 4))


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run of `ROUNDS`."""

    matrix: Any
    values: Any
    k: int
    iterates: list[Any]
    target: Any
    ratio: Any
    """Modulus of eigenvalue ``k + 1`` over that of eigenvalue ``k``, which is 1."""
    gap: Any
    """Difference of these two moduli."""
    tangents: list[Any]
    """Tangent of the start and after each round."""
    sigma: Any
    """Standard deviation of the noise in units of its scale."""
    levels: list[Any]
    """Standard deviation of the noise of each round."""
    final: Any
    """Standard deviation of the noise for a product with the last iterate, which the run does not make."""
    whole: Any
    """Largest norm of a block of unit standard deviation."""
    last: Any
    """A further block of unit standard deviation."""


def fast_run(drawn: Any, radii: Radii, scale: Scale) -> Run | None:
    """Run in float64, the scale a function of the iterates so far; ``None`` for a start at right angles."""
    (frame, values, k, basis, blocks), share = drawn
    (d, p), u, ratio = basis.shape, frame[:, :k], following(values, k)
    iterates = [orthonormal(basis)]
    cosine = power.angle(u, iterates[0])[0]
    if cosine < STEEP:
        return None
    whole, inside = radii(d, k, p)
    sigma = share * (1 - ratio) / 5 * min(0.5 / whole, cosine / inside)
    a, units, levels = (frame * values) @ frame.T, [power.shrunk(block, u, whole, inside) for block in blocks], []
    for number in range(ROUNDS):
        levels.append(sigma * scale(iterates))
        iterates.append(orthonormal(a @ iterates[-1] + levels[-1] * units[number % (BLOCKS - 1)]))
    tangents = [power.tangent(u, x) for x in iterates]
    final = sigma * scale(iterates)
    return Run(a, values, k, iterates, u, ratio, 1 - ratio, tangents, sigma, levels, final, whole, units[-1])


def exact_run(drawn: Any, radii: Radii, scale: Scale) -> Run | None:
    """`fast_run` in mpmath, the standard deviations fixed round by round."""
    (frame, values, k, basis, blocks), share = drawn
    (d, p), u, ratio = basis.shape, exact.exact(frame[:, :k]), oracle.ratio(values, k)
    gap = oracle.modulus(values, k) - oracle.modulus(values, k + 1)
    iterates = [exactly_orthonormal(exact.exact(basis))]
    cosine = oracle.angle(u, iterates[0])[0]
    if cosine < STEEP:
        return None
    whole, inside = radii(d, k, p)
    sigma = share * min(gap / (10 * whole), gap * cosine / (5 * inside))
    a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
    units, levels = [oracle.shrunk(exact.exact(block), u, whole, inside) for block in blocks], []
    for number in range(ROUNDS):
        levels.append(sigma * scale(iterates))
        iterates.append(exactly_orthonormal(a * iterates[-1] + levels[-1] * units[number % (BLOCKS - 1)]))
    tangents, final = [oracle.tangent(u, x) for x in iterates], sigma * scale(iterates)
    return Run(a, values, k, iterates, u, ratio, gap, tangents, sigma, levels, final, whole, units[-1])


def converged(run: Run, noise: Any, steps: int, part: str) -> AtMost | tuple[()]:
    """Tangents after ``steps`` against the accuracy ``5 |noise| / gap``; nothing if the rounds are too few."""
    if steps > ROUNDS:
        return ()
    return AtMost(max(run.tangents[steps:]), 5 * noise / run.gap, scale=1, part=part)


def exactly_converged(run: Run, noise: Any, part: str) -> AtMost | tuple[()]:
    """`converged` in mpmath: the rounds whose number, times ``1 - ratio``, is at least the time of the flow."""
    accuracy = noise / (run.gap / 5)
    with mp.workdps(20):  # searches within an integral, of which only a whole number is asked
        time = many_steps.exact_flow_time(run.tangents[0], accuracy)
    late = [tangent for number, tangent in enumerate(run.tangents) if number * (1 - run.ratio) >= time]
    return AtMost(max(late), accuracy, scale=1, part=part) if late else ()


def stationary(noise: float, gap: float) -> float:
    """Tangent ``tan(arcsin(2 |noise| / gap) / 2)`` that worst noise keeps constant."""
    share = 2 * noise / gap
    return share / (1 + float(np.sqrt((1 - share) * (1 + share))))


def exact_stationary(noise: Any, gap: Any) -> Any:
    """`stationary` in mpmath, as half the angle."""
    return mp.tan(mp.asin(2 * noise / gap) / 2)


def kept(run: Run, fixed: Any, part: str) -> AtMost | tuple[()]:
    """Tangents after each round against the larger of the first and the stationary one, ``fixed``."""
    if run.tangents[0] * fixed > 1:
        return ()
    return AtMost(max(run.tangents[1:]), max(run.tangents[0], fixed), scale=1, part=part)


def exactly_kept(run: Run, noise: Any, part: str) -> AtMost | tuple[()]:
    """`kept` in mpmath, in angles: the stationary one and that of the start are together a right angle at most."""
    first, fixed = mp.atan(run.tangents[0]), mp.asin(2 * noise / run.gap) / 2
    if first > mp.pi / 2 - fixed:
        return ()
    return AtMost(max(run.tangents[1:]), mp.tan(max(first, fixed)), scale=1, part=part)


def steady(whole: float, share: float = 0.5, axis: float = 0.0, ratio: float = 0.5, scale: float = 1.0) -> Any:
    """A run in the plane whose noise, of norm ``whole`` in units of ``scale``, is the worst for a subspace it keeps.

    That subspace is at the angle ``axis`` to the first coordinate axis; the start is at ``share`` of its angle to the
    target. The last block has the direction of what ``A`` does to the complement of the subspace.
    """
    angle = np.arctan(stationary(0.1 * SHARE * scale, 1.0))
    return _plane(ratio, share * angle, angle, angle, whole, axis - angle)


def within(whole: float, axis: float) -> Any:
    """A run in the plane from a start just within the accuracy ``SHARE m / 2`` to a smaller tangent, ``SHARE m / 10``.

    There, at the angle ``axis`` to the first coordinate axis, the largest entry ``m`` is reached: it depends on noise.
    """
    accuracy = SHARE / 2 * np.cos(axis)
    last = np.arcsin(accuracy / 5)
    return _plane(0.5, np.arctan(accuracy * (1 - 2.0**-30)), 0.0, last, whole, axis - last)


def arriving(epsilon: float, steps: int, whole: float) -> Any:
    """A run in the plane whose tangent is ``epsilon`` after ``steps``; coordinate axes are midway and the gap small."""
    gap = 2.0**-14
    first = np.arctan(power_flow.slow_start(epsilon, gap, steps - 2.0**-7))
    last = np.arctan(epsilon)
    return _plane(1 - gap, first, (first + last) / 2, last, whole, -(first + last) / 2)


def worst_runs(whole: float, k: int = 1) -> list[Any]:
    """Noise that brings the tangent down to the accuracy in all rounds; and noise that brings it up and keeps it.

    The rank ``k`` is 1 or 2, and the dimension twice as large.
    """
    runs = [arriving(SHARE / 2, ROUNDS, whole), steady(whole)]
    return runs if k == 1 else [(doubled(run), share) for run, share in runs]


def _plane(ratio: float, first: float, middle: float, last: float, whole: float, turn: float) -> Any:
    """Start at the angle ``first``, noise that is worst at ``middle``, and a last block that is worst at ``last``."""
    frame = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    whole *= 1 - 2.0**-40  # the frame is orthonormal up to rounding only
    noise = whole * frame @ np.array([[-np.sin(middle)], [np.cos(middle)]])
    rest = np.array([[-np.sin(last)], [ratio * np.cos(last)]])
    after = whole * frame @ rest / np.linalg.norm(rest)
    start = frame @ np.array([[np.cos(first)], [np.sin(first)]])
    return NoisyStart(frame, np.array([1.0, ratio]), 1, start, [noise, noise, after]), SHARE


def chance_of_failure(tangent: float, limits: tuple[float, float], d: int) -> float:
    """Probability, for ``k = p = 1``, that a start is farther off than ``tangent`` or some block of noise too long."""
    near = 1 - betainc(0.5, (d - 1) / 2, 1 / (1 + tangent**2))
    whole, inside = limits
    nodes, weights = gauss_legendre(NODES)
    x = inside * (nodes + 1) / 2
    density = np.sqrt(2 / np.pi) * np.exp(-(x**2) / 2) * gammainc((d - 1) / 2, (whole**2 - x**2) / 2)
    return float(1 - near * np.sum(weights * density * inside / 2) ** ROUNDS)


def exact_chance_of_failure(tangent: Any, limits: tuple[Any, Any], d: int) -> Any:
    """`chance_of_failure` in balls, by angles and by integrals over a coordinate."""
    whole, inside = limits
    with working():
        near, all_lines = (integral(lambda x: x.sin() ** (d - 2), [0, a]) for a in (mp.atan(tangent), mp.pi / 2))
        shape, square, root = arb(d - 1) / 2, arb(whole) ** 2, (2 / arb.pi()).sqrt()

        def kept(x: Any) -> Any:
            return root * (-x * x / 2).exp() * ((square - x * x) / 2).gamma_lower(shape, regularized=1)

        share = integral(kept, [inside * part for part in (0, 0.5, 1)])
        return 1 - mp.mpf(near / all_lines * share**ROUNDS)
