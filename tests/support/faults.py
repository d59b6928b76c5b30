"""Small faults planted in the text of a module, and checks of the module that see them.

A file of tests holds its table of faults: by name, a piece that its module has once, and what replaces it.
"""

import sys
import types

import pytest

from dpspectra.certified import ball_noise

UNENDING = ball_noise.decided


def decided(value, decide):
    """As `ball_noise.decided`, but with an end, as a module with a fault may never decide."""

    def asked(bits):
        if bits > 2**11:
            raise ArithmeticError("undecided for ever")
        return value(bits)

    return UNENDING(asked, decide)


def planted(text, old="", new=""):
    """The module of a text with a fault; of the text as it is if none is named."""
    assert not old or text.count(old) == 1
    found = types.ModuleType("planted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "planted", found)  # where dataclasses look for it
        exec(compile(text.replace(old, new) if old else text, "planted", "exec"), found.__dict__)
    return found


def passes(checks, module):
    """Whether all checks of a module hold; one that ends in an error does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ball_noise, "decided", decided)
        try:
            return all(check(module) for check in checks)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return False


def told_apart(checks, text, faults):
    """A test that the checks pass the module of a text, and none of those with a fault."""

    @pytest.mark.parametrize("fault", [None, *faults], ids=lambda fault: fault or "none")
    def test(fault):
        assert passes(checks, planted(text, *faults.get(fault, ()))) is (fault is None)

    return test
