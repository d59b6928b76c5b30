"""Ideal complex projectors of rank ``k``, concentrated: the chart by a ball of matrices, decided in floats or balls.

A projector ``X X*`` has ``X = [(I - Y*Y)^(1/2); Y]``, where the entries of ``Y``, ``(d - k, k)``, are independent
complex Gaussians of variance ``1 / (omega_j - omega_(k+i))``, given that ``C = I - Y*Y`` is positive definite
(`dpspectra.sampling.ball_chart`). The rates are raised by tilts ``t_j >= 0``, and of the matrices with positive ``C``
one is accepted with probability ``exp(-sum_j t_j C_jj)``, which leaves the law as it is (DPS-TILTEDCHART). So the law
is exact if both decisions are those of the ideal ``Y``, and if the float root comes with a bound on its error
(DPS-ROOT).
"""

from __future__ import annotations

import math
from typing import Any

import flint
import numpy as np
from flint import acb, acb_mat, arb

from dpspectra.certified import ball_noise, enclosed_eigenvalues, kernels
from dpspectra.certified.chart_tilts import PILOT, accepted_share, best_tilt
from dpspectra.certified.entropy import KEY_BYTES, Entropy, Source
from dpspectra.certified.noise_on_grid import Normals
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.ground.array_types import Array, Floats

NUMBERS = 2**12
"""Entries of proposals that are drawn at a time."""
PROPOSALS = 32
"""Proposals that are drawn at a time at most."""
ROUND = 2 * kernels.UNIT
"""Largest relative rounding error of one operation, also if rounding is directed."""


class BallChart:
    """Sampler of the density ``exp(sum_i omega_i H_ii)`` on complex projectors of rank ``k``.

    ``weights``, ``(d,)``, descend. Raises ``ValueError`` unless ``0 < k < d`` and they
    descend at ``k``. The law is exact for any such weights, but nearly all proposals are rejected where they are flat.
    """

    def __init__(self, weights: Numbers, k: int) -> None:
        d = len(weights)
        if not 0 < k < d:
            raise ValueError(f"k must be between 1 and d - 1 = {d - 1}, got {k}")
        if weights[k - 1] < weights[k]:
            raise ValueError(f"the weights must descend, which they do not at k = {k}")
        self.weights, self.k = weights, k
        rates = differences(weights[None, :k], weights[k:, None])
        self.tilts = np.array([best_tilt(column) for column in rates.T])
        """Numbers ``t_j``, which change only how many proposals are accepted."""
        self.deviations = np.sqrt(0.5 / (rates + self.tilts))
        """Standard deviations of real and imaginary parts of ``Y``, each within ``4 ROUND`` relative."""
        self._count = max(1, min(PROPOSALS, NUMBERS // self.deviations.size))

    def draw(self, source: Source) -> Draw:
        """Draw one ideal projector."""
        while True:
            proposals = _Proposals(self, self._count, source)
            for b in proposals.possible():
                found = proposals.accepted(b)
                if found is not None:
                    return found

    def share(self) -> float:
        """About the share of proposals that are accepted, always the same for a law: seen in some of a fixed key."""
        return accepted_share(_Proposals(self, PILOT, Entropy(bytes(KEY_BYTES)))._c, self.tilts)


class _Proposals:
    """Some ideal matrices ``Y``, in floats with bounds on their errors, and beside them in balls.

    An entry ``z s`` has two normal numbers within `kernels.NORMAL_ERROR` times a standard deviation within
    ``4 ROUND``, rounded: the error is at most ``2 NORMAL_ERROR |s| + 6 ROUND |Y|`` in the Frobenius norm.
    """

    def __init__(self, chart: BallChart, count: int, source: Source) -> None:
        rows, k = chart.deviations.shape
        self._chart = chart
        self._normals = Normals((count * rows, 2 * k), source)
        self._y = self._normals.values.view(complex).reshape(count, rows, k) * chart.deviations
        flat = self._y.reshape(count, -1)
        sizes = 1.01 * np.linalg.norm(flat, axis=1)
        self._errors = 2 * kernels.NORMAL_ERROR * norm(chart.deviations) + 6 * ROUND * sizes
        self._c = hermitian(np.eye(k) - self._y.conj().swapaxes(1, 2) @ self._y)
        # |Y*Y - (Y + E)*(Y + E)| <= 2 |Y| |E| + |E|^2; products of 2 rows real terms; the difference, the mean.
        formed = (3 * rows + 8) * ROUND * sizes**2 + 4 * ROUND * (math.sqrt(k) + sizes**2)
        self._c_errors = 1.01 * (2 * sizes * self._errors + self._errors**2 + formed)

        self._diagonals = np.einsum("bjj->bj", self._c).real
        self._words = source.words(count) if chart.tilts.any() else None
        self._spare, self._spare_errors = self._spared()

    def _spared(self) -> tuple[Floats, Floats]:
        """Return an exponential number less what the tilts ask for, ``sum_j t_j C_jj``, and bounds on its error.

        The sum is off by at most ``|t|`` times the error of ``C``; it has ``k`` products, and as many sums.
        """
        tilts, diagonals = self._chart.tilts, self._diagonals
        if self._words is None:
            return np.full(len(diagonals), np.inf), np.zeros(len(diagonals))
        numbers, is_open = kernels.exponentials(self._words.values)
        rounding = (len(tilts) + 4) * ROUND * (np.abs(diagonals) @ tilts + numbers)
        errors = 1.01 * (norm(tilts) * self._c_errors + kernels.EXPONENTIAL_ERROR + rounding)
        return numbers - diagonals @ tilts, np.where(is_open, np.inf, errors)

    def possible(self) -> list[int]:
        """Those of which no column is surely longer than 1, and which the tilts do not surely reject."""
        least = np.min(self._diagonals, axis=1)
        return np.flatnonzero((least >= -self._c_errors) & (self._spare >= -self._spare_errors)).tolist()

    def accepted(self, b: int) -> Draw | None:
        """Return the projector of one, unless ``I - Y*Y`` is not positive definite or the tilts reject it."""
        block = _Block(self._chart, self._normals, b)
        c, error = self._c[b], float(self._c_errors[b])
        values, vectors = np.linalg.eigh(c)
        apart = enclosed_eigenvalues.residual_bound(c, vectors, values) + error
        inside = sign(float(values[0]), apart)
        if inside is None:
            inside = ball_noise.decided(block.complement, positive)
        if not (inside and self._kept(b, block)):
            return None
        root, root_error = root_within(c, error, values, vectors, float(values[0]) - apart)
        return _Projector(block, np.concatenate([root, self._y[b]]), root_error + float(self._errors[b]))

    def _kept(self, b: int, block: _Block) -> bool:
        """Whether the tilts accept one."""
        words = self._words
        if words is None:
            return True
        kept = sign(float(self._spare[b]), float(self._spare_errors[b]))
        if kept is not None:
            return kept
        return ball_noise.decided(
            lambda bits: ball_noise.exponential(words, b, bits) - block.lost(bits), ball_noise.sign
        )


class _Block:
    """One ideal ``Y``, in balls."""

    def __init__(self, chart: BallChart, normals: Normals, b: int) -> None:
        self._chart, self._normals = chart, normals
        self._first = b * len(chart.deviations)

    def matrix(self, bits: int) -> Any:
        """``Y`` from so many bits beyond each word."""
        chart, weights = self._chart, [ball_noise.exact(x) for x in self._chart.weights]
        tilts = map(ball_noise.exact, chart.tilts.tolist())
        raised = [top + t for top, t in zip(weights[: chart.k], tilts, strict=True)]
        return acb_mat([
            [self._normal(i, j, bits) / (2 * (top - low)).sqrt() for j, top in enumerate(raised)]
            for i, low in enumerate(weights[chart.k :])
        ])  # fmt: skip

    def _normal(self, i: int, j: int, bits: int) -> Any:
        parts = (self._normals.ball(self._first + i, 2 * j + part, bits) for part in (0, 1))
        return acb(*parts)

    def complement(self, bits: int) -> Any:
        """``I - Y*Y``."""
        return complement(self.matrix(bits))

    def lost(self, bits: int) -> Any:
        """``sum_j t_j C_jj``."""
        c = self.complement(bits)
        return sum((t * c[j, j].real for j, t in enumerate(map(ball_noise.exact, self._chart.tilts.tolist()))), arb(0))

    def frame(self, bits: int) -> Any:
        """``[(I - Y*Y)^(1/2); Y]``; infinite balls while the root is uncertain."""
        y = self.matrix(bits)
        return acb_mat(positive_root(complement(y), bits).tolist() + y.tolist())


class _Projector(Draw):
    """The projector on the span of a frame ``X`` that is known within ``error``, in the Frobenius norm.

    ``|Z Z* - X X*| <= |Z - X| (|Z| + |X|)``, and ``X`` has spectral norm 1 (DPS-ROOT).
    """

    def __init__(self, block: _Block, frame: Array, error: float) -> None:
        self._block = block
        self._frames: dict[tuple[int, int], Any] = {}
        self.estimate = hermitian(frame @ frame.conj().T)
        self.error = 1.01 * (error * (2 + error) + product_error(frame, frame))

    def times(self, columns: Any, bits: int) -> Any:
        """``X (X* columns)``."""
        key = bits, flint.ctx.prec
        if key not in self._frames:
            self._frames[key] = self._block.frame(bits)
        frame = self._frames[key]
        return frame * (frame.conjugate().transpose() * columns)


# ---------------------------------------------------------------- floats


def norm(a: Array) -> float:
    """Bound on the Frobenius norm, within a hundredth."""
    return 1.01 * float(np.linalg.norm(a))


def hermitian(a: Array) -> Array:
    """Return the Hermitian part of each matrix, with real diagonals."""
    return (a + a.conj().swapaxes(-1, -2)) * 0.5


def product_error(a: Array, b: Array) -> float:
    """Bound on what rounding the complex product ``a b*`` and a later sum changes, in the Frobenius norm.

    Real and imaginary part of an entry are sums of two real products for each column.
    """
    return 3 * (a.shape[1] + 4) * ROUND * norm(a) * norm(b)


def sign(value: float, error: float) -> bool | None:
    """Whether a number that is so near to ``value`` is positive, ``None`` if it is open."""
    return True if value > error else False if value < -error else None


def root_within(c: Array, error: float, values: Floats, vectors: Array, least: float) -> tuple[Array, float]:
    """Return a float root of a positive definite matrix within ``error`` of ``c``, and a bound on its own error.

    ``least`` bounds its eigenvalues from below; if that is not positive, the bound is infinite. ``U w^(1/2) U*`` is
    positive semidefinite whatever ``U`` may be, so that the eigenvalues of the float root are at least minus the error
    of this product. The distance is at most the residual over the sum of both smallest eigenvalues (DPS-ROOT).
    """
    half = vectors * np.sqrt(np.sqrt(np.maximum(values, 0.0)))
    root = hermitian(half @ half.conj().T)
    below = product_error(half, half)
    if not (least > 0 and math.sqrt(least) > 2 * below):
        return root, math.inf
    residual = norm(root @ root - c) + product_error(root, root) + error
    return root, 1.01 * residual / (math.sqrt(least) - below)


# ---------------------------------------------------------------- balls


def identity(k: int) -> Any:
    """Return the identity of order ``k``."""
    return acb_mat(k, k, [int(i == j) for i in range(k) for j in range(k)])


def complement(y: Any) -> Any:
    """``I - Y*Y``."""
    return identity(y.ncols()) - y.conjugate().transpose() * y


def positive(c: Any) -> bool | None:
    """Whether a Hermitian matrix in balls is positive definite, by its leading minors; ``None`` if that is open."""
    for m in range(1, c.nrows() + 1):
        minor = acb_mat([row[:m] for row in c.tolist()[:m]]).det().real
        if not minor > 0:
            return False if minor < 0 else None
    return True


def positive_root(c: Any, bits: int) -> Any:
    """Return the positive definite root of a positive definite matrix in balls, perhaps infinite ones.

    A root of the midpoint, by the iteration of Denman and Beavers, within the residual over the root of a bound on the
    smallest eigenvalue (DPS-ROOT). Nothing rests on how near the iteration comes.
    """
    k = c.nrows()
    one = identity(k)
    halvings = 0
    while positive(c - one * acb(arb(4) ** -halvings)) is not True:
        halvings += 1
        if 2 * halvings > bits:
            return ball_noise.unknown(k, k)
    root = _midpoint(_iterated(_midpoint(c), one))
    if positive(root) is not True:
        return ball_noise.unknown(k, k)
    residual = sum((abs(x) for x in (root * root - c).entries()), arb(0))
    radius = arb(0, (residual * arb(2) ** halvings).upper())
    return acb_mat(k, k, [x + acb(radius, radius) for x in root.entries()])


def _iterated(root: Any, inverse: Any) -> Any:
    """Return the limit of means, each with the inverse of the other: of a root at first, and of an ``inverse``."""
    enough = arb(2) ** -(flint.ctx.prec // 2)
    for _ in range(flint.ctx.prec):
        before = root
        root, inverse = _mean(root, inverse.inv()), _mean(inverse, root.inv())
        if all(abs(x) < enough for x in (root - before).entries()):
            break
    return root


def _mean(a: Any, b: Any) -> Any:
    """Return the Hermitian part of the midpoint of the mean."""
    mean = (a + b) * acb(0.25)
    return _midpoint(mean + mean.conjugate().transpose())


def _midpoint(a: Any) -> Any:
    return acb_mat(a.nrows(), a.ncols(), [acb(x.real.mid(), x.imag.mid()) for x in a.entries()])
