"""With an exact sampler the orbit mechanism misses the best score by at most ``(2 s / epsilon) q_n(beta)``.

That holds with probability at least ``1 - beta``, on complex orbits, for every ``epsilon``. ``s`` is the spread of the
public spectrum, ``n`` the number of pairs of distinct values in it, and ``q_n(beta)`` the ``1 - beta`` quantile of a
Gamma law of shape ``n``, at most ``n + sqrt(2 n log(1/beta)) + log(1/beta)``. The mean is at most ``2 n s / epsilon``.
Algorithm 1 as printed has half the ``kappa`` and may sample inexactly: ``q_n(beta e^(-epsilon/4)) 4 lambda_1 /
epsilon``. The printed bound was ``d k lambda_1 / epsilon`` times logarithms of ``1/beta`` and ``tr M``; for one person
``log tr M``, and so the bound, can be 0. No trace is needed; over the reals, where the Gamma law is a conjecture, the
covering bound holds instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.special import gammainc, gammainccinv

from dpspectra.ledger import OPEN, AtMost, Frequency, Slack, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.orbit import exponential_algorithm, gap_domination
from dpspectra.lemmas.orbit.gap_domination import FEW, shape
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature
from dpspectra.oracle.patterns import gamma_tail, gap_tail, utility_moments
from dpspectra.relations import Relation
from dpspectra.sampling.orbit import orbit
from dpspectra.strategies import dimensions, epsilons, seeds
from dpspectra.strategies.lazy import st
from dpspectra.strategies.orbits import levels

DRAWS = 2000


class Case(NamedTuple):
    """Eigenvalues of ``M``, a spectrum that is not constant (both PSD), ``epsilon``, ``beta``, a relation, a seed."""

    m: Any
    spectrum: Any
    epsilon: float
    beta: float
    relation: str
    seed: int


@st.composite
def _instances(draw: st.DrawFn) -> Case:
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
    )


lemma = Statement(
    labels=("MWKTV-T2.2",),
    claim=r"\Pr\Big[\mathrm{gap}>\tfrac{2s_\Lambda}\varepsilon q_n(\beta)\Big]\le\beta,\quad\mathbb E\,\mathrm{gap}\le"
    r"\tfrac{2ns_\Lambda}\varepsilon\quad\big(\kappa=\tfrac\varepsilon{2s_\Lambda}\big);\qquad"
    r"\Pr\Big[\mathrm{gap}>\tfrac{4\lambda_1}\varepsilon q_n(\beta e^{-\varepsilon/4})\Big]\le\beta\quad"
    r"\big(\kappa=\tfrac\varepsilon{4\lambda_1},\ \delta_\infty\le\tfrac\varepsilon4\big)",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    uses=("MWKTV-N1", "MWKTV-L6.2X", "MWKTV-A1", "MWKTV-L6.5"),
    note="orbit.md#utility-of-the-orbit-mechanism",
    digits=40,
    examples=60,
    slack={"elementary quantile": Slack(0.342176, OPEN)},
)


def bound(spectrum: Any, epsilon: float, beta: float, relation: str = "replace") -> float:
    """Number that the gap of the ``epsilon``-DP complex orbit mechanism exceeds with probability at most ``beta``.

    The mechanism has an exact sampler and the largest ``kappa`` that is private; ``spectrum`` is descending.
    """
    if spectrum[0] == spectrum[-1]:
        return 0.0
    return gap_domination.bound(spectrum, inverse_temperature(spectrum, epsilon, relation), beta)


def mean_bound(spectrum: Any, epsilon: float, relation: str = "replace") -> float:
    """Largest mean of the gap of the ``epsilon``-DP complex orbit mechanism with an exact sampler."""
    if spectrum[0] == spectrum[-1]:
        return 0.0
    return shape(spectrum) / float(inverse_temperature(spectrum, epsilon, relation))


def quantile_bound(n: int, beta: Any) -> Any:
    """Elementary bound on the ``1 - beta`` quantile of a Gamma law of shape ``n`` and rate 1."""
    log = np.log(1 / beta)
    return n + np.sqrt(2 * n * log) + log


@lemma.fast
def gaps(m: Any, spectrum: Any, epsilon: float, beta: float, relation: str, seed: int) -> tuple[Outcome, ...]:
    n, d, allowed = shape(spectrum), len(m), beta * np.exp(-epsilon / 4)
    g, kappa = float(np.ptp(m)) or 1.0, epsilon / 2
    mean = (d - 1) / kappa * gammainc(d, kappa * g) / gammainc(d - 1, kappa * g)
    parts: tuple[Outcome, ...] = (
        AtMost(gammainccinv(n, beta), quantile_bound(n, beta), part="elementary quantile"),
        AtMost(mean, mean_bound(np.eye(d)[0], epsilon), part="mean gap"),
    )
    if d > FEW:
        return parts
    half = exponential_algorithm.inverse_temperature(spectrum, epsilon)
    seen = _gaps(m, spectrum, float(inverse_temperature(spectrum, epsilon, relation)), seed)
    slow = _gaps(m, spectrum, half, seed + 1)
    return (
        *parts,
        Frequency(
            int(np.sum(seen > bound(spectrum, epsilon, beta, relation))), DRAWS, beta, part="gap of the exact sampler"
        ),
        Frequency(
            int(np.sum(slow > gap_domination.bound(spectrum, half, allowed))),
            DRAWS,
            float(allowed),
            part="gap of the inexact sampler",
        ),
    )


def _gaps(m: Any, spectrum: Any, kappa: float, seed: int) -> Any:
    drawn = orbit(np.diag(m).astype(complex), spectrum, kappa, size=DRAWS, rng=seed)
    return float(m @ spectrum) - np.einsum("i,nii->n", m, drawn).real


@lemma.oracle
def exact_gaps(m: Any, spectrum: Any, epsilon: float, beta: float, relation: str, _: int) -> tuple[Outcome, ...]:
    n, d, m, spectrum = shape(spectrum), len(m), [mp.mpf(v) for v in m], [mp.mpf(v) for v in spectrum]
    epsilon, beta, g = mp.mpf(epsilon), mp.mpf(beta), (m[0] - m[-1]) or mp.mpf(1)
    allowed, change = beta * mp.exp(-epsilon / 4), 2 if relation == "replace" else 1

    def probability(kappa: Any, level: Any) -> Any:
        if m[0] == m[-1]:
            return mp.mpf(0)
        return gap_tail(m, spectrum, kappa, level / kappa)

    log, line = mp.log(1 / beta), [mp.mpf(1)] + [mp.mpf(0)] * (d - 1)
    mean = g - utility_moments([g] + [mp.mpf(0)] * (d - 1), line, epsilon / 2)[0]
    parts = (
        AtMost(_quantile(n, beta), n + mp.sqrt(2 * n * log) + log, part="elementary quantile"),
        AtMost(mean, 2 * (d - 1) / epsilon, part="mean gap"),
    )
    if d > FEW:
        return parts
    return (
        *parts,
        AtMost(
            probability(epsilon / (change * (spectrum[0] - spectrum[-1])), _quantile(n, beta)),
            beta,
            part="gap of the exact sampler",
        ),
        AtMost(
            probability(epsilon / (4 * spectrum[0]), _quantile(n, allowed)), allowed, part="gap of the inexact sampler"
        ),
    )


def _quantile(n: int, beta: Any) -> Any:
    """Where the Gamma tail is ``beta``, by bisection."""
    low, high = mp.mpf(0), 2 * n - 2 * mp.log(beta) + 10
    for _ in range(int(mp.dps * 3.4) + 20):
        middle = (low + high) / 2
        low, high = (middle, high) if gamma_tail(n, middle) > beta else (low, middle)
    return low


@lemma.as_printed
def printed_gap(g: float, epsilon: float, beta: float, constant: float) -> AtMost:
    """Compare ``P(gap >= tau)`` with ``beta``, for ``gamma = (g, 0)``, spectrum (1, 0) and the printed ``tau``."""
    g, kappa = mp.mpf(g), mp.mpf(epsilon) / 4
    tau = constant * 2 / mp.mpf(epsilon) * mp.log(g) * mp.log(1 / mp.mpf(beta))
    return AtMost(
        (mp.exp(-kappa * tau) - mp.exp(-kappa * g)) / (1 - mp.exp(-kappa * g)), mp.mpf(beta), part="printed form"
    )


@lemma.counterexample
def one_person() -> Any:
    """Slightly more than one unit row: the trace is ``1 + 2^-10``, the constant 8.

    Larger constants fail at a trace nearer to 1.
    """
    return 1 + 2.0**-10, 0.5, 0.5, 8.0


@lemma.certificate
def one_person_certificate() -> dict[str, Any]:
    g = "1025/1024"
    tau = ["mul", "32", ["log", g], ["log", "2"]]
    rest = ["exp", ["mul", "-1/8", g]]
    return inequality(
        "MWKTV-T2.2",
        "d = 2, k = 1, epsilon = 1/2, trace 1025/1024: the gap exceeds 8 (d k / epsilon) log(trace) log(1/beta) with"
        " probability above beta = 1/2",
        ["div", ["sub", ["exp", ["mul", "-1/8", tau]], rest], ["sub", "1", rest]],
        "1/2",
    )


@lemma.tight
def cold() -> list[Any]:
    return [Case(np.array([1000.0, 0.0]), np.array([1.0, 0.0]), 1.0, 0.25, "replace", 0)]
