"""Low-rank approximation of a matrix of rows by finding its range, pruning and projecting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from dpspectra import checks
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.pruning import prune
from dpspectra.lemmas.privacy import find_then_project
from dpspectra.lemmas.range_finding import exact_privacy
from dpspectra.lemmas.sensitivity import leverage
from dpspectra.matrices.kinds import Matrix
from dpspectra.matrices.low_rank import LowRank
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.matrices.products import Product, product
from dpspectra.mechanisms.release import Claim, Release, noise_source
from dpspectra.relations import Relation

ORTHONORMAL = 1e-8
TYPICAL_LEVERAGE = 2.5
"""Guess at the ratio of the largest leverage to the average one, by which ``mu`` is divided between both stages."""
COLUMNS = 2**14
"""Columns of noise that are drawn at a time."""

Block = NDArray[Any]


def randomized_range_finder(A: Matrix, k: int, *, oversampling: int | None = None, rng: checks.Rng = None) -> Block:
    """Orthonormal basis of the range of ``A Omega`` (HR-Fig1); not private.

    ``A`` is real ``(m, n)``: an array, a scipy sparse matrix or ``LinearOperator``, or a dask array; ``Omega`` is
    ``(n, width)`` standard normal with ``width = k + oversampling``, at most ``m``, and ``oversampling = k + 1`` by
    default. Returns ``(m, width)``. The expected squared error is at most ``1 + k / (oversampling - 1)`` times the best
    of rank ``k`` (HR-T3.1). Raises ``ValueError`` for bad input.
    """
    matrix, width = _read(A, k, oversampling)
    return orthonormal(matrix.forward(checks.generator(rng).standard_normal((matrix.shape[1], width))))


def private_range_finder(
    A: Matrix,
    k: int,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    oversampling: int | None = None,
    rng: checks.Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release an orthonormal basis near the range of ``A``; ``(epsilon, delta)``-DP, exactly (HR-Fig2 with HR-L4.1R).

    ``A``, ``k`` and ``oversampling`` as in `randomized_range_finder`. Neighbours differ in one row, by a vector of norm
    at most ``row_change`` (a rating from 1 to 5 changes an entry by up to 4 or 5). The value is the ``(m, width)``
    basis of ``A Omega + N``, ``N`` normal with the smallest standard deviation that keeps ``(Omega, A Omega + N)``
    private: an average over the chi law of what a row of ``Omega`` adds.

    ``details``: ``noise`` (that standard deviation). Raises ``ValueError`` for bad input.
    """
    privacy = _privacy(epsilon, delta, row_change)
    matrix, width = _read(A, k, oversampling)
    noise = row_change * exact_privacy.noise_scale(width, *privacy)
    basis = _noisy_range(matrix, width, noise, noise_source(rng))
    return Release(basis, Claim(Relation.ROW, *privacy, labels=("HR-L4.1R",)), {"noise": noise})


def private_projection(
    A: Matrix, basis: ArrayLike, epsilon: float, delta: float, *, row_change: float = 1.0, rng: checks.Rng = None
) -> Release[LowRank]:
    """Release ``U (U'A + N)`` for a public ``U``; ``(epsilon, delta)``-DP, exactly (HR-Fig3 with HR-L4.6R).

    ``A`` and ``row_change`` as in `private_range_finder`; ``basis`` is real ``(m, k)`` with orthonormal columns that do
    not depend on the data. All entries of ``N`` have one standard deviation, in proportion to the largest norm of a row
    of ``U``: it is the same for every basis of the span. The value is a `LowRank`; ``details``: ``noise``, ``gdp_mu``,
    and ``expected_square``, the mean of ``|U N|_F^2`` (HR-T4.7). Raises ``ValueError`` for bad input.
    """
    privacy = _privacy(epsilon, delta, row_change)
    matrix, u = product(A), checks.plain(basis, "basis").astype(float)
    m, n = matrix.shape
    if u.ndim != 2 or len(u) != m or not 1 <= u.shape[1] <= m:
        raise ValueError(f"basis must have shape ({m}, k) with 1 <= k <= {m}, got {u.shape}")
    if not np.max(np.abs(u.T @ u - np.eye(u.shape[1]))) <= ORTHONORMAL:
        raise ValueError("basis must have orthonormal columns, got columns that are not")
    mu = mu_for(*privacy)
    noise = row_change * leverage.gdp_mu(u, np.ones(u.shape[1])) / mu
    value = _projected(matrix, u, u, noise, noise_source(rng))
    claim = Claim(Relation.ROW, *privacy, gdp_mu=mu, labels=("HR-L4.6R",))
    return Release(value, claim, {"noise": noise, "expected_square": u.shape[1] * n * noise**2})


def project_find_prune(
    A: Matrix,
    k: int,
    epsilon: float,
    delta: float,
    *,
    row_change: float = 1.0,
    row_bound: float | None = None,
    share: float | None = None,
    rng: checks.Rng = None,
) -> Release[LowRank]:
    """Release an approximation of ``A`` of rank ``2 k + 1``; ``(epsilon, delta)``-DP (HR-Fig4R with HR-L6.1R).

    ``A`` and ``row_change`` as in `private_range_finder`. First the range ``Q`` is found, then ``B = Q'A + N``. If a
    public ``row_bound`` on the norms of rows of ``A`` is given, the rows of ``Q`` with the largest norms are left out
    of the product where that costs less than the noise it saves: chosen from ``Q`` and public numbers, so at no cost in
    privacy. ``share`` of the parameter ``mu`` of a Gaussian mechanism goes to the projection; by default what minimises
    the expected error for leverages a little above the average. Both stages are accounted in one formula.

    The value is the `LowRank` ``Q B``, with ``Q`` orthonormal (``value.truncated(k)`` has rank ``k``; also free).
    ``details``: ``range_noise``, ``noise``, ``projection_mu``, ``pruned`` (rows left out), ``largest_leverage``. Raises
    ``ValueError`` for bad input.
    """
    privacy = _privacy(epsilon, delta, row_change)
    if row_bound is not None:
        checks.positive(row_bound, "row_bound")
    matrix, width = _read(A, k, None)
    m, n = matrix.shape
    whole = mu_for(*privacy)
    part = _best_share(m, n, width, whole, *privacy) if share is None else checks.probability(share, "share")
    mu = part * whole
    range_noise = row_change * find_then_project.noise_scale(width, *privacy, mu)
    generator = noise_source(rng)
    q = _noisy_range(matrix, width, range_noise, generator)
    measured = prune(q, n, mu, None if row_bound is None else row_bound / row_change)
    sensitivity = leverage.gdp_mu(measured, np.ones(width))
    value = _projected(matrix, q, measured, row_change * sensitivity / mu, generator)
    claim = Claim(Relation.ROW, *privacy, labels=("HR-L6.1R", "HR-L4.6R"))
    details = {
        "range_noise": range_noise,
        "noise": row_change * sensitivity / mu,
        "projection_mu": mu,
        "pruned": int(np.count_nonzero(~np.any(measured, axis=1) & np.any(q, axis=1))),
        "largest_leverage": sensitivity**2,
    }
    return Release(value, claim, details)


def randomized_response_low_rank(
    A: ArrayLike, k: int, epsilon: float, delta: float, *, row_change: float = 1.0, rng: checks.Rng = None
) -> Release[LowRank]:
    """Release the best approximation of rank ``k`` of ``A`` plus normal noise; ``(epsilon, delta)``-DP, exactly.

    The baseline: every entry of the dense ``(m, n)`` ``A`` gets noise (HR-T2.6R). ``row_change`` as in
    `private_range_finder`. The value is a `LowRank`; ``details``: ``noise``. Raises ``ValueError`` for bad input.
    """
    privacy = _privacy(epsilon, delta, row_change)
    matrix, _ = _read(A, k, 0)
    mu = mu_for(*privacy)
    noise = row_change / mu
    noisy = matrix.forward(np.eye(matrix.shape[1])) + noise_source(rng).normal(scale=noise, size=matrix.shape)
    left, values, right = np.linalg.svd(noisy, full_matrices=False)
    value = LowRank(left[:, :k], values[:k, None] * right[:k])
    claim = Claim(Relation.ROW, *privacy, gdp_mu=mu, labels=("HR-T2.6R",))
    return Release(value, claim, {"noise": noise})


def _privacy(epsilon: float, delta: float, row_change: float) -> tuple[float, float]:
    checks.positive(row_change, "row_change")
    return float(checks.positive(epsilon, "epsilon")), float(checks.probability(delta, "delta"))


def _read(a: Matrix, k: int, oversampling: int | None) -> tuple[Product, int]:
    """The matrix, and the width of its sketch."""
    matrix = product(a)
    checks.integer(k, "k", 1, min(matrix.shape))
    more = k + 1 if oversampling is None else checks.integer(oversampling, "oversampling", 0)
    return matrix, min(k + more, matrix.shape[0])


def _noisy_range(matrix: Product, width: int, noise: float, rng: np.random.Generator) -> Block:
    m, n = matrix.shape
    y = matrix.forward(rng.standard_normal((n, width)))
    return orthonormal(y + noise * rng.standard_normal((m, width)))


def _projected(matrix: Product, basis: Block, measured: Block, noise: float, rng: np.random.Generator) -> LowRank:
    """``basis (measured' A + N)``, the noise drawn a few columns at a time."""
    columns = matrix.backward(measured)
    for start in range(0, len(columns), COLUMNS):
        block = columns[start : start + COLUMNS]
        block += noise * rng.standard_normal(block.shape)
    return LowRank(basis, columns.T)


def _best_share(m: int, n: int, width: int, whole: float, epsilon: float, delta: float) -> float:
    """Share of ``mu`` for the projection that minimises a bound on the expected squared error, from sizes alone."""
    leverage_guess = min(1.0, TYPICAL_LEVERAGE * width / m)

    def cost(part: float) -> float:
        noise = find_then_project.noise_scale(width, epsilon, delta, part * whole)
        return (m + 1) * noise**2 + width * n * leverage_guess / (part * whole) ** 2

    return float(minimize_scalar(cost, bounds=(0.05, 0.99), method="bounded", options={"xatol": 1e-3}).x)
