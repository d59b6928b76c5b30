"""Scale of the difference of two Wishart matrices as noise."""

from typing import Any


def sensitivity(d: int, relation: str = "replace") -> float:
    """Largest nuclear norm of ``v v' - w w'`` for rows of the unit ball; ``"zero_out"``: ``v`` or ``w`` is zero."""
    return 2.0 if d > 1 and relation == "replace" else 1.0


def scale(n: Any, d: int, epsilon: Any, relation: str = "replace") -> Any:
    """Smallest scale ``c`` of two Wishart matrices that makes ``X'X / n + W - W'`` ``epsilon``-private."""
    return sensitivity(d, relation) / (2 * n * epsilon)
