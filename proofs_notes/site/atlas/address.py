"""A Sphinx extension for what hangs on the public address of the site: canonical links, the sitemap, the page for 404.

The address is written in one place, ``Documentation`` of ``project.urls`` in pyproject.toml; a workflow that publishes
elsewhere sets ``DPSPECTRA_SITE`` instead. Without either, pages name no address, and there is no sitemap.
"""

import os
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

PROJECT = Path(__file__).parents[3] / "pyproject.toml"
VARIABLE = "DPSPECTRA_SITE"
LOST = "404"
"""The page that a server shows for an address that does not exist; it is no page to be found."""


def urls() -> dict[str, str]:
    """Return the addresses of the project by name; empty as long as nothing is public."""
    found: dict[str, str] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"].get("urls", {})
    return found


def address() -> str:
    """Return the address of the front page, with a slash at its end; empty if none is known."""
    found = os.environ.get(VARIABLE) or urls().get("Documentation", "")
    if not found:
        return ""
    parts = urlsplit(found)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"the address of the site must be like https://example.org/atlas/, got {found}")
    return found.rstrip("/") + "/"


def sitemap(folder: Path, base: str) -> str:
    """Return the sitemap of the pages in a folder."""
    places = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html") if path.stem != LOST)
    listed = "".join(f"<url><loc>{escape(base + quote(place))}</loc></url>\n" for place in places)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{listed}</urlset>\n'
    )


def rooted(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let links of the page for lost addresses lead from the front page, whatever address it is shown for."""
    if page == LOST and app.config.html_baseurl:
        context["metatags"] = f'<base href="{escape(app.config.html_baseurl)}">' + context.get("metatags", "")


def _written(app: Any, error: Exception | None) -> None:
    if app.config.html_baseurl and error is None:
        folder = Path(app.outdir)
        (folder / "sitemap.xml").write_text(sitemap(folder, app.config.html_baseurl), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register the extension."""
    app.connect("html-page-context", rooted, priority=900)
    app.connect("build-finished", _written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
