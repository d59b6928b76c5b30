"""Mechanisms for ``release`` and references for ``conform``, by name. Listing them imports none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dpspectra as dps

if TYPE_CHECKING:
    from dpspectra.mechanisms import Release


GOALS = ("pca", "covariance", "low_rank", "spectrum", "subspace")
"""Goals that `dpspectra.advise` knows."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A mechanism as the command line calls it."""

    text: str
    """The released value and its claim, in one line."""
    needs: tuple[str, ...]
    """Options it needs besides the rows, epsilon and the norm bound: ``delta``, ``k``."""
    release: Callable[..., Release[Any]]
    """Function of the rows, epsilon and the norm bound, and of what it needs or takes by name."""
    takes: tuple[str, ...] = ()
    """Options that it may have besides."""

    @property
    def known(self) -> tuple[str, ...]:
        """Options that it needs or takes."""
        return self.needs + self.takes


def _scaled_gram(x: Any, bound: float) -> Any:
    """Second moments in float64. A row changes them by ``x x'`` up to rounding only, so claims on them are ideal."""
    return x.T @ x / bound**2


OFFERS = {
    "laplace_covariance": Offer(
        "second moments X'X/n, with Laplace noise; epsilon-DP",
        (),
        lambda x, e, bound: dps.laplace_covariance(x, e, norm_bound=bound),
    ),
    "gaussian_covariance": Offer(
        "second moments X'X/n, with Gaussian noise; (epsilon, delta)-DP",
        ("delta",),
        lambda x, e, bound, delta: dps.gaussian_covariance(x, e, delta, norm_bound=bound),
    ),
    "symmetric_wishart_covariance": Offer(
        "second moments X'X/n, with the difference of two Wishart matrices; epsilon-DP",
        (),
        lambda x, e, bound: dps.symmetric_wishart_covariance(x, e, norm_bound=bound),
    ),
    "knorm_covariance": Offer(
        "second moments X'X/n of at most 6 columns, with K-norm noise; epsilon-DP",
        (),
        lambda x, e, bound: dps.knorm_covariance(x, e, norm_bound=bound),
    ),
    "wishart_covariance": Offer(
        "second moments X'X/n, with centred Wishart noise; (epsilon, delta)-DP",
        ("delta",),
        lambda x, e, bound, delta: dps.wishart_covariance(x, e, delta, norm_bound=bound),
    ),
    "private_mean": Offer(
        "the mean of the rows, with noise of a Gamma distributed length; epsilon-DP",
        (),
        lambda x, e, bound: dps.private_mean(x, e, norm_bound=bound),
    ),
    "private_pca": Offer(
        "K orthonormal leading directions of X'X, from a noisy matrix; epsilon-DP, or (epsilon, delta)-DP",
        ("k",),
        lambda x, e, bound, k, delta=0.0: dps.private_pca(x, k, e, delta, norm_bound=bound),
        ("delta",),
    ),
    "private_spectrum": Offer(
        "K largest eigenvalues of X'X/B^2; epsilon-DP",
        ("k",),
        lambda x, e, bound, k: dps.private_spectrum(_scaled_gram(x, bound), k, e, arithmetic="ideal"),
    ),
    "private_low_rank": Offer(
        "approximation of X'X/B^2 of rank at most K; epsilon-DP",
        ("k",),
        lambda x, e, bound, k: dps.private_low_rank(_scaled_gram(x, bound), k, e, arithmetic="ideal"),
    ),
}
"""Mechanisms by name."""

AUTO = "auto"
AUTO_TEXT = "with --k private_pca, else the second moments with the least noise: by public numbers only"
AUTO_TAKES = ("k", "delta")


def chosen(d: int, epsilon: float, k: int | None, delta: float | None) -> tuple[str, str]:
    """The mechanism that ``auto`` stands for, and the reason; it costs no privacy."""
    if k is not None:
        return "private_pca", "directions were asked for by --k"
    from dpspectra.mechanisms.choice import smallest_noise

    return smallest_noise(d, epsilon, delta or 0.0), f"the least noise for d = {d}"


def listed() -> str:
    """The mechanisms, one a line, with the options that each needs."""
    lines = [f"  {AUTO:<30}{AUTO_TEXT}{''.join(f', takes --{option}' for option in AUTO_TAKES)}"]
    for name, offer in OFFERS.items():
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
    "wishart_difference": ("epsilon", "X'X/n with the difference of two Wishart matrices; input: the rows X"),
    "centred_wishart": ("epsilon delta", "X'X/n with centred Wishart noise; input: the rows X"),
    "noisy_spectrum": ("k epsilon", "K largest eigenvalues with Laplace noise; input: the matrix M"),
}
"""Laws in `dpspectra.audit.references` by name: parameters (in brackets those with defaults), and one line."""


def listed_references() -> str:
    """The references, one a line, with their parameters."""
    return "\n".join(f"  {' '.join((name, taken)):<40}{text}" for name, (taken, text) in REFERENCES.items())
