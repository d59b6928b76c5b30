"""Navigation of the site: a fold for each kind of pages; most pages of a folder have the same one."""

import re
from collections.abc import Callable
from typing import Any

KIND = re.compile(r'<p class="caption" role="heading">(.*?)</p>(.*?)(?=<p class="caption"|\Z)', re.DOTALL)
FIRST_OPEN = ("Guides", "Everything")
"""Kinds of pages that are open where the page itself is of none, as on the front page."""


def folded(tree: str) -> str:
    """Return the navigation with a fold for each kind of pages; that of the current page is open."""
    here = "current" in tree

    def fold(kind: re.Match[str]) -> str:
        is_open = "current" in kind[2] if here else any(name in kind[1] for name in FIRST_OPEN)
        return f'<details{" open" * is_open}><summary class="caption">{kind[1]}</summary>{kind[2]}</details>'

    return KIND.sub(fold, tree)


class Shared:
    """A handler of Sphinx: pages of one folder that the navigation does not name get one that is made once."""

    def __init__(self) -> None:
        self.made: dict[tuple[str, str], Any] = {}

    def __call__(self, app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
        """Make the navigation of a page one that is at hand."""
        named = any(page in pages for pages in app.env.toctree_includes.values())
        if "toctree" in context and not named:
            context["toctree"] = self._kept(page.rpartition("/")[0], context["toctree"])

    def _kept(self, folder: str, toctree: Callable[..., Any]) -> Callable[..., Any]:
        def kept(**options: Any) -> Any:
            key = folder, repr(sorted(options.items()))
            if key not in self.made:
                self.made[key] = toctree(**options)
            return self.made[key]

        return kept
