"""HP-C1.1: from a random start, the noisy power method comes within tangent ``epsilon`` of its target and stays there.

With probability at least ``1 - Q R^-m`` (HP-L2.5P) this holds after ``ceil(F / gamma)`` steps if all noise has norm at
most ``epsilon gap / 5`` and its part in the target at most ``gap / (5 R)``: a start of cosine ``1/R`` or more bears it.
The failure concerns the start alone, so an adversary who sees everything may choose the noise. Our constants: the
printed corollary names none and cites a lemma whose proof has a gap. `start_radius` and `iterations` compute the public
`sufficient_iterations`, `tolerances` the streaming sample sizes: they may only become more careful.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Slack, Statement, Verdict
from dpspectra.lemmas.power import many_steps, random_start

DISCRETE = "equality only as the gap tends to 0: steps are discrete"

# A case: shape ``(d, k, p)``, ratio ``sigma_{k+1} / sigma_k``, accuracy, the parameter ``R`` of the noise, a seed.
lemma = Statement(
    labels=("HP-C1.1",),
    claim=r"R>1,\ \epsilon<\tfrac12,\ 5\|G_l\|\le\epsilon(\sigma_k-\sigma_{k+1}),\ 5\|U^\top G_l\|\le\tfrac{\sigma_k-"
    r"\sigma_{k+1}}R:\quad\Pr\Big[\tan\theta_k(U,X_l)\le\epsilon\ \forall l\ge\Big\lceil\tfrac{F(\sqrt{R^2-1})}\gamma"
    r"\Big\rceil\Big]\ge1-QR_*^{-m},\ R_*=R\ (R_*=\sqrt{R^2-1}\text{ if }d=p+k);\quad R=\tfrac{\tau\sqrt d}"
    r"{\sqrt p-\sqrt{k-1}}:\ QR^{-m}\le(\sqrt e/\tau)^m,\ m=p-k+1",
    verdict=Verdict.PROOF_GAP,
    uses=("HP-T2.4", "HP-L2.5P"),
    note="power.md#convergence-from-a-random-start",
    digits=20,
    examples=9,
    slack={
        "failure from a random start": Slack(0.999857, DISCRETE),
        "starts that arrive": Slack(0.999604, DISCRETE),
    },
)


def start_tangent(radius: Any) -> Any:
    """Tangent ``sqrt(R^2 - 1)`` of the worst start that admits noise inside the target of ``gap / (5 R)``."""
    return np.sqrt((radius - 1) * (radius + 1))


def iterations(radius: float, epsilon: float, ratio: float) -> int:
    """Number of steps that suffice with probability at least 1 - `failure`; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    return many_steps.iterations(float(start_tangent(radius)), epsilon, ratio)


def failure(radius: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the start is too far from the target."""
    return random_start.tail(start_tangent(radius), k, p, d)


def start_radius(failure: float, k: int, p: int, d: int) -> float:
    """Smallest ``R >= 1`` that the inverse cosine of the start exceeds with probability at most ``failure``."""
    return float(np.hypot(1.0, random_start.largest_tangent(failure, k, p, d)))


def tolerances(radius: float, epsilon: float, gap: float) -> tuple[float, float]:
    """Largest admissible norms of the noise and of its part in the target."""
    return epsilon * gap / many_steps.CONSTANT, gap / (many_steps.CONSTANT * radius)
