"""Proposals of raised rates, some of them rejected, have the law of the ball chart, and more of them are accepted.

In the ball ``|Y| <= 1`` of DPS-BALL the diagonal of ``C = I - Y*Y`` is not negative. So the density
``exp(-sum r_ij |Y_ij|^2)`` is, up to a constant, ``exp(-sum (r_ij + t_j) |Y_ij|^2)`` times the probability
``exp(-sum t_j C_jj)``, for all tilts ``t_j >= 0``. The share that is accepted has a concave logarithm in each tilt,
which is largest where ``sum_i 1 / (r_ij + t_j) = 1``, or at 0. A negative tilt, or a column longer than 1, makes the
probability more than 1. Rates of 0, for a tie at ``k``, are served by positive tilts.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import hciz
from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Reals, Verdict, statement
from dpspectra.lemmas.sampling.ball_chart import exact_ball, log_acceptance, points
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import patterns
from dpspectra.sampling.ball_chart import best_tilt
from dpspectra.sampling.haar import gaussian
from dpspectra.strategies import seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Proposals in a case."""


def _log_share(rates: list[Any], t: Any) -> Any:
    """Sum that a column's tilt adds to the logarithm of the accepted share, up to a constant."""
    return mp.fsum(mp.log(r + t) for r in rates) - t


def _best(rates: list[Any]) -> Any:
    """The zero of the slope of `_log_share`, or 0 where it falls from there on."""
    if min(rates) > 0 and mp.fsum(1 / r for r in rates) <= 1:
        return mp.mpf(0)
    low, high = mp.mpf(0), mp.mpf(len(rates))
    for _ in range(2 * mp.prec):
        middle = (low + high) / 2
        low, high = (middle, high) if mp.fsum(1 / (r + middle) for r in rates) > 1 else (low, middle)
    return high


@statement
class TiltedBallChart:
    labels = ("DPS-TILTEDCHART",)
    given = (
        r"t_j\ge0,\ p=d-k,\ r_{ij}=g_j-g_{k+i},\ C_{jj}=1-\sum_i|Y_{ij}|^2,\ Z=\mathbb E e^{\sum_ig_iH_{ii}},\quad "
        r"Y_{ij}\sim\mathcal{CN}\big(0,\tfrac1{r_{ij}+t_j}\big)\text{ accepted with probability }"
        r"\mathbf 1[\|Y\|_2\le1]\,e^{-\sum_jt_jC_{jj}},\quad"
        r"\sum_i\tfrac1{r_{ij}+\tau_j}=1\text{ or }\tau_j=0,\ \sum_i\tfrac1{r_{ij}}\le1"
    )
    claim = {
        "probability of a point": r"e^{-\sum_jt_jC_{jj}}\le1",
        "ratio of densities": (
            r"\log\Big(e^{-\sum_jt_jC_{jj}}\prod_{ij}\frac{(r_{ij}+t_j)e^{-(r_{ij}+t_j)|Y_{ij}|^2}}"
            r"{r_{ij}e^{-r_{ij}|Y_{ij}|^2}}\Big)=\log\Big(e^{-\sum_jt_j}\prod_{ij}\frac{r_{ij}+t_j}{r_{ij}}\Big)"
        ),
        "accepted proposals": (
            r"\Pr[\text{accepted}]\le Z\,e^{-\sum_{j\le k}(g_j+t_j)}\prod_{i\le p,j\le k}(r_{ij}+t_j)"
            r"\prod_{j\le k}\tfrac{\Gamma(j)}{\Gamma(p+j)}"
        ),
        "best tilt": r"\sum_i\log(r_{ij}+t_j)-t_j\le\sum_i\log(r_{ij}+\tau_j)-\tau_j",
    }
    where = {
        "t_i": "the tilts, numbers that are not negative",
        r"\tau_i": "the best tilts",
        "Y": "proposal for the lower rows of the frame",
        "Y_i": "the entries of the proposal",
        "g_i": r"the eigenvalues of $`\kappa M`$, in descending order",
        "r_i": r"the rates of DPS-BALL: $`\kappa`$ times differences of eigenvalues",
        "C_i": "the diagonal of $`I-Y^*Y`$",
        "p": "number of the lower rows of the frame",
        "H_i": "the diagonal of a uniform projector of rank $`k`$",
        "Z": "normaliser of the orbit law",
    }
    verdict = Verdict.NEW
    uses = ("DPS-BALL",)
    note = "sampling.md#tilted-ball-chart"
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int]:
        """A point of the ball, a descending spectrum of ``kappa M``, a tilt for each column, and a seed."""
        y, gap = draw(points()), draw(st.sampled_from([1.0, 0.25, 4.0, 0.0]))
        k = y.shape[1]
        tilts = draw(st.lists(st.sampled_from([1.0, 0.25, 4.0, 0.0][: 4 if gap else 3]), min_size=k, max_size=k))
        g = draw(levels(sum(y.shape)))
        g[:k] += gap
        return y, g, np.array(tilts), draw(seeds())

    def fast(self, y: Any, g: Any, tilts: Any, seed: int) -> Parts:
        (p, k), rng = y.shape, np.random.default_rng(seed)
        rates = g[None, :k] - g[k:, None]
        raised, squares = rates + tilts, np.abs(y) ** 2
        lost = tilts @ (1 - np.sum(squares, axis=0))
        yield AtMost(np.exp(-lost), 1.0, part="probability of a point")
        if np.all(rates > 0):
            ratio = np.sum(np.log(raised) - raised * squares) - lost - np.sum(np.log(rates) - rates * squares)
            size = np.sum(raised + np.abs(np.log(rates)) + np.abs(np.log(raised)))
            yield Equal(ratio, np.sum(np.log(raised / rates)) - np.sum(tilts), scale=size, part="ratio of densities")
        draws = gaussian((DRAWS, p, k), "complex", rng) * raised**-0.5
        good = fast.spectral_norm(draws) <= 1
        good &= rng.exponential(size=DRAWS) > (1 - np.sum(np.abs(draws) ** 2, axis=1)) @ tilts
        top = (np.arange(len(g)) < k) * 1.0
        share = np.exp(log_acceptance(hciz.log_normaliser(g, top, 1.0), g, k, np.sum(np.log(raised))) - np.sum(tilts))
        yield Frequency(int(np.sum(good)), DRAWS, float(share), part="accepted proposals")
        for r, t in zip(rates.T, tilts, strict=True):
            best = best_tilt(r)
            size = p * (1 + np.max(r)) + t
            yield AtMost(np.sum(np.log(r + t)) - t, np.sum(np.log(r + best)) - best, scale=size, part="best tilt")

    def oracle(self, y: Matrix, g: Reals, tilts: Reals, _: int) -> Parts:
        p, k = y.rows, y.cols
        columns = [[abs(x) ** 2 for x in y[:, j]] for j in range(k)]
        rates = [[g[j] - low for low in g[k:]] for j in range(k)]
        lost = mp.fsum(t * (1 - mp.fsum(column)) for t, column in zip(tilts, columns, strict=True))
        yield AtMost(mp.exp(-lost), 1, part="probability of a point")
        if all(r > 0 for column in rates for r in column):
            entries = [(r, t, s) for j, t in enumerate(tilts) for r, s in zip(rates[j], columns[j], strict=True)]
            proposed = mp.fprod((r + t) * mp.exp(-(r + t) * s) for r, t, s in entries) * mp.exp(-lost)
            wanted = mp.fprod(r * mp.exp(-r * s) for r, t, s in entries)
            constant = mp.fprod((r + t) / r for r, t, _ in entries) * mp.exp(-mp.fsum(tilts))
            yield Equal(mp.log(proposed / wanted), mp.log(constant), part="ratio of densities")
        top = [1] * k + [0] * p
        mass = mp.fprod(r + t for column, t in zip(rates, tilts, strict=True) for r in column) * mp.exp(-mp.fsum(tilts))
        share = exact_ball(p, k) * mass / mp.exp(mp.fsum(g[:k]))
        accepted, bound = share * patterns.normaliser(g, top, 1), share * mp.exp(exact_hciz.log_normaliser(g, top, 1))
        yield AtMost(accepted, bound, part="accepted proposals")
        for column, t in zip(rates, tilts, strict=True):
            yield AtMost(_log_share(column, t), _log_share(column, _best(column)), part="best tilt")

    def tight(self) -> list[Any]:
        """Columns of length 1 with the best tilts; and a gap at which nearly all proposals are accepted."""
        return [
            (np.eye(2), np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0]), 0),
            (np.array([[0.5], [0.0]]), np.array([64.0, 1.0, 0.0]), np.array([2.0**-10]), 0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The point 0 with a tilt of -1, and a column of squared length 2 with one of 1."""

        def probability(t: int, square: int) -> AtMost:
            return AtMost(mp.exp(-t * (1 - square)), 1, part="probability of a point")

        return {"tilts are not negative": probability(-1, 0), "Y lies in the ball": probability(1, 2)}
