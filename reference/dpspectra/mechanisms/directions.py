"""Leading directions of second moments with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact
from dpspectra.fast.linalg import eigenvectors
from dpspectra.formulas.leading_part import lost
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.mechanisms.added_noise import AddedNoise, noisy
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.noise_intervals import LEADING
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_eigenvalues, of_noise
from dpspectra.postprocessing import shares

LOST = "lost variance lambda_1 + .. + lambda_k - tr V'AV, {}"


def guarantee_of(eigenvalues: NDArray[Any], k: int, size: float, name: str) -> Guarantee:
    """Bound the variance that ``k`` leading directions of a noisy matrix lose, by its own gap; ``size`` as for `lost`.

    ``name`` says what ``A`` is.
    """
    angles = min(k, len(eigenvalues) - k)
    gap = float(eigenvalues[k - 1] - eigenvalues[k]) if angles else 0.0
    return Guarantee(LOST.format(name), float(lost(size, gap, angles)), CONFIDENCE)


def of_noisy_moments(
    moments: FloatMoments | Exact,
    k: int,
    noise: AddedNoise,
    draw: Source | np.random.Generator,
    claim: Claim,
    name: str,
    known: Mapping[str, Any],
    largest: float | None,
) -> Release[NDArray[np.float64]]:
    """Leading eigenvectors of second moments with noise; ``name`` says of which ``A``, in the guarantee.

    ``largest`` is the largest possible trace of ``A``; ``None`` if there is none.

    The guarantee is that of DPS-TOPPART for the released gap at place ``k``.
    """
    value, details = noisy(moments, noise.law, noise.scale, draw)
    values, vectors = eigenvectors(value)
    size, _ = noise.leading(2 * min(k, moments.width - k), details["scale"])
    guarantee = guarantee_of(values, k, size, name)
    public = {**known, **details, **of_noise(noise.spectral(moments.width, details["scale"]), largest)}
    public |= of_eigenvalues(values[:k], moments.width, public["noise_edge"])
    public |= {"trace": float(np.trace(value)), "explained_ratio": shares(values)[:k]}
    public |= {"eigenvalues": values[:k], "postprocessing": LEADING, "guarantee": guarantee}
    frame: NDArray[np.float64] = np.asarray(vectors[:, :k], dtype=np.float64)
    return Release(frame, claim, public)
