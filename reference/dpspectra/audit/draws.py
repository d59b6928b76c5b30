"""Call a mechanism under audit and stack its outputs; a call that raises or returns nonsense is a failed draw.

An output is a number, an array or a tuple of those; an object with ``value``, as a `Release`, stands for that value.
Exceptions, NaN, infinity, non-numeric values and a shape unlike the others' are one outcome, *failed*, which an audit
tests like any other event: never drop or redraw failed draws, or a leak through failures is lost. `NotImplementedError`
is raised again. If one call for many draws fails, or returns another type or shape than before, `BatchFailedError`
asks the caller to draw one by one instead: one odd row may have changed what the others look like.
Every audit and `conforms` draws through `Sampler`; `SIZE` and `SEED_NAMES` are part of the public interface.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIZE = "size"
"""Name of the parameter that asks for a number of independent draws, as in numpy."""
SEED_NAMES = ("rng", "random_state", "seed")
"""Names of parameters that seed a mechanism; the first one present is used."""

Parts = tuple[NDArray[Any], ...]


class BatchFailedError(Exception):
    """A call for many draws failed as a whole or changed its layout: it is unknown which of them are at fault."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What outputs look like: their arrays' shapes, which are complex, and whether they come in a tuple."""

    shapes: tuple[tuple[int, ...], ...]
    complex: tuple[bool, ...]
    bundled: bool

    def admits(self, other: Layout) -> bool:
        """Whether outputs laid out like ``other`` fit this layout; real numbers fit a complex one."""
        fits = all(mine or not theirs for mine, theirs in zip(self.complex, other.complex, strict=False))
        return fits and (self.shapes, self.bundled) == (other.shapes, other.bundled)

    @property
    def numbers(self) -> int:
        """Numbers in one output."""
        return sum(int(np.prod(shape)) for shape in self.shapes)


@dataclass(frozen=True, slots=True)
class Draws:
    """Outputs stacked along the first axis of each of ``values``; rows of failed draws hold zeros."""

    layout: Layout | None
    """``None`` while no draw has succeeded; then ``values`` is empty."""
    values: Parts
    failed: NDArray[np.bool_]

    def output(self, i: int) -> Any:
        """Draw ``i`` in the form in which the mechanism returned it."""
        parts = tuple(value[i] for value in self.values)
        return parts if self.layout is not None and self.layout.bundled else parts[0]


class Sampler:
    """Adapter around a mechanism: calls it in batches and seeds it where its signature allows.

    A parameter (other than the first) named ``size`` asks for that many independent draws, to be returned along a
    leading axis; one named ``rng`` is given a numpy Generator, ``random_state`` or ``seed`` an integer. ``batched`` is
    cleared by whoever catches `BatchFailedError`; then draws are made one by one.
    """

    def __init__(self, mechanism: Callable[..., Any]) -> None:
        self.mechanism = mechanism
        try:
            self.signature: inspect.Signature | None = inspect.signature(mechanism)
        except (TypeError, ValueError):  # some callables written in C have none
            self.signature = None
        parameters = self.signature.parameters if self.signature else {}
        self.size_name = _recognised(parameters, (SIZE,))
        self.seed_name = _recognised(parameters, SEED_NAMES)
        self.batched = self.size_name is not None
        self.problem: str = ""
        """What went wrong in the draw that failed last."""

    @classmethod
    def checked(cls, function: Any, name: str, *data: Any) -> Sampler:
        """Sampler of a callable; raises ``ValueError`` with ``name`` if it cannot be called with each data set."""
        if not callable(function):
            raise ValueError(f"{name} must be callable, got {function!r}")
        sampler = cls(function)
        for each in data:
            sampler.check_call(each, name)
        return sampler

    def check_call(self, data: Any, name: str) -> None:
        """Raise ``ValueError`` if the mechanism does not accept the data set and its size and seed parameters alone."""
        if self.signature is None:
            return
        names = [name for name in (self.size_name, self.seed_name) if name]
        try:
            self.signature.bind(data, **dict.fromkeys(names))
        except TypeError as problem:
            raise ValueError(f"{name} must take the data set as its only other argument, got {problem}") from None

    def draw(
        self, data: Any, count: int, rng: np.random.Generator, layout: Layout | None, deadline: float = np.inf
    ) -> Draws:
        """``count`` draws, fewer if made one by one and the clock passes ``deadline`` (at least one is made).

        Draws unlike ``layout`` have failed; if it is ``None``, the first that succeeds sets it.
        """
        if self.batched:
            return self._batch(data, count, rng, layout)
        drawn = []
        for _ in range(count):
            drawn.append(self._one(data, rng))
            if time.perf_counter() > deadline:
                break
        return self._stacked(drawn, layout)

    def _call(self, data: Any, size: int, rng: np.random.Generator) -> tuple[Parts, bool] | None:
        keywords: dict[str, Any] = {} if self.size_name is None else {self.size_name: size}
        if self.seed_name is not None:
            keywords[self.seed_name] = rng if self.seed_name == "rng" else int(rng.integers(2**32))
        try:
            output = self.mechanism(data, **keywords)
            value = getattr(output, "value", output)
            bundled = isinstance(value, tuple)
            parts = tuple(map(_numeric, value)) if bundled else (_numeric(value),)
            if not parts or 0 in [part.size for part in parts]:
                raise ValueError("outputs must hold numbers, got none")
        except NotImplementedError:
            raise  # the mechanism declares that it cannot be run, which is no outcome of running it
        except Exception as problem:
            self.problem = f"{type(problem).__name__}: {problem}"
            return None
        return parts, bundled

    def _one(self, data: Any, rng: np.random.Generator) -> tuple[Parts, bool] | None:
        called = self._call(data, 1, rng)
        if called is None:
            return None
        parts, bundled = called
        if self.size_name is not None:
            if any(part.shape[:1] != (1,) for part in parts):
                self.problem = f"{self.size_name}=1 must return a leading axis of length 1"
                return None
            parts = tuple(part[0] for part in parts)
        return parts, bundled

    def _stacked(self, drawn: list[tuple[Parts, bool] | None], layout: Layout | None) -> Draws:
        """Stack draws made one by one; ``None`` stands for one that failed."""
        if layout is None:
            layout = next((_layout(*d) for d in drawn if d is not None and _finite(d[0])), None)
        known: dict[Any, bool] = {}  # most outputs have one layout, and comparing layouts is slow
        alike = [d is not None and layout is not None and _admits(layout, d, known) for d in drawn]
        if False in known.values():
            self.problem = self.problem or "the output's shape or type differs from the others'"
        draws = _blank(len(drawn), layout)
        good = np.flatnonzero(alike)
        for part, value in enumerate(draws.values):
            if len(good):
                value[good] = np.stack([drawn[i][0][part] for i in good])  # type: ignore[index]
        draws.failed[good] = False
        return self._without_infinities(draws)

    def _without_infinities(self, draws: Draws) -> Draws:
        """Mark draws that are not finite as failed, and clear them."""
        finite = [np.isfinite(value).all(axis=tuple(range(1, value.ndim))) for value in draws.values]
        bad = ~np.all(finite, axis=0) if finite else np.zeros(len(draws.failed), dtype=bool)
        if bad.any():
            self.problem = "the output is not finite"
            for value in draws.values:
                value[bad] = 0
        return Draws(draws.layout, draws.values, draws.failed | bad)

    def _batch(self, data: Any, count: int, rng: np.random.Generator, layout: Layout | None) -> Draws:
        called = self._call(data, count, rng)
        if called is None or any(part.shape[:1] != (count,) for part in called[0]):
            raise BatchFailedError
        parts, bundled = called
        found = _layout(tuple(part[0] for part in parts), bundled)
        layout = found if layout is None else layout
        if not layout.admits(found):
            raise BatchFailedError
        return self._without_infinities(Draws(layout, parts, np.zeros(count, dtype=bool)))


def _recognised(parameters: Mapping[str, inspect.Parameter], options: tuple[str, ...]) -> str | None:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    free = [p.name for i, p in enumerate(parameters.values()) if i > 0 and p.kind in named]
    return next((name for name in options if name in free), None)


def _numeric(part: Any) -> NDArray[Any]:
    """Fresh float or complex array; raises if not numeric. Objects with ``toarray`` (sparse, factors) are converted."""
    array = part if isinstance(part, np.ndarray) else np.asarray(part.toarray() if hasattr(part, "toarray") else part)
    if array.dtype.kind not in "biufc":
        raise ValueError(f"outputs must be numeric, got {array.dtype}")
    return array.astype(complex if array.dtype.kind == "c" else float)


def _layout(parts: Parts, bundled: bool) -> Layout:
    return Layout(tuple(p.shape for p in parts), tuple(p.dtype.kind == "c" for p in parts), bundled)


def _blank(count: int, layout: Layout | None) -> Draws:
    if layout is None:
        return Draws(None, (), np.ones(count, dtype=bool))
    kinds = zip(layout.shapes, layout.complex, strict=True)
    values = tuple(np.zeros((count, *shape), dtype=complex if wide else float) for shape, wide in kinds)
    return Draws(layout, values, np.ones(count, dtype=bool))


def _admits(layout: Layout, drawn: tuple[Parts, bool], known: dict[Any, bool]) -> bool:
    parts, bundled = drawn
    key = (bundled, *[(part.shape, part.dtype) for part in parts])
    if key not in known:
        known[key] = layout.admits(_layout(parts, bundled))
    return known[key]


def _finite(parts: Parts) -> bool:
    return all(bool(np.isfinite(part).all()) for part in parts)
