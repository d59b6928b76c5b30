"""A uniform unit vector of ``R^m`` has entries of size ``sqrt(log m / m)`` and ``|P x|^2`` about ``d / m``.

The squared length of its projection to ``d`` dimensions has the law ``Beta(d/2, (m - d)/2)`` for every fixed projector
of rank ``d``: it is a chi-square variable divided by the sum of two. The case ``d = 1`` and a union bound over entries
give the first claim; above one half the events are disjoint and the union bound is exact. The second claim needs no
logarithm. The projector must not depend on the vector.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.ledger import AtMost, Frequency, Parts, Real, Reals, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS, directions
from dpspectra.strategies import deltas, dyadics, seeds, st, unitaries

CHERNOFF = "Chernoff bound below the mean", "Chernoff bound above the mean"
"""Parts about the two tails of a squared length."""


def tail(y: Any, d: Any, m: Any) -> Any:
    """Exact probability that ``|P x|^2`` exceeds ``y``, for ``P`` of rank ``d < m``."""
    return betainc((m - d) / 2, d / 2, 1 - np.asarray(y, dtype=float))


def divergence(p: Any, y: Any) -> Any:
    """Kullback-Leibler divergence of a coin of bias ``p`` from one of bias ``y``, both between 0 and 1."""
    return p * np.log(p / y) - (1 - p) * (np.log1p(-y) - np.log1p(-p))


def largest_entry(eta: Any, m: Any) -> Any:
    """Modulus that some entry of a uniform unit vector exceeds with probability at most ``eta``; ``m >= 2``."""
    return np.sqrt(2 * np.log(m / eta) / (m - 1))


def longest_projection(theta: Any, d: Any, m: Any) -> Any:
    """Length that the projection to ``d`` dimensions reaches with probability at most ``exp(-theta)``."""
    return np.sqrt(d / m) + np.sqrt(2 * theta / m)


def _tail(y: Any, d: int, m: int) -> Any:
    """`tail` in mpmath."""
    return mp.betainc(mp.mpf(m - d) / 2, mp.mpf(d) / 2, 0, 1 - y, regularized=True)


def _tail_by_angle(y: Any, d: int, m: int) -> Any:
    """`_tail` by the angle ``t`` to the subspace, whose density is proportional to ``cos^(d-1) t sin^(m-d-1) t``."""

    def share(end: Any) -> Any:
        return mp.quad(lambda t: mp.cos(t) ** (d - 1) * mp.sin(t) ** (m - d - 1), [0, end])

    return share(mp.acos(mp.sqrt(y))) / share(mp.pi / 2)


@statement
class RandomDirectionsEntries:
    labels = ("HR-C5.9",)
    given = r"x\text{ uniform on }S^{m-1},\ X_n\sim\mathrm{Beta}(\tfrac12,\tfrac{n-1}2)"
    claim = {
        "tail of largest entry": r"y\ge\tfrac12:\ \Pr\big[\|x\|_\infty^2>y\big]\le m\Pr[X_m>y]",
        "tail by a power": r"\Pr[X_n>s]\le(1-s)^{(n-1)/2}",
        "tail at explicit size": r"n\Pr\big[X_n>\tfrac{2\log(n/\eta)}{n-1}\big]\le\eta",
    }
    printed = (
        r"Not at hand; read as: $`\lVert n\rVert_\infty\le O\big(\sqrt{\frac{\log m}m}\big)`$ with "
        r"probability $`1-O(\frac1m)`$ for a random unit vector."
    )
    where = {
        "x": "uniformly distributed unit vector",
        "S^{m-1}": "unit sphere in $`m`$ dimensions",
        "m": "dimension of the vector",
        "y": "threshold for the square of an entry",
        "n": "any dimension",
        "s": "any threshold",
        "X": "variable of the Beta law: the square of one entry in as many dimensions as its index says",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-C5.10",)
    note = "concentration.md#largest-entry-of-a-random-direction"
    digits = 30
    examples = 60
    slack = {
        "tail at explicit size": Slack(
            0.19621, "a cap is smaller than the power of its height by Mills' ratio; at most 0.2, near 300 dimensions"
        ),
    }

    def cases(self) -> Any:
        return st.tuples(st.integers(2, 6), dyadics(0.5, 1), st.integers(2, 400), dyadics(0, 1), deltas(), seeds())

    def fast(self, m: int, y: float, n: int, s: float, eta: float, seed: int) -> Parts:
        """How often a squared entry is larger than ``y >= 1/2``; the bounds in ``n`` dimensions."""
        above = np.any(directions(m, seed) ** 2 > y, axis=1)
        square = min(float(largest_entry(eta, n)) ** 2, 1.0)
        yield Frequency(int(np.sum(above)), TRIALS, float(m * tail(y, 1, m)), part="tail of largest entry")
        yield AtMost(tail(s, 1, n), (1 - s) ** ((n - 1) / 2), part="tail by a power")
        yield AtMost(n * tail(square, 1, n), eta, part="tail at explicit size")

    def oracle(self, m: int, y: Real, n: int, s: Real, eta: Real, _: int) -> Parts:
        """Above 1/2 the squared entries exclude each other, so the caps about the axes add up."""
        square = min(2 * mp.log(n / eta) / (n - 1), mp.mpf(1))
        yield AtMost(m * _tail_by_angle(y, 1, m), m * _tail(y, 1, m), scale=1, part="tail of largest entry")
        yield AtMost(_tail(s, 1, n), (1 - s) ** (mp.mpf(n - 1) / 2), part="tail by a power")
        yield AtMost(n * _tail(square, 1, n), eta, part="tail at explicit size")

    def tight(self) -> list[Any]:
        """The plane, where some squared entry is at least 1/2 and the power bound is attained at 0; and space."""
        return [(2, 0.5, 2, 0.0, 0.5, 0), (3, 0.75, 400, 0.5, 1 - 2.0**-30, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """A coordinate axis in 100 dimensions, not a random direction."""
        limit = mp.sqrt(2 * mp.log(mp.mpf(10000)) / 99)
        return {"the direction is uniform": AtMost(mp.mpf(1), limit, part="tail at explicit size")}


def _exact_divergence(p: Any, y: Any) -> Any:
    """Divergence of a coin of bias ``p`` from one of bias ``y``, as the integral of its derivative in ``y``."""
    return mp.quad(lambda s: (s - p) / (s * (1 - s)), [p, y])


@statement
class RandomDirectionsProjections:
    labels = ("HR-C5.10",)
    given = r"\operatorname{rank}P=d,\ x\text{ uniform on }S^{m-1}"
    claim = {
        "tail of the length": r"\Pr\big[\|Px\|^2>y\big]\le\Pr\big[\mathrm{Beta}(\tfrac d2,\tfrac{m-d}2)>y\big]",
        "Chernoff bound below the mean": (
            r"y<\tfrac dm:\ \Pr\big[\|Px\|^2\le y\big]\le e^{-\frac m2\mathrm{KL}(\frac dm\Vert y)}"
        ),
        "tail at explicit length": r"\Pr\Big[\|Px\|>\sqrt{\tfrac dm}+\sqrt{\tfrac{2\theta}m}\Big]\le e^{-\theta}",
        "difference of roots": r"(\sqrt q-\sqrt p)^2\le\mathrm{KL}(p\Vert q)",
        "Chernoff bound above the mean": (
            r"y\ge\tfrac dm:\ \Pr\big[\|Px\|^2>y\big]\le e^{-\frac m2\mathrm{KL}(\frac dm\Vert y)}"
        ),
    }
    printed = (
        r"Not at hand; read as: $`\lVert Pn\rVert\le O\big(\sqrt{\frac{d\log m}m}\big)`$ for a projection of "
        "rank $`d`$ and a random unit vector, with high probability."
    )
    where = {
        "P": "fixed orthogonal projector",
        "d": "rank of the projector",
        "x": "uniformly distributed unit vector in $`m`$ dimensions",
        "m": "dimension",
        "y": "threshold for the squared length",
        r"\mathrm{KL}": "relative entropy of two coins with these probabilities",
        r"\theta": r"free number; the exception has probability at most $`e^{-\theta}`$",
        "S^{m-1}": "unit sphere in $`m`$ dimensions",
        "p": "probability of a coin",
        "q": "probability of another coin",
    }
    verdict = Verdict.VERIFIED
    note = "concentration.md#projection-of-a-random-direction"
    digits = 30
    examples = 60
    slack = {
        CHERNOFF[0]: Slack(0.500657, "Markov's inequality for an exponential is strict (0.683 at y = d/m)"),
        CHERNOFF[1]: Slack(0.186026, "Markov's inequality for an exponential is strict (0.32 at y = d/m)"),
        "tail at explicit length": Slack(
            0.112761, "the bound is 1 at the root mean square, and a chi variable exceeds it with probability below 0.7"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, tuple[int, int], float, tuple[float, float], int]:
        """A basis of a proper subspace, a squared length; larger dimensions, ``theta``; two shares; a seed."""
        m = draw(st.integers(2, 6))
        basis, many = draw(unitaries(m))[:, : draw(st.integers(1, m - 1))], draw(st.integers(2, 400))
        share = dyadics(2.0**-6, 1 - 2.0**-6)
        sizes = draw(st.integers(1, many - 1)), many
        return basis, draw(share), sizes, draw(dyadics(0, 16)), draw(st.tuples(share, share)), draw(seeds())

    def fast(
        self, basis: Any, y: float, sizes: tuple[int, int], theta: float, shares: tuple[float, float], seed: int
    ) -> Parts:
        """How often the projection is long; Chernoff's bound at that length; the tail at the explicit length."""
        (m, d), (k, many), (p, q) = basis.shape, sizes, shares
        long = np.sum((directions(m, seed) @ basis) ** 2, axis=1) > y
        yield Frequency(int(np.sum(long)), TRIALS, float(tail(y, d, m)), part="tail of the length")
        chernoff = np.exp(-m / 2 * divergence(d / m, y))
        yield AtMost(tail(y, d, m) if y >= d / m else 1 - tail(y, d, m), chernoff, part=CHERNOFF[y >= d / m])
        reached = min(float(longest_projection(theta, k, many)), 1.0)
        yield AtMost(tail(reached**2, k, many), np.exp(-theta), part="tail at explicit length")
        yield AtMost((np.sqrt(q) - np.sqrt(p)) ** 2, divergence(p, q), scale=max(p, q), part="difference of roots")

    def oracle(self, basis: Any, y: Real, sizes: tuple[int, int], theta: Real, shares: Reals, _: int) -> Parts:
        (m, d), (k, many), (p, q) = basis.shape, sizes, shares
        share, longer = mp.mpf(d) / m, _tail_by_angle(y, d, m)
        yield AtMost(longer, _tail(y, d, m), scale=1, part="tail of the length")
        chernoff = mp.exp(-m * _exact_divergence(share, y) / 2)
        yield AtMost(longer if y >= share else 1 - longer, chernoff, part=CHERNOFF[y >= share])
        reached = min(mp.sqrt(mp.mpf(k) / many) + mp.sqrt(2 * theta / many), mp.mpf(1))
        yield AtMost(_tail(reached**2, k, many), mp.exp(-theta), part="tail at explicit length")
        yield AtMost(
            (mp.sqrt(q) - mp.sqrt(p)) ** 2, _exact_divergence(p, q), scale=max(p, q), part="difference of roots"
        )

    def tight(self) -> list[Any]:
        """One direction of 64, shorter and longer than on average, beside one of 400 and tiny shares; three of five."""
        line = np.eye(64)[:, :1]
        lines = [(line, y, (1, 400), 0.25, (2.0**-64, 2.0**-21), 0) for y in (2.0**-9, 2.0**-5)]
        return [*lines, (np.eye(5)[:, :3], 0.5, (3, 8), 1.0, (0.25, 0.5), 0)]

    def beyond(self) -> dict[str, AtMost]:
        """The line of ``x`` itself in 100 dimensions, where the projection is never shortened; ``theta = 10``."""
        reached = mp.mpf(1) / 10 + mp.sqrt(20) / 10
        sure = mp.mpf(reached <= 1)
        return {"the projector does not depend on x": AtMost(sure, mp.exp(-10), part="tail at explicit length")}
