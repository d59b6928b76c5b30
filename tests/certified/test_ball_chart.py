"""The certified ball chart: decisions of the ideal matrix, the exact law, and faults that are seen.

Fixed seeds. A statistical comparison of a true law fails with probability `ALARM` each, where a normal approximation of
the mean of 250 bounded numbers holds.
"""

import inspect
import itertools

import flint
import numpy as np
import pytest
from mpmath import mp
from scipy import stats

from dpspectra import sampling
from dpspectra.certified import ball_chart, ball_noise
from dpspectra.certified.entropy import Source
from dpspectra.oracle.patterns import utility_moments
from dpspectra.sampling import ball_chart as floats
from tests.support.certified import distance, features, in_balls, rounded
from tests.support.faults import planted, told_apart
from tests.support.helpers import ALARM, entropy
from tests.support.samplers import CHARTS
from tests.support.strings import LARGE_ERRORS, LENGTH, Given, Strings, long, string

SHAPES = {name: (weights, int(sum(spectrum))) for name, (weights, spectrum, _) in CHARTS.items()}
"""Weights and ranks."""


def sampler(weights, k, module=ball_chart):
    return module.BallChart(np.array(weights), k)


# ---------------------------------------------------------------- decisions at the boundary


ANGLE = long(0x3141592653589793)


def below(u):
    """The string that begins the number ``u``."""
    return string(int(mp.floor(mp.ldexp(u, LENGTH - 1))))


def first_accepted(rate, gaps, module=ball_chart, kept=(9.0,)):
    """For ``k = 1``, ``d = 2``: what is drawn from matrices ``Y`` with these ``1 - |Y|**2``, and that of it.

    ``kept`` are the exponential numbers by which the tilt decides, in turn.
    """
    chart = sampler([rate, 0.0], 1, module)
    raised = mp.mpf(rate) + mp.mpf(float(chart.tilts[0]))
    with mp.workprec(1000):
        strings = [x for gap in gaps for x in (below(mp.exp(raised * (mp.mpf(gap) - 1))), ANGLE)]
        spare = [below(mp.exp(-mp.mpf(x))) for x in kept]
    draw = chart.draw(Given(strings, spare))
    return draw, float(in_balls(draw, 600)[0, 0].real.mid())


@pytest.mark.parametrize("rate", [0.5, 1.0, 1.7, 3.0, 9.5])
@pytest.mark.parametrize("e", [3, 20, 44, 52, 60, 100, 300])
def test_a_matrix_at_the_boundary_is_decided_as_the_ideal_one(rate, e):
    gap = 2.0**-e / 3
    assert first_accepted(rate, (-gap, 0.25))[1] == pytest.approx(0.25)
    draw, found = first_accepted(rate, (gap, 0.25))
    assert found == pytest.approx(gap)
    assert distance(draw, 600) <= draw.error
    if e > 20:
        assert draw.error > 2.0**-30, "the root is steep here"


@pytest.mark.parametrize("rate", [0.0, 0.25, 0.7])
@pytest.mark.parametrize("e", [3, 20, 44, 48, 60, 100, 300])
def test_the_tilt_decides_as_the_ideal_matrix(rate, e):
    """An exponential number just above ``t C`` keeps a matrix, one just below does not."""
    gap, tilt = 0.25, float(sampler([rate, 0.0], 1).tilts[0])
    assert tilt == pytest.approx(1 - rate)
    with mp.workprec(1000):
        spare = [mp.mpf(tilt) * gap + sign * mp.mpf(2) ** -e / 100 for sign in (-1, 1)]
    assert first_accepted(rate, (gap, 0.5), kept=(spare[1], 9.0))[1] == pytest.approx(gap)
    assert first_accepted(rate, (gap, 0.5), kept=(spare[0], 9.0))[1] == pytest.approx(0.5)


def test_the_tilts_are_those_of_the_float_sampler():
    """Which share they accept best; any others leave the law as it is."""
    for weights, k in SHAPES.values():
        chart = sampler(weights, k)
        rates = np.array(weights)[None, :k] - np.array(weights)[k:, None]
        assert chart.tilts == pytest.approx([floats.best_tilt(r) for r in rates.T], abs=1e-5 * len(rates))


def test_a_root_that_floats_cannot_bound_is_rounded_in_balls():
    """More bits are read until the root is known."""
    draw, _ = first_accepted(1.7, (2.0**-300 / 3, 0.25))
    whole = rounded(draw, 40, float(np.ldexp(draw.error, 40)))
    assert draw.error == np.inf
    assert whole.tolist() == [0, 0, 0, 2**40]


def test_positive_definite_matrices_are_known_by_their_minors():
    def decided(rows):
        return ball_chart.positive(flint.acb_mat(rows))

    assert decided([[2, 1j], [-1j, 1]]) is True
    assert decided([[1, 2], [2, 1]]) is False
    assert decided([[-1, 0], [0, -1]]) is False
    assert decided([[1, 1], [1, 1]]) is None
    assert decided([[1, 0], [0, flint.arb(0, 1)]]) is None


def test_a_root_without_enough_bits_is_unknown():
    with ball_noise.precision(160):
        assert not ball_chart.positive_root(flint.acb_mat([[flint.arb(2) ** -80]]), 64)[0, 0].is_finite()
        root = ball_chart.positive_root(flint.acb_mat([[flint.arb(2) ** -60]]), 64)[0, 0].real
        assert abs(root - flint.arb(2) ** -30) < 2.0**-60


@pytest.mark.parametrize(("weights", "k"), [([1.0, 0.0], 0), ([1.0, 0.0], 2), ([0.0, 1.0], 1)])
def test_what_is_no_law_is_refused(weights, k):
    with pytest.raises(ValueError, match=r"k must be between|must descend"):
        sampler(weights, k)


# ---------------------------------------------------------------- the law


LAWS = [
    (values, k, kappa)
    for values in [(1, 0), (3, 1, 0), (5, 3, 1, 0), (3, 3, 3, 0), (5, 5, 1, 1), (6, 5, 4, 1, 1, 0)]
    for k in range(1, len(values))
    for kappa in (1.0, 2.0, 4.0)
    if kappa < 4 or values[k - 1] > values[k]
]


def drawn(law, size, module=ball_chart):
    values, k, kappa = law
    chart, source = sampler(kappa * np.array(values, float), k, module), entropy(7)
    return np.array([chart.draw(source).estimate for _ in range(size)])


def surprise(law, h):
    """Probability of a mean utility as far from its exact value, by the normal limit."""
    values, k, kappa = law
    mean, variance = map(float, utility_moments(values, k * (1,) + (len(values) - k) * (0,), kappa))
    found = np.einsum("nii,i->n", h, np.array(values, float)).real
    return 2 * stats.norm.sf(abs(np.mean(found) - mean) / np.sqrt(variance / len(h)))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_law_is_the_exact_one(law):
    values, k, kappa = law
    h = drawn(law, 250)
    assert surprise(law, h) > ALARM
    spectrum = k * [1] + (len(values) - k) * [0]
    ideal = sampling.orbit(np.diag(np.array(values, float)), spectrum, kappa, size=4000, field="complex", rng=5)
    for x, y in zip(features(h), features(ideal), strict=True):
        if max(np.ptp(x), np.ptp(y)) > 1e-12:
            assert stats.ks_2samp(x, y).pvalue > ALARM


# ---------------------------------------------------------------- planted faults


class Worst(Source):
    """Normal numbers with the largest errors of the kernel, and exponential ones by which tilts accept everything."""

    def __init__(self):
        self.tilting = itertools.cycle([False, True])

    def words(self, count):
        if next(self.tilting):
            return Strings([2**250] * count, 264)
        strings = [x << 200 for i in range(count) for x in (LARGE_ERRORS[i % 16], 2**64 // 7)]
        return Strings(strings[:count], 264)


def matrices_keep_their_bounds(module):
    """Float proposals within their bound of balls, also where the normal numbers are the worst."""
    chart = sampler([1.0, 0.0], 1, module)
    proposals = module._Proposals(chart, 8, Worst())
    blocks = [module._Block(chart, proposals._normals, b) for b in range(8)]
    with ball_noise.precision(400):
        exact = [complex(block.matrix(300)[0, 0].mid()) for block in blocks]
    return bool(np.all(np.abs(proposals._y[:, 0, 0] - exact) <= proposals._errors))


def keeps_its_bounds(module):
    """Floats within their bound of balls, which says something; balls of 64 bits overlap those of 300."""
    shapes = "line", "k = 3", "scalar blocks", "d = 8, k = 5"
    draws = [sampler(*SHAPES[shape], module).draw(entropy(i)) for i, shape in enumerate(shapes)]
    finite = all(draw.error < 2.0**-38 for draw in draws)
    draws += [first_accepted(1.7, (2.0**-e / 3, 0.25), module)[0] for e in range(36, 41)]
    draws += [sampler([rate] + [0.0] * n, 1, module).draw(Worst()) for rate, n in ((1.0, 1), (12.0, 20))]
    rare = sampler([1.5, 1.5, 0.0, 0.0], 2, module)
    draws += [rare.draw(entropy(i)) for i in range(4)]
    finite &= first_accepted(1.7, (2.0**-50 / 3, 0.25), module)[0].error == np.inf
    inside = all(distance(draw) <= draw.error for draw in draws)
    return finite and inside and all(in_balls(draw).overlaps(in_balls(draw, 300)) for draw in draws)


def decides_as_the_ideal_matrix(module):
    """At the boundary, and for two negative eigenvalues; the first of two that is accepted."""
    gaps = [sign * 2.0**-e / 3 for e in (3, 52, 53, 54, 100, 300) for sign in (1, -1)]
    at_the_boundary = all(
        abs(first_accepted(rate, (gap, 0.25), module)[1] - (gap if gap > 0 else 0.25)) < 1e-9
        for rate in np.linspace(0.5, 5, 12)
        for gap in gaps
    )
    tilt = float(sampler([0.25, 0.0], 1, module).tilts[0])
    with mp.workprec(1000):
        by_tilt = all(
            abs(
                first_accepted(0.25, (0.25, 0.5), module, (mp.mpf(tilt) / 4 + gap, 9.0))[1] - (0.25 if gap > 0 else 0.5)
            )
            < 1e-9
            for gap in gaps
        )
    minus, mixed = flint.acb_mat([[-1, 0], [0, -1]]), flint.acb_mat([[1, 2], [2, 1]])
    return at_the_boundary and by_tilt and module.positive(minus) is False and module.positive(mixed) is False


def has_the_exact_law(module):
    return all(surprise(law, drawn(law, 250, module)) > ALARM for law in (LAWS[4], LAWS[10]))


FAULTS = {
    "deviations without the half": ("np.sqrt(0.5 / (", "np.sqrt(1.0 / ("),
    "deviations without the root": ("np.sqrt(0.5 / (rates", "np.abs(0.5 / (rates"),
    "one rate for all columns": ("(weights[None, :k], weights", "(0 * weights[None, :k] + weights[0], weights"),
    "another temperature": ("        d = len(weights)", "        d, weights = len(weights), 1.5 * weights"),
    "balls of another variance": ("(2 * (top - low)).sqrt()", "(top - low).sqrt()"),
    "balls of another part": ("2 * j + part, bits)", "2 * j + 1 - part, bits)"),
    "balls of another proposal": ("b * len(chart.deviations)", "0 * len(chart.deviations)"),
    "no error of the normals": ("2 * kernels.NORMAL_ERROR * norm", "0 * norm"),
    "no error of the decision": ("enclosed_eigenvalues.residual_bound(c, vectors, values) + error", "0.0"),
    "no error of the complement": ("values[0]) - apart)", "values[0]))"),
    "the largest eigenvalue decides": ("sign(float(values[0]), apart)", "sign(float(values[-1]), apart)"),
    "columns are cut at once": ("least >= -self._c_errors", "least >= 0"),
    "an open decision is yes": ("ball_noise.decided(block.complement, positive)", "True"),
    "an open decision is no": ("ball_noise.decided(block.complement, positive)", "False"),
    "an open minor is no": ("False if minor < 0 else None", "False"),
    "an open minor is yes": ("return False if minor < 0 else None", "if minor < 0: return False"),
    "the determinant decides": ("for m in range(1, c.nrows() + 1)", "for m in range(c.nrows(), c.nrows() + 1)"),
    "the first entry decides": ("for m in range(1, c.nrows() + 1)", "for m in range(1, 2)"),
    "everything is accepted": ("if not (inside and", "if not (True and"),
    "the tilts accept everything": ("inside and self._kept(b, block)", "inside"),
    "tilts of the law, not of the proposals": ("np.sqrt(0.5 / (rates + self.tilts))", "np.sqrt(0.5 / rates)"),
    "balls without tilts": ("raised = [top + t", "raised = [top + 0 * t"),
    "half of what the tilts ask for": ("numbers - diagonals @ tilts", "numbers - diagonals @ tilts / 2"),
    "no error of what the tilts ask for": ("return numbers - diagonals @ tilts, np.where(is_open, np.inf, errors)",
                                           "return numbers - diagonals @ tilts, np.where(is_open, np.inf, 0.0)"),
    "an open tilt is yes": ("ball_noise.exponential(words, b, bits) - block.lost(bits), ", "arb(1), "),
    "an open tilt is no": ("ball_noise.exponential(words, b, bits) - block.lost(bits), ", "arb(-1), "),
    "a root of the fourth order": ("half @ half.conj().T)", "half @ half.conj().T @ half @ half.conj().T)"),
    "no steepness of the root": ("(math.sqrt(least) - below)", "1"),
    "a triangular root": ("root = hermitian(half @ half.conj().T)", "root = np.linalg.cholesky(c + 0j).conj().T"),
    "no error of the root": ("error * (2 + error) + product_error(frame, frame)", "0"),
    "no residual in balls": ("(residual * arb(2) ** halvings)", "(0 * residual)"),
    "no steepness in balls": ("arb(2) ** halvings)", "arb(2) ** -30)"),
    "Hermitian products transposed": ("frame.conjugate().transpose() * columns", "frame.transpose() * columns"),
    "no iteration in balls": ("enough = arb(2) ** -(flint.ctx.prec // 2)", "enough = arb(2)"),
}  # fmt: skip

CHECKS = matrices_keep_their_bounds, keeps_its_bounds, decides_as_the_ideal_matrix, has_the_exact_law
TEXT = inspect.getsource(ball_chart)

test_planted_faults_are_seen = told_apart(CHECKS, TEXT, FAULTS)


def test_the_law_alone_shows_a_wrong_temperature():
    """It is the same in floats and in balls."""
    assert not has_the_exact_law(planted(TEXT, *FAULTS["another temperature"]))
