"""Parts of every record: strict JSON, and versions."""

import math
import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy


def versions() -> dict[str, str]:
    """Versions of this package and of what it rests on, and the machine."""
    from dpspectra import __version__

    packages = {"dpspectra": __version__, "numpy": np.__version__, "scipy": scipy.__version__}
    return packages | {"python": platform.python_version(), "platform": platform.platform()}


def strict(value: Any) -> Any:
    """Return a value as strict JSON knows it: a number that is not finite becomes a string."""
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
