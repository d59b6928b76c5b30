"""The last step of a sampler on an orbit: the law of nearly the right matrix becomes the law of the right one.

Let ``A`` be within ``e`` of ``C = Q diag(w) Q*`` in the spectral norm, and let draws ``H`` with the eigenvalues
``lambda_i`` have a density proportional to ``exp(<B, H>)``, ``B = Q diag(w + r) Q*``. Accepted with probability
``exp(<A - B, H> - c tr(A - C) - e sum_i |lambda_i - c|)``, which is at most 1 if ``r = 0``, or ``r >= 0`` and ``H`` is
positive semidefinite, they have exactly the density proportional to ``exp(<A, H>)`` (DPS-CORRECTION). The bound ``e``
and the number ``c``, a median of the eigenvalues, only decide how many draws are lost.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpspectra.certified import balls, kernels
from dpspectra.certified.eigenbasis import Eigenbasis
from dpspectra.certified.entropy import Source
from dpspectra.certified.orbit_draw import Draw

Floats = NDArray[np.float64]


class Correction:
    """Acceptance of draws for ``weights`` on the orbit of ``spectrum``, as draws for the matrix of a basis.

    ``weights`` are those of the basis, or larger ones if no eigenvalue is negative; ``spectrum`` is descending. Raises
    ``ValueError`` for other weights.
    """

    def __init__(self, basis: Eigenbasis, weights: Floats, spectrum: Floats) -> None:
        self._raised = weights - basis.weights
        if np.any(weights < basis.weights) or (np.any(self._raised) and spectrum[-1] < 0):
            raise ValueError("weights must be those of the basis, or larger ones for a positive semidefinite matrix")
        self._basis, self._weights = basis, weights
        self._centre = float(spectrum[len(spectrum) // 2])
        length = sum(abs(Fraction(float(x)) - Fraction(self._centre)) for x in spectrum)
        self._most = 1.01 * basis.error * float(length)

    def accepts(self, draw: Draw, source: Source) -> bool:
        """Whether a draw is kept.

        Floats know ``sum_i r_i H_ii``, and that all else is between 0 and ``2 e sum_i |lambda_i - c|``.
        """
        words = source.words(1)
        numbers, is_open = kernels.exponentials(words.values)
        low, high = (kernels.LEAST_OPEN, np.inf) if is_open[0] else (numbers[0], numbers[0])
        lost = float(self._raised @ np.einsum("ii->i", draw.estimate).real)
        error = self._lost_error(draw) + kernels.EXPONENTIAL_ERROR
        if low > lost + 2 * self._most + error:
            return True
        if high < lost - error:
            return False
        return balls.decided(lambda bits: self._excess(draw, words, bits), balls.sign)

    def _lost_error(self, draw: Draw) -> float:
        size = 1.01 * float(np.linalg.norm(self._raised))
        if size == 0:
            return 0.0
        diagonal = 1.01 * float(np.linalg.norm(draw.estimate))
        return 1.01 * size * (draw.error + 2 * (len(self._weights) + 4) * kernels.UNIT * diagonal)

    def _excess(self, draw: Draw, words: Any, bits: int) -> Any:
        """An exponential number plus the logarithm of the probability."""
        basis, c, d = self._basis, balls.exact(self._centre), len(self._weights)
        q, a = basis.rows(range(d)), basis.matrix()
        difference = q.conjugate().transpose() * a * q
        for i, weight in enumerate(self._weights.tolist()):
            difference[i, i] -= balls.exact(weight)
        inner = draw.times(difference, bits).trace().real
        traces = a.trace().real - sum(map(balls.exact, basis.weights.tolist()), arb(0))
        return balls.exponential(words, 0, bits) + inner - c * traces - balls.exact(self._most)
