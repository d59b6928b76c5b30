"""Certified projectors of any rank by an angular Gaussian: its height, its frames, and faults that are seen."""

import inspect
import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, acb_mat, arb

from dpspectra.certified import angular_gaussian, ball_noise, choice_of_sampler
from dpspectra.certified.angular_gaussian import AngularGaussian, frame_of
from dpspectra.certified.ball_chart import identity
from tests.support.certified import distance
from tests.support.faults import told_apart
from tests.support.helpers import entropy
from tests.support.samplers import SPANS
from tests.support.strings import BITS, GAPS, LARGE_ERRORS, LENGTH, Given, exponential, is_drawn, long

LAWS = {name: (weights, int(sum(spectrum))) for name, (weights, spectrum, _) in SPANS.items() if "d =" not in name}
"""Weights and ranks."""


def law_of(name, module=angular_gaussian):
    weights, spectrum, _ = SPANS[name]
    return module.AngularGaussian(np.array(weights), int(sum(spectrum)))


@pytest.mark.parametrize("name", SPANS)
def test_the_height_is_reached_by_a_diagonal_frame_and_passed_by_none(name):
    """Where weights are flat the clipped points can be met, and a frame of axes comes within a hundredth."""
    law = law_of(name)
    d, k, rng = len(law.omega), law.k, np.random.default_rng(3)
    axes = [np.eye(d)[:, list(chosen)] for chosen in itertools.islice(itertools.combinations(range(d), k), 200)]
    drawn = [np.linalg.qr(rng.normal(size=(d, k)) + 1j * rng.normal(size=(d, k)))[0] for _ in range(200)]
    ratios = []
    for x in [*axes, *drawn]:
        squares = np.sum(np.abs(x) ** 2, axis=1)
        power = np.linalg.slogdet(x.conj().T @ (law.omega[:, None] * x))[1]
        ratios.append(d * power - squares @ law.excess - law.height)
    assert max(ratios) <= 1e-9
    if name == "flat":
        assert max(ratios) > -1e-2


@pytest.mark.parametrize("name", LAWS)
def test_fractions_stand_for_themselves(name):
    weights, rank = LAWS[name]
    exact = np.array([Fraction(w) for w in weights], dtype=object)
    drawn = (AngularGaussian(given, rank).draw(entropy(1)).estimate for given in (np.array(weights), exact))
    assert np.array_equal(*drawn)


def test_a_frame_of_next_to_nothing_is_not_known():
    g = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52], [0.0, 0.0]], dtype=complex)
    assert frame_of(g, 0.0)[1] == np.inf or frame_of(g, 0.0)[1] > 1e-3
    assert frame_of(np.ones((3, 2), dtype=complex), 0.0)[1] == np.inf
    assert frame_of(np.eye(3)[:, :2].astype(complex), 1e-9)[1] == pytest.approx(3e-9 * np.sqrt(2) + 6e-9, rel=1)


def test_the_menu_takes_it_where_others_take_long():
    """Two values of M, rank 10 of 100: an angular Gaussian serves in a millisecond, quantiles in seconds."""
    weights = np.repeat([4.0, 0.0], [50, 50])
    assert choice_of_sampler.chosen(weights, np.repeat([1.0, 0.0], [10, 90]), "complex").method == "macg"
    assert choice_of_sampler.chosen(weights, np.repeat([1.0, 0.0], [90, 10]), "complex").method == "macg"
    assert choice_of_sampler.chosen(50 * weights, np.repeat([1.0, 0.0], [10, 90]), "complex").method != "macg"
    assert choice_of_sampler.chosen(weights[45:55], np.repeat([1.0, 0.0], [2, 8]), "complex").method != "macg"


# ---------------------------------------------------------------- planted faults


EIGHTH = long(2**64 // 7)
WORST = [string for word in LARGE_ERRORS[:6] for string in (long(word), EIGHTH)]
"""Normal numbers with the largest errors."""
BESIDE = [*WORST, *map(long, np.random.default_rng(4).integers(2**60, 2**63, 18).tolist())]
"""These, and others."""


def projects_within_its_bound(module):
    for name in LAWS:
        weights, rank = LAWS[name]
        for source in (entropy(7), Given(BESIDE, [long(2**10)])):
            draw = law_of(name, module).draw(source)
            with ball_noise.precision(BITS):
                exact = draw.times(identity(len(weights)), 200)
                right = (exact * exact).overlaps(exact) and abs(exact.trace().real - rank) < 2.0**-100
            if not (right and np.array_equal(draw.estimate, draw.estimate.conj().T) and distance(draw) <= draw.error):
                return False
    return True


def form(g, numbers):
    rows = [[n * x for x in row] for n, row in zip(numbers, g.tolist(), strict=True)]
    return g.conjugate().transpose() * acb_mat(rows)


def accepts_as_the_ideal_span(module):
    """The definition of the law in balls, beside exponential numbers that are just above and just below it."""
    for name in LAWS:
        law, (weights, rank) = law_of(name, module), LAWS[name]
        d, k, side = len(weights), min(rank, len(weights) - rank), 1 if 2 * rank <= len(weights) else -1
        for source in (entropy(0), entropy(1), Given(BESIDE)):
            normals = source.words(2 * d * k)
            with ball_noise.precision(2 * BITS):
                towards = [side * ball_noise.exact(w) for w in weights]
                a = [max(towards) - w for w in towards]
                omega = [ball_noise.exact(law.beta) + max(ball_noise.exact(law.pivot) - w, arb(0)) for w in towards]
                z = [ball_noise.normal(normals, i, BITS) for i in range(2 * d * k)]
                g = acb_mat(d, k, [acb(z[2 * i], z[2 * i + 1]) / omega[i // k].sqrt() for i in range(d * k)])
                forms = [form(g, numbers) for numbers in ([arb(1)] * d, a, omega)]
                power = d * (forms[2].det().real.log() - forms[0].det().real.log())
                lacking = ball_noise.exact(law.height) - power + (forms[0].inv() * forms[1]).trace().real
                if not lacking > 0:
                    return False
                strings = [(exponential(lacking + ball_noise.exact(gap)), gap) for gap in GAPS]
            for string, gap in strings:
                if string < 2**LENGTH and is_drawn(law, Given(normals, [string])) != (gap > 0):
                    return False
    return True


ADJOINT = "adjoint = g.conjugate().transpose()\n        try:"
FAULTS = {
    "the large side as the small one": ("-weights if self.complement", "weights if self.complement"),
    "another deviation": ("np.sqrt(self.beta / self.omega)", "self.beta / self.omega"),
    "deviations in balls": ("[1 / x.sqrt() for x in omega]", "[1 / x for x in omega]"),
    "another part in balls": ("2 * j + part", "2 * j + 1 - part"),
    "a height too low": ("for s in points)", "for s in points[1:])"),
    "too much of a floor": ("arb(0)) - ball_noise.exact(least))", "arb(0)) - 2 * ball_noise.exact(least))"),
    "no error of the normals": ("off = 2 * kernels.NORMAL_ERROR * math.sqrt(k) * norm(law.deviations) + 6", "off = 6"),
    "no error of the frame": ("return x, 1.01 * (near + (1 + off) * off) if", "return x, 0.0 if"),
    "no error of the decision": ("return value, 1.01 * (known + rounding)", "return value, 0.0"),
    "no error of the exponential": ("off = self._off + kernels.EXPONENTIAL_ERROR", "off = 0 * self._off"),
    "a wider margin for yes": ("if least + self.value - off > 0:", "if least + self.value > -1e-9:"),
    "a wider margin for no": ("if most + self.value + off < 0:", "if most + self.value < 1e-9:"),
    "open words as others": ("if is_open[0] else (numbers[0], numbers[0])", "if False else (numbers[0], numbers[0])"),
    "no power in floats": ("value = 2 * d * float(np.sum(logs)) - trace", "value = d * float(np.sum(logs)) - trace"),
    "no trace in floats": ("- trace - law.height", "- law.height"),
    "no power in balls": ("+ power - trace", "- trace"),
    "no trace in balls": ("+ power - trace", "+ power"),
    "the height left out": ("- ball_noise.exact(self._law.height)", ""),
    "not the adjoint": (ADJOINT, ADJOINT.replace("conjugate().", "")),
    "the span in floats": ("np.eye(d) - span if law.complement", "span if law.complement"),
    "the span in balls": ("columns - span if self._complement", "span if self._complement"),
    "no error of the projector": ("self.error = 1.01 * (e * (2 + e) +", "self.error = 1.01 * (0 * e +"),
}

test_planted_faults_are_seen = told_apart(
    (accepts_as_the_ideal_span, projects_within_its_bound), inspect.getsource(angular_gaussian), FAULTS
)
