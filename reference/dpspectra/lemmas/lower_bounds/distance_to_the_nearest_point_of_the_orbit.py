"""An output is at least half as far from a point of the orbit as the point of the orbit that is nearest to it.

The nearest point is no farther from the output than the data are, so the triangle inequality loses a factor 2. An
output half-way between two points of the orbit shows that 2 cannot be replaced.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.lemmas.lower_bounds.other_outputs import SEPARATED
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, fields, hermitian, spectra, st, unitaries


@statement
class DistanceToTheNearestPointOfTheOrbit:
    labels = ("MWKTV-E64", "MWKTV-E65")
    given = r"M\in\mathcal O_\Lambda,\ \hat H\in\mathcal O_\Lambda\text{ nearest to }H"
    claim = {
        "distance of the output": r"\|H-\hat H\|_F\le\|M-H\|_F",
        "half the distance": r"\tfrac12\|M-\hat H\|_F\le\|M-H\|_F",
    }
    printed = {
        "MWKTV-E64": r"$`\ge\frac\Delta2`$, for $`\lVert M-H\rVert_F`$ where $`\lVert M-\hat H\rVert_F\ge\Delta`$.",
        "MWKTV-E65": r"$`\ge\frac\Delta2`$, in the other one of two cases.",
    }
    where = {r"\hat H": "point of the orbit nearest to $`H`$"}
    verdict = Verdict.VERIFIED
    note = "lower_bounds.md#distance-to-the-nearest-point-of-the-orbit"
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, float]:
        """A spectrum, eigenvectors, and a Hermitian output with a size, near to the orbit or far from it."""
        d, field = draw(dimensions(2)), draw(fields())
        sizes = st.sampled_from([1.0, 0.125, 16.0])
        return draw(spectra(d, signed=True)), draw(unitaries(d, field)), draw(hermitian(d, field)), draw(sizes)

    def fast(self, spectrum: Any, u: Any, output: Any, size: float) -> Parts:
        m, h = (u * spectrum) @ fast.adjoint(u), size * output
        nearest, scale = fast.orbit_projection(h, spectrum), 1 + fast.frobenius_norm(h)
        away = fast.frobenius_norm(m - h)
        yield AtMost(fast.frobenius_norm(h - nearest), away, scale=scale, part="distance of the output")
        if np.min(-np.diff(fast.eigenvalues(h))) > SEPARATED * scale:  # else each face finds a nearest point of its own
            yield AtMost(fast.frobenius_norm(m - nearest) / 2, away, scale=scale, part="half the distance")

    def oracle(self, spectrum: Any, u: Matrix, output: Matrix, size: float) -> Parts:
        """Take the distance of the output from the differences of eigenvalues, which does not depend on a choice."""
        values, h = [mp.mpf(float(x)) for x in spectrum], mp.mpf(size) * output
        m, scale = u * mp.diag(values) * u.H, 1 + oracle.frobenius_norm(h)
        seen, away = oracle.eigenvalues(h), oracle.frobenius_norm(m - h)
        near = mp.sqrt(mp.fsum((x - y) ** 2 for x, y in zip(values, seen, strict=True)))
        yield AtMost(near, away, scale=scale, part="distance of the output")
        if min(x - y for x, y in pairwise(seen)) > SEPARATED * scale:
            nearest = oracle.orbit_projection(h, values)
            yield AtMost(oracle.frobenius_norm(m - nearest) / 2, away, scale=scale, part="half the distance")

    def tight(self) -> list[Any]:
        """Nearly the midpoint of two opposite points, nearer to the wrong one; as near as one is found, and nearer."""
        swap = np.array([[0.0, 1.0], [1.0, 0.0]])
        nearer = (np.diag([2 + short, 2 - short]) for short in (2.0**-20, 2.0**-22))
        return [(np.array([3.0, 1.0]), swap, output, 1.0) for output in nearer]

    def beyond(self) -> dict[str, AtMost]:
        """A farthest point of the orbit of ``diag(1, 0)`` for the output ``diag(1, 0)``."""
        away = oracle.frobenius_norm(mp.diag([1, 0]) - mp.diag([0, 1])) / 2
        return {"the nearest point": AtMost(away, mp.mpf(0), part="half the distance")}
