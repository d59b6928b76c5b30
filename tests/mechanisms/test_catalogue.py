"""The catalogue: every record is true of its function, and every claim is the planned one."""

import inspect
import itertools
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.audit import references
from dpspectra.ledger import labels
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.catalogue import MECHANISMS, NOISES
from dpspectra.mechanisms.choice import named_noise
from dpspectra.mechanisms.private_data import Sealed
from dpspectra.mechanisms.randomness import NOISE_LABELS
from dpspectra.oracle import noise_scales
from tests.support.releases import ARGUMENTS, CERTIFIED, PRIVATE, X, data, sample

KNOWN = {label.label for label in labels()}
ARITHMETIC = {"DPS-QUANTISER", "DPS-EXACTSUM", "DPS-EIGENBASIS", "DPS-RESIDUAL", "DPS-CORRECTION", "DPS-ROOT"}
ARITHMETIC |= {"DPS-TILTEDCHART", "DPS-MACG", "DPS-VERTEX", "DPS-GTMONO", "DPS-GTREC"}
ARITHMETIC |= {"DPS-TOWARDZERO", "DPS-SHIFTED", "DPS-CONTRACTION", "DPS-QUANTISEDSTEP", *NOISE_LABELS}
"""Statements behind certified arithmetic, which no record names."""
OPTIONS: dict[str, Any] = {
    "gaussian_covariance": [{"shape": "triangle"}],
    "private_pca": [{"mechanism": name} for name in ("orbit", *NOISES)]
    + [{"center": center} for center in ("mean", "pairs")],
    "private_low_rank": [{"mechanism": name} for name in ("orbit", *NOISES)],
    "private_moments": [{"mechanism": name} for name in NOISES],
    "private_covariance": [{"mechanism": name} for name in NOISES] + [{"constant": 1.0}, {"center": "pairs"}],
}
"""Options on which a claim hangs, besides relation and delta."""


def calls():
    """Every mechanism, with each relation, with and without the delta that it may have, and with `OPTIONS`."""
    for name, record in PRIVATE.items():
        for relation in record.relations:
            for delta, options in itertools.product({False, "delta" in record.takes}, [{}, *OPTIONS.get(name, [])]):
                given = options | ({"delta": 1e-3} if delta else {})
                if len(record.relations) > 1:
                    given["relation"] = relation
                impossible = (relation != "replace" and "center" in options) or relation == "entry"
                if not impossible and (delta or options.get("mechanism") != "gaussian_covariance"):
                    yield pytest.param(record, given, id=f"{name}, {given}")


@pytest.mark.parametrize("record", MECHANISMS.values(), ids=MECHANISMS)
def test_a_record_is_true_of_its_function(record):
    parameters = inspect.signature(record.function()).parameters
    assert catalogue.of(record.function()) is record
    assert getattr(dps, record.name) is record.function()
    assert set(record.takes) <= {name for name in ("delta", "k") if name in parameters}
    required = {name for name, p in list(parameters.items())[1:] if p.default is p.empty}
    assert required == {*record.needs, *(["epsilon"] if record.private else [])}
    assert {"delta", "k"} & parameters.keys() == {"delta", "k"} & set(record.known)
    assert ("relation" in parameters) == (record.private and record.relations != ("row",))
    if "relation" in parameters:
        assert parameters["relation"].default == record.relations[0]
    assert set(record.labels) <= KNOWN
    assert bool(record.labels) == record.private
    assert record.private == ("epsilon" in parameters)
    assert not record.noise or all(map(callable, (record.law().sized, record.law().variance)))
    for ideal in record.ideals:
        assert isinstance(getattr(references, ideal.reference)(*ideal.given), references.Reference)


@pytest.mark.parametrize(("record", "given"), list(calls()))
def test_a_claim_is_the_planned_one(record, given):
    claim = sample(record, rng=0, **given)().claim
    arguments = inspect.signature(record.function()).bind(*sample(record).args, **sample(record, **given).keywords)
    planned = record.planned(**arguments.arguments)
    assert (planned.relation, planned.epsilon) == (claim.relation, claim.epsilon)
    if record.chooses and not given.keys() & {"mechanism"} and planned.delta != claim.delta:
        assert (planned.delta, planned.gdp_mu, claim.delta) == (given["delta"], None, 0.0)
    elif given.get("mechanism") == "orbit":
        assert (planned.gdp_mu, claim.gdp_mu, claim.delta) == (None, None, 0.0)
    else:
        assert (planned.delta, planned.gdp_mu) == (claim.delta, claim.gdp_mu)
    assert set(claim.labels) <= set(record.labels)


@pytest.mark.parametrize("name", CERTIFIED)
def test_certified_claims_rest_on_statements_of_arithmetic_besides(name):
    record = MECHANISMS[name]
    claim = sample(record)().claim
    assert claim.arithmetic == "certified"
    assert set(claim.labels) <= {*record.labels, *ARITHMETIC}


@pytest.mark.parametrize("record", PRIVATE.values(), ids=PRIVATE)
def test_every_relation_that_is_not_named_is_refused(record):
    parameters = inspect.signature(record.function()).parameters
    for relation in dps.Claim("replace", 1.0).relation.__class__:
        if "relation" in parameters and relation not in record.relations:
            with pytest.raises(ValueError, match=f"relation must be one of {record.relations[0]}"):
                sample(record, rng=0, relation=relation)()


WITHOUT_SCALE = {
    "private_pca": "the noise of a covariance, or the law of the orbit",
    "private_low_rank": "the noise of a covariance, or the law of the orbit",
    "private_moments": "the noise of a covariance",
    "private_covariance": "the noise of a covariance",
    "private_range_finder": "a mean over the lengths of a normal vector, which the oracle knows to 12 digits",
    "project_find_prune": "the noise of the range finder and of the projection",
}


def test_the_oracle_knows_the_noise_of_every_mechanism():
    assert {name for name, record in PRIVATE.items() if not record.scales} == WITHOUT_SCALE.keys()
    found = {scale for record in MECHANISMS.values() for scale in record.scales}
    functions = inspect.getmembers(noise_scales, inspect.isfunction)
    assert found == {name for name, function in functions if function.__module__ == noise_scales.__name__}


def test_every_noise_that_others_may_choose_has_an_ideal_law():
    assert [name for name, record in NOISES.items() if not record.ideals] == []


@pytest.mark.parametrize("record", NOISES.values(), ids=NOISES)
def test_the_noise_of_a_name_is_that_of_the_function(record):
    """At its scale over the rows; the variance off the diagonal decides by it."""
    given = {"delta": 1e-3} if record.needs else {}
    release = sample(record, rng=0, **given)()
    d = data(record, X).shape[1]
    noise, promise = named_noise(record.name, d, (1.0, given.get("delta", 0.0)), Fraction(1), "replace")
    assert release.details["scale"] == noise.scale / len(X)
    assert set(noise.labels) <= set(record.labels)
    assert (promise["delta"], promise["gdp_mu"]) == (release.claim.delta, release.claim.gdp_mu)


def test_an_unknown_name_is_never_taken_for_another_noise():
    for call in (
        lambda: catalogue.get("gausian_covariance"),
        lambda: named_noise("gausian_covariance", 2, (1.0, 1e-3), Fraction(1), "replace"),
    ):
        with pytest.raises(ValueError, match=r"got 'gausian_covariance'; near: gaussian_covariance$"):
            call()
    with pytest.raises(ValueError, match=r"mechanism must be one of .*gaussian_covariance, .*, got 'private_mean'"):
        named_noise("private_mean", 2, (1.0, 0.0), Fraction(1), "replace")


def test_a_function_of_somebody_else_has_no_record():
    def laplace_covariance(x, epsilon):
        return None

    assert catalogue.of(laplace_covariance) is None
    assert catalogue.of(3) is None


def sealed(shape, kind=float):
    """Data of which only the outside may be looked at."""
    box = Sealed(np.zeros(shape, kind))
    box._data = None
    return box


def matrix(shape, kind=float):
    box = Sealed(dps.Matrix(np.zeros(shape, kind)))
    box._data = None
    return box


@pytest.mark.parametrize(
    ("name", "given", "delta", "normal"),
    [
        ("private_pca", {"X": sealed((9, 30)), "k": 1, "delta": 0.3}, 0.3, True),
        ("private_pca", {"X": sealed((9, 3)), "k": 1, "delta": 1e-9}, 0.0, False),
        ("private_pca", {"X": sealed((9, 30)), "k": 30, "delta": 0.3}, 0.3, True),
        ("private_pca", {"X": sealed((9, 30)), "k": 30, "delta": 0.3, "center": "none"}, 0.3, False),
        ("private_pca", {"X": iter([]), "k": 1, "delta": 0.3}, 0.3, False),
        ("private_pca", {"X": iter([]), "k": 1, "delta": 0.3, "mechanism": "gaussian_covariance"}, 0.3, True),
        ("private_low_rank", {"X": matrix((30, 30)), "k": 1, "delta": 0.3}, 0.3, True),
        ("private_low_rank", {"X": matrix((30, 30), complex), "k": 1, "delta": 0.3}, 0.3, False),
        ("private_low_rank", {"X": matrix((30, 30)), "k": 1, "delta": 0.3, "split": 0.5}, 0.3, False),
    ],
)
def test_a_plan_looks_at_shape_and_type_alone(name, given, delta, normal):
    planned = MECHANISMS[name].planned(epsilon=1.0, **given)
    assert (planned.delta, planned.gdp_mu is not None) == (delta, normal)


def loaded(code):
    """Modules of ours that ``code`` loads in a fresh interpreter, and whether numpy is among all."""
    code = f"import sys; {code}; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return {name.removeprefix("dpspectra.") for name in names if name.startswith("dpspectra.")}, "numpy" in names


def test_listing_names_imports_no_mechanism():
    modules, numpy = loaded("import dpspectra.mechanisms.catalogue as c; list(c.MECHANISMS)")
    assert not numpy
    assert {name for name in modules if name.startswith("mechanisms.")} == {
        "mechanisms.catalogue",
        "mechanisms.mechanism_record",
    }


@pytest.mark.parametrize(
    ("name", "needs"), [("laplace_covariance", ""), ("knorm_covariance", "knorm"), ("private_pca", "")]
)
def test_importing_a_mechanism_loads_no_other_law(name, needs):
    modules, _ = loaded(f"import dpspectra as dps; dps.{name}")
    laws = {name for name in modules if name.startswith("mechanisms.noises.")}
    assert laws == ({f"mechanisms.noises.{needs}"} if needs else set())
    assert not needs or "fast.wishart" not in modules


def test_every_argument_that_is_needed_has_a_sample():
    assert {name for record in PRIVATE.values() for name in record.needs} == ARGUMENTS.keys()
