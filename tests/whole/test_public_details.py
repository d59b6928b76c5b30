"""The details of a release are public; what may depend on the data otherwise stands apart, and stays where it is."""

import copy
import json
import pickle

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.cli import run
from tests.support.releases import CERTIFIED, ROWS, SPECTRUM, X
from tests.support.releases import RELEASES as CALLS

OTHER = np.vstack([0 * X[:1], X[1:]])
RELEASED = {
    "private_covariance": {"mean", "guarantee", "noise_edge", "gap_edge", "displaced"},
    "private_scaler": {"floored", "shown", "mean_off", "variances_off"},
    "private_spectrum": {"eigenvalues", "shown"},
    "private_score_histogram": {"cells_shown"},
    "private_low_rank": {"eigenvalues", "shown", "kappa", "guarantee"},
    "private_power_method": {"noise", "largest_entry", "singular_values", "singular_edge"},
    "private_range_finder": {"singular_values"},
    "project_find_prune": {"noise", "pruned", "largest_leverage", "singular_values", "singular_edge"},
    "randomized_response_low_rank": {"singular_values"},
}
"""Details that are functions of what was released."""
PRIVATE = {name: {"method"} for name in ("private_pca", "private_orbit", "private_low_rank")}


def test_every_release_has_its_row_in_the_table():
    assert ROWS.keys() == CALLS.keys()


@pytest.mark.parametrize(
    ("name", "certified"), [(name, way) for name in ROWS for way in (False, True)[: 1 + (name in CERTIFIED)]]
)
def test_details_do_not_depend_on_the_data(name, certified):
    """One noise, a row replaced; and data at the two ends of what samplers tell apart."""
    source = (lambda: dps.Entropy(bytes(32))) if certified else (lambda: np.random.default_rng(0))
    seen = [ROWS[name](x, source()) for x in (X, OTHER, 0 * X, np.eye(12, 4), np.eye(4)[[0] * 12])]
    for release in seen:
        assert release.details.keys() == seen[0].details.keys()
        for key in release.details.keys() - RELEASED.get(name, set()):
            assert release.details[key] == seen[0].details[key], key
        assert release.private.keys() == PRIVATE.get(name, set())
        assert not release.private.keys() & release.details.keys()


def test_what_a_sampler_did_depends_on_the_data():
    """Else there would be nothing to keep apart."""
    matrices = np.zeros((4, 4)), np.diag([30.0, 10.0, 0.0, 0.0])
    assert len({dps.private_orbit(Matrix(m), SPECTRUM, 1.0, rng=0).private["method"] for m in matrices}) == 2


@pytest.mark.parametrize("name", ROWS)
def test_what_leaves_the_process_leaves_it_out(name):
    release = ROWS[name](X, 0)
    secret = dps.Release(release.value, release.claim, release.details, {**release.private, "secret": "7315246"})
    for out in (pickle.loads(pickle.dumps(secret)), copy.copy(secret), copy.deepcopy(secret)):
        assert out.private == {}
        assert out.claim == secret.claim
        assert out.details.keys() == secret.details.keys()
    assert "7315246" not in repr(secret)
    assert "7315246" not in repr(secret.asdict())
    found = secret.asdict()
    assert found.keys() == {"value", "claim", "details"}
    assert found["value"] is secret.value
    assert found["claim"] == secret.claim.asdict()
    json.dumps({k: np.asarray(v).tolist() if isinstance(v, np.ndarray) else v for k, v in found["details"].items()})


def test_files_leave_it_out(tmp_path, capsys):
    np.save(tmp_path / "x.npy", X)
    options = [
        "--mechanism",
        "private_pca",
        "--epsilon",
        "1",
        "--k",
        "2",
        "--out",
        str(tmp_path / "r.npy"),
        "--json",
        "-",
    ]
    assert run(["release", str(tmp_path / "x.npy"), *options]) == 0
    printed = capsys.readouterr().out + (tmp_path / "r.npy.claim.json").read_text(encoding="utf-8")
    assert "method" not in printed
