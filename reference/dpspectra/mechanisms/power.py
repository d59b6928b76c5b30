"""The noisy power method: in itself, private, and for low-rank approximation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast import checks
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.orthonormal import orthonormal
from dpspectra.fast.products import Product, product
from dpspectra.lemmas.sensitivity import power_step
from dpspectra.mechanisms.release import IDEAL_RANDOMNESS, IDEAL_REALS, Claim, Release

RELATIONS = ("entry", "pair", "spectral", "rank_one")
SCALES = ("row", "max", "fixed", "doubling")
PUBLIC_START = "the given start does not depend on the data"
PROBE = 1e-6
"""Departure from symmetry, relative to the product, that is put down to rounding (of float32)."""

Block = NDArray[Any]
Noise = Callable[[int, Block, Block], Block]


class LargeEntryError(RuntimeError):
    """An iterate has an entry above the public bound that the noise was calibrated for. Releasing this is private."""


@dataclass(frozen=True, slots=True)
class PowerState:
    """Where the iteration stands: enough to go on from."""

    iterate: Block
    """Orthonormal ``(d, width)``."""
    rounds: int
    """Rounds done."""
    largest_entry: float
    """Largest modulus of an entry of any iterate so far, the start included."""


def noisy_power_method(
    A: Any,
    k: int,
    *,
    width: int | None = None,
    iterations: int,
    noise: Noise | None = None,
    start: Any = None,
    rng: Any = None,
) -> Block:
    """Run ``X <- GS(A X + G)`` for ``iterations`` rounds from a random subspace (HP-F1); not private by itself.

    ``A`` is real symmetric of order ``d``: an array, a scipy sparse matrix or ``LinearOperator``, or a dask array; only
    products with it are used, of which one is spent on a check of symmetry. A rectangular ``(m, n)`` ``A`` stands for
    ``[[0, A], [A', 0]]`` (HP-B), in which every singular value is doubled: ask for twice the rank. ``width`` columns
    are carried, ``k <= width <= d``, twice ``k`` by default. ``noise(round, X, AX)`` returns ``G``, any ``(d, width)``
    array, an adversary's if you like; rounds are numbered from 1. ``start`` is a ``(d, width)`` block of full rank.

    Returns an orthonormal ``(d, width)`` block. Raises ``ValueError`` for bad input.
    """
    matrix, p = _read(A, k, width, iterations, np.float64)
    generator = checks.generator(rng)

    def step(number: int, x: Block, y: Block, _: float) -> Block:
        return y if noise is None else y + _shaped(noise(number, x, y), y.shape, "noise")

    return _iterate(matrix, _start(start, matrix.shape[0], p, generator), iterations, step).iterate


def private_power_method(
    A: Any,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    *,
    relation: str = "pair",
    width: int | None = None,
    iterations: int,
    scale: str = "row",
    entry_bound: float | None = None,
    low_rank: bool = False,
    dtype: Any = np.float64,
    start: Any = None,
    rng: Any = None,
) -> Release:
    """Release a subspace near the top ``k`` eigenvectors of ``A``; ``(epsilon, delta)``-DP (HP-F3 with HP-K4.2P).

    ``A``, ``k``, ``width`` and ``start`` as in `noisy_power_method`. Neighbours under ``relation``: ``"entry"`` (one
    entry changes by at most 1), ``"pair"`` (an entry and its mirror image; one diagonal entry), ``"spectral"`` (the
    change has spectral norm at most 1), ``"rank_one"`` (it is ``+-vv'`` with ``|v| <= 1``). For a rectangular ``A``
    ``"entry"`` is what is meant by it, a pair of its dilation, and ``"spectral"`` is allowed too. All of ``k``,
    ``width``, ``iterations`` must be public.

    With ``delta > 0`` noise is normal and calibrated exactly: round by round ``sqrt(L) Delta(X) / mu(epsilon, delta)``,
    where ``Delta`` is the Frobenius sensitivity of ``X -> A X``. With ``delta = 0`` it is Laplace noise of scale
    ``L Delta_1(X) / epsilon``. ``scale`` says which ``Delta`` of entry and pair changes: ``"row"`` the exact one,
    ``"max"`` its bound from the largest entry of ``X`` (the printed choice), ``"fixed"`` that bound at the public
    ``entry_bound`` (`LargeEntryError` if an iterate exceeds it), ``"doubling"`` that bound at the power of two above
    all entries so far (HP-T4.9P). With ``low_rank`` one more product is released, and paid for.

    The value is an orthonormal ``(d, width)`` block ``X``, or the pair ``(Y, X)`` with ``Y`` near ``A X`` and ``Y X'``
    near ``A`` (``low_rank``). ``details``: ``noise`` (deviation or scale in each round), ``mu``, ``largest_entry``.
    ``dtype`` is that of products; noise scales are computed in float64. Raises ``ValueError`` for bad input.
    """
    checks.choice(relation, "relation", RELATIONS)
    checks.choice(scale, "scale", SCALES)
    checks.positive(epsilon, "epsilon")
    checks.probability(delta, "delta", zero=True)
    if (scale == "fixed") != (entry_bound is not None):
        raise ValueError(f"entry_bound must be given for scale 'fixed' and only then, got {entry_bound}")
    if entry_bound is not None:
        checks.positive(entry_bound, "entry_bound")
    matrix, p = _read(A, k, width, iterations, dtype)
    inner = _of_the_dilation(relation) if getattr(A, "shape", matrix.shape) != matrix.shape else relation
    generator, rounds = checks.generator(rng), iterations + low_rank
    mu = mu_for(epsilon, delta) if delta > 0 else None
    spent: list[float] = []

    def step(_: int, x: Block, y: Block, largest: float) -> Block:
        size = _sensitivity(x, inner, scale, entry_bound, largest, mu is None)
        spent.append(size * (rounds / epsilon if mu is None else math.sqrt(rounds) / mu))
        draw = generator.laplace if mu is None else generator.normal
        return y + draw(scale=spent[-1], size=y.shape).astype(y.dtype)

    state = _iterate(matrix, _start(start, matrix.shape[0], p, generator).astype(dtype), iterations, step)
    value: Any = state.iterate
    if low_rank:
        value = (step(rounds, value, matrix.forward(value), state.largest_entry), value)
    assumptions = (IDEAL_REALS, IDEAL_RANDOMNESS) + (() if start is None else (PUBLIC_START,))
    labels = ("HP-K4.2P" if inner in ("entry", "pair") else "HP-L4.5", "HP-SENS")
    claim = Claim(relation, float(epsilon), float(delta), gdp_mu=mu, assumptions=assumptions, labels=labels)
    return Release(value, claim, {"noise": tuple(spent), "mu": mu, "largest_entry": state.largest_entry})


def _of_the_dilation(relation: str) -> str:
    if relation not in ("entry", "spectral"):
        raise ValueError(f"relation must be 'entry' or 'spectral' for a rectangular matrix, got {relation!r}")
    return {"entry": "pair", "spectral": "spectral"}[relation]


def _read(a: Any, k: int, width: int | None, iterations: int, dtype: Any) -> tuple[Product, int]:
    """The matrix as a symmetric product, and the width."""
    matrix = product(a, "A", dtype)
    checks.integer(iterations, "iterations", 1)
    square = matrix.shape[0] == matrix.shape[1]
    matrix = matrix if square else matrix.dilated()
    d = matrix.shape[0]
    checks.integer(k, "k", 1, d)
    p = checks.integer(min(2 * k, d) if width is None else width, "width", k, d)
    if square:
        probe = np.random.default_rng(0).standard_normal((d, 2)).astype(dtype)
        y = matrix.forward(probe)
        left, right = float(probe[:, 0] @ y[:, 1]), float(probe[:, 1] @ y[:, 0])
        size = float(np.linalg.norm(probe[:, 0]) * np.linalg.norm(y[:, 1]))
        if not abs(left - right) <= PROBE * size:
            raise ValueError(f"A must be symmetric, got u'Av - v'Au = {left - right:.6g} for a u and v")
    return matrix, p


def _start(start: Any, d: int, p: int, rng: np.random.Generator) -> Block:
    if start is None:
        return orthonormal(rng.standard_normal((d, p)))
    block = _shaped(start, (d, p), "start")
    if np.linalg.matrix_rank(block) < p:
        raise ValueError(f"start must have full rank {p}, got {np.linalg.matrix_rank(block)}")
    return orthonormal(block)


def _shaped(block: Any, shape: tuple[int, ...], name: str) -> Block:
    array = np.asarray(block, dtype=float)
    if array.shape != shape or not np.all(np.isfinite(array)):
        found = "numbers that are not finite" if array.shape == shape else f"shape {array.shape}"
        raise ValueError(f"{name} must be finite of shape {shape}, got {found}")
    return array


def _iterate(
    matrix: Product, x: Block, iterations: int, step: Callable[[int, Block, Block, float], Block]
) -> PowerState:
    largest = float(np.max(np.abs(x)))
    for number in range(1, iterations + 1):
        x = orthonormal(step(number, x, matrix.forward(x), largest))
        largest = max(largest, float(np.max(np.abs(x))))
    return PowerState(x, iterations, largest)


def _sensitivity(x: Block, relation: str, scale: str, entry_bound: float | None, largest: float, l1: bool) -> float:
    """Of ``A -> A X`` in Frobenius or l1 norm, from the ``X`` that was multiplied, orthonormal up to rounding."""
    x, width = x.astype(np.float64), x.shape[1]
    rounding = float(np.linalg.norm(x, 2)) if relation in ("spectral", "rank_one") else 1.0
    if relation in ("spectral", "rank_one") or scale == "row":
        return rounding * (power_step.l1 if l1 else power_step.l2)(x, relation)
    entry = float(np.max(np.abs(x)))
    if scale == "fixed" and entry_bound is not None:
        if entry > entry_bound:
            raise LargeEntryError(f"an iterate has an entry of {entry:.6g}, above the bound {entry_bound:.6g}")
        entry = entry_bound
    elif scale == "doubling":
        entry = 2.0 ** math.ceil(math.log2(largest))
    sizes = [entry * width if l1 else entry**2 * width] * 2
    size = power_step.entrywise(sizes, relation)
    return float(size if l1 else math.sqrt(size))
