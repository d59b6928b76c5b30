"""To cover the Grassmannian of ``k``-planes takes ``(D / zeta)^N`` balls, up to a constant factor of ``zeta``.

``N`` is its real dimension and ``D`` its diameter: the number is between ``(c D / zeta)^N`` and ``(C D / zeta)^N``.
That universal ``c`` and ``C`` exist for every unitarily invariant norm and both fields is cited (Szarek). Three cases
are checked with constants. Complex planes in spectral norm: balls of radius ``r`` have Haar measure ``r^N``, so
``c = 1`` and ``C = 2`` are enough. Lines of the real plane: ``c = 1`` and ``C = 3 / sqrt(2)``, attained just below
``zeta = 1 / sqrt(2)``, where three lines are needed. Lines in any norm: the difference of two projectors has the
singular values ``sin, sin``, so all norms are the same up to scale. Beyond the diameter one ball is enough, and the
upper formula may fall below 1.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.fast import nets
from dpspectra.ledger import AtMost, Equal, Frequency, Outcome, Parts, Real, Verdict, statement
from dpspectra.lemmas.covering.orbit_cover import exact_log_fewest
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import nets as exact_nets
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dimensions, dyadics, fields, rectangular, seeds, st

DRAWS = 4000
"""Random draws in a case."""


ORTHOPLEX = 3 / np.sqrt(2.0)
"""Smallest ``C`` for lines of the real plane."""


@statement
class Grassmannian:
    labels = ("MWKTV-L8.1",)
    given = (
        r"\Big(\frac{cD}\zeta\Big)^n\le N(\mathcal P_{d,k},|||\cdot|||,\zeta)\le P(\mathcal P_{d,k},|||\cdot|||,\zeta)"
        r"\le\Big(\frac{CD}\zeta\Big)^n,\ n=\beta_{\mathbb F}k(d-k),\ 0<\zeta\le D"
    )
    claim = {
        "measure of a ball": r"\beta_{\mathbb F}=2,\ \zeta\le1:\ \mu\{\|\Pi-\Pi_0\|_2\le\zeta\}\le\zeta^{2k(d-k)}",
        "lower bound for real lines": (
            r"\beta_{\mathbb F}=1,\ \zeta\le1:\ 1\le\zeta N(\mathcal P_{2,1},\|\cdot\|_2,\zeta)"
        ),
        "upper bound for real lines": (
            r"\beta_{\mathbb F}=1,\ \zeta\le1:\ \zeta N(\mathcal P_{2,1},\|\cdot\|_2,\zeta)\le\tfrac3{\sqrt2}"
        ),
        "Frobenius norm of a difference": r"k=1:\ \|\Pi-\Pi'\|_F=\sqrt2\,\|\Pi-\Pi'\|_2",
        "nuclear norm of a difference": r"k=1:\ \|\Pi-\Pi'\|_*=2\,\|\Pi-\Pi'\|_2",
    }
    printed = (
        "Not at hand; read as: for a unitarily invariant norm and universal $`c,C>0`$, "
        r"$`\big(\frac{cD}\zeta\big)^{2k(d-k)}\le N(\mathcal "
        r"G_{d,k},\lVert\cdot\rVert,\zeta)\le\big(\frac{CD}\zeta\big)^{2k(d-k)}`$, $`D`$ the diameter."
    )
    where = {
        "c": "universal constant of the covering",
        "C": "universal constant of the packing",
        "D": "diameter of the Grassmannian in this norm",
        "n": "real dimension of the Grassmannian",
        r"\mathcal P_i": "Grassmannian: all projectors of this rank in this dimension, which comes first",
        r"|||\cdot|||": "any unitarily invariant norm",
        "P": "packing number: the largest number of points of the set at mutual distances above this one",
        "k": "rank of the projectors",
        r"\Pi": "projector",
        r"\Pi_0": "projector that is fixed",
        r"\Pi'": "another projector",
        r"\mu": "uniform (Haar) law on the Grassmannian",
    }
    verdict = Verdict.CITED
    uses = ("MWKTV-L8.1X",)
    note = "covering.md#metric-entropy-of-the-grassmannian"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int, float, Any, int]:
        """Dimension and rank, a radius of at most 1, two integer vectors that are not 0, and a seed."""
        d = draw(dimensions(2))
        k = draw(st.integers(1, d - 1))
        pair = rectangular(2, d, draw(fields())).filter(lambda a: bool(np.all(np.any(a != 0, axis=1))))
        return d, k, draw(dyadics(2.0**-6, 1)), draw(pair), draw(seeds())

    def fast(self, d: int, k: int, x: float, pair: Any, seed: int) -> Parts:
        cosines = fast.singular_values(haar(d, size=DRAWS, rng=seed)[:, :k, :k])
        near = int(np.sum(1 - cosines[:, -1] ** 2 <= x * x))
        number = nets.circle_covering_number(x)
        p, q = (fast.outer(v) / np.sum(np.abs(v) ** 2) for v in pair)
        sine = fast.spectral_norm(p - q)
        yield Frequency(near, DRAWS, x ** (2 * k * (d - k)), part="measure of a ball")
        yield AtMost(1.0, number * x, part="lower bound for real lines")
        yield AtMost(number * x, ORTHOPLEX, part="upper bound for real lines")
        yield Equal(fast.frobenius_norm(p - q), np.sqrt(2.0) * sine, scale=1, part="Frobenius norm of a difference")
        yield Equal(fast.nuclear_norm(p - q), 2 * sine, scale=1, part="nuclear norm of a difference")

    def oracle(self, d: int, k: int, x: Real, pair: Any, _: int) -> Parts:
        mass = mp.exp(-exact_log_fewest(d, k, x, "complex"))
        number = exact_nets.circle_covering_number(x)
        v, w = (oracle.exact(row) for row in pair)
        p, q = (oracle.outer(u) / oracle.inner(u, u) for u in (v, w))
        square = 1 - abs((v.H * w)[0]) ** 2 / (oracle.inner(v, v) * oracle.inner(w, w))
        sine = mp.sqrt(max(square, 0))
        yield AtMost(mass, x ** (2 * k * (d - k)), part="measure of a ball")
        yield AtMost(mp.mpf(1), number * x, part="lower bound for real lines")
        yield AtMost(number * x, 3 / mp.sqrt(2), part="upper bound for real lines")
        yield Equal(oracle.frobenius_norm(p - q), mp.sqrt(2) * sine, scale=1, part="Frobenius norm of a difference")
        yield Equal(oracle.nuclear_norm(p - q), 2 * sine, scale=1, part="nuclear norm of a difference")

    def tight(self) -> list[Any]:
        """The diameter, at which one line is enough, and a radius just below that of two lines, which needs three."""
        return [(d, d - 1, x, np.eye(2), 0) for d, x in ((2, 1.0), (2, 0.70710678), (3, 0.70710678))]

    def beyond(self) -> dict[str, Outcome]:
        """One line covers the real plane at ``zeta = 3``."""
        outcome = AtMost(mp.mpf(3), 3 / mp.sqrt(2), part="upper bound for real lines")
        return {"zeta is at most the diameter": outcome}
