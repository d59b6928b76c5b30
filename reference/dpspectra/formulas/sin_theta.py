"""Distance of top eigenspaces by a one-sided gap."""

from typing import Any

import numpy as np


def bound(difference: Any, gap: Any) -> Any:
    """Largest ``|P - Q|_F`` for ``|M - N|_F = difference`` and one-sided ``gap > 0``."""
    return np.sqrt(2.0) * difference / gap
