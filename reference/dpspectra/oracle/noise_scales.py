"""Scales of the noise of mechanisms, for rows of norm at most 1 of which one is replaced, on the sum of all rows.

Each is what the definition of the law asks for. Records of mechanisms name them, and test vectors hold them; they have
no twin in `dpspectra.fast`, as mechanisms calibrate themselves.
"""

from typing import Any

from mpmath import mp

from dpspectra.oracle import chi_square_profile, sign_patterns
from dpspectra.oracle import gaussian_profile as normal
from dpspectra.oracle.roots import bisect, bracket


def laplace(epsilon: Any, d: int) -> Any:
    """Scale b of noise exp(-|x|/b)/2b on each entry on and above the diagonal of x x' in dimension d.

    The largest l1 change of that triangle, over all signs, over epsilon.
    """
    return sign_patterns.largest_spread(d, True, mp.dps) / mp.mpf(epsilon)


def gaussian(epsilon: Any, delta: Any) -> Any:
    """Sigma (standard deviation) of normal noise that hides a change of norm 1."""
    return 1 / normal.mu_for(epsilon, delta)


def symmetric_wishart(epsilon: Any) -> Any:
    """Scale c of noise g(M) exp(-|tr M| / 2c), g the density of G G' - H H', entries of G and H of variance c.

    Moving the noise by ``v v' - w w'`` changes the logarithm of the density by at most ``1 / c``.
    """
    return 1 / mp.mpf(epsilon)


def knorm(epsilon: Any) -> Any:
    """Scale c of noise exp(-max(tr Z_+, tr Z_-) / c): replacing a row changes x x' by at most 1 in this norm."""
    return 1 / mp.mpf(epsilon)


def wishart(epsilon: Any, delta: Any, degrees: int) -> Any:
    """Variance c of the entries of G, of so many columns, in one dimension: noise G G' where a row becomes zero.

    The inverse of the largest shift of a chi-square variable at which the profile is at most ``delta``.
    """

    def below(shift: Any) -> bool:
        return bool(chi_square_profile.profile(epsilon, degrees, shift) < delta)

    def excess(shift: Any) -> Any:
        return mp.log(chi_square_profile.profile(epsilon, degrees, shift) / delta)

    low, high = bisect(below, *bracket(below), mp.mpf(2) ** -11)
    return 1 / mp.findroot(excess, (low, high), solver="anderson", verify=False)


def l2_gamma(epsilon: Any) -> Any:
    """Scale of noise exp(-|z| / scale) in the Euclidean norm: replacing a row changes the sum by at most 2."""
    return 2 / mp.mpf(epsilon)


def gaussian_sum(epsilon: Any, delta: Any) -> Any:
    """Sigma (standard deviation) of normal noise on a sum of rows: replacing one changes it by at most 2."""
    return 2 / normal.mu_for(epsilon, delta)


def column_squares(epsilon: Any) -> Any:
    """Scale b of noise exp(-|x|/b)/2b on sums of squares of columns, for half of epsilon: they move by 2 in l1."""
    return 4 / mp.mpf(epsilon)


def counts(epsilon: Any) -> Any:
    """Scale b of noise exp(-|x|/b)/2b on the numbers of a histogram: replacing a row moves two of them by 1."""
    return 2 / mp.mpf(epsilon)


def columns(epsilon: Any, delta: Any) -> Any:
    """Sigma (standard deviation) of normal noise on sums of rows and of squares of entries: they move by sqrt 4.5."""
    return mp.sqrt(mp.mpf(9) / 2) / normal.mu_for(epsilon, delta)


def spectrum(epsilon: Any) -> Any:
    """Scale b of noise exp(-|x|/b)/2b on each eigenvalue of x x': they change by at most 2 in l1."""
    return 2 / mp.mpf(epsilon)


def exponential(epsilon: Any, spread: Any) -> Any:
    """Inverse temperature kappa of the density exp(kappa <M, H>), H of this spread of eigenvalues."""
    return mp.mpf(epsilon) / (2 * mp.mpf(spread))


def power(epsilon: Any, delta: Any, rounds: int, width: int) -> Any:
    """Sigma (standard deviation) of normal noise on A X in a round, X orthonormal of this width, |A - A'| at most 1."""
    return mp.sqrt(rounds * width) / normal.mu_for(epsilon, delta)
