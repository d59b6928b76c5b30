"""Hockey-stick divergence and privacy loss on a finite set of outcomes, by going through all events."""

from collections.abc import Iterator, Sequence
from typing import Any

from mpmath import mp


def events(p: Sequence[Any], q: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Both probabilities of every set of outcomes, the empty set first."""
    for members in range(1 << len(p)):
        chosen = [i for i in range(len(p)) if members >> i & 1]
        yield mp.fsum(p[i] for i in chosen), mp.fsum(q[i] for i in chosen)


def hockey_stick(p: Sequence[Any], q: Sequence[Any], epsilon: Any) -> Any:
    """Largest ``P(S) - e^epsilon Q(S)`` over all events ``S``."""
    factor = mp.exp(epsilon)
    return max(a - factor * b for a, b in events(p, q))


def privacy_loss(p: Sequence[Any], q: Sequence[Any]) -> Any:
    """Largest ``|log P(S) - log Q(S)|`` over all events that are not impossible twice."""
    pairs = [pair for pair in events(p, q) if max(pair) > 0]
    return max(abs(mp.log(a / b)) if min(a, b) > 0 else mp.inf for a, b in pairs)
