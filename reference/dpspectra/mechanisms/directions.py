"""Leading directions of second moments with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact
from dpspectra.fast.leading import leading_eigenvectors
from dpspectra.fast.linalg import eigenvalues
from dpspectra.formulas.leading_part import lost
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.mechanisms.added_noise import AddedNoise, noisy
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.noise_intervals import LEADING
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_directions, of_noise, with_rows
from dpspectra.postprocessing import shares

LOST = "variance lost against the best directions: lambda_1 + .. + lambda_k - tr V'AV, {}"


def guarantee_of(eigenvalues: NDArray[Any], k: int, d: int, size: float, name: str) -> Guarantee:
    """Bound the variance that ``k`` leading directions of a noisy matrix lose, by its own gap; ``size`` as for `lost`.

    ``name`` says what ``A`` is.
    """
    angles = min(k, d - k)
    gap = float(eigenvalues[k - 1] - eigenvalues[k]) if angles else 0.0
    return Guarantee(LOST.format(name), float(lost(size, gap, angles)), CONFIDENCE)


def _ratio(matrix: NDArray[Any], leading: NDArray[Any], trace: float) -> NDArray[np.float64]:
    """Shares of leading eigenvalues in the trace; all of them are computed where the leading ones do not tell."""
    found = shares(leading, trace)
    return found if len(leading) == len(matrix) or found[-1] == 0 else shares(eigenvalues(matrix))


def of_noisy_moments(
    moments: FloatMoments | Exact,
    k: int,
    noise: AddedNoise,
    draw: Source | np.random.Generator,
    claim: Claim,
    name: str,
    known: Mapping[str, Any],
    largest: float | None,
    center: str = "none",
) -> Release[NDArray[np.float64]]:
    """Leading eigenvectors of second moments with noise; ``name`` says of which ``A``, in the guarantee.

    ``largest`` is the largest possible trace of ``A``; ``None`` if there is none. Rows ``y`` about a mean with noise
    as long as ``l`` are ``y / sqrt(|y|^2 + l^2)``, so that what their trace lacks of 1 is the mean of ``l^2 / (|y|^2 +
    l^2)``: the noise of the mean displaces ``A`` by one of rank one that is hardly ever above twice that.

    The guarantee is that of DPS-TOPPART for the released gap at place ``k``.
    """
    value, details = noisy(moments, noise.law, noise.scale, draw)
    d, trace = moments.width, float(np.trace(value))
    values, vectors = leading_eigenvectors(value, min(k + 1, d))
    size, _ = noise.leading(2 * min(k, d - k), details["scale"])
    guarantee = guarantee_of(values, k, d, size, name)
    displaced = 2 * min(max(1 - trace, 0.0), 0.5) if center == "mean" else 0.0
    public = {**known, **details, **of_noise(noise.spectral(d, details["scale"]), d, largest, displaced)}
    public |= of_directions(values, k, d, public["noise_edge"]) | with_rows(claim, moments.count)
    public |= {"trace": trace, "explained_ratio": _ratio(value, values, trace)[:k]}
    public |= {"postprocessing": LEADING, "guarantee": guarantee}
    public |= {"paired_rows": moments.count} if center == "pairs" else {}
    frame: NDArray[np.float64] = np.asarray(vectors[:, :k], dtype=np.float64)
    return Release(frame, claim, public)
