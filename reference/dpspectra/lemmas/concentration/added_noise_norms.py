"""DPS-NOISENORM: norms of the noise that releases add, normal of both shapes, and of tilted Wishart matrices.

``u'Zu`` moves no more than ``2 <g, u>`` does, so the largest eigenvalue of normal noise has a mean of at most ``2 sqrt
d``; it is convex and ``sqrt 2``-Lipschitz, and so exceeds that by ``sqrt 2 z`` at most as often as a normal number
exceeds ``z``. The best shape is the ensemble with variance 2 on the diagonal without a part of its trace, which only
adds to the mean. Tilted noise lies between ``-T' B`` and ``T A`` with directions as without the tilt; the law of the
larger trace has at most ``R`` times its density without the tilt, so that two Wishart tails, ``R`` times, suffice.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaln

from dpspectra.fast import linalg as fast
from dpspectra.fast import trace_noise
from dpspectra.formulas import noise_norms
from dpspectra.ledger import AtMost, Frequency, Outcome, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.lemmas.concentration.projected_gaussian import exact_radius
from dpspectra.oracle import symmetric_noise
from dpspectra.strategies import deltas, dyadics, seeds, st

FEWER = 400
"""Number of matrices that are drawn one by one."""


def _shape_tail(s: Any, d: int) -> Any:
    """Probability that the best shape has a norm above ``s``: half its trace and a vector, normal, in the plane."""
    if d == 1:
        return mp.erfc(s / mp.sqrt(2))
    return 1 - mp.quad(lambda r: r * mp.exp(-r * r / 2) * mp.erf((s - r) * mp.sqrt(mp.mpf(3) / 2)), [0, s / 2, s])


def _tilted_tail(x: Any, d: int) -> Any:
    """Probability that ``T |A|`` or ``T' |B|`` exceeds ``x``.

    In the plane ``|A|`` is at most ``s`` with probability ``(2 s - 1)^2``; that of ``T' / T`` is integrated by hand.
    """
    whole = d * (d + 1)
    if d == 1:
        return mp.gammainc(whole, x, regularized=True)

    def given(t: Any) -> Any:
        y = x / t
        both = (2 * y - 1) ** 2 * (1 - 6 * y + 12 * y**2 - 6 * y**3)
        return t ** (whole - 1) * mp.exp(-t) / mp.gamma(whole) * (1 - both)

    return mp.quad(given, [x, 2 * x]) + mp.gammainc(whole, 2 * x, regularized=True)


@statement
class AddedNoiseNorms:
    labels = ("DPS-NOISENORM",)
    given = (
        r"r=2\sqrt d-\sqrt2\,\Phi^{-1}(\tfrac\eta2),\ D=\tfrac{d(d+1)}2,\ "
        r"R=\frac{\Gamma(D)}{\Gamma(2D)}\Big(\frac{4D}e\Big)^D,\ \Pr[\|W\|_2>\tau(\eta)]\le\eta"
    )
    claim = {
        "tail of the norm of the triangle": r"\Pr[\|Z\|_2>r]\le\eta",
        "tail of the norm of the shape": r"\Pr[\|Z_0\|_2>r]\le\eta",
        "density of the larger trace": r"f_T(t)\le R\,f_{\operatorname{tr}W}(t)",
        "tail of the tilted norm": r"\Pr\Big[\max\{T\|A\|_2,T'\|B\|_2\}>\tau\Big(\frac\eta{2R}\Big)\Big]\le\eta",
    }
    where = {
        "Z": "symmetric standard normal noise, independent on and above the diagonal",
        "Z_0": "normal noise of the shape of least mean square, of variance 1 off the diagonal",
        "r": "radius for normal noise",
        "W": "Wishart matrix of $`d+1`$ degrees of freedom and scale 1",
        r"\tau": "quantile of its norm, as in HP-LA.2",
        "T": "larger trace of the two Wishart matrices under the tilt",
        "T'": "smaller trace of the two",
        "A": "direction of the first one, a Wishart matrix over its trace",
        "B": "direction of the second one",
        "t": "value of a trace",
        "f_T": "density of the larger trace under the tilt",
        r"f_{\operatorname{tr}W}": "density of the trace of one Wishart matrix",
        "R": "largest ratio of the two densities, at most $`4/e`$",
        "D": "dimension of the symmetric matrices",
    }
    verdict = Verdict.NEW
    uses = ("HP-LA.2", "JXZ-Table1", "DPS-SHAPE", "DPS-TILT")
    note = "concentration.md#spectral-norms-of-normal-and-tilted-noise"
    digits = 25
    examples = 15
    slack = {
        "tail of the norm of the triangle": Slack(0.0540270, "the norm of a few numbers is below the mean for large d"),
        "tail of the norm of the shape": Slack(0.0672415, "the norm of a few numbers is below the mean for large d"),
        "tail of the tilted norm": Slack(0.3558827, "two Wishart matrices partly cancel, and traces are rarely near R"),
    }

    def cases(self) -> Any:
        """Dimension, probability of exceedance, a trace, and a seed."""
        return st.tuples(st.integers(1, 2), dyadics(2.0**-6, 1 - 2.0**-6) | deltas(), dyadics(2.0**-4, 32.0), seeds())

    def fast(self, d: int, eta: float, t: float, seed: int) -> Parts:
        """How often norms of drawn noise exceed their radii; the densities at a trace."""
        rng, radius = np.random.default_rng(seed), noise_norms.normal(eta, d)
        free = rng.standard_normal((TRIALS, d * (d + 1) // 2))
        above = np.sum(fast.spectral_norm(fast.mirror(free, d)) > radius)
        yield Frequency(int(above), TRIALS, eta, part="tail of the norm of the triangle")
        shaped = np.array([trace_noise.gaussian(d, 1.0, rng) for _ in range(FEWER)])
        above = np.sum(fast.spectral_norm(shaped) > radius)
        yield Frequency(int(above), FEWER, eta, part="tail of the norm of the shape")
        half = d * (d + 1) / 2
        tilted = np.exp((2 * half - 1) * np.log(t) - t - gammaln(2 * half))
        plain = np.exp((half - 1) * np.log(t) - t / 2 - half * np.log(2) - gammaln(half))
        yield AtMost(tilted, noise_norms.trace_ratio(d) * plain, part="density of the larger trace")
        norms = [trace * self._directions(d, rng) for trace in trace_noise.traces(d, TRIALS, rng)]
        above = np.sum(np.maximum(*norms) > noise_norms.tilted_wishart(eta, d))
        yield Frequency(int(above), TRIALS, eta, part="tail of the tilted norm")

    @staticmethod
    def _directions(d: int, rng: np.random.Generator) -> Any:
        """Norms of Wishart matrices over their traces."""
        g = rng.standard_normal((TRIALS, d, d + 1))
        return fast.spectral_norm(g) ** 2 / np.sum(g**2, axis=(1, 2))

    def oracle(self, d: int, eta: Real, t: Real, _seed: int) -> Parts:
        radius = 2 * mp.sqrt(d) + 2 * mp.erfinv(1 - eta)
        triangle = symmetric_noise.gaussian_norm_tail(radius, d)
        yield AtMost(triangle, eta, scale=1, part="tail of the norm of the triangle")
        yield AtMost(_shape_tail(radius, d), eta, scale=1, part="tail of the norm of the shape")
        half = mp.mpf(d * (d + 1)) / 2
        tilted = t ** (2 * half - 1) * mp.exp(-t) / mp.gamma(2 * half)
        plain = t ** (half - 1) * mp.exp(-t / 2) / (2**half * mp.gamma(half))
        most = mp.gamma(half) / mp.gamma(2 * half) * (4 * half / mp.e) ** half
        yield AtMost(tilted, most * plain, part="density of the larger trace")
        far = exact_radius(eta / (2 * most), d, d + 1) ** 2
        yield AtMost(_tilted_tail(far, d), eta, scale=1, part="tail of the tilted norm")

    def tight(self) -> list[Any]:
        """The trace at which the densities are farthest apart, at a likely level, in both dimensions."""
        return [(1, 0.9375, 2.0, 0), (2, 0.9375, 6.0, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """One number of standard deviation 10, at the radius for 1 and the level 1/20."""
        eta = mp.mpf(1) / 20
        radius = 2 + 2 * mp.erfinv(1 - eta)
        above = mp.erfc(radius / (10 * mp.sqrt(2)))
        return {"entries of variance 1": AtMost(above, eta, scale=1, part="tail of the norm of the triangle")}
