"""The repaired Algorithm 2 is as close to ``M`` as rank ``k`` allows, up to ``k t^2 + (4 (lambda_1 + t) / e_2) q_n``.

That is in squared Frobenius norm, on complex orbits, with probability at least ``1 - beta``. The noise that makes the
``k`` eigenvalues ``e_1``-DP exceeds ``t`` with probability at most ``beta / 2``, and a Gamma variable of shape
``n = d k - k (k + 1) / 2`` exceeds ``q_n`` with probability ``beta / 2``. The error splits into the tail of the
spectrum, the errors of the values, and twice the gap, whose bound grows with the *released* spread, at most
``lambda_1 + t``. Over the reals the covering bound takes the place of the Gamma law. If people are added or removed,
``t`` and the gap halve; so does ``t`` for ``k = 1``.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.formulas.orbit_accounting import CHANGES, inverse_temperature
from dpspectra.formulas.private_low_rank_error import bound, gap_bound, largest_shape
from dpspectra.formulas.spectrum_release import radius, scale
from dpspectra.formulas.utility_gap_domination import shape
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.orbit.exponential_algorithm import DRAWS, drawn_gaps
from dpspectra.lemmas.orbit.gap_domination import FEW
from dpspectra.lemmas.orbit.low_rank_mechanism import finished
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import roots as exact_roots
from dpspectra.oracle.patterns import free_cells, gamma_tail, gap_tail
from dpspectra.strategies import dimensions, epsilons, fields, seeds, st, unitaries
from dpspectra.strategies.orbits import levels

TOLERANCE = 1e-30
"""Largest residual of an equation that is solved for a quantile."""


class Case(NamedTuple):
    """Eigenvalues of ``M``, epsilon for eigenvalues and for eigenvectors, a relation, a failure probability, a seed.

    ``shares`` is the noise in units of its radius, the columns of ``u`` are eigenvectors of an output, and ``delta`` is
    the distance allowed between the law that is drawn from and the exact one.
    """

    values: Any
    first: float
    second: float
    relation: str
    shares: Any
    beta: float
    u: Any
    seed: int
    delta: float


def _covering_condition(
    values: Any, k: int, largest: Any, second: float, beta: float, relation: str, delta: float
) -> Equal:
    """State the condition of the covering argument over the reals, which its bound solves."""
    total, dimension = np.sum(values), len(values) * k
    real = gap_bound(len(values), k, largest, second, beta, relation, slack=delta, total=total)
    needed = dimension * np.log1p(4 * largest * total / real) + np.log(1 / beta) + delta
    return Equal(real, 2 * CHANGES[relation] * largest / second * needed, part="covering condition")


@statement
class PrivateLowRankError:
    labels = ("MWKTV-T2.3R",)
    given = (
        r"b=\tfrac{\min(k,c)}{\varepsilon_1},\ Z_i\sim\mathrm{Lap}(b)\ (i\le k),\ "
        r"t=b\log\tfrac1{1-(1-\beta/2)^{1/k}},\ n=dk-\tfrac{k(k+1)}2,\ q=q_n(\tfrac\beta2e^{-\delta}),\quad"
        r"\hat\lambda=\mathrm{sort}_\downarrow((\lambda+Z)_+),\ \hat s=\hat\lambda_1-\hat\lambda_d,\ "
        r"m=\tfrac{2c(\lambda_1+t)}{\varepsilon_2}"
    )
    claim = {
        "noise on the eigenvalues": r"\Pr[\max_{i\le k}|Z_i|>t]\le\tfrac\beta2",
        "radius of the noise": r"t\le b\log\tfrac{2k}\beta",
        "pairs of distinct values": r"\#\{i<j:\hat\lambda_i>\hat\lambda_j\}\le n",
        "squared error": (
            r"|Z_i|\le t:\ \|M-H\|_F^2-2\,\mathrm{gap}+\tfrac{2c\hat s}{\varepsilon_2}q\le\sum_{i>k}\lambda_i^2+kt^2+mq"
        ),
        "covering condition": (
            r"\text{real: }r=m\big(dk\log(1+\tfrac{4(\lambda_1+t)\operatorname{tr}M}r)+\log\tfrac2\beta+\delta\big)"
        ),
        "tail of the gap": r"\Pr[\mathrm{gap}>\tfrac{c\hat s}{\varepsilon_2}q]\le\tfrac\beta2e^{-\delta}",
    }
    where = {
        r"\lambda_i": "the eigenvalues of $`M`$, in descending order",
        r"\hat\lambda_i": "the released eigenvalues, clipped at 0 and sorted",
        r"\varepsilon_1": "privacy parameter of the released eigenvalues, in nats",
        r"\varepsilon_2": "privacy parameter of the released subspace, in nats",
        "t": "bound on the error of every released eigenvalue",
        r"\delta": "error of an approximate sampler: largest modulus of the logarithm of the ratio of densities",
        "H": r"point of the orbit of $`\hat\lambda`$; in the tail of the gap, drawn exactly as in MWKTV-A2R",
        "b": "scale of the Laplace noise on the eigenvalues",
        "c": "2 if one row is replaced, 1 if one is added or removed",
        "Z": "noise on the eigenvalues",
        "Z_i": "noise of an eigenvalue",
        r"\lambda": "the first $`k`$ eigenvalues of $`M`$",
        r"\hat\lambda": "released spectrum, completed by zeros",
        r"\mathrm{sort}_\downarrow": "sorting in descending order",
        r"\hat s": "spread of the released spectrum",
        "n": "largest number of pairs of distinct values of a released spectrum",
        "q": "quantile of the gap, in units of the temperature",
        "m": "twice the largest temperature",
        "r": "bound on the gap by covering numbers, over the reals",
        r"\mathrm{gap}": r"utility that is lost: $`\sum_i\lambda_i\hat\lambda_i-\langle M,H\rangle`$",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-A2R", "MWKTV-E22", "MWKTV-N1", "MWKTV-T7.1", "MWKTV-L6.5")
    note = "orbit.md#error-of-the-repaired-algorithm-2"
    digits = 40
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        d = draw(dimensions())
        values, k = draw(levels(d)) * draw(st.sampled_from([1.0, 16.0])), draw(st.integers(1, d))
        values = values - min(values[-1], 0.0)
        first, second = draw(epsilons(0.25, 8.0)), draw(epsilons(2.0**-5, 4.0))
        relation = draw(st.sampled_from(["replace", "add_remove"]))
        shares = draw(st.lists(st.sampled_from([1.0, 0.5, 0.0, -0.5, -1.0]), min_size=k, max_size=k))
        beta, u = draw(st.sampled_from([0.5, 0.25, 2.0**-7])), draw(unitaries(len(values), draw(fields())))
        delta = draw(st.sampled_from([0.0, 0.25, 1.0]))
        return Case(values, first, second, relation, np.array(shares), beta, u, draw(seeds()), delta)

    def fast(
        self,
        values: Any,
        first: float,
        second: float,
        relation: str,
        shares: Any,
        beta: float,
        u: Any,
        seed: int,
        delta: float,
    ) -> Parts:
        k, d, rng = len(shares), len(values), np.random.default_rng(seed)
        t = radius(k, first, beta / 2, relation)
        beyond = np.max(np.abs(rng.laplace(scale=scale(k, first, relation), size=(DRAWS, k))), axis=1) > t
        released = finished(values[:k] + shares * t, d)
        h, spread = (u * released) @ fast.adjoint(u), released[0] - released[-1]
        apart, gap = fast.frobenius_norm(np.diag(values) - h), values @ released - np.real(np.diag(h)) @ values
        most = gap_bound(d, k, spread, second, beta / 2, relation, slack=delta) if spread else 0.0
        whole = bound(values, k, first, second, beta, relation, slack=delta)
        yield Frequency(int(np.sum(beyond)), DRAWS, beta / 2, part="noise on the eigenvalues")
        yield AtMost(t, scale(k, first, relation) * np.log(2 * k / beta), part="radius of the noise")
        yield AtMost(shape(released), largest_shape(d, k), part="pairs of distinct values")
        yield AtMost(apart**2 - 2 * gap + 2 * most, whole, scale=whole + values @ values, part="squared error")
        yield _covering_condition(values, k, values[0] + t, second, beta / 2, relation, delta)
        if d > FEW or not spread or values[0] == values[-1]:
            return
        gaps = drawn_gaps(values, released, inverse_temperature(released, second, relation), rng)
        allowed = float(beta / 2 * np.exp(-delta))  # an inexact law has at most e^delta times the probability
        yield Frequency(int(np.sum(gaps > most)), DRAWS, allowed, part="tail of the gap")

    def oracle(
        self,
        values: Reals,
        first: Real,
        second: Real,
        relation: str,
        shares: Any,
        beta: Real,
        u: Matrix,
        _: int,
        delta: Real,
    ) -> Parts:
        k, d, change = len(shares), len(values), CHANGES[relation]
        b = (1 if k == 1 else change) / first
        allowed = beta / 2 * mp.exp(-delta)
        t, n = -b * mp.log(1 - mp.root(1 - beta / 2, k)), d * k - k * (k + 1) // 2
        top = sorted((max(v + s * t, mp.mpf(0)) for v, s in zip(values, shares, strict=False)), reverse=True)
        released = [*top, *[mp.mpf(0)] * (d - k)]
        m, h, spread = mp.diag(values), u * mp.diag(released) * u.H, released[0] - released[-1]
        gap, square = mp.fdot(values, released) - oracle.inner(m, h), oracle.inner(m - h, m - h)
        level = mp.findroot(lambda x: mp.log(gamma_tail(n, x)) - mp.log(allowed), n, tol=TOLERANCE) if n else mp.mpf(0)
        whole = mp.fdot(values[k:], values[k:]) + k * t**2 + 2 * change / second * (values[0] + t) * level
        most, rate = change * spread / second * level, second / (change * (values[0] + t))
        cover = 4 * (values[0] + t) * mp.fsum(values)

        def too_small(gap: Any) -> bool:
            return bool((1 + cover / gap) ** (d * k) > allowed * mp.exp(rate * gap / 2))

        real, _ = exact_roots.bisect(too_small, *exact_roots.bracket(too_small))
        yield AtMost(1 - (1 - mp.exp(-t / b)) ** k, beta / 2, part="noise on the eigenvalues")
        yield AtMost(t, b * mp.log(2 * k / beta), part="radius of the noise")
        yield AtMost(len(free_cells(released)), n, part="pairs of distinct values")
        yield AtMost(square - 2 * gap + 2 * most, whole, scale=whole + mp.fdot(values, values), part="squared error")
        yield Equal(real, 2 / rate * (d * k * mp.log(1 + cover / real) - mp.log(allowed)), part="covering condition")
        if d > FEW or not spread or values[0] == values[-1]:
            return
        yield AtMost(gap_tail(values, released, second / (change * spread), most), allowed, part="tail of the gap")

    def tight(self) -> list[Any]:
        """Noise that raises the released values, one or both; large matrices, whose gap is a Gamma variable."""
        up, quarter = np.array([1.0]), 0.25
        return [
            Case(np.array([2.0, 1.0, 0.0]), 1.0, 1.0, "replace", up, quarter, np.eye(3), 0, 0.0),
            Case(np.array([1000.0, 0.0]), 1.0, 1.0, "replace", up, quarter, np.eye(2), 1, 0.25),
            Case(np.array([1e150, 0.0, 0.0, 0.0, 0.0]), 1.0, 1.0, "replace", up, quarter, np.eye(5), 2, 0.25),
            Case(np.array([2.0, 1.0]), 1.0, 1.0, "replace", np.ones(2), quarter, np.eye(2), 3, 0.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """The radius of one value for ten; a pair left out of the shape, for a large matrix; a law off by ``delta``."""
        eighth, radius_of_one = mp.mpf(1) / 8, mp.log(8)
        high, released = [mp.mpf(800), mp.mpf(500), mp.mpf(0)], [mp.mpf(3), mp.mpf(1), mp.mpf(0)]
        exact = gap_tail([mp.mpf(800), mp.mpf(0)], [mp.mpf(1), mp.mpf(0)], mp.mpf(1), mp.log(8))
        shape_two = mp.findroot(lambda x: mp.log(gamma_tail(2, x)) - mp.log(eighth), 2, tol=TOLERANCE)
        fewer = gap_tail(high, released, mp.mpf(1), shape_two)
        return {
            "a radius for all k values": AtMost(1 - (1 - mp.exp(-radius_of_one)) ** 10, eighth),
            "the number of pairs of a spectrum of rank k": AtMost(fewer, eighth),
            "delta, for an inexact law": AtMost(mp.exp(mp.mpf(1) / 4) * exact, eighth),
        }
