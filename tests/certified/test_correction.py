"""The last step of a certified orbit makes the law right whatever the basis."""

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra import sampling
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.correction import Correction
from tests.support.helpers import ALARM
from tests.support.orbits import decomposed, wrong


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


M = np.array([[3.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 0.5]])


class Everything(Correction):
    """No last step."""

    def accepts(self, draw, source):
        return True


def released(m, sampler, spectrum, step, size, library=np.linalg.eigh, raised=0.0):
    """Draws for ``exp(<m, H>)`` in the coordinates of ``m``, in floats, and how many were lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.linalg, "eigh", library)
        basis = decomposed(m, 1.0)
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
