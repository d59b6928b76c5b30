"""Functions that are compiled on first use (extra ``fast``: numba). Import this only where numba is installed."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any], parallel: bool = False) -> Callable[..., Any]:
    """Compile on first use; later processes read the result where there is a place to keep it."""
    options = {"nogil": True, "parallel": parallel, "error_model": "numpy"}
    try:
        return numba.njit(function, cache=True, **options)
    except RuntimeError:  # no such place can be written to
        return numba.njit(function, **options)
