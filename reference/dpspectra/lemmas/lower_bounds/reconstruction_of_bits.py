"""A private approximation hides random bits: its mean square error is at least ``k n (1-delta) / (2(1+cosh epsilon))``.

``D`` has independent uniform entries ``-1/2`` and ``1/2``, ``k`` rows and ``n`` columns, above ``m - k`` rows of zeros:
flipping a bit gives a neighbour. Given the other bits the output is an ``(epsilon, delta)``-private channel for one
bit, which is a degraded version of randomised response that also reveals the bit with probability ``delta``. So the bit
is guessed wrong with probability at least ``(1 - delta) / (1 + e^epsilon)``, and its posterior variance is at least
``(1 - delta) e^epsilon / (1 + e^epsilon)^2`` on average. That randomised response attains both. The rows of zeros make
``C = mu0 = m/k`` (``mu0`` for independent rows): the lower bound is the same under either notion of coherence, and
matches the noise of the projection mechanism up to constants.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile, leverages
from dpspectra.fast.divergence import hockey_stick
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.incoherence.row_norm_error import projection_error
from dpspectra.oracle import divergence as exact_divergence
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.gaussian_profile import mu_for
from dpspectra.strategies import deltas, distributions, epsilons, st


def wrong_bits(epsilon: Any, delta: Any) -> Any:
    """Smallest expected share of random bits that are guessed wrong from an ``(epsilon, delta)``-private output."""
    return (1 - delta) / (1 + np.exp(epsilon))


def mean_square(epsilon: Any, delta: Any) -> Any:
    """Smallest expected squared error for each random entry ``-1/2`` or ``1/2``."""
    return (1 - delta) / (2 * (1 + np.cosh(epsilon)))


def least_epsilon(square: Any, delta: Any) -> Any:
    """Smallest ``epsilon`` at which a private output can have the expected squared error ``square`` for each entry.

    It needs ``0 < square <= (1 - delta) / 4``: larger errors prove nothing, and raise ``ValueError``.
    """
    with np.errstate(all="ignore"):
        least = np.arccosh((1 - delta) / (2 * np.asarray(square)) - 1)
    if not np.all(np.isfinite(least)):
        raise ValueError(f"square must lie in (0, (1 - delta)/4], got {square}")
    return least


def response(epsilon: float, delta: float) -> Any:
    """Laws of the worst channel: it reveals the bit with probability ``delta``, else flips it at odds ``e^epsilon``."""
    truth = 1 / (1 + np.exp(-epsilon))
    right = (1 - delta) * truth
    wrong = 1 - delta - right  # so that the laws sum to 1 without rounding
    return np.array([[delta, 0.0, right, wrong], [0.0, delta, wrong, right]])


def delta_and_variance(laws: Any, epsilon: float) -> tuple[float, float]:
    """Smallest ``delta`` of a channel with these laws, and the posterior variance of a bit ``-1/2`` or ``1/2``."""
    total = np.sum(laws, axis=0)
    variance = np.sum(np.prod(laws, axis=0) / np.where(total > 0, total, 1.0)) / 2
    return max(float(hockey_stick(p, q, epsilon)) for p, q in (laws, laws[::-1])), float(variance)


def exact_delta(p: list[Any], q: list[Any], epsilon: Any) -> Any:
    """Smallest ``delta`` of a channel in mpmath."""
    return max(exact_divergence.hockey_stick(*pair, epsilon) for pair in ((p, q), (q, p)))


@statement
class ReconstructionOfBits:
    labels = ("HR-P1.3R",)
    given = (
        r"\text{each of the }kn\text{ uniform bits }\pm\tfrac12\text{ of }A"
        r"\text{ through a channel with the laws }p,q,\ \delta=\max\{\sum_l(p_l-e^\varepsilon q_l)_+,\ "
        r"\sum_l(q_l-e^\varepsilon p_l)_+\}"
    )
    claim = {
        "wrong bits": (
            r"\frac{1-\delta}{1+e^\varepsilon}\le\tfrac1{kn}\mathbb E\,\#\text{wrong bits}=\tfrac12\sum_l"
            r"\min\{p_l,q_l\}"
        ),
        "posterior variance": (
            r"\frac{1-\delta}{2(1+\cosh\varepsilon)}\le\tfrac1{kn}\mathbb E\|A-B\|_F^2=\tfrac12\sum_l"
            r"\frac{p_lq_l}{p_l+q_l}"
        ),
        "inverse of the bound": (
            r"\delta<1,\ v=\frac{1-\delta}{2(1+\cosh\varepsilon)}:\ \frac{1-\delta}{2v}-1=\cosh\varepsilon"
        ),
    }
    where = {
        "A": r"data matrix with $`kn`$ random bits $`\pm\frac12`$ as entries, and zeros",
        "B": "best estimate of $`A`$ from what is released, the posterior mean",
        "k": "number of rows that hold bits",
        "n": "number of columns of $`A`$",
        "p, p_i": r"law of what is released of a bit $`-\frac12`$, and the probability of each value",
        "q, q_i": r"law of what is released of a bit $`\frac12`$, and the probability of each value",
        "v": "least mean squared error of one bit",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-D2.2", "HR-D2.1")
    note = "lower_bounds_reconstruction.md#random-bits"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Laws of an output for both values of a bit (equal, disjoint or unrelated), and ``epsilon``."""
        size = draw(st.integers(1, 5))
        laws = draw(distributions(size)), draw(distributions(size))
        return np.array(laws), draw(epsilons(2.0**-6, 8.0))

    def fast(self, laws: Any, epsilon: float) -> Parts:
        """State both bounds at the exact ``delta`` of the channel, and that the smallest epsilon inverts the second."""
        delta, variance = delta_and_variance(laws, epsilon)
        yield AtMost(wrong_bits(epsilon, delta), np.sum(np.min(laws, axis=0)) / 2, scale=1.0, part="wrong bits")
        yield AtMost(mean_square(epsilon, delta), variance, scale=1.0, part="posterior variance")
        if delta < 1:
            recovered = least_epsilon(mean_square(epsilon, delta), delta)
            yield Equal(np.cosh(recovered), np.cosh(epsilon), part="inverse of the bound")

    def oracle(self, laws: Any, epsilon: Real) -> Parts:
        """Take the variance as the mean squared distance to the posterior mean; solve for the odds ``e^(-epsilon)``."""
        p, q = ([mp.mpf(x) for x in law] for law in laws)
        delta, wrong, variance = exact_delta(p, q, epsilon), mp.mpf(0), mp.mpf(0)
        for x, y in zip(p, q, strict=True):
            wrong += min(x, y) / 2
            guess = (y - x) / (x + y) / 2 if x + y > 0 else mp.mpf(0)
            variance += (x * (guess + mp.mpf(1) / 2) ** 2 + y * (guess - mp.mpf(1) / 2) ** 2) / 2
        least = (1 - delta) * mp.exp(epsilon) / (1 + mp.exp(epsilon)) ** 2
        yield AtMost((1 - delta) / (1 + mp.exp(epsilon)), wrong, scale=1, part="wrong bits")
        yield AtMost(least, variance, scale=1, part="posterior variance")
        if delta < 1:  # odds and their inverse are the roots of least x^2 + (2 least - 1 + delta) x + least
            odds_and_inverse = (1 - delta - 2 * least) / least
            yield Equal(odds_and_inverse / 2, mp.cosh(epsilon), part="inverse of the bound")

    def tight(self) -> list[Any]:
        """Randomised response that may reveal the bit, and that never does."""
        return [(response(1.0, 0.125), 1.0), (response(2.0, 0.0), 2.0)]

    def beyond(self) -> dict[str, AtMost]:
        """``epsilon = 1``, ``delta = 0``: odds ``e^2``; a bit known to all; one bit twice; entries 1/4, answered by 0.

        If a bit occurs twice, each copy may change the odds of an output by the factor ``e``.
        """
        allowed, at_twice = 1 / (1 + mp.e), 1 / (1 + mp.exp(2))
        least = mp.e * allowed**2
        return {
            "the output is private": AtMost(least, mp.exp(2) * at_twice**2, part="posterior variance"),
            "the bits are uniform": AtMost(allowed, mp.mpf(0), part="wrong bits"),
            "the bits are independent": AtMost(allowed, at_twice, part="wrong bits"),
            "the entries are 1/2 in absolute value": AtMost(least, mp.mpf(1) / 16, part="posterior variance"),
        }


@statement
class ReconstructionOfBitsOtherCoherence:
    labels = ("HR-R1.3",)
    given = (
        r"A=\binom D0\in\mathbb R^{m\times n},\ D\in\{\pm\tfrac12\}^{k\times n},\ \operatorname{rank}D=k,\ "
        r"A'\text{ with one bit flipped},\ \delta_G(\varepsilon,\mu)=\delta"
    )
    claim = {
        "row coherence": r"C(A)=\tfrac mk",
        "range coherence": r"\mu_0(A)=\tfrac mk",
        "squared Frobenius norm": r"\|A\|_F^2=\tfrac{kn}4",
        "distance of neighbours": r"\|A'-A\|_F=1",
        "lower below upper bound": (
            r"\frac{kn(1-\delta)}{2(1+\cosh\varepsilon)}\le n\min\Big\{\frac{2k+1}{\mu^2},"
            r"\sqrt{\tfrac{(2k+1)^2}{2\mu^2}+\tfrac1{64}}-\tfrac18\Big\}"
        ),
        "error of the output 0": r"\frac{kn(1-\delta)}{2(1+\cosh\varepsilon)}\le\|A\|_F^2",
    }
    printed = r"A similar proof gives such a bound for $`\mu_0`$-coherent matrices."
    where = {
        "A": "data matrix with $`m`$ rows",
        "D": r"$`k\times n`$ matrix of random bits $`\pm\frac12`$",
        "C": "coherence (HR-D5.1)",
        r"\mu_0": "coherence of the range (HR-D5.5)",
        "k": "number of rows that hold bits",
        "m": "number of rows of $`A`$",
        "n": "number of columns of $`A`$",
        r"\mu": (
            "Gaussian privacy of the projection: number of standard deviations between the means on two "
            "neighbouring data sets, at most"
        ),
        "A'": "neighbour of $`A`$",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.ROW,)
    uses = ("HR-P1.3R", "HR-T6.3R", "HR-D5.1", "HR-D5.5")
    exact = ("row coherence", "range coherence", "squared Frobenius norm", "distance of neighbours")
    note = "lower_bounds_reconstruction.md#the-other-coherence"
    slack = {
        "lower below upper bound": Slack(
            0.136425, "the upper bound is Gaussian noise for 2 k + 1 directions, not for k"
        )
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Independent rows of bits above rows of zeros, the number of the former, ``epsilon`` and ``delta``."""
        k = draw(st.integers(1, 3))
        n, zeros = draw(st.integers(k, 5)), draw(st.integers(0, 4))
        bits = np.array(draw(st.lists(st.sampled_from([0.5, -0.5]), min_size=k * n, max_size=k * n))).reshape(k, n)
        bits[:, :k] = np.tril(np.ones((k, k))) - 0.5  # rows that end in different places
        return np.vstack([bits, np.zeros((zeros, n))]), k, draw(epsilons(2.0**-6, 5.0)), draw(deltas(2.0**-30))

    def fast(self, a: Any, k: int, epsilon: float, delta: float) -> Parts:
        (m, n), flipped = a.shape, a.copy()
        flipped[0, 0] *= -1
        lower = k * n * mean_square(epsilon, delta)
        upper = projection_error(float(n), 2 * k + 1, gaussian_profile.mu_for(epsilon, delta), np.sqrt(n) / 2)
        yield Equal(leverages.row_coherence(a), m / k, part="row coherence")
        yield Equal(leverages.range_coherence(leverages.range_basis(a)), m / k, part="range coherence")
        yield Equal(np.sum(a**2), k * n / 4, part="squared Frobenius norm")
        yield Equal(np.linalg.norm(flipped - a), 1.0, part="distance of neighbours")
        yield AtMost(lower, upper, part="lower below upper bound")
        yield AtMost(lower, np.sum(a**2), part="error of the output 0")

    def oracle(self, a: Any, k: int, epsilon: Real, delta: Real) -> Parts:
        (m, n), matrix = a.shape, oracle.exact(a)
        flipped = matrix.copy()
        flipped[0, 0] *= -1
        share, mu, width = mp.mpf(m) / k, mu_for(epsilon, delta), 2 * k + 1
        span = matrix * oracle.exact(a[:k]).T  # k independent columns of the range
        yield Equal(exact.row_coherence(matrix), share, part="row coherence")
        yield Equal(exact.range_coherence(span), share, part="range coherence")
        yield Equal(oracle.inner(matrix, matrix), mp.mpf(k * n) / 4, part="squared Frobenius norm")
        yield Equal(oracle.frobenius_norm(flipped - matrix), mp.mpf(1), part="distance of neighbours")
        lower = k * n * (1 - delta) / (2 * (1 + mp.cosh(epsilon)))
        upper = n * min(width / mu**2, mp.sqrt((width / mu) ** 2 / 2 + mp.mpf(1) / 64) - mp.mpf(1) / 8)
        yield AtMost(lower, upper, part="lower below upper bound")
        yield AtMost(lower, oracle.inner(matrix, matrix), part="error of the output 0")

    def tight(self) -> list[Any]:
        """Nearly no privacy loss, where the output 0 is best; and where the bounds are nearest to each other."""
        return [
            (np.array([[0.5, -0.5], [0.0, 0.0]]), 1, 2.0**-12, 2.0**-30),
            (np.array([[0.5, -0.5], [0.0, 0.0]]), 1, 0.8125, 0.6875),
            (np.array([[0.5, -0.5], [0.5, 0.5], [0.0, 0.0], [0.0, 0.0]]), 2, 2.0**-12, 2.0**-30),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """Rows ``(1, 0)`` and ``(0, 1/2)``; a basis of the range of three rows, two of them equal; two bits flipped."""
        longer, span, bits = mp.diag([1, 0.5]), mp.matrix([[1, 0], [1, 0], [0, 1]]), mp.matrix([[0.5, 0.5]])
        return {
            "all entries of D are 1/2 in absolute value": Equal(
                exact.row_coherence(longer), mp.mpf(1), part="row coherence"
            ),
            "the rows of D are independent": Equal(exact.range_coherence(span), mp.mpf(1), part="range coherence"),
            "one bit is flipped": Equal(oracle.frobenius_norm(2 * bits), mp.mpf(1), part="distance of neighbours"),
        }
