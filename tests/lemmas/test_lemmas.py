"""Every statement of the ledger, checked in both arithmetics. A new statement needs no new test code."""

import contextlib

import pytest
from mpmath import mp

from dpspectra.ledger import all_statements, check, judge, labels
from dpspectra.ledger.cases import drawn
from dpspectra.ledger.judgement import challenge, judge_tight, refute
from tests.support.moved import moved

ENTRIES = all_statements()
STANDING = [entry for entry in ENTRIES if "oracle" in entry.faces]
BROKEN = [entry for entry in ENTRIES if "counterexample" in entry.faces]
SHARE, FEWEST = 10, 3
"""A case is drawn here for every ten of ``make verify``, which tries fewer where a case takes long; at least three."""
PARTS = {label.label: label.parts for label in labels()}
SLACK = 1e-9
"""Relative slack of a hypothesis that is to fail."""
TIGHT = [entry for entry in ENTRIES if "tight" in entry.faces]


@pytest.mark.parametrize("entry", STANDING, ids=str)
def test_both_arithmetics_uphold_the_statement_and_agree(entry):
    for case in drawn(entry.cases(), max(entry.examples // SHARE, FEWEST), f"{entry.id} in the tests"):
        assert judge(entry, case).faults == []


@pytest.mark.parametrize("entry", BROKEN, ids=str)
def test_printed_form_fails_at_the_counterexample_and_the_certificate_proves_it(entry):
    assert refute(entry) == []


@pytest.mark.parametrize("entry", BROKEN, ids=str)
def test_each_printed_hypothesis_fails_at_the_counterexample_moved_out_of_it(entry):
    """What no number of the instance can make false is no hypothesis, or its sides are not what its name says."""
    if "hypotheses" not in entry.faces:
        return
    hypotheses, instance = entry.faces["hypotheses"], entry.faces["counterexample"]()
    with mp.workdps(entry.digits):
        kept = set(hypotheses(*instance))
        for other in moved(tuple(instance)):
            with contextlib.suppress(Exception):  # it is no instance any more
                kept -= {name for name, outcome in hypotheses(*other).items() if outcome.decide(SLACK) is False}
    assert kept == set()


@pytest.mark.parametrize("entry", BROKEN, ids=str)
def test_ball_arithmetic_accepts_the_certificate_too(entry):
    from dpspectra.ball import enclose

    certificate = entry.faces["certificate"]()
    assert check(certificate).accepted
    assert enclose(certificate["greater"]) > enclose(certificate["lesser"])


@pytest.mark.parametrize("entry", TIGHT, ids=str)
def test_no_smaller_right_side_would_do(entry):
    judgements = judge_tight(entry)
    assert all(found.faults == [] and not found.vacuous for found in judgements)
    assert challenge(entry, judgements) == []
    assert {part for found in judgements for part in found.parts} == set(PARTS[entry.id]), "run `make notes`"


@pytest.mark.parametrize("entry", STANDING, ids=str)
def test_hypotheses_are_broken_or_it_is_said_why_not(entry):
    assert ("beyond" in entry.faces) != bool(entry.without_beyond)
    assert "beyond" in entry.faces or len(entry.without_beyond) > 30
