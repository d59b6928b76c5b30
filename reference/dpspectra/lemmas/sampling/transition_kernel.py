"""Under a linear exponent the rows of a pattern form a Markov chain from long to short, with a determinant as kernel.

Given the row ``lambda``, the next row has a density proportional to ``det exp(b_i mu_j)`` on the interlacing box,
``b_i = kappa (m_i - m_{r+1})``: by the box integral, the rows below contribute this determinant over a Vandermonde
product. The entries can be drawn one by one: the column of an entry not yet drawn is replaced by its integral, and the
distribution function of an entry is a row of the inverse matrix applied to a column. Copies of a tied value give
successive derivatives.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import patterns as fast
from dpspectra.fast.divided_differences import exponential_differences
from dpspectra.ledger import Equal, Parts, Real, Verdict, statement
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.divided_differences import confluent
from dpspectra.strategies import st
from dpspectra.strategies.orbits import levels


def places(above: Any, points: Any, j: int, *middle: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    """Ends of the interval of every entry below a row: points before place ``j``, the ``middle`` at ``j`` if given."""
    rest = [(low, high) for high, low in itertools.pairwise(above)]
    return [*((x, x) for x in points[:j]), *middle, *rest[j + len(middle) :]]


@statement
class TransitionKernel:
    labels = ("DPS-GTKERNEL",)
    given = (
        r"b_i=\kappa(m_i-m_{r+1}),\ \varphi(x)=(e^{b_ix})_{i\le r},\ "
        r"A=\big[\varphi(\mu_1),..,\varphi(\mu_{j-1}),\int_{\lambda_{j+1}}^{\lambda_j}\varphi,..,"
        r"\int_{\lambda_{r+1}}^{\lambda_r}\varphi\big]"
    )
    claim = {
        "density of a row": (
            r"p(x_r=\mu\mid x_{r+1}=\lambda)=\frac{\det[e^{b_i\mu_j}]_{i,j\le r}}"
            r"{\det\big[\int_{\lambda_{j+1}}^{\lambda_j}e^{b_ix}dx\big]_{i,j\le r}}"
        ),
        "distribution of an entry": (
            r"\Pr[\mu_j\le t\mid\lambda,\mu_1..\mu_{j-1}]=\Big(A^{-1}\int_{\lambda_{j+1}}^t\varphi\Big)_j"
        ),
    }
    where = {
        "p(": (r"p(\cdot\mid\cdot)", "density of a row of the pattern, given the row above"),
        "t": "place up to which an entry is integrated",
        "b_i": "the exponents of the row",
        "x": "place of an entry",
        "dx": "element of integration",
        r"\mu_1..\mu_{j-1}": "the entries of the row that are drawn already",
        "A": r"matrix of columns $`\varphi`$: values for the entries drawn, integrals for the others",
        r"\varphi": r"column of the exponentials $`e^{\kappa(m_i-m_{r+1})x}`$",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT", "DPS-GTBOX")
    note = "sampling.md#transition-kernel"
    without_beyond = "It is an identity for all values that differ and all spectra; ties are limits of it."
    examples = 30

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, float, Any, int, float]:
        """Nodes ``m``, the row above, ``kappa``, a row below, the place of the entry that is drawn, and a level for it.

        Up to four nodes, with ties in the nodes and in the row above.
        """
        d = draw(st.integers(2, 4))
        m, above = draw(levels(d)), draw(levels(d))
        size = float(np.ptp(m) * np.ptp(above)) or 1.0
        kappa = float(2.0 ** np.floor(np.log2(draw(st.sampled_from([4.0, 1.0, 2.0**-4])) / size)))
        shares = draw(st.lists(st.sampled_from([4, 1, 2, 3, 5, 6, 7]), min_size=d, max_size=d))
        points = above[1:] + (above[:-1] - above[1:]) * np.array(shares[1:]) / 8
        j = draw(st.integers(0, d - 2))
        return m, above, kappa, points, j, float(above[j + 1] + (above[j] - above[j + 1]) * shares[0] / 8)

    def fast(self, m: Any, above: Any, kappa: float, points: Any, j: int, end: float) -> Parts:
        r = len(points)

        def weight(ends: list[tuple[Any, Any]]) -> Any:
            """Integral over the rows below, and over all entries that are not points, by quadrature."""
            return fast.tilted_mass(m, kappa, above, *np.array(ends).T)

        def columns(ends: list[tuple[Any, Any]]) -> Any:
            """Columns of the determinant, integrated where the entry is not a point.

            Entries are measured from the smallest one, which only multiplies rows by constants.
            """
            b, copies, out = kappa * (m[:r] - m[r]), above[:-1] == above[1:], []
            for i, (low, high) in enumerate(np.array(ends) - above[-1]):
                if low == high:
                    order = int(np.sum(copies[:i] & (above[:i] == above[i]))) if copies[i] else 0
                    out.append(exponential_differences(b, high, order))
                else:
                    primitive = exponential_differences(np.append(0.0, b), np.array([low, high]))
                    out.append((primitive[1] - primitive[0])[1:])
            return np.array(out).T

        whole, point = places(above, points, 0), places(above, points, r)
        density = np.linalg.det(columns(point)) / np.linalg.det(columns(whole))
        yield Equal(weight(point) / weight(whole), density, part="density of a row")
        if above[j] == above[j + 1]:
            return
        free, upto = places(above, points, j), places(above, points, j, (above[j + 1], end))
        probability = np.linalg.solve(columns(free), columns(upto)[:, j])[j]
        yield Equal(weight(upto) / weight(free), probability, scale=1.0, part="distribution of an entry")

    def oracle(self, m: Any, above: Any, kappa: Real, points: Any, j: int, end: Real) -> Parts:
        r, m, above, drawn = len(points), *([mp.mpf(v) for v in values] for values in (m, above, points))
        below = oracle.weight_below(oracle.rates(m, kappa), above, r)
        nodes = confluent([kappa * (v - m[r]) for v in m[:r]])
        box = oracle.intervals(above)
        pairs = [(drawn, box, "density of a row")]
        if above[j] > above[j + 1]:
            free = [*drawn[:j], *box[j:]]
            pairs.append(([*free[:j], (above[j + 1], end), *free[j + 1 :]], free, "distribution of an entry"))
        for scale, (a, b, part) in enumerate(pairs):
            stated = oracle.transition(nodes, above, a) / oracle.transition(nodes, above, b)
            yield Equal(oracle.mass(below, a) / oracle.mass(below, b), stated, scale=scale, part=part)

    def tight(self) -> list[Any]:
        """Equal steps of the nodes and of the longer row."""
        return [(np.array([2.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), 1.0, np.array([1.5, 0.5]), 1, 0.5)]
