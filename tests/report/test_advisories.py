"""The list of known defects is as `SECURITY.md` promises, and is found from what a claim file says."""

import json
from importlib import resources

import dpspectra
from dpspectra import estimators
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.report import claim_file
from dpspectra.report.advisories import advisories
from tests.support.files import valid

NAMES = {*MECHANISMS, *dpspectra.__all__, *estimators.__all__, "any", "dpspectra release"}


def test_the_list_follows_its_schema_and_names_what_exists():
    text = resources.files("dpspectra.report").joinpath("advisories.json").read_text(encoding="utf-8")
    valid("advisories", json.loads(text))
    assert [each.id for each in advisories()] == [
        f"DPS-2026-{number:02d}" for number in range(1, len(advisories()) + 1)
    ]
    assert {name for each in advisories() for name in each.touches} <= NAMES


def test_a_release_is_touched_if_it_was_made_before():
    """By version first, then by the format of the file; others' mechanisms are not touched."""
    first = next(each for each in advisories() if each.id == "DPS-2026-01")
    assert first.touched("private_mean", "0.1.0", 0)
    assert first.touched("private_mean", "0.0.9", 1)
    assert not first.touched("private_mean", "0.1.0", 1)
    assert not first.touched("private_mean", "0.1.1", 0)
    assert not first.touched("private_spectrum", "0.1.0", 0)
    timing = next(each for each in advisories() if each.touches == ("any",))
    assert timing.touched("private_spectrum", "0.1.0", 0)


def test_what_is_written_now_has_no_known_defect():
    made = {
        name: each
        for name in MECHANISMS
        for each in advisories()
        if each.touched(name, dpspectra.__version__, claim_file.FORMAT)
    }
    assert made == {}
