"""Releasing ``U'A + N`` when one row of ``A`` moves by at most 1 is exactly as private as one Gaussian number.

``U`` is public; ``N`` has independent rows of standard deviation ``s_j``. A change ``e`` of row ``i`` shifts the output
by ``U_i e'``, of length ``mu_i = |e| sqrt(sum_j U_ij^2 / s_j^2)`` in units of the noise, and two shifted Gaussians in
any dimension are as distinguishable as on a line with the same distance. With equal ``s_j`` the sensitivity is the root
of the largest leverage, the same for every orthonormal basis of the span. A nonzero column needs ``s_j > 0``; for
longer changes ``mu`` grows in proportion.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast import gaussian_profile as fast_gaussian
from dpspectra.formulas.leverage import gdp_mu, leverage_sensitivity
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Reals, Relation, Verdict, statement
from dpspectra.lemmas.arithmetic.quantised_step import HADAMARD
from dpspectra.oracle import gaussian_profile as oracle_gaussian
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import epsilons, neighbours, seeds, st, unitaries

TRIALS = 10_000
"""Random draws of the noise in a case."""


@statement
class Leverage:
    labels = ("HR-L4.6R",)
    given = (
        r"\mu=\max_i\|\operatorname{diag}(\sigma)^{-1}U^\top e_i\|,\ "
        r"\|e_i^\top(A'-A)\|\le1\text{ for one }i,\text{ else }0"
    )
    claim = {
        "profile of a pair": (
            r"\delta_G(\varepsilon,\|\operatorname{diag}(\sigma)^{-1}U^\top(A'-A)\|_F)\le\delta_G(\varepsilon,\mu)"
        ),
        "formula for mu": r"\mu=\max_i\sqrt{\sum_jU_{ij}^2/\sigma_j^2}",
        "probability of a large loss": r"\Pr[L>\varepsilon]\le\Phi\big(\tfrac\mu2-\tfrac\varepsilon\mu\big)",
        "noise by largest entries": r"\sigma_j=\max_i|U_{ij}|:\ \mu\le\sqrt k",
        "invariance under rotation": r"O^\top O=I:\ \max_i\|O^\top U^\top e_i\|=\max_i\|U^\top e_i\|",
        "leverage by largest entries": r"\max_i\|U^\top e_i\|^2\le\sum_j\max_iU_{ij}^2",
    }
    where = {
        r"\mu": "largest length of a row of $`U`$ in units of the noise",
        "A": "matrix of the data",
        "A'": "neighbouring matrix, one row of which differs",
        "U": r"public $`m\times k`$ matrix",
        "U_i": "its entries",
        "e_i": "the axes",
        "k": "number of columns of the public matrix",
        r"\sigma": "standard deviations of the noise in the rows of the output",
        r"\sigma_i": "its entries",
        "L": "logarithm of the ratio of the densities for $`A`$ and for $`A'`$, at an output for $`A`$",
        "O": "rotation of the columns",
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-D2.1", "HR-T2.6R")
    exact = ("formula for mu", "invariance under rotation")
    note = "sensitivity.md#leverage"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[tuple[Any, Any], Any, Any, Any, float, int]:
        """Neighbours, the columns ``U``, standard deviations of the noise, a rotation, ``epsilon`` and a seed.

        Orthonormal columns with some rows and perhaps a column set to 0.
        """
        m, n = draw(st.integers(1, 4)), draw(st.integers(1, 3))
        k = draw(st.integers(1, m))
        u = draw(unitaries(m))[:, :k] * np.array(draw(st.lists(st.booleans(), min_size=m, max_size=m)))[:, None]
        u[:, 0] *= draw(st.sampled_from([1.0, 0.0]))
        deviations = np.array(draw(st.lists(st.sampled_from([1.0, 0.5, 3.0]), min_size=k, max_size=k)))
        deviations *= np.any(u != 0, axis=0)  # a zero column needs no noise
        pair, turn = draw(neighbours("row", m, n)), draw(unitaries(k))
        return pair, u, deviations, turn, draw(epsilons(2**-6, 4.0)), draw(seeds())

    def fast(self, pair: Any, u: Any, deviations: Any, turn: Any, epsilon: float, seed: int) -> Parts:
        (a, other), kept = pair, deviations > 0
        s, v = deviations[kept][:, None], u[:, kept]
        mu, columns = gdp_mu(u, deviations), np.max(np.abs(u), axis=0)
        before, after = v.T @ a, v.T @ other
        seen = before + s * np.random.default_rng(seed).standard_normal((TRIALS, *before.shape))
        log_ratio = np.sum(((seen - after) / s) ** 2 - ((seen - before) / s) ** 2, axis=(1, 2)) / 2
        moved = float(np.linalg.norm((after - before) / s))
        rate = ndtr(mu / 2 - epsilon / mu) if mu > 0 else 0.0
        of_pair, largest = (fast_gaussian.profile(epsilon, size) for size in (moved, mu))
        yield AtMost(of_pair, largest, scale=1.0, part="profile of a pair")
        yield Equal(max((np.linalg.norm(row / s[:, 0]) for row in v), default=0.0), mu, part="formula for mu")
        yield Frequency(int(np.sum(log_ratio > epsilon)), TRIALS, float(rate), part="probability of a large loss")
        yield AtMost(gdp_mu(u, columns), np.sqrt(u.shape[1]), part="noise by largest entries")
        yield Equal(leverage_sensitivity(u @ turn), leverage_sensitivity(u), part="invariance under rotation")
        yield AtMost(leverage_sensitivity(u) ** 2, np.sum(columns**2), part="leverage by largest entries")

    def oracle(
        self, pair: tuple[Matrix, Matrix], u: Matrix, deviations: Reals, turn: Matrix, epsilon: Real, _: int
    ) -> Parts:
        """Every shift is computed as a matrix, for the pair and for a unit change of each row."""
        (a, other), m, k = pair, u.rows, u.cols
        columns = [max(abs(u[i, j]) for i in range(m)) for j in range(k)]

        def shift(frame: Any, change: Any, units: Any) -> Any:
            moved = oracle.adjoint(frame) * change
            return mp.norm([moved[j, b] / units[j] for j in range(k) if units[j] > 0 for b in range(moved.cols)])

        def worst(frame: Any, units: Any) -> Any:
            rows = [mp.matrix([int(i == place) for i in range(m)]) for place in range(m)]
            return max(shift(frame, row, units) for row in rows)

        moved, mu, ones = shift(u, other - a, deviations), worst(u, deviations), [mp.mpf(1)] * k
        formula = max(
            mp.sqrt(mp.fsum((u[i, j] / deviations[j]) ** 2 for j in range(k) if deviations[j] > 0)) for i in range(m)
        )

        def rate(size: Any) -> Any:
            """Probability of a loss above epsilon: losses are normal of mean size^2 / 2, variance size^2."""
            return oracle_gaussian.cdf(size / 2 - epsilon / size) if size > 0 else mp.mpf(0)

        of_pair, largest = (oracle_gaussian.profile(epsilon, size) for size in (moved, mu))
        yield AtMost(of_pair, largest, scale=1, part="profile of a pair")
        yield Equal(mu, formula, part="formula for mu")
        yield AtMost(rate(moved), rate(mu), part="probability of a large loss")
        yield AtMost(worst(u, columns), mp.sqrt(k), part="noise by largest entries")
        yield Equal(worst(u * turn, ones), worst(u, ones), part="invariance under rotation")
        yield AtMost(worst(u, ones) ** 2, mp.fsum(c**2 for c in columns), part="leverage by largest entries")

    def tight(self) -> list[Any]:
        """A unit change of a row; rows of a Hadamard matrix, whose entries are all maximal; also far in the tail."""
        a = np.zeros((4, 2))
        pair = a, a + np.outer(np.eye(4)[2], [0.0, 1.0])
        return [(pair, HADAMARD[:, :3], np.array([1.0, 0.5, 3.0]), np.eye(3), epsilon, 0) for epsilon in (1.0, 2.5)]

    def beyond(self) -> dict[str, AtMost]:
        """One row of leverage 1 changes by a vector of norm 2: its shift is twice ``mu = 1``."""
        seen, stated = (oracle_gaussian.profile(mp.mpf(1), mp.mpf(mu)) for mu in (2, 1))
        return {"a row changes by at most 1": AtMost(seen, stated)}
