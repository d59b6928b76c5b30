"""DPS-UPWARD: scales of noise that are certified after rounding: the privacy claimed is that of the floats used.

The Gaussian profile increases with ``mu``, so a float ``mu`` whose exact profile is at most ``delta`` stands for every
noise of standard deviation ``sigma`` with ``(sigma mu)**2`` at least the squared sensitivity. The program lowers a
candidate until balls certify the first, and raises a scale until rational numbers certify the second; two floats lower
would not do. The float nearest to the root need not be certified: at ``epsilon = 1e-6``, ``delta = 1e-12`` it is not.
"""

import math
from fractions import Fraction

from mpmath import mp
from scipy.optimize import brentq
from scipy.special import ndtr

from dpspectra.certified.calibrate import at_least_root, gaussian_mu
from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.oracle import gaussian_profile
from dpspectra.strategies import deltas, epsilons, st


def _calibrated(
    epsilon: float, delta: float, square: Fraction, share: float = 1.0
) -> tuple[float, float, float, Fraction, float]:
    """Return a case whose noise spends this share of ``delta``."""
    mu = gaussian_mu(epsilon, share * delta, _float_root(epsilon, share * delta))
    return epsilon, delta, mu, square, at_least_root(square, mu)


def _profile(epsilon: float, mu: float) -> float:
    """The formula as it stands, without care for rounding."""
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


def _float_root(epsilon: float, delta: float) -> float:
    return float(brentq(lambda mu: _profile(epsilon, mu) - delta, 1e-9, 64.0, xtol=1e-300, rtol=1e-15))


def _below(x: Real) -> Real:
    """The float below a positive one: floats are twice as close below a power of two."""
    mantissa, exponent = mp.frexp(x)
    return x - mp.ldexp(1, int(exponent) - (54 if mantissa == mp.mpf(1) / 2 else 53))


@statement
class ScaleFromAbove:
    labels = ("DPS-UPWARD",)
    claim = {
        "profile": (
            r"\Phi\big(\tfrac\mu2-\tfrac\varepsilon\mu\big)-e^\varepsilon\Phi\big(-\tfrac\mu2-\tfrac\varepsilon\mu\big)"
            r"\le\delta"
        ),
        "scale": r"S^2\le(\sigma\mu)^2",
        "two floats below": r"(\sigma^{--}\mu)^2\le S^2",
    }
    where = {
        r"\mu": "the program's float for the distance in standard deviations",
        r"\sigma": "the program's float for the standard deviation",
        r"\sigma^{--}": "two floats below the program's standard deviation",
        "S^2": "squared sensitivity",
    }
    verdict = Verdict.NEW
    digits = 90
    note = "arithmetic.md#scales-from-above"
    examples = 60

    def cases(self) -> st.SearchStrategy[tuple[float, float, float, Fraction, float]]:
        """A promise and the ``mu`` that the program certifies; a squared sensitivity, and its scale for this ``mu``.

        Promises of all sizes, kept with room or without; sensitivities are roots of rational numbers.
        """
        squares = st.fractions(Fraction(1, 1000), 1000, max_denominator=10**6)
        return st.builds(_calibrated, epsilons(), deltas(), squares, st.sampled_from([1.0, 0.5]))

    def fast(self, epsilon: float, delta: float, mu: float, square: Fraction, scale: float) -> Parts:
        """Distribution functions in float64, rational numbers for the scale."""
        below = math.nextafter(math.nextafter(scale, 0), 0)
        reached, lower = ((Fraction(s) * Fraction(mu)) ** 2 for s in (scale, below))
        yield AtMost(_profile(epsilon, mu), delta, float(ndtr(mu / 2 - epsilon / mu)), part="profile")
        yield AtMost(float(square), float(reached), part="scale")
        yield AtMost(float(lower), float(square), part="two floats below")

    def oracle(self, epsilon: Real, delta: Real, mu: Real, square: Real, scale: Real) -> Parts:
        """Complementary error functions and products with 90 digits; the spacing of floats from the exponent."""
        yield AtMost(gaussian_profile.profile(epsilon, mu), delta, part="profile")
        yield AtMost(square, (scale * mu) ** 2, part="scale")
        yield AtMost((_below(_below(scale)) * mu) ** 2, square, part="two floats below")

    def tight(self) -> list[tuple[float, float, float, Fraction, float]]:
        """``epsilon = 1``, ``delta = 1e-6`` and the squared sensitivity 2 of second moments; scales of 1 and more."""
        found = [_calibrated(1.0, 1e-6, Fraction(2))]
        mu = Fraction(found[0][2])
        return found + [_calibrated(1.0, 1e-6, (mu * Fraction(scale)) ** 2) for scale in (1.0, math.nextafter(1, 2))]

    def beyond(self) -> dict[str, AtMost]:
        """The root that floats find at ``epsilon = 1e-6`` and ``delta = 1e-12``, with its exact profile."""
        epsilon, delta = 1e-6, 1e-12
        found = gaussian_profile.profile(epsilon, _float_root(epsilon, delta))
        return {"mu is certified": AtMost(found, mp.mpf(delta))}
