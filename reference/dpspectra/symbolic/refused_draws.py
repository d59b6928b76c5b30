"""Draws that numpy may refuse: the real method is asked first, and laws of scipy stand for those with shapes."""

from typing import Any

import numpy as np

from dpspectra.symbolic.given_draws import shape_of, symbols
from dpspectra.symbolic.laws import of_name
from dpspectra.symbolic.noisy_numbers import Noisy, seen
from dpspectra.symbolic.tape import CURRENT, PLAIN

TRIAL = np.random.Generator(np.random.PCG64(0))
"""Refuses what numpy refuses; its draws are thrown away."""
UNCHECKED = "?"
"""In place of the name of a method: what may be refused was asked already."""


def tried(method: Any, /, *args: Any, **options: Any) -> Any:
    """Call the real method with what numbers are known, so that it may refuse them, in the name of the program."""
    plain = [np.zeros(a.shape) if type(a) is Noisy else a for a in args]
    return method(*plain, **{k: np.zeros(v.shape) if type(v) is Noisy else v for k, v in options.items()})


def checked(name: str, *args: Any) -> None:
    """Call the method of numpy's generator of this name so."""
    tried(getattr(TRIAL, name), *args)


def shaped(name: str, shapes: tuple[Any, ...], size: Any, method: str | None = None) -> Any:
    """Draws of a law with parameters that are plain numbers, the same for all draws."""
    shapes = tuple(seen(s) for s in shapes)
    if method is not UNCHECKED:
        checked(method or name, *shapes, size)
    if all(np.ndim(s) == 0 for s in shapes):
        return symbols(of_name(name, *shapes), shape_of(size))
    shape = shape_of(size, *shapes)
    cells = [np.broadcast_to(s, shape).ravel() for s in shapes]
    if CURRENT and CURRENT[-1].mode == PLAIN:
        return np.array([symbols(of_name(name, *c), ()) for c in zip(*cells, strict=True)]).reshape(shape)
    return np.stack([symbols(of_name(name, *c), ()) for c in zip(*cells, strict=True)]).reshape(shape)
