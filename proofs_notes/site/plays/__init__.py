"""Interactive pages: the data are computed by the library when the site is built, and drawn without a server.

Each module has a function ``page()``, which returns a page in MyST Markdown, always the same one. `PAGES` names them.
Figures share the drawing, in ``chart``; ``calculators`` are forms, whose script computes the bounds itself.
"""

from collections.abc import Callable

from . import audit_region, calculators, covariance_error, profiles

FIGURES: dict[str, Callable[[], str]] = {
    "profiles": profiles.page,
    "covariance_error": covariance_error.page,
    "audit_region": audit_region.page,
}
"""The figures by the name of their file, in the order of reading."""
PAGES = {"calculators": calculators.page, **FIGURES}
"""The pages by the name of their file, in the order of reading."""


def page(name: str) -> str:
    """Compute a page; Markdown."""
    return PAGES[name]()
