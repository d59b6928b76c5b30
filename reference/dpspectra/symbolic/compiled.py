"""Compiled code that nobody follows: what it draws shows from outside only.

Listed are the libraries whose compiled code draws through followed generators, or not at all. Every other package that
ships compiled code counts as drawing, as nobody can see whether it does.
"""

import functools
import importlib.machinery
import os
import sys
import sysconfig
import types
from collections.abc import Callable
from typing import Any

from dpspectra.symbolic.tape import current, following, place

FOLLOWED = sys.stdlib_module_names | {
    *("numpy", "scipy", "pandas", "sklearn", "joblib", "threadpoolctl", "flint", "gmpy2", "dpspectra"),
    *("cffi", "_cffi_backend"),  # but for the libraries that they load
}
"""Packages whose compiled code needs no follower."""
BEHIND = ("jax",)
"""Packages of Python code whose compiled code has a package of its own."""
ENDINGS = (*importlib.machinery.EXTENSION_SUFFIXES, ".so", ".pyd", ".dll", ".dylib")
INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
BY_CTYPES, BY_CFFI, NAMELESS = "a library that ctypes loads", "a library that cffi loads", "a library without a name"
POINTERS = {
    ("ctypes", "CDLL"): BY_CTYPES,
    ("_ctypes", "CFuncPtr"): BY_CTYPES,
    ("cffi.api", "FFILibrary"): BY_CFFI,
    ("_cffi_backend", "Lib"): BY_CFFI,
    ("_cffi_backend", "_CDataBase"): BY_CFFI,
}
"""Classes of Python's and cffi's own for functions of other libraries."""
MADE = 1 << 9
"""Flag of classes that are made while a program runs; none of Python's own builtins is."""


def library(module: Any) -> str | None:
    """Return the package of a loaded module if it ships compiled code that nobody follows, else ``None``."""
    if not isinstance(module, str) or (top := module.partition(".")[0]) in FOLLOWED:
        return None
    file = str(getattr(sys.modules.get(module), "__file__", None))
    return top if file.endswith(ENDINGS) or (top in sys.modules and _ships(top)) else None


@functools.cache
def _ships(top: str) -> bool:
    """Whether a package ships compiled code; of what is not installed only the module itself is asked."""
    folders = [p for p in getattr(sys.modules[top], "__path__", ()) if p.startswith(INSTALLED)]
    files = (name for folder in folders for _, _, names in os.walk(folder) for name in names)
    return top in BEHIND or any(name.endswith(ENDINGS) for name in files)


def is_program(frame: Any) -> bool:
    """Whether code belongs to the program, and not to a library whose compiled code is known."""
    return frame is not None and _is_program(frame.f_globals.get("__name__"))


@functools.cache
def _is_program(module: Any) -> bool:
    return str(module).partition(".")[0] not in FOLLOWED


def behind(function: Any) -> str | None:
    """Return the package of a function that is written in C, ``None`` if it needs no follower."""
    owner = function.__self__
    if isinstance(owner, types.ModuleType):
        module: Any = owner.__name__
    elif owner is None or type(owner).__name__ == "PyCapsule":
        module = function.__module__
    else:
        kinds = (owner if isinstance(owner, type) else type(owner)).__mro__
        if (what := _pointed(kinds)) is not None:
            return what
        module = _module(next((k for k in kinds if function.__name__ in vars(k)), kinds[0]))
    top = NAMELESS if module is None else str(module).partition(".")[0]
    return None if top in FOLLOWED else top


def _module(kind: type) -> str:
    """Return the module of a class; some libraries leave their own without one, which then look like Python's."""
    made = kind.__flags__ & MADE and kind.__module__ == "builtins"
    return NAMELESS if made else kind.__module__


def of_thing(thing: Any) -> str | None:
    """Return what a module, a class, a function or an object can call of such code, ``None`` if nothing is known."""
    if isinstance(thing, types.ModuleType):
        return library(thing.__name__)
    kinds = thing.__mro__ if isinstance(thing, type) else type(thing).__mro__
    if (what := _pointed(kinds)) is not None:
        return what
    own = [] if isinstance(thing, type) or not callable(thing) else [getattr(thing, "__module__", None)]
    return next((found for found in map(library, (*own, *(k.__module__ for k in kinds))) if found), None)


def _pointed(kinds: tuple[type, ...]) -> str | None:
    return next((POINTERS[k.__module__, k.__name__] for k in kinds if (k.__module__, k.__name__) in POINTERS), None)


def is_imported(frame: Any) -> bool:
    """Whether code runs because a module is imported, which happens once."""
    while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def stop(what: str) -> BaseException:
    """Return the end of a run that calls compiled code."""
    return current().stop(f"compiled code of {what} is called at {place()}: its noise shows from outside only")


def by_program() -> bool:
    """Whether the program itself is what called ctypes."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in ("ctypes", "ctypes.util", __name__, _HOOK):
        frame = frame.f_back
    return is_program(frame)


_HOOK = "dpspectra.symbolic.choke_points"


def replacements() -> list[tuple[Any, str, Any]]:
    """Return replacements for what calls compiled functions that Python has no event for: of numba and of ctypes."""
    found: list[tuple[Any, str, Any]] = []
    for module, name, methods in (
        ("numba.core.dispatcher", "Dispatcher", ("__call__", "compile")),
        ("numba.np.ufunc.dufunc", "DUFunc", ("__call__",)),
    ):
        if module in sys.modules:
            kind = getattr(sys.modules[module], name)
            found += [(kind, method, _unfollowed(getattr(kind, method), "numba")) for method in methods]
    if "_ctypes" in sys.modules:
        base: Any = sys.modules["_ctypes"].CFuncPtr
        found += [(kind, "__call__", _unfollowed(base.__call__, BY_CTYPES)) for kind in _below(base)]
    return found


def _below(kind: Any) -> set[Any]:
    return {k for below in kind.__subclasses__() for k in (below, *_below(below))}


def _unfollowed(real: Callable[..., Any], what: str) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **options: Any) -> Any:
        if is_program(sys._getframe(1)) and following():
            raise stop(what)
        return real(self, *args, **options)

    return called
