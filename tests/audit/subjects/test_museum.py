import pytest

from dpspectra.audit import audit, inside
from dpspectra.audit.subjects.museum import DRAWS, cases

CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_faults_are_refuted_with_their_line_and_twins_are_not(name):
    case = CASES[name]
    wrong, right = (inside(f, case.pair, case.claim) for f in (case.wrong, case.right))
    assert (wrong.verdict, right.verdict) == case.expected
    assert case.place is None or case.place in str(wrong)
    assert right.verdict == "explained" or case.file in " ".join(right.reasons)


@pytest.mark.parametrize("name", CASES)
def test_draws_say_of_a_fault_what_is_expected(name):
    case = CASES[name]
    assert audit(case.wrong, case.pair, case.claim, draws=DRAWS, rng=0).verdict == case.outside


def test_draws_refute_nearly_all_faults():
    assert sum(case.outside == "refuted" for case in CASES.values()) >= 0.9 * len(CASES)


def test_nearly_all_twins_are_explained():
    assert sum(case.expected[1] == "explained" for case in CASES.values()) >= 0.9 * len(CASES)


def test_lines_that_cases_name_exist():
    assert sum(case.line is not None for case in CASES.values()) >= 15
    assert all(case.about.endswith(".") and case.thread for case in CASES.values())
