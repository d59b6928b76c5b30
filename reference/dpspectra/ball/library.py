"""python-flint, loaded when first needed."""

from __future__ import annotations

import importlib
from typing import Any


def flint() -> Any:
    """Return the module; raises ``ImportError`` naming the extra ``certify`` if it is missing."""
    try:
        return importlib.import_module("flint")
    except ImportError as error:
        raise ImportError("ball arithmetic needs python-flint: install dpspectra[certify]") from error
