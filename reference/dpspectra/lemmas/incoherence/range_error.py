"""Mean squared error of the incoherent low-rank approximation when no row of the basis is pruned (HR-T6.3R, ours).

For an ``m x n`` matrix, ``E |A - Q B|_F^2 <= 2 tau_k^2 + (m + 1) s^2 + (2 k + 1) n E[l(Q)] / mu^2``: ``tau_k`` is the
norm of ``A - A_k``, ``s > 0`` the noise scale of the range finder, ``mu`` the privacy parameter (Gaussian DP) of the
projection, ``l(Q)`` the largest leverage of the released basis ``Q``. ``E[l(Q)]`` is bounded by integrating the union
bound on the leverages. `mean_leverage` and `mean_square` are also used by the entry ``range_error_printed`` and by the
tests of `project_find_prune`: they must remain upper bounds for every matrix.
"""

import functools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import leverages
from dpspectra.fast import linalg as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Verdict, all_parts, statement
from dpspectra.lemmas.incoherence.find_prune_project import Measurement, measurements
from dpspectra.lemmas.incoherence.leverages_with_random_directions import chi_square_quantile
from dpspectra.lemmas.range_finding import residual
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import deltas, st, unitaries


@st.composite
def _spans(draw: st.DrawFn) -> tuple[Any, ...]:
    """Draw orthonormal columns (perhaps none), a number of further directions, ``beta`` and a dimension of lines."""
    m = draw(st.integers(2, 6))
    r = draw(st.integers(0, m - 2))
    width = draw(st.integers(1, m - r - 1))
    return draw(unitaries(m))[:, :r], width, draw(deltas(2.0**-10, 0.5)), draw(st.sampled_from([2, 3]))


def mean_square(tail: Any, shape: tuple[Any, Any], k: Any, noise: Any, mu: Any, leverage: Any) -> Any:
    """Bound on ``E |A - Q B|_F^2``: ``tail = |A - A_k|_F``, ``leverage`` bounds the mean of the largest leverage."""
    m, n = shape
    return residual.mean_square(tail, m, noise) + (2 * k + 1) * n * leverage / mu**2


def mean_leverage(rank: Any, mu0: Any, m: Any, width: Any) -> Any:
    """Bound on the mean of the largest leverage for a matrix of this rank and coherence, from ``beta = 1/m``."""
    return np.minimum(1.0, (rank * mu0 + chi_square_quantile(width, 2 * np.log(m)) + 1) / m)


def _mean_of_line(d: int) -> float:
    """Mean of the largest ``x_i^2`` for a random unit vector in 2 or 3 dimensions, integrated around one axis."""
    nodes, weights = gauss_legendre(40)
    angles, weights = np.pi / 8 * (nodes + 1), weights / 2
    if d == 2:
        return float(weights @ np.cos(angles) ** 2)
    edge = np.cos(angles) / np.sqrt(1 + np.cos(angles) ** 2)
    return float(weights @ (1 - edge**3))


@functools.cache
def _exact_mean_of_line(d: int) -> Any:
    """`_mean_of_line` by the integral over levels ``y`` of the probability that the largest ``x_i^2`` exceeds ``y``.

    Above 1/2 the three events exclude each other; between 1/3 and 1/2 the probability that all ``x_i^2`` are at most
    ``y`` is integrated over the third entry.
    """
    if d == 2:
        return mp.mpf(1) / 2 + 1 / mp.pi
    above = mp.mpf(1) / 2 + 3 * mp.quad(lambda y: 1 - mp.sqrt(y), [mp.mpf(1) / 2, 1])

    def below(y: Any) -> Any:
        def arc(h: Any) -> Any:  # share of the circle of the other two entries, given the third
            radius = 1 - h * h
            smallest = mp.sqrt(max(radius - y, 0) / radius)
            return 4 * (mp.acos(smallest) - mp.asin(smallest)) / (2 * mp.pi)

        low = mp.sqrt(1 - 2 * y)
        return mp.quad(arc, [low, mp.sqrt(y)])

    return above - mp.quad(below, [mp.mpf(1) / 3, mp.mpf(1) / 2])


@statement
class RangeError:
    labels = ("HR-T6.3R",)
    given = (
        r"B=Q^\top A+\tfrac{s(Q)}\mu G,\quad\mathbb E\|(I-QQ^\top)A\|_F^2\le2\tau_k^2+(m+1)s^2,\ "
        r"\mathbb E\,s(Q)^2\le\int_0^1\min\Big(1,\sum_i\Pr[\|V_i\|^2>x]\Big)dx"
    )
    claim = {
        "squared error of one draw": r"\|A-QB\|_F^2=\|(I-QQ^\top)A\|_F^2+\tfrac{s(Q)^2}{\mu^2}\|G\|_F^2",
        "mean leverage below the quantile": r"\int_0^1\min\Big(1,\sum_i\Pr[\|V_i\|^2>x]\Big)dx\le x_\beta+\beta",
        "largest leverage of a line": r"\mathbb E\max_iv_i^2\le\int_0^1\min\Big(1,\sum_i\Pr[v_i^2>x]\Big)dx",
        "noise that hides a row": r"\tfrac1\mu\|Q_i\|\le\tfrac1\mu s(Q)",
    }
    where = {
        "s(": ("s(Q)", "largest norm of a row of the basis"),
        "x": "threshold for a leverage",
        "dx": "element of integration",
        r"x_\beta": "quantile of HR-L5.8R: bound on the largest leverage",
        "V_i": "the rows of the basis of the range of $`A`$ and $`k'`$ random directions",
        "v_i": "the entries of a uniformly distributed unit vector in two or three dimensions",
    }
    verdict = Verdict.NEW
    uses = ("HR-L5.11", "HR-T4.2R", "HR-L4.6R", "HR-T4.7", "HR-Fig4P")
    exact = ("squared error of one draw",)
    note = "incoherence.md#error-without-pruning"
    digits = 20
    examples = 15

    def cases(self) -> Any:
        return st.tuples(measurements(), _spans())

    def fast(self, measurement: Any, span: Any) -> Parts:
        """The squared error of one draw is the sum of two orthogonal parts; bounds on the mean largest leverage."""
        a, q, _, mu, g = measurement
        u, width, beta, d = span
        lengths = np.linalg.norm(q, axis=1)
        deviation = np.max(lengths) / mu
        noise = deviation * g
        total = fast.frobenius_norm(a - q @ (q.T @ a + noise)) ** 2
        stated = fast.frobenius_norm(a - q @ (q.T @ a)) ** 2 + fast.frobenius_norm(noise) ** 2
        before = leverages.leverages(u)
        yield Equal(total, stated, scale=np.sum(a**2), part="squared error of one draw")
        mean, line = leverages.mean_largest_leverage(before, width), leverages.mean_largest_leverage(np.zeros(d), 1)
        quantile = leverages.leverage_quantile(before, width, beta)
        yield AtMost(mean, quantile + beta, part="mean leverage below the quantile")
        yield AtMost(_mean_of_line(d), line, part="largest leverage of a line")
        for length in lengths:
            yield AtMost(length / mu, deviation, part="noise that hides a row")

    def oracle(self, measurement: Any, span: Any) -> Parts:
        a, q, g = (oracle.exact(x) for x in (measurement.a, measurement.q, measurement.noise))
        u, width, beta, d = span
        longest = max(mp.norm(q[i, :]) for i in range(q.rows))
        mu = mp.mpf(measurement.mu)
        noise = longest / mu * g
        error, outside = a - q * (q.T * a + noise), a - q * (q.T * a)
        before = [mp.fsum(mp.mpf(x) ** 2 for x in row) for row in u]
        integral, quantile = exact.mean_largest_leverage(before, width), exact.leverage_quantile(before, width, beta)
        stated, line = oracle.inner(outside, outside) + oracle.inner(noise, noise), [mp.mpf(0)] * d
        yield Equal(oracle.inner(error, error), stated, scale=oracle.inner(a, a), part="squared error of one draw")
        yield AtMost(integral, quantile + mp.mpf(beta), part="mean leverage below the quantile")
        yield AtMost(_exact_mean_of_line(d), exact.mean_largest_leverage(line, 1), part="largest leverage of a line")
        for i in range(q.rows):
            yield AtMost(mp.norm(q[i, :]) / mu, longest / mu, part="noise that hides a row")

    def tight(self) -> list[Any]:
        """A line in the plane, and a random hyperplane: all its leverages tend to 1 as the dimension grows."""
        axes = Measurement(np.eye(2), np.eye(2), 1.0, 1.0, np.ones((2, 2)))
        return [(axes, (np.zeros((512, 0)), 511, 2.0**-24, 2))]

    def beyond(self) -> dict[str, Outcome]:
        """One column twice; and an axis of 64 dimensions in place of a random line."""
        twice = Measurement(np.ones((1, 1)), np.ones((1, 2)), 1.0, 1.0, np.ones((2, 1)))
        mean = exact.mean_largest_leverage([mp.mpf(0)] * 64, 1)
        return {
            "the columns of Q are orthonormal": all_parts(self.oracle(twice, (np.zeros((2, 0)), 1, 0.5, 2)))[0],
            "the directions are random": AtMost(mp.mpf(1), mean, part="largest leverage of a line"),
        }
