"""What a call promises of data that were read before: their terms, and what is assumed of parts."""

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.ground import memory
from dpspectra.mechanisms.catalogue import OFFERED, get
from dpspectra.mechanisms.planning import UNSEEN, reading_of
from dpspectra.mechanisms.private_data import Sealed, outside
from tests.support.releases import sample

ROWS = np.random.default_rng(0).normal(size=(40, 3)) / 4
TOTAL = {"rows": "clip", "bad_rows": "zero"}


def test_a_claim_takes_its_unit_from_the_terms():
    for given in ({"norm_bound": 2.0}, {"rows": "clip"}, {"rows": "unit"}, TOTAL):
        read = dps.laplace_covariance(dps.Moments.of(ROWS, **given), 1.0).claim
        assert read == dps.laplace_covariance(ROWS, 1.0, **given).claim
        assert (UNSEEN in read.assumptions) == (given is not TOTAL)
    same = {"norm_bound": 2.0, "rows": "clip"}
    assert reading_of(dps.Moments.of(ROWS, **same), **same) == reading_of(ROWS, **same)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"norm_bound": 3.0}, "norm_bound must be left out or be that of the Moments, 2.0, got 3.0"),
        ({"rows": "unit", "norm_bound": 1.0}, "rows must be left out or be that of the Moments, clip, got 'unit'"),
        ({"bad_rows": "zero"}, "bad_rows must be left out or be that of the Moments, refuse, got 'zero'"),
    ],
)
def test_other_readings_are_refused_before_anything_is_opened(given, words):
    box = Sealed(dps.Moments.of(ROWS, norm_bound=2.0, rows="clip"))
    with pytest.raises(ValueError, match=words):
        dps.laplace_covariance(box, 1.0, **given)
    assert not box.touched


def test_unfit_sums_are_refused_before_they_are_opened():
    first, second = (Sealed(dps.Moments.of(ROWS, rows="clip", order=order)) for order in (1, 2))
    assert dps.private_mean(first, 1.0).value.shape == (3,)
    box = Sealed(dps.Moments.of(ROWS, rows="clip", order=1))
    with pytest.raises(ValueError, match="X must hold second moments, got Moments of order 1"):
        dps.private_pca(box, 1, 1.0, center="none")
    with pytest.raises(ValueError, match="X must be rows that can be read again"):
        dps.row_counting_direction(second, 1.0, aligned=3)
    assert not box.touched
    assert not second.touched


def test_the_number_of_rows_shows_where_it_is_public_only():
    """Referee 6: under add_remove a claim or a refusal that tells it is an answer."""
    moments = dps.Moments.of(ROWS, rows="clip")
    assert outside(Sealed(moments)).count == 40
    assert outside(Sealed(moments, counted=False)).count is None
    assert not hasattr(moments, "count")
    one, two = (dps.Moments.of(x, **TOTAL) for x in (ROWS, ROWS[:-1]))
    claims = [dps.private_pca(x, 1, 1.0, relation="add_remove") for x in (one, two)]
    assert claims[0].claim == claims[1].claim
    assert claims[0].details["scale"] == claims[1].details["scale"]
    budget = dps.Budget(1.0, relation="add_remove")
    assert budget.release(dps.private_pca, one, 1, epsilon=0.5, relation="add_remove").value.shape == (3, 1)


def test_names_of_columns_are_public_and_parts_are_assumed_apart():
    """Referee 16: names of dummy variables hang on the rows, so the claim lists all of them."""
    named = [dps.Moments.of(x, columns=["a", "b", "c"], **TOTAL) for x in np.split(ROWS, 2)]
    for moments, several in ((named[0], False), (sum(named, dps.Moments.empty(3, **TOTAL)), True)):
        claim = dps.laplace_covariance(moments, 1.0).claim
        assert claim.public == ("columns: a, b, c",)
        assert ("each person has one row in all parts together" in claim.assumptions) == several


@pytest.mark.parametrize("name", sorted(name for name, record in OFFERED.items() if record.moments == 2))
def test_a_square_matrix_that_cannot_be_made_is_refused_before_anything_is_opened(name):
    """The message says what needs none."""
    given, wide = sample(OFFERED[name]), Sealed(sparse.csr_array((5, 10**7)))
    with pytest.raises(ValueError, match=r"columns of X must be so small .* got 10000000: private_power_method finds"):
        given.func(wide, **given.keywords)
    assert not wide.touched


@pytest.mark.parametrize(("mechanism", "entry"), [("symmetric_wishart_covariance", 45), ("laplace_covariance", 25)])
def test_the_memory_that_must_be_free_is_that_of_the_noise(monkeypatch, mechanism, entry):
    """Two thirds of what certified noise holds, on both sides; ``auto`` is asked for what it will take."""
    plan, wide = get("private_pca").planned, sparse.csr_array((5, 5000))
    for asked in (mechanism, *["auto"] * (entry == 45)):
        monkeypatch.setattr(memory, "available", lambda: entry * 5000**2)
        assert plan(X=wide, k=1, epsilon=1.0, mechanism=asked).epsilon == 1.0
        monkeypatch.setattr(memory, "available", lambda: entry * 5000**2 - 1)
        with pytest.raises(ValueError, match="columns of X must be so small"):
            plan(X=wide, k=1, epsilon=1.0, mechanism=asked)
