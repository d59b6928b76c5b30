"""Printed: for every ``epsilon`` some squared error is at least ``c_0 d i G_i^2 / max(lambda_1^2 epsilon, d)``. False.

``G_i = lambda_i - lambda_(d-i+1)``, ``c_0`` universal. Answer with the nearest point of a net of ``n`` points, or, with
a probability below 1/2, with another one at random: that is private as soon as ``e^epsilon`` exceeds ``n - 1``, and its
error falls like ``e^(-epsilon)`` on a sphere, the orbit of ``diag(1, 0)``, while the bound falls like ``1 / epsilon``.
So the bound fails for every ``c_0``. For moderate ``epsilon`` it holds with explicit constants. Checked here are nets
of regular solids: six, eight and twelve points rule out ``c_0 = 1/2``.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from mpmath import mp
from scipy.spatial import ConvexHull

from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.strategies import st

POINTS = 78_962_960_182_680
"""Number of points of the net of the counterexample: ``e^32``, rounded down."""
MARGIN = 2.0**-24
"""How much ``epsilon`` exceeds the logarithm of the number of wrong points."""


def _vertices(solid: str) -> list[tuple[Any, ...]]:
    """Vertices of a regular solid centred at 0."""
    if solid == "octahedron":
        return [tuple(sign * (a == b) for b in range(3)) for a in range(3) for sign in (1, -1)]
    if solid == "cube":
        return list(itertools.product((1, -1), repeat=3))
    golden = (1 + mp.sqrt(5)) / 2
    flat = [(0, a, b * golden) for a, b in itertools.product((1, -1), repeat=2)]
    return [(v[i], v[i - 2], v[i - 1]) for i in range(3) for v in flat]


def _heights(points: list[Any]) -> Iterator[Any]:
    """Yield the heights of all faces: of planes ``normal . x = 1`` through three points below which all others lie."""
    for a, b, c in itertools.combinations(points, 3):
        crossed = [[u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)] for u, v in ((a, b), (b, c), (c, a))]
        if height := mp.fdot(a, crossed[1]):
            normal = [mp.fsum(products) / height for products in zip(*crossed, strict=True)]
            if mp.almosteq(max(mp.fdot(normal, p) for p in points), 1):
                yield 1 / mp.norm(normal)


@statement
class PrintedBound:
    labels = ("MWKTV-T2.4", "MWKTV-E60", "MWKTV-E61", "MWKTV-E62", "MWKTV-E63")
    given = (
        r"\Lambda=\operatorname{diag}(s,0),\ \varepsilon=\log(n-1)+2^{-24},\ "
        r"p=\frac1{1+(n-1)e^{-\varepsilon}},\ h=1-\max_{M\in\mathcal O_\Lambda}\min_H"
        r"\frac{\|M-H\|_F^2}{s^2},\ c_0=\tfrac12"
    )
    claim = {
        "success probability": r"\tfrac12\le p",
        "privacy of the net": r"\log\frac{(n-1)p}{1-p}=\varepsilon",
        "squared error of the net": r"s^2(1-h)\le c_0s^2\min\{\tfrac2\varepsilon,1\}",
    }
    printed = {
        "MWKTV-T2.4": (
            r"For every $`\varepsilon>0`$ and every $`\varepsilon`$-DP mechanism of $`M`$ with output of rank "
            r"$`k`$ and eigenvalues $`\lambda_1,\dots,\lambda_k`$ there is a PSD $`M`$ of spectrum "
            r"$`\lambda`$ such that, with probability at least $`\frac12`$, display (1): $`\lVert "
            r"M-H\rVert_F^2\ge\Omega\big(\sum_{\ell=k+1}^d\lambda_\ell^2+\frac "
            r"d{\max(\lambda_1\sqrt\varepsilon,\sqrt d)^2}\max_{1\le i\le "
            r"d/2}i\,(\lambda_i-\lambda_{d-i+1})^2\big)`$."
        ),
        "MWKTV-E60": (
            r"$`\lVert M-\mathcal A(M)\rVert_F^2\ge\Omega\big(\max_{1\le i\le "
            r"d/2}(\lambda_i-\lambda_{d-1})^2\min\big(\frac1{\varepsilon\lambda_1^2}id,\,i\big)\big)`$."
        ),
        "MWKTV-E61": (
            r"$`\lVert M-H\rVert_F^2\ge\Omega\big(\frac d{\max(\lambda_1\sqrt\varepsilon,\sqrt "
            r"d)^2}\max_{1\le i\le d/2}i\,(\lambda_i-\lambda_{d-i+1})^2\big)`$."
        ),
        "MWKTV-E62": (
            r"$`\lVert M-\hat H\rVert_F^2\ge\Delta^2`$, for the point $`\hat H`$ of the orbit that is nearest to the "
            r"output, with the right side of display (1) as $`\Delta^2`$."
        ),
        "MWKTV-E63": r"$`\lVert M-\hat H\rVert_F\ge\Delta`$.",
    }
    where = {
        "c_0": "constant in print, said to be universal, for which the net is a counterexample if $`s=1`$",
        "n": "number of points of the net: the vertices of a regular solid, on the sphere that the orbit is",
        "p": "probability of the point of the net that is nearest to the data",
        "h": "distance of the faces of the solid from its centre, for vertices at distance 1",
        "H": "point of the net",
        "s": "largest value of the spectrum",
    }
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    instead = ("MWKTV-T2.4R", "MWKTV-T2.4S", "MWKTV-T2.4U", "MWKTV-T2.4M")
    note = "lower_bounds.md#the-lower-bound-as-printed"
    slack = {
        "squared error of the net": Slack(0.845299, "the nets of regular solids rule out constants above 0.2463 only")
    }

    def cases(self) -> Any:
        return st.tuples(st.sampled_from(["octahedron", "cube", "icosahedron"]), st.sampled_from([1.0, 3.0, 0.125]))

    def fast(self, solid: str, spread: float) -> Parts:
        """Take the covering radius from the convex hull: the farthest points are above its faces, all equally high."""
        points = np.array(_vertices(solid), dtype=float)
        points /= np.linalg.norm(points, axis=-1, keepdims=True)
        height = np.mean(-ConvexHull(points).equations[:, 3])
        n, square = len(points), spread**2 * (1 - height)
        epsilon = np.log(n - 1) + MARGIN
        right, wrong = 1 / (1 + (n - 1) * np.exp(-epsilon)), 1 / (np.exp(epsilon) + n - 1)
        yield AtMost(0.5, right, part="success probability")
        yield Equal(np.log(right / wrong), epsilon, part="privacy of the net")
        yield AtMost(square, spread**2 * min(2 / epsilon, 1) / 2, part="squared error of the net")

    def oracle(self, solid: str, spread: Real) -> Parts:
        """Take the covering radius from a plane through three points that has no point above it."""
        points = [[x / mp.norm(v) for x in v] for v in _vertices(solid)]
        n, square = len(points), spread**2 * (1 - next(_heights(points)))
        odds, epsilon = (n - 1) * mp.exp(MARGIN), mp.log(n - 1) + mp.mpf(MARGIN)
        right = odds / mp.fsum([odds, *[mp.mpf(1)] * (n - 1)])
        printed = spread**2 * 2 / max(epsilon, mp.mpf(2))
        yield AtMost(mp.mpf(1) / 2, right, part="success probability")
        yield Equal(mp.log((n - 1) * right / (1 - right)), epsilon, part="privacy of the net")
        yield AtMost(square, printed / 2, part="squared error of the net")

    def tight(self) -> list[Any]:
        """Six points, and twelve."""
        return [("octahedron", 1.0), ("icosahedron", 1.0)]

    def beyond(self) -> dict[str, AtMost]:
        """Six points and ``epsilon = log 5 - 1``: the nearest one is answered with a probability below 1/2."""
        return {"epsilon is above log(n - 1)": AtMost(mp.mpf(1) / 2, 1 / (1 + mp.e), part="success probability")}

    def as_printed(self, share: float, epsilon: float, points: int) -> AtMost:
        """Compare the bound for ``diag(1, 0)`` with the squared error of a net of so many points.

        A maximal packing at distance ``r`` has at most ``8 / r^2`` points: caps of half the radius, of area
        ``pi r^2 / 4`` each, on a sphere of area ``2 pi``.
        """
        return AtMost(mp.mpf(share) * min(2 / mp.mpf(epsilon), 1), mp.mpf(8) / points, part="printed form")

    def hypotheses(self, share: float, epsilon: float, points: int) -> dict[str, AtMost]:
        """The theorem asks for privacy and an output on the orbit only."""
        return {
            "the constant and epsilon are positive": AtMost(0, min(share, epsilon)),
            "epsilon-DP: at most e^epsilon points": AtMost(mp.mpf(points), mp.exp(mp.mpf(epsilon))),
        }

    def counterexample(self) -> Any:
        """``c_0 = 2^-20``; a smaller constant fails at a larger ``epsilon``."""
        return 2.0**-20, 32.0, POINTS

    certificate = (
        "diag(1, 0), epsilon = 32, c_0 = 2^-20: randomised response on a net of at most e^32 points of the sphere",
        ["mul", "1/1048576", ["div", "2", "32"]],
        ["div", "8", str(POINTS)],
    )
