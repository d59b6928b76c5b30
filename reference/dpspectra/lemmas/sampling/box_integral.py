"""Integrating ``det exp(kappa m_i mu_j)`` over the rows ``mu`` below ``lambda`` gives the determinant one size larger.

The interlacing region is a box and the determinant is linear in each column, so each column is integrated separately;
the results are the differences of neighbouring columns of the larger matrix. By induction the tilted volume of all
patterns is one determinant over a Vandermonde product. The factor ``exp(kappa m_{r+1} (|lambda| - |mu|))`` is needed
unless the last node is 0.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import hciz
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import Equal, Parts, Real, Reals, Verdict, statement
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.linalg import determinant
from dpspectra.strategies import st
from dpspectra.strategies.orbits import levels

NODES = 20
"""Gauss-Legendre points on each axis."""


LARGEST_TILT = 8.0
"""Largest ``kappa`` times both spreads at which the quadrature of the float64 face keeps ten digits."""


@statement
class BoxIntegral:
    labels = ("DPS-GTBOX",)
    claim = {
        "integral over the box": (
            r"\prod_{i\le r}\kappa(m_i-m_{r+1})\int_{\mu\prec\lambda}e^{\kappa m_{r+1}(|\lambda|-|\mu|)}"
            r"\det[e^{\kappa m_i\mu_j}]_{i,j\le r}\,d\mu=\det[e^{\kappa m_i\lambda_j}]_{i,j\le r+1}"
        ),
        "tilted volume of patterns": (
            r"\prod_{i<j\le r+1}\kappa(m_i-m_j)\int_{x_{r+1}=\lambda}e^{\kappa\sum_{i\le r+1}m_i(|x_i|-|x_{i-1}|)}\,dx"
            r"=\det[e^{\kappa m_i\lambda_j}]_{i,j\le r+1}"
        ),
    }
    where = {
        r"d\mu": "element of integration over the row",
        "x_i": "row of the pattern: the eigenvalues of the leading minor of this order; between bars, their sum",
        "dx": "element of integration over all entries of the pattern above the last row",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GT",)
    note = "sampling.md#box-integral"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Nodes and the row above, both descending, ties too, and a ``kappa`` within reach of the quadrature."""
        d = draw(st.integers(2, 4))
        m, row = draw(levels(d)), draw(levels(d))
        size = float(np.ptp(m) * np.ptp(row)) or 1.0
        tilt = draw(st.sampled_from([LARGEST_TILT, 1.0, 2.0**-4]))
        return m, row, float(2.0 ** np.floor(np.log2(tilt / size)))

    def fast(self, m: Any, row: Any, kappa: float) -> Parts:
        d, entries = len(m), np.exp(kappa * np.outer(m, row))
        right, scale = np.linalg.det(entries), np.prod(np.sum(entries, axis=1))
        u, w = gauss_legendre(NODES)
        high, low = row[:-1, None], row[1:, None]
        grid = np.stack(np.meshgrid(*(low + (high - low) * (u + 1) / 2), indexing="ij"), axis=-1)
        weights = math.prod(np.meshgrid(*((high - low) / 2 * w), indexing="ij"))
        values = np.linalg.det(np.exp(kappa * m[:-1, None] * grid[..., None, :]))
        box = np.sum(weights * values * np.exp(kappa * m[-1] * (np.sum(row) - np.sum(grid, axis=-1))))
        pairs = list(itertools.combinations(range(d), 2))
        volume = math.prod((row[i] - row[j]) / (j - i) for i, j in pairs)
        whole = volume * np.exp(hciz.log_mean_exponential(m, row, kappa))
        whole *= math.prod(kappa * (m[i] - m[j]) for i, j in pairs)
        yield Equal(box * np.prod(kappa * (m[:-1] - m[-1])), right, scale=scale, part="integral over the box")
        yield Equal(whole, right, scale=scale, part="tilted volume of patterns")

    def oracle(self, m: Reals, row: Reals, kappa: Real) -> Parts:
        d = len(m)
        entries = mp.matrix([[mp.exp(kappa * a * b) for b in row] for a in m])
        right, scale = determinant(entries), mp.fprod(mp.fsum(entries[i, :]) for i in range(d))
        products: oracle.Function = {}
        for order in itertools.permutations(range(d - 1)):  # each term of the determinant is a product of exponentials
            sign = (-1) ** sum(a > b for a, b in itertools.combinations(order, 2))
            key = tuple((0, kappa * (m[i] - m[-1])) for i in order)
            products[key] = products.get(key, 0) + sign
        lift = mp.exp(kappa * m[-1] * mp.fsum(row))
        box = lift * oracle.mass(products, [(low, high) for high, low in itertools.pairwise(row)])
        whole = lift * oracle.mass(oracle.weight_below(oracle.rates(m, kappa), row, d), row)
        whole = whole if len(set(row)) == d else mp.mpf(0)  # flat polytopes were integrated in fewer dimensions
        box *= mp.fprod(kappa * (a - m[-1]) for a in m[:-1])
        whole *= mp.fprod(kappa * (a - b) for a, b in itertools.combinations(m, 2))
        yield Equal(box, right, scale=scale, part="integral over the box")
        yield Equal(whole, right, scale=scale, part="tilted volume of patterns")

    def tight(self) -> list[Any]:
        """Equal steps of the nodes and of the row."""
        return [(np.array([2.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), 1.0)]

    def beyond(self) -> dict[str, Equal]:
        """Nodes 2 and 1 above the row ``(1, 0)``: the plain integral is not the larger determinant."""
        integral = (2 - 1) * mp.quad(lambda x: mp.exp(2 * x), [0, 1])
        return {"the factor with the last node": Equal(integral, mp.e**2 - mp.e, part="integral over the box")}
