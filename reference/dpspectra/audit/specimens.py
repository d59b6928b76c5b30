"""Broken mechanisms, exactly as claimed private, for audits to refute. Never release anything with them.

Both add Wishart noise to the second moments of rows in the unit ball. Noise that is positive semidefinite shows one
side: an output that does not exceed the other data set's matrix is impossible under it. The pair that gives most away
replaces the zero row by a unit vector.
"""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.audit.certificates import ROUNDING, impossible_output
from dpspectra.audit.result import BrokenMechanismWarning
from dpspectra.fast import checks
from dpspectra.fast.linalg import adjoint, gram

warnings.warn(
    "dpspectra.audit.specimens holds mechanisms whose privacy claims are refuted (JXZ-T4): for audits only",
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
    scale = 3 / (2 * len(x) * checks.positive(epsilon, "epsilon"))
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
    return _plus_wishart(gram(x), (2 * checks.positive(epsilon, "epsilon")) ** -2, size, rng)


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
