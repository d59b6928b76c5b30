"""Laws of `scipy.stats` have their own density, at the place and scale that they are given."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats._distr_params import distcont, distdiscrete

from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import log_density, recorded, unseen

LAWS = {
    "norm": (),
    "laplace": (),
    "uniform": (),
    "expon": (),
    "gumbel_r": (),
    "logistic": (),
    "gamma": (1.5,),
    "t": (3.0,),
    "beta": (1.5, 2.5),
    "weibull_min": (1.5,),
    "gennorm": (1.5,),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("frozen", [True, False])
def test_continuous_laws(name, frozen):
    law, shapes = getattr(stats, name), LAWS[name]

    def mechanism(data):
        return law(*shapes, loc=0.5, scale=2).rvs() if frozen else law.rvs(*shapes, loc=0.5, scale=2)

    found = recorded(mechanism)
    assert not found.hidden
    assert log_density(found) == pytest.approx(law(*shapes, 0.5, 2).logpdf(found.values[0]), abs=1e-9)


@pytest.mark.parametrize(("name", "shapes"), [("poisson", (2.5,)), ("geom", (0.3,)), ("dlaplace", (0.8,))])
def test_discrete_laws(name, shapes):
    law = getattr(stats, name)
    found = recorded(lambda data: law.rvs(*shapes, loc=3))
    assert log_density(found) == pytest.approx(law(*shapes, loc=3).logpmf(found.values[0]), abs=1e-9)


def test_sizes():
    leaves = recorded(lambda data: (stats.norm.rvs(size=(2, 3)), stats.gamma(2.0).rvs(4))).leaves
    assert [leaf[2] for leaf in leaves.values() if leaf[0] == "array"] == [(2, 3), (4,)]


def test_a_state_with_a_seed_is_real():
    found = recorded(lambda data: stats.norm.rvs(size=2, random_state=3))
    assert found.tape.size == 0
    wanted = stats.norm.rvs(size=2, random_state=3)
    assert [found.leaves[f"output[{k}]"][1] for k in range(2)] == [x.tobytes() for x in wanted]


def test_a_followed_state_is_followed():
    found = recorded(lambda data, rng: stats.norm.rvs(random_state=rng))
    assert found.tape.size == 1


def test_a_law_with_a_state_of_its_own_ends_the_run():
    def mechanism(data):
        law = stats.norm()
        law.random_state = np.random.RandomState(0)
        return law.rvs()

    with pytest.raises(NotFollowed, match="state of its own"):
        recorded(mechanism)


def test_laws_of_users_end_the_run():
    class Mine(stats.rv_continuous):
        def _pdf(self, x):
            return np.exp(-np.abs(x)) / 2

    with pytest.raises(NotFollowed, match="law that is not followed"):
        recorded(lambda data: Mine(name="mine").rvs())


def test_what_scipy_refuses_is_refused():
    assert recorded(lambda data: stats.norm.rvs(scale=-1.0)).leaves["output.kind"] == ("str", "ValueError")


SEVERAL = [n for n, v in vars(stats).items() if "multi_rv" in type(v).__mro__[1].__name__ and hasattr(v, "rvs")]


def laws():
    """All laws of scipy with shapes that they accept."""
    for kind, shapes in (*distcont, *distdiscrete):
        if isinstance(kind, str) and hasattr(stats, kind):
            yield kind, shapes


@pytest.mark.parametrize(("name", "shapes"), list(laws()))
def test_every_law_is_followed_or_ends_the_run(name, shapes):
    assert unseen(lambda data: [getattr(stats, name).rvs(*shapes) for _ in range(2)], (name, "law"), 2) is None


@pytest.mark.parametrize("name", [n for n in SEVERAL if n != "multivariate_normal"])
def test_laws_of_several_numbers_end_the_run(name):
    with pytest.raises(NotFollowed, match="not followed"):
        recorded(lambda data: getattr(stats, name).rvs())
