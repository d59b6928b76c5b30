"""Small faults planted in the text of noise that treats the trace by itself: each is noticed.

No check is statistical.
"""

import contextlib
import inspect
import types

import pytest

from dpspectra.certified import shaped
from tests.certified.test_shaped import decides_as_balls_do, follows_the_definition

MUTANTS = {
    "no root on the diagonal": ("= math.sqrt(2) * (g -", "= (g -"),
    "no root in balls": ("z = arb(2).sqrt() * (z", "z = (z"),
    "another share of the mean": ("(1 - 1 / math.sqrt(d + 1)) / d * np.sum(g)", "1 / d * np.sum(g)"),
    "another share in balls": ("(1 - 1 / arb(d + 1).sqrt())", "(1 - 1 / arb(d).sqrt())"),
    "the mean is left out": ("z = arb(2).sqrt() * (z - mean(bits))", "z = arb(2).sqrt() * z"),
    "no error of normal numbers": ("np.full(size, kernels.NORMAL_ERROR + noise.ROUNDING)", "np.full(size, -1e-12)"),
    "traces of another shape": ("range(2 * self._dimension)), arb(0))", "range(self._dimension)), arb(0))"),
    "another ratio of traces": ("2 * self._dimension, bits) /", "2 * self._dimension, bits) / 2 /"),
    "no ratio of traces": ("larger, larger * self._ratio(bits)", "larger, larger"),
    "the smaller one is the larger": ("self.smaller = self.larger * balls", "self.smaller = self.larger + 0 * balls"),
    "no coin": ("self.sign = 1 - 2 * (", "self.sign = 1 - 0 * ("),
    "no sign in balls": ("[sign * trace / normals", "[abs(sign) * trace / normals"),
    "a sum instead of a difference": ("-traces.smaller), strict", "traces.smaller), strict"),
    "rows of the first matrix twice": ("normals.square(first, first + d, bits)", "normals.square(0, d, bits)"),
    "columns left out": ("for k in range(d + 1))", "for k in range(d))"),
    "no errors of products": ("bounds += abs(factor) * (near + relative", "bounds -= abs(factor) * (near + relative"),
    "factors that are off": ("enclosed.append((factor,", "enclosed.append((factor * (1 + 1e-9),"),
    "no allowance for the trace": ("relative = 2 * share + share**2 + traces.error +", "relative = -1e-9 +"),
}


def changed(old, new):
    text = inspect.getsource(shaped)
    assert text.count(old) == 1
    module = types.ModuleType("mutant")
    exec(compile(text.replace(old, new), "mutant", "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("fault", MUTANTS)
def test_a_small_fault_shows(fault):
    module = changed(*MUTANTS[fault])
    with contextlib.suppress(ArithmeticError, ValueError):
        assert not (follows_the_definition(module) and decides_as_balls_do(module))
