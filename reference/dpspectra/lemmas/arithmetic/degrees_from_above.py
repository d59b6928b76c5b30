"""DPS-DEGREES: profiles of one-sided Wishart noise, bounded from above by sums over a grid in balls.

On a line the trapezoidal rule with step ``h`` errs by at most ``2 M / (exp(2 pi a / h) - 1)`` if the integrand is
analytic and its modulus has an integral of at most ``M`` on every line of the strip ``|Im| < a``. With the logarithm of
a chi-square variable and ``x`` of ``1 / cosh(x)**2`` as variables, ``M`` is a product of powers of cosines, because a
chi-square distribution function of order ``k`` is at most ``cos(arg z)**-k`` at ``z``. So the bound is above the
profile, by at most ``2**-24 delta``. A grid that is too coarse for its strip is not.
"""

from fractions import Fraction
from typing import Any, NamedTuple

from mpmath import mp

from dpspectra.certified import ball_noise, one_sided_wishart_profile
from dpspectra.fast import chi_square_profile, wishart_row_exchange
from dpspectra.ledger import AtMost, Parts, Verdict, statement
from dpspectra.oracle import chi_square_profile as exact_chi_square
from dpspectra.oracle import wishart_row_exchange as exact_exchange
from dpspectra.strategies import dyadics, st


class Case(NamedTuple):
    """A promise, the degrees of freedom beyond ``d - 1``, a squared norm; the program's bounds on three profiles."""

    epsilon: float
    degrees: int
    shift: float
    delta: float
    gone: float
    new: float
    exchanged: float


def _bounded(epsilon: float, degrees: int, shift: float, delta: float) -> Case:
    """The bounds, rounded upward."""
    with ball_noise.precision(one_sided_wishart_profile.bits_for(epsilon, degrees, delta)):
        e, s = (Fraction(x) for x in (epsilon, shift))
        found = (
            one_sided_wishart_profile.below(e, degrees, s),
            one_sided_wishart_profile.above(e, degrees, s),
            one_sided_wishart_profile.orthogonal(e, degrees, s, delta),
        )
        return Case(epsilon, degrees, shift, delta, *(float(x.upper()) for x in found))


@statement
class DegreesFromAbove:
    labels = ("DPS-DEGREES",)
    claim = {
        "a row becomes zero": r"\delta_{10}\le\hat\delta_{10}",
        "a row was zero": r"\delta_{01}\le\hat\delta_{01}",
        "one row for another": r"\delta_{11}\le\hat\delta_{11}",
        "what the sum over a grid adds": r"\hat\delta_{11}\le\delta_{11}+2^{-24}\delta",
    }
    where = {
        r"\delta_{01}": "profile of one-sided Wishart noise when a row is added",
        r"\delta_{10}": "profile of one-sided Wishart noise when a row is removed",
        r"\delta_{11}": "profile of one-sided Wishart noise when a row is exchanged for an orthogonal one",
        r"\hat\delta_{01}": "the program's upper bound on it",
        r"\hat\delta_{10}": "the program's upper bound on it",
        r"\hat\delta_{11}": "the program's upper bound on it",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-T4-G", "JXZ-T4-E")
    rounding = 1e-7
    digits = 17
    note = "arithmetic.md#profiles-from-above"
    examples = 2

    def cases(self) -> st.SearchStrategy[Case]:
        """Few degrees and some more, small and large rows; ``delta`` of the size of the profile of an exchange."""
        degrees = st.sampled_from([3, 4, 5, 7, 11])
        return st.builds(
            _bounded, dyadics(0.25, 1.0), degrees, st.sampled_from([0.5, 1.0, 2.0]), st.sampled_from([0.125, 0.5])
        )

    def fast(self, *case: Any) -> Parts:
        """Distribution functions and a Gauss rule in float64."""
        epsilon, degrees, shift, delta, gone, new, exchanged = case
        exact = wishart_row_exchange.profile(epsilon, degrees, shift, shift)
        yield AtMost(chi_square_profile.excess_below(epsilon, degrees, shift), gone, 1, part="a row becomes zero")
        yield AtMost(chi_square_profile.excess_above(epsilon, degrees, shift), new, 1, part="a row was zero")
        yield AtMost(exact, exchanged, 1, part="one row for another")
        yield AtMost(
            exchanged, exact + one_sided_wishart_profile.ACCURACY * delta, 1, part="what the sum over a grid adds"
        )

    def oracle(self, *case: Any) -> Parts:
        """Gauss rules of mpmath over the trace and two angles."""
        degrees, (epsilon, shift, delta, gone, new, exchanged) = case[1], map(mp.mpf, (case[0], *case[2:]))
        exact = exact_exchange.profile_by_density(epsilon, degrees, shift, shift)
        yield AtMost(exact_chi_square.excess_below(epsilon, degrees, shift), gone, 1, part="a row becomes zero")
        yield AtMost(exact_chi_square.excess_above(epsilon, degrees, shift), new, 1, part="a row was zero")
        yield AtMost(exact, exchanged, 1, part="one row for another")
        yield AtMost(exchanged, exact + mp.mpf(2) ** -24 * delta, 1, part="what the sum over a grid adds")

    def tight(self) -> list[Case]:
        """Nine degrees, where ``delta`` is about the profile; rows of squared norm 2, where both orders count."""
        return [_bounded(0.5, 9, 1.0, 0.015625), _bounded(0.5, 7, 2.0, 0.125)]

    def beyond(self) -> dict[str, AtMost]:
        """The integral 2 of ``1 / cosh(x)**2`` with step 2, and a strip twice as wide as its poles allow."""
        seen = 2 * mp.nsum(lambda j: mp.sech(2 * j) ** 2, [-mp.inf, mp.inf])
        return {"the integrand is analytic": AtMost(seen - 2, 2 * 2 / mp.expm1(2 * mp.pi * mp.pi / 2))}
