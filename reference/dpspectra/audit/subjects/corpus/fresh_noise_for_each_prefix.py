"""All prefix sums of a stream are released, each with noise for one release."""

from __future__ import annotations

from typing import Any

from dpspectra.audit.claims import PureDP

THREAD = "own list"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = ([0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])
EXPECTED = ("refuted", "explained")
LINE = "told.append(total + rng.laplace"


def _prefixes(x: Any, rng: Any, releases: int) -> Any:
    total, told = 0.0, []
    for v in x:
        total += v
        told.append(total + rng.laplace(scale=float(releases)))
    return told


def wrong(x: Any, rng: Any) -> Any:
    """Add noise for one sum, though a row counts in every later one."""
    return _prefixes(x, rng, 1)


def right(x: Any, rng: Any) -> Any:
    """Split the claim over all releases."""
    return _prefixes(x, rng, len(x))
