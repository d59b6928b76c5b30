"""Ideal projectors on a line or on a hyperplane, real and complex: Bingham's law by rejection from an angular Gaussian.

A unit vector of the density ``exp(-s)``, ``s = sum_i a_i |x_i|^2`` with ``a_i >= 0``, is proposed as ``y / |y|``, where
the ``2 nu`` normal numbers in ``y`` have the variances ``b / (b + a_i)``, and accepted with probability
``exp(nu (1 - t + log t))`` at ``t = (b + s) / nu``. The law is exact for every ``b > 0``; one is chosen by which few
proposals are lost, whatever the weights.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import NDArray

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.entropy import Source
from dpspectra.certified.noise_on_grid import Normals
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.ground.array_types import Floats

NUMBERS = 2**9
"""Normal numbers of proposals that are drawn at a time."""
PROPOSALS = 16
"""Proposals that are drawn at a time at most."""
ROUND = 2 * kernels.UNIT
"""Largest relative rounding error of one operation, also if rounding is directed."""
SHORTEST = 2.0**-6
"""Norm of ``y`` below which floats decide nothing."""
EXTREME = 2.0**14
"""Floats bound the probability by that at this ``t`` for larger ones, and decide nothing below its inverse."""
HALVINGS = 24
"""Steps of the bisection for ``b``."""


class Bingham:
    """Sampler of the density ``exp(sum_i omega_i H_ii)`` on projectors of rank 1, or of rank ``d - 1``.

    ``weights`` are numbers ``(d,)``; ``rank`` is 1 or ``d - 1``. The complex law has two real coordinates for
    each weight.
    """

    def __init__(self, weights: Numbers, rank: int, field: str) -> None:
        self.hyperplane, self.copies = rank > 1, 1 + (field == "complex")
        towards = -weights if self.hyperplane else weights
        self._towards: list[float | Fraction] = towards.tolist()
        self.excess = np.repeat(differences(np.max(towards), towards), self.copies)
        """The numbers ``a_i`` of the coordinates, rounded."""
        self.half = len(self.excess) / 2
        self.b = _balanced(self.excess, self.half)
        self.deviations = 1 / np.sqrt(1 + self.excess / self.b)
        """Standard deviations of ``y``, each within ``4 ROUND`` relative."""
        self._count = max(1, min(PROPOSALS, NUMBERS // len(self.excess)))

    def draw(self, source: Source) -> Draw:
        """Draw one ideal projector."""
        while True:
            proposals = _Proposals(self, self._count, source)
            for i in range(self._count):
                if proposals.accepts(i):
                    return proposals.projector(i)

    def exact_excess(self) -> list[Any]:
        """Return the numbers ``a_i`` of the weights in balls of the precision in use."""
        most = ball_noise.exact(max(self._towards))
        return [most - ball_noise.exact(x) for x in self._towards]


def _balanced(excess: Floats, half: float) -> float:
    """About the ``b`` with ``sum_i 1 / (2 (b + a_i)) = 1``, between 1/2 and the number of pairs."""
    low, high = 0.5, half
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sum(0.5 / (middle + excess)) > 1 else (low, middle)
    return high


class _Proposals:
    """Some unit vectors, in floats with bounds on their errors, and beside them in balls.

    With normal numbers within `kernels.NORMAL_ERROR`, standard deviations within ``4 ROUND`` and a product, ``y`` is
    within ``NORMAL_ERROR |deviations| + 6 ROUND |y|``; ``y / |y|`` is within twice that over ``|y|``, and ``2 nu + 4``
    more roundings.
    """

    def __init__(self, law: Bingham, count: int, source: Source) -> None:
        n = len(law.excess)
        self._law = law
        self._normals, self._words = Normals((count, n), source), source.words(count)
        y = self._normals.values * law.deviations
        lengths = np.sqrt(np.einsum("ij,ij->i", y, y))
        clear = lengths > SHORTEST
        lengths[~clear] = 1.0
        self._x = y / lengths[:, None]
        spread = 1.01 * math.sqrt(float(np.einsum("i,i", law.deviations, law.deviations)))
        errors = 1.01 * (2 * (kernels.NORMAL_ERROR * spread / lengths + 6 * ROUND) + (n + 4) * ROUND)
        self._errors = np.where(clear, errors, np.inf)
        self._low, self._high = self._excesses(errors, clear)

    def _excesses(self, errors: Floats, clear: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Bounds on the sum of an exponential number and the logarithm of the probability.

        ``|sqrt(a) (x + h)|^2`` differs from ``s`` by at most ``(2 sqrt(s max a) + max(a) |h|) |h|``, also with the
        ``s`` of ``x + h``. The logarithm of the probability has the slope ``1 / t - 1`` in ``s``, and falls beyond
        ``t = 1``.
        """
        law, n = self._law, len(self._law.excess)
        most = float(np.max(law.excess))
        s = np.einsum("ij,ij,j->i", self._x, self._x, law.excess)
        near = (2 * np.sqrt(most * s) + most * errors) * errors + (n + 8) * ROUND * s
        t = np.minimum((law.b + s) / law.half, EXTREME)
        known = clear & (t > 1 / EXTREME)
        t[~known] = 1.0
        log = np.where(t > 1, 1.0, -1.0) * kernels.minus_log(np.where(t > 1, 1 / t, t))
        value = law.half * (1 - t + log)
        rounding = law.half * (kernels.LOGARITHM_ERROR + 8 * ROUND * (1 + t + np.abs(log)))
        error = 1.01 * (near * (1 + 1 / t) + rounding) + kernels.EXPONENTIAL_ERROR
        numbers, is_open = kernels.exponentials(self._words.values)
        least, largest = np.where(is_open, kernels.LEAST_OPEN, numbers), np.where(is_open, np.inf, numbers)
        return np.where(known, least + value - error, -np.inf), np.where(known, largest + value + error, np.inf)

    def accepts(self, i: int) -> bool:
        """Whether proposal ``i`` is accepted."""
        if self._low[i] > 0:
            return True
        if self._high[i] < 0:
            return False
        return ball_noise.decided(lambda bits: self._excess(i, bits), ball_noise.sign)

    def _excess(self, i: int, bits: int) -> Any:
        law = self._law
        squares = (a * abs(x) ** 2 for a, x in zip(law.exact_excess(), self.vector(i, bits), strict=True))
        half, b = ball_noise.exact(law.half), ball_noise.exact(law.b)
        t = (b + sum(squares, arb(0))) / half
        return ball_noise.exponential(self._words, i, bits) + half * (1 - t + t.log())

    def vector(self, i: int, bits: int) -> list[Any]:
        """Return the unit vector of proposal ``i``."""
        law = self._law
        b = ball_noise.exact(law.b)
        y = [self._entry(i, j, bits) / (1 + a / b).sqrt() for j, a in enumerate(law.exact_excess())]
        length = sum((abs(x) ** 2 for x in y), arb(0)).sqrt()
        return [x / length for x in y]

    def _entry(self, i: int, j: int, bits: int) -> Any:
        copies = self._law.copies
        return acb(*(self._normals.ball(i, copies * j + part, bits) for part in range(copies)))

    def projector(self, i: int) -> Draw:
        """Return the projector on the line of proposal ``i``, or on its orthogonal complement."""
        x = self._x[i].view(np.complex128) if self._law.copies == 2 else self._x[i]
        return _Projector(self, i, x, float(self._errors[i]), self._law.hyperplane)


class _Projector(Draw):
    """``x x*`` of a unit vector that is known within ``error``, or ``I - x x*``."""

    def __init__(self, proposals: _Proposals, i: int, x: NDArray[Any], error: float, hyperplane: bool) -> None:
        self._proposals, self._i, self._hyperplane = proposals, i, hyperplane
        line = np.outer(x, x.conj())
        line = (line + line.conj().T) * 0.5
        self.estimate = np.eye(len(x)) - line if hyperplane else line
        # |z z* - x x*| <= |z - x| (|z| + |x|); four roundings of an entry and a difference
        self.error = 1.01 * (error * (2 + error) + 6 * ROUND * (1 + len(x) * hyperplane))

    def times(self, columns: Any, bits: int) -> Any:
        """``x (x* columns)``, or what that leaves of the columns."""
        x = acb_mat([[value] for value in self._proposals.vector(self._i, bits)])
        line = x * (x.conjugate().transpose() * columns)
        return columns - line if self._hyperplane else line
