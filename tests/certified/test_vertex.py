"""Patterns near the largest one: of the right law, and accepted as the ideal ones."""

import inspect

import numpy as np
import pytest
from flint import arb
from scipy import stats

from dpspectra.certified import ball_noise, vertex
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.vertex import Vertex
from dpspectra.fast.patterns import minors
from tests.support.faults import told_apart
from tests.support.helpers import ALARM, entropy
from tests.support.samplers import VERTICES
from tests.support.strings import BITS, GAPS, LARGE_ERRORS, LENGTH, Given, exponential, is_drawn, long


@pytest.mark.parametrize("name", VERTICES)
def test_the_vertex_and_the_quantiles_draw_one_law(name):
    weights, spectrum = (np.array(x, float) for x in VERTICES[name][:2])
    h, other = (
        np.array([law.draw(source).estimate for _ in range(size)])
        for law, source, size in (
            (Vertex(weights, spectrum), entropy(1), 1000),
            (GelfandTsetlin(weights, spectrum), entropy(2), 100),
        )
    )
    features = lambda x: (x[:, 0, 0].real, x[:, -1, -1].real, np.abs(x[:, 0, 1]), x[:, 0, -1].imag)  # noqa: E731
    for x, y in zip(features(h), features(other), strict=True):
        assert stats.ks_2samp(x, y).pvalue > ALARM


def test_the_share_of_accepted_patterns_is_that_of_the_law():
    """For ``d = 2`` a proposal is accepted with probability ``1 - exp(-rate)``: 128 of them, 5 standard deviations."""
    for rate in (0.2, 1.0, 5.0):
        share, exact = Vertex(np.array([rate, 0.0]), np.array([1.0, 0.0])).share(), -np.expm1(-rate)
        assert abs(share - exact) < 5 * np.sqrt(exact * (1 - exact) / 128)


def test_weights_without_gaps_are_refused_by_the_vertex():
    for weights, spectrum in (([1.0, 1.0], [1, 0]), ([2.0, 1.0, 1.0], [1, 1, 0])):
        with pytest.raises(ValueError, match="must have gaps"):
            Vertex(np.array(weights), np.array(spectrum, float))


# ---------------------------------------------------------------- planted faults


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
            with ball_noise.precision(BITS):
                string = exponential(ball_noise.exact(rate) + ball_noise.exact(gap))
            if is_drawn(law, Given([string], PHASES)) != (gap < 0):
                return False
    for word in LARGE_ERRORS:
        found = float(module.kernels.exponentials(np.array([word], dtype=np.uint64))[0][0])
        with ball_noise.precision(BITS):
            exact = -((arb(long(word) >> 1)) * arb(2) ** (1 - LENGTH)).log()
            rate = (float(exact.mid()) + found) / 2
            inside = bool(exact < ball_noise.exact(rate))
        if is_drawn(law_of(module, np.array([rate, 0.0]), np.array([1.0, 0.0])), Given([long(word)], PHASES)) != inside:
            return False
    return accepts_in_each_place(module)


def accepts_in_each_place(module):
    law = law_of(module, WEIGHTS, SPECTRUM)
    w, x = ([ball_noise.exact(float(y)) for y in numbers] for numbers in (WEIGHTS, SPECTRUM))
    little = 0.125
    for place in range(3):
        for gap in GAPS:
            with ball_noise.precision(BITS):
                wanted = [ball_noise.exact(little)] * 3  # entries (1, 0), (2, 0) and (2, 1), as slacks times rates
                if place == 0:
                    room = x[0] - wanted[1] / (w[0] - w[2]) - x[1] + wanted[2] / (w[1] - w[2])
                    wanted[0] = room * (w[0] - w[1]) + ball_noise.exact(gap)
                elif place == 1:
                    wanted[1] = (x[0] - x[1]) * (w[0] - w[2]) + ball_noise.exact(gap)
                    wanted[2] = ball_noise.exact(3.0)  # so that what lies below leaves room
                else:
                    wanted[2] = (x[1] - x[2]) * (w[1] - w[2]) + ball_noise.exact(gap)
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
            with ball_noise.precision(BITS):
                e = [ball_noise.exponential(words, 3 * b + i, 200) for i in range(3)]
                w = [ball_noise.exact(float(y)) for y in WEIGHTS]
                upper = [
                    ball_noise.exact(1.0) - e[1] / (w[0] - w[2]),
                    ball_noise.exact(0.25) - e[2] / (w[1] - w[2]),
                ]
                lowest = upper[0] - e[0] / (w[0] - w[1])
            found = minors(draw.estimate)
            expected = [[lowest], upper]
            if not all(abs(found[r][j] - float(x)) < 1e-9 for r, row in enumerate(expected) for j, x in enumerate(row)):
                return False
    return True


FAULTS = {
    "rates of another row": ("own[self.entry], own[self.row])", "own[self.entry], own[self.row - 1])"),
    "rates of another row in balls": ("(weights[j] - weights[r])", "(weights[j] - weights[r - 1])"),
    "another neighbour": ("x[:, free[0] + 1, free[1] + 1]", "x[:, free[0] + 1, free[1]]"),
    "another neighbour in balls": ("x[r][j] - x[r + 1][j + 1]", "x[r][j] - x[r + 1][j]"),
    "no error": ("self.errors = 2.02 *", "self.errors = 0.0 *"),
    "yes without a margin": ("(least > self.errors)", "(least > 0)"),
    "no without a margin": ("(least < -self.errors)", "(least < 0)"),
    "yes too soon": ("(least > self.errors)", "(least > -self.errors)"),
    "no too soon": ("(least < -self.errors)", "(least < self.errors)"),
    "open words as others": ("known = ~is_open.reshape(count, -1).any(axis=1)", "known = np.ones(count, dtype=bool)"),
    "words of the first proposal": ("place = (b + 1) * law.count", "place = law.count"),
    "one word for a row": ("at += 1", "at += 0"),
    "slacks of one row only": ("x[:, r] = x[:, r + 1] - slack[:, r]", "x[:, r] = x[:, d] - slack[:, r]"),
    "rows of balls from the spectrum": ("x = rows[0][j]", "x = rows[-1][j]"),
    "some room is enough": ("False if False in signs else", "False if True not in signs else"),
}

test_planted_faults_are_seen = told_apart(
    (has_the_pattern_of_its_words, accepts_as_the_ideal_pattern), inspect.getsource(vertex), FAULTS
)
