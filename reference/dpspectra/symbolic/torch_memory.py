"""Memory of torch that holds noise: beside torch's own, what torch itself does not know of it.

A tensor is a view of a storage, so noise is remembered by storage: views, ``detach``, ``data``, gradients and writes
in place all see it. In torch's own memory noise is no number: whoever reads it there, by a way that is not followed,
gets none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, rows_of
from dpspectra.symbolic.noisy_rows import noisy_rows
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import constant
from dpspectra.symbolic.tape import CURRENT, Tape
from dpspectra.symbolic.torch_operations import ALIASES, BY_SHAPE, IGNORED, RULES
from dpspectra.symbolic.torch_tensors import bare, copy_of

_HANDED = "data_ptr untyped_storage storage _typed_storage __dlpack__ share_memory_ apply_ map_ map2_"
HANDED = frozenset(_HANDED.split())
"""Methods of tensors after which somebody else may know their memory."""
_RAW = "item tolist numpy __array__ __reduce_ex__ __deepcopy__ as_subclass _make_subclass _make_wrapper_subclass"
RAW = HANDED | frozenset(_RAW.split())
"""Methods that read torch's own memory, or hand it over."""


@dataclass
class Held:
    """A storage that holds noise, which is kept alive, with all numbers in it."""

    storage: Any
    dtype: Any
    numbers: Noisy
    known_elsewhere: bool = False
    """Whether an array of noise shares it."""


class Memory:
    """Noise that the storages of one run hold."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.held: dict[int, Held] = {}
        self.handed: dict[int, Any] = {}
        """Storages that others may know, which are kept alive, too."""
        self.passed: set[str] = set()
        """Modes of torch that something passed."""

    def _held(self, t: Any) -> Held | None:
        if not self.held or str(t.layout) != "torch.strided" or t.device.type != "cpu":
            return None
        found = self.held.get(t.untyped_storage()._cdata)
        if found is not None and (found.dtype != t.dtype or t.is_neg()):
            raise self.tape.stop(f"noise is read as numbers of another type, at {place()}")
        return found

    def noisy(self, t: Any) -> bool:
        """Whether a tensor holds noise."""
        if type(t) in (int, float, bool):
            return False
        with bare():
            held = self._held(t)
            return held is not None and (held.known_elsewhere or bool(np.any(self._mask(self._view(held, t)))))

    def _mask(self, view: Noisy) -> Any:
        return noisy_rows(rows_of(view), self.tape.size)

    @staticmethod
    def _view(held: Held, t: Any) -> Noisy:
        """Return the numbers of a tensor, flat."""
        at = np.full(tuple(t.shape), t.storage_offset(), dtype=np.int64)
        for axis, stride in enumerate(t.stride()):
            shape = [-1 if k == axis else 1 for k in range(t.dim())]
            at = at + np.arange(t.shape[axis], dtype=np.int64).reshape(shape) * stride
        return Noisy(held.numbers.store, np.ravel(at).copy())

    def read(self, t: Any) -> Any:
        """Return the numbers of a tensor, as noise or as an array of numpy."""
        with bare():
            held = self._held(t)
            if held is None:
                return copy_of(t)
            view = self._view(held, t)
            plain = np.flatnonzero(~self._mask(view))
            if not held.known_elsewhere:  # torch may have written there
                view.store.mu[view.at[plain]] = copy_of(t).reshape(-1)[plain]
            some = held.known_elsewhere or len(plain) < view.size
            return view.reshape(tuple(t.shape)) if some else copy_of(t)

    def write(self, t: Any, value: Any) -> None:
        """Write numbers into a tensor."""
        torch = sys.modules["torch"]
        with bare():
            held = self._held(t)
            noisy = type(value) is Noisy and bool(np.any(self._mask(value)))
            if held is None and not noisy:
                numbers = value.store.mu[value.at] if type(value) is Noisy else np.asarray(value)
                t.copy_(torch.from_numpy(np.array(numbers)).reshape(t.shape))
                return
            view = self._view(held or self._begun(t), t)
            view[...] = value.reshape(-1) if type(value) is Noisy else np.asarray(value, dtype=float).reshape(-1)
            plain = np.where(self._mask(view), np.nan, view.store.mu[view.at])
            t.copy_(torch.from_numpy(plain).reshape(t.shape))
            self.tape.single |= t.dtype == torch.float32
            self._forget(t)

    def _begun(self, t: Any) -> Held:
        """Begin to remember what a storage holds."""
        torch, storage = sys.modules["torch"], t.untyped_storage()
        if t.dtype not in (torch.float32, torch.float64) or str(t.layout) != "torch.strided" or t.device.type != "cpu":
            raise self.tape.stop(f"noise in a tensor of {t.dtype} on {t.device} is not followed, at {place()}")
        if not storage.resizable() or storage._cdata in self.handed:
            raise self.tape.stop(f"noise is written to memory of a tensor that others know, at {place()}")
        whole = torch.empty(0, dtype=t.dtype).set_(storage)
        self.held[storage._cdata] = Held(storage, t.dtype, constant(copy_of(whole)))
        return self.held[storage._cdata]

    def _forget(self, t: Any) -> None:
        """Forget a storage that holds no noise any more."""
        held = self._held(t)
        if held is not None and not held.known_elsewhere and not np.any(self._mask(held.numbers)):
            del self.held[held.storage._cdata]

    def guard(self, name: str, t: Any) -> None:
        """End the run if the memory of noise is read; remember whom memory is handed to."""
        if self.noisy(t):
            raise self.unfollowed(name)
        if name in HANDED:
            with bare():
                storage = t.untyped_storage()
                self.handed[storage._cdata] = storage

    def array(self, t: Any) -> Any:
        """Return the array of numpy that shares the memory of noise."""
        if t.dtype != sys.modules["torch"].float64 or t.requires_grad:
            raise self.tape.stop(f"an array of noise of {t.dtype} is not followed, at {place()}: return the tensor")
        with bare():
            held = self._held(t)
            assert held is not None
            held.known_elsewhere = True
            return Noisy(held.numbers.store, self._view(held, t).at.reshape(tuple(t.shape)))

    def unfollowed(self, name: str) -> BaseException:
        """Return the end of a run that does to noise what is not followed."""
        return self.tape.stop(f"{name} of a tensor that holds noise is not followed, at {place()}")

    def computed(self, operation: Any, args: Any, options: Any, written: list[Any]) -> Any:
        """Return what an operation in the list makes of noise."""
        name = operation.overloadpacket.__name__
        aliased = [r.alias_info for r in operation._schema.returns]
        if name in BY_SHAPE | ALIASES or (aliased and all(a is not None and not a.is_write for a in aliased)):
            return operation(*args, **options)
        rule = RULES.get(name.removesuffix("_") if written else name)
        if rule is None or len(written) > 1:
            raise self.unfollowed(f"{name} of torch")
        given = {k: v for k, v in options.items() if k not in IGNORED}
        found = rule(*_each(self.read, args), **_each(self.read, given))
        if found is None:
            raise self.unfollowed(f"{name} of torch")
        result = operation(*args, **options)
        if np.shape(found) != tuple(result.shape):
            raise self.unfollowed(f"{name} of torch, with these shapes,")
        self.write(result, found)
        return result


def _each(read: Callable[[Any], Any], x: Any) -> Any:
    """Return arguments with numbers in place of tensors."""
    if isinstance(x, sys.modules["torch"].Tensor):
        return read(x)
    if isinstance(x, dict):
        return {k: _each(read, v) for k, v in x.items()}
    return type(x)(_each(read, v) for v in x) if type(x) in (list, tuple) else x


def active() -> Memory | None:
    """Return what the run under way knows of torch, if it follows torch."""
    return CURRENT[-1].tensors if CURRENT else None
