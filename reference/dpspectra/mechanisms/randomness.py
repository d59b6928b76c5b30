"""The arithmetic of a mechanism: certified from fresh entropy, ideal from a generator; and what a claim says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from dpspectra.certified.entropy import Entropy, Source, SystemEntropy
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import CERTIFIED, IDEAL, IDEAL_ASSUMPTIONS, VALUE_ONLY, Claim
from dpspectra.mechanisms.release import noise_source, note_key

Rng: TypeAlias = checks.Rng | Entropy

IEEE_ARITHMETIC = (
    "float64 follows IEEE 754, matrix products are sums of products in any order, and python-flint's balls are right"
)
SECRET_ENTROPY = "the operating system's entropy is independent, uniform and secret"
STRETCHED_ENTROPY = (
    "each call's 32 bytes of the operating system are independent, uniform and secret, and nobody tells AES-256 in "
    "counter mode under them from uniform bits: privacy is computational, for bounded adversaries, besides the "
    "advantage of each call"
)
"""Assumption for a stretched source. It speaks of each call, as composition keeps one of several equal sentences."""
SECRET_KEY = "the key is uniform, secret and used for nothing else"
NOISE_LABELS = ("DPS-ROUNDED", "DPS-REPLAY", "DPS-KERNELS", "DPS-AMBIGUOUS", "DPS-UPWARD")
"""Statements behind every certified number."""


@dataclass(frozen=True, slots=True)
class Ideal:
    """Ideal arithmetic, with noise from a numpy Generator."""

    rng: checks.Rng


def randomness(rng: Rng, arithmetic: str | None) -> Source | Ideal:
    """Where the noise comes from, and with it the arithmetic: certified with a `Source`.

    ``rng=None`` is fresh entropy of the operating system, for certified arithmetic unless ``arithmetic="ideal"``; an
    `Entropy` is certified, a Generator or seed is ideal. Raises ``ValueError`` for an ``arithmetic`` that does not go
    with ``rng``.
    """
    if arithmetic is not None:
        checks.choice(arithmetic, "arithmetic", (CERTIFIED, IDEAL))
    if isinstance(rng, Entropy):
        if arithmetic == IDEAL:
            raise ValueError(f"arithmetic must be {CERTIFIED!r} or None if rng is an Entropy, got {IDEAL!r}")
        return rng
    if rng is None and arithmetic != IDEAL:
        return SystemEntropy()
    if arithmetic == CERTIFIED:
        raise ValueError(f"rng must be None or an Entropy for certified arithmetic, got {checks.shown(rng)}")
    checks.generator(rng)
    return Ideal(rng)


def where_possible(possible: bool, requirement: str, found: str, rng: Rng, arithmetic: str | None) -> Source | Ideal:
    """Choose as `randomness` does; ideal by default where certified arithmetic is impossible, refused if asked for."""
    source = randomness(rng, arithmetic)
    if possible or isinstance(source, Ideal):
        return source
    if arithmetic == CERTIFIED or isinstance(rng, Entropy):
        raise ValueError(f"{requirement} for certified arithmetic, got {found}")
    return Ideal(None)


def begun(source: Source | Ideal, depth: int = 1) -> Source | np.random.Generator:
    """Return the source that a release draws from; call it once a release, when nothing can be refused any more.

    Warns about a seed or a key that another release had before; see `noise_source` and `note_key`, also for ``depth``.
    """
    if isinstance(source, Ideal):
        return noise_source(source.rng, depth + 1)
    if isinstance(source, Entropy):
        note_key(source, depth + 1)
    return source


def claimed(source: Source | Ideal, labels: tuple[str, ...], exact: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a claim that depend on the arithmetic.

    The claim rests on ``labels``, and if certified on ``exact`` too.
    """
    if isinstance(source, Ideal):
        return {"assumptions": IDEAL_ASSUMPTIONS, "arithmetic": IDEAL, "labels": labels}
    labels = (*labels, *exact, *NOISE_LABELS)
    return {"assumptions": (IEEE_ARITHMETIC, _secret(source), VALUE_ONLY), "arithmetic": CERTIFIED, "labels": labels}


def _secret(source: Source) -> str:
    """Describe the assumption about the bits."""
    if not isinstance(source, Entropy):
        return SECRET_ENTROPY
    return STRETCHED_ENTROPY if source.stretched else SECRET_KEY


def promised(
    plan: Claim, source: Source | Ideal, labels: tuple[str, ...], exact: tuple[str, ...], **changes: Any
) -> Claim:
    """Return the planned claim with the fields that depend on the arithmetic; all other assumptions stay."""
    found = claimed(source, labels, exact)
    found["labels"] += plan.labels
    found["assumptions"] += tuple(text for text in plan.assumptions if text not in IDEAL_ASSUMPTIONS)
    return replace(plan, **found, **changes)
