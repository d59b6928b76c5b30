"""Forty programs by a stranger to the auditors: nothing sound is refuted, and nothing that leaks is acquitted."""

import pytest

from dpspectra.audit import audit, inside
from tests.support.strangers import STRANGERS

# Verdicts that are not among those allowed, by program, with the reason.
KNOWN = {
    "clamped_complex": "refuted, and rightly of the program as it runs: a Decimal of a float shows how many binary "
    "digits the float has, and 1 + noise has at most 53 where 0 + noise has more; sound in exact arithmetic alone",
}


def verdict(program):
    if program.auditor == "inside":
        return inside(program.mechanism, program.pair, program.claim, seconds=3).verdict
    draws, seconds = (20_000, 10) if program.truth == "leak" else (5_000, 3)
    return audit(program.mechanism, program.pair, program.claim, draws=draws, seconds=seconds).verdict


@pytest.mark.parametrize("program", STRANGERS, ids=str)
def test_no_wrong_verdict_on_a_program_of_a_stranger(program):
    found = verdict(program)
    assert (found in program.allowed) != (str(program) in KNOWN), f"{found}, but {program.truth}: {program.proof}"


def test_all_that_is_known_exists():
    assert KNOWN.keys() <= {str(program) for program in STRANGERS}
