"""Streaming power method by definition: the same names as `dpspectra.fast.streaming`, and exact tails."""

from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.alignment import orthonormal
from dpspectra.oracle.linalg import Matrix, gram
from dpspectra.oracle.quadrature import integral, working
from dpspectra.oracle.roots import bisect


def iterates(stream: Matrix, start: Matrix, rounds: int) -> list[Matrix]:
    """``X_l = GS(A_l X_{l-1})`` with the second moment ``A_l`` of every block formed in full."""
    size = stream.rows // rounds
    bases = [orthonormal(start)]
    for number in range(rounds):
        rows = stream[number * size : (number + 1) * size, :]
        bases.append(orthonormal(gram(rows) / size * bases[-1]))
    return bases


def spread(lengths: Sequence[Any], weights: Sequence[Any]) -> Any:
    """Smallest ``rho`` with ``P(length > t rho) <= exp(-t)`` for all ``t >= 1``, by bisection of the condition itself.

    The probability falls at ``t = length / rho`` only; just before, the length itself still counts.
    """
    masses = list(zip(lengths, weights, strict=True))
    jumps = [(x, mp.fsum(w for y, w in masses if y >= x)) for x, w in masses if w > 0]

    def holds(rho: Any) -> bool:
        return all(x <= rho or tail <= mp.exp(-x / rho) for x, tail in jumps)

    return bisect(lambda rho: not holds(rho), 0, max(x for x, _ in jumps))[1]


def weighted_tail(y: Any, a: Any, k: int, b: Any, m: int) -> Any:
    """``P(a S + b T > y)`` for independent chi-square ``S`` and ``T`` with ``k >= 1`` and ``m`` degrees of freedom."""

    def above(x: Any, degrees: int) -> Any:
        return (x / 2).gamma_upper(arb(degrees) / 2, regularized=1)

    with working():
        y, a, b, order = (arb(max(y, 0)), arb(a), arb(b), arb(k) / 2)
        if m == 0 or b == 0 or y == 0:
            return mp.mpf(above(y / a, k))
        end, factor = (y / a).sqrt(), 2 / (2**order * order.gamma())

        def given(angle: Any) -> Any:  # its sine is the root of S, relative to the end
            sine, cosine = angle.sin_cos()
            root = end * sine
            return factor * root ** (k - 1) * (-root * root / 2).exp() * end * cosine * above(y * cosine**2 / b, m)

        inside = [(root / end).asin() for root in (1, 2, 4, 8, 16, 32) if root < end]
        return mp.mpf(above(y / a, k) + integral(given, [0, *inside, arb.pi() / 2]))
