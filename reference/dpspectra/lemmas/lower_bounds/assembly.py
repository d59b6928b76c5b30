"""How the lower bound is put together from packing, paths and counting, and where a condition on ``epsilon`` was lost.

Take the first ``i`` and the last ``m`` eigenvalues, with ``N = i m``, ``q = min(i, m)``, gap ``g`` and spread ``s``. At
the separation ``zeta = g omega / 2 s`` the packing has at least ``4^N`` points, hence at least ``3^N`` besides any
given one. A path to each has at most ``omega^2 + 2 q`` steps, so counting allows
``omega^2 = N log 3 / epsilon - 2 q``, which must be positive. It is for moderate ``epsilon``; the printed version drops
the negative term and is false for large ``epsilon``.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_measure
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Relation, Slack, Statement, Verdict
from dpspectra.lemmas.lower_bounds.any_epsilon import bound
from dpspectra.lemmas.lower_bounds.printed_bound import fine_net, fine_net_certificate, on_the_sphere
from dpspectra.lemmas.lower_bounds.row_counting import chance_of_error_above
from dpspectra.oracle import packing as exact
from dpspectra.oracle import radii
from dpspectra.strategies import dimensions, epsilons, spectra, st

FEW = 2
"""Largest number of principal angles whose density the float64 face integrates."""
PACKING = "size of the packing"


@st.composite
def instances(draw: st.DrawFn) -> tuple[Any, ...]:
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
    r"\omega^2=\tfrac{N\log3}\varepsilon-2q;\ \ \mathcal A\text{ sees }M\text{ only: }\rho^2=\tfrac{g^2}{16}\min("
    r"\tfrac{N\log3}{\varepsilon s^2}-\tfrac{2q}"
    r"{s^2},2)\text{ if positive};\ \ (i,\lfloor\tfrac d2\rfloor+1),(\lceil\tfrac d2\rceil,d-i+1):\ N=i\lceil\tfrac d2"
    r"\rceil,\ \max g\ge\tfrac12(\lambda_i-\lambda_{d-i+1})",
    verdict=Verdict.REPAIRED,
    cases=instances,
    uses=("MWKTV-T2.7R", "MWKTV-COUNT", "MWKTV-PATH"),
    note="lower_bounds.md#putting-it-together",
    examples=33,
    slack={"bound from short paths": Slack(0.92957, "4^N points are asked for, whatever number of them is best")},
    exact=(PACKING,),
)
from_a_ball = Statement(
    labels=("MWKTV-E12",),
    claim=r"\mathcal A\text{ sees }M=X^*X\text{ only}:\ \rho^2=\frac{g^2}{16}\min\Big(\frac{N\log3-2q\varepsilon}{"
    r"\varepsilon s^2},2\Big)\text{ for }\varepsilon<"
    r"\frac{N\log3}{2q}=\frac{\log3}2\max(i,m)",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    cases=instances,
    uses=("MWKTV-T2.4S",),
    note="lower_bounds.md#from-the-packing-of-a-ball",
    examples=42,
    slack={
        "bound for every epsilon": Slack(0.92957, "4^N points are asked for, whatever number of them is best"),
        "error of a constant output": Slack(0.25, "half the radius of the ball, of which half the distance is certain"),
    },
)


def _pairs(d: int) -> list[tuple[int, int]]:
    """All ``(i, m)`` such that the first ``i`` and the last ``m`` of ``d`` indices are disjoint."""
    return [(i, d - j + 1) for i, j in itertools.combinations(range(1, d + 1), 2)]


def _short(spectrum: Any, i: int, m: int, epsilon: Any, log3: Any) -> Any:
    """The bound from squared lengths of paths alone; negative where the argument gives nothing."""
    spread = spectrum[0] - spectrum[-1]
    return (spectrum[i - 1] - spectrum[-m]) ** 2 / 16 * min((i * m * log3 / epsilon - 2 * min(i, m)) / spread**2, 2)


@chain.fast
def links(spectrum: Any, epsilon: float) -> Parts:
    d, half, spread = len(spectrum), -(-len(spectrum) // 2), spectrum[0] - spectrum[-1]
    for i, m in _pairs(d):
        n, square = i * m, i * m * np.log(3.0) / epsilon - 2 * min(i, m)
        if not 0 < square <= 2 * spread**2 or min(i, m) > FEW:
            continue
        reach, gap = np.sqrt(square) / spread, spectrum[i - 1] - spectrum[-m]
        yield Equal(
            np.log(ball_measure(i, m, reach) / ball_measure(i, m, reach / 2)), 2 * n * np.log(2.0), part=PACKING
        )
        yield AtMost(epsilon * (square + 2 * min(i, m)), np.log(4.0**n - 1), part="short enough paths")
        yield Equal(_short(spectrum, i, m, epsilon, np.log(3.0)), (gap * reach / 4) ** 2, part="half the distance")
    best, values = bound(spectrum, epsilon), [_short(spectrum, i, m, epsilon, np.log(3.0)) for i, m in _pairs(d)]
    for value in values:
        yield AtMost(value, best, part="bound from short paths")
    for i in range(1, d // 2 + 1):
        most = max(spectrum[i - 1] - spectrum[d // 2], spectrum[half - 1] - spectrum[-i])
        yield AtMost((spectrum[i - 1] - spectrum[-i]) / 2, most, part="larger of two gaps")


@chain.oracle
def exact_links(spectrum: Any, epsilon: Real) -> Parts:
    """Measure the balls; take half the distance of two images as the root of the squares of both radii."""
    values, d, half = [mp.mpf(x) for x in spectrum], len(spectrum), -(-len(spectrum) // 2)
    best, stated = radii.best(values, epsilon, "complex")[0], list[Outcome]()
    for i, j in itertools.combinations(range(1, d + 1), 2):
        m = d - j + 1
        n, q, spread = i * m, min(i, m), values[0] - values[-1]
        square = n * mp.log(3) / epsilon - 2 * q
        if not 0 < square <= 2 * spread**2 or q > FEW:
            continue
        reach = mp.sqrt(square) / spread
        outer, inner = (exact.ball_measure(i, m, r) for r in (reach, reach / 2))
        ratio = mp.mpf(outer.numerator) / outer.denominator * inner.denominator / inner.numerator
        apart = (values[i - 1] - values[j - 1]) * reach / 2
        stated += [
            Equal(mp.log(ratio), 2 * n * mp.log(2), part=PACKING),
            AtMost(epsilon * (square + 2 * q), mp.log(ratio - 1), part="short enough paths"),
            Equal((apart / 2) ** 2, _printed_value(values, i, j, epsilon), part="half the distance"),
        ]
    printed = [_printed_value(values, *pair, epsilon) for pair in itertools.combinations(range(1, d + 1), 2)]
    stated += [AtMost(value, best, part="bound from short paths") for value in printed]
    for i in range(1, d // 2 + 1):
        most = max(values[i - 1] - values[d // 2], values[half - 1] - values[-i])
        stated.append(AtMost((values[i - 1] - values[-i]) / 2, most, part="larger of two gaps"))
    yield from stated


def _printed_value(values: list[Any], i: int, j: int, epsilon: Any) -> Any:
    """The value of (57), with the length ``omega^2 + 2 q`` in place of the printed one."""
    m, spread = len(values) - j + 1, values[0] - values[-1]
    per_square = i * m * mp.log(3) / (epsilon * spread**2) - 2 * min(i, m) / spread**2
    return (values[i - 1] - values[j - 1]) ** 2 * min(per_square, 2) / 16


@chain.tight
def ladder() -> list[Any]:
    """``N = 1`` with ``4 - 1 = 3``, two gaps of half the spread each, and two angles."""
    return [
        (np.array([2.0, 0.0]), 0.25),
        (np.array([2.0, 1.0, 0.0]), 0.25),
        (np.array([4.0, 4.0, 0.0, 0.0]), 0.5),
        (np.array([0.125, 0.0]), 0.5),
    ]


@chain.beyond
def far_ends() -> dict[str, Outcome]:
    """The tight instance of rows; and a ball of radius 2 among lines of the plane, which contains all of them."""
    ratio = exact.ball_measure(1, 1, 2) / exact.ball_measure(1, 1, 1)
    counted = mp.log(mp.mpf(ratio.numerator) / ratio.denominator)
    return {
        "the output depends on M only": of_the_rows()["the output depends on M only"],
        "the larger ball has radius at most sqrt 2": Equal(counted, 2 * mp.log(2), part=PACKING),
    }


@from_a_ball.fast
def ball_errors(spectrum: Any, epsilon: float) -> Parts:
    best, constant = bound(spectrum, epsilon), np.sum((spectrum - np.mean(spectrum)) ** 2)
    values = [_short(spectrum, i, m, epsilon, np.log(3.0)) for i, m in _pairs(len(spectrum))]
    for value in values:
        yield AtMost(value, best, part="bound for every epsilon")
    for value in values:
        yield AtMost(value, constant, part="error of a constant output")


@from_a_ball.oracle
def exact_ball_errors(spectrum: Any, epsilon: Real) -> Parts:
    values, d = [mp.mpf(x) for x in spectrum], len(spectrum)
    best, mean = radii.best(values, epsilon, "complex")[0], mp.fsum(values) / d
    constant = mp.fsum((x - mean) ** 2 for x in values)
    printed = [_printed_value(values, *pair, epsilon) for pair in itertools.combinations(range(1, d + 1), 2)]
    for value in printed:
        yield AtMost(value, best, part="bound for every epsilon")
    for value in printed:
        yield AtMost(value, constant, part="error of a constant output")


@from_a_ball.tight
def small_steps() -> list[Any]:
    """A sphere, at an ``epsilon`` for which the squared lengths and ``4^N`` points are nearly the best choice."""
    return [(np.array([0.125, 0.0]), 0.5)]


@from_a_ball.beyond
def of_the_rows() -> dict[str, AtMost]:
    """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
    value = _printed_value([mp.mpf(400), mp.mpf(0)], 1, 2, mp.mpf("0.1"))
    chance = chance_of_error_above(value, 400, mp.mpf("0.1"), 2.0**-10)
    return {"the output depends on M only": AtMost(mp.mpf(1) / 2, chance, part="chance of a larger error")}


chain.as_printed(on_the_sphere)
chain.counterexample(fine_net)
from_a_ball.as_printed(on_the_sphere)
from_a_ball.counterexample(fine_net)


chain.certificate(lambda: fine_net_certificate(chain.id))


from_a_ball.certificate(lambda: fine_net_certificate(from_a_ball.id))
