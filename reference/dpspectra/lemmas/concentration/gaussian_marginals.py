"""A linear form of a standard Gaussian vector is Gaussian: ``<a, x> ~ N(0, |a|^2)``.

Characteristic functions multiply: ``E exp(i u <a, x>) = prod exp(-u^2 a_j^2 / 2)``. Independence and equal variances
are both needed: for other noise the law of ``<a, x>`` depends on the direction of ``a``, not only on its length.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import ndtr

from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Real, Reals, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, rectangular, seeds, st


def _density(deviation: Any) -> Callable[[Any], Any]:
    """Density of a normal variable at a ball."""
    size = arb(deviation)
    return lambda s: (-s * s / (2 * size**2)).exp() / (size * (2 * arb.pi()).sqrt())


def _waves(frequency: Any) -> Callable[[Any], Any]:
    """Integrand on the positive numbers of the characteristic function of a standard normal variable."""
    density, turn = _density(1), arb(frequency)
    return lambda s: 2 * (turn * s).cos() * density(s)


@statement
class GaussianMarginals:
    labels = ("HR-F2.5",)
    given = r"x\sim N(0,I_n)"
    claim = {
        "tail of the form": r"\Pr\big[\langle a,x\rangle>t\|a\|\big]\le\Phi(-t)",
        "characteristic function": r"e^{-u^2\|a\|^2/2}=\prod_j\mathbb E\cos(ua_jx_j)",
    }
    printed = r"For $`x\sim N(0,I_n)`$ and a vector $`a`$, $`\langle a,x\rangle\sim N(0,\lVert a\rVert^2)`$."
    where = {
        "x": "standard normal vector of $`n`$ numbers $`x_j`$",
        "N": "normal law with this mean and covariance",
        "I_n": "identity matrix of order $`n`$",
        "a": "fixed vector, with entries $`a_j`$",
        "u": "frequency, a free number",
    }
    verdict = Verdict.VERIFIED
    note = "concentration.md#gaussian-marginals"
    digits = 25
    examples = 15

    def cases(self) -> Any:
        return st.tuples(
            st.integers(1, 6).flatmap(lambda n: rectangular(1, n)).filter(np.any).map(np.ravel), dyadics(-3, 3), seeds()
        )

    def fast(self, a: Any, t: float, seed: int) -> Parts:
        """How often ``<a, x> > t |a|``, and the characteristic function at ``t / 8`` by coordinates."""
        length = float(np.sqrt(np.sum(a**2)))
        forms = np.random.default_rng(seed).standard_normal((TRIALS, len(a))) @ a
        factors = np.prod(np.exp(-((t / 8 * a) ** 2) / 2))
        yield Frequency(int(np.sum(forms > t * length)), TRIALS, float(ndtr(-t)), part="tail of the form")
        yield Equal(np.exp(-((t / 8 * length) ** 2) / 2), factors, part="characteristic function")

    def oracle(self, a: Reals, t: Real, _: int) -> Parts:
        """The tail by integrating the density of ``N(0, |a|^2)``; each coordinate's factor by integrating a cosine."""
        square = mp.fsum(x**2 for x in a)
        length, u = mp.sqrt(square), t / 8
        far = mp.sqrt(2 * mp.dps * mp.log(10)) + 1  # the density is below the working precision
        with working():
            steps = [far * j / 8 for j in range(9)]
            tail = mp.mpf(integral(_density(length), [length * (t + step) for step in steps]))
            factors = [mp.mpf(integral(_waves(u * x), steps)) for x in a]
        yield AtMost(tail, mp.erfc(t / mp.sqrt(2)) / 2, scale=1, part="tail of the form")
        yield Equal(mp.exp(-(u**2) * square / 2), mp.fprod(factors), part="characteristic function")

    def tight(self) -> list[Any]:
        """A form of length 5, where the law is that of five times a coordinate."""
        return [(np.array([3.0, 4.0]), 0.5, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Two equal coordinates, whose sum has variance 4 and not 2; and one Laplace variable of variance 1."""
        t = mp.mpf(2)
        allowed = mp.ncdf(-t)
        return {
            "the coordinates are independent": AtMost(mp.ncdf(-t / mp.sqrt(2)), allowed, part="tail of the form"),
            "the coordinates are Gaussian": AtMost(mp.exp(-mp.sqrt(2) * t) / 2, allowed, part="tail of the form"),
        }
