"""The Wishart specimens fall by one impossible output, and by their outputs alone."""

import functools
import importlib
import json
import math
import subprocess
import sys

import numpy as np
import pytest

import dpspectra.audit as auditing
from dpspectra.audit import BrokenMechanismWarning, audit, specimens
from dpspectra.audit.not_psd import check_certificate
from tests.support.audits import ROWS, SEEDS, refuted, wishart


def test_wishart_is_refuted_by_one_impossible_output_and_the_certificate_proves_it():
    made = []

    def counted(x, *, size, rng):
        made.append(size)
        return wishart(x, size=size, rng=rng)

    result = audit(counted, ROWS, 1.0, support=specimens.wishart_support)
    assert refuted(result)
    assert result.epsilon_lower == math.inf
    assert result.draws <= 128
    assert sum(made) <= 256
    assert "cannot occur on the second" in result.witness
    assert check_certificate(json.loads(result.to_json())["certificate"])


@pytest.mark.parametrize("seed", SEEDS)
def test_wishart_is_refuted_by_its_outputs_alone(seed):
    result = audit(wishart, ROWS, 1.0, draws=8192, rng=seed)
    assert refuted(result)
    assert result.epsilon_lower > 1
    assert "smallest eigenvalue of the output minus the second Gram matrix" in result.witness


def test_no_claim_saves_a_mechanism_that_makes_impossible_outputs():
    assert refuted(audit(wishart, ROWS, 50.0, support=specimens.wishart_support))


def test_wishart_is_refuted_up_to_its_exact_delta():
    """At ``epsilon`` 1 the exact ``delta`` is 0.2835, whatever ``e``; at 0.3 there is nothing to find."""
    assert refuted(audit(wishart, ROWS, 4.0, 0.2, support=specimens.wishart_support))
    assert not audit(wishart, ROWS, 4.0, 0.3, support=specimens.wishart_support, draws=4096).violated


def test_library_wishart_is_refuted_and_loses_what_its_closed_form_says():
    library = functools.partial(specimens.wishart_deviation_for_variance, epsilon=1.0)
    assert refuted(audit(library, ROWS, 1.0, draws=8192))
    support = functools.partial(specimens.wishart_support, divided=False)
    assert check_certificate(audit(library, ROWS, 1.0, support=support).certificate)
    outputs = library(ROWS[0], size=4000, rng=0)
    outside = np.mean([support(k, ROWS[1]) is not None for k in outputs])
    assert abs(outside - (1 - math.exp(-2))) < 5 * math.sqrt(0.12 / 4000)  # false alarm below 1e-6


def test_importing_the_specimens_warns():
    with pytest.warns(BrokenMechanismWarning, match="JXZ-T4"):
        importlib.reload(specimens)
    assert auditing.specimens is sys.modules["dpspectra.audit.specimens"]
    code = "import sys, dpspectra.audit; sys.exit('dpspectra.audit.specimens' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError):
        auditing.nothing  # noqa: B018


def test_specimen_shapes():
    assert wishart(ROWS[0], rng=0).shape == (2, 2)
    assert wishart(ROWS[0], size=3, rng=0).shape == (3, 2, 2)
    with pytest.raises(ValueError, match="norm at most 1"):
        wishart([[2.0, 0.0]])
