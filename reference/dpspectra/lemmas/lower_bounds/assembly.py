"""How the lower bound is put together from packing, paths and counting: its values, and where a condition was lost.

Take the first ``i`` and the last ``m`` eigenvalues, with ``N = i m``, ``q = min(i, m)``, gap ``g`` and spread ``s``. At
the separation ``zeta = g omega / 2 s`` the packing has at least ``4^N`` points, hence at least ``3^N`` besides any
given one. A path to each has at most ``omega^2 + 2 q`` steps, so counting allows
``omega^2 = N log 3 / epsilon - 2 q``, which must be positive. It is for moderate ``epsilon``; the printed version drops
the negative term and is false for large ``epsilon``.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.formulas import lower_bound_uniform
from dpspectra.formulas.lower_bound_any_epsilon import bound
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.bound_printed import PrintedBound
from dpspectra.lemmas.lower_bounds.row_counting import exceeded_half_of_the_time
from dpspectra.lemmas.lower_bounds.uniform_eigenvectors import exact_pairs
from dpspectra.oracle import lower_bound_radii
from dpspectra.strategies import dimensions, epsilons, spectra, st

C = {"printed loss": "0.39", "printed squared error": "0.29"}
"""Numbers in place of the constant of the covering numbers, with which (58) and (59) are proved."""


@st.composite
def instances(draw: st.DrawFn) -> tuple[Any, ...]:
    """A non-negative spectrum that is not constant, and ``epsilon``."""
    d = draw(dimensions(2))
    spectrum = draw(spectra(d))
    spectrum[0] += draw(st.sampled_from([1.0, 0.0625, 16.0]))
    return spectrum, draw(epsilons(2.0**-6, 4.0))


def pairs(d: int) -> list[tuple[int, int]]:
    """All ``(i, m)`` such that the first ``i`` and the last ``m`` of ``d`` indices are disjoint."""
    return [(i, d - j + 1) for i, j in itertools.combinations(range(1, d + 1), 2)]


def _short(spectrum: Any, i: int, m: int, epsilon: float) -> Any:
    """The bound from squared lengths of paths alone; negative where the argument gives nothing."""
    square, spread = i * m * np.log(3.0) / epsilon - 2 * min(i, m), spectrum[0] - spectrum[-1]
    return (spectrum[i - 1] - spectrum[-m]) ** 2 / 16 * min(square / spread**2, 2)


def _printed(spectrum: Any, i: int, m: int, epsilon: float, log2: float) -> float:
    """``64 C^2`` times the printed value, with ``log2`` as the paper has it in (58), or without it, as in (59)."""
    top, gap = spectrum[0] ** 2, spectrum[i - 1] - spectrum[-m]
    return float(gap**2 * min(i * m * log2 / (4 * epsilon * top) - len(spectrum) / top, i, m))


def _short_value(given: list[Any], i: int, j: int, epsilon: Any) -> Any:
    """`_short` in mpmath, for the places ``i`` and ``j``."""
    m, spread = len(given) - j + 1, given[0] - given[-1]
    per_square = i * m * mp.log(3) / (epsilon * spread**2) - 2 * min(i, m) / spread**2
    return (given[i - 1] - given[j - 1]) ** 2 * min(per_square, 2) / 16


@statement
class AssemblyFromABall:
    labels = ("MWKTV-E12",)
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only},\ \rho^2=\frac{g^2}{16}\min\Big("
        r"\frac{N\log3-2q\varepsilon}{\varepsilon s^2},2\Big)>0\text{ for }\varepsilon<\frac{N\log3}{2q}="
        r"\frac{\log3}2\max(i,m)"
    )
    claim = {
        "bound for every epsilon": r"\rho^2\le\rho_*^2",
        "error of a constant output": r"\rho^2\le\sum_l(\lambda_l-\bar\lambda)^2",
    }
    printed = (
        r"$`\lVert M-\mathcal "
        r"A(M)\rVert_F^2\ge\Omega\big(\frac{i(d-j+1)}{\lambda_1^2\varepsilon}(\lambda_i-\lambda_j)^2\big)`$."
    )
    verdict = Verdict.REPAIRED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-T2.4S", "MWKTV-T2.4R")
    note = "lower_bounds.md#from-the-packing-of-a-ball"
    examples = 42
    slack = {
        "bound for every epsilon": Slack(0.92957, "4^N points are asked for, whatever number of them is best"),
        "error of a constant output": Slack(0.25, "half the radius of the ball, of which half the distance is certain"),
    }
    cases = staticmethod(instances)

    def fast(self, spectrum: Any, epsilon: float) -> Parts:
        best, constant = bound(spectrum, epsilon), np.sum((spectrum - np.mean(spectrum)) ** 2)
        values = [_short(spectrum, i, m, epsilon) for i, m in pairs(len(spectrum))]
        for value in values:
            yield AtMost(value, best, part="bound for every epsilon")
        for value in values:
            yield AtMost(value, constant, part="error of a constant output")

    def oracle(self, spectrum: Any, epsilon: Real) -> Parts:
        values, d = [mp.mpf(x) for x in spectrum], len(spectrum)
        best, mean = lower_bound_radii.best(values, epsilon, "complex")[0], mp.fsum(values) / d
        constant = mp.fsum((x - mean) ** 2 for x in values)
        short = [_short_value(values, *pair, epsilon) for pair in itertools.combinations(range(1, d + 1), 2)]
        for value in short:
            yield AtMost(value, best, part="bound for every epsilon")
        for value in short:
            yield AtMost(value, constant, part="error of a constant output")

    def tight(self) -> list[Any]:
        """A sphere, at an ``epsilon`` for which the squared lengths and ``4^N`` points are nearly the best choice."""
        return [(np.array([0.125, 0.0]), 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """On ``diag(400, 0)`` the row-counting mechanism errs by less with probability above 1/2."""
        value = _short_value([mp.mpf(400), mp.mpf(0)], 1, 2, mp.mpf("0.1"))
        return {"the output depends on M only": exceeded_half_of_the_time(value)}

    as_printed = PrintedBound.as_printed
    hypotheses = PrintedBound.hypotheses
    counterexample = PrintedBound.counterexample
    certificate = PrintedBound.certificate


@statement
class AssemblyAsPrinted:
    labels = ("MWKTV-E57", "MWKTV-E58", "MWKTV-E59")
    given = (
        r"\mathcal A\text{ sees }M=X^*X\text{ only},\ \omega^2=\tfrac{N\log3}\varepsilon-2q,\ "
        r"\rho^2=\tfrac{g^2}{16}\min(\tfrac{\omega^2}{s^2},2),\ C=0.39,\ C'=0.29;\ "
        r"N=i\lceil\tfrac d2\rceil\text{ for the places }(i,\lfloor\tfrac d2\rfloor+1),"
        r"(\lceil\tfrac d2\rceil,d-i+1)"
    )
    claim = {
        "half the distance": r"0<\omega^2\le2s^2,\ \zeta=\tfrac{g\omega}{2s}:\ \rho^2=\big(\tfrac\zeta2\big)^2",
        "bound from short paths": r"\rho^2\le\rho_*^2",
        "printed loss": (
            r"\tfrac{g^2}{64C^2}\min\big\{\tfrac{N\log2}{4\varepsilon\lambda_1^2}-\tfrac d{\lambda_1^2},q\big\}"
            r"\le\tfrac12\max\{\rho_*,\rho_U\}^2"
        ),
        "printed squared error": (
            r"\tfrac{g^2}{64C'^2}\min\big\{\tfrac N{4\varepsilon\lambda_1^2}-\tfrac d{\lambda_1^2},q\big\}"
            r"\le\max\{\rho_*,\rho_U\}^2"
        ),
        "larger of two gaps": (
            r"i\le\tfrac d2:\ \tfrac12(\lambda_i-\lambda_{d-i+1})"
            r"\le\max\{\lambda_i-\lambda_{\lfloor d/2\rfloor+1},\lambda_{\lceil d/2\rceil}-\lambda_{d-i+1}\}"
        ),
    }
    printed = {
        "MWKTV-E57": (
            r"The loss of (45), $`\eta^2\delta\sum_\ell\lambda_\ell^2`$, is "
            r"$`\min\big(\frac1{4\varepsilon\lambda_1^2}i(d-j+1)\log2-\frac "
            r"d{\lambda_1^2},\,i,\,d-j+1\big)\frac{(\lambda_i-\lambda_j)^2}{64C^2}`$."
        ),
        "MWKTV-E58": (
            r"$`\sum_{\ell=1}^d\lambda_\ell^2-\langle M,\mathcal A(M)\rangle\ge\max_{1\le i<j\le "
            r"d}\frac{(\lambda_i-\lambda_j)^2}{64C^2}\min\big(\frac1{4\varepsilon\lambda_1^2}i(d-j+1)\log2-"
            r"\frac d{\lambda_1^2},\,i,\,d-j+1\big)`$."
        ),
        "MWKTV-E59": (
            r"$`\lVert M-\mathcal A(M)\rVert_F^2\ge\max_{1\le i<j\le "
            r"d}\frac{(\lambda_i-\lambda_j)^2}{64C^2}\min\big(\frac1{4\varepsilon\lambda_1^2}i(d-j+1)-\frac "
            r"d{\lambda_1^2},\,i,\,d-j+1\big)`$."
        ),
    }
    where = {
        "C": "the number 0.39, which stands for the constant of (57) and (58)",
        "C'": "the number 0.29, which stands for the constant of (59)",
        r"\rho_U": "that of MWKTV-T2.4U for any output, over the complex numbers",
        r"\zeta": "distance above which the points of the packing are from one another",
    }
    verdict = Verdict.PROOF_GAP
    uses = ("MWKTV-E53", "MWKTV-T2.4S", "MWKTV-T2.4R", "MWKTV-T2.4U")
    note = "lower_bounds.md#putting-it-together"
    examples = 33
    slack = {
        "bound from short paths": Slack(0.92957, "4^N points are asked for, whatever number of them is best"),
        "printed loss": Slack(
            0.834912, "the path is one step shorter than counted, and the cap is twice the printed one"
        ),
        "printed squared error": Slack(
            0.754966, "the path is one step shorter than counted, and the cap is twice the printed one"
        ),
    }
    cases = staticmethod(instances)

    def fast(self, spectrum: Any, epsilon: float) -> Parts:
        d, half, spread = len(spectrum), -(-len(spectrum) // 2), spectrum[0] - spectrum[-1]
        for i, m in pairs(d):
            square = i * m * np.log(3.0) / epsilon - 2 * min(i, m)
            if 0 < square <= 2 * spread**2:
                apart = (spectrum[i - 1] - spectrum[-m]) * np.sqrt(square) / (2 * spread)
                yield Equal(_short(spectrum, i, m, epsilon), (apart / 2) ** 2, part="half the distance")
        best = bound(spectrum, epsilon)
        for i, m in pairs(d):
            yield AtMost(_short(spectrum, i, m, epsilon), best, part="bound from short paths")
        best = max(best, lower_bound_uniform.bound(spectrum, epsilon))
        for part, share, log2 in (("printed loss", 2, np.log(2.0)), ("printed squared error", 1, 1.0)):
            for i, m in pairs(d):
                value = _printed(spectrum, i, m, epsilon, log2) / (64 * float(C[part]) ** 2)
                yield AtMost(value, best / share, part=part)
        for i in range(1, d // 2 + 1):
            most = max(spectrum[i - 1] - spectrum[d // 2], spectrum[half - 1] - spectrum[-i])
            yield AtMost((spectrum[i - 1] - spectrum[-i]) / 2, most, part="larger of two gaps")

    def oracle(self, spectrum: Any, epsilon: Real) -> Parts:
        """Take half the distance of two images as the root of the squares of both radii."""
        given, d, half = [mp.mpf(x) for x in spectrum], len(spectrum), -(-len(spectrum) // 2)
        best, pairs = (
            lower_bound_radii.best(given, epsilon, "complex")[0],
            list(itertools.combinations(range(1, d + 1), 2)),
        )
        for i, j in pairs:
            spread, q = given[0] - given[-1], min(i, d - j + 1)
            square = i * (d - j + 1) * mp.log(3) / epsilon - 2 * q
            if 0 < square <= 2 * spread**2:
                radius = (given[i - 1] - given[j - 1]) * mp.sqrt(square) / (4 * spread)
                yield Equal(radius**2, _short_value(given, i, j, epsilon), part="half the distance")
        for i, j in pairs:
            yield AtMost(_short_value(given, i, j, epsilon), best, part="bound from short paths")
        best = max(best, *(errors[0] for errors in exact_pairs(given, epsilon, "complex")))
        for part, share, log2 in (("printed loss", 2, mp.log(2)), ("printed squared error", 1, mp.mpf(1))):
            for i, j in pairs:
                m, top = d - j + 1, given[0] ** 2
                inside = min(i * m * log2 / (4 * epsilon * top) - d / top, mp.mpf(min(i, m)))
                value = (given[i - 1] - given[j - 1]) ** 2 / (64 * mp.mpf(C[part]) ** 2) * inside
                yield AtMost(value, best / share, part=part)
        for i in range(1, d // 2 + 1):
            most = max(given[i - 1] - given[d // 2], given[half - 1] - given[-i])
            yield AtMost((given[i - 1] - given[-i]) / 2, most, part="larger of two gaps")

    def tight(self) -> list[Any]:
        """``N = 1``, two gaps of half the spread each, and small orbits."""
        return [
            (np.array([2.0, 0.0]), 0.25),
            (np.array([2.0, 1.0, 0.0]), 0.25),
            (np.array([0.125, 0.0]), 0.5),
            (np.array([0.125, 0.0]), 2.0**-6),
        ]

    beyond = AssemblyFromABall.beyond
