"""Low-rank error without pruning, in the printed order, with its smallest constants.

The order is ``tau_k + (log(k/delta) / epsilon) (sqrt(k m) + k sqrt(n (r mu0 + k) log m / m))``, for noise larger by
``sqrt k`` than ours. Nothing has to be pruned, so what the printed algorithm leaves open about pruning does not matter
here.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import gaussian_profile
from dpspectra.ledger import AtMost, Parts, Real, Relation, Verdict, all_parts, statement
from dpspectra.lemmas.incoherence.range_error import mean_leverage, mean_square
from dpspectra.lemmas.incoherence.row_norm_error_printed import FIRST, TAIL, exact_printed_variance, printed_noise
from dpspectra.lemmas.privacy.projection import printed_scale
from dpspectra.oracle.gaussian_profile import mu_for
from dpspectra.strategies import deltas, dyadics, epsilons, st

OURS, PRINTED = 56.7163, 444.4993
"""Constants of the last term with our noise and with the printed noise; those of the first terms are as in HR-T6.2."""


class Setting(NamedTuple):
    """Rank ``k`` asked for, shape of the matrix, its rank, coherence and ``tau_k``, and the privacy parameters."""

    k: int
    rows: int
    n: int
    rank: int
    mu0: float
    tail: float
    epsilon: float
    delta: float


@statement
class PrintedRangeError:
    labels = ("HR-T6.3", "HR-T1.2")
    given = (
        r"\varepsilon\le5,\ \delta\le\tfrac12,\ m\ge\max\{k',r\},\quad "
        r"s=\tfrac4\varepsilon\sqrt{k'\log\tfrac{8k'}\delta\log\tfrac5\delta},\ "
        r"\delta_G(\tfrac\varepsilon2,\mu)=\tfrac\delta2,\quad\lambda=\min"
        r"\{1,\tfrac1m(r\mu_0+k'+2\sqrt{2k'\log m}+4\log m+1)\},\quad\rho"
        r"=\tfrac1{\varepsilon_0}\sqrt{2\log\tfrac{5k'}\delta},\ \sqrt{2k'\log\tfrac4\delta}\,\varepsilon_0"
        r"+k'\varepsilon_0(e^{\varepsilon_0}-1)=\tfrac\varepsilon2;\quad"
        r"\|A-QB\|_F^2\le10\,\mathbb E\|A-QB\|_F^2\text{ w.p. }\tfrac9{10},\ "
        r"\mathbb E\|A-QB\|_F^2\le2\tau_k^2+(m+1)s^2+k'n\lambda/\mu^2\text{ or }k'n\lambda\rho^2"
    )
    claim = {
        "term of the range finder": r"\sqrt{10(m+1)}\,s\le\tfrac{\log(k/\delta)}\varepsilon\,108.9671\sqrt{km}",
        "term of the projection with our noise": (
            r"\sqrt{10k'n\lambda/\mu^2}\le\tfrac{\log(k/\delta)}\varepsilon\,56.7163\,k\sqrt{\tfrac nmr\mu_0\log m}"
        ),
        "error with our noise": (
            r"\sqrt{10(2\tau_k^2+(m+1)s^2+k'n\lambda/\mu^2)}\le\sqrt{20}\,\tau_k+\tfrac{\log(k/\delta)}\varepsilon"
            r"\Big(108.9671\sqrt{km}+56.7163\,k\sqrt{\tfrac nmr\mu_0\log m}\Big)"
        ),
        "term of the projection with the printed noise": (
            r"\sqrt{10k'n\lambda\rho^2}\le\tfrac{\log(k/\delta)}\varepsilon\,444.4993\,k"
            r"\sqrt{\tfrac nm(r\mu_0+k)\log m}"
        ),
        "error with the printed noise": (
            r"\sqrt{10(2\tau_k^2+(m+1)s^2+k'n\lambda\rho^2)}\le\sqrt{20}\,\tau_k+\tfrac{\log(k/\delta)}\varepsilon"
            r"\Big(108.9671\sqrt{km}+444.4993\,k\sqrt{\tfrac nm(r\mu_0+k)\log m}\Big)"
        ),
    }
    printed = {
        "HR-T6.3": (
            r"Not at hand; read as: $`\lVert A-B\rVert_F\le "
            r"O(\tau_k)+O\big(\frac{\log(k/\delta)}\varepsilon\big)\big(\sqrt{km}+k\sqrt{\frac{nr\mu_0\log "
            r"m}m}\big)`$ for $`\mu_0`$-coherent matrices of rank $`r`$, if $`m`$ is large enough."
        ),
        "HR-T1.2": (
            r"Not at hand; read as the informal version of Theorem 6.3, such as $`\sqrt m+\sqrt{\frac nm}`$ "
            r"for small $`k`$, $`r`$ and $`\mu_0`$."
        ),
    }
    where = {
        r"\lambda": "bound on the mean of the largest leverage of $`Q`$",
        r"\rho": "standard deviation of the printed noise for columns with entries of at most 1 (HR-L4.6)",
        r"\varepsilon_0": "privacy parameter of one row of the output, in nats",
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.ROW,)
    uses = ("HR-T6.3R", "HR-L6.1", "HR-L4.6", "HR-T6.2")
    note = "incoherence.md#printed-error-for-incoherent-ranges"

    def cases(self) -> Any:
        return st.builds(
            Setting,
            st.integers(1, 200),
            st.integers(1, 10**6),
            st.integers(1, 10**8),
            st.integers(1, 1000),
            dyadics(1, 64),
            dyadics(0, 64),
            epsilons(2.0**-7, 5.0),
            deltas(),
        )

    def fast(
        self, k: int, rows: int, n: int, rank: int, mu0: float, tail: float, epsilon: float, delta: float
    ) -> Parts:
        """With our noise of the projection, and with the printed one (set by the largest entry of each column)."""
        width, m = 2 * k + 1, max(rows, 2 * k + 1, rank)
        noise, scale = printed_noise(width, epsilon, delta), np.log(k / delta) / epsilon
        leverage = mean_leverage(rank, mu0, m, width)
        first, room = scale * FIRST * np.sqrt(float(k) * m), np.log(m) * n / m
        yield AtMost(np.sqrt(10 * (m + 1)) * noise, first, part="term of the range finder")
        for name, mu, constant, share in (
            ("our noise", gaussian_profile.mu_for(epsilon / 2, delta / 2), OURS, rank * mu0),
            ("the printed noise", 1 / printed_scale(width, epsilon / 2, delta / 2), PRINTED, rank * mu0 + k),
        ):
            last = scale * constant * k * np.sqrt(share * room)
            measured = mean_square(0.0, (m, n), k, 0.0, mu, leverage)
            whole = mean_square(tail, (m, n), k, noise, mu, leverage)
            yield AtMost(np.sqrt(10 * measured), last, part=f"term of the projection with {name}")
            yield AtMost(np.sqrt(10 * whole), TAIL * tail + first + last, part=f"error with {name}")

    def oracle(self, k: int, rows: int, n: int, rank: int, mu0: Real, tail: Real, epsilon: Real, delta: Real) -> Parts:
        width, m = 2 * k + 1, max(rows, 2 * k + 1, rank)
        square, logarithm = exact_printed_variance(width, epsilon, delta), mp.log(m)
        leverage = min(1, (rank * mu0 + width + 2 * mp.sqrt(2 * width * logarithm) + 4 * logarithm + 1) / m)
        scale, room, half = mp.log(k / delta) / epsilon, logarithm * n / m, epsilon / 2

        def spent(each: Any) -> Any:
            return mp.sqrt(2 * width * mp.log(4 / delta)) * each + width * each * mp.expm1(each) - half

        rho = mp.sqrt(2 * mp.log(5 * width / delta)) / mp.findroot(spent, (0, half), solver="anderson")
        ours, theirs = (width * n * leverage * x for x in (1 / mu_for(half, delta / 2) ** 2, rho**2))
        last_of_ours = scale * mp.mpf(OURS) * k * mp.sqrt(rank * mu0 * room)
        last_of_theirs = scale * mp.mpf(PRINTED) * k * mp.sqrt((rank * mu0 + k) * room)
        first, found = scale * mp.mpf(FIRST) * mp.sqrt(k * m), 2 * tail**2 + (m + 1) * square
        before = mp.sqrt(20) * tail + first
        yield AtMost(mp.sqrt(10 * (m + 1) * square), first, part="term of the range finder")
        yield AtMost(mp.sqrt(10 * ours), last_of_ours, part="term of the projection with our noise")
        yield AtMost(mp.sqrt(10 * (found + ours)), before + last_of_ours, part="error with our noise")
        yield AtMost(mp.sqrt(10 * theirs), last_of_theirs, part="term of the projection with the printed noise")
        yield AtMost(mp.sqrt(10 * (found + theirs)), before + last_of_theirs, part="error with the printed noise")

    def tight(self) -> list[Any]:
        """A flat line in 27 dimensions, one column or so many that the last term is all; three rows and a huge tail."""
        few_and_many = [Setting(1, 27, n, 1, 1.0, 0.0, 5.0, 0.5) for n in (1, 2**60)]
        return [*few_and_many, Setting(1, 3, 1, 1, 1.0, 2.0**40, 5.0, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """The first tight instance with one number outside its range."""
        flat_line = Setting(1, 27, 1, 1, 1.0, 0.0, 5.0, 0.5)
        return {
            "epsilon is at most 5": all_parts(self.oracle(*flat_line._replace(epsilon=6.0)))[3],
            "delta is at most 1/2": all_parts(self.oracle(*flat_line._replace(delta=0.75)))[3],
            "the coherence is at least 1": all_parts(self.oracle(*flat_line._replace(mu0=2.0**-4)))[1],
        }
