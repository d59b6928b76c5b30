"""The leading eigenvalues of a covariance, released with Laplace noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import checks
from dpspectra.fast.linalg import eigenvalues
from dpspectra.lemmas.privacy.spectrum_release import radius, scale
from dpspectra.mechanisms.release import CONFIDENCE, Claim, Guarantee, Release, noise_source
from dpspectra.relations import Relation, among


def private_spectrum(
    M: ArrayLike, k: int, epsilon: float, *, relation: str = "replace", rng: checks.Rng = None
) -> Release[NDArray[np.float64]]:
    """Release the ``k`` largest eigenvalues of ``M``, descending and non-negative; ``epsilon``-DP (MWKTV-T7.1).

    ``M`` is PSD ``(d, d)``: the sum of ``x x*`` over the people, each of norm at most 1, which is what the claim needs
    and cannot be checked here. ``relation`` is ``"replace"`` (one ``x`` changes) or ``"add_remove"``. Laplace noise of
    scale ``2/epsilon`` (``1/epsilon``) on each value; sorting and clipping at 0 come after the noise.

    ``details``: ``scale`` of the noise, ``guarantee`` on the largest error. Raises ``ValueError`` for bad input.
    """
    m = checks.hermitian(M, "M")
    checks.integer(k, "k", 1, len(m))
    relation = among(relation, (Relation.REPLACE, Relation.ADD_REMOVE))
    checks.positive(epsilon, "epsilon")
    values = checks.non_negative_spectrum(m, eigenvalues(m), "M")
    value = noisy_spectrum(values[:k], epsilon, relation, noise_source(rng))
    guarantee = Guarantee(
        "largest error of an eigenvalue", float(radius(k, epsilon, 1 - CONFIDENCE, relation)), CONFIDENCE
    )
    claim = Claim(relation, float(epsilon), labels=("MWKTV-T7.1", "MWKTV-E20", "JXZ-T1"))
    return Release(value, claim, {"scale": scale(epsilon, relation), "guarantee": guarantee})


def noisy_spectrum(top: NDArray[Any], epsilon: float, relation: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise on a spectrum, then clipping at 0 and sorting. Checks nothing."""
    noisy = top + rng.laplace(scale=scale(epsilon, relation), size=len(top))
    return np.sort(np.maximum(noisy, 0.0))[::-1]
