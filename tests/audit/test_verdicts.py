"""Verdicts: what a blind audit says, and what scripts see of it."""

import dataclasses
import math

import numpy as np
import pytest

from dpspectra.audit import AuditResult, audit
from dpspectra.audit.betting.bet import Bet
from dpspectra.audit.betting.events import HalfLine
from dpspectra.audit.betting.power import refutable
from dpspectra.audit.betting.wealth import Evidence
from dpspectra.audit.result import facts
from dpspectra.audit.verdicts import NOT_REFUTED, REFUTED, STATUS, UNDECIDED, Verdict
from dpspectra.cli import run
from dpspectra.commands.verdict import status
from tests.support.helpers import laplace


def test_each_verdict_has_a_status_of_its_own():
    assert STATUS == {NOT_REFUTED: 0, REFUTED: 1, UNDECIDED: 3}
    assert str(Verdict(UNDECIDED, "nothing was seen")) == "undecided: nothing was seen"


def test_every_verdict_has_one_reason_in_one_sentence():
    refuted, sound, weak = (
        audit(laplace(scale), (0.0, 1.0), 1.0, draws=n) for scale, n in ((0.2, 900), (1, 900), (1, 20))
    )
    assert [status(result) for result in (refuted, sound, weak)] == [1, 0, 3]
    assert [result.verdict for result in (refuted, sound, weak)] == [REFUTED, NOT_REFUTED, UNDECIDED]
    for result in (refuted, sound, weak):
        assert facts(result)["reason"] == result.reason
        assert result.reason
        assert ". " not in result.reason
    assert weak.reason == "so few draws refute nothing", "an exact leak would have passed"


@pytest.mark.parametrize(("share", "verdict"), [(0.0, NOT_REFUTED), (0.02, UNDECIDED)])
def test_lost_calls_leave_it_undecided(sound, share, verdict):
    """A share of 1,000 pairs of calls was lost."""
    lost = round(1000 * share)
    bet = Bet.of(HalfLine("x", 0, 0.0, True), 0, 1.0, 1, {(1, 0, 0): 1000 - lost} | ({(0, 0, 0): lost} if lost else {}))
    result = dataclasses.replace(sound, evidence=Evidence(((bet,),)))
    assert result.verdict == verdict
    if lost:
        assert result.reason == "0.02 of the calls could not be read as rows"
        assert dataclasses.replace(result, accepted_unread=0.05).verdict == NOT_REFUTED


def test_draws_that_fail_refute_nothing():
    """Three answers in thousands of draws were "not refuted" once, and the power was that of all draws."""
    left = [3, 3]

    def away(x, rng):
        left[int(x)] -= 1
        if left[int(x)] < 0:
            raise RuntimeError("the database is away")
        return x + rng.laplace()

    result = audit(away, (0.0, 1.0), 1.0, draws=900)
    assert (result.verdict, result.failures) == (UNDECIDED, 1794)
    assert result.reason == "1794 of 1800 draws failed, and so few answers refute nothing"
    assert result.next_step.startswith("mend what the calls raise, or make about ")
    assert facts(result)["failed draws"] == "1794 of 1800"
    assert AuditResult.from_json(result.to_json()).verdict == UNDECIDED


def test_outputs_without_entries_are_no_failures():
    result = audit(lambda x, rng: np.zeros((4, 0)), (0.0, 1.0), 1.0, draws=300)
    assert (result.verdict, result.failures) == (UNDECIDED, 0)
    assert result.reason == "no output held a finite number or a text"
    assert "arrays without entries" in result.next_step


def test_an_audit_counts_as_many_draws_as_were_answered(sound):
    fewest = next(n for n in range(1, sound.counted) if refutable(n, sound.claim) < math.inf)
    shares = [(answers + 0.5) / sound.counted for answers in (fewest - 1, fewest)]
    fewer, enough = (dataclasses.replace(sound, failures=round(2 * sound.draws * (1 - share))) for share in shares)
    assert [fewer.counted, enough.counted] == [fewest - 1, fewest]
    assert [fewer.verdict, enough.verdict] == [UNDECIDED, NOT_REFUTED]
    assert math.inf == fewer.power > enough.power == refutable(fewest, sound.claim) > sound.power


def test_opaque_outputs_leave_it_undecided_unless_they_are_accepted():
    def opaque(x, *, rng):
        return object()

    blind, accepted = (audit(opaque, (0, 1), 1.0, draws=300, accept_unread=share) for share in (0.01, 0.999))
    assert (blind.verdict, blind.reason) == (UNDECIDED, "100 % of the outputs hold what cannot be read: object")
    assert blind.sight.outputs == blind.sight.blind == 600
    assert "hold what cannot be read (object)" in facts(blind)["outputs looked at"]
    assert AuditResult.from_json(blind.to_json()) == blind
    assert "not looked at" in facts(blind)
    assert accepted.verdict == UNDECIDED, "a share of all cannot be accepted"


def test_a_resumed_audit_counts_what_it_saw_before():
    first = audit(lambda x, *, rng: object(), (0, 1), 1.0, draws=300)
    both = audit(lambda x, *, rng: rng.laplace(x), (0, 1), 1.0, draws=300, resume=first)
    assert (both.sight.outputs, both.sight.blind) == (1200, 600)
    assert both.verdict == UNDECIDED


def test_the_command_ends_with_the_status_of_the_verdict(tmp_path, monkeypatch, capsys):
    (tmp_path / "blind_toys.py").write_text("def f(x):\n    return object()\n")
    (tmp_path / "pair.json").write_text('{"first": 0, "second": 1}')
    monkeypatch.chdir(tmp_path)
    order = ["audit", "blind_toys:f", "--pair", "pair.json", "--epsilon", "1", "--draws", "300"]
    assert run([*order, "--json", "r.json"]) == 3
    assert "100 % of the outputs hold what cannot be read: object" in capsys.readouterr().out
    assert run(["audit", "--check", "r.json"]) == 3
    text = (tmp_path / "r.json").read_text()
    (tmp_path / "r.json").write_text(text.replace('"verdict": "undecided"', '"verdict": "not refuted"'))
    assert run(["audit", "--check", "r.json"]) == 2
    assert "verdict is 'not refuted', the rest of the record gives 'undecided'" in capsys.readouterr().err
