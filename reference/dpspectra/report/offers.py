"""The mechanisms that the command ``release`` offers. Listing them imports none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dpspectra as dps

if TYPE_CHECKING:
    from dpspectra.mechanisms import Release


@dataclass(frozen=True, slots=True)
class Offer:
    """A mechanism as the command line calls it."""

    text: str
    """What is released and which claim it carries, in one line."""
    needs: tuple[str, ...]
    """Options it needs besides the rows, epsilon and the norm bound: ``delta``, ``k``."""
    release: Callable[..., Release[Any]]
    """Function of the rows, epsilon and the norm bound, and of what it needs by name."""


def _scaled_gram(x: Any, bound: float) -> Any:
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
    "wishart_covariance": Offer(
        "second moments X'X/n, with centred Wishart noise; (epsilon, delta)-DP",
        ("delta",),
        lambda x, e, bound, delta: dps.wishart_covariance(x, e, delta, norm_bound=bound),
    ),
    "private_pca": Offer(
        "K orthonormal leading directions of X'X; epsilon-DP",
        ("k",),
        lambda x, e, bound, k: dps.private_pca(x, k, e, norm_bound=bound),
    ),
    "private_spectrum": Offer(
        "K largest eigenvalues of X'X/B^2; epsilon-DP",
        ("k",),
        lambda x, e, bound, k: dps.private_spectrum(_scaled_gram(x, bound), k, e),
    ),
    "private_low_rank": Offer(
        "approximation of X'X/B^2 of rank at most K; epsilon-DP",
        ("k",),
        lambda x, e, bound, k: dps.private_low_rank(_scaled_gram(x, bound), k, e),
    ),
}
"""Mechanisms by name."""


def listed() -> str:
    """The mechanisms, one a line, with the options that each needs."""
    lines = []
    for name, offer in OFFERS.items():
        needed = "".join(f", needs --{option}" for option in offer.needs)
        lines.append(f"  {name:<30}{offer.text}{needed}")
    return "\n".join(lines)
