"""Dyadic scalars and privacy parameters."""

from __future__ import annotations

from dpspectra.ground import checks
from dpspectra.strategies.lazy import st

BITS = 6
"""Binary places of a drawn number: enough for corners, few enough that products stay exact."""
USUAL = 4
"""Largest dimension that is not rare."""
MOST = 1000
"""Largest dimension, and most binary places."""


def dyadics(low: float = -8, high: float = 8, bits: int = BITS) -> st.SearchStrategy[float]:
    """Draw multiples of ``2**-bits`` in ``[low, high]``; shrinks to 0 if inside, else to the nearest end.

    Parameters
    ----------
    low, high
        Smallest and largest number that may be drawn.
    bits
        Number of binary places.

    Returns
    -------
    SearchStrategy
        Draws numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    checks.integer(bits, "bits", 0, MOST)
    _ordered(checks.finite_number(low, "low"), checks.finite_number(high, "high"))
    return st.integers(round(low * 2**bits), round(high * 2**bits)).map(lambda n: n / 2**bits)


def dimensions(low: int = 1, high: int = 8) -> st.SearchStrategy[int]:
    """Draw dimensions from ``low <= 4`` to ``high > 4``, each of them; shrinks to ``low``.

    Two in three are at most 4, where exact arithmetic is cheap, and one in six is ``high``.

    Parameters
    ----------
    low, high
        Smallest and largest dimension.

    Returns
    -------
    SearchStrategy
        Draws whole numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    checks.integer(low, "low", 0, USUAL)
    checks.integer(high, "high", USUAL, MOST)
    small, large = list(range(low, USUAL + 1)), [*range(USUAL + 1, high + 1), high, high]
    return st.sampled_from(small * -(-2 * len(large) // len(small)) + large)


def epsilons(low: float = 2**-7, high: float = 16.0) -> st.SearchStrategy[float]:
    """Draw values of epsilon in nats, spread over the octaves of ``[low, high]``; shrinks to 1.

    Both ends, which must be positive, and 1 are offered as corners where they lie inside.

    Parameters
    ----------
    low, high
        Smallest and largest epsilon, in nats.

    Returns
    -------
    SearchStrategy
        Draws numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    _ordered(checks.positive(low, "low"), checks.positive(high, "high"))
    corners = [e for e in (1.0, low, high) if low <= e <= high]
    mantissas, octaves = st.integers(16, 31), st.integers(-12, 8)
    spread = st.builds(lambda m, o: m / 16 * 2.0**o, mantissas, octaves).filter(lambda e: low <= e <= high)
    return st.sampled_from(corners) | spread


def deltas(low: float = 1e-12, high: float = 0.5) -> st.SearchStrategy[float]:
    """Draw failure probabilities spread over the octaves of ``[low, high]``; shrinks to ``high``.

    Parameters
    ----------
    low, high
        Smallest and largest probability.

    Returns
    -------
    SearchStrategy
        Draws numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    _ordered(checks.probability(low, "low"), checks.positive(high, "high"))
    if high > 1:
        raise ValueError(f"high must be at most 1, got {high!r}")
    spread = st.builds(lambda m, o: m / 16 * 2.0**-o, st.integers(16, 31), st.integers(1, 40))
    return st.sampled_from([high, low]) | spread.filter(lambda x: low <= x <= high)


def _ordered(low: float, high: float) -> None:
    if low > high:
        raise ValueError(f"low must be at most high, got {low!r} and {high!r}")


def seeds() -> st.SearchStrategy[int]:
    """Draw seeds for statements about frequencies.

    Returns
    -------
    SearchStrategy
        Draws whole numbers below ``2**32``.

    """
    return st.integers(0, 2**32 - 1)
