"""A Sphinx extension: formulas become MathML all at once, between reading and writing, in one process beside Sphinx's.

A script on the page sets them in KaTeX's type; without scripts the browser sets the MathML.

A formula that KaTeX rejects is a warning with its place. GitHub's form of an inline formula is read like any other.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util import logging

from atlas.katex import rendered
from atlas.lines import broken
from atlas.navigation import Shared, folded
from atlas.notebooks import FOLDER

LOG = logging.getLogger(__name__)
GITHUB = re.compile(r"\$`([^`]+?)`\$")
UNCOLOURED = re.compile(r'<span class="(?:mf|mi|n|nb|nn|o|p|w)">([^<]*)</span>')
SOURCE = re.compile(r'</?semantics>|<annotation encoding="application/x-tex">.*?</annotation>', re.DOTALL)


def _by_document(env: Any) -> dict[str, set[tuple[str, bool]]]:
    """Return the formulas of each document that was read; Sphinx keeps them with its environment."""
    if not hasattr(env, "atlas_wanted"):
        env.atlas_wanted = {}
    found: dict[str, set[tuple[str, bool]]] = env.atlas_wanted
    return found


def note(app: Any, doctree: nodes.document) -> None:
    """Note the formulas of a document that was just read."""
    inside = {(node.astext().strip(), False) for node in doctree.findall(nodes.math)}
    displays = {(broken(node.astext().strip()), True) for node in doctree.findall(nodes.math_block)}
    _by_document(app.env)[app.env.docname] = inside | displays


def merge(app: Any, env: Any, names: list[str], other: Any) -> None:
    """Take over what a process beside this one has noted."""
    _by_document(env).update({name: _by_document(other)[name] for name in names})


def collect(app: Any, env: Any) -> list[str]:
    """Render the formulas of all documents that are not rendered yet."""
    wanted = set().union(*_by_document(env).values())
    known = getattr(env, "atlas_formulas", {})
    new = sorted(wanted - known.keys())
    env.atlas_formulas = known | dict(zip(new, rendered(new), strict=True))
    return []


def _html(translator: Any, node: nodes.Element, display: bool, tag: str, classes: str) -> str:
    """Return a formula as MathML with its TeX, which the script on the page sets and copies."""
    formula = broken(node.astext().strip()) if display else node.astext().strip()
    found: str = translator.builder.env.atlas_formulas[formula, display]
    if found.startswith("-"):
        LOG.warning("formula %s: %s", formula, found[1:], location=node)
        return f'<code class="bad">{html.escape(formula)}</code>'
    mathml = SOURCE.sub("", found[1:]).removeprefix('<span class="katex">').removesuffix("</span>")
    return f'<{tag} class="{classes}" data-tex="{html.escape(formula)}">{mathml}</{tag}>'


def inline(translator: Any, node: nodes.Element) -> None:
    """Write an inline formula; a joiner keeps it on the line of what follows without a space, as in epsilon-DP."""
    after = node.next_node(descend=False, siblings=True)
    glued = isinstance(after, nodes.Text) and not after[:1].isspace()
    translator.body.append(_html(translator, node, False, "span", "tex") + "&#8288;" * glued)
    raise nodes.SkipNode


def block(translator: Any, node: nodes.Element) -> None:
    """Write a formula on lines of its own; it scrolls by itself where it is too wide."""
    translator.body.append(_html(translator, node, True, "div", "tex math-block"))
    raise nodes.SkipNode


def github(app: Any, docname: str, source: list[str]) -> None:
    """Turn GitHub's inline form into dollars; spaces inside would make it text."""
    source[0] = GITHUB.sub(lambda found: f"${found[1].strip()}$", source[0])


def mended(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Fold the navigation by kind; leave words and numbers of code plain, whose spans are a fifth of the whole site."""
    if "body" in context:
        context["body"] = UNCOLOURED.sub(r"\1", context["body"])
    tree = context.get("furo_navigation_tree")
    if isinstance(tree, str):
        context["furo_navigation_tree"] = folded(tree)


def generated(app: Any, config: Any) -> None:
    """Add the folder of generated scripts, and that of what notebooks printed, which stand beside the pages."""
    config.html_static_path.append(str(Path(app.srcdir).parent / "static"))
    config.nb_execution_cache_path = str(Path(app.srcdir).parent / FOLDER)


def setup(app: Any) -> dict[str, bool]:
    """Register the extension."""
    app.add_html_math_renderer("katex", inline_renderers=(inline, None), block_renderers=(block, None))
    app.connect("config-inited", generated)
    app.connect("source-read", github)
    app.connect("doctree-read", note)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", collect)
    app.connect("html-page-context", Shared(), priority=100)  # before the theme asks for the navigation
    app.connect("html-page-context", mended, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
