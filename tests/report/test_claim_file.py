"""A claim file holds all that may be published of a release but the value, in a format with a number and a schema."""

import json
from dataclasses import fields

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.report import claim_file
from dpspectra.report.files import claim_path, write_release, written
from dpspectra.report.json_schemas import schema
from tests.support.files import valid

X = np.full((6, 2), 0.25)
RELEASES = {
    "laplace_covariance": lambda: dps.laplace_covariance(X, 1.0),
    "private_mean": lambda: dps.private_mean(X, 1.0, 1e-6),
    "private_pca": lambda: dps.private_pca(X, 1, 1.0, center="mean"),
    "private_spectrum": lambda: dps.private_spectrum(dps.Matrix(X.T @ X), 1, 1.0),
}


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv"])
def test_it_is_read_back(tmp_path, name, suffix):
    release, out = RELEASES[name](), tmp_path / f"r{suffix}"
    content = written(out, release.value)
    said = claim_file.of(name, release, content, X.shape, ("a", "b"))
    write_release(out, content, said.asdict())
    read = claim_file.read(out)
    assert read.asdict() == said.asdict()
    assert read.release.claim == said.release.claim
    np.testing.assert_array_equal(claim_file.value(out, read), release.value)
    valid("claim", said.asdict())
    assert json.loads(out.with_name(out.name + ".claim.json").read_text(encoding="utf-8")) == said.asdict()


def test_the_schemas_hold_every_field_of_a_claim():
    for name in ("claim", "budget"):
        claim, names = schema(name)["$defs"]["claim"], [field.name for field in fields(dps.Claim)]
        assert list(claim["properties"]) == names
        assert claim["required"] == [each for each in names if each != "rho"]  # which may be left out


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv"])
def test_a_released_file_is_read_as_a_release(tmp_path, suffix):
    release, out = dps.private_covariance(X, 1.0, center="mean"), tmp_path / f"r{suffix}"
    content = written(out, release.value)
    write_release(out, content, claim_file.of("private_covariance", release, content, X.shape).asdict())
    for name in (out, str(out), claim_path(out)):
        read = dps.read_release(name)
        np.testing.assert_array_equal(read.value, release.value)
        assert (read.claim, read.remarks) == (release.claim, release.remarks)
    np.testing.assert_array_equal(dps.components(read, 1).value, dps.components(release, 1).value)
    assert dps.compose([read.claim] * 2).epsilon == 2.0
    out.write_bytes(content + b"0")
    with pytest.raises(claim_file.WrongDigest, match="it was changed"):
        dps.read_release(out)
    with pytest.raises(ValueError, match="claim beside it"):
        dps.read_release(__file__)
