"""Small faults planted in the text of the sampler near the largest pattern: each is noticed.

No check is statistical.
"""

import inspect
import types

import numpy as np
import pytest
from flint import arb

from dpspectra.certified import balls, vertex
from dpspectra.fast.patterns import minors
from tests.certified.test_ball_chart import LENGTH
from tests.support.certified import entropy
from tests.test_certified_ball_chart_mutants import LARGE_ERRORS
from tests.test_certified_orbits_mutants import BITS, GAPS, Given, exponential, is_drawn, long

WEIGHTS, SPECTRUM = np.array([9.0, 5.0, 0.5]), np.array([1.0, 0.25, -0.5])
PHASES = [long(2**62), long(2**61), long(3 * 2**60)]


def law_of(module, weights, spectrum, batch=1):
    law = module.Vertex(weights, spectrum)
    law.batch = batch
    return law


def accepts_as_the_ideal_pattern(module):
    """An entry just above or below its lower neighbour, in each place in turn; ``d = 2`` with the largest errors."""
    for rate in (0.5, 3.0, 11.0):
        law = law_of(module, np.array([rate, 0.0]), np.array([1.0, 0.0]))
        for gap in (*GAPS, 2.0**-22, -(2.0**-22)):
            with balls.precision(BITS):
                string = exponential(balls.exact(rate) + balls.exact(gap))
            if is_drawn(law, Given([string], PHASES)) != (gap < 0):
                return False
    for word in LARGE_ERRORS:
        found = float(module.kernels.exponentials(np.array([word], dtype=np.uint64))[0][0])
        with balls.precision(BITS):
            exact = -((arb(long(word) >> 1)) * arb(2) ** (1 - LENGTH)).log()
            rate = (float(exact.mid()) + found) / 2
            inside = bool(exact < balls.exact(rate))
        if is_drawn(law_of(module, np.array([rate, 0.0]), np.array([1.0, 0.0])), Given([long(word)], PHASES)) != inside:
            return False
    return accepts_in_each_place(module)


def accepts_in_each_place(module):
    law = law_of(module, WEIGHTS, SPECTRUM)
    w, x = ([balls.exact(float(y)) for y in numbers] for numbers in (WEIGHTS, SPECTRUM))
    little = 0.125
    for place in range(3):
        for gap in GAPS:
            with balls.precision(BITS):
                wanted = [balls.exact(little)] * 3  # entries (1, 0), (2, 0) and (2, 1), as slacks times rates
                if place == 0:
                    room = x[0] - wanted[1] / (w[0] - w[2]) - x[1] + wanted[2] / (w[1] - w[2])
                    wanted[0] = room * (w[0] - w[1]) + balls.exact(gap)
                elif place == 1:
                    wanted[1] = (x[0] - x[1]) * (w[0] - w[2]) + balls.exact(gap)
                    wanted[2] = balls.exact(3.0)  # so that what lies below leaves room
                else:
                    wanted[2] = (x[1] - x[2]) * (w[1] - w[2]) + balls.exact(gap)
                strings = [exponential(number) for number in wanted]
            if is_drawn(law, Given(strings, PHASES)) != (gap < 0):
                return False
    return True


def has_the_pattern_of_its_words(module):
    """Spectra of the minors of every proposal of a batch, in floats and in balls, from the definition."""
    for seed in range(3):
        words = entropy(seed).words(5 * 3)
        law = law_of(module, WEIGHTS, SPECTRUM, 5)
        proposals = module._Proposals(law, Given(words))
        for b in range(5):
            if not proposals.accepts(b):
                continue
            draw = module._Matrix(law, proposals, b, entropy(9).words(3))
            with balls.precision(BITS):
                e = [balls.exponential(words, 3 * b + i, 200) for i in range(3)]
                w = [balls.exact(float(y)) for y in WEIGHTS]
                upper = [balls.exact(1.0) - e[1] / (w[0] - w[2]), balls.exact(0.25) - e[2] / (w[1] - w[2])]
                lowest = upper[0] - e[0] / (w[0] - w[1])
            found = minors(draw.estimate)
            expected = [[lowest], upper]
            if not all(abs(found[r][j] - float(x)) < 1e-9 for r, row in enumerate(expected) for j, x in enumerate(row)):
                return False
    return True


CHECKS = has_the_pattern_of_its_words, accepts_as_the_ideal_pattern

MUTANTS = {
    "rates of another row": ("own[self.entry] - own[self.row]", "own[self.entry] - own[self.row - 1]"),
    "rates of another row in balls": ("(weights[j] - weights[r])", "(weights[j] - weights[r - 1])"),
    "another neighbour": ("x[:, free[0] + 1, free[1] + 1]", "x[:, free[0] + 1, free[1]]"),
    "another neighbour in balls": ("x[r][j] - x[r + 1][j + 1]", "x[r][j] - x[r + 1][j]"),
    "no error": ("error = 2.02 *", "error = 0.0 *"),
    "yes without a margin": ("(least > error)", "(least > 0)"),
    "no without a margin": ("(least < -error)", "(least < 0)"),
    "yes too soon": ("(least > error)", "(least > -error)"),
    "no too soon": ("(least < -error)", "(least < error)"),
    "open words as others": ("known = ~is_open.reshape(count, -1).any(axis=1)", "known = np.ones(count, dtype=bool)"),
    "words of the first proposal": ("place = (b + 1) * law.count", "place = law.count"),
    "one word for a row": ("at += 1", "at += 0"),
    "slacks of one row only": ("x[:, r] = x[:, r + 1] - slack[:, r]", "x[:, r] = x[:, d] - slack[:, r]"),
    "rows of balls from the spectrum": ("x = rows[0][j]", "x = rows[-1][j]"),
    "some room is enough": ("False if False in signs else", "False if True not in signs else"),
}
"""Small faults: what is replaced, and by what."""


UNENDING = balls.decided


@pytest.fixture(autouse=True)
def decisions_have_an_end(monkeypatch):
    """A mutant may never decide."""

    def decided(value, decide):
        def asked(bits):
            if bits > 2**11:
                raise ArithmeticError("undecided for ever")
            return value(bits)

        return UNENDING(asked, decide)

    monkeypatch.setattr(balls, "decided", decided)


def mutant(old, new):
    source = inspect.getsource(vertex)
    assert source.count(old) == 1
    changed = types.ModuleType("mutant")
    exec(compile(source.replace(old, new), "mutant", "exec"), changed.__dict__)
    return changed


def sound(module):
    try:
        return all(check(module) for check in CHECKS)
    except (ArithmeticError, LookupError, ValueError):
        return False


def test_the_module_is_sound():
    assert all(check(mutant(*2 * ["from __future__ import annotations"])) for check in CHECKS)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(name):
    assert not sound(mutant(*MUTANTS[name]))
