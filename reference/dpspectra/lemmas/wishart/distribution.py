"""The Wishart law has a density on the open cone of positive definite matrices, and none outside it.

It is the law of the sum of ``g g'`` over ``m`` Gaussian vectors ``g``; Gram-Schmidt on them gives the density. For
``m = d + 1`` and covariance ``c I`` the determinant drops out, and shifting the cone shows
``P(W >= B) = exp(-tr B / 2c)``. For ``m <= d - 1`` there is no density; without the indicator of the cone the formula
is not a probability density.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammaln

from dpspectra.fast import wishart as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import psd, seeds, st

TRIALS = 10_000
"""Random draws of the noise in a case."""
OFF_BOUNDARY = 21 / 128
"""Shift of the eigenvalues that keeps integer matrices off the boundary of the cone, where rounding would decide."""


def excess_probability(trace: Any, scale: Any) -> Any:
    """``P(W >= B)`` for ``W ~ W_d(d + 1, scale I)`` and PSD ``B``, of which only the ``trace`` matters."""
    return np.exp(-trace / (2 * scale))


def _log_gram_schmidt(w: Any, degrees: float, covariance: Any) -> float:
    """Log-density from the triangular factor that Gram-Schmidt gives for the Gaussian vectors."""
    d, root = len(w), np.linalg.cholesky(covariance)
    try:
        t = np.linalg.cholesky(np.linalg.solve(root, np.linalg.solve(root, w).T))
    except np.linalg.LinAlgError:
        return -np.inf
    place, length = np.arange(d), np.diag(t)
    lengths = (degrees - 1 - d) * np.log(length) - gammaln((degrees - place) / 2) - (degrees - place) / 2 * np.log(2)
    jacobian = (d + 1) * np.sum(np.log(np.diag(root))) + d * (d - 1) / 4 * np.log(2 * np.pi)
    return float(np.sum(lengths) - np.sum(t**2) / 2 - jacobian)


def _corner_exceeds(b: Any, d: int) -> Any:
    """Mean of ``(1 - b / x)^((d-1)/2)`` over ``x > b``, ``x`` chi-square with ``d + 1`` degrees: one diagonal entry.

    The first corner of ``W`` must exceed ``b``, and the Schur complement must exceed a matrix with a random rank-one
    term; the term's mean exponential is the power.
    """
    far = mp.sqrt(5 * mp.dps + 20)
    with working():
        start, half = arb(b), arb(d + 1) / 2

        def integrand(w: Any) -> Any:  # the root of x - b: at b there may be another root
            x = start + w * w
            return 2 * w * x ** (half - 1) * (-x / 2).exp() * (w * w / x) ** (half - 1)

        return mp.mpf(integral(integrand, [far * i / 8 for i in range(9)]) / (2**half * half.gamma()))


@statement
class Distribution:
    labels = ("JXZ-D2",)
    given = r"m>d-1,\ C\succ0,\ B\succeq0"
    claim = {
        "density": (
            r"f(W)=\frac{|W|^{(m-d-1)/2}e^{-\operatorname{tr}(C^{-1}W)/2}}{2^{md/2}|C|^{m/2}\Gamma_d(m/2)}"
            r"\,\mathbf 1[W\succ0]"
        ),
        "probability of exceeding a matrix": r"m=d+1,\ C=cI:\ \Pr[W\succeq B]\le e^{-\operatorname{tr}B/2c}",
    }
    printed = (
        r"For $`m>d-1`$ and $`C\succ0`$ the density "
        r"$`\frac{|W|^{(m-d-1)/2}e^{-\frac12\mathrm{tr}(C^{-1}W)}}{2^{md/2}|C|^{m/2}\Gamma_d(m/2)}`$; the "
        "cone on which it holds is not used in the proof of Theorem 4."
    )
    where = {
        "f": "density of the Wishart law",
        "W": "Wishart matrix",
        "B": "any positive semidefinite matrix",
        "c": "scale; the scale matrix is $`cI`$",
        r"\Gamma_d": "multivariate Gamma function",
    }
    verdict = Verdict.DEFINITION
    note = "wishart.md#wishart-distribution"
    digits = 30
    examples = 35

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, Any, Any, float, int]:
        """A point, degrees of freedom and a covariance; a PSD matrix, a scale and a seed.

        The point lies inside or outside the cone, and the degrees of freedom are an integer or not.
        """
        d = draw(st.integers(1, 4))
        w = draw(psd(d)) / 16 + draw(st.sampled_from([1, -1, 8])) * OFF_BOUNDARY * np.eye(d)
        degrees = draw(st.sampled_from([d + 1.0, d - 0.5, float(d), d + 2.0, 2 * d + 1.5]))
        covariance = draw(psd(d)) / 64 + draw(st.sampled_from([1.0, 0.25])) * np.eye(d)
        return w, degrees, covariance, draw(psd(d)) / 64, draw(st.sampled_from([1.0, 0.25, 2.0])), draw(seeds())

    def fast(self, w: Any, degrees: float, covariance: Any, b: Any, c: float, seed: int) -> Parts:
        d = len(w)
        noise = fast.draws(d + 1, c * np.eye(d), TRIALS, np.random.default_rng(seed))
        above = int(np.sum(np.linalg.eigvalsh(noise - b)[:, 0] >= 0))
        formula, found = fast.log_density(w, degrees, covariance), _log_gram_schmidt(w, degrees, covariance)
        yield Equal(np.exp(formula), np.exp(found), part="density")
        yield Frequency(above, TRIALS, excess_probability(np.trace(b), c), part="probability of exceeding a matrix")

    def oracle(self, w: Matrix, degrees: Real, covariance: Matrix, b: Matrix, c: Real, _: int) -> Parts:
        d = w.rows
        values = [max(value, 0) for value in oracle.eigenvalues(b)]
        formula = mp.mpf(0)
        if min(oracle.eigenvalues(w)) > 0:
            gamma = mp.pi ** (mp.mpf(d * (d - 1)) / 4) * mp.fprod(mp.gamma((degrees - i) / 2) for i in range(d))
            exponent = mp.fsum((mp.inverse(covariance) * w)[i, i] for i in range(d)) / 2
            formula = mp.det(w) ** ((degrees - d - 1) / 2) * mp.exp(-exponent) / mp.det(covariance) ** (degrees / 2)
            formula /= 2 ** (degrees * d / 2) * gamma
        probability = mp.fprod(_corner_exceeds(value / c, d - i) for i, value in enumerate(values))
        yield Equal(formula, exact.density(w, degrees, covariance), part="density")
        yield AtMost(probability, mp.exp(-mp.fsum(values) / (2 * c)), part="probability of exceeding a matrix")

    def tight(self) -> list[Any]:
        """A point inside the cone, more degrees of freedom than needed, no integer, covariances of both kinds."""
        w, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.diag([0.75, 0.25])
        return [(w, 3.0, np.eye(2), b, 1.0, 0), (w, 4.5, np.array([[1.0, 0.25], [0.25, 0.5]]), b, 0.25, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """One degree of freedom in one dimension: a squared normal exceeds 1 less often than with two degrees."""
        return {"d + 1 degrees": AtMost(mp.exp(-mp.mpf(1) / 2), mp.erfc(mp.sqrt(mp.mpf(1) / 2)))}
