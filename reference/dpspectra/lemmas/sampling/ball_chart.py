"""A complex orbit of two values is a ball in a chart, and its exponential law a Gaussian conditioned on the ball.

Write ``H = X X*`` with ``X = [(I - Y*Y)^(1/2); Y]`` and the Hermitian root. The trace of ``diag(g) X X*`` is a constant
minus a sum of ``(g_j - g_{k+i}) |Y_ij|^2``, and Haar measure becomes Lebesgue measure on ``|Y| <= 1``, because a block
of that shape of a Haar unitary matrix has density ``|I - Y*Y|^0``. Over the reals the power is -1/2. Without a gap at
``k`` a variance is infinite; with a root that is not Hermitian the trace differs.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammainc, gammaincc, gammaln

from dpspectra.fast import hciz
from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Matrix, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import hciz as exact_hciz
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import patterns
from dpspectra.sampling.haar import gaussian, haar
from dpspectra.strategies import rectangular, seeds, st
from dpspectra.strategies.orbits import levels

DRAWS = 4000
"""Random draws in a case."""


def log_acceptance(log_normaliser: Any, g: Any, k: int, log_rates: Any) -> Any:
    """Logarithm of the probability of ``|Y| <= 1``, from the normaliser of the orbit law with ``kappa = 1``.

    The ball has volume ``pi^(pk) prod_j Gamma(j) / Gamma(p + j)``, ``p = d - k``, and a complex Gaussian entry
    of rate ``g`` has mass ``pi / g``.
    """
    j = np.arange(1, k + 1)
    ball = np.sum(gammaln(j) - gammaln(len(g) - k + j))
    return log_normaliser - sum(g[:k]) + log_rates + ball


def exact_ball(p: int, k: int) -> Any:
    """Volume of the ball over ``pi^(pk)``, by Beta functions."""
    return mp.fprod(mp.beta(j + 1, p) / mp.gamma(p) for j in range(k))


@st.composite
def points(draw: st.DrawFn) -> Any:
    """A point ``(d - k, k)`` of the ball, ``d`` up to 4: on the sphere, beside it, deep inside or 0."""
    d = draw(st.integers(2, 4))
    k = draw(st.integers(1, d - 1))
    y, edge = draw(rectangular(d - k, k, "complex")) / 2.0**6, np.eye(d - k, k)  # Frobenius norm at most 1/2
    return draw(st.sampled_from([y, 0 * y, edge, 1j * edge / 2 + y / 2]))


@statement
class BallChart:
    labels = ("DPS-BALL",)
    given = (
        r"X=[(I-Y^*Y)^{1/2};Y],\ p=d-k,\ s=\min\{p,k\},\ t=\max\{p,k\},\ "
        r"Y_{ij}\sim\mathcal{CN}(0,\tfrac1{g_j-g_{k+i}}),\quad "
        r"B(g)=Z(g)\,e^{-\sum_{j\le k}g_j}\prod_{i\le p,j\le k}(g_j-g_{k+i})\prod_{j\le k}\tfrac{\Gamma(j)}"
        r"{\Gamma(p+j)},\ Z(g)=\mathbb E e^{\langle\operatorname{diag}g,H\rangle}"
    )
    claim = {
        "trace in the chart": (
            r"\operatorname{tr}(X^*\operatorname{diag}(g)X)=\sum_{j\le k}g_j-\sum_{i,j}(g_j-g_{k+i})|Y_{ij}|^2"
        ),
        "mass of the ball": (
            r"g=(\rho,..,\rho,0,..,0):\ \log B(g)=\log\frac{\det[\gamma(t-s+i+j-1,\rho)]_{i,j\le s}}"
            r"{\prod_{i\le s}\Gamma(t-s+i)\Gamma(i)}"
        ),
        "points inside the ball": r"\Pr[\|Y\|_2\le1]\le B(g)",
        "law of the gap": (
            r"\Pr\big[\sum_{i,j}(g_j-g_{k+i})|Y_{ij}|^2\ge\tfrac{pk}2\mid\|Y\|_2\le1\big]"
            r"\le\tfrac{\Gamma(pk,pk/2)}{\Gamma(pk)}"
        ),
        "Haar block in the ball": r"\Pr[\|U_{21}\|_2\le2^{-1/(2pk)}]\le\tfrac12",
    }
    where = {
        "X": r"frame of the drawn projector, $`d\times k`$ with orthonormal columns",
        "g": "spectrum of the exponent",
        "g_i": r"the eigenvalues of $`\kappa M`$, in descending order, with a gap after the first $`k`$",
        "Y": "lower $`d-k`$ rows of the frame",
        "Y_i": "the entries of these rows",
        "k": "rank of the projector",
        "p": "number of the lower rows of the frame",
        "s": "smaller side of the lower rows",
        "t": "larger side of the lower rows",
        r"\langle\operatorname{diag}g,H\rangle": "sum of $`g_iH_{ii}`$ for a uniform projector $`H`$ of rank $`k`$",
        "Z": "normaliser of the orbit law",
        "B": "mass of the ball under the normal law",
        r"\rho": "difference of two eigenvalues",
        r"\gamma": "lower incomplete Gamma function",
        "U_{21}": r"lower left $`(d-k)\times k`$ block of a Haar unitary matrix",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-HCIZ",)
    note = "sampling.md#ball-chart"
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """A point of the ball, a descending spectrum of ``M`` with a gap at ``k``, a rate for all entries, a seed."""
        y, gap = draw(points()), draw(st.sampled_from([1.0, 0.25, 4.0, 16.0]))
        g = draw(levels(sum(y.shape)))
        g[: y.shape[1]] += gap
        return y, g, draw(st.sampled_from([1.0, 0.25, 8.0, 32.0])), draw(seeds())

    def fast(self, y: Any, g: Any, rate: float, seed: int) -> Parts:
        (p, k), d, rng = y.shape, len(g), np.random.default_rng(seed)
        squares, v = np.linalg.eigh(np.eye(k) - fast.adjoint(y) @ y)
        x = np.vstack([(v * np.sqrt(np.maximum(squares, 0))) @ fast.adjoint(v), y])
        rates = g[None, :k] - g[k:, None]
        top = np.arange(d) < k
        step = hciz.log_normaliser(rate * top, top, 1.0)
        s, t = min(p, k), max(p, k)
        shape = t - s + 1 + np.add.outer(np.arange(s), np.arange(s))
        i = np.arange(1, s + 1)
        radial = np.linalg.det(gammainc(shape, rate) * np.exp(gammaln(shape)))  # Andreief; Khatri: the largest root
        radial = np.log(radial) - np.sum(gammaln(t - s + i) + gammaln(i))
        draws = gaussian((DRAWS, p, k), "complex", rng) * rates**-0.5
        inside = fast.spectral_norm(draws) <= 1
        gaps = np.sum(rates * np.abs(draws[inside]) ** 2, axis=(1, 2))
        acceptance = np.exp(log_acceptance(hciz.log_normaliser(g, top, 1.0), g, k, np.sum(np.log(rates))))
        block, radius = haar(d, size=DRAWS, rng=rng)[:, k:, :k], 0.5 ** (1 / (2 * p * k))
        trace, stated = np.real(np.sum(np.conj(x) * g[:, None] * x)), np.sum(g[:k]) - np.sum(rates * np.abs(y) ** 2)
        yield Equal(trace, stated, scale=np.sum(np.abs(g)), part="trace in the chart")
        mass = log_acceptance(step, rate * top, k, p * k * np.log(rate))
        far, chance = int(np.sum(gaps >= p * k / 2)), float(gammaincc(p * k, p * k / 2))
        yield Equal(mass, radial, scale=1 + k * rate, part="mass of the ball")
        yield Frequency(int(np.sum(inside)), DRAWS, float(acceptance), part="points inside the ball")
        yield Frequency(far, int(np.sum(inside)), chance, part="law of the gap")
        yield Frequency(int(np.sum(fast.spectral_norm(block) <= radius)), DRAWS, 0.5, part="Haar block in the ball")

    def oracle(self, y: Matrix, g: Reals, rate: Real, _: int) -> Parts:
        p, k = y.rows, y.cols
        values, v = oracle.eigenvectors(mp.eye(k) - oracle.adjoint(y) * y)
        root = v * mp.diag([mp.sqrt(max(value, 0)) for value in values]) * oracle.adjoint(v)
        x = mp.matrix([[*root[i, :]] for i in range(k)] + [[*y[i, :]] for i in range(p)])
        pairs = [(i, j) for i in range(p) for j in range(k)]
        top = [1] * k + [0] * p
        step = exact_hciz.log_normaliser([rate * v for v in top], top, 1)
        s, t = min(p, k), max(p, k)

        def moments(top: Any, rate: Any = 0) -> Any:
            """Integral over the squared singular values of a Lebesgue point, up to ``top``; they have rate ``rate``."""
            n = t - s
            return mp.det(
                mp.matrix([[patterns.factor(n + i + j, -rate, (0, top)) for j in range(s)] for i in range(s)])
            )

        radial = mp.log(rate ** (p * k) * moments(1, rate)) - mp.fsum(
            mp.loggamma(t - s + i) + mp.loggamma(i) for i in range(1, s + 1)
        )
        ball = exact_ball(p, k)
        share = ball * mp.fprod(g[j] - g[k + i] for i, j in pairs) / mp.exp(mp.fsum(g[:k]))
        inside = share * patterns.normaliser(g, top, 1)
        acceptance = share * mp.exp(exact_hciz.log_normaliser(g, top, 1))
        level = mp.mpf(1) / mp.root(2, p * k)
        tail = patterns.gap_tail(g, top, 1, mp.mpf(p * k) / 2)
        trace = mp.fsum(value * mp.fsum(abs(z) ** 2 for z in x[i, :]) for i, value in enumerate(g))
        stated = mp.fsum(g[:k]) - mp.fsum((g[j] - g[k + i]) * abs(y[i, j]) ** 2 for i, j in pairs)
        yield Equal(trace, stated, scale=mp.fsum(map(abs, g)), part="trace in the chart")
        mass = mp.log(ball * rate ** (p * k)) + step - k * rate
        yield Equal(mass, radial, scale=1 + k * rate, part="mass of the ball")
        yield AtMost(inside, acceptance, part="points inside the ball")
        yield AtMost(tail, patterns.gamma_tail(p * k, mp.mpf(p * k) / 2), part="law of the gap")
        yield AtMost(moments(level) / moments(1), mp.mpf(1) / 2, part="Haar block in the ball")

    def tight(self) -> list[Any]:
        """A point on the sphere; and a gap so large that hardly any point lies outside the ball."""
        return [
            (np.array([[1.0], [0.0]]), np.array([4.0, 1.0, 0.0]), 8.0, 0),
            (np.array([[0.5], [0.0]]), np.array([64.0, 1.0, 0.0]), 8.0, 0),
        ]

    def beyond(self) -> dict[str, Equal]:
        """A real block of one number has an arcsine law; with a triangular root the trace is another one."""
        upper = mp.cholesky(mp.matrix([[3, -1], [-1, 3]]) / 4).T  # I - Y*Y for Y = (1/2, 1/2)
        trace = mp.fsum(g * mp.fsum(x**2 for x in upper[i, :]) for i, g in enumerate((2, 1)))
        return {
            "complex numbers": Equal(2 / mp.pi * mp.asin(mp.mpf(1) / 2), mp.mpf(1) / 2, part="Haar block in the ball"),
            "the Hermitian root": Equal(trace, 3 - (mp.mpf(2) + 1) / 4, part="trace in the chart"),
        }
