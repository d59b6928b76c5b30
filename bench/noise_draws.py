"""Draws of symmetric noise of scale 1 in float64, for comparisons; releases use the samplers of the mechanisms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpspectra.fast.linalg import mirror

LARGEST_KNORM = 5
"""Dimension up to which K-norm noise is drawn here, by rejection."""


def one(kind: str, d: int, rng: np.random.Generator) -> Any:
    """One matrix ``(d, d)`` of the law ``kind`` of `dpspectra.postprocessing.SpectralNoise`."""
    if kind in ("laplace", "gaussian_triangle"):
        entries = rng.laplace(size=d * (d + 1) // 2) if kind == "laplace" else rng.normal(size=d * (d + 1) // 2)
        return mirror(entries, d)
    if kind == "gaussian":
        noise = rng.normal(size=(d, d))
        noise = (noise + noise.T) / math.sqrt(2)
        shift = math.sqrt(2 / (d * (d + 1))) * rng.normal() - np.trace(noise) / d
        return noise + shift * np.eye(d)
    if kind == "wishart":
        return wishart(d, rng) - wishart(d, rng)
    return {"tilted_wishart": tilted_wishart, "knorm": knorm}[kind](d, rng)


def wishart(d: int, rng: np.random.Generator) -> Any:
    """Wishart matrix of ``d + 1`` degrees of freedom."""
    rows = rng.normal(size=(d + 1, d))
    return rows.T @ rows


def tilted_wishart(d: int, rng: np.random.Generator) -> Any:
    """The larger trace has a Gamma law, the smaller is a power of a uniform number times it; directions are free."""
    shape = d * (d + 1) // 2
    larger = rng.gamma(2 * shape)
    traces = rng.permutation([larger, larger * rng.random() ** (1 / shape)])
    first, second = wishart(d, rng), wishart(d, rng)
    return traces[0] / np.trace(first) * first - traces[1] / np.trace(second) * second


def knorm(d: int, rng: np.random.Generator) -> Any:
    """Difference ``M`` of Wishart matrices, kept if ``W - M_+`` is positive, with probability ``exp(-|tr M| / 2)``."""
    while True:
        first, second = wishart(d, rng), wishart(d, rng)
        noise = first - second
        if rng.random() > math.exp(-abs(np.trace(noise)) / 2):
            continue
        values, vectors = np.linalg.eigh(noise)
        if np.linalg.eigvalsh(first - (vectors * np.maximum(values, 0)) @ vectors.T)[0] > 0:
            return noise
