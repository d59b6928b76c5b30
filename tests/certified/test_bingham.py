"""Certified lines and hyperplanes: faults that are seen."""

import inspect

import numpy as np
from flint import arb

from dpspectra.certified import ball_noise, bingham
from dpspectra.certified.ball_chart import identity
from tests.support.certified import distance
from tests.support.faults import told_apart
from tests.support.helpers import entropy
from tests.support.strings import BITS, GAPS, LARGE_ERRORS, LENGTH, Given, exponential, is_drawn, long

LAWS = {
    "d = 2": ([2.0, 0.0], 1),
    "d = 4": ([3.0, 1.0, 1.0, 0.0], 1),
    "hyperplane": ([3.0, 1.0, 0.0], 2),
    "concentrated": ([1e9, 0.0, -5.0], 1),
}
"""Weights and ranks."""
EIGHTH = long(2**64 // 7)
WORST = [string for word in LARGE_ERRORS[:6] for string in (long(word), EIGHTH)]
"""Normal numbers with the largest errors."""
BESIDE = [*WORST[:2], long(2**64 - 2**52), EIGHTH]
"""Two of these, and two longer ones."""
SHORTEST = [long(2**64 - 2**12), EIGHTH]
"""Numbers of about ``2**-26``."""
UNCERTAIN = [long(2**64 - 5 * 2**50 + 2**10), long(1), long(2**64 - 2**52), long(1)]
"""A number just above what is long enough, halfway between floats, and others of its size; between them zeros."""


def laws_of(module):
    for weights, rank in LAWS.values():
        for field in ("real", "complex"):
            law = module.Bingham(np.array(weights), rank, field)
            law._count = 1
            yield weights, rank, 1 + (field == "complex"), law


def projects_within_its_bound(module):
    """Drawn bits, normal numbers with the largest errors, and a vector with hardly any length."""
    accepted = [long(2**10)]
    for weights, rank, _, law in laws_of(module):
        d = len(weights)
        for words in (None, WORST, BESIDE, SHORTEST):
            draw = law.draw(Given(words, accepted) if words else entropy(7))
            with ball_noise.precision(BITS):
                exact = draw.times(identity(d), 200)
                trace = exact.trace().real
                projects = (exact * exact).overlaps(exact) and abs(trace - rank) < 2.0**-100
            hermitian = np.array_equal(draw.estimate, draw.estimate.conj().T)
            if not (projects and hermitian and distance(draw) <= draw.error):
                return False
            if not words and not draw.error < 2.0**-36:
                return False
    return True


def accepts_as_the_ideal_vector(module):
    """The definition of the law in balls, beside exponential numbers that are just above and just below it."""
    for weights, rank, copies, law in laws_of(module):
        n, sign = len(weights) * copies, 1 if rank == 1 else -1
        for source in (entropy(0), entropy(1), Given(SHORTEST), Given(UNCERTAIN)):
            normals = source.words(n + n % 2)
            with ball_noise.precision(2 * BITS):
                towards = [sign * ball_noise.exact(x) for x in weights]
                excess = [max(towards) - x for x in towards for _ in range(copies)]
                b, half = ball_noise.exact(law.b), ball_noise.exact(n) / 2
                y = [ball_noise.normal(normals, i, BITS) / (1 + a / b).sqrt() for i, a in enumerate(excess)]
                s = sum((a * x**2 for a, x in zip(excess, y, strict=True)), arb(0)) / sum((x**2 for x in y), arb(0))
                t = (b + s) / half
                strings = [(exponential(half * (t - 1 - t.log()) + ball_noise.exact(gap)), gap) for gap in GAPS]
            for string, gap in strings:
                if string < 2**LENGTH and is_drawn(law, Given(normals, [string])) != (gap > 0):
                    return False
    return True


FAULTS = {
    "hyperplanes as lines": ("-weights if self.hyperplane", "weights if self.hyperplane"),
    "another half": ("len(self.excess) / 2", "len(self.excess)"),
    "another deviation": ("self.deviations = 1 / np.sqrt(1 +", "self.deviations = 1 / np.sqrt(2 +"),
    "variances in balls": ("bits) / (1 + a / b).sqrt()", "bits) / (1 + a / b)"),
    "another part in balls": ("copies * j + part", "copies * j + copies - 1 - part"),
    "no error of the normals": ("kernels.NORMAL_ERROR * spread / lengths", "0 * lengths"),
    "short vectors": ("np.where(clear, errors, np.inf)", "errors"),
    "short vectors decide": ("known = clear & (t > 1 / EXTREME)", "known = t > 1 / EXTREME"),
    "no error of the projector": ("error * (2 + error)", "0"),
    "no error of the sum": ("near = (2 * np.sqrt(most * s) + most * errors) * errors", "near = 0"),
    "no error of the decision": ("error = 1.01 * (near * (1 + 1 / t) + rounding)", "error = 0"),
    "a wider margin for yes": ("if self._low[i] > 0:", "if self._low[i] > -1e-10:"),
    "a wider margin for no": ("if self._high[i] < 0:", "if self._high[i] < 1e-10:"),
    "open words as others": ("np.where(is_open, np.inf, numbers)", "numbers"),
    "no logarithm in floats": ("value = law.half * (1 - t + log)", "value = law.half * (1 - t)"),
    "no logarithm in balls": ("half * (1 - t + t.log())", "half * (1 - t)"),
    "not the adjoint": ("x.conjugate().transpose()", "x.transpose()"),
    "a line in floats": ("np.eye(len(x)) - line if hyperplane", "line if hyperplane"),
    "a line in balls": ("columns - line if self._hyperplane", "line if self._hyperplane"),
}

test_planted_faults_are_seen = told_apart(
    (projects_within_its_bound, accepts_as_the_ideal_vector), inspect.getsource(bingham), FAULTS
)
