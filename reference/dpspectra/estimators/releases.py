"""Releases in estimators: fewer components, and claims of several chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.mechanisms.claims import CERTIFIED, UNIT, Claim, Guarantee
from dpspectra.mechanisms.derived import counted
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_eigenvalues

APART = "chunks hold rows of different people, and in which chunk a person's row would be is public"


def with_fewer(release: Release[NDArray[np.float64]], share: float, d: int) -> Release[NDArray[np.float64]]:
    """As few of all components as explain a share of the released variance, which is post-processing."""
    details = {name: each for name, each in release.details.items() if not isinstance(each, Guarantee)}
    k = counted(share, details["explained_ratio"], "n_components")
    values = details["eigenvalues"][:k]
    details |= {"eigenvalues": values, "explained_ratio": details["explained_ratio"][:k]}
    details |= of_eigenvalues(values, d, details["noise_edge"])
    return replace(release, value=release.value[:, :k], details=details)


def unit_of(claim: Claim) -> dict[str, Any]:
    """Which data sets are neighbours, as fields of a claim."""
    return {name: getattr(claim, name) for name in UNIT}


def worst(one: Claim, two: Claim) -> Claim:
    """Return the larger loss of two chunks: it holds for a person who is in either one, if nobody may say in which."""
    mus = (one.gdp_mu, two.gdp_mu)
    unit = one.unit.meet(two.unit)
    return replace(
        two,
        epsilon=max(one.epsilon, two.epsilon),
        delta=max(one.delta, two.delta),
        gdp_mu=None if None in mus else max(mu for mu in mus if mu is not None),
        assumptions=tuple(dict.fromkeys((*one.assumptions, *two.assumptions))),
        labels=tuple(dict.fromkeys((*one.labels, *two.labels))),
        arithmetic=two.arithmetic if one.arithmetic == CERTIFIED else one.arithmetic,
        public=tuple(dict.fromkeys((*one.public, *two.public))),
        **{name: getattr(unit, name) for name in UNIT},
    )
