"""The number of rounds of the power method, from public numbers."""

from __future__ import annotations

from dpspectra.formulas import power_convergence
from dpspectra.ground import checks
from dpspectra.mechanisms.power_start_or_resume import width_of


def sufficient_iterations(
    d: int, k: int, *, width: int | None = None, ratio: float, accuracy: float, failure: float = 0.05
) -> int:
    """Return the rounds after which a random start is near its target, from public numbers alone (HP-C1.1).

    To stop when the data look converged would not be private.

    Parameters
    ----------
    d, k, width
        Dimension, rank of the target, and columns carried, twice ``k`` by default.
    ratio
        Public bound on ``sigma_{k+1} / sigma_k``, below 1.
    accuracy
        Bound, below 1/2, on the tangent of the largest angle between the top ``k`` eigenvectors and the subspace.
    failure
        Probability with which it may not hold.

    Returns
    -------
    int
        A number of rounds; it suffices for every larger number too.

    Raises
    ------
    ValueError
        For a number out of its range.

    Notes
    -----
    It holds against any noise of norm at most ``accuracy (sigma_k - sigma_{k+1}) / 5`` whose part in the target is at
    most ``(sigma_k - sigma_{k+1}) / 5 R``. ``R`` bounds the inverse cosine of the start except with probability
    ``failure``. With ``m = width - k + 1`` it is at most ``sqrt(e d) / ((sqrt width - sqrt(k - 1)) failure^(1 / m))``,
    or the root of 1 more than its square if ``d = width + k``.

    Examples
    --------
    >>> sufficient_iterations(1000, 5, ratio=0.5, accuracy=0.1)
    14

    """
    p = width_of(checks.integer(d, "d", 1), k, width)
    if checks.non_negative(ratio, "ratio") >= 1:
        raise ValueError(f"ratio must be below 1, got {ratio!r}")
    if checks.positive(accuracy, "accuracy") >= 0.5:
        raise ValueError(f"accuracy must be below 1/2, got {accuracy!r}")
    radius = power_convergence.start_radius(checks.probability(failure, "failure"), k, p, d)
    return max(1, power_convergence.iterations(radius, accuracy, ratio))
