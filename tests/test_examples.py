"""The examples run, say what they should, and draw their pictures."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


@pytest.fixture
def example(tmp_path, capsys):
    """Run an example: what its ``main`` returns, what it prints, and its picture."""
    for library in ("sklearn", "matplotlib"):
        pytest.importorskip(library)

    def run(name, *args):
        found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](tmp_path, *args)
        picture = tmp_path / f"{name}.svg"
        assert [path.name for path in tmp_path.iterdir()] == [picture.name]
        assert len(picture.read_text(encoding="utf-8")) > 5000
        return found, capsys.readouterr().out

    return run


def test_principal_components(example):
    _, printed = example("pca_of_digits")
    shares = [int(line.split()[-1].rstrip("%")) for line in printed.splitlines()[:3]]
    assert shares[0] < 90 < min(shares[1:])
    assert "replace 10.0 certified symmetric_wishart_covariance" in printed


def test_audit(example):
    (broken, fine), _ = example("audit_a_mechanism")
    assert broken.violated
    assert not fine.violated


def test_oracle(example):
    (epsilons, rotations), printed = example("oracle_in_ci")
    assert min(epsilons) > 5
    assert rotations.violated
    assert "delta is exceeded from epsilon = 10 on" in printed


def test_ratings(example):
    shares, _ = example("ratings", 40_000)
    assert shares[-1] > 0.4


def test_streaming(example):
    (once, shares), printed = example("streaming")
    assert once.claim.epsilon == 1.0
    assert len(shares) == 6
    assert min(shares) > 0.8
    assert "the budget is spent" in printed


def test_every_example_is_run_and_listed():
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    tests = Path(__file__).read_text(encoding="utf-8")
    for name in NAMES:
        assert f"[{name}.py]({name}.py)" in text
        assert f'example("{name}"' in tests
