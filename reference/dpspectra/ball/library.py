"""python-flint, loaded when first needed."""

from __future__ import annotations

from typing import Any

from dpspectra import extras


def flint() -> Any:
    """Return the module; raises ``ImportError`` naming the extra ``certify`` if it is missing."""
    return extras.load("flint", "certify", "computations with balls")
