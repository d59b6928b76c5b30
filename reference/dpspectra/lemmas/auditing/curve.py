"""A claim that implies a curve of ``(epsilon, delta)`` claims is tested by betting on points of the curve.

Each bet on an implied point is an e-value (mean at most 1 under the claim), and so is the average of the bets: no
correction for their number. ``mu``-GDP implies the Gaussian profile; a Renyi divergence of order ``alpha`` at most
``r`` in one order implies ``delta(e) = exp((alpha-1)(r-e)) (1-1/alpha)^(alpha-1) / alpha``. This is the ground for
`GDP`, `Renyi` (which claims both orders, and takes its smaller curve from DPS-RENYICURVE) and `Profile` in
`dpspectra.audit.claims`, whose curves must come from the kernels tested here, with points chosen before the draws on
which they are tested. What violates the claim but not its curve goes unnoticed.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import betting, gaussian_profile, renyi
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import betting as exact_betting
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import gaussian_profile as exact_gaussian
from dpspectra.oracle import renyi as exact_renyi
from dpspectra.strategies import distributions, dyadics, epsilons, st
from dpspectra.strategies.betting import fractions

PAIRS = 2
"""Number of pairs of draws after which mean wealth is computed."""


def _mean(rates: Any, points: Any, fraction: float) -> float:
    """Mean wealth after `PAIRS` independent pairs, divided equally among bets, each with its own event and point."""
    (p, q), (e, delta) = np.array(rates).T, np.array(points).T
    factors = np.exp(betting.log_wealth(np.eye(4), e[:, None], delta[:, None], [fraction]))[:, :, 0]
    return float(np.mean(np.sum(betting.expected(p, q) * factors, axis=1) ** PAIRS))


def _points(curve: Any, claimed: Any, part: str) -> list[AtMost]:
    """A curve against the claimed one, level by level."""
    return [AtMost(float(x), float(y), scale=1, part=part) for x, y in zip(curve, claimed, strict=True)]


def _favoured(p: list[Any], q: list[Any], epsilon: Any) -> tuple[Any, Any]:
    """Both probabilities of the event ``S``, any of all, at which ``P(S) - e^epsilon Q(S)`` is largest."""
    factor = mp.exp(epsilon)
    return max(exact_divergence.events(p, q), key=lambda rates: rates[0] - factor * rates[1])


@statement
class Curve:
    labels = ("DPS-CURVE",)
    given = (
        r"P(E_j)\le e^{e_j}Q(E_j)+\delta_j,\ w_j=\tfrac13,\ r=D_\alpha(P\|Q),\ \alpha>1,\ "
        r"\delta_\alpha(e)=\min\big\{1,\tfrac1\alpha\big(1-\tfrac1\alpha\big)^{\alpha-1}e^{(\alpha-1)(r-e)}\big\}"
    )
    claim = {
        "wealth on Gaussian curve": (
            r"P=\mathcal N(\mu',1),\ Q=\mathcal N(0,1),\ \mu'\le\mu,\ \delta_j=\delta_G(e_j,\mu):\ "
            r"\mathbb E\sum_jw_jK^{(j)}_n\le1"
        ),
        "profile of the truth": r"\mu'\le\mu:\ \delta_G(e_j,\mu')\le\delta_G(e_j,\mu)",
        "wealth on Renyi curve": r"\delta_j=\delta_\alpha(e_j):\ \mathbb E\sum_jw_jK^{(j)}_n\le1",
        "profile by Renyi divergence": r"\max_E\big(P(E)-e^{e_j}Q(E)\big)\le\delta_\alpha(e_j)",
    }
    where = {
        "E_i": "the events, one for each point",
        "e_i": "epsilons of the points of the implied curve, in nats",
        r"\delta_i": "deltas of the points of the implied curve",
        r"\delta_\alpha": "curve that the divergence implies",
        "w_i": "the shares of the wealth, one for each point",
        "K^{(j)}_n": "wealth from bets at point $`j`$ after $`n`$ pairs",
        r"D_\alpha": r"Renyi divergence of order $`\alpha`$",
        r"\alpha": "order of the divergence",
        "r": "divergence",
        "e": "as a base Euler's number; else the epsilon of the curve, in nats",
        r"\mathcal N": "normal law of this mean and variance",
        r"\mu": "parameter of Gaussian privacy that is claimed",
        r"\mu'": "the true one",
    }
    verdict = Verdict.NEW
    uses = ("DPS-EPROCESS", "DPS-LOWER", "HR-T2.6R", "DPS-PREDICT")
    note = "auditing.md#a-curve-of-claims"
    examples = 50

    def cases(self) -> Any:
        """Claimed ``mu``, ratio of the true one to it, epsilons, share staked, Renyi order, laws on three outcomes."""
        return st.tuples(
            epsilons(2.0**-4, 4.0),
            st.sampled_from([1.0, 0.5]),
            st.lists(dyadics(0, 4), min_size=3, max_size=3).map(sorted).map(tuple),
            fractions(),
            st.sampled_from([1.5, 2.0, 1.0625, 4.0, 32.0]),
            st.tuples(distributions(3), distributions(3)),
        )

    def fast(
        self, mu: float, true_share: float, levels: tuple[float, ...], fraction: float, alpha: float, laws: Any
    ) -> Parts:
        """Wealth on the Gaussian curve, for normal laws with ``true_share`` times ``mu``; and on the Renyi curve."""
        e, true = np.array(levels), true_share * mu
        curve = gaussian_profile.profile(e, mu)
        thresholds = e / true + true / 2
        normal = np.stack([ndtr(true - thresholds), ndtr(-thresholds)], axis=1)
        p, q = laws
        implied = renyi.profile(e, alpha, renyi.divergence(p, q, alpha))
        favoured = p > np.exp(e)[:, None] * q
        rates = np.stack([favoured @ p, favoured @ q], axis=1)
        yield AtMost(_mean(normal, np.stack([e, curve], axis=1), fraction), 1.0, part="wealth on Gaussian curve")
        yield from _points(gaussian_profile.profile(e, true), curve, "profile of the truth")
        yield AtMost(_mean(rates, np.stack([e, implied], axis=1), fraction), 1.0, part="wealth on Renyi curve")
        yield from _points([hockey_stick(p, q, level) for level in levels], implied, "profile by Renyi divergence")

    def oracle(
        self, mu: Real, true_share: float, levels: tuple[float, ...], fraction: float, alpha: Real, laws: Any
    ) -> Parts:
        """Sums over bets and sequences of pairs; the best event and the divergence are sought among all events."""
        true, levels = true_share * mu, tuple(mp.mpf(e) for e in levels)
        p, q = ([mp.mpf(x) for x in law] for law in laws)
        curve = [exact_gaussian.profile(e, mu) for e in levels]
        radius = exact_renyi.divergence(p, q, alpha)
        normal, finite = [], []
        for e, delta in zip(levels, curve, strict=True):
            threshold = e / true + true / 2
            normal.append((exact_gaussian.cdf(true - threshold), exact_gaussian.cdf(-threshold), e, delta))
            finite.append((*_favoured(p, q, e), e, exact_renyi.profile(e, alpha, radius)))

        def mean(bets: Any) -> Any:
            total = mp.mpf(0)
            for hit, other, e, delta in bets:
                chances = [(hit if a else 1 - hit) * (other if b else 1 - other) for a, b in exact_betting.KINDS]
                factors = exact_betting.factors(e, delta, fraction).values()
                terms = [c * factor for c, factor in zip(chances, factors, strict=True)]
                total += mp.fsum(mp.fprod(sequence) for sequence in itertools.product(terms, repeat=PAIRS))
            return total / len(levels)

        true_curve = [exact_gaussian.profile(e, true) for e in levels]
        best = [exact_divergence.hockey_stick(p, q, e) for e in levels]
        yield AtMost(mean(normal), mp.mpf(1), part="wealth on Gaussian curve")
        for x, y in zip(true_curve, curve, strict=True):
            yield AtMost(x, y, scale=1, part="profile of the truth")
        yield AtMost(mean(finite), mp.mpf(1), part="wealth on Renyi curve")
        for x, (*_, y) in zip(best, finite, strict=True):
            yield AtMost(x, y, scale=1, part="profile by Renyi divergence")

    def tight(self) -> list[Any]:
        """Normal laws with the claimed ``mu``; a point mass against a law that has its outcome with probability 1/4.

        The Renyi curve of order 2 touches the profile of these two at ``log 2`` only.
        """
        laws, touching = (np.array([1.0, 0.0, 0.0]), np.array([0.25, 0.75, 0.0])), float(np.log(2.0))
        return [
            (2.0, 1.0, (0.0, touching, 3.0), 0.5, 2.0, laws),
            (2.0, 1.0, (touching, touching, touching), 0.5, 2.0, laws),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Normal laws 1 per cent further apart than claimed; a divergence 1 per cent above the one of the curve."""
        closer = mp.mpf(99) / 100 * mp.log(4)
        return {
            "GDP": AtMost(exact_gaussian.profile(mp.mpf(1), mp.mpf(101) / 100), exact_gaussian.profile(mp.mpf(1), 1)),
            "Renyi divergence": AtMost(
                exact_divergence.hockey_stick([1, 0], [mp.mpf(1) / 4, mp.mpf(3) / 4], mp.log(2)),
                exact_renyi.profile(mp.log(2), 2, closer),
            ),
        }
