"""The judge is judged: faults planted in an entry must be found."""

import dataclasses
import functools

import numpy as np
import pytest
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict, examine, get, inequality, papers, verify
from dpspectra.ledger.judgement import Seen, told_apart
from dpspectra.ledger.papers import resolve
from dpspectra.ledger.report import Part
from dpspectra.ledger.runner import weakest
from tests.support.entries import broken, statement


def altered(label, **faces):
    """A copy of an entry with some faces replaced, and its first tight instance as the only case."""
    entry = get(label)
    return dataclasses.replace(entry, faces={**entry.faces, **faces}, cases=lambda: st.just(entry.faces["tight"]()[0]))


def test_a_right_side_scaled_by_a_hundredth_is_noticed_at_a_tight_instance():
    entry = get("MWKTV-E20")

    def short(face):
        return lambda *case: entry.faces[face](*case).scaled(0.99)

    report = examine(altered("MWKTV-E20", fast=short("fast"), oracle=short("oracle")))
    assert not report.ok
    assert "fast contradicts" in report.faults[0]
    assert "oracle contradicts" in report.faults[0]


def test_an_arithmetic_that_drifts_is_noticed():
    entry = get("MWKTV-E20")
    report = examine(altered("MWKTV-E20", fast=lambda *case: entry.faces["fast"](*case).scaled(1 + 1e-6)))
    assert not report.ok
    assert "arithmetics differ" in report.faults[0]


def test_an_altered_counterexample_is_noticed():
    harmless = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.5]), np.diag([1.0, 0.5]), 1))
    assert "holds at the counterexample" in examine(harmless).faults[0]
    other = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.25]), np.diag([0.0, 0.25]), 1))
    assert examine(other).ok, "the scale of the second value does not matter"
    further = altered("MWKTV-L8.2", counterexample=lambda: (np.diag([1.0, 0.5]), np.diag([0.25, 0.75]), 1))
    assert any("not the counterexample's" in fault for fault in examine(further).faults)


def test_an_altered_certificate_is_noticed():
    weak = altered("MWKTV-L8.2", certificate=lambda: inequality("MWKTV-L8.2", "nothing", "1", "1"))
    report = examine(weak)
    assert report.certificate == "rejected"
    assert any("proves nothing" in fault for fault in report.faults)


def test_a_flipped_verdict_is_noticed():
    flipped = dataclasses.replace(get("MWKTV-L6.1"), verdict=Verdict.REFUTED)
    assert [fault for fault in examine(flipped).faults if fault.startswith("no face")]
    listed = dataclasses.replace(resolve("MWKTV-L6.1"), verdict=Verdict.NEW)
    (report,) = verify([listed], examples=1)
    assert report.ok is False
    assert "the list expects new" in report.faults[-1]


def test_a_part_that_both_faces_lose_is_noticed():
    whole = get("MWKTV-L8.2").faces
    kept = {face: functools.partial(lambda face, *case: face(*case)[:1], whole[face]) for face in ("fast", "oracle")}
    assert examine(altered("MWKTV-L8.2", **kept), 20).faults == [
        "its parts are not those of baseline.csv: it lost spectral distance; run `make notes` if that is meant"
    ]


def test_a_statement_that_never_applies_is_noticed():
    empty = altered("MWKTV-L7.2", fast=lambda *case: (), oracle=lambda *case: ())
    assert "every case was vacuous" in examine(empty).faults


def test_a_challenge_that_changes_nothing_is_noticed():
    axis = np.array([1.0, 0.0])  # replaced by its opposite: nothing moves, and the bound is 2
    slack = altered("MWKTV-E20", tight=lambda: [((np.eye(2), np.eye(2), axis, -axis),)])
    assert any("does not notice" in fault for fault in examine(slack, challenged=True).faults)


def test_a_face_that_raises_is_a_fault_not_a_crash():
    def wrong(*case):
        raise ZeroDivisionError("here")

    assert "raised ZeroDivisionError: here" in examine(altered("MWKTV-E20", oracle=wrong)).faults
    assert "raised ZeroDivisionError: here" in examine(altered("MWKTV-L8.2", as_printed=wrong)).faults


def test_the_weakest_support_is_found():
    assert weakest("MWKTV-E20") == ("MWKTV-E20", Verdict.VERIFIED)


HALF = mp.mpf(1) / 2


def test_an_instance_beyond_a_hypothesis_must_break_the_conclusion():
    entry = statement((AtMost(1.0, 1.0, part="a"),), (AtMost(1.0, 1.0, part="a"),))
    outside = {"a gap": AtMost(mp.mpf(2), mp.mpf(1)), "rank one": AtMost(mp.mpf(1), mp.mpf(1))}
    entry.faces["beyond"] = lambda: outside
    (fault,) = examine(entry, 1).faults
    assert "holds beyond the hypothesis 'rank one'" in fault


def test_as_many_cases_are_tried_as_are_asked_for():
    entry = statement((AtMost(0.5, 1.0, part="a"),), (AtMost(0.5, 1.0, part="a"),), tight=())
    several = dataclasses.replace(entry, cases=lambda: st.integers(0, 10**6).map(lambda i: ()), examples=7)
    assert examine(several).cases == 7
    assert examine(several, 3).cases == 3


def test_cases_are_the_same_without_a_seed_and_others_with_one():
    drawn: list[object] = []

    def remember(number):
        drawn.append(number)
        return ()

    entry = statement((AtMost(0.5, 1.0, part="a"),), (AtMost(0.5, 1.0, part="a"),), tight=())
    several = dataclasses.replace(entry, cases=lambda: st.integers(0, 10**9).map(remember), examples=20)
    for seed in (None, None, 1, 1, 2):
        drawn.append("|")
        assert examine(several, seed=seed).cases == 20
    _, first, again, one, same, two = " ".join(map(str, drawn)).split("|")
    assert first == again != one == same != two


def test_a_number_compared_with_itself_is_no_part():
    def entry(face, fast=lambda x: Equal(x, x, part="a"), **fields):
        faces = {"fast": fast, "oracle": face}
        return Statement(
            ("X",), "", Verdict.NEW, "p#a", cases=lambda: st.tuples(st.integers(1, 99)), faces=faces, **fields
        )

    def counts(x):
        return Frequency(500, 1000, 0.5, part="a")

    copy = entry(lambda x: Equal(mp.mpf(x), mp.mpf(x), part="a"))
    assert "the part 'a' compares a number with itself in all" in examine(copy).faults[0]
    assert examine(dataclasses.replace(copy, exact=("a",))).faults == []
    root = entry(lambda x: Equal(mp.sqrt(x), mp.sqrt(x), part="a"), lambda x: Equal(x**0.5, x**0.5, part="a"))
    assert "compares a number with itself" in examine(root).faults[0]
    assert examine(copy, copy.examples - 1).faults == []
    assert examine(entry(lambda x: Equal(mp.sqrt(x) ** 2, mp.mpf(x), part="a"))).faults == []
    assert examine(entry(lambda x: AtMost(HALF, HALF, part="a"), counts)).faults == []


def test_two_routes_that_happen_to_round_alike_are_told_apart_by_other_digits():
    def face(x):
        root = mp.sqrt(2)
        return Equal(root if mp.dps == 50 else root**3 / 2, root, part="a")

    statement = Statement(
        ("X",),
        "",
        Verdict.NEW,
        "p#a",
        cases=lambda: st.tuples(st.integers(1, 99)),
        faces={"fast": lambda x: Equal(1.0, 1.0, part="a"), "oracle": face},
        rounding=1.0,
    )
    assert not told_apart(statement, "a", [(1,)], [0])
    assert told_apart(statement, "a", [(1,)], [0, -4])
    assert examine(statement).faults == []


def test_parts_are_counted_one_by_one():
    """Part a is evaluated always, part b in one case of the two, and is undecided there."""

    def face(b):
        a, undecided = AtMost(0.5, 1.0, part="a"), AtMost(1 + 1e-12, 1.0, part="b")
        return (a, undecided) if b else (a,)

    entry = statement((), (), tight=((0,), (1,)))
    faces = entry.faces | {"fast": face, "oracle": face}
    report = examine(dataclasses.replace(entry, faces=faces, cases=lambda: st.just((0,)), digits=21), 1)
    first, second = report.parts
    assert (first.name, first.evaluated, first.vacuous, first.undecided, first.closest) == ("a", 3, 0, 0, 0.5)
    assert (second.name, second.evaluated, second.vacuous, second.undecided) == ("b", 1, 2, 1)


def test_what_is_refuted_is_examined_like_the_rest_if_it_also_stands_repaired():
    entry = broken(AtMost(mp.mpf(2), mp.mpf(1)))
    entry.faces |= statement(AtMost(1.0, 1.0), AtMost(HALF, mp.mpf(1))).faces
    report = examine(dataclasses.replace(entry, cases=lambda: st.just(())), challenged=True)
    assert report.cases > 0
    assert "the arithmetics differ" in report.faults[0]


def test_a_part_counts_what_it_saw():
    part = Part("a")
    for undecided, ratios in ((False, []), (True, [0.5, 0.125]), (False, [0.25])):
        part.add(Seen(undecided, ratios))
    assert (part.evaluated, part.undecided, part.closest) == (3, 1, 0.5)
    negative = Part("b")
    negative.add(Seen(ratios=[0.0]))
    assert negative.closest == 0.0


def test_a_run_adds_up_its_cases():
    """Vacuous and undecided cases are counted, and the closest of all is reported."""

    def face(x, rounding=0):
        return () if x == 2 else AtMost(x + rounding * (x == 1), 1, part="a")

    faces = {
        "fast": lambda x: face(x, 1e-12),
        "oracle": lambda x: face(mp.mpf(x)),
        "tight": lambda: [(0.5,), (2,), (1,), (0,)],
    }
    entry = Statement(("X",), "", Verdict.NEW, "p#a", cases=lambda: st.just((0.25,)), faces=faces, examples=1)
    report = examine(entry)
    assert report.faults == []
    assert (report.cases, report.vacuous, report.undecided) == (5, 1, 1)
    assert report.closest == pytest.approx(1.0)
    (part,) = report.parts
    assert (part.name, part.evaluated, part.vacuous, part.undecided) == ("a", 4, 1, 1)
    assert examine(entry, examples=7).cases >= 5
    assert report.seconds >= 0
    assert not report.certificate


def test_a_run_says_what_a_certificate_did():
    entry = broken(AtMost(mp.mpf(2), mp.mpf(1)))
    report = examine(entry)
    assert report.certificate == "accepted"
    assert report.ok
    rejected = examine(broken(AtMost(mp.mpf(2), mp.mpf(1)), "1", "2"))
    assert rejected.certificate == "rejected"
    assert not rejected.ok
    assert examine(Statement(("X",), "", Verdict.NEW, "p#a")).faults == ["no face fast", "no face oracle"]


def test_labels_of_one_entry_share_one_run():
    """Each is judged by the verdict expected of it; the seconds are counted once; reports come in the order asked."""
    shared = next(label for label in papers.labels() if label.entry != label.label)
    first = next(label for label in papers.labels() if label.label == shared.entry)
    told = []
    one, other = verify([shared, first], examples=1, announce=lambda report: told.append(report.label))
    assert told == [one.label, other.label] == [shared.label, first.label]
    assert one.cases == other.cases > 0
    assert one.seconds == 0.0 < other.seconds


def test_the_weakest_support_is_sought_all_the_way_down():
    for entry in map(get, ("MWKTV-T2.4R", "JXZ-T10")):
        found = weakest(entry.id)
        seen, stack = set(), [entry.id]
        while stack:
            below = get(stack.pop())
            if below.id not in seen:
                seen.add(below.id)
                stack += below.uses
        assert found[0] in seen
        assert found[1].strength == min(get(name).verdict.strength for name in seen)


def test_labels_may_come_from_an_iterator_and_others_are_told_what_to_take():
    label = resolve("MWKTV-C2.6")
    assert [report.label for report in verify(iter([label]), examples=1)] == ["MWKTV-C2.6"]
    with pytest.raises(ValueError, match=r"wanted must be of type Label, got 'MWKTV-C2\.6': take ledger\.select"):
        verify(["MWKTV-C2.6"])  # type: ignore[list-item]
