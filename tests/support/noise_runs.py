"""Runs with noise followed, for tests of the room `symbolic`."""

from __future__ import annotations

import contextlib
from unittest import mock

import numpy as np

from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.from_inside import question
from dpspectra.symbolic.independent_constraints import part
from dpspectra.symbolic.likelihood import agrees, likelihood, pivots_of
from dpspectra.symbolic.observed_constraints import families, points, system
from dpspectra.symbolic.one_run import run
from dpspectra.symbolic.replaced_sources import followed_sources, tables
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import REPLAY, NotFollowed, Tape

NEARBY = ("numpy", "scipy", "pandas", "dpspectra.certified", "dpspectra.mechanisms", "tests.support", "tests.symbolic")
"""Packages whose modules these tests call."""


@contextlib.contextmanager
def followed_nearby():
    """Sources followed in those modules that tests here call: a run of all tests has loaded thousands of others."""
    nearby = [d for d in tables() if str(d.get("__name__")).startswith(NEARBY)]
    with mock.patch("dpspectra.symbolic.replaced_sources.tables", return_value=nearby), followed_sources():
        yield


def recorded(mechanism, data=None, **settings):
    """One run on a tape of a fixed seed."""
    with followed_nearby():
        return run(mechanism, data, Tape(np.random.Generator(np.random.PCG64(1)), **settings))


def real(seed):
    """A generator that nobody follows."""
    return np.random.Generator(np.random.PCG64(seed))


def runner(mechanism, pair, epsilon=1.0, delta=0.0, **settings):
    """The runs of an audit of a mechanism."""
    given = {"runs": 200, "risk": 1e-9, "seconds": 60.0, "rng": real(0)} | settings
    return Runner(mechanism, pair, question(claim_of(epsilon, delta)), **given)


def replayed(mechanism, pair, seed=1):
    """A record on the first data set of a pair and its replay on the second."""
    with followed_nearby():
        record = run(mechanism, pair[0], Tape(real(seed)))
        return record, run(mechanism, pair[1], Tape(real(seed), mode=REPLAY, past=record.tape))


def log_density(found):
    """Log-density of all that a run looked at, its output included; of the values at the looks."""
    one = system(found.tape)
    total = points(found.tape)
    for rows in families(one):
        it = part(one, rows)
        pivots = pivots_of(it)
        assert agrees(it, pivots)
        total += likelihood(it, pivots).value
    return total


def unseen(mechanism, words, draws=3):
    """What is wrong if a mechanism makes so many draws that a run does not see; one that says these words ends."""
    try:
        found = recorded(mechanism)
    except NotFollowed as problem:
        return None if any(word in str(problem) for word in words) else str(problem)
    return None if len(found.tape.raw) >= draws else f"{len(found.tape.raw)} draws, {found.leaves}"
