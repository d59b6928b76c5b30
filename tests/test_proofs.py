"""Proofs for Coq: sources without gaps, stamps of the present sources, and with Coq at hand what it refuses.

Which check catches which fault: `Admitted`, a foreign axiom and a tie to a missing theorem are caught by the ordinary
tests and by `make prove`; a changed certificate and an edited theorem by the ordinary tests, until `make prove` has
run again, which refuses a false certificate and names a theorem that says something else.
"""

import json
import re
import shutil

import pytest

from dpspectra.ledger import coq, prove, stamps, views
from dpspectra.ledger.certificate import _OPERATIONS
from dpspectra.ledger.entry import Verdict
from dpspectra.ledger.papers import labels
from dpspectra.ledger.registry import all_statements, built, get
from dpspectra.ledger.runner import Report, examine
from dpspectra.ledger.show import describe
from dpspectra.ledger.terminal import render

TEXTS = coq.sources()
TIES = [tie for file, text in TEXTS.items() for tie in coq.ties(file, text)]
needs_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="Coq is not installed")
RAN = "the sources for Coq changed since it last ran: make prove"


@pytest.mark.parametrize("file", TEXTS)
def test_a_file_proves_what_it_says(file):
    assert coq.faults(file, TEXTS[file]) == []


def test_every_tie_names_a_label_that_is_not_refuted():
    assert TIES
    assert {tie.label for tie in TIES} <= {label.label for label in labels() if label.verdict is not Verdict.REFUTED}


def test_the_stamps_are_those_of_the_sources():
    assert [tie for tie in TIES if not stamps.theorem_checked(tie)] == [], RAN
    assert stamps.stamps()["sources"].keys() == TEXTS.keys(), RAN
    assert len(stamps.stamps()["statements"]) == len(TIES), RAN


def test_every_certificate_is_checked():
    certified = [entry for entry in all_statements() if "certificate" in entry.faces]
    assert [entry.id for entry in certified if not stamps.certificate_checked(entry)] == [], RAN
    assert {entry.id for entry in certified} == stamps.stamps()["certificates"]["lemmas"].keys(), RAN


def test_the_stamps_rest_on_allowed_axioms():
    found = stamps.stamps()
    named = {axiom for stamp in found["statements"] for axiom in stamp["axioms"]} | {*found["certificates"]["axioms"]}
    assert [axiom for axiom in named if not prove.ALLOWED.fullmatch(axiom.replace("*", "x"))] == []


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


@pytest.fixture
def edited(monkeypatch):
    """Sources other than the last run saw, one character added to a file."""

    def edit(file):
        monkeypatch.setattr(coq, "sources", lambda: TEXTS | {file: TEXTS[file] + "\n"})

    return edit


def test_an_edited_theorem_is_shown_as_not_checked(edited):
    tie = TIES[0]
    assert f"Statement machine-checked ({tie.coverage}): theorem {tie.theorem}" in said(tie.label)
    edited(tie.file)
    assert f"Statement not machine-checked as it is now ({tie.coverage})" in said(tie.label)
    assert all("statement" not in phrase for phrase in stamps.in_words(built()[tie.label]))


def test_a_certificate_is_not_checked_once_its_meaning_is_edited(edited):
    assert stamps.certificate_checked(get("HP-LA.4"))
    edited("Normal")
    assert not stamps.certificate_checked(get("HP-LA.4"))


def test_a_changed_digit_is_not_checked(monkeypatch):
    entry = get("HP-LA.4")
    data = entry.faces["certificate"]()
    assert "kernel-checked, by Coq" in said(entry.id)
    monkeypatch.setitem(entry.faces, "certificate", lambda: data | {"lesser": "2"})
    assert not stamps.certificate_checked(entry)
    assert "kernel-checked" not in said(entry.id)


def said(label):
    return " ".join(render(describe(label)).split())


def test_reports_and_their_table_tell_it():
    report = examine(get("MWKTV-COUNT"), 1)
    assert report.asdict()["coq"] == ["statement machine-checked (finite outcomes)"]
    assert f"  s    {report.module.removeprefix('dpspectra.lemmas.').replace('.', '/')}" in views.table_row(report)
    both = Report("X", "repaired", True, coq=["certificate kernel-checked", "statement machine-checked (real)"])
    assert "  c s  " in views.table_row(both)
    assert "checked by Coq: 1 certificates (c), 2 statements (s)" in views.summary([report, both])


def test_without_coq_nothing_is_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert prove.main(tmp_path / "stamps.json") == 0
    assert capsys.readouterr().out == f"nothing was checked: Coq is not installed. On Debian:\n{prove.INSTALL}\n"
    assert list(tmp_path.iterdir()) == []


def test_axioms_are_read_and_strange_ones_refused():
    known = (
        "Axioms:\nUint63.add_spec\n  : forall x : int,\n    x = x\nPrimInt63.int : Set\nClassical_Prop.classic : P\n"
    )
    assert prove.assumptions(known) == ["Classical_Prop.classic", "PrimInt63.*", "Uint63.*"]
    assert prove.assumptions("Closed under the global context\n") == []
    for strange in (f"{known}extra : False\n", f"{known}a is assumed to be guarded.\n", "Axioms:\n", ""):
        with pytest.raises(prove.Rejected, match="rests on"):
            prove.assumptions(strange)


ONE, TWO, NOUGHT = "1", "2", "0"
WRONG = {
    "swapped": (["exp", "-1/1024"], ONE),
    "equal": ("1/2", "2/4"),
    "1 / 0": (ONE, ["div", ONE, NOUGHT]),
    "sqrt(-1)": (ONE, ["sqrt", "-1"]),
    "log 0": (ONE, ["log", NOUGHT]),
    "log 0 in a product with 0": (ONE, ["mul", NOUGHT, ["log", NOUGHT]]),
    "last digit of exp 1": (["exp", ONE], "2.718281828459045236"),
    "last digit of the normal distribution": (["normal_cdf", "1/8"], "0.5497382249"),
}
RIGHT = {
    "last digit of exp 1": (["exp", ONE], "2.718281828459045235"),
    "last digit of the normal distribution": (["normal_cdf", "1/8"], "0.5497382248"),
    "lower tail": ("0.4502617752", ["normal_cdf", "-1/8"]),
    "terms": (["add", ONE, TWO, "3", "4"], ["mul", ONE, TWO, "3", "1.6"]),
    "order": (["sub", ONE, TWO], ["neg", ["div", TWO, ONE]]),
    "pi": (["sqrt", ["pi"]], ["log", "5.885"]),
}


PLANTED = {
    "Gap": ("Theorem t : 1 = 2. Admitted.", "Gap.v: t rests on Gap.t"),
    "Extra": ("Axiom extra : 1 = 2. Theorem t : 1 = 2. Proof. exact extra. Qed.", "Extra.v: t rests on Extra.extra"),
    "Missing": ("Theorem other : 1 = 1. Proof. reflexivity. Qed.", "Missing.t was not found"),
    "False": ("Theorem t : 1 = 2. Proof. reflexivity. Qed.", "False.v: "),
    "Needs": ("Require Import False. Theorem t : 1 = 1. Proof. reflexivity. Qed.", "Needs.v needs False.v"),
    "Unknown": ("Theorem t : 1 = 1. Proof. reflexivity. Qed. (* @proves NO-LABEL t real *)", "no label NO-LABEL"),
}


def goals():
    """A file in which the proof of each wrong certificate must fail, and that of each right one succeed."""
    lines = [f"Require Import {coq.MEANING}."]
    for sides, end in ((WRONG, "Fail certify. Abort."), (RIGHT, "certify. Qed.")):
        for greater, lesser in sides.values():
            text = coq.lemma("X", {"greater": greater, "lesser": lesser})
            lines.append(text.replace("Lemma X :", "Goal").replace("certify. Qed.", end))
    return "\n".join([*lines, ""])


@needs_coq
def test_make_prove_refuses_planted_faults_and_wrong_certificates():
    texts = {file: f"{text} (* @proves MWKTV-COUNT t real *)\n" for file, (text, _) in PLANTED.items()}
    texts |= {file: TEXTS[file] for file in coq.needed(coq.MEANING, TEXTS)} | {"Goals": goals()}
    swapped, right = coq.lemma("X", {"greater": ONE, "lesser": TWO}), coq.lemma("Y", {"greater": TWO, "lesser": ONE})
    _, refused = prove.prove(texts, {"X": swapped, "Y": right})
    for told in ("Group0.v: Lemma X : greater_than", *(told for _, told in PLANTED.values())):
        assert any(told in fault for fault in refused), (told, refused)
    assert not [fault for fault in refused if "Goals.v" in fault or "Group1" in fault]


@needs_coq
def test_make_prove_names_what_was_weakened():
    """The theorem keeps its name and says less."""
    tie = "(* @proves MWKTV-COUNT t real *)\n"
    before, _ = prove.prove({"A": f"Theorem t : 1 < 2. Proof. auto. Qed. {tie}"}, {})
    now, refused = prove.prove({"A": f"Theorem t : 1 < 3. Proof. auto. Qed. {tie}"}, {})
    assert refused == []
    assert prove.changed(now, before) == ["A.t"]
    assert prove.changed(before, before) == []
    assert json.loads(json.dumps(now)) == now
    (stamp,) = now["statements"]
    assert stamp["axioms"] == []
    assert stamp["needs"] == ["A"]
    assert stamp["statement"] == "A.t : (1 < 3)%nat"
