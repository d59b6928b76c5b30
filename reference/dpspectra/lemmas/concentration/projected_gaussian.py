"""``L`` Gaussian matrices in ``k`` directions have norms of about ``sigma (sqrt k + sqrt p + sqrt(2 log(L / eta)))``.

If ``U`` has orthonormal columns that do not depend on ``G``, ``U' G`` is Gaussian, so each of the ``L`` norms is that
of a ``k`` by ``p`` matrix, for every ``d``. Two bounds on its tail are given, an incomplete gamma function, which is
the law itself for one row or one column, and a normal tail beyond ``sqrt k + sqrt p``. The published lemma (as we
read it) has the order ``sigma sqrt(p + log L)`` with high probability; that is right at a fixed probability, and not at
one that tends to 1 with ``d``, on which the law does not depend.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammaincc, gammaln, ndtr, ndtri

from dpspectra.fast import linalg as fast
from dpspectra.formulas.noise_norms import gaussian_matrix
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.oracle import top_eigenvalue
from dpspectra.oracle.quadrature import working
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import deltas, dyadics, epsilons, seeds, st, unitaries

TRIALS = 2000
"""Number of draws of ``L`` matrices for a frequency."""


def tail(s: Any, k: Any, p: Any) -> Any:
    """Bound, which may exceed 1, on the probability that a ``(k, p)`` standard normal matrix has a norm above ``s``."""
    shape = (k + p - 1) / 2
    factor = np.exp(gammaln(shape) - gammaln(k / 2) - gammaln(p / 2)) * np.sqrt(np.pi)
    return factor * gammaincc(shape, np.square(s) / 2)


def _incomplete(s: Any, k: int, p: int) -> Any:
    """Integral of the bound ``c x^((k + p - 3) / 2) exp(-x / 2)`` on the density of the squared norm."""
    with working():
        scale = arb.pi().sqrt() / ((arb(k) / 2).gamma() * (arb(p) / 2).gamma())
        return mp.mpf(scale * (arb(s) ** 2 / 2).gamma_upper(arb(k + p - 1) / 2))


def exact_radius(share: Any, k: int, p: int) -> Any:
    """Norm at which the smaller of the two bounds is ``share``; the first one decreases from at least 1."""
    high = mp.sqrt(k) + mp.sqrt(p)

    def below(s: Any) -> bool:
        return bool((s < high or _normal_tail(s - high) > share) and _incomplete(s, k, p) > share)

    return bisect(below, 0, 2 * high + mp.sqrt(-4 * mp.log(share)))[1]


def _normal_tail(x: Any) -> Any:
    """Probability that a standard normal variable exceeds ``x``."""
    with working():
        return mp.mpf((arb(x) / arb(2).sqrt()).erfc() / 2)


@statement
class ProjectedGaussian:
    labels = ("HP-LA.2",)
    given = (
        r"U^\top U=I_k,\ G_1,\dots,G_L\sim N(0,\sigma^2)^{d\times p},\ s=\sqrt k+\sqrt p+u,\quad "
        r"q(s)=\frac{\sqrt\pi\,\Gamma(\frac{k+p-1}2,\frac{s^2}2)}{\Gamma(\frac k2)\Gamma(\frac p2)},\quad "
        r"r=\min\{s:q(s)\le\tfrac\eta L\text{, or }u\ge0\text{ and }\Phi(-u)\le\tfrac\eta L\}"
    )
    claim = {
        "tail of the norm": r"\Pr\Big[\max_l\|U^\top G_l\|_2>\sigma r\Big]\le\eta",
        "gamma tail of the norm": r"u\ge0:\ \Pr\big[\|U^\top G_1\|_2>\sigma s\big]\le q(s)",
        "normal tail of the norm": r"u\ge0:\ \Pr\big[\|U^\top G_1\|_2>\sigma s\big]\le\Phi(-u)",
    }
    printed = (
        r"Not at hand; read as: $`\max_\ell\lVert U^\top G_\ell\rVert\le O\big(\sigma\sqrt{p+\log L}\big)`$ "
        r"with high probability, for $`G_\ell\sim N(0,\sigma^2)^{d\times p}`$."
    )
    where = {
        "N": "normal law with this mean and variance, for every entry",
        r"\sigma": "standard deviation of the noise",
        "s": "threshold in units of the standard deviation",
        "u": "threshold beyond the typical norm, in units of the standard deviation",
        r"\Gamma(\frac{k+p-1}2,\frac{s^2}2)": (r"\Gamma(a,x)", "incomplete Gamma function: the integral from $`x`$ on"),
        "I_k": "identity matrix of order $`k`$",
        "q(": ("q(s)", "bound on the tail of the norm of one matrix"),
        "r": "radius in units of the standard deviation",
    }
    verdict = Verdict.VERIFIED
    note = "concentration.md#projected-gaussian-noise"
    digits = 25
    examples = 25
    slack = {
        "normal tail of the norm": Slack(
            0.159126, "at u = 0 the probability tends to 0.17 for large k and p (Tracy-Widom), against 1/2"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int, int, float, float, int]:
        """Up to three directions, width and number of the matrices, their standard deviation, ``eta``, and a seed."""
        d = draw(st.integers(1, 5))
        u = draw(unitaries(d))[:, : draw(st.integers(1, min(d, 3)))]
        eta = draw(dyadics(2.0**-6, 1 - 2.0**-6) | deltas())
        return u, draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(epsilons()), eta, draw(seeds())

    def fast(self, u: Any, p: int, times: int, sigma: float, eta: float, seed: int) -> Parts:
        """How often the norms exceed the radius; and the two bounds, for one matrix, on the law of its norm."""
        d, k = u.shape
        noise = sigma * np.random.default_rng(seed).standard_normal((TRIALS, times, d, p))
        norms = fast.spectral_norm(u.T @ noise)
        above = int(np.sum(np.max(norms, axis=1) > sigma * gaussian_matrix(eta, k, p, times)))
        yield Frequency(above, TRIALS, eta, part="tail of the norm")
        excess = max(0.0, -float(ndtri(eta)))
        length = np.sqrt(k) + np.sqrt(p) + excess
        beyond = int(np.sum(norms[:, 0] > sigma * length))
        yield Frequency(beyond, TRIALS, float(tail(length, k, p)), part="gamma tail of the norm")
        yield Frequency(beyond, TRIALS, float(ndtr(-excess)), part="normal tail of the norm")

    def oracle(self, u: Any, p: int, times: int, _sigma: float, eta: Real, _seed: int) -> Parts:
        """The law of the largest singular value, for the power of it that the independent matrices have."""
        k, high = u.shape[1], mp.sqrt(u.shape[1]) + mp.sqrt(p)

        def law(s: Any) -> Any:
            return 1 - top_eigenvalue.wishart_cdf(s**2, max(k, p), min(k, p))

        yield AtMost(1 - (1 - law(exact_radius(eta / times, k, p))) ** times, eta, scale=1, part="tail of the norm")
        beyond = max(mp.mpf(0), -mp.sqrt(2) * mp.erfinv(2 * eta - 1))
        far = law(high + beyond)
        yield AtMost(far, _incomplete(high + beyond, k, p), scale=1, part="gamma tail of the norm")
        yield AtMost(far, _normal_tail(beyond), scale=1, part="normal tail of the norm")

    def tight(self) -> list[Any]:
        """One row or one column, where the incomplete gamma function is the law; a wide matrix; three of two rows."""
        cases = [(np.eye(3)[:, :k], p, 1, 1.0, 0.25, 0) for k, p in ((1, 3), (3, 1))]
        return [*cases, (np.eye(3), 4, 1, 1.0, 0.5, 0), (np.eye(3)[:, :2], 2, 3, 2.0, 0.25, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """``u = G / |G|`` in 100 dimensions, ``k = p = 1``: the norm is ``|G|``; the stated radius is the 1 % point."""
        limit = mp.sqrt(2) * mp.erfinv(mp.mpf(99) / 100)
        above = mp.gammainc(50, limit**2 / 2, regularized=True)
        return {"the directions do not depend on the noise": AtMost(above, mp.mpf(1) / 100, part="tail of the norm")}
