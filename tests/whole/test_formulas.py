"""The formulas of the ledger: control words that exist, braces in pairs. No LaTeX engine is needed."""

import re

import pytest

from dpspectra.ledger import all_statements
from tests.support.helpers import ROOT

NOTES = ROOT / "proofs_notes"
WORD = re.compile(r"(?<!\\)\\([A-Za-z]+)")
ALSO_USED = {"Rightarrow", "downarrow", "forall", "iff", "leadsto", "nabla", "ominus", "operatorname", "rm", "tbinom"}
KNOWN = {word for page in NOTES.glob("*.md") for word in WORD.findall(page.read_text(encoding="utf-8"))} | ALSO_USED


def faults(formula):
    """Control words that neither the notes use nor the list above names, and a sum of braces that is not 0."""
    found = sorted(set(WORD.findall(formula)) - KNOWN)
    plain = re.sub(r"\\.", "", formula)
    return found + ["braces"] * (plain.count("{") != plain.count("}"))


@pytest.mark.parametrize("entry", all_statements(), ids=str)
def test_a_claim_is_latex(entry):
    assert faults(entry.formula) == []


@pytest.mark.parametrize(
    ("formula", "found"), [(r"a,\quadn", ["quadn"]), (r"\lek'", ["lek"]), (r"\frac{a}{b", ["braces"]), (r"\{a,\ b", [])]
)
def test_a_planted_fault_is_seen(formula, found):
    assert faults(formula) == found
