"""Certified matrices of any spectrum: the float sampler's path, words that must be read far, the exact law.

Fixed seeds. A statistical comparison of a true law fails with probability `ALARM` each, where a normal approximation of
the mean of 200 bounded numbers holds.
"""

import functools
import inspect
import itertools

import flint
import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra import sampling
from dpspectra.ball import gelfand_tsetlin as ball
from dpspectra.ball.pattern_rows import Imprecise
from dpspectra.certified import ball_noise, gelfand_tsetlin
from dpspectra.certified import patterns as minors_and_phases
from dpspectra.certified.entropy import Source, Words
from dpspectra.fast.patterns import reconstruct
from dpspectra.oracle import patterns
from tests.support.certified import GRIDS, distance, features, in_balls, rounded
from tests.support.faults import passes, planted, told_apart
from tests.support.helpers import ALARM, entropy
from tests.support.samplers import PATTERNS, SMALL

PATHS = "line", "full", "scalar weights", "ties in both", "ties inside", "three levels", "one large weight"


def sampler(law, module=gelfand_tsetlin):
    return module.GelfandTsetlin(*(np.array(x, float) for x in law))


def square(law, words, more=0):
    """The numbers of words and ``more`` bits after each, by rows and places; a half where a tie holds."""
    numbers = (int(word) << more | words.beyond(i, more) for i, word in enumerate(words.values))
    return [
        [mp.mpf(next(numbers)) / 2 ** (64 + more) if is_free else mp.mpf(0.5) for is_free in row] for row in law.free
    ]


def padded(rows):
    """A square array of the numbers of rows."""
    return np.array([[*map(float, row), *([0.0] * (len(rows[-1]) - len(row)))] for row in rows])


def from_words(law, draw):
    """What a draw should be: its diagonal to 35 digits by the oracle's quantiles, and the matrix in floats."""
    order = -1 if law.ascending else 1
    with mp.workdps(40):
        rows = patterns.quantiles(law.weights[::order], law.spectrum, 1.0, square(law, draw._uniforms, 128))
        sums = [mp.mpf(0), *map(mp.fsum, rows)]
        diagonal = [b - a for a, b in itertools.pairwise(sums)][::order]
        if law._turned:
            diagonal = [-x for x in reversed(diagonal)]
    h = reconstruct(padded(rows), np.exp(2j * np.pi * padded(square(law, draw._phases))))[::order, ::order]
    return diagonal, -h[::-1, ::-1] if law._turned else h


def follows(draw, expected):
    """Whether a draw is what it should be."""
    diagonal, h = expected
    with ball_noise.precision(256):
        errors = [abs(in_balls(draw, 128)[i, i].real - flint.arb(mp.nstr(x, 40))) for i, x in enumerate(diagonal)]
        near = all(error < 2.0**-100 * max(map(abs, draw._law.spectrum)) for error in errors)
    return near and np.allclose(draw.estimate, h, rtol=0, atol=1e-9)


# ---------------------------------------------------------------- the path


@pytest.mark.parametrize("name", PATHS)
def test_matrices_are_those_of_the_words(name):
    law = sampler(SMALL[name])
    for seed in range(2):
        draw = law.draw(entropy(seed))
        assert follows(draw, from_words(law, draw))


def test_weights_ascend_where_few_are_large():
    """Rows without them have short series; only half the sum of spreads changes what a key gives."""
    ascending = {name for name in PATTERNS if sampler(PATTERNS[name]).ascending}
    assert ascending == {
        "one large weight",
        "one large weight, turned",
        "flat but one, d = 30",
        "flat but two tied, d = 8",
        "k = 3, d = 12",
    }


# ---------------------------------------------------------------- floats and balls


@pytest.mark.parametrize("name", PATTERNS)
def test_what_is_released_does_not_depend_on_the_bits_at_first(name, monkeypatch):
    """Balls of 64 bits more and of 256 give the same whole numbers of steps, as do balls of one bit more."""
    found = []
    for first in (64, 256, 1):
        monkeypatch.setattr(ball_noise, "FIRST", first)
        found.append(
            [rounded(sampler(PATTERNS[name]).draw(entropy(i)), GRIDS[i], 1.0) for i in range(3 if name in SMALL else 1)]
        )
    for one in found[1:]:
        assert all(np.array_equal(x, y) for x, y in zip(found[0], one, strict=True))


def test_a_product_is_that_of_the_matrix():
    draw, columns = sampler(SMALL["full"]).draw(entropy(2)), flint.acb_mat([[1, 2], [3j, 0], [0, -1]])
    with ball_noise.precision(200):
        assert draw.times(columns, 64).overlaps(in_balls(draw, 128) * columns)


# ---------------------------------------------------------------- words of which much must be read


class Same(Source):
    """The words of every call begin some strings, over and over, each of which goes on with its last bit."""

    class _Words(Words):
        def __init__(self, strings, count):
            self.strings = [strings[i % len(strings)] for i in range(count)]
            self.values = np.array([int(x[:64], 2) for x in self.strings], dtype=np.uint64)

        def beyond(self, i, bits):
            string = self.strings[i]
            return int(string[64:].ljust(bits, string[-1])[:bits] or "0", 2)

    def __init__(self, *strings):
        self.strings = strings

    def words(self, count):
        return self._Words(self.strings, count)


@pytest.mark.parametrize("string", ["0" * 300 + "1", "1" * 300 + "0", "1" + "0" * 63, "0" + "1" * 63])
@pytest.mark.parametrize("name", ["line", "full", "ties in both"])
def test_strings_near_the_ends_are_read_until_they_are_known(name, string):
    law = sampler(SMALL[name])
    draw = law.draw(Same(string))
    assert np.isfinite(draw.error)
    assert draw.error <= 1e-15
    far = len(string) > 64
    assert not (far and in_balls(draw)[0, 0].is_finite()), "64 further bits do not say that the number is not 0, or 1"
    assert in_balls(draw, 512)[0, 0].is_finite()
    assert distance(draw, 512) <= draw.error


CROSSED = Same("1" + "0" * 63, "0" * 120 + "10", "1" * 120 + "01")
"""For a full spectrum of order 3: entries of the second row are ``2**-120`` and ``2**-60`` or so from the eigenvalue
between them, so that much depends on bits far behind."""


def test_entries_that_nearly_meet_are_read_until_the_matrix_is_known():
    draw = sampler(SMALL["full"]).draw(CROSSED)
    assert not all(float(x.rad()) <= 1e-3 for x in in_balls(draw).entries())
    assert draw.error <= 1e-15
    assert distance(draw, 400) <= draw.error


@pytest.mark.parametrize("string", ["0" * 64, "1" * 64])
def test_an_entry_near_the_end_is_the_limit(string):
    """For the line the first entry is a quantile of ``exp(2 t)`` on the unit interval."""
    more = string + string[0] * 100 + "01"
    found = sampler(SMALL["line"]).draw(Same(more)).estimate[0, 0].real
    assert found == pytest.approx(float(string[0]), abs=1e-15)


# ---------------------------------------------------------------- the law

EXACT = [
    ((2, 1, 0), (1, 0, 0)),
    ((2, 2, 0), (1, 1, 0)),
    ((6, 2, 1), (2, 1, 0)),
    ((3, 0, 0), (1, 0, -1.5)),
    ((3, 2, 1, 0), (1, 1, 0, 0)),
    ((1, 1, 1, 0), (2, 1, 1, 0)),
    ((4, 1, 1, 1), (1, 1, 0, -1)),
    ((2, 2, 0, 0), (1, 0.9, 0.5, 0)),
]
"""Weights and spectra."""


def surprise(law, h):
    """Probability of a mean utility as far from its exact value, by the normal limit."""
    with mp.workdps(30):
        mean, variance = map(float, patterns.utility_moments(*law, 1.0))
    found = np.einsum("nii,i->n", h, np.array(law[0], float)).real
    return 2 * stats.norm.sf(abs(np.mean(found) - mean) / np.sqrt(variance / len(h)))


def unlikely(law, h):
    """Smallest probability of a distribution so far from that of the float sampler, over some numbers of a matrix."""
    ideal = sampling.orbit(np.diag(np.array(law[0], float)), law[1], 1.0, size=3000, field="complex", rng=5)
    pairs = zip(features(h), features(ideal), strict=True)
    return min(stats.ks_2samp(x, y).pvalue for x, y in pairs if max(np.ptp(x), np.ptp(y)) > 1e-12)


@pytest.mark.parametrize("law", EXACT, ids=str)
def test_the_law_is_the_exact_one(law):
    exact, source = sampler(law), entropy(7)
    h = np.array([exact.draw(source).estimate for _ in range(200)])
    assert surprise(law, h) > ALARM
    assert unlikely(law, h) > ALARM / 11, "of at most 11 numbers"


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (((0, 1), (1, 0)), "weights must be finite and descending"),
        (((1, 0), (0, 1)), "spectrum must be finite and descending"),
        (((np.inf, 0), (1, 0)), "weights must be finite"),
        (((1, 0), (1, np.nan)), "spectrum must be finite"),
        (((1, 0), (1, 0, 0)), "one length, got 2 and 3"),
        (((), ()), "one length, got 0 and 0"),
    ],
)
def test_what_is_no_law_is_refused(law, message):
    with pytest.raises(ValueError, match=message):
        sampler(law)


def test_free_cells_are_those_that_differ_in_the_oracle():
    for _, spectrum in EXACT:
        found = minors_and_phases.free_cells(spectrum)
        cells = {(r, j) for r, row in enumerate(found, 1) for j, is_free in enumerate(row) if is_free}
        assert cells == set(patterns.free_cells(spectrum))
        assert len(list(itertools.chain(*found))) == len(spectrum) * (len(spectrum) - 1) // 2


# ---------------------------------------------------------------- planted faults


SHAPES = ["line", "full", "ties in both", "three levels", "k = d - 1", "scalar", "large"]


def keeps_its_bounds(module):
    """Floats within their bound of balls of more bits, which say something and have the spectrum and its minors."""
    for name, seed in itertools.product(SHAPES, range(4)):
        draw, spectrum = sampler(PATTERNS[name], module).draw(entropy(seed)), np.array(PATTERNS[name][1], float)
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
    law = sampler(SMALL["full"], module)
    for word, after in itertools.product(("1" + "0" * 63, "01" * 32), ("01" + "1" * 400 + "0", "10" + "0" * 400 + "1")):
        draw = law.draw(Same(word + after))
        with ball_noise.precision(400):
            if not draw._enclosed(2).overlaps(draw._enclosed(300)):
                return False
    return True


@functools.cache
def expected(name, seed):
    law = sampler(SMALL[name])
    return from_words(law, law.draw(entropy(seed)))


def follows_the_words(module):
    return all(
        follows(sampler(SMALL[name], module).draw(entropy(seed)), expected(name, seed))
        for name in PATHS
        for seed in (0, 1)
    )


def knows_what_nearly_meets(module):
    draw = sampler(SMALL["full"], module).draw(CROSSED)
    return draw.error <= 1e-15 and distance(draw, 400) <= draw.error


CHECKS = keeps_its_bounds, follows_the_words, knows_what_nearly_meets, encloses_all_further_bits


WHOLE, SIGN = "[-x for x in reversed(row)] for row in reversed(h.tolist())", "[-x for x in row] for row in h.tolist()"
UNIFORM = "ball_noise.uniform(int(word), WORD, words, i, bits)"
FAULTS = {
    "no sign": ("[-x for x in reversed(row)]", "[x for x in reversed(row)]"),
    "no opposite order": (WHOLE, SIGN),
    "weights in their order": ("weights, spectrum = -weights[::-1]", "weights, spectrum = -weights"),
    "another temperature": ("| Fraction] = weights.tolist()", "| Fraction] = (1.5 * weights).tolist()"),
    "one phase for all": (UNIFORM, "ball_noise.uniform(int(words.values[0]), WORD, words, 0, bits)"),
    "phases of a half circle": ("(2 * ball_noise.uniform(", "(1 * ball_noise.uniform("),
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
    "no base": ("acb(base + h[i, i].real)", "acb(h[i, i].real)"),
    "entries without the conjugate": ("h[j, i] = h[i, j].conjugate()", "h[j, i] = h[i, j]"),
    "vectors without the conjugate": ("w * y.conjugate() for w, y", "w * y for w, y"),
    "no phases": ("parts = [w * column[i]", "parts = [abs(w) * column[i]"),
    "weights in another order": ("for value in left] + weights", "for value in left][::-1] + weights"),
    "rows in another order": ("rows.insert(0, last)", "rows.append(last)"),
    "vectors that end go on": ("*row[kept:]]", "*row[:kept]]"),
    "errors of bases left out": ("error = (beyond + (1 + beyond) * error", "error = ((1 + beyond) * error"),
    "errors not carried on": ("(1 + beyond) * error", "0 * error"),
    "no errors": ("[*(y + blur for y in row)", "[*(y for y in row)"),
    "moduli without a root": ("start=arb(1))).sqrt())", "start=arb(1))))"),
    "moduli of another sign": ("start=arb(-1)", "start=arb(1)"),
    "moduli without their distances": ("(*mu[:j], *mu[j + 1 :])", "()"),
    "eigenvectors not normalised": ("length = (sum((x * x for x in parts), arb(0)) + 1).sqrt()", "length = arb(1)"),
    "eigenvectors of another sign": ("y / (value - x) for x, y", "y / (x - value) for x, y"),
    "last entries left out": ("for _ in mu), acb(1)]", "for _ in mu), acb(0)]"),
}

UPPER = "laws[r - 1].draw(high, copies, most[r - 1], low, 1)"
CHAINS = {
    "both chains rounded down": (UPPER, "laws[r - 1].draw(low, copies, least[r - 1], low, 0)"),
    "the upper chain at the lower ends": (UPPER, "laws[r - 1].draw(high, copies, least[r - 1], low, 1)"),
    "weights of the row before": ("m - exponents[r] for m", "m - exponents[r - 1] for m"),
    "no smallest level": (".union(high[j]) + smallest", ".union(high[j])"),
    "the lower chain alone": ("low[j].union(high[j])", "low[j]"),
}
"""Small faults in `ball.gelfand_tsetlin`, on which the sampler rests."""


IMPORTS = ("from dpspectra.certified.patterns import RELATIVE, PatternLaw, PatternMatrix\n",)


def whole():
    """The text of the sampler, after that of the module it builds on."""
    text = inspect.getsource(gelfand_tsetlin)
    assert all(text.count(line) == 1 for line in IMPORTS)
    return inspect.getsource(minors_and_phases) + functools.reduce(lambda x, line: x.replace(line, ""), IMPORTS, text)


test_planted_faults_are_seen = told_apart(CHECKS, whole(), FAULTS)


@pytest.mark.parametrize("fault", CHAINS)
def test_planted_faults_of_the_chains_are_seen(fault, monkeypatch):
    faulty, module = planted(inspect.getsource(ball), *CHAINS[fault]), planted(whole())
    monkeypatch.setattr(faulty, "Imprecise", Imprecise)
    module.enclosed, module.laws_of_rows = faulty.enclosed, faulty.laws_of_rows
    assert not passes(CHECKS, module)
