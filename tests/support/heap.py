"""The heap of a test run: what is imported and collected is frozen, and audits from inside leave it unsearched.

It holds a million objects, which each audit would go through for generators of a mechanism. Only tests
about such generators hold some there: these let the heap thaw.
"""

import gc

UNFREEZE = gc.unfreeze


def freeze():
    """Leave what there is out of searches and out of the collector's work, also where the package would thaw it."""
    gc.freeze()
    gc.unfreeze = _stay


def thaw():
    """Let everything be found, from here to the end of this process's run."""
    gc.unfreeze = UNFREEZE
    gc.unfreeze()


def _stay():
    """Do nothing."""
