"""Sketches of a dask array that stay where its rows lie: of rows x width no number comes to the client.

Blocks are read anew in each pass, so that nothing is stored, and a worker that is lost costs time alone. The noise of a
block is a function of a key of the run, the number of the block, and a digest of the integers that it is added to: a
task that runs twice gives the same bits, and other rows would get other noise. A first pass learns the digests, and
later ones refuse a block whose digest is another one, as two noisy copies of a block would be two releases.

Do not change lightly: key, number and digest decide the bits of releases that are read for years.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dpspectra.certified import sketch
from dpspectra.certified.entropy import KEY_BYTES, WORD, Entropy, Source
from dpspectra.certified.grid import Integers, added
from dpspectra.certified.products import exact_product
from dpspectra.fast.pruning import costs
from dpspectra.ground import checks, extras
from dpspectra.ground.array_types import Array
from dpspectra.ground.foreign_code import refusing
from dpspectra.matrices import cluster
from dpspectra.matrices.low_rank import LowRank
from dpspectra.matrices.orthonormal import divisor, is_divided, triangular
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.noisy_products import CertifiedMeasurements, Measurements, noisy
from dpspectra.mechanisms.private_data import DASK, opened, outside
from dpspectra.mechanisms.randomness import SECRET_KEY, Ideal

SAME_BYTES = "blocks of A hold the same bytes whenever they are read, and whoever reads them keeps the key of the noise"
"""Assumption of a claim for a value that stays on a cluster."""
TOP = 2**10
"""Rows of the largest leverage that come to the client: one more than may be pruned."""
ROUNDS = 4
"""Rounds after which columns must be orthonormal; two are usual."""
SLACK = Fraction(1, 2**40)
"""Relative room for rounding in the bound on rows of ``Q``: nearly equal rows of two machines are both within it."""


def require_kept(A: Any, source: Source | Ideal, gather: bool) -> None:
    """Raise ``ValueError`` unless a value may stay where its rows lie, where ``gather`` is false."""
    if checks.flag(gather, "gather"):
        return
    if outside(A).kind != DASK or outside(A).shape is None:
        raise ValueError(
            "A must be a dask array with known lengths of chunks for gather=False, got "
            f"{outside(A).name or outside(A).kind}: leave gather out, or call A.compute_chunk_sizes()"
        )
    if isinstance(source, Ideal):
        raise ValueError("gather must be True for ideal arithmetic, got False: leave out rng, or give an Entropy")


def on_workers(claim: Claim) -> Claim:
    """Return the claim of a value that stays where its rows lie."""
    more = (SECRET_KEY, SAME_BYTES)
    return replace(claim, assumptions=tuple(dict.fromkeys((*claim.assumptions, *more))))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Tall:
    """How a block of ``Q``, or of what it is made from, follows from a block of rows: in no text, as it holds a key."""

    key: bytes
    exponent: int
    """Entries of ``A`` are integers in units of ``2**-exponent``."""
    scale: float
    """Standard deviation of the noise."""
    inverses: tuple[Array, ...] = ()
    """Upper triangular factors by which ``Y = A Omega + N`` is multiplied, one after the other."""

    def sketched(self, rows: Array, omega: Integers, number: int) -> tuple[bytes, Array]:
        """Return the digest of a block of ``A Omega``, and that block with noise."""
        if not len(rows):
            return b"", np.empty((0, omega.shape[1]))
        exact = exact_product(rows, self.exponent).forward(omega)
        told = exact.astype("<i8").tobytes() if exact.dtype != object else repr(exact.tolist()).encode()
        digest = hashlib.blake2b(told, digest_size=KEY_BYTES).digest()
        key = hashlib.blake2b(number.to_bytes(8, "big") + digest, key=self.key, digest_size=KEY_BYTES).digest()
        return digest, noisy(exact, self.exponent + sketch.GRID, self.scale, Entropy(key))

    def block(self, rows: Array, omega: Integers, number: int, known: bytes | None = None) -> tuple[bytes, Array]:
        """Return the digest, and the block multiplied by all factors; ``ValueError`` unless the digest is the known."""
        digest, y = self.sketched(rows, omega, number)
        if known is not None and digest != known:
            raise ValueError(f"A must hold the same bytes whenever it is read, got other ones in block {number}")
        for inverse in self.inverses:
            y = y @ inverse
        return digest, y


class _Factor(NamedTuple):
    """The triangular factor of some blocks, and their digests in order."""

    triangle: Array
    digests: tuple[bytes, ...]


class _Image(NamedTuple):
    """``A' Q`` of some blocks in exact integers, and how many rows of ``Q`` were left out."""

    total: Integers
    pruned: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Kept:
    """An orthonormal basis of a noisy sketch, whose blocks lie with those of a dask array."""

    array: Any
    """The rows, in blocks that hold whole rows."""
    matrix: CertifiedMeasurements
    omega: Integers
    tall: Tall
    digests: tuple[bytes, ...] = ()
    singular_values: tuple[float, ...] = ()
    """Those of the noisy sketch."""

    @classmethod
    def of(cls, A: Any, matrix: Measurements, width: int, scale: float, draw: Any) -> Kept:
        """Sketch the rows with noise of this scale, and orthonormalise the columns: two passes, or a few more."""
        assert isinstance(matrix, CertifiedMeasurements)
        key = draw.words(8 * KEY_BYTES // WORD).values.tobytes()
        omega = sketch.test_matrix(matrix.shape[1], width, draw)
        kept = cls(opened(A).rechunk({1: -1}), matrix, omega, Tall(key, matrix.matrix.exponent, scale))
        for _ in range(ROUNDS):
            found: _Factor = kept._total(_factor, _factors)
            if not kept.singular_values:
                kept = replace(kept, singular_values=tuple(np.linalg.svd(found.triangle, compute_uv=False).tolist()))
            if (inverse := divisor(found.triangle)) is None:
                break
            tall = replace(kept.tall, inverses=(*kept.tall.inverses, inverse))
            kept = replace(kept, tall=tall, digests=found.digests)
            if is_divided(found.triangle):
                return kept
        raise ValueError("the noisy columns must be independent in float64, got others: take gather=True")

    def dask(self) -> Any:
        """Return the basis as a dask array ``(m, width)``, which holds the key, and reads the rows when it is read."""
        lengths, arrays = self.array.chunks[0], extras.load("dask.array", "outofcore", "dask arrays")
        shapes = [(int(length), self.omega.shape[1]) for length in lengths]
        parts = zip(self._parts(_basis), shapes, strict=True)
        return arrays.concatenate([arrays.from_delayed(part, shape, dtype=float) for part, shape in parts])

    def _limit(self, mu: float, row_norm: float | None) -> float:
        """Return the largest squared norm of a row of ``Q`` that stays in a ``mu``-GDP product, as `prune` chooses it.

        At most ``TOP - 1`` rows are left out; none without a bound ``row_norm`` on those of ``A``.
        """
        step = _Top(1 if row_norm is None else TOP)
        top: Array = self._total(step, step.add)
        squares = np.sort(np.sum(top**2, axis=1))[::-1]
        number = 0
        if row_norm is not None:
            each, _ = costs(top, self.matrix.shape[1], mu, row_norm)
            number = int(np.argmin(each if len(top) == self.matrix.shape[0] else each[: len(top)]))
        return float(squares[number]) if number < len(squares) else 0.0

    def projected(self, mu: float, row_norm: float | None, draw: Any) -> tuple[LowRank, dict[str, Any]]:
        """Return ``Q (Q'A + N)``, ``Q'A`` from the rows of ``Q`` that stay, cut off, and details.

        A row is left out by its own integers, where it is multiplied, so that the bound holds on any machine.
        """
        limit = self._limit(mu, row_norm)
        longest = math.ceil(Fraction(limit) * (1 + SLACK) * 4**sketch.GRID)
        found: _Image = self._total(_Product(longest), _Product.add)
        noise = sketch.noise_within(longest, self.matrix.change, mu)
        value = LowRank(self.dask(), self.matrix.noisy(found.total, sketch.GRID, noise, draw).T)
        return value, {"noise": noise, "pruned": found.pruned, "largest_leverage": limit}

    def _parts(self, step: Callable[..., Any]) -> Iterator[Any]:
        """Dask values of a step on each block of rows and of ``Q``."""
        delayed = extras.load("dask", "outofcore", "dask arrays").delayed
        run, omega = delayed(refusing), delayed(self.omega, traverse=False)
        known = self.digests or (None,) * self.array.numblocks[0]
        for number, rows in enumerate(self.array.to_delayed().ravel()):
            yield run(step, self.tall, rows, omega, number, known[number])

    def _total(self, step: Callable[..., Any], add: Callable[[Any, Any], Any]) -> Any:
        return cluster.total(list(self._parts(step)), add, "A")


def _basis(tall: Tall, *given: Any) -> Array:
    return tall.block(*given)[1]


def _factor(tall: Tall, *given: Any) -> _Factor:
    digest, y = tall.block(*given)
    return _Factor(triangular(y), (digest,))


def _factors(one: _Factor, other: _Factor) -> _Factor:
    return _Factor(triangular(np.vstack([one.triangle, other.triangle])), one.digests + other.digests)


@dataclass(frozen=True, slots=True)
class _Top:
    """The rows of ``Q`` of the largest norms, so many at most."""

    number: int

    def __call__(self, tall: Tall, *given: Any) -> Array:
        return self._largest(tall.block(*given)[1])

    def add(self, one: Array, other: Array) -> Array:
        return self._largest(np.vstack([one, other]))

    def _largest(self, q: Array) -> Array:
        if len(q) <= self.number:
            return q
        return q[np.argpartition(np.sum(q**2, axis=1), -self.number)[-self.number :]]


@dataclass(frozen=True, slots=True)
class _Product:
    """``A' Q`` for the rows of ``Q`` whose integers have a squared norm of at most ``longest``."""

    longest: int

    def __call__(self, tall: Tall, rows: Array, *given: Any) -> _Image:
        digits = sketch.cut(tall.block(rows, *given)[1])
        stays = np.sum(digits.astype(float) ** 2, axis=1) <= self.longest
        digits[~stays] = 0
        if not len(rows):
            return _Image(np.zeros((rows.shape[1], digits.shape[1]), dtype=np.int64), 0)
        return _Image(exact_product(rows, tall.exponent).backward(digits), int(np.sum(~stays)))

    @staticmethod
    def add(one: _Image, other: _Image) -> _Image:
        return _Image(added(one.total, other.total), one.pruned + other.pruned)
