"""HP-C1.1: from a random start, the noisy power method comes within tangent ``epsilon`` of its target and stays there.

With probability at least ``1 - Q R^-m`` (HP-L2.5P) this holds after ``ceil(F / gamma)`` steps if all noise has norm at
most ``epsilon gap / 5`` and its part in the target at most ``gap / (5 R)``: a start of cosine ``1/R`` or more bears it.
The failure concerns the start alone, so an adversary who sees everything may choose the noise. Our constants: the
printed corollary names none and cites a lemma whose proof has a gap. `start_radius` and `iterations` compute the public
`sufficient_iterations`, `tolerances` the streaming sample sizes: they may only become more careful.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.fast.roots import bisect, bracket
from dpspectra.formulas.power_convergence import failure, iterations, start_radius, start_tangent, tolerances
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.power import many_steps, random_start
from dpspectra.oracle import power as exact
from dpspectra.oracle import roots
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 1000
"""Number of random starts drawn for a frequency."""
ACCURACY = 2.0**-50
"""Relative accuracy of a threshold that is searched for."""
DISCRETE = "equality only as the gap tends to 0: steps are discrete"


def _falls_short(t: float, ratio: float, whole: float, inside: float, steps: int, epsilon: float) -> bool:
    """Whether the worst case from ``t`` exceeds ``epsilon`` after ``steps``; without a decrease it never arrives."""
    for _ in range(steps):
        following = power.worst_tangents(t, ratio, whole, inside, 1)[1]
        if following <= epsilon:
            return False
        if following >= t:
            return True
        t = following
    return t > epsilon


def _exact_threshold(ratio: Any, whole: Any, inside: Any, steps: int, epsilon: Any) -> Any:
    """Largest first tangent that the worst noise leads to ``epsilon`` or less in ``steps``, one step back at a time.

    Every admissible ``(a, b)`` leads from ``t`` to ``s`` or less if ``r t + sqrt(1 + t^2) max(b + s a) <= s``, which a
    smaller ``t`` satisfies too.
    """
    low, high = inside / whole, mp.sqrt(1 - (inside / whole) ** 2) if inside < whole else mp.mpf(0)
    s, step = epsilon, mp.mpf(0)
    for _ in range(steps):
        worst = mp.sqrt(1 + s * s)
        if s > low * worst:  # the worst direction has too large a part in the target
            worst = high + s * low
        t, step = s + step, mp.inf
        for _ in range(mp.prec):  # Newton's method on a convex function
            if abs(step) <= mp.eps * t:
                break
            length = mp.sqrt(1 + t * t)
            step = (ratio * t + length * whole * worst - s) / (ratio + whole * worst * t / length)
            t -= step
        s, step = t, t - s
    return s


@statement
class Convergence:
    labels = ("HP-C1.1",)
    given = (
        r"R>1,\ \epsilon<\tfrac12,\ 5\|G_l\|\le\mathrm{gap}\,\epsilon,\ 5\|U^\top G_l\|\le\tfrac{\mathrm{gap}}R,\ "
        r"L=\big\lceil\tfrac1\gamma F(\sqrt{R^2-1})\big\rceil,\ t^*=\max\{t_0:t_L\le\epsilon\},\ m=p-k+1,\ R_*=R\ "
        r"(\sqrt{R^2-1}\text{ if }d=p+k)"
    )
    claim = {
        "starts that arrive": r"\sqrt{R^2-1}\le t^*",
        "failure from a random start": r"\Pr[\tan\theta_0>t^*]\le\min\{1,QR_*^{-m}\}",
        "radius of a failure": r"\min\{R'\ge1:\ Q(R'_*)^{-m}\le QR_*^{-m}\}=R\text{ if }0<QR_*^{-m}<1",
    }
    printed = (
        r"If $`5\lVert G_\ell\rVert\le\epsilon(\sigma_k-\sigma_{k+1})`$ and $`5\lVert U^\top "
        r"G_\ell\rVert\le(\sigma_k-\sigma_{k+1})\frac{\sqrt p-\sqrt{k-1}}{\tau\sqrt d}`$ for a fixed $`\tau`$ "
        r"and $`\epsilon<\frac12`$, then with all but $`\tau^{-\Omega(p+1-k)}+e^{-\Omega(d)}`$ probability "
        r"$`\lVert(I-X_LX_L^\top)U\rVert\le\epsilon`$ after "
        r"$`L=O\big(\frac{\sigma_k}{\sigma_k-\sigma_{k+1}}\log\frac{d\tau}\epsilon\big)`$ rounds."
    )
    where = {
        "m": "$`p-k+1`$, one more than the number of columns to spare",
        "t^*": r"largest tangent of a start from which the worst noise leads to $`\epsilon`$",
        "R'": "another number in place of $`R`$",
    }
    verdict = Verdict.PROOF_GAP
    uses = ("HP-T2.4", "HP-L2.5P")
    note = "power.md#convergence-from-a-random-start"
    unchecked = "starts of target ranks above 2."
    digits = 20
    examples = 9
    slack = {
        "failure from a random start": Slack(0.999857, DISCRETE),
        "starts that arrive": Slack(0.999604, DISCRETE),
    }

    def cases(self) -> Any:
        """Shape ``(d, k, p)``, ratio ``sigma_{k+1} / sigma_k``, accuracy, the parameter ``R`` of the noise, a seed."""
        return st.tuples(
            st.sampled_from(random_start.SHAPES),
            dyadics(0, 0.75, 3),
            dyadics(2.0**-4, 0.5, 6).filter(lambda e: e < 0.5),
            dyadics(1.25, 32, 2),
            seeds(),
        )

    def fast(self, shape: tuple[int, int, int], ratio: float, epsilon: float, radius: float, seed: int) -> Parts:
        """How often the worst noise keeps the tangent of a random start above ``epsilon``: beyond a threshold."""
        d, k, p = shape
        whole, inside = tolerances(radius, epsilon, 1 - ratio)
        steps = iterations(radius, epsilon, ratio)

        def arrives(t: float) -> bool:
            return not _falls_short(t, ratio, whole, inside, steps, epsilon)

        reached, _ = bisect(arrives, *bracket(arrives, epsilon), relative=ACCURACY)
        above = int(np.sum(random_start.tangents(shape, TRIALS, seed) > reached))
        risk = float(failure(radius, k, p, d))
        yield AtMost(start_tangent(radius), reached, part="starts that arrive")
        yield Frequency(above, TRIALS, risk, part="failure from a random start")
        if 0 < risk < 1:
            yield Equal(start_radius(risk, k, p, d), radius, part="radius of a failure")

    def oracle(self, shape: tuple[int, int, int], ratio: Real, epsilon: Real, radius: Real, _seed: int) -> Parts:
        """The exact probability of a start beyond the largest tangent from which ``epsilon`` is reached."""
        d, k, p = shape
        whole, inside = epsilon * (1 - ratio) / 5, (1 - ratio) / (5 * radius)
        tangent = mp.sqrt(radius**2 - 1)
        steps = many_steps.exact_iterations(tangent, epsilon, ratio)
        limit = random_start.tail_in_mpmath(tangent, k, p, d) if tangent > 0 else mp.mpf(1)
        reached = _exact_threshold(ratio, whole, inside, steps, epsilon)
        yield AtMost(tangent, reached, part="starts that arrive")
        yield AtMost(exact.start_tail(reached, k, p, d), limit, scale=1, part="failure from a random start")
        if not 0 < limit < 1:
            return

        def too_likely(t: Any) -> bool:
            return bool(random_start.tail_in_mpmath(t, k, p, d) > limit)

        _, far = roots.bisect(too_likely, *roots.bracket(too_likely))
        yield Equal(mp.sqrt(1 + far**2), radius, part="radius of a failure")

    def tight(self) -> list[Any]:
        """The law of the start is its bound, and with a small gap hardly another start arrives in time."""
        return [((3, 1, 1), 1 - 2.0**-10, 0.4375, 1.25, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Random signs are orthogonal to ``(e_1 - e_2) / sqrt 2`` with probability one half; ``R`` is 100."""
        limit = random_start.tail_in_mpmath(mp.sqrt(mp.mpf(100) ** 2 - 1), 1, 1, 4)
        return {"the start is uniform": AtMost(mp.mpf(1) / 2, limit, part="failure from a random start")}
