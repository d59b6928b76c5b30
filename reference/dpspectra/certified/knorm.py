"""K-norm noise added to exact numbers and rounded to the grid: all of it in balls, as dimensions are small.

Arguments and results as in `dpspectra.certified.noise_on_grid`: the numbers on and above the diagonal, row by row.
"""

import functools
from typing import Any

import numpy as np
from flint import acb_mat, arb, arb_mat

from dpspectra.certified import ball_noise
from dpspectra.certified.entropy import Source
from dpspectra.certified.grid import Integers, Steps
from dpspectra.certified.noise_on_grid import Normals
from dpspectra.certified.trace_noise import Traces, square


def noise(steps: Steps, d: int, ratio: float, source: Source) -> Integers:
    """Add ``ratio`` times noise as `dpspectra.fast.knorm` draws it."""
    proposal = _Proposal(d, source)
    while not ball_noise.decided(proposal.slack, _all_positive):
        proposal = _Proposal(d, source)
    rows, columns = np.triu_indices(d)

    def value(i: int, bits: int) -> Any:
        first, second = proposal.matrices(bits)
        entry = int(rows[i]), int(columns[i])
        total = proposal.sign * (first[entry] - second[entry])
        return ball_noise.exact(steps.fraction(i)) + total * ball_noise.exact(ratio)

    sums = [ball_noise.nearest(functools.partial(value, i)) for i in range(len(rows))]
    return steps.plus(np.array(sums, dtype=object if max(map(abs, sums)) >= 2**62 else np.int64))


class _Proposal:
    """Two tilted Wishart matrices, the one with the larger trace first, and the sign of their difference."""

    def __init__(self, d: int, source: Source) -> None:
        self._d, self._normals, self._traces = d, Normals((2 * d, d + 1), source), Traces(d, source)
        self.sign = self._traces.sign
        self.matrices = functools.cache(self._matrices)

    def _matrices(self, bits: int) -> tuple[Any, Any]:
        found = []
        for first, trace in zip((0, self._d), self._traces.balls(bits), strict=True):
            g = arb_mat([self._normals.row(j, bits) for j in range(first, first + self._d)])
            found.append(g * g.transpose() * (trace / square(self._normals, first, first + self._d, bits)))
        return found[0], found[1]

    def slack(self, bits: int) -> list[Any] | None:
        """Pivots of ``W + W' - |W - W'|``; ``None`` where the eigenvalues of the difference are not yet told apart."""
        first, second = self.matrices(bits)
        modulus = _modulus(first - second)
        return None if modulus is None else _pivots(first + second - modulus)


def _modulus(m: Any) -> Any | None:
    """``|M| = sum_i |l_i| prod_(j != i) (M - l_j) / (l_i - l_j)`` for a symmetric matrix of different eigenvalues."""
    d = m.nrows()
    try:
        values = [x.real for x in acb_mat(m).eig()] if d > 1 else [m[0, 0]]
    except ValueError:
        return None
    one, total = arb_mat(d, d, [int(i % (d + 1) == 0) for i in range(d * d)]), arb_mat(d, d)
    for i, value in enumerate(values):
        part = one * abs(value)
        for j, other in enumerate(values):
            if j != i:
                part = part * (m - one * other) * (1 / (value - other))
        total += part
    return total


def _pivots(m: Any) -> list[Any]:
    """Pivots of Gauss's algorithm, all positive for a positive definite matrix; not finite after one that may be 0."""
    d, found = m.nrows(), []
    rows = [[m[i, j] for j in range(d)] for i in range(d)]
    for k in range(d):
        found.append(rows[k][k])
        for i in range(k + 1, d):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return found


def _all_positive(pivots: list[Any] | None) -> bool | None:
    """Whether all are positive; ``None`` if the first that is not surely so is not surely negative."""
    for pivot in pivots or [arb(0, 1)]:
        if not pivot > 0:
            return False if pivot < 0 else None
    return True
