"""The command ``claim``: what is claimed, whether the file is the one it is claimed of, and which defects are known."""

import json
import math
import shutil

import pytest

import dpspectra as dps
from dpspectra.cli import run
from dpspectra.commands.claim import sentence
from tests.support.files import GOLDEN, release


def test_a_claim_is_told_in_words(here, capsys):
    assert release("x.npy") == 0
    capsys.readouterr()
    assert run(["claim", "r.npy"]) == 0
    first, short, second, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith("r.npy: is the file that the claim is about; shape 2 x 2, by laplace_covariance of dpspec")
    assert short.startswith("Released: second moments of the rows about zero")
    assert second.startswith(
        "Of two neighbouring data sets neither makes any set of outputs more likely than the other"
    )
    assert "by more than a factor of e^1 = 2.718. Neighbours: One row" in second
    assert any(line.startswith("guarantee: Frobenius error") for line in rest)
    assert run(["claim", "r.npy.claim.json"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first
    assert run(["claim", "r.npy", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["claim"] == json.loads((here / "r.npy.claim.json").read_text(encoding="utf-8"))
    assert (told["whole"], told["advisories"]) == (True, [])


def test_a_release_that_does_not_say_what_it_computed_has_the_words_of_its_mechanism(here, capsys):
    assert release("x.npy", "--mechanism", "private_mean") == 0
    told = json.loads((here / "r.npy.claim.json").read_text(encoding="utf-8"))
    assert told["details"].pop("computed").startswith("the mean of the rows, with noise in all directions alike; ")
    (here / "r.npy.claim.json").write_text(json.dumps(told), encoding="utf-8")
    assert run(["claim", "r.npy"]) == 0
    assert "\nReleased: the mean of the rows, with noise in all directions alike. Who knows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (
            dps.Claim("row", 0.5, 1e-6, change=4),
            "a factor of e^0.5 = 1.649, and 1e-06 besides. Neighbours: One row of a m",
        ),
        (dps.Claim("replace", 1e300, norm_bound=0.1), "e^1e+300. Neighbours: One row of norm at most 0.1 is replaced"),
    ],
)
def test_sentences(claim, words):
    assert words in sentence(claim)


def test_another_file_is_told_from_that_of_the_claim(here, capsys):
    for out in ("r.npy", "s.npy"):
        assert release("x.npy", out=out) == 0
    shutil.copy("s.npy", "r.npy")
    capsys.readouterr()
    assert run(["claim", "r.npy"]) == 1
    assert capsys.readouterr().out.startswith("r.npy: IS ANOTHER FILE than the claim is about")
    assert run(["denoise", "r.npy", "--out", "t.npy"]) == 2
    assert "its SHA-256 differs" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "3", "{}", '{"format": 1}', '{"format": "1"}', "[" * 10**5, '{"mechanism": 1}'])
def test_what_is_no_claim_is_refused(here, capsys, text):
    (here / "x.npy.claim.json").write_text(text, encoding="utf-8")
    assert run(["claim", "x.npy"]) == 2
    assert "x.npy.claim.json must be the claim of a release, found something else" in capsys.readouterr().err


def test_a_newer_format_is_refused(here, capsys):
    (here / "x.npy.claim.json").write_text('{"format": 99}', encoding="utf-8")
    assert run(["claim", "x.npy"]) == 2
    assert "must be of format 1 at most, got 99: a newer version reads it" in capsys.readouterr().err


def test_golden_files_are_read(capsys):
    """One of format 1, and one from before formats had numbers, whose defects are named."""
    assert run(["claim", str(GOLDEN / "claim-1.csv")]) == 0
    told = capsys.readouterr().out
    assert "e^0.75 = 2.117, and 1e-06 besides" in told
    assert "One row of norm at most 0.5 is replaced by another" in told
    assert "columns: height, weight" in told
    assert math.isclose(float(told.split("scale: ")[1].split("\n")[0]), 0.0138, rel_tol=1e-3)
    assert run(["claim", str(GOLDEN / "claim-0.csv")]) == 1
    told = capsys.readouterr().out
    assert "DPS-2026-01: A claim did not hold its norm bound" in told
    assert "DPS-2026-13" in told
    assert "DPS-2026-05" not in told  # of an estimator


def test_a_claim_with_bounds_of_an_earlier_version_names_the_defect(here, capsys):
    """And what it means; a claim without bounds does not."""
    (here / "bounds.json").write_text("[[0, 1], [0, 1]]", encoding="utf-8")
    for options, status in ((("--bounds", "bounds.json"), 1), ((), 0)):
        assert release("x.npy", "--force", *options) == 0
        assert run(["claim", "r.npy"]) == 0
        path = here / "r.npy.claim.json"
        said = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(said | {"version": "0.2.0"}), encoding="utf-8")
        capsys.readouterr()
        assert run(["claim", "r.npy"]) == status
        printed = capsys.readouterr().out
        assert ("DPS-2026-21: Rows were not mapped by the bounds" in printed) == bool(status)
        assert ("make such releases again" in printed) == bool(status)
        assert "DPS-2026-22" not in printed


def test_what_was_released_can_be_drawn_later(here, capsys):
    assert release("x.npy", "--mechanism", "private_pca", "--k", "1") == 0
    assert run(["claim", "r.npy", "--plot", "r.svg"]) == 0
    assert "</svg>" in (here / "r.svg").read_text(encoding="utf-8")
    assert run(["claim", "r.npy", "--plot", "r.svg"]) == 2
    assert "say --force" in capsys.readouterr().err
    (here / "r.npy").write_bytes((here / "r.npy").read_bytes() + b"0")
    assert run(["claim", "r.npy", "--plot", "r.svg", "--force"]) == 2
    assert "must be the file that its claim is about" in capsys.readouterr().err
    assert release("x.npy", "--mechanism", "private_mean", out="mean.npy") == 0
    assert run(["claim", "mean.npy", "--plot", "mean.svg"]) == 2
    assert "to be drawn, got another one" in capsys.readouterr().err
