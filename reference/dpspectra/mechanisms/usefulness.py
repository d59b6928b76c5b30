"""Whether a release is of any use: how large noise alone would be, from public numbers, and what stands out from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.mechanisms.claims import Guarantee

if TYPE_CHECKING:
    from dpspectra.fast.spectral_noise import SpectralNoise

MARGIN = 2.0
"""Noise alone exceeds its edge by a share of this times ``d**(-2/3)`` in about one draw of a hundred, or fewer."""


def of_noise(noise: SpectralNoise, largest: float | None) -> dict[str, float]:
    """Details of noise on second moments: the largest eigenvalue of noise alone, and the smallest one that shows.

    ``largest`` is the largest value that any data have; ``None`` where there is none.
    """
    found = {"noise_edge": noise.edge, "visible_from": noise.threshold}
    return found if largest is None else {**found, "largest_possible": largest}


def of_eigenvalues(eigenvalues: NDArray[Any], d: int, edge: float) -> dict[str, Any]:
    """Details of released eigenvalues, descending, of noisy ``(d, d)`` second moments.

    ``strength`` is the last one over the edge of the noise; ``shown`` how many are above the edge and its margin.
    """
    margin = edge * (1 + MARGIN * d ** (-2 / 3))
    return {"strength": float(eigenvalues[-1] / edge), "shown": int(np.sum(eigenvalues > margin))}


def remarks(details: Mapping[str, Any]) -> tuple[str, ...]:
    """Warn of wrong uses of a release, in words, from its details alone."""
    said = []
    guarantee, largest = details.get("guarantee"), details.get("largest_possible")
    if isinstance(guarantee, Guarantee) and largest is not None and guarantee.bound > largest:
        said.append(
            f"the guarantee {guarantee.bound:.3g} exceeds the largest possible value {largest:.3g}: it says nothing"
        )
    values, edge, shown = details.get("eigenvalues"), details.get("noise_edge"), details.get("shown")
    if values is not None and edge is not None and shown is not None and shown < len(values):
        said.append(_hidden(values, int(shown), edge))
    if details.get("cells_shown") == 0:
        said.append(f"no count stands out from noise, which reaches {details['visible_from']:.3g}: all may be noise")
    return tuple(said)


def _hidden(values: NDArray[Any], shown: int, edge: float) -> str:
    k = len(values)
    if shown == k - 1:
        which, verb, whose = f"eigenvalue {k} of {k}, {values[shown]:.3g},", "does", "its direction is"
    else:
        which, verb = f"eigenvalues {shown + 1} to {k} of {k}, {values[shown]:.3g} and less,", "do"
        whose = "their directions are"
    return f"{which} {verb} not stand out from noise, whose edge is {edge:.3g}: {whose} likely noise"
