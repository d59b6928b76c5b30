"""Records are checked again: true ones agree with their evidence, forged ones are found out."""

import dataclasses
import json
import math

import pytest

from dpspectra.audit import GDP, ApproxDP, PureDP, Renyi, audit
from dpspectra.audit.recheck import faults
from dpspectra.cli import run
from dpspectra.commands.subject import default_pair, subject
from tests.support.toys import SUPPORT, WISHART


@pytest.fixture(scope="module")
def refuted():
    wishart = subject(WISHART, PureDP(1.0), [], default_pair(2), None)
    return audit(wishart.mechanism, wishart.pair, 1.0)


@pytest.fixture(scope="module")
def certified():
    wishart = subject(WISHART, PureDP(1.0), [], default_pair(2), SUPPORT)
    return audit(wishart.mechanism, wishart.pair, 1.0, support=wishart.support)


def with_bet(result, **changes):
    """A record in which the first bet of the last epoch has been changed."""
    *epochs, (bet, *others) = result.evidence.epochs
    forged = (*epochs, (dataclasses.replace(bet, **changes), *others))
    return dataclasses.replace(result, evidence=dataclasses.replace(result.evidence, epochs=forged))


def test_true_records_agree_with_their_evidence(refuted, certified, workshop):
    assert faults(refuted) == faults(certified) == []
    assert refuted.violated
    assert certified.certificate
    assert run(["audit", WISHART, "--epsilon", "1", "--support", SUPPORT, "--json", "c.json"]) == 1
    assert run(["audit", "--check", "c.json"]) == 1
    claims = [PureDP(0.9), ApproxDP(0.2, 0.25), ApproxDP(1.0, 0.1), GDP(1.0), Renyi(2.0, 0.2)]
    mechanism = subject("toy_mechanisms:laplace", PureDP(1.0), [], (0.0, 1.0), None).mechanism
    for claim in claims:
        assert faults(audit(mechanism, (0.0, 1.0), claim, draws=3000)) == []


def test_an_estimate_goes_on_after_a_refutation_and_its_record_is_true(workshop):
    mechanism = subject("toy_mechanisms:laplace", PureDP(1.0), [], (0.0, 1.0), None).mechanism
    found = audit(mechanism, (0.0, 1.0), 0.5, draws=3000, estimate=True)
    assert (found.violated, found.stopped) == (True, "draws")
    assert faults(found) == []
    assert faults(audit(mechanism, (0.0, 1.0), 0.5, draws=4000, estimate=True, resume=found)) == []
    sound = audit(mechanism, (0.0, 1.0), 1.0, draws=3000)
    forged = dataclasses.replace(sound, stopped="refuted")
    assert "an audit that stopped as refuted must have the evidence for that" in faults(forged)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"violated": False}, "violated is False, the evidence says True"),
        ({"bound": 3.0}, "bound is 3, the evidence gives"),
        ({"log_e_value": 8.0}, "log_e_value is 8, the counts give"),
        ({"confidence": 0.9999999}, "violated is True, the evidence says False"),
        ({"claim": PureDP(1.4)}, "log_e_value is"),
        ({"draws": 100}, "no more than the 100 draws can have been bet on"),
        ({"certificate": {"kind": "not_psd"}}, "the certificate does not prove what it states"),
        ({"log_e_value": math.inf}, "without a certificate that could be checked"),
    ],
)
def test_a_forged_record_is_found_out(refuted, change, fault):
    assert any(fault in found for found in faults(dataclasses.replace(refuted, **change)))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"counts": ((1, 1, 0, 64),)}, "log_e_value is"),
        ({"counts": ((1, 1, 0, 65),)}, "counts must be possible, and of the same pairs of calls"),
        ({"counts": ((1, 1, 0, 65), (1, 0, 1, -1))}, "counts must be possible"),
        ({"counts": ((1, 2, 0, 64),)}, "counts must be possible"),
        ({"share": 1.5}, "shares of wealth must lie in"),
        ({"share": 1.0}, "shares of wealth must sum to at most 1"),
        ({"point": 1}, "a bet must name a data set, a point of the claim and a fraction"),
        ({"fraction": 99}, "a bet must name"),
        ({"one_sided": True, "counts": ((1, 1, 0, 62), (1, 0, 1, 2))}, "must not be counted there"),
    ],
)
def test_a_forged_bet_is_found_out(refuted, change, fault):
    forged = with_bet(refuted, **change)
    assert any(fault in found for found in faults(forged)), faults(forged)
    rich = dataclasses.replace(refuted, evidence=dataclasses.replace(refuted.evidence, start=3.0))
    assert any("wealth must begin with at most 1" in found for found in faults(rich))


def test_a_forged_certificate_is_found_out(certified, capsys, workshop):
    record = json.loads(certified.to_json())
    record["certificate"]["vector"] = [1] * len(record["certificate"]["vector"])
    (workshop / "forged.json").write_text(json.dumps(record))
    assert run(["audit", "--check", "forged.json"]) == 2
    assert "the certificate does not prove what it states" in capsys.readouterr().err


def test_the_record_of_a_resumed_audit_agrees_before_its_first_draw():
    def broken(x, *, rng, calls=[0]):  # noqa: B006
        calls[0] += 1
        if calls[0] == 400:
            raise KeyboardInterrupt
        return rng.laplace(x)

    first = audit(broken, (0.0, 1.0), 1.0)
    assert first.stopped == "interrupted"
    assert first.evidence.late
    seen = []
    audit(broken, (0.0, 1.0), 1.0, resume=first, draws=300, watch=seen.append)
    for result in (first, *seen):
        assert faults(result) == []
    assert seen[0].evidence == first.evidence
    assert seen[1].evidence.late == ()
