"""Every public way to draw is followed, or ends the run; nothing is silent."""

import random
import secrets

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.replaced_sources import ON_LISTS, followed_sources
from dpspectra.symbolic.tape import VALUE, NotFollowed
from tests.support.noise_runs import real, recorded

GIVEN = {
    **dict.fromkeys(("beta", "gamma", "uniform", "normal", "laplace", "gumbel", "logistic", "f", "wald"), (2.0, 3.0)),
    **dict.fromkeys(("chisquare", "geometric", "logseries", "power", "standard_gamma", "standard_t"), (0.5,)),
    **dict.fromkeys(("pareto", "weibull", "exponential", "rayleigh", "poisson"), (0.5,)),
    **dict.fromkeys(("zipf",), (2.5,)),
    **dict.fromkeys(("binomial", "negative_binomial"), (4, 0.5)),
    **dict.fromkeys(("noncentral_chisquare", "vonmises", "lognormal", "noncentral_f"), (1.0, 2.0)),
    "noncentral_f": (1.0, 2.0, 3.0),
    "triangular": (0.0, 0.5, 1.0),
    "hypergeometric": (3, 4, 2),
    "multivariate_hypergeometric": ([3, 4], 2),
    "multinomial": (3, [0.5, 0.5]),
    "multivariate_normal": ([0.0, 0.0], np.eye(2)),
    "dirichlet": ([1.0, 2.0],),
    **dict.fromkeys(("integers", "randint", "random_integers", "choice", "permutation"), (5,)),
    "permuted": ([1, 2, 3],),
    "bytes": (3,),
    "tomaxint": (),
    "spawn": (1,),
}
QUIET = {"bit_generator", "get_state", "set_state", "seed", "shuffle", "spawn"}
NUMPY = sorted(n for n in dir(np.random.Generator) if not n.startswith("_") and n not in QUIET)
LEGACY = sorted(n for n in dir(np.random.RandomState) if not n.startswith("_") and n not in QUIET)


def follows(mechanism):
    """Whether a run has draws or points on its tape; a run that stops is told apart."""
    try:
        found = recorded(mechanism)
    except NotFollowed:
        return "stopped"
    if any(leaf == ("str", "ValueError") for leaf in found.leaves.values()):
        return "raised"
    if any("Raised" in str(leaf) for leaf in found.leaves.values()):
        return found.leaves["output.text"]
    return "followed" if found.tape.size or found.tape.events else "silent"


@pytest.mark.parametrize("name", NUMPY)
def test_methods_of_generators(name):
    assert follows(lambda data, rng: getattr(rng, name)(*GIVEN.get(name, ()))) in ("followed", "stopped")


@pytest.mark.parametrize("name", LEGACY)
def test_methods_of_random_states_and_functions_of_the_module(name):
    assert follows(lambda data: getattr(np.random.RandomState(), name)(*GIVEN.get(name, ()))) in ("followed", "stopped")
    if hasattr(np.random, name):
        mechanism = lambda data: getattr(np.random, name)(*GIVEN.get(name, ()))  # noqa: E731
        assert follows(mechanism) in ("followed", "stopped")


STANDARD = {
    **dict.fromkeys(("uniform", "gauss", "normalvariate", "lognormvariate", "betavariate", "gammavariate"), (1.0, 2.0)),
    **dict.fromkeys(("weibullvariate", "vonmisesvariate"), (1.0, 2.0)),
    **dict.fromkeys(("expovariate", "paretovariate"), (1.5,)),
    **dict.fromkeys(("getrandbits", "randrange", "randbytes"), (5,)),
    "randint": (1, 5),
    **dict.fromkeys(("choice", "choices", "shuffle"), ([1, 2, 3],)),
    "sample": ([1, 2, 3], 2),
    "binomialvariate": (3, 0.5),
}
PASSIVE = {"seed", "getstate", "setstate", "VERSION"}
OF_RANDOM = sorted(n for n in dir(random.Random) if not n.startswith("_") and n not in PASSIVE)


@pytest.mark.parametrize("name", OF_RANDOM)
def test_methods_of_the_standard_library(name):
    given = STANDARD.get(name, ())
    for kind in (random.Random, random.SystemRandom):
        assert follows(lambda data, kind=kind: getattr(kind.__mro__[0] and _named(kind)(), name)(*given)) in (
            "followed",
            "stopped",
        )
    assert follows(lambda data: getattr(random, name)(*given)) in ("followed", "stopped")


def _named(kind):
    return random.SystemRandom if kind.__name__ == "SystemRandom" else random.Random


@pytest.mark.parametrize("call", ["randbelow(5)", "randbits(5)", "choice([1, 2])", "token_bytes(4)", "token_hex(4)"])
def test_secrets(call):
    assert follows(lambda data: eval(f"secrets.{call}", {"secrets": secrets})) in ("followed", "stopped")


CONTINUOUS = [
    (name, tuple(map(float, shapes))) for name, shapes in stats._distr_params.distcont if isinstance(name, str)
]
DISCRETE = [(name, tuple(shapes)) for name, shapes in stats._distr_params.distdiscrete if isinstance(name, str)]
CHEAP = [law for law in [*CONTINUOUS, *DISCRETE] if law[0] not in ("levy_stable", "studentized_range")]


@pytest.mark.parametrize("law", CHEAP[::4], ids=lambda law: law[0])
def test_laws_of_scipy(law):
    name, shapes = law
    assert follows(lambda data: getattr(stats, name).rvs(*shapes)) in ("followed", "stopped")
    assert follows(lambda data: getattr(stats, name)(*shapes).rvs(size=2)) in ("followed", "stopped")


@pytest.mark.parametrize("name", ["dirichlet", "wishart", "special_ortho_group"])
def test_laws_of_scipy_with_several_numbers(name):
    given = {"dirichlet": ([1.0, 2.0],), "wishart": (3,)}.get(name, (3,))
    assert follows(lambda data: getattr(stats, name).rvs(*given)) == "stopped"


def test_generators_with_a_seed_are_real():
    def mechanism(data):
        return [np.random.default_rng(3).normal(), np.random.RandomState(3).normal(), random.Random(3).random()]

    found = recorded(mechanism)
    assert found.tape.size == 0
    assert len(found.tape.seeds) == 3
    expected = [real(3).normal(), np.random.RandomState(3).normal(), random.Random(3).random()]
    assert [leaf for path, leaf in found.leaves.items() if path != "output"] == [
        ("float", np.float64(x).tobytes()) for x in expected
    ]


def test_a_module_that_is_given_a_seed_is_real_from_then_on():
    def mechanism(data):
        first = np.random.normal()  # noqa: NPY002
        np.random.seed(4)  # noqa: NPY002
        random.seed(4)
        return first, np.random.normal(), random.random()  # noqa: NPY002

    found = recorded(mechanism)
    assert found.tape.size == 1
    assert found.leaves["output[1]"] == ("float", np.float64(np.random.RandomState(4).normal()).tobytes())


def test_what_numpy_refuses_is_refused():
    for call in (
        lambda rng: rng.laplace(scale=-1.0),
        lambda rng: rng.choice(2, p=[0.5, 0.6]),
        lambda rng: rng.integers(5, 3),
        lambda rng: rng.exponential(-1.0),
    ):
        found = recorded(lambda data, rng, call=call: call(rng))
        assert found.leaves["output.kind"] == ("str", "ValueError")


def test_names_come_back_and_nothing_is_followed_outside_of_a_run():
    before = np.random.default_rng, random.random, np.zeros, stats.norm.rvs
    with followed_sources():
        assert np.random.default_rng is not before[0]
        assert isinstance(np.random.default_rng(1).normal(), float)
        assert type(np.zeros(2)) is np.ndarray
    assert (np.random.default_rng, random.random, np.zeros) == before[:3]


@pytest.mark.parametrize("name", ON_LISTS)
def test_the_array_of_a_list_keeps_its_noise(name):
    """As compiled code would make an array of it, and look at the numbers."""
    ends = (0.0, 9.0) if name == "clip" else ()
    found = recorded(lambda data, rng: getattr(np, name)([5.0 + rng.laplace() for _ in range(3)], *ends))
    kinds = {e.kind for e in found.hidden}
    assert VALUE not in kinds
    assert found.rows is not None or kinds


def test_an_array_of_one_number_has_what_arrays_have():
    found = recorded(lambda data, rng: (np.asarray(y := rng.laplace()).size, np.array(y).ndim, np.asarray(y) + 1))
    assert [leaf for leaf in found.leaves.values() if leaf[0] == "int"] == [("int", 1), ("int", 0)]
    assert not found.hidden


def test_audits_within_audits_are_refused():
    with followed_sources(), pytest.raises(ValueError, match="one at a time"), followed_sources():
        pass
