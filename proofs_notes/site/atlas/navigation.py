"""Navigation of the site: a fold for each kind of pages."""

import re

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
