"""Interactive pages: the data are computed by the library when the site is built, and drawn without a server.

Each module has a function ``page()``, which returns a page in MyST Markdown, always the same one. `pages` names them.
What they share, the drawing, is in ``chart``.
"""

from collections.abc import Callable

from . import audit_region, covariance_error, profiles

PAGES: dict[str, Callable[[], str]] = {
    "profiles": profiles.page,
    "covariance_error": covariance_error.page,
    "audit_region": audit_region.page,
}
"""The pages by the name of their file, in the order of reading."""


def pages() -> dict[str, str]:
    """Compute all pages; Markdown by the name of the file."""
    return {name: page() for name, page in PAGES.items()}
