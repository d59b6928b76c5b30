"""The subject of ``dpspectra audit``: a mechanism imported by name, or a program, and a pair of data sets.

Used by `dpspectra.commands.audit`. `Subject.description` and `fingerprint` are written into records and compared by
``--resume``: if either changes, older records can no longer be resumed. `default_pair` must stay a pair of neighbours
under every relation, so that no claim is refuted by a pair it does not cover; `write_pair` must round-trip through
`dpspectra.commands.inputs.read_pair`. `imported` runs the user's module and puts the current folder on ``sys.path``.
"""

import functools
import hashlib
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.audit import GDP, ApproxDP, CurveClaim, PureDP
from dpspectra.audit.adapters import from_command
from dpspectra.audit.calling.arguments import checked_function
from dpspectra.audit.calling.caller import SEED_NAMES, SIZE
from dpspectra.audit.pairs.neighbours import FORMS, in_form
from dpspectra.commands.inputs import Pair
from dpspectra.ground import checks
from dpspectra.report.files import write_text

ANSWER = 10.0
"""Seconds in which a program must answer."""
GIVEN = (SIZE, *SEED_NAMES)
"""Parameters to which the auditor gives values."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of an audit: a mechanism, a pair of data sets, and the declared support, if any."""

    name: str
    identity: Mapping[str, Any]
    """Identity of the mechanism: its name and arguments, or a program's command and own name."""
    support_name: str | None
    mechanism: Callable[..., Any]
    support: Callable[[Any, Any], Any] | None
    pair: Pair

    @property
    def description(self) -> dict[str, Any]:
        """JSON object that identifies the subject: names, arguments and hashes of the two data sets."""
        pair = [fingerprint(data) for data in self.pair]
        return {**self.identity, "support": self.support_name, "pair": pair}


def subject(name: str, claim: CurveClaim, arguments: Sequence[str], pair: Pair, support: str | None) -> Subject:
    """Find a mechanism and bind its arguments (``NAME=VALUE``).

    Required arguments called ``epsilon``, ``delta`` or ``mu`` are set to the value in the claim, if it has one. Raises
    ``ValueError`` if a name cannot be imported, or an argument is malformed or none that the mechanism takes.
    """
    mechanism, given = checked_function(imported(name), name), given_arguments(arguments)
    check_names(given, {name: accepted(mechanism)})
    numbers = asdict(claim) if isinstance(claim, (PureDP, ApproxDP, GDP)) else {}
    claimed = {key: value for key, value in numbers.items() if key in required(mechanism)}
    bound = claimed | given
    with_arguments = functools.partial(mechanism, **bound) if bound else mechanism
    return Subject(name, {"mechanism": name, "arguments": bound}, support, with_arguments, _support(support), pair)


@contextmanager
def program_subject(command: str, pair: Pair, support: str | None, seconds: float) -> Iterator[Subject]:
    """Start a program that speaks the line protocol, and end it at the end.

    It is given `ANSWER` for each answer, and no more than the time of the audit.

    Raises ``ValueError`` if it cannot be run, or says anything that the protocol does not allow.
    """
    declared = _support(support)
    with from_command(command, pair, timeout=min(ANSWER, seconds / 4)) as mechanism:
        yield Subject(command, {"command": command, "program": mechanism.name}, support, mechanism, declared, pair)


def _support(name: str | None) -> Any:
    return None if name is None else imported(name)


def imported(name: str) -> Any:
    """Import ``package.module:attribute``; the attribute may be dotted, and the current folder is searched too."""
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise ValueError(f"a callable must be named package.module:callable, got {name!r}")
    if module_name.endswith(".py"):
        dotted = ".".join(Path(module_name).with_suffix("").parts)
        raise ValueError(f"a callable must be named package.module:callable, got {name!r}: write {dotted}:{path}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        thing = functools.reduce(getattr, path.split("."), importlib.import_module(module_name))
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except SystemExit as problem:
        said = f"the module called sys.exit({problem.code!r}) while it was imported"
        raise ValueError(f"{name} must be importable: {said}") from None
    except BaseException as problem:  # whatever a module does when it is imported
        raise ValueError(f"{name} must be importable, got {type(problem).__name__}: {problem}") from None
    if not callable(thing):
        raise ValueError(f"{name} must be callable, got {type(thing).__name__}")
    return thing


def given_arguments(texts: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` texts; a value is JSON, or else the text itself.

    Raises ``ValueError`` for another form, a name that comes twice, or one that is the auditor's to give.
    """
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.isidentifier() and equals):
            raise ValueError(f"an argument must be given as NAME=VALUE, got {text!r}")
        if name in GIVEN:
            raise ValueError(f"--with must leave {', '.join(GIVEN)} to the auditor, got {text!r}")
        if name in given:
            raise ValueError(f"--with must give each argument once, got {name} twice")
        try:
            given[name] = json.loads(value)
        except json.JSONDecodeError:
            given[name] = value
    return given


def check_names(given: Mapping[str, Any], known: Mapping[str, Sequence[str] | None]) -> None:
    """Raise ``ValueError`` for an argument that nobody takes; ``known`` has what each callable takes (`accepted`)."""
    for argument in given:
        if not any(names is None or argument in names for names in known.values()):
            found = "; ".join(f"{who} takes {', '.join(names or ()) or 'none'}" for who, names in known.items())
            raise ValueError(f"--with must name a parameter, got {argument!r}: {found}")


def accepted(function: Callable[..., Any]) -> list[str] | None:
    """Names of `parameters`; ``None`` if any name will do, or nobody knows."""
    try:
        kinds = [p.kind for p in inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # some callables written in C have no signature
        return None
    return None if inspect.Parameter.VAR_KEYWORD in kinds else list(parameters(function))


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Parameters by name, without the first one, which is for the data set, and those that are the auditor's."""
    try:
        others = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: p for p in others if p.kind in named and p.name not in GIVEN}


def required(function: Callable[..., Any]) -> list[str]:
    """Names of `parameters` that have no default."""
    return [name for name, p in parameters(function).items() if p.default is inspect.Parameter.empty]


def default_pair(dimension: int, form: str = "rows") -> Pair:
    """Two rows of length 1 in the given dimension; the second becomes zero. Or their sums or Gram matrices.

    The two are neighbours under replacement, removal and zeroing of a row alike, so no claim is refuted by a pair that
    it does not cover. Their second moments differ by a matrix of rank one and norm one.
    """
    first = np.zeros((2, checks.integer(dimension, "dimension", 1)))
    first[0, 0] = first[1, -1] = 1.0
    second = first.copy()
    second[1] = 0.0
    checks.choice(form, "form", FORMS)
    return in_form(first, form), in_form(second, form)


def write_pair(path: Path, pair: Pair) -> None:
    """Write two arrays so that `read_pair` reads them back exactly."""
    first, second = (np.asarray(data).tolist() for data in pair)
    write_text(path, json.dumps({"first": first, "second": second}) + "\n")


def fingerprint(data: Any) -> str:
    """SHA-256 hash of a data set, including the type and shape of an array, in hexadecimal digits."""
    if isinstance(data, np.ndarray):
        content = f"{data.dtype.str}{data.shape}".encode() + np.ascontiguousarray(data).tobytes()
    else:
        content = json.dumps(data, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()
