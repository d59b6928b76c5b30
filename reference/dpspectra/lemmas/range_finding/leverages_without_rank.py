"""Leverages of the private range finder without a bound on the rank, from the lengths of the rows and the noise.

The odds ``l / (1 - l)`` of the leverage of row ``i`` are stochastically at most ``c_i`` times those of a leverage of a
purely random subspace, ``c_i = 1 + |A_i|^2 / s^2``: given the row of ``Y``, the others are noise of at least the
strength ``s`` around a mean, which by Anderson's inequality can only reduce the odds. Equality for a single non-zero
row and for ``A = 0``. The bound says something for every ``m > k'``; it needs ``s > 0``, and rows of ``A`` that are not
much longer than ``s`` to be strong.
"""

from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import betainc

from dpspectra.fast import leverages as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Slack, Verdict, statement
from dpspectra.lemmas.incoherence.leverages_with_random_directions import chi_square_quantile, exact_quantile
from dpspectra.lemmas.range_finding.leverages import Sizes, drawn_sizes, exact_draws, sketches
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, seeds, st

TRIALS = 4000
"""Random draws of the sketch in a case."""


class Pair(NamedTuple):
    """Two rows as columns of a plane, sketched with one column and noise 1; a level of the leverage of the first."""

    first: tuple[float, float]
    second: tuple[float, float]
    level: float
    seed: int


def level(row_norm: Any, noise: Any, m: Any, width: Any, beta: Any) -> Any:
    """Squared row norm of ``Q`` exceeded with probability at most ``beta``; ``A`` has rows up to ``row_norm``."""
    b, c = fast.added_leverage(m, 0, width, beta), 1 + (row_norm / noise) ** 2
    return c * b / (1 - b + c * b)


def _smallest(gram: Any, row: Any) -> Any:
    """Minimum of the quadratic form over the vectors whose product with the normed row is 1, by determinants."""
    with_row = mp.det(gram + row * row.T / oracle.inner(row, row))
    return mp.det(gram) / (with_row - mp.det(gram))


def _tail_by_density(width: int, rest: int, c: Any, x: Any) -> Any:
    """Probability that ``c B / (1 - B + c B)`` exceeds ``x``, by the density of the logarithm of its odds."""
    with working():
        a, b, factor = arb(width) / 2, arb(rest) / 2, arb(c)

        def density(log: Any) -> Any:
            odds = log.exp() / factor
            return odds**a / (1 + odds) ** (a + b)

        start = mp.log(x / (1 - x))
        ends = [start + step for step in (0, *(mp.mpf(2) ** j for j in range(-4, 9)))]
        return mp.mpf(integral(density, ends) * ((a + b).lgamma() - a.lgamma() - b.lgamma()).exp())


def _two_rows(pair: Pair, noise: Any = 1) -> tuple[Any, Any]:
    """Exact probability that the leverage of the first row exceeds the level, by the density of the angle; its bound.

    The density of the angle is ``1 / (2 pi sqrt(det S) e' S^-1 e)`` for the covariance ``S``. ``noise`` is what the
    bound assumes; in truth it is 1.
    """
    a, x = mp.matrix([pair.first, pair.second]), mp.mpf(pair.level)
    covariance = a * a.T + mp.eye(2)
    inverse, wide = covariance**-1, mp.acos(mp.sqrt(x))

    with working():
        (p, q), (_, r) = inverse.apply(arb).tolist()

        def density(angle: Any) -> Any:
            sine, cosine = angle.sin_cos()
            return 1 / (p * cosine**2 + 2 * q * cosine * sine + r * sine**2)

        share = mp.mpf(integral(density, [-wide, 0, wide])) / mp.sqrt(mp.det(covariance))
    c = 1 + oracle.inner(a[0, :], a[0, :]) / noise**2
    return share / mp.pi, 2 / mp.pi * mp.acos(mp.sqrt(x / (x + c * (1 - x))))


@statement
class LeveragesWithoutRank:
    labels = ("HR-L5.11b",)
    given = (
        r"s>0,\ c_i=1+\tfrac{\|A_i\|^2}{s^2},\ c=\max_ic_i,\ L=\log\tfrac m\beta,\ "
        r"B\sim\mathrm{Beta}\big(\tfrac{k'}2,\tfrac{m-k'}2\big),\ \Pr[B>b]=\tfrac\beta m"
    )
    claim = {
        "odds": r"(1-\|Q_i\|^2)\,\|Y_i\|^2=\|Q_i\|^2\min\{\|Y_{-i}x\|^2:\langle x,Y_i\rangle=\|Y_i\|\}",
        "law of two rows": r"m=2,\ k'=s=1:\ \Pr[\|Q_1\|^2>x]\le\tfrac2\pi\arctan\sqrt{c_1\big(\tfrac1x-1\big)}",
        "union bound over rows": r"m\Pr\Big[\frac{cB}{1-B+cB}>\frac{cb}{1-b+cb}\Big]\le\beta",
        "closed form above the level": r"\frac{m\,cb}{1-b+cb}\le c\,\big(k'+2\sqrt{k'L}+2L\big)",
    }
    where = {
        "c_i": "factor by which the odds of a leverage grow for this row",
        "c": "largest one of these factors",
        "B": "random number of this Beta law",
        "b": r"upper quantile of the Beta law at $`\beta/m`$",
        "A_i": "the rows of $`A`$",
        "Y_i": "the rows of $`Y`$",
        "Y_{-i}": "the other rows of $`Y`$, as a matrix",
        "x": "vector of $`k'`$ numbers; for two rows, a level of the leverage",
    }
    verdict = Verdict.NEW
    uses = ("HR-Fig2", "HR-C5.10", "HR-L5.8R")
    note = "range_finding.md#leverages-without-a-bound-on-the-rank"
    unchecked = (
        "the law of a leverage for more than two rows or one column, of which the odds of each draw are checked."
    )
    digits = 30
    examples = 9
    slack = {"closed form above the level": Slack(0.806043, "equality in the limit of small beta and many rows")}

    def cases(self) -> Any:
        row = st.tuples(dyadics(-4, 4), dyadics(-4, 4))
        return st.tuples(sketches(), st.builds(Pair, row, row, dyadics(2.0**-6, 1 - 2.0**-6), seeds()), drawn_sizes())

    def fast(self, sketch: Any, pair: Any, sizes: Any) -> Parts:
        """The odds of each row for one draw, as a minimum; the law for two rows; the level for one long row.

        ``x / (x + c (1 - x))`` is the leverage without signal that corresponds to ``x``.
        """
        u, inner, s, omega, noise = sketch
        y = u @ (inner @ omega) + s * noise
        own, row = fast.leverages(orthonormal(y)), int(np.argmax(np.linalg.norm(y, axis=1)))
        rest, longest = np.delete(y, row, axis=0), y[row] / np.linalg.norm(y[row])
        across = rest @ np.linalg.svd(longest[None, :])[2][1:].T  # what directions with no part in the row give
        along = rest @ longest
        nearest = along - across @ np.linalg.lstsq(across, along, rcond=None)[0]
        a, c = np.array([pair.first, pair.second]), 1 + np.sum(np.square(pair.first))
        z = a @ np.random.default_rng(pair.seed).standard_normal((2, TRIALS))
        z += np.random.default_rng(pair.seed + 1).standard_normal((2, TRIALS))
        count = int(np.sum(z[0] ** 2 > pair.level * np.sum(z**2, axis=0)))
        _, ratio, m, width, beta = sizes
        above = level(ratio, 1.0, m, width, beta)
        missing = (1 + ratio**2) * (1 - above) / (above + (1 + ratio**2) * (1 - above))
        lost = 1e-6 * (m - width) / (1 - above)  # digits lost in 1 - above, raised to the power (m - width) / 2
        yield Equal((1 - own[row]) * (y[row] @ y[row]), own[row] * (nearest @ nearest), scale=np.sum(y**2), part="odds")
        yield Frequency(count, TRIALS, 2 / np.pi * np.arctan(np.sqrt(c * (1 / pair.level - 1))), part="law of two rows")
        risk, most = m * betainc((m - width) / 2, width / 2, missing), chi_square_quantile(width, np.log(m / beta))
        yield AtMost(risk, beta, scale=beta * lost, part="union bound over rows")
        yield AtMost(m * above, (1 + ratio**2) * most, part="closed form above the level")

    def oracle(self, sketch: Any, pair: Any, sizes: Any) -> Parts:
        u, inner, s, omega, noise = exact_draws(sketch)
        y = u * inner * omega + s * noise
        own = exact.leverages(y)
        row = max(range(y.rows), key=lambda i: mp.norm(y[i, :]))
        rest = mp.matrix([y[i, :].tolist()[0] for i in range(y.rows) if i != row])
        gram = rest.T * rest
        _, ratio, m, width, beta = sizes
        beta, c = mp.mpf(beta), 1 + mp.mpf(ratio) ** 2
        b, logarithm = exact_quantile(m, 0, width, beta), mp.log(m / beta)
        above = c * b / (1 - b + c * b)
        length = oracle.inner(y[row, :], y[row, :])
        left, right = (1 - own[row]) * length, own[row] * _smallest(gram, y[row, :].T)
        yield Equal(left, right, scale=oracle.frobenius_norm(y) ** 2, part="odds")
        yield AtMost(*_two_rows(pair), part="law of two rows")
        most = c * (width + 2 * mp.sqrt(width * logarithm) + 2 * logarithm)
        yield AtMost(m * _tail_by_density(width, m - width, c, above), beta, part="union bound over rows")
        yield AtMost(m * above, most, part="closed form above the level")

    def tight(self) -> list[Any]:
        """A single row, and a sketch of two columns, each with a pair of rows and sizes at which every term counts."""
        axes = np.eye(3)
        sketch = axes[:, :1], np.ones((1, 1)), 1.0, np.ones((1, 1)), axes[:, 1:2]
        noise = np.array([[4.0, 1.0], [0.0, 3.0], [1.0, 0.0]])
        wide = axes[:, :1], np.array([[2.0, -1.0]]), 0.5, np.array([[1.0, 0.0], [1.0, 1.0]]), noise
        pairs = Pair((3.0, 1.0), (0.0, 0.0), 0.75, 0), Pair((0.5, -1.0), (0.25, 1.0), 0.25, 0)
        return [(sketch, pairs[0], Sizes(1, 0.5, 2**20, 16, 2.0**-10)), (wide, pairs[1], Sizes(3, 0.5, 2**10, 8, 0.25))]

    def beyond(self) -> dict[str, AtMost]:
        """A single row, and a bound for noise 2 where it is 1."""
        left, right = _two_rows(Pair((3.0, 1.0), (0.0, 0.0), 0.75, 0), noise=2)
        return {"s is the noise of the sketch": AtMost(left, right)}
