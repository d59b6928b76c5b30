"""Numbers that hold noise: locations plus coefficients times draws that nobody has looked at.

To code they look like numbers and arrays (`number_kinds`). Linear operations stay symbolic; comparisons look at signs;
everything else looks at the numbers, which are plain from then on. Until then no plain number depends on the noise.

A `Noisy` is a view: positions into a `Store`, so that slices share what is written into one of them.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.symbolic.noisy_rows import Store, evaluated, joined, noisy_rows, picked
from dpspectra.symbolic.number_kinds import EXAMPLES, IN_PLACE, KINDS, METHODS, PURE, absent, is_whole, of_kind, type_of
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import VALUE, Event, Rows, Tape, current

MOST_SLOTS = 30_000_000
"""Coefficients of one value that are kept."""


def made(tape: Tape, mu: Any, draw: Any, coefficient: Any) -> Noisy:
    """Return a value from arrays of one shape, the last two with slots in front."""
    mu = np.asarray(mu, dtype=float)
    if np.size(draw) > MOST_SLOTS:
        raise tape.stop(f"more than {MOST_SLOTS} coefficients, at {place()}")
    store = Store(tape, mu.reshape(-1), draw.reshape(len(draw), mu.size), coefficient.reshape(len(draw), mu.size))
    return Noisy(store, np.arange(mu.size).reshape(mu.shape))


def rows_of(x: Noisy) -> Rows:
    """Return the numbers of a value, flat, in order, to ask something about them."""
    if current().functions:
        PROTOCOLS["settled"](x)
    return raw_rows(x)


def raw_rows(x: Noisy) -> Rows:
    """Return the numbers of a value as they are, among them those of functions of noise."""
    at, store = x.at.ravel(), x.owned()
    return Rows(store.mu[at], store.draw[:, at], store.coefficient[:, at])


def look(values: Sequence[Noisy], where: str) -> None:
    """Look at numbers, all at once; they are plain from then on, in all views."""
    tape = current()
    PROTOCOLS["decided"](values, where)
    rows = joined([rows_of(v) for v in values])
    noisy = noisy_rows(rows, tape.size)
    if np.any(noisy):
        asked = picked(rows, noisy)
        outcome = tape.look(Event(VALUE, where, asked), lambda: evaluated(asked, tape.omega()))
        rows.mu[noisy] = outcome
    start = 0
    for value in values:
        at = value.at.ravel()
        value.store.mu[at] = rows.mu[start : start + len(at)]
        value.store.coefficient[:, at] = 0.0
        start += len(at)


def seen(x: Any) -> Any:
    """Plain numbers in place of a value, looked at if need be; inside lists, tuples and dictionaries, too."""
    if type(x) is Noisy:
        look([x], place())
        plain = x.store.mu[x.at]
        if x.at.ndim:
            return plain.astype(np.int64) if x.whole else plain
        return KINDS[x.whole, x.python](plain)
    if type(x) is dict:
        return {seen(key): seen(value) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(seen(value) for value in x)
    if type(x) is slice:
        return slice(seen(x.start), seen(x.stop), seen(x.step))
    return x


def parts_of(x: Any) -> tuple[Any, Any, Any]:
    """Location, draws and coefficients of a value or of plain numbers; these have no slots."""
    if type(x) is Noisy:
        store = x.owned()
        return store.mu[x.at], store.draw[:, x.at], store.coefficient[:, x.at]
    mu = np.asarray(x, dtype=float)
    return mu, np.zeros((0, *mu.shape), dtype=np.int64), np.zeros((0, *mu.shape))


def spread(slots: Any, shape: tuple[int, ...]) -> Any:
    """Slots broadcast to the shape of numbers."""
    lifted = slots.reshape(len(slots), *[1] * (len(shape) + 1 - slots.ndim), *slots.shape[1:])
    target = (len(slots), *shape)
    return lifted if lifted.shape == target else np.broadcast_to(lifted, target)


PROTOCOLS: dict[str, Callable[..., Any]] = {}
"""Treatments of noise, by kind; `ufuncs`, `noisy_arrays` and `whole_numbers` put theirs here."""


class Noisy(np.lib.mixins.NDArrayOperatorsMixin):
    """A float or an array that holds noise. No subclass of either: those have a buffer that compiled code can read."""

    __slots__ = ("__weakref__", "at", "python", "store", "whole")
    __array_priority__ = 1000.0

    def __init__(self, store: Store, at: NDArray[np.int64], whole: bool = False, python: bool = False) -> None:
        self.store, self.at, self.whole, self.python = store, at, whole, python

    def owned(self) -> Store:
        """Return the store, if it belongs to the run under way."""
        tape = current()
        if self.store.tape is not tape:
            raise tape.stop(f"noise of an earlier run is used again at {place()}: the program keeps state")
        return self.store

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ndarray if self.at.ndim else type_of(self)

    ndim, size, strides, flags = (
        property(operator.attrgetter(f"at.{n}")) for n in ("ndim", "size", "strides", "flags")
    )

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers along each axis."""
        return self.at.shape

    @shape.setter
    def shape(self, shape: Any) -> None:
        if not self.at.ndim:
            raise current().stop(f"a single number is given a shape at {place()}")
        self.at = self.at.view()
        self.at.shape = seen(shape)

    dtype = property(lambda self: np.dtype(np.int64 if self.whole else float))
    nbytes = property(lambda self: 8 * self.at.size)
    itemsize = property(lambda self: 8)
    real = property(lambda self: self)
    imag = property(lambda self: np.zeros(self.shape)[()] if self.ndim else KINDS[self.whole, self.python](0))
    T = property(lambda self: self.transpose())
    flat = property(lambda self: self.reshape(-1))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        return PROTOCOLS["universal"](ufunc, method, inputs, out, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return PROTOCOLS["arrays"](function, args, options)

    def __getitem__(self, key: Any) -> Noisy:
        return self.taken(self.at[seen(key)])

    def taken(self, at: Any) -> Noisy:
        """Return the numbers at some of the positions: a view where numpy gives one of an array laid out alike."""
        if type(at) is np.ndarray and np.shares_memory(at, self.at):
            return Noisy(self.store, at, self.whole)
        numbers = Noisy(self.store, np.asarray(at), self.whole)
        if type(at) is not np.ndarray:  # a copy from the next write on; a look makes both plain
            self.store.scalars.append(weakref.ref(numbers))
        return numbers.copy("K") if type(at) is np.ndarray else numbers

    def __setitem__(self, key: Any, value: Any) -> None:
        store = self.owned()
        if not (self.at.ndim and self.at.flags.writeable):  # a number, or an array of no axes, which nobody can tell
            raise store.tape.stop(f"a single number or a read-only array is written to at {place()}")
        if self.whole and not is_whole(value):
            raise store.tape.stop(f"whole numbers are overwritten with others at {place()}")
        at = np.asarray(self.at[seen(key)])
        mu, draw, coefficient = parts_of(value)
        for number in (known() for known in store.scalars):
            if number is not None:
                own = number.copy()
                number.store, number.at = own.store, own.at
        store.scalars.clear()
        store.widen(len(draw))
        store.mu[at] = mu
        store.coefficient[:, at] = 0.0
        if len(draw):
            fits = draw.ndim <= at.ndim + 1
            store.draw[: len(draw), at] = spread(draw, at.shape) if fits else draw
            store.coefficient[: len(draw), at] = spread(coefficient, at.shape) if fits else coefficient

    def __getattr__(self, name: str) -> Any:
        kind = np.ndarray if self.at.ndim else KINDS[self.whole, self.python]
        if name.startswith("__") or not hasattr(EXAMPLES[kind], name):
            if hasattr(EXAMPLES[kind], name) and not name.startswith("__array"):
                raise current().stop(f"{name} of a number that holds noise is not followed, at {place()}")
            raise absent(self, name, kind)
        if not self.at.ndim and self.python:
            return getattr(seen(self), name)
        if name in METHODS:
            return lambda *args, **options: getattr(np, name)(self, *args, **options)
        if name in IN_PLACE:
            return lambda *args, **options: self._in_place(name, *args, **options)
        if name not in PURE:
            raise current().stop(f"{name} of an array that holds noise is not followed, at {place()}")
        return getattr(np.asarray(seen(self)) if self.ndim else seen(self), name)

    def _in_place(self, name: str, *args: Any, **options: Any) -> None:
        """Call a method that changes the numbers, once they are looked at."""
        numbers = np.array(seen(self))
        getattr(numbers, name)(*map(seen, args), **{k: seen(v) for k, v in options.items()})
        self[...] = numbers

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(seen(self), dtype=dtype)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return int(self.shape[0])

    def __copy__(self) -> Noisy:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Noisy:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise current().stop(f"noise is pickled at {place()}")

    def copy(self, order: Any = "C") -> Noisy:
        """Return a copy that shares nothing, laid out as numpy does it."""
        rows = raw_rows(self)
        at = np.empty_like(self.at, order=order)
        at[...] = np.arange(at.size).reshape(at.shape)
        return Noisy(Store(self.store.tape, rows.mu, rows.draw, rows.coefficient), at, self.whole, self.python)

    def reshape(self, *shape: Any, **options: Any) -> Noisy:
        """Return an array of another shape."""
        return self.taken(self.at.reshape(*map(seen, shape), **options))

    def ravel(self, order: Any = "C") -> Noisy:
        """Return a flat array."""
        return self.taken(self.at.ravel(order))

    def flatten(self, order: Any = "C") -> Noisy:
        """Return a flat copy."""
        return self.taken(self.at.flatten(order))

    def transpose(self, *axes: Any) -> Noisy:
        """Return a view with other axes."""
        return Noisy(self.store, self.at.transpose(*axes), self.whole)

    def conj(self) -> Noisy:
        """Return the array itself, as it is real."""
        return self

    conjugate = conj

    def item(self, *index: Any) -> Noisy:
        """One number; still symbolic."""
        found = self.taken(self.at.item(*map(seen, index)))
        found.python = True
        return found

    def tolist(self) -> Any:
        """Nested lists of numbers; still symbolic."""
        return [v.tolist() for v in self] if self.ndim else of_kind(self.copy(), self.whole, True)

    def astype(self, dtype: Any, order: Any = "K", **options: Any) -> Any:
        """Return a copy of floats, or numbers looked at."""
        wanted, simple = np.dtype(dtype), order == "K" and options in ({}, {"copy": False})
        if simple and wanted == self.dtype:
            return self if options else of_kind(self.copy(order), self.whole, False)
        if simple and self.whole and wanted == np.float64:
            return of_kind(self.copy(order), False, False)
        whole: Any = np.trunc(self) if simple and wanted == np.int64 else None
        if type(whole) is Noisy:
            return of_kind(whole, True, False)
        return np.array(seen(self)).astype(dtype, order, **options)

    def fill(self, value: Any) -> None:
        """Write one number everywhere."""
        self[...] = value


def _unnamed(x: Noisy) -> str:
    """End a run that writes out a number with its type, which numpy and Python do in their own ways."""
    raise current().stop(f"repr of a number that holds noise is not followed, at {place()}")


def _looked_at(function: Callable[..., Any]) -> Any:
    return lambda self, *args: function(seen(self), *args)


for _function in (float, complex, str, format, hash):
    setattr(Noisy, f"__{_function.__name__}__", _looked_at(_function))
setattr(Noisy, "__repr__", _unnamed)  # noqa: B010 - a look of its own kind, as those above
Noisy.__bool__ = lambda self: bool(self != 0) if not self.ndim else bool(seen(self))  # type: ignore[attr-defined]
