"""Mechanisms for ``release`` and references for ``conform``, by name. Listing them imports none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpspectra.mechanisms.catalogue import OFFERED
from dpspectra.mechanisms.mechanism_record import Mechanism

if TYPE_CHECKING:
    from dpspectra.accounting.budget import Budget
    from dpspectra.mechanisms import Release

GOALS = ("pca", "covariance", "low_rank", "spectrum", "subspace")
"""Goals that `dpspectra.advise` knows."""


def release_by(
    record: Mechanism, data: Any, epsilon: float, budget: Budget | None = None, **options: Any
) -> Release[Any]:
    """Return the release of a mechanism on rows, which may be as many as their columns, paid from the budget if any."""
    from dpspectra.mechanisms.private_data import MOMENTS, outside

    given = iter([data]) if record.sums and outside(data).kind != MOMENTS else data
    function = record.function()
    if budget is None:
        return function(given, epsilon=epsilon, **options)
    return budget.release(function, given, epsilon=epsilon, **options)


AUTO = "auto"
AUTO_TEXT = "with --k private_pca, else the second moments with the least noise: by public numbers only"
AUTO_TAKES = ("k", "delta")


def chosen(d: int, epsilon: float, k: int | None, delta: float | None) -> tuple[str, str]:
    """Return the mechanism that ``auto`` stands for, and the reason; it costs no privacy."""
    if k is not None:
        return "private_pca", "directions were asked for by --k"
    from dpspectra.mechanisms.choice import smallest_noise

    return smallest_noise(d, epsilon, delta or 0.0), f"the least noise for d = {d}"


def listed() -> str:
    """Return the mechanisms, one a line, with the options that each needs."""
    lines = [f"  {AUTO:<30}{AUTO_TEXT}{''.join(f', takes --{option}' for option in AUTO_TAKES)}"]
    for name, offer in OFFERED.items():
        needed = "".join(f", needs --{option}" for option in offer.needs)
        taken = "".join(f", takes --{option}" for option in offer.takes)
        lines.append(f"  {name:<30}{offer.text}{needed}{taken}")
    return "\n".join(lines)


REFERENCES = {
    "haar": ("field", "uniform unitary (complex) or orthogonal (real) matrices; input: the dimension"),
    "bingham": ("", "unit vectors of density exp(-v* A v); input: the matrix A"),
    "orbit": ("eigenvalues kappa field [method]", "matrices H of density exp(kappa <M, H>); input: the matrix M"),
    "triangle_noise": ("kind epsilon [delta]", "X'X/n with laplace or normal noise; input: the rows X"),
    "shaped_normal_noise": ("epsilon delta", "X'X/n with normal noise of the best shape; input: the rows X"),
    "tilted_difference": ("epsilon", "X'X/n with a tilted difference of Wishart matrices; input: the rows X"),
    "knorm_noise": ("epsilon", "X'X/n with K-norm noise; input: the rows X"),
    "wishart_difference": ("epsilon", "X'X/n with a difference of two Wishart matrices, not tilted; input: the rows X"),
    "centred_wishart": ("epsilon delta", "X'X/n with centred Wishart noise; input: the rows X"),
    "laplace": ("scale", "x plus Laplace noise; input: a number or an array x"),
    "normal": ("sigma", "x plus normal noise; input: a number or an array x"),
    "uniform": ("width", "x plus uniform noise about 0; input: a number or an array x"),
    "discrete_laplace": ("scale", "x plus Laplace noise on the integers; input: a number or an array x"),
    "discrete_gaussian": ("sigma", "x plus Gaussian noise on the integers; input: a number or an array x"),
    "noisy_spectrum": ("k epsilon", "K largest eigenvalues with Laplace noise; input: the matrix M"),
}
"""Laws in `dpspectra.audit.references` by name: parameters (in brackets those with defaults), and one line."""


def listed_references() -> str:
    """Return the references, one a line, with their parameters."""
    return "\n".join(f"  {' '.join((name, taken)):<40}{text}" for name, (taken, text) in REFERENCES.items())
