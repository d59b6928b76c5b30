"""The project itself: complete entries, notes that exist, generated pages current, imports that point downwards."""

import ast
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

from dpspectra.ledger import Verdict, all_statements, get, labels, notes, views, words
from dpspectra.ledger.registry import built
from dpspectra.ledger.runner import weakest
from tests.support.helpers import ROOT

ENTRIES = all_statements()
BOOK = ROOT / "reference" / "dpspectra" / "lemmas"
SECTION = re.compile(
    r"^ *(?=(?:Parameters|Returns|Yields|Raises|See Also|Notes|References|Examples)\n *-{3,}$)", re.MULTILINE
)
EXPECTED = {label.label: label for label in labels()}


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", (ROOT / "proofs_notes" / page).read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_entry_has_the_faces_its_verdict_demands(entry):
    assert entry.verdict.demands <= entry.faces.keys()
    assert ("tight" in entry.faces) == ("oracle" in entry.faces)  # what stands can be challenged
    assert (entry.cases is not None) == ("oracle" in entry.faces)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_entry_has_the_verdict_and_chapter_the_list_expects(entry):
    for label in entry.labels:
        assert entry.verdict is EXPECTED[label].verdict, label
        assert (EXPECTED[label].entry, EXPECTED[label].chapter) == (entry.id, entry.chapter), "run `make notes`"


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_note_exists_and_names_every_label(entry):
    page, anchor = entry.note.split("#")
    assert anchor in anchors(page)
    text = (ROOT / "proofs_notes" / page).read_text(encoding="utf-8")
    assert all(label in text for label in entry.labels)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_what_an_entry_rests_on_is_built(entry):
    assert set(entry.uses) <= built().keys()
    assert not set(entry.uses) & set(entry.labels)


LABEL = re.compile(rf"(?<![\w-])({'|'.join(sorted(map(re.escape, built()), key=len, reverse=True))})(?![\w-]|\.\d)")
PROOFS = {"Proof", "Statement and proof"}


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_what_a_proof_in_the_notes_names_is_said_to_support_it_or_to_be_mentioned(entry):
    proof = " ".join(part.text for part in notes.section(entry.note) if part.lead in PROOFS)
    named = {get(label).id for label in LABEL.findall(proof)} - {entry.id}
    uses, mentions = ({get(label).id for label in listed} for listed in (entry.uses, entry.mentions))
    assert named <= uses | mentions
    assert mentions <= named - uses


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_what_is_proved_rests_on_nothing_that_is_refuted_or_open(entry):
    unproved = {Verdict.REFUTED, Verdict.OPEN, Verdict.CONJECTURE}
    assert entry.verdict in unproved or weakest(entry.id)[1] not in unproved


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_who_meets_a_false_statement_is_told_what_is_true(entry):
    assert set(entry.instead) <= built().keys() - set(entry.labels)
    assert not {get(label).verdict for label in entry.instead} & {Verdict.REFUTED, Verdict.OPEN, Verdict.CONJECTURE}
    if entry.verdict in (Verdict.REFUTED, Verdict.OPEN):
        assert entry.instead or words.told(notes.section(entry.note), words.OURS)
    else:
        assert not entry.instead


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_module_opens_with_the_statement_and_is_short(entry):
    """Twenty lines above 250, as all that a person writes about a statement stands in its class, letters included."""
    module = sys.modules[entry.module]
    assert len(pathlib.Path(module.__file__).read_text(encoding="utf-8").splitlines()) <= 270
    assert module.__doc__


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_the_note_stands_on_a_page_of_the_entrys_chapter(entry):
    page, chapter = entry.note.split(".md#")[0], entry.module.split(".")[2]
    assert page == chapter or page.startswith(f"{chapter}_")


def test_every_page_of_notes_belongs_to_a_chapter():
    used = {entry.note.split("#")[0] for entry in ENTRIES} | {"README.md", "verdicts.md"}
    assert {path.name for path in (ROOT / "proofs_notes").glob("*.md")} == used


WITHOUT_TWIN = {
    "caps": "incomplete beta function; the oracle faces of the entries integrate or use mpmath's own",
    "knorm": "draws; their moments have a twin",
    "leading": "eigenvectors of large matrices; compared with all of them, and checked by a Cholesky factor as it runs",
    "noisy_spectra": "asymptotic formulas; compared with simulations",
    "power_loss": "an asymptotic formula; compared with simulations",
    "trace_noise": "draws and their moments; the oracle faces build the covariance and integrate over the traces",
    "spectral_noise": "asymptotic formulas; compared with drawn spectra",
    "vector_noise": "draws; the oracle face integrates their density over shells",
    "noise_scales": "mechanisms calibrate themselves; compared with what they state",
    "rows": "one row by the definition; compared with every source of rows (test_every_source_of_rows)",
    "symmetric_noise": "exact tails in dimension 1 and 2; the fast faces draw the noise instead",
}


def test_every_kernel_has_a_twin():
    """`fast` and `oracle` hold the same stems; what has no twin is named with the reason."""
    stems = [
        {path.stem for path in (ROOT / "reference" / "dpspectra" / room).glob("*.py")} for room in ("fast", "oracle")
    ]
    assert stems[0] ^ stems[1] == WITHOUT_TWIN.keys()


def test_modules_of_the_book_have_names_of_their_own():
    stems = [path.stem for path in BOOK.glob("*/*.py") if path.stem != "__init__"]
    assert sorted(stems) == sorted(set(stems))


def test_no_label_is_missing():
    assert [label.label for label in labels() if label.label not in built()] == []


def test_every_verdict_is_represented():
    assert {entry.verdict for entry in ENTRIES} == set(Verdict)


@pytest.mark.skipif(
    pathlib.Path(views.__file__).parents[3] != ROOT, reason="a copy of the package has no notes of its own beside it"
)
def test_generated_pages_are_current():
    stale = [str(path) for path, text in views.pages(ROOT).items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make notes`"


def test_the_changelog_lists_the_verdicts_that_differ_from_print():
    rows = re.findall(r"^\| ([\w-]+) \| (.*-.*) \|$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    told = {verdict: sorted(re.split("[,;] ", listed)) for verdict, listed in rows}
    differ = (Verdict.REFUTED, Verdict.REPAIRED, Verdict.CORNER, Verdict.PROOF_GAP, Verdict.OPEN)
    assert told == {v.value: sorted(label.label for label in labels() if label.verdict is v) for v in differ}


def test_relative_links_of_the_pages_and_notes_resolve():
    pages = [*ROOT.glob("*.md"), *(ROOT / "bench").glob("*.md"), *(ROOT / "examples").glob("*.md")]
    for page in [*pages, *(ROOT / "proofs_notes").rglob("*.md")]:
        prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name} links to {target}"


def in_sections(program):
    """Number of lines in the sections of docstrings, which a public function needs however short it is."""
    texts = [node.value for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Constant)]
    cut = [SECTION.split(text, maxsplit=1) for text in texts if isinstance(text, str)]
    return sum(parts[1].count("\n") for parts in cut if len(parts) == 2)


LISTS = {ROOT / "reference" / "dpspectra" / "mechanisms" / "catalogue.py"}
"""Modules that are as long as what they list."""


def test_modules_outside_the_book_are_short():
    paths = {*(ROOT / "reference").rglob("*.py"), *(ROOT / "tools").rglob("*.py")} - LISTS
    programs = {path: path.read_text(encoding="utf-8") for path in paths}
    lengths = {path: len(program.splitlines()) for path, program in programs.items()}
    assert [
        path for path, length in lengths.items() if length > 300 and length - in_sections(programs[path]) > 300
    ] == []


def test_only_sections_are_not_counted():
    text = '"""Say one.\n\nAnd more.\n\n{}\n-------\nint\n    One.\n\n"""\n'
    assert in_sections(text.format("Returns")) == 5
    assert in_sections(text.format("So it is")) == 0


def lint_imports(folder):
    """Check the imports of the package in a folder, beside the tools of this checkout."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    return subprocess.run(
        [*command, "--config", str(ROOT / "pyproject.toml"), "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": f"{folder}:{ROOT}", "PATH": ""},
        capture_output=True,
        text=True,
    )


def test_rooms_depend_downwards():
    result = lint_imports(ROOT / "reference")
    assert result.returncode == 0, result.stdout


PLANTED = {
    "oracle/linalg.py": "numpy",
    "fast/linalg.py": "mpmath",
    "mechanisms/release.py": "hypothesis",
    "ground/checks.py": "mpmath",
    "formulas/covariance_l1.py": "dpspectra.oracle.linalg",
    "lemmas/wishart/rank_one.py": "hypothesis",
    "certified/integer_rows.py": "dpspectra.fast",
    "ledger/entry.py": "dpspectra.lemmas",
    "accounting/budget.py": "dpspectra.estimators.base",
    "accounting/budget_file.py": "dpspectra.report.html",
    "accounting/composition.py": "dpspectra.cli",
    "commands/offers.py": "tools.lines",
    "advice.py": "dpspectra.audit.engine",
    "symbolic/tape.py": "dpspectra.audit.claims",
    "postprocessing.py": "dpspectra.mechanisms.pca",
    "audit/reading/stacked_outputs.py": "dpspectra.audit.calling.caller",
    "audit/betting/events.py": "dpspectra.audit.betting.ranking",
}
"""Imports that no module may have, by the module's file."""


def test_planted_imports_are_caught(tmp_path):
    import shutil

    package = tmp_path / "dpspectra"
    shutil.copytree(ROOT / "reference" / "dpspectra", package)
    for room in (package, package / "audit"):
        (room / "attic.py").write_text('"""A module without a floor."""\n', encoding="utf-8")
    for file, imported in PLANTED.items():
        with (package / file).open("a", encoding="utf-8") as source:
            source.write(f"\nimport {imported}\n")
    found = " ".join(lint_imports(tmp_path).stdout.split())
    assert "KEPT" not in found
    assert found.count("attic") == 2
    assert "No cycles are allowed in dpspectra.audit.betting." in found
    for file, imported in PLANTED.items():
        module = file.removesuffix(".py").replace("/", ".")
        chain = rf" dpspectra\.{module} -> {imported} \(l\.\d+"
        assert "betting" in module or re.search(chain, found), (module, imported)


EXACT = {
    "frexp",
    "ldexp",
    "floor",
    "ceil",
    "trunc",
    "isqrt",
    "isfinite",
    "isnan",
    "sqrt",
    "copysign",
    "fabs",
    "factorial",
    "nextafter",
    "prod",
    "inf",
}
"""Functions of the module `math` without an error, or correctly rounded, and a constant."""
ROUNDED = {"exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "arctan", "arctan2", "power", "hypot"}
"""Functions of numpy that call the C library, whose errors nobody bounds."""


def unproved(source):
    """Names in the source of a certified module that have no proved error, or no secret entropy."""
    attributes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    named = [(node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name)]
    return [
        f"{module}.{name}"
        for module, name in named
        if (module in ("math", "cmath") and name not in EXACT) or (module == "np" and name in {*ROUNDED, "random"})
    ]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "reference" / "dpspectra" / "certified").glob("*.py")), ids=lambda path: path.name
)
def test_certified_arithmetic_calls_nothing_unproved(path):
    assert unproved(path.read_text(encoding="utf-8")) == []


def test_what_is_unproved_is_found():
    found = unproved("x = math.log(2) + np.random.normal() + math.ldexp(1.0, 3) + np.exp(np.rint(1))")
    assert sorted(found) == ["math.log", "np.exp", "np.random"]


def test_the_oldest_versions_are_the_lower_bounds():
    """`make oldest` and `make docs OLDEST=1` use what is promised of every library of the tests and of the site."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: extra for name, extra in project["optional-dependencies"].items() if name != "site-test"}
    wanted = [*project["dependencies"], *(x for extra in extras.values() for x in extra)]
    bounds = dict(re.findall(r"^([\w-]+)(?:\[.*\])?>=([\d.]+)", "\n".join(wanted), re.MULTILINE))
    text = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8")
    pins = {name: re.sub(r"(\.0)+$", "", version) for name, version in re.findall(r"(?m)^([\w-]+)==(.+)$", text)}
    assert bounds.items() - pins.items() == {(name, bounds[name]) for name in ("diffprivlib",)}
    assert pins.keys() <= bounds.keys()


def test_import_is_quick():
    """Public names load lazily: importing the package touches neither numpy nor the book."""
    code = "import sys, dpspectra; print([m for m in ('numpy', 'scipy', 'hypothesis', 'mpmath') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
