"""The printed noise of the private projection ``U'A + N`` is enough, but several times too large.

Row ``j`` of ``N`` has standard deviation ``rho`` times the largest entry of column ``j`` of ``U``, so a unit change of
a row of ``A`` shifts the output by at most ``sqrt(k) / rho`` standard deviations, all rows together. The printed
``rho`` is for the composition of ``k`` separate answers, one for each row, and five times or more the one at
which such a shift has exactly the given ``delta``. ``U`` must be public or released privately before; a zero column
needs no noise.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile as fast
from dpspectra.fast.roots import root
from dpspectra.formulas.leverage import gdp_mu
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.privacy.composition import advanced
from dpspectra.lemmas.privacy.power_method import profile_at_most
from dpspectra.oracle import gaussian_profile as oracle
from dpspectra.oracle import linalg
from dpspectra.strategies import deltas, epsilons, st, unitaries


def printed_scale(k: int, epsilon: float, delta: float) -> float:
    """Ratio of the standard deviation of the printed noise to the largest entry of its column, for ``k`` columns."""

    def excess(each: float) -> float:
        return float(advanced(k, each, 0.0, delta / 2)[0]) - epsilon

    return float(np.sqrt(2 * np.log(2.5 * k / delta))) / root(excess, 0.0, epsilon)


def _longest_shift(u: Any, scale: Any) -> Any:
    """Shift by a unit change of the worst row, in standard deviations; columns of ``u`` have independent noise."""
    u = linalg.exact(u)
    noise = [scale * mp.norm(u[:, j], mp.inf) for j in range(u.cols)]
    kept = [j for j in range(u.cols) if noise[j] > 0]
    return max(mp.norm([u[i, j] / noise[j] for j in kept]) for i in range(u.rows))


@statement
class Projection:
    labels = ("HR-L4.6",)
    given = (
        r"\rho=\tfrac1{\varepsilon_0}\sqrt{2\log\tfrac{5k}{2\delta}},\ "
        r"\sqrt{2k\log\tfrac2\delta}\,\varepsilon_0+k\varepsilon_0(e^{\varepsilon_0}-1)=\varepsilon;\quad "
        r"\mu_\rho^2=\max_i\sum_j\tfrac{U_{ij}^2}{\rho^2\max_lU_{lj}^2},\ "
        r"\delta_G\big(\varepsilon,\tfrac{\sqrt k}{\rho^*}\big)=\delta"
    )
    claim = {
        "shift of the output": r"\mu_\rho^2\le\tfrac k{\rho^2}",
        "smallest noise": r"\rho^*\le\rho",
        "delta of the smallest noise": r"\delta_G(\varepsilon,\mu_{\rho^*})\le\delta",
    }
    printed = r"The projection of Figure 3 is $`(\varepsilon,\delta)`$-DP."
    where = {
        r"\rho": "printed standard deviation of the noise for columns with entries of at most 1",
        r"\varepsilon_0": "privacy parameter of one row of the output, in nats",
        r"\rho^*": "smallest standard deviation that is enough for every basis",
        "k": "number of columns of $`U`$",
        "U_i": r"the entries of the public $`m\times k`$ matrix $`U`$; columns that are 0 have no noise",
        r"\mu_\rho": "Gaussian privacy of the projection with this noise",
        r"\mu_i": "Gaussian privacy with the smallest noise",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.ROW,)
    uses = ("HR-L4.6R", "HR-T2.6R")
    note = "privacy_spectral.md#the-projection-with-the-printed-noise"
    slack = {
        "smallest noise": Slack(
            0.19778, "the printed noise composes k separate answers; numerically this is where it is least too large"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Orthonormal columns, perhaps with entries set to 0, ``epsilon`` and ``delta``."""
        m = draw(st.integers(1, 5))
        u = draw(unitaries(m))[:, : draw(st.integers(1, m))]
        some = st.lists(st.booleans(), min_size=u.size, max_size=u.size)
        kept = draw(some) if draw(st.booleans()) else [True] * u.size
        return u * np.array(kept).reshape(u.shape), draw(epsilons(high=5.0)), draw(deltas(2.0**-30))

    def fast(self, u: Any, epsilon: float, delta: float) -> Parts:
        rho, k = printed_scale(u.shape[1], epsilon, delta), u.shape[1]
        smallest = np.sqrt(k) / fast.mu_for(epsilon, delta)
        mu, largest = (gdp_mu(u, scale * np.max(np.abs(u), axis=0)) for scale in (rho, smallest))
        yield AtMost(mu**2, k / rho**2, part="shift of the output")
        yield AtMost(smallest, rho, part="smallest noise")
        yield profile_at_most(epsilon, largest, delta, "delta of the smallest noise")

    def oracle(self, u: Any, epsilon: Real, delta: Real) -> Parts:
        k = u.shape[1]

        def excess(each: Any) -> Any:
            return mp.sqrt(2 * k * mp.log(2 / delta)) * each + k * each * (mp.exp(each) - 1) - epsilon

        each = mp.findroot(excess, (0, epsilon), solver="anderson")
        rho = mp.sqrt(2 * mp.log(mp.mpf(5) * k / 2 / delta)) / each
        smallest = mp.sqrt(k) / oracle.mu_for(epsilon, delta)
        yield AtMost(_longest_shift(u, rho) ** 2, k / rho**2, part="shift of the output")
        yield AtMost(smallest, rho, part="smallest noise")
        yield AtMost(oracle.profile(epsilon, _longest_shift(u, smallest)), delta, part="delta of the smallest noise")

    def tight(self) -> list[Any]:
        """Rows with the largest entry of every column; and one column where the printed noise is nearest to ours."""
        return [(np.array([[1, 1], [1, -1], [1, 1], [1, -1]]) / 2, 1.0, 2.0**-20), (np.array([[1.0]]), 5.0, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """The column (0.8, 0.6) without its first entry sets the smallest noise; and a row that changes by 1.01."""
        delta = mp.mpf(2) ** -20
        mu = oracle.mu_for(1, delta)

        def outcome(stretch: Any) -> AtMost:
            return AtMost(oracle.profile(1, stretch * mu), delta, part="delta of the smallest noise")

        return {
            "the noise belongs to the columns that are released": outcome(mp.mpf(4) / 3),
            "a row changes by at most 1": outcome(mp.mpf("1.01")),
        }
