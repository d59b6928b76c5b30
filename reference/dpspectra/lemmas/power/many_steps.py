"""After ``ceil((2 / gamma) log(tan theta_0 / epsilon))`` steps the tangent is at most ``epsilon`` and stays there.

``gamma = 1 - r``, ``r = sigma_{k+1} / sigma_k``. No tangent exceeds the larger of ``epsilon`` and the first one, so the
noise inside the target stays small against every later cosine. Until the tangent is at most ``epsilon``, each step
multiplies it by at most ``max(epsilon, sqrt r)``. The noise may depend on everything before it. The published rate is
``4 / gamma``, up to a constant.
"""

from __future__ import annotations

import math
from typing import Any

from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import power as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import dyadics
from dpspectra.strategies.lazy import st
from dpspectra.strategies.power import STEEP, following, noisy_starts

CONSTANT = 5
"""Divisor in the bounds on the noise: ``gap epsilon / 5``, and ``gap cos(theta_0) / 5`` inside the target."""

SHAPES = [(2, 1, 1), (3, 1, 2), (4, 2, 2), (4, 2, 3), (2, 2, 2), (1, 1, 1)]
BLOCKS = 3
"""Number of noise blocks drawn; they are used in turn."""
AFTERWARDS = 2
"""Number of further steps examined after the accuracy must have been reached."""

lemma = Statement(
    labels=("HP-T2.4",),
    claim=r"\epsilon<\tfrac12,\ 5\|G_l\|\le\epsilon(\sigma_k-\sigma_{k+1}),\ 5\|U^\top G_l\|\le(\sigma_k-\sigma_{k+1})"
    r"\cos\theta_k(U,X_0)\ \Rightarrow\ \tan\theta_k(U,X_l)\le\epsilon\ \text{ for all }"
    r"l\ge\Big\lceil\tfrac2\gamma\ln\tfrac{\tan\theta_k(U,X_0)}\epsilon\Big\rceil",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(
        noisy_starts(BLOCKS, SHAPES, largest_ratio=0.75, least=0.25), dyadics(2.0**-4, 0.5, 6).filter(lambda e: e < 0.5)
    ),
    uses=("HP-L2.3P", "HP-F1"),
    note="power.md#many-steps",
    digits=30,
    examples=40,
)


def iterations(tangent: float, epsilon: float, ratio: float) -> int:
    """Number of steps after which every tangent is at most ``epsilon < 1/2``; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    if tangent <= epsilon:
        return 0
    return math.ceil(2 / (1 - ratio) * math.log(tangent / epsilon))


@lemma.fast
def reached(start: Any, epsilon: float) -> tuple[AtMost, ...]:
    """Largest later tangents under the drawn noise and under the worst noise of every step."""
    frame, values, k, basis, blocks = start
    u, ratio = frame[:, :k], following(values, k)
    cosine, sine = power.angle(u, orthonormal(basis))
    if cosine < STEEP:
        return ()
    whole, inside = (1 - ratio) * epsilon / CONSTANT, (1 - ratio) * cosine / CONSTANT
    steps = iterations(sine / cosine, epsilon, ratio)
    noises = [power.shrunk(blocks[i % BLOCKS], u, whole, inside) for i in range(steps + AFTERWARDS)]
    a = (frame * values) @ frame.T
    later = [power.tangent(u, x) for x in power.iterates(a, basis, noises)[steps:]]
    worst = power.worst_tangents(sine / cosine, ratio, whole, inside, steps + AFTERWARDS)[steps:]
    return (
        AtMost(max(later), epsilon, scale=1, part="tangent under drawn noise"),
        AtMost(max(worst), epsilon, scale=1, part="tangent under worst noise"),
    )


@lemma.oracle
def exactly_reached(start: Any, epsilon: float) -> tuple[AtMost, ...]:
    frame, values, k, basis, blocks = start
    u, ratio = exact.exact(frame[:, :k]), mp.mpf(following(values, k))
    cosine, sine = oracle.angle(u, exactly_orthonormal(exact.exact(basis)))
    if cosine < STEEP:
        return ()
    whole, inside = (1 - ratio) * epsilon / CONSTANT, (1 - ratio) * cosine / CONSTANT
    steps = max(0, int(mp.ceil(2 / (1 - ratio) * mp.log(sine / cosine / epsilon)))) if sine else 0
    scaled = [oracle.shrunk(exact.exact(block), u, whole, inside) for block in blocks]
    noises = [scaled[i % BLOCKS] for i in range(steps + AFTERWARDS)]
    a = exact.exact(frame) * mp.diag(values.tolist()) * exact.exact(frame).T
    later = [oracle.tangent(u, x) for x in oracle.iterates(a, exact.exact(basis), noises)[steps:]]
    worst = oracle.worst_tangents(sine / cosine, ratio, whole, inside, steps + AFTERWARDS)[steps:]
    return (
        AtMost(max(later), mp.mpf(epsilon), scale=1, part="tangent under drawn noise"),
        AtMost(max(worst), mp.mpf(epsilon), scale=1, part="tangent under worst noise"),
    )
