"""Distance of top eigenspaces by the gaps of both matrices."""

from typing import Any


def bound(difference: Any, gap: Any, other_gap: Any) -> Any:
    """Largest ``|P - Q|_F`` for ``|M - N|_F = difference``, when the two gaps after place ``k`` do not both vanish."""
    return 2 * difference / (gap + other_gap)
