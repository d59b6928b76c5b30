import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.independent_constraints import part
from dpspectra.symbolic.likelihood import likelihood, pivots_of
from dpspectra.symbolic.observed_constraints import families, system
from tests.support.noise_runs import recorded

CHAINS = {
    "log of a uniform": (lambda rng: -np.log(rng.random()), stats.expon()),
    "log of its complement": (lambda rng: -np.log(1 - rng.random()), stats.expon()),
    "log1p": (lambda rng: -np.log1p(-rng.random()), stats.expon()),
    "exponential of a normal": (lambda rng: np.exp(rng.normal(0.3, 0.5)), stats.lognorm(0.5, scale=math.exp(0.3))),
    "root of an exponential": (lambda rng: np.sqrt(2 * rng.exponential()), stats.rayleigh()),
    "Cauchy by a tangent": (lambda rng: math.tan(math.pi * (rng.random() - 0.5)), stats.cauchy()),
    "Gumbel by two logs": (lambda rng: -math.log(-math.log(rng.random())), stats.gumbel_r()),
    "log of what has a lower end": (lambda rng: np.log(np.sqrt(rng.exponential()) + 0.0), stats.loggamma(1, scale=0.5)),
    "log of a uniform away from 0": (
        lambda rng: -np.log(rng.uniform(1, 3)),
        stats.truncexpon(math.log(3), loc=-math.log(3)),
    ),
    "log of its double": (lambda rng: np.log(np.exp(rng.normal()) * 2), stats.norm(math.log(2))),
    "exponential of a falling number": (lambda rng: np.exp(-2 * rng.exponential()), stats.beta(0.5, 1)),
    "shifted and scaled": (lambda rng: 3 - 2 * np.log(rng.random()), stats.expon(3, 2)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_densities_are_exact(name):
    function, law = CHAINS[name]
    found = recorded(lambda data, rng: function(rng))
    assert not found.hidden
    one = system(found.tape)
    (rows,) = families(one)
    it = part(one, rows)
    assert likelihood(it, pivots_of(it)).value == pytest.approx(law.logpdf(found.values[0]), abs=1e-9)


def test_a_comparison_of_the_root_holds_where_it_was_met():
    """Functions of normal numbers beside comparisons of these: the numbers are found again from the functions."""

    def mechanism(data, rng):
        return [np.exp(z) if z > 0.55 else 0.0 for z in rng.normal(0.3, 0.5, size=12)]

    found = recorded(mechanism)
    one, law = system(found.tape), stats.norm(0.3, 0.5)
    parts = [part(one, rows) for rows in families(one)]
    total = sum(likelihood(it, pivots_of(it)).value for it in parts)
    shown = [v for v in found.values if v]
    assert 0 < len(shown) < 12
    assert total == pytest.approx(
        sum(law.logpdf(math.log(v)) - math.log(v) for v in shown) + (12 - len(shown)) * law.logcdf(0.55), abs=1e-6
    )


OFF_THE_BRANCH = {
    "a tangent across its pole": lambda rng: np.tan(math.pi * rng.random()),
    "a root of what may be negative": lambda rng: np.sqrt(rng.normal()),
    "a square": lambda rng: rng.normal() ** 2,
}


@pytest.mark.parametrize("name", OFF_THE_BRANCH)
def test_nothing_is_inverted_across_branches(name):
    found = recorded(lambda data, rng: OFF_THE_BRANCH[name](rng))
    assert [e.kind for e in found.hidden] == ["value"] or found.roots == 1
