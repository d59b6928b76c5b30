"""Arithmetic that stays symbolic: sums, multiples, products of matrices with plain ones, the largest of several."""

from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import MOST_SLOTS, Noisy, made, parts_of, spread
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import largest
from dpspectra.symbolic.tape import current


def added(x: Any, y: Any, sign: float = 1.0) -> Noisy:
    """``x + sign y``."""
    (a, i, f), (b, j, g) = parts_of(x), parts_of(y)
    mu = a + sign * b
    shape = np.shape(mu)
    draw = np.concatenate([spread(i, shape), spread(j, shape)])
    return made(current(), mu, draw, np.concatenate([spread(f, shape), sign * spread(g, shape)]))


def scaled(x: Noisy, factor: Any) -> Noisy:
    """Noise times plain numbers; a factor of 0 leaves none, and is noted."""
    mu, draw, coefficient = parts_of(x)
    factor = np.asarray(factor, dtype=float)
    if np.any(factor == 0):
        current().notes.append(f"noise is multiplied by 0 at {place()}")
    mu = mu * factor
    return made(current(), mu, spread(draw, np.shape(mu)).copy(), spread(coefficient, np.shape(mu)) * factor)


def product(x: Any, y: Any) -> Noisy:
    """Return the product of matrices or vectors; one of both holds noise."""
    if type(y) is Noisy:  # (x y)' = y' x', for arrays of at most two axes
        turned = product(y.transpose(), np.asarray(x, dtype=float).T)
        return turned.transpose()
    mu, draw, coefficient = parts_of(x)
    y = np.asarray(y, dtype=float)
    out = np.asarray(mu @ y)
    n = y.shape[0]
    columns = y.reshape(n, -1)
    if len(draw) * mu.size * columns.shape[1] > MOST_SLOTS:
        raise current().stop(f"more than {MOST_SLOTS} coefficients, at {place()}")
    slots = np.moveaxis(draw, -1, 1)[..., None]  # k, n, ..., 1
    factors = np.moveaxis(coefficient, -1, 1)[..., None]
    lifted = columns.reshape(1, n, *[1] * (mu.ndim - 1), columns.shape[1])
    factors = factors * lifted
    slots = np.broadcast_to(slots, factors.shape)
    shape = (slots.shape[0] * n, *out.shape)
    return made(current(), out, slots.reshape(shape), factors.reshape(shape))


def summed(x: Noisy, axis: Any = None, keepdims: bool = False) -> Noisy:
    """Sum over one axis, several, or all."""
    mu, draw, coefficient = parts_of(x)
    axes = tuple(range(mu.ndim)) if axis is None else tuple(np.atleast_1d(axis) % mu.ndim)
    out = np.asarray(mu.sum(axis=axes, keepdims=keepdims))

    def folded(slots: Any) -> Any:
        front = np.moveaxis(slots, [a + 1 for a in axes], range(1, len(axes) + 1))
        return front.reshape(-1, *out.shape)

    return made(current(), out, folded(draw), folded(coefficient))


def extreme(ufunc: Any, x: Noisy, axis: Any) -> Any:
    """Return the largest or smallest of several numbers, which asks where it stands."""
    if x.ndim != 1 or axis not in (0, None, (0,)):
        return None
    return x[largest(x if ufunc is np.maximum else scaled(x, -1.0))].copy()


def cumulated(x: Noisy, axis: Any = None) -> Any:
    """Return the sums of the first numbers."""
    return product(np.tri(len(x)), x) if x.ndim == 1 and axis in (0, -1, None) else None
