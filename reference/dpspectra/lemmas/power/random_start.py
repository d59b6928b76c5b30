"""Tail of the largest angle between a fixed ``k``-plane and a uniform ``p``-plane of ``R^d``: HP-L2.5 and HP-L2.5P.

``P(tan > R) <= Q (1 + R^2)^(-m/2)``, ``m = p - k + 1``, ``Q`` in `log_factor`; with ``R = tau sqrt d / (sqrt p -
sqrt(k-1))`` at most ``(K/tau)^m``, ``K(k, p) <= sqrt e``. Proof by the matrix beta law of the squared cosines and
Selberg's integral. The printed lemma has unnamed constants, and its proof a gap; its form is checked for ``tau >= e``.
`tail` and `largest_tangent` enter the public `sufficient_iterations`: replace them by other upper bounds only, and keep
``d = p + k`` (``R`` instead of ``sqrt(1 + R^2)``) and ``p = d`` as separate cases.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.formulas.random_start import log_factor, radius, tail
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import power as exact
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 4000
"""Number of random starts drawn for a frequency."""
SHAPES = [
    *((d, 1, p) for d, p in ((2, 1), (3, 1), (3, 2), (8, 1), (8, 3), (6, 6))),
    *((d, 2, p) for d, p in ((4, 2), (6, 2), (6, 3), (7, 4), (3, 2), (4, 3))),
]
"""Triples of dimension ``d``, target rank ``k`` and width ``p``."""
LARGE = 2.75
"""Smallest ``tau`` tried for the printed form: above ``e``, from where ``(sqrt e / tau)^m <= tau^(-m / 2)``."""


def tail_in_mpmath(tangent: Any, k: int, p: int, d: int) -> Any:
    """`tail` in mpmath: Selberg's integral in ``n - 1`` variables over that in ``n = min(k, d - p)`` variables."""
    if p == d:
        return mp.mpf(0)
    if d < p + k:  # the complements have the same angles
        k, p = d - p, d - k
    half, m = mp.mpf(1) / 2, p - k + 1
    b = half * (d - p - k + 1)

    def selberg(n: int, a: Any) -> Any:
        return mp.fprod(
            mp.gamma(a + half * j)
            * mp.gamma(b + half * j)
            * mp.gamma(1 + half * (j + 1))
            / (mp.gamma(a + b + half * (n + j - 1)) * mp.gamma(1 + half))
            for j in range(n)
        )

    density = k * selberg(k - 1, half * m + 1) / selberg(k, half * m)  # of the smallest, times x^(m / 2 - 1) at most
    square = mp.mpf(tangent) ** 2 + (0 if d == p + k else 1)
    return min(mp.mpf(1), density * 2 / m * square ** (-half * m))


def tangents(shape: tuple[int, int, int], trials: int, seed: int) -> Any:
    """``tan theta_k`` of the first ``k`` axes to spans of ``trials`` Gaussian matrices."""
    d, k, p = shape
    x = np.linalg.qr(np.random.default_rng(seed).standard_normal((trials, d, p)))[0]
    cosines = np.minimum(np.linalg.svd(x[:, :k], compute_uv=False)[:, -1], 1)
    return np.sqrt((1 - cosines) * (1 + cosines)) / cosines


@statement
class RandomStartExplicit:
    labels = ("HP-L2.5P",)
    given = (
        r"R>0,\ m=p-k+1,\ "
        r"Q=\frac{2^m\,\Gamma(\frac{p+1}2)\Gamma(\frac{d-k+1}2)}{m!\,\Gamma(\frac k2)\Gamma(\frac{d-p}2)},\ "
        r"R_*=\sqrt{1+R^2}\ (R\text{ if }d=p+k),\ "
        r"K=(\sqrt p-\sqrt{k-1})\Big(\frac{2^{m/2}\,\Gamma(\frac{p+1}2)}{m!\,\Gamma(\frac k2)}\Big)^{1/m}"
    )
    claim = {
        "tail of the tangent": r"\Pr[\tan\theta_k(U,X)>R]\le\min\{1,QR_*^{-m}\}",
        "closed form of the tail": r"R=\tfrac{\tau\sqrt d}{\sqrt p-\sqrt{k-1}}:\ \tfrac1RQ^{1/m}\le\tfrac1\tau K",
        "constant of the tail": r"K\le\sqrt e",
    }
    where = {
        "m": "$`p-k+1`$, one more than the number of columns to spare",
        "Q": "explicit factor of the probability",
        "R": "bound on the tangent of the angle",
        "R_*": "the number that stands for $`R`$ in the probability",
        "K": "factor that turns $`Q`$ into a power",
    }
    verdict = Verdict.NEW
    uses = ("HP-K2.2",)
    note = "power.md#angle-of-a-random-start-with-constants"
    digits = 20
    examples = 40
    slack = {"constant of the tail": Slack(0.999937, "K(k, p) < sqrt e: equality only as p grows, k = 1")}

    def cases(self) -> Any:
        return st.tuples(
            st.sampled_from(SHAPES),
            dyadics(2.0**-4, 12, 4),
            st.tuples(st.integers(1, 400), st.integers(0, 2000), st.integers(1, 4000)),
            dyadics(1, 64, 2),
            seeds(),
        )

    def fast(
        self, shape: tuple[int, int, int], tangent: float, larger: tuple[int, int, int], tau: float, seed: int
    ) -> Parts:
        d, k, p = shape
        above = int(np.sum(tangents(shape, TRIALS, seed) > tangent))
        rank, wider, rest = larger
        width, dimension = rank + wider, rank + wider + rest
        m, constant = wider + 1, power.start_constant(rank, width)
        level = log_factor(rank, width, dimension) / m - np.log(radius(tau, rank, width, dimension))
        yield Frequency(above, TRIALS, float(tail(tangent, k, p, d)), part="tail of the tangent")
        yield AtMost(np.exp(level), constant / tau, part="closed form of the tail")
        yield AtMost(constant, float(np.exp(0.5)), part="constant of the tail")

    def oracle(
        self, shape: tuple[int, int, int], tangent: float, larger: tuple[int, int, int], tau: float, _seed: int
    ) -> Parts:
        """Compute the law of the angle by quadrature, and compare the ``m``-th roots of the closed forms."""
        d, k, p = shape
        rank, wider, rest = larger
        width, dimension, m, half = rank + wider, rank + wider + rest, wider + 1, mp.mpf(1) / 2
        rising = mp.rf(half * rank, half * m) * mp.rf(half * rest, half * m) * 2**m / mp.factorial(m)
        constant = exact.start_constant(rank, width)
        law, limit = exact.start_tail(tangent, k, p, d), tail_in_mpmath(tangent, k, p, d)
        yield AtMost(law, limit, scale=1, part="tail of the tangent")
        root = mp.root(rising, m) * (mp.sqrt(width) - mp.sqrt(rank - 1)) / (tau * mp.sqrt(dimension))
        yield AtMost(root, constant / tau, part="closed form of the tail")
        yield AtMost(constant, mp.exp(half), part="constant of the tail")

    def tight(self) -> list[Any]:
        """Target rank 1 and a start of codimension 2, or the complements of such planes: the bound is the exact law.

        Target rank 1 in high dimension attains the closed form in the limit; with a large width ``K(1, p)`` tends to
        ``sqrt e``.
        """
        exact_shapes = [(3, 1, 1), (8, 1, 6), (4, 2, 3)]
        wide = [(shape, 1.5, (1, 99_999, 1), 4.0, 0) for shape in exact_shapes]
        return [*wide, ((3, 1, 1), 4.0, (1, 0, 2**30), 4.0, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """A column of random signs is orthogonal to ``e_1 - e_2`` with probability one half, in every dimension."""
        limit = tail_in_mpmath(mp.mpf(100), 1, 1, 4)
        return {"the plane is uniform": AtMost(mp.mpf(1) / 2, limit, part="tail of the tangent")}


@statement
class RandomStartPrinted:
    labels = ("HP-L2.5",)
    given = r"\tau\ge e"
    claim = {
        "tail of the tangent": (
            r"\Pr\big[\tan\theta_k(U,X)>\tfrac{\tau\sqrt d}{\sqrt p-\sqrt{k-1}}\big]\le\tau^{-(p-k+1)/2}"
        ),
    }
    printed = (
        r"For a random $`p`$-dimensional $`X`$: $`\tan\theta_k(U,X)\le\tau\frac{\sqrt d}{\sqrt "
        r"p-\sqrt{k-1}}`$ with all but $`\tau^{-\Omega(p+1-k)}+e^{-\Omega(d)}`$ probability."
    )
    verdict = Verdict.PROOF_GAP
    uses = ("HP-L2.5P",)
    note = "power.md#angle-of-a-random-start"
    without_beyond = (
        "Its hypothesis is tau of at least e. At most 1 it bounds a probability by 1 or more, and "
        "between 1 and e no failure is known."
    )
    digits = 20
    examples = 40
    slack = {
        "tail of the tangent": Slack(
            0.467209, "the factor is at most (K / sqrt e)^m, 0.484 for m = 1, tau = e, large d"
        )
    }

    def cases(self) -> Any:
        return st.tuples(st.sampled_from(SHAPES), dyadics(LARGE, 64, 2), seeds())

    def fast(self, shape: tuple[int, int, int], tau: float, seed: int) -> Frequency:
        d, k, p = shape
        above = int(np.sum(tangents(shape, TRIALS, seed) > radius(tau, k, p, d)))
        return Frequency(above, TRIALS, float(tau ** (-(p - k + 1) / 2)), part="tail of the tangent")

    def oracle(self, shape: tuple[int, int, int], tau: Real, _seed: int) -> AtMost:
        d, k, p = shape
        tangent = tau * mp.sqrt(d) / (mp.sqrt(p) - mp.sqrt(k - 1))
        limit = tau ** (-mp.mpf(p - k + 1) / 2)
        return AtMost(exact.start_tail(tangent, k, p, d), limit, scale=1, part="tail of the tangent")

    def tight(self) -> list[Any]:
        """A line in many dimensions."""
        return [((100, 1, 1), LARGE, 0)]
