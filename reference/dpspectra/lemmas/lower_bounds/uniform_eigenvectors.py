"""If eigenvectors are uniform in a ball, an output is right for few of the data sets; this needs no packing.

As in MWKTV-T2.4S, ``L`` steps lead from ``Lambda`` to each point of the orbit within ``omega``; so if an output is
right for the share ``1 / 2R`` of them, ``R = e^(epsilon L)``, the mechanism is right half of the time. An output on the
orbit is right for a ball of projectors; a packing sees a ball of twice the radius only, so its bound is a quarter of
this one. Data sets within ``rho`` of any output have a mean squared distance of ``2 rho^2`` at most, and of all sets
with their share a ball has the smallest one. Together with MWKTV-T2.4S, which is better for one or two dimensions, the
universal constant is 2.4 times that of MWKTV-T2.4S alone.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import lower_bound_radii
from dpspectra.fast.packing import ball_constant, ball_measure, log_tableaux
from dpspectra.formulas import lower_bound_any_epsilon, lower_bound_uniform
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.explicit_bound import exactly_shaped, shaped
from dpspectra.lemmas.lower_bounds.row_counting import exceeded_half_of_the_time
from dpspectra.lemmas.packing.grassmann_measure import FEW
from dpspectra.oracle import lower_bound_radii as exact_radii
from dpspectra.oracle import packing as exact
from dpspectra.strategies import dimensions, epsilons, fields, spectra, st

RATE = 1.27846454276107
"""Where ``x / (e^x + 1)`` is largest."""


def _exact_pair(values: list[Any], i: int, m: int, epsilon: Any, field: str) -> tuple[Any, Any, Any]:
    """Squared errors of a pair of places for any output and for outputs on the orbit, and the squared radius."""
    square, *_ = exact_radii.separation(values[0] - values[-1], i, m, epsilon, field, uniform=True)
    power = mp.mpf(i * m) / (2 if field == "real" else 1)
    whole = (values[i - 1] - values[-m]) ** 2 * square
    anywhere = whole / 2 * power / (power + 1)
    return anywhere, whole if i + m == len(values) else anywhere, square


def exact_pairs(values: list[Any], epsilon: Any, field: str) -> list[tuple[Any, Any, Any]]:
    """Squared errors and squared radius of every pair of places."""
    d = len(values)
    return [_exact_pair(values, i, m, epsilon, field) for i in range(1, d) for m in range(1, d - i + 1)]


@statement
class UniformEigenvectors:
    labels = ("MWKTV-T2.4U",)
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only}\Rightarrow\exists M\in\mathcal O_\Lambda:\Pr[\|M-"
        r"\mathcal A(M)\|_F^2>\rho^2]\ge\tfrac12,\ \rho^2=\max_{i<j,\,\omega}\tfrac{p}{2(p+1)}g^2z^2,\ "
        r"\mathcal A\in\mathcal O_\Lambda:\ \rho_O^2=\max\{\rho^2,\max_{i,\,\omega}"
        r"(\lambda_i-\lambda_{i+1})^2z^2\};\ \text{complex: }p=N,\ z^2=K(2e^{\varepsilon L})^{-1/N};\ "
        r"\text{real: }p=\tfrac N2,\ z^2=v(1-\tfrac v2)^{1/N},\ v=\min\{1,\max_\omega\min("
        r"\tfrac{\omega^2}{s^2},2)(2e^{\varepsilon L})^{-2/N}\};\ K,\ L,\ U\text{ of MWKTV-T2.4S},\ "
        r"\tfrac x{e^x+1}\text{ is largest}"
    )
    claim = {
        "error of a constant output": r"\rho^2\le\sum_l(\lambda_l-\bar\lambda)^2",
        "error of a fixed output on the orbit": r"\rho_O^2\le2\sum_l\lambda_l(\lambda_l-\lambda_{d+1-l})",
        "share of the answers": r"\text{complex},\ z^2\le2:\ \frac{V(z)}U=\tfrac12e^{-\varepsilon L}",
        "success of the exponential mechanism": (
            r"\text{complex},\ d=2:\ \frac{1-e^{-\varepsilon\rho_O^2/2s}}{1-e^{-\varepsilon s}}\le\tfrac12"
        ),
        "constant of a pair": (
            r"i\le m:\ \tfrac1{4(e^x+1)}\le c_{i,m}^2\max\Big\{\tfrac1{4(e^x+1)},\ "
            r"\tfrac N{2(N+1)}2^{-1/N}e^{-x}\Big\}"
        ),
        "simpler form": (
            r"\text{complex: }\tfrac x{32(e^x+1)}e^{-2\varepsilon/\lceil d/2\rceil}\max_{i\le d/2}"
            r"\frac{d\,i(\lambda_i-\lambda_{d-i+1})^2}{\max\{\lambda_1^2\varepsilon,d\}}\le\max\{\rho^2,\rho_*^2\}"
        ),
        "share of large balls": r"\text{complex},\ z^2>2:\ \frac{V(z)}U\le\tfrac12e^{-\varepsilon L}",
        "share of an arc": (
            r"\text{real},\ i=m=1:\ \arcsin\tfrac z{\sqrt2}\le\tfrac12e^{-\varepsilon L}\arcsin\min\big("
            r"\tfrac\omega{s\sqrt2},1\big)"
        ),
    }
    where = {
        "z": "radius of a ball of projectors for which one output may be right",
        r"\rho_O": "the same error for mechanisms whose outputs are on the orbit",
        "p": "half the real dimension of the Grassmannian of the pair",
        "K": "squared separation that MWKTV-T2.4S has, as far as the ball allows",
        "v": "squared radius over the reals before a correction",
        "U": "share of the Grassmannian that the ball has at least",
        "x": "the number 1.278",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-T2.4S", "MWKTV-PATH", "MWKTV-M33", "MWKTV-L8.1X", "MWKTV-L8.2S", "MWKTV-E34", "MWKTV-E35R")
    note = "lower_bounds.md#uniform-eigenvectors"
    examples = 40
    digits = 30
    slack = {
        "error of a constant output": Slack(
            0.831597, "the distances of uniform projectors are nearly the same in many dimensions only"
        ),
        "error of a fixed output on the orbit": Slack(0.582117, "the error is bounded half of the time, not always"),
        "simpler form": Slack(0.0697024, "half of the gap, the worst pair and the worst N are taken at once"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, float, str, int, int]:
        """Non-negative spectrum that is not constant, ``epsilon``, field, and sizes of a pair of groups of places."""
        spectrum = draw(spectra(draw(dimensions(2))))
        spectrum[0] += draw(st.sampled_from([1.0, 0.0625, 4.0]))
        h = draw(st.integers(1, 16))
        return spectrum, draw(epsilons(2.0**-6, 16.0)), draw(fields()), draw(st.integers(1, h)), h

    def fast(self, spectrum: Any, epsilon: float, field: str, i: int, h: int) -> Parts:
        spectrum, d = np.array(spectrum), len(spectrum)
        error = lower_bound_uniform.bound(spectrum, epsilon, field)
        best = lower_bound_uniform.bound(spectrum, epsilon, field, on_orbit=True)
        spread = spectrum[0] - spectrum[-1]
        yield AtMost(error, np.sum((spectrum - np.mean(spectrum)) ** 2), part="error of a constant output")
        yield AtMost(best, 2 * spectrum @ (spectrum - spectrum[::-1]), part="error of a fixed output on the orbit")
        for a, b in zip(*lower_bound_radii.places(spectrum), strict=True):
            yield from _share(spread, int(a), int(b), epsilon, field)
        if field == "real":
            return
        if d == 2:
            within = np.expm1(-epsilon * best / (2 * spread)) / np.expm1(-epsilon * spread)
            yield AtMost(within, 0.5, part="success of the exponential mechanism")
        packed, n = 1 / (4 * (np.exp(RATE) + 1)), i * h
        uniform = lower_bound_uniform.share(n) * 2 ** (-1 / n) * np.exp(-RATE)
        yield AtMost(packed, ball_constant(i, h) ** 2 * max(packed, uniform), part="constant of a pair")
        simpler = packed * RATE / 8 * shaped(spectrum, epsilon) * np.exp(-2 * epsilon / -(-d // 2))
        yield AtMost(simpler, max(error, lower_bound_any_epsilon.bound(spectrum, epsilon)), part="simpler form")

    def oracle(self, spectrum: Any, epsilon: Real, field: str, i: int, h: int) -> Parts:
        """Try all lengths of paths, and measure balls by integration."""
        values, d = [mp.mpf(float(x)) for x in spectrum], len(spectrum)
        errors, orbit, _ = zip(*exact_pairs(values, epsilon, field), strict=True)
        mean, spread = mp.fsum(values) / d, values[0] - values[-1]
        yield AtMost(max(errors), mp.fsum((x - mean) ** 2 for x in values), part="error of a constant output")
        far = 2 * mp.fsum(x * (x - y) for x, y in zip(values, reversed(values), strict=True))
        yield AtMost(max(orbit), far, part="error of a fixed output on the orbit")
        for a in range(1, d):
            for b in range(1, d - a + 1):
                yield from _exact_share(spread, a, b, epsilon, field)
        if field == "real":
            return
        if d == 2:
            within = mp.expm1(-epsilon * max(orbit) / (2 * spread)) / mp.expm1(-epsilon * spread)
            yield AtMost(within, mp.mpf(1) / 2, part="success of the exponential mechanism")
        x, n = 1 + mp.lambertw(mp.exp(-1)).real, mp.mpf(i * h)
        packed = 1 / (4 * (mp.exp(x) + 1))
        uniform = n / (n + 1) / 2 / mp.root(2, i * h) * mp.exp(-x)
        yield AtMost(packed, exact.ball_constant(i, h) ** 2 * max(packed, uniform), part="constant of a pair")
        simpler = x * packed / 8 * exactly_shaped(values, epsilon) * mp.exp(-2 * epsilon / -(-d // 2))
        most = max(*errors, exact_radii.best(values, epsilon, field)[0])
        yield AtMost(simpler, most, part="simpler form")

    def tight(self) -> list[Any]:
        """A sphere at small ``epsilon``; four values; small balls, and one whose half squared radius is above 1."""
        return [
            ((1.0, 0.0), 2.0**-24, "complex", 1, 1),
            ((9.0, 8.0, 1.0, 0.0), 0.375, "complex", 2, 2),
            ((2.0, 1.0, 0.0), 3.0, "complex", 1, 3),
            ((0.25, 0.25, 0.0, 0.0, 0.0), 2.0**-10, "complex", 1, 16),
            ((0.25, 0.25, 0.0, 0.0, 0.0), 0.229, "complex", 3, 3),
            ((4096.0, 0.0), 1.0, "real", 1, 1),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
        squared_error = _exact_pair([mp.mpf(400), mp.mpf(0)], 1, 1, mp.mpf("0.1"), "complex")[0]
        return {"the output depends on M only": exceeded_half_of_the_time(squared_error)}


def _share(spread: float, i: int, m: int, epsilon: float, field: str) -> Parts:
    """State the share of the ball that one output may answer."""
    square, reach, length = (
        float(x[0]) for x in lower_bound_radii.separations(spread, [i], [m], epsilon, field, uniform=True)
    )
    allowed = np.exp(-epsilon * length) / 2
    if field == "real":
        if (i, m) == (1, 1):
            arc = np.arcsin(min(np.sqrt(reach / 2) / spread, 1.0))
            yield AtMost(np.arcsin(np.sqrt(square / 2)), arc * allowed, part="share of an arc")
    elif min(i, m) <= FEW:
        half = min(reach / spread**2 / 2, float(min(i, m)))
        whole = max(min(half, 1.0) ** (i * m) / np.exp(log_tableaux(i, m)), (half / min(i, m)) ** (i * m))
        seen = ball_measure(i, m, np.sqrt(square)) / whole
        if square <= 2:
            yield Equal(seen, allowed, part="share of the answers")
        else:
            yield AtMost(seen, allowed, part="share of large balls")


def _exact_share(spread: Any, i: int, m: int, epsilon: Any, field: str) -> Parts:
    """`_share` in multiprecision."""
    square, reach, length = exact_radii.separation(spread, i, m, epsilon, field, uniform=True)
    allowed, radius = mp.exp(-epsilon * length) / 2, mp.sqrt(reach) / spread
    if field == "real":
        if (i, m) == (1, 1):
            arc = mp.asin(min(radius / mp.sqrt(2), mp.mpf(1)))
            yield AtMost(mp.asin(mp.sqrt(square / 2)), arc * allowed, part="share of an arc")
    elif min(i, m) <= FEW:
        radius = min(radius, mp.sqrt(2 * min(i, m)))
        chart = mp.mpmathify(exact.ball_measure(i, m, min(radius, mp.sqrt(2))))
        whole = max(chart, (radius**2 / (2 * min(i, m))) ** (i * m))
        seen = mp.mpmathify(exact.ball_measure(i, m, mp.sqrt(square))) / whole
        if square <= 2:
            yield Equal(seen, allowed, part="share of the answers")
        else:
            yield AtMost(seen, allowed, part="share of large balls")
