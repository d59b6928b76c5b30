"""One declaration for each option: the field of a record, from which grammar, check and keyword follow."""

import argparse
import dataclasses
import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args, get_origin

from dpspectra.ground.values import nearest


def count(text: str) -> int:
    """Read a positive integer."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive integer, got {text!r}")
    return int(text)


def seed(text: str) -> int:
    """Read a non-negative integer."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a non-negative integer, got {text!r}")
    return int(text)


def integer(text: str) -> int:
    """Read an integer."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, such as 2, got {text!r}") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, such as 2, 1e-6 or .1 for 10%, got {text!r}") from None


READERS: dict[Any, Callable[[str], Any]] = {int: integer, float: number}
"""How types of fields are read, if not by themselves."""


class Parser(argparse.ArgumentParser):
    """A grammar whose refusals show the usage of their own command, and the names that a misspelt one is near to."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all there is: what is left over is refused here."""
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            near = "".join(nearest(word.partition("=")[0], self._option_string_actions) for word in extra)
            worded = any(not action.option_strings for action in self._actions) and not extra[0].startswith("-")
            quotes = "; put quotes around several words" if worded else ""
            self.error(f"unrecognized arguments: {' '.join(extra)}{near}{quotes}")
        return found, extra

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as refusal:
            refusal.message += nearest(value, action.choices or ())
            raise


def point(text: str) -> tuple[float, float]:
    """Read ORDER:AMOUNT."""
    order, _, amount = text.partition(":")
    try:
        return float(order), float(amount)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be ORDER:AMOUNT, such as 8:0.5, got {text!r}") from None


class Instead(argparse.Action):
    """Keeps its value, and makes the positional argument called ``replaced`` optional once it is given.

    A positional argument that is optional from the start (``nargs="?"``) takes nothing if options come before it.
    """

    def __init__(self, *names: Any, replaced: str, **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.replaced = replaced

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Note the value."""
        setattr(namespace, self.dest, values)
        next(action for action in parser._actions if action.dest == self.replaced).required = False


def option(
    text: str,
    metavar: str | tuple[str, ...] | None = None,
    *,
    flag: str | None = None,
    group: tuple[str, ...] | str | None = None,
    check: Callable[[Any], object] | None = None,
    keyword: str | None = None,
    **settings: Any,
) -> Any:
    """Declare a field as an option with a help text; a field of which no ``None`` and no default is said is required.

    The type of the field says what is read. A ``group`` is a title, and perhaps a description; options of which one is
    needed share a word instead. ``check`` is called with a value that is not ``None``, after all are read. ``keyword``
    is the parameter of functions that the option is for, if it is called otherwise. All else is as in ``add_argument``.
    """
    settings = {"help": text} | ({"metavar": metavar} if metavar else {}) | settings
    return dataclasses.field(
        metadata={"settings": settings, "flag": flag, "group": group, "check": check, "keyword": keyword}
    )


def argument(text: str, metavar: str | None = None, **settings: Any) -> Any:
    """Declare a field as a positional argument."""
    return option(text, metavar, flag="", **settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Options of a command, each by its name."""

    EPILOG: ClassVar[str] = ""
    """Lines after the help of the options."""

    @classmethod
    def declare(cls, parser: argparse.ArgumentParser) -> None:
        """Add the options to the grammar of the command."""
        if cls.EPILOG:
            parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, cls.EPILOG
        places: dict[Any, Any] = {None: parser}
        for field in cls._declared():
            group = field.metadata["group"]
            if group not in places and isinstance(group, str):
                places[group] = parser.add_mutually_exclusive_group(required=True)
            elif group not in places:
                places[group] = parser.add_argument_group(*group)
            names, settings = _spelled(field)
            places[group].add_argument(*names, **settings)

    @classmethod
    def _declared(cls) -> Iterator[dataclasses.Field[Any]]:
        """Fields in the order of the help: ``--json``, then those of the command, then those that it shares."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        names = [name for kind in cls.__mro__ for name in inspect.get_annotations(kind) if name in fields]
        yield from (fields[name] for name in sorted(names, key=lambda name: name != "json"))

    @classmethod
    def of(cls, args: argparse.Namespace) -> Self:
        """Read what was parsed; lists become tuples. Raises ``ValueError`` for a value that a check refuses."""
        given = {field.name: getattr(args, field.name) for field in dataclasses.fields(cls)}
        for field in cls._declared():
            if field.metadata["check"] is not None and given[field.name] is not None:
                field.metadata["check"](given[field.name])
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})

    def changed(self) -> list[str]:
        """Return the options that have other values than by default, as they are spelled."""
        found = []
        for field in self._declared():
            (name,), settings = _spelled(field)
            default = settings.get("default", False if settings.get("action") == "store_true" else None)
            if getattr(self, field.name) != (tuple(default) if isinstance(default, list) else default):
                found.append(name)
        return found

    def keywords(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the options that are keyword-only parameters of a function, by the names that they have there."""
        taken = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        named = {field.metadata["keyword"] or field.name: field.name for field in dataclasses.fields(self)}
        return {name: getattr(self, named[name]) for name in taken if name in named}


def _spelled(field: dataclasses.Field[Any]) -> tuple[list[str], dict[str, Any]]:
    """Names and settings of an option, for ``add_argument``."""
    settings, flag, kind = dict(field.metadata["settings"]), field.metadata["flag"], field.type
    optional = isinstance(kind, types.UnionType)
    if optional:
        (kind,) = (each for each in get_args(kind) if each is not types.NoneType)
    optional = optional or "default" in settings
    if settings.get("default") == ():
        settings["default"] = []
    if "action" not in settings and kind is bool:
        settings["action"] = "store_true"
    elif settings.get("action") not in (None, Instead):
        pass
    elif get_origin(kind) is tuple:
        first, *others = get_args(kind)
        several = "*" if flag == "" and optional else "+"
        many = several if others == [...] else 1 + len(others)
        settings = {"type": READERS.get(first, first), "nargs": many} | settings
    else:
        settings = {"type": READERS.get(kind, kind)} | ({"nargs": "?"} if flag == "" and optional else {}) | settings
    if flag == "":
        return [field.name], settings
    if kind is not bool and not isinstance(field.metadata["group"], str):
        settings["required"] = not optional
    return [flag or f"--{field.name.replace('_', '-')}"], settings | {"dest": field.name}
