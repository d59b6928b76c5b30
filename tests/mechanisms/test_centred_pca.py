"""Principal components about a private centre."""

import math

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from tests.support.forms import ROWS, dask
from tests.support.helpers import entropy
from tests.support.rows import spiked


def kept(rows, frame):
    covariance = np.cov(rows.T)
    return np.trace(frame.T @ covariance @ frame) / np.sum(np.linalg.eigvalsh(covariance)[-frame.shape[1] :])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("center", "labels"), [("mean", "DPS-UNITROWS"), ("pairs", "DPS-PAIRS")])
@pytest.mark.parametrize(("mechanism", "delta"), [("auto", 0.0), ("gaussian_covariance", 1e-6)])
@pytest.mark.parametrize("rng", [None, 7])
def test_components_about_a_centre_keep_what_others_lose(center, labels, mechanism, delta, rng, form):
    rows = spiked(4000)
    release = dps.private_pca(form(rows), 2, 6.0, delta, mechanism=mechanism, center=center, rng=rng)
    assert kept(rows, release.value) > 0.98
    assert labels in release.claim.labels
    assert release.claim.delta == delta
    assert release.claim.arithmetic == ("ideal" if rng else "certified")
    assert kept(rows, dps.private_pca(rows, 2, 1e6, center="none").value) < 0.95
    assert ("mean" in release.details) == (center == "mean")


@pytest.mark.parametrize("mechanism", ["symmetric_wishart_covariance", "laplace_covariance", "gaussian_covariance"])
def test_budgets_of_the_two_stages_add_up(mechanism):
    """The noise of either stage against what the same mechanism takes with the whole epsilon."""
    rows, delta = spiked(), 1e-6 if mechanism == "gaussian_covariance" else 0.0
    release = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="mean")
    whole = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="none")
    mean = dps.private_mean(rows, 2.0, delta)
    shares = [mean.details["scale"] / release.details["mean_scale"], whole.details["scale"] / release.details["scale"]]
    power = 2 if delta else 1
    assert math.isclose(sum(share**power for share in shares), 1, rel_tol=1e-9)
    assert math.isclose(shares[0] ** power, 0.25, rel_tol=1e-9)
    assert release.claim.gdp_mu == whole.claim.gdp_mu
    pairs = dps.private_pca(rows, 2, 2.0, delta, mechanism=mechanism, center="pairs")
    assert math.isclose(pairs.details["scale"], 2 * whole.details["scale"], rel_tol=1e-9)


@pytest.mark.parametrize("form", ["chunks", "sparse chunks", "dask", "dask of unknown lengths"])
@pytest.mark.parametrize("rng", [None, 7])
def test_pairs_within_chunks_keep_what_pairs_keep(form, rng):
    rows = spiked(4000)
    release = dps.private_pca(ROWS[form](rows), 2, 6.0, center="pairs", rng=rng)
    assert kept(rows, release.value) > 0.98
    assert "DPS-PAIRS" in release.claim.labels
    assert "the place and the chunk of a row do not depend on what rows hold" in release.claim.assumptions
    whole = dps.private_pca(rows, 2, 6.0, center="pairs")
    assert release.details["scale"] == whole.details["scale"]
    assert release.claim.unit == whole.claim.unit


def test_blocks_that_are_read_again_are_paired_again_alike():
    """A worker that is lost takes its blocks' sums along, and others read them once more."""
    rows = spiked(1000)
    forms = iter(np.split(rows, [800])), dask(800, 2)(rows), dask(800, 2)(rows)
    same = [dps.private_pca(x, 2, 1.0, center="pairs", rng=entropy(9)).value for x in forms]
    assert np.array_equal(same[0], same[1])
    assert np.array_equal(same[1], same[2])


def test_a_row_is_in_two_differences_of_its_chunk():
    """Chunks of three, two, one and no rows: a row that is replaced changes two differences, or none of its own."""
    from dpspectra.matrices import centring
    from dpspectra.matrices.reading_rule import Reading

    rows = np.random.default_rng(1).normal(size=(6, 3))
    for place in range(6):
        other = rows.copy()
        other[place] = 5.0
        both = [list(centring.rings(iter(np.split(x, [3, 5, 5])), Reading(), [1, 2])) for x in (rows, other)]
        changed = [int(np.sum(np.any(one != two, axis=1))) for one, two in zip(*both, strict=True)]
        assert sum(changed) == (0 if place == 5 else 2)
        assert [len(ring) for ring in both[0]] == [3, 2, 0, 1]


@pytest.mark.parametrize("center", ["auto", "mean", "pairs"])
def test_sums_that_cannot_be_centred_are_refused_with_a_way_out_at_no_cost(center):
    moments, budget = dps.Moments.of(spiked(4000), rows="clip"), dps.Budget(epsilon=1e6)
    with pytest.raises(ValueError, match=r"center must be 'none' for Moments, .* are components"):
        budget.release(dps.private_pca, moments, 2, epsilon=1.0, center=center)
    assert budget.spent.epsilon == 0
    assert budget.release(dps.private_pca, moments, 2, epsilon=1.0, center="none").value.shape == (6, 2)
    found = dps.components(budget.release(dps.private_covariance, moments, epsilon=9e5), 2)
    assert kept(dps.clipped_rows(spiked(4000), 1.0), found.value) > 0.999


def test_directions_are_about_the_mean_unless_a_call_says_else():
    rows = spiked(400)
    found = dps.private_pca(rows, 2, 9.0, rng=entropy(3))
    pairs = dps.private_pca(rows, 2, 9.0, center="pairs", rng=entropy(3))
    assert found.value.tolist() == pairs.value.tolist()
    assert found.claim == pairs.claim
    for given in ({"relation": "add_remove"}, {"mechanism": "orbit"}, {"spectrum": [1.0] * 6}):
        about = dps.private_pca(dps.clipped_rows(rows, 1.0), 1, 1.0, **given).claim.labels
        assert not {"DPS-PAIRS", "DPS-UNITROWS"} & set(about)


def test_pairs_need_no_bound_and_take_rows_as_they_were_asked_for():
    rows = spiked(400) * 9
    given = {"center": "pairs", "norm_bound": 2.0}
    refused, clipped, ready = (
        dps.private_pca(x, 2, 9.0, rng=entropy(3), **given, rows=how)
        for x, how in ((rows, "refuse"), (rows, "clip"), (dps.clipped_rows(rows, 2.0), "refuse"))
    )
    assert refused.value.tolist() == dps.private_pca(rows, 2, 9.0, rng=entropy(3)).value.tolist()
    assert clipped.value.tolist() == ready.value.tolist() != refused.value.tolist()
    assert refused.claim.norm_bound is None


@pytest.mark.parametrize("given", [{}, {"rows": "clip", "norm_bound": 0.5}, {"rows": "clip", "bad_rows": "zero"}])
def test_rows_about_a_mean_are_the_same_on_a_cluster(given):
    """Both passes go by blocks; a block may be empty."""
    array = pytest.importorskip("dask.array")
    rows = spiked(300) / 40
    if "bad_rows" in given:
        rows[7, 0] = np.nan
    lazy = array.from_array(rows, chunks=(70, 1))
    some = array.from_array(np.vstack([rows, 9 * np.ones_like(rows)]), chunks=(100, 2))
    picked = some[array.from_array(np.arange(600) < 300, chunks=100)]
    wanted = dps.private_pca(rows, 1, 1.0, center="mean", rng=entropy(4), **given)
    for data in (lazy, picked):
        found = dps.private_pca(data, 1, 1.0, center="mean", rng=entropy(4), **given)
        np.testing.assert_array_equal(found.value, wanted.value)
        np.testing.assert_array_equal(found.details["mean"], wanted.details["mean"])


@pytest.mark.parametrize("center", ["mean", "pairs"])
@pytest.mark.parametrize("form", ROWS)
def test_rows_of_every_form_have_components_about_every_centre(form, center):
    """With the bits of an array where the order of rows does not matter: sums are exact, and noise is by a key."""
    given = {} if center == "pairs" else {"rows": "clip", "bad_rows": "zero", "norm_bound": 0.5}
    release, array = (
        dps.private_pca(shape(spiked(240, 3)), 2, 1.0, center=center, rng=entropy(5), **given)
        for shape in (ROWS[form], np.asarray)
    )
    assert release.value.shape == (3, 2)
    assert release.claim.labels == array.claim.labels
    assert center == "pairs" or release.value.tolist() == array.value.tolist()
