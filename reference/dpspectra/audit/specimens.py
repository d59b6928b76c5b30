"""Broken mechanisms, exactly as claimed private, for audits to refute. Never release anything with them.

Each docstring says what is claimed, why it is wrong, and where. `dpspectra.audit.refuted_claims` has a pair of data
sets for each that shows it. Noise here is drawn for the claim as printed, so what fails is the claim and not the draw.
All mechanisms take ``size`` (then outputs have a leading axis) and ``rng``, and raise ``ValueError`` for bad input.

The last part holds samplers whose law is not what it should be, for `dpspectra.audit.conforms`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import sampling
from dpspectra.audit.not_psd import ROUNDING, impossible_output
from dpspectra.audit.result import BrokenMechanismWarning
from dpspectra.fast import noisy_sketch_profile
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.linalg import adjoint, eigenvalues, eigenvectors, gram, mirror
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.lemmas.privacy.gaussian_mechanism import standard_deviation
from dpspectra.lemmas.privacy.projection import printed_scale

warnings.warn(
    "dpspectra.audit.specimens holds mechanisms whose privacy claims are refuted (JXZ-T4 and others): for audits only",
    BrokenMechanismWarning,
    stacklevel=2,
)


def wishart_one_sided(X: ArrayLike, epsilon: float, *, size: int | None = None, rng: Any = None) -> NDArray[np.float64]:
    """``X'X / n`` plus Wishart noise of ``d + 1`` degrees of freedom and scale ``3 / (2 n epsilon)``.

    Claimed (JXZ-T4): ``epsilon``-private when one row is replaced. Exactly: ``(e, delta)``-private if and only if
    ``delta >= 1 - exp(-epsilon / 3)``, for every ``e >= 0``, ``n`` and ``d``; so private for no ``e`` at ``delta = 0``.

    ``X`` is ``(n, d)`` with rows of norm at most 1. Returns ``(d, d)`` or ``(size, d, d)``. Raises ``ValueError`` for
    bad input.
    """
    x = checks.rows(X, 1.0)
    scale = 3 / (2 * len(x) * checks.epsilon(epsilon))
    return _plus_wishart(gram(x) / len(x), scale, size, rng)


def wishart_deviation_for_variance(
    X: ArrayLike, epsilon: float, *, size: int | None = None, rng: Any = None
) -> NDArray[np.float64]:
    """``X'X`` plus Wishart noise of ``d + 1`` degrees of freedom and scale ``1 / (2 epsilon)^2``.

    A library's variant (diffprivlib 0.2.0 to 0.4.1, removed since): the scale ``1 / (2 epsilon)`` of its design was
    used as the standard deviation of the Gaussian vectors instead of their variance. Claimed: ``epsilon``-private.
    Exactly, on the pair of a zero and a unit row: ``delta = 1 - exp(-2 epsilon^2)`` for every ``e``, where the design
    has ``1 - exp(-epsilon)``. Arguments and errors as in `wishart_one_sided`.
    """
    x = checks.rows(X, 1.0)
    return _plus_wishart(gram(x), (2 * checks.epsilon(epsilon)) ** -2, size, rng)


def wishart_support(output: ArrayLike, data: ArrayLike, *, divided: bool = True) -> dict[str, Any] | None:
    """Certificate that ``output`` is impossible on ``data``, or ``None``: noise of a Wishart law is never negative.

    The matrix of the data is ``X'X / n``, or ``X'X`` if not ``divided``; the certificate takes its exact value.
    """
    x, k = checks.rows(data, 1.0), checks.hermitian(output, "output")
    n = len(x) if divided else 1
    shift = gram(x) / n
    if np.linalg.eigvalsh(k - shift)[0] > -ROUNDING * np.max(np.abs(k)):  # the certificate would demand more
        return None
    exact = np.array([[Fraction(v) for v in row] for row in x], dtype=object)
    return impossible_output(k, exact.T @ exact / n)


def _plus_wishart(a: NDArray[Any], scale: float, size: int | None, rng: Any) -> NDArray[np.float64]:
    count, d = 1 if size is None else checks.integer(size, "size", 0), len(a)
    g = checks.generator(rng).standard_normal((count, d, d + 1))
    out = a + scale * (g @ adjoint(g))
    return out[0] if size is None else out


def classical_gaussian(x: float, epsilon: float, delta: float, *, size: int | None = None, rng: Any = None) -> Any:
    """Add normal noise of standard deviation ``sqrt(2 log(1.25 / delta)) / epsilon`` to a number.

    Claimed (HR-T2.6, HR-TA.1): ``(epsilon, delta)``-private for numbers that differ by at most 1. True for
    ``epsilon <= 15/4``; printed without that limit, and false for large ``epsilon``, where the tail bound behind the
    formula no longer covers the shift of the loss.
    """
    sigma = standard_deviation(1.0, checks.epsilon(epsilon), checks.probability(delta, "delta"))
    return x + checks.generator(rng).normal(scale=sigma, size=size)


def entry_by_entry_laplace(X: ArrayLike, epsilon: float, *, size: int | None = None, rng: Any = None) -> Array:
    """``X'X / n`` plus Laplace noise of scale ``1 / (n epsilon)`` on and above the diagonal.

    Claimed: ``epsilon``-private when one row of the unit ball is replaced, because no entry moves by more than
    ``1 / n``. Wrong because all entries are released: losses add up over them, as in any ``k``-fold release with the
    noise of one. The whole triangle moves by up to ``S / n``, ``S`` about ``d / sqrt 2`` (JXZ-L2-X), and the loss is
    ``S epsilon``.
    """
    x = checks.rows(X, 1.0)
    n, d = x.shape
    scale = 1 / (n * checks.epsilon(epsilon))
    noise = checks.generator(rng).laplace(scale=scale, size=(_count(size), d * (d + 1) // 2))
    return _unstacked(gram(x) / n + mirror(noise, d), size)


def low_rank_with_private_temperature(
    M: ArrayLike, k: int, epsilon: float, *, size: int | None = None, rng: Any = None
) -> Array:
    """Noisy eigenvalues, then a draw from their orbit with density ``exp(epsilon <M, H> / (8 lambda_1(M)))``.

    Claimed (MWKTV-A2 as printed): ``epsilon``-private for ``M = X'X`` when one row of the unit ball is replaced. Wrong
    because ``lambda_1(M)`` stands where the largest *released* eigenvalue should: where that exceeds ``lambda_1`` by
    its noise, the loss of the second stage exceeds its share by as much, without bound. Released eigenvalues that are
    not clipped at 0, another flaw, are kept as well.
    """
    m, generator = checks.hermitian(M, "M"), checks.generator(rng)
    values = checks.non_negative_spectrum(m, eigenvalues(m), "M")
    kappa = checks.epsilon(epsilon) / (8 * checks.positive(float(values[0]), "the largest eigenvalue of M"))
    noisy = np.zeros((_count(size), len(m)))
    noisy[:, :k] = values[:k] + generator.laplace(scale=4 / epsilon, size=(_count(size), k))
    spectra = -np.sort(-noisy, axis=1)
    return _unstacked(np.stack([sampling.orbit(m, s, kappa, field="complex", rng=generator) for s in spectra]), size)


def covariance_without_clipping(
    X: ArrayLike, epsilon: float, delta: float, *, size: int | None = None, rng: Any = None
) -> Array:
    """``X'X / n`` plus normal noise that is enough for rows of norm at most 1, whatever their norms are.

    Claimed: ``(epsilon, delta)``-private when one row is replaced. Wrong because nothing makes the rows so short: the
    noise does not grow with a row, its effect does (the norm bound that JXZ-L2 assumes).
    """
    x = np.atleast_2d(np.asarray(X, dtype=float))
    sigma = math.sqrt(2) / (len(x) * mu_for(epsilon, delta))
    return _with_normal_noise(gram(x) / len(x), sigma, size, checks.generator(rng))


def moments_clipped_once(
    X: ArrayLike, epsilon: float, delta: float, *, size: int | None = None, rng: Any = None
) -> tuple[Array, Array]:
    """Sum of the rows and sum of their squares ``X'X``, with normal noise for rows of norm at most 1.

    Claimed: ``(epsilon, delta)``-private when one row is replaced, as rows are clipped to the unit ball. Wrong because
    only the first sum is made from the clipped rows: the second still uses the rows as they came.
    """
    x, generator = np.atleast_2d(np.asarray(X, dtype=float)), checks.generator(rng)
    clipped = x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1.0)
    mu = mu_for(epsilon, delta) / math.sqrt(2)  # half of mu squared for each
    first = _with_normal_noise(clipped.sum(axis=0), 2 / mu, size, generator)
    return first, _with_normal_noise(gram(x), math.sqrt(2) / mu, size, generator)


def pruned_by_the_data(
    A: ArrayLike, width: int, epsilon: float, delta: float, *, size: int | None = None, rng: Any = None
) -> Array:
    """Find a range, zero the entries of its basis above ``alpha``, project, and return basis times projection.

    Claimed (HR-Fig4 as printed, HR-T6.2): ``(epsilon, delta)``-private when a row of ``A`` moves by at most 1. Both
    stages are, with the printed noise and half of epsilon and delta each. Wrong because the level ``alpha`` that
    balances pruning against noise is a function of the largest row of ``A`` itself, so the pruned entries reveal that
    row.
    """
    a, generator = np.atleast_2d(np.asarray(A, dtype=float)), checks.generator(rng)
    (m, n), count = a.shape, _count(size)
    noise, rho = (
        noisy_sketch_profile.noise_for(epsilon / 2, delta / 2, width),
        printed_scale(width, epsilon / 2, delta / 2),
    )
    alpha = math.sqrt(np.max(np.linalg.norm(a, axis=1)) / (rho * math.sqrt(n)))
    omega = generator.normal(size=(count, n, width))
    basis = np.linalg.qr(a @ omega + noise * generator.normal(size=(count, m, width)))[0]
    pruned = np.where(np.abs(basis) > alpha, 0.0, basis)
    scale = rho * np.max(np.abs(pruned), axis=1)
    projected = adjoint(pruned) @ a + scale[..., None] * generator.normal(size=(count, basis.shape[2], n))
    return _unstacked(pruned @ projected, size)


def power_method(
    A: ArrayLike,
    epsilon: float,
    delta: float,
    *,
    start: ArrayLike,
    rounds: int = 1,
    size: int | None = None,
    rng: Any = None,
) -> Array:
    """Return the last ``Y`` of rounds ``Y = A X + max|X| sigma N``, ``X`` the orthonormalised ``Y`` before.

    ``sigma = sqrt(4 p L log(1/delta)) / epsilon`` for ``start`` of shape ``(d, p)`` and ``L`` rounds. Claimed (HP-K4.2
    as printed): ``(epsilon, delta)``-private when one entry of ``A`` moves by at most 1. Wrong for large ``epsilon``,
    first when ``A`` stays symmetric, as two entries then move. ``start`` may have a leading axis of ``size``.
    """
    a, x, generator = checks.hermitian(A, "A"), np.asarray(start, dtype=float), checks.generator(rng)
    (d, p), count = x.shape[-2:], _count(size)
    sigma = math.sqrt(4 * p * rounds * math.log(1 / delta)) / epsilon
    y = x
    for step in range(rounds):
        x = _orthonormal(y) if step else x
        scale = sigma * np.max(np.abs(x), axis=(-2, -1), keepdims=True)
        y = a @ x + scale * generator.normal(size=(count, d, p))
    return _unstacked(y, size)


def power_method_signs(x: ArrayLike, *, size: int, rng: Any = None) -> Array:
    """Whether the first iterate from a random start agrees in sign along both eigenvectors of a ``(2, 2)`` matrix.

    Claimed (HP-L4.13, from HP-L4.12): all sign patterns are equally likely, so a fair coin, `fair_coin`. This is wrong
    for the printed noise: it scales with the largest entry of the iterate, which depends on the coordinate axes. It is
    right for noise of a fixed scale. For eigenvectors turned by 22.5 degrees and eigenvalues 1 and 0.3 at
    ``sigma = 1/2``, it agrees with probability 0.49576.
    """
    a, generator = checks.hermitian(x, "x"), checks.generator(rng)
    start = _orthonormal(generator.normal(size=(size, 2, 1)))
    epsilon, delta = 4.0, math.exp(-1.0)  # sigma = 1/2
    y = power_method(a, epsilon, delta, start=start, size=size, rng=generator)[..., 0]
    along = y @ eigenvectors(a)[1]
    return (along[:, 0] * along[:, 1] > 0).astype(float)


def fair_coin(x: Any, *, size: int, rng: Any = None) -> Array:
    """0 or 1 with equal probability, whatever ``x``."""
    return checks.generator(rng).integers(0, 2, size).astype(float)


def bingham_inverted(A: ArrayLike, *, size: int, rng: Any = None) -> Array:
    """Real unit vectors claimed to have density ``exp(-v'A v)``: the power of the envelope has the wrong sign.

    A printed acceptance rule multiplies by ``(1 + s/b)^(-d/2)`` where the envelope should be divided out.
    """
    return _bingham(A, size, rng, lambda s, b, q: -s - q * np.log1p(s / b))


def bingham_always_accepting(A: ArrayLike, *, size: int, rng: Any = None) -> Array:
    """Real unit vectors claimed to have density ``exp(-v'A v)``: every proposal is kept.

    The ratio is computed and never compared with a uniform number.
    """
    return _bingham(A, size, rng, lambda s, b, q: np.zeros_like(s))


def _bingham(A: ArrayLike, size: int, rng: Any, log_acceptance: Callable[[Array, float, float], Array]) -> Array:
    values, vectors = eigenvectors(checks.hermitian(A, "A"))
    a, q, generator = values - values[-1], len(values) / 2, checks.generator(rng)
    b = max(0.5, q - float(a[0]) / 2)
    kept = np.empty((0, len(a)))
    while len(kept) < size:
        v = generator.normal(size=(2 * size, len(a))) / np.sqrt(1 + a / b)
        v /= np.linalg.norm(v, axis=1, keepdims=True)
        accepted = np.log(generator.random(2 * size)) < log_acceptance(v**2 @ a, b, q)
        kept = np.concatenate([kept, v[accepted]])
    return kept[:size] @ vectors.T


def _count(size: int | None) -> int:
    return 1 if size is None else checks.integer(size, "size", 0)


def _unstacked(draws: Array, size: int | None) -> Array:
    return draws[0] if size is None else draws


def _with_normal_noise(centre: Array, sigma: float, size: int | None, rng: np.random.Generator) -> Array:
    """Add normal noise; on a matrix, the same above and below the diagonal."""
    d = len(centre)
    if centre.ndim == 1:
        return _unstacked(centre + rng.normal(scale=sigma, size=(_count(size), d)), size)
    return _unstacked(centre + mirror(rng.normal(scale=sigma, size=(_count(size), d * (d + 1) // 2)), d), size)


def _orthonormal(y: Array) -> Array:
    """Gram-Schmidt: the diagonal of ``R`` is positive."""
    q, r = np.linalg.qr(y)
    return np.asarray(q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[..., None, :])
