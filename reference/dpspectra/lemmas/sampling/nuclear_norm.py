"""Noise of density ``exp(-|M|_* / 2c)`` is drawn exactly by rejection from the difference of two Wishart matrices.

``M = W - W'`` is accepted if ``W'`` exceeds the negative part of ``M``: integrating over such ``W'`` leaves a constant
times ``exp(-tr(M + 2 M_-) / 2c)``. Privacy follows from the triangle inequality, at the scale of the symmetric Wishart
mechanism. The nuclear norm over ``2c`` is a Gamma variable of shape ``d (d + 1) / 2``; the acceptance probability is
3/4 for ``d = 2`` and decreases quickly with ``d``. Without the rejection step the law is that of the symmetric
mechanism; with degrees of freedom other than ``d + 1`` a power of a determinant stays in the integral.
"""

import functools
import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import gammaincc, gammaln, multigammaln

from dpspectra.fast import linalg as fast
from dpspectra.fast import wishart
from dpspectra.formulas.symmetric_wishart import scale
from dpspectra.ledger import AtMost, Column, Frequency, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.wishart.symmetric import strictest_relation
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.patterns import gamma_tail
from dpspectra.strategies import ball_vectors, epsilons, hermitian, seeds, st

DRAWS = 4000
"""Random draws in a case."""


class Case(NamedTuple):
    """The row before and after, the number of rows, ``epsilon``, noise in units of ``c``, a norm level, a seed."""

    v: Any
    w: Any
    rows: int
    epsilon: float
    noise: Any
    level: float
    seed: int


def accepted(size: int, d: int, rng: np.random.Generator) -> Any:
    """Samples accepted out of ``size`` proposals for ``c = 1``, of density proportional to ``exp(-|M|_* / 2)``."""
    first, second = (wishart.draws(d + 1, np.eye(d), size, rng) for _ in range(2))
    values, vectors = np.linalg.eigh(first - second)
    negative = (vectors * np.maximum(-values, 0)[..., None, :]) @ fast.adjoint(vectors)
    return (first - second)[fast.eigenvalues(second - negative)[:, -1] >= 0]


def _acceptance(d: int) -> float:
    """Acceptance probability: ``2^-D`` times the integral of ``exp(-|M|_*)`` over ``Gamma_d((d+1)/2)``.

    ``D = d (d + 1) / 2``. Over ordered eigenvalues the integrand is a polynomial times exponentials of the gaps between
    them, on either side of 0, so Gauss-Laguerre quadrature is exact.
    """
    u, weights = np.polynomial.laguerre.laggauss(6)
    total = 0.0
    grid, mass = (np.array(list(itertools.product(x, repeat=d))) for x in (u, weights))
    for p in range(d + 1):
        sides = [np.cumsum(part / np.arange(part.shape[1], 0, -1), axis=1) for part in (grid[:, :p], grid[:, p:])]
        x = np.concatenate([sides[0][:, ::-1], -sides[1]], axis=1)
        product = math.prod((x[:, i] - x[:, j] for i, j in itertools.combinations(range(d), 2)), start=np.ones(len(x)))
        total += np.sum(product * np.prod(mass, axis=1)) / (math.factorial(p) * math.factorial(d - p))
    log_volume = d * (d + 1) / 4 * np.log(np.pi) - sum(gammaln(i / 2) for i in range(1, d + 1))
    return float(total * np.exp(log_volume - multigammaln((d + 1) / 2, d)) / 2 ** (d * (d + 1) // 2))


@functools.cache
def _masses(d: int, _precision: int) -> list[Any]:
    """Probabilities of accepting a matrix with 0, 1, ..., d positive eigenvalues.

    The Vandermonde product is expanded and every term integrated, largest eigenvalue first.
    """
    totals = [mp.mpf(0)] * (d + 1)
    for powers in itertools.permutations(range(d)):
        sign = (-1) ** sum(a < b for a, b in itertools.combinations(powers, 2))
        for p in range(d + 1):
            below = powers[p:][::-1]
            totals[p] += sign * (-1) ** sum(below) * _ordered(powers[:p]) * _ordered(below)
    volume = mp.pi ** (mp.mpf(d * (d + 1)) / 4) / mp.fprod(mp.gamma(mp.mpf(i) / 2) for i in range(1, d + 1))
    cone = mp.pi ** (mp.mpf(d * (d - 1)) / 4) * mp.fprod(mp.gamma(mp.mpf(d + 1 - i) / 2) for i in range(d))
    return [total * volume / cone / 2 ** (d * (d + 1) // 2) for total in totals]


def _ordered(powers: tuple[int, ...]) -> Any:
    """Integral of ``prod x_i^(n_i) exp(-x_i)`` over ``x_1 > x_2 > ... > 0``, one variable at a time."""
    inner = {0: mp.mpf(1)}  # coefficients by power; exp(-gone x) for the integrated variables is left out
    for gone, n in enumerate(powers, 1):
        outer: dict[int, Any] = {}
        for m, coefficient in inner.items():
            top = m + n  # the integral of x^top exp(-gone x) beyond y
            for j in range(top + 1):
                share = coefficient * math.perm(top, top - j) / mp.mpf(gone) ** (top - j + 1)
                outer[j] = outer.get(j, mp.mpf(0)) + share
        inner = outer
    return inner[0]


@statement
class NuclearNorm:
    labels = ("JXZ-T4-R1R",)
    given = (
        r"W,W'\sim W_d(d+1,cI),\ M=W-W'\text{ given }W'\succeq(W-W')_-,\ D=\tfrac{d(d+1)}2,\ (p_1,p_2,p_3,p_4)="
        r"(1,\tfrac34,\tfrac7{16},\tfrac{51}{256}),\quad\Delta=\tfrac{vv'-ww'}n,\ "
        r"c=\tfrac1{n\varepsilon}\ (d>1,\ v,w\ne0)\text{ or }\tfrac1{2n\varepsilon}"
    )
    claim = {
        "privacy of the noise": r"\frac{|\|S+\Delta\|_*-\|S\|_*|}{2c}\le\varepsilon",
        "acceptance at most one": r"\tfrac{2^{-D}}{\Gamma_d((d+1)/2)}\int e^{-\|S\|_*}dS\le1",
        "accepted proposals": r"\Pr[W'\succeq(W-W')_-]\le p_d",
        "law of the norm": r"\Pr\big[\tfrac{\|M\|_*}{2c}\ge t\big]\le e^{-t}\sum_{j<D}\tfrac{t^j}{j!}",
        "positive samples": r"\Pr[M\succeq0]\le\tfrac{2^{-D}}{p_d}",
    }
    where = {
        "W": "Wishart matrix",
        "W'": "another Wishart matrix, independent of the first one",
        "W_d": "Wishart law in $`d`$ dimensions, with these degrees of freedom and this scale matrix",
        "c": "scale of the noise: its scale matrix is $`cI`$",
        "M": "noise, a symmetric matrix",
        "S": "any symmetric matrix",
        "dS": "element of integration over the symmetric matrices",
        "D": "dimension of the symmetric matrices",
        "p_i": "probability that a proposal is accepted, in this dimension",
        r"\Gamma_d": "multivariate Gamma function",
        r"\Delta": "change of the second moments when one row is replaced",
        "v": "row before, in the unit ball",
        "v'": "its transpose",
        "w": "row after, in the unit ball",
        "w'": "its transpose",
        "n": "number of rows of the data",
        "t": "level of the norm",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ZERO_OUT)
    uses = ("JXZ-D2", "JXZ-T4-R1")
    note = "sampling.md#nuclear-norm-mechanism"
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Rows in the unit ball, possibly equal or opposite; the noise may be 0."""
        d = draw(st.integers(1, 4))
        v = draw(ball_vectors(d))
        w = draw(st.one_of(ball_vectors(d), st.just(v), st.just(-v)))
        noise = draw(hermitian(d)) * draw(st.sampled_from([1.0, 0.0, 2.0**-6]))
        rows, level = draw(st.sampled_from([1, 2, 7, 10**6])), draw(st.sampled_from([1.0, 3.0, 9.0]))
        return Case(v, w, rows, draw(epsilons(2**-4, 16.0)), noise, level, draw(seeds()))

    def fast(self, v: Any, w: Any, n: int, epsilon: float, noise: Any, level: float, seed: int) -> Parts:
        d, size = len(v), len(v) * (len(v) + 1) // 2
        c, change = scale(n, d, epsilon, strictest_relation(v, w)), (fast.outer(v) - fast.outer(w)) / n
        here = fast.nuclear_norm(c * noise)
        chance = _acceptance(d)
        kept = accepted(DRAWS, d, np.random.default_rng(seed))
        far = fast.nuclear_norm(kept) / 2 >= level
        positive = fast.eigenvalues(kept)[:, -1] >= 0
        loss = abs(fast.nuclear_norm(c * noise + change) - here) / (2 * c)
        yield AtMost(loss, epsilon, scale=here / c, part="privacy of the noise")
        yield AtMost(chance, 1.0, part="acceptance at most one")
        yield Frequency(len(kept), DRAWS, chance, part="accepted proposals")
        yield Frequency(int(np.sum(far)), len(kept), float(gammaincc(size, level)), part="law of the norm")
        yield Frequency(int(np.sum(positive)), len(kept), 2.0**-size / chance, part="positive samples")

    def oracle(self, v: Column, w: Column, n: int, epsilon: Real, noise: Any, level: Real, _: int) -> Parts:
        d, size = len(v), len(v) * (len(v) + 1) // 2
        both = d > 1 and oracle.inner(v, v) > 0 and oracle.inner(w, w) > 0
        c = (2 if both else 1) / (2 * n * epsilon)
        noise = c * oracle.exact(noise)
        here, there = oracle.nuclear_norm(noise), oracle.nuclear_norm(noise + (oracle.outer(v) - oracle.outer(w)) / n)
        masses, tail = _masses(d, mp.prec), mp.gammainc(size, level, mp.inf, regularized=True)
        chance, stated = mp.fsum(masses), mp.mpf((1, 3, 7, 51)[d - 1]) / (1, 4, 16, 256)[d - 1]
        yield AtMost(abs(there - here) / (2 * c), epsilon, scale=here / c, part="privacy of the noise")
        yield AtMost(chance, 1, part="acceptance at most one")
        yield AtMost(chance, stated, part="accepted proposals")
        yield AtMost(tail, gamma_tail(size, level), part="law of the norm")
        yield AtMost(masses[d] / chance, mp.mpf(2) ** -size / stated, part="positive samples")

    def tight(self) -> list[Any]:
        """In one dimension, a row that becomes zero, where every proposal is accepted; in more, orthogonal unit rows.

        The norm falls in two dimensions, and grows in the others.
        """
        signs = [sign * np.diag([1.0, -1.0, 0.0, 0.0])[:d, :d] for d, sign in ((2, -1), (3, 1), (4, 1))]
        line = Case(np.ones(1), np.zeros(1), 2, 1.0, np.eye(1), 1.0, 0)
        return [line, *(Case(np.eye(len(s))[0], np.eye(len(s))[1], 2, 1.0, 4 * s, 1.0, 0) for s in signs)]

    def beyond(self) -> dict[str, AtMost]:
        """Rows of norm 2 change the log-density by four times ``epsilon``."""
        change = oracle.nuclear_norm(mp.diag([4, -4]))
        return {"rows in the unit ball": AtMost(change / 2, mp.mpf(1), part="privacy of the noise")}
