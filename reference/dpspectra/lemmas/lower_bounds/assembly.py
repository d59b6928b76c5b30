"""How the lower bound is put together from packing, paths and counting, and where a condition on ``epsilon`` was lost.

Take the first ``i`` and the last ``m`` eigenvalues, with ``N = i m``, ``q = min(i, m)``, gap ``g`` and spread ``s``. At
the separation ``zeta = g omega / 2 s`` the packing has at least ``4^N`` points, hence at least ``3^N`` besides any
given one. A path to each has at most ``omega^2 + 2 q`` steps, so counting allows
``omega^2 = N log 3 / epsilon - 2 q``, which must be positive. It is for moderate ``epsilon``; the printed version drops
the negative term and is false for large ``epsilon``. The overview uses a packing of the whole orbit (diameter ``D``):
the bound falls like ``exp(-epsilon (D^2 + d) / im)``. Without ``d``, which counts the steps that paths of fractional
length are rounded up to, it is false for small orbits.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_constant, log_local_packing
from dpspectra.ledger import OPEN, AtMost, Equal, Slack, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.lemmas.lower_bounds.explicit_bound import bound, exact_bound
from dpspectra.lemmas.lower_bounds.printed_bound import fine_net, fine_net_certificate, on_the_sphere
from dpspectra.oracle import packing as exact
from dpspectra.relations import Relation
from dpspectra.strategies import dimensions, epsilons, spectra
from dpspectra.strategies.lazy import st


@st.composite
def _instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """A non-negative spectrum that is not constant, and ``epsilon``."""
    d = draw(dimensions(2))
    spectrum = draw(spectra(d))
    spectrum[0] += draw(st.sampled_from([1.0, 0.0625, 16.0]))
    return spectrum, draw(epsilons(2.0**-6, 4.0))


chain = Statement(
    labels=(
        *("MWKTV-E53", "MWKTV-E54", "MWKTV-E55", "MWKTV-E56"),
        *("MWKTV-E57", "MWKTV-E58", "MWKTV-E59", "MWKTV-E60"),
    ),
    claim=r"\zeta=\tfrac{g\omega}{2s}:\ \log P\ge2N\log2,\ \log(4^N-1)\ge N\log3\ge\varepsilon(\omega^2+2q)\text{ for }"
    r"\omega^2=\tfrac{N\log3}\varepsilon-2q;\ \ \rho^2=\tfrac{g^2}{16}\min(\tfrac{N\log3}{\varepsilon s^2}-\tfrac{2q}"
    r"{s^2},2)\text{ if positive};\ \ (i,\lfloor\tfrac d2\rfloor+1),(\lceil\tfrac d2\rceil,d-i+1):\ N=i\lceil\tfrac d2"
    r"\rceil,\ \max g\ge\tfrac12(\lambda_i-\lambda_{d-i+1})",
    verdict=Verdict.REPAIRED,
    cases=_instances,
    uses=("MWKTV-T2.7R", "MWKTV-COUNT", "MWKTV-PATH"),
    note="lower_bounds.md#putting-it-together",
    examples=60,
    slack={"bound from short paths": Slack(0.835265, OPEN)},
)
from_the_whole_orbit = Statement(
    labels=("MWKTV-E11",),
    claim=r"\rho^2=\frac{q\,c_{i,m}^2g^2}2(1+e^{\varepsilon L})^{-1/im},\quad L=D^2+d,\ D^2=2\sum\lambda_l^2-2\sum"
    r"\lambda_l\lambda_{d-l+1}",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    uses=("MWKTV-E7", "MWKTV-T2.7R"),
    note="lower_bounds.md#from-the-packing-of-the-whole-orbit",
    examples=60,
)
from_a_ball = Statement(
    labels=("MWKTV-E12",),
    claim=r"\rho^2=\frac{g^2}{16}\min\Big(\frac{N\log3-2q\varepsilon}{\varepsilon s^2},2\Big)\text{ for }\varepsilon<"
    r"\frac{N\log3}{2q}=\frac{\log3}2\max(i,m)",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=_instances,
    uses=("MWKTV-T2.4R",),
    note="lower_bounds.md#from-the-packing-of-a-ball",
    examples=60,
)


def _pairs(d: int) -> list[tuple[int, int]]:
    """All ``(i, m)`` such that the first ``i`` and the last ``m`` of ``d`` indices are disjoint."""
    return [(i, d - j + 1) for i, j in itertools.combinations(range(1, d + 1), 2)]


def _gap(spectrum: Any, i: int, m: int) -> Any:
    return spectrum[i - 1] - spectrum[-m]


def _short(spectrum: Any, i: int, m: int, epsilon: Any, log3: Any) -> Any:
    """The bound from squared lengths of paths alone; negative where the argument gives nothing."""
    spread = spectrum[0] - spectrum[-1]
    return _gap(spectrum, i, m) ** 2 / 16 * min((i * m * log3 / epsilon - 2 * min(i, m)) / spread**2, 2)


@chain.fast
def links(spectrum: Any, epsilon: float) -> tuple[Outcome, ...]:
    d, half = len(spectrum), -(-len(spectrum) // 2)
    stated: list[Outcome] = []
    for i, m in _pairs(d):
        n = i * m
        reach = np.sqrt(max(n * np.log(3.0) / epsilon - 2 * min(i, m), 0.0)) / (spectrum[0] - spectrum[-1])
        if 0 < reach <= np.sqrt(2.0) and min(i, m) == 1:
            stated.append(
                Equal(log_local_packing(i, m, reach, reach / 2), 2 * n * np.log(2.0), part="size of the packing")
            )
        stated.append(AtMost(n * np.log(3.0), np.log(4.0**n - 1), part="points besides one"))
        stated.append(
            AtMost(
                _short(spectrum, i, m, epsilon, np.log(3.0)), bound(spectrum, epsilon), part="bound from short paths"
            )
        )
    for i in range(1, d // 2 + 1):
        most = max(spectrum[i - 1] - spectrum[d // 2], spectrum[half - 1] - spectrum[-i])
        stated.append(AtMost((spectrum[i - 1] - spectrum[-i]) / 2, most, part="larger of two gaps"))
    return tuple(stated)


@chain.oracle
def exact_links(spectrum: Any, epsilon: float) -> tuple[Outcome, ...]:
    values, d, half = [mp.mpf(x) for x in spectrum], len(spectrum), -(-len(spectrum) // 2)
    best, stated = exact_bound(values, mp.mpf(epsilon), "complex"), list[Outcome]()
    for i, m in _pairs(d):
        n = i * m
        reach = mp.sqrt(max(n * mp.log(3) / epsilon - 2 * min(i, m), 0)) / (values[0] - values[-1])
        if 0 < reach <= mp.sqrt(2) and min(i, m) == 1:
            stated.append(
                Equal(exact.log_local_packing(i, m, reach, reach / 2), 2 * n * mp.log(2), part="size of the packing")
            )
        stated.append(AtMost(n * mp.log(3), mp.log(mp.mpf(4) ** n - 1), part="points besides one"))
        stated.append(AtMost(_short(values, i, m, mp.mpf(epsilon), mp.log(3)), best, part="bound from short paths"))
    for i in range(1, d // 2 + 1):
        most = max(values[i - 1] - values[d // 2], values[half - 1] - values[-i])
        stated.append(AtMost((values[i - 1] - values[-i]) / 2, most, part="larger of two gaps"))
    return tuple(stated)


@chain.tight
def ladder() -> list[Any]:
    """``N = 1`` with ``4 - 1 = 3``, and two gaps of half the spread each."""
    return [(np.array([2.0, 0.0]), 0.25), (np.array([2.0, 1.0, 0.0]), 0.25)]


def whole_bound(spectrum: Any, epsilon: float) -> float:
    """A squared error exceeded with probability 1/2 or more, from the packing of the whole orbit; any ``epsilon``."""
    exponent = epsilon * (2 * np.sum(spectrum**2) - 2 * np.sum(spectrum * spectrum[::-1]) + len(spectrum))
    log_points, best = np.logaddexp(0, exponent), 0.0
    for i, m in _pairs(len(spectrum)):
        square = min(i, m) / 2 * (ball_constant(i, m) * _gap(spectrum, i, m)) ** 2
        best = max(best, float(square * np.exp(-log_points / (i * m))))
    return best


@from_the_whole_orbit.fast
def whole_errors(spectrum: Any, epsilon: float) -> tuple[AtMost, ...]:
    least, spread = whole_bound(spectrum, epsilon), spectrum[0] - spectrum[-1]
    stated = [AtMost(least, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")]
    if len(spectrum) == 2:
        stated.append(AtMost(least, 8 * spread**2 * np.exp(-epsilon), part="error of a private net"))
        within = np.expm1(-epsilon * least / (2 * spread)) / np.expm1(-epsilon * spread)
        stated.append(AtMost(within, 0.5, part="success of the exponential mechanism"))
    return tuple(stated)


@from_the_whole_orbit.oracle
def exact_whole_errors(spectrum: Any, epsilon: float) -> tuple[AtMost, ...]:
    values, d = [mp.mpf(x) for x in spectrum], len(spectrum)
    across = mp.fsum((x - y) ** 2 for x, y in zip(values, reversed(values), strict=True))
    points = 1 + mp.exp(mp.mpf(epsilon) * (across + d))
    least = mp.mpf(0)
    for i, m in _pairs(d):
        share = mp.mpf(min(i, m)) * exact.ball_constant(i, m) ** 2 / 2
        least = max(least, share * _gap(values, i, m) ** 2 / mp.root(points, i * m))
    mean, spread = mp.fsum(values) / d, values[0] - values[-1]
    stated = [AtMost(least, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")]
    if d == 2:
        stated.append(AtMost(least, 8 * spread**2 * mp.exp(-mp.mpf(epsilon)), part="error of a private net"))
        within = mp.expm1(-epsilon * least / (2 * spread)) / mp.expm1(-epsilon * spread)
        stated.append(AtMost(within, mp.mpf(1) / 2, part="success of the exponential mechanism"))
    return tuple(stated)


@from_the_whole_orbit.as_printed
def without_the_dimension(share: float, rate: float, top: float, epsilon: float) -> AtMost:
    """Compare ``c lambda^2 exp(-C epsilon D^2)`` for ``diag(lambda, 0)``, ``D^2 = 2 lambda^2``, with a net's error."""
    square = mp.mpf(top) ** 2
    return AtMost(
        share * square * mp.exp(-2 * rate * epsilon * square),
        8 * square * mp.exp(-mp.mpf(epsilon)),
        part="printed form",
    )


@from_the_whole_orbit.counterexample
def small_orbit() -> Any:
    return 2.0**-20, 4.0, 2.0**-5, 64.0


@from_the_whole_orbit.certificate
def small_orbit_certificate() -> dict[str, Any]:
    return inequality(
        "MWKTV-E11",
        "diag(1/32, 0), epsilon = 64, c = 2^-20, C = 4: C epsilon D^2 = 1/2, and a net errs by 8 lambda^2 e^-64",
        ["mul", "1/1048576", "1/1024", ["exp", "-1/2"]],
        ["mul", "8", "1/1024", ["exp", "-64"]],
    )


@from_a_ball.fast
def ball_errors(spectrum: Any, epsilon: float) -> tuple[AtMost, AtMost]:
    least = max(_short(spectrum, i, m, epsilon, np.log(3.0)) for i, m in _pairs(len(spectrum)))
    return (
        AtMost(least, bound(spectrum, epsilon), part="bound from short paths"),
        AtMost(least, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output"),
    )


@from_a_ball.oracle
def exact_ball_errors(spectrum: Any, epsilon: float) -> tuple[AtMost, AtMost]:
    values = [mp.mpf(x) for x in spectrum]
    least = max(_short(values, i, m, mp.mpf(epsilon), mp.log(3)) for i, m in _pairs(len(values)))
    mean = mp.fsum(values) / len(values)
    return (
        AtMost(least, exact_bound(values, mp.mpf(epsilon), "complex"), part="bound from short paths"),
        AtMost(least, mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output"),
    )


chain.as_printed(on_the_sphere)
chain.counterexample(fine_net)
from_a_ball.as_printed(on_the_sphere)
from_a_ball.counterexample(fine_net)


@chain.certificate
def chain_certificate() -> dict[str, Any]:
    return fine_net_certificate(chain.id)


@from_a_ball.certificate
def ball_certificate() -> dict[str, Any]:
    return fine_net_certificate(from_a_ball.id)
