"""Docstrings of everything public have the sections of numpydoc: parameters, what is returned, what is raised."""

import ast
import dataclasses
import enum
import inspect
import itertools
import re
import textwrap

import pytest

import dpspectra as dps
from dpspectra import advice, estimators, pytest_plugin, strategies
from dpspectra.mechanisms import release

ROOMS = (
    *(dps, dps.mechanisms, dps.audit, dps.sampling, dps.bounds, dps.calibrate, dps.profile, dps.angles),
    *(dps.postprocessing, dps.ledger, estimators, advice, strategies),
)
FIXTURES = ("dp_audit", "dp_conforms", "dp_inside")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
OWN = ("self", "cls")
"""First parameters of methods, which nobody gives."""
FACE = ["face"]
"""Parameters of the decorators of statements: each returns its face, as `Statement` says of all of them."""


def sections(text):
    """The text of each section by its name; the text before the first one has no name."""
    parts = SECTION.split(text)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def named(section):
    """Names that a section of parameters describes, in their order."""
    heads = [line.split(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def methods(owner):
    """Public methods of a class that no base of ours has described already."""
    known = {name for base in owner.__mro__[1:] if base.__module__.startswith("dpspectra.") for name in vars(base)}
    for name, value in vars(owner).items():
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if inspect.isfunction(function) and not name.startswith("_") and name not in known:
            yield f"{owner.__name__}.{name}", function


def public():
    """Public functions, classes and their methods, each once, by module and name."""
    found = {}
    for room in ROOMS:
        names = getattr(room, "__all__", None) or [name for name in vars(room) if not name.startswith("_")]
        for name in names:
            value = getattr(room, name)
            if not getattr(value, "__module__", "").startswith("dpspectra."):
                continue
            if inspect.isfunction(value):
                found[f"{value.__module__}.{value.__name__}"] = value
            elif inspect.isclass(value):
                own = {value.__name__: value, **dict(methods(value))}
                found |= {f"{value.__module__}.{key}": member for key, member in own.items()}
    return {name.removeprefix("dpspectra."): value for name, value in sorted(found.items())}


PUBLIC = public()


def tree(value):
    return ast.parse(textwrap.dedent(inspect.getsource(value))).body[0]


def undescribed(record):
    """Fields of a record without a text of their own, that its docstring does not describe either.

    A record that refuses values is one that users build: its docstring describes fields under Parameters.
    """
    body, text = tree(record).body, inspect.getdoc(record) or ""
    if refuses(record):
        text = "".join(f"`{name}` " for name in named(sections(text).get("Parameters", "")))
    fields = [node for node in body if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node)]
    texts = {
        ast.unparse(one.target)
        for one, after in itertools.pairwise(body)
        if one in fields and isinstance(after, ast.Expr)
    }
    own = {ast.unparse(node.target) for node in fields if not ast.unparse(node.target).startswith("_")}
    return sorted(name for name in own - texts if not re.search(rf"`{name}\b|\b{name}`", text))


def refuses(value):
    """Whether the text of a function raises an error, or checks an argument."""
    made = "__post_init__" if dataclasses.is_dataclass(value) else "__init__"
    constructor = value if inspect.isfunction(value) else value.__dict__.get(made)
    nodes = list(ast.walk(tree(constructor))) if constructor else []
    calls = [node.func for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    checked = any(isinstance(call.value, ast.Name) and call.value.id == "checks" for call in calls)
    return checked or any(isinstance(node, ast.Raise) and node.exc for node in nodes)


def parameters(value):
    found = inspect.signature(value).parameters.values()
    return [one.name for one in found if one.name not in OWN and not one.name.startswith("_")]


def missing(value):
    """What a docstring lacks, one line each."""
    text = inspect.getdoc(value) or ""
    found, record = sections(text), dataclasses.is_dataclass(value) or hasattr(value, "_fields")
    if record:
        yield from (f"field {name} has no text" for name in undescribed(value))
    elif not (inspect.isclass(value) and issubclass(value, Exception | enum.Enum)):
        wanted, described = sorted(parameters(value)), sorted(named(found.get("Parameters", "")))
        if wanted != described and wanted != FACE:
            yield f"Parameters must name {wanted}, got {described}"
    if inspect.isfunction(value):
        returned = inspect.signature(value).return_annotation
        if returned not in (None, "None") and parameters(value) != FACE and "Returns" not in found:
            yield "Returns is missing"
    if refuses(value) and "Raises" not in found:
        yield "Raises is missing"
    if re.search(r"\b[Rr]aises\s+`", found[""]):
        yield "Raises is prose"
    if ">>> " in text.replace(found.get("Examples", ""), ""):
        yield "an example outside Examples"


@pytest.mark.parametrize("name", PUBLIC)
def test_docstrings_have_their_sections(name):
    assert list(missing(PUBLIC[name])) == []


@pytest.mark.parametrize("name", FIXTURES)
def test_fixtures_say_what_they_give(name):
    assert "Returns" in sections(inspect.getdoc(getattr(pytest_plugin, name)))


def test_all_rooms_are_read():
    assert {"mechanisms.pca.private_pca", "audit.engine.audit", "certified.exact_moments.Moments.of"} <= set(PUBLIC)
    assert PUBLIC["mechanisms.release.Release"] is release.Release


def whole(x, *, rng=None):
    """Return x.

    Parameters
    ----------
    x, rng
        Numbers.

    Returns
    -------
    int
        The number.

    Raises
    ------
    ValueError
        For bad input.

    """
    if x is None:
        raise ValueError("x must be a number, got None")
    return x


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("x, rng", "x", "Parameters must name ['rng', 'x'], got ['x']"),
        ("x, rng", "x, rng, y", "Parameters must name ['rng', 'x'], got ['rng', 'x', 'y']"),
        ("Returns\n", "Gives\n", "Returns is missing"),
        ("Raises\n", "Refuses\n", "Raises is missing"),
        ("Return x.", "Raises ``ValueError`` for bad input.", "Raises is prose"),
        ("Return x.", ">>> whole(1)", "an example outside Examples"),
    ],
)
def test_a_section_that_lacks_is_seen(monkeypatch, old, new, complaint):
    assert list(missing(whole)) == []
    monkeypatch.setattr(whole, "__doc__", whole.__doc__.replace(old, new))
    assert list(missing(whole)) == [complaint]
