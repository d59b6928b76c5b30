"""The last step of a certified orbit makes the law right whatever the basis."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
from flint import acb_mat, arb
from scipy import stats

from dpspectra import sampling
from dpspectra.certified import ball_noise, correction, kernels
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.correction import Correction
from dpspectra.certified.orbit_draw import Draw
from tests.support.faults import told_apart
from tests.support.helpers import ALARM, entropy
from tests.support.orbits import MATRICES, decomposed, wrong
from tests.support.strings import BITS, GAPS, LARGE_ERRORS, Given, exponential, long

M = np.array([[3.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 0.5]])


class Everything(Correction):
    """No last step."""

    def accepts(self, draw, source):
        return True


def released(m, sampler, spectrum, step, size, library=np.linalg.eigh, raised=0.0):
    """Draws for ``exp(<m, H>)`` in the coordinates of ``m``, in floats, and how many were lost."""
    basis = decomposed(m, 1.0, library)
    source = entropy()
    weights = basis.weights + raised
    law, last = sampler(weights), step(basis, weights, np.array(spectrum, float))
    found, lost = [], 0
    while len(found) < size:
        draw = law.draw(source)
        if last.accepts(draw, source):
            found.append(basis.vectors @ draw.estimate @ basis.vectors.conj().T)
        else:
            lost += 1
    return np.array(found), lost


def surprise(h, m, spectrum, field):
    """Smallest p-value among some linear features, times their number."""
    reference = sampling.orbit(m, spectrum, 1.0, size=20000, field=field, rng=1)
    features = [np.diag([1.0, 0, 0]), m, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]]), np.diag([0, 0, 1.0])]
    p = [stats.ks_2samp(*(np.einsum("nij,ji->n", x, f).real for x in (h, reference))).pvalue for f in features]
    return len(features) * min(p)


CASES = {
    "real line": (lambda w: Bingham(w, 1, "real"), [1, 0, 0], "real"),
    "complex line": (lambda w: Bingham(w, 1, "complex"), [1, 0, 0], "complex"),
    "real plane": (lambda w: Bingham(w, 2, "real"), [1, 1, 0], "real"),
    "chart": (lambda w: BallChart(w, 1), [1, 0, 0], "complex"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_last_step_restores_the_law_of_a_wrong_basis(case):
    """Vectors turned by 0.4: without the step the law is visibly wrong."""
    sampler, spectrum, field = CASES[case]
    right, lost = released(M, sampler, spectrum, Correction, 400, wrong(0.4, 1.0))
    unmended, _ = released(M, sampler, spectrum, Everything, 4000, wrong(0.4, 1.0))
    assert lost > 100
    assert surprise(right, M, spectrum, field) > ALARM
    assert surprise(unmended, M, spectrum, field) < 1e-9


def test_the_last_step_lowers_weights_that_were_raised():
    sampler, spectrum, field = CASES["chart"]
    raised = np.array([0.6, 0.0, 0.0])
    right, lost = released(M, sampler, spectrum, Correction, 1500, raised=raised)
    assert lost > 100
    assert surprise(right, M, spectrum, field) > ALARM
    unmended, _ = released(M, sampler, spectrum, Everything, 1500, raised=raised)
    assert surprise(unmended, M, spectrum, field) < 1e-3


def test_the_last_step_keeps_nearly_all_draws_of_a_right_basis():
    assert all(released(M, CASES[case][0], CASES[case][1], Correction, 300)[1] == 0 for case in CASES)


def test_floats_decide_the_last_step_as_balls_do(monkeypatch):
    monkeypatch.setattr(np.linalg, "eigh", wrong(0.1, 1.05))
    spectrum = np.array([1.0, 0.0, 0.0])
    basis = decomposed(M, 1.0)
    weights = basis.weights + np.array([0.5, 0, 0])
    last, source = Correction(basis, weights, spectrum), entropy(3)
    law = BallChart(weights, 1)
    draws = [(law.draw(source), i) for i in range(300)]
    before = [last.accepts(draw, entropy(i)) for draw, i in draws]
    monkeypatch.setattr(Correction, "_lost", lambda self, draw: (0.0, np.inf))
    assert before == [last.accepts(draw, entropy(i)) for draw, i in draws]
    assert 30 < sum(before) < 270


# ---------------------------------------------------------------- planted faults


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
    basis = decomposed(MATRICES["complex"], 0.5, wrong(0.1, 1.05))
    with ball_noise.precision(BITS):
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
                with ball_noise.precision(BITS):
                    diagonal = acb_mat(np.diag(basis.weights).tolist())
                    apart = a.trace().real - sum(map(ball_noise.exact, basis.weights.tolist()), arb(0))
                    inner = ((rotated - diagonal) * acb_mat(h.tolist())).trace().real
                    least = (
                        ball_noise.exact(c) * apart
                        + ball_noise.exact(last._most)
                        - inner
                        + ball_noise.exact(_lost(weights, basis, h, spectrum))
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
    with ball_noise.precision(BITS):
        string = exponential(least + ball_noise.exact(gap))
    return last.accepts(draw, Given([string]))


def keeps_numbers_as_they_are(module):
    """At ``diag(1, 0)`` the probability is ``exp(-r)``: what floats do not know of ``H``, of open words and others."""
    basis, line = decomposed(np.zeros((2, 2)), 1.0), np.diag([1.0, 0.0])

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
        with ball_noise.precision(BITS):
            exact = ball_noise.exponential(given.words(1), 0, 100)
        found = float(kernels.exponentials(np.array([word], dtype=np.uint64))[0][0])
        r = (float(exact.mid()) + found) / 2
        if last(r).accepts(Known(line), Given([long(word)])) != bool(exact > r):
            return False
    return True


FAULTS = {
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
    "weights that are not raised": (
        "ball_noise.exact(weight) + ball_noise.exact(change)",
        "ball_noise.exact(weight)",
    ),
    "not the adjoint": ("q.conjugate().transpose() * a * q", "q.transpose() * a * q"),
    "the other way": ("q.conjugate().transpose() * a * q", "q * a * q.conjugate().transpose()"),
    "no bound in balls": (" - ball_noise.exact(self._most)\n", "\n"),
    "no traces in balls": ("- c * traces", ""),
    "the other sign": ("bits) + inner", "bits) - inner"),
}

test_planted_faults_are_seen = told_apart(
    (keeps_numbers_as_they_are, keeps_as_the_ideal_matrix), inspect.getsource(correction), FAULTS
)
