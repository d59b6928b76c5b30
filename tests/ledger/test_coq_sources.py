"""Sources for Coq: no gaps, ties that are ones, and seals of what gives theorems their meaning.

Which check catches which fault stands in a table of ``proofs_notes/coq/README.md``.
"""

import inspect
import os
import re
import subprocess
import sys

import pytest

from dpspectra.ledger import coq_sources, notes
from dpspectra.ledger.certificate import _OPERATIONS
from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import labels

TEXTS = coq_sources.sources()
TIES = [tie for file, text in TEXTS.items() for tie in coq_sources.ties(file, text)]


@pytest.mark.parametrize("file", TEXTS)
def test_a_file_proves_what_it_says(file):
    assert coq_sources.faults(file, TEXTS[file]) == []


def labels_of(kind):
    return {tie.label for tie in TIES if tie.kind == kind}


def test_a_theorem_proves_only_what_is_not_refuted_and_refutes_only_what_is_false_as_printed():
    verdicts = {label.label: label.verdict for label in labels()}
    assert labels_of("proves")
    assert [label for label in labels_of("proves") if verdicts[label] is Verdict.REFUTED] == []
    assert [x for x in labels_of("refutes") if verdicts[x] not in (Verdict.REFUTED, Verdict.REPAIRED)] == []


def test_the_page_explains_every_word_of_coverage():
    page = notes.folder().joinpath("coq", "README.md").read_text(encoding="utf-8")
    explained = re.findall(
        r"^\| `([\w: ]+?)(?: \.\.\.)?` \|", page.partition("## What a theorem covers")[2], re.MULTILINE
    )
    assert explained == [*coq_sources.COVERAGE, "only:"]


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
        ('(* "(*" *) Axiom a : False. (* "*)" *)', "contains Axiom"),
        ('(* @proves MWKTV-COUNT a real *) Definition s := "Theorem a".', "has no theorem a (MWKTV-COUNT)"),
    ],
)
def test_a_gap_is_found(text, told):
    assert coq_sources.faults("A", text) == [f"A.v {told}"]


def test_a_file_named_as_one_of_the_library_is_refused():
    """Axioms of these are allowed, and Coq prints them by short names."""
    assert coq_sources.faults("Uint63", "") == ["Uint63.v has the name of a file of Coq's library"]


def test_what_looks_like_a_tie_and_is_none_ties_nothing():
    text = (
        '(* "(* @proves MWKTV-COUNT a real *)" *) Definition s := "(* @proves MWKTV-COUNT a real *)". (* see @proves *)'
    )
    assert coq_sources.ties("A", text) == []


def test_what_looks_like_a_gap_and_is_none_passes():
    text = """"Axiom" (* " *) Admitted" *) (* Axiom (* admit *) Admitted *)
        Section S. Hypothesis a : False. Context (n : nat). End S."""
    assert coq_sources.faults("A", text) == []


@pytest.mark.parametrize("words", ["", "a", "a all of it", "a real, all of it", "a only:"])
def test_a_tie_without_a_known_coverage_is_refused(words):
    with pytest.raises(ValueError, match="coverage must be"):
        coq_sources.ties("A", f"(* @proves MWKTV-COUNT {words} *)")


def test_a_tie_may_cover_a_part():
    (tie,) = coq_sources.ties("A", "(* @refutes X a real, finite rounds, only: the upper\n bound, at infinity *)")
    assert (tie.kind, tie.coverage) == ("refutes", "real, finite rounds, only: the upper bound, at infinity")


def test_needed_files_come_in_order():
    texts = {"A": "From Coq Require Import Reals.\nRequire Import B\n C.", "B": "(* Require A. *)", "C": "Require B."}
    assert coq_sources.needed("A", texts) == ["B", "C", "A"]


def test_every_operation_has_a_meaning():
    written = re.findall(r"^  \| (\w+)", TEXTS[coq_sources.MEANING].partition("Fixpoint value")[0], re.MULTILINE)
    assert {coq_sources._NAMES.get(operation, operation) for operation in _OPERATIONS} | {"ratio"} == {*written}


def test_what_is_needed_comes_in_one_order_for_every_hash_seed():
    """The function alone: a set of names once gave the order of the stamps."""
    run = f"import re\n{inspect.getsource(coq_sources.needed).replace('Mapping[str, str]', 'dict')}"
    run = run.replace("lexed(texts[name])[0]", "texts[name]") + "print(needed('A', texts))"
    texts = {"A": "Require Import B C D E F.", **dict.fromkeys("BCDEF", "Require Import Z."), "Z": ""}
    seen = set()
    for seed in range(52):
        done = subprocess.run(
            [sys.executable, "-S", "-c", f"texts = {texts}\n{run}"],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert seen == {"['Z', 'B', 'C', 'D', 'E', 'F', 'A']\n"}


WEAKENED = [
    ("Packings", "packing_number", "(m <= n)%nat", "(m <= n.+1)%nat"),
    ("Packings", "Space.Hypothesis symmetric", "distance x y = distance y x", "distance x y = 0"),
    ("Packings", "packing_of_a_ball", "(whole <= inside * balls)%nat", "(whole <= whole)%nat"),
    ("Certificate", "greater_than", "value lesser < value greater", "value lesser < value greater + 1000"),
    ("Normal", "cdf_at_infinity", "is_lim cdf p_infty 1", "is_lim cdf p_infty (Lim cdf p_infty)"),
    ("Scalars", "real_numbers", "@Scalars R 0 1 Rplus", "@Scalars R 0 1 Rmult"),
    ("Scalars", "scalars", "conj_conj : forall x, conj (conj x) = x", "conj_conj : True"),
    ("PackingBound", "walk", r"neighbours s t \/ neighbours t s", "True"),
    ("PrincipalBases", 'Bases.Notation "x + y"', '"x + y" := (plus x y)', '"x + y" := x'),
]


@pytest.mark.parametrize(("file", "name", "old", "new"), WEAKENED)
def test_a_weakened_definition_is_named(file, name, old, new):
    assert TEXTS[file].count(old)
    edited = TEXTS | {file: TEXTS[file].replace(old, new, 1)}
    assert coq_sources.broken(coq_sources.seals(edited), coq_sources.seals(TEXTS)) == [f"{file}: {name}"]


def test_a_proof_or_a_comment_may_change_without_a_broken_seal():
    text = "(* one *) Definition a := 1. Lemma b : a = 1. Proof. easy. Qed."
    other = "Definition  a := (* two *)\n 1. Lemma b : a = 1. Proof. now unfold a. Qed."
    assert coq_sources.sealed("A", text) == coq_sources.sealed("A", other)
