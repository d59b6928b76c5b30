"""Symmetric Laplace noise has spectral norm about ``b sqrt d``, with an exponential tail of rate ``1 / b``.

The noise is the sum of ``L_ij H_ij`` over ``i <= j``, where the matrices ``H_ij`` have eigenvalues 0 and ±1 and their
squares sum to ``d I``. So ``E exp(t L H) = (1 - t^2 b^2)^(-H^2)`` exactly, and the matrix Chernoff bound needs no
further estimate. The mirrored entry must be the same draw; ``d^2`` independent draws have another sum.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.laplace_norm import radius
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import symmetric_noise
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import deltas, dyadics, epsilons, seeds, st

TRIALS = 10_000
"""Number of noise matrices drawn for a frequency."""


def chernoff(s: Any, weight: Any) -> Any:
    """Infimum over ``0 < t < 1`` of ``exp(-t s) (1 - t^2)^-w``, ``w`` the weight; attained at ``s t^2 + 2 w t = s``."""
    t = s / (weight + np.sqrt(weight**2 + s**2))
    return np.exp(-t * s - weight * np.log1p(-(t**2)))


def exact_chernoff(s: Any, weight: int) -> Any:
    """`chernoff` in mpmath: the exponent is convex in ``t``, and bisection finds the zero of its derivative."""
    if s == 0:
        return mp.mpf(1)
    t = bisect(lambda t: 2 * weight * t < s * (1 - t * t), 0, 1)[0]
    return mp.exp(-t * s - weight * mp.log1p(-t * t))


def exact_sub_gamma(level: Any, weight: int) -> Any:
    """`sub_gamma` in mpmath."""
    return 2 * mp.sqrt(weight * level) + level


def tail(s: Any, d: Any) -> Any:
    """Bound on the probability that the norm is ``b s`` or more."""
    return 2 * d * chernoff(s, d)


@statement
class LaplaceMatrix:
    labels = ("JXZ-A1-U",)
    given = r"Z_{ij}=Z_{ji}\sim\mathrm{Lap}(b)"
    claim = {
        "tail of the norm": r"\Pr\big[\|Z\|_2>bs\big]\le2d\inf_{0<t<1}\frac{e^{-ts}}{(1-t^2)^d}",
        "tail at the radius": (
            r"s=2\sqrt{d\log\tfrac{2d}\eta}+\log\tfrac{2d}\eta:\ 2d\inf_{0<t<1}\frac{e^{-ts}}{(1-t^2)^d}\le\eta"
        ),
    }
    where = {
        "Z": r"symmetric $`d\times d`$ matrix of Laplace noise",
        "Z_i": "the entries of the noise, independent on and above the diagonal",
        "s": "threshold in units of the scale",
        "t": "variable of the infimum",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-D1",)
    note = "concentration.md#norm-of-symmetric-laplace-noise"
    digits = 30
    examples = 45
    slack = {
        "tail of the norm": Slack(0.230579, "the matrix Chernoff bound is strict, already for one Laplace variable")
    }

    def cases(self) -> Any:
        """Dimension, norm and scale for draws; a larger dimension and the probability ``eta``; a seed."""
        return st.tuples(st.integers(1, 2), dyadics(0, 12), epsilons(), st.integers(1, 400), deltas(), seeds())

    def fast(self, d: int, s: float, b: float, many: int, eta: float, seed: int) -> Parts:
        """Norms in one or two dimensions; the explicit radius in ``many`` dimensions."""
        noise = np.random.default_rng(seed).laplace(scale=b, size=(TRIALS, d * (d + 1) // 2))
        large = fast.spectral_norm(fast.mirror(noise, d)) > b * s
        yield Frequency(int(np.sum(large)), TRIALS, float(tail(s, d)), part="tail of the norm")
        yield AtMost(tail(radius(eta, many), many), eta, part="tail at the radius")

    def oracle(self, d: int, s: Real, _b: float, many: int, eta: Real, _seed: int) -> Parts:
        wide, limit = exact_sub_gamma(mp.log(2 * many / eta), many), 2 * d * exact_chernoff(s, d)
        yield AtMost(symmetric_noise.laplace_norm_tail(s, d), limit, part="tail of the norm")
        yield AtMost(2 * many * exact_chernoff(wide, many), eta, part="tail at the radius")

    def tight(self) -> list[Any]:
        """One variable at its scale; the radius in a very large dimension (a limit)."""
        return [(1, 1.0, 1.0, 2**60, 0.5, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """One draw in all entries of a matrix of 100 rows, whose norm is 100 times that draw; ``s = 100``."""
        return {"the entries are independent": AtMost(mp.exp(-1), 200 * exact_chernoff(mp.mpf(100), 100))}
