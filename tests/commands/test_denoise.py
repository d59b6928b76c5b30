"""The command ``denoise``: the same as asking for it at once, with the same claim, from the files alone."""

import json

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.cli import run
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.report import claim_file
from dpspectra.report.files import write_release, written
from tests.support.files import LAPLACE, contents, release, valid


@pytest.fixture
def rows():
    return np.random.default_rng(3).normal(size=(400, 4)) / 8


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("method", ["psd", "shrink"])
def test_it_is_what_the_mechanism_would_have_released(here, name, method, rows):
    """With equal noise, by a seed; the noise itself is told by its scale in the file alone."""
    given = {"epsilon": 0.25, "norm_bound": 2.0, "rng": 7, **({"delta": 1e-4} if "delta" in NOISES[name].needs else {})}
    plain = NOISES[name].function()(rows, **given)
    at_once = NOISES[name].function()(rows, **{**given, "rng": np.random.default_rng(7)}, denoise=method)
    content = written(here / "r.npy", plain.value)
    write_release(here / "r.npy", content, claim_file.of(name, plain, content, rows.shape).asdict())
    assert run(["denoise", "r.npy", "--method", method, "--out", "s.npy"]) == 0
    said = claim_file.read(here / "s.npy")
    np.testing.assert_allclose(claim_file.value(here / "s.npy", said), at_once.value, rtol=1e-9, atol=1e-12)
    assert said.release.claim == plain.claim
    assert said.release.details["postprocessing"] == at_once.details["postprocessing"]
    assert ("guarantee" in said.release.details) == (method == "psd")
    valid("claim", json.loads((here / "s.npy.claim.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("method", ["psd", "shrink"])
@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_a_covariance_by_pairs_has_noise_in_the_dimension_of_its_rows(here, method, delta, rows):
    given = {"delta": delta, "center": "pairs", "difference_bound": 0.5}
    plain = dps.private_covariance(rows, 0.25, **given, rng=7)
    at_once = dps.private_covariance(rows, 0.25, **given, rng=np.random.default_rng(7), denoise=method)
    content = written(here / "r.npy", plain.value)
    write_release(here / "r.npy", content, claim_file.of("private_covariance", plain, content, rows.shape).asdict())
    assert run(["denoise", "r.npy", "--method", method, "--out", "s.npy"]) == 0
    said = claim_file.read(here / "s.npy")
    np.testing.assert_allclose(claim_file.value(here / "s.npy", said), at_once.value, rtol=1e-9, atol=1e-12)
    assert said.release.details.get("guarantee") == at_once.details.get("guarantee")


def test_the_shape_of_normal_noise_is_kept(here, rows):
    plain = dps.gaussian_covariance(rows, 0.25, 1e-4, norm_bound=2.0, shape="triangle", rng=7)
    better = dps.gaussian_covariance(
        rows, 0.25, 1e-4, norm_bound=2.0, shape="triangle", denoise="shrink", rng=np.random.default_rng(7)
    )
    content = written(here / "r.npy", plain.value)
    said = claim_file.of("gaussian_covariance", plain, content, rows.shape)
    write_release(here / "r.npy", content, said.asdict())
    assert run(["denoise", "r.npy", "--out", "s.npy"]) == 0
    np.testing.assert_allclose(np.load("s.npy"), better.value, rtol=1e-9)


def test_what_cannot_be_denoised_is_refused(here, capsys):
    assert release("x.npy", "--denoise", "psd", out="psd.npy") == 0
    pca = ["--mechanism", "private_pca", "--k", "2", "--epsilon", "1"]
    wishart = ["--mechanism", "wishart_covariance", "--delta", "1e-3", "--epsilon", "1"]
    for name, words in {"pca.npy": pca, "wishart.npy": wishart, "plain.npy": LAPLACE}.items():
        assert run(["release", "x.npy", *words, "--out", name]) == 0
    before = contents()
    capsys.readouterr()
    for words, message in {
        ("psd.npy",): "must be a noisy matrix as it was drawn",
        ("pca.npy",): "must be a noisy matrix as it was drawn, got one of private_pca, or changed",
        ("wishart.npy",): "to be shrunk, got another: take --method psd",
        ("x.npy",): "x.npy must be a release with its claim beside it, got no x.npy.claim.json",
        ("plain.npy", "--method", "all"): "method must be one of psd, shrink, got 'all'",
        ("plain.npy", "--out", "plain.npy", "--force"): "the output must not be a file that is read",
    }.items():
        assert run(["denoise", "--out", "new.npy", *words]) == 2
        assert message in capsys.readouterr().err
    assert contents() == before
    assert run(["denoise", "wishart.npy", "--method", "psd", "--out", "new.npy", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["claim"]["mechanism"] == "wishart_covariance"
