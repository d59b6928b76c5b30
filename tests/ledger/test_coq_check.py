"""The run of Coq: axioms it may rest on, planted faults and false certificates it refuses.

Without Coq, what needs it is skipped. `make prove` refuses a false certificate and a theorem that says nothing, and
names what says something else than before.
"""

import json
import shutil

import pytest

from dpspectra.ledger import coq_check, coq_sources

TEXTS = coq_sources.sources()
needs_coq = pytest.mark.skipif(not shutil.which("coqc"), reason="Coq is not installed")


def test_without_coq_nothing_is_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert coq_check.main(tmp_path / "stamps.json", tmp_path / "kept") == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"Coq is not installed. On Debian: {coq_check.INSTALL}",
        "nothing was proved: the stamps are those of an earlier run",
    ]
    assert list(tmp_path.iterdir()) == []


def test_axioms_are_read_and_strange_ones_refused():
    known = (
        "Axioms:\nUint63.add_spec\n  : forall x : int,\n    x = x\nPrimInt63.int : Set\nClassical_Prop.classic : P\n"
    )
    assert coq_check.assumptions(known) == ["Classical_Prop.classic", "PrimInt63.*", "Uint63.*"]
    assert coq_check.assumptions("Closed under the global context\n") == []
    for strange in (f"{known}extra : False\n", f"{known}a is assumed to be guarded.\n", "Axioms:\n", ""):
        with pytest.raises(coq_check.Rejected, match="rests on"):
            coq_check.assumptions(strange)


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
    "Empty": ("Theorem t : forall n : nat, n = n. Proof. reflexivity. Qed.", "Empty.v: t says nothing"),
    "Unknown": ("Theorem t : 1 = 1. Proof. reflexivity. Qed. (* @proves NO-LABEL t real *)", "no label NO-LABEL"),
}


def goals():
    """A file in which the proof of each wrong certificate must fail, and that of each right one succeed."""
    lines = [f"Require Import {coq_sources.MEANING}."]
    for sides, end in ((WRONG, "Fail certify. Abort."), (RIGHT, "certify. Qed.")):
        for greater, lesser in sides.values():
            text = coq_sources.lemma("X", {"greater": greater, "lesser": lesser})
            lines.append(text.replace("Lemma X :", "Goal").replace("certify. Qed.", end))
    return "\n".join([*lines, ""])


@needs_coq
def test_make_prove_refuses_planted_faults_and_wrong_certificates(tmp_path):
    texts = {file: f"{text} (* @proves MWKTV-COUNT t real *)\n" for file, (text, _) in PLANTED.items()}
    texts |= {file: TEXTS[file] for file in coq_sources.needed(coq_sources.MEANING, TEXTS)} | {"Goals": goals()}
    swapped, right = (
        coq_sources.lemma("X", {"greater": ONE, "lesser": TWO}),
        coq_sources.lemma("Y", {"greater": TWO, "lesser": ONE}),
    )
    _, refused = coq_check.prove(texts, {"X": swapped, "Y": right}, tmp_path)
    for told in ("Of_X.v: Lemma X : greater_than", *(told for _, told in PLANTED.values())):
        assert any(told in fault for fault in refused), (told, refused)
    assert not [fault for fault in refused if "Goals.v" in fault or "Of_Y" in fault]


TIE = "(* @proves MWKTV-COUNT t real *)\n"


def stated(bound, tie=TIE):
    meaning = f"From Coq Require Import Lia. Definition twice (n : nat) := {bound} * n."
    proof = "intros all. specialize (all 2). unfold twice in all. lia."
    return {"A": f"{meaning} Theorem t : ~ forall n, twice n <= n + 1. Proof. {proof} Qed. {tie}"}


@needs_coq
def test_make_prove_names_what_was_weakened(tmp_path, capsys):
    """The theorem keeps its name and its words; what it means, or it itself, is another."""
    refutes = TIE.replace("proves", "refutes")
    before, refused = coq_check.prove(stated(2, refutes), {}, tmp_path)
    assert refused == []
    assert "ok       A.v" in capsys.readouterr().out
    again, _ = coq_check.prove(stated(2, refutes), {}, tmp_path)
    assert again == before
    assert "ok" not in capsys.readouterr().out, "compiled again although nothing changed"
    now, refused = coq_check.prove(stated(3, refutes), {}, tmp_path)
    assert refused == []
    assert coq_check.changed(now, before) == ["A: twice"]
    assert coq_check.changed(before, before) == []
    assert json.loads(json.dumps(now)) == now
    (stamp,) = now["statements"]
    assert stamp["axioms"] == []
    assert stamp["needs"] == ["A"]
    assert stamp["statement"] == "A.t : ~ (forall n : nat, (A.twice n <= n + 1)%nat)"


@needs_coq
def test_only_a_negation_refutes(tmp_path):
    _, refused = coq_check.prove(stated(2), {}, tmp_path)
    assert refused == ["A.v: t proves MWKTV-COUNT: only a refutation says ~ (printed statement)"]
