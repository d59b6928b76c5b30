"""Small faults planted in the text of the certified ball chart: each fails a check that the module passes.

A check of the law fails a true one with probability `ALARM`.
"""

import inspect
import types

import flint
import numpy as np
import pytest

from dpspectra.certified import ball_chart
from dpspectra.certified.entropy import Source
from tests.certified.test_ball_chart import LAWS, SHAPES, Strings, drawn, first_accepted, sampler, surprise
from tests.support.certified import entropy, in_balls
from tests.support.helpers import ALARM, distance

LARGE_ERRORS = [((2**63 - 2**48) // 2**10 - j << 11) + 1024 for j in range(16)]
"""Words whose exponentials are just above ``2**-15``, halfway between floats: their normal numbers are the worst."""


class Worst(Source):
    """Normal numbers with the largest errors of the kernel."""

    def words(self, count):
        return Strings._Words([x << 200 for i in range(count) for x in (LARGE_ERRORS[i % 16], 2**64 // 7)][:count], 264)


def keeps_its_bounds(module):
    """Floats within their bound of balls, which says something; balls of 64 bits overlap those of 300."""
    shapes = "line", "k = 3", "scalar blocks", "d = 8, k = 5"
    draws = [sampler(*SHAPES[shape], module).draw(entropy(i)) for i, shape in enumerate(shapes)]
    finite = all(draw.error < 2.0**-38 for draw in draws)
    draws += [first_accepted(1.7, (2.0**-e / 3, 0.25), module)[0] for e in range(36, 41)]
    draws += [sampler([1.0] + [0.0] * n, 1, module).draw(Worst()) for n in (1, 20)]
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
    minus, mixed = flint.acb_mat([[-1, 0], [0, -1]]), flint.acb_mat([[1, 2], [2, 1]])
    return at_the_boundary and module.positive(minus) is False and module.positive(mixed) is False


def has_the_exact_law(module):
    return all(surprise(law, drawn(law, 250, module)) > ALARM for law in (LAWS[4], LAWS[10]))


def sound(module):
    try:
        return keeps_its_bounds(module) and decides_as_the_ideal_matrix(module) and has_the_exact_law(module)
    except (ArithmeticError, LookupError, ValueError):
        return False


MUTANTS = {
    "deviations without the half": ("np.sqrt(0.5 / (", "np.sqrt(1.0 / ("),
    "deviations without the root": ("np.sqrt(0.5 / (weights", "np.abs(0.5 / (weights"),
    "one rate for all columns": ("weights[None, :k] - weights", "0 * weights[None, :k] + weights[0] - weights"),
    "another temperature": ("        d = len(weights)", "        d, weights = len(weights), 1.5 * weights"),
    "balls of another variance": ("(2 * (top - low)).sqrt()", "(top - low).sqrt()"),
    "balls of another part": ("2 * j + part, bits)", "2 * j + 1 - part, bits)"),
    "balls of another proposal": ("b * len(chart.deviations)", "0 * len(chart.deviations)"),
    "no error of the normals": ("2 * kernels.NORMAL_ERROR * norm", "0 * norm"),
    "no error of the decision": ("apart = spectrum.residual_bound(c, vectors, values) + error", "apart = 0.0"),
    "no error of the complement": ("values[0]) - apart)", "values[0]))"),
    "the largest eigenvalue decides": ("sign(float(values[0]), apart)", "sign(float(values[-1]), apart)"),
    "columns are cut at once": ("least >= -self._c_errors", "least >= 0"),
    "an open decision is yes": ("balls.decided(block.complement, positive)", "True"),
    "an open decision is no": ("balls.decided(block.complement, positive)", "False"),
    "an open minor is no": ("False if minor < 0 else None", "False"),
    "an open minor is yes": ("return False if minor < 0 else None", "if minor < 0: return False"),
    "the determinant decides": ("for m in range(1, c.nrows() + 1)", "for m in range(c.nrows(), c.nrows() + 1)"),
    "the first entry decides": ("for m in range(1, c.nrows() + 1)", "for m in range(1, 2)"),
    "everything is accepted": ("if not inside:", "if False:"),
    "a root of the fourth order": ("half @ half.conj().T)", "half @ half.conj().T @ half @ half.conj().T)"),
    "no steepness of the root": ("(math.sqrt(least) - below)", "1"),
    "a triangular root": ("root = hermitian(half @ half.conj().T)", "root = np.linalg.cholesky(c + 0j).conj().T"),
    "no error of the root": ("error * (2 + error) + product_error(frame, frame)", "0"),
    "no residual in balls": ("(residual * arb(2) ** halvings)", "(0 * residual)"),
    "no steepness in balls": ("arb(2) ** halvings)", "arb(2) ** -30)"),
    "Hermitian products transposed": ("frame.conjugate().transpose() * columns", "frame.transpose() * columns"),
    "no iteration in balls": ("enough = arb(2) ** -(flint.ctx.prec // 2)", "enough = arb(2)"),
}  # fmt: skip
"""Small faults: what is replaced, and by what."""


def mutant(old, new):
    source = inspect.getsource(ball_chart)
    assert source.count(old) == 1
    module = types.ModuleType("mutant")
    exec(compile(source.replace(old, new), "mutant", "exec"), module.__dict__)
    return module


def test_the_module_is_sound():
    assert sound(mutant(*2 * ["NUMBERS = 2**12"]))


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_noticed(name):
    assert not sound(mutant(*MUTANTS[name]))


def test_the_law_alone_shows_a_wrong_temperature():
    """It is the same in floats and in balls."""
    assert not has_the_exact_law(mutant(*MUTANTS["another temperature"]))
