"""Compiled code that nobody follows: what it draws shows from outside only.

Listed are the libraries, and modules of Python, whose compiled code draws through followed generators, or not at all.
Everything else that is compiled counts as drawing, as nobody can see whether it does.
"""

import builtins
import functools
import importlib.machinery
import os
import random
import sys
import sysconfig
import types
from collections.abc import Callable
from typing import Any

from dpspectra.contents.object_state import HEAP
from dpspectra.symbolic import torch_memory, torch_modes, torch_tensors
from dpspectra.symbolic.bit_generators import known_kinds
from dpspectra.symbolic.program_lines import SKIPPED, place
from dpspectra.symbolic.tape import current, following

FOLLOWED = frozenset((*SKIPPED, "threadpoolctl", "dpspectra"))
"""Packages whose compiled code needs no follower."""
LOADERS = frozenset(("cffi", "_cffi_backend"))
"""Packages that load compiled code of others, which is recognised by itself."""
LISTED = FOLLOWED | LOADERS | sys.stdlib_module_names
"""Packages that are not asked whether they ship compiled code."""
_WORDS = (
    "builtins math cmath operator _operator functools _functools itertools collections _collections "
    "_collections_abc struct _struct array json _json re _sre csv _csv copyreg pickle _pickle marshal string "
    "_string codecs _codecs _multibytecodec unicodedata _locale decimal _decimal datetime _datetime zoneinfo "
    "_zoneinfo bisect _bisect heapq _heapq _statistics zlib _bz2 bz2 _lzma lzma binascii _hashlib _md5 _sha1 "
    "_sha2 _sha256 _sha512 _sha3 _blake2 _hmac abc _abc types typing _typing weakref _weakref contextvars "
    "_contextvars warnings _warnings errno _stat _opcode _ast _imp _frozen_importlib importlib zipimport _thread "
    "threading _queue queue atexit _tracing _io io time _ctypes ctypes _elementtree xml pyexpat _symtable "
    "_tokenize _suggestions "
)
OF_PYTHON = frozenset(_WORDS.split())
"""Modules of Python that always answer alike, except where the choke points look."""
_POSIX = "fspath getcwd getpid _path_normpath open close write fork forkpty system"
_SYS = "_getframe intern exc_info exception getrecursionlimit getsizeof audit getswitchinterval"
_GC = "enable disable isenabled collect"
PARTLY = {name: frozenset(words.split()) for name, words in {"posix": _POSIX, "sys": _SYS, "gc": _GC}.items()}
"""Functions of other modules of Python that do."""
BEHIND = ("jax",)
"""Packages of Python code whose compiled code has a package of its own."""
ENDINGS = (*importlib.machinery.EXTENSION_SUFFIXES, ".so", ".pyd", ".dll", ".dylib")
INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
"""Folders of modules that no user writes."""
BY_CTYPES, BY_CFFI, NAMELESS = "a library that ctypes loads", "a library that cffi loads", "a library without a name"
POINTERS = {
    ("ctypes", "CDLL"): BY_CTYPES,
    ("_ctypes", "CFuncPtr"): BY_CTYPES,
    ("cffi.api", "FFILibrary"): BY_CFFI,
    ("_cffi_backend", "Lib"): BY_CFFI,
    ("_cffi_backend", "_CDataBase"): BY_CFFI,
}
"""Classes of Python's and cffi's own for functions of other libraries."""
FUNCTIONS = ("function", "builtin_function_or_method", "cython_function_or_method", "fused_cython_function")
OUTSIDE = "its noise shows from outside only"


def library(module: Any) -> str | None:
    """Return the package of a loaded module if it ships compiled code that nobody follows, else ``None``."""
    if not isinstance(module, str) or (top := _package(module)) in LISTED:
        return None
    file = str(getattr(sys.modules.get(module), "__file__", None))
    folders = getattr(sys.modules.get(top), "__path__", ())
    behind = top in BEHIND and top in sys.modules
    return top if file.endswith(ENDINGS) or behind or _ship(tuple(folders)) else None


@functools.cache
def _ship(folders: tuple[str, ...]) -> bool:
    """Whether folders of a package hold compiled code; of what is not installed only the module itself is asked."""
    installed = (folder for folder in folders if folder.startswith(INSTALLED))
    files = (name for folder in installed for _, _, names in os.walk(folder) for name in names)
    return any(name.endswith(ENDINGS) for name in files)


_RANDOM = random.Random  # which is another one in followed runs


def _package(module: Any) -> str:
    return _first(str(module))  # a program may name its module by anything, also by what has no hash


@functools.cache
def _first(module: str) -> str:
    return module.partition(".")[0]


def _package_of(frame: Any) -> str:
    return _package(frame.f_globals.get("__name__"))


def is_unknown(frame: Any) -> bool:
    """Whether code belongs to the program or to Python, and not to a library whose compiled code is known."""
    return frame is not None and not _is_known(frame.f_globals.get("__name__"))


def _is_known(module: Any) -> bool:
    package = _package(module)
    return package in FOLLOWED or (package == "torch" and torch_memory.active() is not None)


def is_ours(frame: Any) -> bool:
    """Whether code belongs to this package."""
    return _package(frame.f_globals.get("__name__")) == "dpspectra"


def is_followed(kind: type) -> bool:
    """Whether a class belongs to a library whose compiled code is known."""
    return _package(kind.__module__) in FOLLOWED


def behind(function: Any) -> str | None:
    """Return what a function that is written in C belongs to, ``None`` if it needs no follower."""
    owner = function.__self__
    held = owner is not None and not isinstance(owner, (types.ModuleType, type))
    whose: Any = type(owner) if held else owner
    found = _behind(whose, function.__name__, function.__module__)
    return None if found in ("torch", NAMELESS) and torch_modes.permits(function) else found


@functools.lru_cache(maxsize=4096)
def _behind(owner: Any, name: str, module: Any) -> str | None:
    if isinstance(owner, types.ModuleType):
        module = owner.__name__
    elif isinstance(owner, type) and owner.__name__ != "PyCapsule":
        if (what := _pointed(owner.__mro__)) is not None:
            return what
        kinds = (k for k in owner.__mro__ if not isinstance(vars(k).get(name, _python), types.FunctionType))
        named, module = module, _module(next(kinds, owner))
        if module.startswith("pybind11_builtins") and isinstance(named, str) and _package(named) not in LISTED:
            module = named
        if module == "_random":  # one of Python's own class draws its seed by itself
            return None if issubclass(owner, _RANDOM) else "_random.Random"
    top = NAMELESS if module is None else _package(module)
    if top in sys.stdlib_module_names:
        return None if top in OF_PYTHON or name in PARTLY.get(top, ()) else f"{top}.{name}"
    return None if top in FOLLOWED | LOADERS else top


def _python() -> None:
    """Stand for a function that is not there."""


def _module(kind: type) -> str:
    """Return the module of a class; some libraries leave their own without one, which then look like Python's."""
    made = kind.__flags__ & HEAP and kind.__module__ == "builtins"
    return NAMELESS if made else kind.__module__


def of_thing(thing: Any) -> str | None:
    """Return what a module, a class, a function or an object can call of such code, ``None`` if nothing is known.

    Compiled code of torch is asked about while a run goes on.
    """
    found = _of_thing(thing)
    return None if found == "torch" and torch_tensors.is_open(thing) else found


def _of_thing(thing: Any) -> str | None:
    if issubclass(type(thing), types.ModuleType):
        return library(thing.__name__)
    is_class = issubclass(type(thing), type)
    kinds = thing.__mro__ if is_class else type(thing).__mro__
    if kinds[0] in known_kinds():
        return None
    if (what := _pointed(kinds)) is not None:
        return what
    own = [getattr(thing, "__module__", None)] if type(thing).__name__ in FUNCTIONS else []
    return next((found for found in map(library, (*own, *(k.__module__ for k in kinds))) if found), None)


def _pointed(kinds: tuple[type, ...]) -> str | None:
    return next((POINTERS[k.__module__, k.__name__] for k in kinds if (k.__module__, k.__name__) in POINTERS), None)


def is_on_behalf_of_others(frame: Any) -> bool:
    """Whether code of Python runs because a module is imported, which happens once, or for a library that is known.

    What began before the run does not count: it may be an import itself.
    """
    name = None
    while frame is not None and not _begins_a_run(frame):
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        if name is None and _package_of(frame) not in sys.stdlib_module_names:
            name = _package_of(frame)
        frame = frame.f_back
    return name is not None and _is_known(name)


def _begins_a_run(frame: Any) -> bool:
    return is_ours(frame) and bool(frame.f_code.co_name == "_called")


def is_by_others(frame: Any) -> bool:
    """Whether code belongs neither to Python nor to a library that is known."""
    return is_unknown(frame) and _package_of(frame) not in sys.stdlib_module_names


def stop(what: str) -> BaseException:
    """Return the end of a run that calls compiled code."""
    return current().stop(f"compiled code of {what} is called at {place()}: {OUTSIDE}")


def replacements() -> list[tuple[Any, str, Any]]:
    """Return replacements for what Python has no event for: imports in a run, and calls by numba and by ctypes."""
    found: list[tuple[Any, str, Any]] = [(builtins, "__import__", _importing(builtins.__import__))]
    found.append((importlib, "import_module", _importing(importlib.import_module)))
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


def _importing(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what imports a module, and ends the run of a program that can call compiled code of it then."""

    @functools.wraps(real)
    def imported(*args: Any, **options: Any) -> Any:
        found = real(*args, **options)
        frame = sys._getframe(1)
        if not is_unknown(frame) or not following() or is_on_behalf_of_others(frame):
            return found
        names = (args[3:4] or (options.get("fromlist"),))[0] or ()
        for thing in (found, *(getattr(found, name) for name in names if name in vars(found))):
            if (what := of_thing(thing)) is not None:
                raise stop(what)
        return found

    return imported


def _below(kind: Any) -> set[Any]:
    return {k for below in kind.__subclasses__() for k in (below, *_below(below))}


def _unfollowed(real: Callable[..., Any], what: str) -> Callable[..., Any]:
    def called(self: Any, *args: Any, **options: Any) -> Any:
        if following() and not is_on_behalf_of_others(sys._getframe(1)):
            raise stop(what)
        return real(self, *args, **options)

    return called
