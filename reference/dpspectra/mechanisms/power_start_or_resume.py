"""Starts of the power method: a block, or a state to go on with."""

from __future__ import annotations

import os
import warnings

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dpspectra.certified.products import ExactProduct
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.products import Product
from dpspectra.mechanisms.power_plan import PowerPlan, PowerState
from dpspectra.mechanisms.release import Private

PROBE = 1e-6
"""Largest departure from symmetry or from another product, relative to it, that counts as rounding (of float32)."""
PROBE_BITS = 20
"""Base-2 logarithm of the largest entry of a block by which a matrix is known again."""


def given(start: ArrayLike | None, shape: tuple[int, int], dtype: DTypeLike) -> Array | None:
    """Return the orthonormal block of a public ``start`` of full rank, where there is one."""
    if start is None:
        return None
    block = shaped(start, shape, "start")
    if (rank := np.linalg.matrix_rank(block)) < shape[1]:
        raise ValueError(f"start must have full rank {shape[1]}, got {rank}")
    return orthonormal(block).astype(dtype, copy=False)


def resumed(
    state: PowerState,
    plan: PowerPlan,
    shape: tuple[int, int],
    iterations: int,
    start: ArrayLike | None,
    dtype: DTypeLike,
) -> Array:
    """Return the block to go on with from a state, which must be one of this plan."""
    if start is not None:
        raise ValueError("start must not be given with resume, got both")
    if not 1 <= state.rounds <= iterations:
        raise ValueError(f"resume must have done between 1 and {iterations} rounds, got {state.rounds}")
    if state.plan != plan:
        raise ValueError(f"resume must be a state of the same plan, {plan}, got one of {state.plan}")
    return shaped(state.iterate, shape, "resume").astype(dtype, copy=False)


def shaped(block: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return a finite real block of a shape."""
    array = checks.real(block, name)
    if array.shape != shape or not np.all(np.isfinite(array)):
        fault = "numbers that are not finite" if array.shape == shape else f"shape {array.shape}"
        raise ValueError(f"{name} must be finite of shape {shape}, got {fault}")
    return array


def recognised(matrix: Product | ExactProduct, resume: PowerState | None, dtype: DTypeLike) -> Private:
    """Return the private marks by which a state knows its matrix: a product with a random block that nobody learns.

    Raises ``ValueError`` if a run is to go on with another matrix; two different ones of integers agree in all three
    products with probability below ``2**-60``. A state that came without this, as pickled ones do, is not checked, and
    there is a warning.
    """
    known = {} if resume is None else resume.private
    if resume is not None and not known:
        message = (
            "resume must be given the matrix of its first rounds, which a state that was copied cannot tell, "
            "and one of PowerState.save can"
        )
        warnings.warn(message, UserWarning, stacklevel=3)
    key = known["key"] if known else int.from_bytes(os.urandom(32), "little")
    block = np.random.default_rng(key).integers(-(2**PROBE_BITS), 2**PROBE_BITS, (matrix.shape[0], 3))
    exact = isinstance(matrix, ExactProduct)
    product = matrix.forward(block if exact else block.astype(dtype))
    if known:
        allowed = 0 if exact else PROBE * max(1e-300, float(np.max(np.abs(known["product"]))))
        if (np.abs(product - known["product"]) > allowed).any():
            raise ValueError("resume must go on with the matrix of its first rounds, got another one")
    return Private({"key": key, "product": product})


def width_of(d: int, k: int, width: int | None) -> int:
    """Return the number of columns carried, twice ``k`` by default."""
    checks.integer(k, "k", 1, d)
    return checks.integer(min(2 * k, d) if width is None else width, "width", k, d)


def symmetric(matrix: Product | ExactProduct, dtype: DTypeLike) -> Product | ExactProduct:
    """Return a square matrix, which must be symmetric, or the dilation of another."""
    if matrix.shape[0] != matrix.shape[1]:
        return matrix.dilated()
    if not _is_symmetric(matrix, dtype):
        raise ValueError("A must be symmetric, got a square matrix that is not: take (A + A.T) / 2")
    return matrix


def _is_symmetric(matrix: Product | ExactProduct, dtype: DTypeLike) -> bool:
    """Exactly where entries are integers, else by a probe that allows for rounding."""
    if isinstance(matrix, ExactProduct):
        return matrix.is_symmetric()
    probe = np.random.default_rng(0).standard_normal((matrix.shape[0], 2)).astype(dtype)
    y = matrix.forward(probe)
    left, right = float(probe[:, 0] @ y[:, 1]), float(probe[:, 1] @ y[:, 0])
    size = float(np.linalg.norm(probe[:, 0]) * np.linalg.norm(y[:, 1]))
    return abs(left - right) <= PROBE * size
