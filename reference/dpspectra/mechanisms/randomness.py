"""The arithmetic of a mechanism: certified from fresh entropy, ideal from a generator; and what a claim says of it."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from dpspectra import checks
from dpspectra.certified.entropy import Entropy, Source, SystemEntropy
from dpspectra.mechanisms.release import CERTIFIED, IDEAL, IDEAL_RANDOMNESS, IDEAL_REALS, noise_source

Rng: TypeAlias = checks.Rng | Entropy
Randomness: TypeAlias = Source | np.random.Generator

IEEE_ARITHMETIC = (
    "float64 follows IEEE 754, matrix products are sums of products in any order, and python-flint's balls are right"
)
SECRET_ENTROPY = "the operating system's entropy is independent, uniform and secret"
SECRET_KEY = "the key is uniform, secret and used for nothing else"
VALUE_ONLY = "the value is released, not the time it took"


def randomness(rng: Rng, arithmetic: str | None) -> Randomness:
    """Where the noise comes from: entropy (certified arithmetic) or a numpy Generator (ideal arithmetic).

    ``rng=None`` is fresh entropy of the operating system, for certified arithmetic unless ``arithmetic="ideal"``; an
    `Entropy` is certified, a Generator or seed is ideal. Raises ``ValueError`` for an ``arithmetic`` that does not go
    with ``rng``.
    """
    if arithmetic not in (None, CERTIFIED, IDEAL):
        raise ValueError(f"arithmetic must be {CERTIFIED!r}, {IDEAL!r} or None, got {checks.shown(arithmetic)}")
    if isinstance(rng, Entropy):
        if arithmetic == IDEAL:
            raise ValueError(f"arithmetic must be {CERTIFIED!r} or None if rng is an Entropy, got {IDEAL!r}")
        return rng
    if rng is None and arithmetic != IDEAL:
        return SystemEntropy()
    if arithmetic == CERTIFIED:
        raise ValueError(f"rng must be None or an Entropy for certified arithmetic, got {checks.shown(rng)}")
    return noise_source(rng, stacklevel=4)


def assumptions(source: Randomness) -> tuple[str, ...]:
    """What a claim takes for granted, besides its statements."""
    if isinstance(source, np.random.Generator):
        return IDEAL_REALS, IDEAL_RANDOMNESS
    return IEEE_ARITHMETIC, SECRET_KEY if isinstance(source, Entropy) else SECRET_ENTROPY, VALUE_ONLY


def arithmetic_of(source: Randomness) -> str:
    """``"certified"`` or ``"ideal"``."""
    return IDEAL if isinstance(source, np.random.Generator) else CERTIFIED
