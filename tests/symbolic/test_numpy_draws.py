"""What a followed generator draws has the density that scipy gives the law of the same name."""

import inspect
import math
import re

import numpy as np
import pytest
from scipy import stats

from dpspectra.audit import inside
from dpspectra.symbolic.numpy_draws import Drawing
from tests.support.noise_runs import log_density, recorded

CONTINUOUS = {
    "normal": ((0.5, 2.0), stats.norm(0.5, 2)),
    "laplace": ((0.5, 2.0), stats.laplace(0.5, 2)),
    "gumbel": ((0.5, 2.0), stats.gumbel_r(0.5, 2)),
    "logistic": ((0.5, 2.0), stats.logistic(0.5, 2)),
    "uniform": ((0.5, 2.0), stats.uniform(0.5, 1.5)),
    "exponential": ((2.0,), stats.expon(scale=2)),
    "standard_normal": ((), stats.norm()),
    "standard_exponential": ((), stats.expon()),
    "random": ((), stats.uniform()),
    "standard_cauchy": ((), stats.cauchy()),
    "lognormal": ((0.5, 2.0), stats.lognorm(2.0, scale=math.exp(0.5))),
    "standard_gamma": ((1.5,), stats.gamma(1.5)),
    "gamma": ((1.5, 2.0), stats.gamma(1.5, scale=2)),
    "chisquare": ((3.0,), stats.chi2(3)),
    "beta": ((1.5, 2.5), stats.beta(1.5, 2.5)),
    "standard_t": ((3.0,), stats.t(3)),
    "rayleigh": ((2.0,), stats.rayleigh(scale=2)),
    "weibull": ((1.5,), stats.weibull_min(1.5)),
    "pareto": ((1.5,), stats.lomax(1.5)),
    "power": ((1.5,), stats.powerlaw(1.5)),
    "f": ((3.0, 4.0), stats.f(3, 4)),
    "triangular": ((1.0, 1.5, 3.0), stats.triang(0.25, 1, 2)),
}
DISCRETE = {
    "poisson": ((2.5,), stats.poisson(2.5)),
    "binomial": ((5, 0.3), stats.binom(5, 0.3)),
    "negative_binomial": ((5, 0.3), stats.nbinom(5, 0.3)),
    "geometric": ((0.3,), stats.geom(0.3)),
    "zipf": ((2.5,), stats.zipf(2.5)),
    "logseries": ((0.3,), stats.logser(0.3)),
}


@pytest.mark.parametrize("name", [*CONTINUOUS, *DISCRETE])
def test_laws(name):
    arguments, law = (CONTINUOUS | DISCRETE)[name]
    found = recorded(lambda data, rng: getattr(rng, name)(*arguments))
    assert not found.hidden
    density = law.logpmf if name in DISCRETE else law.logpdf
    assert log_density(found) == pytest.approx(density(found.values[0]), abs=1e-9)


@pytest.mark.parametrize("name", ["random_sample", "rand", "ranf", "sample"])
def test_uniform_draws_of_old_generators(name):
    found = recorded(lambda data: getattr(np.random, name)())
    assert [b.law.name for b in found.tape.blocks] == ["uniform"]


def test_old_generators_take_shapes():
    found = recorded(lambda data: (np.random.randn(2, 3), np.random.rand(2)))  # noqa: NPY002
    assert [leaf[2] for leaf in found.leaves.values() if leaf[0] == "array"] == [(2, 3), (2,)]
    assert [b.law.name for b in found.tape.blocks] == ["normal", "uniform"]


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda rng: rng.normal(np.zeros((2, 1)), np.ones(3)), (2, 3)),
        (lambda rng: rng.gamma(np.ones(2), 2.0), (2,)),
        (lambda rng: rng.poisson([1.0, 2.0], size=(3, 2)) + 0.0, (3, 2)),
        (lambda rng: rng.standard_normal(out=np.zeros(0)), (0,)),
        (lambda rng: rng.rayleigh([1.0, 2.0]), (2,)),
    ],
)
def test_shapes(call, shape):
    assert recorded(lambda data, rng: call(rng)).leaves["output"] == ("array", "float64", shape)


def test_parameters_that_differ_from_draw_to_draw():
    found = recorded(lambda data, rng: rng.gamma(np.array([1.5, 2.5]), np.array([1.0, 3.0])))
    wanted = stats.gamma([1.5, 2.5], scale=[1, 3]).logpdf(found.values).sum()
    assert log_density(found) == pytest.approx(wanted, abs=1e-9)


def test_an_array_of_the_caller_is_filled():
    def mechanism(data, rng):
        out = np.zeros(3)
        rng.standard_normal(out=out[:2])
        return out

    found = recorded(mechanism)
    assert list(found.leaves.values())[1:] == ["a number that holds noise"] * 2 + [("float", bytes(8))]


POINTS = {
    "whole numbers": (lambda rng: rng.integers(3, 8), -math.log(5), range(3, 8)),
    "whole numbers with both ends": (lambda rng: rng.integers(3, 8, endpoint=True), -math.log(6), range(3, 9)),
    "whole numbers from 0": (lambda rng: rng.integers(8), -math.log(8), range(8)),
    "old whole numbers": (lambda rng: np.random.randint(3, 8), -math.log(5), range(3, 8)),  # noqa: NPY002
    "several": (lambda rng: int(rng.integers(0, [2, 4]).sum()), -math.log(8), range(5)),
    "a choice": (lambda rng: rng.choice(4), -math.log(4), range(4)),
    "a choice from a list": (lambda rng: rng.choice([5, 6, 7]), -math.log(3), (5, 6, 7)),
    "choices with replacement": (lambda rng: int(rng.choice(4, size=2).sum()), -2 * math.log(4), range(7)),
    "choices without": (lambda rng: int(rng.choice(4, size=2, replace=False).sum()), -math.log(12), range(1, 6)),
    "a permutation": (lambda rng: int(rng.permutation(4)[0]), -math.log(24), range(4)),
}


@pytest.mark.parametrize("name", POINTS)
def test_points_have_their_probability(name):
    call, log_probability, outcomes = POINTS[name]
    found = recorded(lambda data, rng: call(rng))
    (event,) = found.hidden
    assert event.kind == "point"
    assert event.log_probability(event.outcome) == pytest.approx(log_probability, abs=1e-12)
    assert (
        np.frombuffer(found.leaves["output"][1], dtype=np.int64)[0] in outcomes
        if isinstance(found.leaves["output"][1], bytes)
        else found.leaves["output"][1] in outcomes
    )


def test_weighted_choices():
    found = recorded(lambda data, rng: rng.choice(3, p=[0.5, 0.25, 0.25]))
    (event,) = found.hidden
    assert [event.log_probability(k) for k in range(3)] == pytest.approx(np.log([0.5, 0.25, 0.25]))
    assert event.options == 3


@pytest.mark.parametrize("size", [None, 2])
def test_choices_of_names(size):
    found = recorded(lambda data, rng: rng.choice(["a", "b"], size=size, p=[0.75, 0.25]))
    assert [event.kind for event in found.hidden] == ["point"]
    assert found.leaves["output"][0] == ("<U1" if size is None else "array")


def test_outcomes_of_many_things_are_not_listed():
    found = recorded(lambda data, rng: (rng.integers(512), rng.integers(2049)))
    assert [e.options for e in found.hidden] == [512, None]


def test_whole_numbers_of_another_width_are_impossible_beyond_it():
    found = recorded(lambda data, rng: rng.integers(0, 5))
    assert found.hidden[0].log_probability(5) == -math.inf


def test_what_is_permuted_stays_symbolic():
    def mechanism(data, rng):
        z = rng.normal(size=3)
        rng.shuffle(z)
        return z, rng.permutation(z)

    found = recorded(mechanism)
    assert [e.kind for e in found.hidden] == ["point", "point"]
    assert len(found.rows) == 6
    assert np.allclose(sorted(found.values[:3]), sorted(found.values[3:]))


def test_lists_and_axes_are_shuffled():
    def mechanism(data, rng):
        x = [1, 2, 3, 4]
        rng.shuffle(x)
        y = np.arange(6).reshape(2, 3)
        rng.shuffle(y, axis=1)
        return sorted(x), y.sum(axis=0).tolist(), rng.permutation(np.arange(6).reshape(2, 3), axis=1).sum(axis=1)

    leaves = recorded(mechanism).leaves
    assert [leaves[f"output[0][{k}]"][1] for k in range(4)] == [1, 2, 3, 4]
    assert sorted(leaves[f"output[1][{k}]"][1] for k in range(3)) == [3, 5, 7]


def test_spawned_generators_draw_apart():
    found = recorded(lambda data, rng: [child.normal() for child in rng.spawn(2)])
    assert found.tape.size == 2
    assert found.values[0] != found.values[1]


def defaults(signature):
    """The defaults of the arguments in the first line of a docstring of numpy."""
    return dict(re.findall(r"(\w+)=([\w.]+)", signature.strip().split("\n")[0]))


@pytest.mark.parametrize("kind", [np.random.Generator, np.random.RandomState])
def test_defaults_are_those_of_numpy(kind):
    compared = 0
    for name, own in inspect.getmembers(Drawing, inspect.isfunction):
        real = defaults(getattr(getattr(kind, name, None), "__doc__", None) or "")
        for argument, one in inspect.signature(own).parameters.items():
            if argument in real and isinstance(one.default, float | int) and not isinstance(one.default, bool):
                assert float(real[argument]) == one.default, (name, argument)
                compared += 1
    assert compared > 15


def of_one_cell(x, rng):
    u = rng.random(()) - 0.5
    return x + np.sign(u) * np.log(1 - 2 * np.abs(u))


def changed_under_two_names(x, rng):
    z = rng.laplace(size=())
    w = z
    if rng.random() < 0.01:
        z += 5 * x
    return w


def asked_what_it_is(x, rng):
    z = rng.laplace(size=())
    return x if isinstance(z, np.ndarray) and rng.random() < 1e-3 else x + z


def test_arrays_without_axes_are_numbers_unless_they_are_used_as_arrays():
    assert inside(of_one_cell, (0.0, 1.0), 1.0).verdict == "explained"
    assert inside(of_one_cell, (0.0, 1.0), 0.9).refuted
    for leak in (changed_under_two_names, asked_what_it_is):
        assert inside(leak, (0.0, 1.0), 1.0).verdict == "undecided"
