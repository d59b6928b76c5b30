"""What a function reaches: the functions of the package, and the foreign libraries, named in its code and further on.

Names are followed through the bytecode: a global name and the attributes after it, names imported inside a function,
the variables of an enclosing function. An attribute of anything else is taken for every method of that name that a
class of the package among the global names has.
"""

import dis
import functools
import importlib
import sys
import types

ROOMS = ("dpspectra", "tests")


def name_of(thing):
    """Module and qualified name of a function or class, without the package; the name of a foreign library."""
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    return f"{thing.__module__}.{thing.__qualname__}".removeprefix("dpspectra.")


def closure(function, ends=()):
    """Return the functions of ours that ``function`` reaches, itself included: by name the foreign libraries they name.

    What lies at or below one of the names ``ends`` is left out and not followed.
    """
    found, seen, waiting = {}, set(), [function]
    while waiting:
        thing = waiting.pop()
        name = name_of(thing)
        if thing in seen or any(f"{name}.".startswith(f"{end}.") for end in ends):
            continue
        seen.add(thing)
        named = named_in(thing)
        if isinstance(thing, types.FunctionType):
            found[name] = {name_of(each) for each in named if isinstance(each, types.ModuleType)}
        waiting.extend(each for each in named if not isinstance(each, types.ModuleType))
    return found


@functools.cache
def named_in(thing):
    """Functions and classes of ours and foreign libraries that a function names; the methods of a class."""
    if isinstance(thing, type):
        return tuple(_methods(thing).values())
    cells = [cell.cell_contents for cell in thing.__closure__ or ()]
    values = [*cells, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    values.extend(_values(thing.__code__, thing.__globals__))
    return tuple(dict.fromkeys(found for value in values for found in _followed(value)))


def _values(code, scope):
    """Values of the global names and imports in a code object and in those nested in it, attributes resolved."""
    value = module = None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = scope.get(step.argval)
        elif step.opname == "IMPORT_NAME":
            value = module = importlib.import_module(step.argval)
        elif step.opname == "IMPORT_FROM":
            value = getattr(module, step.argval, module)  # ``import a.b as c`` asks the module ``a.b`` for ``b``
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if not isinstance(value, types.ModuleType):
                yield from _methods_seen(scope["__name__"]).get(step.argval, ())
            value = getattr(value, step.argval) if isinstance(value, types.ModuleType) else None
        elif step.opname not in ("CACHE", "PRECALL", "PUSH_NULL"):
            value = None
        yield value
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _values(constant, scope)


@functools.cache
def _methods_seen(module):
    """Methods by name of all classes of ours among the global names of a module."""
    seen = {}
    for known in vars(sys.modules[module]).values():
        if isinstance(known, type) and _ours(known):
            for name, method in _methods(known).items():
                seen.setdefault(name, []).append(method)
    return seen


def _methods(known):
    """Methods and properties by name that the source of a class defines."""
    plain = {name: getattr(value, "fget", getattr(value, "__func__", value)) for name, value in vars(known).items()}
    source = sys.modules[known.__module__].__file__
    return {
        name: method
        for name, method in plain.items()
        if isinstance(method, types.FunctionType) and method.__code__.co_filename == source
    }


def _followed(value):
    """Functions and classes of ours that a value is, holds or belongs to; the library of anything foreign."""
    if isinstance(value, functools.partial) or hasattr(value, "__wrapped__"):
        return _followed(value.func if isinstance(value, functools.partial) else value.__wrapped__)
    if value is sys.modules:  # whether a library is loaded is asked, and the library is not used
        return []
    if isinstance(value, (tuple, list, set, frozenset, dict)):
        return [found for item in (value.values() if isinstance(value, dict) else value) for found in _followed(item)]
    if isinstance(value, (types.FunctionType, type)) and _ours(value):
        return [value]
    if _ours(type(value)):
        return [type(value)]
    library = _origin(value).split(".")[0]
    return [] if library in (*ROOMS, "builtins") else [importlib.import_module(library)]


def _origin(value):
    """Name of the module that a value comes from."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    return getattr(value, "__module__", None) or type(value).__module__


def _ours(thing):
    return _origin(thing).split(".")[0] in ROOMS
