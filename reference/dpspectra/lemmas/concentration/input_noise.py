"""Spectral norms of the noise of input perturbation, of order ``d sqrt(d log d)``, ``d`` or ``sqrt d``.

The rows are Laplace noise for ``(epsilon, 0)`` (JXZ-A1), one Wishart matrix (JXZ-A2), Gaussian noise for
``(epsilon, delta)``, and the difference of two Wishart matrices for ``(epsilon, 0)`` (JXZ-T4-R1); each bound holds with
probability at least ``1 - eta``. The difference lies between ``-W'`` and ``W``, so its norm is at most the larger of
theirs. The published table has orders of magnitude, ``d log d`` in place of ``d`` for the Wishart row, and lists that
row under ``(epsilon, 0)``: its noise is that small, but the mechanism is not private.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.formulas import laplace_norm, noise_norms
from dpspectra.ledger import AtMost, Frequency, Matrix, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration import laplace_matrix, projected_gaussian
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.wishart.one_sided_claim import OneSidedClaim
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import symmetric_noise, top_eigenvalue
from dpspectra.strategies import deltas, dyadics, psd, seeds, st


def gaussian_radius(eta: Any, d: Any) -> Any:
    """Norm that symmetric noise with standard normal entries exceeds with probability at most ``eta``."""
    return 2 * (np.sqrt(d) + np.sqrt(np.log(2 / eta)))


RADII: dict[str, Callable[[Any, Any], Any]] = {
    "laplace": laplace_norm.radius,
    "wishart": noise_norms.wishart,
    "gaussian": gaussian_radius,
    "difference": noise_norms.wishart_difference,
}


def _norms(row: str, d: int, rng: np.random.Generator) -> Any:
    """Norms of drawn matrices; for a difference the larger of the two norms."""
    if row in ("wishart", "difference"):
        matrices = 2 if row == "difference" else 1
        drawn = fast.spectral_norm(wishart.draws(d + 1, np.eye(d), matrices * TRIALS, rng))
        return drawn.reshape(matrices, TRIALS).max(axis=0)
    shape = TRIALS, d * (d + 1) // 2
    upper = rng.laplace(size=shape) if row == "laplace" else rng.standard_normal(shape)
    return fast.spectral_norm(fast.mirror(upper, d))


@statement
class InputNoise:
    labels = ("JXZ-Table1",)
    given = (
        r"\text{noise }bZ_{\mathrm{Lap}},\ cW,\ \sigma Z_N,\ c'(W-W'),\quad "
        r"b=\tfrac{2d}{n\varepsilon},\ c=\tfrac3{2n\varepsilon},\ c'=\tfrac1{n\varepsilon},\ W,W'\sim W_d(d+1,I);\quad "
        r"2^{d-1}\Pr[\chi^2_{2d}>x]=\eta,\ \tau(\eta)=\min\big\{x,\big(\sqrt d+\sqrt{d+1}"
        r"+\Phi^{-1}(1-\eta)\big)^2\big\},\quad\tau(\eta)=x\text{ if }\eta>\tfrac12"
    )
    claim = {
        "tail of the laplace norm": (
            r"\Pr\big[\|Z_{\mathrm{Lap}}\|_2>2\sqrt{d\log\tfrac{2d}\eta}+\log\tfrac{2d}\eta\big]\le\eta"
        ),
        "norm of a difference": r"W,W'\succeq0:\ \|W-W'\|_2\le\max\{\|W\|_2,\|W'\|_2\}",
        "growth of the radius": r"r(\eta,d)\le r(\tfrac\eta2,d+1)\text{ for each of the four radii}",
        "tail of the wishart norm": r"\Pr\big[\|W\|_2>\tau(\eta)\big]\le\eta",
        "tail of the gaussian norm": r"\Pr\big[\|Z_N\|_2>2\big(\sqrt d+\sqrt{\log\tfrac2\eta}\big)\big]\le\eta",
        "tail of the difference norm": r"\Pr\big[\max\{\|W\|_2,\|W'\|_2\}>\tau(\tfrac\eta2)\big]\le\eta",
    }
    printed = (
        r"Not at hand; read as: noise of order $`\frac{d\sqrt d}{n\varepsilon}`$ for Laplace and "
        r"$`\frac{d\log d}{n\varepsilon}`$ for Wishart noise, both $`(\varepsilon,0)`$-DP; and of order "
        r"$`\frac{\sqrt d}{n\varepsilon}\sqrt{\log\frac1\delta}`$ for Gaussian noise, "
        r"$`(\varepsilon,\delta)`$-DP."
    )
    where = {
        r"\sigma": "standard deviation of the normal noise",
        "W": "Wishart matrix",
        "W'": "another Wishart matrix, independent of the first one",
        "c": "scale of the one Wishart matrix",
        "c'": "scale of the two Wishart matrices",
        r"\tau": "quantile of the norm of $`W`$",
        "x": "quantile from the chi-squared law",
        r"\chi^2_{2d}": "chi-squared law with $`2d`$ degrees of freedom",
        "n": "number of rows of the data",
        "b": "scale of the Laplace noise",
        r"Z_{\mathrm{Lap}}": "symmetric Laplace noise of scale 1",
        "Z_N": "symmetric standard normal noise",
        "W_d": "Wishart law in $`d`$ dimensions, with these degrees of freedom and this scale matrix",
        "r(": (
            r"r(\eta,d)",
            r"number that a norm exceeds with probability at most $`\eta`$: right of the sign $`>`$ in the four tails",
        ),
    }
    verdict = Verdict.REPAIRED
    uses = ("JXZ-A1", "JXZ-A1-U", "JXZ-A2", "HP-LA.2", "JXZ-T4-R1", "JXZ-T4-X")
    note = "concentration.md#noise-of-input-perturbation"
    digits = 25
    examples = 15
    slack = {
        "tail of the laplace norm": Slack(0.087681, "the matrix Chernoff bound is strict, already for one number"),
        "tail of the gaussian norm": Slack(0.000195584, "one number is normal with variance 1, not 2 as for large d"),
        "growth of the radius": Slack(0.793305, "a larger dimension and a smaller level both enlarge the radius"),
    }

    def cases(self) -> Any:
        """A row of the table, dimension, probability of exceedance, two PSD matrices, and a seed."""
        return st.tuples(
            st.sampled_from(list(RADII)),
            st.integers(1, 2),
            dyadics(2.0**-6, 1 - 2.0**-6) | deltas(),
            st.integers(1, 4).flatmap(lambda d: st.tuples(psd(d), psd(d))),
            seeds(),
        )

    def fast(self, row: str, d: int, eta: float, pair: Any, seed: int) -> Parts:
        """How often the radius is exceeded; the norm of a difference; how the radius grows in ``d`` and ``1 / eta``."""
        above = np.sum(_norms(row, d, np.random.default_rng(seed)) > RADII[row](eta, d))
        yield Frequency(int(above), TRIALS, eta, part=f"tail of the {row} norm")
        one, other = pair
        larger = max(fast.spectral_norm(one), fast.spectral_norm(other))
        yield AtMost(fast.spectral_norm(one - other), larger, part="norm of a difference")
        yield AtMost(RADII[row](eta, d), RADII[row](eta / 2, d + 1), part="growth of the radius")

    def oracle(self, row: str, d: int, eta: Real, pair: tuple[Matrix, Matrix], _: int) -> Parts:
        matrices = 2 if row == "difference" else 1

        def radius(eta: Any, d: int) -> Any:
            if row == "laplace":
                return laplace_matrix.exact_sub_gamma(mp.log(2 * d / eta), d)
            if row == "gaussian":
                return 2 * mp.sqrt(d) + mp.sqrt(4 * mp.log(2 / eta))
            return projected_gaussian.exact_radius(eta / matrices, d, d + 1) ** 2

        if row == "laplace":
            above = symmetric_noise.laplace_norm_tail(radius(eta, d), d)
        elif row == "gaussian":
            above = symmetric_noise.gaussian_norm_tail(radius(eta, d), d)
        else:
            above = 1 - top_eigenvalue.wishart_cdf(radius(eta, d), d + 1, d) ** matrices
        yield AtMost(above, eta, scale=1, part=f"tail of the {row} norm")
        one, other = pair
        larger = max(oracle.spectral_norm(one), oracle.spectral_norm(other))
        yield AtMost(oracle.spectral_norm(one - other), larger, part="norm of a difference")
        yield AtMost(radius(eta, d), radius(eta / 2, d + 1), part="growth of the radius")

    def tight(self) -> list[Any]:
        """Every row in one dimension, beside a matrix and zero; a difference at a tiny level, and in two dimensions."""
        pair = np.diag([2.0, 1.0]), np.zeros((2, 2))
        rows = [(row, 1, 0.9375, pair, 0) for row in RADII]
        return [*rows, *(("difference", d, level, pair, 0) for d, level in ((1, 2.0**-24), (2, 0.25)))]

    def beyond(self) -> dict[str, AtMost]:
        """Three degrees of freedom in one dimension, beyond the radius for two at the level 1/10."""
        above = mp.gammainc(mp.mpf(3) / 2, -mp.log(mp.mpf(1) / 10), regularized=True)
        return {"d + 1 degrees of freedom": AtMost(above, mp.mpf(1) / 10, part="tail of the wishart norm")}

    as_printed = OneSidedClaim.as_printed  # the privacy that the Wishart row claims
    hypotheses = OneSidedClaim.hypotheses
    counterexample = OneSidedClaim.counterexample
    certificate = OneSidedClaim.certificate
