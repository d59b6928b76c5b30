"""Low-rank approximation of a matrix of rows by finding its range, pruning and projecting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.pruning import prune
from dpspectra.formulas import find_then_project
from dpspectra.formulas.leverage import leverage_sensitivity
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.matrices.kinds import Matrix
from dpspectra.matrices.low_rank import LowRank
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.products import product
from dpspectra.mechanisms.blockwise_sketch import Kept, on_workers, require_kept
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.noisy_products import measured, readable
from dpspectra.mechanisms.private_data import shown
from dpspectra.mechanisms.randomness import Rng, begun, promised
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED, of_products, of_singular_values, singular_edge

ORTHONORMAL = 1e-8
TYPICAL_LEVERAGE = 2.5
"""Guess at the ratio of the largest leverage to the average one, by which ``mu`` is divided between both stages."""
PRODUCTS = ("DPS-TOWARDZERO",)
"""Statements behind exact products of rounded rows with a basis."""
SKETCHES = ("DPS-SHIFTED", *PRODUCTS)
"""Statements behind exact products with a random test matrix, too."""


def randomized_range_finder(A: Matrix, k: int, *, oversampling: int | None = None, rng: checks.Rng = None) -> Array:
    """Return an orthonormal basis of the range of ``A Omega`` (HR-Fig1); not private.

    Parameters
    ----------
    A
        Real ``(m, n)``: an array, a scipy sparse matrix or ``LinearOperator``, or a dask array.
    k
        Rank of the target.
    oversampling
        ``k + 1`` by default. ``Omega`` is ``(n, width)`` standard normal with ``width = k + oversampling``, at most
        ``m``.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    array
        ``(m, width)``. Its expected squared error is at most ``1 + k / (oversampling - 1)`` times the best of rank
        ``k`` (HR-T3.1).

    Raises
    ------
    ValueError
        For ``k`` or ``oversampling`` out of range, and for entries that are not finite real numbers.

    Examples
    --------
    >>> randomized_range_finder(np.eye(8), 2).shape
    (8, 5)

    """
    matrix = product(A)
    width = _width(matrix.shape, k, oversampling)
    return orthonormal(matrix.forward(checks.generator(rng).standard_normal((matrix.shape[1], width))))


def private_range_finder(
    A: Matrix,
    k: int,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    oversampling: int | None = None,
    gather: bool = True,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Any]:
    """Release an orthonormal basis near the range of ``A``; ``(epsilon, delta)``-DP, exactly (HR-Fig2 with HR-L4.1R).

    Parameters
    ----------
    A, k, oversampling
        As in `randomized_range_finder`.
    epsilon, delta
        Privacy loss in nats, above 0, and the probability that approximate privacy allows, between 0 and 1.
    row_change
        Neighbours differ in one row, by a vector of norm at most this (a rating from 1 to 5 changes an entry by up to 4
        or 5).
    gather
        Whether the value comes to the caller. Otherwise ``A`` is a dask array, and so is the value: its blocks lie with
        the rows, and of rows x width nothing is held anywhere. It is computed anew from ``A`` whenever it is read, with
        the same noise, and refuses rows that are no longer the same. It holds the rows and the key of the noise: it is
        released by what it writes (``dask.array.to_npy_stack``, ``to_zarr``), not as a pickle. Certified arithmetic
        only.
    arithmetic
        ``"certified"`` is the default with fresh entropy or a `dpspectra.Entropy`. The entries of ``Omega``, and those
        of ``A`` unless it has a type of integers (a type is taken to be public), are rounded to a grid. ``A Omega`` is
        exact, and ``Y`` is the ideal sum, correctly rounded to a multiple of ``details["step"]``. The noise is larger
        by what this needs: about a relative ``2**-21 sqrt(n)``, and if ``A`` is not of integers at most ``2**-19
        sqrt(n)`` more. ``"ideal"``, or an ``A`` whose entries cannot be read (a ``LinearOperator``), means float64, and
        a claim for ideal real numbers.
    rng
        As in `laplace_covariance`.

    Returns
    -------
    Release
        Its value is the ``(m, width)`` basis of ``Y = A Omega + N``. ``N`` is normal with the smallest standard
        deviation that keeps ``(Omega, Y)`` private: an average over the chi law of what a row of ``Omega`` adds.
        ``details``: ``noise`` (that standard deviation), and ``step`` if the arithmetic is certified.

    Raises
    ------
    ValueError
        For a number out of its range, entries that are not finite, and certified arithmetic where it cannot be.

    Examples
    --------
    >>> private_range_finder(np.eye(8), 2, epsilon=1.0, delta=1e-6).value.shape
    (8, 5)

    """
    plan, source = _planned("private_range_finder", A, epsilon, delta, row_change), readable(A, rng, arithmetic)
    shown(A, lambda shape: _width(shape, k, oversampling))
    require_kept(A, source, gather)
    matrix = measured(A, plan.unit.size, source)
    width = _width(matrix.shape, k, oversampling)
    noise = matrix.sketch_noise(width, plan.epsilon, plan.delta)
    claim = promised(plan, source, get("private_range_finder").labels, SKETCHES)
    draw = begun(source)
    if not gather:
        kept = Kept.of(A, matrix, width, noise, draw)
        basis, claim = kept.dask(), on_workers(claim)
        stated = of_singular_values(kept.singular_values[:k], (matrix.shape[0], width), noise)
    else:
        sketch = matrix.sketch(width, noise, draw)
        stated = of_products(sketch, k, noise)
        basis = orthonormal(sketch, overwrite=True)
    return Release(basis, claim, {"noise": noise, **matrix.grid(noise), **stated})


def private_projection(
    A: Matrix,
    basis: ArrayLike,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[LowRank]:
    """Release ``U (U'A + N)`` for a public ``U``; ``(epsilon, delta)``-DP, exactly (HR-Fig3 with HR-L4.6R).

    Parameters
    ----------
    A, epsilon, delta, row_change, arithmetic, rng
        As in `private_range_finder`.
    basis
        ``U``, real ``(m, k)`` with orthonormal columns that do not depend on the data.

    Returns
    -------
    Release
        Its value is a `LowRank`; in certified arithmetic ``value.right`` is ``U'A + N`` on the grid, for ``U`` cut off
        after 20 binary digits. All entries of ``N`` have one standard deviation, in proportion to the largest norm of a
        row of ``U``, the same for every basis of the span. ``details``: ``noise``; ``expected_square``, the mean of
        ``|U N|_F^2`` (HR-T4.7); and ``step``.

    Raises
    ------
    ValueError
        As `private_range_finder`, and for columns that are not orthonormal.

    Examples
    --------
    >>> release = private_projection(np.eye(8), np.eye(8)[:, :2], epsilon=1.0, delta=1e-6)
    >>> release.value.left.shape, release.value.right.shape
    ((8, 2), (2, 8))

    """
    u = checks.real(basis, "basis")
    plan = _planned("private_projection", A, epsilon, delta, row_change, basis=u)
    source = readable(A, rng, arithmetic)
    shown(A, lambda shape: _require_basis(u, shape[0]))
    matrix = measured(A, plan.unit.size, source)
    m, n = matrix.shape
    _require_basis(u, m)
    assert plan.gdp_mu is not None
    noise = matrix.noise(u, plan.gdp_mu)
    product_of_basis = matrix.project(u, noise, begun(source))
    claim = promised(plan, source, get("private_projection").labels, PRODUCTS)
    details = {"noise": noise, "expected_square": u.shape[1] * n * noise**2, **matrix.grid(noise)}
    details |= {STATED: ("singular values",), "singular_edge": singular_edge(product_of_basis.shape, noise)}
    return Release(LowRank(u, product_of_basis.T), claim, details)


def project_find_prune(
    A: Matrix,
    k: int,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    row_bound: float | None = None,
    share: float | None = None,
    gather: bool = True,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[LowRank]:
    """Release an approximation of ``A`` of rank ``2 k + 1``; ``(epsilon, delta)``-DP (HR-Fig4R with HR-L6.1R).

    First the range ``Q`` is found, then ``B = Q'A + N``. Both stages are accounted in one formula.

    Parameters
    ----------
    A, k, epsilon, delta, row_change, gather, arithmetic, rng
        As in `private_range_finder`; if ``gather`` is false, ``value.left`` stays a dask array, at most 1,023 rows are
        pruned, and ``value.right`` alone comes to the caller.
    row_bound
        Public bound on the norms of rows of ``A``. With it, the rows of ``Q`` with the largest norms are left out of
        the product where that costs less than the noise it saves. They are chosen from ``Q`` and public numbers, so at
        no cost in privacy.
    share
        Share of the parameter ``mu`` of a Gaussian mechanism that goes to the projection. The default minimises the
        expected error for leverages a little above the average.

    Returns
    -------
    Release
        Its value is the `LowRank` ``Q B``, with ``Q`` orthonormal (``value.truncated(k)`` has rank ``k``; also free).
        ``details``: ``range_noise``, ``noise``, ``projection_mu``, ``pruned`` (rows left out), ``largest_leverage``,
        and in certified arithmetic the grids of both stages, ``range_step`` and ``step``.

    Raises
    ------
    ValueError
        As `private_range_finder`.

    Examples
    --------
    >>> release = project_find_prune(np.eye(8), 2, epsilon=1.0, delta=1e-6)
    >>> release.value.left.shape, release.value.truncated(2).right.shape, release.details["pruned"]
    ((8, 5), (2, 8), 0)

    """
    if row_bound is not None:
        checks.positive(row_bound, "row_bound")
    if share is not None:
        checks.probability(share, "share")
    plan = _planned("project_find_prune", A, epsilon, delta, row_change, row_bound=row_bound)
    source = readable(A, rng, arithmetic)
    shown(A, lambda shape: _width(shape, k, None))
    require_kept(A, source, gather)
    matrix = measured(A, plan.unit.size, source)
    (m, n), width = matrix.shape, _width(matrix.shape, k, None)
    privacy = plan.epsilon, plan.delta
    whole = mu_for(*privacy)
    mu = whole * (_best_share(m, n, width, whole, *privacy) if share is None else float(share))
    range_noise = matrix.sketch_noise(width, *privacy, mu)
    row_norm = None if row_bound is None else float(row_bound) / plan.unit.size
    claim = promised(plan, source, get("project_find_prune").labels, SKETCHES)
    draw = begun(source)
    if not gather:
        value, found = Kept.of(A, matrix, width, range_noise, draw).projected(mu, row_norm, draw)
        claim = on_workers(claim)
    else:
        q = orthonormal(matrix.sketch(width, range_noise, draw), overwrite=True)
        kept = prune(q, n, mu, row_norm)
        noise = matrix.noise(kept, mu)
        value = LowRank(q, matrix.project(kept, noise, draw).T)
        pruned = int(np.count_nonzero(~np.any(kept, axis=1) & np.any(q, axis=1)))
        found = {"noise": noise, "pruned": pruned, "largest_leverage": leverage_sensitivity(kept) ** 2}
    details = {
        "range_noise": range_noise,
        "projection_mu": mu,
        **found,
        **matrix.grid(range_noise, "range_step"),
        **matrix.grid(found["noise"]),
        **of_products(value.right.T, k, found["noise"]),
    }
    return Release(value, claim, details)


def _planned(name: str, A: Matrix, epsilon: float, delta: float, row_change: float, **known: Any) -> Claim:
    """Return the claim on a change of one row by at most ``row_change``."""
    return get(name).planned(A=A, epsilon=epsilon, delta=delta, row_change=row_change, **known)


def _require_basis(u: NDArray[Any], m: int) -> None:
    if u.ndim != 2 or len(u) != m or not 1 <= u.shape[1] <= m:
        raise ValueError(f"basis must have shape ({m}, k) with 1 <= k <= {m} for this A, got {u.shape}")
    if not np.max(np.abs(u.T @ u - np.eye(u.shape[1]))) <= ORTHONORMAL:
        raise ValueError("basis must have orthonormal columns, got others: take numpy.linalg.qr(basis)[0]")


def _width(shape: tuple[int, int], k: int, oversampling: int | None) -> int:
    """Return the width of the sketch."""
    checks.integer(k, "k", 1, min(shape))
    more = k + 1 if oversampling is None else checks.integer(oversampling, "oversampling", 0)
    return min(k + more, shape[0])


def _best_share(m: int, n: int, width: int, whole: float, epsilon: float, delta: float) -> float:
    """Share of ``mu`` for the projection that minimises a bound on the expected squared error, from sizes alone."""
    leverage_guess = min(1.0, TYPICAL_LEVERAGE * width / m)

    def cost(part: float) -> float:
        noise = find_then_project.noise_scale(width, epsilon, delta, part * whole)
        return (m + 1) * noise**2 + width * n * leverage_guess / (part * whole) ** 2

    return float(minimize_scalar(cost, bounds=(0.05, 0.99), method="bounded", options={"xatol": 1e-3}).x)
