"""After ``ceil(F(tan theta_0) / gamma)`` steps the tangent is at most ``epsilon`` and stays there.

``gamma = 1 - r``, ``r = sigma_{k+1} / sigma_k``. A worst step is at or below a step of length ``gamma`` of a flow that
does not depend on ``r``; ``F(t)`` is the time in which the flow goes from ``t`` to ``epsilon``, at most
``5 / (4 - epsilon^2) log(t / epsilon)``. As ``gamma`` tends to 0 fewer steps are not enough. No tangent exceeds the
larger of ``epsilon`` and the first one. The noise may depend on everything before it. The published rate is
``4 / gamma``, up to a constant.
"""

import math

from dpspectra.fast.roots import root
from dpspectra.ledger import Statement, Verdict

CONSTANT = 5
"""Divisor in the bounds on the noise: ``gap epsilon / 5``, and ``gap cos(theta_0) / 5`` inside the target."""

ACCURACY = 1e-13
"""Relative accuracy of an integral."""

lemma = Statement(
    labels=("HP-T2.4",),
    claim=r"\epsilon<\tfrac12,\ 5\|G_l\|\le\epsilon(\sigma_k-\sigma_{k+1}),\ 5\|U^\top G_l\|\le(\sigma_k-\sigma_{k+1})"
    r"\cos\theta_0\ \Rightarrow\ \tan\theta_k(U,X_l)\le\epsilon\ \text{ for all }l\ge\Big\lceil\tfrac{F(\tan\theta_0)}"
    r"\gamma\Big\rceil,\quad F(t_0)=\int_\epsilon^{t_0}\frac{dt}{t-M(t)}\le\frac5{4-\epsilon^2}\ln\frac{t_0}\epsilon,"
    r"\ M=\tfrac{\sqrt{1+t^2}}5\max_{0\le\alpha\le\min(\epsilon,\cos\theta_0)}\big(\sqrt{\epsilon^2-\alpha^2}+\alpha "
    r"t\big)",
    verdict=Verdict.VERIFIED,
    uses=("HP-L2.3P", "HP-F1"),
    note="power.md#many-steps",
    digits=20,  # searches within integrals
    examples=25,
)


def flow_time(tangent: float, epsilon: float) -> float:
    """``F``: time in which the flow of the worst noise goes from ``tangent`` to ``epsilon < 1/2``."""
    if tangent <= epsilon:
        return 0.0
    cosine = 1 / math.hypot(1.0, tangent)
    end = tangent
    if epsilon > cosine:  # beyond, the largest admissible noise inside the target is the worst
        end = min(max(cosine / math.sqrt((epsilon - cosine) * (epsilon + cosine)), epsilon), tangent)
    e = epsilon / CONSTANT
    root = math.sqrt((1 - 2 * e) * (1 + 2 * e))
    low, high = 2 * e / (1 + root), (1 + root) / (2 * e)  # zeros of t - e (1 + t^2)
    near = math.log1p((end - epsilon) * (high - low) / ((epsilon - low) * (high - end))) / root
    if end == tangent:
        return near
    outside = math.sqrt((epsilon - cosine) * (epsilon + cosine))

    from scipy.integrate import quad  # a mechanism that needs no number of rounds does not load it

    def slowness(s: float) -> float:
        t = math.exp(s)
        return t / (t - math.hypot(1.0, t) / CONSTANT * (outside + cosine * t))

    return near + float(quad(slowness, math.log(end), math.log(tangent), epsabs=0, epsrel=ACCURACY)[0])


def iterations(tangent: float, epsilon: float, ratio: float) -> int:
    """Number of steps after which every tangent is at most ``epsilon < 1/2``; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    return math.ceil(flow_time(tangent, epsilon) / (1 - ratio))


def slow_start(epsilon: float, gap: float, steps: float) -> float:
    """Tangent from which the flow takes just under ``steps`` steps: the root of ``F = steps gap (1 - 2^-30)``."""
    time = steps * gap * (1 - 2.0**-30)
    return root(lambda t: flow_time(t, epsilon) - time, epsilon, 2 * epsilon)
