"""Products and quotients of two draws each that are draws of known laws.

With E exponential, an angle uniform on a half turn, ``E cos(angle)`` has the characteristic function
``1 / sqrt(1 + t^2)``, so the sum of two such products has that of a Laplace number. With an angle uniform on a full
turn ``sqrt(2 E) cos(angle)`` is normal. The logarithm of a quotient of two uniform numbers is the difference of two
exponential ones, so it is a Laplace number.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import BESSEL, EXPONENTIAL, NORMAL, RATIO, ROOTED, TURN, UNIFORM, Law
from dpspectra.symbolic.noisy_numbers import Noisy, made
from dpspectra.symbolic.origins import Origin, single
from dpspectra.symbolic.tape import Block, Tape, current

COSINE = f"cos of uniform 0.0 {math.pi!r}"
One = tuple[Block, int, float, float]
"""Block, number, location and coefficient of the draw of a number."""
Made = tuple[Law, Origin, float]
"""Law and origin of a computed draw, and what it is multiplied by."""


def product_of(x: Noisy, y: Noisy) -> Any:
    """Return the product of numbers with one draw each; ``None`` if its law is not known."""
    return _of_pairs(x, y, _product)


def quotient_of(x: Noisy, y: Noisy) -> Any:
    """Return the quotient of uniform numbers; ``None`` if that is not what is asked."""
    return _of_pairs(x, y, _quotient)


def _of_pairs(x: Noisy, y: Noisy, rule: Callable[[One, One], Made | None]) -> Any:
    if x.shape != y.shape:
        return None
    tape = current()
    first, second = single(tape, x), single(tape, y)
    if first is None or second is None:
        return None
    found = [rule(a, b) for a, b in zip(first, second, strict=True)]
    if any(f is None for f in found):
        return None
    made_of = [(_block(tape, f, a, b), f[2]) for f, a, b in zip(found, first, second, strict=True) if f is not None]
    slots = (1, *x.shape)
    starts, factors = (np.array(c).reshape(slots) for c in zip(*made_of, strict=True))
    return made(tape, np.zeros(x.shape), starts, factors)


def _block(tape: Tape, found: Made, *ones: One) -> int:
    law, origin, _ = found
    values = {j: block.values[j - block.start] for block, j, _, _ in ones}
    return tape.block(law, np.array([origin.forward(*(values[j] for j in origin.roots))]), origin)


def _product(a: One, b: One) -> Made | None:
    (block, i, m, f), (other, j, n, g) = a, b
    if m != 0 or n != 0:
        return None
    if block.law is TURN or block.law.name == COSINE:
        return _product(b, a) if other.law in (ROOTED, EXPONENTIAL) else None
    if block.law is EXPONENTIAL and other.law.name == COSINE:
        return BESSEL, _times((i, j), 1.0), f * g
    if block.law is ROOTED and other.law is TURN:
        half = math.sqrt(0.5)
        return NORMAL, _times((i, j), half), f * g * half
    return None


def _times(roots: tuple[int, int], scale: float) -> Origin:
    """Return the origin of a product, in so many scales, whose second factor lies between -1 and 1."""
    backward = lambda v: (abs(v) * scale, float(np.sign(v)))  # noqa: E731
    return Origin(("product",), roots, lambda x, y: float(x * y) / scale, backward)


def _quotient(a: One, b: One) -> Made | None:
    (block, i, m, f), (other, j, n, g) = a, b
    first, second = _width(block, m, f), _width(other, n, g)
    if i == j or first is None or second is None:
        return None

    def forward(x: float, y: float) -> float:
        with np.errstate(all="ignore"):
            return float(np.divide(m + f * x, n + g * y)) * second / first

    def backward(value: float) -> tuple[float, float]:
        u, v = (value / 2, 0.5) if value < 1 else (0.5, 0.5 / value)
        return (u * first - m) / f, (v * second - n) / g

    return RATIO, Origin(("quotient", m, f, n, g), (i, j), forward, backward), first / second


def _width(block: Block, mu: float, coefficient: float) -> float | None:
    """Return the upper end of a number that is uniform from 0 on."""
    low, high = sorted((mu, mu + coefficient))
    return high if block.law is UNIFORM and low == 0 else None
