"""Operations of torch on noise that are followed, as functions of numbers that hold noise; all others end the run."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.questions import largest, within

_BY_SHAPE = """
zeros_like ones_like empty_like full_like new_zeros new_ones new_empty new_full new_empty_strided sym_size sym_stride
sym_numel sym_storage_offset is_same_size
"""
BY_SHAPE = frozenset(_BY_SHAPE.split())
"""Operations that do not read the numbers of a tensor."""
ALIASES = frozenset(("_unsafe_view", "_reshape_alias"))
"""Operations that give a view, although they do not say so."""
IGNORED = frozenset(("dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "out"))
"""Options that a result shows; what the list does not know as noise in its type ends the run."""


def _float(x: Any) -> Any:
    """Return numbers as floats: whole ones of few bits wrap."""
    return x if type(x) is Noisy else np.asarray(x, dtype=float)


def _add(x: Any, y: Any, alpha: Any = 1) -> Any:
    return _float(x) + (_float(y) if alpha == 1 else _float(y) * alpha)


def _times(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a product of which one factor at most holds noise."""

    def rule(x: Any, y: Any, *rest: Any, **options: Any) -> Any:
        return None if len(within([x, y])) > 1 or rest or options else function(_float(x), _float(y))

    return rule


def _div(x: Any, y: Any, rounding_mode: Any = None) -> Any:
    return None if rounding_mode is not None or within([y]) else np.true_divide(x, _float(y))


def _matmul(x: Any, y: Any) -> Any:
    return np.matmul(x, y) if 1 <= np.ndim(x) <= 2 and 1 <= np.ndim(y) <= 2 else None


def _sum(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    axes = None if dim is None or dim == [] else tuple(np.atleast_1d(dim) % max(x.ndim, 1))
    return np.sum(x, axis=axes, keepdims=keepdim) if x.ndim else x.copy()


def _mean(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    total = _sum(x, dim, keepdim)
    return total * (total.size / x.size)


def _addmm(x: Any, y: Any, z: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return None if len(within([y, z])) > 1 else _add(_float(x) * beta, np.matmul(_float(y), _float(z)), alpha)


def _copied(x: Any, source: Any, *rest: Any) -> Any:
    return np.broadcast_to(source, np.shape(x))


def _filled(x: Any, value: Any) -> Any:
    return np.broadcast_to(value if type(value) is Noisy else np.asarray(value, dtype=float), np.shape(x))


def _index(x: Any, indices: Any) -> Any:
    """Return entries; torch takes whole numbers of 8 bits without a sign for true and false, numpy does not."""
    refused = within(list(indices)) or any(i is not None and i.dtype == np.uint8 for i in indices)
    return None if refused else x[tuple(slice(None) if i is None else i for i in indices)]


def _argmax(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.int64(largest(x)) if x.ndim == 1 and dim in (None, 0, -1) and not keepdim else None


RULES: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": lambda x, y, alpha=1: _add(x, y, -alpha),
    "rsub": lambda x, y, alpha=1: _add(y, x, -alpha),
    "mul": _times(np.multiply),
    "div": _div,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "log": np.log,
    "sum": _sum,
    "mean": _mean,
    "mm": _times(_matmul),
    "mv": _times(_matmul),
    "dot": _times(_matmul),
    "addmm": _addmm,
    "clone": lambda x: x.copy(),
    "_to_copy": lambda x: x.copy(),
    "copy": _copied,
    "fill": _filled,
    "zero": lambda x: np.zeros(np.shape(x)),
    "cat": lambda tensors, dim=0: np.concatenate(tensors, axis=dim),
    "stack": lambda tensors, dim=0: np.stack(tensors, axis=dim),
    "index": _index,
    "index_select": lambda x, dim, index: None if within([index]) else np.take(x, index, axis=dim),
    "gt": np.greater,
    "lt": np.less,
    "ge": np.greater_equal,
    "le": np.less_equal,
    "argmax": _argmax,
}
"""Operations on noise that are followed."""
