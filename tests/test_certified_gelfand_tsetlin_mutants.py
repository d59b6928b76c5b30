"""Small faults planted in the text of the certified sampler by patterns: each fails a check that the module passes.

No check is statistical.
"""

import inspect
import itertools
import sys
import types
from functools import cache

import numpy as np
import pytest

from dpspectra.ball import gelfand_tsetlin as ball
from dpspectra.certified import balls, gelfand_tsetlin, patterns
from tests.certified.test_gelfand_tsetlin import ALL, CROSSED, LAWS, PATHS, Same, follows, from_words, sampler
from tests.support.certified import entropy, in_balls
from tests.support.helpers import distance

SHAPES = ["line", "full", "ties in both", "three levels", "k = d - 1", "scalar", "large"]


def keeps_its_bounds(module):
    """Floats within their bound of balls of more bits, which say something and have the spectrum and its minors."""
    for name, seed in itertools.product(SHAPES, range(4)):
        draw, spectrum = sampler(ALL[name], module).draw(entropy(seed)), np.array(ALL[name][1], float)
        size = max(abs(spectrum))
        if not (draw.error < 1e-15 * len(spectrum) * size and distance(draw, 256) <= draw.error):
            return False
        if not (in_balls(draw).overlaps(in_balls(draw, 256)) and in_balls(draw, 256).overlaps(in_balls(draw, 300))):
            return False
        if not all(float(x.rad()) <= 2.0**-180 * size for x in in_balls(draw, 256).entries()):
            return False
        if not np.allclose(np.linalg.eigvalsh(draw.estimate)[::-1], spectrum, rtol=0, atol=1e-14 * size):
            return False
    return True


def encloses_all_further_bits(module):
    """Balls from two bits more hold what zeros or ones after them make."""
    law = sampler(LAWS["full"], module)
    for word, after in itertools.product(("1" + "0" * 63, "01" * 32), ("01" + "1" * 400 + "0", "10" + "0" * 400 + "1")):
        draw = law.draw(Same(word + after))
        with balls.precision(400):
            if not draw._enclosed(2).overlaps(draw._enclosed(300)):
                return False
    return True


@cache
def expected(name, seed):
    law = sampler(LAWS[name])
    return from_words(law, law.draw(entropy(seed)))


def follows_the_words(module):
    return all(
        follows(sampler(LAWS[name], module).draw(entropy(seed)), expected(name, seed))
        for name in PATHS
        for seed in (0, 1)
    )


def knows_what_nearly_meets(module):
    draw = sampler(LAWS["full"], module).draw(CROSSED)
    return draw.error <= 1e-15 and distance(draw, 400) <= draw.error


CHECKS = keeps_its_bounds, follows_the_words, knows_what_nearly_meets, encloses_all_further_bits


def sound(module):
    try:
        return all(check(module) for check in CHECKS)
    except (ArithmeticError, IndexError, StopIteration, TypeError, ValueError):
        return False


WHOLE, SIGN = "[-x for x in reversed(row)] for row in reversed(h.tolist())", "[-x for x in row] for row in h.tolist()"
UNIFORM = "balls.uniform(int(word), WORD, words, i, bits)"
MUTANTS = {
    "no sign": ("[-x for x in reversed(row)]", "[x for x in reversed(row)]"),
    "no opposite order": (WHOLE, SIGN),
    "weights in their order": ("weights, spectrum = -weights[::-1]", "weights, spectrum = -weights"),
    "another temperature": ("list[float] = weights.tolist()", "list[float] = (1.5 * weights).tolist()"),
    "one phase for all": (UNIFORM, "balls.uniform(int(words.values[0]), WORD, words, 0, bits)"),
    "phases of a half circle": ("(2 * balls.uniform(", "(1 * balls.uniform("),
    "phases by other bits": ("WORD, words, i, bits)", "WORD, words, i + bits % 3, bits)"),
    "phases are those of the uniforms": ("words = self._phases", "words = self._uniforms"),
    "one uniform for all": ("self._end(next(place), end, bits)", "self._end(0 * next(place), end, bits)"),
    "uniforms by other bits": ("self._uniforms.beyond(i, bits)", "self._uniforms.beyond(i + bits % 3, bits)"),
    "further bits left out": ("<< bits | self._uniforms.beyond(i, bits)", "<< bits"),
    "both chains at the lower ends": ("arb(known + end)", "arb(known)"),
    "uniforms below a half": ("** -(WORD + bits)", "** -(WORD + 1 + bits)"),
    "no error": ("self.error = 1.01 *", "self.error = 0.0 *"),
    "any radius": ("float(x.rad()) <= limit", "True"),
    "cells of another row": ("spectrum[j + d - r] for j", "spectrum[j + d - r - 1] for j"),
    "corner without the minor": ("- sum(mu, arb(0))", "- 0 * sum(mu, arb(0))"),
    "border without the conjugate": ("h[r, i] = h[i, r].conjugate()", "h[r, i] = h[i, r]"),
    "no phases": ("vectors = [[x * w for x, w", "vectors = [[x * abs(w) for x, w"),
    "moduli without a root": ("start=arb(1))).sqrt())", "start=arb(1))))"),
    "moduli of another sign": ("start=arb(-1)", "start=arb(1)"),
    "moduli without their distances": ("(*mu[:j], *mu[j + 1 :])", "()"),
    "eigenvectors not normalised": ("length = (sum((x * x for x in parts), arb(0)) + 1).sqrt()", "length = arb(1)"),
    "eigenvectors of another sign": ("y / (value - x) for x, y", "y / (x - value) for x, y"),
    "last entries left out": ("[acb(column[-1]) for column in columns]", "[acb(0) for column in columns]"),
}
"""Small faults: what is replaced, and by what."""

UPPER = "laws[r - 1].draw(high, copies, most[r - 1], low, 1)"
CHAINS = {
    "both chains rounded down": (UPPER, "laws[r - 1].draw(low, copies, least[r - 1], low, 0)"),
    "the upper chain at the lower ends": (UPPER, "laws[r - 1].draw(high, copies, least[r - 1], low, 1)"),
    "weights of the row before": ("m - exponents[r] for m", "m - exponents[r - 1] for m"),
    "no smallest level": (".union(high[j]) + smallest", ".union(high[j])"),
    "the lower chain alone": ("low[j].union(high[j])", "low[j]"),
}
"""Small faults in `ball.gelfand_tsetlin`, on which the sampler rests."""


SHARED = inspect.getsource(patterns)
IMPORTS = (
    "from __future__ import annotations\n",
    "from dpspectra.certified.patterns import Floats, PatternLaw, PatternMatrix\n",
)


def own():
    """The text of the sampler, to follow that of the module it builds on."""
    text = inspect.getsource(gelfand_tsetlin)
    for line in IMPORTS:
        assert text.count(line) == 1
        text = text.replace(line, "")
    return text


def changed(text, old, new):
    assert text.count(old) == 1
    found = types.ModuleType("mutant")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "mutant", found)  # where dataclasses look for it
        exec(compile(text.replace(old, new), "mutant", "exec"), found.__dict__)
    return found


def decided(value, decide):
    """As `balls.decided`, but with an end, as a mutant may never decide."""

    def asked(bits):
        if bits > 2**11:
            raise ArithmeticError("undecided for ever")
        return value(bits)

    return balls.decided(asked, decide)


def mutant(old, new):
    """Both modules as one, with a fault."""
    found = changed(SHARED + own(), old, new)
    found.balls = types.SimpleNamespace(**{**vars(balls), "decided": decided})
    return found


NOTHING = 2 * ["RELATIVE = 2.0**-56"]
"""No fault."""


def test_the_module_is_sound():
    assert sound(mutant(*NOTHING))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(name):
    assert not sound(mutant(*MUTANTS[name]))


@pytest.mark.parametrize("name", CHAINS)
def test_a_mutant_of_the_chains_is_noticed(name, monkeypatch):
    faulty = changed(inspect.getsource(ball), *CHAINS[name])
    monkeypatch.setattr(faulty, "Imprecise", ball.Imprecise)
    module = mutant(*NOTHING)
    module.enclosed, module.laws_of_rows = faulty.enclosed, faulty.laws_of_rows
    assert not sound(module)
