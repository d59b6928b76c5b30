"""With an exact sampler the orbit mechanism misses the best score by at most ``(2 s / epsilon) q_n(beta)``.

That holds with probability at least ``1 - beta``, on complex orbits, for every ``epsilon``. ``s`` is the spread of the
public spectrum, ``n`` the number of pairs of distinct values in it, and ``q_n(beta)`` the ``1 - beta`` quantile of a
Gamma law of shape ``n``, at most ``n + sqrt(2 n log(1/beta)) + log(1/beta)``. The mean is at most ``2 n s / epsilon``.
Algorithm 1 as printed has half the ``kappa`` and may sample inexactly: ``q_n(beta e^(-epsilon/4)) 4 lambda_1 /
epsilon``. The printed bound, ``d k lambda_1 / epsilon`` times logarithms of ``1/beta`` and ``tr M``, follows; no trace
is needed, and a factor ``log tr M``, which vanishes for one person, would be too small. Over the reals, where the Gamma
law is a conjecture, the covering bound holds instead.
"""

import sys
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import gammainc, gammaln, logsumexp

from dpspectra.fast import roots as fast_roots
from dpspectra.fast.patterns import signed_gaps
from dpspectra.formulas import utility_gap_domination
from dpspectra.formulas.orbit_accounting import inverse_temperature
from dpspectra.formulas.orbit_utility_gap import bound, excess, mean_bound
from dpspectra.formulas.utility_gap_domination import shape
from dpspectra.ledger import AtMost, Frequency, Parts, Real, Reals, Relation, Slack, Verdict, statement
from dpspectra.lemmas.orbit import exponential_algorithm
from dpspectra.lemmas.orbit.exponential_algorithm import DRAWS, drawn_gaps
from dpspectra.lemmas.orbit.gap_domination import FEW, exactly_separated, separated
from dpspectra.oracle import roots
from dpspectra.oracle.patterns import free_cells, gamma_tail, gap_tail, utility_moments
from dpspectra.strategies import dimensions, epsilons, seeds, st
from dpspectra.strategies.orbits import levels

LARGE = 100
"""Smallest shape for which the excess of the quantile over the shape is judged by itself."""
ACCURACY = 1e-15
"""Relative accuracy of a quantile in the oracle."""


class Case(NamedTuple):
    """Eigenvalues of ``M``, a spectrum that is not constant (both PSD), ``epsilon``, ``beta``, a relation, a seed.

    ``deep`` is a shape and a logarithm of ``1/beta`` at which the elementary bound on the quantile is judged, ``line``
    the largest eigenvalue of a matrix of rank one.
    """

    m: Any
    spectrum: Any
    epsilon: float
    beta: float
    relation: str
    seed: int
    deep: tuple[int, float]
    line: float


def _deep_quantile(n: int, log: float) -> float:
    """Quantile at which the logarithm of the Gamma tail is ``-log``; no tail underflows."""
    j = np.arange(n)

    def below(x: float) -> float:
        return log - x + float(logsumexp(j * np.log(x) - gammaln(j + 1)))

    return fast_roots.root(below, sys.float_info.min, n + excess(n, log))


def mean_gap_of_line(d: int, kappa: Any, largest: Any) -> Any:
    """Mean utility gap of lines on a complex orbit, for a matrix of rank one with this eigenvalue."""
    return (d - 1) / kappa * gammainc(d, kappa * largest) / gammainc(d - 1, kappa * largest)


def _quantile(n: int, beta: Any, tolerance: Any = 0) -> Any:
    """Where the Gamma tail falls to ``beta``."""

    def above(x: Any) -> bool:
        return bool(gamma_tail(n, x) > beta)

    return roots.bisect(above, *roots.bracket(above), tolerance)[1]


@statement
class Utility:
    labels = ("MWKTV-T2.2",)
    given = r"s_\Lambda=\lambda_1-\lambda_d,\quad\delta_\infty\le\tfrac\varepsilon4"
    claim = {
        "elementary quantile": r"q_n(\beta)\le n+\sqrt{2n\log\tfrac1\beta}+\log\tfrac1\beta",
        "mean gap of a line": (
            r"\lambda=(1,0^{d-1}),\ \gamma=(\gamma_1,0^{d-1}),\ \kappa=\tfrac\varepsilon2:\ "
            r"\mathbb E\,\mathrm{gap}\le\tfrac{2(d-1)}\varepsilon"
        ),
        "mean gap": r"\kappa=\tfrac\varepsilon{cs_\Lambda}:\ \mathbb E\,\mathrm{gap}\le\tfrac{cns_\Lambda}\varepsilon",
        "gap of the exact sampler": (
            r"\kappa=\tfrac\varepsilon{cs_\Lambda}:\ "
            r"\Pr\big[\mathrm{gap}>\tfrac{cs_\Lambda}\varepsilon q_n(\beta)\big]\le\beta"
        ),
        "gap of the inexact sampler": (
            r"\kappa=\tfrac\varepsilon{4\lambda_1}:\ "
            r"\Pr_{H\sim\nu_M}\big[\mathrm{gap}>\tfrac{4\lambda_1}\varepsilon q_n(\beta e^{-\varepsilon/4})\big]"
            r"\le\beta e^{-\varepsilon/4}"
        ),
        "excess for a large shape": r"n\ge100:\ q_n(\beta)-n\le\sqrt{2n\log\tfrac1\beta}+\log\tfrac1\beta",
    }
    printed = (
        r"For $`\varepsilon\in(0,1)`$, a PSD Hermitian $`M`$ with eigenvalues $`\gamma`$, output of rank at "
        r"most $`k`$ with eigenvalues $`\lambda_1\ge\dots\ge\lambda_k\ge0`$: with probability at least "
        r"$`1-\beta`$, $`\langle M,H\rangle\ge\sum_{i\le k}\gamma_i\lambda_i-\tilde "
        r"O\big(\frac{dk\lambda_1}\varepsilon\big)`$, where $`\tilde O`$ hides logarithms of $`\frac1\beta`$ "
        r"and $`\mathrm{Tr}\,M`$."
    )
    where = {
        r"s_\Lambda": r"spread $`\lambda_1-\lambda_d`$ of the released spectrum",
        "c": "2 if one row is replaced, 1 if one is added or removed",
        r"\lambda": "released spectrum; exponents are multiplicities",
        r"\gamma": "eigenvalues of $`M`$",
        r"\delta_\infty": (
            "error of an inexact sampler: largest modulus of the logarithm of the ratio of densities; it raises no "
            r"probability by more than the factor $`e^{\delta_\infty}`$"
        ),
    }
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-N1", "MWKTV-L6.2X", "MWKTV-A1", "MWKTV-L6.5")
    note = "orbit.md#utility-of-the-orbit-mechanism"
    digits = 40
    examples = 25
    slack = {
        "excess for a large shape": Slack(
            0.899462, "equality is approached as log(1/beta) grows and the shape grows faster, and not reached"
        )
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        d = draw(dimensions(2))
        m, spectrum = draw(levels(d)), draw(levels(d).filter(lambda v: v[0] > v[-1]))
        beta = draw(st.sampled_from([0.5, 0.25, 0.0625, 2.0**-10]))
        relation = draw(st.sampled_from(["replace", "add_remove"]))
        return Case(
            m - min(m[-1], 0.0),
            spectrum - min(spectrum[-1], 0.0),
            draw(epsilons(0.25, 16.0)),
            beta,
            relation,
            draw(seeds()),
            (draw(st.sampled_from([1, 2, 3, 10, 50])), draw(st.sampled_from([0.5, 1.0, 7.0, 64.0, 1024.0]))),
            draw(epsilons(0.25, 16.0)),
        )

    def fast(
        self,
        m: Any,
        spectrum: Any,
        epsilon: float,
        beta: float,
        relation: str,
        seed: int,
        deep: tuple[int, float],
        line: float,
    ) -> Parts:
        n, d, allowed = shape(spectrum), len(m), beta * np.exp(-epsilon / 4)
        mean = mean_gap_of_line(d, epsilon / 2, line)
        kappa, (size, log) = float(inverse_temperature(spectrum, epsilon, relation)), deep
        quantile = _deep_quantile(size, log)
        yield AtMost(quantile, size + excess(size, log), part="elementary quantile")
        yield AtMost(mean, mean_bound(np.eye(d)[0], epsilon), part="mean gap of a line")
        if size >= LARGE:
            yield AtMost(quantile - size, excess(size, log), scale=quantile, part="excess for a large shape")
        if d > FEW:
            return
        if separated(m, spectrum, kappa):
            signs, ends = signed_gaps(m, spectrum)
            weights = signs * np.exp(-kappa * ends)
            mean = n / kappa + np.sum(weights * ends) / np.sum(weights)
            yield AtMost(mean, mean_bound(spectrum, epsilon, relation), part="mean gap")
        half = exponential_algorithm.inverse_temperature(spectrum, epsilon)
        rng = np.random.default_rng(seed)
        seen = np.sum(drawn_gaps(m, spectrum, kappa, rng) > bound(spectrum, epsilon, beta, relation))
        slow = np.sum(drawn_gaps(m, spectrum, half, rng) > utility_gap_domination.bound(spectrum, half, allowed))
        yield Frequency(int(seen), DRAWS, beta, part="gap of the exact sampler")
        yield Frequency(int(slow), DRAWS, float(allowed), part="gap of the inexact sampler")

    def oracle(
        self,
        m: Reals,
        spectrum: Reals,
        epsilon: Real,
        beta: Real,
        relation: str,
        _: int,
        deep: tuple[int, float],
        line: Real,
    ) -> Parts:
        change = 2 if relation == "replace" else 1
        n, d = len(free_cells(spectrum)), len(m)
        allowed, kappa = beta * mp.exp(-epsilon / 4), epsilon / (change * (spectrum[0] - spectrum[-1]))

        def probability(kappa: Any, level: Any) -> Any:
            if m[0] == m[-1]:
                return mp.mpf(0)
            return gap_tail(m, spectrum, kappa, level / kappa)

        size, log, zeros = deep[0], mp.mpf(deep[1]), [mp.mpf(0)] * (d - 1)
        quantile, most = _quantile(size, mp.exp(-log), ACCURACY), mp.sqrt(2 * size * log) + log
        mean = line - utility_moments([line, *zeros], [mp.mpf(1), *zeros], epsilon / 2)[0]
        yield AtMost(quantile, size + most, part="elementary quantile")
        yield AtMost(mean, 2 * (d - 1) / epsilon, part="mean gap of a line")
        if size >= LARGE:
            yield AtMost(quantile - size, most, scale=quantile, part="excess for a large shape")
        if d > FEW:
            return
        if exactly_separated(m, spectrum, kappa):
            mean = mp.fdot(m, spectrum) - utility_moments(m, spectrum, kappa)[0]
            yield AtMost(mean, n / kappa, part="mean gap")
        yield AtMost(probability(kappa, _quantile(n, beta)), beta, part="gap of the exact sampler")
        yield AtMost(
            probability(epsilon / (4 * spectrum[0]), _quantile(n, allowed)), allowed, part="gap of the inexact sampler"
        )

    def tight(self) -> list[Any]:
        """Large matrices, also with a tie of the spectrum; a huge logarithm and a large shape for the quantile."""
        line, four = np.array([1.0, 0.0]), np.array([30.0, 20.0, 10.0, 0.0])
        return [
            Case(1000 * line, line, 1.0, 0.25, "replace", 0, (1, 1e14), 1000.0),
            Case(four, np.array([2.0, 1.0, 0.0, 0.0]), 32.0, 0.25, "replace", 1, (400, 40.0), 32.0),
            Case(np.array([8.0, 5.0, 0.0]), np.array([3.0, 1.0, 0.0]), 18.0, 0.25, "add_remove", 2, (2, 1.0), 11.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """A pair left out of ``n``; a sampler off by its allowance; the uniform law; and a factor that vanishes."""
        high, low = [mp.mpf(v) for v in (8, 5, 0)], [mp.mpf(v) for v in (3, 1, 0)]
        mean = mp.fdot(high, low) - utility_moments(high, low, mp.mpf(6))[0]
        line, quarter = [mp.mpf(1000), mp.mpf(0)], mp.mpf(1) / 4
        exact = gap_tail(line, [mp.mpf(1), mp.mpf(0)], mp.mpf(1) / 2, 2 * mp.log(4))
        return {
            "n counts every pair of distinct values": AtMost(mean, mp.mpf(2) / 6),
            "an exact sampler, for the first bound": AtMost(mp.exp(quarter) * exact, quarter),
            "density of the exponential mechanism": AtMost(1 - 2 * mp.log(4) / 1000, quarter),
            "hidden logarithms that do not vanish": _vanishing_factor(mp.mpf(1025) / 1024, mp.mpf(128)),
        }


def _vanishing_factor(g: Any, constant: Any) -> AtMost:
    """Compare ``P(gap >= tau)`` with 1/2 for ``tau = constant (d k / epsilon) log tr M log 2``, a little over one row.

    ``gamma = (g, 0)``, spectrum (1, 0), ``epsilon = 1/2`` and ``kappa = 1/8``, by the law of the gap of a line.
    """
    kappa, tau = mp.mpf(1) / 8, constant * 4 * mp.log(g) * mp.log(2)
    return AtMost((mp.exp(-kappa * tau) - mp.exp(-kappa * g)) / (1 - mp.exp(-kappa * g)), mp.mpf(1) / 2)
