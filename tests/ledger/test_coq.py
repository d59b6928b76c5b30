"""Proofs for Coq: sources without gaps, stamps of the present sources, and with Coq at hand what it refuses.

Which check catches which fault: `Admitted`, a foreign axiom and a tie to a missing theorem are caught by the ordinary
tests and by `make prove`; a changed certificate and an edited theorem by the ordinary tests, until `make prove` has
run again, which refuses a false certificate and names a theorem that says something else.
"""

import re

import pytest

from dpspectra.ledger import coq
from dpspectra.ledger.certificate import _OPERATIONS
from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import labels

TEXTS = coq.sources()
TIES = [tie for file, text in TEXTS.items() for tie in coq.ties(file, text)]


@pytest.mark.parametrize("file", TEXTS)
def test_a_file_proves_what_it_says(file):
    assert coq.faults(file, TEXTS[file]) == []


def test_every_tie_names_a_label_that_is_not_refuted():
    assert TIES
    assert {tie.label for tie in TIES} <= {label.label for label in labels() if label.verdict is not Verdict.REFUTED}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Lemma a : False. Admitted.", "contains Admitted"),
        ("Lemma a : False. Proof. admit. Qed.", "contains admit"),
        ("Lemma a : False. Proof. give_up. Qed.", "contains give_up"),
        ("#[local] Axiom a : False.", "contains Axiom"),
        ("Parameters a b : False.", "contains Parameters"),
        ("Conjecture a : False.", "contains Conjecture"),
        ("Hypothesis a : False.", "contains Hypothesis in no section"),
        ("Section S. Variable x : nat. End S. Context (a : False).", "contains Context in no section"),
        ("Unset  Guard Checking.", "contains Unset Guard Checking"),
        ("(* @proves MWKTV-COUNT b real *) Theorem a : True.", "has no theorem b (MWKTV-COUNT)"),
        ("(* @proves MWKTV-COUNT a real *) (* Theorem a : True. *)", "has no theorem a (MWKTV-COUNT)"),
    ],
)
def test_a_gap_is_found(text, told):
    assert coq.faults("A", text) == [f"A.v {told}"]


def test_what_looks_like_a_gap_and_is_none_passes():
    text = "(* Axiom (* admit *) Admitted *) Section S. Hypothesis a : False. Context (n : nat). End S."
    assert coq.faults("A", text) == []


@pytest.mark.parametrize("words", ["", "a", "a all of it", "a partial:"])
def test_a_tie_without_a_known_coverage_is_refused(words):
    with pytest.raises(ValueError, match="coverage must be"):
        coq.ties("A", f"(* @proves MWKTV-COUNT {words} *)")


def test_a_tie_may_cover_a_part():
    (tie,) = coq.ties("A", "(* @proves X a partial: the upper\n bound *)")
    assert tie.coverage == "partial: the upper bound"


def test_needed_files_come_in_order():
    texts = {"A": "From Coq Require Import Reals.\nRequire Import B\n C.", "B": "(* Require A. *)", "C": "Require B."}
    assert coq.needed("A", texts) == ["B", "C", "A"]


def test_every_operation_has_a_meaning():
    written = re.findall(r"^  \| (\w+)", TEXTS[coq.MEANING].partition("Fixpoint value")[0], re.MULTILINE)
    assert {coq._NAMES.get(operation, operation) for operation in _OPERATIONS} | {"ratio"} == {*written}
