"""Faults of the engine that other tests let pass, each seen here: what mutants and readers of the sources found."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Frequency, Statement, Verdict, certificate, examine, inequality, papers
from dpspectra.ledger.judgement import challenge, judge, largest, refute
from dpspectra.ledger.outcomes import FALSE_ALARM, disagreement
from dpspectra.ledger.registry import get
from dpspectra.ledger.runner import Part, verify, weakest
from tests.test_judge import broken, statement

# ---------------------------------------------------------------- outcomes


def test_rounding_is_relative_to_what_cancelled():
    """To the largest of both sides and of the scale, in every comparison."""
    assert AtMost(1e-6, 0.0, scale=1e6).decide(1e-9) is None
    assert AtMost(1e-6, 0.0, scale=1.0).decide(1e-9) is False
    assert AtMost(-1.0, -1.0 - 1e-10).decide(1e-9) is None
    assert AtMost(1e-10 - 5.0, -5.0).decide(1e-9) is None
    assert Equal(1e-6, 0.0, scale=1e6).decide(1e-9)
    assert not Equal(1e-6, 0.0, scale=1.0).decide(1e-9)
    assert AtMost(-3, 2, scale=1).size == Equal(-3, 2, scale=1).size == 3
    assert AtMost(-1, 2, scale=1).size == Equal(-1, 2, scale=1).size == 2
    assert AtMost(-1, 2, scale=4).size == Equal(-1, 2, scale=4).size == 4
    for kind in (AtMost, Equal):
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1, scale=10**6), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0, scale=-1e6), kind(2e-4, 1), 1e-9) is None
        assert disagreement(kind(1e-4, 1.0), kind(2e-4, 1), 1e-9)


def test_a_right_side_is_tightened_by_a_share_of_its_modulus():
    assert AtMost(0, 8).scaled(0.75).right == 6
    assert AtMost(0, -8).scaled(0.75).right == -10
    assert AtMost(-16, 0).scaled(0.75).right == -4, "where it is 0, by a share of the size"
    assert Equal(4, 8).scaled(0.75).right == 6
    assert Equal(-16, 8).scaled(0.75).right == 4
    assert Frequency(1, 10, 0.5).scaled(0.5) == Frequency(1, 10, 0.25)
    assert AtMost(1, 2, scale=3, part="a").scaled(0.5) == AtMost(1, 1, scale=3, part="a")


def test_infinities_that_agree_are_no_disagreement():
    infinite = float("inf")
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.inf, 1), 1e-9) is None
    assert disagreement(AtMost(infinite, 1.0), AtMost(mp.mpf(5), 1), 1e-9)


def test_frequencies_at_the_ends():
    """Sure and impossible events, bounds of 0 and 1, and the alarm at exactly its level."""
    assert Frequency(10, 10, 1.0).decide(0)
    assert not Frequency(1, 10, 0.0).decide(0)
    assert Frequency(10, 10, 0.5).compatible(1)
    assert not Frequency(9, 10, 0.5).compatible(1)
    assert not Frequency(1, 10, 0.5).compatible(0)
    assert Frequency(1, 1, FALSE_ALARM).decide(0)
    assert not Frequency(1, 1, FALSE_ALARM / 2).decide(0)
    assert Frequency(1, 1, 0.5).compatible(FALSE_ALARM / 2)
    assert not Frequency(1, 1, 0.5).compatible(FALSE_ALARM / 4)
    assert Frequency(3, 4, 0.0).closeness is None
    assert Frequency(3, 4, 0.5).closeness == 1.5


# ---------------------------------------------------------------- judgement


def test_the_largest_ratio_is_that_of_numbers_only():
    assert largest([None, 0.25, 0.5, None]) == 0.5
    assert largest([None]) is None
    assert largest([]) is None


def test_a_judgement_is_the_worst_of_its_outcomes():
    """One undecided outcome of a part makes the part undecided, and the largest of its ratios is kept."""
    outcomes = (AtMost(1 + 1e-12, 1.0, part="a"), AtMost(0.5, 1.0, part="a"), AtMost(0.25, 1.0, part="b"))
    for order in (outcomes, outcomes[::-1]):
        judgement = judge(statement(order, order), ())
        assert judgement.undecided
        assert judgement.parts["a"] == (True, pytest.approx(1.0))
        assert judgement.parts["b"] == (False, 0.25)
        assert judgement.closest == pytest.approx(1.0)
        assert not judgement.vacuous
    empty = judge(statement((), ()), ())
    assert empty.vacuous
    assert not empty.undecided
    assert empty.closest is None


def test_the_factor_of_a_judgement_tightens_both_faces():
    sound = statement(AtMost(0.9, 1.0), AtMost(mp.mpf(9) / 10, 1))
    assert judge(sound, ()).faults == []
    assert len(judge(sound, (), 0.85).faults) == 2


def test_a_challenge_takes_the_best_tight_instance():
    """Equality at one of several is enough, for the ratio and for what both faces notice; in any order."""
    for tight in ([(0.5,), (1.0,)], [(1.0,), (0.5,)]):
        faces = {"fast": lambda x: AtMost(x, 1.0), "oracle": lambda x: AtMost(mp.mpf(x), 1), "tight": lambda t=tight: t}
        assert challenge(Statement(("X",), "", Verdict.NEW, "p#a", faces=faces)) == []


def test_a_certificate_for_large_numbers_may_be_off_by_their_rounding():
    """A third over a billion billions has fewer digits behind the point than the arithmetic has."""
    large = 10**40 + Fraction(1, 3)
    with mp.workdps(50):
        value = mp.mpf(large.numerator) / large.denominator
    assert refute(broken(AtMost(value, mp.mpf(1)), f"{large.numerator}/{large.denominator}")) == []


def test_a_certificate_whose_sides_overlap_proves_nothing():
    with mp.workdps(50):
        printed = AtMost(mp.mpf(2), mp.mpf(1))
    assert any("proves nothing" in fault for fault in refute(broken(printed, "1", "2")))


# ---------------------------------------------------------------- the runner


def test_a_part_counts_what_it_saw():
    part = Part("a")
    for undecided, closest in ((False, None), (True, 0.5), (False, 0.25)):
        part.add(undecided, closest)
    assert (part.evaluated, part.undecided, part.closest) == (3, 1, 0.5)
    negative = Part("b")
    negative.add(False, 0.0)
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
    shared = next(label for label in papers.labels() if label.same_as and get(label.label).id == label.same_as)
    first = next(label for label in papers.labels() if label.label == shared.same_as)
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


@pytest.mark.parametrize("paper", [None, "MWKTV"])
def test_names_and_paper_both_restrict_what_is_selected(paper):
    every = papers.labels()
    chapter = every[0].chapter
    chosen = papers.select([chapter, "HP-C4.3"], paper)
    wanted = [e for e in every if (e.chapter == chapter or e.label == "HP-C4.3") and (not paper or e.paper == paper)]
    assert chosen == wanted != []
    assert papers.select([], paper) == [e for e in every if not paper or e.paper == paper]
    with pytest.raises(ValueError, match="expected a label or a chapter of the ledger, got 'nothing'"):
        papers.select(["nothing"])
    with pytest.raises(ValueError, match="paper must be one of"):
        papers.select([], "XYZ")


# ---------------------------------------------------------------- certificates


@pytest.mark.parametrize("power", [-40, -1, 0, 1, 3, 40])
def test_logarithms_of_powers_of_two_and_their_neighbours(power):
    """Where the reduced argument is at an end of its range."""
    for ratio in (Fraction(1), Fraction(4, 3), Fraction(2, 3), Fraction(133, 100), Fraction(67, 100)):
        x = ratio * Fraction(2) ** power
        box = certificate.enclose(["log", str(x)])
        with mp.workdps(200):
            exact = mp.log(mp.mpf(x.numerator) / x.denominator)
            assert mp.mpf(box.low.numerator) / box.low.denominator <= exact
            assert exact <= mp.mpf(box.high.numerator) / box.high.denominator


def test_an_inequality_between_equal_numbers_is_not_proved():
    assert not certificate.check(inequality("X", "", "1/3", "1/3")).accepted
    assert certificate.check(inequality("X", "", ["add", "1/3", "1/1000000"], "1/3")).accepted
