"""From a random start the tangent to the target is at most ``epsilon`` after ``ceil((2/gamma) log(...))`` steps.

A good start has ``tan theta_0 <= tau' sqrt d / (sqrt p - sqrt(k - 1))``, ``tau' = tau / sqrt 2``. Its cosine is then
large enough for the admitted noise inside the target, and the lemma on many steps applies. An adversary who sees
everything may choose the noise, because the failure event depends on the start alone. The published corollary has
unnamed constants, and its proof takes the angle of the start from a lemma whose proof has a gap.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict
from dpspectra.lemmas.power import many_steps, random_start
from dpspectra.oracle import power as exact
from dpspectra.strategies import dyadics, seeds
from dpspectra.strategies.lazy import st

TRIALS = 1000
"""Number of random starts drawn for a frequency."""
BISECTIONS = 60
"""Number of halvings in the search for the largest first tangent that reaches the target."""


class Case(NamedTuple):
    """Shape ``(d, k, p)``, ratio ``sigma_{k+1} / sigma_k``, accuracy, the parameter ``tau`` of the start, a seed."""

    shape: tuple[int, int, int]
    ratio: float
    epsilon: float
    tau: float
    seed: int


lemma = Statement(
    labels=("HP-C1.1",),
    claim=r"5\|G_l\|\le\epsilon(\sigma_k-\sigma_{k+1}),\ 5\|U^\top G_l\|\le(\sigma_k-\sigma_{k+1})"
    r"\tfrac{\sqrt p-\sqrt{k-1}}{\tau\sqrt d},\ \epsilon<\tfrac12,\ \tau\ge\sqrt2:\ \Pr\Big[\tan\theta_k(U,X_l)\le"
    r"\epsilon\ \ \forall l\ge\Big\lceil\tfrac2\gamma\ln\tfrac{\tau\sqrt d}{\sqrt2\,\epsilon(\sqrt p-\sqrt{k-1})}"
    r"\Big\rceil\Big]\ge1-\Big(\tfrac{4\sqrt2}\tau\Big)^{p-k+1}-e^{-d/2}",
    verdict=Verdict.PROOF_GAP,
    cases=lambda: st.builds(
        Case,
        st.sampled_from(random_start.SHAPES),
        dyadics(0, 0.75, 3),
        dyadics(2.0**-4, 0.5, 6).filter(lambda e: e < 0.5),
        dyadics(2, 16, 1),
        seeds(),
    ),
    uses=("HP-T2.4", "HP-L2.5P"),
    note="power.md#convergence-from-a-random-start",
    digits=20,
    examples=30,
)


def iterations(tau: float, epsilon: float, ratio: float, k: int, p: int, d: int) -> int:
    """Number of steps that suffice with probability at least 1 - `failure`; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    return many_steps.iterations(float(random_start.radius(tau / math.sqrt(2), k, p, d)), epsilon, ratio)


def failure(tau: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the start is too far from the target."""
    return random_start.bound(tau / np.sqrt(2), k, p, d)


def tolerances(tau: float, epsilon: float, gap: float, k: int, p: int, d: int) -> tuple[float, float]:
    """Largest admissible norms of the noise and of its part in the target."""
    return epsilon * gap / many_steps.CONSTANT, gap / (many_steps.CONSTANT * float(random_start.radius(tau, k, p, d)))


@lemma.fast
def missed(shape: tuple[int, int, int], ratio: float, epsilon: float, tau: float, seed: int) -> Frequency:
    """How often the worst noise keeps the tangent of a random start above ``epsilon``."""
    d, k, p = shape
    whole, inside = tolerances(tau, epsilon, 1 - ratio, k, p, d)
    steps = iterations(tau, epsilon, ratio, k, p, d)
    missed = 0
    for t in random_start.tangents(shape, TRIALS, seed):
        if inside * np.hypot(1, t) >= 1:  # the noise can destroy the part in the target
            missed += 1
        elif t > epsilon:
            missed += _falls_short(power.worst_tangents, float(t), ratio, whole, inside, steps, epsilon)
    return Frequency(missed, TRIALS, float(failure(tau, k, p, d)), part="failure from a random start")


def _falls_short(run: Any, t: Any, ratio: Any, whole: Any, inside: Any, steps: int, epsilon: Any) -> bool:
    """Whether the worst-case recursion from ``t`` exceeds ``epsilon`` after ``steps``; one that rises has failed."""
    for _ in range(steps):
        following = run(t, ratio, whole, inside, 1)[1]
        if following <= epsilon:
            return False
        if following >= t:
            return True
        t = following
    return True


@lemma.oracle
def exactly_missed(shape: tuple[int, int, int], ratio: float, epsilon: float, tau: float, _seed: int) -> AtMost:
    """The recursion is monotone in the first tangent: the exact probability to exceed the largest one that arrives."""
    d, k, p = shape
    ratio, epsilon, five = mp.mpf(ratio), mp.mpf(epsilon), many_steps.CONSTANT
    radius = random_start.exact_radius(tau, k, p, d)
    whole, inside = epsilon * (1 - ratio) / five, (1 - ratio) / (five * radius)
    steps = max(0, int(mp.ceil(2 / (1 - ratio) * mp.log(radius / mp.sqrt(2) / epsilon))))
    low, high = epsilon, mp.sqrt(max(1 / inside**2 - 1, epsilon**2))
    for _ in range(BISECTIONS if high > low else 0):
        middle = mp.sqrt(low * high)
        short = _falls_short(exact.worst_tangents, middle, ratio, whole, inside, steps, epsilon)
        low, high = (low, middle) if short else (middle, high)
    limit = (4 * mp.sqrt(2) / mp.mpf(tau)) ** (p - k + 1) + mp.exp(-mp.mpf(d) / 2)
    return AtMost(exact.start_tail(low, k, p, d), limit, scale=1, part="failure from a random start")
