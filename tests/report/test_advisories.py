"""The list of known defects is as `SECURITY.md` promises, and is found from what a claim file says."""

import json
from importlib import resources

import pytest

import dpspectra
import dpspectra as dps
from dpspectra import estimators
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.report import claim_file
from dpspectra.report.advisories import advisories
from tests.support.files import valid
from tests.support.releases import DEFAULTS

ROWS = [[0.3, 0.4], [0.1, 0.2]]
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


BOUNDS, PEOPLE = dps.ColumnBounds([0, 0], [1, 1]), {"person": ["ann", "bob"], "per_person": 1}
READ = {
    "plain": ({}, set()),
    "clipped": ({"rows": "clip"}, set()),
    "bounds": ({"bounds": BOUNDS}, {"DPS-2026-21"}),
    "people": (PEOPLE, {"DPS-2026-24"}),
    "people and bounds": ({**PEOPLE, "bounds": BOUNDS}, {"DPS-2026-21", "DPS-2026-22", "DPS-2026-24"}),
    "total": ({"rows": "clip", "bad_rows": "zero"}, {"DPS-2026-23", "DPS-2026-25"}),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("mechanism", ["private_mean", "laplace_covariance", "private_pca", "private_spectrum"])
def test_defects_of_some_ways_to_read_touch_claims_that_say_so(mechanism, name):
    """Claims of 0.2.0, from its words, which stay; those of this version and of the oldest files are not touched."""
    reading, known = READ[name]
    given = {"k": 1} if "k" in MECHANISMS[mechanism].needs else {}
    given |= DEFAULTS.get(mechanism, {})
    claim = MECHANISMS[mechanism].function()(dps.Moments.of(ROWS, **reading), epsilon=1.0, **given).claim

    def touching(version, number):
        return {each.id for each in advisories() if each.touched(mechanism, version, number, claim)}

    rounded = {"DPS-2026-26"} if mechanism == "private_spectrum" else set()
    assert touching("0.2.0", 1) == touching("0.1.0", 1) == known | rounded
    assert touching("0.1.0", 0) & {"DPS-2026-21", "DPS-2026-23", "DPS-2026-25"} == set()
    assert touching(dpspectra.__version__, claim_file.FORMAT) == set()


def test_numbers_of_other_arithmetic_were_mapped():
    """Without certified arithmetic bounds were kept; nobody knows of a release without its claim."""
    bounds = next(each for each in advisories() if each.id == "DPS-2026-21")
    claim = dps.private_mean(ROWS, 1.0, bounds=BOUNDS, rng=1).claim
    assert not bounds.touched("private_mean", "0.2.0", 1, claim)
    assert bounds.touched("private_mean", "0.2.0", 1)


def test_what_is_written_now_has_no_known_defect():
    made = {
        name: each
        for name in MECHANISMS
        for each in advisories()
        if each.touched(name, dpspectra.__version__, claim_file.FORMAT)
    }
    assert made == {}
