"""The largest eigenvalue of ``W_d(m, C)`` rarely exceeds ``|C| (m + sqrt(2 m t (r + 1)) + 2 t r)``.

The probability is at most ``d exp(-t)``, and ``r = tr C / |C|`` is the effective dimension. For ``x ~ N(0, C)``,
``|C| = 1``, the mean of the ``p``-th power of ``x x'`` is at most ``prod_{1 <= j < p} (r + 2 j) I`` (compare cumulants
with a chi-square variable). This gives the matrix Chernoff bound ``d inf exp(-s u + m Lambda_r(u))`` with
``Lambda_r(u) <= u + (r + 1) u^2 / (2 (1 - 2 r u))``. The product must start at ``j = 1``. The ``m`` vectors must be
independent and Gaussian.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.oracle import top_eigenvalue as exact
from dpspectra.oracle.quadrature import working
from dpspectra.oracle.roots import bisect
from dpspectra.strategies import dyadics, seeds, st


def radius(theta: Any, degrees: Any, effective: Any) -> Any:
    """Largest eigenvalue in units of ``|C|`` that is exceeded with probability at most ``d exp(-theta)``.

    ``effective`` is ``tr C / |C|``.
    """
    return degrees + np.sqrt(2 * degrees * theta * (effective + 1)) + 2 * theta * effective


def _exponent(excess: Any, degrees: Any, r: Any) -> Any:
    """Largest ``u t - m (r + 1) u^2 / (2 (1 - 2 r u))`` over ``u < 1 / 2 r`` at the excess ``t`` over ``m``."""
    x = 2 * r * excess / (degrees * (r + 1))
    return degrees * (r + 1) / (2 * r) ** 2 * (1 + x - np.sqrt(1 + 2 * x))


def _exact_exponent(theta: Any, m: int, r: Any) -> Any:
    """`_exponent` at the radius, from the ``u`` at which the derivative vanishes."""
    excess, low, high = mp.sqrt(2 * m * theta * (r + 1)) + 2 * theta * r, mp.mpf(0), 1 / (2 * r)
    if theta == 0:
        return mp.mpf(0)
    _, u = bisect(lambda u: m * (r + 1) * u * (1 - r * u) / (1 - 2 * r * u) ** 2 < excess, low, high)
    return u * excess - m * (r + 1) * u**2 / (2 * (1 - 2 * r * u))


def _excess(u: Any, r: Any) -> Any:
    """Mean of ``exp(u X) - 1`` for a chi-square variable of ``r`` degrees, integrated over its root in units of ``w``.

    The integrand is wide for ``u`` near 1/2, where ``w`` is large, and changes near 0 there.
    """
    w = 1 / mp.sqrt(1 - 2 * u)
    scale = 2 * w**r / (2 ** (r / 2) * mp.gamma(r / 2))
    knee, end = min(4 / w, mp.sqrt(r)), mp.sqrt(r) + 14
    with working():
        power, rate = arb(r - 1), arb(u * w**2)

        def integrand(at: Any) -> Any:
            z = arb(at)
            square = z * z
            return mp.mpf((z**power * (-square / 2).exp() * -(-rate * square).expm1()).mid())

        return scale * mp.quad(integrand, [0, knee / 4, knee, mp.sqrt(r) + 1, end])


@statement
class WishartTail:
    labels = ("JXZ-L1",)
    given = (
        r"W\sim W_d(m,C),\ r=\tfrac{\operatorname{tr}C}{\|C\|_2},\ \theta\ge0,\quad"
        r"\Lambda_r(u)=\log\Big(1+\frac{(1-2u)^{-r/2}-1}r\Big),\ 0<2ru<1"
    )
    claim = {
        "tail of largest eigenvalue": (
            r"\Pr\Big[\lambda_1(W)>\|C\|_2\big(m+\sqrt{2m\theta(r+1)}+2\theta r\big)\Big]\le d\,e^{-\theta}"
        ),
        "Chernoff exponent": r"\Lambda_r(u)-u\le\frac{(r+1)u^2}{2(1-2ru)}",
        "exponent at the radius": (
            r"t=\sqrt{2m\theta(r+1)}+2\theta r:\ \max_u\Big(ut-\frac{m(r+1)u^2}{2(1-2ru)}\Big)=\theta"
        ),
    }
    printed = (
        r"Not at hand; read as: for $`W\sim W_d(m,C)`$, $`r=\frac{\mathrm{tr}\,C}{\lVert C\rVert_2}`$ and "
        r"$`\theta\ge0`$, $`\lambda_1(W)\ge\lVert C\rVert_2\big(m+\sqrt{2m\theta(r+1)}+2\theta r\big)`$ with "
        r"probability at most $`d\,e^{-\theta}`$."
    )
    where = {
        r"\lambda_1": "largest eigenvalue",
        "W_d": "Wishart law in $`d`$ dimensions, with these degrees of freedom and this scale matrix",
        "m": "degrees of freedom of the Wishart law",
        "C": "scale matrix of the Wishart law",
        r"\theta": r"free number; the exception has probability at most $`de^{-\theta}`$",
        "r": "effective rank of the scale matrix",
        "W": "Wishart matrix",
        r"\Lambda_r": "logarithm of a bound on the exponential moments",
        "u": "variable of the exponential moment",
        "t": "excess of the eigenvalue over $`m`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("JXZ-D2",)
    note = "concentration.md#tail-of-the-largest-wishart-eigenvalue"
    digits = 25
    examples = 20
    slack = {
        "tail of largest eigenvalue": Slack(
            0.161689, "a chi-square tail is smaller than its exponential bound, by a factor of 2 or more"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, Any, float, float, float, int]:
        """Degrees of freedom, eigenvalues of ``C``, ``theta``; ``r`` and ``2 r u`` for the exponent; a seed.

        Equal eigenvalues, or two different ones with three degrees of freedom.
        """
        if draw(st.booleans()):
            degrees, values = 3, np.array([1.0, draw(st.sampled_from([0.5, 2.0**-2, 2.0**-5]))])
        else:
            degrees, values = draw(st.integers(1, 6)), np.ones(draw(st.integers(1, 4)))
        size = draw(st.sampled_from([1.0, 2.0**-10, 4.0]))
        share = draw(dyadics(2.0**-6, 1 - 2.0**-6) | st.sampled_from([2.0**-20, 1 - 2.0**-20]))
        return degrees, size * values, draw(dyadics(0, 8)), draw(dyadics(1, 64)), share, draw(seeds())

    def fast(self, m: int, values: Any, theta: float, r: float, share: float, seed: int) -> Parts:
        """How often the radius is exceeded; ``Lambda_r(u) - u`` against its bound at ``u = share / 2 r``."""
        u, allowed = share / (2 * r), values[0] * radius(theta, m, np.sum(values) / values[0])
        g = np.sqrt(values)[:, None] * np.random.default_rng(seed).standard_normal((TRIALS, len(values), m))
        above = int(np.sum(fast.spectral_norm(g) ** 2 > allowed))
        log_mean = np.log1p(np.expm1(-r / 2 * np.log1p(-2 * u)) / r)
        yield Frequency(above, TRIALS, float(len(values) * np.exp(-theta)), part="tail of largest eigenvalue")
        yield AtMost(log_mean - u, (r + 1) * u**2 / (2 * (1 - share)), scale=u, part="Chernoff exponent")
        found = _exponent(radius(theta, m, r) - m, m, r)
        yield Equal(found, theta, scale=1 + theta, part="exponent at the radius")

    def oracle(self, m: int, values: Any, theta: Real, r: Real, share: Real, _: int) -> Parts:
        d = len(values)
        u, effective = share / (2 * r), mp.fsum(values) / values[0]
        allowed = m + mp.sqrt(2 * m * theta * (effective + 1)) + 2 * theta * effective
        if values[0] == values[-1]:  # the nonzero eigenvalues of G G' are those of G' G
            below = exact.wishart_cdf(allowed, max(m, d), min(m, d))
        else:
            below = exact.planar_cdf(allowed, 1, values[1] / values[0])
        limit = (r + 1) * u**2 / (2 * (1 - share))
        yield AtMost(1 - below, d * mp.exp(-theta), scale=1, part="tail of largest eigenvalue")
        yield AtMost(mp.log1p(_excess(u, r) / r) - u, limit, scale=u, part="Chernoff exponent")
        yield Equal(_exact_exponent(theta, m, r), theta, scale=1 + theta, part="exponent at the radius")

    def tight(self) -> list[Any]:
        """Four vectors on the line; an exponent near 0 (a limit); three vectors in the plane."""
        return [(4, np.ones(1), 0.5, 1.0, 2.0**-20, 0), (3, np.array([1.0, 0.5]), 0.75, 4.0, 0.5, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Ten copies of one normal number, ``theta = 5``: their squares add up to ten times one of them."""
        above = mp.erfc(mp.sqrt((10 + 10 * mp.sqrt(2) + 10) / mp.mpf(10) / 2))
        return {"the vectors are independent": AtMost(above, mp.exp(-5), part="tail of largest eigenvalue")}
