"""The choice ``auto``: what it names, what it knows, what it refuses."""

import json

import numpy as np
import pytest

from dpspectra import cli
from dpspectra.commands.offers import chosen
from dpspectra.mechanisms.catalogue import OFFERED

X = np.array([[0.5, 0.25, 0.125], [0.125, 0.0, 0.0], [0.0, 0.5, 0.0]])


def asked(*words):
    """Run in the folder that holds X; what it prints as JSON."""
    np.save("rows.npy", X)
    return cli.run(["release", "rows.npy", "--out", "r.npy", "--force", "--epsilon", "1", "--json", "-", *words])


@pytest.mark.parametrize(
    ("options", "mechanism", "shape"),
    [
        ((), "knorm_covariance", [3, 3]),
        (("--delta", "1e-2"), chosen(3, 1.0, None, 1e-2)[0], [3, 3]),
        (("--k", "2"), "private_pca", [3, 2]),
        (("--k", "2", "--delta", "1e-5"), "private_pca", [3, 2]),
    ],
)
def test_auto_names_what_it_chose(here, capsys, options, mechanism, shape):
    assert asked("--mechanism", "auto", *options) == 0
    claim = json.loads(capsys.readouterr().out)["claim"]
    found = claim["mechanism"], claim["value"]["shape"], claim["claim"]["epsilon"]
    assert found == (mechanism, shape, 1.0)
    assert claim == json.loads((here / "r.npy.claim.json").read_text(encoding="utf-8"))


def test_the_choice_knows_delta_and_dimension():
    found = {chosen(d, 1.0, None, delta)[0] for d in (3, 30) for delta in (None, 0.3)}
    assert found == {"knorm_covariance", "symmetric_wishart_covariance", "gaussian_covariance"}
    assert found <= OFFERED.keys()


@pytest.mark.parametrize("delta", ["1", "-0.1", "nan"])
def test_auto_refuses_bad_numbers(here, capsys, delta):
    assert asked("--mechanism", "auto", "--delta", delta) == 2
    assert "delta must lie in [0, 1)" in capsys.readouterr().err
    assert not (here / "r.npy").exists()
