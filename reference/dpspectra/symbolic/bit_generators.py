"""Classes of bit generators whose streams are replaced: numpy's, and those of randomgen that a seed sequence begins.

Numpy's own generator draws from them, and nothing else is asked of them, so their stream may be any other one.
"""

import functools
import sys

import numpy as np

OF_NUMPY = tuple(getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"))
_NAMES = "ChaCha HC128 PCG64 PCG64DXSM Philox SFC64 ThreeFry Xoshiro256 Xoshiro512"
OF_RANDOMGEN = tuple(_NAMES.split())


def known_kinds() -> tuple[type, ...]:
    """Return these classes."""
    return _known("randomgen" in sys.modules)


@functools.cache
def _known(loaded: bool) -> tuple[type, ...]:
    """Return the classes as they were at first: later others stand in for them."""
    return (*OF_NUMPY, *(getattr(sys.modules["randomgen"], name) for name in OF_RANDOMGEN if loaded))
