"""Arrays, as types: one name each for the whole package."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of numbers of any type, real or complex; its docstring tells the shape."""
Floats = NDArray[np.float64]
"""An array of float64 numbers."""
Integers = NDArray[np.int64]
"""An array of integers of 64 bits."""
Flags = NDArray[np.bool_]
"""An array of truth values."""
Bits = NDArray[np.uint64]
"""An array of words of 64 bits."""
