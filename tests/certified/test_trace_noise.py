"""Noise that treats the trace by itself: floats decide as balls do, and both follow the definition.

No check is statistical; the laws are compared with ideal ones in `test_certified_mechanisms`.
"""

import contextlib
import inspect
import math

import numpy as np
import pytest

from dpspectra.certified import ball_noise, kernels, noise_on_grid, trace_noise
from dpspectra.certified.grid import Steps
from tests.support.certified import some_steps
from tests.support.faults import told_apart
from tests.support.helpers import entropy

NAMES = "gaussian", "tilted_wishart"


def law(module, name, d):
    return lambda steps, ratio, source: getattr(module, name)(steps, d, ratio, source)


def in_balls(module, name, d):
    """A noisy matrix with all numbers left to balls."""

    def draw(*given):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(noise_on_grid, "SLACK", math.inf)
            return law(module, name, d)(*given)

    return draw


def root_of_the_covariance(d):
    values, vectors = np.linalg.eigh(2 * np.eye(d) - 2 / (d + 1) * np.ones((d, d)))
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T


def normals(source, rows, columns):
    """Those of the words that a source gives, in floats."""
    words = source.words(rows * columns + rows * columns % 2)
    with ball_noise.precision(160):
        return np.array([float(ball_noise.normal(words, i, 64)) for i in range(rows * columns)]).reshape(rows, columns)


def by_definition(name, d, source):
    """Noise of scale 1, on and above the diagonal: the root of the covariance, or directions times traces."""
    upper = np.triu_indices(d)
    if name == "gaussian":
        z = np.zeros((d, d))
        z[upper] = normals(source, 1, d * (d + 1) // 2)[0]
        np.fill_diagonal(z, root_of_the_covariance(d) @ np.diagonal(z))
        return z[upper]
    g, h = np.split(normals(source, 2 * d, d + 1), 2)
    words = source.words(d * (d + 1) + 1)
    with ball_noise.precision(160):
        numbers = [float(ball_noise.exponential(words, i, 64)) for i in range(d * (d + 1) + 1)]
    larger = math.fsum(numbers[:-1])
    smaller = larger * math.exp(-numbers[-1]) ** (2 / (d * (d + 1)))
    found = larger * g @ g.T / np.trace(g @ g.T) - smaller * h @ h.T / np.trace(h @ h.T)
    return (1 - 2 * (int(words.values[-1]) % 2)) * found[upper]


def follows_the_definition(module):
    for name in NAMES:
        for d in (1, 2, 3, 6):
            steps = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0)
            for i in range(3):
                exact = by_definition(name, d, entropy(i))
                fast = law(module, name, d)(steps, 2.0**36, entropy(i)) / 2.0**36
                slow = in_balls(module, name, d)(steps, 2.0**36, entropy(i)) / 2.0**36
                if np.max(np.abs(fast - exact)) > 1e-9 or np.max(np.abs(slow - exact)) > 1e-9:
                    return False
    return True


def decides_as_balls_do(module):
    """At the grid of releases, and at finer ones that leave some numbers to balls, more and more of them."""
    for name in NAMES:
        for d in (1, 2, 5):
            for ratio in (2.0**23.5, 2.0**38, 2.0**40, 2.0**41.5, 2.0**51):
                for i in range(8):
                    steps, one = some_steps(d * (d + 1) // 2, i), law(module, name, d)
                    if (one(steps, ratio, entropy(i)) != in_balls(module, name, d)(steps, ratio, entropy(i))).any():
                        return False
    return True


def test_both_follow_the_definition():
    assert follows_the_definition(trace_noise)


def test_floats_decide_as_balls_do():
    assert decides_as_balls_do(trace_noise)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [2, 7, 30])
def test_bounds_hold_and_are_not_far_too_large(name, d, monkeypatch):
    """What floats say before rounding is within its bound of balls; few numbers are left to balls at 20 bits less."""
    seen = []
    rounded = noise_on_grid.rounded

    def watched(parts, count, value):
        seen.extend([kept := list(parts), value])
        return rounded(kept, count, value)

    monkeypatch.setattr(noise_on_grid, "rounded", watched)
    steps = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0)
    law(trace_noise, name, d)(steps, 1.0, entropy())
    (((estimate, _, bounds),), value), checked = seen, range(0, d * (d + 1) // 2, 1 + d // 3)
    with ball_noise.precision(300):
        errors = np.array([float(value(i, 128) - ball_noise.exact(float(estimate[i]))) for i in checked])
    assert (np.abs(errors) <= bounds[checked]).all()
    assert np.max(bounds) < 2.0**-36 * d


@pytest.mark.parametrize("d", [1, 3, 20])
def test_traces_are_within_their_bound(d):
    for i in range(4):
        traces = trace_noise.Traces(d, entropy(i))
        with ball_noise.precision(300):
            exact = [float(x) for x in traces.balls(128)]
        assert [traces.larger, traces.smaller] == pytest.approx(exact, rel=traces.error)
        assert traces.error < 1e-12
        assert 0 < traces.smaller < traces.larger


@pytest.mark.parametrize("d", [1, 2, 4])
def test_bounds_are_those_of_the_largest_errors(d, monkeypatch):
    """To first order: every normal number off by its bound in the worst direction, and both traces; not much more."""
    made, error = {}, kernels.NORMAL_ERROR

    def kept(name, kind):
        monkeypatch.setattr(trace_noise, name, lambda *given: made.setdefault(name, kind(*given)))

    for i in range(10):
        made.clear()
        kept("Normals", noise_on_grid.Normals)
        kept("Traces", trace_noise.Traces)
        monkeypatch.setattr(noise_on_grid, "rounded", lambda parts, *_: made.update(bound=next(parts)[2]))
        with contextlib.suppress(TypeError, AttributeError):  # bounds are no integers to add
            law(trace_noise, "tilted_wishart", d)(
                Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0), 1.0, entropy(i)
            )
        traces, worst = made["Traces"], np.zeros((d, d))
        for g, trace in zip(made["Normals"].values.reshape(2, d, d + 1), (traces.larger, traces.smaller), strict=True):
            square, absolute = np.sum(g**2), np.sum(np.abs(g), axis=1)
            near = error * (absolute[:, None] + absolute)
            relative = 2 * error * np.sum(absolute) / square + traces.error
            worst += trace / square * (near + relative * np.abs(g @ g.T))
        worst = worst[np.triu_indices(d)]
        assert (worst <= made["bound"]).all()
        assert (made["bound"] <= 1.7 * worst).all()


@pytest.mark.parametrize("d", [1, 60, 200])
def test_the_bound_of_the_traces_is_that_of_the_largest_error(d):
    """Each exponential number off by its bound, and the roundings of ``2 d + 2`` sums and products; not much more."""
    traces, numbers = trace_noise.Traces(d, entropy()), d * (d + 1)
    worst = kernels.EXPONENTIAL_ERROR * numbers / traces.larger + (2 * d + 2) * kernels.UNIT
    assert worst <= traces.error <= 2.5 * worst


def test_open_exponential_numbers_are_refined(monkeypatch):
    """All words open: the sum is that of balls, to far less than the bound of floats."""
    monkeypatch.setattr(kernels, "exponentials", lambda words: (np.zeros(len(words)), np.ones(len(words), dtype=bool)))
    traces = trace_noise.Traces(3, entropy())
    with ball_noise.precision(300):
        exact = float(traces.balls(128)[0])
    assert abs(traces.larger - exact) <= 12 * (kernels.EXPONENTIAL_ERROR / 4 + 1e-15)


# ---------------------------------------------------------------- planted faults


FAULTS = {
    "no root on the diagonal": ("= math.sqrt(2) * (g -", "= (g -"),
    "no root in balls": ("z = arb(2).sqrt() * (z", "z = (z"),
    "another share of the mean": ("(1 - 1 / math.sqrt(d + 1)) / d * np.sum(g)", "1 / d * np.sum(g)"),
    "another share in balls": ("(1 - 1 / arb(d + 1).sqrt())", "(1 - 1 / arb(d).sqrt())"),
    "the mean is left out": ("z = arb(2).sqrt() * (z - mean(bits))", "z = arb(2).sqrt() * z"),
    "no error of normal numbers": (
        "np.full(size, kernels.NORMAL_ERROR + noise_on_grid.ROUNDING)",
        "np.full(size, -1e-12)",
    ),
    "traces of another shape": ("range(2 * self._dimension), bits)", "range(self._dimension), bits)"),
    "another ratio of traces": ("2 * self._dimension, bits) /", "2 * self._dimension, bits) / 2 /"),
    "no ratio of traces": ("larger, larger * self._ratio(bits)", "larger, larger"),
    "the smaller one is the larger": (
        "self.smaller = self.larger * ball_noise",
        "self.smaller = self.larger + 0 * ball_noise",
    ),
    "no coin": ("self.sign = 1 - 2 * (", "self.sign = 1 - 0 * ("),
    "no sign in balls": ("[sign * trace / square", "[abs(sign) * trace / square"),
    "a sum instead of a difference": ("-traces.smaller), squares", "traces.smaller), squares"),
    "rows of the first matrix twice": ("square(normals, first, first + d, bits)", "square(normals, 0, d, bits)"),
    "rows of the first matrix": ("product(first + row, first + column, bits)", "product(row, column, bits)"),
    "no errors of products": ("bounds + abs(factor) * (near + relative", "bounds - abs(factor) * (near + relative"),
    "factors that are off": ("[sign * trace / square", "[sign * trace * (1 + 1e-9) / square"),
    "no allowance for the trace": ("relative = 2 * share + share**2 + traces.error +", "relative = -1e-9 +"),
}

test_planted_faults_are_seen = told_apart(
    (follows_the_definition, decides_as_balls_do), inspect.getsource(trace_noise), FAULTS
)
