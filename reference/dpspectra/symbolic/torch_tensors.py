"""Tensors of torch: which of them are known whole, and what they are. torch is never imported here.

Noise, which their memory does not show, is known to the run under way (`torch_memory`).
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dpspectra.symbolic.tape import CURRENT

_KNOWN = "float32 float64 int64 int32 int16 int8 uint8 bool"
KNOWN = frozenset(f"torch.{name}" for name in _KNOWN.split())
"""Types of numbers that numpy has, too."""


def torch_of() -> Any:
    """Return torch, if it is loaded as a whole; it is never imported here."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "overrides") and hasattr(torch, "distributions") else None


def kinds() -> tuple[type, ...]:
    """Return the types of tensors whose state is known."""
    torch = torch_of()
    return () if torch is None else (torch.Tensor, torch.nn.Parameter)


def is_open(thing: Any) -> bool:
    """Whether nothing of torch is hidden in a thing: it is code, a tensor, or a network or an optimiser in Python."""
    torch = torch_of()
    if torch is None:
        return False
    if isinstance(thing, (types.ModuleType, type)) or type(thing).__name__ in (
        "function",
        "builtin_function_or_method",
    ):
        return True
    still = (torch.dtype, torch.device, torch.Size, torch.layout, torch.memory_format)
    made = isinstance(thing, (torch.nn.Module, torch.optim.Optimizer, torch.distributions.Distribution))
    return type(thing) in (*kinds(), *still) or (made and not isinstance(thing, torch.jit.ScriptModule))


def remembered(t: Any) -> tuple[Callable[[], bool], Callable[[], None]] | None:
    """Return whether a tensor differs from what it is now, and what puts it back; ``None`` if it is not known whole."""
    if isinstance(found := opened(t), str):
        return None
    before, gradient, kind = found.numbers.tobytes(), t.grad, found.kind

    def differs() -> bool:
        now = opened(t)
        return isinstance(now, str) or (now.numbers.tobytes(), now.kind) != (before, kind) or t.grad is not gradient

    def put() -> None:
        with bare():
            t.detach().copy_(sys.modules["torch"].from_numpy(found.numbers))
            t.grad = gradient

    return differs, put


@dataclass
class Opened:
    """All that a tensor is: what an array of noise does not show, its numbers, its gradient and attributes by name."""

    kind: tuple[Any, ...]
    numbers: Any
    beside: list[tuple[str, Any]]


def opened(t: Any) -> Opened | str:
    """Take a tensor apart, or say what keeps it from being known."""
    if str(t.layout) != "torch.strided" or t.device.type != "cpu" or t.is_conj() or t.is_neg() or t.is_quantized:
        return "of an unusual layout"
    if t.grad_fn is not None:
        return "that remembers what it was computed from"
    if str(t.dtype) not in KNOWN or t._backward_hooks or getattr(t, "_post_accumulate_grad_hooks", None):
        return f"of the type {t.dtype}, or with hooks"
    memory = CURRENT[-1].tensors if CURRENT else None
    numbers = memory.read(t) if memory is not None else copy_of(t)
    beside = [("grad", t.grad), *(("attribute", pair) for pair in vars(t).items())]
    kind = (type(t).__name__, tuple(t.stride()), t.storage_offset(), t.requires_grad, t.is_inference())
    return Opened(kind, numbers, [(name, value) for name, value in beside if value is not None])


@contextlib.contextmanager
def bare() -> Iterator[None]:
    """Let torch work without being followed."""
    own = sys.modules["torch"]._C
    with own._DisableTorchDispatch(), own.DisableTorchFunction(), own._AutoDispatchBelowAutograd():
        yield


@contextlib.contextmanager
def steady() -> Iterator[None]:
    """Put back afterwards what a run that was ended may have left of torch's settings."""
    torch = torch_of()
    grad, kind = (None, None) if torch is None else (torch.is_grad_enabled(), torch.get_default_dtype())
    try:
        yield
    finally:
        if torch is not None and (grad, kind) != (torch.is_grad_enabled(), torch.get_default_dtype()):
            torch.set_grad_enabled(grad)
            torch.set_default_dtype(kind)
            if CURRENT:
                CURRENT[-1].stop("the settings of torch are changed")


def copy_of(t: Any) -> Any:
    """Return the numbers of a tensor as an array of its own."""
    torch = sys.modules["torch"]
    return t.detach().to(torch.float64 if t.is_floating_point() else t.dtype, copy=True).numpy()
