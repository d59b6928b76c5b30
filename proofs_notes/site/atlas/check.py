"""Check the built site: ``python -m atlas.check SITE``.

Every link and anchor exists, nothing is loaded from a network, every label has a page, every figure is drawn, and the
size is bounded.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dpspectra.ledger import labels

MEGABYTES = 26
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
UNDRAWN = "<Figure size"
"""What a notebook shows of a figure that it cannot draw."""
STYLE_URL = re.compile(r"url\(\s*['\"]?(\w+:)?//")


class Scan(HTMLParser):
    """Identities of a page, links in it, what it loads, and formulas and figures that failed."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.bad = 0
        self.undrawn = 0

    def handle_data(self, data: str) -> None:
        """Note figures that are words."""
        self.undrawn += UNDRAWN in data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one tag holds."""
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.ids.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADS and LOADS[tag] in found and found.get("rel") != "canonical":
            self.loads.append(found[LOADS[tag]])
        self.bad += found.get("class") == "bad" or "katex-error" in found.get("class", "")


def scan(site: Path) -> dict[Path, Scan]:
    """Read all pages."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        found[path.resolve()] = page = Scan()
        page.feed(path.read_text(encoding="utf-8"))
    return found


def faults(site: Path) -> Iterator[str]:
    """Everything that is wrong with a site, in words."""
    pages = scan(site)
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        if page.bad:
            yield f"{where}: {page.bad} formulas are not rendered"
        if page.undrawn:
            yield f"{where}: {page.undrawn} figures are not drawn"
        yield from (f"{where}: loads {target}" for target in page.loads if urlsplit(target).netloc)
        yield from (f"{where}: {fault}" for target in page.links for fault in _of_link(path, target, pages))
        yield from (f"{where}: {target} is missing" for target in page.loads if _is_missing(path, target))
    for path in site.rglob("*.css"):
        if STYLE_URL.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: loads from a network"
    for label in labels():
        if (site / "statement" / f"{label.label}.html").resolve() not in pages:
            yield f"{label.label} has no page"
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) / 1e6
    if size > MEGABYTES:
        yield f"{size:.1f} MB, more than {MEGABYTES}"


def _of_link(path: Path, target: str, pages: dict[Path, Scan]) -> Iterator[str]:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return
    file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if file not in pages:
        if not file.exists():
            yield f"{target} does not exist"
    elif parts.fragment and unquote(parts.fragment) not in pages[file].ids | _nodes(pages[file]):
        yield f"{target} has no such anchor"


def _nodes(page: Scan) -> set[str]:
    """Labels that the graph opens at: its nodes carry them as ``n-LABEL``."""
    return {name[2:] for name in page.ids if name.startswith("n-")}


def _is_missing(path: Path, target: str) -> bool:
    parts = urlsplit(target)
    return not parts.scheme and not parts.netloc and not (path.parent / unquote(parts.path)).exists()


def main() -> None:
    """Entry point: print faults and end with status 1 if there are any."""
    site = Path(sys.argv[1])
    found = list(faults(site))
    print("\n".join(found) or f"{len(list(site.rglob('*.html')))} pages without a fault")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
