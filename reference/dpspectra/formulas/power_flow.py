"""Rounds of the power method from a given start: the time of a flow under the worst noise."""

import math

from dpspectra.fast.roots import root

CONSTANT = 5
"""Divisor in the bounds on the noise: ``gap epsilon / 5``, and ``gap cos(theta_0) / 5`` inside the target."""


ACCURACY = 1e-13
"""Relative accuracy of an integral."""


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
