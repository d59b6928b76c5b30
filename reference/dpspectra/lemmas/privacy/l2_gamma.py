"""DPS-L2GAMMA: noise on a sum of vectors whose density falls with the Euclidean norm.

A sum of rows of norm at most 1 moves by at most 2 if a row is replaced. A density proportional to ``exp(-|z|)`` changes
by at most ``exp(|D|)`` if ``z`` moves by ``D``, and by just that along ``D``; so noise ``2 / epsilon`` times as large
is ``epsilon``-private. Balls of radius ``r`` have a volume proportional to ``r**d``, so that the length is Gamma of
shape ``d``, the direction uniform, and the mean square ``d (d + 1)``. For ``d = 1`` it is Laplace noise.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammainc

from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Column, Equal, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle.quadrature import integral
from dpspectra.strategies import ball_vectors, dimensions, dyadics, rectangular, st


@statement
class L2Gamma:
    labels = ("DPS-L2GAMMA",)
    given = (
        r"\lVert x\rVert,\lVert y\rVert\le1;\quad\lVert Z\rVert\ \text{has a density proportional to}\ r^{d-1}e^{-r}"
    )
    claim = {
        "change of the log-density": r"\big|\,\lVert z+x-y\rVert-\lVert z\rVert\,\big|\le\lVert x-y\rVert",
        "change of the sum": r"\lVert x-y\rVert\le2",
        "law of the length": r"\Pr[\lVert Z\rVert\le t]=1-e^{-t}\sum_{j<d}\frac{t^j}{j!}",
        "mean square": r"\mathbb E\lVert Z\rVert^2=d(d+1)",
    }
    where = {
        "z": "noise",
        "x": "vector before the change",
        "y": "vector after the change",
        "Z": "noise of scale 1",
        "t": "length",
        "r": "length",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-D1.1",)
    exact = ("mean square",)
    note = "privacy.md#noise-that-falls-with-the-euclidean-norm"
    examples = 20

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, float]:
        """A row of norm at most 1, the row that replaces it, noise of scale 1, and a length."""
        d = draw(dimensions(1, 6))
        return draw(ball_vectors(d)), draw(ball_vectors(d)), draw(rectangular(1, d))[0], draw(dyadics(0.25, 16))

    def fast(self, x: Any, y: Any, noise: Any, length: float) -> Parts:
        d, moved = len(noise), float(np.linalg.norm(x - y))
        change = abs(float(np.linalg.norm(noise + x - y) - np.linalg.norm(noise)))
        yield AtMost(change, moved, scale=1 + float(np.linalg.norm(noise)), part="change of the log-density")
        yield AtMost(moved, 2.0, part="change of the sum")
        nodes, weights = gauss_legendre(60)

        def integral(power: int, last: float) -> float:
            r = last * (nodes + 1) / 2
            return float(weights @ (r**power * np.exp(-r)) * last / 2)

        whole = integral(d - 1, 80.0)
        yield Equal(integral(d - 1, length) / whole, float(gammainc(d, length)), part="law of the length")
        yield Equal(integral(d + 1, 80.0) / whole, d * (d + 1.0), part="mean square")

    def oracle(self, x: Column, y: Column, noise: Column, length: Real) -> Parts:
        """Volumes of shells of a grid of lengths in the definition, the incomplete Gamma function as a finite sum."""
        d, moved, before = noise.rows, mp.norm(x - y), mp.norm(noise)
        yield AtMost(abs(mp.norm(noise + x - y) - before), moved, scale=1 + before, part="change of the log-density")
        yield AtMost(moved, 2, part="change of the sum")

        far = 2 * d + 3 * mp.dps + 10  # beyond it nothing is left at the working precision

        def shells(power: int, last: Any) -> Any:
            panels = int(last) // 16 + 1
            ends = [last * i / mp.mpf(panels) for i in range(panels + 1)]
            return mp.mpf(integral(lambda r: r**power * (-r).exp(), ends))

        whole = shells(d - 1, far)
        tail = mp.exp(-length) * mp.fsum(length**j / mp.factorial(j) for j in range(d))
        yield Equal(shells(d - 1, length) / whole, 1 - tail, part="law of the length")
        yield Equal(shells(d + 1, far) / whole, mp.mpf(d * (d + 1)), part="mean square")

    def tight(self) -> list[Any]:
        """A unit vector that turns into its opposite: along the noise, and where the noise is 0."""
        x = np.array([0.0, 1.0])
        return [(x, -x, 3 * x, 2.0), (np.ones(1), -np.ones(1), np.zeros(1), 1.0)]

    def beyond(self) -> dict[str, Outcome]:
        """A number of size 3 turns into -1."""
        _, moved, *_ = self.oracle(np.array([3.0]), np.array([-1.0]), np.zeros(1), 1.0)
        return {"rows of norm at most 1": moved}
