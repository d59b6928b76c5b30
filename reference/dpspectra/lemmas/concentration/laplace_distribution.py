"""The Laplace distribution of scale ``b``: density ``exp(-|x| / b) / 2b``, the law of ``b (E - E')``.

``E`` and ``E'`` are independent standard exponentials. Hence the tail ``exp(-x / b) / 2`` for ``x >= 0``, the variance
``2 b^2`` and the moment generating function ``1 / (1 - b^2 t^2)``, finite only for ``|t| < 1 / b``: sums of Laplace
noise have exponential tails, not Gaussian ones.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency, Outcome, Parts, Real, Verdict, statement
from dpspectra.strategies import dyadics, epsilons, seeds, st

TRIALS = 10_000
"""Number of Laplace variables drawn for a frequency."""

SIDES = "tail of the variable", "tail beyond a negative number"
"""Parts about the probability of exceeding a number, by its sign."""


def tail(x: Any) -> Any:
    """Probability of exceeding ``x`` at scale 1, elementwise."""
    return np.where(np.asarray(x) >= 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)[()]


@statement
class LaplaceDistribution:
    labels = ("JXZ-D1",)
    given = r"p(x)=\tfrac1{2b}e^{-|x|/b}"
    claim = {
        "tail of the variable": r"x\ge0:\ \Pr[X>x]\le\tfrac12e^{-x/b}",
        "density as a convolution": r"\tfrac1b\int_0^\infty e^{-y}e^{-(y+|x|/b)}dy=p(x)",
        "variance of the variable": r"\mathbb EX^2=2b^2",
        "moment generating function": r"\mathbb Ee^{tX}=\tfrac1{1-b^2t^2}\quad(|bt|<1)",
        "tail beyond a negative number": r"x<0:\ \Pr[X>x]\le1-\tfrac12e^{x/b}",
    }
    printed = r"Not at hand; read as the usual density $`\frac1{2b}e^{-|x|/b}`$."
    where = {
        "p(": ("p(x)", "density"),
        "X": "random variable of this law",
        "x": "place, or threshold",
        "t": "free number",
        "y": "variable of integration",
        "dy": "element of integration",
    }
    verdict = Verdict.DEFINITION
    exact = ("density as a convolution",)
    note = "concentration.md#laplace-distribution"
    digits = 25
    examples = 30

    def cases(self) -> Any:
        return st.tuples(dyadics(-8, 8), epsilons(2.0**-4, 16.0), dyadics(-1 + 2.0**-6, 1 - 2.0**-6), seeds())

    def fast(self, x: float, b: float, u: float, seed: int) -> Parts:
        """``x`` is in units of ``b`` and ``u`` in units of ``1 / b``; the mean over ``E'`` is a Gauss-Laguerre sum."""
        one, other = np.random.default_rng(seed).standard_exponential((2, TRIALS))
        yield Frequency(int(np.sum(b * (one - other) > b * x)), TRIALS, float(tail(x)), part=SIDES[x < 0])
        nodes, weights = np.polynomial.laguerre.laggauss(40)
        convolution = np.sum(weights * np.exp(-abs(x) - nodes)) / b
        yield Equal(convolution, np.exp(-abs(x)) / (2 * b), part="density as a convolution")
        yield Equal(b**2 * np.sum(weights * nodes * nodes), 2 * b**2, part="variance of the variable")
        mean = (1 / (1 - u) + 1 / (1 + u)) / 2
        yield Equal(mean, 1 / ((1 - u) * (1 + u)), part="moment generating function")

    def oracle(self, x: Real, b: Real, u: Real, _: int) -> Parts:
        """Integrals over half-lines where the integrand is smooth, such as the convolution of ``E`` and ``-E'``."""

        def integral(function: Any, low: Any = 0) -> Any:
            return mp.quad(function, [low, mp.inf])

        def density(v: Any) -> Any:
            return mp.exp(-abs(v) / b) / (2 * b)

        beyond = b * integral(lambda v: density(b * v), abs(x))
        stated = mp.exp(-abs(x)) / 2
        if x < 0:
            beyond, stated = 1 - beyond, 1 - stated
        yield AtMost(beyond, stated, scale=1, part=SIDES[x < 0])
        convolution = integral(lambda y: mp.exp(-y) * mp.exp(-abs(x) - y)) / b
        yield Equal(convolution, density(b * x), part="density as a convolution")
        yield Equal(2 * b**3 * integral(lambda v: v**2 * density(b * v)), 2 * b**2, part="variance of the variable")
        mean = 2 * b * integral(lambda v: mp.cosh(u * v) * density(b * v))
        yield Equal(mean, 1 / (1 - u**2), part="moment generating function")

    def tight(self) -> list[Any]:
        """A positive and a negative number of units of ``b``; the law is stated exactly."""
        return [(0.5, 2.0, 0.5, 0), (-1.0, 0.5, -0.75, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """At ``x = -b`` half the exponential exceeds 1."""
        return {"x is at least 0": Equal(1 - mp.exp(-1) / 2, mp.e / 2, part="tail of the variable")}
