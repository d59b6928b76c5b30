"""A seed that gives the noise of two releases is warned about, and nothing else is."""

import itertools
import warnings

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.mechanisms import release
from tests.support.contracts import CALLS
from tests.support.releases import CERTIFIED, EYE, RELEASES

FRESH = itertools.count(10**9)
"""Seeds that no other test uses."""
OTHERS = {
    "haar": lambda rng: dps.sampling.haar(3, rng=rng),
    "orbit": lambda rng: dps.sampling.orbit(EYE, [1.0, 0.0, 0.0, 0.0], 1.0, rng=rng),
    "noisy_power_method": lambda rng: dps.noisy_power_method(EYE, 1, iterations=1, rng=rng),
    "randomized_range_finder": lambda rng: dps.randomized_range_finder(EYE, 1, rng=rng),
    "streaming_power_method": lambda rng: dps.streaming_power_method([EYE], 1, rows_per_round=4, rng=rng),
}
"""What is not private, and may be repeated."""


@pytest.fixture(autouse=True)
def strict():
    """Every warning is an error again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_every_release_has_its_row_in_the_table():
    """Public functions that return a release, by their annotations, and neither take nor read one: these draw noise."""
    told = {name: getattr(getattr(dps, name), "__annotations__", {}) for name in dps.__all__}
    found = {name for name, types in told.items() if "Release[" in str(types.get("return"))}
    assert found - {name for name in found if {"release", "file"} & told[name].keys()} == RELEASES.keys()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", [int, np.random.SeedSequence])
def test_a_seed_that_comes_back_is_warned_about(name, kind):
    seed = next(FRESH)
    CALLS[name](rng=seed)
    with pytest.warns(dps.ReusedSeedWarning, match="no release had before") as caught:
        CALLS[name](rng=kind(seed))
    assert [(w.filename, w.lineno) for w in caught] == [here(CALLS[name])]
    with pytest.warns(dps.ReusedSeedWarning):
        RELEASES["laplace_covariance"](seed)


@pytest.mark.parametrize("name", RELEASES)
def test_fresh_seeds_and_generators_are_not(name):
    parent, rng = np.random.SeedSequence(next(FRESH)), np.random.default_rng(next(FRESH))
    for source in (next(FRESH), next(FRESH), *parent.spawn(2), rng, rng, None, None):
        RELEASES[name](source)


@pytest.mark.parametrize("name", OTHERS)
def test_what_carries_no_claim_may_be_repeated(name):
    seed = next(FRESH)
    for source in (seed, seed):
        OTHERS[name](source)
    RELEASES["laplace_covariance"](seed)


def test_a_run_is_resumed_with_its_seed():
    states, seed = [], next(FRESH)
    options = {"iterations": 3, "rng": seed}
    dps.private_power_method(EYE, 1, 1.0, checkpoint=states.append, **options)
    dps.private_power_method(EYE, 1, 1.0, resume=states[0], **options)
    with pytest.warns(dps.ReusedSeedWarning):
        dps.private_power_method(EYE, 1, 1.0, **options)


def test_a_run_is_resumed_with_its_key():
    states, again = [], key()
    options = {"iterations": 3}
    dps.private_power_method(EYE, 1, 1.0, checkpoint=states.append, rng=dps.Entropy(again), **options)
    dps.private_power_method(EYE, 1, 1.0, resume=states[0], rng=dps.Entropy(again), **options)
    with pytest.warns(dps.ReusedSeedWarning):
        dps.private_power_method(EYE, 1, 1.0, rng=dps.Entropy(again), **options)


def test_what_is_refused_uses_no_seed():
    seed = next(FRESH)
    with pytest.raises(ValueError, match="must"):
        dps.laplace_covariance(EYE, -1.0, rng=seed)
    before = len(release._seeded)
    dps.laplace_covariance(EYE, 1.0, rng=seed)
    assert len(release._seeded) == before + 1


def here(call):
    """File and line of the call of a mechanism."""
    code = call.__code__
    return code.co_filename, code.co_firstlineno


def key():
    return next(FRESH).to_bytes(32, "big")


@pytest.mark.parametrize("name", CERTIFIED)
def test_a_key_that_comes_back_in_another_object_is_warned_about(name):
    again = key()
    RELEASES[name](dps.Entropy(again))
    with pytest.warns(dps.ReusedSeedWarning, match="an Entropy whose key no release had before") as caught:
        RELEASES[name](dps.Entropy(again))
    assert [(w.filename, w.lineno) for w in caught] == [here(RELEASES[name])]
    with pytest.warns(dps.ReusedSeedWarning):
        RELEASES["laplace_covariance"](dps.Entropy(again))


@pytest.mark.parametrize("name", CERTIFIED)
def test_one_object_goes_on_and_other_keys_are_others(name):
    entropy, other = dps.Entropy(key()), dps.Entropy(key())
    for source in (entropy, entropy, other, entropy):
        RELEASES[name](source)


def test_a_refusal_uses_no_key():
    again = key()
    for norm_bound in (0.1, 2.3e-162):
        with pytest.raises(ValueError, match="must"):
            dps.laplace_covariance(EYE, 1.0, norm_bound=norm_bound, rng=dps.Entropy(again))
    RELEASES["laplace_covariance"](dps.Entropy(again))


def test_the_fingerprint_of_a_key_is_not_the_key():
    entropy = dps.Entropy(again := key())
    assert entropy.fingerprint == dps.Entropy(again).fingerprint != dps.Entropy(key()).fingerprint
    assert again.hex() not in entropy.fingerprint
