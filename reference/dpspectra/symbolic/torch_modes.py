"""Modes of torch in a followed run: all operations pass one of them, and functions that the program calls another.

Those that draw say so, and are followed (`torch_sources`) or end the run. So does a draw that passes no mode, as the
state of torch's shared generator then moves, and compiled code of torch that passes none.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic import torch_sources
from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.questions import constant, within
from dpspectra.symbolic.tape import CURRENT, current
from dpspectra.symbolic.torch_memory import RAW, Memory, active
from dpspectra.symbolic.torch_tensors import kinds, torch_of

NAMESPACES = frozenset(("aten", "prim", "prims", "profiler"))
"""Operations of torch itself."""
_PARTS = """
_tensor functional nn optim autograd utils distributions _utils _jit_internal _VF linalg fft special
random types return_types _tensor_str serialization _lowrank _linalg_utils storage _namedtensor_internals _classes
_weights_only_unpickler _C _library _ops _compile
"""
PARTS = frozenset(_PARTS.split())
"""Modules of torch that a followed program may call."""
DISABLING = "utils._python_dispatch"
_OTHERS = "is_grad_enabled get_default_dtype _set_grad_enabled numel element_size is_inference_mode_enabled"
OTHERS = frozenset(_OTHERS.split())
"""Functions of torch in C that pass no mode, and answer alike in all runs."""
WITH = ("__enter__", "__exit__")
"""Methods of settings of torch, which are to be put back; without its modes a run ends elsewhere."""


def permits(function: Any) -> bool:
    """Whether a function of torch in C passes its modes, so that a followed program may call it."""
    memory = active()
    if memory is None:
        return False
    owner = getattr(function, "__self__", None)
    if type(owner) in kinds():
        return function.__name__ in _methods()
    return function in _functions() or function.__name__ in OTHERS or (owner is not None and function.__name__ in WITH)


def guard(function: Any) -> None:
    """End the run if code of torch itself reads noise by a way that is not followed, or asks a generator."""
    memory = active()
    if memory is None:
        return
    owner = getattr(function, "__self__", None)
    if type(owner) is sys.modules["torch"].Generator:
        raise current().stop(f"{function.__name__} of a generator of torch, at {place()}, is not followed")
    if function.__name__ in RAW and type(owner) in kinds() and _unseen():
        memory.guard(function.__name__, owner)


def _unseen() -> bool:
    """Whether functions pass no mode."""
    own = sys.modules["torch"]._C
    return bool(own._is_torch_function_all_disabled() or not own._len_torch_function_stack())


def is_closed(frame: Any) -> bool:
    """Whether code belongs to a module of torch that a followed program may not call."""
    if active() is None:
        return False
    first, _, rest = str(frame.f_globals.get("__name__")).partition(".")
    return first == "torch" and rest != "" and (rest.partition(".")[0] not in PARTS or rest == DISABLING)


@functools.cache
def _methods() -> frozenset[str]:
    torch = sys.modules["torch"]
    ignored, made = torch.overrides.get_ignored_functions(), ("new", "stride", "unflatten")
    refused = {f.__name__ for f in ignored if getattr(f, "__objclass__", None) is torch._C.TensorBase}
    return frozenset(n for n in dir(torch._C.TensorBase) if n not in refused or n.startswith(made))


@functools.cache
def _functions() -> frozenset[Any]:
    torch = sys.modules["torch"]
    own = torch._C
    owners = (own._VariableFunctions, own._nn, own._linalg, own._fft, own._special)
    return frozenset(f for owner in owners for f in (getattr(owner, n) for n in dir(owner)) if type(f) is type(len))


@functools.cache
def _modes() -> tuple[type, type]:
    """Return the modes that operations, and functions of the program, pass; made once torch is there."""
    dispatch: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
    overrides: Any = importlib.import_module("torch.overrides").TorchFunctionMode

    class Operations(dispatch):  # type: ignore[misc]
        @classmethod
        def _should_skip_dynamo(cls) -> bool:  # which would import all of it
            return False

        def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return _operation(current().tensors, operation, args, kwargs or {})

    class Functions(overrides):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return _function(current().tensors, function, args, kwargs or {})

    return Operations, Functions


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """Follow what torch does in the run under way, if torch is loaded."""
    torch = torch_of()
    if torch is None or not CURRENT:
        yield
        return
    tape = current()
    tape.tensors = Memory(tape)
    operations, functions = _modes()
    before = torch.default_generator.get_state()
    with operations(), functions():
        _probe(tape)
        yield
        _probe(tape)
    if not torch.equal(before, torch.default_generator.get_state()):
        tape.stop("torch's generator drew outside of what is followed, or was given a seed")


def _probe(tape: Any) -> None:
    """End a run in which torch's modes do not work, as somebody has disabled them."""
    tape.tensors.passed.clear()
    sys.modules["torch"].zeros(())
    if len(tape.tensors.passed) < 2:
        tape.stop("torch works without its modes, which somebody has disabled")


def _all_tensors(x: Any) -> list[Any]:
    if isinstance(x, sys.modules["torch"].Tensor):
        return [x]
    if isinstance(x, dict):
        x = x.values()
    elif not isinstance(x, (list, tuple)):
        return []
    return [t for item in x for t in _all_tensors(item)]


def _operation(memory: Any, operation: Any, args: Any, options: Any) -> Any:
    """Do an operation of torch: draw what is followed, or compute with noise, or let torch do it."""
    torch = sys.modules["torch"]
    memory.passed.add("operations")
    name = operation.overloadpacket.__name__
    if operation.namespace not in NAMESPACES:
        raise memory.tape.stop(f"{operation} is no operation of torch itself, at {place()}")
    if torch.Tag.nondeterministic_seeded in operation.tags:
        return torch_sources.drawn(memory, operation, name, args, options)
    if not any(map(memory.noisy, _all_tensors([args, options]))):
        return operation(*args, **options)
    given = [*zip(operation._schema.arguments, args, strict=False)]
    given += [(a, options[a.name]) for a in operation._schema.arguments if a.name in options]
    written = [t for a, v in given if a.alias_info is not None and a.alias_info.is_write for t in _all_tensors(v)]
    return memory.computed(operation, args, options, written)


def _function(memory: Any, function: Any, args: Any, options: Any) -> Any:
    """Call a function of torch for the program."""
    torch = sys.modules["torch"]
    memory.passed.add("functions")
    name = getattr(function, "__name__", "")
    if function is torch.tensor and within([*args, *options.values()]):
        return _made(memory, *args, **options)
    if name == "set_":
        raise memory.tape.stop(f"a tensor is given other memory by hand at {place()}")
    if name in RAW and args and isinstance(args[0], torch.Tensor):
        if name in ("item", "tolist", "numpy") and len(args) == 1 and not options and memory.noisy(args[0]):
            return _numbers(memory, name, args[0])
        for t in _all_tensors(args):
            memory.guard(name, t)
    known = dict(memory.handed)
    result = function(*args, **options)
    if name == "__deepcopy__":
        memory.handed = known  # a copy has memory of its own
    return result


def _numbers(memory: Any, name: str, t: Any) -> Any:
    """Return the numbers of a tensor that holds noise, as torch does without it."""
    if name == "numpy":
        return memory.array(t)
    numbers = memory.read(t).copy()
    if name == "tolist":
        return numbers.tolist()
    if numbers.size != 1:
        raise memory.unfollowed("item")
    return numbers.reshape(-1)[0]


def _made(memory: Any, data: Any, **options: Any) -> Any:
    """Return a tensor of numbers of which some hold noise."""
    numbers: list[Noisy] = []

    def plain(x: Any) -> Any:
        if type(x) in (list, tuple):
            return [plain(v) for v in x]
        numbers.append((x if type(x) is Noisy else constant(x)).reshape(-1))
        return (np.zeros(x.shape) if x.ndim else 0.0) if type(x) is Noisy else x

    result = sys.modules["torch"].tensor(plain(data), **options)
    memory.write(result, np.concatenate(numbers).reshape(tuple(result.shape)))
    return result


def replacements() -> list[tuple[Any, str, Any]]:
    """Return replacements for what draws in torch without an operation that says so, if torch is loaded."""
    if torch_of() is None:
        return []
    for made in (_methods, _functions, _modes):
        made()  # while nothing is watched
    return torch_sources.replacements()
