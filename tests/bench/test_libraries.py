"""Audits of foreign libraries: what is held to be true of a claim, and that a verdict that is not so is seen."""

import tomllib
from pathlib import Path

import pytest

from bench import foreign, libraries
from dpspectra.audit import GDP, ZCDP, ApproxDP, PureDP, Renyi

FOLDER = Path(foreign.__file__).parent


def case(claim, **known):
    return foreign.Mechanism("name", lambda x: x, (0, 1), claim, **known)


@pytest.mark.parametrize(
    ("claim", "known", "true", "at_half"),
    [
        (PureDP(1.0), {"loss": 1.0}, True, False),
        (PureDP(1.0), {"loss": 0.5}, True, True),
        (ApproxDP(1.0, 0.1), {"loss": 1.0}, True, None),
        (PureDP(1.0), {"within": True}, True, None),
        (PureDP(1.0), {"within": False}, False, False),
        (PureDP(1.0), {"mu": 0.1}, False, False),
        (GDP(1.0), {"mu": 1.0}, True, False),
        (ZCDP(0.5), {"mu": 1.0}, True, False),
        (Renyi(2.0, 1.0), {"mu": 1.0}, True, False),
        (ApproxDP(1.0, 0.127), {"mu": 1.0}, True, False),
        (ApproxDP(1.0, 0.126), {"mu": 1.0}, False, False),
    ],
)
def test_what_is_known_of_a_claim_and_of_half_of_it(claim, known, true, at_half):
    """The loss or the distance decides; what is said of a claim holds for it, and a false one stays so below it."""
    made = case(claim, **known)
    assert made.true(claim) is true
    assert made.true(foreign.half(claim)) is at_half


def test_what_is_not_so_is_seen():
    """A false explanation, a bound below the loss, a refutation of what is true, and two auditors that disagree."""
    said = {"inside": "explained", "outside": "not refuted", "loss_bound": 1.0, "mu": 0.5}
    one = PureDP(1.0)
    assert foreign.wrong(case(one, loss=1.0), one, said) == []
    assert len(foreign.wrong(case(one, loss=2.0), one, said)) == 2
    assert len(foreign.wrong(case(GDP(1.0), mu=1.0), GDP(1.0), said)) == 1
    assert len(foreign.wrong(case(one), one, said | {"outside": "refuted"})) == 1
    refuted = said | {"inside": "refuted", "outside": "refuted"}
    assert foreign.wrong(case(one, within=False), one, refuted) == []
    assert len(foreign.wrong(case(one, within=True), one, refuted)) == 2


def test_every_library_has_its_versions_and_its_mechanisms():
    """The list of versions and the folder name the same libraries, and every version is exact."""
    pins = tomllib.loads((FOLDER / "libraries.toml").read_text(encoding="utf-8"))
    assert set(pins) == {path.stem for path in (FOLDER / "library").glob("*.py")}
    assert all("==" in package for asked in pins.values() for package in asked["packages"])


def test_rows_of_a_library_and_their_summary(monkeypatch):
    """A mechanism is audited at its claim and at half of it; what is undecided is counted without its lines."""
    found = [case(PureDP(1.0), loss=1.0)]
    monkeypatch.setattr(foreign, "load", lambda library: type("Loaded", (), {"MECHANISMS": found}))
    first, second = foreign.rows("some", quick=True, seed=0)
    assert (first["true"], second["true"]) == (True, False)
    assert [row["inside"] for row in (first, second)] == ["refuted", "refuted"]  # it has no noise
    assert [text[:13] for text in first["wrong"]] == ["refuted from ", "refuted from "]
    assert second["wrong"] == []
    told = libraries.summary([first, second])
    assert "| some | python | 0 | 1 | 0 | 0 | 1 of 1 | 1 of 1 |" in told
    assert "0 of 1 explained or rightly refuted" in told
    assert "Wrong: 1" in told
    open_row = {"inside": "undecided", "reasons": ["no bound holds on all 12 paths of a.py:3 (f) < b.py:4 (<lambda>)"]}
    assert libraries.reason_class(open_row) == "no bound holds on all # paths"
