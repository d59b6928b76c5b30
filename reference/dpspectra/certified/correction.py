"""The last step of a sampler on an orbit: the law of nearly the right matrix becomes the law of the right one.

Let ``A`` be within ``e`` of ``C = Q diag(w) Q*`` in the spectral norm, and let draws ``H`` with the eigenvalues
``lambda_1 >= .. >= lambda_d`` have a density proportional to ``exp(<B, H>)``, ``B = Q diag(w + r) Q*``. Accepted with
probability ``exp(<A - C, H> - c tr(A - C) - e sum_i |lambda_i - c| - l(H))``, where
``l(H) = sum_i max(r_i, 0) (h_i - lambda_d) + max(-r_i, 0) (lambda_1 - h_i)`` with ``h_i = (Q* H Q)_ii``, they have
exactly the density proportional to ``exp(<A, H>)`` (DPS-CORRECTION). The number ``e`` and the number ``c``, a median of
the eigenvalues, only decide how many draws are lost; so does ``r``, by which a sampler is given weights that suit it.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.eigenbasis import Eigenbasis
from dpspectra.certified.entropy import Source
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.ground.array_types import Floats


class Correction:
    """Acceptance of draws for ``weights`` on the orbit of ``spectrum``, descending, as draws for a basis's matrix."""

    def __init__(self, basis: Eigenbasis, weights: Numbers, spectrum: Floats) -> None:
        self._basis = basis
        self._raised = differences(weights, basis.weights)
        """The numbers ``r``, rounded, with the right signs."""
        self._change = [
            Fraction(x) - Fraction(y) for x, y in zip(weights.tolist(), basis.weights.tolist(), strict=True)
        ]
        self._from = np.where(self._raised > 0, spectrum[-1], spectrum[0])
        """The eigenvalue from which ``h_i`` is counted."""
        self._centre = float(spectrum[len(spectrum) // 2])
        length = sum(abs(Fraction(float(x)) - Fraction(self._centre)) for x in spectrum)
        self._most = 1.01 * basis.error * float(length)

    def accepts(self, draw: Draw, source: Source) -> bool:
        """Whether a draw is kept.

        Floats know ``l(H)``, and that all else is between 0 and ``2 e sum_i |lambda_i - c|``.
        """
        words = source.words(1)
        numbers, is_open = kernels.exponentials(words.values)
        low, high = (kernels.LEAST_OPEN, np.inf) if is_open[0] else (numbers[0], numbers[0])
        lost, error = self._lost(draw)
        error += kernels.EXPONENTIAL_ERROR
        if low > lost + 2 * self._most + error:
            return True
        if high < lost - error:
            return False
        return ball_noise.decided(lambda bits: self._excess(draw, words, bits), ball_noise.sign)

    def _lost(self, draw: Draw) -> tuple[float, float]:
        """``l(H)`` and a bound on its error.

        Each of the ``d`` products has three roundings, and goes through at most ``d`` sums.
        """
        if not self._raised.any():
            return 0.0, 0.0
        apart = np.einsum("ii->i", draw.estimate).real - self._from
        size = 1.01 * float(np.abs(self._raised) @ (np.abs(apart) + np.abs(self._from)))
        error = 1.01 * float(np.linalg.norm(self._raised)) * draw.error
        return float(self._raised @ apart), error + 2 * (len(apart) + 4) * kernels.UNIT * size

    def _excess(self, draw: Draw, words: Any, bits: int) -> Any:
        """Return an exponential number plus the logarithm of the probability."""
        basis, c, d = self._basis, ball_noise.exact(self._centre), len(self._raised)
        q, a = basis.rows(range(d)), basis.matrix()
        difference = q.conjugate().transpose() * a * q
        constant = arb(0)
        for i, (weight, change) in enumerate(zip(basis.weights.tolist(), self._change, strict=True)):
            difference[i, i] -= ball_noise.exact(weight) + ball_noise.exact(change)
            constant += ball_noise.exact(change) * ball_noise.exact(float(self._from[i]))
        inner = draw.times(difference, bits).trace().real + constant
        traces = a.trace().real - sum(map(ball_noise.exact, basis.weights.tolist()), arb(0))
        return ball_noise.exponential(words, 0, bits) + inner - c * traces - ball_noise.exact(self._most)
