"""Units of claims: a claim of one bound, change or domain never passes for another."""

import itertools

import pytest

import dpspectra as dps
from dpspectra.mechanisms.claims import UNIT
from dpspectra.mechanisms.privacy_unit import EARLIER, FINITE, IN_PARTS, MODERATE, ONE_PART, SYMMETRIC, Unit
from dpspectra.relations import Relation

INT64 = "entries are of type int64"
UNITS = (
    Unit("replace"),
    Unit("replace", domain=(FINITE,)),
    Unit("replace", 1.0),
    Unit("replace", 1e-9),
    Unit("replace", 1.0, people=ONE_PART),
    Unit("add_remove"),
    Unit("add_remove", 1.0),
    Unit("zero_out", 1.0),
    Unit("matrix_replace"),
    Unit("matrix_replace", 0.5),
    Unit("matrix_replace", domain=(MODERATE,)),
    Unit("matrix_add_remove"),
    Unit("row"),
    Unit("row", change=4.0),
    Unit("row", domain=(INT64,)),
    Unit("spectral"),
    Unit("spectral", domain=(SYMMETRIC,)),
    Unit("entry"),
    Unit("pair"),
    Unit("rank_one"),
)
COVERED = {
    *((one, one) for one in range(len(UNITS))),
    *((0, other) for other in (1, 2, 3)),
    *((1, other) for other in (2, 3)),
    (2, 3),
    (5, 6),
    (8, 9),
    (8, 10),
    (13, 12),
    (13, 14),
    (12, 14),
    (15, 16),
}
"""All pairs in which the first unit covers the second; by hand."""


def test_all_ordered_pairs_of_units():
    places = range(len(UNITS))
    found = {(a, b) for a, b in itertools.product(places, places) if UNITS[a].covers(UNITS[b])}
    assert found == COVERED
    assert {unit.relation for unit in UNITS} == set(Relation)


def test_a_budget_of_one_unit_takes_the_claims_that_cover_it_and_no_others():
    """Rows are refused at one bound only: a claim of a larger one would refuse others."""
    for (a, unit), (b, other) in itertools.product(enumerate(UNITS), enumerate(UNITS)):
        budget = dps.Budget(1.0, relation=str(unit.relation))
        first, second = (dps.Claim(epsilon=0.25, **{x: getattr(each, x) for x in UNIT}) for each in (unit, other))
        budget.spend(first)
        taken = (b, a) in COVERED and (not unit.relation.of_rows or other.norm_bound in (None, unit.norm_bound))
        if taken:
            budget.spend(second)
        else:
            with pytest.raises((dps.BudgetError, ValueError), match="budget"):
                budget.spend(second)
        assert len(budget.claims) == 1 + taken


def test_a_meet_is_covered_by_both_and_covers_what_both_do():
    for one, other in itertools.combinations(UNITS, 2):
        if one.relation != other.relation or one.people != other.people:
            with pytest.raises(ValueError, match=r"claims must have one (relation|people), got"):
                one.meet(other)
            continue
        meet = one.meet(other)
        assert meet == other.meet(one)
        assert one.covers(meet)
        assert other.covers(meet)
        assert all(meet.covers(unit) for unit in UNITS if one.covers(unit) and other.covers(unit))


def test_sentences_are_all_different_and_hold_every_number():
    sentences = [unit.sentence for unit in UNITS]
    assert len(set(sentences)) == len(sentences)
    assert Unit("replace", 0.1).sentence.count("norm at most 0.1") == 3
    assert Unit("row", change=1 / 3).sentence.endswith("norm at most 0.3333333333333333.")
    assert Unit("replace", domain=(FINITE,), people="p").sentence == (
        "One row is replaced by any other; the number of rows is public; all numbers are finite; p."
    )


def test_a_bound_implies_finite_numbers():
    assert Unit("replace", 1.0, domain=(FINITE,)) == Unit("replace", 1.0)
    assert Unit("replace", domain=(FINITE,)).covers(Unit("replace", 5.0))
    assert Unit("replace", 1.0).meet(Unit("replace")) == Unit("replace", 1.0)


def test_a_claim_for_all_people_covers_those_who_stay_in_their_chunk_and_no_others():
    whole, chunks, several = (Unit("replace", people=people) for people in (None, IN_PARTS, "rows of one person"))
    assert Unit("replace", people=EARLIER) == chunks
    assert whole.covers(chunks)
    assert not chunks.covers(whole)
    assert not whole.covers(several)
    assert whole.meet(chunks) == chunks.meet(whole) == chunks
    for one in (whole, chunks):
        for pair in ((one, several), (several, one)):
            with pytest.raises(ValueError, match="claims must have one people"):
                pair[0].meet(pair[1])
