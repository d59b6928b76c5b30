"""After ``ceil(F(tan theta_0) / gamma)`` steps the tangent is at most ``epsilon`` and stays there.

``gamma = 1 - r``, ``r = sigma_{k+1} / sigma_k``. A worst step is at or below a step of length ``gamma`` of a flow that
does not depend on ``r``; ``F(t)`` is the time in which the flow goes from ``t`` to ``epsilon``, at most
``5 / (4 - epsilon^2) log(t / epsilon)``. As ``gamma`` tends to 0 fewer steps are not enough. No tangent exceeds the
larger of ``epsilon`` and the first one. The noise may depend on everything before it. The published rate is
``4 / gamma``, up to a constant.
"""

import math
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.fast import power
from dpspectra.formulas.power_flow import CONSTANT, flow_time, iterations, slow_start
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, st
from dpspectra.strategies.power import STEEP, NoisyStart, doubled, following, stable_starts

SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (4, 2, 3), (2, 2, 2), (1, 1, 1)]
"""Dimension ``d``, target rank ``k``, width ``p``."""
BLOCKS = 3
"""Number of noise blocks drawn; they are used in turn."""
AFTERWARDS = 2
"""Number of further steps examined after the accuracy must have been reached."""


def exact_flow_time(tangent: Any, epsilon: Any) -> Any:
    """`flow_time` in mpmath: an integral over ``log t``, with a search for the worst noise.

    Arguments that have more digits than the result are rounded first.
    """
    tangent, epsilon = +mp.mpf(tangent), +mp.mpf(epsilon)
    if tangent <= epsilon:
        return mp.mpf(0)
    cosine = 1 / mp.sqrt(1 + tangent**2)
    start = mp.acos(min(mp.mpf(1), cosine / epsilon))
    ends = [mp.log(epsilon), mp.log(tangent)]
    if epsilon > cosine:
        ends.append(mp.log(min(max(cosine / mp.sqrt(epsilon**2 - cosine**2), epsilon), tangent)))
    with working():
        first, share = arb(start), arb(epsilon) / CONSTANT

        def slowness(s: Any) -> Any:
            t = s.exp()

            def lost(phi: Any) -> Any:
                sine, cosine = phi.sin_cos()
                return sine + t * cosine

            return t / (t - (1 + t * t).sqrt() * share * oracle.largest(lost, first, arb.pi() / 2))

        return mp.mpf(integral(slowness, sorted(set(ends))))


def exact_iterations(tangent: Any, epsilon: Any, ratio: Any) -> int:
    """`iterations` in mpmath, with 20 digits: a search inside an integral, of which only a whole number is asked."""
    with mp.workdps(20):
        return int(mp.ceil(exact_flow_time(tangent, epsilon) / (1 - ratio)))


@statement
class ManySteps:
    labels = ("HP-T2.4",)
    given = (
        r"\epsilon<\tfrac12,\ 5\|G_l\|\le\mathrm{gap}\,\epsilon,\ 5\|U^\top G_l\|\le\mathrm{gap}\cos\theta_0,\ "
        r"t_0=\tan\theta_0,\ F(t_0)=\int_\epsilon^{t_0}\frac{dt}{t-M(t)}\ (0\text{ if }t_0\le\epsilon),\ "
        r"M(t)=\tfrac15\sqrt{1+t^2}\max_{0\le\alpha\le\min(\epsilon,\cos\theta_0)}"
        r"\big(\sqrt{\epsilon^2-\alpha^2}+\alpha t\big)"
    )
    claim = {
        "tangent under drawn noise": r"l\ge\big\lceil\tfrac1\gamma F(t_0)\big\rceil:\ \tan\theta_k(U,X_l)\le\epsilon",
        "tangent under worst noise": r"l\ge\big\lceil\tfrac1\gamma F(t_0)\big\rceil:\ t_l\le\epsilon",
        "time of the flow": r"F(t_0)\le\frac5{4-\epsilon^2}\log\frac{\max\{t_0,\epsilon\}}\epsilon",
    }
    printed = (
        r"If at every stage $`5\lVert G_\ell\rVert\le\epsilon(\sigma_k-\sigma_{k+1})`$ and $`5\lVert U^\top "
        r"G_\ell\rVert\le(\sigma_k-\sigma_{k+1})\cos\theta_k(U,X_0)`$ for a fixed $`\epsilon<\frac12`$, then "
        r"$`\tan\theta_k(U,X_L)\le\epsilon`$ for "
        r"$`L=O\big(\frac{\sigma_k}{\sigma_k-\sigma_{k+1}}\log\frac{\tan\theta_k(U,X_0)}\epsilon\big)`$."
    )
    where = {
        "t": "tangent of an angle",
        "M": "largest loss of one round at this tangent",
        r"\alpha": "length of the noise inside the range of $`U`$, in units of the gap",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-L2.3P", "HP-F1")
    note = "power.md#many-steps"
    digits = 20
    examples = 25

    def cases(self) -> Any:
        return st.tuples(
            stable_starts(BLOCKS, SHAPES, largest_ratio=0.75), dyadics(2.0**-4, 0.5, 6).filter(lambda e: e < 0.5)
        )

    def fast(self, start: Any, epsilon: float) -> Parts:
        """Largest later tangents under the drawn noise, and under the worst noise of every step; time of the flow."""
        frame, values, k, basis, blocks = start
        u, ratio = frame[:, :k], following(values, k)
        cosine, sine = power.angle(u, orthonormal(basis))
        if cosine < STEEP:
            return
        whole, inside = (1 - ratio) * epsilon / CONSTANT, (1 - ratio) * cosine / CONSTANT
        steps = iterations(sine / cosine, epsilon, ratio)
        noises = [power.shrunk(blocks[i % len(blocks)], u, whole, inside) for i in range(steps + AFTERWARDS)]
        a = (frame * values) @ frame.T
        later = [power.tangent(u, x) for x in power.iterates(a, basis, noises)[steps:]]
        worst = power.worst_tangents(sine / cosine, ratio, whole, inside, steps + AFTERWARDS)[steps:]
        tangent = max(sine / cosine, epsilon)
        yield AtMost(max(later), epsilon, scale=1, part="tangent under drawn noise")
        yield AtMost(max(worst), epsilon, scale=1, part="tangent under worst noise")
        limit = CONSTANT / (CONSTANT - 1 - epsilon**2) * math.log(tangent / epsilon)
        yield AtMost(flow_time(tangent, epsilon), limit, scale=1, part="time of the flow")

    def oracle(self, start: Any, epsilon: Real) -> Parts:
        frame, values, k, basis, blocks = start
        u, ratio = exact.exact(frame[:, :k]), oracle.ratio(values, k)
        cosine, sine = oracle.angle(u, exactly_orthonormal(exact.exact(basis)))
        if cosine < STEEP:
            return
        whole, inside = (1 - ratio) * epsilon / CONSTANT, (1 - ratio) * cosine / CONSTANT
        tangent = max(sine / cosine, epsilon)
        time = exact_flow_time(tangent, epsilon)
        steps = int(mp.ceil(time / (1 - ratio)))
        scaled = [oracle.shrunk(exact.exact(block), u, whole, inside) for block in blocks]
        noises = [scaled[i % len(blocks)] for i in range(steps + AFTERWARDS)]
        a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
        later = [oracle.tangent(u, x) for x in oracle.iterates(a, exact.exact(basis), noises)[steps:]]
        worst = oracle.worst_tangents(sine / cosine, ratio, whole, inside, steps + AFTERWARDS)[steps:]
        limit = CONSTANT / (CONSTANT - 1 - epsilon**2) * mp.log(tangent / epsilon)
        yield AtMost(max(later), epsilon, scale=1, part="tangent under drawn noise")
        yield AtMost(max(worst), epsilon, scale=1, part="tangent under worst noise")
        yield AtMost(time, limit, scale=1, part="time of the flow")

    def tight(self) -> list[Any]:
        """Worst noise in the plane with a tiny gap, also from the target accuracy; and a start far from the target."""
        epsilon, ratio = 0.5 - 2.0**-12, 1 - 2.0**-12
        tangent = slow_start(epsilon, 1 - ratio, 16)
        angle = math.atan((tangent + epsilon) / 2)
        noise = (1 - ratio) * epsilon / CONSTANT * np.array([[-math.sin(angle)], [math.cos(angle)]])
        starts = [
            (ratio, tangent, noise),
            (ratio, epsilon * (1 + 2.0**-20), noise),
            (1 - 2.0**-8, 5.0, np.zeros((2, 1))),
        ]
        small = [
            NoisyStart(np.eye(2), np.array([1.0, ratio]), 1, np.array([[1.0], [t]]), [noise])
            for ratio, t, noise in starts
        ]
        return [(start, epsilon) for start in [*small, doubled(small[0])]]

    def beyond(self) -> dict[str, AtMost]:
        """One worst step from ``epsilon = 1/2``, ``r = 9/10``, with ``C`` in place of 5, below ``1 + epsilon^2``."""
        epsilon, ratio, constant = mp.mpf(1) / 2, mp.mpf(9) / 10, mp.mpf(5) / 4 - mp.mpf(10) ** -6
        cosine = 1 / mp.sqrt(1 + epsilon**2)
        whole, inside = (1 - ratio) * epsilon / constant, (1 - ratio) * cosine / constant
        after = oracle.worst_step(cosine, epsilon * cosine, ratio, whole, inside)
        return {"noise of the stated size": AtMost(after, epsilon, part="tangent under worst noise")}
