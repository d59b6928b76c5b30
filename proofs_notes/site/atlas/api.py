"""Pages of the interface: a table of what each hand-written page names, and a page for each function and class.

A page has what the docstring says, with parameters and examples, whose output the tests check; where a statement makes
the function what it is, also the picture of the statement, which is drawn when the site is built.
"""

import importlib
import inspect
import re
from collections.abc import Iterator

from atlas import markup as md
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.report import pictures

DIRECTIVE = re.compile(r"^\.\. auto(?:function|class|exception):: ([\w.]+)\n((?: +:[^\n]*\n)*)", re.MULTILINE)
BLOCK = re.compile(r"```\{eval-rst\}\n(.*?)```\n?", re.DOTALL)
SHOWN = {
    "dpspectra.audit.audit": "DPS-EPROCESS",
    "dpspectra.audit.betting.power.fewest_draws": "DPS-NOTEST",
    "dpspectra.bounds.orbit_gap": "MWKTV-N1",
    "dpspectra.bounds.orbit_utility": "MWKTV-T2.2",
    "dpspectra.bounds.sin_theta": "MWKTV-L8.2",
    "dpspectra.calibrate.gaussian": "HR-T2.6R",
    "dpspectra.compose": "DPS-COMPOSE",
    "dpspectra.private_power_method": "HP-T1.3",
    "dpspectra.profile.gaussian": "HR-T2.6R",
    "dpspectra.profile.wishart": "JXZ-T4-G",
    "dpspectra.sufficient_iterations": "HP-T2.4",
}
"""Functions that a picture of a statement explains; the one of a mechanism is that of a statement that it names."""


def pages(place: str, text: str) -> dict[str, str]:
    """Return a hand-written page with tables in place of its directives, and the pages that these lead to, by place."""
    found: dict[str, str] = {}
    home = text.partition("\n")[0].removeprefix("# ")

    def table(block: re.Match[str]) -> str:
        listed = DIRECTIVE.findall(block[1])
        rest = DIRECTIVE.sub("", block[1]).strip()
        for name, options in listed:
            found[f"api/{name}"] = page(name, options, place, home)
        rows = [(f"[`{shown(name)}`]({name}.md)", md.plain(summary(name))) for name, _ in listed]
        kept = md.fence(rest, "{eval-rst}") + "\n\n" if rest else ""
        return f"{kept}{md.box('functions', md.table(('name', 'what it does'), rows))}\n" if rows else block[0]

    return {place: BLOCK.sub(table, text)} | found


def page(name: str, options: str, place: str, home: str) -> str:
    """Return the page of one function or class in MyST Markdown."""
    kind = "class" if inspect.isclass(value_of(name)) else "function"
    label = picture_of(name)
    drawn = (
        [f"What it rests on, [{label}](../statement/{label}.md), in a picture:", md.raw(pictures.html(label))]
        if label
        else []
    )
    directive = md.fence(f".. auto{kind}:: {name}\n{options}".rstrip(), "{eval-rst}")
    return md.page(
        re.sub(r"(\.|\\_)", r"\1<wbr>", md.escape(shown(name))),
        f"{md.code(name)} · [{md.escape(home)}]({place.partition('/')[2]}.md)",
        directive,
        *drawn,
        description=summary(name),
        orphan=True,
    )


def picture_of(name: str) -> str:
    """Return the statement whose picture explains a function; empty if there is none."""
    record = MECHANISMS.get(name.removeprefix("dpspectra."))
    of_mechanism = (label for label in (record.labels if record else ()) if label in pictures.PICTURES)
    return SHOWN.get(name) or next(of_mechanism, "")


def shown(name: str) -> str:
    """Return a name as users write it, who import ``dpspectra`` or a module of it."""
    return name.removeprefix("dpspectra.")


def summary(name: str) -> str:
    """Return the first sentence of a docstring, without the sign that ends it."""
    lines = inspect.cleandoc(value_of(name).__doc__ or "").partition("\n\n")[0]
    return " ".join(lines.split()).removesuffix(".")


def value_of(name: str) -> object:
    """Return what a name stands for."""
    module, _, last = name.rpartition(".")
    value: object = getattr(importlib.import_module(module), last)
    return value


def all_pages(written: dict[str, str]) -> Iterator[tuple[str, str]]:
    """All pages of the interface, by place."""
    for place, text in written.items():
        yield from pages(place, text).items()
