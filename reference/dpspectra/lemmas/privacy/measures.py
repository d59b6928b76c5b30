"""What a privacy loss in one measure implies in others: pure, Gaussian, Renyi divergences, epsilon with a delta.

A pure loss is Gaussian privacy with the same total variation: the trade-off curve of mirrored coins has one corner, and
a convex curve below it at the corner is below it everywhere. Renyi divergences of one order add up over outputs, also
if each is chosen by earlier ones, as long as their sum is not; each implies an epsilon for a delta. A bound on the loss
in one order only gives no Gaussian privacy, and sums of what was used are no limit.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import log_expit, logsumexp, ndtri_exp

from dpspectra.fast import divergence as fast_divergence
from dpspectra.fast import gaussian_profile as fast_gaussian
from dpspectra.fast import renyi
from dpspectra.ledger import AtMost, Equal, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.privacy.composition import LAWS
from dpspectra.oracle import divergence as oracle_divergence
from dpspectra.oracle import gaussian_profile as oracle_gaussian
from dpspectra.oracle import renyi as exact_renyi
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import deltas, dyadics, st

PURE, NORMAL = "pure loss by normal noise", "normal noise by order"
CHOSEN, EPSILON = "divergences of outputs", "epsilon by order"
FAR = 20.0
"""Standard deviations beyond which an integral of normal densities has less than 1e-80 of its mass."""


def _mixed(law: Any) -> Any:
    """A quarter of each of two outcomes, and half of a law."""
    return [x / 2 + 0.25 for x in law]


def _joint(laws: Any) -> tuple[Any, Any]:
    """Laws on both data sets of a first answer and of a second one, whose law depends on the first."""
    first, second = laws[:2], (laws[2:4], laws[4:])
    p, q = ([first[side][y] * mass for y, pair in enumerate(second) for mass in pair[side]] for side in (0, 1))
    return p, q


@statement
class MeasuresOfPrivacyLoss:
    labels = ("DPS-MEASURES",)
    given = (
        r"\epsilon=\max_i|\log\tfrac{p_i}{q_i}|,\ \mu_\epsilon=-2\Phi^{-1}\big(\tfrac1{1+e^\epsilon}\big),\ \alpha>1"
    )
    claim = {
        PURE: r"H_e(P\|Q)\le\delta_G(e,\mu_\epsilon)",
        NORMAL: r"D_\alpha(N(\mu,1)\|N(0,1))=\tfrac12\alpha\mu^2",
        CHOSEN: r"D_\alpha(Y,Z)\le D_\alpha(Y)+\max_yD_\alpha(Z\mid y)",
        EPSILON: (
            r"e=D_\alpha(P\|Q)+\log\tfrac{\alpha-1}\alpha-\tfrac{\log(\alpha\delta)}{\alpha-1}\ge0:\ H_e(P\|Q)\le\delta"
        ),
    }
    where = {
        "H_e": "smallest delta of two laws at a privacy parameter",
        "e": "privacy parameter, in nats",
        r"\epsilon": "largest privacy loss in both orders, in nats",
        "p_i": r"probabilities of the law $`P`$",
        "q_i": r"probabilities of the law $`Q`$",
        r"\mu_\epsilon": "Gaussian privacy that follows from the loss",
        "D_i": r"Renyi divergence of order $`\alpha`$ of outputs on two neighbouring data sets",
        r"\alpha": "order of the divergence",
        r"\delta": "probability that approximate privacy allows",
        "N": "normal law, by its mean and its variance",
        "Y": "first output",
        "Z": "second output, whose law depends on the first",
        "y": "value of the first output",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE, Relation.ROW)
    uses = ("DPS-CURVE", "DPS-PURERENYI", "DPS-COMPOSE", "HR-T2.6R")
    note = "privacy.md#measures-of-privacy-loss"

    def cases(self) -> Any:
        orders = st.sampled_from([2.0, 1.5, 1.0625, 4.0, 8.0])
        return st.tuples(orders, LAWS, dyadics(0, 2), dyadics(2.0**-6, 3), deltas(1e-9, 0.5))

    def fast(self, alpha: float, laws: Any, e: float, mu: float, delta: float) -> Parts:
        mixed = np.asarray(laws) / 2 + 0.25
        p, q = mixed[:2]
        loss = np.max(np.abs(np.log(p) - np.log(q)))
        limit = fast_gaussian.profile(e, -2 * ndtri_exp(log_expit(-loss)))
        yield AtMost(fast_divergence.hockey_stick(p, q, e), limit, scale=1, part=PURE)
        z, step = np.linspace(alpha * mu - FAR, alpha * mu + FAR, 641, retstep=True)
        logs = -alpha * (z - mu) ** 2 / 2 - (1 - alpha) * z**2 / 2 + np.log(step / np.sqrt(2 * np.pi))
        yield Equal(logsumexp(logs) / (alpha - 1), alpha * mu**2 / 2, scale=1 + mu**2, part=NORMAL)
        size = 1 / (alpha - 1)
        p, q = (np.ravel(mixed[side][:, None] * mixed[2 + side :: 2]) for side in (0, 1))
        both = renyi.divergence(p, q, alpha)
        each = renyi.divergence(mixed[::2], mixed[1::2], alpha)
        yield AtMost(both, each[0] + max(each[1:]), scale=size, part=CHOSEN)
        known = renyi.divergence(laws[0], laws[1], alpha) + np.log1p(-1 / alpha) - np.log(alpha * delta) * size
        if 0 <= known < np.inf:
            yield AtMost(fast_divergence.hockey_stick(laws[0], laws[1], known), delta, scale=1, part=EPSILON)

    def oracle(self, alpha: Real, laws: list[Reals], e: Real, mu: Real, delta: Real) -> Parts:
        """The normal quantile by bisection of the profile at 0; the integral in balls."""
        p, q = _mixed(laws[0]), _mixed(laws[1])
        loss = max(abs(mp.log(a / b)) for a, b in zip(p, q, strict=True))
        quantile = mp.sqrt(2) * mp.erfinv(mp.tanh(loss / 2))
        limit = oracle_gaussian.profile(e, 2 * quantile)
        yield AtMost(oracle_divergence.hockey_stick(p, q, e), limit, scale=1, part=PURE)
        with working():
            order, mean = arb(alpha), arb(mu)

            def part(z: Any) -> Any:
                return (-order * (z - mean) ** 2 / 2 - (1 - order) * z * z / 2).exp()

            ends = mp.linspace(alpha * mu - FAR, alpha * mu + FAR, 21)
            whole = mp.mpf((integral(part, ends) / (2 * arb.pi()).sqrt()).log())
        yield Equal(whole / (alpha - 1), alpha * mu**2 / 2, scale=1 + mu**2, part=NORMAL)
        size = 1 / (alpha - 1)
        mixed = [_mixed(law) for law in laws]
        p, q = _joint(mixed)
        both = exact_renyi.divergence(p, q, alpha)
        each = [exact_renyi.divergence(mixed[i], mixed[i + 1], alpha) for i in (0, 2, 4)]
        yield AtMost(both, each[0] + max(each[1:]), scale=size, part=CHOSEN)
        known = exact_renyi.divergence(laws[0], laws[1], alpha)
        known += mp.log(1 - 1 / alpha) - mp.log(alpha * delta) * size
        if 0 <= known < mp.inf:
            yield AtMost(oracle_divergence.hockey_stick(laws[0], laws[1], known), delta, scale=1, part=EPSILON)

    def tight(self) -> list[Any]:
        """Mirrored coins at 0, a second output that does not depend on the first; certainty against one in four."""
        sure, coin, quarter = np.array([1.0, 0.0]), np.array([0.75, 0.25]), np.array([0.25, 0.75])
        half = np.array([0.5, 0.5])
        return [
            (2.0, np.array([sure, sure[::-1], coin, quarter, coin, quarter]), 0.0, 1.0, 0.5),
            (2.0, np.array([sure, quarter, half, half, half, half]), 0.0, 2.0, 0.5),
            (2.0, np.array([sure, sure[::-1], coin, quarter, coin, quarter]), 0.5, 1.0, 0.5),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A certain outcome against a fair coin: the loss is ``log 2`` in one order only; and two outputs, one paid."""
        quantile = mp.sqrt(2) * mp.erfinv(mp.tanh(mp.log(2) / 2))
        sure, half = [mp.mpf(1), mp.mpf(0)], [mp.mpf(1) / 2] * 2
        excess = oracle_divergence.hockey_stick(sure, half, mp.mpf(0))
        two, once = exact_renyi.divergence([mp.mpf(1)], [mp.mpf(1) / 4], 2), mp.log(2)
        return {
            "both orders": AtMost(excess, oracle_gaussian.profile(mp.mpf(0), 2 * quantile), scale=1, part=PURE),
            "sums count all outputs": AtMost(two, once, scale=1, part=CHOSEN),
        }
