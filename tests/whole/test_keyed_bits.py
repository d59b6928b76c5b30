"""What a key releases, bit for bit as it was written once: whoever holds a key repeats a release by it, on any machine.

`tests/golden/keyed-1.json` has the integers, in steps of the grid, of every certified mechanism and sampler with the
key of 32 zeros. A row that differs is no row to write again: a kept key would no longer repeat its release. What has a
certified arithmetic and no row yet is told with its integers, to be added.

Directions and approximations that floats make of such integers afterwards may differ in their last bits among machines,
so the integers are compared where they leave the grid; the columns of the data are orthogonal, so that any routine for
eigenvectors finds them without rounding.
"""

import importlib
import inspect
import json
import pkgutil

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import certified
from dpspectra.certified import enclosed_eigenvalues, grid, knorm, l2_gamma, noise_on_grid, sketch, trace_noise
from dpspectra.certified.angular_gaussian import AngularGaussian
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.grid import Steps
from dpspectra.certified.vertex import Vertex
from tests.support.certified import rounded
from tests.support.files import GOLDEN
from tests.support.releases import OPTIONS, PRIVATE, sample

KEPT = json.loads((GOLDEN / "keyed-1.json").read_text(encoding="utf-8"))
SIGNS = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
X = np.kron([[1], [1], [0.5]], SIGNS) * [0.5, 0.375, 0.25, 0.125]
IDEAL_ONLY = {"row_counting_direction"}
"""Mechanisms without a certified arithmetic."""
STEPS = Steps.of(np.array([0, 1, -(2**40), 3 * 2**70, 5, 7, 2**30, 9, 11, 13]), -3)
"""Ten exact numbers, as many as a symmetric matrix of four columns has, in eighths of a step."""
RATIO = 2.0**24 / 3
WEIGHTS = np.array([3.0, 1.5, 1.0, 0.0])
SPECTRUM = np.array([4.0, 2.0, 1.0, 0.0])


def key():
    return dps.Entropy(bytes(32))


SAMPLERS = {
    "noise_on_grid.laplace": lambda source: noise_on_grid.laplace(STEPS, RATIO, source),
    "noise_on_grid.gaussian": lambda source: noise_on_grid.gaussian(STEPS, RATIO, source),
    "noise_on_grid.wishart": lambda source: noise_on_grid.wishart(STEPS, 4, 5, RATIO, (1, -1), source),
    "knorm.noise": lambda source: knorm.noise(STEPS, 4, RATIO, source),
    "l2_gamma.l2_gamma": lambda source: l2_gamma.l2_gamma(STEPS, RATIO, source),
    "trace_noise.gaussian": lambda source: trace_noise.gaussian(STEPS, 4, RATIO, source),
    "trace_noise.tilted_wishart": lambda source: trace_noise.tilted_wishart(STEPS, 4, RATIO, source),
    "sketch.test_matrix": lambda source: sketch.test_matrix(4, 3, source),
    "enclosed_eigenvalues.laplace": lambda source: enclosed_eigenvalues.laplace(
        np.diag(SPECTRUM), SPECTRUM, 2.0**-40, 3, -20, RATIO, source
    ),
    "angular_gaussian.AngularGaussian": lambda source: orbit(AngularGaussian(WEIGHTS, 2), source),
    "ball_chart.BallChart": lambda source: orbit(BallChart(WEIGHTS, 2), source),
    "bingham.Bingham": lambda source: orbit(Bingham(WEIGHTS, 1, "complex"), source),
    "gelfand_tsetlin.GelfandTsetlin": lambda source: orbit(GelfandTsetlin(WEIGHTS, SPECTRUM), source),
    "vertex.Vertex": lambda source: orbit(Vertex(WEIGHTS, SPECTRUM), source),
}


def orbit(law, source):
    """A draw in eigen-coordinates, rounded in balls."""
    return rounded(law.draw(source), 20, 1)


def words(source):
    """Two calls, and what follows a word of each."""
    given = [source.words(3), source.words(2)]
    return [[*w.values.tolist(), w.beyond(1, 70)] for w in given]


def plain(integers):
    return np.asarray(integers).ravel().tolist()


def drawn(name):
    """Integers of a sampler."""
    return words(key()) if name == "entropy.Entropy" else plain(SAMPLERS[name](key()))


def released(name, monkeypatch):
    """Integers that a release divides by powers of two and by numbers of rows, each with that power and number."""
    seen, over = [], grid.over

    def watched(integers, exponent, count):
        seen.append([plain(integers), exponent, count])
        return over(integers, exponent, count)

    monkeypatch.setattr(grid, "over", watched)
    release = sample(PRIVATE[name], X, **OPTIONS.get(name, {}))(rng=key())
    assert release.claim.arithmetic == "certified"
    return seen


def known_samplers():
    """Public functions and classes of the certified room that draw from a source."""
    for info in pkgutil.iter_modules(certified.__path__):
        module = importlib.import_module(f"{certified.__name__}.{info.name}")
        for name, found in vars(module).items():
            if getattr(found, "__module__", "") != module.__name__ or name.startswith("_"):
                continue
            drawing = (
                found if inspect.isfunction(found) else vars(found).get("draw") if inspect.isclass(found) else None
            )
            if inspect.isfunction(drawing) and "source" in inspect.signature(drawing).parameters:
                yield f"{info.name}.{name}"


def test_every_certified_mechanism_has_its_row():
    assert set(KEPT["mechanisms"]) == PRIVATE.keys() - IDEAL_ONLY


def test_every_sampler_has_its_row():
    parts = {"choice_of_sampler.Sampler", "orbit.Orbit"}  # a protocol, and the rounding that `private_orbit` shows
    assert SAMPLERS.keys() == set(known_samplers()) - parts
    assert set(KEPT["samplers"]) == SAMPLERS.keys() | {"entropy.Entropy"}


@pytest.mark.parametrize("name", sorted(PRIVATE.keys() - IDEAL_ONLY))
def test_a_release_is_the_one_that_was_kept(name, monkeypatch):
    assert json.dumps(released(name, monkeypatch)) == json.dumps(KEPT["mechanisms"].get(name))


@pytest.mark.parametrize("name", ["entropy.Entropy", *SAMPLERS])
def test_a_draw_is_the_one_that_was_kept(name):
    assert json.dumps(drawn(name)) == json.dumps(KEPT["samplers"].get(name))
