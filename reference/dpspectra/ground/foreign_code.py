"""Code of others that gives data as they are read: conversions, blocks of a dask array, chunks of an iterator.

What it raises may hold private values, and would end up in a log; the type and the place are told instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
PASSED = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Ends of a program, which are no failures of a conversion."""


class Refused(ValueError):
    """Words of this package that refuse a block, on their way out of a task."""


class UnfitMachine(RuntimeError):
    """Words of this package on a machine that cannot do what is asked, which say nothing of data."""


def read(call: Callable[[], T], name: str, instead: str = "give a numpy array to see why", ragged: bool = False) -> T:
    """Return what foreign code returns; ``ValueError`` with the type of what it raises, and nothing else of it.

    The error has no cause and no context. Memory that runs out stays a ``MemoryError``, in our words. With ``ragged`` a
    ``ValueError`` is told as numpy means it.
    """
    try:
        return call()
    except PASSED:
        raise
    except BaseException as problem:  # a panic of a compiled library is no Exception
        kind = type(problem)
    if issubclass(kind, MemoryError):
        raise MemoryError(f"{name} must fit in memory")
    if ragged and kind is ValueError:
        raise ValueError(f"{name} must be a rectangular array, got ragged rows")
    raise ValueError(f"{name} must be readable, but {kind.__name__} was raised: {instead}")


def refusing(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function of this package inside a task, so that `computed` tells its words."""
    try:
        return function(*args, **kwargs)
    except ValueError as problem:
        words = str(problem)
    raise Refused(words)


def computed(lazy: Any, name: str) -> Any:
    """Return the value of a dask object, or of each of a list; ``ValueError`` with the type of what a block raised.

    An `UnfitMachine`, which a block that is read elsewhere may find, and a ``MemoryError`` are raised as they are.
    """
    from dpspectra.ground import extras  # only who has dask has such an object

    try:
        return extras.load("dask", "outofcore", "dask arrays").compute(lazy)[0]
    except (MemoryError, UnfitMachine, *PASSED):
        raise
    except Refused as problem:
        words = str(problem)
    except BaseException as problem:
        words = f"{name} must be readable, but a block raised {type(problem).__name__}: compute it to see why"
    raise ValueError(words)


class Chunks(Iterator[Any]):
    """Chunks of somebody else's iterator; ``ValueError`` with the type of what it raises, and nothing else of it."""

    def __init__(self, chunks: Iterator[Any], name: str, *, ours: bool = False) -> None:
        """With ``ours``, chunks of an iterator of this package, which says nothing private."""
        self._chunks, self._name, self._ours, self._place = chunks, name, ours, 0

    def __next__(self) -> Any:
        """Return the next chunk."""
        if self._ours:
            return next(self._chunks)
        try:
            chunk = next(self._chunks)
        except (StopIteration, *PASSED):
            raise
        except BaseException as problem:
            kind = type(problem)
        else:
            self._place += 1
            return chunk
        if issubclass(kind, MemoryError):
            raise MemoryError(f"{self._name} must fit in memory")
        what = f"chunk {self._place} raised {kind.__name__}: go through it by itself to see why"
        raise ValueError(f"{self._name} must be readable, but {what}")

    @classmethod
    def of(cls, chunks: Iterator[Any], name: str) -> Chunks:
        """Return chunks as they are if they are these already."""
        return chunks if isinstance(chunks, Chunks) else cls(chunks, name)
