"""Ideal Hermitian matrices from the spectra of their leading minors, in balls: the rows of a Gelfand-Tsetlin pattern.

A pattern leaves the phases free, one for each entry that no tie holds; they are uniform. The matrix follows by
arithmetic in balls, so every ball holds the one matrix of the infinite strings of bits, which is what a release may
depend on (DPS-REPLAY). Ties need no care: entries that they hold are exact, and have no bits.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from flint import acb, acb_mat, arb

from dpspectra.ball.pattern_rows import Imprecise
from dpspectra.certified import ball_noise
from dpspectra.certified.entropy import WORD, Words
from dpspectra.certified.orbit_draw import Draw, Numbers
from dpspectra.ground.array_types import Floats

RELATIVE = 2.0**-56
"""Radii of the balls behind the floats are below this share of the largest eigenvalue in modulus."""

Cells = list[list[bool]]


class PatternLaw:
    """The density ``exp(sum_i omega_i H_ii)`` on Hermitian matrices of a given spectrum, as a law of patterns.

    ``weights`` and ``spectrum`` are numbers ``(d,)``, descending; they stand for themselves, and ties are those of
    equal numbers. Raises ``ValueError`` for numbers that are not finite or not in order, and for different lengths.
    """

    def __init__(self, weights: Numbers, spectrum: Floats) -> None:
        for name, given in (("weights", weights), ("spectrum", spectrum)):
            if not np.isfinite(given.astype(float)).all() or np.any(given[:-1] < given[1:]):
                raise ValueError(f"{name} must be finite and descending")
        if not 0 < len(weights) == len(spectrum):
            raise ValueError(f"weights and spectrum must have one length, got {len(weights)} and {len(spectrum)}")
        self._turned = bool(np.sum(spectrum < spectrum[0]) < np.sum(spectrum > spectrum[-1]))
        if self._turned:
            weights, spectrum = -weights[::-1], -spectrum[::-1]
        self.weights: list[float | Fraction] = weights.tolist()
        self.spectrum: list[float] = spectrum.tolist()
        self.free = free_cells(self.spectrum)
        self.count = sum(map(sum, self.free))
        """Free entries of a pattern."""

    def oriented(self, h: Any) -> Any:
        """Return the matrix for the spectrum that was given: the drawn one, or minus it in the opposite order."""
        return acb_mat([[-x for x in reversed(row)] for row in reversed(h.tolist())]) if self._turned else h


class PatternMatrix(Draw):
    """A matrix of a pattern and of phases, a word for each free cell."""

    def __init__(self, law: PatternLaw, phases: Words) -> None:
        self._law, self._phases = law, phases
        self._known: dict[tuple[int, int], Any] = {}
        h = ball_noise.decided(self._matrix, self._narrow)
        self.estimate = np.array([[complex(x) for x in row] for row in h.tolist()])
        with ball_noise.precision(ball_noise.FIRST + ball_noise.GUARD):
            difference = acb_mat(self.estimate.tolist()) - h
            squares = (x.abs_upper() ** 2 for x in difference.entries())
            self.error = 1.01 * float(sum(squares, arb(0)).sqrt().upper())

    @abstractmethod
    def rows(self, bits: int) -> list[list[Any]]:
        """Rows 1 to ``d`` of the pattern in balls; raises `Imprecise` while the bits are too few."""

    def times(self, columns: Any, bits: int) -> Any:
        """``H`` times a matrix."""
        return self._matrix(bits) * columns

    def _narrow(self, h: Any) -> Any:
        limit = RELATIVE * max(map(abs, self._law.spectrum))
        return h if all(x.is_finite() and float(x.rad()) <= limit for x in h.entries()) else None

    def _matrix(self, bits: int) -> Any:
        """Return the matrix in balls, infinite ones where the bits or the precision in use are too few."""
        key = bits, flint.ctx.prec
        if key not in self._known:
            self._known[key] = self._law.oriented(self._enclosed(bits))
        return self._known[key]

    def _enclosed(self, bits: int) -> Any:
        d = len(self._law.spectrum)
        try:
            return matrix(self.rows(bits), self._law.free, self._turns(bits))
        except (Imprecise, ZeroDivisionError):
            return ball_noise.unknown(d, d)

    def _turns(self, bits: int) -> list[Any]:
        """Uniform points of the circle, one for each free cell."""
        words = self._phases
        angles = (2 * ball_noise.uniform(int(word), WORD, words, i, bits) for i, word in enumerate(words.values))
        return [acb(x.cos_pi(), x.sin_pi()) for x in angles]


def free_cells(spectrum: Sequence[float]) -> Cells:
    """Which entries of the rows 1 to ``d - 1`` of a pattern no tie holds."""
    d = len(spectrum)
    return [[spectrum[j] != spectrum[j + d - r] for j in range(r)] for r in range(1, d)]


def matrix(rows: list[list[Any]], free: Cells, phases: list[Any]) -> Any:
    """Return the Hermitian matrix with a pattern, rows 1 to ``d``, in balls.

    The minor of order ``r + 1`` is that of order ``r``, ``V diag(mu) V*``, with a border ``V z`` and a corner. The
    moduli of ``z`` follow from both spectra (`moduli`); its phases are given, one for each free cell in their order. An
    eigenvalue that a tie holds is one of all later minors too, with an eigenvector to which no border couples: it is
    left out of ``mu`` and ``V``. So the matrix is ``base I + X diag(weights) X*``, where ``base`` is the most frequent
    eigenvalue and the columns of ``X`` are the eigenvectors left out on the way, of the others.
    """
    base, weights, steps = max(rows[-1], key=rows[-1].count), list[Any](), list[tuple[Any, int]]()
    turns, mu = iter(phases), list[Any]()
    for r, row in enumerate(rows):
        below = free[r - 1] if r else []
        coupled = [j for j, is_free in enumerate([*below, True]) if is_free]
        kept = [row[j] for j in coupled if r < len(rows) - 1 and free[r][j]]
        left = [row[j] for j in coupled if r == len(rows) - 1 or not free[r][j]]
        left = [value for value in left if value != base]
        z = moduli(mu, [row[j] for j in coupled])
        columns = [eigenvector(mu, z, value) for value in (*kept, *left)]
        turned = [*(next(turns) for _ in mu), acb(1)]
        parts = [w * column[i] for i, w in enumerate(turned) for column in columns]
        steps.append((acb_mat(len(turned), len(columns), parts), len(kept)))
        weights = [value - base for value in left] + weights
        mu = kept
    x = _product(steps)
    scaled = acb_mat([[w * y.conjugate() for w, y in zip(weights, row, strict=True)] for row in x.tolist()])
    return _hermitian(base, x, scaled.transpose())


def _product(steps: list[tuple[Any, int]]) -> Any:
    """Multiply the bases of all orders: the columns of each but the first ones go on, and rows begin at the last one.

    Errors are bounded by norms, as those of balls would grow with each product: all that is multiplied has orthonormal
    columns in truth. So where a factor is known within ``b`` and what it is multiplied with within ``e``, the product
    of the midpoints is known within ``b + (1 + b) e``, and its rounding.
    """
    rows, after, error = list[list[Any]](), list[list[Any]](), arb(0)
    for basis, kept in reversed(steps):
        known, size = basis.mid(), len(after[0]) if after else 0
        table = known.tolist()
        product = acb_mat(len(table), size)
        if kept and size:
            product = acb_mat([row[:kept] for row in table]) * acb_mat(after)
        beyond = _radius(basis)
        error = (beyond + (1 + beyond) * error + _radius(product)).upper()
        *after, last = ([*one, *row[kept:]] for one, row in zip(product.mid().tolist(), table, strict=True))
        rows.insert(0, last)
    blur = acb(arb(0, error), arb(0, error))
    count = max(map(len, rows))
    return acb_mat([[*(y + blur for y in row), *[acb(0)] * (count - len(row))] for row in rows])


def _radius(m: Any) -> Any:
    """Bound on the norm of what a matrix of balls is away from its midpoints."""
    return arb(sum((x.rad() ** 2 for x in m.entries()), arb(0))).sqrt().upper()


def _hermitian(base: Any, x: Any, y: Any) -> Any:
    """Return ``base I + x y``, which is Hermitian in truth."""
    h = x * y
    for i in range(h.nrows()):
        h[i, i] = acb(base + h[i, i].real)
        for j in range(i):
            h[j, i] = h[i, j].conjugate()
    return h


def moduli(mu: list[Any], values: list[Any]) -> list[Any]:
    """Moduli of the border that turns the spectrum ``mu``, ``(f,)``, into ``values``, ``(f + 1,)``, interlacing.

    The characteristic polynomial of ``[[diag(mu), z], [z', c]]`` is ``prod_i (t - values_i)``, and at ``mu_j`` it is
    ``-z_j^2 prod_(l != j) (mu_j - mu_l)``.
    """
    found = []
    for j, x in enumerate(mu):
        above = math.prod((x - value for value in values), start=arb(-1))
        found.append((above / math.prod((x - y for y in (*mu[:j], *mu[j + 1 :])), start=arb(1))).sqrt())
    return found


def eigenvector(mu: list[Any], z: list[Any], value: Any) -> list[Any]:
    """Return the unit eigenvector of ``[[diag(mu), z], [z', c]]`` for an eigenvalue that is not among ``mu``."""
    parts = [y / (value - x) for x, y in zip(mu, z, strict=True)]
    length = (sum((x * x for x in parts), arb(0)) + 1).sqrt()
    return [*(x / length for x in parts), 1 / length]
