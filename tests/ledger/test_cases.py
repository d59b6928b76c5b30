"""Cases of statements depend on the strategy and the seed: not on where the package lies, nor on what is loaded."""

import dataclasses
import math
import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from dpspectra.ledger import get, labels, verify
from dpspectra.ledger.cases import FAR, PATIENCE, drawn
from tests.support.helpers import ROOT

REFERENCE = ROOT / "reference"
LABELS = "MWKTV-C2.6", "MWKTV-L9.1", "JXZ-L4", "HP-L2.5", "DPS-QUANTISER"
SHOW = """
import dataclasses, importlib, sys
from dpspectra.ledger import Verdict, examine, get
for name in sys.argv[1].split():
    importlib.import_module(name)

def remember(case):
    cases.append(repr(case))
    return case

found = {}
for label in sys.argv[2:]:
    entry, cases = get(label), []
    draw = entry.cases
    faces = dict.fromkeys(("fast", "oracle"), lambda *case: ())
    plain = dataclasses.replace(entry, cases=lambda: draw().map(remember), faces=faces, verdict=Verdict.NEW)
    examine(plain, 50, seed=7)
    found[label] = cases
print(sorted(found.items()), min(map(len, found.values())))
"""


def run(folder, path, *arguments):
    """Run Python in a folder, with packages from a path; return what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}
    environment.pop("HYPOTHESIS_STORAGE_DIRECTORY", None)
    command = [sys.executable, "-B", *arguments]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_cases_depend_neither_on_the_place_of_the_package_nor_on_other_modules_and_entries(tmp_path):
    installed, own = tmp_path / "lib" / "site-packages", tmp_path / "own"
    shutil.copytree(REFERENCE / "dpspectra", installed / "dpspectra")
    own.mkdir()
    odd = f"NUMBERS = {[*range(-511, 512, 2)]}\nFLOATS = {[n / 7 for n in range(99)]}\n"
    (own / "odd_numbers.py").write_text(odd, encoding="utf-8")
    here = run(tmp_path, [REFERENCE], "-c", SHOW, "", *LABELS)
    assert int(here.split()[-1]) >= 40
    assert run(own, [installed, own], "-c", SHOW, "odd_numbers", *reversed(LABELS)) == here


def test_cases_do_not_depend_on_the_number_of_workers():
    some = [label for label in labels() if label.label in LABELS]
    alone, together = (verify(some, examples=5, jobs=jobs, seed=3) for jobs in (1, 2))
    assert [dataclasses.replace(r, seconds=0.0) for r in alone] == [
        dataclasses.replace(r, seconds=0.0) for r in together
    ]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_verification_leaves_nothing_in_the_folder_of_its_user(tmp_path, jobs):
    told = run(tmp_path, [REFERENCE], "-m", "dpspectra", "verify", *LABELS[:2], "--examples", "20", "--jobs", jobs)
    assert "MWKTV-C2.6" in told
    assert list(tmp_path.iterdir()) == []


def test_another_seed_draws_other_cases_and_a_larger_number_prolongs_the_list():
    numbers = st.tuples(st.integers(0, 10**9))
    some = drawn(numbers, 20, "a")
    assert len(some) == 20
    assert drawn(numbers, 50, "a")[:20] == some
    assert set(drawn(numbers, 20, "b")) & set(some) <= {(0,), (10**9,)}


@pytest.mark.parametrize(
    ("strategy", "simplest"),
    [
        (st.integers(5, 10**6), 5),
        (st.integers(-(10**6), 10**6), 0),
        (st.integers(max_value=-3), -3),
        (st.sampled_from("abc"), "a"),
        (st.lists(st.booleans(), min_size=2), [False, False]),
        (st.permutations(range(5)), [0, 1, 2, 3, 4]),
        (st.floats(2.0, 3.0), 2.0),
        (st.text(), ""),
    ],
)
def test_the_simplest_case_comes_first(strategy, simplest):
    first, *others = drawn(strategy, 10, "simplest")
    assert first == simplest
    assert others


@pytest.mark.parametrize(
    ("strategy", "number"),
    [(st.just(1), 1), (st.booleans(), 2), (st.tuples(st.integers(0, 4), st.sampled_from("abc")), 15)],
)
def test_a_strategy_with_few_cases_shows_each_of_them_once(strategy, number):
    cases = drawn(strategy, 100, "few")
    assert len(cases) == len(set(cases)) == number


def test_a_strategy_without_cases_is_an_error():
    with pytest.raises(ValueError, match=f"must yield a case, got none in {PATIENCE} attempts"):
        drawn(st.integers(0, 9).filter(lambda n: n > 9), 5, "none")


def test_corners_equal_numbers_and_numbers_of_each_size_come_up():
    rows = drawn(st.lists(st.integers(-512, 512), min_size=5, max_size=5), 200, "corners")
    seen = Counter(n for row in rows for n in row)
    assert min(seen[-512], seen[0], seen[512]) > 20
    assert sum(0 < abs(n) < 16 for n in seen.elements()) > 30
    assert len(seen) > 150
    assert sum(max(Counter(row).values()) >= 3 for row in rows) > 20
    assert sum(len(set(row)) == 5 for row in rows) > 40


def test_numbers_respect_their_bounds():
    unbounded = drawn(st.integers(), 100, "bounds")
    assert max(map(abs, unbounded)) <= FAR
    assert {n > 0 for n in unbounded} == {n < 0 for n in unbounded} == {False, True}
    assert all(n >= 2**70 for n in drawn(st.integers(2**70), 50, "bounds"))
    assert all(n <= -(2**70) for n in drawn(st.integers(max_value=-(2**70)), 50, "bounds"))
    assert all(0.25 <= x <= 0.75 for x in drawn(st.floats(0.25, 0.75), 100, "bounds"))
    assert {-0.5, 2.0} < set(drawn(st.floats(-0.5, 2.0), 100, "bounds"))
    normal = drawn(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False), 200, "bounds")
    assert all(math.isfinite(x) and (not x or abs(x) >= sys.float_info.min) for x in normal)
    assert any(math.isnan(x) for x in drawn(st.floats(), 100, "bounds"))
    assert all(
        set(text) <= set("ab") and 2 <= len(text) <= 5 for text in drawn(st.text("ab", min_size=2, max_size=5), 40, "")
    )
    assert {len(b) for b in drawn(st.binary(max_size=3), 200, "bounds")} == {0, 1, 2, 3}


def test_settings_of_other_tests_stay_as_they_are():
    before = settings.default
    drawn(get("MWKTV-C2.6").cases(), 3, "settings")
    assert settings.default is before
    assert settings().backend == "hypothesis"
