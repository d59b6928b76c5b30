"""The private power method: its printed noise is private up to a largest ``epsilon``, exact noise for every one.

Round ``l`` releases ``A X + G`` with ``X`` computed from earlier releases, so neighbours that differ by ``E`` shift it
by ``E X``: at most ``sqrt(p) |X|_max`` for an entry, ``sqrt(2)`` times that for a symmetric pair. The rounds compose to
one Gaussian mechanism with ``mu^2`` the sum of the squared ratios of shift to noise. With the printed noise ``mu`` is
``epsilon`` over ``sqrt(4 log(1/delta))`` or ``sqrt(2 log(1/delta))``, and the rounds are private exactly up to the
``epsilon`` at which such a Gaussian has the given ``delta``. The printed claim has no such limit; the last iterate
alone refutes it: it shows one round, of ``1 / sqrt(L)`` times this ``mu`` in high dimension (HP-K4.2X). A change of one
entry is a change of a pair if ``A`` stays symmetric; the paper does not say which is meant.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian_profile as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.privacy.gaussian_mechanism import gaussian_delta
from dpspectra.lemmas.privacy.last_iterate import printed_delta, printed_hypotheses, shift
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.oracle import linalg
from dpspectra.oracle.gaussian_profile import mu_for
from dpspectra.strategies import deltas, epsilons, neighbours, st, unitaries


@st.composite
def _transcripts(draw: st.DrawFn) -> tuple[list[Any], Any, Any, float, float]:
    """Orthonormal ``(d, p)`` iterates of up to three rounds, an entry and a pair change, ``epsilon`` and ``delta``."""
    d = draw(st.integers(1, 4))
    p, rounds = draw(st.integers(1, d)), draw(st.integers(1, 3))
    iterates = [draw(unitaries(d))[:, :p] for _ in range(rounds)]
    (a, b), (c, e) = draw(neighbours("entry", d, d)), draw(neighbours("pair", d, d))
    return iterates, b - a, e - c, draw(epsilons()), draw(deltas(2.0**-30, 1 - 2.0**-10))


KINDS = "an entry", "a pair"
"""Changes of ``A``, in the order of both faces."""


def noise_scale(sensitivity: Any, rounds: int, epsilon: float, delta: float) -> Any:
    """Standard deviation for one of ``rounds`` releases of the given (adaptive) Frobenius ``sensitivity``."""
    return sensitivity * np.sqrt(rounds) / fast.mu_for(epsilon, delta)


def profile_at_most(epsilon: float, mu: Any, delta: float, part: str) -> AtMost:
    """State that the exact profile, whose two terms cancel, is at most ``delta``."""
    first = ndtr(mu / 2 - epsilon / mu) if mu > 0 else 0.0
    return AtMost(fast.profile(epsilon, mu), delta, scale=first, part=part)


def hadamard(p: int) -> Any:
    """First columns of the symmetric orthogonal matrix of order 4 with entries of size 1/2."""
    return np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])[:, :p] / 2


def _unit_changes(d: int) -> list[tuple[Any, Any]]:
    """Every entry change and pair change of size 1, up to sign, in the order of the upper triangle."""
    changes = []
    for i in range(d):
        for j in range(i, d):
            entry = np.outer(np.eye(d)[i], np.eye(d)[j])
            changes.append((entry, entry if i == j else entry + entry.T))
    return changes


def _ratio(x: Any, change: Any, scale: Any) -> Any:
    """Shift of a release over the standard deviation of its noise."""
    return linalg.frobenius_norm(change * x) / scale


def _printed_scale(x: Any, rounds: int, epsilon: Any, log: Any) -> Any:
    """Printed standard deviation for a product with ``x``."""
    return max(abs(entry) for entry in x) * mp.sqrt(4 * x.cols * rounds * log) / epsilon


@statement
class PowerMethodPrintedNoise:
    labels = ("HP-K4.2",)
    given = (
        r"\sigma=\tfrac1\varepsilon\sqrt{4pL\log\tfrac1\delta},\ G_l\sim N(0,\|X_{l-1}\|_{\max}^2\sigma^2),\ "
        r"\mu_i^2=\sum_l\tfrac{\|E_iX_{l-1}\|_F^2}{\|X_{l-1}\|_{\max}^2\sigma^2},\quad "
        r"u_1^2=4\log\tfrac1\delta,\ u_2^2=2\log\tfrac1\delta,\ \delta_G(\varepsilon_i^*,\varepsilon_i^*/u_i)=\delta,\ "
        r"0<\delta<1"
    )
    claim = {
        "shift by an entry": r"\varepsilon\le\varepsilon_1^*:\ \mu_1\le\varepsilon/u_1",
        "delta for an entry": r"\varepsilon\le\varepsilon_1^*:\ \delta_G(\varepsilon,\mu_1)\le\delta",
        "shift by a pair": r"\varepsilon\le\varepsilon_2^*:\ \mu_2\le\varepsilon/u_2",
        "delta for a pair": r"\varepsilon\le\varepsilon_2^*:\ \delta_G(\varepsilon,\mu_2)\le\delta",
    }
    printed = r"PPM is $`(\varepsilon,\delta)`$-DP."
    where = {
        "p": "number of columns of an iterate",
        "L": "number of rounds",
        "G_i": "the noise of the rounds",
        "N": "normal law with this mean and variance, for every entry",
        "X_i": "the iterates, with orthonormal columns",
        "u_i": "number of standard deviations by which the privacy parameter is divided",
        r"\mu_i": "Gaussian privacy of all rounds, for a change of an entry and of a pair",
        "E_i": "change of one entry by at most 1, and of a symmetric pair or a diagonal entry",
        r"\varepsilon_i": (
            r"$`\varepsilon_i^*`$ is the largest privacy parameter for which the noise is enough, for an entry and for "
            "a pair"
        ),
        r"\sigma": "standard deviation of the noise on an iterate with entries of at most 1",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HR-T2.6R", "HP-SENS", "HP-D4.1", "HP-K4.2X")
    note = "privacy_spectral.md#the-power-method-with-the-printed-noise"
    examples = 70
    cases = staticmethod(_transcripts)

    def fast(self, iterates: list[Any], entry: Any, pair: Any, epsilon: float, delta: float) -> Parts:
        (p,), log = {x.shape[1] for x in iterates}, np.log(1 / delta)
        for kind, change, factor in zip(KINDS, (entry, pair), (4, 2), strict=True):
            capped = min(epsilon, fast.largest_epsilon(delta, np.sqrt(factor * log)))
            sigma = np.sqrt(4 * p * len(iterates) * log) / capped
            mu = np.sqrt(sum(np.sum((change @ x) ** 2) / np.max(np.abs(x)) ** 2 for x in iterates)) / sigma
            yield AtMost(mu, capped / np.sqrt(factor * log), part=f"shift by {kind}")
            yield profile_at_most(capped, mu, delta, f"delta for {kind}")

    def oracle(self, iterates: list[Matrix], entry: Matrix, pair: Matrix, epsilon: Real, delta: Real) -> Parts:
        log = -mp.log(delta)
        for kind, change, factor in zip(KINDS, (entry, pair), (4, 2), strict=True):
            capped = min(epsilon, oracle.largest_epsilon(delta, mp.sqrt(factor * log)))
            mu = mp.norm([_ratio(x, change, _printed_scale(x, len(iterates), capped, log)) for x in iterates])
            yield AtMost(mu, capped / mp.sqrt(factor * log), part=f"shift by {kind}")
            yield AtMost(oracle.profile(capped, mu), delta, part=f"delta for {kind}")

    def tight(self) -> list[Any]:
        return [
            ([hadamard(3), hadamard(3)], *_unit_changes(4)[1], epsilon, delta)
            for epsilon, delta in ((64.0, 2.0**-20), (64.0, 0.97), (1.0, 2.0**-20))
        ]

    def beyond(self) -> dict[str, AtMost]:
        """One flat round at, or just above, the largest ``epsilon`` for 1/2; and at ``2 log(2 / delta)`` for 0.99."""

        def outcome(stretch: Any, epsilon: Any, delta: Any) -> AtMost:
            mu = stretch * epsilon / mp.sqrt(4 * mp.log(1 / delta))
            return AtMost(oracle.profile(epsilon, mu), delta, part="delta for an entry")

        half, large = mp.mpf(1) / 2, mp.mpf("0.99")
        limit = oracle.largest_epsilon(half, mp.sqrt(4 * mp.log(2)))
        return {
            "epsilon is at most the largest one": outcome(1, mp.mpf("1.001") * limit, half),
            "an entry changes by at most 1": outcome(mp.mpf("1.01"), limit, half),
            "delta is at most 1/2 in the range 2 log(2 / delta)": outcome(1, 2 * mp.log(2 / large), large),
        }

    def as_printed(self, d: int, rounds: int, epsilon: Any, delta: Any) -> AtMost:
        """Compare with ``delta`` what the last iterate shows of a diagonal entry as the matrix grows, for ``p = 1``."""
        return printed_delta(shift("an entry", d), rounds, mp.mpf(epsilon), mp.mpf(delta))

    def hypotheses(self, d: int, rounds: int, epsilon: Any, delta: Any) -> dict[str, AtMost]:
        return printed_hypotheses(rounds, mp.mpf(epsilon), mp.mpf(delta))

    def counterexample(self) -> Any:
        return (4, 2, 40.0, 2.0**-3)

    certificate = (
        "two rounds in four dimensions, delta = 1/8: as t grows, the last iterate for t times ones shows a change of "
        "the first entry by 1 as one Gaussian of mu = 40 / sqrt(32 log 2), whose exact delta at epsilon = 40 is above "
        "1/8",
        gaussian_delta("40", ["sqrt", ["mul", "32", ["log", "2"]]]),
        "1/8",
    )


@statement
class PowerMethodExactNoise:
    labels = ("HP-K4.2P",)
    given = (
        r"G_l\sim N\big(0,L\,\Delta_i(X_{l-1})^2/(\mu^*)^2\big),\ \delta_G(\varepsilon,\mu^*)=\delta,\quad "
        r"\Delta_1(X)^2=x_{(1)},\ \Delta_2(X)^2=x_{(1)}+x_{(2)},\ "
        r"\mu_i^2=\sum_l\tfrac{\|E_iX_{l-1}\|_F^2(\mu^*)^2}{L\,\Delta_i(X_{l-1})^2}"
    )
    claim = {
        "shift by an entry": r"\mu_1\le\mu^*",
        "delta for an entry": r"\delta_G(\varepsilon,\mu_1)\le\delta",
        "shift by a pair": r"\mu_2\le\mu^*",
        "delta for a pair": r"\delta_G(\varepsilon,\mu_2)\le\delta",
    }
    where = {
        "G_i": "the noise of the rounds",
        "N": "normal law with this mean and variance, for every entry",
        "L": "number of rounds",
        "X_i": "the iterates, with orthonormal columns",
        "x_{(1)}": "largest squared norm of a row of the iterate",
        "x_{(2)}": "second largest squared norm of a row of the iterate",
        r"\Delta_i": "Frobenius sensitivity of a product with the iterate, for an entry and for a pair",
        r"\mu^*": "number of standard deviations at which Gaussian noise has exactly this delta at epsilon",
        "X": "an iterate",
        r"\mu_i": "Gaussian privacy of all rounds, for a change of an entry and of a pair",
        "E_i": "change of one entry by at most 1, and of a symmetric pair or a diagonal entry",
    }
    verdict = Verdict.NEW
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HR-T2.6R", "HP-SENS", "HP-D4.1")
    note = "privacy_spectral.md#exact-noise-for-the-power-method"
    examples = 75
    cases = staticmethod(_transcripts)

    def fast(self, iterates: list[Any], entry: Any, pair: Any, epsilon: float, delta: float) -> Parts:
        rows = [np.sort(np.sum(x**2, axis=1))[::-1] for x in iterates]
        for kind, change, count in zip(KINDS, (entry, pair), (1, 2), strict=True):
            scales = [noise_scale(np.sqrt(np.sum(r[:count])), len(iterates), epsilon, delta) for r in rows]
            mu = np.sqrt(sum(np.sum((change @ x) ** 2) / s**2 for x, s in zip(iterates, scales, strict=True)))
            yield AtMost(mu, fast.mu_for(epsilon, delta), part=f"shift by {kind}")
            yield profile_at_most(epsilon, mu, delta, f"delta for {kind}")

    def oracle(self, iterates: list[Matrix], entry: Matrix, pair: Matrix, epsilon: float, delta: Real) -> Parts:
        goal, units = mu_for(epsilon, delta), zip(*_unit_changes(iterates[0].rows), strict=True)
        for kind, change, extremes in zip(KINDS, (entry, pair), units, strict=True):
            worst = [max(linalg.frobenius_norm(linalg.exact(e) * x) for e in extremes) for x in iterates]
            scales = [mp.sqrt(len(iterates)) * sensitivity / goal for sensitivity in worst]
            mu = mp.norm([_ratio(x, change, s) for x, s in zip(iterates, scales, strict=True)])
            yield AtMost(mu, goal, part=f"shift by {kind}")
            yield AtMost(oracle.profile(epsilon, mu), delta, part=f"delta for {kind}")

    def tight(self) -> list[Any]:
        return [([hadamard(3), hadamard(2)], *_unit_changes(4)[1], 1.0, 2.0**-20)]

    def beyond(self) -> dict[str, AtMost]:
        """An entry that changes by 1.01, in one round of exact noise."""
        delta = mp.mpf(2) ** -20
        profile = oracle.profile(1, mp.mpf("1.01") * mu_for(1, delta))
        return {"an entry changes by at most 1": AtMost(profile, delta, part="delta for an entry")}
