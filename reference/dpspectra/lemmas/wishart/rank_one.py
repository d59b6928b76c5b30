"""Adding one row under Wishart noise is exactly as distinguishable as adding a constant to a chi-square variable.

Compare ``A + W`` with ``A + u u' + W``, ``W ~ W_d(m, C)``, and put ``a = u' C^-1 u``, ``nu = m - d + 1``. The ratio of
the densities at ``K`` depends on ``T = a / (u' (K - A)^-1 u)`` only, and ``T`` is chi-square with ``nu`` degrees of
freedom, plus ``a`` if the row is present. So the hockey-stick divergences are those between ``chi2`` and ``a + chi2``:
closed forms in chi-square distribution functions, increasing in ``a`` for ``nu >= 2`` (a longer row is less private).
They are positive at every level, since ``T < a`` is impossible when the row is present: such noise is never purely
private, for any ``m`` and ``C``.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.optimize import brentq
from scipy.special import gammaln, xlogy

from dpspectra.fast import chi_square_profile, wishart
from dpspectra.fast.linalg import outer
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Relation, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import chi_square_profile as oracle_chi_square
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.strategies import dyadics, epsilons, psd, rectangular, seeds, st

NODES = 60
"""Nodes of the quadrature on each panel."""


@st.composite
def _matrices(draw: st.DrawFn) -> tuple[Any, Any, float, Any, int]:
    """A row, the noise, degrees of freedom, a covariance and a seed.

    The noise exceeds ``u u'`` or not, and the degrees of freedom are an integer or not.
    """
    d = draw(st.integers(1, 4))
    u = draw(rectangular(1, d).filter(np.any))[0] / 8
    noise = draw(psd(d)) / 16 + np.eye(d) * 21 / 128 + draw(st.sampled_from([1.0, 1.0, 0.0])) * outer(u)
    degrees = draw(st.sampled_from([d + 1.0, d - 0.5, float(d), d + 2.0, 2 * d + 1.5, 40.0]))
    return u, noise, degrees, draw(psd(d)) / 64 + np.eye(d) / 4, draw(seeds())


def _profiles(nu: float, a: float, epsilon: float, closer: float) -> Parts:
    """Closed forms against integrals over the set where one density exceeds ``e^epsilon`` times the other."""
    gain, below, above = np.exp(epsilon), _turn(nu, a, epsilon), _turn(nu, a, -epsilon)

    def f(z: Any) -> Any:
        return np.exp(xlogy(nu / 2 - 1, z) - z / 2 - nu / 2 * np.log(2) - gammaln(nu / 2))

    mass = np.exp(chi_square_profile.log_cdf(a + below, nu))
    lower = _integral(f, 0.0, a) + _integral(lambda z: f(z + a) - gain * f(z), 0.0, below)
    upper = 0.0 if above == np.inf else _integral(lambda z: f(z) - gain * f(z + a), above, above + 10 * nu + 100)
    excess = chi_square_profile.excess_below(epsilon, nu, a)
    yield Equal(lower, excess, scale=mass, part="divergence below")
    yield Equal(upper, chi_square_profile.excess_above(epsilon, nu, a), scale=1.0, part="divergence above")
    yield AtMost(np.exp(chi_square_profile.log_cdf(a, nu)), excess, scale=mass, part="mass below the shift")
    short, long = (chi_square_profile.profile(epsilon, nu, size) for size in (closer * a, a))
    yield AtMost(short, long, scale=mass, part="monotone in the row length")


def _turn(nu: float, a: float, level: float) -> float:
    """Distance above ``a`` up to which the log-ratio, which falls to ``-a / 2``, exceeds ``level``."""
    if level <= -a / 2:
        return np.inf
    if nu == 2:
        return 0.0

    def surplus(log_z: float) -> float:
        return (nu / 2 - 1) * float(np.log1p(a * np.exp(-log_z))) - a / 2 - level

    return float(np.exp(brentq(surplus, -500.0, 50.0, xtol=1e-14)))


def _integral(f: Any, low: float, high: float) -> Any:
    """Panels of ``z = low + (high - low) s^4``, which makes half-integer and quarter powers at 0 smooth."""
    ends, (nodes, weights) = np.linspace(0, 1, 17), gauss_legendre(NODES)
    s = ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2
    return np.sum(weights / 32 * 4 * s**3 * f(low + (high - low) * s**4)) * (high - low)


def _exact_profiles(nu: float, a: float, epsilon: float, closer: float) -> Parts:
    """`_profiles` in mpmath."""
    nu, a, e = mp.mpf(nu), mp.mpf(a), mp.mpf(epsilon)
    below, above = (oracle_chi_square.crossing(level, nu, a) for level in (e, -e))

    def f(z: Any) -> Any:
        return mp.exp(oracle_chi_square.log_density(z, nu)) if z > 0 else mp.mpf(nu == 2) / 2

    lower = mp.quad(f, [0, a]) + mp.quad(lambda z: f(z + a) - mp.exp(e) * f(z), [0, below])
    upper = mp.mpf(0)
    if above < mp.inf:
        upper = mp.quad(lambda z: f(z) - mp.exp(e) * f(z + a), [above, mp.inf])
    closed = _closed_form(nu, a, e)
    yield Equal(lower, closed[0], scale=1, part="divergence below")
    yield Equal(upper, closed[1], scale=1, part="divergence above")
    yield AtMost(oracle_chi_square.cdf(a, nu), closed[0], scale=1, part="mass below the shift")
    yield AtMost(max(_closed_form(nu, closer * a, e)), max(closed), scale=1, part="monotone in the row length")


def _closed_form(nu: Any, a: Any, e: Any) -> tuple[Any, Any]:
    """Divergences below and above in closed form, each with its own threshold ``t``."""
    if a == 0:
        return mp.mpf(0), mp.mpf(0)
    t = a / (1 - mp.exp(-(2 * e + a) / (nu - 2))) if nu > 2 else a
    below = oracle_chi_square.cdf(t, nu) - mp.exp(e) * oracle_chi_square.cdf(t - a, nu)
    if a <= 2 * e:
        return below, mp.mpf(0)
    t = a / (mp.exp((a - 2 * e) / (nu - 2)) - 1) if nu > 2 else mp.mpf(0)
    return below, oracle_chi_square.survival(t, nu) - mp.exp(e) * oracle_chi_square.survival(t + a, nu)


@statement
class RankOne:
    labels = ("JXZ-T4-G",)
    given = r"K=A+W,\ W\sim W_d(m,C),\ T=\frac a{u^\top(K-A)^{-1}u},\ a=u^\top C^{-1}u,\ \nu=m-d+1"
    claim = {
        "density ratio": r"\frac{f_{A+uu^\top}(K)}{f_A(K)}=\big(1-\tfrac aT\big)^{(\nu-2)/2}e^{a/2}\,\mathbf 1[T>a]",
        "law of the statistic": (
            r"\Pr[T\le\nu]\le F_\nu(\nu);\text{ with the row, }K=A+uu^\top+W:\ \Pr[T-a\le\nu]\le F_\nu(\nu)"
        ),
        "divergence below": (
            r"\delta^-_\nu(\varepsilon,a)=F_\nu(t)-e^\varepsilon F_\nu(t-a),\ "
            r"t=\frac a{1-e^{-(2\varepsilon+a)/(\nu-2)}}"
        ),
        "divergence above": (
            r"\delta^+_\nu(\varepsilon,a)=\big(1-F_\nu(t)-e^\varepsilon(1-F_\nu(t+a))\big)"
            r"\,\mathbf 1[a>2\varepsilon],\ t=\frac a{e^{(a-2\varepsilon)/(\nu-2)}-1}"
        ),
        "mass below the shift": r"F_\nu(a)\le\delta^-_\nu(\varepsilon,a)",
        "monotone in the row length": r"\delta_\nu(\varepsilon,a')\le\delta_\nu(\varepsilon,a)\quad(a'\le a)",
    }
    where = {
        "T": "statistic of the output that decides",
        "a": "squared length of the row in units of the scale matrix",
        "u": "row that is added",
        r"f_{A+uu^\top}": "density of the output with the row",
        "t": r"where the log-ratio is $`\varepsilon`$ or $`-\varepsilon`$; at $`\nu=2`$ its limit",
        "a'": "that of a shorter row",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-D2",)
    note = "wishart.md#one-row-under-wishart-noise"
    without_beyond = (
        "Its hypotheses are more than d - 1 degrees of freedom and a row that is not zero: otherwise "
        "there is no density, or no change."
    )
    digits = 30
    examples = 20

    def cases(self) -> Any:
        """Matrices; then ``nu``, ``a`` and ``epsilon`` of a divergence, and a factor that lowers ``a``."""
        return st.tuples(
            _matrices(),
            st.sampled_from([2.0, 2.5, 3.0, 6.0, 17.0, 43.0, 100.0]),
            dyadics(2**-4, 4),
            st.just(0.0) | epsilons(2**-6, 8.0),
            dyadics(0, 1),
        )

    def fast(self, matrices: Any, nu: float, a: float, epsilon: float, closer: float) -> Parts:
        u, noise, degrees, covariance, seed = matrices
        d, count = len(u), int(np.ceil(degrees))
        shift = u @ np.linalg.solve(covariance, u)
        without, included = (wishart.log_density(noise - k * outer(u), degrees, covariance) for k in (0, 1))
        rest = max(1 - u @ np.linalg.solve(noise, u), 0.0)  # 1 - a / T
        stated = rest ** ((degrees - d - 1) / 2) * np.exp(shift / 2) if rest > 0 else 0.0
        drawn = wishart.draws(count, covariance, TRIALS, np.random.default_rng(seed))
        number = [shift / (np.linalg.solve(k, u[None, :, None])[..., 0] @ u) for k in (drawn, drawn + outer(u))]
        middle = count - d + 1
        probability = float(np.exp(chi_square_profile.log_cdf(middle, middle)))
        yield Equal(np.exp(included - without), stated, scale=1.0, part="density ratio")
        for t in (number[0], number[1] - shift):
            yield Frequency(int(np.sum(t <= middle)), TRIALS, probability, part="law of the statistic")
        yield from _profiles(nu, a, epsilon, closer)

    def oracle(self, matrices: Any, nu: float, a: float, epsilon: float, closer: float) -> Parts:
        u, noise, degrees, covariance, _ = matrices
        d, middle = len(u), math.ceil(degrees) - len(u) + 1
        u, noise, covariance = map(oracle.exact, (u, noise, covariance))
        shift = oracle.quadratic(mp.inverse(covariance), u)
        number = shift / oracle.quadratic(mp.inverse(noise), u)
        without, included = (exact.density(noise - k * oracle.outer(u), degrees, covariance) for k in (0, 1))
        power = (mp.mpf(degrees) - d - 1) / 2
        stated = (1 - shift / number) ** power * mp.exp(shift / 2) if number > shift else mp.mpf(0)
        # the statistic is the squared distance of a Gaussian vector from a space: of `middle` normal numbers
        short = mp.quad(lambda r: r ** (middle - 1) * mp.exp(-r * r / 2), [0, mp.sqrt(middle)])
        whole = 2 ** (mp.mpf(middle) / 2 - 1) * mp.gamma(mp.mpf(middle) / 2)
        law = AtMost(short / whole, oracle_chi_square.cdf(middle, middle), part="law of the statistic")
        yield Equal(included / without, stated, scale=1, part="density ratio")
        yield from (law, law)
        yield from _exact_profiles(nu, a, epsilon, closer)

    def tight(self) -> list[Any]:
        """Two degrees of freedom, where the profile is ``1 - exp(-a / 2)``, which is also the mass below ``a``; and 43.

        With ``epsilon = a / 2`` the log-ratio just exceeds ``-epsilon`` everywhere.
        """
        matrices = (np.array([1.0, 0.0]), np.eye(2) * 2, 3.0, np.eye(2), 0)
        return [(matrices, *case, 1.0) for case in ((2.0, 0.5, 0.25), (43.0, 1.5, 0.25), (43.0, 0.5, 0.25))]
