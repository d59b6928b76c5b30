"""A law arbitrarily close to ``exp(kappa <M, H>)``, in infinity distance, can be sampled in polynomial time.

This is cited, and no sampler of this project rests on it: ours are exact. Its premises are checked here: the law of the
pattern is log-linear on a polytope with ``d (d - 1)`` inequalities, inside a cube whose side is the spread of the
spectrum. If the eigenvalues are at least ``g`` apart, the polytope contains a cube of side ``g / 2`` around the pattern
of means ``(lambda_j + .. + lambda_(j + d - r)) / (d - r + 1)``. The gradient of the exponent has norm
``kappa sqrt(sum r (gamma_r - gamma_(r+1))^2)``, at most ``kappa sqrt(d - 1)`` times the spread of ``M``. If the
spectrum has ties the polytope is flat.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Reals, Verdict, statement
from dpspectra.strategies import dimensions, st
from dpspectra.strategies.orbits import levels


def slope(m: Any, kappa: Any) -> Any:
    """Bound on the norm of the gradient of ``kappa <diag(m), H>`` as a function of the pattern of ``H``."""
    return kappa * math.sqrt(len(m) - 1) * (m[0] - m[-1])


@statement
class RunningTime:
    labels = ("MWKTV-L6.6",)
    given = (
        r"\nu:\ \sup_H\Big|\log\tfrac{d\nu}{d\nu_M}\Big|\le\delta\ \text{in time }\mathrm{poly}(d,\text{bits},"
        r"\log\tfrac1\delta);\quad x^0_{r,j}=\tfrac{\lambda_j+..+\lambda_{j+d-r}}{d-r+1},\ "
        r"g=\min_j(\lambda_j-\lambda_{j+1}),\ "
        r"x^0+[-\tfrac g4,\tfrac g4]^N\subset\mathcal K_\Lambda\subset[\lambda_d,\lambda_1]^N"
    )
    claim = {
        "cube inside the polytope": (
            r"\tfrac g2\le\min_{j\le r<d}\min\{x^0_{r+1,j}-x^0_{r,j},\ x^0_{r,j}-x^0_{r+1,j+1}\}"
        ),
        "gradient of the exponent": r"\|\nabla\kappa\langle M,H\rangle\|\le\kappa\sqrt{d-1}\,(\gamma_1-\gamma_d)",
    }
    printed = (
        r"The sampler runs in time polynomial in $`\log\frac1\varepsilon`$, $`\lambda_1`$, "
        r"$`\gamma_1-\gamma_d`$ and the number of bits of the input."
    )
    where = {
        r"\nu": "law of the output of the sampler",
        r"d\nu": "density of the law of the sampler",
        r"d\nu_M": r"density of the ideal law, proportional to $`e^{\kappa\langle M,H\rangle}`$",
        r"\delta": "error of the sampler: largest modulus of the logarithm of the ratio of densities",
        r"\mathrm{poly}": "polynomial in these numbers",
        "x^0": "pattern in the middle: each entry is the mean of those values of the spectrum that bound it",
        "g": "smallest difference of two neighbouring values of the spectrum",
        "N": "number of free entries of a pattern, $`d(d-1)/2`$",
        r"\mathcal K_\Lambda": r"polytope of the patterns with last row $`\Lambda`$ (DPS-GT)",
        r"\nabla": "gradient in the entries of the pattern",
    }
    verdict = Verdict.CITED
    uses = ("DPS-GT",)
    exact = ("cube inside the polytope",)
    note = "sampling.md#running-time-of-an-approximate-sampler"
    without_beyond = (
        "It is cited: what is checked are the sizes that its premises ask for, which hold for all spectra with a gap."
    )

    def cases(self) -> Any:
        return dimensions(2).flatmap(
            lambda d: st.tuples(levels(d), levels(d, distinct=True), st.sampled_from([1.0, 0.25, 8.0]))
        )

    def fast(self, m: Any, spectrum: Any, kappa: float) -> Parts:
        d = len(m)
        sums = np.concatenate([[0.0], np.cumsum(spectrum)])
        rows = [(sums[d - r + 1 :] - sums[:r]) / (d - r + 1) for r in range(1, d + 1)]
        slacks = [np.minimum(above[:-1] - row, row - above[1:]) for row, above in itertools.pairwise(rows)]
        steps = np.arange(1, d) * np.diff(m) ** 2
        yield AtMost(np.min(-np.diff(spectrum)) / 2, min(map(np.min, slacks)), part="cube inside the polytope")
        yield AtMost(kappa * np.sqrt(np.sum(steps)), slope(m, kappa), part="gradient of the exponent")

    def oracle(self, m: Reals, spectrum: Reals, kappa: Real) -> Parts:
        d = len(m)
        rows = [[mp.fsum(spectrum[j : j + d - r + 1]) / (d - r + 1) for j in range(r)] for r in range(1, d + 1)]

        def score(cells: Any) -> Any:
            """``<diag(m), H>`` for a pattern: diagonal entries are differences of the sums of its rows."""
            sums = [mp.mpf(0), *map(mp.fsum, cells)]
            return mp.fsum(v * (b - a) for v, a, b in zip(m, sums[:-1], sums[1:], strict=True))

        slopes = []
        for r in range(d - 1):
            for j in range(r + 1):
                moved = [list(row) for row in rows]
                moved[r][j] += 1
                slopes.append(kappa * (score(moved) - score(rows)))
        inside = [
            slack
            for r in range(d - 1)
            for j in range(r + 1)
            for slack in (rows[r + 1][j] - rows[r][j], rows[r][j] - rows[r + 1][j + 1])
        ]
        closest = min(a - b for a, b in itertools.pairwise(spectrum))
        yield AtMost(closest / 2, min(inside), part="cube inside the polytope")
        steepest = kappa * mp.sqrt(d - 1) * (m[0] - m[-1])
        yield AtMost(mp.norm(slopes), steepest, part="gradient of the exponent")

    def tight(self) -> list[Any]:
        """Equal steps of the spectrum, and a matrix whose last eigenvalue differs."""
        return [(np.array([1.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), 1.0)]
