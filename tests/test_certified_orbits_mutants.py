"""Small faults planted in the text of the basis, of lines and hyperplanes, and of the last step: each is noticed.

No check is statistical: words are chosen so that a decision is just to be yes, or just to be no.
"""

import inspect
import types
from fractions import Fraction

import flint
import numpy as np
import pytest
from flint import acb_mat, arb

from dpspectra.certified import balls, bingham, correction, eigenbasis, kernels
from dpspectra.certified.ball_chart import identity
from dpspectra.certified.entropy import Source
from dpspectra.certified.orbit_draw import Draw
from tests.certified.test_ball_chart import LENGTH, Strings
from tests.support.certified import entropy
from tests.support.helpers import distance
from tests.support.orbits import wrong
from tests.test_certified_ball_chart_mutants import LARGE_ERRORS

BITS = 600
GAPS = [sign * 2.0**-e / 3 for e in (4, 30, 40, 42, 44, 46, 48, 60, 200) for sign in (1, -1)]
"""How far exponential numbers are above what they are compared with."""


def exponential(x):
    """The string of bits whose exponential number is ``x``, to some 600 bits."""
    with balls.precision(2 * LENGTH):
        digits = int(((-x.mid()).exp() * arb(2) ** (LENGTH - 1)).mid().floor().unique_fmpz())
    rest = LENGTH - 64
    return (digits >> rest) << (rest + 1) | digits & ((1 << rest) - 1)


class Given(Source):
    """Words, or some strings over and over, for each call, and nothing after them."""

    def __init__(self, *calls):
        self.calls = list(calls)

    def words(self, count):
        if not self.calls:
            raise LookupError("no proposal is accepted")
        given = self.calls.pop(0)
        if not isinstance(given, list):
            return given
        return Strings._Words([given[i % len(given)] for i in range(count)], LENGTH)


def long(word):
    """A word, and zeros after it."""
    return word << (LENGTH - 64)


def within(matrix, bound):
    """Whether the Frobenius norm of a matrix in balls is at most a float."""
    return sum((x.abs_upper() ** 2 for x in matrix.entries()), arb(0)) <= balls.exact(bound) ** 2


# ---------------------------------------------------------------- the basis


MATRICES = {
    "complex": np.array([[2.0, 0.5 - 0.25j, 0.0], [0.5 + 0.25j, 1.0, 1j], [0.0, -1j, -3.0]]),
    "large integers": np.array([[2**70 + 1, 3**40, 5], [3**40, -(2**69), 7], [5, 7, 11]], dtype=object),
}


def basis_of(m, temperature, module=eigenbasis, library=None):
    with pytest.MonkeyPatch.context() as patch:
        if library is not None:
            patch.setattr(np.linalg, "eigh", library)
        values, vectors = np.linalg.eigh(m.astype(complex if np.iscomplexobj(m) else float) * temperature)
    return module.Eigenbasis(m, temperature, values[::-1], vectors[:, ::-1])


def exact_matrix(m):
    return acb_mat([[flint.acb(balls.exact(x.real), balls.exact(x.imag)) for x in row] for row in m.tolist()])


def bounds_its_error(module):
    """Right libraries and wrong ones; a product that underflows."""
    cases = [(m, t, library) for m in MATRICES.values() for t in (0.3, 1.0) for library in (None, wrong(0.1, 1.05))]
    for m, t, library in [*cases, (np.array([[2.0**-600]]), 2.0**-560, None)]:
        basis, exact = (basis_of(m, t, x, library) for x in (module, eigenbasis))
        d = len(m)
        with balls.precision(BITS):
            q, a = exact.rows(range(d)), exact_matrix(m) * balls.exact(t)
            diagonal = acb_mat(np.diag(basis.weights).tolist())
            near = within(q - acb_mat(basis.vectors.tolist()), basis.distance)
            if not near or not within(a - q * diagonal * q.conjugate().transpose(), basis.error):
                return False
            if not all(x.overlaps(y) for x, y in zip(a.entries(), basis.matrix().entries(), strict=True)):
                return False
        if library is None and not basis.error <= 1e-12 * np.abs(m.astype(complex)).max():
            return False
    return True


def has_orthonormal_rows(module):
    """To all digits, in the order that was asked for; few digits enclose what many do."""
    for m in MATRICES.values():
        basis = basis_of(m, 1.0, module, wrong(0.1, 1.05))
        exact = basis_of(m, 1.0, library=wrong(0.1, 1.05))
        with balls.precision(4 * BITS):
            finest = exact.rows([2, 0])
        for bits in (64, 100, 150, 200, BITS):
            with balls.precision(bits):
                rows = basis.rows([2, 0])
                narrow = within(rows * rows.conjugate().transpose() - identity(2), 2.0 ** (16 - bits))
                if not narrow or not rows.overlaps(finest):
                    return False
    return True


def refuses_what_is_no_basis(module):
    for vectors in (np.ones((2, 2)), np.full((2, 2), np.nan)):
        try:
            basis_of(np.eye(2), 1.0, module, lambda a, vectors=vectors: (np.zeros(2), vectors))
        except RuntimeError:
            continue
        return False
    return True


# ---------------------------------------------------------------- lines and hyperplanes


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


def laws(module):
    for weights, rank in LAWS.values():
        for field in ("real", "complex"):
            law = module.Bingham(np.array(weights), rank, field)
            law._count = 1
            yield weights, rank, 1 + (field == "complex"), law


def projects_within_its_bound(module):
    """Drawn bits, normal numbers with the largest errors, and a vector with hardly any length."""
    accepted = [long(2**10)]
    for weights, rank, _, law in laws(module):
        d = len(weights)
        for words in (None, WORST, BESIDE, SHORTEST):
            draw = law.draw(Given(words, accepted) if words else entropy(7))
            with balls.precision(BITS):
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
    for weights, rank, copies, law in laws(module):
        n, sign = len(weights) * copies, 1 if rank == 1 else -1
        for source in (entropy(0), entropy(1), Given(SHORTEST), Given(UNCERTAIN)):
            normals = source.words(n + n % 2)
            with balls.precision(2 * BITS):
                towards = [sign * balls.exact(x) for x in weights]
                excess = [max(towards) - x for x in towards for _ in range(copies)]
                b, half = balls.exact(law.b), balls.exact(n) / 2
                y = [balls.normal(normals, i, BITS) / (1 + a / b).sqrt() for i, a in enumerate(excess)]
                s = sum((a * x**2 for a, x in zip(excess, y, strict=True)), arb(0)) / sum((x**2 for x in y), arb(0))
                t = (b + s) / half
                strings = [(exponential(half * (t - 1 - t.log()) + balls.exact(gap)), gap) for gap in GAPS]
            for string, gap in strings:
                if string < 2**LENGTH and is_drawn(law, Given(normals, [string])) != (gap > 0):
                    return False
    return True


def is_drawn(law, source):
    try:
        law.draw(source)
    except LookupError:
        return False
    return True


# ---------------------------------------------------------------- the last step


class Known(Draw):
    """A matrix of floats, and an estimate of it that is off."""

    def __init__(self, h, offset=0.0):
        self.h, self.estimate, self.error = h, h + offset * np.eye(len(h)), abs(offset) * len(h)

    def times(self, columns, bits):
        return acb_mat(self.h.tolist()) * columns


HALVES = np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]])
TURNED = np.array([[-0.25, 0, 1.25], [0, 0, 0], [1.25, 0, -0.25]])
POINTS = {
    (1.0, 0.0, 0.0): [np.diag([1.0, 0, 0]), np.diag([0, 0, 1.0]), HALVES],
    (1.0, 0.0, -1.5): [np.diag([1.0, 0, -1.5]), np.diag([-1.5, 0, 1.0]), TURNED],
    (1.0, 1.0, 0.5): [np.diag([0.5, 1.0, 1.0]), np.diag([1.0, 1.0, 0.5])],
}
"""Spectra, and matrices of floats that have them exactly."""


def keeps_as_the_ideal_matrix(module):
    """A wrong basis: the bound is one, and the definition in balls decides as the program does."""
    basis = basis_of(MATRICES["complex"], 0.5, library=wrong(0.1, 1.05))
    with balls.precision(BITS):
        q, a = basis.rows(range(3)), basis.matrix()
        rotated = q.conjugate().transpose() * a * q
    for spectrum, points in POINTS.items():
        c = spectrum[1]
        for moved in ([0.0, 0.0, 0.0], [0.5, 0.0, 0.25], [0.25, -0.5, 0.0]):
            weights = basis.weights + np.array(moved)
            last = module.Correction(basis, weights, np.array(spectrum))
            if not 1.02 >= last._most / (basis.error * sum(abs(x - c) for x in spectrum)) >= 1:
                return False
            for h in points:
                with balls.precision(BITS):
                    diagonal = acb_mat(np.diag(basis.weights).tolist())
                    apart = a.trace().real - sum(map(balls.exact, basis.weights.tolist()), arb(0))
                    inner = ((rotated - diagonal) * acb_mat(h.tolist())).trace().real
                    least = (
                        balls.exact(c) * apart
                        + balls.exact(last._most)
                        - inner
                        + balls.exact(_lost(weights, basis, h, spectrum))
                    )
                if not all(_kept(last, Known(h), least, gap) == (gap > 0) for gap in GAPS if least + gap > 0):
                    return False
    return True


def _lost(weights, basis, h, spectrum):
    """What moved weights cost, in rational numbers."""
    total = Fraction(0)
    for new, old, x in zip(weights.tolist(), basis.weights.tolist(), np.diag(h).tolist(), strict=True):
        r, x = Fraction(new) - Fraction(old), Fraction(x)
        total += r * (x - Fraction(spectrum[-1])) if r > 0 else -r * (Fraction(spectrum[0]) - x)
    return total


def _kept(last, draw, least, gap):
    with balls.precision(BITS):
        string = exponential(least + balls.exact(gap))
    return last.accepts(draw, Given([string]))


def keeps_numbers_as_they_are(module):
    """At ``diag(1, 0)`` the probability is ``exp(-r)``: what floats do not know of ``H``, of open words and others."""
    basis, line = basis_of(np.zeros((2, 2)), 1.0), np.diag([1.0, 0.0])

    def last(r):
        return module.Correction(basis, np.array([r, 0.0] if r > 0 else [0.0, r]), np.diag(line))

    for r in (0.5, 12.0):
        for draw in (Known(line), Known(line, 2.0**-20), Known(line, -(2.0**-20))):
            lowered = (_kept(last(-r), draw, arb(r), gap) == (gap > 0) for gap in (2.0**-22, -(2.0**-22)))
            if not all(lowered):
                return False
            if not all(_kept(last(r), draw, arb(r), gap) == (gap > 0) for gap in (*GAPS, 3.0, 2.0**-22, -(2.0**-22))):
                return False
    for word in LARGE_ERRORS:
        given = Given([long(word)])
        with balls.precision(BITS):
            exact = balls.exponential(given.words(1), 0, 100)
        found = float(kernels.exponentials(np.array([word], dtype=np.uint64))[0][0])
        r = (float(exact.mid()) + found) / 2
        if last(r).accepts(Known(line), Given([long(word)])) != bool(exact > r):
            return False
    return True


# ---------------------------------------------------------------- mutants


CHECKS = {
    eigenbasis: (refuses_what_is_no_basis, bounds_its_error, has_orthonormal_rows),
    bingham: (projects_within_its_bound, accepts_as_the_ideal_vector),
    correction: (keeps_numbers_as_they_are, keeps_as_the_ideal_matrix),
}

MUTANTS = {
    eigenbasis: {
        "no distance": ("spectrum.NEAREST * self._defect", "0.0"),
        "no residual": ("spectrum.residual_bound(a, self.vectors, self.weights) + formed", "formed"),
        "no allowance for underflow": ("np.linalg.norm(a)) + TINY", "np.linalg.norm(a))"),
        "bases of any quality": ("if not np.isfinite(self.error):", "if np.isnan(self.error):"),
        "no temperature in balls": ("balls.exact(x.imag)) * temperature", "balls.exact(x.imag))"),
        "another sign of the series": ("(arb(1) / 2 - n) / n", "(n - arb(1) / 2) / n"),
        "another power of the series": ("(arb(1) / 2 - n) / n", "(arb(1) - n) / n"),
        "no defect but the product": ("term * adjoint * basis - term", "term * adjoint * basis"),
        "not the adjoint": ("basis.conjugate().transpose()", "basis.transpose()"),
        "a rest of one power more": ("balls.exact(self._defect), 1\n", "balls.exact(self._defect) ** 2, 1\n"),
        "a rest of twice the power": ("rest *= balls.exact(self._defect)", "rest *= balls.exact(self._defect) ** 2"),
        "few terms": ("rest > arb(2) ** -flint.ctx.prec", "rest > arb(2) ** -50"),
        "rows in another order": ("[rows[i] for i in places]", "[rows[i] for i in sorted(places)]"),
    },
    bingham: {
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
    },
    correction: {
        "the trace, not the nuclear norm": ("abs(Fraction(float(x)) - Fraction(self._centre))", "Fraction(float(x))"),
        "half of the bound": ("1.01 * basis.error", "0.5 * basis.error"),
        "counted from the other end": ("spectrum[-1], spectrum[0]", "spectrum[0], spectrum[-1]"),
        "counted from the least one": ("spectrum[-1], spectrum[0]", "spectrum[-1], spectrum[-1]"),
        "counted from 0 in balls": (".trace().real + constant", ".trace().real"),
        "yes too soon": ("low > lost + 2 * self._most + error", "low > lost + self._most + error"),
        "yes without a margin": ("low > lost + 2 * self._most + error", "low > lost + 2 * self._most"),
        "no too soon": ("high < lost - error", "high < lost + 2 * self._most - error"),
        "no without a margin": ("high < lost - error", "high < lost"),
        "no error of the words": ("error += kernels.EXPONENTIAL_ERROR", ""),
        "no error of the draw": ("error + 2 * (len(apart)", "2 * (len(apart)"),
        "no error of moved weights": ("if not self._raised.any():", "if True:"),
        "open words as others": ("(kernels.LEAST_OPEN, np.inf) if", "(numbers[0], numbers[0]) if"),
        "open words as small": ("(kernels.LEAST_OPEN, np.inf) if", "(kernels.LEAST_OPEN, kernels.LEAST_OPEN) if"),
        "open words as large": ("(kernels.LEAST_OPEN, np.inf) if", "(np.inf, np.inf) if"),
        "weights that are not raised": ("balls.exact(weight) + balls.exact(change)", "balls.exact(weight)"),
        "not the adjoint": ("q.conjugate().transpose() * a * q", "q.transpose() * a * q"),
        "the other way": ("q.conjugate().transpose() * a * q", "q * a * q.conjugate().transpose()"),
        "no bound in balls": (" - balls.exact(self._most)\n", "\n"),
        "no traces in balls": ("- c * traces", ""),
        "the other sign": ("bits) + inner", "bits) - inner"),
    },
}  # fmt: skip
"""Small faults: what is replaced, and by what."""

NAMED = [(module, name) for module, planted in MUTANTS.items() for name in planted]


def mutant(module, old, new):
    source = inspect.getsource(module)
    assert source.count(old) == 1
    changed = types.ModuleType("mutant")
    exec(compile(source.replace(old, new), "mutant", "exec"), changed.__dict__)
    return changed


def sound(original, module):
    try:
        return all(check(module) for check in CHECKS[original])
    except (ArithmeticError, LookupError, ValueError):
        return False


@pytest.mark.parametrize("module", CHECKS, ids=lambda module: module.__name__)
def test_the_module_is_sound(module):
    assert all(check(mutant(module, *2 * ["from __future__ import annotations"])) for check in CHECKS[module])


@pytest.mark.parametrize(("module", "name"), NAMED, ids=lambda x: getattr(x, "__name__", x))
def test_a_mutant_is_noticed(module, name):
    assert not sound(module, mutant(module, *MUTANTS[module][name]))
