"""The tool ``new``: what it writes is clean, fails the checks in plain words, and is written whole or not at all."""

import csv
import dataclasses
import json
import os
import shutil
import subprocess
import sys

import pytest

from dpspectra.ledger import Verdict, labels, notes
from dpspectra.ledger.unwritten import MARK
from tests.support.helpers import ROOT
from tools import new, template

TITLE = "inner product of Hermitian matrices"
STEM = "inner_product_of_hermitian_matrices"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of what the command changes."""
    root = tmp_path_factory.mktemp("copied")
    for folder in ("reference/dpspectra/lemmas", "reference/dpspectra/ledger"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "proofs_notes", root / "proofs_notes", ignore=shutil.ignore_patterns("site"))
    return root


@pytest.fixture
def checkout(copied, tmp_path, monkeypatch):
    """Links to the files of the copy: a command that wrote into one, and not a new one, would change those of all."""
    shutil.copytree(copied, tmp_path, copy_function=os.link, dirs_exist_ok=True)
    monkeypatch.setattr(new, "checkout", lambda: tmp_path)
    return tmp_path


def texts(root):
    """All files below a folder, by place."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def changed(root, before):
    """The files that are new or other than before."""
    return {place: text.decode() for place, text in texts(root).items() if before.get(place) != text}


def rows(root):
    with (root / "reference/dpspectra/ledger/labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_module_row_and_section_are_written_and_nothing_else(checkout, capsys):
    before, listed = texts(checkout), rows(checkout)
    assert new.main(["DPS-TRIAL", "--chapter", "perturbation", "--title", TITLE]) == 0
    found = changed(checkout, before)
    module = f"reference/dpspectra/lemmas/perturbation/{STEM}.py"
    assert found.keys() == {module, "proofs_notes/perturbation.md", "reference/dpspectra/ledger/labels.csv"}
    note = f"perturbation.md#{STEM.replace('_', '-')}"
    assert found[module] == template.module(STEM, "DPS-TRIAL", TITLE, Verdict.NEW, note, printed=False)
    old = before["proofs_notes/perturbation.md"].decode()
    assert found["proofs_notes/perturbation.md"].removeprefix(old) == (
        "\n## Inner product of Hermitian matrices\n\n**DPS-TRIAL** (ours) · new\n\n"
        f"**Statement.** {MARK}.\n\n**Proof.** {MARK}.\n"
    )
    row = {"label": "DPS-TRIAL", "kind": "new", "number": "", "verdict": "new", "name": TITLE}
    assert rows(checkout) == [*listed, row]
    said = capsys.readouterr().out.splitlines()[:-1]
    assert {line.removeprefix("wrote  ") for line in said} == found.keys()


def test_only_a_printed_statement_gets_a_wording_to_be_filled_in(checkout):
    before = texts(checkout)
    assert new.main(["HP-L9.9", "--chapter", "power", "--title", "A trial", "--number", "Lemma 9.9"]) == 0
    assert f'    printed = "{MARK}"\n' in changed(checkout, before)["reference/dpspectra/lemmas/power/a_trial.py"]
    assert "printed = " not in template.module(STEM, "DPS-TRIAL", TITLE, Verdict.NEW, "page.md#note", printed=False)


def test_json_names_the_files_and_the_next_commands(checkout, capsys):
    before = texts(checkout)
    assert new.main(["DPS-TRIAL", "--chapter", "orbit", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["wrote"]) == changed(checkout, before).keys()
    assert told["label"] == "DPS-TRIAL"
    told_last = told["then"].pop()
    assert told["then"] == ["dpspectra verify DPS-TRIAL", "make notes", "dpspectra verify DPS-TRIAL --challenge"]
    assert told_last.startswith("pytest tests/")
    assert all((ROOT / name).is_file() for name in told_last.split()[1:])


@pytest.mark.parametrize(
    ("words", "row"),
    [
        (["MWKTV-L99", "--number", "Lemma 99"], ("lemma", "Lemma 99", "verified", "l99")),
        (["HP-E99", "--number", "(99)", "--verdict", "refuted"], ("equation", "(99)", "refuted", "e99")),
        (
            ["JXZ-S99", "--number", "Section 9, end", "--kind", "remark"],
            ("remark", "Section 9, end", "verified", "s99"),
        ),
        (["DPS-TRIAL", "--verdict", "conjecture"], ("new", "", "conjecture", "trial")),
        (["HR-L99", "--number", "Lemma 9', end"], ("lemma", "Lemma 9', end", "verified", "l99")),
    ],
)
def test_kind_and_verdict_follow_from_the_number(checkout, capsys, words, row):
    before = rows(checkout)
    assert new.main([words[0], "--chapter", "orbit", *words[1:]]) == 0
    capsys.readouterr()
    after, paper = rows(checkout), words[0].partition("-")[0]
    (place,) = [i for i, one in enumerate(after) if one["label"] == words[0]]
    assert tuple(after[place].values()) == (words[0], *row)
    assert after[:place] + after[place + 1 :] == before
    assert [one["label"].partition("-")[0] for one in after[: place + 2]].count(paper) == sum(
        one["label"].startswith(f"{paper}-") for one in after
    ), "it is the last row of its paper"


def test_the_first_label_of_a_paper_comes_last(checkout, capsys):
    file = checkout / "reference/dpspectra/ledger/labels.csv"
    others = [line for line in file.read_text(encoding="utf-8").splitlines(keepends=True) if line[:4] != "JXZ-"]
    file.unlink()  # a link to the file of all
    file.write_text("".join(others), encoding="utf-8")
    assert new.main(["JXZ-L99", "--chapter", "noise", "--number", "Lemma 99"]) == 0
    capsys.readouterr()
    assert file.read_text(encoding="utf-8") == "".join([*others, "JXZ-L99,lemma,Lemma 99,verified,l99\n"])


def test_a_section_may_stand_on_another_page_of_its_chapter(checkout, capsys):
    before, words = texts(checkout), ["DPS-TRIAL", "--chapter", "perturbation", "--page"]
    assert new.main([*words, "orbit.md"]) == 2
    assert "--page must be one of perturbation.md, perturbation_low_rank.md, got" in capsys.readouterr().err
    assert changed(checkout, before) == {}
    assert new.main([*words, "perturbation_low_rank.md"]) == 0
    found, module = changed(checkout, before), "reference/dpspectra/lemmas/perturbation/trial.py"
    page = "proofs_notes/perturbation_low_rank.md"
    assert found.keys() == {module, page, "reference/dpspectra/ledger/labels.csv"}
    assert 'note = "perturbation_low_rank.md#trial"' in found[module]
    assert found[page].startswith(before[page].decode() + "\n## Trial\n")


def test_a_label_that_is_listed_and_not_built_keeps_its_row(checkout, capsys, monkeypatch):
    listed = next(label for label in labels() if label.label == "HP-F1")
    monkeypatch.setattr(new, "modules", dict)
    before, unchanged = texts(checkout), rows(checkout)
    assert new.main(["HP-F1", "--chapter", "power", "--title", "a new name"]) == 0
    assert rows(checkout) == unchanged
    found = changed(checkout, before)
    assert found.keys() == {"reference/dpspectra/lemmas/power/a_new_name.py", "proofs_notes/power.md"}
    assert f"verdict = Verdict.{listed.verdict.name}" in found["reference/dpspectra/lemmas/power/a_new_name.py"]
    assert new.main(["HP-F1", "--chapter", "power", "--kind", "lemma"]) == 2
    assert "--kind must be left out, as HP-F1 is in labels.csv" in capsys.readouterr().err


BAD = {
    "no such chapter": (["DPS-TRIAL", "--chapter", "orbits"], "--chapter must be one of arithmetic, auditing"),
    "a label that exists": (["mwktv-l6.1", "--chapter", "orbit"], "the label must be one of MWKTV"),
    "the same": (["MWKTV-L6.1", "--chapter", "orbit"], "carried by dpspectra.lemmas.sensitivity.linear_utility"),
    "another case": (["DPS-Knorm", "--chapter", "orbit"], "got DPS-KNORM: it is carried by"),
    "no paper": (["ABC-L1", "--chapter", "orbit"], "the label must be one of MWKTV, JXZ, HP, HR, AFTER, DPS"),
    "no hyphen": (["DPSTRIAL", "--chapter", "orbit"], "such as DPS-EXAMPLE, got 'DPSTRIAL'"),
    "a lower letter": (["DPS-trial", "--chapter", "orbit"], "a capital letter"),
    "a line break": (["DPS-A\nB", "--chapter", "orbit"], "letters, digits or dots"),
    "a path": (["DPS-A/../B", "--chapter", "orbit"], "letters, digits or dots"),
    "a quote": (["DPS-TRIAL", "--chapter", "orbit", "--title", 'a "b"'], "--title must be at most 80 letters"),
    "a formula": (["DPS-TRIAL", "--chapter", "orbit", "--title", "a $`x`$"], "--title must be at most 80 letters"),
    "no title": (["DPS-TRIAL", "--chapter", "orbit", "--title", ""], "--title must be at most 80 letters"),
    "a long title": (["DPS-TRIAL", "--chapter", "orbit", "--title", "a" * 81], "--title must be at most 80 letters"),
    "a digit first": (
        ["DPS-TRIAL", "--chapter", "orbit", "--title", "2 by 2"],
        "and begin with a letter, got '2 by 2'",
    ),
    "a module": (["DPS-TRIAL", "--chapter", "orbit", "--title", "weyl"], "lemmas/perturbation/weyl.py is called"),
    "a section": (
        ["DPS-TRIAL", "--chapter", "perturbation", "--title", "weyl"],
        "as a section of proofs_notes/perturbation.md is called",
    ),
    "no such kind": (["DPS-TRIAL", "--chapter", "orbit", "--kind", "axiom"], "--kind must be one of algorithm"),
    "no kind": (["HP-S9", "--chapter", "orbit", "--number", "Section 9"], "--kind must be one of algorithm"),
    "no such verdict": (
        ["DPS-TRIAL", "--chapter", "orbit", "--verdict", "true"],
        "--verdict must be one of definition",
    ),
    "a bar": (["HP-S9", "--chapter", "orbit", "--number", "a | b"], "--number must be at most 80 letters"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_a_line_and_nothing_is_written(checkout, capsys, name):
    words, message = BAD[name]
    if name == "a section":
        (checkout / "reference/dpspectra/lemmas/perturbation/weyl.py").unlink()
    before = texts(checkout)
    assert new.main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert message in told.err
    assert changed(checkout, before) == {}


def test_a_disk_that_is_full_leaves_the_checkout_as_it_was(checkout, capsys, monkeypatch):
    from pathlib import Path

    before, calls, whole = texts(checkout), [], Path.replace

    def replace(self, target):
        calls.append(target)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    assert new.main(["DPS-TRIAL", "--chapter", "orbit"]) == 2
    assert "No space left" in capsys.readouterr().err
    assert len(calls) >= 3
    assert texts(checkout) == before


def test_a_section_has_the_paragraphs_that_readers_look_for():
    for verdict in Verdict:
        text = template.section("DPS-TRIAL", "A trial", "", verdict)
        assert text.startswith(f"## A trial\n\n**DPS-TRIAL** (ours) · {verdict}\n")
        found = notes._by_lead(text.partition("\n\n")[2])
        assert found
        assert all(part.text == f"{MARK}." for part in found)
        from dpspectra.ledger import words

        told = verdict is Verdict.OPEN or "as_printed" in verdict.demands
        assert bool(words.told(found, words.PRINTED)) == told
        assert bool(words.told(found, words.OURS)) == (verdict is not Verdict.REFUTED)


# ---------------------------------------------------------------- a whole checkout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the project, in which a process of its own works."""
    root = tmp_path_factory.mktemp("clone")
    for name in ("reference", "tools"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "proofs_notes", root / "proofs_notes", ignore=shutil.ignore_patterns("site"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, root)
    return root


def within(root, *words, package="reference"):
    """Run Python with the package of this checkout."""
    env = {**os.environ, "PYTHONPATH": str(root / package)}
    return subprocess.run([sys.executable, *words], cwd=root, env=env, capture_output=True, text=True)


def dpspectra(root, *words):
    return within(root, "-m", "dpspectra", *words)


def started(root, *words, package="reference"):
    return within(root, "-m", "tools.new", *words, package=package)


def test_what_is_written_passes_the_linters(clone, monkeypatch):
    pytest.importorskip("ruff")
    pytest.importorskip("mypy")
    monkeypatch.setattr(new, "checkout", lambda: clone)
    modules = []
    for number, verdict in enumerate(Verdict):
        title = f"scaffold of a {verdict.value} statement"
        words = [f"DPS-S{number}", "--chapter", "orbit", "--title", title, "--verdict", verdict.value]
        assert new.main(words) == 0
        modules.append(f"reference/dpspectra/lemmas/orbit/{title.replace(' ', '_').replace('-', '_')}.py")
    for command in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--follow-imports=silent"]):
        done = within(clone, "-m", *command, *modules)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_checks_say_what_is_missing_without_a_traceback(clone):
    assert started(clone, "DPS-MISSING", "--chapter", "noise", "--verdict", "repaired").returncode == 0
    done = dpspectra(clone, "verify", "DPS-MISSING")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    tasks = [line.strip() for line in done.stdout.splitlines() if "not written yet" in line]
    assert len(tasks) == 15
    for face in sorted(Verdict.REPAIRED.demands | {"tight", "beyond"}):
        assert any(f"the face {face}:" in task for task in tasks), face
    shown = dpspectra(clone, "show", "DPS-MISSING")
    assert shown.returncode == 2
    assert shown.stderr.startswith("dpspectra: DPS-MISSING must be written before it can be shown")
    assert started(clone, "DPS-MISSING", "--chapter", "noise").returncode == 2


WRITTEN = '''"""DPS-DONE: the inner product of two Hermitian matrices is at most the product of their Frobenius norms.

It is Cauchy and Schwarz for vectors of entries.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Matrix, Parts, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import hermitian, st


@statement
class Done:
    labels = ("DPS-DONE",)
    claim = {"inner product": r"|\\langle A,B\\rangle|\\le\\|A\\|_F\\|B\\|_F"}
    where = {"A, B": "Hermitian matrices"}
    verdict = Verdict.NEW
    note = "noise.md#done"
    examples = 10
    without_beyond = "It holds for all pairs of matrices of one shape."

    def cases(self) -> Any:
        return st.tuples(hermitian(2), hermitian(2))

    def fast(self, a: Any, b: Any) -> Parts:
        bound = fast.frobenius_norm(a) * fast.frobenius_norm(b)
        yield AtMost(abs(fast.inner(a, b)), bound, scale=bound, part="inner product")

    def oracle(self, a: Matrix, b: Matrix) -> Parts:
        bound = mp.sqrt(mp.fsum(abs(x) ** 2 for x in a)) * mp.sqrt(mp.fsum(abs(x) ** 2 for x in b))
        yield AtMost(abs(oracle.inner(a, b)), bound, scale=bound, part="inner product")

    def tight(self) -> list[Any]:
        return [(np.diag([1.0, 2.0]), np.diag([2.0, 4.0]))]
'''
MEANING = '    where = {"A, B": "Hermitian matrices"}\n'
BASELINE = (
    "from pathlib import Path; from dpspectra.ledger import measure, registry; registry.all_statements = lambda: "
    "[registry.get('DPS-DONE')]; measure.write(Path('.'))"
)
"""Measures one statement as `make notes` does, which takes half a minute for all."""


def test_a_statement_is_added_by_two_files_and_the_generated_ones(clone):
    """Written by the command, the module and the note filled in, the baseline measured: then it passes."""
    assert started(clone, "DPS-DONE", "--chapter", "noise").returncode == 0
    module, page = clone / "reference/dpspectra/lemmas/noise/done.py", clone / "proofs_notes/noise.md"
    module.write_text(WRITTEN.replace(MEANING, ""), encoding="utf-8")
    page.write_text(page.read_text(encoding="utf-8").replace(f"{MARK}.", "It is."), encoding="utf-8")
    done = dpspectra(clone, "verify", "DPS-DONE", "--challenge")
    assert "the letter B of the claim has no meaning: name it in where" in done.stdout
    module.write_text(WRITTEN, encoding="utf-8")
    done = dpspectra(clone, "verify", "DPS-DONE", "--challenge")
    assert "its parts are not recorded yet: run `make notes`" in done.stdout
    assert done.returncode == 1
    assert within(clone, "-c", BASELINE).returncode == 0
    done = dpspectra(clone, "verify", "DPS-DONE", "--challenge")
    assert done.returncode == 0, done.stdout
    assert "1 ok, 0 broken" in done.stdout


def test_a_package_from_elsewhere_is_refused(clone, tmp_path):
    shutil.copytree(clone / "tools", tmp_path / "tools")
    shutil.copytree(clone / "reference/dpspectra", tmp_path / "site/dpspectra")
    shutil.copytree(clone / "proofs_notes", tmp_path / "site/dpspectra/notes")
    before = texts(tmp_path)
    done = started(tmp_path, "DPS-WHEEL", "--chapter", "orbit", package="site")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("dpspectra: dpspectra must be imported from this checkout to start a statement in it")
    assert len(done.stderr.splitlines()) == 1
    assert changed(tmp_path, before) == {}


def test_chapters_are_the_folders_of_the_book():
    folders = {path.name for path in (ROOT / "reference/dpspectra/lemmas").iterdir() if (path / "__init__.py").exists()}
    assert set(new.chapters()) == folders


def test_every_option_is_a_field_of_the_record():
    options = vars(new.parser().parse_args(["HP-L99", "--chapter", "power"]))
    assert options.keys() - {"run", "called", "verbose"} == {field.name for field in dataclasses.fields(new.NewRequest)}
