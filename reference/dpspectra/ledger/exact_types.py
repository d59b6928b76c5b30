"""Give a face its instance: without rounding to an oracle, by the types it names; and take parts that it yields."""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import isgeneratorfunction, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints


def number(x: Any) -> Any:
    """Return a number of mpmath; of a fraction one that mpmath 1.3 compares, too."""
    from mpmath import mp  # not at the top: a list of labels needs no arithmetic

    return mp.mpmathify(x.item() if hasattr(x, "item") else x)


def _matrix(x: Any) -> Any:
    from mpmath import mp

    return mp.matrix(x.tolist() if hasattr(x, "tolist") else x)


Real = Annotated[Any, number]
"""A number of mpmath, real or complex."""
Reals = Annotated[Any, lambda x: list(map(number, x))]
"""A vector, as a list of numbers of mpmath."""
Column = Annotated[Any, _matrix]
"""A vector, as a matrix of mpmath with one column."""
Matrix = Annotated[Any, _matrix]
"""A matrix of mpmath."""


def evaluated(face: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a face that yields its parts: a call returns all of them, computed in the precision of the caller."""
    if not isgeneratorfunction(face):
        return face

    @functools.wraps(face)
    def whole(*case: Any) -> Any:
        return tuple(face(*case))

    return whole


def exactly(face: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap an oracle: arguments of the types `Real`, `Reals`, `Column` and `Matrix` are converted on the way in.

    So are the elements of a ``list`` or ``tuple`` of these. An argument of any other type is handed over as it was
    drawn. Raises ``TypeError`` for these types inside another one.
    """
    types = get_type_hints(face, include_extras=True)
    forms = {i: form for i, name in enumerate(signature(face).parameters) if (form := _form(types.get(name)))}
    if not forms:
        return face

    @functools.wraps(face)
    def converted(*case: Any) -> Any:
        return face(*(forms[i](x) if i in forms else x for i, x in enumerate(case)))

    return converted


def _form(type_: Any) -> Callable[[Any], Any] | None:
    """Return the conversion of a value of this type; ``None`` for one that is handed over."""
    if get_origin(type_) is Annotated:
        form: Callable[[Any], Any] = type_.__metadata__[0]
        return form
    inner = list(map(_form, get_args(type_)))
    if not any(inner):
        return None
    if get_origin(type_) is list:
        return lambda x: list(map(inner[0], x))  # type: ignore[arg-type]
    if get_origin(type_) is tuple and Ellipsis not in get_args(type_):
        return lambda x: tuple(form(y) if form else y for form, y in zip(inner, x, strict=True))
    raise TypeError(f"an oracle takes Real, Reals, Column and Matrix alone, in a list or in a tuple, got {type_}")
